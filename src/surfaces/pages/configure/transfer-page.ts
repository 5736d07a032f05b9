import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId, type Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { checkbox, selectField, textAreaField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { openPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordLabel } from '../record-address.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { configurationGroups } from './configuration-kinds.ts';

type ImportedRow = AnswerRowFor<'decisiontemplate/import'>;

/** Most records that are offered to be exported. */
const RECORDS_MAX = 500;

const crumbs = (text: string): { text: string; href?: string }[] => [
  { text: 'Configure', href: '/configure' },
  { text },
];

/** Returns the types whose records the user may move between installations. */
export function movableTypes(call: PageCall, operation: 'export' | 'import'): readonly RecordType[] {
  const { registry } = call.platform;
  const records = configurationGroups(registry).flatMap(({ kinds }) => kinds.map(({ record }) => record));
  const named = new Set(registry.operations().map(({ route }) => route));
  return records.filter(({ module }) => {
    const route = `${module}/${operation}`;
    return named.has(route) && call.may(route as Parameters<PageCall['may']>[0]);
  });
}

/** Offers records of a kind to be exported, with all that they need. */
export const exportPage = page(async (call) => {
  const types = movableTypes(call, 'export');
  if (types.length === 0)
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to export configuration." });
  const kind = plainText(call.query['kind']);
  const record = types.find(({ module }) => module === kind);
  return {
    title: 'Export configuration',
    place: 'configure',
    crumbs: crumbs('Export'),
    body: html`<div class="page narrow"><h1>Export configuration</h1>
<p>The file contains the records that you choose and everything that they need. Import it in another installation.</p>
<form class="row span-form" method="get">${selectField({
      label: 'Kind',
      name: 'kind',
      value: kind,
      choices: types.map(({ module, titlePlural }) => ({ value: module, text: titlePlural })),
      ...(record ? {} : { empty: 'Choose a kind' }),
    })}${button({ text: 'Show' })}</form>
${record && (await exportForm(call, record))}</div>`,
  };
});

async function exportForm(call: PageCall, record: RecordType): Promise<Markup> {
  const { answer } = await call.callOf(record, 'search', {
    SqlColumns: `${record.idField},${record.name}`,
    OrderBy: record.name,
    DisplaySize: RECORDS_MAX,
  });
  if (answer.rows.length === 0) return emptyState({ title: `There are no ${record.titlePlural.toLowerCase()} yet.` });
  const boxes = answer.rows.map(
    (row: Row) =>
      html`<li>${checkbox({
        label: html`<bdi>${recordLabel(record, row)}</bdi>`,
        name: 'ID',
        value: String(recordId(record, row)),
      })}</li>`,
  );
  return html`<form class="card stack card-body" method="post" action="/api/${record.module}/export">
${csrfField(call)}<fieldset><legend>${record.titlePlural}</legend><ul>${boxes}</ul></fieldset>
<p class="small soft">If you choose none, all of them are exported.</p>
<p class="row">${button({ text: 'Export', kind: 'primary', icon: 'export' })}</p></form>`;
}

/** Asks for a document to import. */
export const importPage = page((call) => importAnswer(call));

/** Shows what an import would do, or does it: completely or not at all. */
export const runImport = page(async (call) => {
  const xml = plainText(call.form['Xml']);
  try {
    if (xml.trim() === '')
      throw new PlatformError('MISSING_PARAMETER', { message: 'Paste an exported document, or choose its file.' });
    const isConfirmed = plainText(call.form['confirm']) === 'true';
    const rows = await callImport(call, xml, !isConfirmed);
    return await importAnswer(call, { xml, rows, isDone: isConfirmed });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return importAnswer(call, { xml, refused: error.masked() });
  }
});

async function callImport(call: PageCall, xml: string, isPreview: boolean): Promise<readonly ImportedRow[]> {
  const [record] = movableTypes(call, 'import');
  if (!record)
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to import configuration." });
  const { answer } = await call.callNamed(`${record.module}/import`, { Xml: xml, Preview: isPreview });
  return answer.kind === 'list' ? (answer.rows as readonly ImportedRow[]) : [];
}

/** What an import would do, has done, or why it is refused. */
interface ImportState {
  readonly xml: string;
  readonly rows?: readonly ImportedRow[];
  readonly isDone?: boolean;
  readonly refused?: PlatformError;
}

async function importAnswer(call: PageCall, state: ImportState = { xml: '' }): Promise<PageAnswer> {
  if (movableTypes(call, 'import').length === 0)
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to import configuration." });
  const { xml, rows, isDone = false, refused } = state;
  const preview = rows && !isDone;
  return {
    title: 'Import configuration',
    place: 'configure',
    crumbs: crumbs('Import'),
    entries: ['configure'],
    status: refused?.status ?? 200,
    body: html`<div class="page"><h1>Import configuration</h1>
${refused && refusal(refused.message)}
${isDone && banner({ tone: 'ok', text: 'Imported.', role: 'status' })}
${rows && importTable(call, rows)}
${preview && confirmForm(call, xml, rows)}
${!rows && documentForm(call, xml)}</div>`,
  };
}

const refusal = (message: string): Markup =>
  banner({ tone: 'danger', text: 'Nothing was imported.', more: html`<p>${message}</p>`, role: 'alert' });

function documentForm(call: PageCall, xml: string): Markup {
  return html`<form class="card stack card-body" method="post">${csrfField(call)}
<p class="row"><label class="button" data-file-for="Xml" hidden>Choose a file<input class="hidden" type="file"
accept=".xml"></label></p>
${textAreaField({
  label: 'Exported document',
  name: 'Xml',
  rows: 10,
  value: xml,
  hint: 'You see first what would change.',
})}
<p class="row">${button({ text: 'Preview', kind: 'primary' })}</p></form>`;
}

const outcomes: Readonly<Record<string, string>> = {
  Insert: 'Created',
  Update: 'Changed',
  Unchanged: 'Unchanged',
};

function importTable(call: PageCall, rows: readonly ImportedRow[]): Markup {
  const lines = rows.map((row) => {
    const [object, id] = [plainText(row.Object), Number(row.ID)];
    const record = call.platform.registry.record(object);
    const names = plainText(row.Fields).split(', ').filter(Boolean);
    const name = plainText(row.Name) || `${record?.title ?? object} ${id || ''}`;
    const link = record && id > 0 ? html`<a class="link" href="${openPath(record.module, id)}">${name}</a>` : name;
    const fields = names.map((field) => (record ? columnLabel(record, field) : field)).join(', ');
    const operation = plainText(row.Operation);
    return html`<tr><td>${outcomes[operation] ?? operation}</td><td>${record?.title ?? object}</td><th
scope="row"><bdi>${link}</bdi></th><td>${operation === 'Update' && fields}</td></tr>`;
  });
  return table({ label: 'Records of the document', heads: ['', 'Kind', 'Name', 'Fields that change'], rows: lines });
}

function confirmForm(call: PageCall, xml: string, rows: readonly ImportedRow[]): Markup {
  const count = rows.filter((row) => row.Operation !== 'Unchanged').length;
  const text = `Import ${count} ${count === 1 ? 'record' : 'records'}`;
  return html`<form method="post" class="row">${csrfField(call)}${hiddenField('Xml', xml)}
${hiddenField('confirm', 'true')}
${
  count === 0
    ? html`<p>There are no differences, so there is nothing to import.</p>`
    : button({ text, kind: 'primary' })
}${buttonLink({ text: 'Back', href: '/configure/import' })}</form>`;
}
