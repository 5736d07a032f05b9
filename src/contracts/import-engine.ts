import type { Context } from '../kernel/door/context.ts';
import { PlatformError } from '../kernel/door/errors.ts';
import { contract } from '../kernel/ports/providers.ts';

/** A source document as an engine reads it. */
export interface ImportSource {
  readonly fileName: string;
  /** Size of the document in bytes. */
  readonly size: number;
  /** Streams the bytes, each time from the beginning. */
  open(): AsyncIterable<Uint8Array>;
  /** Streams the bytes from `start` to before `end`, for formats that are read from the end, such as workbooks. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Flags of ImportOperationsAllowed: what the rows of an import type may do. */
export const OPERATION_FLAGS = { insert: 1, update: 2, invoke: 4 } as const;

/** Maps a source column to a record: an ImportFileMap. */
export interface ImportMap {
  /** The source column, ignoring case; empty for a constant. */
  readonly source: string;
  /** The parameter that it sets, as named in a save (`Loan_Property_City`). */
  readonly destination: string;
  readonly type: 'Column' | 'Key' | 'Constant' | 'Ignore';
  /** Values and their replacements, ignoring case; undefined if nothing is replaced. */
  readonly translation: ReadonlyMap<string, string> | undefined;
  /** The text is kept unchanged, leading zeros included, whatever type a workbook's cell has. */
  readonly isText: boolean;
  readonly required: boolean;
  readonly dataType: 'Text' | 'Integer' | 'Decimal' | 'Money' | 'Date' | 'Timestamp' | 'Boolean' | undefined;
}

/** An import template as a run sees it: the columns of the ImportFileTemplate, and its maps. */
export interface ImportTemplate {
  readonly id: number;
  readonly name: string;
  readonly engine: string;
  readonly appliesTo: string | undefined;
  /** The options of `ParameterString`, by lower-cased name. */
  readonly options: ReadonlyMap<string, string>;
  readonly maps: readonly ImportMap[];
  /** A sum of {@link OPERATION_FLAGS}. */
  readonly operationsAllowed: number;
  readonly importStatement: string | undefined;
  /** XML Schema to validate the document with, if the template has one and validation is on. */
  readonly schema: string | undefined;
}

/** One row of a source. */
export interface SourceRow {
  /**
   * Where a person finds it: the line of a text, the row of a sheet, the number of an element in a tree; starting with
   * 1.
   */
  readonly line: number;
  /** The worksheet, if there is one. */
  readonly sheet?: string;
  /** Values by column name as in the source; '' for an empty cell. */
  readonly values: Readonly<Record<string, string>>;
  /** Why the row could not be read; it counts as failed. */
  readonly problem?: string;
}

/** A problem of a document, found before anything is imported. */
export interface ImportIssue {
  /** Line or row; 0 for the whole document. */
  readonly line: number;
  readonly message: string;
}

/** A document's preview, shown before it is imported. */
export interface ImportPreview {
  readonly columns: readonly string[];
  readonly rows: readonly SourceRow[];
  /** Number of rows of the document, if it is known without reading to the end. */
  readonly total?: number;
}

/** A part of a document that is not saved by {@link ImportRun.rows}, such as an item of a referral. */
export interface DocumentPart extends SourceRow {
  /** Columns that the document's format has and this part omits, in the order of the format. */
  readonly absent: readonly string[];
}

/** What makes a part unacceptable, of a document that was refused as a whole. */
export interface PartIssue {
  /** The part, as {@link SourceRow.line}; 0 for the document around the parts. */
  readonly line: number;
  /** The column that is wrong, present or absent, if it is a single one. */
  readonly column: string | undefined;
  readonly message: string;
}

/** Parts to write, with new values. */
export interface PartChanges {
  /** The parts that are written; all if it is undefined. */
  readonly lines: ReadonlySet<number> | undefined;
  /**
   * New values by part and column. An absent column is added in its place; an empty value removes an optional element,
   * or empties a cell.
   */
  readonly values: ReadonlyMap<number, Readonly<Record<string, string>>>;
}

/**
 * Reads and rewrites single parts of documents. A failed part is corrected by sending it again as a document of its
 * own.
 */
export interface ImportParts {
  /**
   * Yields these parts, or all, in order. Columns of nested elements are paths, such as `Loan/UPBAmount`. Attached
   * files are left out.
   * @throws BAD_PARAMETER or BAD_XML if the document cannot be read
   */
  read(
    source: ImportSource,
    template: ImportTemplate,
    lines: ReadonlySet<number> | undefined,
  ): AsyncIterable<DocumentPart>;
  /**
   * Returns what made the whole document unacceptable, by part; empty for an acceptable one. Never throws for any
   * document.
   */
  issues(source: ImportSource, template: ImportTemplate): Promise<readonly PartIssue[]>;
  /** Returns a document of the same format with these parts, everything else unchanged, files included. */
  write(
    source: ImportSource,
    template: ImportTemplate,
    changes: PartChanges,
  ): { readonly fileName: string; open(): AsyncIterable<Uint8Array> };
}

/** The result of one row, as a row of the import log. Rows without a result are not logged. */
export interface RowResult {
  readonly line: number;
  readonly label?: string;
  readonly object?: string;
  readonly objectId?: number | null;
  /** Insert, Update, None, or the operation that was invoked. */
  readonly operation: string;
  readonly status: 'Success' | 'Warning' | 'Error';
  readonly reference?: string | null;
  /** Names the column, the value (with Social Security numbers masked) and what was expected. */
  readonly message?: string;
  /** The saved properties as XML, with Social Security numbers masked. */
  readonly properties?: string;
  /** The log category, if the template has one. */
  readonly category?: string;
  /** Of a failed row: the column of the source that is wrong, if it is a single one. */
  readonly column?: string;
}

/**
 * Thrown by an engine at the end of a document of which a single failed row makes the run an Error, as for referrals.
 * The log has the failed rows, so it gets no row for the run.
 */
export class RowsFailed extends PlatformError {
  constructor(message: string) {
    super('RULE_EXCEPTION', { message });
    this.name = 'RowsFailed';
  }
}

/** Returns the log category of rows with this status, if the import type's options name one. */
export function logCategory(options: ImportTemplate['options'], status: RowResult['status']): string | undefined {
  return options.get(status === 'Error' ? 'failurelogcategory' : 'successlogcategory') ?? options.get('logcategory');
}

/** What one piece of a run did; counted and stored in the transaction that did it. */
export interface ImportPiece {
  /** Rows of the source processed so far, from its beginning: where an interrupted run resumes. */
  readonly done: number;
  readonly results: readonly RowResult[];
  /** Counts of rows that the engine has logged itself, in bulk, in addition to `results`. */
  readonly counted?: { readonly success: number; readonly warnings: number; readonly errors: number };
  /** What the engine needs to resume, as JSON; stored until the next piece replaces it. */
  readonly state?: unknown;
}

/**
 * State of a run whose rows are all queued, stored by its last piece: from then on the outcome of the last row ends the
 * file.
 */
export const ALL_QUEUED = { queued: true } as const;

/** Returns that state as stored, for a batch that runs at most `lanes` rows in parallel. */
export function allQueuedState(lanes?: number): string {
  return JSON.stringify(lanes === undefined ? ALL_QUEUED : { ...ALL_QUEUED, lanes });
}

/** Whether a run's stored state says that all its rows are queued. */
export function isAllQueued(state: string | null | undefined): boolean {
  return (
    typeof state === 'string' &&
    (JSON.parse(state) as { readonly queued?: unknown } | null)?.queued === ALL_QUEUED.queued
  );
}

/**
 * One delivery of a run to an engine. An interrupted run is delivered again; the engine then resumes at `done` with the
 * `state` of its last piece. Only one delivery at a time can store anything: an older one fails at its next piece.
 */
export interface ImportRun {
  readonly importFileId: number;
  /** The firm that sent the file; null for staff's. */
  readonly organizationId: number | null;
  readonly template: ImportTemplate;
  readonly source: ImportSource;
  /** The run's context, outside any transaction: settings, providers, log. Saves are made in {@link piece}. */
  readonly ctx: Context;
  /** Rows that earlier deliveries have processed. */
  readonly done: number;
  readonly state: unknown;
  /** Sets the expected number of rows, for the progress display. */
  expect(total: number): Promise<void>;
  /**
   * Does part of the work in its own transaction, together with its log, its counts and the run's state. The database
   * may ask to run it again.
   * @throws what ends the run: it was stopped, too many rows failed, or another delivery took it over
   */
  piece(work: (own: Context) => Promise<ImportPiece>): Promise<void>;
  /** Logs a warning about the whole document; once, however often the run is delivered. */
  warn(message: string): Promise<void>;
  /**
   * Reports that the rest was queued: the file is not complete when the engine returns, and whoever processes the last
   * row ends it.
   */
  handOff(): void;
  /**
   * Saves rows by the template: each is mapped, checked, and saved by its operation as the run's user, so that it can
   * fail alone; in the source's order, many in one piece. `rows` begins at the first row of the source; processed ones
   * are skipped. Without maps, a column is the parameter of its name. A row whose operation is Save is an Insert or an
   * Update.
   */
  rows(rows: AsyncIterable<readonly SourceRow[]>): Promise<void>;
}

/**
 * Reads one kind of document. Registered by name under {@link IMPORT_ENGINE}; a template names its engine. An
 * engine keeps no state between calls, and reads documents of any size in bounded memory.
 *
 * @example
 * const engine = ctx.providers.get(IMPORT_ENGINE, 'DelimitedEngine');
 * if (await engine.detect(source, template)) await engine.import(run);
 */
export interface ImportEngine {
  /** One line for people choosing an engine. */
  readonly doc: string;
  /** It is not bound by the sender's permissions and reach, so firms' users are refused. */
  readonly universalOnly?: true;
  /** It saves records one by one, so that the import type's workflow starts on each new one. */
  readonly startsWorkflows?: true;
  /**
   * It saves each row as a record, or calls an operation of one, by the import type's maps; the others define their own
   * columns.
   */
  readonly savesRecords?: true;
  /** Its options of `ParameterString`, besides those of every import, each with what it does. */
  readonly options: Readonly<Record<string, string>>;
  /**
   * Checks a template when it is saved; absent if the names of its options are all there is to check.
   * @throws BAD_PARAMETER, BAD_STATEMENT, BAD_SIGNATURE
   */
  check?(template: Pick<ImportTemplate, 'options' | 'appliesTo' | 'importStatement'>, ctx: Context): Promise<void>;
  /**
   * Whether the document has the expected format, and the required columns or elements. Never throws for any document.
   */
  detect(source: ImportSource, template: ImportTemplate): Promise<boolean>;
  /**
   * Returns the columns and the first `rowsMax` rows as read, before maps.
   * @throws BAD_PARAMETER or BAD_XML for another format
   */
  preview(source: ImportSource, template: ImportTemplate, rowsMax: number): Promise<ImportPreview>;
  /**
   * Reads the rows, from the first one; absent if the document has no rows that {@link ImportRun.rows} saves, so that a
   * failed one cannot be corrected by itself.
   * @throws BAD_PARAMETER or BAD_XML for another format
   */
  rows?(source: ImportSource, template: ImportTemplate): AsyncIterable<readonly SourceRow[]>;
  /**
   * Reads and rewrites the parts of documents that have no rows; absent if a failed part cannot be sent again alone.
   */
  readonly parts?: ImportParts;
  /**
   * Returns what makes the whole document unacceptable, at most `issuesMax` issues. The import itself finds rows that
   * fail alone.
   */
  validate(source: ImportSource, template: ImportTemplate, issuesMax: number): Promise<readonly ImportIssue[]>;
  /**
   * Imports the document piece by piece.
   * @throws BAD_PARAMETER or BAD_XML if the document cannot be read further; what was saved stays
   */
  import(run: ImportRun): Promise<void>;
  /**
   * Returns the failed rows as a file of the same format to be corrected and sent again, each with its reason: in a
   * last column `ImportReason`, or in a comment before it if the format has no columns. `failed` has each failed line
   * once, in ascending order.
   */
  corrections(
    source: ImportSource,
    template: ImportTemplate,
    failed: AsyncIterable<{ readonly line: number; readonly reason: string }>,
  ): { readonly fileName: string; readonly mime: string; readonly bytes: AsyncIterable<Uint8Array> };
}

/** Import engines, by the name that templates use. */
export const IMPORT_ENGINE = contract<ImportEngine>('import-engine');
