import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import type { MailAddress } from '../../../../contracts/mail-outbound.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** An address: text between commas, semicolons and line ends outside quotes and angle brackets. */
const PART = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^",;<>\r\n])+/g;

/** Parses addresses as people write them: `a@b.example, "Last, First" <c@d.example>`. */
export function parseAddresses(text: string | null | undefined, field: string): MailAddress[] {
  if (text === null || text === undefined) return [];
  if (/[<>"]/.test(text.replace(PART, '')))
    throw bad(field, 'addresses such as name@example.com or "Name" <name@example.com>, comma-separated');
  return (text.match(PART) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => parseAddress(part, field));
}

function parseAddress(text: string, field: string): MailAddress {
  const [, quoted, plain = '', inBrackets] = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>]*))\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = (inBrackets ?? text).trim();
  if (!isMailAddress(address))
    throw bad(field, 'addresses such as name@example.com or "Name" <name@example.com>, comma-separated');
  const name = (quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')).trim();
  return name === '' ? { address } : { address, name };
}

/** Parses headers, one `Name: value` per line. */
export function parseHeaders(text: string | null | undefined): Readonly<Record<string, string>> {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([A-Za-z0-9-]+):[ \t]*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw bad('Headers', 'one `Name: value` per line');
      return [name, value.trim()] as const;
    }),
  );
}
