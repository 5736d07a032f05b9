import { hash, verify } from '@node-rs/argon2';

/** Shortest password, in characters. */
export const PASSWORD_LENGTH_MIN = 12;

/** Hashes a password for storage: argon2id with 19 MiB and two passes, about 7 ms on a small machine. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}

/** Whether a password matches a hash. False for an invalid hash. */
export async function isPassword(hashed: string, password: string): Promise<boolean> {
  try {
    return await verify(hashed, password);
  } catch {
    return false;
  }
}

let decoy: Promise<string> | undefined;

/** Takes as long as a real check: an unknown name must not be answered faster than a wrong password. */
export async function verifyDecoy(password: string): Promise<void> {
  decoy ??= hashPassword('no account has this password');
  await isPassword(await decoy, password);
}
