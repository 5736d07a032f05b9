import { shapeOf, type ListAnswer, type Row } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { idOf, fromOf, selectListOf } from '../../../kernel/database/sql.ts';
import type { organization } from './organization.record.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'SearchByPerson',
  method: 'GET',
  summary: 'Lists the organizations that the current user belongs to.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: 'list',
  errors: [],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx): Promise<ListAnswer<Row<typeof organization>>> => {
  const { record } = ctx;
  const rows = await ctx.db.query<Row<typeof organization>>(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [ctx.user.organizationId ?? 0],
  );
  return { kind: 'list', name: record.name, shape: shapeOf(record), rows };
});
