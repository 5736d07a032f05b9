import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls, type StepOf, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after }, { clock: fixedClock('2026-03-02T15:00:00.000Z') });
const { ok, refused, save, template, newCase, stepStatuses, decision, set, steps, stepNamed } = workflowCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Look at the docket', AppliesTo: 'Foreclosure' });
const asks = (more: object = {}): StepOf => ({
  name: 'Asks',
  DecisionStepTemplateType: 'IfThen',
  StepXslt: sheet('true()'),
  ...more,
});
const calls = (name: string, module: string, parameters: string, more: object = {}): StepOf => ({
  name,
  Object: module,
  Operation: 'Save',
  Parameters: parameters,
  ...more,
});
await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Stay', AppliesTo: 'Foreclosure' });
await save('customfield', { AppliesTo: 'Decision', CustomField: 'Judge', Kind: 'Text' });

/** Workflow templates, each of which leaves the workflow's row in a different state. */
const kinds: Readonly<Record<string, { readonly of: readonly StepOf[]; readonly more?: object }>> = {
  'Ends at once': { of: [asks()] },
  'Waits for somebody': { of: [{ name: 'By hand' }] },
  'Says where it stands': {
    of: [
      asks({ OnStartDecisionStatus: 'Begun', OnCompleteDecisionStatus: 'Asked' }),
      { name: 'By hand', after: ['Asks'] },
    ],
  },
  'Ends with a status': { of: [asks({ OnCompleteDecisionStatus: 'All asked' })] },
  'Moves the case': { of: [asks({ OnCompleteParentStatus: 'Moved' }), { name: 'By hand', after: ['Asks'] }] },
  'Makes a task': { of: [{ name: 'Task', Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] }] },
  'Changes itself': { of: [calls('Rename', 'Decision', 'ID={DecisionID}&Decision=Renamed')] },
  'Goes to the queue': { of: [calls('Later', 'Foreclosure', 'ID={ForeclosureID}&Status=Later', { Async: true })] },
  'Keeps dates': {
    of: [{ name: 'By hand' }, asks({ EstimatedDuration: 3, after: ['By hand'] })],
    more: { EnforceStartDates: true },
  },
  Polls: { of: [{ name: 'Looks', DecisionStepTemplateType: 'Polling', StepXslt: sheet('false()') }] },
  'Only counts holds': { of: [asks(), { name: 'By hand' }], more: { EnforceDelay: false } },
  'Has nothing to do': { of: [{ name: 'Ad hoc', Repeatability: 0 }] },
};
for (const [name, { of, more }] of Object.entries(kinds)) await template(name, of, more);

/** Saves a workflow of each kind and compares what the save returns with what is stored. */
async function compare(what: string, caller: Caller, body: () => Promise<object>): Promise<WorkflowRow[]> {
  const returned: WorkflowRow[] = [];
  for (const Template of Object.keys(kinds)) {
    const answer = await ok(caller.post('/api/decision/save?Output=Json', { Template, ...(await body()) }));
    assert.deepEqual(
      answer,
      await ok(caller.get(`/api/decision/select/${String(answer['DecisionID'])}?Output=Json`)),
      `${Template}, ${what}`,
    );
    returned.push(answer);
  }
  return returned;
}

const onCase = async (fields: object = {}): Promise<{ Object: string; ObjectID: number }> => ({
  Object: 'Foreclosure',
  ObjectID: await newCase(fields),
});

describe('the result of saving a new workflow', () => {
  it('WF-01 WF-10 is what is stored after its first pass, whatever that pass did', async () => {
    const returned = await compare('new', p.admin, onCase);
    assert.deepEqual(
      returned.map(({ Status, ActualCompletion }) => [Status, ActualCompletion !== undefined]),
      [
        ['Complete', true],
        ['In Progress', false],
        ['Asked', false],
        ['All asked', true],
        ['In Progress', false],
        ['In Progress', false],
        ['Complete', true],
        ['In Progress', false],
        ['In Progress', false],
        ['In Progress', false],
        ['In Progress', false],
        ['Complete', true],
      ],
    );
    await compare('with fields of its own', p.admin, async () => ({
      ...(await onCase()),
      Judge: 'Hale',
      EstimatedCompletion: '2026-04-01',
      Decision: 'Of its own name',
    }));
  });

  it('WF-16 WF-34 is what is stored when nothing was started: on hold, starting later, or not processed on insert', async () => {
    const held = await onCase();
    await save('decisiondelay', { ...held, DecisionDelay: 'Stay' });
    const returned = await compare('on hold', p.admin, () => Promise.resolve(held));
    assert.deepEqual(new Set(returned.map(({ Delayed }) => Delayed)), new Set([true]));
    await compare('later', p.admin, async () => ({ ...(await onCase()), ActualStart: '2026-05-01T00:00:00Z' }));
    await set('DecisionProcessOnInsert', 'false');
    await compare('not processed', p.admin, onCase);
    await set('DecisionProcessOnInsert', 'true');
  });

  it("WF-10 is what a firm's user reads afterwards", async () => {
    await save('role', { Role: 'Starter', Status: 'Active', Permissions: 'DecisionSave' });
    const { caller, organizationId } = await p.firm('Firm that starts workflows', 'Partner, Starter');
    await compare('of a firm', caller, () => onCase({ OrganizationID: organizationId }));
  });

  it("WF-11 includes what the parent's next step changed when the workflow completes a step of its parent", async () => {
    await template('Parent', [
      { name: 'Child' },
      calls(
        'Rename',
        'Decision',
        "ID={//DecisionItem[Decision='Ends at once']/DecisionID}&Decision=Renamed by the parent",
        { after: ['Child'] },
      ),
    ]);
    const parent = await onCase();
    const { DecisionID } = await save('decision', { Template: 'Parent', ...parent });
    const returned = await save('decision', {
      Template: 'Ends at once',
      ...parent,
      ParentDecisionStepID: (await stepNamed(DecisionID, 'Child'))['DecisionStepID'],
    });
    assert.equal(returned['Decision'], 'Renamed by the parent');
    assert.deepEqual(returned, await decision(returned['DecisionID']));
    assert.deepEqual(await stepStatuses(DecisionID), ['Child Complete', 'Rename Complete']);
  });
});

describe('the result of saving a workflow with children', () => {
  it('WF-16 WF-32 KRN-02 is what is stored after the children: a hold delays the new workflow, and a step advances it', async () => {
    await template('Has children', [{ name: 'By hand' }, { name: 'Ad hoc', Repeatability: 0 }]);
    const stay = await ok(p.admin.get('/api/decisiondelaytemplate/search?Output=Json&DecisionDelayTemplate=Stay'));
    const [kind] = rowsOf(stay, 'DecisionDelayTemplate');
    const on = await onCase();
    const held = await save('decision', {
      Template: 'Has children',
      ...on,
      DecisionDelays_0_DecisionDelayTemplateID: kind?.['DecisionDelayTemplateID'],
    });
    assert.deepEqual([held['Delayed'], held['DelayCount']], [true, 1]);
    assert.deepEqual(held, await decision(held['DecisionID']));
    const [hold] = rowsOf(
      await ok(p.admin.get(`/api/decisiondelay/search?Output=Json&DecisionID=${String(held['DecisionID'])}`)),
      'DecisionDelay',
    );
    assert.deepEqual([hold?.['Object'], hold?.['ObjectID']], [on.Object, on.ObjectID]);

    const more = await save('decision', {
      Template: 'Has children',
      ...(await onCase()),
      DecisionSteps_0_DecisionStep: 'Ad hoc',
    });
    assert.equal(more['StepSequence'], 2);
    assert.deepEqual(more, await decision(more['DecisionID']));
    assert.deepEqual(await stepStatuses(more['DecisionID']), ['By hand Pending', 'Ad hoc Pending']);
  });
});

describe('an undeleted workflow', () => {
  const undeleted = async (id: unknown): Promise<WorkflowRow> => {
    await ok(p.admin.post('/api/decision/delete?Output=Json', { ID: id }));
    return ok(p.admin.post('/api/decision/undelete?Output=Json', { ID: id }));
  };

  it('WF-19 KRN-20 stays complete or canceled, and none of its steps starts', async () => {
    const complete = await save('decision', { Template: 'Ends at once', ...(await onCase()) });
    const canceled = await save('decision', { Template: 'Makes a task', ...(await onCase()) });
    await ok(p.admin.post('/api/decision/cancel?Output=Json', { ID: canceled['DecisionID'] }));
    for (const { DecisionID } of [complete, canceled]) {
      const before = await decision(DecisionID);
      const back = await undeleted(DecisionID);
      assert.deepEqual(
        [back['Status'], back['StepSequence'], back['ActualCompletion'], back['CanceledDate']],
        [before['Status'], before['StepSequence'], before['ActualCompletion'], before['CanceledDate']],
      );
      assert.deepEqual(await steps(DecisionID), []);
      assert.deepEqual(back, await decision(DecisionID));
    }
  });

  it('WF-01 KRN-20 is returned as it is after its pass if it was open', async () => {
    const { DecisionID } = await save('decision', { Template: 'Waits for somebody', ...(await onCase()) });
    const back = await undeleted(DecisionID);
    assert.deepEqual(back, await decision(DecisionID));
    assert.deepEqual(await stepStatuses(DecisionID), ['By hand Pending']);
  });
});

describe('a step that puts its own workflow on hold', () => {
  it('WF-09 WF-16 fails, and its hold is rolled back with it; with EnforceDelay false, the hold stays and the workflow continues', async () => {
    const hold = calls('Hold', 'DecisionDelay', 'DecisionID={DecisionID}&DecisionDelay=Stay');
    await template('Holds itself', [hold, { name: 'By hand' }]);
    const on = await onCase();
    const error = await refused(
      p.admin.post('/api/decision/save?Output=Json', { Template: 'Holds itself', ...on }),
      422,
    );
    assert.deepEqual([error['Code'], error['FailureCode']], ['STEP_FAILED', 'STATE_REFUSES']);
    assert.match(String(error['Message']), /A step cannot put its own workflow on hold/);
    const made = await decision(error['DecisionID']);
    assert.deepEqual([made['Delayed'], made['DelayCount'], made['Status']], [false, 0, 'In Progress']);
    assert.deepEqual(await stepStatuses(error['DecisionID']), ['Hold Error', 'By hand Pending']);

    await template('Holds itself and goes on', [hold, asks({ after: ['Hold'] })], { EnforceDelay: false });
    const returned = await save('decision', { Template: 'Holds itself and goes on', ...on });
    assert.deepEqual([returned['Delayed'], returned['Status']], [true, 'Complete']);
    assert.deepEqual(returned, await decision(returned['DecisionID']));
  });
});
