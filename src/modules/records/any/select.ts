import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Select',
  method: 'GET',
  summary: 'Returns one record.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The record.' })) },
  returns: 'item',
  errors: ['NOT_FOUND'],
  source: '1-core §1',
});

export const run = handle(operation, async (ctx) => recordItem(ctx.record, namedRow(ctx, ctx.record)));
