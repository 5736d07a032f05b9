import { f } from '../../../../kernel/declare/field.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { indexName } from './index-definition.ts';
import type { AddedIndex, DatabaseIndex } from './stored-indexes.ts';

/** Answer fields of an index. */
export const indexFields = {
  SearchIndexID: f.id({ doc: 'Identifies an index that an administrator added; empty for built-in indexes.' }),
  IndexName: f.text({ doc: 'Its name in the database.' }),
  RecordType: f.text({ doc: 'The record type whose table it is on.' }),
  Columns: f.text({ doc: 'Its columns, in order. A leading minus means descending.' }),
  IndexKind: f.text({
    doc:
      '`Value`: for equality, ranges and sorting. `Contains`: for `*` searches in text. `Other`: an index of another ' +
      'form.',
  }),
  State: f.text({
    doc:
      '`Waiting`, `Building`, `Ready`, `Failed` with a Message, or `Removing`. Indexes are created and ' +
      'removed in the background, starting within about a minute.',
  }),
  Percent: f.integer({ doc: 'While it is being built: percentage of the table read so far.' }),
  Message: f.text({ doc: 'Why creating it failed.' }),
  SizeBytes: f.decimal({ doc: 'Its size.' }),
  Reads: f.decimal({ doc: 'How often it was read, by searches and other statements.' }),
  LastReadDate: f.timestamp({ doc: 'When it was last read. Empty on PostgreSQL 15, which does not record it.' }),
  CreatedDate: f.timestamp({ doc: 'When it was added.' }),
  CreatedPersonID: f.id({ doc: 'Who added it.', to: 'Person' }),
};

/** An index as it is returned. */
export type IndexRow = Partial<Readonly<Record<keyof typeof indexFields, string | number | null>>>;

/** Returns the indexes in the database, followed by those not created yet. */
export function indexRows(
  registry: Registry,
  stored: readonly DatabaseIndex[],
  added: readonly AddedIndex[],
): readonly IndexRow[] {
  const byName = new Map(added.map((index) => [indexName(index.searchindexid), index]));
  const recordTypes = new Map(registry.records().map((record) => [record.table, record.name]));
  const rows = stored.map((index): IndexRow => {
    const own = byName.get(index.name);
    byName.delete(index.name);
    return {
      ...databaseRow(index, recordTypes.get(index.table) ?? index.table),
      ...(own ? addedRow(own) : {}),
    };
  });
  return [...rows, ...[...byName.values()].map(addedRow)];
}

function databaseRow(index: DatabaseIndex, recordType: string): IndexRow {
  return {
    IndexName: index.name,
    RecordType: recordType,
    Columns: index.columns.join(', '),
    IndexKind: index.isSpecial ? 'Other' : 'Value',
    State: index.isUsable ? 'Ready' : 'Failed',
    Percent: index.percent,
    SizeBytes: String(index.bytes),
    Reads: String(index.reads),
    LastReadDate: index.lastread,
  };
}

/** Returns the fields of an index that an administrator added. */
export function addedRow(index: AddedIndex): IndexRow {
  return {
    SearchIndexID: index.searchindexid,
    IndexName: indexName(index.searchindexid),
    RecordType: index.recordtype,
    Columns: index.columns,
    IndexKind: index.indexkind,
    State: index.state,
    Message: index.message,
    CreatedDate: index.createddate,
    CreatedPersonID: index.createdpersonid,
  };
}
