import { PlatformError } from '../kernel/door/errors.ts';
import { maskedStart } from '../kernel/security/mask.ts';
import type { ImportMap, SourceRow } from './import-engine.ts';

/**
 * Returns the memory that a row takes, in characters of its names and values. Limits how many rows are held together.
 */
export function charactersOf({ values }: Pick<SourceRow, 'values'>): number {
  let characters = 0;
  for (const name in values) characters += name.length + (values[name] as string).length;
  return characters;
}

/** Returns the value of a constant map. */
export function constantOf(map: ImportMap): string {
  return map.translation?.get('') ?? '';
}

/**
 * Returns the value of a source column by its map: trimmed, translated and checked. Undefined if the source has no such
 * column (`found` is undefined).
 * @throws MISSING_PARAMETER, BAD_PARAMETER naming the column, the value and what was expected
 */
export function mappedText(
  map: ImportMap,
  found: string | undefined,
  options: ReadonlyMap<string, string>,
): string | undefined {
  const raw = map.isText ? (found ?? '') : (found ?? '').trim();
  const value = map.translation?.get(raw.trim().toLowerCase()) ?? raw;
  if (value.trim() === '') {
    if (map.required)
      throw new PlatformError('MISSING_PARAMETER', {
        field: map.source,
        message: `${map.source}: it is empty; a value is required.`,
      });
    return found === undefined ? undefined : '';
  }
  return map.dataType === undefined ? value : convert(map, value, options);
}

function convert(map: ImportMap, value: string, options: ReadonlyMap<string, string>): string {
  const converted = converters[map.dataType ?? 'Text'](value.trim(), options);
  if (converted === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: map.source,
      message: `${map.source}: "${maskedStart(value, 100)}" is not ${expected[map.dataType ?? 'Text']}.`,
    });
  return map.isText && map.dataType === 'Text' ? value : converted;
}

const expected: Readonly<Record<NonNullable<ImportMap['dataType']>, string>> = {
  Text: 'text',
  Integer: 'a whole number',
  Decimal: 'a number',
  Money: 'an amount, such as 1250.00 or $1,250.00',
  Date: 'a day, such as 2026-01-31 or 1/31/2026',
  Timestamp: 'an instant, such as 2026-01-31T14:30:00',
  Boolean: 'yes or no',
};

type Convert = (value: string, options: ReadonlyMap<string, string>) => string | undefined;

const converters: Readonly<Record<NonNullable<ImportMap['dataType']>, Convert>> = {
  Text: (value) => value,
  Integer: (value) => match(ungrouped(value), /^[+-]?\d{1,18}$/),
  Decimal: (value) => match(ungrouped(value), /^[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})$/),
  Money: money,
  Date: (value, options) => day(value, options),
  Timestamp: (value, options) => {
    const [head = '', tail] = value.split(/[T ](.*)/s);
    const date = day(head, options);
    if (date === undefined || tail === undefined) return date;
    return /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?$/i.test(tail)
      ? `${date}T${tail.padStart(tail.indexOf(':') === 1 ? tail.length + 1 : tail.length, '0')}`
      : undefined;
  },
  Boolean: (value) => {
    if (/^(?:y|yes|true|t|1)$/i.test(value)) return 'true';
    return /^(?:n|no|false|f|0)$/i.test(value) ? 'false' : undefined;
  },
};

function match(value: string, pattern: RegExp): string | undefined {
  return pattern.test(value) ? value : undefined;
}

/** Removes commas between groups of three digits; leaves others. */
function ungrouped(value: string): string {
  return /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(value) ? value.replaceAll(',', '') : value;
}

/** Parses an amount: `$1,250.00`, or `(1,250.00)` for a negative one. */
function money(value: string): string | undefined {
  const bracketed = /^\((.*)\)$/.exec(value);
  const plain = ungrouped((bracketed?.[1] ?? value).replace(/^([+-]?)\s*\$\s*/, '$1').trim());
  if (!/^[+-]?(?:\d{1,15}(?:\.\d{0,4}0*)?|\.\d{1,4}0*)$/.test(plain)) return undefined;
  if (!bracketed) return plain;
  return /^[+-]/.test(plain) ? undefined : `-${plain}`;
}

/** Parses a date: ISO, `YYYYMMDD`, or with slashes, month first (day first with the option DateOrder=DMY). */
function day(value: string, options: ReadonlyMap<string, string>): string | undefined {
  const iso = /^(\d{4})-?(\d{2})-?(\d{2})(?:T00:00(?::00(?:\.0+)?)?)?$/.exec(value);
  if (iso) return calendarDay(iso[1], iso[2], iso[3]);
  const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value);
  if (!slashed) return undefined;
  const [, first, second, year] = slashed;
  return options.get('dateorder')?.toUpperCase() === 'DMY'
    ? calendarDay(year, second, first)
    : calendarDay(year, first, second);
}

function calendarDay(year = '', month = '', date = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const parsed = new Date(`${text}T00:00:00Z`);
  // JavaScript moves February 30 to March instead of refusing it.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text) ? text : undefined;
}

/** What the log says of a row without any value. */
export const BLANK_ROW_MESSAGE = 'The row has no value and was skipped.';

/** Whether all cells of a row are empty. Spreadsheet programs write such rows of delimiters alone. */
export function isBlankRow({ values, problem }: SourceRow): boolean {
  const cells = Object.values(values);
  return problem === undefined && cells.length > 0 && cells.every((value) => value.trim() === '');
}
