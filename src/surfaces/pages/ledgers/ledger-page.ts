import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink } from '../case/case-link.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { groupDigits, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import type { Crumb } from '../shell/top-bar.ts';
import { balanceChart } from './balance-chart.ts';
import { changeLedger, type RefusedChange } from './ledger-actions.ts';
import { ledgerHead, pageQuestion, questionDialogs } from './ledger-head.ts';
import { ledgerToasts } from './ledger-toasts.ts';
import { ledgerPath, stateOf, statePath, type LedgerState } from './ledger-state.ts';
import { LINES_SHOWN, readLedger, type LedgerView } from './ledger-view.ts';
import { lineBar } from './line-bar.ts';
import { lineFilter, lineSums, noLines } from './line-filter.ts';
import { lineTable } from './line-table.ts';
import { projectionBar } from './projection-bar.ts';

/** Shows a ledger: its balance, its lines with running totals, and what can be done. */
export const ledgerPage = page((call) => ledgerAnswer(call, stateOf(call.query)));

/** Does what a button or form of the ledger's page says. A refusal is shown on the page. */
export const postLedger = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const result = await changeLedger(call, id);
  return 'redirectTo' in result ? result : ledgerAnswer(call, result.state, result);
});

async function ledgerAnswer(call: PageCall, state: LedgerState, refused?: RefusedChange): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const view = await readLedger(call, id, state);
  const isLive = call.query['Part'] === 'live';
  const [crumbs, chart] = await Promise.all([
    ledgerCrumbs(call, view),
    isLive ? undefined : balanceChart(call, view.row),
  ]);
  const name = ledgerName(view);
  const topics = liveTopics(view);
  const statement = refused?.isStatement === true ? refused.error : undefined;
  return {
    title: name,
    place: 'cases',
    crumbs,
    entries: ['list', 'ledger'],
    status: refused?.error.status ?? 200,
    toasts: ledgerToasts(call, id, state, view.lines),
    body: html`<div class="page wide ledger-page">
<div id="ledger-summary" class="stack" data-live="${topics}" data-live-mode="quiet">${ledgerHead(call, view)}
${rollsUpNote(call, view)}</div>
${pageQuestion(call, view, statement)}
${refused && !refused.reply && !statement && refusalBanner(refused.error)}
${projectionBar(call, view)}
${lineFilter(view)}
<div id="ledger-lines-part" class="stack"${
      state.edit === undefined && html` data-live="${topics}" data-live-mode="quiet"`
    }>${linesPart(call, view, refused)}</div>
${documentPart(view)}
${chart}
</div>
${questionDialogs(call, view, statement)}`,
  };
}

function refusalBanner(error: PlatformError): Markup {
  const { message, alerts } = error.masked();
  const more = alerts.length > 1 && html`<ul>${alerts.map(({ text }) => html`<li>${text}</li>`)}</ul>`;
  return banner({ tone: 'danger', role: 'alert', text: message, more });
}

/** Changes of the ledger and of those below that are shown. */
function liveTopics(view: LedgerView): string {
  const below = (lines: LedgerView['lines']): number[] =>
    lines.flatMap(({ row, below: shown }) =>
      shown && row.ChildLedgerID !== null ? [row.ChildLedgerID, ...below(shown)] : [],
    );
  return [...new Set([view.row.LedgerID, ...below(view.lines)])].map((id) => `ledger/${id}`).join(' ');
}

function ledgerName({ row }: LedgerView): string {
  return (row.Ledger ?? '').trim() || `Ledger ${row.LedgerID}`;
}

/** Returns the way to the ledger: from the case that it belongs to, or the ledger above. */
async function ledgerCrumbs(call: PageCall, view: LedgerView): Promise<readonly Crumb[]> {
  const { Object: object, ObjectID: objectId } = view.row;
  const name = { text: html`<bdi>${ledgerName(view)}</bdi>` };
  const record = object === null ? undefined : call.platform.registry.record(object);
  if (!record || objectId === null) return [{ text: 'Ledgers', href: '/records/ledger' }, name];
  const labels = await loadLabels(call, [referencesOf([view.row])]);
  const label = labels.get(record.name)?.get(objectId) ?? `${record.title} ${objectId}`;
  if (record.name === 'Ledger')
    return [
      { text: 'Ledgers', href: '/records/ledger' },
      { text: html`<bdi>${label}</bdi>`, href: ledgerPath(objectId) },
      name,
    ];
  const href = caseLink(call, { name: record.name, id: objectId }, '')
    ? `/case/${record.module}/${objectId}`
    : undefined;
  return [
    {
      text: html`<bdi>${label}</bdi>`,
      href: href === undefined ? `/records/${record.module}/${objectId}` : `${href}?tab=ledger`,
    },
    name,
  ];
}

function rollsUpNote(call: PageCall, { above, labels }: LedgerView): Markup | false {
  if (above.length === 0) return false;
  const item = ({ LedgerItem: line, LedgerID: id }: LedgerView['above'][number]): Markup =>
    html`<li>Rolls up into <bdi>${line}</bdi> of ${recordLink(call, 'Ledger', id, labels.get('Ledger')?.get(id))}</li>`;
  return html`<ul class="soft small">${above.map(item)}</ul>`;
}

function linesPart(call: PageCall, view: LedgerView, refused: RefusedChange | undefined): Markup {
  const { lines, state } = view;
  if (lines.length === 0 && state.edit === undefined && view.added.length === 0) return noLines(view);
  return html`<record-list class="ledger-list" data-lines>
${lineTable(call, { view, reply: refused?.reply })}
${pageTurn(view)}
${lineBar(call, view)}
</record-list>
${lineSums(view)}`;
}

function pageTurn({ row, state, lineCount, lines }: LedgerView): Markup | false {
  const { start } = state;
  if (lineCount <= LINES_SHOWN && start === 0) return false;
  const link = (at: number, text: string, rel: string): Markup =>
    html`<a href="${statePath(row.LedgerID, {
      ...state,
      start: Math.max(0, at),
    })}" rel="${rel}" data-list-link>${text}</a>`;
  const range = `${groupDigits(String(start + 1))} to ${groupDigits(String(start + lines.length))}`;
  return html`<nav class="page-turn" aria-label="Pages"><span>${range} of ${groupDigits(String(lineCount))}</span>
${start > 0 && link(start - LINES_SHOWN, 'Previous page', 'prev')}
${start + lines.length < lineCount && link(start + LINES_SHOWN, 'Next page', 'next')}</nav>`;
}

function documentPart({ documents }: LedgerView): Markup | false {
  if (documents.length === 0) return false;
  const item = (row: LedgerView['documents'][number]): Markup =>
    html`<li>${buttonLink({
      text: html`<bdi>${(row.Attachment ?? row.FileName ?? '') || `Document ${row.AttachmentID}`}</bdi>`,
      icon: 'document',
      href: `/documents/${row.AttachmentID}`,
    })}</li>`;
  return html`<section class="ledger-documents" aria-labelledby="documents-title">
<h2 id="documents-title">Invoices and other documents</h2><ul class="row wrap">${documents.map(item)}</ul></section>`;
}
