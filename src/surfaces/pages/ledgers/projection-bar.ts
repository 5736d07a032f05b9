import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { displayDate } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { ledgerPath, statePath, stateQuery } from './ledger-state.ts';
import { nextFriday, type LedgerView } from './ledger-view.ts';
import { mayUpdateLocked } from './ledger-head.ts';
import { signed } from './line-table.ts';
import { amountText, differenceOf, sumOf } from './money.ts';

/** Renders what changes lines as a whole: projecting to a day, calculating, and adding a line. */
export function projectionBar(call: PageCall, view: LedgerView): Markup {
  return html`<div class="row wrap ledger-tools">${
    call.may('ledgeritem/project') && projectionForm(call, view)
  }${call.may('ledger/calculate') && view.projected === undefined && calculateForm(call, view, 'Calculate')}
<span class="grow"></span>${call.may('ledgeritem/insert') && addMenu(call, view)}</div>
${view.projected && projectionNote(call, view)}`;
}

function projectionForm(call: PageCall, { row, state }: LedgerView): Markup {
  return html`<form class="row projection" method="get" action="${ledgerPath(row.LedgerID)}" data-list-form>
${state.open.length > 0 && hiddenField('open', state.open.join('.'))}${(['kind', 'state', 'text'] as const).map(
    (name) => state.filter[name] !== '' && hiddenField(name, state.filter[name]),
  )}
${textField({
  label: 'Project to',
  name: 'through',
  type: 'date',
  value: state.through === '' ? nextFriday(call) : state.through,
  isRequired: true,
})}${button({ text: 'Project', icon: 'calendar' })}</form>`;
}

function calculateForm(call: PageCall, { row, state }: LedgerView, text: string): Markup {
  return html`<form method="post" action="${ledgerPath(row.LedgerID)}" data-inline>${csrfField(call)}${hiddenField(
    'State',
    stateQuery({ ...state, through: '' }).toString(),
  )}
${hiddenField('Through', state.through)}
${button({ text, icon: 'refresh', name: 'Action', value: 'calculate' })}</form>`;
}

/** Says what the projection comes to beside what is stored, and offers to store it. */
function projectionNote(call: PageCall, view: LedgerView): Markup {
  const { row, state } = view;
  const stored = row.BalanceAdjusted ?? '0';
  const projected = projectedBalance(view);
  const difference = differenceOf(projected, stored);
  return html`<div class="banner info" role="status" id="projection"><span>${icon('calendar')}</span>
<div class="banner-text"><p>Projected to ${displayDate(state.through)}: <b>${amountText(projected)}</b>, ${
    difference === '0' ? 'as stored' : html`${signed(difference)} to the stored ${amountText(stored)}`
  }. Nothing is saved.</p></div>
<div class="row end">${call.may('ledger/calculate') && calculateForm(call, view, 'Calculate and save')}${buttonLink({
    text: 'Close',
    kind: 'quiet',
    href: statePath(row.LedgerID, { ...state, through: '' }),
    attributes: html`data-list-link`,
  })}</div></div>`;
}

/** Returns the adjusted balance with the projected amounts in place of the stored ones. */
function projectedBalance({ row, projected, added }: LedgerView): string {
  return [...(projected?.values() ?? []), ...added].reduce<string>(
    (sum, line) => sumOf(sum, line.AdjustedChange),
    row.BalanceAdjusted ?? '0',
  );
}

function addMenu(call: PageCall, { row, state, manualLines }: LedgerView): Markup {
  const to = (from?: number): string => statePath(row.LedgerID, { ...state, edit: 'new', from });
  if (row.IsLocked === true && !mayUpdateLocked(call))
    return button({ text: 'Add line', icon: 'plus', disabledReason: 'This ledger is locked.' });
  if (row.IsExpandable === false)
    return button({ text: 'Add line', icon: 'plus', disabledReason: 'This ledger does not accept new lines.' });
  const free = buttonLink({
    text: 'Add line',
    icon: 'plus',
    key: 'n',
    href: to(),
    attributes: html`data-list-link`,
  });
  const paste =
    call.may('ledger/addlines') &&
    html`${buttonLink({ text: 'Paste lines', icon: 'copy', href: `${ledgerPath(row.LedgerID)}/paste` })}${pasteForm(
      call,
      row.LedgerID,
    )}`;
  if (manualLines.length === 0) return html`<span class="row wrap">${free}${paste}</span>`;
  const summary = html`<summary class="button">${icon('template')}<span>From template</span></summary>`;
  return html`<span class="row wrap">${free}${paste}${menu(
    summary,
    manualLines.map((line) => ({
      text: html`<bdi>${line.LedgerTemplateItem}</bdi>`,
      href: to(line.LedgerTemplateItemID),
    })),
  )}</span>`;
}

/** Renders the form by which the script sends rows that are pasted into the page to their preview. */
function pasteForm(call: PageCall, id: number): Markup {
  return html`<form id="paste-rows" method="post" action="${ledgerPath(id)}/paste"
hidden>${csrfField(call)}${hiddenField(
    'Action',
    'preview',
  )}<textarea name="Cells" aria-label="Cells" tabindex="-1"></textarea></form>`;
}
