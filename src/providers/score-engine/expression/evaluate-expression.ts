import {
  add,
  compareDecimals,
  parseDecimal,
  decimalText,
  divide,
  multiply,
  negate,
  remainder,
  subtract,
  type Decimal,
} from '../../../lib/decimals/decimal.ts';
import { functions } from './expression-functions.ts';
import type { BinarySign, Expression } from './program-syntax.ts';

/** A date, distinct from text: `2026-01-31`. */
export interface Day {
  readonly day: string;
}

/** A value during evaluation. */
export type Value = Decimal | Day | string | boolean | null;

/** What an expression can read. */
export interface EvaluationContext {
  /** Returns the value of a name. @throws EvaluationError for an unknown one */
  readonly find: (name: string) => Value;
  /** Today in the installation's time zone. */
  readonly today: string;
}

/** An expression has no value; the message says why. */
export class EvaluationError extends Error {}

/** Longest text that an expression may produce, in characters. */
const TEXT_CHARACTERS_MAX = 10_000;

/** Whether a value is a number. */
export function isNumber(value: Value): value is Decimal {
  return typeof value === 'object' && value !== null && 'units' in value;
}

/** Whether a value is a day. */
export function isDay(value: Value): value is Day {
  return typeof value === 'object' && value !== null && 'day' in value;
}

/** Returns a value as text; null becomes empty text. */
export function textOf(value: Value): string {
  if (value === null) return '';
  if (isNumber(value)) return decimalText(value);
  return isDay(value) ? value.day : String(value);
}

/** Returns a value as a number. Parses text; null stays null. @throws EvaluationError */
export function numberOf(value: Value, what: string): Decimal | null {
  if (value === null || value === '') return null;
  if (isNumber(value)) return value;
  const read = typeof value === 'string' ? parseDecimal(value) : undefined;
  if (!read) throw new EvaluationError(`${what} expects a number`);
  return read;
}

/** Returns a value as a boolean; null becomes false. @throws EvaluationError */
function truthOf(value: Value, what: string): boolean {
  if (value === null) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw new EvaluationError(`${what} expects true or false`);
}

/** Returns the text unless it is too long. @throws EvaluationError */
export function boundedText(text: string): string {
  if (text.length > TEXT_CHARACTERS_MAX)
    throw new EvaluationError(`a text becomes longer than ${TEXT_CHARACTERS_MAX} characters`);
  return text;
}

/**
 * Compares like a sort function; undefined if the values have no order. Numeric text compared with a number counts as a
 * number.
 */
export function compareValues(left: Value, right: Value): number | undefined {
  if (left === null || right === null) return undefined;
  if (isNumber(left) || isNumber(right)) {
    const [a, b] = [asNumber(left), asNumber(right)];
    return a && b ? compareDecimals(a, b) : undefined;
  }
  const [a, b] = [textOf(left).toLowerCase(), textOf(right).toLowerCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function asNumber(value: Value): Decimal | undefined {
  if (isNumber(value)) return value;
  return typeof value === 'string' ? parseDecimal(value) : undefined;
}

/** Evaluates an expression. Without loops and state, it costs no more than its length. @throws EvaluationError */
export function evaluate(expression: Expression, around: EvaluationContext): Value {
  switch (expression.kind) {
    case 'number':
    case 'text':
    case 'constant':
      return expression.value;
    case 'name':
      return around.find(expression.name);
    case 'unary':
      return expression.sign === 'not'
        ? !truthOf(evaluate(expression.of, around), 'not')
        : negated(evaluate(expression.of, around));
    case 'binary':
      return binary(expression, around);
    case 'call':
      return callFunction(expression, around);
  }
}

function negated(value: Value): Value {
  const number = numberOf(value, '-');
  return number && negate(number);
}

function binary({ sign, left, right }: Extract<Expression, { kind: 'binary' }>, around: EvaluationContext): Value {
  const first = evaluate(left, around);
  // The second operand may have no value if the first one decides.
  if (sign === 'and') return truthOf(first, sign) && truthOf(evaluate(right, around), sign);
  if (sign === 'or') return truthOf(first, sign) || truthOf(evaluate(right, around), sign);
  const second = evaluate(right, around);
  if (sign === '&') return boundedText(textOf(first) + textOf(second));
  return isComparison(sign) ? isComparisonTrue(sign, first, second) : arithmetic(sign, first, second);
}

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

function isComparison(sign: BinarySign): sign is Comparison {
  return ['=', '<>', '<', '<=', '>', '>='].includes(sign);
}

/** Null equals only null; it is neither less nor greater than any value. */
function isComparisonTrue(sign: Comparison, left: Value, right: Value): boolean {
  const order = compareValues(left, right);
  const isEqual = left === null || right === null ? left === right : order === 0;
  switch (sign) {
    case '=':
      return isEqual;
    case '<>':
      return !isEqual;
    case '<':
      return order !== undefined && order < 0;
    case '<=':
      return order !== undefined && order <= 0;
    case '>':
      return order !== undefined && order > 0;
    case '>=':
      return order !== undefined && order >= 0;
  }
}

/** Arithmetic with null returns null. */
function arithmetic(sign: BinarySign, left: Value, right: Value): Value {
  const [a, b] = [numberOf(left, sign), numberOf(right, sign)];
  if (!a || !b) return null;
  switch (sign) {
    case '+':
      return add(a, b);
    case '-':
      return subtract(a, b);
    case '*':
      return multiply(a, b);
    default: {
      const result = sign === '/' ? divide(a, b) : remainder(a, b);
      if (!result) throw new EvaluationError('it divides by zero');
      return result;
    }
  }
}

function callFunction({ name, given }: Extract<Expression, { kind: 'call' }>, around: EvaluationContext): Value {
  // The branch of `if` that is not taken need not have a value.
  if (name === 'if') {
    const [condition, then, otherwise] = given;
    const chosen = condition && truthOf(evaluate(condition, around), 'if') ? then : otherwise;
    return chosen ? evaluate(chosen, around) : null;
  }
  const made = functions.get(name);
  if (!made) throw new EvaluationError(`there is no function ${name}`);
  return made.run(
    given.map((one) => evaluate(one, around)),
    around,
  );
}
