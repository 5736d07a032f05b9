import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver knows that an event is from here, after the Standard Webhooks convention: HMAC-SHA256 over
 * `id.timestamp.body`, one for each secret that is valid. `seconds` is the time of the attempt, so that a receiver can refuse
 * what was recorded on the way and is sent again by somebody else.
 */
export function signatureHeaders(
  secrets: readonly string[],
  eventId: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signed = `${eventId}.${seconds}.${body}`;
  const sign = (secret: string): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
      .update(signed)
      .digest('base64')}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
