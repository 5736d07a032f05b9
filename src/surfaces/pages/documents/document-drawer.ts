import { html } from '../../../kernel/render/markup.ts';
import { button, buttonLink } from '../design/button.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { scanPill } from './scan-state.ts';
import { heldBackContent, readViewed, shownContent } from './viewed-document.ts';
import { viewerBar } from './viewer-bar.ts';
import { neighborLink, viewerBody } from './viewer-content.ts';

/** Answers with the viewer as a script shows it beside another page: without what changes the document. */
export async function drawerAnswer(call: PageCall): Promise<PageAnswer> {
  const viewed = await readViewed(call);
  const { row, name, pageCount } = viewed;
  const id = row.AttachmentID;
  const mayRead = call.may('attachment/download') && !heldBackContent(viewed);
  return {
    fragment: html`<document-viewer class="viewer" id="document-viewer" data-id="${id}" data-version=""
data-pages="${pageCount ?? 0}">
<div class="viewer-head"><h2 class="cut"><bdi>${name}</bdi></h2>
${scanPill(shownContent(viewed))}
${neighborLink('Previous', viewed.previous, undefined)}
${neighborLink('Next', viewed.next, undefined)}
${buttonLink({
  text: 'Open page',
  icon: 'link',
  iconOnly: true,
  kind: 'quiet',
  key: 'o',
  href: `/documents/${id}`,
  attributes: html`data-whole-page`,
})}
${button({
  text: 'Close',
  icon: 'close',
  iconOnly: true,
  kind: 'quiet',
  type: 'button',
  attributes: html`data-close-drawer`,
})}</div>
${mayRead && viewerBar(viewed, true)}
${await viewerBody(call, viewed)}
</document-viewer>`,
  };
}
