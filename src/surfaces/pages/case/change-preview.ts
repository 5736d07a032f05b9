import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import type { WorkflowChange } from './workflow-changes.ts';

/** Steps that the page lists; of more it tells the number. */
const LISTED_MAX = 300;

/** What a change would do, step by step; undefined where the user may not look ahead. @throws what the change would refuse */
export async function readPreview(
  call: PageCall,
  { preview }: WorkflowChange,
  id: number,
  step: number | undefined,
): Promise<readonly Row[] | undefined> {
  if (preview === undefined || !call.may('decision/preview')) return undefined;
  const { answer } = await call.call('decision/preview', {
    ID: String(id),
    Change: preview,
    ...(step === undefined ? {} : { DecisionStepID: String(step) }),
  });
  return (answer as ListAnswer).rows;
}

const effectTexts: Readonly<Record<string, string>> = {
  Canceled: 'is canceled',
  Repeated: 'must be done again',
  Completed: 'becomes complete without being done',
  Reopened: 'opens again',
  TasksCanceled: 'stays complete',
};

/** What will happen, in a sentence and as a list of steps. */
export function previewSection(rows: readonly Row[], id: number): Markup {
  const hasOthers = rows.some((row) => row['DecisionID'] !== id);
  const listed = rows.slice(0, LISTED_MAX);
  const line = (row: Row): Markup =>
    html`<tr><th scope="row"><bdi>${String(row['DecisionStep'] ?? '')}</bdi></th>${hasOthers && html`<td><bdi>${String(row['Decision'] ?? '') || `Workflow ${String(row['DecisionID'])}`}</bdi></td>`}<td>${String(row['Status'] ?? '') || 'Not there yet'}</td><td>${effectTexts[String(row['Effect'])]}${Number(row['TaskCount']) > 0 && ` ${taskText(row)}`}</td></tr>\n`;
  return html`<section aria-labelledby="happens"><h2 id="happens">What will happen</h2><p>${summarySentence(rows)}</p>
${rows.length > 0 && html`<div class="scroll" role="region" tabindex="0" aria-label="Steps that something becomes of"><table><thead><tr><th scope="col">Step</th>${hasOthers && html`<th scope="col">Workflow</th>`}<th scope="col">Now</th><th scope="col">Then</th></tr></thead><tbody>${listed.map(line)}</tbody></table></div>`}
${rows.length > listed.length && html`<p class="quiet">And ${rows.length - listed.length} more steps.</p>`}</section>`;
}

function taskText({ TaskCount: count, Effect: effect }: Row): string {
  const tasks = count === 1 ? 'its open task' : `its ${String(count)} open tasks`;
  return effect === 'Reopened'
    ? `with ${count === 1 ? 'its task' : `its ${String(count)} tasks`}`
    : effect === 'TasksCanceled'
      ? `but ${tasks} ${count === 1 ? 'is' : 'are'} canceled`
      : `with ${tasks}${effect === 'Canceled' ? '' : ' canceled'}`;
}

/** How many steps of each kind there are, and tasks. */
function summarySentence(rows: readonly Row[]): string {
  const counts = Object.keys(effectTexts).flatMap((effect) => {
    const count = rows.filter((row) => row['Effect'] === effect).length;
    if (count === 0 || effect === 'TasksCanceled') return [];
    const words = {
      Canceled: ['is canceled', 'are canceled'],
      Repeated: ['that is complete must be done again', 'that are complete must be done again'],
      Completed: ['becomes complete', 'become complete'],
      Reopened: ['opens again', 'open again'],
    }[effect] ?? ['', ''];
    return [`${count} ${count === 1 ? 'step' : 'steps'} ${words[count === 1 ? 0 : 1]}`];
  });
  const tasks = rows.reduce((sum, row) => sum + Number(row['TaskCount'] ?? 0), 0);
  const opens = rows.some((row) => row['Effect'] === 'Reopened');
  if (tasks > 0)
    counts.push(
      `${tasks} ${tasks === 1 ? 'task' : 'tasks'} ${opens ? (tasks === 1 ? 'opens again' : 'open again') : tasks === 1 ? 'is canceled' : 'are canceled'}`,
    );
  return counts.length === 0 ? 'No step and no task changes.' : `${counts.join(', ')}.`;
}
