import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DelimitedScanner, type DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';

/** Between the values of a row that was no delimited text: a separator that neither XML nor a worksheet can hold. */
export const SEPARATOR = '\x1f';
/** Rows are handed on in pieces of about so many bytes. */
export const BATCH_BYTES = 256 * 1024;
/** What is kept, compressed, between the two readings of a file; of a larger one the rows are made anew. */
const CACHED_BYTES_MAX = 48 * 1024 * 1024;

/** Rows of a form that is no delimited text, written as it: so that one path leads from all forms to the database. */
export interface RowBatch {
  readonly bytes: Buffer;
  /** By row: its line. */
  readonly lines: readonly number[];
  /** Why a row cannot be read, by its number in this batch. */
  readonly problems: ReadonlyMap<number, string>;
}

/** Gathers rows into batches. */
export class RowBatchBuilder {
  private texts: string[] = [];
  private length = 0;
  private lines: number[] = [];
  private problems = new Map<number, string>();

  add(line: number, values: readonly string[], problem: string | undefined): void {
    if (problem !== undefined) this.problems.set(this.lines.length, problem);
    const text = problem === undefined ? values.map(quoteCell).join(SEPARATOR) : '';
    this.lines.push(line);
    // A row without any value would be none.
    this.texts.push(text === '' ? '""' : text);
    this.length += text.length + 1;
  }

  get isFull(): boolean {
    return this.length >= BATCH_BYTES;
  }

  /** What was gathered; undefined where there is nothing. */
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

/** The records of batches, as the scan of delimited text answers them. */
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

/** Batches between two readings. To read XML takes three times as long as all that follows, so it is done once where there is room. */
export class BatchCache {
  private batches: RowBatch[] | undefined = [];
  private bytes = 0;
  private whole = false;

  /** Hands batches on, and keeps them on the way. */
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

  /** The batches again, where all of them were kept; each is let go as it is read. */
  *replay(): Generator<RowBatch, void, undefined> {
    const batches = this.batches ?? [];
    for (let batch = batches.shift(); batch; batch = batches.shift())
      yield { ...batch, bytes: zstdDecompressSync(batch.bytes) };
  }

  get isComplete(): boolean {
    return this.whole && this.batches !== undefined;
  }
}
