import type { Db } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { IndexDefinition } from './index-definition.ts';
import { addedIndexes, databaseIndexes, type DatabaseIndex } from './stored-indexes.ts';

/** Most indexes that administrators may add to one record type: each makes every change of its rows slower. */
const INDEXES_MAX = 10;

/** Throws DUPLICATE_KEY if an index serves the same searches already, STATE_REFUSES if there are too many. */
export async function assertNewIndex(db: Db, index: IndexDefinition): Promise<void> {
  const added = (await addedIndexes(db)).filter(({ recordtype }) => recordtype === index.recordType);
  const same = added.find(({ indexkind, columns }) => indexkind === index.kind && columns === index.columns);
  if (same)
    throw duplicate(
      `${index.recordType} has this index already (SearchIndexID ${same.searchindexid}, ${same.state})` +
        `${same.state === 'Failed' ? '; delete it to try again' : ''}.`,
    );
  const stored = await databaseIndexes(db, [index.table]);
  const serving = stored.find((other) => index.kind === 'Value' && serves(other, index));
  if (serving) throw duplicate(`the index ${serving.name} begins with these columns already.`);
  if (added.length >= INDEXES_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'RecordType',
      message: `RecordType: ${index.recordType} has ${INDEXES_MAX} added indexes; delete one that is not used.`,
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
