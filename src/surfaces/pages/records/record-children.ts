import type { RecordAnswerFor } from '../../../kernel/declare/catalog.ts';
import type { Collection, RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { groupDigits } from '../display-values.ts';
import { collectionTitle, inSentence } from '../display-names.ts';
import type { DisplayedRows, Labels } from '../labels.ts';
import { recordTable } from '../lists/record-table.ts';
import type { PageCall } from '../page-call.ts';
import { listColumns, rowsOf } from '../table.ts';
import { uploadForm } from '../documents/upload-form.ts';

/** Children of one collection that the record's page shows; the list has the rest. */
const CHILDREN_SHOWN = 10;

/** A collection of a record, with its newest rows. */
export interface ChildCollection {
  readonly collection: Collection;
  readonly child: RecordType;
  readonly list: RecordAnswerFor<'search'>;
}

/** A record by its type and id, as the parent of others. */
export interface ParentRecord {
  readonly record: RecordType;
  readonly id: number;
}

/** Reads the newest rows of each collection of a record that the user may search. */
export async function readChildren(call: PageCall, { record, id }: ParentRecord): Promise<readonly ChildCollection[]> {
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

/** Returns what children refer to, for looking up its labels. */
export function childReferences(collections: readonly ChildCollection[]): readonly DisplayedRows[] {
  return collections.map(({ list, child }) => ({ columns: child.shown, rows: rowsOf(list).rows }));
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

/** Renders the newest children of each collection that has any, and the ways to add others. */
export function childCards(
  call: PageCall,
  parent: ParentRecord,
  collections: readonly ChildCollection[],
  labels: Labels,
): Markup {
  const filled = collections.filter(({ list }) => list.rows.length > 0);
  return html`<div class="contents" id="children" data-documents>${filled.map((children) =>
    childCard(call, parent, children, labels),
  )}
${addCard(call, parent, collections)}</div>`;
}

function childCard(call: PageCall, parent: ParentRecord, children: ChildCollection, labels: Labels): Markup {
  const { collection, child, list } = children;
  const { rows, count, isEstimate } = rowsOf(list);
  const label = collectionTitle(call, collection);
  const columns = listColumns(child, rows, collection.by === 'Object' ? [] : [collection.by]);
  const filter = new URLSearchParams(childFilter(parent.record, collection, parent.id)).toString();
  const total = `${isEstimate ? 'about ' : ''}${groupDigits(String(count))}`;
  const all =
    count > rows.length &&
    html`<a class="link small" href="/records/${child.module}?${filter}">View all ${total} ${inSentence(label)}</a>`;
  return card({
    id: collection.name.toLowerCase(),
    title: label,
    note: total,
    actions: html`${all}${addLink(call, parent, children)}`,
    body: recordTable(call, { record: child, rows, columns, labels, label: `Newest ${inSentence(label)}` }),
  });
}

/** Offers to add the first record of each empty collection. */
function addCard(call: PageCall, parent: ParentRecord, collections: readonly ChildCollection[]): Markup | false {
  const items = collections
    .filter(({ list }) => list.rows.length === 0)
    .flatMap((children) => {
      const link = addLink(call, parent, children, collectionTitle(call, children.collection));
      return link ? [html`<li>${link}</li>`] : [];
    });
  return (
    items.length > 0 &&
    card({
      id: 'none',
      title: 'Nothing yet',
      note: 'Add the first',
      body: html`<ul class="card-body row wrap">${items}</ul>`,
    })
  );
}

/**
 * Renders the way to add a child: a form, the forms of its derived types, or a file to upload. `shown`: its text, where
 * no title is beside it.
 */
function addLink(
  call: PageCall,
  parent: ParentRecord,
  { collection, child }: ChildCollection,
  shown?: string,
): Markup | false {
  if (child.history === false || !call.mayOf(child, 'insert')) return false;
  const query = new URLSearchParams(childValues(parent, collection)).toString();
  const link = (module: string, text: Markup | string): Markup =>
    html`<a class="button quiet" href="/records/${module}/new?${query}">${icon('plus', 14)}<span>${text}</span></a>`;
  if (child.derivedOnly === true)
    return html`${call.platform.registry
      .family(child)
      .filter((each) => each !== child && each.base === child && call.mayOf(each, 'insert'))
      .map((each) => link(each.module, `Add ${inSentence(each.title)}`))}`;
  if (child.name === 'Attachment' && call.may('attachment/uploadchunk')) return uploadForm(call, parent);
  return link(child.module, shown ?? html`Add<span class="hidden"> to ${collectionTitle(call, collection)}</span>`);
}

/** Returns the values that bind a new child to its parent. */
function childValues({ record, id }: ParentRecord, collection: Collection): Record<string, string> {
  return collection.by === 'Object' ? { Object: record.name, ObjectID: String(id) } : { [collection.by]: String(id) };
}
