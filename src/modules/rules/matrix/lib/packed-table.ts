import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { ColumnCells, Table } from './table.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Largest unpacked version, in bytes. */
const CONTENT_BYTES_MAX = 512 * 1024 * 1024;

interface PackedCells {
  readonly texts: readonly string[];
  readonly codes: readonly number[];
  readonly objects?: ColumnCells['objects'];
}

type PackedColumn<T> = Omit<T, 'cells'> & { readonly cells: PackedCells };

/** The stored format of a version. Installations hold such data, so new properties must be optional. */
interface PackedTable {
  readonly form: 1;
  readonly name: string;
  readonly rowNumbers: readonly number[];
  readonly inputs: readonly PackedColumn<Table['inputs'][number]>[];
  readonly outputs: readonly PackedColumn<Table['outputs'][number]>[];
}

/** Compresses a table for storage in its version. */
export async function packTable({ name, rowNumbers, inputs, outputs }: Table): Promise<Buffer> {
  const stored = <C extends { readonly cells: ColumnCells }>(column: C): PackedColumn<C> => ({
    ...column,
    cells: { ...column.cells, codes: [...column.cells.codes] },
  });
  const table: PackedTable = {
    form: 1,
    name,
    rowNumbers: [...rowNumbers],
    inputs: inputs.map(stored),
    outputs: outputs.map(stored),
  };
  return compress(JSON.stringify(table));
}

/** Unpacks a table that {@link packTable} packed. */
export async function unpackTable(content: Uint8Array): Promise<Table> {
  const { name, rowNumbers, inputs, outputs } = JSON.parse(
    (await decompress(content, { maxOutputLength: CONTENT_BYTES_MAX })).toString(),
  ) as PackedTable;
  const cells = ({ texts, codes, objects }: PackedCells): ColumnCells => ({
    texts,
    codes: Uint32Array.from(codes),
    ...(objects ? { objects } : {}),
  });
  // JSON omits undefined properties.
  return {
    name,
    rowNumbers: Uint32Array.from(rowNumbers),
    inputs: inputs.map((input) => ({ ...input, xpath: input.xpath, type: input.type, cells: cells(input.cells) })),
    outputs: outputs.map((output) => ({
      ...output,
      type: output.type,
      objectType: output.objectType,
      cells: cells(output.cells),
    })),
  };
}
