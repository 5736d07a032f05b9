import { createHmac } from 'node:crypto';

/**
 * Returns the headers by which a receiver verifies an event, after the Standard Webhooks convention: HMAC-SHA256 over
 * `id.timestamp.body`, one per valid secret. `seconds` is the time of the attempt, so that a receiver can refuse
 * replays of a recorded request.
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
