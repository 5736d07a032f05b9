import type { ImportEngine } from '../../../contracts/import-engine.ts';
import { bulkEngine } from './bulk-engine.ts';
import type { BulkDependencies } from './bulk-import.ts';

/**
 * Returns the engine that loads a file into a staging table by COPY, and runs the import type's ImportStatement on it.
 */
export function bulkReader(parts: Omit<BulkDependencies, 'merges'>): ImportEngine {
  return bulkEngine({
    doc: 'Loads a file into a staging table as fast as the database accepts it, then runs the ImportStatement.',
    ...parts,
    merges: false,
  });
}
