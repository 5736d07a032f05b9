/** Lines that begin the quotation of an earlier mail, in the programs that people use most. */
const HEADINGS = [
  /^-{2,}\s*(?:Original Message|Forwarded message|Mensaje original|Ursprüngliche Nachricht)\s*-{2,}$/i,
  /^_{20,}$/,
  /^On .{5,200} wrote:$/,
  /^El .{5,200} escribió:$/,
  /^Am .{5,200} schrieb .{1,200}:$/,
  /^Le .{5,200} a écrit\s?:$/,
];
/** Headers that follow each other directly where a program quotes without marks. */
const HEADER = /^(?:From|Sent|Date|To|Cc|Subject|De|Von|Gesendet|Asunto):\s/i;
const HEADERS_MIN = 3;
/** Lines of a text that are looked at. */
const LINES_MAX = 20_000;
/** A heading may be broken into this many lines. */
const HEADING_LINES = 3;

/** A text and what it quotes at its end. */
export interface FoldedText {
  readonly text: string;
  readonly quoted: string;
}

/** Divides a plain text into what its sender wrote and the earlier mail that it quotes at its end. */
export function foldQuotedText(text: string): FoldedText {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const at = quoteStart(lines);
  return at === undefined
    ? { text: text.trimEnd(), quoted: '' }
    : { text: lines.slice(0, at).join('\n').trimEnd(), quoted: lines.slice(at).join('\n').trim() };
}

/** Returns what the sender of a plain text wrote. Returns all of a text that only quotes, such as a forwarded mail. */
export function ownText(text: string): string {
  const { text: own } = foldQuotedText(text);
  return own.trim() === '' ? text : own;
}

/** Returns the line where the quotation begins; undefined without one, or if text follows that is not quoted. */
function quoteStart(lines: readonly string[]): number | undefined {
  // Found once: a text of many short quotations must not be searched to its end for each of them.
  const lastOwn = lines.findLastIndex((line) => line.trim() !== '' && !isMarked(line));
  for (let at = 0; at < Math.min(lines.length, LINES_MAX); at++) {
    if (isHeading(lines, at)) return at;
    // Answers between quoted lines belong together with them.
    if (isMarked(lines[at]) && at > lastOwn) return at;
    if (isMarked(lines[at])) at = lastMarked(lines, at);
  }
  return undefined;
}

function lastMarked(lines: readonly string[], from: number): number {
  let at = from;
  while (isMarked(lines[at + 1])) at++;
  return at;
}

function isMarked(line: string | undefined): boolean {
  return line?.startsWith('>') === true;
}

function isHeading(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? '').trim();
  if (line === '') return false;
  if (HEADER.test(line)) return lines.slice(at, at + HEADERS_MIN).every((each) => HEADER.test(each.trim()));
  const [first, second] = HEADINGS;
  if (first?.test(line) === true || second?.test(line) === true) return true;
  if (!/^(?:On|El|Am|Le) /.test(line)) return false;
  const joined = lines.slice(at, at + HEADING_LINES).map((each) => each.trim());
  return joined.some((_line, last) => HEADINGS.some((heading) => heading.test(joined.slice(0, last + 1).join(' '))));
}
