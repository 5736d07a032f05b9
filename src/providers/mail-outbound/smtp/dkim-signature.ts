import { createHash, sign, type KeyObject } from 'node:crypto';

/** The key that signs mails of a domain: RSA or Ed25519. */
export interface SigningKey {
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
}

/** Signed where they are present. */
const SIGNED = [
  'from',
  'sender',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'to',
  'cc',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'in-reply-to',
  'references',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'auto-submitted',
] as const;
/** Signed once more than they are present, so that adding another one breaks the signature. */
const OVERSIGNED: ReadonlySet<string> = new Set(['from', 'subject', 'to', 'date', 'message-id']);
/** Names on a line of the signature, and characters of its value on one. */
const NAMES_PER_LINE = 5;
const VALUE_CHARACTERS_PER_LINE = /.{1,72}/g;

/**
 * Returns a mail with a DKIM signature (RFC 6376, RFC 8463) before its headers, relaxed for headers and body. The mail
 * is held in memory: its signature precedes it. The library's own signature neither oversigns nor knows Ed25519.
 */
export async function* signedMail(mail: AsyncIterable<Uint8Array>, signing: SigningKey): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of mail) pieces.push(piece);
  // As it is transmitted: lines end with CR LF.
  const raw = Buffer.concat(pieces).toString('latin1').replace(/\r?\n/g, '\r\n');
  yield Buffer.from(`${signatureOf(raw, signing)}\r\n`, 'latin1');
  yield Buffer.from(raw, 'latin1');
}

function signatureOf(raw: string, { domain, selector, key }: SigningKey): string {
  const end = raw.indexOf('\r\n\r\n');
  const [head, body] = end < 0 ? [raw, ''] : [raw.slice(0, end), raw.slice(end + 4)];
  const isEd25519 = key.asymmetricKeyType === 'ed25519';
  const { names, text } = signedHeaders(head);
  const lines = Array.from({ length: Math.ceil(names.length / NAMES_PER_LINE) }, (_, n) =>
    names.slice(n * NAMES_PER_LINE, (n + 1) * NAMES_PER_LINE).join(':'),
  );
  const unsigned = [
    `DKIM-Signature: v=1; a=${isEd25519 ? 'ed25519' : 'rsa'}-sha256; c=relaxed/relaxed; d=${domain};`,
    ` s=${selector}; q=dns/txt; bh=${createHash('sha256').update(relaxedBody(body), 'latin1').digest('base64')};`,
    ` h=${lines.join(':\r\n  ')};`,
    ' b=',
  ].join('\r\n');
  const data = Buffer.from(text + relaxedHeader(unsigned), 'latin1');
  const value = isEd25519 ? sign(null, createHash('sha256').update(data).digest(), key) : sign('sha256', data, key);
  return unsigned + (value.toString('base64').match(VALUE_CHARACTERS_PER_LINE) ?? []).join('\r\n  ');
}

/** Returns the names of the signed headers in order and their relaxed form. Of one name, the last header is first. */
function signedHeaders(head: string): { readonly names: readonly string[]; readonly text: string } {
  const headers = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  const names: string[] = [];
  const texts: string[] = [];
  for (const name of SIGNED) {
    const present = headers.filter((header) => header.slice(0, header.indexOf(':')).trim().toLowerCase() === name);
    for (const header of present.reverse()) {
      names.push(name);
      texts.push(`${relaxedHeader(header)}\r\n`);
    }
    if (OVERSIGNED.has(name)) names.push(name);
  }
  return { names, text: texts.join('') };
}

/** A header in relaxed form: name in lower case, unfolded, white space reduced. */
function relaxedHeader(header: string): string {
  const colon = header.indexOf(':');
  const value = header
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
  return `${header.slice(0, colon).trim().toLowerCase()}:${value}`;
}

/** A body in relaxed form: white space reduced, none at the ends of lines, no empty lines at the end. */
function relaxedBody(body: string): string {
  const reduced = body.replace(/[ \t]+/g, ' ').replace(/ (?=\r\n|$)/g, '');
  let end = reduced.length;
  while (reduced.endsWith('\r\n', end)) end -= 2;
  return end === 0 ? '' : `${reduced.slice(0, end)}\r\n`;
}
