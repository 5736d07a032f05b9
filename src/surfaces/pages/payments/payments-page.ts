import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { emptyState } from '../design/empty.ts';
import { tabs } from '../design/tabs.ts';
import { plural } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { paymentTable } from './payment-table.ts';
import { paymentsAnswer } from './payments-frame.ts';

const PAGE_ROWS = 50;

/** Some of the payments. */
interface PaymentFilter {
  readonly name: string;
  readonly text: string;
  /** Empty: all. */
  readonly statuses: readonly string[];
  /** What is shown if there are none. */
  readonly empty: string;
}

const everything: PaymentFilter = { name: 'all', text: 'All', statuses: [], empty: 'There are no payments yet.' };

/** Which payments are listed, by the name in the address. */
const filters: readonly PaymentFilter[] = [
  everything,
  {
    name: 'unknown',
    text: 'Outcome unknown',
    statuses: ['Unknown', 'Requested'],
    empty: 'The outcome of every payment is known.',
  },
  {
    name: 'open',
    text: 'Authorized or processing',
    statuses: ['Authorized', 'Pending'],
    empty: 'No amount is reserved, and no payment is processing.',
  },
  { name: 'paid', text: 'Paid', statuses: ['Captured'], empty: 'No payment was captured yet.' },
  { name: 'declined', text: 'Declined', statuses: ['Declined'], empty: 'No payment was declined.' },
];

/** Lists payments, the newest first. */
export const paymentsPage = page(async (call) => {
  const shown = plainText(call.query['state']);
  const filter = filters.find(({ name }) => name === shown) ?? everything;
  const start = rowOffset(call.query['RecordStart']);
  const [{ answer }, unknown] = await Promise.all([
    call.call('payment/search', {
      OrderBy: '-PaymentID',
      DisplaySize: PAGE_ROWS,
      RecordStart: start,
      ...(filter.statuses.length > 0 && { Status: filter.statuses }),
    }),
    countOf(call, 'Unknown'),
  ]);
  const { rows, count } = rowsOf(answer);
  const list = rows.length > 0 && (await paymentTable(call, rows, 'Payments'));
  return paymentsAnswer(call, {
    title: 'Payments',
    path: '/payments',
    actions: html`<a class="link" href="/payments/all">Filter and export</a>`,
    body: html`${
      unknown > 0 &&
      banner({
        tone: 'warn',
        text:
          `${plural(unknown, 'payment')} with an unknown outcome. Casewright checks with the gateway until it is ` +
          'known. Do not charge again.',
      })
    }
${tabs(
  'Payments by status',
  filters.map(({ name, text }) => ({
    href: name === 'all' ? '/payments' : `/payments?state=${name}`,
    text,
    isCurrent: name === filter.name,
  })),
)}
<div id="payments" data-live="payment" data-live-mode="quiet">
${
  list ||
  emptyState({
    icon: 'money',
    title: filter.empty,
    ...(filter.name === 'all' && { text: 'Charge a ledger to make the first one.' }),
  })
}
</div>
${turnPages({ start, shown: rows.length, count, filter: filter.name })}`,
  });
});

async function countOf(call: PageCall, status: string): Promise<number> {
  const { answer } = await call.call('payment/search', { Status: status, DisplaySize: 1 });
  return rowsOf(answer).count;
}

function turnPages(of: {
  readonly start: number;
  readonly shown: number;
  readonly count: number;
  readonly filter: string;
}): Markup | false {
  const { start, shown, count, filter } = of;
  const link = (to: number, text: string, rel: string): Markup =>
    html`<a href="/payments?${new URLSearchParams({ state: filter, RecordStart: String(to) }).toString()}"
 rel="${rel}">${text}</a>`;
  const newer = start > 0 && link(Math.max(0, start - PAGE_ROWS), 'Newer', 'prev');
  const older = start + shown < count && link(start + PAGE_ROWS, 'Older', 'next');
  return (newer || older) && html`<nav class="page-turn" aria-label="Pages">${newer}${older}</nav>`;
}
