import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { field, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { typeTitle } from './import-display.ts';

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
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: 'Upload file' }],
    entries: ['imports'],
    body: html`<div class="page narrow"><h1>Upload file</h1>
<p class="soft">
  The file is stored as you send it. You can correct failed rows afterwards without sending it again.
</p>
<noscript>${banner({
      tone: 'warn',
      text: html`Uploading here needs JavaScript. Without it, send the file from a program with
<code>POST ${path}</code> followed by the import type's name.`,
    })}</noscript>
${uploadForm(call, types)}</div>`,
  };
});

/** Reads the active import types by name. A firm is not offered those whose imports it could not see afterwards. */
export async function readImportTypes(call: PageCall): Promise<readonly ImportType[]> {
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

/** Renders the form for a file. Its script streams the file, so its button is off until the script has started. */
export function uploadForm(call: PageCall, types: readonly ImportType[]): Markup {
  const isAnyType = call.may(IMPORT_ANY_TYPE);
  const detects = call.may('importfile/detectbody') && html` data-detect`;
  const reference = textField({
    id: 'reference',
    name: 'Reference',
    label: 'Reference',
    hint: 'Your job or batch number, to find the import by.',
    isRequired: false,
    attributes: html`maxlength="50"`,
  });
  return html`<form class="stack" data-send="${isAnyType ? IMPORT_ANY_TYPE : 'import'}"${detects}>
${csrfField(call)}
<div class="drop-zone">${icon('upload', 20)}
<label for="file">Drop a file here, or choose one</label>
<input id="file" type="file" required></div>
${typeInput(call, types, isAnyType)}
${isAnyType && reference}
<p class="row">
<button class="button" disabled>Upload</button>
${button({ text: 'Cancel', kind: 'quiet', type: 'button', attributes: html`id="cancel" hidden` })}
</p>
<div class="sending" id="sending" hidden>
<progress max="100" value="0" aria-label="Upload progress"></progress>
<span class="rows small soft"></span>
</div>
<div role="alert" id="failed"></div>
</form>`;
}

function typeInput(call: PageCall, types: readonly ImportType[], isAnyType: boolean): Markup {
  const hint = html`<span id="fits" role="status"></span>`;
  const label = 'Import type';
  if (types.length === 0)
    return textField({
      label,
      name: 'Template',
      id: 'template',
      isRequired: true,
      hint,
      attributes: html`maxlength="100"`,
    });
  const choice = (row: ImportType): Markup => {
    const id = String(row.ImportFileTemplateID);
    const name = row.ImportFileTemplate ?? '';
    const selected = id === call.query['Template'] && html` selected`;
    const attributes = html`value="${isAnyType ? id : name}" data-id="${id}"${selected}`;
    return html`<option ${attributes} title="${row.Description}">${typeTitle(name)}</option>`;
  };
  const name = isAnyType ? 'TemplateID' : 'Template';
  return field(
    { label, name, id: 'template', hint },
    html`<select class="input" id="template" name="${name}" required aria-describedby="template-hint">
<option value=""></option>
${types.map(choice)}
</select>`,
  );
}
