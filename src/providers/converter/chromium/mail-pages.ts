import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { escapeText } from '../../../kernel/xml/element.ts';

/** Deepest nesting of a mail's parts, and most bytes of its headers. */
const NESTING_MAX = 50;
const HEADER_BYTES_MAX = 2 * 1024 * 1024;
/** Most bytes of the images in a mail's text. */
const IMAGE_BYTES_MAX = 32 * 1024 * 1024;
/** Most characters of the images that the text shows, each as often as it is shown. */
const SHOWN_CHARACTERS_MAX = 64 * 1024 * 1024;

/**
 * Returns the HTML documents that show a mail, in the order of their pages. A mail's HTML is one of its own: its
 * styles could hide or change what says who has sent it.
 */
export async function mailPages(bytes: Uint8Array): Promise<readonly string[]> {
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: NESTING_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
    attachmentEncoding: 'arraybuffer',
  });
  if (mail.html?.trim()) return [headHtml(mail, ''), withImages(mail.html, mail.attachments)];
  return [headHtml(mail, textHtml(mail.text ?? ''))];
}

/** Returns a text as HTML, with its lines. */
export function textHtml(text: string): string {
  const font = '10pt/1.4 "Liberation Mono","DejaVu Sans Mono",monospace';
  const style = `font:${font};white-space:pre-wrap;overflow-wrap:anywhere`;
  return `<pre style='${style}'>${escapeText(text)}</pre>`;
}

function headHtml(mail: Email, body: string): string {
  const names = mail.attachments.filter(({ contentId, disposition }) => !contentId || disposition === 'attachment');
  const lines: readonly (readonly [string, string])[] = [
    ['From', people(mail.from ? [mail.from] : [])],
    ['To', people(mail.to ?? [])],
    ['Cc', people(mail.cc ?? [])],
    ['Date', sentDate(mail)],
    ['Attached', names.map(({ filename }) => filename ?? 'file').join(', ')],
  ];
  const rows = lines
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `<tr><th>${label}</th><td>${escapeText(text)}</td></tr>`);
  return (
    '<style>body{font:10pt/1.4 Arial,sans-serif;overflow-wrap:anywhere}h1{font-size:13pt}' +
    'th{text-align:left;vertical-align:top;padding-right:1em}' +
    'table{border-bottom:1px solid;padding-bottom:1em}</style>' +
    `<h1>${escapeText(mail.subject?.trim() ? mail.subject : 'No subject')}</h1>` +
    `<table width="100%"><col width="70"><col>${rows.join('')}</table>${body}`
  );
}

/** Returns the date as its header says it: a parser would replace one that it cannot read. */
function sentDate(mail: Email): string {
  return mail.headers.find(({ key }) => key === 'date')?.value ?? mail.date ?? '';
}

function people(addresses: readonly Address[]): string {
  const all = addresses.flatMap((address): { name: string; address?: string }[] => address.group ?? [address]);
  return all.map(({ name, address = '' }) => (name && address ? `${name} <${address}>` : name || address)).join(', ');
}

/** Replaces references to parts of the mail by these parts, where they are images. */
function withImages(html: string, attachments: readonly Attachment[]): string {
  const images = new Map<string, string>();
  let left = IMAGE_BYTES_MAX;
  for (const { contentId, mimeType, content } of attachments) {
    const id = contentId?.replace(/^<|>$/g, '');
    if (!id || !/^image\/(?:png|jpeg|gif|webp|bmp)$/.test(mimeType) || !(content instanceof ArrayBuffer)) continue;
    if ((left -= content.byteLength) < 0) break;
    images.set(id, `data:${mimeType};base64,${Buffer.from(content).toString('base64')}`);
  }
  let shown = SHOWN_CHARACTERS_MAX;
  return html.replace(/\bcid:([^"'\s>)]+)/gi, (all, id: string) => {
    const image = images.get(decoded(id));
    // A mail may show one image very often.
    return image === undefined || (shown -= image.length) < 0 ? all : image;
  });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
