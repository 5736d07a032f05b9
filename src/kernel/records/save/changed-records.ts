import { f, required } from '../../declare/field.ts';

/** What a call did to records: moved or deleted them, or filled in values. Removed: deleted as duplicates. */
export type RecordChange = 'Moved' | 'Removed' | 'Filled' | 'Deleted';

/** Records of one type that a call changed in the same way. */
export interface ChangedRecords {
  readonly object: string;
  readonly change: RecordChange;
  readonly ids: readonly number[];
}

/** The columns of an answer that lists changed records. */
export const changedRecordsColumns = {
  Object: required(f.text({ doc: 'The type of the changed records.', max: 60, exact: true })),
  Change: required(
    f.choice(['Moved', 'Removed', 'Filled', 'Deleted'], {
      doc:
        'Moved: records that now belong to or refer to the remaining one. Removed: duplicates that were deleted. ' +
        'Filled: remaining records that took values. Deleted: what was merged.',
    }),
  ),
  Records: required(f.integer({ doc: 'Number of records.' })),
  RecordIDs: required(f.text({ doc: 'Their IDs, comma-separated.' })),
};

/** Returns the values of {@link changedRecordsColumns}. */
export function changedRecordsRow({ object, change, ids }: ChangedRecords): {
  readonly Object: string;
  readonly Change: RecordChange;
  readonly Records: number;
  readonly RecordIDs: string;
} {
  return { Object: object, Change: change, Records: ids.length, RecordIDs: ids.join(',') };
}
