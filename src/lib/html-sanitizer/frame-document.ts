import { escapeAttribute } from '../../kernel/xml/element.ts';

/** What a frame shows. */
export interface FrameContent {
  /** The result of `sanitizeHtml` or `htmlOfText`, and nothing else. */
  readonly html: string;
  readonly title: string;
  /** Text follows the reader's color scheme. HTML chooses its own colors for a white page. */
  readonly kind: 'html' | 'text';
  readonly remoteImages: boolean;
}

/**
 * The content security policy of a frame: no script, form or request, except pictures over HTTPS where the reader
 * asked for them. It has the origin of the page, which reads its height; without scripts it can do nothing with it.
 */
export function framePolicy({ remoteImages }: Pick<FrameContent, 'remoteImages'>): string {
  return [
    'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    `img-src data:${remoteImages ? ' https:' : ''}`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

const STYLE = `
:root{color-scheme:only light;background:#fff}
body{margin:0;padding:2px;color:#1c1c21;font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;
overflow-wrap:anywhere}
img,table{max-width:100%}img{height:auto}
img:not([src]){display:inline-block;min-width:1em;min-height:1em;padding:2px 4px;border:1px dashed #b4b4bd;
border-radius:4px;color:#63636e;font-size:12px}
a{color:#1d5fd1}pre,.text{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit;margin:0}
blockquote,details>*:not(summary){margin:4px 0 4px 2px;padding-left:10px;border-left:2px solid #d3d3da}
summary{display:inline-block;cursor:pointer;margin:8px 0;padding:2px 10px;border-radius:10px;background:#ededf1;
color:#55555f;font-size:12px}
summary:focus-visible{outline:2px solid #1d5fd1}`;

const DARK_TEXT = `
:root{color-scheme:light dark;background:transparent}
@media (prefers-color-scheme:dark){body{color:#e6e6ea}a{color:#8ab4ff}summary{background:#333339;color:#c9c9d1}
blockquote,details>*:not(summary){border-color:#4a4a52}}`;

/** Returns the document of a frame. It is sent with {@link framePolicy}. */
export function frameDocument({ html, title, kind }: FrameContent): string {
  const style = kind === 'text' ? STYLE + DARK_TEXT : STYLE;
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeAttribute(title)}</title>` +
    `<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">` +
    `<style>${style}</style></head><body>${html}</body></html>`
  );
}

/** Addresses in plain text. */
const ADDRESS = /https?:\/\/[^\s<>"'`{}|\\^]{1,2000}/gi;

/** Returns plain text as HTML, with links; `quoted` is folded. */
export function htmlOfText({ text, quoted }: { readonly text: string; readonly quoted: string }): string {
  const own = text.trim() === '' ? '' : `<div class="text">${linked(text)}</div>`;
  if (quoted.trim() === '') return own;
  const open = own === '' ? ' open' : '';
  return `${own}<details${open}><summary>Quoted text</summary><div class="text">${linked(quoted)}</div></details>`;
}

function linked(text: string): string {
  let last = 0;
  let markup = '';
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(found);
    const escaped = escapeAttribute(address);
    markup +=
      escapeAttribute(text.slice(last, index)) +
      `<a href="${escaped}" target="_blank" rel="noopener noreferrer nofollow">${escaped}</a>`;
    last = index + address.length;
  }
  return markup + escapeAttribute(text.slice(last));
}

/** Returns an address without the marks at its end, which belong to the sentence. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while ('.,;:!?)]'.includes(address.charAt(end - 1)) && end > 0) end--;
  return address.slice(0, end);
}
