import type { ImportEngine, ImportSource, ImportTemplate, SourceRow } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { openDelimited } from '../../../lib/readers/delimited.ts';
import { detectForm } from '../../../lib/readers/document-form.ts';
import { isWorkbook, openWorkbook, type OpenedSheet } from '../../../lib/readers/workbook/workbook.ts';
import { delimitedPieces, rowPieces, type BulkPiece, type PieceOptions } from './bulk-pieces.ts';
import { TABLE_COLUMNS_MAX } from './staging-plan.ts';

/** The engines whose documents are loaded, by form. */
export interface FormEngines {
  readonly table: ImportEngine;
  readonly fixed: ImportEngine;
  readonly xml: ImportEngine;
  readonly json: ImportEngine;
}

/** A table of a source: a file, or a worksheet. */
export interface SourceTable {
  /** The worksheet; undefined: the file. */
  readonly sheet: string | undefined;
  readonly columns: readonly string[];
  /** Each row brings its own columns: one that is missing is not an empty one. */
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

/** The option that says the form of documents. */
export const FORMAT_DOC =
  'Of what form the documents are: Delimited, Workbook, FixedWidth, Xml or Json. Without it their first characters say it; those of fixed width must be named.';

/** The form that a template says; undefined where the document says it itself. @throws BAD_PARAMETER */
export function declaredForm({ options }: Pick<ImportTemplate, 'options'>): keyof FormEngines | undefined {
  const said = options.get('format')?.trim().toLowerCase();
  if (said === undefined || said === '') return undefined;
  const form = FORMS[said];
  if (form === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Format',
      message: 'Format: expected Delimited, Workbook, FixedWidth, Xml or Json.',
    });
  return form;
}

/** The form of a document. */
export async function documentForm(
  source: ImportSource,
  template: Pick<ImportTemplate, 'options'>,
): Promise<keyof FormEngines> {
  return declaredForm(template) ?? (await detectForm(source));
}

/** Opens a document. @throws BAD_PARAMETER, BAD_XML for what is no such document */
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

/** The worksheets that have columns; one without is nothing to load. */
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

/** A document whose engine hands over rows. Where rows bring their own columns those of the maps are loaded, or all that occur. */
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
  const columns =
    mapped.length > 0 && !isFixed
      ? mapped
      : isFixed
        ? (await engine.preview(source, template, 0)).columns
        : await presentColumns(rows());
  return {
    sheet: undefined,
    columns,
    isSparse: !isFixed,
    pieces: (parts) => rowPieces(isFixed ? rows() : withColumnSpelling(rows(), columns), parts),
  };
}

async function presentColumns(batches: AsyncIterable<readonly SourceRow[]>): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for await (const batch of batches) {
    for (const row of batch)
      for (const name of Object.keys(row.values))
        if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), name);
    if (found.size > TABLE_COLUMNS_MAX)
      throw new PlatformError('TOO_LARGE', {
        message: `The document's rows have more than ${TABLE_COLUMNS_MAX.toLocaleString('en-US')} different columns, and a table no more; map those that are needed.`,
      });
  }
  return [...found.values()];
}

/** Rows whose columns are spelled as the first was, or as the template spells them. */
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

/** The rows of a document, as its engine hands them over to be saved. */
async function* engineRows(
  engine: ImportEngine,
  source: ImportSource,
  template: ImportTemplate,
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  const given = Promise.withResolvers<AsyncIterable<readonly SourceRow[]> | undefined>();
  const read = Promise.withResolvers<void>();
  const importing = engine.import({
    importFileId: 0,
    organizationId: null,
    template,
    source,
    done: 0,
    state: undefined,
    // Engines of rows touch nothing but the run.
    ctx: {} as Context,
    expect: () => Promise.resolve(),
    piece: () => Promise.reject(new Error('an engine of rows saves nothing by itself')),
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
    read.resolve();
    await importing.catch(() => undefined);
  }
}
