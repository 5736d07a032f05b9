import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { reachAll } from '../../../kernel/records/search/read.ts';
import { projectDecision } from './lib/forecast/project-decision.ts';

const rows = {
  DecisionStepID: f.id({ doc: 'The step; empty for one that is to come.' }),
  DecisionStepTemplateID: f.id({ doc: 'The step of the template.' }),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'Where it stands; empty for one that is to come.' }),
  IsProjected: required(f.boolean({ doc: 'It is to come.' })),
  DependsOn: f.text({
    doc: 'The results, not known yet, on which it depends whether it comes: `Is in Texas = 1`. Empty where it comes anyway.',
  }),
  IsTrue: f.boolean({ doc: 'The result that it completed with.' }),
  EstimatedStart: f.timestamp({
    doc: 'When it should start: its ReferenceDate, or when what it waits for is complete.',
  }),
  EstimatedCompletion: f.timestamp({ doc: 'When it should be complete by its duration.' }),
  ProjectedStart: f.timestamp({ doc: 'When somebody expects it to start.' }),
  ProjectedCompletion: f.timestamp({ doc: 'When somebody expects it to be complete.' }),
  ActualStart: f.timestamp({ doc: 'When it was started.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was complete.' }),
  CanceledDate: f.timestamp({ doc: 'When it was canceled.' }),
  ExpectedStart: f.timestamp({ doc: 'When it started, or is to start at the earliest.' }),
  ExpectedCompletion: f.timestamp({
    doc: 'When it was complete, or is to be: by what somebody projects, else by the workflow that it has started and waits for, else by its estimate, and not before now.',
  }),
  WorkflowCompletion: f.timestamp({
    doc: 'When the last step of the workflow is to be complete; the same in every row.',
  }),
};

export const operation = defineOperation({
  module: 'decision',
  name: 'Project',
  method: 'GET',
  summary:
    'Tells the steps of a workflow, those that there are and those that are to come, with the dates that are to be expected. Both ways of a result that is not known yet are told, each with what it depends on. Nothing is written.',
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
  await reachAll(ctx, ctx.record, [ID]);
  return list('DecisionStep', rows, await ctx.actingAs('Workflow', (own) => projectDecision(own, ID)));
});
