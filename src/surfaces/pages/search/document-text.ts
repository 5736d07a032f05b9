import { html, type Markup } from '../../../kernel/render/markup.ts';
import { parseSnippet } from '../../../lib/text-search/text-hits.ts';
import { openPath } from '../display-values.ts';

/** Renders a piece of a document's text, as a full-text search returns it, with the hits marked. */
export function snippetText(snippet: string): Markup {
  return html`${parseSnippet(snippet).pieces.map(({ text, isHit }) =>
    isHit ? html`<mark>${text}</mark>` : html`${text}`,
  )}`;
}

/** Returns the address of a document, at a page if one is given. */
export function documentPath(id: number, page: number | null | undefined): string {
  return `${openPath('attachment', id)}${page === null || page === undefined ? '' : `#page=${page}`}`;
}
