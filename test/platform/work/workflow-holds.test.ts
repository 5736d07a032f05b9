import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestAnswer } from '../../support/platform.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const clock = fixedClock('2026-03-02T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, complete, stepNamed } =
  workflowCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Look at the docket', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
const setStatus = (status: string): Record<string, string> => ({
  Object: 'Foreclosure',
  Operation: 'Save',
  Parameters: `ID={ForeclosureID}&Status=${status}`,
});
const two = await template('Held', [
  { name: 'First', ...formStep },
  { name: 'Second', ...setStatus('Second'), after: ['First'] },
]);
const other = await template('Also held', [{ name: 'Only', ...formStep }]);
await template(
  'Not enforced',
  [
    { name: 'First', ...formStep },
    { name: 'Second', ...formStep, after: ['First'] },
  ],
  { EnforceDelay: false },
);
const kinds = {
  any: await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Bankruptcy stay', AppliesTo: 'Process' }),
  own: await save('decisiondelaytemplate', {
    DecisionDelayTemplate: 'Court calendar',
    AppliesTo: 'Foreclosure',
    DecisionTemplateID: two['DecisionTemplateID'],
  }),
  others: await save('decisiondelaytemplate', {
    DecisionDelayTemplate: 'Other calendar',
    AppliesTo: 'Foreclosure',
    DecisionTemplateID: other['DecisionTemplateID'],
  }),
  bankruptcies: await save('decisiondelaytemplate', {
    DecisionDelayTemplate: 'Trustee objects',
    AppliesTo: 'Bankruptcy',
  }),
};
const hold = (body: object, caller = p.admin): Promise<TestAnswer> =>
  caller.post('/api/decisiondelay/save?Output=Json', body);
const holdsOf = async (caseId: number): Promise<WorkflowRow[]> =>
  rowsOf(
    await ok(p.admin.get(`/api/foreclosure/${caseId}/decisiondelay/search?Output=Json&OrderBy=DecisionDelayID`)),
    'DecisionDelay',
  );
const caseStatus = async (id: number): Promise<unknown> =>
  (await ok(p.admin.get(`/api/foreclosure/select/${id}?Output=Json`)))['Status'];
const passesQueued = async (decisionId: unknown): Promise<number> =>
  (
    await p.platform.store.query<{ n: number }>(
      `select count(*)::integer as n from pgboss.job
       where data->>'route' = 'decision/process' and data->>'label' = $1::text`,
      [`Decision ${String(decisionId)}`],
    )
  )[0]?.n ?? 0;
/** Returns Delayed, DelayCount and DelayDuration of a workflow or step. */
const delaysOf = (row: WorkflowRow): unknown[] => [
  row['Delayed'] ?? false,
  row['DelayCount'] ?? 0,
  Number(row['DelayDuration'] ?? 0),
];
const workflowDelays = async (decisionId: unknown): Promise<unknown[]> => delaysOf(await decision(decisionId));
const held = async (name = 'Held'): Promise<{ caseId: number; id: unknown }> => {
  const caseId = await newCase();
  return { caseId, id: (await start(name, caseId))['DecisionID'] };
};
const isoSecond = (at: number): string => new Date(Math.floor(at / 1_000) * 1_000).toISOString().replace('.000', '');
const passMinutes = (n: number): void => clock.advance(n * 60_000);

describe('a hold', () => {
  it("WF-32 finds its template by name within the workflow's record type, starts now, and applies to the workflow's case too", async () => {
    const { caseId, id } = await held();
    const named = await ok(hold({ DecisionID: id, DecisionDelay: 'court CALENDAR', ReasonDetail: 'Judge ill' }));
    assert.deepEqual(
      [
        named['DecisionDelay'],
        named['DecisionID'],
        named['Object'],
        named['ObjectID'],
        named['ActualStart'],
        named['ReasonDetail'],
        named['ActualCompletion'],
      ],
      ['Court calendar', id, 'Foreclosure', caseId, clock.now(), 'Judge ill', undefined],
    );
    const byId = await ok(
      hold({
        DecisionID: id,
        DecisionDelayTemplateID: kinds.any['DecisionDelayTemplateID'],
        DecisionDelay: 'Chapter 13',
        ActualStart: '2026-03-01T10:00:00Z',
      }),
    );
    assert.deepEqual(
      [byId['DecisionDelay'], byId['DecisionDelayTemplateID'], byId['ActualStart']],
      ['Chapter 13', kinds.any['DecisionDelayTemplateID'], '2026-03-01T10:00:00.000Z'],
    );
    const below = await ok(
      p.admin.post(`/api/decision/${String(id)}/decisiondelay/save?Output=Json`, { DecisionDelay: 'Bankruptcy stay' }),
    );
    assert.deepEqual([below['DecisionID'], below['Object'], below['ObjectID']], [id, 'Foreclosure', caseId]);
    assert.equal((await holdsOf(caseId)).length, 3);
    assert.deepEqual(await workflowDelays(id), [true, 3, 0]);
  });

  it('WF-32 is refused with an unknown name (suggesting the nearest), with a hold type not for this workflow, and on a finished workflow', async () => {
    const { caseId, id } = await held();
    assert.match(
      String((await refused(hold({ DecisionID: id, DecisionDelay: 'Court calender' }), 400))['Message']),
      /Did you mean Court calendar/,
    );
    assert.match(
      String((await refused(hold({ DecisionID: id, DecisionDelay: 'Trustee objects' }), 400))['Message']),
      /only for Bankruptcy/,
    );
    assert.match(
      String((await refused(hold({ DecisionID: id, DecisionDelay: 'Other calendar' }), 400))['Message']),
      /a hold type for the workflow/,
    );
    assert.match(
      String(
        (
          await refused(
            hold({ DecisionID: id, DecisionDelayTemplateID: kinds.bankruptcies['DecisionDelayTemplateID'] }),
            400,
          )
        )['Message'],
      ),
      /for Bankruptcy records/,
    );
    await refused(hold({ DecisionID: 999_999_999, DecisionDelay: 'Bankruptcy stay' }), 404);
    await refused(
      hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay', Object: 'Foreclosure', ObjectID: await newCase() }),
      400,
    );
    await ok(complete((await stepNamed(id, 'First'))['DecisionStepID']));
    assert.equal(
      (await refused(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }), 422))['Field'],
      'DecisionID',
    );
    const canceled = (await start('Held', caseId))['DecisionID'];
    await p.platform.store.query('update decision set canceleddate = now() where decisionid = $1::bigint', [canceled]);
    await refused(hold({ DecisionID: canceled, DecisionDelay: 'Bankruptcy stay' }), 422);
    assert.deepEqual(await holdsOf(caseId), []);
  });

  it('WF-32 cannot be placed or ended by a firm on a workflow that the firm cannot access', async () => {
    const { id } = await held();
    await save('role', {
      Role: 'Holder',
      Status: 'Active',
      Permissions: 'DecisionDelaySave,DecisionDelaySearch',
      UniversalAccess: false,
    });
    const { caller } = await p.firm('Foreign firm', 'Holder');
    await refused(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }, caller), 404);
    const made = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    await refused(hold({ ID: made['DecisionDelayID'], ActualCompletion: clock.now() }, caller), 404);
    assert.deepEqual(await workflowDelays(id), [true, 1, 0]);
  });

  it('WF-16 WF-32 ends by ID and ActualCompletion, not before its start; the last one to end queues the workflow', async () => {
    const { id } = await held();
    const first = (await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' })))['DecisionDelayID'];
    passMinutes(10);
    const second = (await ok(hold({ DecisionID: id, DecisionDelay: 'Court calendar' })))['DecisionDelayID'];
    await refused(hold({ ID: second, ActualCompletion: '2026-03-02T15:09:59Z' }), 400);
    await refused(hold({ ID: second, ActualCompletion: '2026-03-01' }), 400);
    await refused(hold({ ID: first, DecisionID: (await held()).id }), 422);
    passMinutes(20);
    await ok(hold({ ID: first, ActualCompletion: clock.now() }));
    assert.deepEqual([await workflowDelays(id), await passesQueued(id)], [[true, 2, 30], 0]);
    passMinutes(30);
    await ok(hold({ ID: second, ActualCompletion: clock.now() }));
    assert.deepEqual(
      [await workflowDelays(id), await passesQueued(id)],
      [[false, 2, 60], 1],
      'the overlap of two holds counts once',
    );
    await ok(hold({ ID: second, ActualCompletion: clock.now() }));
    assert.deepEqual(await workflowDelays(id), [false, 2, 60]);
    await ok(hold({ ID: second, ActualCompletion: null }));
    assert.equal((await decision(id))['Delayed'], true, 'started again');
    await ok(hold({ ID: second, Status: 'Canceled' }));
    assert.equal((await decision(id))['Delayed'], false, 'a status that ends a record ends a hold');
    const sameDay = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    const today = new Date(clock.milliseconds()).toLocaleDateString('sv-SE', { timeZone: 'America/New_York' });
    await ok(hold({ ID: sameDay['DecisionDelayID'], ActualCompletion: today }));
    assert.deepEqual(await workflowDelays(id), [false, 3, 60], 'the day alone is enough on the day on which it began');
    clock.advance(400);
    const brief = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    await refused(
      hold({ ID: brief['DecisionDelayID'], ActualCompletion: isoSecond(clock.milliseconds() - 1_000) }),
      400,
    );
    await ok(hold({ ID: brief['DecisionDelayID'], ActualCompletion: isoSecond(clock.milliseconds()) }));
    assert.deepEqual(await workflowDelays(id), [false, 4, 60], 'whole seconds are enough in the second it began');
    clock.advance(-400);
    const gone = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    const before = await passesQueued(id);
    await ok(p.admin.post('/api/decisiondelay/delete?Output=Json', { ID: gone['DecisionDelayID'] }));
    assert.deepEqual([await workflowDelays(id), (await passesQueued(id)) - before], [[false, 4, 60], 1]);
  });

  it('WF-16 on a case applies to each active workflow whose template has the hold type, also to one that starts later, and to no other', async () => {
    const caseId = await newCase();
    const knows = (await start('Held', caseId))['DecisionID'];
    const foreign = (await start('Also held', caseId))['DecisionID'];
    const made = await ok(hold({ Object: 'Foreclosure', ObjectID: caseId, DecisionDelay: 'Court calendar' }));
    passMinutes(5);
    const later = (await start('Held', caseId))['DecisionID'];
    assert.deepEqual(
      [await workflowDelays(knows), await workflowDelays(foreign), await workflowDelays(later)],
      [
        [true, 1, 0],
        [false, 0, 0],
        [true, 1, 0],
      ],
    );
    assert.deepEqual(await stepStatuses(later), [], 'the pass starts no step');
    await ok(hold({ ID: made['DecisionDelayID'], ActualCompletion: clock.now() }));
    assert.deepEqual([await passesQueued(knows), await passesQueued(foreign), await passesQueued(later)], [1, 0, 1]);
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: later }));
    assert.deepEqual(await stepStatuses(later), ['First Pending']);
    const delay = await save('loan', { Agency: 'INVESTOR', Loan: '700000001' });
    await save('foreclosure', { ID: caseId, LoanID: delay['LoanID'] });
    await ok(
      hold({
        Object: 'Loan',
        ObjectID: delay['LoanID'],
        DecisionDelayTemplateID: (await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Of any record' }))[
          'DecisionDelayTemplateID'
        ],
      }),
    );
    assert.deepEqual(await workflowDelays(knows), [false, 1, 5], 'a hold on the loan affects only the loan');
  });

  it('WF-16 WF-32 on a case needs a type, without which it would hold nothing; the answer names workflows that continue', async () => {
    const { caseId, id } = await held();
    const case17 = { Object: 'Foreclosure', ObjectID: caseId };
    await refused(hold({ ...case17, ReasonDetail: 'Automatic stay' }), 400);
    assert.deepEqual(await holdsOf(caseId), []);
    const whole = await ok(hold({ ...case17, DecisionDelay: 'Bankruptcy stay' }));
    assert.deepEqual([whole['Alerts'], await workflowDelays(id)], [undefined, [true, 1, 0]]);
    await ok(hold({ ID: whole['DecisionDelayID'], ActualCompletion: clock.now() }));
    const partly = await ok(hold({ ...case17, DecisionDelay: 'Other calendar' }));
    assert.deepEqual(
      (partly['Alerts'] as WorkflowRow[]).map((alert) => [alert['Code'], alert['ID']]),
      [['NOT_HELD', id]],
    );
  });

  it('WF-16 keeps steps and their tasks from completing and leaves both unchanged; with EnforceDelay false it does not', async () => {
    const { caseId, id } = await held();
    const step = await stepNamed(id, 'First');
    await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    assert.match(String((await refused(complete(step['DecisionStepID']), 422))['Message']), /on hold/);
    assert.match(
      String(
        (
          await refused(
            p.admin.post('/api/importform/save?Output=Json', {
              ID: step['ObjectID'],
              ActualCompletion: '2026-03-02',
              Answer: 'Yes',
            }),
            422,
          )
        )['Message'],
      ),
      /on hold/,
    );
    const task = await ok(p.admin.get(`/api/importform/select/${String(step['ObjectID'])}?Output=Json`));
    assert.deepEqual(
      [task['ActualCompletion'], task['XmlData'], (await stepNamed(id, 'First'))['Status'], await caseStatus(caseId)],
      [undefined, undefined, 'Pending', undefined],
    );
    await ok(p.admin.post('/api/importform/save?Output=Json', { ID: step['ObjectID'], Answer: 'Not yet' }));
    await assert.rejects(
      p.platform.store.query('update decisionstep set actualcompletion = now() where decisionstepid = $1::bigint', [
        step['DecisionStepID'],
      ]),
      /decisionstep_delayed_check/,
    );
    const free = await held('Not enforced');
    await ok(hold({ DecisionID: free.id, DecisionDelay: 'Bankruptcy stay' }));
    await ok(complete((await stepNamed(free.id, 'First'))['DecisionStepID']));
    assert.deepEqual(await stepStatuses(free.id), ['First Complete', 'Second Pending']);
    assert.deepEqual(
      [delaysOf(await stepNamed(free.id, 'Second')), await workflowDelays(free.id)],
      [
        [true, 1, 0],
        [true, 1, 0],
      ],
    );
  });

  it('WF-16 of a deleted workflow is deleted with it and delays nothing else; a hold of the case stays, and deleting that one releases its workflows', async () => {
    const { caseId, id } = await held();
    const beside = (await start('Also held', caseId))['DecisionID'];
    const own = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    assert.deepEqual(
      [await workflowDelays(id), await workflowDelays(beside)],
      [
        [true, 1, 0],
        [false, 0, 0],
      ],
    );
    await ok(p.admin.post('/api/decision/delete?Output=Json', { ID: id }));
    assert.deepEqual([await holdsOf(caseId), await workflowDelays(beside)], [[], [false, 0, 0]]);
    const [logged] = await p.platform.store.query<{ decision: string }>(
      `select old ->> 'decisionid' as decision from history
       where tablename = 'decisiondelay' and recordid = $1::bigint and change = 'delete'`,
      [own['DecisionDelayID']],
    );
    assert.equal(Number(logged?.decision), id, 'the history names the workflow it was on');
    const whole = await ok(hold({ Object: 'Foreclosure', ObjectID: caseId, DecisionDelay: 'Bankruptcy stay' }));
    assert.deepEqual(await workflowDelays(beside), [true, 1, 0]);
    await ok(p.admin.post('/api/decisiondelay/delete?Output=Json', { ID: whole['DecisionDelayID'] }));
    assert.deepEqual([await workflowDelays(beside), await passesQueued(beside)], [[false, 0, 0], 1]);
  });

  it("WF-16 FRM-01 shows in its task's description with its name and dates, and no move that completes the task is offered", async () => {
    const staged = await save('importformtemplate', {
      ImportFormTemplate: 'In stages',
      AppliesTo: 'Foreclosure',
      Statuses: [
        { ImportFormStatus: 'Open', Sequence: 1 },
        { ImportFormStatus: 'Review', Sequence: 2 },
        { ImportFormStatus: 'Approved', IsFinal: true, Sequence: 3 },
      ],
      Transitions: [
        { FromStatus: 'Open', ToStatus: 'Review' },
        { FromStatus: 'Open', ToStatus: 'Approved' },
      ],
    });
    const name = `Staged ${String(staged['ImportFormTemplateID'])}`;
    await template(name, [{ name: 'First', Object: 'ImportFormTemplate', ObjectID: staged['ImportFormTemplateID'] }]);
    const { caseId, id } = await held(name);
    const task = (await stepNamed(id, 'First'))['ObjectID'];
    const described = async (of: unknown = task, caller = p.admin): Promise<WorkflowRow> =>
      (await ok(caller.get(`/api/importform/describe?Output=Json&ID=${String(of)}`)))['Form'] as WorkflowRow;
    const moves = async (): Promise<unknown[]> =>
      rowsOf(await ok(p.admin.get(`/api/importform/transitions?Output=Json&ID=${String(task)}`)), 'Transition').map(
        (row) => row['ToStatus'],
      );
    const holdStateOf = ({ OnHold, Holds, Transitions }: WorkflowRow): unknown[] => [
      OnHold,
      Holds,
      (Transitions as WorkflowRow[]).map(({ ToStatus }) => ToStatus),
    ];
    assert.deepEqual(holdStateOf(await described()), [false, undefined, ['Review', 'Approved']]);
    const open = [
      await ok(
        hold({
          Object: 'Foreclosure',
          ObjectID: caseId,
          DecisionDelay: 'Bankruptcy stay',
          ProjectedCompletion: '2026-04-01T12:00:00Z',
        }),
      ),
      await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' })),
    ];
    const [first, second] = open.map((row) => ({
      DecisionDelayID: row['DecisionDelayID'],
      Name: 'Bankruptcy stay',
      ActualStart: row['ActualStart'],
    }));
    assert.deepEqual(holdStateOf(await described()), [
      true,
      [{ ...first, ProjectedCompletion: '2026-04-01T12:00:00.000Z' }, second],
      ['Review'],
    ]);
    assert.deepEqual(await moves(), ['Review']);
    await refused(p.admin.post('/api/importform/update?Output=Json', { ID: task, Status: 'Approved' }), 422);
    const xml = await p.admin.get(`/api/importform/describe?ID=${String(task)}`);
    assert.match(
      xml.text,
      new RegExp(
        '<OnHold>true</OnHold><Holds>' +
          `<Hold DecisionDelayID="${String(first?.DecisionDelayID)}" Name="Bankruptcy stay" ActualStart="[^"]+" ` +
          'ProjectedCompletion="2026-04-01T12:00:00.000Z"/><Hold ',
      ),
    );
    await save('role', { Role: 'Forms Only', Permissions: 'ImportFormDescribe', UniversalAccess: true });
    const { caller } = await p.user('knows no holds', 'Forms Only');
    assert.deepEqual(
      holdStateOf(await described(task, caller)).slice(0, 2),
      [true, undefined],
      'a user who cannot see the hold sees that the workflow is on hold',
    );
    await save('role', {
      Role: 'Tasks Of Firms',
      Permissions: 'ImportForm* Loan* DecisionDelay*',
      UniversalAccess: false,
    });
    const firm = await p.firm('Works on tasks', 'Tasks Of Firms');
    const loan = await save('loan', { Loan: '880001' }, firm.caller);
    const theirs = (
      await save('importform', { ImportForm: 'Of the firm', Object: 'Loan', ObjectID: loan['LoanID'] }, firm.caller)
    )['ImportFormID'];
    assert.equal((await described(theirs, firm.caller))['OnHold'], false);
    await p.platform.store.query('update importform set decisionstepid = $2::bigint where importformid = $1::bigint', [
      theirs,
      (await stepNamed(id, 'First'))['DecisionStepID'],
    ]);
    assert.deepEqual(
      holdStateOf(await described(theirs, firm.caller)).slice(0, 2),
      [true, undefined],
      'a firm sees that the workflow is on hold even if it can see neither the parent nor the hold',
    );
    for (const { DecisionDelayID: ID } of open) await ok(hold({ ID, ActualCompletion: clock.now() }));
    assert.deepEqual(holdStateOf(await described()), [false, undefined, ['Review', 'Approved']]);
    const free = await held('Not enforced');
    await ok(hold({ DecisionID: free.id, DecisionDelay: 'Bankruptcy stay' }));
    assert.equal(
      (await described((await stepNamed(free.id, 'First'))['ObjectID']))['OnHold'],
      false,
      'a hold that only counts keeps nothing from being completed',
    );
  });

  it("WF-16 sets the case's status from its template and creates its task from fields that are not the hold's own; if the task is refused, so is the hold", async () => {
    const { caseId, id } = await held();
    const task = await save('importformtemplate', {
      ImportFormTemplate: 'Review the stay',
      AppliesTo: 'Foreclosure',
      Questions: [{ ImportFormQuestion: 'Chapter', QuestionType: 'Choice', Choices: '7\n13' }],
    });
    await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'Stay with task',
      AppliesTo: 'Foreclosure',
      OnStartParentStatus: 'On hold',
      ImportFormTemplateID: task['ImportFormTemplateID'],
    });
    const forms = async (): Promise<WorkflowRow[]> =>
      rowsOf(
        await ok(
          p.admin.get(
            `/api/foreclosure/${caseId}/importform/search?Output=Json` +
              `&ImportForm=${encodeURIComponent('Review the stay')}`,
          ),
        ),
        'ImportForm',
      );
    await refused(hold({ DecisionID: id, DecisionDelay: 'Stay with task', Chapter: '8' }), 400);
    assert.deepEqual([await holdsOf(caseId), await forms(), await caseStatus(caseId)], [[], [], undefined]);
    assert.match(
      String((await refused(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay', Chapter: '7' }), 400))['Message']),
      /Chapter: DecisionDelay has no such field/,
    );
    assert.deepEqual(await holdsOf(caseId), []);
    const withTask = {
      DecisionID: id,
      DecisionDelay: 'Stay with task',
      Chapter: '13',
      ImportForm_ProjectedCompletion: '2026-04-01T12:00:00Z',
      ProjectedCompletion: '2026-05-01T12:00:00Z',
    };
    const queued = (body: object): Promise<TestAnswer> =>
      p.admin.post('/api/decisiondelay/queue/save?Output=Json', { ...body, QueuedDate: '2099-01-01' });
    assert.match(
      String((await refused(queued({ ...withTask, DecisionDelay: 'Bankruptcy stay' }), 400))['Message']),
      /Chapter: DecisionDelay has no such field/,
    );
    const later = await queued(withTask);
    assert.equal(later.status, 202, later.text);
    await ok(hold(withTask));
    const [made] = await forms();
    assert.deepEqual(
      [(await forms()).length, made?.['ProjectedCompletion'], made?.['ActualCompletion'], await caseStatus(caseId)],
      [1, '2026-04-01T12:00:00.000Z', undefined, 'On hold'],
    );
    assert.match(String(made?.['XmlData']), /<Chapter>13<\/Chapter>/);
    assert.equal((await holdsOf(caseId))[0]?.['ProjectedCompletion'], '2026-05-01T12:00:00.000Z');
    await save('foreclosure', { ID: caseId, Status: 'Open' });
    await ok(
      hold({
        DecisionID: id,
        DecisionDelay: 'Stay with task',
        ActualStart: '2026-01-01',
        ActualCompletion: '2026-02-01',
      }),
    );
    assert.deepEqual(
      [(await forms()).length, await caseStatus(caseId)],
      [1, 'Open'],
      'a hold that has already ended has no effect',
    );
    const [{ DecisionDelayID: undone } = {}] = await holdsOf(caseId);
    await ok(p.admin.post('/api/decisiondelay/delete?Output=Json', { ID: undone }));
    await ok(p.admin.post('/api/decisiondelay/undelete?Output=Json', { ID: undone }));
    assert.deepEqual(
      [(await forms()).length, await caseStatus(caseId), (await decision(id))['Delayed']],
      [1, 'Open', true],
      'an undeleted hold applies again and creates no second task',
    );
  });

  it('WF-16 WF-19 on a case that ends after the workflow has ended no longer delays it: it can be restarted', async () => {
    const { caseId, id } = await held('Not enforced');
    const canceled = (await start('Held', caseId))['DecisionID'];
    const stay = await ok(hold({ Object: 'Foreclosure', ObjectID: caseId, DecisionDelay: 'Bankruptcy stay' }));
    await ok(p.admin.post('/api/decision/cancel?Output=Json', { ID: canceled }));
    for (const name of ['First', 'Second']) await ok(complete((await stepNamed(id, name))['DecisionStepID']));
    assert.deepEqual([(await decision(id))['Status'], await workflowDelays(id)], ['Complete', [true, 1, 0]]);
    passMinutes(10);
    await ok(hold({ ID: stay['DecisionDelayID'], ActualCompletion: clock.now() }));
    assert.deepEqual(
      [await workflowDelays(id), await workflowDelays(canceled)],
      [
        [false, 1, 10],
        [false, 1, 10],
      ],
    );
    await ok(
      p.admin.post('/api/decision/restart?Output=Json', {
        ID: id,
        DecisionStepID: (await stepNamed(id, 'First'))['DecisionStepID'],
        BodyText: 'Once more',
      }),
    );
  });

  it('WF-16 placed at the very moment a workflow starts delays that workflow', async () => {
    for (let round = 0; round < 8; round++) {
      const caseId = await newCase();
      const [started] = await Promise.all([
        start('Held', caseId),
        ok(hold({ Object: 'Foreclosure', ObjectID: caseId, DecisionDelay: 'Court calendar' })),
      ]);
      assert.equal((await decision(started['DecisionID']))['Delayed'], true, `round ${round}`);
    }
  });

  it('WF-16 that ends at the same moment as another releases the workflow', async () => {
    const { id } = await held();
    const [a, b] = [
      await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' })),
      await ok(hold({ DecisionID: id, DecisionDelay: 'Court calendar' })),
    ];
    await Promise.all([a, b].map((row) => ok(hold({ ID: row['DecisionDelayID'], ActualCompletion: clock.now() }))));
    assert.equal((await decision(id))['Delayed'], false);
    assert.ok((await passesQueued(id)) >= 1);
  });
});

/** A hold as the oracle models it; times in minutes. */
interface ModelHold {
  readonly id: unknown;
  readonly on: 'case' | number;
  readonly own: boolean;
  start: number;
  end: number | undefined;
}

type Move = {
  readonly what: 'pass time' | 'hold' | 'end' | 'end earlier' | 'delete' | 'move' | 'reopen' | 'step' | 'begin';
  readonly n: number;
};

describe('Delayed, DelayCount and DelayDuration', () => {
  it('WF-16 match a plain count of minutes on hold, after any holds that start, end, move, are deleted and overlap', async () => {
    const move = fc.record({
      what: fc.constantFrom<Move['what']>(
        'pass time',
        'pass time',
        'hold',
        'hold',
        'hold',
        'end',
        'end',
        'end earlier',
        'delete',
        'move',
        'reopen',
        'step',
        'begin',
      ),
      n: fc.nat(99),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 6, maxLength: 14, size: 'max' }), assertDelaysMatchCount),
      {
        numRuns: 8,
      },
    );
  });
});

/** A workflow as the oracle models it; `begun` in minutes. */
interface ModelWorkflow {
  readonly id: unknown;
  readonly name: string;
  readonly begun: number;
}

/** A case with its workflows and holds, as the oracle models them. */
interface Model {
  readonly caseId: number;
  readonly workflows: ModelWorkflow[];
  holds: ModelHold[];
}

const nowMinutes = (): number => clock.milliseconds() / 60_000;
const isoOf = (minute: number): string => new Date(minute * 60_000).toISOString();

/** Applies the moves to a case, and compares the stored delays with the oracle's after each. */
async function assertDelaysMatchCount(moves: readonly Move[]): Promise<void> {
  const model: Model = { caseId: await newCase(), workflows: [], holds: [] };
  await beginWorkflow(model, 'Held');
  await beginWorkflow(model, 'Not enforced');
  for (const move of moves) {
    await applyMove(model, move);
    const hold = model.holds[move.n % Math.max(1, model.holds.length)];
    if (hold && move.what !== 'hold') await applyMoveToHold(model, move, hold);
    if (move.what === 'hold') await addHold(model, move.n);
    for (const workflow of model.workflows) await assertDelays(model, workflow, JSON.stringify(moves));
  }
}

async function beginWorkflow({ workflows, caseId }: Model, name: string): Promise<void> {
  workflows.push({ id: (await start(name, caseId))['DecisionID'], name, begun: nowMinutes() });
}

async function applyMove(model: Model, { what, n }: Move): Promise<void> {
  if (what === 'pass time') passMinutes(1 + (n % 30));
  if (what === 'begin' && model.workflows.length < 4) await beginWorkflow(model, n % 2 === 0 ? 'Held' : 'Not enforced');
  if (what === 'step') {
    const free = model.workflows.find(({ name }) => name === 'Not enforced');
    const first = (await steps(free?.id)).find((row) => row['DecisionStep'] === 'First');
    if (first?.['Status'] === 'Pending') await ok(complete(first['DecisionStepID']));
  }
}

async function addHold({ caseId, workflows, holds }: Model, n: number): Promise<void> {
  const on = n % 3 === 0 ? n % workflows.length : 'case';
  const own = n % 2 === 0 && (on === 'case' || workflows[on]?.name === 'Held');
  const begun = nowMinutes() - (n % 20);
  const row = await ok(
    hold({
      ...(on === 'case' ? { Object: 'Foreclosure', ObjectID: caseId } : { DecisionID: workflows[on]?.id }),
      DecisionDelay: own ? 'Court calendar' : 'Bankruptcy stay',
      ActualStart: isoOf(begun),
    }),
  );
  holds.push({ id: row['DecisionDelayID'], on, own, start: begun, end: undefined });
}

async function applyMoveToHold(model: Model, { what, n }: Move, one: ModelHold): Promise<void> {
  if (what === 'end' || what === 'end earlier') {
    one.end = what === 'end' ? nowMinutes() : one.start + (n % 7);
    await ok(hold({ ID: one.id, ActualCompletion: isoOf(one.end) }));
  }
  if (what === 'reopen') {
    one.end = undefined;
    await ok(hold({ ID: one.id, ActualCompletion: null }));
  }
  if (what === 'move') {
    one.start -= n % 10;
    await ok(hold({ ID: one.id, ActualStart: isoOf(one.start) }));
  }
  if (what === 'delete') {
    model.holds = model.holds.filter((each) => each !== one);
    await ok(p.admin.post('/api/decisiondelay/delete?Output=Json', { ID: one.id }));
  }
}

/** Compares the delay columns of a workflow and of its pending steps with a plain count of the minutes on hold. */
async function assertDelays({ workflows, holds }: Model, workflow: ModelWorkflow, moves: string): Promise<void> {
  const { id, name, begun } = workflow;
  const applying = holds.filter(({ on, own, end }) =>
    on === 'case' ? (!own || name === 'Held') && (end === undefined || end > begun) : workflows[on]?.id === id,
  );
  const isDelayed = applying.some(({ end }) => end === undefined);
  const context = `${moves} ${name} ${String(id)}`;
  assert.deepEqual(await workflowDelays(id), [isDelayed, applying.length, minutesHeld(applying, begun)], context);
  for (const step of await steps(id)) {
    if (step['Status'] !== 'Pending') continue;
    const since = Date.parse(String(step['CreatedDate'])) / 60_000;
    const duringStep = applying.filter(({ end }) => end === undefined || end > since);
    assert.deepEqual(
      delaysOf(step),
      [isDelayed, duringStep.length, minutesHeld(duringStep, since)],
      `${context} ${String(step['DecisionStep'])}`,
    );
  }
}

/** Returns the minutes since `since` during which at least one of the ended holds applied. */
function minutesHeld(holds: readonly ModelHold[], since: number): number {
  const held = new Set<number>();
  for (const { start: from, end } of holds)
    for (let at = Math.max(from, since); end !== undefined && at < end; at++) held.add(at);
  return held.size;
}

describe('a queued start', () => {
  it('WF-16 that arrives while the workflow is on hold waits, and runs when the hold ends', async (t) => {
    await template('Queued', [{ name: 'From the queue', ...setStatus('Ran'), Async: true }]);
    const { caseId, id } = await held('Queued');
    assert.deepEqual(await stepStatuses(id), ['From the queue Queued']);
    const made = await ok(hold({ DecisionID: id, DecisionDelay: 'Bankruptcy stay' }));
    const worker = startWorker(p.platform, p.platform.queue);
    t.after(() => worker.stop());
    await eventually('the queued start was delivered and skipped', async () =>
      (await stepNamed(id, 'From the queue'))['QueueMessageID'] === undefined ? true : undefined,
    );
    assert.deepEqual([await stepStatuses(id), await caseStatus(caseId)], [['From the queue Queued'], undefined]);
    await ok(hold({ ID: made['DecisionDelayID'], ActualCompletion: clock.now() }));
    await eventually('the workflow continued', async () => (await decision(id))['Status'] === 'Complete');
    assert.equal(await caseStatus(caseId), 'Ran');
  });
});

describe('a hold type that allows one open hold', () => {
  it('WF-16 WF-32 has one of the case and one of each of its workflows: they hold different things', async () => {
    const { DecisionDelayTemplateID } = await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'One at a time',
      AppliesTo: 'Foreclosure',
      Repeatable: 'OneActive',
    });
    const caseId = await newCase();
    const [first, second] = [
      (await start('Held', caseId))['DecisionID'],
      (await start('Also held', caseId))['DecisionID'],
    ];
    const ofCase = { Object: 'Foreclosure', ObjectID: caseId };
    const ids: unknown[] = [];
    for (const held of [{ DecisionID: first }, ofCase, { DecisionID: second }, ofCase, { DecisionID: first }])
      ids.push((await ok(hold({ DecisionDelayTemplateID, ...held })))['DecisionDelayID']);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(ids.slice(3), [ids[1], ids[0]], 'sent again, each finds its own');
    assert.deepEqual(
      (await holdsOf(caseId)).map((row) => row['DecisionID'] ?? null),
      [first, null, second],
    );
  });
});
