import { createHash, randomBytes } from 'node:crypto';

/** A new API key: 256 random bits. The prefix lets people and secret scanners recognise it. */
export function newApiKey(): string {
  return `cwk_${randomBytes(32).toString('base64url')}`;
}

/** What is kept of a key. A fast hash is enough: the key is random, there is nothing to guess. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The characters that are shown of a key, by which its holder recognises it. */
export function startOfKey(key: string): string {
  return key.slice(0, 12);
}
