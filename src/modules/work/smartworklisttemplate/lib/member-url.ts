import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** Replaces placeholders while the address is parsed: a neutral character. */
const FILLED = 'x';

const EXPECTED =
  'expected an address starting with http:// or https://, or a path of this server starting with one ' +
  'slash, such as /records/loan/{LoanID}';

function wrong(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'MemberUrl', message: `MemberUrl: ${what}.` });
}

/**
 * Checks an address with placeholders: http or https, or a path of this server. Placeholders may only come after the
 * host and for values, so that no record can decide where the address leads. Each names a visible field of the item or
 * its record.
 * @throws BAD_PARAMETER
 */
export function checkMemberUrl(text: string, item: RecordType, source: RecordType | undefined): string {
  const url = text.trim();
  for (const [whole, name = ''] of url.matchAll(/\{([^{}]*)\}/g)) checkName(whole, name.trim(), item, source);
  if (/[{}]/.test(url.replace(/\{[^{}]*\}/g, ''))) throw wrong('a brace has no matching brace');
  const filled = url.replace(/\{[^{}]*\}/g, FILLED);
  // Browsers drop or change spaces and control characters, and read a backslash as a slash.
  if (/[\s\p{Cc}\\]/u.test(filled)) throw wrong(`it contains a space, a backslash or a control character; ${EXPECTED}`);
  if (/^\/(?:\{[^{}]*\})+\//.test(url))
    throw wrong(
      'its first segment is only placeholders; if they are empty, two slashes are left, and the next ' +
        'segment becomes a server name',
    );
  if (/^\/(?!\/)/.test(filled)) return url;
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (host === undefined || host === '' || !URL.canParse(filled)) throw wrong(EXPECTED);
  if (/[{}@]/.test(host)) throw wrong('the host must be fixed, without placeholders or user names');
  return url;
}

function checkName(whole: string, name: string, item: RecordType, source: RecordType | undefined): void {
  if (!/^\w+$/.test(name)) throw wrong(`${whole.slice(0, 100)} does not name a field`);
  const types = source ? [item, source] : [item];
  // Without a record type the field names are unknown: a missing field is filled with nothing.
  if (
    types.some((of) => of.columns.has(name.toLowerCase()) && of.columns.get(name.toLowerCase())?.read !== null) ||
    (!source && !item.columns.has(name.toLowerCase()))
  )
    return;
  const known = types.flatMap((of) => of.shown.map((column) => column.name));
  throw wrong(
    `${types.map((of) => of.name).join(' and ')} have no field ` + `${name.slice(0, 100)}${inlineHint(name, known)}`,
  );
}
