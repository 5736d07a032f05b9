import type {
  ImportEngine,
  ImportIssue,
  ImportRun,
  ImportSource,
  ImportTemplate,
  SourceRow,
} from '../../contracts/import-engine.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { isReason } from './columns.ts';

/** A document that consists of rows, opened. */
export interface RowDocument {
  /** Its columns where it names them; undefined where each row brings its own. */
  readonly columns: readonly string[] | undefined;
  /** Its rows from the first, anew each time. */
  rows(): AsyncIterable<readonly SourceRow[]>;
}

/** What an engine of rows brings along. */
export interface RowFormat {
  readonly doc: string;
  readonly options: ImportEngine['options'];
  /** @throws BAD_PARAMETER or BAD_XML for what is no such document */
  open(source: ImportSource, template: ImportTemplate): Promise<RowDocument>;
  /** Whether an opened document can be one of the template. */
  fits(document: RowDocument, template: ImportTemplate): Promise<boolean>;
  validate(
    document: RowDocument,
    source: ImportSource,
    template: ImportTemplate,
    issuesMax: number,
  ): Promise<readonly ImportIssue[]>;
  /** Counts the rows where how many bytes are read says nothing of how far a run is. */
  count?(document: RowDocument, source: ImportSource): Promise<number | undefined>;
  readonly corrections: ImportEngine['corrections'];
}

/** An engine whose rows are saved one by one through the run: what differs from form to form is how they are read. */
export function rowEngine(parts: RowFormat): ImportEngine {
  return {
    doc: parts.doc,
    options: parts.options,
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
      const total = run.done === 0 ? await parts.count?.(document, run.source) : undefined;
      if (total !== undefined) await run.expect(total);
      await run.rows(document.rows());
    },
    corrections: (source, template, failed) => parts.corrections(source, template, failed),
  };
}

/** Whether an error is what is wrong with the document, and not with the storage that it lies in. */
function isDocumentError(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.status < 500;
}

/** An error of a document as an issue, at the line that it tells. */
export function toIssue(error: PlatformError): ImportIssue {
  const line = error.details?.['line'];
  return { line: typeof line === 'number' ? line : 0, message: error.message };
}

/** The first rows; the source is let go then. */
export async function firstRows(document: RowDocument, rowsMax: number): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  if (rowsMax < 1) return rows;
  for await (const batch of document.rows()) {
    rows.push(...batch.slice(0, rowsMax - rows.length));
    if (rows.length >= rowsMax) break;
  }
  return rows;
}

/** Reads a document to its end, and answers how many rows it has. @throws what is wrong with it anywhere */
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
