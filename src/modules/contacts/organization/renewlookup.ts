import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lookupFields, renewLookup } from './lib/lookup-code.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'RenewLookup',
  method: 'POST',
  summary:
    'Creates and returns a new code with which users register on an organization. The previous code becomes invalid.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The organization.' })) },
  returns: lookupFields,
  answerName: 'Lookup',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) =>
  item('Lookup', operation.returns, await renewLookup(ctx, ID)),
);
