import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { readFormView } from '../forms/submit-form.ts';
import { questionPrompt } from '../forms/questions.ts';
import { rowsReading } from '../forms/rows-question.ts';
import type { PageCall } from '../page-call.ts';
import type { TaskRow } from './side-panels.ts';

/** Whether a task has answers with rows, which the tab of tasks shows as tables. */
export function hasAnswerRows(call: PageCall, { XmlData: answers }: TaskRow): boolean {
  return call.may('importform/describe') && (answers ?? '').includes('<Row>');
}

/** Renders the answers with rows of a task of the case as tables, for reading. */
export async function taskRowsCard(call: PageCall, task: TaskRow): Promise<Markup> {
  const form = await readFormView(call, 'describe', { ID: task.ImportFormID });
  const questions = form.questions.filter(({ type, isShown, value }) => type === 'Rows' && isShown && value !== '');
  return card({
    id: 'task-answers',
    title: html`<bdi>${task.ImportForm}</bdi>`,
    actions: html`<a class="button quiet" href="/form/${task.ImportFormID}">Open the task</a>`,
    body:
      questions.length === 0
        ? emptyState({ title: 'You don’t have access to these answers, or the form no longer has this question.' })
        : html`<div class="card-body stack">${questions.map(
            (question) => html`<div class="stack"><h3 id="l-${question.name}">${questionPrompt(question)}</h3>
${rowsReading(call, question)}</div>\n`,
          )}</div>`,
  });
}
