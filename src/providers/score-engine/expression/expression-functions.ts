import {
  add,
  compareDecimals,
  divide,
  floorDecimal,
  negate,
  roundDecimal,
  wholeNumber,
  type Decimal,
} from '../../../lib/decimals/decimal.ts';
import {
  boundedText,
  compareValues,
  EvaluationError,
  isDay,
  numberOf,
  textOf,
  type Day,
  type EvaluationContext,
  type Value,
} from './evaluate-expression.ts';

/** A function of the language: its number of arguments, result type and implementation. */
export interface FunctionDefinition {
  readonly least: number;
  readonly most: number;
  readonly makes: 'Float' | 'String' | 'Boolean' | 'Date' | 'same';
  readonly doc: string;
  readonly run: (given: readonly Value[], around: EvaluationContext) => Value;
}

const MANY = 100;
const DAY_MILLISECONDS = 86_400_000;
/** Most decimals of rounding, on either side of the point. */
const ROUND_DECIMALS_MAX = 18;
/** Most days added to a date, so that the result stays within the calendar. */
const DAYS_MAX = 3_000_000;

const numbers = (given: readonly Value[], what: string): Decimal[] =>
  given.flatMap((value) => numberOf(value, what) ?? []);

function dayOf(value: Value, what: string): Day | null {
  if (value === null || value === '') return null;
  const written = typeof value === 'string' ? value.slice(0, 10) : '';
  const text = isDay(value) ? value.day : written;
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(instant) || new Date(instant).toISOString().slice(0, 10) !== text)
    throw new EvaluationError(`${what} expects a day such as 2026-01-31`);
  return { day: text };
}

function wholeOf(value: Value, what: string, most: number): number | null {
  const number = numberOf(value, what);
  if (!number) return null;
  if (
    number.scale > 0 ||
    compareDecimals(number, wholeNumber(most)) > 0 ||
    compareDecimals(number, wholeNumber(-most)) < 0
  )
    throw new EvaluationError(`${what} expects a whole number of at most ${most}`);
  return Number(number.units);
}

function dayAt(milliseconds: number, what: string): Day {
  const text =
    Number.isFinite(milliseconds) && Math.abs(milliseconds) < 8e15 ? new Date(milliseconds).toISOString() : '';
  if (!/^(?!0000)\d{4}-/.test(text)) throw new EvaluationError(`${what} leaves the years 1 to 9999`);
  return { day: text.slice(0, 10) };
}

function addMonths(day: Day, months: number): Day {
  const date = new Date(`${day.day}T00:00:00Z`);
  const dayOfMonth = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(dayOfMonth, last.getUTCDate()));
  return dayAt(date.getTime(), 'addmonths');
}

/** Returns the least or greatest of the values that are not null; text and dates have an order too. */
function extreme(given: readonly Value[], sign: 1 | -1, what: string): Value {
  let found: Value = null;
  for (const value of given) {
    if (value === null) continue;
    const order = found === null ? 1 : compareValues(value, found);
    if (order === undefined) throw new EvaluationError(`${what} expects values of one kind`);
    if (found === null || order * sign > 0) found = value;
  }
  return found;
}

const ofDay =
  (what: string, from: number, to: number): FunctionDefinition['run'] =>
  ([value = null]) => {
    const day = dayOf(value, what);
    return day && wholeNumber(Number(day.day.slice(from, to)));
  };

const ofText =
  (run: (text: string) => Value): FunctionDefinition['run'] =>
  ([value = null]) =>
    value === null ? null : run(textOf(value));

/** All functions, by lower-case name. `if` is not one of them, because it does not evaluate all its arguments. */
export const functions: ReadonlyMap<string, FunctionDefinition> = new Map<string, FunctionDefinition>([
  ['if', { least: 2, most: 3, makes: 'same', doc: 'if(condition, then, otherwise)', run: () => null }],
  [
    'min',
    {
      least: 1,
      most: MANY,
      makes: 'same',
      doc: 'the least of the values that are something',
      run: (given) => extreme(given, -1, 'min'),
    },
  ],
  [
    'max',
    {
      least: 1,
      most: MANY,
      makes: 'same',
      doc: 'the greatest of the values that are something',
      run: (given) => extreme(given, 1, 'max'),
    },
  ],
  [
    'sum',
    {
      least: 1,
      most: MANY,
      makes: 'Float',
      doc: 'the sum of the numbers that are something',
      run: (given) => numbers(given, 'sum').reduce(add, wholeNumber(0)),
    },
  ],
  [
    'average',
    {
      least: 1,
      most: MANY,
      makes: 'Float',
      doc: 'the average of the numbers that are something',
      run: (given) => {
        const all = numbers(given, 'average');
        return all.length === 0 ? null : (divide(all.reduce(add), wholeNumber(all.length)) ?? null);
      },
    },
  ],
  [
    'round',
    {
      least: 1,
      most: 2,
      makes: 'Float',
      doc: 'round(number, decimals): half away from zero',
      run: ([value = null, decimals = wholeNumber(0)]) => {
        const [number, places] = [numberOf(value, 'round'), wholeOf(decimals, 'round', ROUND_DECIMALS_MAX)];
        return number && places !== null ? roundDecimal(number, places) : null;
      },
    },
  ],
  [
    'floor',
    {
      least: 1,
      most: 1,
      makes: 'Float',
      doc: 'the greatest whole number that is not above',
      run: ([value = null]) => onNumber(value, 'floor', floorDecimal),
    },
  ],
  [
    'ceiling',
    {
      least: 1,
      most: 1,
      makes: 'Float',
      doc: 'the least whole number that is not below',
      run: ([value = null]) => onNumber(value, 'ceiling', (number) => negate(floorDecimal(negate(number)))),
    },
  ],
  [
    'abs',
    {
      least: 1,
      most: 1,
      makes: 'Float',
      doc: 'the number without its sign',
      run: ([value = null]) => onNumber(value, 'abs', (number) => (number.units < 0n ? negate(number) : number)),
    },
  ],
  [
    'number',
    { least: 1, most: 1, makes: 'Float', doc: 'a text as number', run: ([value = null]) => numberOf(value, 'number') },
  ],
  ['text', { least: 1, most: 1, makes: 'String', doc: 'a value as text', run: ofText((text) => text) }],
  [
    'coalesce',
    {
      least: 1,
      most: MANY,
      makes: 'same',
      doc: 'the first value that is something',
      run: (given) => given.find((value) => value !== null && value !== '') ?? null,
    },
  ],
  [
    'isnull',
    {
      least: 1,
      most: 1,
      makes: 'Boolean',
      doc: 'whether a value is nothing',
      run: ([value = null]) => value === null || value === '',
    },
  ],
  [
    'in',
    {
      least: 2,
      most: MANY,
      makes: 'Boolean',
      doc: 'in(value, one, another): whether it is one of them',
      run: ([value = null, ...rest]) => value !== null && rest.some((one) => compareValues(value, one) === 0),
    },
  ],
  [
    'length',
    {
      least: 1,
      most: 1,
      makes: 'Float',
      doc: 'the number of characters',
      run: ofText((text) => wholeNumber(Array.from(text).length)),
    },
  ],
  [
    'upper',
    {
      least: 1,
      most: 1,
      makes: 'String',
      doc: 'in capital letters',
      run: ofText((text) => boundedText(text.toUpperCase())),
    },
  ],
  [
    'lower',
    {
      least: 1,
      most: 1,
      makes: 'String',
      doc: 'in small letters',
      run: ofText((text) => boundedText(text.toLowerCase())),
    },
  ],
  ['trim', { least: 1, most: 1, makes: 'String', doc: 'without space around it', run: ofText((text) => text.trim()) }],
  [
    'contains',
    {
      least: 2,
      most: 2,
      makes: 'Boolean',
      doc: 'contains(text, part), whatever the case',
      run: ([value = null, part = null]) => textOf(value).toLowerCase().includes(textOf(part).toLowerCase()),
    },
  ],
  [
    'startswith',
    {
      least: 2,
      most: 2,
      makes: 'Boolean',
      doc: 'startswith(text, part), whatever the case',
      run: ([value = null, part = null]) => textOf(value).toLowerCase().startsWith(textOf(part).toLowerCase()),
    },
  ],
  [
    'today',
    {
      least: 0,
      most: 0,
      makes: 'Date',
      doc: "today in the installation's time zone",
      run: (_given, { today }) => ({ day: today }),
    },
  ],
  ['date', { least: 1, most: 1, makes: 'Date', doc: 'a text as day', run: ([value = null]) => dayOf(value, 'date') }],
  [
    'days',
    {
      least: 2,
      most: 2,
      makes: 'Float',
      doc: 'days(from, to): how many days lie between',
      run: ([from = null, to = null]) => {
        const [a, b] = [dayOf(from, 'days'), dayOf(to, 'days')];
        return a && b && wholeNumber((Date.parse(b.day) - Date.parse(a.day)) / DAY_MILLISECONDS);
      },
    },
  ],
  [
    'adddays',
    {
      least: 2,
      most: 2,
      makes: 'Date',
      doc: 'adddays(day, number)',
      run: ([value = null, count = null]) => {
        const [day, more] = [dayOf(value, 'adddays'), wholeOf(count, 'adddays', DAYS_MAX)];
        return day && more !== null ? dayAt(Date.parse(day.day) + more * DAY_MILLISECONDS, 'adddays') : null;
      },
    },
  ],
  [
    'addmonths',
    {
      least: 2,
      most: 2,
      makes: 'Date',
      doc: 'addmonths(day, number): the last day of the month where it has no such day',
      run: ([value = null, count = null]) => {
        const [day, more] = [dayOf(value, 'addmonths'), wholeOf(count, 'addmonths', DAYS_MAX)];
        return day && more !== null ? addMonths(day, more) : null;
      },
    },
  ],
  ['year', { least: 1, most: 1, makes: 'Float', doc: 'the year of a day', run: ofDay('year', 0, 4) }],
  ['month', { least: 1, most: 1, makes: 'Float', doc: 'the month of a day', run: ofDay('month', 5, 7) }],
  ['day', { least: 1, most: 1, makes: 'Float', doc: 'the day of the month', run: ofDay('day', 8, 10) }],
]);

function onNumber(value: Value, what: string, run: (number: Decimal) => Decimal): Value {
  const number = numberOf(value, what);
  return number && run(number);
}
