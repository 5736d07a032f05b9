import type { TreeNode } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Comparison, Format, Path } from './tag.ts';

/** How values are written. */
export interface Writing {
  /** BCP 47. */
  readonly locale: string;
  /** IANA name. */
  readonly timeZone: string;
  /** ISO 4217 code of amounts of money. */
  readonly currency: string;
  /** Now, in ISO 8601: what `@today` is, in the zone. */
  readonly now: string;
}

/** What names refer to at a place of the template: the current item, and what is around it. */
export interface Scope {
  readonly node: TreeNode;
  readonly outer: Scope | undefined;
  /** The position of the item in its collection, from 1, and how many there are. */
  readonly index: number;
  readonly count: number;
}

/** Children of nodes by lower-cased name, made when they are first needed. */
const childrenByName = new WeakMap<TreeNode, ReadonlyMap<string, TreeNode>>();

function childNamed(node: TreeNode, name: string): TreeNode | undefined {
  let known = childrenByName.get(node);
  if (!known) {
    const made = new Map<string, TreeNode>();
    for (const child of node.children ?? []) {
      const lower = child.name.toLowerCase();
      if (!made.has(lower)) made.set(lower, child);
      // `ContactCollection` is also called `Contact`.
      const short = lower.replace(/collection$/, '');
      if (child.list === true && !made.has(short)) made.set(short, child);
    }
    childrenByName.set(node, (known = made));
  }
  return known.get(name.toLowerCase());
}

/**
 * Returns what a path refers to: its first name is looked up in the current item, then outward. Of a collection within
 * a path, the first item counts.
 */
export function find(scope: Scope, [first = '', ...rest]: Path): TreeNode | undefined {
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const found = childNamed(at.node, first);
    if (found) return rest.reduce<TreeNode | undefined>((node, name) => node && childNamed(itemOf(node), name), found);
  }
  return undefined;
}

function itemOf(node: TreeNode): TreeNode {
  return node.list === true ? (node.children?.[0] ?? node) : node;
}

/** Returns the text of a field, formatted; '' if it has no value. */
export function fieldText(scope: Scope, path: Path, formats: readonly Format[], writing: Writing): string {
  const counter = counterOf(scope, path);
  const node = counter === undefined ? (todayOf(path, writing) ?? find(scope, path)) : undefined;
  let text = counter ?? plainText(node, formats, writing);
  for (const { name, argument } of formats) text = applyFormat(text, name, argument, writing.locale);
  return text;
}

/** Returns `@today` as a field: the day in the zone. */
function todayOf([name = '']: Path, { now, timeZone }: Writing): TreeNode | undefined {
  if (name.toLowerCase() !== '@today') return undefined;
  const day = formatter(
    `today ${timeZone}`,
    // The Swedish form is that of ISO 8601.
    () => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }),
  ).format(new Date(now));
  return { name, value: day, field: todayField };
}

const todayField = f.date({ doc: 'The day on which the document is generated.' });

function counterOf({ index, count }: Scope, [name = '']: Path): string | undefined {
  switch (name.toLowerCase()) {
    case '@index':
      return String(index);
    case '@first':
      return index === 1 ? 'true' : '';
    case '@last':
      return index === count ? 'true' : '';
    default:
      return undefined;
  }
}

/** Returns a value as text: by the format that it is given, or else by the type of its field. */
function plainText(node: TreeNode | undefined, formats: readonly Format[], writing: Writing): string {
  if (!node || node.value === null || node.value === undefined || node.value === '') return '';
  const { value, field } = node;
  const typed = formats.find(({ name }) => name === 'date' || name === 'money' || name === 'number');
  const text = textOf(value);
  const kind = typed?.name ?? field?.kind ?? 'text';
  return typedText(text, { kind, argument: typed?.argument }, writing) ?? field?.valueLabels?.[text] ?? text;
}

/** Returns a value as its type or its format says; undefined for types that are written as they are. */
function typedText(
  text: string,
  { kind, argument }: { readonly kind: string; readonly argument: string | undefined },
  writing: Writing,
): string | undefined {
  switch (kind) {
    case 'date':
    case 'timestamp':
      return dateText(text, argument, writing);
    case 'money':
    case 'number':
    case 'decimal':
      return numberText(text, { isMoney: kind === 'money', digits: argument }, writing);
    case 'boolean':
      return text === 'true' ? 'Yes' : 'No';
    default:
      return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formatters are expensive to make: one for each form. */
const formatters = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function formatter<T extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => T): T {
  let known = formatters.get(key);
  if (!known) formatters.set(key, (known = make()));
  return known as T;
}

/** Writes a decimal number exactly: it is never converted to a binary one. */
function numberText(
  text: string,
  { isMoney, digits }: { readonly isMoney: boolean; readonly digits: string | undefined },
  { locale, currency }: Writing,
): string {
  if (!/^[-+]?\d+(?:\.\d+)?$/.test(text)) return text;
  const fraction = /^\d{1,2}$/.test(digits ?? '') ? Number(digits) : undefined;
  const format = formatter(`n ${locale} ${isMoney ? currency : ''} ${fraction ?? ''}`, () => {
    const places = fraction === undefined ? {} : { minimumFractionDigits: fraction, maximumFractionDigits: fraction };
    return new Intl.NumberFormat(
      locale,
      isMoney ? { style: 'currency', currency, ...places } : { maximumFractionDigits: 20, ...places },
    );
  });
  return format.format(text as `${number}`);
}

/** Writes a date (YYYY-MM-DD), or a point in time (ISO 8601) in the zone, by a pattern or in the locale's long form. */
function dateText(text: string, pattern: string | undefined, { locale, timeZone }: Writing): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const date = new Date(isDay ? `${text}T00:00:00Z` : text);
  if (Number.isNaN(date.getTime())) return text;
  const zone = isDay ? 'UTC' : timeZone;
  const part: DatePart = (options, type) => {
    const format = formatter(
      `d ${locale} ${zone} ${JSON.stringify(options)}`,
      () => new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }),
    );
    return type === undefined
      ? format.format(date)
      : (format.formatToParts(date).find((each) => each.type === type)?.value ?? '');
  };
  if (pattern === undefined || pattern === '')
    return part(isDay ? { dateStyle: 'long' } : { dateStyle: 'long', timeStyle: 'short' });
  return pattern.replace(/'[^']*'|yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|hh|h|mm|a/g, (token) =>
    token.startsWith("'") ? token.slice(1, -1) : (dateParts[token]?.(part) ?? token),
  );
}

type DatePart = (options: Intl.DateTimeFormatOptions, type?: string) => string;

/** The parts of a date by the letters of a pattern. */
const dateParts: Readonly<Record<string, (part: DatePart) => string>> = {
  yyyy: (part) => part({ year: 'numeric' }, 'year'),
  yy: (part) => part({ year: 'numeric' }, 'year').slice(-2),
  // With a day beside it, a month has the form that it has within a date.
  MMMM: (part) => part({ month: 'long', day: 'numeric' }, 'month'),
  MMM: (part) => part({ month: 'short', day: 'numeric' }, 'month'),
  MM: (part) => part({ month: 'numeric' }, 'month').padStart(2, '0'),
  M: (part) => part({ month: 'numeric' }, 'month'),
  dd: (part) => part({ day: 'numeric' }, 'day').padStart(2, '0'),
  d: (part) => part({ day: 'numeric' }, 'day'),
  EEEE: (part) => part({ weekday: 'long' }, 'weekday'),
  EEE: (part) => part({ weekday: 'short' }, 'weekday'),
  HH: (part) => part({ hour: 'numeric', hourCycle: 'h23' }, 'hour').padStart(2, '0'),
  H: (part) => part({ hour: 'numeric', hourCycle: 'h23' }, 'hour'),
  hh: (part) => part({ hour: 'numeric', hourCycle: 'h12' }, 'hour').padStart(2, '0'),
  h: (part) => part({ hour: 'numeric', hourCycle: 'h12' }, 'hour'),
  mm: (part) => part({ hour: 'numeric', minute: 'numeric' }, 'minute').padStart(2, '0'),
  a: (part) => part({ hour: 'numeric', hourCycle: 'h12' }, 'dayPeriod'),
};

function applyFormat(text: string, name: string, argument: string | undefined, locale: string): string {
  switch (name) {
    case 'upper':
      return text.toLocaleUpperCase(locale);
    case 'lower':
      return text.toLocaleLowerCase(locale);
    case 'title':
      return text.replace(/\p{L}[\p{L}'’]*/gu, (word) => {
        const [first = '', ...others] = word;
        return first.toLocaleUpperCase(locale) + others.join('').toLocaleLowerCase(locale);
      });
    case 'default':
      return text === '' ? (argument ?? '') : text;
    default:
      return text;
  }
}

/** Returns the items for which a section is written: none, the present scope, or one scope for each item. */
export function sectionScopes(
  scope: Scope,
  path: Path,
  { comparison, inverted }: { readonly comparison: Comparison | undefined; readonly inverted: boolean },
): readonly Scope[] {
  const counter = counterOf(scope, path);
  const node: TreeNode | undefined =
    counter === undefined ? find(scope, path) : { name: path[0] ?? '', value: counter };
  if (comparison || inverted) {
    const holds = comparison ? compares(node, comparison) : isFilled(node);
    return holds === inverted ? [] : [scope];
  }
  if (!isFilled(node) || node === undefined) return [];
  if (node.list === true) {
    const items = node.children ?? [];
    if (items.length > ITEMS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `The section ${path.join('.')} has more than ${ITEMS_MAX} items.`,
      });
    return items.map((item, at) => ({ node: item, outer: scope, index: at + 1, count: items.length }));
  }
  return node.children ? [{ node, outer: scope, index: scope.index, count: scope.count }] : [scope];
}

/** Most items of one section. */
const ITEMS_MAX = 100_000;

/** Whether a value counts as there: not empty, not false, not zero; a collection with items. */
function isFilled(node: TreeNode | undefined): boolean {
  if (!node) return false;
  if (node.children) return node.children.length > 0;
  const { value } = node;
  if (value === null || value === undefined || value === false || value === '') return false;
  return !/^-?0+(?:\.0+)?$/.test(textOf(value));
}

function compares(node: TreeNode | undefined, { operator, value }: Comparison): boolean {
  const found = node?.value === null || node?.value === undefined ? '' : textOf(node.value);
  const order = orderOf(found, value);
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Compares numbers by value and all else as text, ignoring case; dates are ordered as text. */
function orderOf(a: string, b: string): number {
  const numeric = /^[-+]?\d+(?:\.\d+)?$/;
  if (numeric.test(a) && numeric.test(b)) return Math.sign(Number(a) - Number(b));
  return a.toLowerCase() === b.toLowerCase() ? 0 : a.localeCompare(b);
}
