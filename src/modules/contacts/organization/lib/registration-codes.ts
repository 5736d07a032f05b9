import { createHash, randomInt } from 'node:crypto';

/** Characters that cannot be confused when read aloud or typed. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Twenty characters of an alphabet of thirty-two: 100 bits, infeasible to guess. */
const CODE_LENGTH = 20;

/** Returns a new registration code for an organization, in groups of five. */
export function newCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return letters.replace(/.{5}(?=.)/g, '$&-');
}

/** Returns the hash by which a code is found, however it was typed. */
export function hashOfCode(code: string): Buffer {
  const letters = code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return createHash('sha256').update(`organization lookup ${letters}`).digest();
}

/** Returns the stored hash of a confirmation token. The token is random, so a fast hash is enough. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(`registration ${token}`).digest();
}
