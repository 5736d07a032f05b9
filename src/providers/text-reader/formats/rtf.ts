import type { OpenText, TextFile } from '../../../contracts/text-reader.ts';
import { UnreadableFile } from '../../../contracts/text-reader.ts';
import { sectionsOf } from './sections.ts';

/** Deepest nesting of groups. */
const NESTING_MAX = 1_000;

/** Groups whose text is not shown. */
const HIDDEN: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl stylesheet info pict object objdata themedata datastore latentstyles listtable ' +
    'listoverridetable rsidtbl generator xmlnstbl filetbl revtbl fldinst bkmkstart bkmkend nonshppict private'
  ).split(' '),
);
/** Control words that stand for characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  row: '\n',
  sect: '\n',
  page: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
};

interface Group {
  readonly isHidden: boolean;
  /** Characters after a Unicode character that stand for it in older readers. */
  readonly fallbacks: number;
}

/** Opens a file in Rich Text Format. */
export async function openRtf({ bytes }: TextFile): Promise<OpenText> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (!/^\s*\{\\rtf/.test(source)) throw new UnreadableFile('The file is damaged: it is not a whole RTF file.');
  return sectionsOf(rtfText(source));
}

/** A backslash with a word and number, a hexadecimal byte or a symbol; a brace; or plain text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)/gi;

/** Returns the text of RTF whose bytes are given as Latin-1. */
export function rtfText(source: string): string {
  const reader = new RtfReader(/\\ansicpg(\d{3,5})/.exec(source.slice(0, 1_000))?.[1]);
  for (const [, word, number, hexadecimal, symbol, brace, plain] of source.matchAll(TOKEN))
    if (hexadecimal !== undefined) reader.byte(parseInt(hexadecimal, 16));
    else if (brace !== undefined) reader.brace(brace);
    else if (plain !== undefined) reader.plain(plain);
    else if (symbol !== undefined) reader.symbol(symbol);
    else if (word !== undefined) reader.word(word, number);
  return reader.text();
}

/** Collects the text of the tokens of RTF. */
class RtfReader {
  private readonly decoder: { decode(bytes: Uint8Array): string };
  private readonly pieces: string[] = [];
  private readonly groups: Group[] = [];
  private group: Group = { isHidden: false, fallbacks: 1 };
  /** Characters to skip after a Unicode character. */
  private skip = 0;
  /** Bytes that may be parts of one character. */
  private bytes: number[] = [];

  constructor(codePage: string | undefined) {
    this.decoder = decoderOf(codePage);
  }

  byte(byte: number): void {
    if (this.skip > 0) this.skip--;
    else if (!this.group.isHidden) this.bytes.push(byte);
  }

  brace(brace: string): void {
    this.endBytes();
    if (brace === '{') {
      if (this.groups.length > NESTING_MAX) throw new UnreadableFile('The file is nested too deeply.');
      this.groups.push(this.group);
      return;
    }
    this.group = this.groups.pop() ?? this.group;
    this.skip = 0;
  }

  plain(plain: string): void {
    this.endBytes();
    this.add(this.decoder.decode(Buffer.from(plain.slice(this.skip), 'latin1')));
    this.skip = Math.max(0, this.skip - plain.length);
  }

  symbol(symbol: string): void {
    this.endBytes();
    if (symbol === '*') this.group = { ...this.group, isHidden: true };
    else this.add(symbolText(symbol));
  }

  word(word: string, number: string | undefined): void {
    this.endBytes();
    if (word === 'u') {
      this.add(unicodeText(Number(number ?? 0)));
      this.skip = this.group.fallbacks;
      return;
    }
    this.group = groupAfter(this.group, word, number);
    this.add(CHARACTERS[word] ?? '');
  }

  text(): string {
    this.endBytes();
    return this.pieces.join('');
  }

  private endBytes(): void {
    if (this.bytes.length > 0) this.pieces.push(this.decoder.decode(Uint8Array.from(this.bytes)));
    this.bytes = [];
  }

  private add(text: string): void {
    if (!this.group.isHidden && text !== '') this.pieces.push(text);
  }
}

function groupAfter(group: Group, word: string, number: string | undefined): Group {
  if (word === 'uc') return { ...group, fallbacks: Math.min(Math.max(Number(number ?? 1), 0), 10) };
  return HIDDEN.has(word) ? { ...group, isHidden: true } : group;
}

function symbolText(symbol: string): string {
  if (symbol === '~') return '\u00a0';
  if (symbol === '_') return '-';
  return /[\\{}]/.test(symbol) ? symbol : '';
}

function unicodeText(code: number): string {
  return String.fromCharCode(code < 0 ? code + 0x10000 : code);
}

function decoderOf(page: string | undefined): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(page === undefined ? 'windows-1252' : `windows-${page}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
