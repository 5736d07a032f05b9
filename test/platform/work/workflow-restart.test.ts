import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { stepsUpTo } from '../../../src/modules/work/decision/lib/lifecycle/steps-up-to.ts';
import { planOf, type Plan } from '../../../src/modules/work/decision/lib/template/plan.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, complete, stepNamed, set } =
  workflowCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Review', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
const call = (operation: string, body: object, caller = p.admin): ReturnType<typeof p.admin.post> =>
  caller.post(`/api/decision/${operation}?Output=Json`, body);
const task = (id: unknown): Promise<WorkflowRow> => ok(p.admin.get(`/api/importform/select/${String(id)}?Output=Json`));
const idOf = async (id: unknown, name: string): Promise<unknown> => (await stepNamed(id, name))['DecisionStepID'];
const finish = async (id: unknown, name: string, more = {}): Promise<void> => {
  await ok(complete(await idOf(id, name), more));
};
const messages = async (object: string, id: unknown): Promise<unknown[]> =>
  rowsOf(await ok(p.admin.get(`/api/${object}/${String(id)}/message/search?Output=Json`)), 'Message').map((row) => [
    row['Message'],
    row['BodyText'],
    row['CreatedPersonID'],
  ]);
const queued = (id: unknown): Promise<{ name: string; start: string }[]> =>
  p.platform.store.query<{ name: string; start: string }>(
    `select name, start_after as start from pgboss.job
     where data->>'route' = 'decision/process' and data->>'label' = $1::text`,
    [`Decision ${String(id)}`],
  );

const plain = await template('Plain', [
  { name: 'Title', ...formStep },
  { name: 'Service', after: ['Title'] },
  { name: 'Report', after: ['Service'] },
  { name: 'Beside' },
  { name: 'Beside done', after: ['Beside'] },
  { name: 'Forget', ...formStep, CreateOnCompletion: 1 },
  { name: 'Ad hoc', Repeatability: 0 },
]);

/** Starts a workflow and completes it up to Report; the step Beside is open too. */
async function atReport(): Promise<{ id: unknown; caseId: number }> {
  const caseId = await newCase();
  const { DecisionID: id } = await start('Plain', caseId);
  await save('importform', { ID: (await stepNamed(id, 'Title'))['ObjectID'], ActualCompletion: '2026-02-01' });
  await finish(id, 'Service', { IsTrue: 1 });
  return { id, caseId };
}

describe('decision/restart', () => {
  it('WF-12 WF-24 cancels the workflow with Status Restart and returns a new one with all completed steps except those after the given step', async () => {
    const { id, caseId } = await atReport();
    const title = await stepNamed(id, 'Title');
    const besideOld = await stepNamed(id, 'Beside');
    const forgotten = await stepNamed(id, 'Forget');
    const made = await ok(
      call('restart', { ID: id, DecisionStepID: title['DecisionStepID'], BodyText: 'The title was wrong.' }),
    );
    assert.notEqual(made['DecisionID'], id);
    assert.deepEqual(
      [made['Status'], made['Object'], made['ObjectID'], made['DecisionTemplateID'], made['Decision']],
      ['In Progress', 'Foreclosure', caseId, plain['DecisionTemplateID'], 'Plain'],
    );
    const old = await decision(id);
    assert.deepEqual([old['Status'], typeof old['CanceledDate']], ['Restart', 'string']);
    assert.equal(made['DecisionTemplateVersionID'], old['DecisionTemplateVersionID']);
    assert.deepEqual(await stepStatuses(id), [
      'Title Complete',
      'Beside Canceled',
      'Forget Complete',
      'Service Complete',
      'Report Canceled',
    ]);
    assert.deepEqual((await stepStatuses(made['DecisionID'])).sort(), [
      'Beside Pending',
      'Forget Complete',
      'Service Pending',
      'Title Complete',
    ]);
    const copied = await stepNamed(made['DecisionID'], 'Title');
    for (const name of [
      'ActualStart',
      'ActualCompletion',
      'EstimatedStart',
      'EstimatedCompletion',
      'Object',
      'ObjectID',
      'IsTrue',
      'DecisionStepTemplateID',
      'CompletedSequence',
    ])
      assert.deepEqual(copied[name], title[name], name);
    assert.notEqual(copied['DecisionStepID'], title['DecisionStepID']);
    assert.equal(
      (await task(forgotten['ObjectID']))['DecisionStepID'],
      await idOf(made['DecisionID'], 'Forget'),
      'an open task of a copied step moves to the new workflow',
    );
    assert.notEqual(await idOf(made['DecisionID'], 'Beside'), besideOld['DecisionStepID']);
    for (const [object, at] of [
      ['decision', made['DecisionID']],
      ['foreclosure', caseId],
    ] as const)
      assert.deepEqual(
        (await messages(object, at)).map((row) => (row as unknown[]).slice(0, 2)),
        [['Workflow restarted after "Title"', 'The title was wrong.']],
        object,
      );
    await finish(made['DecisionID'], 'Service');
    await finish(made['DecisionID'], 'Report');
    await finish(made['DecisionID'], 'Beside');
    await finish(made['DecisionID'], 'Beside done');
    assert.deepEqual(
      [(await decision(made['DecisionID']))['Status'], (await decision(id))['Status']],
      ['Complete', 'Restart'],
    );
  });

  it('WF-18 WF-24 requires ID, DecisionStepID, a BodyText that is not blank, and a complete step of this workflow', async () => {
    const { id } = await atReport();
    const other = await atReport();
    const good = { ID: id, DecisionStepID: await idOf(id, 'Title'), BodyText: 'Why' };
    for (const name of ['ID', 'DecisionStepID', 'BodyText'] as const) {
      for (const value of [undefined, ''])
        assert.deepEqual(
          [name, (await refused(call('restart', { ...good, [name]: value }), 400))['Field']],
          [name, name],
        );
    }
    assert.deepEqual((await refused(call('restart', { ...good, BodyText: '   ' }), 400))['Field'], 'BodyText');
    assert.match(
      String(
        (await refused(call('restart', { ...good, DecisionStepID: await idOf(other.id, 'Title') }), 422))['Message'],
      ),
      /it has no step/,
    );
    assert.match(
      String((await refused(call('restart', { ...good, DecisionStepID: await idOf(id, 'Report') }), 422))['Message']),
      /not complete/,
    );
    await refused(call('restart', { ...good, QueueName: 'no such queue' }), 400);
    assert.equal((await decision(id))['Status'], 'In Progress');
    assert.deepEqual(await messages('decision', id), []);
  });

  it('WF-24 is refused on hold, and after a restart or cancel; a complete workflow can be restarted, unless its template allows one and another is active', async () => {
    const { id, caseId } = await atReport();
    await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'Hold',
      AppliesTo: 'Foreclosure',
      DecisionTemplateID: plain['DecisionTemplateID'],
    });
    const hold = await save('decisiondelay', { Template: 'Hold', Object: 'Foreclosure', ObjectID: caseId });
    const body = { ID: id, DecisionStepID: await idOf(id, 'Title'), BodyText: 'Why' };
    assert.match(String((await refused(call('restart', body), 422))['Message']), /on hold/);
    await save('decisiondelay', { ID: hold['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    await ok(call('restart', body));
    assert.match(String((await refused(call('restart', body), 422))['Message']), /already restarted/);
    assert.match(
      String((await refused(call('reactivate', { ID: id }), 422))['Message']),
      /is replaced by the workflow/,
    );
    await template('Short', [{ name: 'One' }, { name: 'Two', after: ['One'] }]);
    const short = (await start('Short', await newCase()))['DecisionID'];
    await finish(short, 'One');
    await finish(short, 'Two');
    assert.equal((await decision(short))['Status'], 'Complete');
    const again = await ok(call('restart', { ID: short, DecisionStepID: await idOf(short, 'One'), BodyText: 'Twice' }));
    assert.deepEqual(
      [await stepStatuses(again['DecisionID']), (await decision(short))['Status']],
      [['One Complete', 'Two Pending'], 'Restart'],
    );
    await template('Short alone', [{ name: 'One' }], { Repeatable: 'OneActive' });
    const onCase = await newCase();
    const older = (await start('Short alone', onCase))['DecisionID'];
    await finish(older, 'One');
    const newer = (await start('Short alone', onCase))['DecisionID'];
    const lone = { ID: older, DecisionStepID: await idOf(older, 'One'), BodyText: 'Beside another' };
    assert.match(
      String((await refused(call('restart', lone), 422))['Message']),
      new RegExp(`at the same time as workflow ${String(newer)}:`),
    );
    await ok(call('cancel', { ID: newer }));
    await ok(call('restart', lone));
    const canceled = (await start('Short', await newCase()))['DecisionID'];
    await finish(canceled, 'One');
    await ok(call('cancel', { ID: canceled }));
    assert.match(
      String(
        (
          await refused(
            call('restart', { ID: canceled, DecisionStepID: await idOf(canceled, 'One'), BodyText: 'No' }),
            422,
          )
        )['Message'],
      ),
      /reactivate it first/,
    );
  });

  it('WF-24 processes the new workflow from the queue if ActualStart is later or QueueName is set', async () => {
    const first = await atReport();
    const later = await ok(
      call('restart', {
        ID: first.id,
        DecisionStepID: await idOf(first.id, 'Title'),
        BodyText: 'Why',
        ActualStart: '2099-01-01T00:00:00Z',
      }),
    );
    assert.deepEqual(
      [later['ActualStart'], (await stepStatuses(later['DecisionID'])).sort()],
      ['2099-01-01T00:00:00.000Z', ['Forget Complete', 'Title Complete']],
    );
    assert.deepEqual(
      (await queued(later['DecisionID'])).map((row) => row.start),
      ['2099-01-01T00:00:00.000Z'],
    );
    const second = await atReport();
    const [name] = await p.platform.store.query<{ name: string }>(
      "select name from pgboss.queue where name not like '\\_\\_%' and name <> $1::text order by name limit 1",
      [(await queued(later['DecisionID']))[0]?.name],
    );
    const sent = await ok(
      call('restart', {
        ID: second.id,
        DecisionStepID: await idOf(second.id, 'Title'),
        BodyText: 'Why',
        QueueName: name?.name,
      }),
    );
    assert.deepEqual(
      [(await queued(sent['DecisionID'])).map((row) => row.name), (await stepStatuses(sent['DecisionID'])).length],
      [[name?.name], 2],
    );
  });

  it('WF-24 WF-11 makes the step that started the workflow wait for the new one', async () => {
    const child = await template('Child', [{ name: 'One' }, { name: 'Two', after: ['One'] }]);
    await template('Parent', [{ name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] }]);
    const { DecisionID: parentId } = await start('Parent', await newCase());
    const old = (await stepNamed(parentId, 'Run'))['ObjectID'];
    await finish(old, 'One');
    const made = await ok(call('restart', { ID: old, DecisionStepID: await idOf(old, 'One'), BodyText: 'Why' }));
    assert.equal((await stepNamed(parentId, 'Run'))['ObjectID'], made['DecisionID']);
    assert.equal((await decision(parentId))['Status'], 'In Progress');
    await finish(made['DecisionID'], 'Two');
    assert.equal((await decision(parentId))['Status'], 'Complete');
  });

  it('WF-24 of two restarts at once one succeeds, and there is one new workflow', async () => {
    const { id, caseId } = await atReport();
    const body = { ID: id, DecisionStepID: await idOf(id, 'Title'), BodyText: 'Why' };
    const both = await Promise.all([call('restart', body), call('restart', body)]);
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [200, 422],
    );
    assert.equal(
      rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/decision/search?Output=Json`)), 'Decision').length,
      2,
    );
  });

  it('WF-24 repeats a cycle from the named step, and a failing pass is reported without undoing the restart', async () => {
    await template('Circle', [
      { name: 'Enter' },
      { name: 'Try', Repeatability: 2, after: [['Enter', 'Check=0']] },
      { name: 'Check', Repeatability: 2, after: ['Try'] },
      {
        name: 'Leave',
        after: ['Check=1'],
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&LoanID=99999999',
      },
    ]);
    const { DecisionID: id } = await start('Circle', await newCase());
    await finish(id, 'Enter');
    await finish(id, 'Try');
    await finish(id, 'Check', { IsTrue: 0 });
    const [, first] = await steps(id);
    const made = await ok(call('restart', { ID: id, DecisionStepID: first?.['DecisionStepID'], BodyText: 'Why' }));
    assert.deepEqual(await stepStatuses(made['DecisionID']), ['Enter Complete', 'Try Complete', 'Check Pending']);
    assert.equal((await complete(await idOf(made['DecisionID'], 'Check'), { IsTrue: 1 })).status, 422);
    const failed = await refused(
      call('restart', {
        ID: made['DecisionID'],
        DecisionStepID: await idOf(made['DecisionID'], 'Check'),
        BodyText: 'Why',
      }),
      422,
    );
    assert.equal(failed['Code'], 'STEP_FAILED');
    assert.equal((await decision(made['DecisionID']))['Status'], 'Restart');
  });

  it('WF-24 WF-25 a firm restarts and skips forward the workflows it can access, and no others', async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Restarter',
      Permissions: 'DecisionRestart,DecisionSkipForward,DecisionSelect,DecisionStepSearch,MessageSearch',
      UniversalAccess: false,
    });
    const [firm, other] = [await p.firm('Restarting', 'Restarter'), await p.firm('Not reached', 'Restarter')];
    const caseId = await newCase({ OrganizationID: firm.organizationId });
    const { DecisionID: id } = await start('Plain', caseId);
    await save('importform', { ID: (await stepNamed(id, 'Title'))['ObjectID'], ActualCompletion: '2026-02-01' });
    const body = { ID: id, DecisionStepID: await idOf(id, 'Title'), BodyText: 'By the firm' };
    assert.equal((await call('restart', body, other.caller)).status, 404);
    assert.equal(
      (
        await call(
          'skipforward',
          { ...body, DecisionStepID: (await stepNamed(id, 'Service'))['DecisionStepTemplateID'] },
          other.caller,
        )
      ).status,
      404,
    );
    const made = await ok(call('restart', body, firm.caller));
    assert.equal(
      (await ok(firm.caller.get(`/api/decision/select/${String(made['DecisionID'])}?Output=Json`)))['CreatedPersonID'],
      firm.personId,
    );
    await ok(
      call(
        'skipforward',
        { ...body, ID: made['DecisionID'], DecisionStepID: (await stepNamed(id, 'Service'))['DecisionStepTemplateID'] },
        firm.caller,
      ),
    );
    assert.equal((await stepNamed(made['DecisionID'], 'Service'))['Status'], 'Complete');
    assert.deepEqual(
      (await messages('foreclosure', caseId)).map((row) => (row as unknown[])[2]),
      [firm.personId, firm.personId],
    );
  });
});

describe('decision/skipforward', () => {
  it('WF-12 WF-25 completes the step and all steps before it, creating missing ones, with the results on the way; nothing is executed, and process is queued', async () => {
    await template('Skips', [
      { name: 'Open', ...formStep },
      {
        name: 'Is in Texas',
        DecisionStepTemplateType: 'IfThen',
        StepXslt: sheet("//ForeclosureItem/Foreclosure = 'Texas'"),
        after: ['Open'],
      },
      {
        name: 'Texan',
        Object: 'Message',
        Operation: 'Save',
        Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&Message=Texan',
        after: ['Is in Texas=1'],
      },
      { name: 'Other', after: ['Is in Texas=0'] },
      {
        name: 'Target',
        after: ['Texan'],
        OnCompleteParentStatus: 'Skipped there',
        EstimatedDuration: 2,
        DurationScale: 0,
      },
      { name: 'Next', after: ['Target'] },
    ]);
    const caseId = await newCase();
    const { DecisionID: id } = await start('Skips', caseId);
    const open = await stepNamed(id, 'Open');
    const version = await ok(p.admin.get(`/api/decision/outline?Output=Json&ID=${String(id)}`));
    const target = /"DecisionStepTemplateID":(\d+),"DecisionStep":"Target"/.exec(JSON.stringify(version))?.[1];
    const answered = await ok(call('skipforward', { ID: id, DecisionStepID: target, BodyText: 'Done on paper.' }));
    assert.deepEqual([answered['OpenCount'], answered['StepCount'], answered['Status']], [0, 4, 'In Progress']);
    assert.deepEqual(await stepStatuses(id), [
      'Open Complete',
      'Is in Texas Complete',
      'Texan Complete',
      'Target Complete',
    ]);
    assert.equal((await stepNamed(id, 'Is in Texas'))['IsTrue'], true);
    const made = await stepNamed(id, 'Target');
    assert.deepEqual(
      [
        made['EstimatedStart'],
        Date.parse(String(made['EstimatedCompletion'])) > Date.parse(String(made['EstimatedStart'])),
      ],
      [(await stepNamed(id, 'Texan'))['ActualCompletion'], true],
    );
    const canceled = await task(open['ObjectID']);
    assert.deepEqual([typeof canceled['CanceledDate'], canceled['ActualCompletion']], ['string', undefined]);
    assert.equal((await ok(p.admin.get(`/api/foreclosure/select/${caseId}?Output=Json`)))['Status'], 'Skipped there');
    assert.deepEqual(
      (await messages('foreclosure', caseId)).map((row) => (row as unknown[]).slice(0, 2)),
      [['Workflow skipped forward to "Target"', 'Done on paper.']],
    );
    assert.equal((await queued(id)).length, 1);
    await ok(call('process', { ID: id }));
    assert.deepEqual((await stepStatuses(id)).at(-1), 'Next Pending');
  });

  it('WF-18 WF-25 requires ID, DecisionStepID and BodyText; refuses a step that is not in the template and names those that are', async () => {
    const { id } = await atReport();
    const report = (await stepNamed(id, 'Report'))['DecisionStepTemplateID'];
    const good = { ID: id, DecisionStepID: report, BodyText: 'Why' };
    for (const name of ['ID', 'DecisionStepID', 'BodyText'] as const) {
      for (const value of [undefined, ''])
        assert.deepEqual(
          [name, (await refused(call('skipforward', { ...good, [name]: value }), 400))['Field']],
          [name, name],
        );
    }
    assert.match(
      String((await refused(call('skipforward', { ...good, DecisionStepID: 99_999_999 }), 400))['Message']),
      /Report/,
    );
    assert.equal((await stepNamed(id, 'Report'))['Status'], 'Pending');
    await ok(call('cancel', { ID: id }));
    assert.match(String((await refused(call('skipforward', good), 422))['Message']), /is canceled/);
    assert.deepEqual(await messages('decision', id), []);
  });

  it('WF-25 WF-16 is refused on hold like any completion, unless the template does not enforce holds', async () => {
    for (const [name, enforced, status] of [
      ['Held', true, 422],
      ['Not held', false, 200],
    ] as const) {
      const made = await template(name, [{ name: 'One' }, { name: 'Two', after: ['One'] }], { EnforceDelay: enforced });
      await save('decisiondelaytemplate', {
        DecisionDelayTemplate: `Hold of ${name}`,
        AppliesTo: 'Foreclosure',
        DecisionTemplateID: made['DecisionTemplateID'],
      });
      const caseId = await newCase();
      const { DecisionID: id } = await start(name, caseId);
      await save('decisiondelay', { Template: `Hold of ${name}`, Object: 'Foreclosure', ObjectID: caseId });
      const answer = await call('skipforward', {
        ID: id,
        DecisionStepID: (await stepNamed(id, 'One'))['DecisionStepTemplateID'],
        BodyText: 'Why',
      });
      assert.equal(answer.status, status, answer.text);
      assert.equal((await stepNamed(id, 'One'))['Status'], enforced ? 'Pending' : 'Complete');
    }
  });

  it('WF-25 completes open and failed steps, cancels a workflow that one of them started, and skips once when called twice at once', async () => {
    const child = await template('Skipped child', [{ name: 'Waits' }]);
    await template('Stuck', [
      { name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
      { name: 'Fails', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}&LoanID=99999999' },
      { name: 'Last', after: ['Run', 'Fails'] },
    ]);
    await set('DecisionProcessErrorThrow', 'false');
    const { DecisionID: id } = await start('Stuck', await newCase());
    await set('DecisionProcessErrorThrow', 'true');
    assert.deepEqual(await stepStatuses(id), ['Run Pending', 'Fails Error']);
    const childId = (await stepNamed(id, 'Run'))['ObjectID'];
    const outline = JSON.stringify(await ok(p.admin.get(`/api/decision/outline?Output=Json&ID=${String(id)}`)));
    const last = /"DecisionStepTemplateID":(\d+),"DecisionStep":"Last"/.exec(outline)?.[1];
    const both = await Promise.all(
      [1, 2].map(() => call('skipforward', { ID: id, DecisionStepID: last, BodyText: 'Why' })),
    );
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(
      [await stepStatuses(id), (await stepNamed(id, 'Fails'))['ErrorGUID'], (await decision(childId))['Status']],
      [['Run Complete', 'Fails Complete', 'Last Complete'], undefined, 'Canceled'],
    );
  });
});

describe('decision/preview', async () => {
  const inner = await template('Previewed child', [
    { name: 'Inner task', ...formStep },
    { name: 'Inner later', after: ['Inner task'] },
  ]);
  await template('Previewed', [
    { name: 'Title', ...formStep },
    { name: 'Service', after: ['Title'] },
    { name: 'Forget', ...formStep, CreateOnCompletion: 1, after: ['Service'] },
    { name: 'Sub', Object: 'DecisionTemplate', ObjectID: inner['DecisionTemplateID'], after: ['Service'] },
    { name: 'Report', after: ['Service'] },
    { name: 'Beside', ...formStep },
    { name: 'Sold', after: [['Report=1', 'Beside']] },
    { name: 'Last', after: ['Sold', 'Sub'] },
    { name: 'Ad hoc', Repeatability: 0 },
  ]);
  const preview = async (id: unknown, Change: string, DecisionStepID?: unknown): Promise<WorkflowRow[]> =>
    rowsOf(
      await ok(
        p.admin.get(
          `/api/decision/preview?Output=Json&ID=${String(id)}&Change=${Change}` +
            (DecisionStepID === undefined ? '' : `&DecisionStepID=${String(DecisionStepID)}`),
        ),
      ),
      'DecisionStep',
    );

  /** Starts a workflow and brings it to complete and open steps, a child workflow, and open tasks in both. */
  async function inProgress(): Promise<{ id: unknown; caseId: number; child: unknown }> {
    const caseId = await newCase();
    const { DecisionID: id } = await start('Previewed', caseId);
    await save('importform', { ID: (await stepNamed(id, 'Title'))['ObjectID'], ActualCompletion: '2026-02-01' });
    await finish(id, 'Service');
    return { id, caseId, child: (await stepNamed(id, 'Sub'))['ObjectID'] };
  }

  /** Returns status and number of canceled tasks of each step, by workflow ID and step name. */
  async function snapshot(
    caseId: number,
    ids: readonly unknown[],
  ): Promise<Map<string, { status: unknown; canceled: number }>> {
    const tasks = rowsOf(
      await ok(p.admin.get(`/api/foreclosure/${caseId}/importform/search?Output=Json&DisplaySize=1000`)),
      'ImportForm',
    );
    const all = await Promise.all(
      ids.map(async (id) =>
        (await steps(id)).map(
          (row) =>
            [
              `${String(id)} ${String(row['DecisionStep'])}`,
              {
                status: row['Status'],
                canceled: tasks.filter(
                  (each) => each['DecisionStepID'] === row['DecisionStepID'] && each['CanceledDate'] !== undefined,
                ).length,
              },
            ] as const,
        ),
      ),
    );
    return new Map(all.flat());
  }

  const effectOf = (before: unknown, after: unknown): string | undefined => {
    if (before !== 'Canceled' && after === 'Canceled') return 'Canceled';
    if (before !== 'Complete' && after === 'Complete') return 'Completed';
    return before === 'Canceled' && after !== 'Canceled' ? 'Reopened' : undefined;
  };

  /** Returns what a change did to steps, in the preview's form. */
  function effectsBetween(
    before: Awaited<ReturnType<typeof snapshot>>,
    after: Awaited<ReturnType<typeof snapshot>>,
  ): string[] {
    return [...after]
      .flatMap(([name, { status, canceled }]) => {
        const was = before.get(name);
        const tasks = Math.abs(canceled - (was?.canceled ?? 0));
        const effect = effectOf(was?.status, status) ?? (tasks > 0 ? 'TasksCanceled' : undefined);
        return effect === undefined ? [] : [`${name} ${effect} ${tasks}`];
      })
      .sort();
  }
  const previewedEffects = (rows: readonly WorkflowRow[]): string[] =>
    rows
      .map(
        (row) =>
          `${String(row['DecisionID'])} ${String(row['DecisionStep'])} ` +
          `${String(row['Effect'])} ${String(row['TaskCount'])}`,
      )
      .sort();

  it('WF-22 WF-23 predicts what cancel and reactivate do to each step, its tasks and the child workflow, and changes nothing', async () => {
    const { id, caseId, child } = await inProgress();
    const [before, row] = [await snapshot(caseId, [id, child]), await decision(id)];
    const previewed = await preview(id, 'Cancel');
    assert.deepEqual([await snapshot(caseId, [id, child]), await decision(id)], [before, row]);
    assert.deepEqual(
      [previewed.at(-1)?.['Decision'], previewed.map((each) => each['DecisionID'] === id)],
      ['Previewed child', [true, true, true, true, false]],
      'its own steps come first',
    );
    await ok(call('cancel', { ID: id }));
    const canceled = await snapshot(caseId, [id, child]);
    assert.deepEqual(previewedEffects(previewed), effectsBetween(before, canceled));
    assert.ok(
      previewedEffects(previewed).includes(`${String(id)} Forget TasksCanceled 1`) &&
        previewedEffects(previewed).includes(`${String(child)} Inner task Canceled 1`),
    );
    const back = await preview(id, 'Reactivate');
    await ok(call('reactivate', { ID: id }));
    // The task of a complete step is reopened too, but that changes no step.
    assert.deepEqual(
      previewedEffects(back),
      effectsBetween(canceled, await snapshot(caseId, [id, child])).filter((each) => !each.includes('TasksCanceled')),
    );
    assert.equal(back.length, 4);
  });

  it('WF-24 predicts which steps restart cancels and which must be repeated', async () => {
    const { id, caseId, child } = await inProgress();
    const before = await snapshot(caseId, [id, child]);
    const previewed = await preview(id, 'Restart', await idOf(id, 'Title'));
    const made = await ok(call('restart', { ID: id, DecisionStepID: await idOf(id, 'Title'), BodyText: 'Why' }));
    const copied = await stepStatuses(made['DecisionID']);
    const repeated = ['Service', 'Forget'].filter((name) => !copied.includes(`${name} Complete`));
    assert.deepEqual(repeated, ['Service', 'Forget']);
    const done = effectsBetween(before, await snapshot(caseId, [id, child])).map((each) =>
      each.replace(/Forget TasksCanceled/, 'Forget Repeated'),
    );
    assert.deepEqual(previewedEffects(previewed), [...done, `${String(id)} Service Repeated 0`].sort());
  });

  it('WF-25 predicts which steps skipforward completes, including those not yet created, and what it cancels', async () => {
    for (const target of ['Last', 'Sold', 'Report']) {
      const { id, caseId, child } = await inProgress();
      const outline = JSON.stringify(await ok(p.admin.get(`/api/decision/outline?Output=Json&ID=${String(id)}`)));
      const templateId = new RegExp(`"DecisionStepTemplateID":(\\d+),"DecisionStep":"${target}"`).exec(outline)?.[1];
      const before = await snapshot(caseId, [id, child]);
      const previewed = await preview(id, 'SkipForward', templateId);
      await ok(call('skipforward', { ID: id, DecisionStepID: templateId, BodyText: 'Why' }));
      assert.deepEqual(
        previewedEffects(previewed),
        effectsBetween(before, await snapshot(caseId, [id, child])),
        target,
      );
      assert.equal(
        previewed.filter((row) => row['DecisionStepID'] === undefined).length,
        { Last: 2, Sold: 1, Report: 0 }[target],
      );
    }
  });

  it('WF-12 is refused like the change itself, without access to the workflow, and without the permission', async () => {
    const { id } = await inProgress();
    const requestPreview = (query: string, caller = p.admin): ReturnType<typeof p.admin.get> =>
      caller.get(`/api/decision/preview?Output=Json&ID=${String(id)}&${query}`);
    assert.equal((await refused(requestPreview('Change=Explode'), 400))['Field'], 'Change');
    assert.equal(
      (await refused(requestPreview('Change=SkipForward&DecisionStepID=99999999'), 400))['Field'],
      'DecisionStepID',
    );
    assert.match(String((await refused(requestPreview('Change=Restart'), 422))['Message']), /it has no step/);
    assert.match(
      String(
        (await refused(requestPreview(`Change=Restart&DecisionStepID=${String(await idOf(id, 'Report'))}`), 422))[
          'Message'
        ],
      ),
      /is not complete/,
    );
    assert.match(String((await refused(requestPreview('Change=Reactivate'), 422))['Message']), /nothing to reactivate/);
    await ok(call('cancel', { ID: id }));
    for (const change of [
      'Cancel',
      'Restart',
      `SkipForward&DecisionStepID=${String((await stepNamed(id, 'Report'))['DecisionStepTemplateID'])}`,
    ])
      assert.equal((await requestPreview(`Change=${change}`)).status, 422, change);
    const firm = await p.firm('Looks ahead');
    assert.equal((await requestPreview('Change=Reactivate', firm.caller)).status, 403);
    await save('role', { Role: 'Looks ahead', Permissions: 'DecisionPreview', UniversalAccess: false });
    const able = await p.firm('Looks farther', 'Partner,Looks ahead');
    assert.equal((await requestPreview('Change=Reactivate', able.caller)).status, 404);
  });
});

/** Generates plans without circles: each step depends on some of those before it. */
const plans = fc
  .array(
    fc.array(fc.array(fc.tuple(fc.nat(), fc.constantFrom(true, false, null)), { minLength: 1, maxLength: 3 }), {
      maxLength: 3,
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((shape): Plan =>
    planOf(1, {
      templateId: 1,
      name: '',
      appliesTo: null,
      enforceStartDates: false,
      enforceDelay: true,
      steps: shape.map((groups, at) => ({
        id: at + 100,
        name: `S${at}`,
        type: null,
        object: null,
        objectId: null,
        operation: null,
        parameters: null,
        method: null,
        batchLog: false,
        threads: null,
        xslt: null,
        durationScale: 0,
        duration: null,
        referenceDate: null,
        repeatability: 1,
        async: false,
        queue: null,
        queueParameters: null,
        matrixId: null,
        scheduleId: null,
        createOnCompletion: false,
        teamId: null,
        onStartParentStatus: null,
        onStartDecisionStatus: null,
        onCompleteParentStatus: null,
        onCompleteDecisionStatus: null,
        groups: at === 0 ? [] : groups.map((group) => group.map(([on, isTrue]) => ({ step: on % at, isTrue }))),
      })),
    }),
  );

describe('the steps up to a step', () => {
  it('WF-25 are all its direct and indirect dependencies, each once and after its own dependencies, and the step itself last', () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, seed) => {
        const target = seed % plan.steps.length;
        const order = stepsUpTo(plan, target).map(({ step }) => step);
        const expected = new Set([target]);
        for (let at = target; at >= 0; at--)
          if (expected.has(at)) for (const { step } of plan.steps[at]?.groups.flat() ?? []) expected.add(step);
        assert.deepEqual(
          [...order].sort((a, b) => a - b),
          [...expected].sort((a, b) => a - b),
        );
        assert.equal(order.at(-1), target);
        for (const [index, at] of order.entries())
          for (const { step } of plan.steps[at]?.groups.flat() ?? []) assert.ok(order.indexOf(step) < index);
      }),
    );
  });

  it('WF-25 have the results that lead to the step, and leave out the part of a circle that follows it', () => {
    const steps = (shape: Record<string, readonly string[]>): Plan => {
      const names = Object.keys(shape);
      const [one] = fc.sample(plans, { numRuns: 1, seed: 1 });
      const [like] = one?.steps ?? [];
      assert.ok(one && like);
      return planOf(1, {
        ...one,
        steps: names.map((name, at) => ({
          ...like,
          id: at,
          name,
          repeatability: 2,
          groups: (shape[name] ?? []).map((group) =>
            group.split('|').map((need) => ({
              step: names.indexOf(need.split('=')[0] ?? ''),
              isTrue: need.includes('=') ? need.endsWith('1') : null,
            })),
          ),
        })),
      });
    };
    const circle = steps({ Enter: [], Try: ['Enter|Check=0'], Check: ['Try'], Leave: ['Check=1'] });
    assert.deepEqual(stepsUpTo(circle, 1), [
      { step: 0, isTrue: null },
      { step: 1, isTrue: null },
    ]);
    assert.deepEqual(stepsUpTo(circle, 3), [
      { step: 0, isTrue: null },
      { step: 1, isTrue: null },
      { step: 2, isTrue: true },
      { step: 3, isTrue: null },
    ]);
  });
});
