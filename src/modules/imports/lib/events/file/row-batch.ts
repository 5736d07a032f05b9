import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DelimitedScanner, type DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';

/**
 * Separator of values in rows that were not delimited text: a character that neither XML nor a worksheet can contain.
 */
export const SEPARATOR = '\x1f';
/** Approximate size of a batch in bytes. */
export const BATCH_BYTES = 256 * 1024;
/** Compressed bytes cached between the two readings of a file; a larger file is converted again. */
const CACHED_BYTES_MAX = 48 * 1024 * 1024;

/** Rows of a non-delimited format as delimited text, so that all formats take the same path to the database. */
export interface RowBatch {
  readonly bytes: Buffer;
  /** Line of each row. */
  readonly lines: readonly number[];
  /** Why a row cannot be read, by its index in this batch. */
  readonly problems: ReadonlyMap<number, string>;
}

/** Builds batches of rows. */
export class RowBatchBuilder {
  private texts: string[] = [];
  private length = 0;
  private lines: number[] = [];
  private problems = new Map<number, string>();

  add(line: number, values: readonly string[], problem: string | undefined): void {
    if (problem !== undefined) this.problems.set(this.lines.length, problem);
    const text = values.map(quoteCell).join(SEPARATOR);
    this.lines.push(line);
    // A row without any value would be skipped as blank.
    this.texts.push(text === '' ? '""' : text);
    this.length += text.length + 1;
  }

  get isFull(): boolean {
    return this.length >= BATCH_BYTES;
  }

  /** Returns the rows added since the last call; undefined if there are none. */
  take(): RowBatch | undefined {
    if (this.lines.length === 0) return undefined;
    const batch = { bytes: Buffer.from(`${this.texts.join('\n')}\n`), lines: this.lines, problems: this.problems };
    this.texts = [];
    this.lines = [];
    this.problems = new Map();
    this.length = 0;
    return batch;
  }
}

function quoteCell(value: string): string {
  return /["\n\r\x1f]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Scans batches as delimited records. */
export async function* batchRecords(
  batches: AsyncIterable<RowBatch> | Iterable<RowBatch>,
): AsyncGenerator<DelimitedRecords, void, undefined> {
  const scanner = new DelimitedScanner({ delimiter: SEPARATOR, quote: '"' });
  for await (const { bytes, lines, problems } of batches) {
    const records = scanner.write(bytes);
    if (records.count !== lines.length) throw new Error(`a batch of ${lines.length} rows was read as ${records.count}`);
    yield { ...records, lines: Float64Array.from(lines), problems: new Map([...records.problems, ...problems]) };
  }
}

/**
 * Caches batches between the two readings of a file. Reading XML takes three times as long as everything after it, so
 * it is done once if the cache has room.
 */
export class BatchCache {
  private batches: RowBatch[] | undefined = [];
  private bytes = 0;
  private whole = false;

  /** Yields batches and caches them. */
  async *store(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowBatch, void, undefined> {
    for await (const batch of batches) {
      this.add(batch);
      yield batch;
    }
    this.whole = this.batches !== undefined;
  }

  private add(batch: RowBatch): void {
    if (!this.batches) return;
    const bytes = zstdCompressSync(batch.bytes);
    this.bytes += bytes.length;
    if (this.bytes > CACHED_BYTES_MAX) this.batches = undefined;
    else this.batches.push({ ...batch, bytes });
  }

  /** Yields the cached batches again if all were cached; each is released as it is read. */
  *replay(): Generator<RowBatch, void, undefined> {
    const batches = this.batches ?? [];
    for (let batch = batches.shift(); batch; batch = batches.shift())
      yield { ...batch, bytes: zstdDecompressSync(batch.bytes) };
  }

  get isComplete(): boolean {
    return this.whole && this.batches !== undefined;
  }
}
