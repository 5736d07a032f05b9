import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { snippetText } from '../search/document-text.ts';
import { pageSheets, pageStrip } from './page-sheets.ts';
import { heldBackState } from './scan-state.ts';
import { textSections } from './text-sections.ts';
import { heldBackContent, type ViewedDocument } from './viewed-document.ts';

/** Renders the pages or the text of a document, and the hits of a search in it. */
export async function viewerBody(call: PageCall, viewed: ViewedDocument): Promise<Markup> {
  return html`<div class="viewer-body">${await content(call, viewed)}${
    !heldBackContent(viewed) && hitList(viewed)
  }</div>`;
}

/** Renders the link to the previous or next document. `key`: undefined where the keys belong to the page around it. */
export function neighborLink(direction: 'Previous' | 'Next', id: number | undefined, key: string | undefined): Markup {
  const text = `${direction} document`;
  const name = direction === 'Previous' ? 'chevronUp' : 'chevronDown';
  if (id === undefined)
    return html`<span class="button quiet square" aria-disabled="true" title="${text}">${icon(name)}</span>`;
  return buttonLink({
    text,
    icon: name,
    iconOnly: true,
    kind: 'quiet',
    href: `/documents/${id}`,
    ...(key !== undefined && { key }),
  });
}

async function content(call: PageCall, viewed: ViewedDocument): Promise<Markup> {
  const { row, pageCount, failure } = viewed;
  if (!call.may('attachment/download'))
    return emptyState({ title: "You don't have permission to read documents.", icon: 'document' });
  if (row.FileObject === null && row.FileSize === null)
    return emptyState({ title: 'This document has no file.', icon: 'document' });
  const heldBack = heldBackContent(viewed);
  if (heldBack) return html`<div class="viewer-pages scroll">${heldBackState(heldBack)}</div>`;
  if (failure !== undefined)
    return html`<div class="viewer-pages scroll">${banner({ tone: 'warn', text: failure })}${await textSections(
      call,
      viewed,
    )}</div>`;
  if (pageCount === undefined)
    return html`<div class="viewer-pages scroll" id="viewer-pages" tabindex="0" role="region"
aria-label="Text of the document">${await textSections(call, viewed)}</div>`;
  return html`${pageStrip(viewed, pageCount)}${pageSheets(viewed, pageCount)}`;
}

function hitList({ find, hits, findError }: ViewedDocument): Markup {
  const count = hits.length === 1 ? '1 hit' : `${hits.length} hits`;
  const words = findError ?? (hits.length === 0 ? 'No hits. Try fewer or different words.' : count);
  const line = ({ HitNumber, PageNumber, Snippet }: AnswerRowFor<'attachment/findtext'>): Markup =>
    html`<li><a href="#page-${PageNumber}" data-hit="${HitNumber}"><span class="muted small">Page ${PageNumber}</span>
<bdi class="small">${snippetText(Snippet)}</bdi></a></li>`;
  return html`<aside class="viewer-hits scroll" id="viewer-hits" aria-label="Hits"
tabindex="0"${find === '' && html` hidden`}>
<p class="small soft" role="status">${find !== '' && words}</p>
<ol>${hits.map(line)}</ol></aside>`;
}
