import type { ImportEngine, ImportSource, ImportTemplate, SourceRow } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { openDelimited } from '../../../lib/readers/delimited.ts';
import { detectForm } from '../../../lib/readers/document-form.ts';
import { isWorkbook, openWorkbook, type OpenedSheet } from '../../../lib/readers/workbook/workbook.ts';
import { delimitedPieces, rowPieces, type BulkPiece, type PieceOptions } from './bulk-pieces.ts';
import { TABLE_COLUMNS_MAX } from './staging-plan.ts';

/** Engines whose documents are loaded, by form. */
export interface FormEngines {
  readonly table: ImportEngine;
  readonly fixed: ImportEngine;
  readonly xml: ImportEngine;
  readonly json: ImportEngine;
}

/** A table of a source: a file or a worksheet. */
export interface SourceTable {
  /** The worksheet; undefined for a file. */
  readonly sheet: string | undefined;
  readonly columns: readonly string[];
  /** Whether each row has its own columns: a missing one is not an empty one. */
  readonly isSparse: boolean;
  pieces(parts: PieceOptions): AsyncIterable<BulkPiece>;
}

const FORMS: Readonly<Record<string, keyof FormEngines>> = {
  delimited: 'table',
  workbook: 'table',
  fixedwidth: 'fixed',
  xml: 'xml',
  json: 'json',
};

/** Description of the option `Format`. */
export const FORMAT_DOC =
  'Form of the documents: Delimited, Workbook, FixedWidth, Xml or Json. By default it is detected by the ' +
  'first characters; FixedWidth must be set.';

/**
 * Parses the option Format; undefined if it is not set.
 * @throws BAD_PARAMETER
 */
export function declaredForm({ options }: Pick<ImportTemplate, 'options'>): keyof FormEngines | undefined {
  const printed = options.get('format')?.trim().toLowerCase();
  if (printed === undefined || printed === '') return undefined;
  const form = FORMS[printed];
  if (form === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Format',
      message: 'Format: expected Delimited, Workbook, FixedWidth, Xml or Json.',
    });
  return form;
}

/** Returns the form of a document, declared or detected. */
export async function documentForm(
  source: ImportSource,
  template: Pick<ImportTemplate, 'options'>,
): Promise<keyof FormEngines> {
  return declaredForm(template) ?? (await detectForm(source));
}

/**
 * Opens the tables of a document.
 * @throws BAD_PARAMETER, BAD_XML for an unreadable document
 */
export async function openTables(
  engines: FormEngines,
  source: ImportSource,
  template: ImportTemplate,
): Promise<readonly SourceTable[]> {
  const form = await documentForm(source, template);
  if (form !== 'table') return [await rowTable(engines[form], source, template, form === 'fixed')];
  if (await isWorkbook(source)) return sheetTables((await openWorkbook(source, template)).sheets);
  const opened = await openDelimited(source, template);
  return [
    {
      sheet: undefined,
      columns: opened.form.columns,
      isSparse: false,
      pieces: (parts) => delimitedPieces(opened, parts),
    },
  ];
}

/** Returns the worksheets that have columns; others have nothing to load. */
async function sheetTables(sheets: readonly OpenedSheet[]): Promise<readonly SourceTable[]> {
  const tables: SourceTable[] = [];
  for (const sheet of sheets) {
    const columns = await columnsOf(sheet);
    if (columns)
      tables.push({ sheet: sheet.name, columns, isSparse: false, pieces: (parts) => rowPieces(rowsOf(sheet), parts) });
  }
  return tables;
}

async function columnsOf(sheet: OpenedSheet): Promise<readonly string[] | undefined> {
  for await (const { columns } of sheet.rows()) return columns;
  return undefined;
}

async function* rowsOf(sheet: OpenedSheet): AsyncGenerator<readonly SourceRow[], void, undefined> {
  for await (const { rows } of sheet.rows()) yield rows;
}

/**
 * Returns a document whose engine reads its rows. If rows have their own columns, the mapped ones are loaded, or all
 * that occur.
 */
async function rowTable(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate,
  isFixed: boolean,
): Promise<SourceTable> {
  const rows = (): AsyncGenerator<readonly SourceRow[], void, undefined> => engineRows(engine, source, template);
  const mapped = [
    ...new Map(
      template.maps
        .filter((map) => map.source !== '' && map.type !== 'Ignore')
        .map((map) => [map.source.toLowerCase(), map.source]),
    ).values(),
  ];
  const columns = isFixed ? (await engine.preview(source, template, 0)).columns : await columnsToLoad(mapped, rows);
  return {
    sheet: undefined,
    columns,
    isSparse: !isFixed,
    pieces: (parts) => rowPieces(isFixed ? rows() : withColumnSpelling(rows(), columns), parts),
  };
}

function columnsToLoad(
  mapped: readonly string[],
  rows: () => AsyncIterable<readonly SourceRow[]>,
): readonly string[] | Promise<readonly string[]> {
  return mapped.length > 0 ? mapped : presentColumns(rows());
}

async function presentColumns(batches: AsyncIterable<readonly SourceRow[]>): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for await (const batch of batches) {
    for (const row of batch)
      for (const name of Object.keys(row.values))
        if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
    if (found.size > TABLE_COLUMNS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message:
          `The document's rows have more than ${TABLE_COLUMNS_MAX.toLocaleString('en-US')} different columns, ` +
          'the most a table can have; map those that are needed.',
      });
  }
  return [...found.values()];
}

/** Renames the columns of rows to the given spelling, ignoring case. */
async function* withColumnSpelling(
  batches: AsyncIterable<readonly SourceRow[]>,
  columns: readonly string[],
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const spelling = new Map(columns.map((column) => [column.toLowerCase(), column]));
  for await (const batch of batches)
    yield batch.map((row) => ({
      ...row,
      values: Object.fromEntries(
        Object.entries(row.values).map(([name, value]) => [spelling.get(name.toLowerCase()) ?? name, value]),
      ),
    }));
}

/** Yields the rows of a document that its engine would hand over to be saved. */
async function* engineRows(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate,
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const given = Promise.withResolvers<AsyncIterable<readonly SourceRow[]> | undefined>();
  const read = Promise.withResolvers<undefined>();
  const importing = engine.import({
    importFileId: 0,
    organizationId: null,
    template,
    source,
    done: 0,
    state: undefined,
    // Row engines use nothing but the run.
    ctx: {} as Context,
    expect: () => Promise.resolve(),
    piece: () => Promise.reject(new Error('a row engine saves nothing by itself')),
    warn: () => Promise.resolve(),
    handOff: () => undefined,
    rows: async (batches) => {
      given.resolve(batches);
      await read.promise;
    },
  });
  importing.then(() => given.resolve(undefined), given.reject);
  try {
    const batches = await given.promise;
    if (batches) yield* batches;
  } finally {
    read.resolve(undefined);
    await importing.catch(() => undefined);
  }
}
