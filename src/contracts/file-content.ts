/** A file as readers, generators and converters get it, wherever it is stored. */
export interface FileContent {
  readonly fileName: string;
  /** Media type, detected from the content. */
  readonly mime: string;
  /** In bytes. */
  readonly size: number;
  /** Streams the bytes, each time from the beginning. */
  open(): AsyncIterable<Uint8Array>;
  /** Streams the bytes from `start` to before `end`. */
  part(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Returns a file whose bytes are in memory. */
export function fileOf(fileName: string, mime: string, bytes: Uint8Array): FileContent {
  const part = async function* (start: number, end: number): AsyncIterable<Uint8Array> {
    yield bytes.subarray(start, end);
  };
  return { fileName, mime, size: bytes.length, open: () => part(0, bytes.length), part };
}

/** Returns all bytes of a file, which the caller has limited. */
export async function bytesOf(file: Pick<FileContent, 'open'>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}
