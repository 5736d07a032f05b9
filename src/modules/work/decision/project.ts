import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { projectDecision } from './lib/forecast/project-decision.ts';

const rows = {
  DecisionStepID: f.id({ doc: 'The step; empty if it is still to come.' }),
  DecisionStepTemplateID: f.id({ doc: 'The step of the template.' }),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'Its status; empty if it is still to come.' }),
  IsProjected: required(f.boolean({ doc: 'Whether it is still to come.' })),
  DependsOn: f.text({
    doc: 'The unknown results it depends on: `Is in Texas = 1`. Empty if it comes in any case.',
  }),
  IsTrue: f.boolean({ doc: 'The result it completed with.' }),
  EstimatedStart: f.timestamp({
    doc: 'When it should start: its ReferenceDate, or when its dependencies are complete.',
  }),
  EstimatedCompletion: f.timestamp({ doc: 'When it should be complete according to its duration.' }),
  ProjectedStart: f.timestamp({ doc: 'The expected start, as entered by a user.' }),
  ProjectedCompletion: f.timestamp({ doc: 'The due date, as entered by a user.' }),
  ActualStart: f.timestamp({ doc: 'When it was started.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was completed.' }),
  CanceledDate: f.timestamp({ doc: 'When it was canceled.' }),
  ExpectedStart: f.timestamp({ doc: 'When it started, or the earliest time it can start.' }),
  ExpectedCompletion: f.timestamp({
    doc:
      'When it was completed, or is expected to be: the due date a user entered, else the completion of ' +
      'the child workflow it waits for, else its estimate; never before now.',
  }),
  WorkflowCompletion: f.timestamp({
    doc: 'When the last step of the workflow is expected to be complete; the same in every row.',
  }),
};

export const operation = defineOperation({
  module: 'decision',
  name: 'Project',
  method: 'GET',
  summary: `Returns the steps of a workflow, existing and still to come, with their expected dates.
      Where a result is not known yet both branches are returned, each with what it depends on. Writes nothing.`,
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The workflow.' })) },
  returns: 'list',
  answerName: 'DecisionStep',
  rows,
  errors: ['NOT_FOUND'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  return list('DecisionStep', rows, await ctx.actingAs('Workflow', (own) => projectDecision(own, ID)));
});
