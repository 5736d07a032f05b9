/** A hold on a workflow and what the workflows that its steps have started do meanwhile. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { rowsOf, sheet, workflowCalls, type StepOf, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, newCase, start, stepStatuses, decision, complete, stepNamed, set } =
  workflowCalls(p);
const post = (path: string, body: object): Promise<WorkflowRow> => ok(p.admin.post(`/api/${path}?Output=Json`, body));

const form = await save('importformtemplate', { ImportFormTemplate: 'Review', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Stay', AppliesTo: 'Foreclosure' });
const contact = (name: string): Record<string, string> => ({
  Object: 'Contact',
  Operation: 'Save',
  Parameters: `Object=Foreclosure&ObjectID={ForeclosureID}&LastName=${name}`,
});
await set('DecisionPollingMinutes', '1');

// Saved before the second process starts, which sees later changes only after half a second.
const rule = await save('businessrule', {
  BusinessRule: 'Not this status',
  AppliesTo: 'Foreclosure',
  Operation: 'Update',
  Status: 'Active',
  Stylesheet:
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">' +
    '<xsl:if test="//Status = \'Refused\'"><Exception>No such status</Exception></xsl:if>' +
    '</xsl:template></xsl:stylesheet>',
});

/** The last step of a child, by the way in which it completes. */
const lastSteps = {
  'a queued operation': { ...contact('Ran'), Async: true },
  'a queued loop': { ...contact('Ran'), Async: true, Method: 'Foreclosure/Search?ForeclosureID={ForeclosureID}' },
  'a loop logged as a batch': {
    ...contact('Ran'),
    BatchLog: true,
    Method: 'Foreclosure/Search?ForeclosureID={ForeclosureID}',
  },
  'a polling step': { DecisionStepTemplateType: 'Polling', StepXslt: sheet("//ForeclosureItem/Status = 'Ready'") },
  'a task': formStep,
  'a step of a user': {},
} satisfies Record<string, Omit<StepOf, 'name'>>;
type Way = keyof typeof lastSteps;
const ways = Object.keys(lastSteps) as Way[];

for (const way of ways) {
  const child = await template(`Child: ${way}`, [{ name: 'Last', ...lastSteps[way] }]);
  const parent = await template(`Parent: ${way}`, [
    { name: 'Child', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
    { name: 'Then', ...contact('Then'), after: ['Child'] },
  ]);
  await template(`Grandparent: ${way}`, [
    { name: 'Child', Object: 'DecisionTemplate', ObjectID: parent['DecisionTemplateID'] },
    { name: 'Then', ...contact('Then above'), after: ['Child'] },
  ]);
}

interface Family {
  readonly caseId: number;
  readonly top: number;
  readonly parent: number;
  readonly child: number;
}

const idOf = (row: WorkflowRow): number => Number(row['DecisionID']);
const childOf = async (parent: number): Promise<number> => Number((await stepNamed(parent, 'Child'))['ObjectID']);
const hold = (id: number): Promise<WorkflowRow> => save('decisiondelay', { DecisionID: id, DecisionDelay: 'Stay' });
const endHold = (row: WorkflowRow): Promise<WorkflowRow> =>
  save('decisiondelay', { ID: row['DecisionDelayID'], Status: 'Complete' });
const contactsOf = async (caseId: number): Promise<string[]> =>
  rowsOf(
    await ok(p.admin.get(`/api/foreclosure/${caseId}/contact/search?Output=Json&OrderBy=ContactID`)),
    'Contact',
  ).map((row) => String(row['LastName']));

async function family(way: Way): Promise<Family> {
  const caseId = await newCase();
  const top = idOf(await start(`Grandparent: ${way}`, caseId));
  const parent = await childOf(top);
  return { caseId, top, parent, child: await childOf(parent) };
}

/** Makes polls due. */
const pollNow = (id: number): Promise<unknown> =>
  p.platform.store.query(
    `update pgboss.job set start_after = now()
     where data->>'label' in (
       select 'DecisionStep ' || decisionstepid from decisionstep where decisionid = $1::bigint
     )`,
    [id],
  );

/** Lets the last step of the child complete, if it does not by itself. */
async function finishLast(way: Way, { caseId, child }: Family): Promise<void> {
  const last = await stepNamed(child, 'Last');
  if (way === 'a task') await save('importform', { ID: last['ObjectID'], ActualCompletion: new Date().toISOString() });
  if (way === 'a step of a user') await ok(complete(last['DecisionStepID']));
  if (way !== 'a polling step') return;
  await save('foreclosure', { ID: caseId, Status: 'Ready' });
  await pollNow(child);
}

const isComplete = async (id: number): Promise<boolean> => (await decision(id))['ActualCompletion'] !== undefined;
const isSettled = async (ids: readonly number[]): Promise<boolean> => {
  const [row] = await p.platform.store.query<{ n: number }>(
    `select count(*)::integer as n from pgboss.job
     where state < 'completed'
       and start_after <= now()
       and (data->>'label' = any($1::text[]) or data->>'route' like 'importfilequeue/%')`,
    [`{${ids.map((id) => `"Decision ${id}"`).join()}}`],
  );
  return row?.n === 0;
};
const deadLetters = async (): Promise<unknown[]> => [
  ...(await p.platform.store.query("select data->>'route' as route from pgboss.job where name = 'DeadLetters'")),
];

/** The contacts that a family leaves, each once. */
const expectedContacts = (way: Way): string[] => [
  ...('Object' in lastSteps[way] && lastSteps[way].Object === 'Contact' ? ['Ran'] : []),
  'Then',
  'Then above',
];

describe('a child of a workflow on hold', () => {
  before(async () => {
    // Two processes share the work.
    const other = await secondPlatform({ after }, p);
    for (const platform of [p.platform, other.platform]) {
      const worker = startWorker(platform, platform.queue);
      atEnd({ after }, () => worker.stop());
    }
  });

  for (const way of ways) {
    it(`WF-11 WF-16 completes by ${way}, once; the parent's step waits for the end of the hold`, async () => {
      await post('queue/stop', { QueueName: 'Default' });
      const families = await Promise.all(
        (['parent', 'top', 'both', 'earlier'] as const).map(async (held) => {
          const one = await family(way);
          const holds = [
            ...(held === 'top' ? [] : [await hold(one.parent)]),
            ...(held === 'top' || held === 'both' ? [await hold(one.top)] : []),
          ];
          if (held === 'earlier') for (const row of holds) await endHold(row);
          return { ...one, held, holds };
        }),
      );
      await post('queue/start', { QueueName: 'Default' });
      for (const one of families) await finishLast(way, one);
      for (const one of families) await eventually('the child is complete', () => isComplete(one.child));
      for (const { held, parent, top } of families) {
        await eventually('nothing is due', () => isSettled([parent, top]));
        const isParentHeld = held === 'parent' || held === 'both';
        if (isParentHeld) {
          assert.deepEqual(await stepStatuses(parent), ['Child Pending'], held);
          assert.deepEqual(await stepStatuses(top), ['Child Pending'], held);
        } else if (held === 'top') {
          await eventually('the parent is complete', () => isComplete(parent));
          assert.deepEqual(await stepStatuses(top), ['Child Pending']);
        }
      }
      for (const { held, holds } of families) if (held !== 'earlier') for (const row of holds) await endHold(row);
      for (const { held, caseId, top } of families) {
        await eventually(`the workflows have ended: ${held}`, () => isComplete(top));
        assert.deepEqual((await contactsOf(caseId)).sort(), expectedContacts(way), held);
      }
      assert.deepEqual(await deadLetters(), []);
    });
  }

  it('WF-11 WF-17 completes while the hold ends, and the parent continues once', async () => {
    const way = 'a step of a user';
    for (let round = 0; round < 6; round++) {
      const one = await family(way);
      const held = await hold(one.parent);
      await Promise.all([finishLast(way, one), endHold(held)]);
      await eventually('the workflows have ended', () => isComplete(one.top));
      assert.deepEqual(await contactsOf(one.caseId), expectedContacts(way));
    }
  });

  it('WF-11 WF-09 completes although its parent cannot: the step of the parent is in Error, and completes once that is fixed', async () => {
    const child = await template('Child of the refused', [{ name: 'Last', ...contact('Ran'), Async: true }]);
    await template('Refused', [
      {
        name: 'Child',
        Object: 'DecisionTemplate',
        ObjectID: child['DecisionTemplateID'],
        OnCompleteParentStatus: 'Refused',
      },
    ]);
    const caseId = await newCase();
    const parent = idOf(await start('Refused', caseId));
    const childId = await childOf(parent);
    await eventually('the child is complete', () => isComplete(childId));
    const step = await stepNamed(parent, 'Child');
    assert.deepEqual([step['Status'], await contactsOf(caseId)], ['Error', ['Ran']]);
    assert.match(String(step['ErrorMessage']), /No such status/);
    await refused(complete(step['DecisionStepID']), 422);
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
    await ok(complete(step['DecisionStepID']));
    assert.equal(await isComplete(parent), true);
    assert.deepEqual(await deadLetters(), []);
  });

  it('WF-11 WF-26 a step that runs again waits for its new child and task, not for the old ones', async () => {
    const child = await template('Child of the repeated', [{ name: 'Last' }]);
    await template('Repeated', [
      { name: 'Child', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
      { name: 'Task', ...formStep },
      { name: 'End' },
    ]);
    const parent = idOf(await start('Repeated', await newCase()));
    const [first, task] = [await stepNamed(parent, 'Child'), await stepNamed(parent, 'Task')];
    await ok(complete((await stepNamed(Number(first['ObjectID']), 'Last'))['DecisionStepID']));
    await save('importform', { ID: task['ObjectID'], ActualCompletion: new Date().toISOString() });
    assert.deepEqual(await stepStatuses(parent), ['Child Complete', 'Task Complete', 'End Pending']);
    for (const { DecisionStepTemplateID } of [first, task])
      await post('decision/reprocess', { ID: parent, DecisionStepTemplateID });
    await eventually(
      'the steps have started again',
      async () => (await stepStatuses(parent)).join() === 'Child Pending,Task Pending,End Pending',
    );
    await post('decision/process', { ID: parent });
    assert.deepEqual(await stepStatuses(parent), ['Child Pending', 'Task Pending', 'End Pending']);
  });
});
