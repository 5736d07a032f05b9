import { createScan, readMore, startsWith, take, takeTag, type Scan } from './lift-scan.ts';
import { toUtf8Stream } from '../../../../kernel/xml/prolog.ts';

/** Bytes of a submission, unchanged. */
export interface ItemChunk {
  /** Number of the item they belong to, from 1; 0 for the start tag of the root. */
  readonly item: number;
  readonly bytes: Uint8Array;
}

const LESS_THAN = 0x3c;
const SLASH = 0x2f;
/** Limit of a tag that is cut off by the end of the source; it is not passed on. */
const UNFINISHED_TAG_BYTES_MAX = 128 * 1024;

/**
 * Splits a submission into its items while it streams in, in UTF-8, holding one chunk at a time: an item may contain
 * files of any size. Expects a well-formed document; for any other the chunks are unspecified.
 *
 * @throws BAD_XML for an unsupported encoding or an endless tag
 */
export async function* splitItems(
  source: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<ItemChunk, void, undefined> {
  const scan = createScan(toUtf8Stream(source), UNFINISHED_TAG_BYTES_MAX);
  const position: ItemPosition = { depth: 0, items: 0, isWithin: false };
  while (scan.buffer.length > 0 || (await readMore(scan))) {
    const mark = scan.buffer[0] === LESS_THAN ? await markupEnd(scan) : undefined;
    if (scan.buffer[0] !== LESS_THAN || mark !== undefined) {
      const chunks = mark === undefined ? textChunks(scan) : chunksThrough(scan, mark);
      for await (const bytes of chunks) if (position.isWithin) yield { item: position.items, bytes };
      continue;
    }
    const tag = await takeTag(scan);
    if (tag === undefined) return;
    const closes = tag[1] === SLASH;
    if (position.depth === 0 && !closes) yield { item: 0, bytes: tag };
    if (!closes) enterItem(position, tag, name);
    if (position.isWithin) yield { item: position.items, bytes: tag };
    passTag(position, tag, closes);
  }
}

/** Where the scan is: the nesting, the number of items so far, and whether it is inside an item. */
interface ItemPosition {
  depth: number;
  items: number;
  isWithin: boolean;
}

function enterItem(position: ItemPosition, tag: Buffer, name: string): void {
  if (position.depth !== 1 || tagName(tag) !== name) return;
  position.items++;
  position.isWithin = true;
}

function passTag(position: ItemPosition, tag: Buffer, closes: boolean): void {
  if (closes) position.depth--;
  else if (tag.at(-2) !== SLASH) position.depth++;
  if (position.depth <= 1) position.isWithin = false;
}

function* textChunks(scan: Scan): Generator<Uint8Array, void, undefined> {
  const at = scan.buffer.indexOf(LESS_THAN);
  yield take(scan, at < 0 ? scan.buffer.length : at);
}

function tagName(tag: Buffer): string {
  return /^<([^\s/>]*)/.exec(tag.toString('utf8'))?.[1] ?? '';
}

/** Returns the end mark of the markup that begins here; undefined for a tag. */
async function markupEnd(scan: Scan): Promise<string | undefined> {
  if (await startsWith(scan, '<!--')) return '-->';
  if (await startsWith(scan, '<![CDATA[')) return ']]>';
  return (await startsWith(scan, '<?')) ? '?>' : undefined;
}

async function* chunksThrough(scan: Scan, mark: string): AsyncGenerator<Uint8Array, void, undefined> {
  // The shortest start: `<!-->` does not end a comment.
  yield take(scan, mark === '?>' ? 2 : 4);
  for (;;) {
    const at = scan.buffer.indexOf(mark, 0, 'latin1');
    if (at >= 0) {
      yield take(scan, at + mark.length);
      return;
    }
    // The mark may be split across chunks.
    yield take(scan, Math.max(0, scan.buffer.length - mark.length + 1));
    if (await readMore(scan)) continue;
    yield take(scan, scan.buffer.length);
    return;
  }
}
