import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { isUndone, undoRun } from './lib/undo-run.ts';

export const operation = defineOperation({
  module: 'bulkrun',
  name: 'Undo',
  method: 'POST',
  summary:
    'Undoes a bulk change record by record, in the background, for the calls that succeeded. A record that was ' +
    'changed since keeps its later values, and its row says so.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'BulkRunStart',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The bulk change.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const undone = namedRow(ctx, ctx.record);
  const refuse = (message: string): never => {
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${message}` });
  };
  if (undone.UndoSignature === null) return refuse('this bulk change cannot be undone.');
  if (undone.CreatedPersonID !== ctx.user.personId) return refuse('only the user who started it can undo it.');
  if (await isUndone(ctx, ID)) return refuse('it has been undone already.');
  return recordItem(ctx.record, await undoRun(ctx, undone));
});
