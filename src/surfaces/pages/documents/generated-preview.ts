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
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Renders the document that would be generated, or why it cannot be. PDF and Word as an image of the first page. */
export async function generatedPreview(call: PageCall, request: PreviewRequest): Promise<Markup> {
  const query = queryOf(request);
  const open = html`<a class="link" href="/api/attachmenttemplate/preview?${query}" target="_blank"
rel="noopener">Open the whole document</a>`;
  try {
    const { answer } = await call.callNamed('attachmenttemplate/preview', { ...parametersOf(request) });
    if (answer.kind !== 'content') return html``;
    const mime = answer.mime.split(';')[0] ?? '';
    if (mime === 'application/pdf' || mime === DOCX)
      return html`<p class="row small">${open}</p><img class="preview-page" alt="First page of the document"
src="/api/attachmenttemplate/previewimage?${query}" width="900" height="1165">`;
    if (mime.startsWith('text/') && answer.bytes instanceof Uint8Array) {
      const text = Buffer.from(answer.bytes).toString('utf8').slice(0, TEXT_CHARACTERS_MAX);
      return html`<p class="row small">${open}</p><pre class="text-sheet">${text}</pre>`;
    }
    return html`<p class="soft">The document was generated.</p><p class="row small">${open}</p>`;
  } catch (error) {
    if (!isExplained(error)) throw error;
    return convertFailure(call, error);
  }
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
