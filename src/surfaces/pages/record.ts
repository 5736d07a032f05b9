import type { ListAnswer, Row } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Collection, Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { recordLabel, recordIdFromPath, recordTypeFromPath, selectRow } from './record-address.ts';
import { caseLink } from './case/case-link.ts';
import { readChanges, historySection } from './history.ts';
import { loadLabels, type Labels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page } from './page.ts';
import { listColumns, recordTable, rowsOf } from './table.ts';
import { fieldLabel, recordLink, recordPath, displayValue, humanize } from './display-values.ts';

/** Children of one collection that the record's page shows; the rest are a link away. */
const CHILDREN_SHOWN = 10;

/** The page of one record: its fields, what it points to, what hangs below it, and its history. */
export const recordPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const row = await selectRow(call, record, id).catch((error: unknown) => undefinedIfDeleted(call, record, id, error));
  if (!row) return deletedAnswer(call, record, id);
  const concrete = typeof row['RecordClass'] === 'string' ? call.platform.registry.record(row['RecordClass']) : record;
  if (concrete && concrete !== record && call.may(`${concrete.module}/select`))
    return { redirectTo: recordPath(concrete.module, id) };
  const [collections, changes] = await Promise.all([collectionsOf(call, record, id), readChanges(call, record, id, 0)]);
  const columns = record.shown.filter(({ field }) => field.kind === 'id');
  const labels = await loadLabels(call, [
    { columns, rows: [row] },
    ...collections.map(({ list, child }) => ({ columns: child.shown, rows: rowsOf(list).rows })),
    { columns: [{ name: 'PersonID', field: personField }], rows: changes },
  ]);
  return {
    title: recordLabel(record, row),
    wide: true,
    scripts: record.parent === undefined ? ['/upload.js'] : [],
    body: recordBody(call, record, row, { labels, collections, changes }),
  };
});

/** Undefined where the record was deleted and the user may bring it back; what else failed is told as it is. */
async function undefinedIfDeleted(call: PageCall, record: RecordType, id: number, error: unknown): Promise<undefined> {
  const mayRestore =
    error instanceof PlatformError &&
    error.code === 'NOT_FOUND' &&
    call.user.universal &&
    call.may(`${record.module}/undelete`);
  const changes = mayRestore ? await readChanges(call, record, id, 0, 1).catch(() => []) : [];
  if (changes[0]?.['Change'] !== 'delete') throw error;
  return undefined;
}

function deletedAnswer(call: PageCall, record: RecordType, id: number): PageAnswer {
  const path = recordPath(record.module, id);
  return {
    title: `${humanize(record.name)} ${id}`,
    status: 404,
    body: html`<p class="crumbs"><a href="/records/${record.module}">${humanize(record.name)}</a></p><h1>${humanize(record.name)} ${id} was deleted</h1><p>Its history keeps it.</p>
<form method="post" action="${path}/undelete">${csrfField(call)}<p class="actions"><button>Bring it back</button> <a class="button quiet" href="${path}/history">Its history</a></p></form>`,
  };
}

const personField = { kind: 'id', classification: 'public', doc: 'Who.', to: 'Person' } as const;

interface ChildCollection {
  readonly collection: Collection;
  readonly child: RecordType;
  readonly list: ListAnswer;
}

/** The collections below a record that the user may search, each with its latest rows. */
async function collectionsOf(call: PageCall, record: RecordType, id: number): Promise<readonly ChildCollection[]> {
  const { registry } = call.platform;
  const shown = new Map<RecordType, Collection>();
  for (const collection of registry.collections(record).values()) {
    const child = registry.record(collection.record);
    if (
      child &&
      child.name !== 'ObjectSubscription' &&
      call.may(`${child.module}/search`) &&
      (!shown.has(child) || collection.by !== 'Object')
    )
      shown.set(child, collection);
  }
  return Promise.all(
    [...shown].map(async ([child, collection]) => {
      // What lies further down is found below the record, whichever collection names it: a hold of a case is one of its workflows.
      const also = includesDescendants(record, child);
      const route = also ? `${record.module}/${id}/${child.module}/search` : `${child.module}/search`;
      const { answer } = await call.call(route, {
        ...(also ? {} : childFilter(record, collection, id)),
        OrderBy: `-${child.idField}`,
        DisplaySize: String(CHILDREN_SHOWN),
      });
      return { collection, child, list: answer as ListAnswer };
    }),
  );
}

function includesDescendants(record: RecordType, child: RecordType): boolean {
  for (let at: RecordType | undefined = record; at; at = at.base)
    if (at.alsoBelow?.[child.name] !== undefined) return true;
  return false;
}

/** The filter that finds the children of a collection. */
function childFilter(record: RecordType, collection: Collection, id: number): Record<string, string> {
  return collection.by === 'Object'
    ? { Object: record.root.name, ObjectID: String(id) }
    : { [collection.by]: String(id) };
}

function recordBody(
  call: PageCall,
  record: RecordType,
  row: Row,
  of: { readonly labels: Labels; readonly collections: readonly ChildCollection[]; readonly changes: readonly Row[] },
): Markup {
  const id = Number(row[record.idField]);
  const filled = of.collections.filter(({ list }) => list.rows.length > 0);
  const empty = of.collections.filter(({ list }) => list.rows.length === 0);
  return html`<p class="crumbs"><a href="/records/${record.module}">${humanize(record.name)}</a>${parentLink(call, row, of.labels)}</p>
<h1>${recordLabel(record, row)} ${typeof row['Status'] === 'string' && row['Status'] !== '' && html`<span class="status">${row['Status']}</span>`}</h1>
${flashNote(call)}
${actions(call, record, row)}
<section aria-labelledby="fields"><h2 id="fields" class="hidden">Fields</h2>${fieldList(call, record, row, of.labels)}</section>
${filled.map((below) => childSection(call, record, id, below, of.labels))}
${empty.length > 0 && html`<section aria-labelledby="none"><h2 id="none">Nothing yet</h2><ul class="inline">${empty.map(({ collection, child }) => html`<li>${humanize(collection.name)}${addLink(call, record, id, collection, child)}</li>`)}</ul></section>`}
${historySection(call, record, id, of.changes, of.labels)}`;
}

function parentLink(call: PageCall, row: Row, labels: Labels): Markup | false {
  const { Object: name, ObjectID: id } = row as { readonly Object?: string | null; readonly ObjectID?: number | null };
  return (
    typeof name === 'string' &&
    typeof id === 'number' &&
    html` of ${recordLink(call, name, id, labels.get(name)?.get(id))}`
  );
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved.',
    made: 'Made.',
    undone: 'The change was undone.',
    restored: 'The record is back.',
    rolledback: 'The record is as it was then.',
    uploaded: 'The document is stored.',
    unchanged: 'Nothing was different; nothing was changed.',
  }),
);

/** What a change that led here has done. */
function flashNote({ query }: PageCall): Markup | false {
  const text = flashMessages.get(String(query['done'] ?? ''));
  return text !== undefined && html`<div class="note" role="status"><p>${text}</p></div>`;
}

function actions(call: PageCall, record: RecordType, row: Row): Markup {
  const path = recordPath(record.module, Number(row[record.idField]));
  const hasFile =
    record.name === 'Attachment' && typeof row['FileName'] === 'string' && call.may('attachment/download');
  const workflows = caseLink(call, record.name, Number(row[record.idField]), 'Workflows and tasks', 'button');
  return html`<p class="actions">${workflows && html`${workflows} `}${record.history !== false && call.may(`${record.module}/save`) && html`<a class="button" href="${path}/edit" accesskey="e">Edit</a> `}
${record.name === 'ImportForm' && call.may('importform/describe') && html`<a class="button" href="/form/${String(row[record.idField])}">Open the form</a> `}
${hasFile && html`<a class="button" href="/api/attachment/view/${String(row[record.idField])}">Open</a> <a class="button" href="/api/attachment/download/${String(row[record.idField])}">Save to disk</a> `}
${record.history !== false && call.may(`${record.module}/asof`) && html`<a class="button quiet" href="${path}/asof">As it was …</a> `}
${record.history !== false && call.may(`${record.module}/delete`) && html`<a class="button quiet" href="${path}/delete">Delete …</a>`}</p>`;
}

/** All fields with a value; those without are folded away. */
function fieldList(call: PageCall, record: RecordType, row: Row, labels: Labels): Markup {
  const columns = record.shown.filter(({ name }) => name !== 'Object' && name !== 'ObjectID' && name !== 'RecordClass');
  const has = ({ name }: Column): boolean => row[name] !== null && row[name] !== undefined && row[name] !== '';
  const line = ({ name, field }: Column): Markup =>
    html`<div><dt title="${field.doc}">${fieldLabel(name, field)}</dt><dd>${displayValue(call, field, row[name], labels)}</dd></div>\n`;
  const empty = columns.filter((column) => !has(column));
  return html`<dl class="fields">${columns.filter(has).map(line)}</dl>
${empty.length > 0 && html`<details><summary>${empty.length} empty ${empty.length === 1 ? 'field' : 'fields'}</summary><dl class="fields">${empty.map(line)}</dl></details>`}`;
}

function childSection(
  call: PageCall,
  record: RecordType,
  id: number,
  { collection, child, list }: ChildCollection,
  labels: Labels,
): Markup {
  const { rows, count, isEstimate } = rowsOf(list);
  const name = humanize(collection.name);
  const anchor = collection.name.toLowerCase();
  const columns = listColumns(child, rows, collection.by === 'Object' ? [] : [collection.by]);
  const all = `/records/${child.module}?${new URLSearchParams(childFilter(record, collection, id)).toString()}`;
  return html`<section aria-labelledby="${anchor}"><h2 id="${anchor}">${name} <span class="count">${isEstimate && 'about '}${count}</span>${addLink(call, record, id, collection, child)}</h2>
${recordTable(call, child, rows, { columns, labels, caption: name })}
${count > rows.length && html`<p><a href="${all}">All ${count} ${name.toLowerCase()}</a></p>`}</section>`;
}

function addLink(
  call: PageCall,
  record: RecordType,
  id: number,
  collection: Collection,
  child: RecordType,
): Markup | false {
  if (child.history === false || !call.may(`${child.module}/insert`)) return false;
  const concrete = call.platform.registry
    .family(child)
    .filter((each) => each !== child && each.base === child && call.may(`${each.module}/insert`));
  if (child.derivedOnly === true)
    return html`${concrete.map((each) => html` <a class="add" href="/records/${each.module}/new?${new URLSearchParams(childBinding(record, collection, id)).toString()}">Add ${humanize(each.name).toLowerCase()}</a>`)}`;
  if (child.name === 'Attachment' && call.may('attachment/uploadchunk')) return uploadForm(call, record, id);
  return html` <a class="add" href="/records/${child.module}/new?${new URLSearchParams(childBinding(record, collection, id)).toString()}">Add<span class="hidden"> to ${humanize(collection.name)}</span></a>`;
}

/** What ties a new child to its parent. */
function childBinding(record: RecordType, collection: Collection, id: number): Record<string, string> {
  return collection.by === 'Object' ? { Object: record.name, ObjectID: String(id) } : { [collection.by]: String(id) };
}

/** A file is sent in chunks by the page's script, with its progress shown. */
function uploadForm(call: PageCall, record: RecordType, id: number): Markup {
  return html` <form class="upload" data-object="${record.name}" data-id="${id}" data-upload><label class="add">Add a file<input class="hidden" type="file" multiple></label>${csrfField(call)}<span role="status" class="quiet"></span><noscript class="quiet">(needs script)</noscript></form>`;
}
