import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { convertFailure, isExplained } from './convert-document.ts';

/** What is generated for a preview: the document type, the record, and values for its Method. */
export interface PreviewRequest {
  readonly typeId: number;
  readonly object: string;
  readonly objectId: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Characters of a text that are shown. */
const TEXT_CHARACTERS_MAX = 20_000;
/** Letters whose first page is shown as soon as they are converted. */
const LETTERS: ReadonlySet<string> = new Set([
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'text/html',
]);

/** Renders the document that would be generated, or why it cannot be: letters and PDF as an image of the first page. */
export async function generatedPreview(call: PageCall, request: PreviewRequest): Promise<Markup> {
  const query = queryOf(request);
  const open = html`<a class="link" href="/api/attachmenttemplate/preview?${query}" target="_blank"
rel="noopener">Open the whole document</a>`;
  try {
    const { answer } = await call.callNamed('attachmenttemplate/preview', { ...parametersOf(request) });
    if (answer.kind !== 'content') return html``;
    const mime = answer.mime.split(';')[0] ?? '';
    const opening = html`<p class="row small">${open}</p>`;
    if (mime === 'application/pdf')
      return html`${opening}${pageImage(`/api/attachmenttemplate/previewimage?${query}`)}`;
    const text = mime.startsWith('text/') && answer.bytes instanceof Uint8Array && textSheet(answer.bytes);
    if (LETTERS.has(mime)) return html`${opening}${await firstPage(call, request, text)}`;
    if (text !== false) return html`${opening}${text}`;
    return html`<p class="soft">The document was generated.</p><p class="row small">${open}</p>`;
  } catch (error) {
    if (!isExplained(error)) throw error;
    return convertFailure(call, error);
  }
}

/** Renders the first page of a letter. If it cannot be converted, says why, and shows the text of one in HTML. */
async function firstPage(call: PageCall, request: PreviewRequest, text: Markup | false): Promise<Markup> {
  try {
    const { answer } = await call.callNamed('attachmenttemplate/previewimage', { ...parametersOf(request) });
    if (answer.kind !== 'content' || !(answer.bytes instanceof Uint8Array)) return html``;
    return pageImage(`data:${answer.mime};base64,${Buffer.from(answer.bytes).toString('base64')}`);
  } catch (error) {
    if (!isExplained(error)) throw error;
    return html`${convertFailure(call, error)}${text}`;
  }
}

function pageImage(address: string): Markup {
  return html`<img class="preview-page" alt="First page of the document" src="${address}" width="900" height="1165">`;
}

function textSheet(bytes: Uint8Array): Markup {
  return html`<pre class="text-sheet">${Buffer.from(bytes).toString('utf8').slice(0, TEXT_CHARACTERS_MAX)}</pre>`;
}

function queryOf(request: PreviewRequest): string {
  return new URLSearchParams(parametersOf(request) as Record<string, string>).toString();
}

function parametersOf({ typeId, object, objectId, values }: PreviewRequest): Parameters {
  return { ID: String(typeId), ...(objectId !== '' && { Object: object, ObjectID: objectId }), ...values };
}

/** Returns the names of the values that a Method takes, as its signature has them in braces. */
export function methodNames(method: string | null): readonly string[] {
  return [...new Set([...(method ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))];
}
