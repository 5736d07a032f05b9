import { timingSafeEqual } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { bounceDomain, replyDomain } from '../../maildelivery/settings.ts';

/** How long a return path is valid: servers give up on a mail after some days, and reports follow within weeks. */
const RETURN_PATH_DAYS = 30;
const DAY_MILLISECONDS = 86_400_000;
/** Hexadecimal digits of a token's keyed hash: 64 bits in an address, 128 in a link. */
const ADDRESS_HASH_DIGITS = 16;
const LINK_HASH_DIGITS = 32;

/** What tokens are made and read with. */
export type TokenContext = Pick<Context, 'cipher' | 'settings' | 'clock'>;

/** What a token identifies: the delivery whose report arrives, or the message that is answered. */
export interface MailToken {
  readonly kind: 'bounce' | 'reply';
  /** Of a MailDelivery, or of a Message. */
  readonly id: number;
}

/**
 * Returns the address to which servers report what became of a delivery; undefined without the setting BounceDomain.
 * It holds the delivery, the day and a keyed hash over both and the domain, in lower case alone: some servers fold
 * the case of addresses. The domain identifies the installation: a copy under another one accepts no token of this one.
 */
export function returnPathOf(ctx: TokenContext, deliveryId: number): string | undefined {
  const domain = ctx.settings.get(bounceDomain).toLowerCase();
  if (domain === '') return undefined;
  const body = `${deliveryId.toString(36)}.${today(ctx).toString(36)}`;
  return `b+${body}-${hashOf(ctx, 'b', `${body}@${domain}`)}@${domain}`;
}

/** Returns the address for replies to a message; undefined without the setting ReplyDomain. It does not expire. */
export function replyAddressOf(ctx: TokenContext, messageId: number): string | undefined {
  const domain = ctx.settings.get(replyDomain).toLowerCase();
  if (domain === '') return undefined;
  const body = messageId.toString(36);
  return `r+${body}-${hashOf(ctx, 'r', `${body}@${domain}`)}@${domain}`;
}

/**
 * Returns what an address stands for that {@link returnPathOf} or {@link replyAddressOf} made; undefined for any other,
 * such as a forged or an expired one. Valid under every key of the ring, so that a rotation of keys loses no answer.
 */
export function readToken(ctx: TokenContext, address: string): MailToken | undefined {
  const [, kind = '', body = '', hash = '', domain = ''] =
    /^<?([br])\+([0-9a-z]{1,13}(?:\.[0-9a-z]{1,6})?)-([0-9a-f]{16})@([^@<>\s]{1,253})>?$/.exec(
      address.trim().toLowerCase(),
    ) ?? [];
  const isBounce = kind === 'b';
  const [id = '', day] = body.split('.');
  if (kind === '' || isBounce !== (day !== undefined)) return undefined;
  const expected = ctx.settings.get(isBounce ? bounceDomain : replyDomain).toLowerCase();
  if (domain !== expected || !isHash(ctx, kind, `${body}@${domain}`, hash)) return undefined;
  if (day !== undefined && Math.abs(today(ctx) - Number.parseInt(day, 36)) > RETURN_PATH_DAYS) return undefined;
  return { kind: isBounce ? 'bounce' : 'reply', id: Number.parseInt(id, 36) };
}

/** Returns the token of the link by which a recipient unsubscribes from bulk mail. It does not expire. */
export function unsubscribeTokenOf(ctx: TokenContext, messageRecipientId: number): string {
  const body = messageRecipientId.toString(36);
  return `${body}-${hashOf(ctx, 'u', body, LINK_HASH_DIGITS)}`;
}

/** Returns the MessageRecipient of a token of {@link unsubscribeTokenOf}; undefined for any other text. */
export function readUnsubscribeToken(ctx: TokenContext, token: string): number | undefined {
  const [, body = '', hash = ''] = /^([0-9a-z]{1,13})-([0-9a-f]{32})$/.exec(token.trim().toLowerCase()) ?? [];
  return body !== '' && isHash(ctx, 'u', body, hash) ? Number.parseInt(body, 36) : undefined;
}

function today({ clock }: TokenContext): number {
  return Math.floor(clock.milliseconds() / DAY_MILLISECONDS);
}

function hashOf({ cipher }: TokenContext, kind: string, body: string, digits = ADDRESS_HASH_DIGITS): string {
  return cipher.blindIndex(purposeOf(kind), body).toString('hex').slice(0, digits);
}

function isHash({ cipher }: TokenContext, kind: string, body: string, hash: string): boolean {
  const sent = Buffer.from(hash);
  return cipher
    .blindIndexes(purposeOf(kind), body)
    .some((one) => timingSafeEqual(Buffer.from(one.toString('hex').slice(0, hash.length)), sent));
}

/** Each kind has hashes of its own: an answer to the return path of a mail is no reply to its message. */
function purposeOf(kind: string): string {
  return `mail token ${kind}`;
}
