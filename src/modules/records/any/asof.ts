import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { recordAsOf } from '../../../kernel/records/history/point-in-time.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'AsOf',
  method: 'GET',
  summary: 'Returns a record as it was at an instant; with Children, also its child collections at that time.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'Users with universal access can name a deleted record, which only its history has.' },
  params: {
    ID: required(f.id({ doc: 'The record. Users with universal access can read one deleted since.' })),
    At: required(
      f.timestamp({
        doc:
          'The instant, to the millisecond. Later changes are undone. An instant before the record was created ' +
          'is NOT_FOUND; one before its history begins is STATE_REFUSES.',
      }),
    ),
    Children: f.boolean({
      doc: 'Whether to return its child collections, at most 500 records of each.',
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
