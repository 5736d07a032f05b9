import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { shortDay, timeOfDay } from '../days.ts';
import { table } from '../design/table.ts';
import { groupDigits, recordLink, recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { letterState } from './letter-state.ts';

/** A letter. */
export type LetterRow = RowNamed<'Delivery'>;

/** Renders an amount of money; a dash without one. */
export function amount(value: string | number | null): Markup {
  return value === null ? html`<span class="muted">–</span>` : html`${`$${groupDigits(Number(value).toFixed(2))}`}`;
}

/** Returns an address on one line. */
export function addressLine(row: AddressColumns): string {
  const region = [row.State, row.PostalCode].filter(Boolean).join(' ');
  return [row.Street, row.City, region].filter(Boolean).join(', ');
}

/** The columns of an address as it was sent. */
interface AddressColumns {
  readonly Street?: string | null;
  readonly City?: string | null;
  readonly State?: string | null;
  readonly PostalCode?: string | null;
}

/** The date at which a letter came into its present state. */
function stateDate(row: LetterRow): string | null {
  const dates: Readonly<Record<string, string | null>> = {
    Prepared: row.PreparedDate,
    Submitted: row.SubmittedDate,
    Mailed: row.MailedDate,
    Delivered: row.DeliveredDate,
    Returned: row.ReturnedDate,
    Canceled: row.CanceledDate,
    Failed: row.FailedDate,
    Unknown: row.UnknownDate,
  };
  return dates[row.Status ?? ''] ?? null;
}

/** The columns of letters that not every page shows. */
interface LetterColumns {
  /** A box to tick each. */
  readonly isSelectable: boolean;
  /** The case, or another record, that each is about. */
  readonly hasCase: boolean;
}

/** Renders letters. */
export async function letterTable(
  call: PageCall,
  rows: readonly LetterRow[],
  { isSelectable, hasCase }: LetterColumns,
): Promise<Markup> {
  const labels = hasCase ? await loadLabels(call, [{ columns: [], rows }]) : undefined;
  const line = (row: LetterRow): Markup => {
    const id = row.DeliveryID;
    const date = stateDate(row);
    const name = html`<bdi>${row.RecipientName ?? 'No recipient'}</bdi>`;
    const selectLabel = `Select the letter to ${row.RecipientName ?? id}`;
    const document = row.Delivery ?? `Letter ${id}`;
    return html`<tr data-row id="letter-${id}">${
      isSelectable &&
      html`<td><input class="tick" type="checkbox" name="ID" value="${id}" form="letters"
 aria-label="${selectLabel}"></td>`
    }<th scope="row">${
      row.ContactID === null ? name : html`<a href="${recordPath('contact', row.ContactID)}">${name}</a>`
    }<span class="small muted address"><bdi>${addressLine(row)}</bdi></span></th>
${labels && html`<td>${caseOf(call, row, labels)}</td>`}
<td>${
      row.AttachmentID === null
        ? html`<bdi>${document}</bdi>`
        : html`<a class="link" href="${recordPath('attachment', row.AttachmentID)}"><bdi>${document}</bdi></a>`
    }</td>
<td><a href="${recordPath('delivery', id)}">${letterState(row.Status)}</a>${
      row.Reason !== null && html`<span class="small soft address"><bdi>${row.Reason}</bdi></span>`
    }</td>
<td class="nowrap">${
      date !== null && html`${shortDay(call, date)} <span class="muted">${timeOfDay(call, date)}</span>`
    }</td>
<td class="number">${row.Pages ?? ''}</td>
<td class="number">${amount(row.Cost)}</td></tr>\n`;
  };
  return table({
    label: 'Letters',
    className: 'letters',
    heads: [
      isSelectable && { text: 'Select', isHidden: true },
      'To',
      hasCase && 'Case',
      'Document',
      'State',
      'Since',
      { text: 'Pages', isNumber: true },
      { text: 'Cost', isNumber: true },
    ],
    rows: rows.map(line),
  });
}

/** Names the case that a letter is about; the record that it was mailed for, if that is no case. */
function caseOf(call: PageCall, { Object: object, ObjectID: id }: LetterRow, labels: Labels): Markup | false {
  return object !== null && id !== null && recordLink(call, object, id, labels.get(object)?.get(id));
}
