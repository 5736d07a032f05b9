import type { Context } from '../../../../kernel/door/context.ts';
import type { Task } from '../importform.record.ts';
import { evaluateForm, type FormEvaluation } from './evaluate-form.ts';
import { addColumns, readAnswers, taskParent } from './form-answers.ts';
import { lacksFinalStatus } from './form-status.ts';
import { cellName, isFilled, parseRows } from '../../../../lib/answers/answer-rows.ts';
import { constrainsTasks, formOf, type Form, type Question } from './form.ts';

/** Returns what a complete task must answer and does not: names of questions, and of cells (`Bids[3].Amount`). */
export function missingAnswers(
  form: Form,
  { answers, required, shown }: Pick<FormEvaluation, 'answers' | 'required' | 'shown'>,
): readonly string[] {
  // A parent field that the caller cannot see is not required.
  return form.questions
    .filter(({ name, place }) => shown.has(name) && (place.kind !== 'parent' || answers.has(name)))
    .flatMap((question) => missingIn(question, answers.get(question.name) ?? '', required.has(question.name)));
}

/** Returns the question if it has no answer or too few rows, or the required cells without one. */
export function missingIn(
  question: Pick<Question, 'name' | 'type' | 'minimum' | 'columns'>,
  text: string,
  isRequired: boolean,
): readonly string[] {
  const { name, type, columns } = question;
  if (type !== 'Rows') return isRequired && text === '' ? [name] : [];
  const rows = (parseRows(text) ?? []).filter(isFilled);
  if (rows.length === 0 && !isRequired) return [];
  const cells = rows.flatMap((row, at) =>
    columns
      .filter((column) => column.isRequired === true && (row.get(column.name) ?? '') === '')
      .map((column) => cellName(name, at + 1, column.name)),
  );
  return rows.length < leastRows(question) ? [name, ...cells] : cells;
}

/** Returns how many rows an answer has at least, if there is one. */
function leastRows({ minimum }: Pick<Question, 'minimum'>): number {
  return Math.max(1, Number(minimum ?? 1));
}

/** Returns what to do about a missing answer or cell. */
export function missingMessage({ questions }: Form, missing: string): string {
  const question = questions.find(({ name, type }) => name === missing && type === 'Rows');
  if (!question) return `${missing}: required; enter an answer.`;
  const least = leastRows(question);
  return `${missing}: required; enter at least ${least} ${least === 1 ? 'row' : 'rows'}.`;
}

/**
 * Returns what a complete task should have and does not: names of questions, and Status if it is in none of its form's
 * final statuses. Empty for a task that a user has completed.
 */
export async function missingFromTask(ctx: Context, task: Task): Promise<readonly string[]> {
  const form = await formOf(ctx, task.ImportFormTemplateID);
  if (!constrainsTasks(form)) return [];
  const record = ctx.registry.recordType('ImportForm');
  const parent = taskParent(ctx, task);
  const answers = readAnswers(form, record, task.XmlData);
  await addColumns(ctx, form, answers, { row: task, parent });
  const missing = missingAnswers(form, await evaluateForm(ctx, form, { task, record, parent, answers }));
  return lacksFinalStatus(form, task.Status) ? [...missing, 'Status'] : missing;
}
