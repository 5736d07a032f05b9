import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { idOf, ledgerPath, stateQuery, type LedgerState } from './ledger-state.ts';

/** Words about what was done, by `done` of the address; `undo` is the action that takes it back. */
const words: Readonly<Record<string, { readonly text: (lines: string) => string; readonly undo?: string }>> = {
  include: { text: (lines) => `${lines} included in the total.`, undo: 'exclude' },
  exclude: { text: (lines) => `${lines} excluded from the total.`, undo: 'include' },
  'approve-lines': { text: (lines) => `${lines} approved.`, undo: 'undo-review' },
  'reject-lines': { text: (lines) => `${lines} rejected.`, undo: 'undo-review' },
  'undo-review': { text: (lines) => `Review of ${lines} undone.` },
  'calculate-lines': { text: (lines) => `${lines} calculated.` },
  edit: { text: () => 'Line saved.' },
  add: { text: () => 'Line added.' },
  approve: { text: () => 'Ledger approved.' },
  post: { text: () => 'Ledger posted.' },
  lock: { text: () => 'Lines locked.' },
  calculate: { text: () => 'Ledger calculated.' },
  paid: { text: () => 'Payment applied.' },
  reversed: { text: () => 'Payment reversed.' },
};

/** Returns words about what was just done with a ledger, and the way to undo it. */
export function ledgerToasts(call: PageCall, id: number, state: LedgerState): readonly Markup[] {
  const done = words[plainText(call.query['done'])];
  if (!done) return [];
  const lines = plainText(call.query['lines'])
    .split('.')
    .flatMap((text) => idOf(text) ?? []);
  const unchanged = Number(call.query['unchanged'] ?? 0) || 0;
  const text = html`${done.text(plural(Math.max(0, lines.length - unchanged), 'line'))}${
    unchanged > 0 && html` ${plural(unchanged, 'line')} not changed: locked or required by the template.`
  }`;
  if (done.undo === undefined || lines.length === 0) return [toast({ text })];
  const undo = html`<form method="post" action="${ledgerPath(id)}" data-inline>${csrfField(call)}${hiddenField(
    'State',
    stateQuery(state).toString(),
  )}${hiddenField('ID', lines.join(','))}${button({
    text: 'Undo',
    kind: 'quiet',
    name: 'Action',
    value: done.undo,
    attributes: html`data-key="z"`,
  })}</form>`;
  return [toast({ text, undo })];
}
