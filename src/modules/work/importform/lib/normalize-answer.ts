import { calendarDay } from '../../../../kernel/time/clock.ts';
import type { FieldKind } from '../../../../kernel/declare/field-types.ts';
import { bad, parseValue, type ParseOptions } from '../../../../kernel/parameters/parse-value.ts';
import { columnText } from '../../lib/column-text.ts';
import { findChoice } from './choices.ts';
import type { Question, QuestionType } from './form.ts';

/** The most characters of an answer, where its question has no Maximum of its own. */
const CHARACTERS_MAX: Partial<Readonly<Record<QuestionType, number>>> = { Text: 1_000, LongText: 100_000 };
/** The most characters that a Maximum can allow. */
export const LONGEST_ANSWER = 1_000_000;

const fieldKinds: Partial<Readonly<Record<QuestionType, FieldKind>>> = {
  Number: 'decimal',
  Money: 'money',
  Date: 'date',
  Timestamp: 'timestamp',
  Boolean: 'boolean',
  Person: 'id',
};

/** What {@link normalizeAnswer} needs of a question. */
export type AnswerQuestion = Pick<Question, 'name' | 'type' | 'choices' | 'minimum' | 'maximum'>;

/** An answer in the one form in which it is kept; empty where there is none. @throws BAD_PARAMETER naming the question and what is expected */
export function normalizeAnswer(question: AnswerQuestion, text: string, options: ParseOptions): string {
  const { name, type, choices } = question;
  if (type === 'Label') throw bad(name, 'nothing: it is a heading');
  if (text.trim() === '') return '';
  if (type === 'Choice') {
    const choice = findChoice(choices, text);
    if (!choice) throw bad(name, `one of ${choiceCodes(question)}`);
    return choice.code;
  }
  if (type === 'MultipleChoice') return normalizeMultipleChoice(question, text);
  const kind = fieldKinds[type];
  if (kind === undefined) return normalizeText(question, text);
  const value = String(parseValue({ kind, classification: 'public', doc: '' }, text.trim(), name, options));
  assertBetween(question, value, options);
  return value;
}

/** Some of the choices, for a message. */
function choiceCodes({ choices }: AnswerQuestion): string {
  return (
    choices
      .slice(0, 20)
      .map(({ code }) => code)
      .join(', ') + (choices.length > 20 ? ' …' : '')
  );
}

/** The codes in the order of the choices, with a bar between them. */
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

// What XML 1.0 cannot carry would come back as something else.
const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

function normalizeText({ name, type, minimum, maximum }: AnswerQuestion, sent: string): string {
  // Browsers send line ends as two characters.
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
  if (minimum !== null && compareAnswers(type, value, normalizeBound(type, minimum, options)) < 0)
    throw bad(
      name,
      `${type === 'Date' || type === 'Timestamp' ? 'a date that is not before' : 'a number that is not less than'} ${minimum}`,
    );
  if (maximum !== null && compareAnswers(type, value, normalizeBound(type, maximum, options)) > 0)
    throw bad(
      name,
      `${type === 'Date' || type === 'Timestamp' ? 'a date that is not after' : 'a number that is not more than'} ${maximum}`,
    );
}

/** A Minimum or Maximum as answers are compared with it. */
export function normalizeBound(type: QuestionType, text: string, options: ParseOptions): string {
  return String(
    parseValue({ kind: fieldKinds[type] ?? 'integer', classification: 'public', doc: '' }, text, 'Minimum', options),
  );
}

/** Below 0 where `a` comes before `b`; both in the form in which they are kept. */
export function compareAnswers(type: QuestionType, a: string, b: string): number {
  return type === 'Date' || type === 'Timestamp' ? Math.sign(Number(a > b) - Number(a < b)) : compareDecimals(a, b);
}

/** Compares exact decimal text: an amount can have more digits than a floating-point number tells apart. */
function compareDecimals(a: string, b: string): number {
  const [left, right] = [scaled(a), scaled(b)];
  return Number(left > right) - Number(left < right);
}

/** As many decimals as any number here has at most. */
const DECIMALS = 18;

function scaled(text: string): bigint {
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + decimals.padEnd(DECIMALS, '0'));
  return text.startsWith('-') ? -value : value;
}

/** A column's value as the answer to a question: an instant as a day where the question asks for one. */
export function answerFromColumn(type: QuestionType, value: unknown, timeZone: string): string {
  if (value === null || value === undefined) return '';
  const text = columnText(value);
  return type === 'Date' && /^\d{4}-\d{2}-\d{2}T/.test(text) ? calendarDay(timeZone, Date.parse(text)) : text;
}

/** The answer that a calculation makes: XPath computes in floating point, so that a number is rounded to what its type keeps. */
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
