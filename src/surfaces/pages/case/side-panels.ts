import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { avatar } from '../design/avatar.ts';
import { badge } from '../design/badge.ts';
import { buttonLink } from '../design/button.ts';
import { panel } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { openPath } from '../display-values.ts';
import { hasPageImages } from '../documents/document-thumbnail.ts';
import { isHeldBack } from '../documents/scan-state.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { dueMark, shortDay } from '../days.ts';
import { expectedCompletion, isOpen, stateOf, type StepView } from './step-view.ts';
import { fileSize } from './timeline-view.ts';
import { workflowName, type WorkflowView } from './workflow-section.ts';

/** A task of a case. */
export type TaskRow = RowNamed<'ImportForm'>;

/** A document of a case. */
export type DocumentRow = RowNamed<'Attachment'>;

/** Open tasks that the panel shows; the tab has all. */
const TASKS_SHOWN = 8;

/** Returns tasks by when they are due, the earliest first. */
export function byDueDate(tasks: readonly TaskRow[]): readonly TaskRow[] {
  const due = (row: TaskRow): string => expectedCompletion(row) ?? '9999';
  return [...tasks].sort((a, b) => Number(due(a) > due(b)) - Number(due(a) < due(b)));
}

/** What the panel of tasks shows. */
export interface TaskPanel {
  readonly tasks: readonly TaskRow[];
  readonly count: number;
  readonly labels: Labels;
  /** Tasks whose workflow is on hold. */
  readonly held: ReadonlySet<number>;
  /** The address of the case's page. */
  readonly path: string;
}

/** Renders the open tasks, the one due first at the top. */
export function taskPanel(call: PageCall, { tasks, count, labels, held, path }: TaskPanel): Markup {
  const shown = byDueDate(tasks).slice(0, TASKS_SHOWN);
  const more =
    count > shown.length && html`<p class="small"><a class="link" href="${path}?tab=tasks">All ${count} tasks</a></p>`;
  const add =
    call.may('importform/save') &&
    buttonLink({
      text: 'Add a task',
      icon: 'plus',
      iconOnly: true,
      kind: 'quiet',
      href: `${path}?compose=task`,
    });
  return panel({
    id: 'tasks',
    title: 'Open tasks',
    note: String(count),
    actions: add,
    body:
      shown.length === 0
        ? html`<p class="muted">No open tasks</p>`
        : html`<ul class="task-list">${shown.map((row) =>
            task(call, row, { labels, held, isFirst: row === shown[0] }),
          )}</ul>${more}`,
  });
}

function task(
  call: PageCall,
  row: TaskRow,
  { labels, held, isFirst }: Pick<TaskPanel, 'labels' | 'held'> & { readonly isFirst: boolean },
): Markup {
  const id = row.ImportFormID;
  const due = expectedCompletion(row);
  const name = html`<bdi>${row.ImportForm ?? `Task ${id}`}</bdi>`;
  const person = row.AssignedPersonID === null ? undefined : labels.get('Person')?.get(row.AssignedPersonID);
  const isHeld = held.has(id);
  const when = due === undefined ? html`<span class="muted">No due date</span>` : dueMark(call, due);
  return html`<li${isFirst && !isHeld && html` class="now"`}>
<span class="task-circle${isHeld && ' held'}">${isHeld && icon('hold', 12)}</span>
<div class="grow"><p class="cut">${call.may('importform/describe') ? html`<a href="/form/${id}">${name}</a>` : name}</p>
<p class="small muted">${when}${isHeld && ' · On hold'}</p></div>
${person !== undefined && avatar(person)}</li>\n`;
}

/** Renders the newest documents. */
export function documentPanel(
  call: PageCall,
  {
    documents,
    count,
    path,
  }: { readonly documents: readonly DocumentRow[]; readonly count: number; readonly path: string },
): Markup {
  const add =
    call.may('attachment/save') &&
    buttonLink({
      text: 'Add a document',
      icon: 'plus',
      iconOnly: true,
      kind: 'quiet',
      href: `${path}?tab=documents#add-document`,
    });
  const item = (row: DocumentRow): Markup => {
    const name = row.Attachment ?? row.FileName ?? `Document ${row.AttachmentID}`;
    return html`<li><a href="${openPath('attachment', row.AttachmentID)}">${firstPage(call, row)}
<span class="cut"><bdi>${name}</bdi></span>
<span class="muted small">${shortDay(call, row.CreatedDate)}${
      row.FileSize !== null && html` · ${fileSize(row.FileSize)}`
    }</span></a></li>\n`;
  };
  return panel({
    id: 'documents',
    title: 'Documents',
    note: String(count),
    actions: add,
    body:
      documents.length === 0
        ? html`<p class="muted">No documents</p>`
        : html`<ul class="document-list" id="newest-documents" data-documents>${documents.map(item)}</ul>`,
  });
}

/** Renders the first page of a document, small; a drawing of a page where there is none. */
function firstPage(call: PageCall, row: DocumentRow): Markup {
  if (!hasPageImages(call, row) || isHeldBack(row)) return pagePicture;
  return html`<img class="page-picture" src="/api/attachment/pageimage?ID=${row.AttachmentID}&amp;Width=240" alt=""
width="60" height="76" loading="lazy">`;
}

const pagePicture = html`<svg class="page-picture" viewBox="0 0 60 76" aria-hidden="true">
<rect class="paper" width="60" height="76" rx="2"/><rect class="head" x="8" y="10" width="26" height="3"/>
<path class="lines" d="M8 22h44M8 28h44M8 34h38M8 44h44M8 50h44M8 56h28"/></svg>`;

/** Steps that the small picture of a workflow has around the current one. */
const BEFORE = 2;
const AFTER = 2;
const STEP = 56;

/** Renders a small picture of a workflow: the last steps done, those in progress, and those that come next. */
export function workflowPanel(workflow: WorkflowView | undefined, path: string): Markup {
  if (!workflow) return panel({ id: 'flow', title: 'Workflow', body: html`<p class="muted">No workflow has run</p>` });
  const { steps, row, id } = workflow;
  const open = steps.filter((step) => step.row && isOpen(step.row));
  const done = steps
    .filter((step) => stateOf(step).kind === 'done')
    .sort((a, b) => ((a.row?.ActualCompletion ?? '') < (b.row?.ActualCompletion ?? '') ? -1 : 1));
  const coming = steps.filter((step) => step.row === undefined && step.outlook === 'comes');
  const shown = [...done.slice(-BEFORE), ...open.slice(0, 2), ...coming.slice(0, AFTER)];
  const [first] = open;
  return panel({
    id: 'flow',
    title: 'Workflow',
    note: html`<bdi>${workflowName(row)}</bdi>`,
    actions: html`<a class="link small" href="${path}?tab=workflow&amp;Workflow=${id}">Open</a>`,
    body: html`${shown.length > 0 && miniature(shown)}
<p class="small soft">${done.length} of ${steps.length} steps done.${
      first && html` Now: <bdi>${first.name}</bdi>.`
    }</p>`,
  });
}

function miniature(steps: readonly StepView[]): Markup {
  const width = steps.length * STEP;
  const words = steps.map((step) => `${step.name}: ${stateOf(step).word}`).join('. ');
  const boxes = steps.map((step, at) => {
    const { kind } = stateOf(step);
    const x = at * STEP + 14;
    const mark = {
      done: html`<path class="mini-mark" d="m${x + 8} 30 4 4 8-8"/>`,
      held: html`<path class="mini-mark" d="M${x + 11} 25v10M${x + 17} 25v10"/>`,
    }[kind as string];
    return html`<g class="mini-step ${kind}"><rect x="${x}" y="20" width="28" height="20" rx="5"/>${mark ?? false}
<text x="${x + 14}" y="${at % 2 === 0 ? 12 : 56}" text-anchor="middle">${shortName(step.name)}</text></g>`;
  });
  const lines = steps.slice(1).map((_, at) => html`<path class="mini-line" d="M${at * STEP + 42} 30h${STEP - 28}"/>`);
  return html`<svg class="mini" viewBox="0 0 ${width} 64" role="img" aria-label="${words}">${lines}${boxes}</svg>`;
}

function shortName(name: string): string {
  return name.length > 17 ? `${name.slice(0, 16).trimEnd()}…` : name;
}

/** Renders what the law makes people check: military service and bankruptcies of the borrowers. */
export function legalBadges(checks: LegalChecks): readonly Markup[] {
  const { military, bankruptcies } = checks;
  return [
    ...(military.some(({ isActive }) => isActive) ? [badge('Military: active duty', 'violet', 'military')] : []),
    ...bankruptcies.map(
      ({ id, chapter }) =>
        html`<a href="/case/bankruptcy/${id}">${badge(`Bankruptcy${chapterText(chapter)}`, 'violet', 'court')}</a>`,
    ),
    ...(checks.isRepresented ? [badge('Represented', 'warn')] : []),
  ];
}

/** Returns the chapter of a bankruptcy after a comma; nothing if it is not known. */
export function chapterText(chapter: string | null): string {
  return chapter === null ? '' : `, chapter ${chapter}`;
}

/** The results of legal checks. */
export interface LegalChecks {
  readonly military: readonly {
    readonly name: string;
    readonly status: string | null;
    readonly asOf: string | null;
    readonly isActive: boolean;
  }[];
  /** Other open bankruptcies on the loan. */
  readonly bankruptcies: readonly { readonly id: number; readonly chapter: string | null }[];
  readonly isRepresented: boolean;
}
