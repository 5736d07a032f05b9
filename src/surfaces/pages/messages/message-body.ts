import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { plainText } from '../plain-text.ts';
import type { ThreadMessage } from './read-thread.ts';

/** Characters of a text that a page shows; the rest is in the message's own record. */
const TEXT_CHARACTERS_MAX = 100_000;

/**
 * Renders the body of a message. HTML is cleaned by `message/body`, and shown in a frame without scripts whose images
 * from elsewhere are blocked until the reader allows them.
 *
 * @param path the address of the page, for the link that allows images without script
 */
export function messageBody(call: PageCall, { row }: ThreadMessage, path: string): Markup {
  if ((row.BodyHTML ?? '').trim() === '' || !call.may('message/body'))
    return textBody(row.OwnText, row.QuotedText ?? '');
  const id = row.MessageID;
  const isAllowed = plainText(call.query['images']) === String(id);
  const source = `/api/message/body?ID=${id}`;
  const allow = html`<p class="mail-images small" data-images>${icon('eye', 14)}<span>Images from elsewhere are not
 loaded, because the sender would learn that you read this.</span>${buttonLink({
   text: 'Show images',
   kind: 'quiet',
   href: withQuery(path, { images: String(id) }),
   attributes: html`data-show-images="${source}&amp;Images=true"`,
 })}</p>`;
  return html`${row.HasRemoteImages && !isAllowed && allow}
<iframe class="mail-frame" sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox" loading="lazy"
 title="Text of the message" src="${source}${isAllowed && '&Images=true'}"></iframe>`;
}

function textBody(text: string, quote: string): Markup {
  const [own, quoted] = [text, quote].map((each) => each.slice(0, TEXT_CHARACTERS_MAX).trim()) as [string, string];
  if (own === '' && quoted === '') return html`<p class="muted">No text</p>`;
  return html`<div class="mail-text text"><bdi>${own}</bdi></div>${
    quoted !== '' &&
    html`<details class="quoted"><summary title="Show the quoted text">${icon('more', 14)}<span class="hidden">Show the
 quoted text</span></summary><div class="mail-text text soft"><bdi>${quoted}</bdi></div></details>`
  }`;
}
