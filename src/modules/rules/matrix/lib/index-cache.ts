import { PlatformError } from '../../../../kernel/door/errors.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import { unpackTable } from './packed-table.ts';
import { CACHED_CELLS_MAX } from './limits.ts';
import { indexMatrix, type MatrixIndex } from './matrix-index.ts';

/**
 * The indexes that a process keeps. A version never changes, so its index holds for ever: what must be looked up anew is only which
 * version is the latest. Those unused for longest go when all together take more room than {@link CACHED_CELLS_MAX}.
 */
class MatrixIndexCache {
  private readonly configuration: Configuration;
  /** In the order of their last use. */
  private readonly entries = new Map<number, { readonly index: Promise<MatrixIndex>; cells: number }>();
  private cells = 0;

  constructor(configuration: Configuration) {
    this.configuration = configuration;
  }

  /** The index of a version; many who ask at once wait for one making. */
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
        message: `Matrix: its version ${versionId} has lost its table. Save any of its cells: that makes a new version of what stands.`,
      });
    return indexMatrix(await unpackTable(row.content), nextTurn);
  }

  private weigh(versionId: number, entry: { cells: number }, cells: number): void {
    entry.cells = cells;
    this.cells += cells;
    for (const [oldest, { cells: freed }] of this.entries) {
      if (this.cells <= CACHED_CELLS_MAX) return;
      // The one that was just made is about to be used, and one in the making has no size yet.
      if (oldest === versionId || freed === 0) continue;
      this.entries.delete(oldest);
      this.cells -= freed;
    }
  }
}

const byConfiguration = new WeakMap<Configuration, MatrixIndexCache>();

/** The index of a version, made where this process does not have it. */
export function cachedIndex(configuration: Configuration, versionId: number): Promise<MatrixIndex> {
  let cache = byConfiguration.get(configuration);
  if (!cache) byConfiguration.set(configuration, (cache = new MatrixIndexCache(configuration)));
  return cache.get(versionId);
}
