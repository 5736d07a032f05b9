import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hashOfCode } from './lib/registration-codes.ts';
import { assertRegistrationEnabled } from './lib/registration-limits.ts';
import {
  registrationAnswer,
  registrationFields,
  registrantFields,
  acceptRegistration,
} from './lib/accept-registration.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'RegisterUser',
  method: 'POST',
  summary:
    'Registers a user on the organization with the Lookup code. The organization is notified by mail; the ' +
    'user gets a confirmation link and cannot sign in before confirming. The answer is the same whether or ' +
    'not the code or address is known.',
  effect: 'write',
  idempotent: false,
  access: 'anonymous',
  params: {
    Lookup: required(f.text({ doc: "The organization's code, created by organization/renewlookup.", max: 100 })),
    ...registrantFields,
  },
  transactions: 'own',
  returns: registrationFields,
  answerName: 'Registration',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  assertRegistrationEnabled(ctx);
  await acceptRegistration(ctx, params, { Kind: 'User', CodeHash: hashOfCode(params.Lookup).toString('hex') });
  return registrationAnswer();
});
