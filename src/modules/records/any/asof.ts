import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { recordAsOf } from '../../../kernel/records/history/point-in-time.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'AsOf',
  method: 'GET',
  summary:
    'Answers a record as it was at an instant, with its child collections as they were then where Children is true.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The record; one that was deleted since is found by users with universal access.' })),
    At: required(
      f.timestamp({
        doc: 'The instant, to the millisecond. Changes after it are taken back; an instant before the record was made is NOT_FOUND, one before history is kept STATE_REFUSES.',
      }),
    ),
    Children: f.boolean({
      doc: 'Whether its child collections are answered too, at most 500 of each.',
      default: false,
    }),
  },
  returns: 'tree',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'checklist KRN-20',
});

export const run = handle(operation, async (ctx, { ID, At, Children }) => ({
  kind: 'tree',
  root: await recordAsOf(ctx, ctx.record, ID, { at: At, withChildren: Children }),
}));
