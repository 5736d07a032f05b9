import type { Context } from '../../../../../kernel/door/context.ts';
import { snippetMarkup, snippetOf } from '../../../../../lib/text-search/text-hits.ts';
import { boxesWithin, unpackBoxes, type WordBox } from '../../../../../lib/text-search/word-boxes.ts';
import { parseFullText } from '../../../../../lib/text-search/find-texts.ts';
import { findTextPages, hitsOfPages, type PageHits } from './full-text-search.ts';

/** Most hits returned. */
const HITS_MAX = 1_000;

/** A hit in a document, as `attachment/findtext` returns it. */
export interface FoundHit {
  readonly AttachmentID: number;
  readonly PageNumber: number;
  readonly HitNumber: number;
  readonly Words: string;
  readonly Snippet: string;
  readonly Boxes: string | null;
}

/** Returns where a document matches a query. The caller has checked that the document is visible. */
export async function findInDocument(
  ctx: Context,
  { id, text, page }: { readonly id: number; readonly text: string; readonly page: number | undefined },
): Promise<readonly FoundHit[]> {
  const query = await parseFullText(ctx, text, 'FullText');
  const pages = (await findTextPages(ctx, query, id)).filter((found) => page === undefined || found === page);
  const read = await hitsOfPages(
    ctx.db,
    query,
    pages.map((found) => ({ id, page: found })),
    true,
  );
  return read
    .flatMap(hitsOf)
    .slice(0, HITS_MAX)
    .map((hit, at) => ({ ...hit, HitNumber: at + 1 }));
}

function hitsOf({ id, page, body, boxes, hits }: PageHits): Omit<FoundHit, 'HitNumber'>[] {
  const placed = boxes === null ? [] : unpackBoxes(boxes);
  return hits.slice(0, HITS_MAX).map((hit) => ({
    AttachmentID: id,
    PageNumber: page,
    Words: body.slice(hit.start, hit.end).replace(/\s+/g, ' '),
    Snippet: snippetMarkup(snippetOf(body, [hit])),
    Boxes: placed.length === 0 ? null : boxText(boxesWithin(placed, hit.start, hit.end)),
  }));
}

/** Returns boxes as text; those of one line are joined. */
function boxText(boxes: readonly WordBox[]): string {
  const lines: WordBox[] = [];
  for (const box of boxes) {
    const last = lines.at(-1);
    if (last && isSameLine(last, box)) lines[lines.length - 1] = joined(last, box);
    else lines.push(box);
  }
  return lines.map(({ left, top, right, bottom }) => [left, top, right, bottom].join(',')).join(';');
}

function isSameLine(a: WordBox, b: WordBox): boolean {
  const middle = (b.top + b.bottom) / 2;
  return middle > a.top && middle < a.bottom && b.left >= a.left;
}

function joined(a: WordBox, b: WordBox): WordBox {
  return {
    start: a.start,
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}
