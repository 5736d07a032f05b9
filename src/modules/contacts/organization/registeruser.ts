import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hashOfCode } from './lib/code.ts';
import { assertOpen } from './lib/limits.ts';
import { registered, registeredFields, registrantFields, takeIn } from './lib/registrant.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'RegisterUser',
  method: 'POST',
  summary:
    'Registers a user on the organization that has the Lookup code, which is told of it by mail; the user is mailed a link to confirm and cannot sign in before. The answer is the same whether or not code or address are known.',
  effect: 'write',
  idempotent: false,
  access: 'anonymous',
  params: {
    Lookup: required(f.text({ doc: "The organization's code; organization/renewlookup makes one.", max: 100 })),
    ...registrantFields,
  },
  transactions: 'own',
  returns: registeredFields,
  answerName: 'Registration',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  assertOpen(ctx);
  await takeIn(ctx, params, { Kind: 'User', CodeHash: hashOfCode(params.Lookup).toString('hex') });
  return registered();
});
