import type { ImportEngine } from '../../../contracts/import-engine.ts';
import { bulkEngine } from './bulk-engine.ts';
import type { BulkDependencies } from './bulk-import.ts';

/** Loads a file into a staging table by COPY, and runs the template's ImportStatement on it. */
export function bulkReader(parts: Omit<BulkDependencies, 'merges'>): ImportEngine {
  return bulkEngine({
    doc: 'Loads a file into a staging table as fast as the database takes it; then the ImportStatement runs.',
    ...parts,
    merges: false,
  });
}
