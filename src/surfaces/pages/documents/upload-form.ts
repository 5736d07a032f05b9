import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { AssetName } from '../assets/entries.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { casePath } from '../case/case-link.ts';
import { recordPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** The record that uploaded files are attached to. */
export interface UploadTarget {
  readonly record: RecordType;
  readonly id: number;
}

/** A document type to choose from. */
export interface TypeOption {
  readonly id: number;
  readonly name: string;
}

/**
 * Renders the upload of files. With script (`upload`) several are sent in chunks with progress; without it, one at a
 * time. `types`: offers to choose the type and a description of the files first.
 */
export function uploadForm(call: PageCall, { record, id }: UploadTarget, types?: readonly TypeOption[]): Markup {
  return html`
<form class="upload" method="post" action="/documents/upload" enctype="multipart/form-data" data-object="${
    record.name
  }" data-id="${id}" data-upload>
${csrfField(call)}<input type="hidden" name="Object" value="${record.name}">
<input type="hidden" name="ObjectID" value="${id}">
<label class="button${types === undefined && ' quiet'}">${icon('upload', 14)}<span>Add a file</span>
<input class="hidden" type="file" name="Content"></label>
${types !== undefined && beforehand(types)}
<span class="muted small">or drop files anywhere here</span>
<noscript><button class="button">Upload</button></noscript>
</form>`;
}

function beforehand(types: readonly TypeOption[]): Markup {
  const options = types.map(({ id, name }) => html`<option value="${id}">${name}</option>`);
  return html`${
    types.length > 0 &&
    html`<select class="input" name="AttachmentTemplateID" aria-label="Type of new documents">
<option value="">No type</option>${options}</select>`
  }
<input class="input" name="Description" aria-label="Description of new documents" placeholder="Description"
maxlength="2000">`;
}

/** Marks the page of a record on which dropped files are uploaded. */
export function dropTarget(call: PageCall, { record, id }: UploadTarget): Markup | false {
  return (
    call.may('attachment/uploadchunk') &&
    html`<div data-upload data-object="${record.name}" data-id="${id}" hidden></div>`
  );
}

/** Returns the script of pages with an upload, if the user may upload. */
export function uploadEntries(call: PageCall): readonly AssetName[] {
  return call.may('attachment/uploadchunk') ? ['upload'] : [];
}

/** Saves the file of a form that was sent without script. */
export const uploadDocument = page(async (call) => {
  const { Content, FileName, Object: className, ObjectID, AttachmentTemplateID, Description } = call.form;
  const [object, id] = [plainText(className), plainText(ObjectID)];
  const record = call.platform.registry.record(object);
  const back = record && /^\d+$/.test(id) ? pathOf(record, id) : '/';
  try {
    const name = plainText(FileName);
    if (name === '' || typeof Content !== 'string')
      throw new PlatformError('MISSING_PARAMETER', { message: 'Choose a file first, then press Upload.' });
    await call.call('attachment/save', {
      Content,
      FileName: name,
      Object: object,
      ObjectID: id,
      ...(plainText(AttachmentTemplateID) !== '' && { AttachmentTemplateID: plainText(AttachmentTemplateID) }),
      ...(plainText(Description) !== '' && { Description: plainText(Description) }),
    } as never);
    return { redirectTo: `${back}?tab=documents&done=uploaded` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return {
      title: 'Upload',
      place: 'none' as const,
      status: error.status,
      body: html`<div class="page narrow"><h1>The file was not added</h1>
${banner({ tone: 'danger', role: 'alert', text: error.masked().message })}
<p>${buttonLink({ text: 'Back', href: `${back}?tab=documents` })}</p></div>`,
    };
  }
});

/** Returns the page of a record that shows its documents. */
function pathOf(record: RecordType, id: string): string {
  return record.root.name === 'Process' ? casePath(record, id) : recordPath(record.module, id);
}
