import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { countViews, COUNT_MAX } from './lib/count-views.ts';

/** Most views whose records one call counts: more than the tabs of any list. */
const VIEWS_MAX = 40;

const fields = {
  ViewID: required(f.id({ doc: 'The view.' })),
  Count: required(f.integer({ doc: `Its number of records, at most ${COUNT_MAX}.` })),
  IsMore: required(f.boolean({ doc: `Whether there are more than ${COUNT_MAX}.` })),
};

export const operation = defineOperation({
  module: 'view',
  name: 'Counts',
  method: 'GET',
  summary:
    'Counts the records of views that the current user sees, each up to 1,000. Counts may be a few seconds old. ' +
    'Views whose records the user may not search are left out.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: { ID: required(f.idList({ doc: 'The views.', max: VIEWS_MAX })) },
  returns: 'list',
  answerName: 'ViewCount',
  rows: fields,
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { ID }) => list('ViewCount', fields, await countViews(ctx, ID)));
