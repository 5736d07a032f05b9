import type { DataTable, Generator } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { columnWidth, workbookCell } from '../../../lib/writers/workbook-cell.ts';
import {
  WORKBOOK_MIME,
  WORKBOOK_ROWS_MAX,
  writeWorkbook,
  type Worksheet,
  type WorkbookRow,
} from '../../../lib/writers/workbook.ts';

const options = {
  Header: f.choice(['Labels', 'Names'], {
    doc: "What the first row of a sheet has: the columns' labels, as people read them, or their names.",
    default: 'Labels',
  }),
  FreezeHeader: f.boolean({ doc: 'Whether the first row stays visible.', default: true }),
};

interface SheetOptions {
  readonly header: string;
  readonly isHeadFrozen: boolean;
  readonly timeZone: string;
  readonly signal: AbortSignal;
}

/** Makes an Excel workbook with a sheet for each table. */
export const spreadsheetGenerator: Generator<typeof options> = {
  doc: 'An Excel workbook with a sheet and a named range for each table of the data.',
  options,
  reads: 'tables',
  templates: [],
  needsTemplate: false,
  async generate({ data, options: { Header, FreezeHeader }, timeZone, signal }) {
    signal.throwIfAborted();
    if (data.kind !== 'tables') throw new Error('a workbook is made of tables');
    const { tables } = data;
    const sheetOptions = { header: Header, isHeadFrozen: FreezeHeader, timeZone, signal };
    return {
      mime: WORKBOOK_MIME,
      extension: 'xlsx',
      bytes: () => writeWorkbook(tables.map((table) => sheetOf(table, sheetOptions))),
    };
  },
};

function sheetOf(table: DataTable, { header, isHeadFrozen, timeZone, signal }: SheetOptions): Worksheet {
  const heads = table.columns.map(({ name, field }) => (header === 'Names' ? name : fieldLabel(name, field)));
  async function* rows(): AsyncGenerator<WorkbookRow> {
    yield heads.map((text) => ({ text, style: 'head' }));
    let count = 1;
    for await (const row of table.rows()) {
      signal.throwIfAborted();
      if (++count > WORKBOOK_ROWS_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `"${table.name}" has more than ${WORKBOOK_ROWS_MAX - 1} rows, too many for a worksheet; use CSV.`,
        });
      yield table.columns.map(({ name, field }) => workbookCell(field, row[name], timeZone));
    }
  }
  const widths = table.columns.map(({ field }, at) => columnWidth(field, heads[at] ?? ''));
  return { name: table.name, isHeadFrozen, isNamed: true, widths, rows: rows() };
}
