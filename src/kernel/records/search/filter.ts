import { splitCommaList } from '../../parameters/split-list.ts';
import { parseValue, bad, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { Cipher } from '../../security/cipher.ts';
import { PlatformError } from '../../door/errors.ts';
import { instantOfWallClock } from '../../time/clock.ts';
import type { Column } from '../../declare/record.ts';
import { protectionPurpose } from '../save/protect.ts';
import { valueSqlType, valueSql } from '../../database/sql.ts';

/** The most values that the filters of one search may hold; the database's protocol ends at 65,535. */
const SQL_PARAMETERS_MAX = 60_000;

/** Collects an SQL condition's parameters and numbers them. */
export class SqlParameters {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    if (this.values.length >= SQL_PARAMETERS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `The filters of one search hold at most ${SQL_PARAMETERS_MAX} values.`,
      });
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** What reading a filter needs beside its column. */
export interface FilterContext {
  readonly options: ParseOptions;
  readonly cipher: Cipher;
  readonly sql: SqlParameters;
}

type Comparison = '=' | '<>' | '>=' | '<=' | '>' | '<';

/** `bound`: a comparison such as `>=5`. Bounds of one name hold together, other terms are alternatives, negated ones all hold. */
interface FilterTerm {
  readonly kind: 'alternative' | 'bound' | 'negated';
  readonly sql: string;
}

/** The most alternatives that one filter may list. */
const ALTERNATIVES_MAX = 1_000;

/**
 * The SQL condition of one search filter. The grammar: `null`, `not null`, `not X`, comparisons (`>=5`), lists and ranges on
 * numbers and dates, lists of ids, `*` in text, text in double quotes taken literally; a name sent more than once is a list.
 * A list's values are alternatives; its comparisons hold together (`X>=5&X<9` is a range), and so do its negations.
 */
export function filterCondition(column: Column, raw: RawValue, name: string, ctx: FilterContext): string {
  const given = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value) =>
    pieces(column, value, name),
  );
  if (given.length === 0) return `${storedValue(column)} is null`;
  if (given.length > ALTERNATIVES_MAX) throw bad(name, `at most ${ALTERNATIVES_MAX} alternatives`);
  const terms = given.map((piece) => termOf(column, piece, name, ctx));
  const of = (kind: FilterTerm['kind']): string[] => terms.filter((t) => t.kind === kind).map((t) => t.sql);
  const bounds = of('bound');
  const wanted = [...of('alternative'), ...(bounds.length > 0 ? [`(${bounds.join(' and ')})`] : [])];
  return [...(wanted.length > 0 ? [`(${wanted.join(' or ')})`] : []), ...of('negated')].join(' and ');
}

function storedValue(column: Column): string {
  return column.field.kind === 'ssn' ? `${column.table}.${column.column}cipher` : valueSql(column);
}

/** Splits a value into alternatives by the rule of its type; text is never split. */
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

/** A value, comparison or range of a kind that is no text. What is longer is none, and is not looked at twice: patterns that look back take the square of its length. */
const PIECE_CHARACTERS_MAX = 200;

function termOf(column: Column, piece: string, name: string, ctx: FilterContext): FilterTerm {
  if (column.field.kind !== 'text' && column.field.kind !== 'xml' && piece.length > PIECE_CHARACTERS_MAX)
    throw bad(name, `a value, a comparison or a range, of at most ${PIECE_CHARACTERS_MAX} characters`);
  const sql = storedValue(column);
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
    case 'ssn': {
      const plain = parseValue(column.field, piece, name, ctx.options) as string;
      // Under each key: while keys are rotated some rows stand under the old one.
      const indexes = ctx.cipher
        .blindIndexes(protectionPurpose(column), plain)
        .map((index) => ctx.sql.add(index, 'bytea'));
      return `${column.table}.${column.column}index ${indexes.length === 1 ? `= ${indexes[0]}` : `in (${indexes.join(', ')})`}`;
    }
    case 'integer':
    case 'decimal':
    case 'money':
      return numberTerm(column, piece, name, ctx);
    case 'date':
    case 'timestamp':
      return dateTerm(column, piece, name, ctx);
    case 'json':
      throw bad(name, 'null or not null; the column cannot be searched otherwise');
    case 'id': {
      const compared = /^(>=|<=|>|<|=)\s*(.+)$/.exec(piece);
      return comparison(
        column,
        (compared?.[1] ?? '=') as Comparison,
        parseValue(column.field, compared?.[2] ?? piece, name, ctx.options),
        ctx,
      );
    }
    default:
      return comparison(column, '=', parseValue(column.field, piece, name, ctx.options), ctx);
  }
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
  // LIKE is not allowed under the collation that ignores case and accents, so both sides are folded.
  // The result of a function is compared as its argument would be; before PostgreSQL 18 LIKE refuses that.
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
  if (range)
    return `(${comparison(column, '>=', value(range[1] ?? ''), ctx)} and ${comparison(column, '<=', value(range[2] ?? ''), ctx)})`;
  return comparison(column, '=', value(piece), ctx);
}

function dateTerm(column: Column, piece: string, name: string, ctx: FilterContext): string {
  const compared = /^(>=|<=|>|<|=)\s*(.+)$/.exec(piece);
  if (compared) return dateComparison(column, compared[1] as Comparison, compared[2] ?? '', name, ctx);
  const range = /^(\S.*?)\s+-\s+(\S.*)$/.exec(piece);
  if (range)
    return `(${dateComparison(column, '>=', range[1] ?? '', name, ctx)} and ${dateComparison(column, '<=', range[2] ?? '', name, ctx)})`;
  return dateComparison(column, '=', piece, name, ctx);
}

/** On a timestamp column a bare day means the whole day in the installation's time zone. */
function dateComparison(column: Column, sign: Comparison, text: string, name: string, ctx: FilterContext): string {
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
