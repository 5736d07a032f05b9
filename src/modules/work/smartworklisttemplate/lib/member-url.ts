import { nearest, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** What stands for a placeholder while the address is taken apart: nothing that means anything in one. */
const FILLED = 'x';

const EXPECTED =
  'expected an address that begins with http:// or https://, or a path of this server that begins with one slash, such as /records/loan/{LoanID}';

function wrong(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'MemberUrl', message: `MemberUrl: ${what}.` });
}

/**
 * Checks an address with placeholders: http or https, or a path of this server. Placeholders stand behind the host and for values only, so that
 * no record can decide where the address leads; each names a field that is shown, of the item or of its record.
 * @throws BAD_PARAMETER
 */
export function checkMemberUrl(text: string, item: RecordType, source: RecordType | undefined): string {
  const url = text.trim();
  for (const [whole, name = ''] of url.matchAll(/\{([^{}]*)\}/g)) checkName(whole, name.trim(), item, source);
  if (/[{}]/.test(url.replace(/\{[^{}]*\}/g, ''))) throw wrong('a brace is not closed, or was not opened');
  const filled = url.replace(/\{[^{}]*\}/g, FILLED);
  // Spaces and control signs are dropped or changed by browsers, a backslash is read as a slash.
  if (/[\s\p{Cc}\\]/u.test(filled)) throw wrong(`it holds a space, a backslash or a control sign; ${EXPECTED}`);
  if (/^\/(?:\{[^{}]*\})+\//.test(url))
    throw wrong(
      'its first part holds nothing but placeholders; where they are empty two slashes are left, and what follows them is the name of a server',
    );
  if (/^\/(?!\/)/.test(filled)) return url;
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (host === undefined || host === '' || !URL.canParse(filled)) throw wrong(EXPECTED);
  if (/[{}@]/.test(host)) throw wrong('the host is fixed: it holds no placeholder and no user name');
  return url;
}

function checkName(whole: string, name: string, item: RecordType, source: RecordType | undefined): void {
  if (!/^\w+$/.test(name)) throw wrong(`${whole.slice(0, 100)} names no field`);
  const types = source ? [item, source] : [item];
  // Without a record type the names of its fields are not known: what no record has is filled with nothing.
  if (
    types.some((of) => of.columns.has(name.toLowerCase()) && of.columns.get(name.toLowerCase())?.read !== null) ||
    (!source && !item.columns.has(name.toLowerCase()))
  )
    return;
  const near = nearest(
    name,
    types.flatMap((of) => of.shown.map((column) => column.name)),
  );
  throw wrong(
    `${types.map((of) => of.name).join(' and ')} have no field ${name.slice(0, 100)}${near.length > 0 ? `; did you mean ${near.join(' or ')}` : ''}`,
  );
}
