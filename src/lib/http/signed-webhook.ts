import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedRequest } from '../../contracts/signed-request.ts';
import { PlatformError } from '../../kernel/door/errors.ts';

/**
 * Returns the ID of a signed webhook, after the Standard Webhooks convention: HMAC-SHA256 over `id.timestamp.body`.
 * A signature of another time than now, give or take the tolerance, is refused: it may be a recorded request.
 *
 * @throws NO_PERMISSION, without saying what is wrong with the signature
 */
export function verifiedId(secret: string, toleranceSeconds: number, { headers, bytes, now }: SignedRequest): string {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  const refused = new PlatformError('NO_PERMISSION', {
    message:
      "The notice is not signed with the service's webhook secret, or its timestamp is too far from the current time.",
  });
  if (!/^[\x21-\x7e]{1,200}$/.test(id) || !/^\d{9,11}$/.test(timestamp)) throw refused;
  const expected = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(bytes)
    .digest();
  const isSigned = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((sent) => sent.length === expected.length && timingSafeEqual(sent, expected));
  const secondsApart = Math.abs(Date.parse(now) / 1_000 - Number(timestamp));
  if (!isSigned || secondsApart > toleranceSeconds) throw refused;
  return id;
}

/** Whether a text is a webhook's secret: at least 24 random bytes as base64, with or without its usual prefix. */
export function isWebhookSecret(text: string): boolean {
  return /^(?:whsec_)?[A-Za-z0-9+/]{32,400}={0,2}$/.test(text);
}
