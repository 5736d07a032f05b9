import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lookupFields, renewLookup } from './lib/lookup-code.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'RenewLookup',
  method: 'POST',
  summary:
    'Makes a new code by which users register on an organization, and answers it; the one before it is worth nothing from then on.',
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
