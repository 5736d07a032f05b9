import { PlatformError } from '../../../../kernel/door/errors.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import { unpackTable } from './packed-table.ts';
import { CACHED_CELLS_MAX } from './limits.ts';
import { indexMatrix, type MatrixIndex } from './matrix-index.ts';

/**
 * LRU cache of a process's matrix indexes, bounded by {@link CACHED_CELLS_MAX} cells. A version never changes, so its
 * index stays valid; only the number of the latest version has to be looked up again.
 */
class MatrixIndexCache {
  private readonly configuration: Configuration;
  /** Ordered by last use, the oldest first. */
  private readonly entries = new Map<number, { readonly index: Promise<MatrixIndex>; cells: number }>();
  private cells = 0;

  constructor(configuration: Configuration) {
    this.configuration = configuration;
  }

  /** Returns the index of a version. Concurrent callers share one build. */
  get(versionId: number): Promise<MatrixIndex> {
    const known = this.entries.get(versionId);
    if (known) {
      this.entries.delete(versionId);
      this.entries.set(versionId, known);
      return known.index;
    }
    const entry = { index: this.build(versionId), cells: 0 };
    this.entries.set(versionId, entry);
    entry.index.then(
      (index) => this.weigh(versionId, entry, index.cells),
      () => this.entries.delete(versionId),
    );
    return entry.index;
  }

  private async build(versionId: number): Promise<MatrixIndex> {
    const [row] = await this.configuration.db.query<{ content: Uint8Array }>(
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

  private weigh(versionId: number, entry: { cells: number }, cells: number): void {
    entry.cells = cells;
    this.cells += cells;
    for (const [oldest, { cells: freed }] of this.entries) {
      if (this.cells <= CACHED_CELLS_MAX) return;
      // The new entry is about to be used; entries still being built have no size yet.
      if (oldest === versionId || freed === 0) continue;
      this.entries.delete(oldest);
      this.cells -= freed;
    }
  }
}

const byConfiguration = new WeakMap<Configuration, MatrixIndexCache>();

/** Returns the index of a version, building it if this process does not have it cached. */
export function cachedIndex(configuration: Configuration, versionId: number): Promise<MatrixIndex> {
  let cache = byConfiguration.get(configuration);
  if (!cache) byConfiguration.set(configuration, (cache = new MatrixIndexCache(configuration)));
  return cache.get(versionId);
}
