import type { ParameterFields } from '../kernel/declare/field-types.ts';
import { bad } from '../kernel/parameters/parse-value.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { ProviderType } from './provider-options.ts';
import type { SendingOutcome, SendOptions } from './sending.ts';

/** Longest text message, in characters: ten parts of 160. */
const TEXT_LENGTH_MAX = 1_600;

/** One text message to send to a telephone. {@link assertText} checks it. */
export interface OutboundText {
  /** Identifies the message. It is the same in each attempt, so that a repeated one is recognized. */
  readonly key: string;
  /** The number in international form, such as `+12025550123`. */
  readonly to: string;
  readonly text: string;
}

/**
 * A way to send text messages (SMS). Providers are named in configuration; the first one is the default.
 *
 * As with mail, a provider never repeats a message itself once any of it was transferred, and never guesses an unknown
 * outcome.
 *
 * @example
 * const { status } = await ctx.providers.get(TEXT_OUTBOUND).send({ key, to: '+12025550123', text: 'Your hearing …' });
 */
export interface TextOutbound {
  /** Most messages per minute, over all processes. Undefined: as many as there are. */
  readonly messagesPerMinute?: number;
  /**
   * Sends a message. `beforeData` is awaited before the first byte of it leaves.
   * @throws BAD_PARAMETER for an invalid message; what `beforeData` throws
   */
  send(text: OutboundText, options?: SendOptions): Promise<SendingOutcome>;
  /**
   * Checks that the provider can send now; sends nothing.
   * @throws UNAVAILABLE with the reason
   */
  check(): Promise<void>;
  /** Closes connections once pending work has ended. */
  close(): Promise<void>;
}

/** A type of saved service for text messages. */
export type TextOutboundType<O extends ParameterFields = ParameterFields> = ProviderType<TextOutbound, O>;

/** Saved services for text messages by name; the first is the default. */
export const TEXT_OUTBOUND = contract<TextOutbound>('text-outbound');

/** Types of saved services for text messages. */
export const TEXT_OUTBOUND_TYPE = contract<TextOutboundType>('text-outbound-type');

/**
 * Returns a telephone number in international form; undefined if the text is none. A bare number of ten digits is
 * American.
 */
export function internationalNumber(text: string): string | undefined {
  const digits = text.replace(/[\s().-]/g, '');
  if (/^\+[1-9]\d{6,14}$/.test(digits)) return digits;
  if (/^[2-9]\d{9}$/.test(digits)) return `+1${digits}`;
  return /^1[2-9]\d{9}$/.test(digits) ? `+${digits}` : undefined;
}

/**
 * Checks a text message.
 * @throws BAD_PARAMETER if nobody could send it
 */
export function assertText({ key, to, text }: OutboundText): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw bad('Key', '1 to 200 letters, digits and signs');
  if (internationalNumber(to) !== to) throw bad('To', 'a telephone number such as +12025550123');
  if (text.trim() === '' || text.length > TEXT_LENGTH_MAX || /[^\P{Cc}\n\r\t]/u.test(text))
    throw bad('BodyText', `a text of at most ${TEXT_LENGTH_MAX} characters`);
}
