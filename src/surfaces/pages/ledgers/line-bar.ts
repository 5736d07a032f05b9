import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { keyHint } from '../design/keys.ts';
import { csrfField } from '../layout.ts';
import type { OperationName } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';
import { ledgerPath, stateQuery } from './ledger-state.ts';
import type { LedgerView } from './ledger-view.ts';
import { LINES_FORM } from './line-table.ts';

const actions: readonly (readonly [action: string, text: string, operation: OperationName])[] = [
  ['include', 'Include in total', 'ledgeritem/includeintotal'],
  ['exclude', 'Exclude from total', 'ledgeritem/excludefromtotal'],
  ['approve-lines', 'Approve', 'ledgeritem/approve'],
  ['reject-lines', 'Reject', 'ledgeritem/reject'],
  ['calculate-lines', 'Calculate', 'ledgeritem/calculate'],
];

/** Renders the form of the lines, with what can be done with those that are ticked. */
export function lineBar(call: PageCall, { row, state }: LedgerView): Markup {
  const act = ([action, text, operation]: (typeof actions)[number]): Markup | false =>
    call.may(operation) && html`<button class="bulk-button" name="Action" value="${action}">${text}</button>`;
  return html`<form class="bulk-bar" id="${LINES_FORM}" method="post" action="${ledgerPath(row.LedgerID)}" data-inline
aria-label="Actions for selected lines">
${csrfField(call)}${hiddenField('State', stateQuery(state).toString())}
<b data-tick-count>Selected lines</b>
<span class="row wrap" role="group" aria-label="Actions">${actions.map(act)}</span>
<button type="reset" class="bulk-button">Clear${keyHint('Esc')}</button>
</form>`;
}
