import type { Context } from '../kernel/door/context.ts';

/** A source document as an engine reads it. */
export interface ImportSource {
  readonly fileName: string;
  /** Bytes of the whole document. */
  readonly size: number;
  /** The bytes, streaming, each time anew from their beginning. */
  open(): AsyncIterable<Uint8Array>;
  /** The bytes from `start` to before `end`, streaming: for formats that are read from their end, such as workbooks. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** How a source column is brought into a record: an ImportFileMap. */
export interface ImportMap {
  /** The source column, matched without regard to case; empty for a constant. */
  readonly source: string;
  /** The parameter that it becomes, in the prefix grammar of a save (`Loan_Property_City`). */
  readonly destination: string;
  readonly type: 'Column' | 'Key' | 'Constant' | 'Ignore';
  /** Listed values and what stands for them; undefined where nothing is replaced. Values are matched without regard to case. */
  readonly translation: ReadonlyMap<string, string> | undefined;
  /** The text is kept as it stands, leading zeros included, whatever a workbook's cell says of it. */
  readonly isText: boolean;
  readonly required: boolean;
  readonly dataType: 'Text' | 'Integer' | 'Decimal' | 'Money' | 'Date' | 'Timestamp' | 'Boolean' | undefined;
}

/** An import template as a run sees it: its columns are those of the ImportFileTemplate, its maps those that hang below it. */
export interface ImportTemplate {
  readonly id: number;
  readonly name: string;
  readonly engine: string;
  readonly appliesTo: string | undefined;
  /** The options of `ParameterString`, by lower-cased name. */
  readonly options: ReadonlyMap<string, string>;
  readonly maps: readonly ImportMap[];
  /** Flags: Insert 1, Update 2, Invoke 4. */
  readonly operationsAllowed: number;
  readonly importStatement: string | undefined;
  /** The XML Schema that a document must follow, where the template has one and validation is on. */
  readonly schema: string | undefined;
}

/** One row of a source, read. */
export interface SourceRow {
  /** Where a person finds it: the line of a text, the row of a sheet, the element's number in a tree; 1 is the first. */
  readonly line: number;
  /** The worksheet, where there is one. */
  readonly sheet?: string;
  /** Values by column name as it stands in the source; an empty cell is ''. */
  readonly values: Readonly<Record<string, string>>;
  /** Why it could not be read; it is a failed row then. */
  readonly problem?: string;
}

/** What is found wrong with a document before anything of it is imported. */
export interface ImportIssue {
  /** Line or row, 0 where it concerns the whole. */
  readonly line: number;
  readonly message: string;
}

/** What a person is shown of a document before it is imported. */
export interface ImportPreview {
  readonly columns: readonly string[];
  readonly rows: readonly SourceRow[];
  /** Rows of the whole document where that is known without reading it to its end. */
  readonly total?: number;
}

/** What became of one row: a row of the import log. Nothing is logged of rows for which an engine makes no entry. */
export interface RowResult {
  readonly line: number;
  readonly label?: string;
  readonly object?: string;
  readonly objectId?: number | null;
  /** Insert, Update, None, or the operation that was invoked. */
  readonly operation: string;
  readonly status: 'Success' | 'Warning' | 'Error';
  readonly reference?: string | null;
  /** Names the column, the value (numbers of people masked) and what was expected. */
  readonly message?: string;
  /** The saved properties as XML, numbers of people masked. */
  readonly properties?: string;
  /** The log category, where the template gives one. */
  readonly category?: string;
}

/** What a piece of a run did; it is counted and kept in the transaction that did it. */
export interface ImportPiece {
  /** Rows of the source that are dealt with now, from its beginning: where a run that was cut off goes on. */
  readonly done: number;
  readonly results: readonly RowResult[];
  /** Counts of rows that the engine has logged itself, in bulk, beside `results`. */
  readonly counted?: { readonly success: number; readonly warnings: number; readonly errors: number };
  /** What the engine must know to go on, as JSON; kept until the next piece replaces it. */
  readonly state?: unknown;
}

/** The state of a run all of whose rows stand in the queue, as its last piece leaves it: from then on the last row's outcome ends the file. */
export const ALL_QUEUED = { queued: true } as const;

/** The same as it is kept, of a batch of which at most so many rows run side by side. */
export function allQueuedState(lanes?: number): string {
  return JSON.stringify(lanes === undefined ? ALL_QUEUED : { ...ALL_QUEUED, lanes });
}

/** Whether the kept state of a run is that of one all of whose rows stand in the queue. */
export function isAllQueued(state: string | null | undefined): boolean {
  return (
    typeof state === 'string' &&
    (JSON.parse(state) as { readonly queued?: unknown } | null)?.queued === ALL_QUEUED.queued
  );
}

/**
 * One delivery of a run to an engine. A run is delivered again when it was cut off; the engine then begins at `done` with the
 * `state` that its last piece left. At any time one delivery alone can keep something: an older one fails at its next piece.
 */
export interface ImportRun {
  readonly importFileId: number;
  /** The firm that sent the file, null for staff's. */
  readonly organizationId: number | null;
  readonly template: ImportTemplate;
  readonly source: ImportSource;
  /** The context of the run, outside of any transaction: settings, providers, log. What is saved is saved in {@link piece}. */
  readonly ctx: Context;
  /** Rows that earlier deliveries have dealt with. */
  readonly done: number;
  readonly state: unknown;
  /** Says how many rows there will be, so that progress can be told. */
  expect(total: number): Promise<void>;
  /**
   * Does a part of the work in a transaction of its own, together with its log, its counts and where the run stands. It may be
   * run again where the database asks for it. Throws what ends the run: that it was stopped, that too many rows have failed,
   * that another delivery has taken it over.
   */
  piece(work: (own: Context) => Promise<ImportPiece>): Promise<void>;
  /** Says that what is left was queued: the file is not complete when the engine returns, and whoever does the last of it ends it. */
  handOff(): void;
  /**
   * Saves rows by the template: each is mapped and checked, and its operation called as the run's user, so that it can fail
   * alone; in the order of the source, many in one piece. `rows` begins at the source's first row; those that are done are
   * passed over. Without maps a column is the parameter of its name. A row whose operation is Save is an Insert or an Update.
   */
  rows(rows: AsyncIterable<readonly SourceRow[]>): Promise<void>;
}

/**
 * Reads one kind of document. Registered by name under the contract `import-engine`; a template names its engine.
 * An engine keeps nothing between calls, and reads however large a document in bounded memory.
 *
 * @example
 * const engine = ctx.providers.get<ImportEngine>('import-engine', 'DelimitedEngine');
 * if (await engine.detect(source, template)) await engine.import(run);
 */
export interface ImportEngine {
  /** One line for people who choose an engine. */
  readonly doc: string;
  /** What it does is not bound by the permissions and reach of who sends a file, so a firm's users are refused. */
  readonly universalOnly?: true;
  /** The options of `ParameterString` that it knows beside those of every import, each with what it does. */
  readonly options: Readonly<Record<string, string>>;
  /** Refuses what a template says that it could not import by, when the template is saved; absent where the names of options are all there is to check. @throws BAD_PARAMETER, BAD_STATEMENT, BAD_SIGNATURE */
  check?(template: Pick<ImportTemplate, 'options' | 'appliesTo' | 'importStatement'>, ctx: Context): Promise<void>;
  /** Whether the document has the form that the template expects: format, and the columns or elements that it must have. Never throws for a document that is something else. */
  detect(source: ImportSource, template: ImportTemplate): Promise<boolean>;
  /** The columns and the first `rowsMax` rows as they were read, before maps. @throws BAD_PARAMETER or BAD_XML for what is no such document */
  preview(source: ImportSource, template: ImportTemplate, rowsMax: number): Promise<ImportPreview>;
  /** What makes the document as a whole unacceptable; at most `issuesMax` issues. Rows that fail alone are found by the import. */
  validate(source: ImportSource, template: ImportTemplate, issuesMax: number): Promise<readonly ImportIssue[]>;
  /** Imports the document, piece by piece. @throws BAD_PARAMETER or BAD_XML for a document that cannot be read further: what was saved of it stays */
  import(run: ImportRun): Promise<void>;
  /**
   * The rows that failed as a file of the same form that can be sent again, each with its reason: in a last column
   * `ImportReason`, or where the form has no columns in a comment before it. `failed` has each failed line once, in ascending order.
   */
  corrections(
    source: ImportSource,
    template: ImportTemplate,
    failed: AsyncIterable<{ readonly line: number; readonly reason: string }>,
  ): { readonly fileName: string; readonly mime: string; readonly bytes: AsyncIterable<Uint8Array> };
}
