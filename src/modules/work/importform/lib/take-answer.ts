import type { Context } from '../../../../kernel/door/context.ts';
import type { ParseOptions } from '../../../../kernel/parameters/parse-value.ts';
import { personAnswer, personAnswers } from './answer-persons.ts';
import type { AnswerProblems } from './answer-problems.ts';
import { cellName, parseRows, type AnswerRow } from '../../../../lib/answers/answer-rows.ts';
import { placedRowsText, rowsText } from './answer-rows.ts';
import type { Question } from './form.ts';
import { normalizeAnswer, normalizeRows, requireRows } from './normalize-answer.ts';

/** A submitted answer in its stored form. */
export interface TakenAnswer {
  readonly text: string;
  /** The answer with its question, or each cell of its rows with its column under the cell's name. */
  readonly parts: readonly { readonly question: Question; readonly text: string }[];
  /** The answer with empty rows, so that the numbers of the others are those that were sent. */
  readonly placed: string;
  /** Whether a cell is invalid; it is then as it was sent. */
  readonly isInvalid: boolean;
}

/** How an answer is taken. */
export interface TakeAnswer {
  readonly options: ParseOptions;
  readonly problems: AnswerProblems;
  /** The stored answer: rows of it are not checked again. */
  readonly stored?: string | undefined;
}

/** Normalizes a submitted answer. Collects its problems; undefined if it cannot be used at all. */
export async function takeAnswer(
  ctx: Context,
  question: Question,
  text: string,
  by: TakeAnswer,
): Promise<TakenAnswer | undefined> {
  const { name, type } = question;
  if (type === 'Rows') return by.problems.attempt(name, () => takeRows(ctx, question, text, by));
  const normal = await by.problems.attempt(name, async () =>
    normalizeAnswer(question, type === 'Person' ? await personAnswer(ctx, text) : text, by.options),
  );
  if (normal === undefined) return undefined;
  return { text: normal, placed: normal, parts: [{ question, text: normal }], isInvalid: false };
}

async function takeRows(
  ctx: Context,
  question: Question,
  text: string,
  { options, problems, stored }: TakeAnswer,
): Promise<TakenAnswer> {
  const before = problems.found.length;
  const known = new Set((parseRows(stored ?? '') ?? []).map((row) => rowsText(question, [row])));
  const rows = normalizeRows(question, await withPersons(ctx, question, text), {
    options,
    onProblem: (cell, problem) => problems.add(cell, problem.message),
    stored: known,
  });
  const parts = rows.flatMap((row, at) =>
    known.has(rowsText(question, [row]))
      ? []
      : question.columns.map((column) => ({
          question: { ...column, name: cellName(question.name, at + 1, column.name) },
          text: row.get(column.name) ?? '',
        })),
  );
  return {
    text: rowsText(question, rows),
    placed: placedRowsText(question, rows),
    parts,
    isInvalid: problems.found.length > before,
  };
}

/** Returns an answer with rows in which users are named by their IDs. */
async function withPersons(ctx: Context, question: Question, text: string): Promise<string> {
  const columns = new Set(
    question.columns.filter(({ type }) => type === 'Person').map(({ name }) => name.toLowerCase()),
  );
  if (columns.size === 0) return text;
  const rows = requireRows(question, text);
  const isPerson = (name: string): boolean => columns.has(name.toLowerCase());
  const named = rows.flatMap((row) => [...row].filter(([name]) => isPerson(name)).map(([, cell]) => cell));
  const ids = await personAnswers(ctx, named);
  const resolved = rows.map(
    (row): AnswerRow =>
      new Map([...row].map(([name, cell]) => [name, isPerson(name) ? (ids.get(cell) ?? cell) : cell])),
  );
  return placedRowsText(question, resolved);
}
