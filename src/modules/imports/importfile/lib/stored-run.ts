import type {
  ImportPiece,
  ImportRun,
  ImportSource,
  RowResult,
  SourceRow,
} from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { RunDelivery } from '../../lib/run/run-delivery.ts';
import { storedProgress, type RunRow, type StoredProgress } from '../../lib/run/stored-progress.ts';
import { saveRows } from './save-rows.ts';
import type { PipelineTemplate } from './import-template.ts';

/** Dependencies of a delivery. */
export interface StoredRunParts {
  readonly ctx: Context;
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly source: ImportSource;
  readonly row: RunRow;
}

/** One delivery of the run of a stored document, as its engine sees it. */
export class StoredRun implements ImportRun {
  readonly ctx: Context;
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly source: ImportSource;
  private readonly store: StoredProgress;
  private readonly delivery: RunDelivery<RunRow>;
  private bytesRead = 0;
  private bound = false;
  /** The engine has queued the rest; its last row ends the file. */
  isHandedOff = false;

  constructor({ ctx, importFileId, organizationId, template, source, row }: StoredRunParts) {
    this.ctx = ctx;
    this.importFileId = importFileId;
    this.organizationId = organizationId;
    this.template = template;
    this.source = { ...source, open: () => this.countingBytes(source.open()) };
    this.store = storedProgress({ importFileId, organizationId }, row.deliveryid, () => this.bytesRead);
    this.delivery = new RunDelivery({ ctx, template, store: this.store, progress: row });
  }

  get done(): number {
    return this.delivery.done;
  }

  get state(): unknown {
    return this.delivery.state;
  }

  /**
   * Counts the bytes of the reading that is furthest ahead, for progress. A piece counts when the next is requested,
   * because only then are its rows processed.
   */
  private async *countingBytes(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    let read = 0;
    for await (const piece of bytes) {
      yield piece;
      read += piece.length;
      this.bytesRead = Math.max(this.bytesRead, read);
    }
  }

  expect(total: number): Promise<void> {
    return this.delivery.expect(total, (own) => this.store.storeTotal(own, total));
  }

  async piece(work: (own: Context) => Promise<ImportPiece>): Promise<void> {
    let bound = false;
    await this.delivery.piece(async (own) => {
      const piece = await work(own);
      bound = await this.bindToRecord(own, piece.results);
      return piece;
    });
    this.bound ||= bound;
  }

  async warn(message: string): Promise<void> {
    if (this.done > 0) return;
    const result = { line: 0, object: 'ImportFile', operation: 'None', status: 'Warning', message } as const;
    await this.piece(() => Promise.resolve({ done: 0, results: [result] }));
  }

  handOff(): void {
    this.isHandedOff = true;
  }

  rows(rows: AsyncIterable<readonly SourceRow[]>): Promise<void> {
    return saveRows(this, rows);
  }

  /** Attaches the file to the first record of the import type's record type that it inserts or updates. */
  private async bindToRecord(own: Context, results: readonly RowResult[]): Promise<boolean> {
    const { appliesTo } = this.template;
    if (this.bound || appliesTo === undefined) return false;
    const first = results.find((r) => r.object === appliesTo && typeof r.objectId === 'number' && r.status !== 'Error');
    if (!first) return false;
    await own.db.query(
      `update importfile set object = $2::text, objectid = $3::bigint where importfileid = $1::bigint
        and objectid is null`,
      [this.importFileId, appliesTo, first.objectId],
    );
    return true;
  }
}
