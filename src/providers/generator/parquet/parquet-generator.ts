import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { DataTable, Generator } from '../../../contracts/generator.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { parquetColumn, type ParquetColumn } from './parquet-column.ts';

/** Most rows and characters of a row group, which is written at once. */
const GROUP_ROWS = 10_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

/** Makes a Parquet file of the first table of the data. */
export const parquetGenerator: Generator = {
  doc: 'A Parquet file for analysis, with the rows of the data in typed columns.',
  options: {},
  reads: 'tables',
  templates: [],
  needsTemplate: false,
  async generate({ data, signal }) {
    signal.throwIfAborted();
    if (data.kind !== 'tables') throw new Error('a Parquet file is made of tables');
    const [table] = data.tables;
    if (!table || table.columns.length === 0)
      throw new PlatformError('BAD_PARAMETER', { field: 'Method', message: 'Method: returned no columns.' });
    return {
      mime: 'application/vnd.apache.parquet',
      extension: 'parquet',
      bytes: () => parquetBytes(table, signal),
    };
  },
};

/** Streams a Parquet file, each row group when it is full. */
async function* parquetBytes(table: DataTable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const columns = table.columns.map(({ name, field }) => parquetColumn(name, field));
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)],
    createdBy: 'Casewright',
  });
  let group = emptyGroup(columns);
  for await (const row of table.rows()) {
    signal.throwIfAborted();
    addRow(group, columns, row);
    if (group.rows < GROUP_ROWS && group.characters < GROUP_CHARACTERS) continue;
    await file.write({ columnData: group.columnData, rowGroupSize: group.rows });
    yield taken(writer);
    group = emptyGroup(columns);
  }
  if (group.rows > 0) await file.write({ columnData: group.columnData, rowGroupSize: group.rows });
  await file.finish();
  yield taken(writer);
}

interface RowGroup {
  readonly columnData: { readonly name: string; readonly data: unknown[] }[];
  rows: number;
  characters: number;
}

function emptyGroup(columns: readonly ParquetColumn[]): RowGroup {
  return { columnData: columns.map(({ name }) => ({ name, data: [] })), rows: 0, characters: 0 };
}

function addRow(group: RowGroup, columns: readonly ParquetColumn[], row: Readonly<Record<string, unknown>>): void {
  group.rows++;
  for (const [at, { name, stored }] of columns.entries()) {
    const value = storedValue(name, () => stored(row[name]));
    group.columnData[at]?.data.push(value);
    if (typeof value === 'string') group.characters += value.length;
  }
}

function storedValue(name: string, stored: () => unknown): unknown {
  try {
    return stored();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PlatformError('BAD_PARAMETER', {
      field: name,
      message: `${name}: the data have a value that is not ${error.message} that Parquet can store.`,
    });
  }
}

/** Returns what has been written since the last time. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
