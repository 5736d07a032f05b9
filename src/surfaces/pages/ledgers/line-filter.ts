import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField, type Choice } from '../design/field.ts';
import { groupDigits } from '../display-values.ts';
import { isFiltered, ledgerPath, noFilter, statePath } from './ledger-state.ts';
import type { LedgerView } from './ledger-view.ts';
import { amountText, differenceOf } from './money.ts';

/** Lines of a ledger from which the filter is offered. */
const OFFERED_FROM = 10;

const kinds = [
  { value: 'Debit', text: 'Debits' },
  { value: 'Credit', text: 'Credits' },
  { value: 'Payment', text: 'Payments and reversals' },
];

const states = [
  { value: 'Totaled', text: 'In the total' },
  { value: 'Excluded', text: 'Excluded' },
  { value: 'Unpaid', text: 'Unpaid' },
  { value: 'Paid', text: 'Paid' },
];

/** Renders the filter of the lines of a ledger, if it has many. */
export function lineFilter({ row, state, lineCount }: LedgerView): Markup | false {
  const { filter, open, through } = state;
  if (!isFiltered(filter) && lineCount < OFFERED_FROM) return false;
  return html`<form class="row wrap ledger-filter" method="get" action="${ledgerPath(row.LedgerID)}" data-list-form
 role="search" aria-label="Filter lines">
${open.length > 0 && hiddenField('open', open.join('.'))}
${through !== '' && hiddenField('through', through)}
${textField({ label: 'Lines with', name: 'text', id: 'filter-text', type: 'search', value: filter.text })}
${choice('kind', 'Kind', kinds, filter.kind)}${choice('state', 'State', states, filter.state)}
${button({ text: 'Filter', icon: 'filter' })}${isFiltered(filter) && clearLink({ row, state })}</form>`;
}

function choice(name: string, label: string, choices: readonly Choice[], value: string): Markup {
  return selectField({ label, name, id: `filter-${name}`, value, choices, empty: 'All' });
}

function clearLink({ row, state }: Pick<LedgerView, 'row' | 'state'>): Markup {
  return buttonLink({
    text: 'Show all lines',
    kind: 'quiet',
    href: statePath(row.LedgerID, { ...state, filter: noFilter, start: 0 }),
    attributes: html`data-list-link`,
  });
}

/** Says that no line is shown, because of the filter or the page. */
export function noLines(view: LedgerView): Markup {
  if (isFiltered(view.state.filter) || view.state.start > 0)
    return emptyState({ title: 'No lines match this filter.', action: clearLink(view), icon: 'filter' });
  return emptyState({
    title: 'No lines yet.',
    text: 'Add a line, or calculate the ledger if its template has some.',
    icon: 'money',
  });
}

/** Says how many lines the filter shows, and what they come to. */
export function lineSums({ lineCount, totals: { debits, credits }, state }: LedgerView): Markup {
  return html`<p class="muted small" role="status" id="line-count">${groupDigits(String(lineCount))} ${
    lineCount === 1 ? 'line' : 'lines'
  }${isFiltered(state.filter) && ' shown'}: debits ${amountText(debits)}, credits ${amountText(credits)}, together
 <b>${amountText(differenceOf(debits, credits))}</b></p>`;
}
