import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { changeItem, submittedReasons } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

/** Default delay of a skipped item: one day, in milliseconds. */
const SKIP_MILLISECONDS = 86_400_000;

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Skip',
  method: 'POST',
  summary: "Skips the caller's own open work item: `next` ignores it until SkipDate.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The item.' })),
    SkipDate: f.timestamp({ doc: 'Until when. Defaults to one day from now.' }),
    ReasonDetail: f.body({ doc: "Why it is skipped. If empty, the item's own details stay." }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, SkipDate, ReasonDetail }) => {
  const now = ctx.clock.milliseconds();
  const until = SkipDate ?? new Date(now + SKIP_MILLISECONDS).toISOString();
  if (Date.parse(until) <= now) throw bad('SkipDate', 'a time in the future');
  const row = namedRow(ctx, ctx.record);
  if (!isOpen(row))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Work item ${ID} is ${String(row.Status)}; only an open one can be skipped.`,
    });
  if (row.PersonID !== ctx.user.personId)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Work item ${ID} is not assigned to you; you can only skip your own.`,
    });
  return recordItem(
    ctx.record,
    await changeItem(ctx, ctx.record, row, { SkipDate: until, ...submittedReasons({ ReasonDetail }) }),
  );
});
