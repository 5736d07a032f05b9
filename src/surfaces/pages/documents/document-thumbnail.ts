import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { isHeldBack } from './scan-state.ts';

/** What a thumbnail is rendered from. */
export type ThumbnailRow = Pick<
  RowNamed<'Attachment'>,
  'AttachmentID' | 'FileName' | 'MimeType' | 'FileHash' | 'ScanState'
>;

/** Types of which `attachment/pageimage` makes images. */
const DRAWN: ReadonlySet<string> = new Set([
  'application/pdf',
  ...['jpeg', 'png', 'webp', 'tiff', 'gif', 'bmp'].map((format) => `image/${format}`),
]);

/** Whether there are images of a document's pages that the user may see. Sealed files have no hash, and none. */
export function hasPageImages(call: PageCall, { MimeType, FileHash }: ThumbnailRow): boolean {
  return MimeType !== null && FileHash !== null && DRAWN.has(MimeType) && call.may('attachment/pageimage');
}

/** Renders the first page of a document, small; for formats without one a sheet with the format. */
export function thumbnail(call: PageCall, row: ThumbnailRow): Markup {
  if (hasPageImages(call, row) && !isHeldBack(row))
    return html`<img class="thumb" src="/api/attachment/pageimage?ID=${row.AttachmentID}&amp;Width=240" alt=""
width="34" height="44" loading="lazy">`;
  const format = /\.([A-Za-z0-9]{1,4})$/.exec(row.FileName ?? '')?.[1]?.toUpperCase() ?? '';
  return html`<span class="thumb format" aria-hidden="true">${format}</span>`;
}
