import type { ItemAnswer, Row } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { PageCall } from './page-call.ts';

/** The record type that an address names. */
export function recordTypeFromPath({ platform, path }: PageCall): RecordType {
  const record = platform.registry.record(path['module'] ?? '');
  if (!record) throw new PlatformError('UNKNOWN_OPERATION', { message: 'There is no record type of this name.' });
  return record;
}

/** The id that an address names. */
export function recordIdFromPath({ path }: PageCall): number {
  const id = Number(path['id']);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new PlatformError('NOT_FOUND', { message: 'There is no such record.' });
  return id;
}

/** A record as it stands. */
export async function selectRow(call: PageCall, record: RecordType, id: number): Promise<Row> {
  const { answer } = await call.call(`${record.module}/select`, { ID: String(id) });
  return (answer as ItemAnswer).row;
}

/** How a record is called: its label, or its type and id. */
export function recordLabel(record: RecordType, row: Row): string {
  return String(row[record.name] ?? '') || `${record.name} ${String(row[record.idField])}`;
}
