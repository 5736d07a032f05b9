import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { item, type ItemAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { assertAcceptablePassword } from '../../../access/public/passwords.ts';
import { hashPassword, PASSWORD_LENGTH_MIN } from '../../../../kernel/security/password.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { admitRegistration } from './registration-limits.ts';

/** The parameters of every registration. */
export const registrantFields = {
  FirstName: required(f.personal({ doc: 'First name.', max: 100 })),
  LastName: required(f.personal({ doc: 'Last name.', max: 100 })),
  Email: required(
    f.personal({
      doc: 'Email address, which is also the sign-in name. The confirmation link is sent to it.',
      max: 100,
    }),
  ),
  Password: required(f.secret({ doc: `The new password, at least ${PASSWORD_LENGTH_MIN} characters.`, max: 255 })),
};

/** The result, the same for every caller and outcome. */
export const registrationFields = {
  Accepted: required(f.boolean({ doc: 'Whether the registration was accepted. The outcome is sent by mail only.' })),
  Message: required(f.text({ doc: 'What to do next, as text for the user.' })),
};

interface Registrant {
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
  readonly Password: string;
}

/** The same for everyone: it does not reveal whether an address is known or a code is right. */
export function registrationAnswer(): ItemAnswer<object> {
  return item('Registration', registrationFields, {
    Accepted: true,
    Message: 'An email is on its way to the address. Follow the link in it to confirm.',
  });
}

/**
 * Accepts a registration. Everything that depends on stored data happens later, as the platform's own work, so that
 * neither the answer nor its timing reveals it.
 */
export async function acceptRegistration(
  ctx: Context,
  { Email, Password, FirstName, LastName }: Registrant,
  more: Parameters,
): Promise<void> {
  const email = Email.trim();
  if (!isMailAddress(email)) throw bad('Email', 'an email address such as name@example.com');
  const { Organization } = more;
  assertAcceptablePassword(Password, 'Password', [
    email,
    FirstName,
    LastName,
    typeof Organization === 'string' ? Organization : undefined,
  ]);
  for (const [name, value] of Object.entries({ FirstName, LastName, ...more }))
    if (typeof value === 'string' && (/[\p{Cc}\u2028\u2029]/u.test(value) || value.trim() === ''))
      throw bad(name, 'one line of text');
  const isNew = await admitRegistration(ctx, email);
  // A call over the address's limit takes the caller the same time.
  const PasswordHash = await hashPassword(Password);
  if (!isNew) return;
  await ctx.inTransaction((own) =>
    enqueueAsSystem(own, {
      route: 'organization/enroll',
      queueName: 'Default',
      parameters: { ...more, Email: email, FirstName: FirstName.trim(), LastName: LastName.trim(), PasswordHash },
    }),
  );
}

/** The named parameters that have a value. */
export function filledParameters(params: Readonly<Record<string, unknown>>, names: readonly string[]): Parameters {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = parameter(params as Parameters, name);
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  );
}
