/** Every kind of step with every way of starting and ending it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { rowsOf, sheet, workflowCalls, type StepOf, type WorkflowRow } from '../../support/work/workflows.ts';

const fields = { ForeclosureID: required(f.id({ doc: 'The case.', to: 'Foreclosure' })) };
const mark = defineOperation({
  module: 'matrixprobe',
  name: 'Mark',
  method: 'POST',
  summary: 'Leaves a mark in its own transaction.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: fields,
  transactions: 'own',
  returns: fields,
  errors: [],
  source: 'test',
});
const { transactions: _own, ...inOne } = mark;
const callBack = defineOperation({
  ...inOne,
  name: 'CallBack',
  params: { ...fields, DecisionStepID: f.id({ doc: 'The step that waits.', to: 'DecisionStep' }) },
});
const fixture = {
  declarations: {
    operations: [
      {
        operation: mark,
        run: handle(mark, async (ctx, { ForeclosureID }) => {
          await ctx.inTransaction((own) =>
            own.call('contact/save', { Object: 'Foreclosure', ObjectID: ForeclosureID, LastName: 'Done' }),
          );
          return item('Matrixprobe', fields, { ForeclosureID });
        }),
      },
      {
        operation: callBack,
        run: handle(callBack, async (ctx, { ForeclosureID, DecisionStepID }) => {
          await ctx.call('contact/save', { Object: 'Foreclosure', ObjectID: ForeclosureID, LastName: 'Done' });
          const [step] = await ctx.db.query<{ decisionid: number }>(
            'select decisionid from decisionstep where decisionstepid = $1::bigint',
            [DecisionStepID],
          );
          await ctx.enqueue({
            route: 'decision/advance',
            parameters: { ID: step?.decisionid ?? 0, CompleteStepID: [DecisionStepID ?? 0] },
          });
          return item('Matrixprobe', fields, { ForeclosureID });
        }),
      },
    ],
  },
};

const p = await testPlatform({ after }, { worker: true, fixture });
const { ok, save, template, newCase, start, stepNamed, decision, complete } = workflowCalls(p);
const { saveWhole } = matrixCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Task', AppliesTo: 'Foreclosure' });
const note = await save('messagetemplate', { MessageTemplate: 'Note', AppliesTo: 'Foreclosure' });
const picks = await saveWhole('Picks', { ForeclosureType: {} }, { TemplateName: {} }, [
  { ForeclosureType: 'Report', TemplateName: 'Task' },
]);
const below = await template('Below', [{ name: 'Last', CreateOnCompletion: 1 }]);
const contact = {
  Object: 'Contact',
  Operation: 'Save',
  Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&LastName=Done',
};
const ownMark = { Object: 'matrixprobe', Operation: 'Mark', Parameters: 'ForeclosureID={ForeclosureID}' };
const rows = 'Foreclosure/Search?ForeclosureID={ForeclosureID}';

/** What a step does. `marks`: the contacts that it leaves on its case; `ends`: what a user does to complete it. */
interface Shape {
  readonly step: Omit<StepOf, 'name'>;
  readonly marks?: number;
  readonly ends?: 'task' | 'step';
}
const shapes: Readonly<Record<string, Shape>> = {
  'a user': { step: {}, ends: 'step' },
  'an if/then step': { step: { DecisionStepTemplateType: 'IfThen', StepXslt: sheet('true()') } },
  'a polling step': { step: { DecisionStepTemplateType: 'Polling', StepXslt: sheet('true()') } },
  'a task': { step: { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] }, ends: 'task' },
  'a task of a matrix': { step: { Object: 'ImportFormTemplate', ObjectMatrixID: picks['MatrixID'] }, ends: 'task' },
  'a message': { step: { Object: 'MessageTemplate', ObjectID: note['MessageTemplateID'] } },
  'a workflow': { step: { Object: 'DecisionTemplate', ObjectID: below['DecisionTemplateID'] } },
  'an operation': { step: contact, marks: 1 },
  'an operation with its own transactions': { step: ownMark, marks: 1 },
  'an operation that calls back': { step: { ...ownMark, Operation: 'CallBack' }, marks: 1 },
  'an operation for each row': { step: { ...contact, Method: rows }, marks: 1 },
  'an operation for each record below the case': {
    step: { ...contact, Method: 'Message/ListByObject?Object=Foreclosure&ObjectID={ForeclosureID}' },
    marks: 1,
  },
  'an operation with its own transactions for each row': { step: { ...ownMark, Method: rows }, marks: 1 },
  'an operation for each row of a batch': { step: { ...contact, Method: rows, BatchLog: 1 }, marks: 1 },
  'an operation with a document': { step: { ...contact, Method: 'Foreclosure/Summary?ID={ForeclosureID}' }, marks: 1 },
};

const modifiers: Readonly<Record<string, object>> = {
  'at once': {},
  queued: { Async: 1 },
  'from its own queue': { Async: 1, Queue: 'Batch' },
  'from the queue of the case': { Async: 1, QueueParameters: 'QueueName={ForeclosureType}' },
  'without waiting': { CreateOnCompletion: 1 },
  'queued, without waiting': { Async: 1, CreateOnCompletion: 1 },
  'with statuses': {
    OnStartParentStatus: 'Begun',
    OnCompleteParentStatus: 'Done',
    OnCompleteDecisionStatus: 'Was done',
  },
  'queued, with statuses': { Async: 1, OnStartParentStatus: 'Begun', OnCompleteParentStatus: 'Done' },
};

const isComplete = async (id: unknown): Promise<boolean> => (await decision(id))['ActualCompletion'] !== undefined;

/** Completes a step as a user does, once it waits for that. */
async function endAsUser(id: unknown, ends: 'task' | 'step'): Promise<void> {
  const step = await eventually('the step waits', async (): Promise<WorkflowRow | undefined> => {
    const now = await stepNamed(id, 'Step');
    return now['Status'] === 'Pending' ? now : undefined;
  });
  if (ends === 'step') await ok(complete(step['DecisionStepID']));
  else await save('importform', { ID: step['ObjectID'], ActualCompletion: new Date().toISOString() });
}

const contactsOf = async (caseId: number): Promise<unknown[]> =>
  rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/contact/search?Output=Json`)), 'Contact').map(
    (row) => row['LastName'],
  );

describe('a step', () => {
  for (const [name, { step, marks = 0, ends }] of Object.entries(shapes))
    it(`WF-05 WF-06 WF-07 WF-08 WF-30 of ${name} works in every way of starting and ending it`, async () => {
      await Promise.all(
        Object.entries(modifiers).map(async ([way, fields]) => {
          const of = `${name}, ${way}`;
          await template(of, [
            { name: 'Step', ...step, ...fields },
            { name: 'Then', CreateOnCompletion: 1, after: ['Step'] },
          ]);
          const caseId = await newCase({ ForeclosureType: 'Report' });
          await save('message', { Object: 'Foreclosure', ObjectID: caseId, Message: 'The row of a list' });
          const { DecisionID: id } = await start(of, caseId);
          if (ends !== undefined && !('CreateOnCompletion' in fields)) await endAsUser(id, ends);
          await eventually(`the workflow is complete: ${of}`, async () =>
            (await isComplete(id)) ? true : Promise.reject(new Error(JSON.stringify(await stepNamed(id, 'Step')))),
          );
          if (marks > 0 && 'CreateOnCompletion' in fields)
            await eventually('what nobody waits for has happened', async () => (await contactsOf(caseId)).length > 0);
          assert.deepEqual(await contactsOf(caseId), Array<string>(marks).fill('Done'), of);
          const done = await ok(p.admin.get(`/api/foreclosure/select/${caseId}?Output=Json`));
          if ('OnCompleteParentStatus' in fields) assert.equal(done['Status'], 'Done', of);
          if ('OnCompleteDecisionStatus' in fields) assert.equal((await decision(id))['Status'], 'Was done', of);
        }),
      );
      const dead = rowsOf(await ok(p.admin.get('/api/queue/search?Output=Json&State=dead')), 'QueueMessage');
      assert.deepEqual(
        dead.map((row) => [row['Operation'], row['QueueLabel'], row['ErrorMessage']]),
        [],
      );
    });
});
