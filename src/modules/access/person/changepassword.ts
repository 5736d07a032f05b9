import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { hashPassword, isPassword, PASSWORD_LENGTH_MIN } from '../../../kernel/security/password.ts';
import { countAttempt, forgiveAttempt, tooManyAttempts } from '../../../kernel/security/sign-in-attempts.ts';
import { contextWordsOf } from '../lib/context-words.ts';
import { assertGoodPassword } from '../lib/password-policy.ts';
import { attemptWindow } from './lib/sign-in-limits.ts';
import { signInFailuresMax } from './settings.ts';

export const operation = defineOperation({
  module: 'person',
  name: 'ChangePassword',
  method: 'POST',
  summary:
    "Changes the caller's own password and ends all of the caller's browser sessions, including the current one.",
  effect: 'write',
  idempotent: false,
  access: 'signed-in',
  params: {
    CurrentPassword: required(f.secret({ doc: 'The current password.', max: 255 })),
    NewPassword: required(f.secret({ doc: `The new password, at least ${PASSWORD_LENGTH_MIN} characters.`, max: 255 })),
  },
  transactions: 'own',
  returns: 'nothing',
  errors: ['BAD_PARAMETER', 'TOO_MANY'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { CurrentPassword, NewPassword }) => {
  if (NewPassword === CurrentPassword) throw bad('NewPassword', 'a password that differs from the current one');
  const { personId } = ctx.user;
  const words = await ctx.inTransaction((own) => contextWordsOf(own, personId));
  assertGoodPassword(NewPassword, 'NewPassword', words);
  const subject = `change of password of person:${personId}`;
  const limit = { subject, most: ctx.settings.get(signInFailuresMax) };
  // Counted before the password is checked; otherwise concurrent guesses would all be made before the first is counted.
  // Apart from sign-ins: whoever guesses elsewhere keeps no user from changing a password that may be known.
  const counted = await inOwnTransaction(ctx, (db) => countAttempt(db, [limit], attemptWindow(ctx)));
  if (counted.refusedBy.length > 0) throw tooManyAttempts(counted.waitSeconds, 'Too many wrong passwords.');
  const [row] = await inOwnTransaction(ctx, (db) =>
    db.query<{ password: string | null }>('select password from person where personid = $1::bigint', [personId]),
  );
  if (!row?.password || !(await isPassword(row.password, CurrentPassword))) {
    await ctx.security({ event: 'PasswordRefused', object: 'Person', objectId: personId });
    throw new PlatformError('BAD_PARAMETER', {
      field: 'CurrentPassword',
      message: 'CurrentPassword: this is not your current password.',
    });
  }
  const hashed = await hashPassword(NewPassword);
  const changed = await ctx.inTransaction(async (own) => {
    own.accessChanged();
    return own.transaction().elevated((db) =>
      db.query(
        `update person
       set password = $2::text, initialpassworddate = null, updateddate = $3::timestamptz, updatedpersonid = $1::bigint,
         version = version + 1
       where personid = $1::bigint and password = $4::text
       returning 1`,
        [personId, hashed, ctx.clock.now(), row.password],
      ),
    );
  });
  if (changed.length === 0) throw new PlatformError('CONCURRENT_CHANGE');
  await inOwnTransaction(ctx, (db) => forgiveAttempt(db, [subject], [subject]));
  await ctx.security({ event: 'PasswordChanged', object: 'Person', objectId: personId });
  return { kind: 'nothing' };
});

/**
 * Runs a statement in its own transaction, so that a count stays even if the call fails. Elevated, because a firm's
 * user may not change their person otherwise.
 */
function inOwnTransaction<T>(ctx: Context, query: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => own.transaction().elevated(query));
}
