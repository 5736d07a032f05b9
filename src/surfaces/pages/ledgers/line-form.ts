import { randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import type { Column } from '../../../kernel/declare/record.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { selectField, textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { conflictTable, type ConflictingValue } from '../records/edit-page.ts';
import { ORIGINAL_PREFIX } from '../records/record-form.ts';
import { ledgerPath, statePath, stateQuery } from './ledger-state.ts';
import { isPaid, type LedgerView, type LineRow, type ShownLine } from './ledger-view.ts';
import type { LineTable } from './line-table.ts';

/** Why the form of a line is shown again, and what was entered. */
export interface LineFormReply {
  readonly error: PlatformError;
  readonly sent: Readonly<Record<string, string>>;
  readonly conflicts: readonly ConflictingValue[];
}

/** The fields of a line that its form changes, in order. */
const editedFields = [
  'LedgerItem',
  'Sequence',
  'IsDebit',
  'UnitCount',
  'Units',
  'Rate',
  'AmountMoney',
  'EffectiveDate',
  'Description',
] as const;

/** Returns the columns that the form of a line changes. */
export function lineColumns({ platform }: PageCall): readonly Column[] {
  const record = platform.registry.recordType('LedgerItem');
  return editedFields.flatMap((name) => record.columns.get(name.toLowerCase()) ?? []);
}

/** Renders the form of a line, or of a new one: Enter and Ctrl+Enter save, Esc cancels. */
export function lineForm(call: PageCall, { view, reply }: LineTable, edited: ShownLine | undefined): Markup {
  const { row: ledger, state } = view;
  const closed = statePath(ledger.LedgerID, { ...state, edit: undefined, from: undefined });
  const from = edited
    ? undefined
    : view.manualLines.find(({ LedgerTemplateItemID }) => LedgerTemplateItemID === state.from);
  const values = edited?.row ?? (from ? valuesFrom(from) : newValues);
  const fixed = edited && fixedFields(edited.row);
  const fields = lineColumns(call).map((column) =>
    lineField(column, {
      reply,
      isStored: edited !== undefined,
      isFixed: fixed?.has(column.name) === true,
      stored: plainText((values as Values)[column.name]),
    }),
  );
  return html`<form class="line-form entry" id="line-form" method="post" action="${ledgerPath(ledger.LedgerID)}"
 data-inline data-draft="${draftName(ledger.LedgerID, edited, from)}">
${csrfField(call)}${hiddenField('State', stateQuery(state).toString())}
${edited ? storedFields(edited) : newFields(from)}
${reply && refusal(reply)}${edited && fixedReason(view, edited)}
<div class="line-fields">${fields}</div>
<div class="row">${button({
    text: edited ? 'Save' : 'Add line',
    kind: 'primary',
    name: 'Action',
    value: edited ? 'edit' : 'add',
  })}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: closed,
    attributes: html`data-list-link data-cancel`,
  })}<span class="small muted hints">Enter saves, Esc cancels</span></div>
</form>`;
}

/** Returns the name of the draft: each line has its own, and so has a new line of each kind. */
function draftName(
  ledgerId: number,
  edited: ShownLine | undefined,
  from: RowNamed<'LedgerTemplateItem'> | undefined,
): string {
  return edited
    ? `ledger-line/${edited.row.LedgerItemID}`
    : `ledger/${ledgerId}/${from?.LedgerTemplateItemID ?? 'new'}`;
}

type Values = Readonly<Record<string, unknown>>;

/** A line by hand is a debit unless the user says otherwise. */
const newValues: Values = { IsDebit: true };

/** Returns the values that a line takes from its template line. */
function valuesFrom(line: RowNamed<'LedgerTemplateItem'>): Values {
  return { ...line, LedgerItem: line.LedgerTemplateItem, IsDebit: line.IsDebit === true };
}

function storedFields({ row }: ShownLine): Markup {
  return html`${hiddenField('LineID', row.LedgerItemID)}${hiddenField('Version', row.Version)}`;
}

function newFields(from: RowNamed<'LedgerTemplateItem'> | undefined): Markup {
  return html`${hiddenField('Key', randomUUID())}${
    from && hiddenField('LedgerTemplateItemID', from.LedgerTemplateItemID)
  }`;
}

/** Fields that the server refuses to change on a paid line. */
const paidFields: ReadonlySet<string> = new Set([
  'IsDebit',
  'UnitCount',
  'Units',
  'Rate',
  'AmountMoney',
  'EffectiveDate',
]);

/** The amount of a line with a ledger below is the balance of that ledger. */
const childFields: ReadonlySet<string> = new Set(['AmountMoney']);

/** Returns the fields of a stored line that cannot be changed. */
function fixedFields(row: LineRow): ReadonlySet<string> | undefined {
  if (isPaid(row)) return paidFields;
  return row.ChildLedgerID === null ? undefined : childFields;
}

/** Says why fields of a line cannot be changed, and what to do instead. */
function fixedReason({ paidBy }: LedgerView, { row }: ShownLine): Markup | false {
  if (isPaid(row)) {
    const payment =
      paidBy &&
      html`<a class="link" href="${ledgerPath(paidBy.ledgerId)}/payments/${paidBy.lineId}">
reverse the payment</a>`;
    return banner({
      tone: 'info',
      text: html`This line is paid, so its amount, side and date can't be changed. To correct it, ${
        payment ?? 'remove the paid mark'
      } first, or add another line for the difference.`,
    });
  }
  if (row.ChildLedgerID === null) return false;
  const below = html`<a class="link" href="${ledgerPath(row.ChildLedgerID)}">the ledger below</a>`;
  return banner({ tone: 'info', text: html`The amount is the adjusted balance of ${below}. Change it there.` });
}

interface FieldState {
  readonly reply: LineFormReply | undefined;
  readonly isStored: boolean;
  readonly isFixed: boolean;
  readonly stored: string;
}

function lineField({ name, field }: Column, { reply, isStored, isFixed, stored }: FieldState): Markup {
  const parts = {
    // As the head of the table says it.
    label: name === 'UnitCount' ? 'Quantity' : fieldLabel(name, field),
    name,
    id: `edit-${name}`,
    value: (isFixed ? undefined : reply?.sent[name]) ?? stored,
    error: errorOf(reply, name),
    attributes: html`autocomplete="off"${name === 'LedgerItem' && html` data-edit-first`}${isFixed && html` disabled`}`,
  };
  return html`<div class="edit-${name.toLowerCase()}">${controlOf(name, parts)}${
    isStored && hiddenField(`${ORIGINAL_PREFIX}${name}`, stored)
  }</div>`;
}

type ControlParts = Parameters<typeof textField>[0];

function controlOf(name: string, parts: ControlParts): Markup {
  if (name === 'EffectiveDate') return textField({ ...parts, type: 'date' });
  if (name !== 'IsDebit') return textField(parts);
  return selectField({
    ...parts,
    label: 'Debit or credit',
    choices: [
      { value: 'true', text: 'Debit' },
      { value: 'false', text: 'Credit' },
    ],
  });
}

function errorOf(reply: LineFormReply | undefined, name: string): string | undefined {
  if (!reply) return undefined;
  const conflict = reply.conflicts.find((each) => each.field === name);
  if (conflict)
    return conflict.theirs === '' ? 'Someone else emptied this.' : `Someone else changed this to ${conflict.theirs}.`;
  return reply.error.field?.toLowerCase() === name.toLowerCase() ? sentenceFor(reply.error) : undefined;
}

function refusal({ error, conflicts }: LineFormReply): Markup {
  if (error.code !== 'VERSION_CONFLICT')
    return banner({ tone: 'danger', role: 'alert', text: `Not saved. ${error.masked().message}` });
  return banner({
    tone: 'danger',
    role: 'alert',
    text: "Someone else changed this line meanwhile. Your changes aren't saved yet. Save again to keep yours.",
    more: conflictTable(conflicts),
  });
}
