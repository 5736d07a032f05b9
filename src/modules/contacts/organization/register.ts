import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertOpen } from './lib/limits.ts';
import { requireProcess } from './lib/processes.ts';
import { filled, registered, registeredFields, registrantFields, takeIn } from './lib/registrant.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'Register',
  method: 'POST',
  summary:
    'Makes an organization and its first user, who is mailed a link to confirm and cannot sign in before. Open to everybody where the setting RegistrationEnabled is on. The answer is the same whether or not the address is known.',
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
      doc: 'What to start once the registration is confirmed: a name of the setting RegistrationProcesses.',
      max: 100,
    }),
  },
  transactions: 'own',
  returns: registeredFields,
  answerName: 'Registration',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  assertOpen(ctx);
  const chosen = params.Process ? { Process: requireProcess(ctx, params.Process) } : {};
  await takeIn(ctx, params, {
    Kind: 'Organization',
    ...filled(params, ['Organization', 'Phone', 'Address', 'City', 'State', 'PostalCode', 'Country']),
    ...chosen,
  });
  return registered();
});
