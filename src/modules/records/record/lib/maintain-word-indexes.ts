import {
  createIndexConcurrently,
  dropIndexConcurrently,
  indexesNamed,
} from '../../../../kernel/database/concurrent-index.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { wordIndexOf } from './search-words.ts';

/**
 * Housekeeping: creates the indexes of words that a migration left out because the table was large, and those whose
 * build was interrupted. Runs in one process at a time. Returns how many indexes were created.
 */
export const maintainWordIndexes = {
  name: 'word indexes',
  everyMinutes: 1,
  async run({ store, registry }: Platform): Promise<number> {
    const stored = new Map((await indexesNamed(store, '_words_idx$')).map((index) => [index.name, index.condition]));
    let created = 0;
    for (const record of registry.records()) {
      if (record.words === undefined) continue;
      const index = wordIndexOf(record);
      const condition = stored.get(index.name);
      if (condition === 'usable' || condition === 'building') continue;
      if (condition === 'unusable') await dropIndexConcurrently(store, index.name);
      await createIndexConcurrently(store, index);
      created++;
    }
    return created;
  },
} as const;
