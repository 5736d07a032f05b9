import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { icon, type IconName } from '../design/icons.ts';
import type { ViewedDocument } from './viewed-document.ts';

/** Types that browsers show themselves; they have none for TIFF. */
const PRINTED: ReadonlySet<string> = new Set([
  'application/pdf',
  ...['jpeg', 'png', 'webp', 'gif', 'bmp'].map((format) => `image/${format}`),
]);

/**
 * Renders the tools of the viewer. Those that need script are hidden until it has started. `isBeside`: beside another
 * page, without what opens further windows.
 */
export function viewerBar({ row, find, pageCount, version }: ViewedDocument, isBeside = false): Markup {
  const { AttachmentID: id, MimeType: type } = row;
  const hasPages = pageCount !== undefined;
  const versionField = version !== undefined && html`<input type="hidden" name="version" value="${version}">`;
  return html`<div class="viewer-bar row wrap" role="toolbar" aria-label="Document">
${
  version === undefined &&
  html`<form class="row" method="get" action="/documents/${id}" data-find>${versionField}
<input class="input" type="search" name="find" value="${find}" aria-label="Find in this document"
placeholder="Find in this document" data-key="/">
${button({ text: 'Find', ...(isBeside && { icon: 'search', iconOnly: true, kind: 'quiet' }) })}</form>`
}
${
  hasPages &&
  html`<span class="row viewer-tools" hidden>
<label class="row small">Page <input class="input page-number" inputmode="numeric" value="1" data-page-number
aria-label="Page"></label><span class="muted small nowrap">of ${pageCount}</span>
${tool('page-before', 'Previous page', 'chevronLeft', ',')}${tool('page-after', 'Next page', 'chevronRight', '.')}
${tool('zoom-out', 'Zoom out', 'minus', '-')}<span class="small muted nowrap" data-zoom-text>100 %</span>${tool(
    'zoom-in',
    'Zoom in',
    'plus',
    '+',
  )}${tool('turn', 'Rotate', 'redo', 'r')}</span>`
}
${
  !isBeside &&
  PRINTED.has(type ?? '') &&
  html`<a class="button quiet" href="/api/attachment/view?ID=${id}${
    version !== undefined && html`&amp;Version=${version}`
  }" target="_blank" rel="noopener" data-key="p">${icon('document')}<span>Open to print</span></a>`
}
</div>`;
}

function tool(name: string, text: string, shown: IconName, key: string): Markup {
  return button({
    text,
    icon: shown,
    iconOnly: true,
    kind: 'quiet',
    type: 'button',
    key,
    attributes: html`data-tool="${name}"`,
  });
}
