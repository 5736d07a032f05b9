import { splitItems } from './split-items.ts';

/** A failed item of a submission, by its number. */
export interface FailedItem {
  readonly line: number;
  readonly reason: string;
}

/**
 * Yields the failed items as a submission that can be corrected and sent again: each item byte for byte as in the
 * source, files included, after a comment with its reason. Streams both the source and the failures.
 */
export async function* referralCorrections(
  source: AsyncIterable<Uint8Array>,
  itemName: string,
  failed: AsyncIterable<FailedItem>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const requested = failed[Symbol.asyncIterator]();
  let next = await nextAfter(requested, 0);
  let begun = 0;
  let root = '<ImportCollection>';
  yield Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n');
  try {
    for await (const { item, bytes } of splitItems(source, itemName)) {
      if (item === 0) {
        root = Buffer.from(bytes).toString('utf8');
        yield bytes;
        continue;
      }
      if (next !== undefined && item > next.line) next = await nextAfter(requested, item - 1);
      if (item !== next?.line) continue;
      if (begun !== item) yield Buffer.from(`\n<!-- ${commentText(next.reason)} -->\n`);
      begun = item;
      yield bytes;
    }
  } finally {
    await requested.return?.(undefined);
  }
  if (!root.endsWith('/>')) yield Buffer.from('\n</ImportCollection>\n');
}

/** Returns the first failed item after a number. */
async function nextAfter(requested: AsyncIterator<FailedItem>, after: number): Promise<FailedItem | undefined> {
  for (;;) {
    const next = await requested.next();
    if (next.done === true) return undefined;
    if (next.value.line > after) return next.value;
  }
}

/** Makes text safe for a comment: two hyphens would end it, and some control characters are not allowed in XML. */
function commentText(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ' ')
    .replace(/-(?=-)/g, '- ')
    .replace(/-$/, '- ')
    .trim();
}
