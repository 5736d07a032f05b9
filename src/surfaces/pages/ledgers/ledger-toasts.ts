import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { idOf, ledgerPath, stateQuery, type LedgerState } from './ledger-state.ts';
import type { ShownLine } from './ledger-view.ts';

/** Words about what was done, by `done` of the address; `undo` is the action that takes it back. */
const words: Readonly<
  Record<string, { readonly text: (lines: string, name: string) => string; readonly undo?: string }>
> = {
  include: { text: (lines) => `${lines} included in the total.`, undo: 'exclude' },
  exclude: { text: (lines) => `${lines} excluded from the total.`, undo: 'include' },
  'approve-lines': { text: (lines) => `${lines} approved.`, undo: 'undo-review' },
  'reject-lines': { text: (lines) => `${lines} rejected.`, undo: 'undo-review' },
  'undo-review': { text: (lines) => `Review of ${lines} undone.` },
  'calculate-lines': { text: (lines) => `${lines} calculated.` },
  edit: { text: () => 'Line saved.', undo: 'undo-edit' },
  'undo-edit': { text: () => 'Change of the line undone.' },
  delete: { text: () => 'Line deleted.', undo: 'undelete' },
  undelete: { text: () => 'Line restored.' },
  add: { text: (_lines, name) => `${name} added.` },
  approve: { text: () => 'Ledger approved.' },
  post: { text: () => 'Ledger posted.' },
  lock: { text: () => 'Lines locked.' },
  calculate: { text: () => 'Ledger calculated.' },
  paste: { text: (lines) => `${lines} added.`, undo: 'undo-paste' },
  'undo-paste': { text: (lines) => `${lines} deleted again.` },
  paid: { text: () => 'Payment applied.' },
  reversed: { text: () => 'Payment reversed.' },
};

/** Whether the user may undo the change of an action: delete lines, for those who may restore them. */
export function mayUndo(call: PageCall, action: string): boolean {
  if (action === 'undelete') return call.user.universal && call.may('ledgeritem/undelete');
  if (action === 'undo-paste') return call.may('ledger/undobatch');
  if (action === 'undo-edit') return plainText(call.query['undo']) !== '' && call.may('ledgeritem/rollback');
  return true;
}

/** Returns words about what was just done with a ledger, and the way to undo it. `shown`: its lines on the page. */
export function ledgerToasts(
  call: PageCall,
  id: number,
  state: LedgerState,
  shown: readonly ShownLine[] = [],
): readonly Markup[] {
  const done = words[plainText(call.query['done'])];
  if (!done) return [];
  const lines = plainText(call.query['lines'])
    .split('.')
    .flatMap((text) => idOf(text) ?? []);
  const unchanged = Number(call.query['unchanged'] ?? 0) || 0;
  const name = (shown.find(({ row }) => row.LedgerItemID === lines[0])?.row.LedgerItem ?? '').trim() || 'Line';
  const count = Number(call.query['count'] ?? lines.length - unchanged) || 0;
  const text = html`<bdi>${done.text(plural(Math.max(0, count), 'line'), name)}</bdi>${
    unchanged > 0 && html` ${plural(unchanged, 'line')} not changed: locked or required by the template.`
  }`;
  const undo = done.undo !== undefined && undoForm(call, id, state, { action: done.undo, lines });
  return [toast(undo ? { text, undo } : { text })];
}

/** Renders the button that undoes an action; nothing if it names no lines, or the user may not. */
function undoForm(
  call: PageCall,
  id: number,
  state: LedgerState,
  { action, lines }: { readonly action: string; readonly lines: readonly number[] },
): Markup | false {
  const batch = plainText(call.query['batch']);
  if ((lines.length === 0 && batch === '') || !mayUndo(call, action)) return false;
  return html`<form method="post" action="${ledgerPath(id)}" data-inline>${csrfField(call)}${hiddenField(
    'State',
    stateQuery(state).toString(),
  )}${hiddenField('ID', lines.join(','))}
${batch !== '' && hiddenField('Batch', batch)}${hiddenField('CallID', plainText(call.query['undo']))}
${button({
  text: 'Undo',
  kind: 'quiet',
  name: 'Action',
  value: action,
  attributes: html`data-key="z"`,
})}</form>`;
}
