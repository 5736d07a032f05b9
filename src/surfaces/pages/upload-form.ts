import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';

/** The script of pages with an upload. */
export const UPLOAD_SCRIPT = '/upload.js';

/** The record that uploaded files are attached to. */
export interface UploadTarget {
  readonly record: RecordType;
  readonly id: number;
}

/** Renders the upload of files. The page's script sends them in chunks and shows the progress. */
export function uploadForm(call: PageCall, { record, id }: UploadTarget): Markup {
  return html`
<form class="upload" data-object="${record.name}" data-id="${id}" data-upload>
<label class="add">Add a file<input class="hidden" type="file" multiple></label>
${csrfField(call)}
<span role="status" class="quiet"></span>
<noscript class="quiet">(needs JavaScript)</noscript>
</form>`;
}
