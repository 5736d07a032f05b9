import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { item, type ItemAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { hashPassword, PASSWORD_LENGTH_MIN } from '../../../../kernel/security/password.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { admitRegistration } from './registration-limits.ts';

/** What everybody says who registers. */
export const registrantFields = {
  FirstName: required(f.personal({ doc: 'First name.', max: 100 })),
  LastName: required(f.personal({ doc: 'Last name.', max: 100 })),
  Email: required(
    f.personal({
      doc: 'Mail address, which is the sign-in name too. A link that confirms the registration is sent to it.',
      max: 100,
    }),
  ),
  Password: required(f.secret({ doc: `The password to be, at least ${PASSWORD_LENGTH_MIN} characters.`, max: 255 })),
};

/** What is answered, whoever registers and whatever comes of it. */
export const registrationFields = {
  Accepted: required(
    f.boolean({ doc: 'Whether the registration was taken in. What comes of it is told by mail alone.' }),
  ),
  Message: required(f.text({ doc: 'What to do next, for people.' })),
};

interface Registrant {
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
  readonly Password: string;
}

/** The same for everybody: it tells neither whether an address is known nor whether a code is right. */
export function registrationAnswer(): ItemAnswer<object> {
  return item('Registration', registrationFields, {
    Accepted: true,
    Message: 'A mail is on its way to the address. Follow the link in it to confirm.',
  });
}

/**
 * Takes a registration in. All that depends on what is known already happens later, as the platform's own work: the answer neither
 * says it nor takes longer for it.
 */
export async function acceptRegistration(
  ctx: Context,
  { Email, Password, FirstName, LastName }: Registrant,
  more: Parameters,
): Promise<void> {
  const email = Email.trim();
  if (!isMailAddress(email)) throw bad('Email', 'a mail address such as name@example.com');
  if (Array.from(Password).length < PASSWORD_LENGTH_MIN)
    throw bad('Password', `at least ${PASSWORD_LENGTH_MIN} characters`);
  for (const [name, value] of Object.entries({ FirstName, LastName, ...more }))
    if (typeof value === 'string' && (/[\p{Cc}\u2028\u2029]/u.test(value) || value.trim() === ''))
      throw bad(name, 'one line of text');
  const isNew = await admitRegistration(ctx, email);
  // An address too many costs its caller the same.
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
