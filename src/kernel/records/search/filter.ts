import { splitCommaList } from '../../parameters/split-list.ts';
import { parseValue, bad, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { Cipher } from '../../security/cipher.ts';
import { PlatformError } from '../../door/errors.ts';
import { instantOfWallClock } from '../../time/clock.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { protectionPurpose } from '../save/protect.ts';
import { assertNumberFilter } from './number-filter.ts';
import { valueSqlType, valueSql } from '../../database/sql.ts';

/** Most values in the filters of one search. The limit of the database's protocol is 65,535. */
const SQL_PARAMETERS_MAX = 60_000;

/** Collects and numbers the parameters of an SQL condition. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Returns the same parameters, to which others can be added. */
  copy(): SqlParameters {
    const copy = new SqlParameters();
    copy.values.push(...this.values);
    return copy;
  }

  /** Adds a value and returns its placeholder, such as `$3::text`. */
  add(value: unknown, type: string): string {
    if (this.values.length >= SQL_PARAMETERS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `A search takes at most ${SQL_PARAMETERS_MAX} filter values.`,
      });
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** What parsing a filter needs besides its column. */
export interface FilterContext {
  readonly options: ParseOptions;
  readonly cipher: Cipher;
  readonly sql: SqlParameters;
}

type Comparison = '=' | '<>' | '>=' | '<=' | '>' | '<';

/**
 * One part of a filter. Bounds (`>=5`) of one name must all hold, and so must negated terms; the others are
 * alternatives.
 */
interface FilterTerm {
  readonly kind: 'alternative' | 'bound' | 'negated';
  readonly sql: string;
}

/** Most alternatives in one filter. */
const ALTERNATIVES_MAX = 1_000;

/**
 * Returns the SQL condition of one search filter. The grammar: `null`, `not null`, `not X`, comparisons (`>=5`), lists
 * and ranges of numbers and dates, lists of ids, `*` in text, text in double quotes taken literally. A name sent more
 * than once is a list. The values of a list are alternatives; its comparisons must all hold (`X>=5&X<9` is a range),
 * and so must its negations.
 */
export function filterCondition(column: Column, raw: RawValue, name: string, ctx: FilterContext): string {
  if (column.field.kind === 'ssn') return numberFilterCondition(column, raw, name, ctx);
  const values = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value) =>
    pieces(column, value, name),
  );
  if (values.length === 0) return `${valueSql(column)} is null`;
  if (values.length > ALTERNATIVES_MAX) throw bad(name, `at most ${ALTERNATIVES_MAX} alternatives`);
  const terms = values.map((piece) => termOf(column, piece, name, ctx));
  const of = (kind: FilterTerm['kind']): string[] => terms.filter((t) => t.kind === kind).map((t) => t.sql);
  const bounds = of('bound');
  const alternatives = [...of('alternative'), ...(bounds.length > 0 ? [`(${bounds.join(' and ')})`] : [])];
  return [...(alternatives.length > 0 ? [`(${alternatives.join(' or ')})`] : []), ...of('negated')].join(' and ');
}

/** Splits a value into alternatives by the rule of its kind. Text is never split. */
function pieces(column: Column, raw: RawValue, name: string): string[] {
  if (raw === null) return ['null'];
  if (typeof raw === 'object') throw bad(name, 'a value, a list or a range');
  const text = String(raw);
  switch (column.field.kind) {
    case 'id':
    case 'date':
    case 'timestamp':
      return splitCommaList(text);
    case 'integer':
    case 'decimal':
    case 'money':
      // Without a space a comma groups digits.
      return text
        .split(/,\s+/)
        .map((p) => p.trim())
        .filter((p) => p !== '');
    default:
      return text === '' ? [] : [text];
  }
}

/**
 * Longest value, comparison or range of a kind other than text. Longer input would make the patterns below take
 * quadratic time.
 */
const PIECE_CHARACTERS_MAX = 200;

function termOf(column: Column, piece: string, name: string, ctx: FilterContext): FilterTerm {
  if (column.field.kind !== 'text' && column.field.kind !== 'xml' && piece.length > PIECE_CHARACTERS_MAX)
    throw bad(name, `a value, a comparison or a range, of at most ${PIECE_CHARACTERS_MAX} characters`);
  const sql = valueSql(column);
  const word = piece.trim().toLowerCase();
  if (word === 'null') return { kind: 'alternative', sql: `${sql} is null` };
  if (word === 'not null') return { kind: 'negated', sql: `${sql} is not null` };
  const negation = /^(?:not\s+|<>|!=\s*)(?=\S)/i.exec(piece.trimStart());
  if (negation) {
    const positive = positiveTerm(column, piece.trimStart().slice(negation[0].length), name, ctx);
    return { kind: 'negated', sql: `(${sql} is null or not (${positive}))` };
  }
  return { kind: /^\s*[<>]/.test(piece) ? 'bound' : 'alternative', sql: positiveTerm(column, piece, name, ctx) };
}

function positiveTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  switch (column.field.kind) {
    case 'text':
    case 'xml':
      return textTerm(column, piece, name, ctx);
    case 'integer':
    case 'decimal':
    case 'money':
      return numberTerm(column, piece, name, ctx);
    case 'date':
    case 'timestamp':
      return dateTerm(column, piece, name, ctx);
    case 'json':
      throw bad(name, 'null or not null; the column cannot be searched otherwise');
    case 'id':
      return idTerm(column, piece, name, ctx);
    default:
      return comparison(column, '=', parseValue(column.field, piece, name, ctx.options), ctx);
  }
}

/**
 * Returns the condition of a filter on a protected number. Compares blind indexes, one per key: during a key rotation
 * some rows are still under the old key.
 */
function numberFilterCondition(column: Column, raw: RawValue, name: string, ctx: FilterContext): string {
  if (!assertNumberFilter(column, raw, name))
    return `${column.table}.${column.column}cipher is ${isNotNull(raw) ? 'not ' : ''}null`;
  const plain = parseValue(column.field, raw, name, ctx.options) as string;
  const indexes = ctx.cipher.blindIndexes(protectionPurpose(column), plain).map((index) => ctx.sql.add(index, 'bytea'));
  const compared = indexes.length === 1 ? `= ${indexes[0]}` : `in (${indexes.join(', ')})`;
  return `${column.table}.${column.column}index ${compared}`;
}

function isNotNull(raw: RawValue): boolean {
  return typeof raw === 'string' && raw.trim().toLowerCase() === 'not null';
}

function idTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  const [, sign = '=', text = piece] = /^(>=|<=|>|<|=)\s*(.+)$/.exec(piece) ?? [];
  return comparison(column, sign as Comparison, parseValue(column.field, text, name, ctx.options), ctx);
}

function comparison(column: Column, sign: Comparison, value: unknown, ctx: FilterContext): string {
  return `${valueSql(column)} ${sign} ${ctx.sql.add(value, valueSqlType(column))}`;
}

function textTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  if (piece.includes('\u0000') || !piece.isWellFormed()) throw bad(name, 'well-formed Unicode text');
  const quoted = /^"(.*)"$/s.exec(piece);
  if (quoted) return comparison(column, '=', quoted[1] ?? '', ctx);
  const compared = /^(>=|<=|>|<|=)\s*(.+)$/s.exec(piece);
  if (compared) return comparison(column, compared[1] as Comparison, compared[2], ctx);
  if (!piece.includes('*')) return comparison(column, '=', piece, ctx);
  const pattern = piece.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
  // LIKE does not work under the collation that ignores case and accents, so both sides are folded.
  // A function's result has the collation of its argument, which LIKE refuses before PostgreSQL 18.
  return `casewright_fold(${valueSql(column)}) collate "C" like casewright_fold(${ctx.sql.add(pattern, 'text')})`;
}

/** Digits grouped by commas in threes. */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+$/;

function numberTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  const compared = /^(>=|<=|>|<|=)\s*(.+)$/.exec(piece);
  const value = (text: string): unknown =>
    parseValue(
      column.field,
      column.field.kind === 'integer' && GROUPED.test(text.trim()) ? text.replaceAll(',', '') : text,
      name,
      ctx.options,
    );
  if (compared) return comparison(column, compared[1] as Comparison, value(compared[2] ?? ''), ctx);
  const range = /^(-?[$\d.,]+)\s*-\s*(-?[$\d.,]+)$/.exec(piece);
  if (!range) return comparison(column, '=', value(piece), ctx);
  const from = comparison(column, '>=', value(range[1] ?? ''), ctx);
  const to = comparison(column, '<=', value(range[2] ?? ''), ctx);
  return `(${from} and ${to})`;
}

/** A date in a filter: the text and the name of the parameter, for errors. */
interface FilterDate {
  readonly text: string;
  readonly name: string;
}

function dateTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  const compared = /^(>=|<=|>|<|=)\s*(.+)$/.exec(piece);
  if (compared) return dateComparison(column, compared[1] as Comparison, { text: compared[2] ?? '', name }, ctx);
  const range = /^(\S.*?)\s+-\s+(\S.*)$/.exec(piece);
  if (!range) return dateComparison(column, '=', { text: piece, name }, ctx);
  const from = dateComparison(column, '>=', { text: range[1] ?? '', name }, ctx);
  const to = dateComparison(column, '<=', { text: range[2] ?? '', name }, ctx);
  return `(${from} and ${to})`;
}

/**
 * Compares with a date. On a timestamp column a date without a time means the whole day in the installation's time
 * zone.
 */
function dateComparison(column: Column, sign: Comparison, { text, name }: FilterDate, ctx: FilterContext): string {
  const value = parseValue(column.field, text, name, ctx.options);
  if (column.field.kind !== 'timestamp' || !/^\d{4}-\d{2}-\d{2}$/.test(text.trim()))
    return comparison(column, sign, value, ctx);
  const wall = Date.parse(`${text.trim()}T00:00:00Z`) + 86_400_000;
  const next = new Date(instantOfWallClock(ctx.options.timeZone, wall)).toISOString();
  switch (sign) {
    case '=':
      return `(${comparison(column, '>=', value, ctx)} and ${comparison(column, '<', next, ctx)})`;
    case '<=':
      return comparison(column, '<', next, ctx);
    case '>':
      return comparison(column, '>=', next, ctx);
    default:
      return comparison(column, sign, value, ctx);
  }
}

/** Returns the column that a filter's name means, `ID` and `TemplateID` included. */
export function filterColumn(record: RecordType, lower: string): Column | undefined {
  if (lower === 'id') return record.columns.get(`${record.table}id`);
  if (lower === 'templateid' && record.template !== undefined)
    return record.columns.get(`${record.template.toLowerCase()}id`);
  return record.columns.get(lower);
}
