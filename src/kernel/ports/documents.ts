/** A file that is stored already, while no record points to it yet. */
export interface StagedDocument {
  /** Stands for the file in `attachment/save`, as `Staged`. Sealed: nobody can name a file that was not staged for it. */
  readonly token: string;
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
}

/** A stored document's content, whoever may download it: for the platform's own work on it. */
export interface DocumentContent {
  readonly fileName: string;
  readonly mime: string;
  /** Bytes of the content. */
  readonly size: number;
  /** The content, streaming, each time anew from its beginning. */
  open(): AsyncIterable<Uint8Array>;
  /** The bytes from `start` to before `end`, streaming. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** The port to stored documents: content is written and durable before the transaction that makes its record. */
export interface Documents {
  /** Stores a stream. `sealed`: encrypted under the key ring, for source documents. */
  stage(
    bytes: AsyncIterable<Uint8Array>,
    options: { readonly fileName: string; readonly sealed?: boolean },
  ): Promise<StagedDocument>;
  /**
   * Reads a file that lies in a storage location already, such as one that a sender put there. `attachment/save` with its
   * token makes a document that points at it where it lies. The file is left as it is, now and by `discard`.
   * @throws NOT_FOUND; CONCURRENT_CHANGE where it changed while it was read
   */
  stageInPlace(location: string, path: string): Promise<StagedDocument>;
  /**
   * The content of a document by its record's row, sealed or not. Who asks must have seen to it that the caller may bring this
   * work about: nothing is checked here.
   * @throws NOT_FOUND where the record has no file, UNAVAILABLE where its storage does not
   */
  content(row: Readonly<Record<string, unknown>>): Promise<DocumentContent>;
  /** Removes a staged file that no record will point to. */
  discard(token: string): Promise<void>;
}
