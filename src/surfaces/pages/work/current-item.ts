import type { AnyRow, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { FormView } from '../forms/form-view.ts';
import { readFormView } from '../forms/submit-form.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople, type PeopleNames } from '../people.ts';
import { selectRow } from '../record-address.ts';
import { listColumns } from '../table.ts';
import { caseKey, loadItemCases, type ItemCase } from './item-cases.ts';

/** The row of a work item. */
export type ItemRow = RowNamed<'SmartWorklistMember'>;

/** A work item with all that work mode shows of it. */
export interface CurrentItem {
  readonly row: ItemRow;
  /** The address that the item's queue opens. */
  readonly url: string | undefined;
  readonly record: RecordType | undefined;
  /** The record's row; undefined if the user may not read it or it was deleted. */
  readonly source: AnyRow | undefined;
  /** The form, if the record is a task. */
  readonly form: FormView | undefined;
  /** The task's parent, else the record itself. */
  readonly about: { readonly Object: string; readonly ObjectID: number };
  readonly aboutCase: ItemCase;
  readonly documents: readonly DocumentRow[];
  readonly labels: Labels;
  /** Who last changed the record. */
  readonly people: PeopleNames;
}

/** A document of an item's case. */
export type DocumentRow = RowNamed<'Attachment'>;

/** Documents that work mode lists; the case has all. */
const DOCUMENTS_MAX = 12;

/** Returns a work item; undefined if it does not exist or the user may not read it. */
export async function readItemRow(call: PageCall, id: string): Promise<ItemRow | undefined> {
  if (!/^\d{1,15}$/.test(id) || !call.may('smartworklistmember/select')) return undefined;
  return unlessRefused(call.call('smartworklistmember/select', { ID: id }).then(({ answer }) => answer.row));
}

/** Reads an item's record, its form if it is a task, its case, and the case's documents. */
export async function readCurrentItem(call: PageCall, row: ItemRow): Promise<CurrentItem> {
  const { SourceObject: name, SourceObjectID: id } = row;
  const record = call.platform.registry.record(name);
  const isTask = name === 'ImportForm';
  const [url, source, form] = await Promise.all([
    call.may('smartworklistmember/resume') && row.Status === 'Started'
      ? unlessRefused(
          call
            .call('smartworklistmember/resume', { ID: row.SmartWorklistMemberID })
            .then(({ answer }) => safeAddress(answer.row.MemberUrl)),
        )
      : undefined,
    record && call.mayOf(record, 'select') ? unlessRefused(selectRow(call, record, id)) : undefined,
    isTask && call.may('importform/describe')
      ? unlessRefused(readFormView(call, 'describe', { ID: id, WithDraft: call.may('importform/update') }))
      : undefined,
  ]);
  const about =
    form && form.object !== '' ? { Object: form.object, ObjectID: form.objectId } : { Object: name, ObjectID: id };
  const [cases, documents, labels, people] = await Promise.all([
    loadItemCases(call, [about]),
    caseDocuments(call, about),
    loadLabels(call, [
      ...(record && source && !form ? [{ columns: listColumns(record, [source]), rows: [source] }] : []),
    ]),
    loadPeople(call, [source === undefined ? undefined : updaterOf(source)]),
  ]);
  const aboutCase = cases.get(caseKey(about)) ?? { name: '', place: '', number: '' };
  return { row, url, record, source, form, about, aboutCase, documents, labels, people };
}

/** Returns who last changed a record; undefined for nobody. */
function updaterOf({ UpdatedPersonID: id }: AnyRow): number | undefined {
  return typeof id === 'number' ? id : undefined;
}

async function caseDocuments(
  call: PageCall,
  about: { readonly Object: string; readonly ObjectID: number },
): Promise<readonly DocumentRow[]> {
  if (!call.may('attachment/search')) return [];
  const { answer } = await call.call('attachment/search', {
    ...about,
    OrderBy: '-AttachmentID',
    DisplaySize: DOCUMENTS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
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
