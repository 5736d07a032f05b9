import { hash, verify } from '@node-rs/argon2';

/** The fewest characters of a password. */
export const PASSWORD_LENGTH_MIN = 12;

/** A hash to keep: argon2id with 19 MiB and two passes, some 7 ms a call on a small machine. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}

/** Whether a password is the one that was hashed. A hash that is none answers false. */
export async function isPassword(hashed: string, password: string): Promise<boolean> {
  try {
    return await verify(hashed, password);
  } catch {
    return false;
  }
}

let decoy: Promise<string> | undefined;

/** Takes as long as a real check: an unknown name must not answer quicker than a wrong password. */
export async function verifyDecoy(password: string): Promise<void> {
  decoy ??= hashPassword('no account has this password');
  await isPassword(await decoy, password);
}
