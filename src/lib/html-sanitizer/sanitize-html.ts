import sanitize, { type Attributes, type Tag } from 'sanitize-html';
import { harmlessStyle } from './style-attribute.ts';

/** Longest HTML that is read; the rest of a longer one is left out. */
export const HTML_CHARACTERS_MAX = 2_000_000;
/** Most tags that are read: the parser's time grows with the square of those that are open. */
const TAGS_MAX = 40_000;
/** Deepest nesting; elements below are left out, and their text stays. */
const NESTING_MAX = 200;
/** Longest address of a link or picture. */
const ADDRESS_CHARACTERS_MAX = 2_000;
/** Longest picture within the HTML itself, as a `data:` address. */
const EMBEDDED_CHARACTERS_MAX = 1_500_000;

/** How HTML from outside is cleaned. */
export interface SanitizeOptions {
  /** Whether pictures of other servers stay. Their servers learn that, when and from where the HTML is read. */
  readonly remoteImages: boolean;
  /** Returns the address of a picture that came with the HTML, by its content ID; undefined if there is none. */
  readonly embeddedImage?: (contentId: string) => string | undefined;
}

/** HTML that runs nothing, submits nothing and loads nothing but the pictures that the options allow. */
export interface SanitizedHtml {
  readonly html: string;
  /** Pictures of other servers that were left out. */
  readonly blockedImages: number;
  /** Whether the end was left out because the HTML is too long. */
  readonly isCut: boolean;
}

const TAGS = [
  ...['a', 'abbr', 'address', 'article', 'aside', 'b', 'bdi', 'bdo', 'big', 'blockquote', 'br', 'caption', 'center'],
  ...['cite', 'code', 'col', 'colgroup', 'dd', 'del', 'details', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption'],
  ...['figure', 'font', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'img', 'ins', 'kbd', 'li'],
  ...['main', 'mark', 'nav', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span', 'strike', 'strong'],
  ...['sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'tt', 'u', 'ul', 'var', 'wbr'],
];

/** Elements whose text is no text of the document. */
const HIDDEN_TAGS = ['script', 'style', 'textarea', 'option', 'xmp', 'title', 'noscript', 'noembed', 'noframes', 'svg'];

const COUNT = /^\d{1,4}$/;
const LENGTH = /^\d{1,4}%?$/;
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,30})$/i;
const WORD = /^[a-z-]{1,30}$/i;

/** Attributes that stay, with what they may say. Names and classes do not: they could imitate those of a page. */
const ATTRIBUTES: ReadonlyMap<string, RegExp> = new Map([
  ...['colspan', 'rowspan', 'span', 'start', 'cellpadding', 'cellspacing', 'border'].map((n) => [n, COUNT] as const),
  ...['width', 'height'].map((name) => [name, LENGTH] as const),
  ...['color', 'bgcolor'].map((name) => [name, COLOR] as const),
  ...['align', 'valign', 'dir', 'scope', 'type'].map((name) => [name, WORD] as const),
  ['lang', /^[a-z]{1,8}(?:-[a-z\d]{1,8}){0,4}$/i],
  ['size', /^[+-]?\d{1,2}$/],
  ['face', /^[\w ,.-]{1,200}$/],
  ['alt', /^[^]{0,500}$/],
]);

/** Addresses of links; anything else, such as `javascript:` and addresses within the platform, is dropped. */
const LINK = /^(?:https?:\/\/[^\s/?#]|mailto:\S|tel:\+?\d)/i;
const REMOTE_IMAGE = /^https?:\/\/[^\s/?#]/i;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z\d+/]+={0,2}$/i;

/** Marks quoted text while HTML is cleaned. No other element of the result is `details`. */
const QUOTE_TAG = 'details';
/** Classes by which mail programs mark what they quote: their own name, and `quote`, `quoted` or `cite`. */
const QUOTE_CLASS = /(?:^|\s)[a-z]+[-_](?:quoted?|quote_container|cite)(?:\s|$)/;

/** Whether HTML has pictures of other servers, in the part that {@link sanitizeHtml} reads. */
export function hasRemoteImage(html: string): boolean {
  for (const [tag] of html.slice(0, HTML_CHARACTERS_MAX).matchAll(/<img\b[^>]*/gi))
    if (/\ssrc\s*=\s*["']?\s*https?:/i.test(tag)) return true;
  return false;
}

/**
 * Returns HTML from outside, such as that of a mail, without anything that runs, loads, submits, covers other content
 * or refers into the platform. Quoted text is folded. The result is still shown in a sandboxed frame only.
 */
export function sanitizeHtml(html: string, options: SanitizeOptions): SanitizedHtml {
  const counts = { blocked: 0 };
  const end = readLength(html);
  const clean = sanitize(html.slice(0, end).toWellFormed(), {
    allowedTags: TAGS,
    nonTextTags: HIDDEN_TAGS,
    disallowedTagsMode: 'discard',
    nestingLimit: NESTING_MAX,
    allowedAttributes: { '*': [...ATTRIBUTES.keys(), 'style', 'title'], a: ['href', 'rel', 'target'], img: ['src'] },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['http', 'https', 'data'] },
    allowProtocolRelative: false,
    // Styles are cleaned by `harmlessStyle`.
    parseStyleAttributes: false,
    transformTags: {
      '*': (tagName, attributes) => cleanTag(tagName, attributes, options, counts),
    },
  });
  return { html: foldQuotes(clean), blockedImages: counts.blocked, isCut: end < html.length };
}

/** Returns how many characters are read. */
function readLength(html: string): number {
  let at = -1;
  for (let tags = 0; tags < TAGS_MAX; tags++) {
    at = html.indexOf('<', at + 1);
    if (at === -1 || at >= HTML_CHARACTERS_MAX) return Math.min(html.length, HTML_CHARACTERS_MAX);
  }
  return at;
}

function cleanTag(tagName: string, sent: Attributes, options: SanitizeOptions, counts: { blocked: number }): Tag {
  if (tagName === 'details') return { tagName: 'div', attribs: {} };
  if (isQuote(tagName, sent)) return { tagName: QUOTE_TAG, attribs: {} };
  const attribs: Attributes = {};
  for (const [name, value] of Object.entries(sent)) if (ATTRIBUTES.get(name)?.test(value)) attribs[name] = value;
  const style = harmlessStyle(sent['style'] ?? '');
  if (style !== '') attribs['style'] = style;
  if (tagName === 'a') Object.assign(attribs, linkAttributes(sent));
  if (tagName === 'img') Object.assign(attribs, imageAttributes(sent, options, counts));
  // The background of the whole document.
  return { tagName: tagName === 'body' ? 'div' : tagName, attribs };
}

function isQuote(tagName: string, { class: names = '', type = '' }: Attributes): boolean {
  if (tagName === 'blockquote') return type.toLowerCase() === 'cite' || QUOTE_CLASS.test(names);
  return tagName === 'div' && QUOTE_CLASS.test(names);
}

/** A link says where it leads, whatever its text pretends, and takes nothing of this page along. */
function linkAttributes({ href = '' }: Attributes): Attributes {
  const address = plainAddress(href);
  if (!LINK.test(address) || address.length > ADDRESS_CHARACTERS_MAX) return {};
  return { href: address, title: address, target: '_blank', rel: 'noopener noreferrer nofollow' };
}

function imageAttributes(sent: Attributes, options: SanitizeOptions, counts: { blocked: number }): Attributes {
  const source = (sent['src'] ?? '').trim();
  if (/^cid:/i.test(source)) return embedded(source.slice(4), options);
  if (/^data:/i.test(source)) {
    const isPicture = source.length <= EMBEDDED_CHARACTERS_MAX && DATA_IMAGE.test(source);
    return isPicture ? { src: source } : {};
  }
  const address = plainAddress(source);
  if (!REMOTE_IMAGE.test(address) || address.length > ADDRESS_CHARACTERS_MAX || isPixel(sent)) return {};
  if (options.remoteImages) return { src: address };
  counts.blocked++;
  return {};
}

function embedded(contentId: string, { embeddedImage }: SanitizeOptions): Attributes {
  const source = embeddedImage?.(decodeContentId(contentId));
  return source === undefined ? {} : { src: source };
}

/** Returns the content ID in a `cid:` address. One that is not encoded properly is taken as it is written. */
export function decodeContentId(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** A picture that nobody sees only reports that the mail was read. It is never loaded. */
function isPixel({ width = '', height = '' }: Attributes): boolean {
  return /^[01](?:px)?$/.test(width.trim()) || /^[01](?:px)?$/.test(height.trim());
}

/** Browsers ignore blanks around an address, and control characters within. */
function plainAddress(address: string): string {
  return address.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').trim();
}

/** Folds the outermost quotes, unless there is nothing else; those within them stay quotes. */
function foldQuotes(html: string): string {
  let depth = 0;
  let text = '';
  let last = 0;
  const pieces: string[] = [];
  for (const { 0: tag, index } of html.matchAll(/<\/?details>/g)) {
    const before = html.slice(last, index);
    if (depth === 0) text += before;
    pieces.push(before);
    const isEnd = tag.startsWith('</');
    if (!isEnd) depth++;
    const name = depth === 1 ? 'details' : 'blockquote';
    pieces.push(isEnd ? `</${name}>` : `<${name}>`);
    if (isEnd) depth--;
    last = index + tag.length;
  }
  if (pieces.length === 0) return html;
  const rest = html.slice(last);
  const isAll = !/[^\s]/.test((text + rest).replace(/<[^>]*>|&nbsp;/g, ''));
  const opening = `<details${isAll ? ' open' : ''}><summary>Quoted text</summary>`;
  return (pieces.join('') + rest).replaceAll('<details>', opening);
}

/** Returns the text of HTML in lines, without scripts, styles and addresses. */
export function textOfHtml(html: string): string {
  // Words of neighboring elements, such as cells of a table, are not one word.
  const spaced = html
    .slice(0, readLength(html))
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(/<(?=\/?(?:td|th)\b)/gi, ' <')
    .replace(/<(?=br\b|\/(?:tr|p|div|li|blockquote|h\d)\b)/gi, '\n<');
  const text = sanitize(spaced, { allowedTags: [], allowedAttributes: {}, nonTextTags: HIDDEN_TAGS });
  return text
    .replace(/&(lt|gt|quot|amp);/g, (_all, name: string) => CHARACTERS[name] ?? '')
    .replace(/\u00a0/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
