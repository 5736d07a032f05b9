/** Tasks that a firm reports: facts from outside, with or without the answers that their forms ask for. */
import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { namesHint, PlatformError } from '../../../kernel/door/errors.ts';
import { readAnswers } from '../importform/lib/form-answers.ts';
import { formOf, type Question } from '../importform/lib/form.ts';
import { normalizeAnswer } from '../importform/lib/normalize-answer.ts';

export { asReportedCompletion, type ReportedSave } from '../importform/lib/reported-completion.ts';

/** An answer as it was sent. */
export interface SentAnswer {
  readonly question: string;
  readonly answer: string;
}

/**
 * Returns answers as parameters of a save of the task, by the names of their questions. Only questions of the form are
 * accepted, and of those only the ones whose answer is stored with the task: other names would be fields of the task.
 * @throws BAD_PARAMETER if a question is unknown (naming those of the form), sent twice, or its answer is invalid
 */
export async function reportedAnswers(
  ctx: Context,
  templateId: number,
  sent: readonly SentAnswer[],
): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = {};
  if (sent.length === 0) return values;
  const questions = await answerableQuestions(ctx, templateId);
  for (const { question: name, answer } of sent) {
    const question = requireQuestion(questions, name.trim());
    if (question.name in values)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Answers',
        message: `Answers: the question ${question.name} is answered twice.`,
      });
    values[question.name] = normalizeAnswer(question, answer.trim(), { timeZone: ctx.settings.get(timeZone) });
  }
  return values;
}

/** Returns the names of the questions that {@link reportedAnswers} accepts. */
export async function questionNames(ctx: Context, templateId: number): Promise<readonly string[]> {
  return (await answerableQuestions(ctx, templateId)).map(({ name }) => name);
}

async function answerableQuestions(ctx: Context, templateId: number): Promise<readonly Question[]> {
  return ((await formOf(ctx, templateId))?.questions ?? []).filter(
    ({ place, calculation }) => place.kind === 'answer' && calculation === null,
  );
}

/** Whether a task has these answers already, which {@link reportedAnswers} has returned. */
export async function hasAnswers(
  ctx: Context,
  taskId: number,
  answers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const [row] = await ctx.db.query<{ template: number | null; xml: string | null }>(
    'select importformtemplateid as template, xmldata as xml from importform where importformid = $1::bigint',
    [taskId],
  );
  const form = await formOf(ctx, row?.template);
  const stored = form && row ? readAnswers(form, ctx.registry.recordType('ImportForm'), row.xml) : undefined;
  return Object.entries(answers).every(([name, answer]) => (stored?.get(name) ?? '') === answer);
}

function requireQuestion(questions: readonly Question[], name: string): Question {
  const found = questions.find((question) => question.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = questions.map((question) => question.name);
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Question',
    message:
      names.length === 0
        ? 'Question: the step asks nothing; leave out Answers.'
        : `Question: the step does not ask "${name.slice(0, 100)}".${namesHint(name, names)}`,
  });
}
