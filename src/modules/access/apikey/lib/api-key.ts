import { hash, randomBytes } from 'node:crypto';

/** Returns a new API key: 256 random bits. The prefix lets people and secret scanners recognize it. */
export function newApiKey(): string {
  return `cwk_${randomBytes(32).toString('base64url')}`;
}

/** Returns the stored form of a key. A fast hash is enough: the key is random, so there is nothing to guess. */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Returns the visible start of a key, by which its holder recognizes it. */
export function startOfKey(key: string): string {
  return key.slice(0, 12);
}
