import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';

export const operation = defineOperation({
  module: 'session',
  name: 'End',
  method: 'POST',
  summary:
    'Ends a browser session. All processes refuse it within a second. A session that has already ended ' +
    'is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The sign-in.' })) },
  returns: 'item',
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const before = namedRow(ctx, ctx.record);
  if (before.EndedDate !== null) return recordItem(ctx.record, before);
  await ctx.db.query(
    `update session
     set status = 'Ended', endeddate = $2::timestamptz, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     where sessionid = $1::bigint`,
    [ID, ctx.clock.now(), ctx.user.personId],
  );
  ctx.accessChanged();
  await ctx.security({ event: 'SessionEnded', object: 'Session', objectId: ID });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});
