import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { dialog } from '../design/dialog.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { shortDay } from '../days.ts';
import { openPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { chargePath, methodsPath } from '../payments/methods-path.ts';
import { ledgerPath, statePath, stateQuery } from './ledger-state.ts';
import type { LedgerView } from './ledger-view.ts';
import { amountText } from './money.ts';
import { STATEMENT, statementDialog, statementInPage } from './statement-dialog.ts';

/** Renders the name of the ledger, its balances and state, and what can be done with it. */
export function ledgerHead(call: PageCall, view: LedgerView): Markup {
  const { row } = view;
  const adjusted = row.BalanceAdjusted ?? '0';
  return html`<header class="page-head ledger-head"><div class="grow"><h1><bdi>${
    (row.Ledger ?? '').trim() || `Ledger ${row.LedgerID}`
  }</bdi></h1>
<p class="row wrap ledger-states">${stateBadges(call, row)}</p></div>
<dl class="ledger-balances"><div><dt>Adjusted balance <span class="muted">${row.Currency}</span></dt>
<dd class="strong" data-announce="Adjusted balance">${amountText(adjusted)}</dd></div>
<div><dt>Balance</dt><dd>${amountText(row.Balance ?? '0')}</dd></div></dl>
<div class="row wrap">${headActions(call, view)}</div></header>`;
}

/** Renders the state of a ledger: approved, posted, locked or open. */
export function stateBadges(call: PageCall, row: LedgerView['row']): Markup {
  const { Status: status, Completed: approved, PostedDate: posted, IsLocked: isLocked, IsExpandable: takes } = row;
  const isKnown = ['approved', 'posted'].includes((status ?? '').toLowerCase());
  return html`${status !== null && !isKnown && badge(html`<bdi>${status}</bdi>`)}${
    approved !== null && badge(html`Approved ${shortDay(call, approved)}`, 'ok', 'check')
  }${posted !== null && badge(html`Posted ${shortDay(call, posted)}`, 'ok', 'check')}${
    isLocked === true && badge('Locked', 'warn', 'lock')
  }${isLocked !== true && approved === null && posted === null && badge('Open')}${
    takes === false && badge('No new lines')
  }`;
}

/** A change of the whole ledger, which needs a confirmation. */
interface LedgerQuestion {
  readonly action: string;
  readonly operation: 'ledger/approve' | 'ledger/post' | 'ledger/lockitems';
  readonly verb: string;
  readonly title: string;
  readonly text: string;
}

const offeredQuestions: readonly LedgerQuestion[] = [
  {
    action: 'approve',
    operation: 'ledger/approve',
    verb: 'Approve',
    title: 'Approve this ledger?',
    text: 'The ledger and its lines are locked. If its template has an invoice, the invoice is generated.',
  },
  {
    action: 'post',
    operation: 'ledger/post',
    verb: 'Post',
    title: 'Post this ledger?',
    text: 'The ledger and its lines are locked, and the ledger is posted.',
  },
  {
    action: 'lock',
    operation: 'ledger/lockitems',
    verb: 'Lock lines',
    title: 'Lock all lines?',
    text: 'Locked lines cannot be changed or excluded. New lines can still be added.',
  },
];

/** Whether the user may change locked ledgers. */
export function mayUpdateLocked({ user }: PageCall): boolean {
  return user.permissions.has('LedgerUpdateLocked');
}

function refusalOf(call: PageCall, { row }: LedgerView, action: string): string | undefined {
  const status = (row.Status ?? '').toLowerCase();
  if (action === 'approve' && status === 'approved') return 'This ledger is already approved.';
  if (action === 'post' && status === 'posted') return 'This ledger is already posted.';
  if (row.IsLocked === true && action !== 'lock' && !mayUpdateLocked(call))
    return 'This ledger is locked. Changing it needs the permission LedgerUpdateLocked.';
  return undefined;
}

function headActions(call: PageCall, view: LedgerView): Markup {
  const { row, state } = view;
  const id = row.LedgerID;
  const ask = ({ action, operation, verb }: LedgerQuestion): Markup | false => {
    if (!call.may(operation)) return false;
    const disabledReason = refusalOf(call, view, action);
    if (disabledReason !== undefined) return button({ text: verb, disabledReason });
    return buttonLink({
      text: verb,
      href: statePath(id, state, { ask: action }),
      attributes: html`data-dialog="ask-${action}"`,
    });
  };
  const summary = html`<summary class="button square" aria-label="More actions">${icon('more')}</summary>`;
  return html`${offeredQuestions.slice(0, 2).map(ask)}${
    call.may('ledger/applypayment') &&
    buttonLink({ text: 'Apply payment', icon: 'money', kind: 'primary', key: 'p', href: `${ledgerPath(id)}/pay` })
  }${chargeLink(call, row)}${menu(summary, [
    call.may('ledger/lockitems') && {
      text: 'Lock lines',
      icon: 'lock',
      href: statePath(id, state, { ask: 'lock' }),
      dialog: 'ask-lock',
    },
    view.statementTypes.length > 0 && {
      text: 'Statement of account',
      icon: 'document',
      href: statePath(id, state, { ask: STATEMENT }),
      dialog: STATEMENT,
    },
    call.may('attachment/generate') && {
      text: view.statementTypes.length > 0 ? 'Other document' : 'Statement or other document',
      icon: 'document',
      href: `/documents/generate?Object=Ledger&ObjectID=${id}`,
    },
    methodsEntry(call, row),
    call.may('ledgeritem/search') && {
      text: 'Filter, sort and export lines',
      icon: 'export',
      href: `/records/ledgeritem?LedgerID=${id}`,
    },
    { text: 'All fields', icon: 'eye', href: `/records/ledger/${id}` },
    call.may('ledger/update') && { text: 'Edit the ledger', icon: 'pencil', href: `/records/ledger/${id}/edit` },
    call.may('ledger/history') && { text: 'History', icon: 'history', href: `/records/ledger/${id}/history` },
    row.LedgerTemplateID !== null && {
      text: 'Ledger template',
      icon: 'template',
      href: openPath('ledgertemplate', row.LedgerTemplateID),
    },
  ])}`;
}

/** Leads to the question before a ledger is charged; a posted one is not. */
function chargeLink(call: PageCall, { LedgerID: id, PostedDate: posted }: LedgerView['row']): Markup | false {
  return (
    posted === null &&
    call.may('ledger/authorizeandcapture') &&
    buttonLink({ text: 'Charge', icon: 'money', href: chargePath(id) })
  );
}

/** Leads to the cards and bank accounts of the record that the ledger belongs to. */
function methodsEntry(call: PageCall, { Object: object, ObjectID: id }: LedgerView['row']) {
  if (object === null || id === null || !call.may('paymentmethod/search')) return false;
  return { text: 'Payment methods', icon: 'money', href: methodsPath({ object, id }) } as const;
}

/** Renders the question that the address names, for browsers without script. */
export function pageQuestion(call: PageCall, view: LedgerView, statement?: PlatformError): Markup | false {
  const question = questionsFor(call, view).find(({ action }) => action === plainText(call.query['ask']));
  return question === undefined ? statementInPage(call, view, statement) : inPage(call, view, question);
}

/** Renders the confirmations of changes to the whole ledger as dialogs. `statement`: why it was refused. */
export function questionDialogs(
  call: PageCall,
  view: LedgerView,
  statement?: PlatformError,
): readonly (Markup | false)[] {
  return [
    ...questionsFor(call, view).map((question) => inDialog(call, view, question)),
    statementDialog(call, view, statement),
  ];
}

function questionsFor(call: PageCall, view: LedgerView): readonly LedgerQuestion[] {
  return offeredQuestions.filter(
    ({ action, operation }) => call.may(operation) && refusalOf(call, view, action) === undefined,
  );
}

function inPage(call: PageCall, view: LedgerView, question: LedgerQuestion): Markup {
  return html`<form class="card ledger-question" id="question" method="post" action="${ledgerPath(view.row.LedgerID)}">
${sentFields(call, view)}<h2>${question.title}</h2><p>${question.text}</p>
<p class="row">${button({ text: question.verb, kind: 'primary', name: 'Action', value: question.action })}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: statePath(view.row.LedgerID, view.state),
  })}</p></form>`;
}

function inDialog(call: PageCall, view: LedgerView, question: LedgerQuestion): Markup {
  return html`<form method="post" action="${ledgerPath(view.row.LedgerID)}">${sentFields(call, view)}${dialog({
    id: `ask-${question.action}`,
    title: question.title,
    body: html`<p>${question.text}</p>`,
    actions: button({ text: question.verb, kind: 'primary', name: 'Action', value: question.action }),
  })}</form>`;
}

function sentFields(call: PageCall, { state }: LedgerView): Markup {
  return html`${csrfField(call)}${hiddenField('State', stateQuery(state).toString())}`;
}
