import {
  ALL_QUEUED,
  type ImportEngine,
  type ImportRun,
  type ImportSource,
  type ImportTemplate,
  type RowResult,
  type SourceRow,
} from '../../../contracts/import-engine.ts';
import { piecesOf } from '../../../contracts/import-pieces.ts';
import { BLANK_ROW_MESSAGE, charactersOf, isBlankRow } from '../../../contracts/import-value.ts';
import type { ListAnswer, TreeAnswer } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { checkSignature, fillSignature, parseSignature } from '../../../kernel/door/signature.ts';
import { detectForm } from '../../../lib/readers/document-form.ts';
import { transactionOption } from '../../../lib/readers/row-document.ts';
import { queueRow, type RowMappingTerms } from './batch-row.ts';
import { fixedValue, templateParameters, type TemplateParameters } from './template-parameters.ts';

/** Rows queued at once: they commit together, with one message for each of their queues. */
const PORTION_ROWS = 500;
/** Characters queued at once: five hundred rows of the largest size would exceed the memory. */
const PORTION_CHARACTERS = 1024 * 1024;
/** Most rows that a statement may select for one batch. */
const SELECTED_ROWS_MAX = 2_000_000;

/** Engines that read the documents of batches, by form. */
export interface BatchReaders {
  readonly table: ImportEngine;
  readonly xml: ImportEngine;
  readonly json: ImportEngine;
}

const options = {
  '*':
    "Any other name: a parameter of every row, which replaces the row's own. {Column} is replaced with the " +
    "row's value. ClassName and Operation set the call of all rows.",
  BatchQueue: 'Queue of rows that name none in a column _Queue; default Batch.',
} as const;
/** Options of every import, which are not parameters of rows. */
const COMMON_OPTIONS = [
  'LogCategory',
  'SuccessLogCategory',
  'FailureLogCategory',
  'LogProperties',
  'DateOrder',
  'FileNames',
] as const;

/**
 * Returns the engine that queues each row of a document as a call of its own. The readers of the other engines read the
 * rows; with an ImportStatement, its result is the rows.
 */
export function batchReader(readers: BatchReaders): ImportEngine {
  const all = [readers.table, readers.xml, readers.json];
  const readerOf = async (source: ImportSource): Promise<ImportEngine> => readers[await detectForm(source)];
  const readerOptions = Object.fromEntries(
    all.flatMap((engine) => Object.entries(engine.options)).filter(([name]) => !(name in transactionOption)),
  );
  const own = new Set(
    [...Object.keys(options), ...COMMON_OPTIONS, ...Object.keys(readerOptions)].map((name) => name.toLowerCase()),
  );
  return {
    doc:
      'Delimited text, workbooks, XML and JSON. Each row is queued as a call of its own; its columns name ' +
      'the operation and its parameters.',
    savesRecords: true,
    options: { ...readerOptions, ...options },
    async check(template, ctx) {
      templateParameters(template, own);
      if (template.importStatement !== undefined)
        await checkSignature(ctx, template.importStatement, statementContext(template));
    },
    detect: async (source, template) => (await readerOf(source)).detect(source, template),
    preview: async (source, template, rowsMax) => (await readerOf(source)).preview(source, template, rowsMax),
    async validate(source, template, issuesMax) {
      templateParameters(template, own);
      return template.importStatement === undefined
        ? (await readerOf(source)).validate(source, template, issuesMax)
        : [];
    },
    async import(run) {
      if (isQueued(run.state)) await run.piece((again) => resumeQueuedRows(again, run));
      else if (run.template.importStatement === undefined)
        await queueDocument(run, await readerOf(run.source), await readRowTerms(run, own));
      else await queueSelected(run, run.template.importStatement, await readRowTerms(run, own));
      run.handOff();
    },
    corrections: (source, template, failed) => ({
      ...readerByExtension(readers, source.fileName).corrections(source, template, failed),
      ...deferredCorrections(readerOf, source, template, failed),
    }),
  };
}

function isQueued(state: unknown): boolean {
  return JSON.stringify(state) === JSON.stringify(ALL_QUEUED);
}

async function readRowTerms(run: ImportRun, own: ReadonlySet<string>): Promise<RowMappingTerms> {
  const [file] = await run.ctx.db.query<{ type: string | null }>(
    'select importfiletype as type from importfile where importfileid = $1::bigint',
    [run.importFileId],
  );
  const type = file?.type ?? '';
  const parameters = templateParameters(run.template, own);
  await assertCallExists(run, parameters);
  return {
    appliesTo: run.template.appliesTo,
    parameters,
    onlyCall: /^\w+\/\w+$/.test(type) ? type : undefined,
  };
}

/**
 * Refuses an import type that names one call for all rows, which does not exist: they would fail one by one.
 * @throws UNKNOWN_OPERATION
 */
async function assertCallExists({ ctx, template }: ImportRun, parameters: TemplateParameters): Promise<void> {
  const [module, operation] = ['classname', 'operation'].map((name) => fixedValue(parameters, name)?.toLowerCase());
  const className = module ?? template.appliesTo?.toLowerCase();
  if (operation === undefined || className === undefined || !/^\w+$/.test(operation)) return;
  if ((await ctx.findOperation(className, operation)) === undefined)
    throw new PlatformError('UNKNOWN_OPERATION', {
      message:
        `The import type ${template.name} calls ${className}/${operation} for each row; there is no such operation. ` +
        'No row was queued.',
    });
}

/**
 * Queues the rows of a document in pieces; skips those that earlier deliveries have queued. The reader's engine hands
 * rows over as if they were to be saved.
 */
async function queueDocument(run: ImportRun, reader: ImportEngine, terms: RowMappingTerms): Promise<void> {
  const limits = { itemsMax: PORTION_ROWS, charactersMax: PORTION_CHARACTERS, charactersOf };
  const queueing = async (batches: AsyncIterable<readonly SourceRow[]>): Promise<void> => {
    for await (const { items, done, isLast } of piecesOf(batches, limits, run.done))
      await run.piece(async (own) => {
        const [calls, blank] = [items.filter((row) => !isBlankRow(row)), items.filter(isBlankRow)];
        await addRows(
          own,
          run,
          calls.map((row) => queueRow(row, terms)),
        );
        const results = blank.map(skippedRow);
        if (!isLast) return { done, results };
        await queueEndBatch(own, run.importFileId);
        return { done, results, state: ALL_QUEUED };
      });
  };
  await reader.import({
    importFileId: run.importFileId,
    organizationId: run.organizationId,
    template: run.template,
    source: run.source,
    ctx: run.ctx,
    done: run.done,
    state: run.state,
    expect: (total) => run.expect(total),
    piece: (work) => run.piece(work),
    // Columns of a batch are parameters of its calls.
    warn: () => Promise.resolve(),
    handOff: () => run.handOff(),
    rows: queueing,
  });
}

function skippedRow({ line }: SourceRow): RowResult {
  return { line, operation: 'None', status: 'Success', label: `Line ${line}`, message: BLANK_ROW_MESSAGE };
}

/** A bare name is a statement of the import type's class. */
function statementContext({ appliesTo }: Pick<ImportTemplate, 'appliesTo'>): {
  readonly field: string;
  readonly module?: string;
} {
  return { field: 'ImportStatement', ...(appliesTo === undefined ? {} : { module: appliesTo }) };
}

/** Queues the rows selected by the ImportStatement in one piece: a second delivery would select other rows. */
async function queueSelected(run: ImportRun, statement: string, terms: RowMappingTerms): Promise<void> {
  const signature = parseSignature(statement, statementContext(run.template));
  const facts = new Map<string, string | number | null>([
    ['importfileid', run.importFileId],
    ['organizationid', run.organizationId],
  ]);
  const parameters = await fillSignature(signature, (name) => facts.get(name.toLowerCase()) ?? undefined);
  await run.piece(async (own) => {
    let line = 0;
    await own.readNamed(signature.route, parameters, async (piece) => {
      const rows = selectedRows(piece);
      if (line + rows.length > SELECTED_ROWS_MAX)
        throw new PlatformError('TOO_LARGE', {
          field: 'ImportStatement',
          message: `ImportStatement: it selects more than ${SELECTED_ROWS_MAX} rows.`,
        });
      for (let at = 0; at < rows.length; at += PORTION_ROWS)
        await addRows(
          own,
          run,
          rows.slice(at, at + PORTION_ROWS).map((values) => queueRow({ line: ++line, values }, terms)),
        );
    });
    await queueEndBatch(own, run.importFileId);
    return { done: line, results: [], state: ALL_QUEUED };
  });
}

function selectedRows(piece: ListAnswer | TreeAnswer): Record<string, string>[] {
  if (piece.kind !== 'list')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ImportStatement',
      message: 'ImportStatement: expected an operation that returns a list, such as a saved statement.',
    });
  return piece.rows.map((row) => Object.fromEntries(piece.shape.map(({ name }) => [name, toText(row[name])])));
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function addRows(own: Context, run: ImportRun, rows: readonly object[]): Promise<void> {
  const queue = run.template.options.get('batchqueue');
  if (rows.length > 0)
    await own.call('importfilequeue/add', {
      ImportFileID: run.importFileId,
      Rows: JSON.stringify(rows),
      ...(queue === undefined ? {} : { Queue: queue }),
    });
}

/** Resumes a batch whose rows are queued. */
async function resumeQueuedRows(
  own: Context,
  run: ImportRun,
): Promise<{ readonly done: number; readonly results: readonly [] }> {
  const [file] = await own.db.query<{ status: string }>(
    'select status from importfile where importfileid = $1::bigint for update',
    [run.importFileId],
  );
  // It may have been stopped again by now.
  if (file?.status === 'Importing') await own.call('importfilequeue/resume', { ImportFileID: run.importFileId });
  return { done: run.done, results: [] };
}

/**
 * Queues a check of whether the batch has ended: its last row may have finished before the run recorded that there are
 * no more.
 */
async function queueEndBatch(own: Context, importFileId: number): Promise<void> {
  await own.enqueue({
    route: 'importfile/endbatch',
    parameters: { ID: importFileId },
    label: `Import file ${importFileId}`,
  });
}

/** Returns the reader suggested by a file's extension; corrections are named before the file is opened. */
function readerByExtension(readers: BatchReaders, fileName: string): ImportEngine {
  if (/\.xml$/i.test(fileName)) return readers.xml;
  return /\.(?:json|ndjson|jsonl)$/i.test(fileName) ? readers.json : readers.table;
}

/**
 * Returns corrections written by the reader of the document's form, which is known only once the document is opened.
 */
function deferredCorrections(
  readerOf: (source: ImportSource) => Promise<ImportEngine>,
  source: ImportSource,
  template: ImportTemplate,
  failed: Parameters<ImportEngine['corrections']>[2],
): { readonly bytes: AsyncIterable<Uint8Array> } {
  async function* bytes(): AsyncIterable<Uint8Array> {
    yield* (await readerOf(source)).corrections(source, template, failed).bytes;
  }
  return { bytes: bytes() };
}
