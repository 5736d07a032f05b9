import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** Most headers of one webhook, and most characters in total. */
const HEADERS_MAX = 20;
const HEADERS_LENGTH_MAX = 8_000;

/** Headers that frame the message, or that the platform sets itself. */
const RESERVED_NAMES = [
  ...['host', 'connection', 'keep-alive', 'proxy-.*', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['content-.*', 'date', 'user-agent', 'accept-encoding', 'webhook-.*'],
];
const reserved = new RegExp(`^(?:${RESERVED_NAMES.join('|')})$`, 'i');

/**
 * Parses headers, one `Name: value` per line. Values are printable ASCII, so that none can start another header line.
 * Errors never repeat a value.
 */
export function parseHeaders(text: string): [string, string][] {
  if (text.length > HEADERS_LENGTH_MAX) throw bad('Headers', `at most ${HEADERS_LENGTH_MAX} characters`);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length > HEADERS_MAX) throw bad('Headers', `at most ${HEADERS_MAX} headers`);
  const names = new Set<string>();
  return lines.map((line, index) => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,80}):[ \t]*([\x20-\x7e]*?)[ \t]*$/.exec(line);
    const [, name = '', value = ''] = match ?? [];
    if (!match) throw bad('Headers', `lines of the form "Name: value" in printable ASCII; line ${index + 1} is not`);
    if (reserved.test(name)) throw bad('Headers', `headers other than the platform's own; ${name} is one of them`);
    if (names.has(name.toLowerCase())) throw bad('Headers', `each header once; ${name} occurs twice`);
    names.add(name.toLowerCase());
    return [name, value];
  });
}
