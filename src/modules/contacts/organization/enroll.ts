import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { enroll } from './lib/enroll-registration.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'Enroll',
  method: 'POST',
  summary:
    'Processes an accepted registration: creates the organization and the user, both inactive, and mails the ' +
    'confirmation link. Queued by the platform.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Kind: required(f.choice(['Organization', 'User'], { doc: 'With a new organization, or on an existing one.' })),
    FirstName: required(f.personal({ doc: 'First name.', max: 100 })),
    LastName: required(f.personal({ doc: 'Last name.', max: 100 })),
    Email: required(f.personal({ doc: 'Email address, which is the sign-in name.', max: 100 })),
    PasswordHash: required(f.secret({ doc: "The password's hash.", max: 255 })),
    CodeHash: f.secret({ doc: 'For a user, the hash of the code that identifies the organization.', max: 64 }),
    Organization: f.text({ doc: 'For an organization, its name.', max: 255 }),
    Phone: f.personal({ doc: 'Its telephone number.', max: 60 }),
    Address: f.personal({ doc: 'Street address.', max: 255 }),
    City: f.personal({ doc: 'City.', max: 100 }),
    State: f.text({ doc: 'State.', max: 50 }),
    PostalCode: f.personal({ doc: 'ZIP or postal code.', max: 20 }),
    Country: f.text({ doc: 'Country.', max: 60 }),
    Process: f.text({ doc: 'The process to start after confirmation.', max: 100 }),
  },
  returns: { Enrolled: required(f.boolean({ doc: 'Whether there is now a registration to confirm.' })) },
  answerName: 'Enrollment',
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => {
  // The users created here have data from an anonymous caller; for a firm's role the database would refuse with a less
  // clear error.
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only the platform itself calls this operation, when someone registers.',
    });
  return item('Enrollment', operation.returns, { Enrolled: await enroll(ctx, params) });
});
