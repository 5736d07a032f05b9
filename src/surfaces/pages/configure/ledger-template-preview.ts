import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { recordField, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { groupDigits, openPath } from '../display-values.ts';
import { today } from '../days.ts';
import { loadLabels } from '../labels.ts';
import { isDay } from '../ledgers/ledger-state.ts';
import { amountText, unitText } from '../ledgers/money.ts';
import type { PageCall } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { plainText } from '../plain-text.ts';
import type { LedgerTemplateRow } from './ledger-template-page.ts';

type PreviewRow = AnswerRowFor<'ledgertemplate/preview'>;

/** The record type of the preview if a template applies to any. */
const ANY_OBJECT = 'Foreclosure';

/** Returns an address of a template's pages that keeps the previewed record and day. */
export function previewPath({ query }: PageCall, path: string, more: Readonly<Record<string, string>> = {}): string {
  return withQuery(path, { record: plainText(query['record']), through: plainText(query['through']), ...more });
}

/** Renders the form that chooses a record, and the ledger that it would get. Nothing is stored. */
export async function previewCard(call: PageCall, row: LedgerTemplateRow): Promise<Markup> {
  const object = (row.AppliesTo ?? '') || ANY_OBJECT;
  const id = Number(plainText(call.query['record']).trim());
  const isChosen = Number.isSafeInteger(id) && id > 0;
  const through = plainText(call.query['through']);
  const labels = isChosen
    ? await loadLabels(call, [{ columns: [], rows: [{ Object: object, ObjectID: id }] }])
    : undefined;
  return card({
    id: 'preview',
    title: 'Preview',
    note: 'Nothing is saved',
    body: html`<div class="card-body stack"><form class="stack" method="get" action="${openPath(
      'ledgertemplate',
      row.LedgerTemplateID,
    )}#preview">
${recordField({
  label: call.platform.registry.titleOf(object),
  name: 'record',
  type: object,
  value: isChosen ? String(id) : '',
  shown: labels?.get(object)?.get(id),
  isRequired: true,
  hint: 'Type a name, an address or a number.',
})}${textField({
      label: 'Project to',
      name: 'through',
      type: 'date',
      value: isDay(through) ? through : today(call),
      isRequired: true,
    })}<p>${button({ text: 'Preview', icon: 'eye' })}</p></form>
${
  isChosen
    ? await previewResult(call, row.LedgerTemplateID, { object, id, through })
    : html`<p class="small soft">Choose a record to see the ledger that it would get. Save your changes first.</p>`
}</div>`,
  });
}

async function previewResult(
  call: PageCall,
  templateId: number,
  { object, id, through }: { readonly object: string; readonly id: number; readonly through: string },
): Promise<Markup> {
  try {
    const { answer } = await call.call('ledgertemplate/preview', {
      ID: templateId,
      Object: object,
      ObjectID: id,
      ...(isDay(through) && { GoodThrough: through }),
    });
    return previewTable(answer.rows);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return banner({ tone: 'danger', role: 'alert', text: error.masked().message });
  }
}

function previewTable(rows: readonly PreviewRow[]): Markup {
  const [first] = rows;
  if (!first) return html`<p role="status">The ledger would have no lines.</p>`;
  const line = (row: PreviewRow): Markup => {
    const amount = row.AmountMoney === null ? html`<span class="muted">–</span>` : amountText(row.AmountMoney);
    const units =
      row.UnitCount !== null && html`${groupDigits(row.UnitCount)} ${unitText(row.Units ?? '', row.UnitCount)}`;
    return html`<tr${!row.IsTotaled && html` class="out"`}><th scope="row"><bdi>${row.LedgerItem}</bdi>${
      row.Rate !== null && html`<br><span class="small muted">${units} × ${amountText(row.Rate)}</span>`
    }</th><td class="number">${row.IsDebit && amount}</td><td class="number">${!row.IsDebit && amount}</td><td>${
      row.IsTotaled ? html`${icon('check', 14)}<span class="hidden">Yes</span>` : html`<span class="muted">No</span>`
    }</td></tr>`;
  };
  return html`<p role="status">Adjusted balance <b>${amountText(first.BalanceAdjusted)}</b> ${
    first.Currency
  }, balance ${amountText(first.Balance)}</p>
${table({
  label: 'Lines of the new ledger',
  heads: ['Line', { text: 'Debit', isNumber: true }, { text: 'Credit', isNumber: true }, 'In total'],
  rows: rows.map(line),
})}`;
}
