import type { AnyRow, RowNamed } from '../../../kernel/declare/catalog.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink } from '../case/case-link.ts';
import { overdueMark } from '../case/workflow-section.ts';
import { fact, hiddenField } from '../components.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { displayValue, localInputValue, recordLink, timeMark } from '../display-values.ts';
import { withPeople } from '../forms/form-people.ts';
import { formView, type FormView } from '../forms/form-view.ts';
import { formEntry } from '../forms/task-form.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { listColumns } from '../table.ts';
import { age } from './queue-counts.ts';

/** An item is snoozed for a day unless the worker chooses another time. */
const SNOOZE_MILLISECONDS = 86_400_000;
/** Characters of a reason that the page shows; the record has it all. */
const REASON_CHARACTERS_MAX = 2_000;

/** The row of a work item. */
export type ItemRow = RowNamed<'SmartWorklistMember'>;

/** A work item with its record. */
export interface ItemView {
  readonly row: ItemRow;
  /** The address that the item's queue opens. */
  readonly url: string | undefined;
  readonly record: RecordType | undefined;
  /** The record's row; undefined where the user may not read it or it was deleted. */
  readonly source: AnyRow | undefined;
  readonly sourceLabels: Labels;
  /** The form, where the record is a task. */
  readonly form: FormView | undefined;
}

/** Returns the address of the work page with an item. */
export function workPath(id: number | string): string {
  return `/work?item=${id}`;
}

/** Returns the record of an item, in the columns by which other rows name theirs. */
export function recordOfItem(row: ItemRow): { readonly Object: string; readonly ObjectID: number } {
  return { Object: row.SourceObject, ObjectID: row.SourceObjectID };
}

/** Returns why an item is in the queue, in one line, with its name where that differs from its record's label. */
export function reasonOf({ SmartWorklistMember: name, Reason: reason }: ItemRow, label: string): string {
  return [name ?? '', reason ?? ''].filter((text) => text !== '' && text !== label).join(' · ');
}

/** Reads an item's record, its form where it is a task, and the address that its queue opens. */
export async function readItem(call: PageCall, row: ItemRow): Promise<ItemView> {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const record = call.platform.registry.record(name);
  const [url, source, form] = await Promise.all([
    call.may('smartworklistmember/resume')
      ? unlessRefused(
          call
            .call('smartworklistmember/resume', { ID: row.SmartWorklistMemberID })
            .then(({ answer }) => safeAddress(answer.row.MemberUrl)),
        )
      : undefined,
    record && call.mayOf(record, 'select') ? unlessRefused(selectRow(call, record, id)) : undefined,
    name === 'ImportForm' && call.may('importform/describe')
      ? unlessRefused(
          call.call('importform/describe', { ID: id }).then(({ answer }) => withPeople(call, formView(answer.root))),
        )
      : undefined,
  ]);
  const sourceLabels: Labels =
    record && source
      ? await loadLabels(call, [{ columns: listColumns(record, [source]), rows: [source] }])
      : new Map<string, ReadonlyMap<number, string>>();
  return { row, url, record, source, sourceLabels, form };
}

/** Returns undefined instead of a refusal: the item is shown all the same. */
async function unlessRefused<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (error instanceof PlatformError && error.status < 500) return undefined;
    throw error;
  });
}

/** Returns a web address or a path of this server; undefined for anything else, such as a script. */
function safeAddress(url: string | null): string | undefined {
  return url !== null && /^(?:https?:\/\/|\/(?![/\\]))/i.test(url) ? url : undefined;
}

/** Renders the current item: why it is there, its record's facts, its form or links to it, and what can be done. */
export function itemSection(call: PageCall, item: ItemView, labels: Labels): Markup {
  const { row, record, source, sourceLabels, form } = item;
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const own = record && source ? recordLabel(record, source) : labels.get(name)?.get(id);
  const label = own ?? `${call.platform.registry.titleOf(name)} ${id}`;
  const reason = row.ReasonDetail ?? '';
  return html`<section class="item" aria-labelledby="hand">
<h2 id="hand"><bdi>${label}</bdi> <span class="status">${call.platform.registry.titleOf(name)}</span></h2>
<p class="quiet">${itemLine(call, row, label)}</p>
${reason !== '' && html`<p class="text">${reason.slice(0, REASON_CHARACTERS_MAX)}</p>`}
${itemLinks(call, item)}
${source === undefined && html`<p class="quiet">The record was deleted, or you don't have access to it.</p>`}
${form === undefined && source !== undefined && record && facts(call, record, source, sourceLabels)}
${form && taskForm(call, form, row)}
${itemActions(call, row, form === undefined || form.isComplete)}
</section>`;
}

/** Returns why an item is in the queue, since when it is in progress, and when it is due. */
function itemLine(call: PageCall, row: ItemRow, label: string): Markup {
  const why = reasonOf(row, label);
  const due = row.DueDate;
  const dueText = due !== null && html` · due ${timeMark(call, due)}${overdueMark(call, due)}`;
  return html`${why !== '' && html`<bdi>${why}</bdi> · `}started ${age(call, row.StartDate)}${dueText}`;
}

function taskForm(call: PageCall, form: FormView, row: ItemRow): Markup {
  const back = workPath(row.SmartWorklistMemberID);
  return html`${form.instructions !== '' && html`<div class="text instructions">${form.instructions}</div>`}
${formEntry(call, form, { returnTo: back })}`;
}

/** Renders links to the address that the queue opens, the record, and the case that it is or belongs to. */
function itemLinks(call: PageCall, { row, url, record, source, sourceLabels, form }: ItemView): Markup | false {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const { Object: parent, ObjectID: parentId } = source ?? {};
  const external = url !== undefined && /^https?:/i.test(url) && html` rel="noreferrer"`;
  const links: readonly (Markup | false)[] = [
    url !== undefined && html`<a class="button${form !== undefined && ' quiet'}" href="${url}"${external}>Open</a>`,
    source !== undefined && record !== undefined && recordLink(call, name, id, 'View details'),
    caseLink(call, { name, id }, 'Open case'),
    typeof parent === 'string' && typeof parentId === 'number' && parentLink(call, parent, parentId, sourceLabels),
  ];
  const shown = links.filter((link) => link !== false);
  return shown.length > 0 && html`<p class="actions ways">${shown.map((link) => html`<span>${link}</span> `)}</p>`;
}

function parentLink(call: PageCall, name: string, id: number, labels: Labels): Markup {
  const label = labels.get(name)?.get(id) ?? `${call.platform.registry.titleOf(name)} ${id}`;
  return html`of <bdi>${caseLink(call, { name, id }, label) || recordLink(call, name, id, label)}</bdi>`;
}

function facts(call: PageCall, record: RecordType, source: Row, labels: Labels): Markup {
  const columns = listColumns(record, [source]).filter(({ name }) => name !== record.name);
  return html`<dl class="fields">${columns.map(({ name, field }) =>
    fact(fieldLabel(name, field), displayValue(call, field, source[name], labels), field.doc),
  )}</dl>`;
}

/**
 * Renders the buttons of an item. A task is completed by its form, and its item with it; any other item by its own
 * button.
 */
function itemActions(call: PageCall, row: ItemRow, completes: boolean): Markup {
  const id = html`${csrfField(call)}${hiddenField('ID', row.SmartWorklistMemberID)}`;
  const complete = html`<form method="post" action="/work">
${id}
<button name="Do" value="complete" data-key="c">Complete</button>
<kbd aria-hidden="true">c</kbd>
</form>`;
  const release = html`<form method="post" action="/work">
${id}
<button class="quiet" name="Do" value="release">Return to queue</button>
</form>`;
  return html`<div class="toolbar">
${completes && call.may('smartworklistmember/complete') && complete}
${call.may('smartworklistmember/skip') && snoozeForm(call, id)}
${call.may('smartworklistmember/requeue') && release}
</div>`;
}

function snoozeForm(call: PageCall, id: Markup): Markup {
  const tomorrow = new Date(call.platform.clock.milliseconds() + SNOOZE_MILLISECONDS).toISOString();
  const sent = call.form['Do'] === 'skip' ? plainText(call.form['SkipDate']) : undefined;
  const until = sent ?? localInputValue(call, tomorrow).slice(0, 16);
  return html`<form method="post" action="/work">
${id}
<button class="quiet" name="Do" value="skip" data-key="s">Snooze</button>
<kbd aria-hidden="true">s</kbd>
<label for="skip-until">until</label>
<input id="skip-until" type="datetime-local" name="SkipDate" value="${until}">
</form>`;
}
