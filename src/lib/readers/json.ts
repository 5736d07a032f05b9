import { isUtf8 } from 'node:buffer';
import type { ImportSource, ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { unreadableRow } from './columns.ts';
import { readTextHead, textBytes } from './encoding.ts';
import { jsonRow } from './json-row.ts';
import { JsonScanner, type JsonItem } from './json-scan.ts';
import { BATCH_ROWS_MAX } from './limits.ts';
import { RowProblem } from './row-values.ts';

/** ParameterString options of JSON documents. */
export const jsonOptions: Readonly<Record<string, string>> = {
  Item: 'Name of the member that holds the rows, if the document is an object; default {Class}Item.',
};

/** Bytes scanned at once, so that rows are yielded instead of accumulated. */
const SCAN_BYTES_MAX = 64 * 1024;

/** Reads the rows of a document as written. Rows before an error are yielded before it is thrown. */
export async function* jsonItems(
  source: ImportSource,
  template: Pick<ImportTemplate, 'options'>,
): AsyncGenerator<readonly JsonItem[], void, undefined> {
  const item = template.options.get('item')?.trim().toLowerCase();
  const scanner = new JsonScanner((name) =>
    item === undefined || item === '' ? name.endsWith('Item') && name !== 'Item' : name.toLowerCase() === item,
  );
  const text = await readTextHead(source);
  try {
    for await (const chunk of textBytes(source, text)) {
      for (let at = 0; at < chunk.length; at += SCAN_BYTES_MAX) {
        const part = chunk.subarray(at, at + SCAN_BYTES_MAX);
        scanner.write(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
        yield* itemBatches(scanner);
      }
    }
    scanner.end();
  } catch (error) {
    yield* itemBatches(scanner);
    throw error;
  }
  yield* itemBatches(scanner);
}

function* itemBatches(scanner: JsonScanner): Generator<readonly JsonItem[], void, undefined> {
  const items = scanner.takeItems();
  for (let at = 0; at < items.length; at += BATCH_ROWS_MAX) yield items.slice(at, at + BATCH_ROWS_MAX);
}

/** Reads the rows of a document with their values; unreadable rows have the reason. */
export async function* jsonRows(
  source: ImportSource,
  template: ImportTemplate,
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const expected = expectedItem(template);
  for await (const items of jsonItems(source, template)) yield items.map((item) => rowOf(item, expected));
}

/** Returns the expected name of the member with the rows, if the import type says what its rows are. */
function expectedItem(template: ImportTemplate): string | undefined {
  const record = template.options.get('classname') ?? template.appliesTo;
  return record === undefined || template.options.has('item') ? undefined : `${record}Item`;
}

function rowOf({ line, bytes, problem, around }: JsonItem, expected: string | undefined): SourceRow {
  try {
    if (!bytes) throw new RowProblem(problem ?? 'it cannot be read');
    if (!isUtf8(bytes)) throw new RowProblem('it contains bytes that are not UTF-8');
    const name = around?.at(-1);
    if (
      name !== undefined &&
      name !== '' &&
      expected !== undefined &&
      name.toLowerCase().replace(/collection$/, 'item') !== expected.toLowerCase()
    )
      throw new RowProblem(`it is a ${name}; expected ${expected}`);
    return { line, values: jsonRow(bytes.toString()) };
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    return unreadableRow(line, `Item ${line}: ${error.message}.`);
  }
}
