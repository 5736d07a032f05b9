import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { icon, type IconName } from '../design/icons.ts';
import { displayValue, openPath, recordPath } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { dayHead, localDay, timeOfDay, today } from '../days.ts';

/** A row of an entry: one for each field that a change concerns. */
export type EntryRow = AnswerRowFor<'timeline/read'>;

/** How many entries of a kind there are. */
export type EntryCount = AnswerRowFor<'timeline/counts'>;

/** The kinds by which people filter, as they read them. */
const kindTitles: Readonly<Record<string, string>> = {
  Note: 'Notes',
  Mail: 'Mail',
  Document: 'Documents',
  Step: 'Steps',
  Task: 'Tasks',
  Hold: 'Holds',
  Event: 'Events',
  Import: 'Imports',
  Change: 'Changes',
};

const kindIcons: Readonly<Record<string, IconName>> = {
  Note: 'note',
  Mail: 'message',
  Document: 'document',
  Step: 'workflow',
  Task: 'task',
  Hold: 'hold',
  Event: 'flag',
  Import: 'import',
  Change: 'history',
};

/** What a timeline shows, from the address. */
export interface TimelineChoice {
  /** The kind; empty for all. */
  readonly kind: string;
  readonly isAutomaticShown: boolean;
  readonly before: string;
}

/** Returns what the address asks a timeline to show. */
export function timelineChoice(call: PageCall): TimelineChoice {
  const kind = plainText(call.query['kind']);
  return {
    kind: kind in kindTitles ? kind : '',
    isAutomaticShown: plainText(call.query['auto']) !== '0',
    before: plainText(call.query['before']),
  };
}

/** Returns the query of a timeline's address. */
function timelineQuery(tab: string, { kind, isAutomaticShown, before }: TimelineChoice): string {
  const query = new URLSearchParams(tab === 'overview' ? {} : { tab });
  if (kind !== '') query.set('kind', kind);
  if (!isAutomaticShown) query.set('auto', '0');
  if (before !== '') query.set('before', before);
  return `?${query.toString()}`;
}

/** Renders the filters of a timeline: its kinds with their numbers, and whether automatic entries are shown. */
export function timelineFilter(choice: TimelineChoice, counts: readonly EntryCount[]): Markup {
  const number = ({ EntryCount: all, AutomaticCount: automatic }: EntryCount): number =>
    choice.isAutomaticShown ? all : all - automatic;
  const link = (kind: string, text: string, count: number | undefined): Markup => {
    const isCurrent = kind === choice.kind;
    const more = count !== undefined && html` <span class="muted">${count}</span>`;
    const href = timelineQuery('overview', { ...choice, kind, before: '' });
    return html`<a href="${href}"${isCurrent && html` aria-current="true"`}>${text}${more}</a>\n`;
  };
  const shown = Object.entries(kindTitles).flatMap(([kind, text]) => {
    const count = counts.find(({ Kind }) => Kind === kind);
    const total = count ? number(count) : 0;
    if (kind === 'Change') return [link(kind, text, undefined)];
    return total === 0 && kind !== choice.kind ? [] : [link(kind, text, total)];
  });
  const toggled = timelineQuery('overview', {
    ...choice,
    isAutomaticShown: !choice.isAutomaticShown,
    before: '',
  });
  return html`<div class="timeline-filter">
<nav class="kinds" aria-label="Show">${link('', 'All', undefined)}${shown}</nav>
<a class="automatic end small soft" href="${toggled}" role="switch" aria-checked="${
    choice.isAutomaticShown ? 'true' : 'false'
  }"><span class="tick-mark">${choice.isAutomaticShown && icon('check', 12)}</span>Automatic entries</a>
</div>`;
}

/** What a timeline needs besides its rows. */
export interface TimelineContext {
  readonly call: PageCall;
  readonly labels: Labels;
  /** The address of the case's page. */
  readonly path: string;
  readonly choice: TimelineChoice;
  /** The case, as changes of it are published. */
  readonly topic: string;
  /** The tab that it is on. */
  readonly tab: string;
  /** Most entries of a page: as many mean that there may be more. */
  readonly size: number;
}

/** Renders entries, newest first, below the heads of their days. */
export function timelineList(rows: readonly EntryRow[], context: TimelineContext): Markup {
  const entries = [...Map.groupBy(rows, ({ Cursor }) => Cursor).values()];
  if (entries.length === 0)
    return emptyState({ title: context.choice.before === '' ? 'Nothing yet' : 'No older entries', icon: 'history' });
  const { call } = context;
  const now = today(call);
  const days = [...Map.groupBy(entries, ([first]) => (first ? localDay(call, first.At) : '')).entries()];
  const last = entries.at(-1)?.[0]?.Cursor ?? '';
  const older =
    entries.length >= context.size &&
    html`<p class="older"><a class="button" href="${timelineQuery(context.tab, {
      ...context.choice,
      before: last,
    })}">Older entries</a></p>`;
  return html`<div class="timeline" id="timeline" data-live="${context.topic}">${days.map(
    ([day, own]) => html`<section><h3>${dayHead(day, now)}</h3>
<ol>${own.map((each) => entry(each, context))}</ol></section>\n`,
  )}${older}</div>`;
}

function entry(rows: readonly EntryRow[], context: TimelineContext): Markup {
  const [row] = rows;
  if (!row) return html``;
  const { call } = context;
  const who = whoOf(row);
  return html`<li class="entry${row.IsAutomatic && ' automatic'}">
<span class="entry-icon">${icon(kindIcons[row.Kind] ?? 'history', 14)}</span>
<div class="grow">
<p class="entry-head"><b><bdi>${who}</bdi></b><span class="muted small end nowrap">${timeOfDay(call, row.At)}</span></p>
${entryBody(rows, row, context)}
</div></li>\n`;
}

function whoOf({ Kind, Action, Detail, Person, IsAutomatic }: EntryRow): string {
  if (Kind === 'Mail' && Action === 'Received') return Detail ?? 'Unknown sender';
  return Person ?? (IsAutomatic ? 'Casewright' : 'Someone');
}

function entryBody(rows: readonly EntryRow[], row: EntryRow, context: TimelineContext): Markup {
  switch (row.Kind) {
    case 'Note':
      return noteBody(row, context);
    case 'Mail':
      return row.Object === 'Message' ? mailBody(row, context) : html`<p class="soft">${sentence(row, context)}</p>`;
    case 'Document':
      return documentBody(row, context);
    case 'Change':
      return changeBody(rows, row, context);
    default:
      return html`<p class="soft">${sentence(row, context)}</p>${text(row)}`;
  }
}

function noteBody(row: EntryRow, { call }: TimelineContext): Markup {
  const title = (row.Title ?? '').trim();
  const isTitled = title !== '' && !(row.Text ?? '').startsWith(title);
  const head = html`<a href="${recordPath('message', row.ObjectID)}"><bdi>${title}</bdi></a>`;
  return html`${isTitled && html`<p class="strong">${call.may('message/select') ? head : title}</p>`}
${(row.Text ?? '') !== '' && html`<div class="bubble text"><bdi>${row.Text}</bdi></div>`}`;
}

/** Renders a mail: its subject leads to its conversation. */
function mailBody({ Action, Title, Text, ObjectID: id }: EntryRow, { call, path }: TimelineContext): Markup {
  const subject = html`<bdi>${(Title ?? '').trim() || 'No subject'}</bdi>`;
  return html`<p>${Action === 'Sent' && html`<span class="soft">Sent</span> `}<b>${
    call.may('message/select') ? html`<a href="${path}?tab=messages&amp;thread=${id}">${subject}</a>` : subject
  }</b></p>
${(Text ?? '') !== '' && html`<div class="bubble text mail-bubble"><bdi>${Text}</bdi></div>`}`;
}

function documentBody({ Title, ObjectID, Detail }: EntryRow, { call }: TimelineContext): Markup {
  const size = typeof Detail === 'string' ? fileSize(Number(Detail)) : '';
  const name = html`${icon('document', 14)}<bdi class="cut">${Title}</bdi> <span class="muted nowrap">${size}</span>`;
  return html`<p class="soft">Added a document.</p>
<p>${
    call.may('attachment/select')
      ? html`<a class="entry-file" href="${openPath('attachment', ObjectID)}">${name}</a>`
      : html`<span class="entry-file">${name}</span>`
  }</p>`;
}

/** Returns a file's size in words. */
export function fileSize(bytes: number): string {
  if (!Number.isFinite(bytes)) return '';
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

const verbs: Readonly<Record<string, string>> = {
  'Step Completed': 'Completed the step',
  'Step Canceled': 'Canceled',
  'Step Failed': 'Step failed:',
  'Step Started': 'Started the workflow',
  'Task Added': 'Added the task',
  'Task Completed': 'Completed the task',
  'Task Canceled': 'Canceled the task',
  'Hold Placed': 'Placed the hold',
  'Hold Released': 'Released the hold',
  'Mail Sent': 'Sent an email:',
  'Event Reported': 'Reported the event',
  'Import Insert': 'Created the case by the import',
  'Import Update': 'Updated the case by the import',
  'Import None': 'Found nothing to change by the import',
};

function sentence(row: EntryRow, { call }: TimelineContext): Markup {
  const verb =
    row.Object === 'Decision' && row.Action === 'Completed'
      ? 'Completed the workflow'
      : (verbs[`${row.Kind} ${row.Action}`] ?? row.Action);
  const result = row.Object === 'DecisionStep' ? { true: ': yes', false: ': no' }[row.Detail ?? ''] : undefined;
  const name = html`<bdi>${row.Title ?? ''}</bdi>`;
  const path = linkOf(call, row);
  return html`${verb} <b>${path === undefined ? name : html`<a href="${path}">${name}</a>`}</b>${result}.`;
}

function linkOf(call: PageCall, { Object: name, ObjectID: id }: EntryRow): string | undefined {
  if (name === 'ImportForm') return call.may('importform/describe') ? `/form/${id}` : undefined;
  const record = call.platform.registry.record(name);
  return record && call.mayOf(record, 'select') ? recordPath(record.module, id) : undefined;
}

function text({ Text: body }: EntryRow): Markup | false {
  return (body ?? '') !== '' && html`<div class="bubble text"><bdi>${body}</bdi></div>`;
}

function changeBody(rows: readonly EntryRow[], row: EntryRow, context: TimelineContext): Markup {
  const { call, labels } = context;
  const record = call.platform.registry.record(row.Object);
  if (!record || row.Action === 'Created')
    return html`<p class="soft">Created the case <b><bdi>${row.Title}</bdi></b>.</p>`;
  if (row.Field === null || row.Field === undefined)
    return html`<p class="soft">${row.Action} the ${record.title.toLowerCase()}.</p>`;
  const value = (field: string, of: string | null | undefined): Markup => {
    const declared = record.columns.get(field.toLowerCase())?.field;
    if (of === null || of === undefined || of === '') return html`<span class="muted">empty</span>`;
    return declared && declared.kind !== 'boolean' && declared.kind !== 'json' && declared.kind !== 'id'
      ? displayValue(call, declared, of, labels)
      : html`<bdi>${of}</bdi>`;
  };
  const line = ({ Field: name, OldValue, NewValue }: EntryRow): Markup => html`<div>
<dt>${columnLabel(record, name ?? '')}</dt>
<dd><del>${value(name ?? '', OldValue)}</del>${icon('chevronRight', 12)}<ins>${value(name ?? '', NewValue)}</ins></dd>
</div>`;
  const of = record.root.name === 'Process' ? '' : record.title;
  return html`${of !== '' && html`<p class="small muted">${of}</p>`}
<dl class="changes">${rows.map(line)}</dl>${undoForm(row, context)}`;
}

/** Renders the button that takes back what a call changed, on the tab of the history. */
function undoForm(row: EntryRow, { call, tab }: TimelineContext): Markup | false {
  const record = call.platform.registry.record(row.Object);
  const canUndo = row.Action === 'Changed' && (row.CallID ?? '') !== '' && record && call.mayOf(record, 'rollback');
  if (tab !== 'history' || !canUndo) return false;
  return html`<form method="post" class="undo">
${csrfField(call)}${hiddenField('CallID', row.CallID ?? '')}${hiddenField('Record', row.Object)}
${hiddenField('RecordID', row.ObjectID)}
${button({ text: 'Undo', kind: 'quiet', icon: 'undo', name: 'Action', value: 'undo', of: `the change of ${row.At}` })}
</form>`;
}
