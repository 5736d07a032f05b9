/** A stored file that no record refers to yet. */
export interface StagedDocument {
  /**
   * Names the file in `attachment/save`, as `Staged`. Sealed, so that nobody can name a file that was not staged for
   * them.
   */
  readonly token: string;
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
}

/** A stored document's content, for the platform's own processing; whether the user may download it is not checked. */
export interface DocumentContent {
  readonly fileName: string;
  readonly mime: string;
  /** Size of the content in bytes. */
  readonly size: number;
  /** Streams the content, each time from its beginning. */
  open(): AsyncIterable<Uint8Array>;
  /** Streams the bytes from `start` to before `end`. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Whether a content was scanned for malware. Waiting: it is to be. Infected: malware was found. TooLarge: larger than
 * the scanner accepts. Failed: the scanner gave no verdict. Released: an administrator released it.
 */
export const scanStates = ['Waiting', 'Clean', 'Infected', 'TooLarge', 'Failed', 'Released'] as const;
/** One of {@link scanStates}. */
export type ScanState = (typeof scanStates)[number];

/** The columns of a document's record that say where its content is, and what. */
export interface StoredFileRow {
  readonly FilePath: string | null;
  /** The storage location. */
  readonly FileObject: string | null;
  /** In bytes. */
  readonly FileSize: number | null;
  readonly FileName: string | null;
  readonly MimeType: string | null;
  readonly Sealed: boolean | null;
}

/** A document whose content may be served, if its scan allows it. */
export interface DocumentRow extends StoredFileRow {
  /** Null for a content that was stored while no scanner was set up. */
  readonly ScanState: ScanState | null;
}

/** The port to stored documents. Content is durable before the transaction that creates its record. */
export interface Documents {
  /**
   * Stores a stream. `sealed`: encrypted under the key ring, for source documents. `location`: the storage location of
   * the document to be; by default the first one.
   */
  stage(
    bytes: AsyncIterable<Uint8Array>,
    options: { readonly fileName: string; readonly sealed?: boolean; readonly location?: string },
  ): Promise<StagedDocument>;
  /**
   * Reads a file that is already in a storage location, such as one that a sender put there. `attachment/save` with its
   * token creates a document that refers to it there. The file is not changed, and not removed by `discard`.
   * @throws NOT_FOUND; CONCURRENT_CHANGE if it changed while it was read
   */
  stageInPlace(location: string, path: string): Promise<StagedDocument>;
  /**
   * Returns the content of a document, sealed or not, by its record's row. Checks nothing: the caller must make sure
   * that the user may cause this.
   * @throws NOT_FOUND if the record has no file, UNAVAILABLE if its storage is unavailable; DOCUMENT_NOT_SCANNED,
   * DOCUMENT_INFECTED or DOCUMENT_UNSCANNABLE if it is not served until it is found clean
   */
  content(row: DocumentRow): Promise<DocumentContent>;
  /**
   * Returns the content of a document whatever its scan found: for the scan itself, and for hashes. It must not be
   * served, parsed or passed on. Throws as {@link content} does for a missing file.
   */
  unscannedContent(row: StoredFileRow): Promise<DocumentContent>;
  /**
   * Returns the SHA-256 of a document's content, hexadecimal, by reading it: records of sealed files have no hash.
   * Throws as {@link content} does.
   */
  sha256(row: StoredFileRow): Promise<string>;
  /**
   * Returns the token of a staged file with the verdict of the malware scan, where one is to be had at once. Staging
   * does so already; this is for tokens that were made in another way.
   */
  scanStaged(token: string): Promise<string>;
  /** Deletes a staged file that no record will refer to. */
  discard(token: string): Promise<void>;
}
