import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { recordPath } from '../display-values.ts';
import { allOf } from '../lists/list-sources.ts';
import type { PageCall } from '../page-call.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import type { Crumb } from '../shell/top-bar.ts';

/** A record with the name that people read. */
export interface NamedRecord {
  readonly id: number;
  readonly name: string;
}

/** Returns the way to a page below a record; without `last`, to the record itself. */
export function recordCrumbs(
  call: PageCall,
  record: RecordType,
  { id, name }: NamedRecord,
  last?: string,
): readonly Crumb[] {
  const here: Crumb = last === undefined ? { text: name } : { text: name, href: recordPath(record.module, id) };
  return [...listCrumbs(call, record), here, ...(last === undefined ? [] : [{ text: last }])];
}

/** Returns the way to the list of a record type. */
export function listCrumbs(call: PageCall, record: RecordType): readonly Crumb[] {
  const { path, title, place } = allOf(call, record);
  const all: Crumb = { text: 'All records', href: '/records' };
  return [...(place === 'records' ? [all] : []), { text: title, href: path }];
}

/** Returns what a record is called; of one that was deleted, its type and id. */
export async function recordName(call: PageCall, record: RecordType, id: number): Promise<string> {
  try {
    return recordLabel(record, await selectRow(call, record, id));
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return `${record.title} ${id}`;
    throw error;
  }
}
