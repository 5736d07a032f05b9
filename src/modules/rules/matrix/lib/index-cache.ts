import { PlatformError } from '../../../../kernel/door/errors.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import { Cache } from '../../../../kernel/time/cache.ts';
import { unpackTable } from './packed-table.ts';
import { CACHED_CELLS_MAX } from './limits.ts';
import { indexMatrix, type MatrixIndex } from './matrix-index.ts';

/**
 * A process's matrix indexes, bounded by {@link CACHED_CELLS_MAX} cells. A version never changes, so its index stays
 * valid; only the number of the latest version has to be looked up again.
 */
const byConfiguration = new WeakMap<Configuration, Cache<number, Promise<MatrixIndex>>>();

/** Returns the index of a version, building it if this process does not have it cached. */
export function cachedIndex(configuration: Configuration, versionId: number): Promise<MatrixIndex> {
  let cache = byConfiguration.get(configuration);
  if (!cache)
    byConfiguration.set(
      configuration,
      (cache = new Cache<number, Promise<MatrixIndex>>({ max: CACHED_CELLS_MAX, weigh: cellsOf })),
    );
  return cache.getOrLoad(versionId, () => buildIndex(configuration, versionId));
}

function cellsOf({ cells }: MatrixIndex): number {
  return cells;
}

async function buildIndex(configuration: Configuration, versionId: number): Promise<MatrixIndex> {
  const [row] = await configuration.db.query<{ content: Uint8Array }>(
    'select content from matrixcontent where matrixversionid = $1::bigint',
    [versionId],
  );
  if (!row)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Matrix',
      message:
        `Matrix: its version ${versionId} has lost its table. Save any of its cells to create a new version ` +
        'of the current content.',
    });
  return indexMatrix(await unpackTable(row.content), nextTurn);
}
