import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { releaseExpiredItems } from './lib/claims.ts';

/** Most items released in one transaction. */
const ITEMS_MAX = 500;

const fields = { Count: required(f.integer({ doc: 'Number of work items released.' })) };

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'ReleaseExpired',
  method: 'POST',
  summary: 'Releases work items whose claim has expired, at most 500 of them. The scheduler calls it every minute.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberReassign',
  params: {},
  returns: fields,
  answerName: 'ReleaseExpired',
  errors: ['RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx) =>
  item('ReleaseExpired', fields, { Count: await releaseExpiredItems(ctx, ctx.record, ITEMS_MAX) }),
);
