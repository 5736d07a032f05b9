import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';

/** The columns of an import type that the page needs. */
type ImportType = Pick<
  RowNamed<'ImportFileTemplate'>,
  'ImportFileTemplateID' | 'ImportFileTemplate' | 'Status' | 'ExtranetEnabled' | 'Description'
>;

/** Import types that are offered; with more, the name is entered. */
const TYPES_MAX = 500;

/** The two ways to import a file: by any import type, or by the type's own address below /api/import, as firms may. */
const IMPORT_ANY_TYPE = 'importfile/importbyobject';
const IMPORT_BY_ADDRESS = 'import/template';

/** Whether the user may upload files to be imported. */
export function canUpload(call: PageCall): boolean {
  return call.may(IMPORT_ANY_TYPE) || call.may(IMPORT_BY_ADDRESS);
}

/**
 * Shows the upload of a file. The page's script streams it as the body of the import, whatever its size, with progress.
 */
export const uploadPage = page(async (call) => {
  if (!canUpload(call))
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to upload files." });
  const types = await readImportTypes(call);
  const path = `/api/${call.may(IMPORT_ANY_TYPE) ? `${IMPORT_ANY_TYPE}?Template=` : 'import/'}`;
  return {
    title: 'Upload file',
    scripts: ['/send.js'],
    body: html`<p class="crumbs"><a href="/imports">Imports</a></p>
<h1>Upload file</h1>
<noscript><p class="note">
  Uploading here needs JavaScript. Without it, send the file from a program with <code>POST ${path}</code> followed by
  the import type's name.
</p></noscript>
${uploadForm(call, types)}`,
  };
});

/** Reads the active import types by name. A firm is not offered those whose imports it could not see afterwards. */
async function readImportTypes(call: PageCall): Promise<readonly ImportType[]> {
  if (!call.may('importfiletemplate/search')) return [];
  const { answer } = await call.call('importfiletemplate/search', {
    SqlColumns: 'ImportFileTemplateID,ImportFileTemplate,Status,ExtranetEnabled,Description',
    OrderBy: 'ImportFileTemplate',
    DisplaySize: TYPES_MAX,
    RecordCount: 'false',
  });
  const rows = answer.rows;
  return rows.filter(
    ({ Status: status, ExtranetEnabled: shown }) =>
      (status ?? 'Active') === 'Active' && (call.user.universal || shown !== 'No'),
  );
}

function uploadForm(call: PageCall, types: readonly ImportType[]): Markup {
  const isAnyType = call.may(IMPORT_ANY_TYPE);
  const detects = call.may('importfile/detectbody') && html` data-detect`;
  const referenceHint = html`<span class="quiet">(your job or batch number)</span>`;
  const reference = html`<p>
<label for="reference">Reference ${referenceHint}</label>
<input id="reference" name="Reference" maxlength="50">
</p>`;
  // The button is off until the script enables it: the browser's own submission would not send the file as the body.
  return html`<form class="stacked" data-send="${isAnyType ? IMPORT_ANY_TYPE : 'import'}"${detects}>
${csrfField(call)}
<p><label for="file">File</label><input id="file" type="file" required></p>
<p>
<label for="template">Import type</label>
${typeInput(call, types, isAnyType)}
<span class="quiet" id="fits" role="status"></span>
</p>
${isAnyType && reference}
<p class="actions">
<button disabled>Upload</button>
<button type="button" class="quiet" id="cancel" hidden>Cancel</button>
</p>
<p id="sending" hidden>
<progress max="100" value="0" aria-label="Upload progress"></progress>
<span class="rows"></span>
</p>
<p role="status" id="announcement"></p>
<div role="alert" id="failed"></div>
</form>`;
}

function typeInput(call: PageCall, types: readonly ImportType[], isAnyType: boolean): Markup {
  if (types.length === 0) return html`<input id="template" name="Template" maxlength="100" required>`;
  const choice = (row: ImportType): Markup => {
    const id = String(row.ImportFileTemplateID);
    const name = row.ImportFileTemplate ?? '';
    const selected = id === call.query['Template'] && html` selected`;
    const attributes = html`value="${isAnyType ? id : name}" data-id="${id}"${selected}`;
    return html`<option ${attributes} title="${row.Description}">${name}</option>`;
  };
  return html`<select id="template" name="${isAnyType ? 'TemplateID' : 'Template'}" required>
<option value=""></option>
${types.map(choice)}
</select>`;
}
