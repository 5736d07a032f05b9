import type {
  ImportEngine,
  ImportIssue,
  ImportRun,
  ImportSource,
  ImportTemplate,
  SourceRow,
} from '../../contracts/import-engine.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { columnWarnings, isReason } from './columns.ts';

/** An opened document of rows. */
export interface RowDocument {
  /** Its columns if it names them; undefined if each row has its own. */
  readonly columns: readonly string[] | undefined;
  /** Reads its rows, from the first on each call. */
  rows(): AsyncIterable<readonly SourceRow[]>;
}

/** The parts of an engine that depend on the format of its rows. */
export interface RowFormat {
  readonly doc: string;
  readonly options: ImportEngine['options'];
  /**
   * Opens a document.
   * @throws BAD_PARAMETER or BAD_XML for a document of another format
   */
  open(source: ImportSource, template: ImportTemplate): Promise<RowDocument>;
  /** Whether an opened document can be of the import type. */
  fits(document: RowDocument, template: ImportTemplate): Promise<boolean>;
  validate(
    document: RowDocument,
    source: ImportSource,
    template: ImportTemplate,
    issuesMax: number,
  ): Promise<readonly ImportIssue[]>;
  /** Counts the rows, for formats in which that is quick or whose progress does not follow from the bytes read. */
  count?(document: RowDocument): Promise<number>;
  readonly corrections: ImportEngine['corrections'];
}

/** An option of engines whose rows the run saves. */
export const transactionOption = {
  UseTransaction: 'Whether the rows are one transaction, all or nothing: if one fails, none is saved; default false.',
} as const;

/** Returns an engine that saves rows one by one through the run; formats differ only in how rows are read. */
export function rowEngine(parts: RowFormat): ImportEngine {
  return {
    doc: parts.doc,
    options: { ...parts.options, ...transactionOption },
    startsWorkflows: true,
    savesRecords: true,
    async detect(source, template) {
      try {
        return await parts.fits(await parts.open(source, template), template);
      } catch (error) {
        if (isDocumentError(error)) return false;
        throw error;
      }
    },
    async preview(source, template, rowsMax) {
      const document = await parts.open(source, template);
      const rows = await firstRows(document, rowsMax);
      const columns = document.columns ?? columnsOf(rows);
      return { columns: columns.filter((column) => !isReason(column)), rows };
    },
    async *rows(source, template) {
      yield* (await parts.open(source, template)).rows();
    },
    async validate(source, template, issuesMax) {
      try {
        return await parts.validate(await parts.open(source, template), source, template, issuesMax);
      } catch (error) {
        if (!isDocumentError(error)) throw error;
        return [toIssue(error)];
      }
    },
    async import(run: ImportRun) {
      const document = await parts.open(run.source, run.template);
      const total = run.done === 0 ? await countForProgress(parts, document, run.source) : undefined;
      if (total !== undefined) await run.expect(total);
      for (const warning of columnWarnings(run.template, document.columns ?? [])) await run.warn(warning);
      await run.rows(document.rows());
    },
    corrections: (source, template, failed) => parts.corrections(source, template, failed),
  };
}

/**
 * Larger documents are not read twice to count their rows: their progress is that of the bytes read. In smaller ones,
 * the reader is too far ahead of the saved rows for that.
 */
const COUNTED_BYTES_MAX = 4 * 1024 * 1024;

/** Counts the rows of a document before its import; undefined if that takes long, or it cannot be read to its end. */
async function countForProgress(
  parts: RowFormat,
  document: RowDocument,
  { size }: ImportSource,
): Promise<number | undefined> {
  if (!parts.count && size >= COUNTED_BYTES_MAX) return undefined;
  try {
    return await (parts.count?.(document) ?? countRows(document));
  } catch (error) {
    // The rows before the fault are imported.
    if (isDocumentError(error)) return undefined;
    throw error;
  }
}

/** Whether an error concerns the document, not the storage it is read from. */
function isDocumentError(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.status < 500;
}

/** Converts a document error to an issue at its line. */
export function toIssue(error: PlatformError): ImportIssue {
  const line = error.details?.['line'];
  return { line: typeof line === 'number' ? line : 0, message: error.message };
}

/** Returns the first rows and closes the source. */
export async function firstRows(document: RowDocument, rowsMax: number): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  if (rowsMax < 1) return rows;
  for await (const batch of document.rows()) {
    rows.push(...batch.slice(0, rowsMax - rows.length));
    if (rows.length >= rowsMax) break;
  }
  return rows;
}

/**
 * Reads a document to its end and returns the number of rows.
 * @throws any document error
 */
export async function countRows(document: RowDocument): Promise<number> {
  let count = 0;
  for await (const batch of document.rows()) count += batch.length;
  return count;
}

function columnsOf(rows: readonly SourceRow[]): string[] {
  const columns = new Map<string, string>();
  for (const row of rows) {
    for (const name of Object.keys(row.values))
      if (!columns.has(name.toLowerCase())) columns.set(name.toLowerCase(), name);
  }
  return [...columns.values()];
}
