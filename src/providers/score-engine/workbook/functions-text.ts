import { matches } from './criteria.ts';
import {
  cellsOf,
  fail,
  ARGUMENTS_MAX,
  numberOf,
  scalar,
  requireValue,
  textOf,
  truthOf,
  wide,
  type FormulaFunction,
} from './formula-function.ts';
import { formatNumber } from './format-number.ts';
import { TEXT_CHARACTERS_MAX } from './cell-value.ts';

/** Returns a text no longer than a cell can hold. */
function bounded(text: string): string {
  return text.length > TEXT_CHARACTERS_MAX
    ? fail('#VALUE!', `a text would be longer than ${TEXT_CHARACTERS_MAX} characters`)
    : text;
}

function count(value: Parameters<typeof numberOf>[0], otherwise: number): number {
  const number = value === undefined ? otherwise : Math.trunc(numberOf(value));
  return number < 0 ? fail('#VALUE!', 'a number of characters is negative') : number;
}

function joined(separator: string, texts: Iterable<string>): string {
  let made: string | undefined;
  for (const text of texts) made = bounded(made === undefined ? text : made + separator + text);
  return made ?? '';
}

function repeated(text: string, times: number): string {
  if (text.length * times > TEXT_CHARACTERS_MAX)
    return fail('#VALUE!', `a text would be longer than ${TEXT_CHARACTERS_MAX} characters`);
  return text.repeat(times);
}

function substituted(text: string, old: string, other: string, which: number | undefined): string {
  if (old === '') return text;
  const parts = text.split(old);
  if (which === undefined)
    return text.length + (parts.length - 1) * other.length > 2 * TEXT_CHARACTERS_MAX
      ? fail('#VALUE!', 'a text would be too long')
      : bounded(parts.join(other));
  if (which < 1) return fail('#VALUE!');
  return which >= parts.length ? text : bounded(parts.slice(0, which).join(old) + other + parts.slice(which).join(old));
}

function found(at: number): number {
  return at < 0 ? fail('#VALUE!', 'the text was not found') : at + 1;
}

/** Text functions. */
export const textFunctions: Readonly<Record<string, FormulaFunction>> = {
  CONCATENATE: scalar(1, ARGUMENTS_MAX, (values) => joined('', values.map(textOf))),
  CONCAT: wide(1, ARGUMENTS_MAX, (given) => joined('', [...cellsOf(given)].map(textOf))),
  TEXTJOIN: wide(3, ARGUMENTS_MAX, ([separator = null, skip = null, ...given], _around, single) => {
    const texts = [...cellsOf(given)].map(textOf);
    return joined(textOf(single(separator)), truthOf(single(skip)) ? texts.filter((text) => text !== '') : texts);
  }),
  LEFT: scalar(1, 2, ([text, n]) => textOf(text).slice(0, count(n, 1))),
  RIGHT: scalar(1, 2, ([text, n]) => {
    const [whole, length] = [textOf(text), count(n, 1)];
    return length === 0 ? '' : whole.slice(-length);
  }),
  MID: scalar(3, 3, ([text, from, n]) => {
    const at = Math.trunc(numberOf(from));
    return at < 1 ? fail('#VALUE!', 'MID begins before the text') : textOf(text).slice(at - 1, at - 1 + count(n, 0));
  }),
  LEN: scalar(1, 1, ([text]) => textOf(text).length),
  LOWER: scalar(1, 1, ([text]) => textOf(text).toLowerCase()),
  UPPER: scalar(1, 1, ([text]) => textOf(text).toUpperCase()),
  PROPER: scalar(1, 1, ([text]) =>
    textOf(text)
      .toLowerCase()
      .replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  TRIM: scalar(1, 1, ([text]) =>
    textOf(text)
      .split(' ')
      .filter((word) => word !== '')
      .join(' '),
  ),
  CLEAN: scalar(1, 1, ([text]) => textOf(text).replace(/[\u0000-\u001f]/g, '')),
  EXACT: scalar(2, 2, ([one, other]) => textOf(one) === textOf(other)),
  FIND: scalar(2, 3, ([sought, text, from]) =>
    found(textOf(text).indexOf(textOf(sought), from === undefined ? 0 : Math.max(0, Math.trunc(numberOf(from)) - 1))),
  ),
  SEARCH: scalar(2, 3, ([sought, text, from], around) =>
    found(
      matches(textOf(sought), textOf(text), around, {
        whole: false,
        start: from === undefined ? 0 : Math.max(0, Math.trunc(numberOf(from)) - 1),
      }),
    ),
  ),
  SUBSTITUTE: scalar(3, 4, ([text, old, other, which]) =>
    substituted(
      textOf(text),
      textOf(old),
      textOf(other),
      which === undefined ? undefined : Math.trunc(numberOf(which)),
    ),
  ),
  REPLACE: scalar(4, 4, ([text, from, n, other]) => {
    const [whole, at] = [textOf(text), Math.trunc(numberOf(from)) - 1];
    return at < 0
      ? fail('#VALUE!', 'REPLACE begins before the text')
      : bounded(whole.slice(0, at) + textOf(other) + whole.slice(at + count(n, 0)));
  }),
  REPT: scalar(2, 2, ([text, times]) => repeated(textOf(text), count(times, 0))),
  CHAR: scalar(1, 1, ([code]) => {
    const number = Math.trunc(numberOf(code));
    return number < 1 || number > 255 ? fail('#VALUE!') : String.fromCharCode(number);
  }),
  CODE: scalar(1, 1, ([text]) => textOf(text).codePointAt(0) ?? fail('#VALUE!')),
  TEXT: scalar(2, 2, ([value, format], { from1904 }) =>
    typeof value === 'string' ? value : requireValue(formatNumber(numberOf(value), textOf(format), from1904)),
  ),
};
