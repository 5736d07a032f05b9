/** Bytes that are sent at once. */
const CHUNK_BYTES = 128 * 1024;

/** Lines as bytes in pieces of some size. */
export function* inChunks<T>(items: Iterable<T>, line: (item: T, index: number) => string): Generator<Buffer, void, undefined> {
  let text = '';
  let index = 0;
  for (const item of items) {
    text += line(item, index++);
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
