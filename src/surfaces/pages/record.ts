import type { AnyRow, RecordAnswerFor, RowNamed } from '../../kernel/declare/catalog.ts';
import { recordId } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Collection, Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { caseLink, diagramLink } from './case/case-link.ts';
import { fact } from './components.ts';
import { fieldLabel } from '../../kernel/declare/labels.ts';
import { collectionTitle, inSentence } from './display-names.ts';
import { displayValue, recordLink, recordPath } from './display-values.ts';
import { changeReferences, historySection, readChanges, type Change } from './history.ts';
import { loadLabels, type Labels } from './labels.ts';
import { csrfField } from './layout.ts';
import { assignLink } from './loans/loan-access.ts';
import { flashNote } from './notes.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page } from './page.ts';
import { columnText } from './plain-text.ts';
import { derivedType, recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from './record-address.ts';
import { listColumns, recordTable, rowsOf } from './table.ts';
import { queueItemsSection } from './work/queue-items.ts';
import { UPLOAD_SCRIPT, uploadForm } from './upload-form.ts';

/** Children of one collection that the record's page shows; the list has the rest. */
const CHILDREN_SHOWN = 10;

/** Shows one record: its fields, what it refers to, its children and its history. */
export const recordPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const row = await selectRow(call, record, id).catch((error: unknown) => undefinedIfDeleted(call, record, id, error));
  if (!row) return deletedAnswer(call, record, id);
  const derived = derivedType(call, record, row);
  if (derived) return { redirectTo: recordPath(derived.module, id) };
  const [collections, changes, items] = await Promise.all([
    collectionsOf(call, record, id),
    readChanges(call, record, id),
    record.name === 'SmartWorklist' && queueItemsSection(call, id),
  ]);
  const labels = await loadLabels(call, [
    { columns: record.shown.filter(({ field }) => field.kind === 'id'), rows: [row] },
    ...collections.map(({ list, child }) => ({ columns: child.shown, rows: rowsOf(list).rows })),
    changeReferences(changes),
  ]);
  return {
    title: recordLabel(record, row),
    wide: true,
    scripts: record.parent === undefined ? [UPLOAD_SCRIPT] : [],
    body: recordBody(call, record, row, { labels, collections, changes, items }),
  };
});

/** Returns undefined if the record was deleted and the user may restore it. @throws the error otherwise */
async function undefinedIfDeleted(call: PageCall, record: RecordType, id: number, error: unknown): Promise<undefined> {
  const mayRestore =
    error instanceof PlatformError &&
    error.code === 'NOT_FOUND' &&
    call.user.universal &&
    call.mayOf(record, 'undelete');
  const changes = mayRestore ? await readChanges(call, record, id, { size: 1 }).catch(() => []) : [];
  if (changes[0]?.Change !== 'delete') throw error;
  return undefined;
}

function deletedAnswer(call: PageCall, record: RecordType, id: number): PageAnswer {
  const path = recordPath(record.module, id);
  const name = `${record.title} ${id}`;
  return {
    title: name,
    status: 404,
    body: html`<p class="crumbs"><a href="/records/${record.module}">${record.titlePlural}</a></p>
<h1>${name} was deleted</h1>
<p>Its history is kept, and you can restore it.</p>
<form method="post" action="${path}/undelete">
${csrfField(call)}
<p class="actions"><button>Restore</button> <a class="button quiet" href="${path}/history">View history</a></p>
</form>`,
  };
}

/** A collection of a record, with its newest rows. */
interface ChildCollection {
  readonly collection: Collection;
  readonly child: RecordType;
  readonly list: RecordAnswerFor<'search'>;
}

/** Reads the newest rows of each collection of a record that the user may search. */
async function collectionsOf(call: PageCall, record: RecordType, id: number): Promise<readonly ChildCollection[]> {
  const { registry } = call.platform;
  const shown = new Map<RecordType, Collection>();
  for (const collection of registry.collections(record).values()) {
    const child = registry.record(collection.record);
    if (
      child &&
      child.name !== 'ObjectSubscription' &&
      call.mayOf(child, 'search') &&
      (!shown.has(child) || collection.by !== 'Object')
    )
      shown.set(child, collection);
  }
  return Promise.all(
    [...shown].map(async ([child, collection]) => {
      // Descendants are searched below the record, whichever collection names them: a case's holds are its workflows'.
      const isDeep = includesDescendants(record, child);
      const { answer } = await call.callOf(
        child,
        'search',
        {
          ...(isDeep ? {} : childFilter(record, collection, id)),
          OrderBy: `-${child.idField}`,
          DisplaySize: CHILDREN_SHOWN,
        },
        isDeep ? `${record.module}/${id}` : undefined,
      );
      return { collection, child, list: answer };
    }),
  );
}

/** Whether a search for children below a record also finds those of its descendants. */
function includesDescendants(record: RecordType, child: RecordType): boolean {
  for (let at: RecordType | undefined = record; at; at = at.base)
    if (at.alsoBelow?.[child.name] !== undefined) return true;
  return false;
}

/** Returns the filter that finds the children of a collection. */
function childFilter(record: RecordType, collection: Collection, id: number): Record<string, string> {
  return collection.by === 'Object'
    ? { Object: record.root.name, ObjectID: String(id) }
    : { [collection.by]: String(id) };
}

interface RecordContent {
  readonly labels: Labels;
  readonly collections: readonly ChildCollection[];
  readonly changes: readonly Change[];
  /** The work items of a queue. */
  readonly items: Markup | false;
}

function recordBody(
  call: PageCall,
  record: RecordType,
  row: AnyRow,
  { labels, collections, changes, items }: RecordContent,
): Markup {
  const parent = { record, id: recordId(record, row) };
  const status = row.Status ?? '';
  const filled = collections.filter(({ list }) => list.rows.length > 0);
  const list = html`<a href="/records/${record.module}">${record.titlePlural}</a>`;
  return html`<p class="crumbs">${list}${parentLink(call, row, labels)}</p>
<h1>${recordLabel(record, row)} ${status !== '' && html`<span class="status">${status}</span>`}</h1>
${flashNote(flashMessages, call.query['done'])}
${actions(call, record, row)}
<section aria-labelledby="fields">
<h2 id="fields" class="hidden">Fields</h2>
${fieldList(call, record, row, labels)}
</section>
${items}
${filled.map((children) => childSection(call, parent, children, labels))}
${addSection(call, parent, collections)}
${historySection(call, { ...parent, changes }, labels)}`;
}

function parentLink(call: PageCall, row: AnyRow, labels: Labels): Markup | false {
  const { Object: name, ObjectID: id } = row;
  return (
    typeof name === 'string' &&
    typeof id === 'number' &&
    html` of ${recordLink(call, name, id, labels.get(name)?.get(id))}`
  );
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved',
    made: 'Created',
    undone: 'Change undone',
    restored: 'Record restored',
    rolledback: 'Earlier version restored',
    uploaded: 'Document uploaded',
    unchanged: 'No changes to save',
  }),
);

/** Links from a workflow's own page to its diagram. */
function workflowLink(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  const { Object: name, ObjectID: id } = row;
  if (record.name !== 'Decision' || typeof name !== 'string' || typeof id !== 'number') return false;
  return diagramLink(call, { name, id }, recordId(record, row));
}

function actions(call: PageCall, record: RecordType, row: AnyRow): Markup {
  const id = recordId(record, row);
  const path = recordPath(record.module, id);
  const isEditable = record.history !== false;
  const links: readonly (Markup | false)[] = [
    caseLink(call, { name: record.name, id }, 'Open case', 'button'),
    workflowLink(call, record, row),
    isEditable && call.mayOf(record, 'save') && html`<a class="button" href="${path}/edit" accesskey="e">Edit</a>`,
    record.name === 'ImportForm' &&
      call.may('importform/describe') &&
      html`<a class="button" href="/form/${id}">Open task</a>`,
    record.name === 'Loan' && assignLink(call, row),
    fileLinks(call, record, row),
    isEditable &&
      call.mayOf(record, 'asof') &&
      html`<a class="button quiet" href="${path}/asof">View earlier version</a>`,
    isEditable && call.mayOf(record, 'delete') && html`<a class="button quiet" href="${path}/delete">Delete…</a>`,
  ];
  return html`<p class="actions">${links.map((link) => link && html`${link}\n`)}</p>`;
}

/** Renders the links that open and download a document's file. */
function fileLinks(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  if (
    record.name !== 'Attachment' ||
    typeof row['FileName' satisfies keyof RowNamed<'Attachment'>] !== 'string' ||
    !call.may('attachment/download')
  )
    return false;
  const id = columnText(row, record.idField);
  return html`<a class="button" href="/api/attachment/view/${id}">Open</a>
<a class="button" href="/api/attachment/download/${id}">Download</a>`;
}

/** Renders all fields; those without a value are folded. */
function fieldList(call: PageCall, record: RecordType, row: AnyRow, labels: Labels): Markup {
  const columns = record.shown.filter(({ name }) => name !== 'Object' && name !== 'ObjectID' && name !== 'RecordClass');
  const hasValue = ({ name }: Column): boolean => row[name] !== null && row[name] !== undefined && row[name] !== '';
  const line = ({ name, field }: Column): Markup =>
    fact(fieldLabel(name, field), displayValue(call, field, row[name], labels), field.doc);
  const empty = columns.filter((column) => !hasValue(column));
  return html`<dl class="fields">${columns.filter(hasValue).map(line)}</dl>
${
  empty.length > 0 &&
  html`<details>
<summary>${empty.length} empty ${empty.length === 1 ? 'field' : 'fields'}</summary>
<dl class="fields">${empty.map(line)}</dl>
</details>`
}`;
}

/** A record by its type and id, as the parent of others. */
interface ParentRecord {
  readonly record: RecordType;
  readonly id: number;
}

function childSection(call: PageCall, parent: ParentRecord, children: ChildCollection, labels: Labels): Markup {
  const { collection, child, list } = children;
  const { rows, count, isEstimate } = rowsOf(list);
  const name = collectionTitle(call, collection);
  const anchor = collection.name.toLowerCase();
  const columns = listColumns(child, rows, collection.by === 'Object' ? [] : [collection.by]);
  const filter = new URLSearchParams(childFilter(parent.record, collection, parent.id)).toString();
  const more =
    count > rows.length &&
    html`<p><a href="/records/${child.module}?${filter}">View all ${count} ${inSentence(name)}</a></p>`;
  const total = html`<span class="count">${isEstimate && 'about '}${count}</span>`;
  return html`<section aria-labelledby="${anchor}">
<h2 id="${anchor}">${name} ${total}${addLink(call, parent, children)}</h2>
${recordTable(call, { record: child, rows, columns }, { labels, caption: name })}
${more}
</section>`;
}

/** Offers to add the first record of each empty collection. */
function addSection(call: PageCall, parent: ParentRecord, collections: readonly ChildCollection[]): Markup | false {
  const items = collections
    .filter(({ list }) => list.rows.length === 0)
    .flatMap((children) => {
      const link = addLink(call, parent, children);
      return link ? [html`<li>${collectionTitle(call, children.collection)}${link}</li>`] : [];
    });
  return (
    items.length > 0 &&
    html`<section aria-labelledby="none">
<h2 id="none">Add</h2>
<ul class="inline">${items}</ul>
</section>`
  );
}

/** Renders the way to add a child: a form, the forms of its derived types, or a file to upload. */
function addLink(call: PageCall, parent: ParentRecord, { collection, child }: ChildCollection): Markup | false {
  if (child.history === false || !call.mayOf(child, 'insert')) return false;
  const query = new URLSearchParams(childValues(parent, collection)).toString();
  if (child.derivedOnly === true) {
    const derived = call.platform.registry
      .family(child)
      .filter((each) => each !== child && each.base === child && call.mayOf(each, 'insert'));
    return html`${derived.map(({ module, name }) => {
      const title = inSentence(call.platform.registry.titleOf(name));
      return html` <a class="add" href="/records/${module}/new?${query}">Add ${title}</a>`;
    })}`;
  }
  if (child.name === 'Attachment' && call.may('attachment/uploadchunk')) return uploadForm(call, parent);
  const to = html`<span class="hidden"> to ${collectionTitle(call, collection)}</span>`;
  return html` <a class="add" href="/records/${child.module}/new?${query}">Add${to}</a>`;
}

/** Returns the values that bind a new child to its parent. */
function childValues({ record, id }: ParentRecord, collection: Collection): Record<string, string> {
  return collection.by === 'Object' ? { Object: record.name, ObjectID: String(id) } : { [collection.by]: String(id) };
}
