import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { changeLines, lineRefusal, lockLines } from './lib/change-lines.ts';
import { valuesBeforeReview } from './lib/review.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'UndoReview',
  method: 'POST',
  summary:
    'Undoes the last approval or rejection of lines: they get back their status, whether they are totaled, and the ' +
    'review before it, if there was one.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: 'decisions, Workflow, ledgers, worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  await lockLines(ctx, ID);
  const before = await valuesBeforeReview(ctx, ID);
  return changeLines(ctx, ID, (line) => {
    if (line.ReviewDate === null) return lineRefusal(line, 'has no approval or rejection to undo');
    const values = before.get(line.LedgerItemID);
    if (values === 'edited')
      return lineRefusal(line, 'was changed after it was rejected, so its approval is not restored; approve it again');
    return values ?? lineRefusal(line, 'was reviewed before the history that is kept; approve or reject it instead');
  });
});
