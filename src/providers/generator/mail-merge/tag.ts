/** The merge language of templates: what is between braces. */
import { PlatformError } from '../../../kernel/door/errors.ts';

/** A path of names such as `Loan.UPBAmount`; or `@index`, `@first` and `@last` of a repetition, or `@today`. */
export type Path = readonly string[];

/** A comparison in a condition. */
export interface Comparison {
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  readonly value: string;
}

/** How a value is written: `money`, or `date` with the pattern `MMMM d, yyyy`. */
export interface Format {
  readonly name: string;
  readonly argument: string | undefined;
}

/** The size of a picture in points, as far as the tag has it. */
export interface ImageSize {
  readonly width?: number;
  readonly height?: number;
}

/** A tag: what it does, the text of the template that it is, and what it refers to. */
export type Tag = { readonly source: string } & (
  | { readonly kind: 'field'; readonly path: Path; readonly formats: readonly Format[] }
  | { readonly kind: 'image'; readonly path: Path; readonly size: ImageSize }
  | {
      readonly kind: 'open';
      readonly path: Path;
      readonly comparison: Comparison | undefined;
      /** `{^X}`: shown if the condition does not hold. */
      readonly inverted: boolean;
    }
  | { readonly kind: 'close'; readonly path: Path }
);

/** A place in a text with a tag, or with something that looks like one and is wrong. */
export interface TagMatch {
  readonly start: number;
  readonly end: number;
  readonly tag?: Tag;
  /** What is wrong, as one sentence. */
  readonly problem?: string;
}

/** Formats by name; those with an argument describe it. */
const formatNames = ['date', 'money', 'number', 'upper', 'lower', 'title', 'default'] as const;

const TAG_START = /\{\s*[#^/%@A-Za-z_]/g;
const NAME = '@?[A-Za-z_][A-Za-z0-9_]*';
const PATH = `${NAME}(?:\\s*\\.\\s*${NAME})*`;
const FIELD = new RegExp(`^(${PATH})\\s*((?:\\|[^|]*)*)$`);
const CONDITION = new RegExp(`^(${PATH})\\s*(?:(=|!=|<=|>=|<|>)\\s*(.*))?$`, 's');
const QUOTED = /^(?:"([^"]*)"|'([^']*)')$/s;
const WORDS = /^[A-Za-z_][\w. ]*$/;

/** Characters by which word processors replace straight quotes. */
const SMART_QUOTES: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '\u00a0': ' ',
};

/** Most tags of a template, and most characters of one: checking them takes time beyond proportion. */
const TAGS_MAX = 10_000;
const TAG_CHARACTERS_MAX = 2_000;

/** Throws BAD_TEMPLATE for more tags than a template may have. */
export function assertFewTags(count: number): void {
  if (count > TAGS_MAX)
    throw new PlatformError('BAD_TEMPLATE', { message: `The template has more than ${TAGS_MAX} tags.` });
}

/**
 * Finds the tags in a text, in order. Braces that begin no tag, as in JSON, are text.
 * @throws BAD_TEMPLATE for too many
 */
export function findTags(text: string): readonly TagMatch[] {
  const found: TagMatch[] = [];
  let braces = 0;
  TAG_START.lastIndex = 0;
  for (let match = TAG_START.exec(text); match; match = TAG_START.exec(text)) {
    assertFewTags(++braces);
    const start = match.index;
    const end = closingBrace(text, start + 1);
    if (end === undefined) {
      found.push({ start, end: text.length, problem: `${shortened(text.slice(start))} is not closed by a brace.` });
      continue;
    }
    const source = text.slice(start, end);
    const parsed = parseTag(source);
    if (parsed === undefined) continue;
    found.push({ start, end, ...(typeof parsed === 'string' ? { problem: parsed } : { tag: parsed }) });
    TAG_START.lastIndex = end;
  }
  return found;
}

/** Returns the position after the brace that closes a tag; braces in quotes do not count. */
function closingBrace(text: string, from: number): number | undefined {
  let quote = '';
  const last = Math.min(text.length, from + TAG_CHARACTERS_MAX);
  for (let at = from; at < last; at++) {
    const sign = SMART_QUOTES[text[at] ?? ''] ?? text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"') quote = sign;
    else if (sign === '{') return undefined;
    else if (sign === '}') return at + 1;
  }
  return undefined;
}

/** Parses a tag with its braces. Returns a problem as a sentence, and undefined if it is text in braces. */
function parseTag(source: string): Tag | string | undefined {
  const content = source
    .slice(1, -1)
    .replace(/[“”„‘’\u00a0]/g, (sign) => SMART_QUOTES[sign] ?? sign)
    .trim();
  const sign = content[0] ?? '';
  const rest = content.slice(1).trim();
  switch (sign) {
    case '#':
    case '^':
      return parseCondition(source, rest, sign === '^');
    case '/':
      return new RegExp(`^(?:${PATH})?$`).test(rest)
        ? { kind: 'close', source, path: rest === '' ? [] : toPath(rest) }
        : `${shortened(source)} ends a section; expected its name, such as {/Contacts}.`;
    case '%':
      return parseImage(source, rest);
    default:
      return parseField(source, content);
  }
}

function parseCondition(source: string, rest: string, inverted: boolean): Tag | string {
  const [, path, operator, value = ''] = CONDITION.exec(rest) ?? [];
  if (path === undefined)
    return `${shortened(source)} begins a section; expected a field, such as {#Contacts} or {#State = "TX"}.`;
  if (/^[=<>!]/.test(value))
    return `${shortened(source)} compares with an unknown operator; expected =, !=, <, <=, > or >=.`;
  const comparison =
    operator === undefined
      ? undefined
      : { operator: operator as Comparison['operator'], value: unquoted(value.trim()) };
  return { kind: 'open', source, path: toPath(path), comparison, inverted };
}

/** Points in a unit of length. */
const POINTS: Readonly<Record<string, number>> = { pt: 1, in: 72, cm: 72 / 2.54, mm: 7.2 / 2.54, px: 0.75 };
/** The largest width or height of a picture, in points: 22 inches, as word processors have it. */
const LENGTH_MAX = 1_584;

function parseImage(source: string, rest: string): Tag | string {
  const [, path, pipes = ''] = FIELD.exec(rest) ?? [];
  if (path === undefined)
    return `${shortened(source)} is a picture; expected a field that names a document, such as {%SignatureID}.`;
  const size: { width?: number; height?: number } = {};
  for (const pipe of pipes.split('|').slice(1)) {
    const [, name = '', amount = '', unit = ''] =
      /^\s*(width|height)\s*:\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(pipe) ?? [];
    const length = Number(amount) * (POINTS[unit.toLowerCase()] ?? 0);
    if (!(length > 0 && length <= LENGTH_MAX))
      return (
        `${shortened(source)} has the size "${shortened(pipe.trim())}"; ` +
        'expected width or height in cm, mm, in, pt or px, such as width:4cm.'
      );
    size[name.toLowerCase() === 'width' ? 'width' : 'height'] = length;
  }
  return { kind: 'image', source, path: toPath(path), size };
}

function parseField(source: string, content: string): Tag | string | undefined {
  const [, path, pipes = ''] = FIELD.exec(content) ?? [];
  if (path === undefined)
    return WORDS.test(content) ? `${shortened(source)} has a blank; names of fields have none.` : undefined;
  const formats: Format[] = [];
  for (const pipe of pipes.split('|').slice(1)) {
    const [, name = '', argument] = /^\s*([A-Za-z]*)\s*(?::\s*(.*?))?\s*$/s.exec(pipe) ?? [];
    if (!(formatNames as readonly string[]).includes(name.toLowerCase()))
      return `${shortened(source)} has the unknown format "${shortened(name)}"; expected ${formatNames.join(', ')}.`;
    formats.push({ name: name.toLowerCase(), argument: argument === undefined ? undefined : unquoted(argument) });
  }
  return { kind: 'field', source, path: toPath(path), formats };
}

function toPath(text: string): Path {
  return text.split('.').map((name) => name.trim());
}

function unquoted(text: string): string {
  const [, double, single] = QUOTED.exec(text) ?? [];
  return double ?? single ?? text;
}

/** Returns a part of a template for a message. */
function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
