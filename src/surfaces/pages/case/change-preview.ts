import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { table } from '../design/table.ts';
import type { PageCall } from '../page-call.ts';
import { statusState } from './step-view.ts';
import { workflowName } from './workflow-section.ts';
import type { WorkflowChange } from './workflow-changes.ts';

/** What a change would do to a step. */
type PreviewRow = AnswerRowFor<'decision/preview'>;

/** Most steps that the page lists; the rest are only counted. */
const LISTED_MAX = 300;

/**
 * Reads what a change would do, step by step; undefined where the user may not preview it. @throws the error with which
 * the change would be refused
 */
export async function readPreview(
  call: PageCall,
  { preview }: WorkflowChange,
  id: number,
  step: number | undefined,
): Promise<readonly PreviewRow[] | undefined> {
  if (preview === undefined || !call.may('decision/preview')) return undefined;
  const { answer } = await call.call('decision/preview', {
    ID: id,
    Change: preview,
    ...(step === undefined ? {} : { DecisionStepID: step }),
  });
  return answer.rows;
}

/** The texts for an effect on a step: in the list, and in the summary for one step and for several. */
interface EffectTexts {
  readonly line: string;
  readonly summary?: readonly [one: string, many: string];
}

const effects: ReadonlyMap<string, EffectTexts> = new Map(
  Object.entries<EffectTexts>({
    Canceled: { line: 'Canceled', summary: ['will be canceled', 'will be canceled'] },
    Repeated: {
      line: 'To be done again',
      summary: ['that is done must be done again', 'that are done must be done again'],
    },
    Completed: { line: 'Done, without its action', summary: ['will be skipped', 'will be skipped'] },
    Reopened: { line: 'Reopened', summary: ['will be reopened', 'will be reopened'] },
    TasksCanceled: { line: 'Stays done' },
  }),
);

/** Renders what will happen, as a sentence and as a list of steps. `id`: the changed workflow. */
export function previewSection(rows: readonly PreviewRow[], id: number): Markup {
  const hasOthers = rows.some((row) => row.DecisionID !== id);
  const listed = rows.slice(0, LISTED_MAX);
  const steps = table({
    label: 'Affected steps',
    className: 'wrap',
    heads: ['Step', hasOthers && 'Workflow', 'Now', 'Then'],
    rows: listed.map((row) => previewRow(row, hasOthers)),
  });
  return card({
    id: 'happens',
    title: 'What will happen',
    body: html`<p class="card-body">${summarySentence(rows)}</p>
${rows.length > 0 && steps}
${rows.length > listed.length && html`<p class="card-body muted">And ${rows.length - listed.length} more steps</p>`}`,
  });
}

function previewRow(row: PreviewRow, hasWorkflow: boolean): Markup {
  const status = row.Status ?? '';
  return html`<tr>
<th scope="row"><bdi>${row.DecisionStep}</bdi></th>
${hasWorkflow && html`<td><bdi>${workflowName(row)}</bdi></td>`}
<td class="nowrap">${status === '' ? 'Upcoming' : statusState(status).word}</td>
<td>${effects.get(row.Effect)?.line}${taskText(row)}</td>
</tr>\n`;
}

/** Returns what happens to a step's tasks: ", 2 open tasks canceled". */
function taskText(row: PreviewRow): string {
  const count = row.TaskCount;
  if (count === 0) return '';
  const noun = count === 1 ? 'task' : 'tasks';
  return row.Effect === 'Reopened' ? `, ${count} ${noun} reopened` : `, ${count} open ${noun} canceled`;
}

/** Returns how many steps have each effect, and how many tasks are affected. */
function summarySentence(rows: readonly PreviewRow[]): string {
  const steps = [...effects].flatMap(([effect, { summary }]) => {
    const count = rows.filter((row) => row.Effect === effect).length;
    if (count === 0 || !summary) return [];
    return [count === 1 ? `1 step ${summary[0]}` : `${count} steps ${summary[1]}`];
  });
  const taskCount = rows.reduce((sum, row) => sum + row.TaskCount, 0);
  const isReopened = rows.some((row) => row.Effect === 'Reopened');
  const noun = taskCount === 1 ? 'task' : 'tasks';
  const tasks = taskCount === 0 ? [] : [`${taskCount} ${noun} will be ${isReopened ? 'reopened' : 'canceled'}`];
  const parts = [...steps, ...tasks];
  return parts.length === 0 ? 'No step or task changes.' : `${parts.join(', ')}.`;
}
