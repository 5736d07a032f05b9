import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { toast } from '../design/toast.ts';
import { groupDigits, openPath, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { amountText, unitText } from '../ledgers/money.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { refusalOf } from '../records/edit-page.ts';
import { changedFields, formField, loadChoices } from '../records/record-form.ts';
import { callFields, columnsOf, templateGuidance, templateParts } from './ledger-template-fields.ts';
import { previewCard, previewPath } from './ledger-template-preview.ts';
import { readUses, usesCard } from './uses-page.ts';

export type LedgerTemplateRow = RowNamed<'LedgerTemplate'>;
type LineRow = RowNamed<'LedgerTemplateItem'>;

/** Most lines of a template that its page shows. */
const LINES_MAX = 200;
/** Most saved statements that are suggested. */
const METHODS_MAX = 50;

/** Shows a ledger template: its lines, its settings, and a preview of a ledger. */
export const ledgerTemplatePage = page((call) => templateAnswer(call));

/** Saves the settings of a ledger template. */
export const saveLedgerTemplate = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const columns = columnsOf(call.platform.registry.recordType('LedgerTemplate'), templateParts);
  const changed = changedFields(call.form, columns);
  try {
    if (Object.keys(changed).length > 0)
      await call.call('ledgertemplate/update', { ID: id, Version: plainText(call.form['Version']) }, changed);
    return { redirectTo: previewPath(call, openPath('ledgertemplate', id), { done: 'saved' }) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return templateAnswer(call, error);
  }
});

const doneTexts: ReadonlyMap<string, string> = new Map([
  ['made', 'Created. Now add lines.'],
  ['saved', 'Saved'],
  ['line', 'Line saved'],
]);

async function templateAnswer(call: PageCall, error?: PlatformError): Promise<ShownPage> {
  const id = recordIdFromPath(call);
  const record = call.platform.registry.recordType('LedgerTemplate');
  const { row } = (await call.call('ledgertemplate/select', { ID: id })).answer;
  const [lines, uses] = await Promise.all([readLines(call, id), readUses(call, record, id)]);
  const labels = await loadLabels(call, [
    referencesOf(lines, ['MatrixID', 'Matrix'], ['ChildLedgerTemplateID', 'LedgerTemplate']),
  ]);
  const name = (row.LedgerTemplate ?? '').trim() || `Ledger template ${id}`;
  const done = doneTexts.get(plainText(call.query['done']));
  return {
    title: name,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: '/records/ledgertemplate' },
      { text: name },
    ],
    status: error?.status ?? 200,
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: html`<div class="page wide"><header class="page-head"><h1><bdi>${name}</bdi></h1>${
      row.Status === 'Inactive' && badge('Off')
    }<div class="row">${buttonLink({ text: 'All fields', href: `/records/ledgertemplate/${id}`, kind: 'quiet' })}${
      call.may('ledgertemplate/update') &&
      buttonLink({ text: 'Rename', href: `/records/ledgertemplate/${id}/edit`, kind: 'quiet' })
    }</div></header>
${(row.Description ?? '') !== '' && html`<p class="soft"><bdi>${row.Description}</bdi></p>`}
<div class="template-columns ledger-template"><div class="stack">${linesCard(call, id, lines, labels)}
${await settingsCard(call, row, error)}${usesCard(call, { record, id }, uses)}</div>
${call.may('ledgertemplate/preview') && (await previewCard(call, row))}</div></div>`,
  };
}

async function readLines(call: PageCall, id: number): Promise<readonly LineRow[]> {
  if (!call.may('ledgertemplateitem/search')) return [];
  const { answer } = await call.call('ledgertemplateitem/search', {
    LedgerTemplateID: String(id),
    OrderBy: 'Sequence,LedgerTemplateItemID',
    DisplaySize: LINES_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

function linesCard(call: PageCall, id: number, lines: readonly LineRow[], labels: Labels): Markup {
  const path = `${openPath('ledgertemplate', id)}/lines`;
  const row = (line: LineRow): Markup => {
    const name = html`<bdi>${(line.LedgerTemplateItem ?? '').trim() || `Line ${line.LedgerTemplateItemID}`}</bdi>`;
    return html`<tr><td class="number">${line.Sequence}</td><th scope="row">${
      call.may('ledgertemplateitem/update')
        ? html`<a href="${previewPath(call, `${path}/${line.LedgerTemplateItemID}`)}">${name}</a>`
        : name
    }</th><td>${amountWords(call, line, labels)}</td><td>${line.IsDebit === true ? 'Debit' : 'Credit'}</td>
<td>${
      line.IsTotaled === true
        ? html`${icon('check', 14)}<span class="hidden">Yes</span>`
        : html`<span
 class="muted">No</span>`
    }</td>
<td class="soft">${addedWords(line)}</td></tr>`;
  };
  return card({
    id: 'lines',
    title: 'Lines',
    ...(call.may('ledgertemplateitem/insert') && {
      actions: buttonLink({ text: 'Add a line', icon: 'plus', key: 'n', href: previewPath(call, `${path}/new`) }),
    }),
    body:
      lines.length === 0
        ? emptyState({
            title: 'No lines yet.',
            text: 'Add the lines that its ledgers start with, such as principal, interest and fees.',
            icon: 'money',
          })
        : table({
            label: 'Lines of the template',
            className: 'wrap',
            heads: [{ text: 'Order', isNumber: true }, 'Line', 'Amount', 'Debit or credit', 'In total', 'Added'],
            rows: lines.map(row),
          }),
  });
}

/** Returns when a line is added to a ledger. */
function addedWords({ ManualInsert: manual }: LineRow): string {
  if (manual === 1) return 'By users';
  return manual === 2 ? 'Always, and by users' : 'Always';
}

/** Says where the amount of a line comes from. */
function amountWords(call: PageCall, line: LineRow, labels: Labels): Markup {
  const { MatrixID: matrix, ChildLedgerTemplateID: child, Rate: rate, Units: unit, AmountMoney: amount } = line;
  if (child !== null)
    return html`Total of ${recordLink(call, 'LedgerTemplate', child, labels.get('LedgerTemplate')?.get(child))}`;
  if (matrix !== null) return html`By ${recordLink(call, 'Matrix', matrix, labels.get('Matrix')?.get(matrix))}`;
  if (rate !== null) {
    const count = line.UnitCount === null ? '' : html`${groupDigits(line.UnitCount)} × `;
    return html`${count}${amountText(rate)}${unit !== null && html` per ${unitText(unit)}`}`;
  }
  if (amount !== null) return amountText(amount);
  if (unit !== null) return html`<span class="muted">Per ${unitText(unit)}, rate entered in each ledger</span>`;
  return html`<span class="muted">Entered in each ledger</span>`;
}

async function settingsCard(
  call: PageCall,
  row: LedgerTemplateRow,
  error: PlatformError | undefined,
): Promise<Markup | false> {
  const record = call.platform.registry.recordType('LedgerTemplate');
  const columns = columnsOf(record, templateParts);
  // Users who can't change a template see its settings under All fields.
  if (!call.may('ledgertemplate/update')) return false;
  const [choices, labels, methods] = await Promise.all([
    loadChoices(call, columns),
    loadLabels(call, [{ columns, rows: [row] }]),
    savedMethods(call),
  ]);
  const { note, errors } = refusalOf(call, { record, row, columns }, error);
  const options = {
    ...{ row, choices, labels, errors },
    guidance: templateGuidance(call, methods),
    ...(error && { sent: changedFields(call.form, columns) }),
  };
  const parts = templateParts.map(
    (part) => html`<fieldset class="form-section"><legend>${part.title}</legend>
<div class="fields">${columnsOf(record, [part]).map((column) => formField(call, column, options))}</div></fieldset>`,
  );
  return card({
    id: 'settings',
    title: 'How ledgers are created',
    body: html`<form class="card-body stack entry" method="post">${note}
${csrfField(call)}${hiddenField('Version', row.Version)}${parts}
<details><summary class="link small">Fields that calls can use</summary>
<ul class="field-list">${callFields(call).map(
      ({ name, label }) => html`<li><code>{${name}}</code> <span class="small soft">${label}</span></li>`,
    )}</ul></details>
<p>${button({ text: 'Save', kind: 'primary', key: 's' })}</p></form>`,
  });
}

/** Returns the saved statements of ledgers and lines, as the start of a method signature. */
async function savedMethods(call: PageCall): Promise<readonly string[]> {
  if (!call.may('statement/search')) return [];
  const { answer } = await call.call('statement/search', {
    ClassName: 'Ledger*',
    SqlColumns: 'ClassName,Statement',
    OrderBy: 'Statement',
    DisplaySize: METHODS_MAX,
    RecordCount: 'false',
  });
  return answer.rows.flatMap(({ ClassName: type, Statement: name }) =>
    type === 'Ledger' || type === 'LedgerItem' ? [`${type}/${name ?? ''}`] : [],
  );
}
