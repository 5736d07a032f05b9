/** Elements whose content is not shown. */
const HIDDEN: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
]);
/** Elements within a line; all others end it. */
const INLINE: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code dfn em font i ins kbd label mark q s samp small span strike strong sub ' +
    'sup time tt u var wbr'
  ).split(' '),
);

/** Returns the text that a page in HTML shows, with a line for each block. */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    if (end > at) pieces.push(decodeEntities(html.slice(at, end).replace(/\s+/g, ' ')));
    if (open === -1) break;
    at = afterTag(html, open, pieces);
  }
  return pieces
    .join('')
    .replace(/[ \t\u00a0]*\n[\s\u00a0]*/g, '\n')
    .trim();
}

/** Adds the text that a tag produces, and returns the index after it, or after the hidden content that it begins. */
function afterTag(html: string, open: number, pieces: string[]): number {
  if (html.startsWith('<!--', open)) return endAfter(html, '-->', open + 4);
  const name = /^<\/?([A-Za-z][A-Za-z0-9:-]{0,30})/.exec(html.slice(open, open + 34))?.[1]?.toLowerCase();
  if (name === undefined) {
    // `<` alone is a character; `<!` and `<?` begin declarations.
    if (/[!?/]/.test(html[open + 1] ?? '')) return endAfter(html, '>', open);
    pieces.push('<');
    return open + 1;
  }
  const after = endOfTag(html, open);
  const isClosing = html[open + 1] === '/';
  if (name === 'td' || name === 'th') pieces.push(isClosing ? '' : '\t');
  else if (!INLINE.has(name)) pieces.push('\n');
  const isHidden = HIDDEN.has(name) && !isClosing && html[after - 2] !== '/';
  return isHidden ? endOfHidden(html, name, after) : after;
}

/** Returns the index after a tag; `>` within a quoted attribute does not end it. */
function endOfTag(html: string, open: number): number {
  let quote: string | undefined;
  for (let at = open + 1; at < html.length; at++) {
    const character = html[at];
    if (quote === undefined && character === '>') return at + 1;
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'") && html[at - 1] === '=') quote = character;
  }
  return html.length;
}

function endOfHidden(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found ? endAfter(html, '>', found.index) : html.length;
}

function endAfter(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? html.length : at + text.length;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  sect: '§',
  para: '¶',
  deg: '°',
  euro: '€',
  pound: '£',
  cent: '¢',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  laquo: '«',
  raquo: '»',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oslash: 'ø',
  Oslash: 'Ø',
  frac12: '½',
  times: '×',
  shy: '',
  zwnj: '',
};
const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};

/** Replaces character references; unknown ones stay as they are. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,8}));/g, (whole, ...found) => {
    const [decimal, hexadecimal, name] = found as (string | undefined)[];
    if (name !== undefined) return NAMED[name] ?? accented(name) ?? whole;
    const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** Returns the letter with a name such as `eacute`. */
function accented(name: string): string | undefined {
  const mark = MARKS[name.slice(1)];
  return mark === undefined ? undefined : `${name[0] ?? ''}${mark}`.normalize('NFC');
}
