import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { rollBack, rollbackFields } from '../../../kernel/records/history/rollback.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Rollback',
  method: 'POST',
  summary:
    "Restores a record's own fields to their values at an instant, or undoes the changes of one call. " +
    'Returns the fields that it changes.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'The statement that locks the row also reads its sealed numbers, which rows do not have.' },
  params: {
    ID: required(f.id({ doc: 'The record.' })),
    At: f.timestamp({ doc: 'The instant to restore, to the millisecond. Send either At or CallID.' }),
    CallID: f.text({
      doc:
        'The call to undo, as History shows it. If later calls changed the same fields, STATE_REFUSES names ' +
        'them and nothing is undone.',
      max: 64,
      exact: true,
    }),
    Fields: f.textList({ doc: 'The fields to restore, comma-separated. Empty: all.' }),
    Version: f.integer({ doc: 'Optional. Refuses the call if the record has a newer version.' }),
    Preview: f.boolean({ doc: 'True returns what would change, without changing it.', default: false }),
  },
  returns: 'list',
  answerName: 'Rollback',
  rows: rollbackFields,
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'STATE_REFUSES', 'MISSING_PARAMETER'],
  source: 'checklist KRN-20',
});

export const run = handle(operation, async (ctx, { ID, At, CallID, Fields, Version, Preview }) => {
  const restored = await rollBack(ctx, ctx.record, ID, {
    at: At ?? undefined,
    callId: CallID ?? undefined,
    fields: Fields ?? undefined,
    version: Version ?? undefined,
    preview: Preview,
  });
  return list('Rollback', rollbackFields, restored);
});
