import type { ItemAnswer, Row, TreeAnswer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import type { PageCall } from '../page-call.ts';
import { caseLink } from '../case/case-link.ts';
import { formEntry } from '../forms/task-form.ts';
import { formView, type FormView } from '../forms/form-view.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { listColumns } from '../table.ts';
import { fieldLabel, localInputValue, recordLink, displayValue, humanize, localDateTime } from '../display-values.ts';
import { age } from './queue-counts.ts';

/** An item is put off for a day unless the worker says otherwise. */
const SKIP_MILLISECONDS = 86_400_000;
/** So much of a reason's detail is shown; the record has it whole. */
const DETAIL_CHARACTERS = 2_000;

/** An item with what is worked on. */
export interface ItemView {
  readonly row: Row;
  readonly url: string | undefined;
  readonly record: RecordType | undefined;
  /** The record; undefined where the user may not read it, or it is gone. */
  readonly source: Row | undefined;
  readonly sourceLabels: Labels;
  readonly form: FormView | undefined;
}

/** The address of a worker's page with an item in hand. */
export function workPath(id: string): string {
  return `/work?item=${id}`;
}

/** The record of an item, as other records name what they hang on. */
export function recordOfItem(row: Row): { readonly Object: string; readonly ObjectID: number } {
  return { Object: String(row['SourceObject'] ?? ''), ObjectID: Number(row['SourceObjectID'] ?? 0) };
}

/** Why an item is there, in one line; its own name where that is not its record's, which stands before it. */
export function reasonOf(row: Row, label: string): string {
  return [row['SmartWorklistMember'], row['Reason']]
    .filter((text) => typeof text === 'string' && text !== '' && text !== label)
    .join(' · ');
}

/** What the record of an item is called: people say task where the record is a form. */
function recordTypeName(name: string): string {
  return name === 'ImportForm' ? 'Task' : humanize(name);
}

/** Reads what is worked on: the record, its form where it is a task, and the address that the worklist opens. */
export async function readItem(call: PageCall, row: Row): Promise<ItemView> {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const record = call.platform.registry.record(name);
  const [url, source, form] = await Promise.all([
    call.may('smartworklistmember/resume')
      ? unlessRefused(
          call
            .call('smartworklistmember/resume', { ID: String(row['SmartWorklistMemberID']) })
            .then(({ answer }) => safeAddress((answer as ItemAnswer).row['MemberUrl'])),
        )
      : undefined,
    record && call.may(`${record.module}/select`) ? unlessRefused(selectRow(call, record, id)) : undefined,
    name === 'ImportForm' && call.may('importform/describe')
      ? unlessRefused(
          call
            .call('importform/describe', { ID: String(id) })
            .then(({ answer }) => formView((answer as TreeAnswer).root)),
        )
      : undefined,
  ]);
  const sourceLabels =
    record && source ? await loadLabels(call, [{ columns: listColumns(record, [source]), rows: [source] }]) : new Map();
  return { row, url, record, source, sourceLabels, form };
}

/** What was asked for, or undefined where it is refused or gone: the item is shown all the same. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof PlatformError && error.status < 500) return undefined;
    throw error;
  });
}

/** An address of the web or a path of this server; nothing that would run. */
function safeAddress(url: unknown): string | undefined {
  return typeof url === 'string' && /^(?:https?:\/\/|\/(?![/\\]))/i.test(url) ? url : undefined;
}

/** The item in hand: why it is there, the record's facts, its form or a way to it, and what can be done. */
export function itemSection(
  call: PageCall,
  { row, url, record, source, sourceLabels, form }: ItemView,
  labels: Labels,
): Markup {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const label = (record && source && recordLabel(record, source)) ?? labels.get(name)?.get(id) ?? `${name} ${id}`;
  const why = reasonOf(row, label);
  const due = row['DueDate'];
  const isLate = typeof due === 'string' && Date.parse(due) < call.platform.clock.milliseconds();
  return html`<section class="item" aria-labelledby="hand"><h2 id="hand"><bdi>${label}</bdi> <span class="status">${recordTypeName(name)}</span></h2>
<p class="quiet">${why !== '' && html`<bdi>${why}</bdi> · `}begun ${age(call, row['StartDate'])}${typeof due === 'string' && html` · due <time datetime="${due}">${localDateTime(call, due)}</time>`}${isLate && html` <span class="state late"><span aria-hidden="true">⚑</span> Overdue</span>`}</p>
${typeof row['ReasonDetail'] === 'string' && row['ReasonDetail'] !== '' && html`<p class="text">${row['ReasonDetail'].slice(0, DETAIL_CHARACTERS)}</p>`}
${itemLinks(call, row, { url, record, source, sourceLabels, form })}
${source === undefined && html`<p class="quiet">The record cannot be shown: it is gone, or you may not read it.</p>`}
${form === undefined && source !== undefined && record && facts(call, record, source, sourceLabels)}
${form !== undefined && html`${form.instructions !== '' && html`<div class="text instructions">${form.instructions}</div>`}${formEntry(call, form, { returnTo: workPath(String(row['SmartWorklistMemberID'])) })}`}
${itemActions(call, row, form === undefined || form.isComplete)}</section>`;
}

/** Ways to what is worked on: the address that the worklist opens, the record, and the case that it is or belongs to. */
function itemLinks(
  call: PageCall,
  row: Row,
  { url, record, source, sourceLabels, form }: Omit<ItemView, 'row'>,
): Markup | false {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  const { Object: parent, ObjectID: parentId } = (source ?? {}) as {
    readonly Object?: unknown;
    readonly ObjectID?: unknown;
  };
  const label = (of: string, at: number): string => sourceLabels.get(of)?.get(at) ?? `${of} ${at}`;
  const ways: readonly (Markup | false)[] = [
    url !== undefined &&
      html`<a class="button${form !== undefined && ' quiet'}" href="${url}"${/^https?:/i.test(url) && html` rel="noreferrer"`}>Open</a>`,
    source !== undefined &&
      record !== undefined &&
      recordLink(call, name, id, `The ${recordTypeName(name).toLowerCase()} as a record`),
    caseLink(call, name, id, 'Workflows and tasks'),
    typeof parent === 'string' &&
      typeof parentId === 'number' &&
      html`of <bdi>${caseLink(call, parent, parentId, label(parent, parentId)) || recordLink(call, parent, parentId, label(parent, parentId))}</bdi>`,
  ];
  const shown = ways.filter((way) => way !== false);
  return shown.length > 0 && html`<p class="actions ways">${shown.map((way) => html`<span>${way}</span> `)}</p>`;
}

function facts(call: PageCall, record: RecordType, source: Row, labels: Labels): Markup {
  return html`<dl class="fields">${listColumns(record, [source])
    .filter(({ name }) => name !== record.name)
    .map(
      ({ name, field }) =>
        html`<div><dt title="${field.doc}">${fieldLabel(name, field)}</dt><dd>${displayValue(call, field, source[name], labels)}</dd></div>\n`,
    )}</dl>`;
}

/** A task completes by its form, and its item with it; any other item by its own button. */
function itemActions(call: PageCall, row: Row, completes: boolean): Markup {
  const id = html`${csrfField(call)}<input type="hidden" name="ID" value="${String(row['SmartWorklistMemberID'])}">`;
  const until = localInputValue(
    call,
    new Date(call.platform.clock.milliseconds() + SKIP_MILLISECONDS).toISOString(),
  ).slice(0, 16);
  const sent = call.form['Do'] === 'skip' ? String(call.form['SkipDate'] ?? '') : until;
  return html`<div class="toolbar">${completes && call.may('smartworklistmember/complete') && html`<form method="post" action="/work">${id}<button name="Do" value="complete" data-key="c">Complete</button> <kbd aria-hidden="true">c</kbd></form>`}
${call.may('smartworklistmember/skip') && html`<form method="post" action="/work">${id}<button class="quiet" name="Do" value="skip" data-key="s">Put off</button> <kbd aria-hidden="true">s</kbd> <label for="skip-until">until</label> <input id="skip-until" type="datetime-local" name="SkipDate" value="${sent}"></form>`}
${call.may('smartworklistmember/requeue') && html`<form method="post" action="/work">${id}<button class="quiet" name="Do" value="release">Give back</button></form>`}</div>`;
}
