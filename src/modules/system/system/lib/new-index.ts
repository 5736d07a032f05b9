import type { Db } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { IndexDefinition } from './index-definition.ts';
import { addedIndexes, databaseIndexes, type DatabaseIndex } from './stored-indexes.ts';

/** Most added indexes per record type: each one slows down every change of its rows. */
const INDEXES_MAX = 10;

/** Throws DUPLICATE_KEY if an existing index serves the same searches, STATE_REFUSES if there are too many. */
export async function assertNewIndex(db: Db, index: IndexDefinition): Promise<void> {
  const added = (await addedIndexes(db)).filter(({ recordtype }) => recordtype === index.recordType);
  const same = added.find(({ indexkind, columns }) => indexkind === index.kind && columns === index.columns);
  if (same)
    throw duplicate(
      `${index.recordType} already has this index (SearchIndexID ${same.searchindexid}, ${same.state})` +
        `${same.state === 'Failed' ? '; delete it to try again' : ''}.`,
    );
  const stored = await databaseIndexes(db, [index.table]);
  const serving = stored.find((other) => index.kind === 'Value' && serves(other, index));
  if (serving) throw duplicate(`index ${serving.name} already begins with these columns.`);
  if (added.length >= INDEXES_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'RecordType',
      message: `RecordType: ${index.recordType} has ${INDEXES_MAX} added indexes; delete an unused one first.`,
    });
}

/** Whether an index begins with the columns of another in the same order and directions. */
function serves(other: DatabaseIndex, { keys }: IndexDefinition): boolean {
  if (other.isSpecial || !other.isUsable) return false;
  return keys.every(({ column, direction }, at) => other.columns[at]?.replaceAll('"', '') === `${column}${direction}`);
}

function duplicate(text: string): PlatformError {
  return new PlatformError('DUPLICATE_KEY', { field: 'Columns', message: `Columns: ${text}` });
}
