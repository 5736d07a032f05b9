import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { rollBack, rollbackFields } from '../../../kernel/records/history/rollback.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Rollback',
  method: 'POST',
  summary:
    "Brings a record's own fields back to what they were at an instant, or undoes what one call changed in it. Answers the fields that it changes.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The record.' })),
    At: f.timestamp({ doc: 'The instant to go back to, to the millisecond. Either At or CallID is sent.' }),
    CallID: f.text({
      doc: 'The call to undo, as History tells it. Where other calls changed the same fields since, STATE_REFUSES names them and nothing is undone.',
      max: 64,
      exact: true,
    }),
    Fields: f.textList({ doc: 'The fields to bring back, comma-separated; all where it is not sent.' }),
    Version: f.integer({ doc: "Where sent, an older version than the record's is refused." }),
    Preview: f.boolean({ doc: 'True tells what would change and changes nothing.', default: false }),
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
