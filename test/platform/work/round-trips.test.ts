import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { countWaits, fewestWaits } from '../../support/database-waits.ts';
import { testPlatform } from '../../support/platform.ts';
import { sheet, workflowCalls } from '../../support/work/workflows.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

const p = await testPlatform({ after });
const { template, newCase, start } = workflowCalls(p);
const { ok, call, worker, team, item, worklist, select, next } = worklistCalls(p);

/** How often a call is made until everything that it caches is cached. */
const CALLS = 4;

/** An if/then step, which is true. */
const conditionStep = (name: string, before: readonly string[] = []): Parameters<typeof template>[1][number] => ({
  name,
  after: before,
  DecisionStepTemplateType: 'IfThen',
  StepXslt: sheet('true()'),
});

/** A user of a team, with a queue of the team. */
async function newQueue(name: string): Promise<Awaited<ReturnType<typeof worker>> & { readonly listId: number }> {
  const user = await worker(name);
  const teamId = await team(`${name}s`, [[user.personId]]);
  return { ...user, listId: (await worklist({ TeamID: teamId })).id };
}

describe('a call waits for the database no more often than it needs', () => {
  it('WF-04 a start of three if/then steps: for the case, the workflow with the summary, and the steps with the commit', async () => {
    const names = ['First', 'Second', 'Third'];
    await template(
      'Counted',
      names.map((name, at) => conditionStep(name, names.slice(Math.max(0, at - 1), at))),
    );
    const cases: unknown[] = [];
    for (let n = 0; n < CALLS; n++) cases.push(await newCase());
    assert.equal(await fewestWaits(CALLS, (n) => start('Counted', cases[n] as never)), 3);
  });

  it('WL-01 WL-02 the next item: for the choice, and its record; its completion: for the row, and the update with the commit', async () => {
    const { caller, listId } = await newQueue('Counted');
    for (let n = 0; n < CALLS; n++) await item(listId);
    const chosen: number[] = [];
    const completed: number[] = [];
    for (let n = 0; n < CALLS; n++) {
      let id: unknown;
      chosen.push(await countWaits(async () => (id = (await next(caller))?.['SmartWorklistMemberID'])));
      completed.push(await countWaits(() => ok(call('smartworklistmember/complete', { ID: id }, caller))));
    }
    assert.deepEqual([Math.min(...chosen), Math.min(...completed)], [2, 2]);
  });
});

describe('the case that is read together with the insert of a workflow', () => {
  it('WF-04 WF-10 is read as the built-in user, but the workflow is inserted by its caller, under row security', async () => {
    await p.admin.post('/api/role/save', { Role: 'Starter', Permissions: 'DecisionSave' });
    const { organizationId, personId, caller } = await p.firm('Firm of the case', 'Partner, Starter');
    await template('Read ahead', [conditionStep('Asked')]);
    const [own, foreign] = [await newCase({ OrganizationID: organizationId }), await newCase()];
    for (let n = 0; n < CALLS; n++) {
      const body = { Template: 'Read ahead', Object: 'Foreclosure' };
      const { DecisionID, CreatedPersonID, UpdatedPersonID, ActualCompletion } = await ok(
        call('decision/save', { ...body, ObjectID: own }, caller),
      );
      assert.ok(ActualCompletion);
      assert.equal(CreatedPersonID, personId);
      const [step] = await p.platform.store.query<{ person: number }>(
        'select createdpersonid as person from decisionstep where decisionid = $1::bigint',
        [DecisionID],
      );
      assert.equal(step?.person, UpdatedPersonID);
      assert.notEqual(step?.person, personId);
      const refused = await call('decision/save', { ...body, ObjectID: foreign }, caller);
      assert.equal(refused.status, 404, refused.text);
    }
  });

  it('WF-04 is discarded with an insert that the database refuses, and read again if anything is written in between', async (t) => {
    await template('Refused', [conditionStep('Asked')]);
    const caseId = await newCase();
    await start('Refused', caseId);
    const { store } = p.platform;
    await store.script(
      `create function refuse_workflow() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before insert on decision for each row
       when (new.decision = 'stop') execute function refuse_workflow()`,
    );
    t.after(() => store.script('drop trigger refuse on decision; drop function refuse_workflow()'));
    const body = { Template: 'Refused', Object: 'Foreclosure', ObjectID: caseId };
    const answer = await call('decision/save', { ...body, Decision: 'stop' });
    assert.equal(answer.status, 500, answer.text);
    const child = `Template=Refused&Object=Foreclosure&ObjectID=${String(caseId)}&Decision=stop`;
    await template('Refused within', [{ name: 'Child', Object: 'Decision', Operation: 'Save', Parameters: child }]);
    const parent = await call('decision/save', { ...body, Template: 'Refused within' });
    assert.equal(parent.status, 422, parent.text);
    const [step] = await store.query<{ status: string }>(
      'select status from decisionstep order by decisionstepid desc limit 1',
    );
    assert.equal(step?.status, 'Error');
    const again = await ok(call('decision/save', { ...body, SubscriberID: 'written in between' }));
    assert.ok(again['ActualCompletion']);
    const [{ count } = { count: 0 }] = await store.query<{ count: number }>(
      "select count(*) as count from decision where object = 'Foreclosure' and objectid = $1::bigint",
      [caseId],
    );
    assert.equal(count, 3);
  });
});

describe('an item that is changed without waiting for the database', () => {
  it('WL-02 is returned as it is stored, by each operation', async () => {
    const { caller, personId, listId } = await newQueue('Compared');
    const id = await item(listId, { Priority: 3, DueDate: '2026-07-01T10:00:00Z', Reason: 'Grün, "quoted"' });
    const compared: string[] = [];
    for (const [operation, body, user] of [
      ['start', {}, caller],
      ['skip', {}, caller],
      ['requeue', {}, p.admin],
      ['reassign', { PersonID: personId }, p.admin],
      ['start', {}, caller],
      ['cancel', { Reason: 'Wrong' }, p.admin],
      ['requeue', {}, p.admin],
      ['start', {}, caller],
      ['complete', { Reason: 'Done', ReasonDetail: 'All of it.' }, caller],
    ] as const) {
      const answer = await ok(call(`smartworklistmember/${operation}`, { ID: id, ...body }, user));
      const stored = await select('smartworklistmember', id);
      const returned = itemIn(answer);
      if (returned) compared.push(operation);
      for (const [name, value] of Object.entries(returned ?? {}))
        if (name in stored) assert.deepEqual(value, stored[name], `${operation}: ${name}`);
    }
    assert.deepEqual(compared, [
      'start',
      'skip',
      'requeue',
      'reassign',
      'start',
      'cancel',
      'requeue',
      'start',
      'complete',
    ]);
  });

  it('WL-02 stays as it was, and the call fails, if the database refuses the change', async (t) => {
    const { caller, listId } = await newQueue('Refused');
    const id = await item(listId);
    assert.ok(await next(caller));
    const before = await select('smartworklistmember', id);
    const { store } = p.platform;
    await store.script(
      `create function refuse_item() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before update on smartworklistmember for each row
       when (new.smartworklistmemberid = ${id}) execute function refuse_item()`,
    );
    t.after(() => store.script('drop trigger refuse on smartworklistmember; drop function refuse_item()'));
    const answer = await call('smartworklistmember/complete', { ID: id }, caller);
    assert.equal(answer.status, 500, answer.text);
    assert.deepEqual(await select('smartworklistmember', id), before);
  });
});

describe('a summary', () => {
  it('KRN-11 shows the children that a record has now, whichever collections the last one of its type had', async () => {
    const contact = async (fields: object): Promise<unknown> =>
      (await ok(call('contact/save', { LastName: 'Summarized', ...fields })))['ContactID'];
    const summaryOf = async (id: unknown): Promise<string> =>
      (await p.admin.get(`/api/contact/summary/${String(id)}`)).text;
    const [full, empty] = [await contact({ Email: 'a@x.example' }), await contact({})];
    assert.match(await summaryOf(full), /a@x\.example/);
    assert.doesNotMatch(await summaryOf(empty), /x\.example/);
    assert.match(await summaryOf(full), /a@x\.example/);
    await ok(call('contact/save', { ID: empty, Email: 'b@x.example' }));
    assert.match(await summaryOf(empty), /b@x\.example/);
  });
});

/** Returns the work item of an answer, which is in a list for some operations; undefined if it returns none. */
function itemIn(answer: unknown): Record<string, unknown> | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  if ('SmartWorklistMemberID' in answer) return answer;
  return Object.values(answer)
    .map(itemIn)
    .find((found) => found !== undefined);
}
