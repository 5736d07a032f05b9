import { bad, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { valueText } from '../../../../kernel/parameters/value-text.ts';
import { xmlElement, type XmlElement } from '../../../../kernel/xml/element.ts';
import {
  cellName,
  isFilled,
  parseRows,
  PLACES_MAX,
  rowsJson,
  type AnswerRow,
} from '../../../../lib/answers/answer-rows.ts';
import { isAnswerName } from '../../../../lib/answers/answer-document.ts';
import type { Form, Question } from './form.ts';

/*
 * An answer with rows is one text wherever answers are handled: a JSON list with an object for each row, whose members
 * are the cells by the names of their columns. In the task's document it is an element `<Row>` for each row.
 */

/** Most rows of an answer; the greatest Maximum of a question with rows. */
export const ROWS_MAX = 500;
/** Most characters of an answer with rows, as JSON. */
export const ROWS_CHARACTERS_MAX = 1_000_000;
/** The element of a row in a document of answers. */
const ROW = 'Row';

/** What this module needs of a question with rows. */
type RowsQuestion = Pick<Question, 'name' | 'columns'>;

/** Returns the answer with these rows as it is compared and stored: without empty ones, cells in the columns' order. */
export function rowsText({ columns }: Pick<Question, 'columns'>, rows: readonly AnswerRow[]): string {
  return placedRowsText({ columns }, rows.filter(isFilled));
}

/** Like {@link rowsText}, with the empty rows before others, so that each row keeps its number. */
export function placedRowsText({ columns }: Pick<Question, 'columns'>, rows: readonly AnswerRow[]): string {
  const order = new Map(columns.map(({ name }, at) => [name, at]));
  const place = (name: string): number => order.get(name) ?? columns.length;
  return rowsJson(rows.map((row) => new Map([...row].sort(([a], [b]) => place(a) - place(b)))));
}

/** Returns an answer with rows from its element. @throws BAD_PARAMETER if it has other elements than rows of cells */
export function rowsFromXml(question: RowsQuestion, element: XmlElement): string {
  const isRow = (child: XmlElement): boolean =>
    child.name === ROW && child.children.every((cell) => cell.children.length === 0);
  if (!element.children.every(isRow))
    throw bad(question.name, `an element <${ROW}> for each row, with an element for each column`);
  const names = new Map(question.columns.map(({ name }) => [name.toLowerCase(), name]));
  const rows = element.children.map(
    ({ children }) =>
      new Map(children.toReversed().map(({ name, text }) => [names.get(name.toLowerCase()) ?? name, text])),
  );
  return rowsText(question, rows);
}

/** Returns the elements of an answer with rows; undefined if it is no list of rows, or a name in it no element's. */
export function rowsToXml(text: string): readonly XmlElement[] | undefined {
  const rows = parseRows(text)?.filter(isFilled);
  if (rows?.some((row) => ![...row.keys()].every(isAnswerName))) return undefined;
  return rows?.map((row) =>
    xmlElement(
      ROW,
      [...row].map(([name, cell]) => xmlElement(name, cell)),
    ),
  );
}

/** Whether a name is one that {@link collectRows} may take: `Bids_0_Amount`. */
export function isCellParameter(name: string): boolean {
  return /^[A-Za-z_][\w.-]*_\d{1,6}_./.test(name);
}

/**
 * Returns parameters with the cells of rows (`Bids_0_Amount`: a list of objects in JSON, elements in XML, or fields of
 * a form) collected into one answer for each question with rows.
 */
export function collectRows<V extends RawValue>(
  { questions }: Pick<Form, 'questions'>,
  sent: Iterable<readonly [name: string, value: V]>,
): Map<string, V | string> {
  const collected = new Map<string, V | string>(sent);
  for (const question of questions) {
    if (question.type !== 'Rows') continue;
    const prefix = `${question.name.toLowerCase()}_`;
    const rows: Map<string, string>[] = [];
    for (const [name, value] of collected) {
      if (!name.toLowerCase().startsWith(prefix)) continue;
      const [, place, column] = /^(\d{1,6})_(.+)$/s.exec(name.slice(prefix.length)) ?? [];
      if (place === undefined || column === undefined) continue;
      placeCell(question.name, rows, { place: Number(place), column, value });
      collected.delete(name);
    }
    if (rows.length > 0) collected.set(question.name, JSON.stringify(rows.map((row) => Object.fromEntries(row))));
  }
  return collected;
}

function placeCell(
  question: string,
  rows: Map<string, string>[],
  { place, column, value }: { readonly place: number; readonly column: string; readonly value: RawValue },
): void {
  if (place >= PLACES_MAX) throw bad(question, `row numbers below ${PLACES_MAX}`);
  if (typeof value === 'object' && value !== null)
    throw bad(cellName(question, place + 1, column.slice(0, 100)), 'one value, not a list or an object');
  while (rows.length <= place) rows.push(new Map());
  rows[place]?.set(column, valueText(value ?? ''));
}
