import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lookupFields, withdrawLookup } from './lib/lookup-code.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'WithdrawLookup',
  method: 'POST',
  summary: 'Deletes the code with which users register on an organization.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The organization.' })) },
  returns: lookupFields,
  answerName: 'Lookup',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) =>
  item('Lookup', operation.returns, await withdrawLookup(ctx, ID)),
);
