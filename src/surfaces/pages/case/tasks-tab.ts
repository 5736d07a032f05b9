import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { shortDay, dueMark } from '../days.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { plural } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import type { CaseView } from './case-view.ts';
import { byDueDate, type TaskRow } from './side-panels.ts';
import { expectedCompletion, isOpen, statusState } from './step-view.ts';
import { tabBody } from './tab-body.ts';
import { hasAnswerRows, taskRowsCard } from './task-rows.ts';

type ItemRow = RowNamed<'SmartWorklistMember'>;

/** Rows of a page of the list. */
const ROWS_MAX = 100;
/** The form to which ticked tasks belong. */
const TICKS = 'ticked-tasks';

/** A choice of tasks: what it finds, and what a list of it is called. */
interface Choice {
  readonly name: string;
  readonly text: string;
  readonly label: string;
  /** What the case has none of, and why or what else. */
  readonly empty: { readonly title: string; readonly text: string };
  readonly filters: (call: PageCall) => Readonly<Record<string, string>>;
  readonly orderBy: string;
}

const OPEN = { ActualCompletion: 'null', CanceledDate: 'null' } as const;

const open: Choice = {
  name: 'open',
  text: 'Open',
  label: 'Open tasks',
  empty: { title: 'No open tasks', text: 'The workflow and people add them.' },
  filters: () => OPEN,
  orderBy: 'EstimatedCompletion',
};

const choices: readonly Choice[] = [
  open,
  {
    name: 'mine',
    text: 'Mine',
    label: 'Your open tasks',
    empty: { title: 'No open task of this case is yours', text: 'Others may have some: see all open ones.' },
    filters: ({ user }) => ({ ...OPEN, AssignedPersonID: String(user.personId) }),
    orderBy: 'EstimatedCompletion',
  },
  {
    name: 'overdue',
    text: 'Overdue',
    label: 'Overdue tasks',
    empty: { title: 'Nothing is overdue', text: 'Every open task is due later, or has no due date.' },
    filters: () => ({ SqlFilters: 'Overdue' }),
    orderBy: 'EstimatedCompletion',
  },
  {
    name: 'done',
    text: 'Done',
    label: 'Completed tasks',
    empty: { title: 'No task is done yet', text: 'Completed tasks stay here with their answers.' },
    filters: () => ({ ActualCompletion: 'not null' }),
    orderBy: '-ImportFormID',
  },
  {
    name: 'all',
    text: 'All',
    label: 'All tasks',
    empty: { title: 'No tasks', text: 'The workflow and people add them.' },
    filters: () => ({}),
    orderBy: '-ImportFormID',
  },
];

/** What the tab shows: which tasks, and with which words in their names. */
interface TaskFilter {
  readonly choice: Choice;
  readonly text: string;
}

/**
 * Renders the tasks of a case, open ones by due date: a choice of them, those whose names contain some text, and a way
 * to complete several. They come in pages: a case can have thousands.
 */
export async function tasksTab(call: PageCall, view: CaseView): Promise<Markup> {
  const shown: TaskFilter = {
    choice: choices.find(({ name }) => name === call.query['show']) ?? open,
    text: plainText(call.query['text']).trim(),
  };
  const { choice, text } = shown;
  const { answer } = await call.callBelow(`${view.record.module}/${view.id}`, 'importform/search', {
    ...choice.filters(call),
    ...(text === '' ? {} : { ImportForm: `*${text.replaceAll('*', '')}*` }),
    OrderBy: choice.orderBy,
    DisplaySize: ROWS_MAX,
    Cursor: plainText(call.query['cursor'] ?? '*'),
    RecordCount: 'true',
  });
  const { rows, count } = rowsOf(answer);
  const next = answer.rows.at(-1)?.NextCursor;
  const more =
    next !== undefined && html`<p><a class="link" href="${tabPath(view.path, shown, next)}">More tasks</a></p>`;
  const chosen = rows.find((row) => String(row.ImportFormID) === call.query['task'] && hasAnswerRows(call, row));
  return tabBody(
    'Tasks',
    html`${tools(call, view, shown, count)}
${chosen && (await taskRowsCard(call, chosen))}
${rows.length === 0 ? nothing(view.path, shown) : await taskTable(call, view, rows, shown)}${more}`,
  );
}

function tabPath(path: string, { choice, text }: TaskFilter, cursor = ''): string {
  const query = new URLSearchParams({ tab: 'tasks' });
  if (choice !== open) query.set('show', choice.name);
  if (text !== '') query.set('text', text);
  if (cursor !== '') query.set('cursor', cursor);
  return `${path}?${query.toString()}`;
}

/** Renders the choices, the filter by text, the count, and the way to add a task. */
function tools(call: PageCall, view: CaseView, { choice, text }: TaskFilter, count: number): Markup {
  const add =
    call.may('importform/save') &&
    view.taskTypes.length > 0 &&
    buttonLink({ text: 'Add a task', icon: 'plus', href: `${view.path}?compose=task` });
  const links = choices.map((each) => {
    const href = tabPath(view.path, { choice: each, text });
    return html`<a href="${href}"${each === choice && html` aria-current="true"`}>${each.text}</a>`;
  });
  return html`<div class="task-tools">
<nav class="kinds" aria-label="Tasks shown">${links}</nav>
<form class="task-find" role="search" aria-label="Tasks of the case" method="get" action="${view.path}">
${hiddenField('tab', 'tasks')}${choice !== open && hiddenField('show', choice.name)}
<label class="hidden" for="task-text">Tasks whose name contains</label>
<input class="input" id="task-text" type="search" name="text"
 value="${text}" placeholder="Filter by name" maxlength="100">
${button({ text: 'Filter', icon: 'filter', kind: 'quiet' })}</form>
<span class="muted small" role="status">${plural(count, 'task')}</span>
${add}</div>`;
}

/** Says why the list is empty, and leads on. */
function nothing(path: string, { choice, text }: TaskFilter): Markup {
  if (text === '') return emptyState({ ...choice.empty, icon: 'task' });
  return emptyState({
    title: 'No task matches',
    text: `None of these tasks has “${text}” in its name.`,
    icon: 'task',
    action: buttonLink({ text: 'Remove the filter', href: tabPath(path, { choice, text: '' }) }),
  });
}

async function taskTable(call: PageCall, view: CaseView, rows: readonly TaskRow[], shown: TaskFilter): Promise<Markup> {
  const items = await readItems(call, rows.filter(isOpen));
  const labels = await loadLabels(call, [
    referencesOf(rows, ['AssignedPersonID', 'Person'], ['AssignedCollectionID', 'Collection']),
    referencesOf([...items.values()], ['PersonID', 'Person'], ['TeamID', 'Collection']),
  ]);
  const ordered = [...byDueDate(rows.filter(isOpen)), ...rows.filter((row) => !isOpen(row))];
  const canComplete = call.user.universal && call.may('importform/save') && call.may('bulkrun/start');
  const hasEnded = rows.some((row) => !isOpen(row));
  const hasTicks = canComplete && rows.some((row) => isOpen(row) && !view.heldTasks.has(row.ImportFormID));
  return html`${table({
    label: shown.choice.label,
    className: 'stacked task-rows',
    heads: [hasTicks && { text: 'Select', isHidden: true }, 'Task', 'Status', 'Due', 'Assigned to', hasEnded && 'Done'],
    rows: ordered.map((row) => taskLine(call, row, { view, shown, items, labels, hasTicks, hasEnded })),
  })}${hasTicks && bulkForm(call, view)}`;
}

interface LineContext {
  readonly view: CaseView;
  readonly shown: TaskFilter;
  readonly items: ReadonlyMap<number, ItemRow>;
  readonly labels: Labels;
  readonly hasTicks: boolean;
  readonly hasEnded: boolean;
}

function taskLine(
  call: PageCall,
  row: TaskRow,
  { view, shown, items, labels, hasTicks, hasEnded }: LineContext,
): Markup {
  const id = row.ImportFormID;
  const text = row.ImportForm ?? `Task ${id}`;
  const due = expectedCompletion(row);
  const end = row.ActualCompletion ?? row.CanceledDate;
  const isHeld = view.heldTasks.has(id);
  const tick =
    isOpen(row) &&
    !isHeld &&
    html`<input class="tick" type="checkbox" name="ID" value="${id}" form="${TICKS}" aria-label="Select ${text}">`;
  const name = html`<bdi>${text}</bdi>`;
  const link = call.may('importform/describe') ? html`<a href="/form/${id}">${name}</a>` : name;
  const answers = hasAnswerRows(call, row) && rowsLink(view.path, shown, row);
  return html`<tr>${hasTicks && html`<td class="tick-cell">${tick}</td>`}<th scope="row">${link}${answers}</th>
<td>${isHeld ? 'On hold' : stateWord(row)}</td>
<td>${end === null && due !== undefined && dueMark(call, due)}</td>
<td>${assignee(call, row, items.get(id), labels)}</td>${
    hasEnded && html`<td>${end !== null && shortDay(call, end)}</td>`
  }</tr>\n`;
}

/** Returns the state of a task. Its dates decide where it has no status: it may have been done before it had one. */
function stateWord({ Status: status, ActualCompletion: done, CanceledDate: canceled }: TaskRow): string {
  if ((status ?? '') !== '') return statusState(status ?? '').word;
  if (canceled !== null) return 'Canceled';
  return done === null ? statusState('').word : 'Done';
}

/** Leads to the answers with rows of a task, above the list. */
function rowsLink(path: string, shown: TaskFilter, { ImportFormID: id, ImportForm: name }: TaskRow): Markup {
  const address = `${tabPath(path, shown)}&task=${id}#task-answers`;
  return html` <a class="link small" href="${address}">Show rows<span class="hidden"> of ${name}</span></a>`;
}

/** Renders the button that completes ticked tasks; the page that follows says which of them cannot be. */
function bulkForm(call: PageCall, view: CaseView): Markup {
  return html`<form class="row wrap task-bulk" id="${TICKS}" method="post" action="/bulk/importform">
${csrfField(call)}${hiddenField('Path', `${view.path}?tab=tasks`)}
${button({ text: 'Complete selected', icon: 'check', name: 'Action', value: 'complete' })}
<span class="small muted">You see first which can be completed.</span></form>`;
}

/** Reads the open work items of tasks: who has taken one is known there, not in the task. */
async function readItems(call: PageCall, tasks: readonly TaskRow[]): Promise<ReadonlyMap<number, ItemRow>> {
  // Firms do not see how staff divide the work.
  const isOpenToUser = call.user.universal && call.may('smartworklistmember/search');
  if (tasks.length === 0 || !isOpenToUser) return new Map();
  const { answer } = await call.call('smartworklistmember/search', {
    SourceObject: 'ImportForm',
    SourceObjectID: tasks.map(({ ImportFormID: id }) => String(id)),
    CompletionDate: 'null',
    CancelledDate: 'null',
    DisplaySize: 2 * ROWS_MAX,
    RecordCount: 'false',
  });
  return new Map(answer.rows.map((row) => [row.SourceObjectID, row]));
}

/** Renders who has a task: the user who took its work item, else the user or team that it is assigned to. */
function assignee(call: PageCall, row: TaskRow, item: ItemRow | undefined, labels: Labels): Markup {
  const person = item?.PersonID ?? row.AssignedPersonID;
  const team = item?.TeamID ?? row.AssignedCollectionID;
  if (person !== null) return recordLink(call, 'Person', person, labels.get('Person')?.get(person));
  if (team !== null) return recordLink(call, 'Collection', team, labels.get('Collection')?.get(team));
  return html`<span class="muted">Unassigned</span>`;
}
