import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { valueLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { dayHead, dayText, localDay, today } from '../days.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { paymentPath } from './payment-words.ts';
import { paymentsAnswer } from './payments-frame.ts';

const PATH = '/payments/reconciliation';
const PAGE_ROWS = 100;
const RUNS_SHOWN = 10;
/** Days that are compared unless others are entered: today and those before. */
const DAYS = 3;
const DAY_MILLISECONDS = 86_400_000;

type DifferenceRow = RowNamed<'PaymentDifference'>;
type RunRow = RowNamed<'PaymentReconciliation'>;

const states = [
  { name: 'open', text: 'Open', status: 'Open' },
  { name: 'resolved', text: 'Resolved', status: 'Resolved' },
  { name: 'cleared', text: 'Cleared', status: 'Cleared' },
] as const;

/** Shows the differences between payments here and at the gateways, by day, and the last comparisons. */
export const reconciliationPage = page((call) => reconciliationAnswer(call));

/** Compares now, or resolves a difference with a note. */
export const changeReconciliation = page(async (call): Promise<PageAnswer> => {
  try {
    if (plainText(call.form['Action']) === 'resolve') {
      await call.call('paymentdifference/resolve', {
        ID: plainText(call.form['ID']),
        Note: plainText(call.form['Note']),
      });
      return { redirectTo: `${PATH}?done=resolved` };
    }
    await call.call('payment/reconcile', { From: plainText(call.form['From']), To: plainText(call.form['To']) });
    return { redirectTo: `${PATH}?done=compared` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status === 500) throw error;
    return reconciliationAnswer(call, error.masked());
  }
});

const doneWords: ReadonlyMap<string, string> = new Map([
  ['resolved', 'Difference resolved'],
  ['compared', 'Reconciliation finished'],
]);

async function reconciliationAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const chosen = plainText(call.query['state']);
  const state = states.find(({ name }) => name === chosen) ?? states[0];
  const start = rowOffset(call.query['RecordStart']);
  const [differences, runs] = await Promise.all([
    call.call('paymentdifference/search', {
      Status: state.status,
      OrderBy: '-Day,Kind,PaymentDifferenceID',
      DisplaySize: PAGE_ROWS,
      RecordStart: start,
    }),
    call.call('paymentreconciliation/search', {
      OrderBy: '-PaymentReconciliationID',
      DisplaySize: RUNS_SHOWN,
      RecordCount: 'false',
    }),
  ]);
  const { rows, count } = rowsOf(differences.answer);
  const labels = await loadLabels(call, [referencesOf(rows, ['ResolvedPersonID', 'Person'])]);
  const done = doneWords.get(plainText(call.query['done']));
  const isOfRow = refused !== undefined && plainText(call.form['Action']) === 'resolve';
  return paymentsAnswer(call, {
    title: 'Reconciliation',
    path: PATH,
    intro:
      'Payments, refunds and disputes are compared with the gateways’ records every night, and whenever you start it.',
    ...(refused && { status: refused.status }),
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: html`${refused && !isOfRow && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${call.may('payment/reconcile') && runForm(call)}
${tabs(
  'Differences by state',
  states.map(({ name, text }) => ({
    href: name === 'open' ? PATH : `${PATH}?state=${name}`,
    text,
    isCurrent: name === state.name,
    ...(name === state.name && { count: String(count) }),
  })),
)}
<div id="differences" class="stack" data-live="paymentdifference" data-live-mode="quiet">
${
  rows.length === 0
    ? emptyState({
        icon: 'check',
        title: state.name === 'open' ? 'No open differences.' : 'No such differences.',
      })
    : dayCards(call, rows, labels, refused)
}</div>
${
  start + rows.length < count &&
  html`<nav class="page-turn" aria-label="Pages"><a
 href="${PATH}?state=${state.name}&amp;RecordStart=${start + PAGE_ROWS}" rel="next">Older</a></nav>`
}
${runsCard(call, runs.answer.rows)}`,
  });
}

function runForm(call: PageCall): Markup {
  const to = today(call);
  const from = new Date(Date.parse(to) - (DAYS - 1) * DAY_MILLISECONDS).toISOString().slice(0, 10);
  const day = (name: 'From' | 'To', label: string, value: string): Markup =>
    textField({
      label,
      name,
      type: 'date',
      value: plainText(call.form[name]) || value,
      isRequired: true,
      attributes: html`max="${to}"`,
    });
  return html`<form class="row wrap end-aligned" method="post" action="${PATH}">${csrfField(call)}
${day('From', 'From', from)}${day('To', 'To', to)}
${button({ text: 'Reconcile now', kind: 'primary', name: 'Action', value: 'run' })}</form>`;
}

function dayCards(
  call: PageCall,
  rows: readonly DifferenceRow[],
  labels: Labels,
  refused: PlatformError | undefined,
): readonly Markup[] {
  const now = today(call);
  return [...Map.groupBy(rows, ({ Day }) => Day ?? '')].map(([day, of]) =>
    card({
      id: `day-${day}`,
      title: dayHead(day, now),
      note: plural(of.length, 'difference'),
      body: differenceTable(call, of, labels, refused),
    }),
  );
}

function differenceTable(
  call: PageCall,
  rows: readonly DifferenceRow[],
  labels: Labels,
  refused: PlatformError | undefined,
): Markup {
  const field = call.platform.registry.recordType('PaymentDifference').columns.get('kind')?.field;
  const line = (row: DifferenceRow): Markup => {
    const { PaymentDifferenceID: id, Kind, GatewayID, PaymentID } = row;
    return html`<tr data-row id="difference-${id}"><th scope="row">${
      field && Kind !== null ? valueLabel(field, Kind) : Kind
    }</th>
<td><bdi>${row.Ours}</bdi>${
      PaymentID !== null && html`<br><a class="link small" href="${paymentPath(PaymentID)}">Payment ${PaymentID}</a>`
    }</td>
<td><bdi>${row.Theirs}</bdi><br><code class="mono small wrap"><bdi>${GatewayID}</bdi></code></td>
<td>${row.Status === 'Open' ? resolveForm(call, row, refused) : resolution(call, row, labels)}</td></tr>\n`;
  };
  return table({
    label: `Differences of ${dayHead(rows[0]?.Day ?? '', today(call))}`,
    className: 'differences',
    heads: ['Difference', 'In Casewright', 'At the gateway', 'Resolution'],
    rows: rows.map(line),
  });
}

function resolveForm(
  call: PageCall,
  { PaymentDifferenceID: id }: DifferenceRow,
  refused: PlatformError | undefined,
): Markup | false {
  if (!call.may('paymentdifference/resolve')) return false;
  const isOwn = refused !== undefined && plainText(call.form['ID']) === String(id);
  const note = textField({
    label: 'How it was resolved',
    name: 'Note',
    id: `note-${id}`,
    value: isOwn ? plainText(call.form['Note']) : '',
    isRequired: true,
    attributes: html`maxlength="4000"`,
    ...(isOwn && { error: sentenceFor(refused) }),
  });
  return html`<details${isOwn && html` open`}><summary>Resolve</summary>
<form class="stack" method="post" action="${PATH}">${csrfField(call)}${hiddenField('ID', id)}${note}${button({
    text: 'Resolve',
    name: 'Action',
    value: 'resolve',
    of: `difference ${id}`,
  })}</form></details>`;
}

function resolution(call: PageCall, row: DifferenceRow, labels: Labels): Markup {
  if (row.Status === 'Cleared') return html`<span class="soft">No longer found by a later reconciliation</span>`;
  const { ResolvedPersonID: id } = row;
  const who = id === null ? undefined : labels.get('Person')?.get(id);
  return html`<bdi>${row.Note}</bdi><br><span class="small muted"><bdi>${who ?? ''}</bdi>
${shortTimeMark(call, row.ResolvedDate)}</span>`;
}

function runsCard(call: PageCall, rows: readonly RunRow[]): Markup {
  const now = today(call);
  const day = (value: string | null): string => (value === null ? '' : dayText(localDay(call, value), now));
  const line = (row: RunRow): Markup => {
    const { Status: status } = row;
    const days = row.FromDay === row.ToDay ? day(row.FromDay) : `${day(row.FromDay)} – ${day(row.ToDay)}`;
    const tone = status === 'Failed' ? 'danger' : 'ok';
    return html`<tr id="run-${row.PaymentReconciliationID}"><th scope="row">${shortTimeMark(call, row.CreatedDate)}</th>
<td><bdi>${(row.PaymentReconciliation ?? '').replace(/, \d{4}-.*$/, '')}</bdi></td><td class="nowrap">${days}</td>
<td>${badge(status ?? '', status === 'Running' ? 'accent' : tone)}${
      row.Error !== null && html`<br><span class="small soft"><bdi>${row.Error}</bdi></span>`
    }</td>
<td class="number">${row.PaymentCount}</td><td class="number">${row.RefundCount}</td>
<td class="number">${row.DisputeCount}</td><td class="number">${row.SettledCount}</td>
<td class="number">${row.DifferenceCount}</td></tr>\n`;
  };
  const number = (text: string): { readonly text: string; readonly isNumber: true } => ({ text, isNumber: true });
  return card({
    id: 'runs',
    title: 'Recent reconciliations',
    body:
      rows.length === 0
        ? emptyState({ title: 'No reconciliations yet.' })
        : table({
            label: 'Reconciliation runs',
            heads: [
              'Started',
              'Gateway',
              'Days',
              'Result',
              number('Payments'),
              number('Refunds'),
              number('Disputes'),
              number('Settled'),
              number('Open differences'),
            ],
            rows: rows.map(line),
          }),
  });
}
