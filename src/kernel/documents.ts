/** A file that is stored already, while no record points to it yet. */
export interface StagedDocument {
  /** Stands for the file in `attachment/save`, as `Staged`. Sealed: nobody can name a file that was not staged for it. */
  readonly token: string;
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
}

/** The port to stored documents: content is written and durable before the transaction that makes its record. */
export interface Documents {
  /** Stores a stream. `sealed`: encrypted under the key ring, for source documents. */
  stage(bytes: AsyncIterable<Uint8Array>, options: { readonly fileName: string; readonly sealed?: boolean }): Promise<StagedDocument>;
  /** Removes a staged file that no record will point to. */
  discard(token: string): Promise<void>;
}
