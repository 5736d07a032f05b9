import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { localDateTime, localInputValue, openPath, recordPath, timeZoneNote } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { changeTimeline } from '../records/change-timeline.ts';
import { changeReferences, readChanges, type Change } from '../records/read-changes.ts';

/** Days that are shown unless another span is chosen. */
const DAYS_SHOWN = 7;
/** Most records whose fields are shown; the others have a link to their history. */
const DETAILED_MAX = 20;

type ChangedRow = AnswerRowFor<'configuration/changes'>;

/** Shows what was changed in the configuration in a span of time, by whom, each field before and after. */
export const configurationChangesPage = page(async (call) => {
  const now = call.platform.clock.now();
  const from = new Date(Date.parse(now) - DAYS_SHOWN * 86_400_000).toISOString();
  const since = plainText(call.query['Since']) || localInputValue(call, from).slice(0, 16);
  const until = plainText(call.query['Until']);
  const { answer } = await call.call('configuration/changes', {
    Since: since,
    ...(until === '' ? {} : { Until: until }),
  });
  const people = await loadLabels(call, [referencesOf(answer.rows, ['PersonID', 'Person'])]);
  const changed = answer.rows.filter(({ Change: change }) => change === 'update' || change === 'undelete');
  const others = answer.rows.filter((row) => !changed.includes(row));
  const entries = await Promise.all(changed.map((row, at) => changedEntry(call, row, { people, at })));
  return {
    title: 'Configuration changes',
    place: 'configure',
    crumbs: [{ text: 'Configure', href: '/configure' }, { text: 'Changes' }],
    body: html`<div class="page"><header class="page-head"><h1>Configuration changes</h1></header>
<form class="row wrap span-form" method="get">${textField({
      label: 'From',
      name: 'Since',
      type: 'datetime-local',
      value: since,
    })}
${textField({ label: 'Until', name: 'Until', type: 'datetime-local', value: until })}
${button({ text: 'Show' })}</form>${timeZoneNote(call)}
${
  answer.rows.length === 0 &&
  emptyState({ icon: 'history', title: 'Nothing was changed in this period.', text: 'Choose an earlier start.' })
}${entries.length > 0 && html`<h2>Changed</h2><div class="stack">${entries}</div>`}${
      others.length > 0 && html`<h2>Created and deleted</h2>${othersTable(call, others, people)}`
    }</div>`,
  };
});

const verbs: Readonly<Record<string, string>> = {
  insert: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  undelete: 'Restored',
};

interface EntryContext {
  readonly people: Labels;
  /** Its place in the list, from 0. */
  readonly at: number;
}

async function changedEntry(call: PageCall, row: ChangedRow, { people, at }: EntryContext): Promise<Markup> {
  const record = call.platform.registry.requireRecord(row.Object, 'Object');
  const changes = at < DETAILED_MAX ? await changesOf(call, row) : [];
  const labels = changes.length === 0 ? people : await loadLabels(call, [...changeReferences(record, changes)]);
  return html`<div class="card card-body"><p class="row wrap"><b>${recordLinkOf(call, row)}</b>
<span class="small soft grow">${record.title}, ${whoAndWhen(call, row, people)}</span>
<a class="link small" href="${recordPath(record.module, row.ObjectID)}/history">History<span
class="hidden"> of ${nameOf(call, row)}</span></a></p>
${changes.length > 0 && changeTimeline(call, { record, id: row.ObjectID, changes, labels })}</div>`;
}

/** Lists records that were created or deleted. */
function othersTable(call: PageCall, others: readonly ChangedRow[], people: Labels): Markup {
  const rows = others.map(
    (
      row,
    ) => html`<tr><td>${verbs[row.Change] ?? row.Change}</td><td>${call.platform.registry.titleOf(row.Object)}</td><th
scope="row">${recordLinkOf(call, row)}</th><td>${whoOf(row, people)}</td><td>${localDateTime(call, row.At)}</td></tr>`,
  );
  return table({ label: 'Created and deleted', heads: ['Change', 'Kind', 'Name', 'By', 'When'], rows });
}

function nameOf(call: PageCall, { Object: object, ObjectID: id, Name: name }: ChangedRow): string {
  return name ?? `${call.platform.registry.titleOf(object)} ${id}`;
}

function recordLinkOf(call: PageCall, row: ChangedRow): Markup {
  const { module } = call.platform.registry.requireRecord(row.Object, 'Object');
  const href = row.Change === 'delete' ? recordPath(module, row.ObjectID) : openPath(module, row.ObjectID);
  return html`<a class="link" href="${href}"><bdi>${nameOf(call, row)}</bdi></a>`;
}

function whoOf({ PersonID: id }: ChangedRow, people: Labels): string {
  return id === null ? 'Casewright' : (people.get('Person')?.get(id) ?? 'Somebody');
}

function whoAndWhen(call: PageCall, row: ChangedRow, people: Labels): string {
  const more = row.ChangeCount > 1 ? `, ${row.ChangeCount} changes` : '';
  const verb = (verbs[row.Change] ?? row.Change).toLowerCase();
  return `${verb} by ${whoOf(row, people)}, ${localDateTime(call, row.At)}${more}`;
}

/** Most changes of a record that are read to find those of the span. */
const CHANGES_READ_MAX = 200;

/** Returns the changed fields of a record in the span, as far as its history can be read. */
async function changesOf(call: PageCall, row: ChangedRow): Promise<readonly Change[]> {
  const record = call.platform.registry.requireRecord(row.Object, 'Object');
  const changes = await readChanges(call, record, row.ObjectID, { size: CHANGES_READ_MAX });
  const own = changes.filter(({ At }) => Date.parse(At) <= Date.parse(row.At));
  const instants = [...new Set(own.map(({ At }) => At))].slice(0, row.ChangeCount);
  return own.filter(({ At }) => instants.includes(At));
}
