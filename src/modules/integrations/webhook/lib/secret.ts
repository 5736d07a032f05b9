import { randomBytes } from 'node:crypto';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import { sealText } from '../../../../kernel/security/sealed-text.ts';

/** A new secret: 256 random bits in the form that verifiers of the Standard Webhooks convention read. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A secret as it is stored. Sealed alike in both columns, because the one becomes the other. */
export function sealSecret(cipher: Cipher, secret: string): string {
  return sealText(cipher, 'webhook', 'secret', secret);
}
