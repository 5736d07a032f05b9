import type { AnyRow } from '../../kernel/declare/catalog.ts';
import type { Row } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { inSentence } from './display-names.ts';
import type { PageCall } from './page-call.ts';
import { columnText } from './plain-text.ts';

/** Returns the record type that the address names. @throws UNKNOWN_OPERATION where there is none */
export function recordTypeFromPath({ platform, path }: PageCall): RecordType {
  const record = platform.registry.record(path['module'] ?? '');
  if (!record) throw new PlatformError('UNKNOWN_OPERATION', { message: 'There is no record type with this name.' });
  return record;
}

/** Returns the id that the address names. @throws NOT_FOUND where it is not one */
export function recordIdFromPath({ path }: PageCall): number {
  const id = Number(path['id']);
  if (!Number.isSafeInteger(id) || id < 1) throw new PlatformError('NOT_FOUND');
  return id;
}

/** Refuses a page whose operation the user may not call. @throws NO_PERMISSION */
export function requirePermission(call: PageCall, record: RecordType, operation: 'history' | 'asof'): void {
  if (call.mayOf(record, operation)) return;
  const what = operation === 'history' ? 'the history' : 'earlier versions';
  const plural = inSentence(record.titlePlural);
  throw new PlatformError('NO_PERMISSION', { message: `You don't have permission to see ${what} of ${plural}.` });
}

/** Reads a record's current row. */
export async function selectRow(call: PageCall, record: RecordType, id: number): Promise<AnyRow> {
  const { answer } = await call.callOf(record, 'select', { ID: id });
  return answer.row;
}

/** Returns a record's label, or its type and id where it has none. */
export function recordLabel(record: RecordType, row: Row): string {
  return columnText(row, record.name) || `${record.title} ${columnText(row, record.idField)}`;
}

/** Returns the most derived record type of a row, where it is another than `record` and the user may read it. */
export function derivedType(call: PageCall, record: RecordType, { RecordClass: name }: AnyRow): RecordType | undefined {
  const derived = name === undefined || name === null ? undefined : call.platform.registry.record(name);
  return derived && derived !== record && call.mayOf(derived, 'select') ? derived : undefined;
}
