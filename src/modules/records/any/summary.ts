import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { summarize } from '../../../kernel/records/search/summary.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'Summary',
  method: 'GET',
  summary: 'Returns a record with the records that it references and its child collections, as one tree.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'One statement reads the row and which of the collections have children.' },
  params: { ID: required(f.id({ doc: 'The record.' })) },
  returns: 'tree',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => ({
  kind: 'tree',
  root: await summarize(ctx, ctx.record, ID),
}));
