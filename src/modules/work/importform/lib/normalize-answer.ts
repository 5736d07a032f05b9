import { calendarDay } from '../../../../kernel/time/clock.ts';
import type { FieldKind } from '../../../../kernel/declare/field-types.ts';
import { bad, parseValue, type ParseOptions } from '../../../../kernel/parameters/parse-value.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { columnText } from '../../lib/column-text.ts';
import {
  cellName,
  isFilled,
  parseRows,
  ROWS_MAX_DEFAULT,
  type AnswerRow,
} from '../../../../lib/answers/answer-rows.ts';
import { ROWS_CHARACTERS_MAX, rowsText } from './answer-rows.ts';
import { findChoice } from './choices.ts';
import type { Question, QuestionType } from './form.ts';

/** Most characters of an answer without a Maximum. */
const CHARACTERS_MAX: Partial<Readonly<Record<QuestionType, number>>> = { Text: 1_000, LongText: 100_000 };
/** Greatest Maximum of a text question. */
export const LONGEST_ANSWER = 1_000_000;

const fieldKinds: Partial<Readonly<Record<QuestionType, FieldKind>>> = {
  Number: 'decimal',
  Money: 'money',
  Date: 'date',
  Timestamp: 'timestamp',
  Boolean: 'boolean',
  Person: 'id',
};

/** The part of a question that {@link normalizeAnswer} needs. */
export type AnswerQuestion = Pick<Question, 'name' | 'type' | 'choices' | 'minimum' | 'maximum' | 'columns'>;

/**
 * Returns an answer in its stored form; empty if there is none. @throws BAD_PARAMETER naming the question and what is
 * expected
 */
export function normalizeAnswer(question: AnswerQuestion, text: string, options: ParseOptions): string {
  const { name, type, choices } = question;
  if (type === 'Label') throw bad(name, 'no value: it is a heading');
  if (text.trim() === '') return '';
  if (type === 'Rows') return rowsText(question, normalizeRows(question, text, { options, onProblem: throwProblem }));
  if (type === 'Choice') {
    const choice = findChoice(choices, text);
    if (!choice) throw bad(name, `one of ${choiceCodes(question)}`);
    return choice.code;
  }
  if (type === 'MultipleChoice') return normalizeMultipleChoice(question, text);
  if (type === 'Person' && !/^\d+$/.test(text.trim())) throw bad(name, 'a user: choose one, or enter a sign-in name');
  const kind = fieldKinds[type];
  if (kind === undefined) return normalizeText(question, text);
  const value = String(parseValue({ kind, classification: 'public', doc: '' }, text.trim(), name, options));
  assertBetween(question, value, options);
  return value;
}

function throwProblem(_cell: string, problem: PlatformError): never {
  throw problem;
}

/** How rows are normalized. */
export interface RowsNormalization {
  readonly options: ParseOptions;
  /** Takes the problem of a cell, or of a row. The cell is then returned as it was sent. */
  readonly onProblem: (cell: string, problem: PlatformError) => void;
  /** Stored rows, as {@link rowsText} of each: they are not checked again. */
  readonly stored?: ReadonlySet<string>;
}

/**
 * Returns the rows of an answer with each cell in its stored form, also empty rows, so that each keeps its number.
 * @throws BAD_PARAMETER if the text is no list of rows, or has too many
 */
export function normalizeRows(question: AnswerQuestion, text: string, by: RowsNormalization): readonly AnswerRow[] {
  const rows = requireRows(question, text);
  const normal = rows.map((row, at) =>
    by.stored?.has(rowsText(question, [row])) ? row : normalizeRow(question, row, { ...by, number: at + 1 }),
  );
  if (rowsText(question, normal).length > ROWS_CHARACTERS_MAX)
    throw bad(question.name, `at most ${ROWS_CHARACTERS_MAX} characters in all rows`);
  return normal;
}

/** Returns the rows of a text. @throws BAD_PARAMETER if it is no list of rows, or has too many */
export function requireRows(
  { name, maximum }: Pick<AnswerQuestion, 'name' | 'maximum'>,
  text: string,
): readonly AnswerRow[] {
  const rows = parseRows(text);
  if (!rows) throw bad(name, 'a list of rows, such as [{"Column":"answer"}]');
  const most = maximum === null ? ROWS_MAX_DEFAULT : Number(maximum);
  if (rows.filter(isFilled).length > most) throw bad(name, `at most ${most} ${most === 1 ? 'row' : 'rows'}`);
  return rows;
}

function normalizeRow(
  { name, columns }: AnswerQuestion,
  row: AnswerRow,
  { options, onProblem, number }: RowsNormalization & { readonly number: number },
): AnswerRow {
  const cells = new Map<string, string>();
  for (const [sent, text] of row) {
    if (text.trim() === '') continue;
    const column = columns.find((each) => each.name.toLowerCase() === sent.toLowerCase());
    if (!column) {
      const names = columns.map((each) => each.name);
      onProblem(`${name}[${number}]`, bad(`${name}[${number}]`, `only the columns ${names.join(', ')}`));
      continue;
    }
    const cell = cellName(name, number, column.name);
    cells.set(column.name, text);
    try {
      cells.set(column.name, normalizeAnswer({ ...column, name: cell }, text, options));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      onProblem(cell, error);
    }
  }
  return cells;
}

/** Returns some of the choices, for a message. */
function choiceCodes({ choices }: AnswerQuestion): string {
  return (
    choices
      .slice(0, 20)
      .map(({ code }) => code)
      .join(', ') + (choices.length > 20 ? ' …' : '')
  );
}

/** Returns the codes in the order of the choices, joined with |. */
function normalizeMultipleChoice(question: AnswerQuestion, text: string): string {
  const { name, choices, minimum, maximum } = question;
  const codes = new Set(
    text
      .split('|')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const choice = findChoice(choices, part);
        if (!choice) throw bad(name, `some of ${choiceCodes(question)}, with | between them`);
        return choice.code;
      }),
  );
  if (minimum !== null && codes.size < Number(minimum)) throw bad(name, `at least ${minimum} of the choices`);
  if (maximum !== null && codes.size > Number(maximum)) throw bad(name, `at most ${maximum} of the choices`);
  return choices
    .filter(({ code }) => codes.has(code))
    .map(({ code }) => code)
    .join('|');
}

// XML 1.0 cannot represent these.
const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

function normalizeText({ name, type, minimum, maximum }: AnswerQuestion, sent: string): string {
  // Browsers send line ends as CR LF.
  const text = sent.replace(/\r\n?/g, '\n');
  if (UNWRITABLE.test(text) || !text.isWellFormed()) throw bad(name, 'text without control characters');
  const most = maximum === null ? (CHARACTERS_MAX[type] ?? LONGEST_ANSWER) : Number(maximum);
  if (text.length > most && characterCount(text) > most) throw bad(name, `at most ${most} characters`);
  if (minimum !== null && characterCount(text) < Number(minimum)) throw bad(name, `at least ${minimum} characters`);
  return text;
}

/** Returns the number of characters (code points, not UTF-16 units) of a text. */
function characterCount(text: string): number {
  return Array.from(text).length;
}

function assertBetween({ name, type, minimum, maximum }: AnswerQuestion, value: string, options: ParseOptions): void {
  const isDate = type === 'Date' || type === 'Timestamp';
  if (minimum !== null && compareAnswers(type, value, normalizeBound(type, minimum, options)) < 0)
    throw bad(name, `${minimum} or ${isDate ? 'later' : 'more'}`);
  if (maximum !== null && compareAnswers(type, value, normalizeBound(type, maximum, options)) > 0)
    throw bad(name, `${maximum} or ${isDate ? 'earlier' : 'less'}`);
}

/** Returns a Minimum or Maximum in the form in which answers are compared. */
export function normalizeBound(type: QuestionType, text: string, options: ParseOptions): string {
  return String(
    parseValue({ kind: fieldKinds[type] ?? 'integer', classification: 'public', doc: '' }, text, 'Minimum', options),
  );
}

/** Returns a negative number if `a` comes before `b`; both in stored form. */
export function compareAnswers(type: QuestionType, a: string, b: string): number {
  return type === 'Date' || type === 'Timestamp' ? Math.sign(Number(a > b) - Number(a < b)) : compareDecimals(a, b);
}

/** Compares exact decimal text, which may have more digits than a floating-point number. */
function compareDecimals(a: string, b: string): number {
  const [left, right] = [scaled(a), scaled(b)];
  return Number(left > right) - Number(left < right);
}

/** Most decimals of any number here. */
const DECIMALS = 18;

function scaled(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + decimals.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Returns the exact sum of numbers, skipping what is not one; undefined if there are none. */
export function sumOfDecimals(texts: readonly string[]): string | undefined {
  const numbers = texts.filter((text) => /^-?\d{1,15}(?:\.\d{1,18})?$/.test(text));
  if (numbers.length === 0) return undefined;
  const sum = numbers.reduce((total, text) => total + scaled(text), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0');
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${decimals === '' ? '' : `.${decimals}`}`;
}

/** Returns a column's value as an answer: an instant becomes a date for a Date question. */
export function answerFromColumn(type: QuestionType, value: unknown, timeZone: string): string {
  if (value === null || value === undefined) return '';
  const text = columnText(value);
  return type === 'Date' && /^\d{4}-\d{2}-\d{2}T/.test(text) ? calendarDay(timeZone, Date.parse(text)) : text;
}

/**
 * Returns a calculated answer in stored form. XPath uses floating point, so numbers are rounded to the type's decimals.
 */
export function normalizeCalculated(question: AnswerQuestion, text: string, options: ParseOptions): string {
  const { type } = question;
  if (type !== 'Number' && type !== 'Money') return normalizeAnswer(question, text, options);
  const number = Number(text.trim());
  if (text.trim() === '' || !Number.isFinite(number))
    return text.trim() === '' || ['NaN', 'Infinity', '-Infinity'].includes(text.trim())
      ? ''
      : normalizeAnswer(question, text, options);
  return normalizeAnswer(
    question,
    String(
      parseValue(
        { kind: 'decimal', classification: 'public', doc: '' },
        number.toFixed(type === 'Money' ? 4 : 10),
        question.name,
        options,
      ),
    ),
    options,
  );
}
