import { PlatformError } from '../../../../kernel/door/errors.ts';
import { checkedAddress, nameBeside } from './recipient-address.ts';
import type { MessageKind } from './recipient.ts';

/** An address as it is written in a list. */
export interface WrittenAddress {
  readonly address: string;
  readonly name: string | null;
}

/** An address: text between commas, semicolons and line ends outside quotes, angle brackets and braces. */
const PART = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|\{(?:[^{}"']|"[^"]*"|'[^']*')*\}|[^",;<>{}\r\n])+/g;
/** A name in quotes or without, and an address in angle brackets. */
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>]*))\s*<([^<>]*)>$/;

/** Splits a list of addresses as people write them: `a@b.example, "Last, First" <c@d.example>`. */
export function splitAddresses(text: string, field: string): readonly WrittenAddress[] {
  if (/[<>"{}]/.test(text.replace(PART, '')))
    throw new PlatformError('BAD_PARAMETER', {
      field,
      message:
        `${field}: "${text.slice(0, 100)}" is not a list of addresses; expected addresses such as name@example.com ` +
        'or "Name" <name@example.com>, comma-separated.',
    });
  return (text.match(PART) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, quoted, plain = '', inBrackets] = NAMED.exec(part) ?? [];
      const name = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1');
      return { address: inBrackets ?? part, name: nameBeside(name) };
    });
}

/**
 * Parses a list of addresses.
 * @throws BAD_PARAMETER naming the field and the invalid address
 */
export function parseRecipients(text: string, message: MessageKind, field: string): readonly WrittenAddress[] {
  return splitAddresses(text, field).map(({ address, name }) => ({
    address: checkedAddress(address, message, field),
    name,
  }));
}
