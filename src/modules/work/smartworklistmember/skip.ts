import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { lockRecord } from '../../../kernel/records/save/lock-record.ts';
import { changeItem } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';

/** How long an item is put off where the call does not say it: one day, in milliseconds. */
const SKIP_MILLISECONDS = 86_400_000;

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Skip',
  method: 'POST',
  summary: "Puts the caller's own open item off: `next` leaves it until SkipDate.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The item.' })),
    SkipDate: f.timestamp({ doc: 'Until when; one day ahead where it is not sent.' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, SkipDate }) => {
  const now = ctx.clock.milliseconds();
  const until = SkipDate ?? new Date(now + SKIP_MILLISECONDS).toISOString();
  if (Date.parse(until) <= now) throw bad('SkipDate', 'an instant in the future');
  const row = await lockRecord(ctx, ctx.record, ID);
  if (!isOpen(row))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Item ${ID} is ${String(row['Status'])}; only an open item is put off.`,
    });
  if (row['PersonID'] !== ctx.user.personId)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Item ${ID} is not assigned to you; you put off your own items only.`,
    });
  return recordItem(ctx.record, await changeItem(ctx, ctx.record, row, new Map([['skipdate', until]])));
});
