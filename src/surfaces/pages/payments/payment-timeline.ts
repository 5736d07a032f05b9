import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import { icon, type IconName } from '../design/icons.ts';
import { timeMark } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { moneyWords, reasonWords, stateWords } from './payment-words.ts';
import type { ShownPayment } from './read-payment.ts';

/** Something that happened to a payment. */
interface Entry {
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
  readonly more?: string | undefined;
}

/** Renders what happened to a payment, the latest first. */
export function paymentTimeline(call: PageCall, shown: ShownPayment): Markup {
  const entries = [...ownEntries(shown), ...refundEntries(shown), ...disputeEntries(shown)];
  if (entries.length === 0) return emptyState({ title: 'Nothing has happened yet.' });
  const line = ({ at, icon: name, text, more }: Entry): Markup =>
    html`<li>${icon(name)}<div class="grow"><p>${text}</p>${
      more !== undefined && html`<p class="small soft"><bdi>${more}</bdi></p>`
    }<p class="small muted">${timeMark(call, at)}</p></div></li>\n`;
  return html`<ol class="payment-timeline">${entries.toSorted((a, b) => (a.at < b.at ? 1 : -1)).map(line)}</ol>`;
}

function ownEntries({ row, labels }: ShownPayment): readonly Entry[] {
  const { RequestedDate, SettledDate, Status, CreatedPersonID } = row;
  const who = CreatedPersonID === null ? undefined : labels.get('Person')?.get(CreatedPersonID);
  const requested = `${moneyWords(row.Amount, row.Currency)} requested`;
  const entries: Entry[] = [];
  if (RequestedDate !== null)
    entries.push({ at: RequestedDate, icon: 'money', text: who === undefined ? requested : `${requested} by ${who}` });
  if (SettledDate !== null) {
    const { word } = stateWords('payment', Status);
    const amount = Status === 'Captured' ? `: ${moneyWords(row.CapturedAmount, row.Currency)}` : '';
    const isBad = Status === 'Declined';
    entries.push({
      at: SettledDate,
      icon: isBad ? 'error' : 'check',
      text: `${word}${amount}`,
      more: row.Detail ?? undefined,
    });
  }
  return entries;
}

function refundEntries({ refunds, labels }: ShownPayment): readonly Entry[] {
  return refunds.flatMap((refund) => {
    const { RequestedDate, CreatedPersonID, Amount, Currency, Status, Reason, Detail } = refund;
    if (RequestedDate === null) return [];
    const who = CreatedPersonID === null ? undefined : labels.get('Person')?.get(CreatedPersonID);
    const by = who === undefined ? '' : ` by ${who}`;
    const { word } = stateWords('refund', Status);
    const more = [Reason, Detail].filter((text) => (text ?? '') !== '').join(' · ');
    return [
      {
        at: RequestedDate,
        icon: 'undo' as const,
        text: `Refund of ${moneyWords(Amount, Currency)} requested${by}: ${word.toLowerCase()}`,
        more: more === '' ? undefined : more,
      },
    ];
  });
}

function disputeEntries({ disputes }: ShownPayment): readonly Entry[] {
  return disputes.flatMap(({ OpenedDate, ClosedDate, Amount, Currency, Reason, Status }) => [
    ...(OpenedDate === null
      ? []
      : [
          {
            at: OpenedDate,
            icon: 'flag' as const,
            text: `The customer disputed ${moneyWords(Amount, Currency)}`,
            more: Reason === null ? undefined : reasonWords(Reason),
          },
        ]),
    ...(ClosedDate === null
      ? []
      : [
          {
            at: ClosedDate,
            icon: 'court' as const,
            text: `Dispute ${stateWords('dispute', Status).word.toLowerCase()}`,
          },
        ]),
  ]);
}
