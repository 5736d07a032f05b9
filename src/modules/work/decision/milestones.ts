import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { caseMilestones } from './lib/milestones/case-milestones.ts';
import { milestoneRows, milestoneFields } from './lib/milestones/milestone-rows.ts';

/** Most cases of one call: two pages of a list. */
const CASES_MAX = 200;

export const operation = defineOperation({
  module: 'decision',
  name: 'Milestones',
  // Milestones are what a projection says, in short.
  permission: 'DecisionProject',
  method: 'GET',
  summary:
    'Returns the milestones of cases with targets, actual and expected dates, and how long each case has been in its ' +
    'stage. Cases without a workflow that has milestones are left out.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: required(f.text({ doc: 'The record type of the cases, such as Foreclosure.', max: 60, exact: true })),
    ObjectID: required(f.idList({ doc: 'The cases.', max: CASES_MAX })),
  },
  returns: 'list',
  answerName: 'Milestone',
  rows: milestoneFields,
  errors: ['NOT_FOUND'],
  source: '2-workflow §2',
});

export const run = handle(operation, async (ctx, { Object: object, ObjectID: ids }) => {
  const found = await caseMilestones(ctx, ctx.registry.requireRecord(object, 'Object'), ids);
  return list('Milestone', milestoneFields, found.flatMap(milestoneRows));
});
