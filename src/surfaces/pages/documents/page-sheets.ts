import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { ViewedDocument } from './viewed-document.ts';

/** Where the words of a search are. */
export type FoundHit = AnswerRowFor<'attachment/findtext'>;

/** Pages that one page of the viewer has. */
const PAGES_MAX = 1_000;
/** Pixels of a page in US Letter, until its image says what it has. */
const PAGE = { width: 900, height: 1165 } as const;

function imageAddress({ row, version }: ViewedDocument, page: number, width: number): string {
  const query = new URLSearchParams({
    ID: String(row.AttachmentID),
    PageNumber: String(page),
    Width: String(width),
    ...(version !== undefined && { Version: String(version) }),
  });
  return `/api/attachment/pageimage?${query.toString()}`;
}

function numbers(pageCount: number): readonly number[] {
  return Array.from({ length: Math.min(pageCount, PAGES_MAX) }, (_, at) => at + 1);
}

/** Renders small images of the pages, each a link to its page. */
export function pageStrip(viewed: ViewedDocument, pageCount: number): Markup {
  return html`<nav class="viewer-strip scroll" aria-label="Pages" tabindex="0">${numbers(pageCount).map(
    (page) => html`<a href="#page-${page}" data-strip="${page}"><img src="${imageAddress(viewed, page, 240)}" alt=""
width="96" height="124" loading="lazy"><span class="small">${page}</span></a>`,
  )}</nav>`;
}

/** Renders the pages as images, with the hits over them. */
export function pageSheets(viewed: ViewedDocument, pageCount: number): Markup {
  const hits = Map.groupBy(viewed.hits, ({ PageNumber }) => PageNumber);
  return html`<div class="viewer-pages scroll" id="viewer-pages" tabindex="0" role="region"
aria-label="Pages of the document">
${numbers(pageCount).map(
  (page) => html`<figure class="sheet" id="page-${page}" data-page="${page}"><div class="turn">
<img src="${imageAddress(viewed, page, PAGE.width)}" alt="Page ${page}" width="${PAGE.width}" height="${PAGE.height}"
loading="${page === 1 ? 'eager' : 'lazy'}">${hitBoxes(hits.get(page) ?? [])}</div></figure>\n`,
)}
${
  pageCount > PAGES_MAX &&
  html`<p class="small soft">The first ${PAGES_MAX} of ${pageCount} pages are shown. Download the file to see all.</p>`
}</div>`;
}

/** Renders where hits are on a page, in thousandths of it. */
function hitBoxes(hits: readonly FoundHit[]): Markup | false {
  const boxes = hits.flatMap(({ Boxes, HitNumber }) =>
    (Boxes ?? '')
      .split(';')
      .filter((box) => /^\d+(?:,\d+){3}$/.test(box))
      .map((box) => {
        const [left = 0, top = 0, right = 0, bottom = 0] = box.split(',').map(Number);
        return html`<rect data-hit-box="${HitNumber}" x="${left}" y="${top}" width="${right - left}"
height="${bottom - top}"/>`;
      }),
  );
  return (
    boxes.length > 0 &&
    html`<svg class="hit-boxes" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">${boxes}</svg>`
  );
}
