import type { ImportEngine } from '../../../contracts/import-engine.ts';
import { bulkEngine } from './bulk-engine.ts';
import type { BulkDependencies } from './bulk-import.ts';

/**
 * Returns the engine that loads a file into a staging table, runs the import type's ImportStatement, and merges the
 * rows into a table or a record type by their keys.
 */
export function bulkMerge(parts: Omit<BulkDependencies, 'merges'>): ImportEngine {
  return bulkEngine({
    doc: 'Loads a file into a staging table and merges it into a table, or into records, by the maps of type Key.',
    ...parts,
    merges: true,
  });
}
