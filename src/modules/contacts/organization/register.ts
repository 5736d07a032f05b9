import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertRegistrationEnabled } from './lib/registration-limits.ts';
import { requireProcess } from './lib/registration-processes.ts';
import {
  filledParameters,
  registrationAnswer,
  registrationFields,
  registrantFields,
  acceptRegistration,
} from './lib/accept-registration.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'Register',
  method: 'POST',
  summary:
    'Creates an organization and its first user, who gets a confirmation link by mail and cannot sign in ' +
    'before confirming. Open to anyone if the setting RegistrationEnabled is on. The answer is the same ' +
    'whether or not the address is known.',
  effect: 'write',
  idempotent: false,
  access: 'anonymous',
  params: {
    Organization: required(f.text({ doc: "The organization's name.", max: 255 })),
    ...registrantFields,
    Phone: f.personal({ doc: "The organization's telephone number.", max: 60 }),
    Address: f.personal({ doc: 'Street address.', max: 255 }),
    City: f.personal({ doc: 'City.', max: 100 }),
    State: f.text({ doc: 'State, as two letters in the United States.', max: 50 }),
    PostalCode: f.personal({ doc: 'ZIP or postal code.', max: 20 }),
    Country: f.text({ doc: 'Country.', max: 60 }),
    Process: f.text({
      doc: 'The process to start after confirmation: a name in the setting RegistrationProcesses.',
      max: 100,
    }),
  },
  transactions: 'own',
  returns: registrationFields,
  answerName: 'Registration',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  assertRegistrationEnabled(ctx);
  const chosen = params.Process ? { Process: requireProcess(ctx, params.Process) } : {};
  await acceptRegistration(ctx, params, {
    Kind: 'Organization',
    ...filledParameters(params, ['Organization', 'Phone', 'Address', 'City', 'State', 'PostalCode', 'Country']),
    ...chosen,
  });
  return registrationAnswer();
});
