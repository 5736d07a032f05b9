import type { Context } from '../../../../kernel/door/context.ts';
import type { Task } from '../importform.record.ts';
import { evaluateForm, type FormEvaluation } from './evaluate-form.ts';
import { addColumns, readAnswers, taskParent } from './form-answers.ts';
import { lacksFinalStatus } from './form-status.ts';
import { constrainsTasks, formOf, type Form } from './form.ts';

/** Returns the questions that a complete task must answer and does not. */
export function missingAnswers(
  form: Form,
  { answers, required }: Pick<FormEvaluation, 'answers' | 'required'>,
): readonly string[] {
  // A parent field that the caller cannot see is not required.
  return form.questions
    .filter(
      ({ name, place }) =>
        required.has(name) && (answers.get(name) ?? '') === '' && (place.kind !== 'parent' || answers.has(name)),
    )
    .map(({ name }) => name);
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
