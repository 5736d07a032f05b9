import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';

/** Templates that are offered; beyond them one is entered by its name. */
const TEMPLATES_MAX = 500;

/** The two ways by which a file is sent: any template, or by its own address below /api/import, as firms may. */
const IMPORT_ANY_TYPE = 'importfile/importbyobject';
const IMPORT_BY_ADDRESS = 'import/template';

/** Whether the user may send files to be imported. */
export function canUpload(call: PageCall): boolean {
  return call.may(IMPORT_ANY_TYPE) || call.may(IMPORT_BY_ADDRESS);
}

/** Sends a file: the page's script streams it as the body of the import, however large, and shows how much has gone. */
export const uploadPage = page(async (call) => {
  if (!canUpload(call)) throw new PlatformError('NO_PERMISSION', { message: 'You may not send files to be imported.' });
  const templates = await readImportTypes(call);
  return {
    title: 'Send a file',
    scripts: ['/send.js'],
    body: html`<p class="crumbs"><a href="/imports">Imports</a></p><h1>Send a file to be imported</h1>
<noscript><p class="note">Sending a file from this page needs script, since it goes as it stands and not as a form. Without it, a program sends it by <code>POST /api/${call.may(IMPORT_ANY_TYPE) ? `${IMPORT_ANY_TYPE}?Template=` : 'import/'}</code> and the template's name.</p></noscript>
${sendForm(call, templates)}`,
  };
});

/** The active templates, by name; a firm is not offered those whose files it could not see afterwards. */
async function readImportTypes(call: PageCall): Promise<readonly Row[]> {
  if (!call.may('importfiletemplate/search')) return [];
  const { answer } = await call.call('importfiletemplate/search', {
    SqlColumns: 'ImportFileTemplateID,ImportFileTemplate,Status,ExtranetEnabled,Description',
    OrderBy: 'ImportFileTemplate',
    DisplaySize: String(TEMPLATES_MAX),
    RecordCount: 'false',
  });
  const rows = (answer as ListAnswer).rows;
  return rows.filter(
    ({ Status: status, ExtranetEnabled: shown }) =>
      (status ?? 'Active') === 'Active' && (call.user.universal || shown !== 'No'),
  );
}

function sendForm(call: PageCall, templates: readonly Row[]): Markup {
  const whole = call.may(IMPORT_ANY_TYPE);
  // Off until the script is there to do it: a form of a browser would send something else than the file.
  return html`<form class="stacked" data-send="${whole ? IMPORT_ANY_TYPE : 'import'}"${call.may('importfile/detectbody') && html` data-detect`}>${csrfField(call)}
<p><label for="file">File</label><input id="file" type="file" required></p>
<p><label for="template">Template</label>${templateInput(call, templates, whole)}<span class="quiet" id="fits" role="status"></span></p>
${whole && html`<p><label for="reference">Reference <span class="quiet">(your job or batch number)</span></label><input id="reference" name="Reference" maxlength="50"></p>`}
<p class="actions"><button disabled>Send</button> <button type="button" class="quiet" id="cancel" hidden>Cancel</button></p>
<p id="sending" hidden><progress max="100" value="0" aria-label="Sent of the file"></progress> <span class="rows"></span></p>
<p role="status" id="told"></p>
<div role="alert" id="failed"></div></form>`;
}

function templateInput(call: PageCall, templates: readonly Row[], whole: boolean): Markup {
  if (templates.length === 0) return html`<input id="template" name="Template" maxlength="100" required>`;
  const asked = call.query['Template'];
  const option = (row: Row): Markup =>
    html`<option value="${String(row[whole ? 'ImportFileTemplateID' : 'ImportFileTemplate'])}" data-id="${String(row['ImportFileTemplateID'])}"${String(row['ImportFileTemplateID']) === asked && html` selected`} title="${String(row['Description'] ?? '')}">${String(row['ImportFileTemplate'] ?? '')}</option>`;
  return html`<select id="template" name="${whole ? 'TemplateID' : 'Template'}" required><option value=""></option>${templates.map(option)}</select>`;
}
