import { randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import { openPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { idOf } from '../ledgers/ledger-state.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { refusalOf, refusalOfNew } from '../records/edit-page.ts';
import { changedFields, formField, loadChoices } from '../records/record-form.ts';
import { columnsOf, lineGuidance, lineParts } from './ledger-template-fields.ts';
import { previewPath } from './ledger-template-preview.ts';

type LineRow = RowNamed<'LedgerTemplateItem'>;

/** Defaults of a new line: most lines are debits in the total. */
const newValues = { IsDebit: 'true', IsTotaled: 'true', ManualInsert: '0', CanExclude: 'true' } as const;

/** Shows the form of a template line, or of a new one. */
export const templateLinePage = page((call) => lineAnswer(call));

/** Saves a template line, then opens its template or the form for another new line. */
export const saveTemplateLine = page(async (call): Promise<PageAnswer> => {
  const templateId = recordIdFromPath(call);
  const lineId = lineFromPath(call);
  const columns = columnsOf(call.platform.registry.recordType('LedgerTemplateItem'), lineParts);
  const changed = changedFields(call.form, columns);
  const path = openPath('ledgertemplate', templateId);
  try {
    if (lineId === undefined)
      await call.callOnce(plainText(call.form['Key']), 'ledgertemplateitem/insert', {
        ...changed,
        LedgerTemplateID: templateId,
      });
    else if (Object.keys(changed).length > 0)
      await call.call('ledgertemplateitem/update', { ID: lineId, Version: plainText(call.form['Version']) }, changed);
    const next = plainText(call.form['Action']) === 'another' ? `${path}/lines/new` : path;
    return { redirectTo: previewPath(call, next, { done: 'line' }) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return lineAnswer(call, error);
  }
});

/** Returns the line ID from the URL; undefined for a new line. */
function lineFromPath({ path }: PageCall): number | undefined {
  if (path['line'] === 'new') return undefined;
  const id = idOf(path['line'] ?? '');
  if (id === undefined) throw new PlatformError('NOT_FOUND');
  return id;
}

async function readLine(call: PageCall, templateId: number): Promise<LineRow | undefined> {
  const id = lineFromPath(call);
  const operation = id === undefined ? 'ledgertemplateitem/insert' : 'ledgertemplateitem/update';
  if (!call.may(operation))
    throw new PlatformError('NO_PERMISSION', { message: "You don't have permission to change ledger templates." });
  if (id === undefined) return undefined;
  const { row } = (await call.call('ledgertemplateitem/select', { ID: id })).answer;
  if (row.LedgerTemplateID !== templateId) throw new PlatformError('NOT_FOUND');
  return row;
}

async function lineAnswer(call: PageCall, error?: PlatformError): Promise<ShownPage> {
  const templateId = recordIdFromPath(call);
  const [row, { answer }] = await Promise.all([
    readLine(call, templateId),
    call.call('ledgertemplate/select', { ID: templateId }),
  ]);
  const template = (answer.row.LedgerTemplate ?? '').trim() || `Ledger template ${templateId}`;
  const name = row ? (row.LedgerTemplateItem ?? '').trim() || `Line ${row.LedgerTemplateItemID}` : 'New line';
  const path = openPath('ledgertemplate', templateId);
  return {
    title: `${name} of ${template}`,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: html`<bdi>${template}</bdi>`, href: previewPath(call, path) },
      { text: html`<bdi>${name}</bdi>` },
    ],
    status: error?.status ?? 200,
    toasts: plainText(call.query['done']) === 'line' ? [toast({ text: 'Line saved' })] : [],
    body: html`<div class="page"><header class="page-head"><div><h1><bdi>${name}</bdi></h1>
<p class="soft">Line of the ledger template <bdi>${template}</bdi></p></div></header>
${await lineForm(call, row, error)}</div>`,
  };
}

async function lineForm(call: PageCall, row: LineRow | undefined, error: PlatformError | undefined): Promise<Markup> {
  const record = call.platform.registry.recordType('LedgerTemplateItem');
  const columns = columnsOf(record, lineParts);
  const [choices, labels] = await Promise.all([
    loadChoices(call, columns),
    row && loadLabels(call, [{ columns, rows: [row] }]),
  ]);
  const { note, errors } = row ? refusalOf(call, { record, row, columns }, error) : refusalOfNew(record, error);
  const sent = sentValues(call, row, error);
  const named = { ...lineGuidance['LedgerTemplateItem'], isFocused: !row && !error };
  const guidance = { ...lineGuidance, LedgerTemplateItem: named };
  const options = { row, choices, labels, errors, sent, guidance };
  const parts = lineParts.map(
    (part) => html`<fieldset class="card form-group"><legend class="card-title">${part.title}</legend>
<div class="fields card-body">${columnsOf(record, [part]).map((column) => formField(call, column, options))}</div>
</fieldset>`,
  );
  const back = previewPath(call, openPath('ledgertemplate', recordIdFromPath(call)));
  return html`<form class="entry record-form template-line" method="post">${note}${csrfField(call)}${
    row ? hiddenField('Version', row.Version) : hiddenField('Key', plainText(call.form['Key']) || randomUUID())
  }${parts}
<div class="row form-foot">${button({ text: 'Save', kind: 'primary', name: 'Action', value: 'save', key: 's' })}${
    !row && button({ text: 'Save and add another', name: 'Action', value: 'another' })
  }${buttonLink({ text: 'Cancel', kind: 'quiet', href: back })}${
    row &&
    call.may('ledgertemplateitem/delete') &&
    html`<span class="grow"></span>${buttonLink({
      text: 'Delete',
      icon: 'trash',
      kind: 'quiet',
      href: `/records/ledgertemplateitem/${row.LedgerTemplateItemID}/delete`,
    })}`
  }</div></form>`;
}

/** Returns the values that the form shows instead of the stored ones. */
function sentValues(call: PageCall, row: LineRow | undefined, error: PlatformError | undefined) {
  const columns = columnsOf(call.platform.registry.recordType('LedgerTemplateItem'), lineParts);
  if (error) return row ? changedFields(call.form, columns) : call.form;
  return row ? undefined : newValues;
}
