import type { RecordAnswerFor } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { referencesOf, type DisplayedRows } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

/** Changed columns that a record's page shows. */
export const CHANGES_SHOWN = 25;

/** What one call did to one column of a record. */
export type Change = RecordAnswerFor<'history'>['rows'][number];

/** Reads the newest changes of a record, one row for each column; none where the user may not see them. */
export async function readChanges(
  call: PageCall,
  record: RecordType,
  id: number,
  { start = 0, size = CHANGES_SHOWN }: { readonly start?: number; readonly size?: number } = {},
): Promise<readonly Change[]> {
  if (record.history === false || !call.mayOf(record, 'history')) return [];
  const { answer } = await call.callOf(record, 'history', { ID: id, RecordStart: start, DisplaySize: size });
  return answer.rows;
}

/** Returns the references of changes, for looking up who made them and the records that were referred to. */
export function changeReferences(record: RecordType, changes: readonly Change[]): readonly DisplayedRows[] {
  return [referencesOf(changes, ['PersonID', 'Person']), ...valueReferences(record, changes)];
}

/** A field with its values before and after. */
interface ChangedValue {
  readonly Field?: string | null;
  readonly OldValue?: unknown;
  readonly NewValue?: unknown;
}

/** Returns the records to which old and new values refer. */
export function valueReferences(record: RecordType, changes: readonly ChangedValue[]): readonly DisplayedRows[] {
  return changes.flatMap(({ Field: name, OldValue, NewValue }): DisplayedRows[] => {
    const field = record.columns.get((name ?? '').toLowerCase())?.field;
    if (field?.kind !== 'id' || field.to === undefined) return [];
    const ids = [OldValue, NewValue].map(plainText).filter((value) => /^\d{1,15}$/.test(value));
    return [{ columns: [{ name: 'ID', field }], rows: ids.map((value) => ({ ID: Number(value) })) }];
  });
}
