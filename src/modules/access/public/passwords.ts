import { assertGoodPassword } from '../lib/password-policy.ts';

/** Throws BAD_PARAMETER for a password that is too short or easy to guess. `words`: what others know of the user. */
export function assertAcceptablePassword(
  password: string,
  field: string,
  words: readonly (string | null | undefined)[],
): void {
  assertGoodPassword(password, field, words);
}
