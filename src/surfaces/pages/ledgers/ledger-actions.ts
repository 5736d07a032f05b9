import { PlatformError } from '../../../kernel/door/errors.ts';
import type { CallOutcome } from '../../../kernel/door/call.ts';
import type { PageCall } from '../page-call.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { conflictsOf } from '../records/edit-page.ts';
import { changedFields } from '../records/record-form.ts';
import { lineColumns, type LineFormReply } from './line-form.ts';
import { generateStatement, STATEMENT } from './statement-dialog.ts';
import { idOf, isDay, sentState, statePath, type LedgerState } from './ledger-state.ts';

/** A change that was refused, with the state in which the page shows why. */
export interface RefusedChange {
  readonly error: PlatformError;
  readonly state: LedgerState;
  /** Of the form of a line. */
  readonly reply?: LineFormReply;
  /** Whether it was the statement of account: then its dialog shows the error. */
  readonly isStatement?: boolean;
}

/** What was done, as the address says it: the word, the lines, and how many were left alone. */
type Done = Readonly<Record<string, string>>;

/** Does what a button or form of the ledger's page says. */
export async function changeLedger(
  call: PageCall,
  id: number,
): Promise<{ readonly redirectTo: string } | RefusedChange> {
  const state = sentState(call);
  const { action, ids } = actionOf(call);
  const isStatement = action === STATEMENT;
  try {
    if (isStatement) return { redirectTo: await generateStatement(call, id) };
    const done = await act(call, id, { action, ids });
    // A free line is often followed by another: its form stays open, empty.
    const edit = action === 'add' && state.from === undefined ? 'new' : undefined;
    return { redirectTo: statePath(id, { ...state, edit, from: undefined }, done) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    if (isStatement) return { error: error.masked(), state, isStatement };
    const reply = state.edit === undefined ? undefined : await lineReply(call, error);
    return { error, state, ...(reply && { reply }) };
  }
}

/** Returns the pressed button: one of the bar, or one of a line, whose value is the line. */
function actionOf({ form }: PageCall): { readonly action: string; readonly ids: readonly number[] } {
  for (const [field, action] of [
    ['Include', 'include'],
    ['Exclude', 'exclude'],
    ['Delete', 'delete'],
  ] as const) {
    const id = idOf(plainText(form[field]));
    if (id !== undefined) return { action, ids: [id] };
  }
  const ids = plainTexts(form['ID'])
    .flatMap((text) => text.split(','))
    .flatMap((text) => idOf(text) ?? []);
  return { action: plainText(form['Action']), ids };
}

async function act(
  call: PageCall,
  id: number,
  { action, ids }: { readonly action: string; readonly ids: readonly number[] },
): Promise<Done> {
  const onLines = lineActions[action];
  if (onLines) {
    if (ids.length === 0)
      throw new PlatformError('MISSING_PARAMETER', { message: 'Select lines first. Nothing was changed.' });
    const outcome = await onLines(call, ids);
    return { done: action, lines: ids.join('.'), ...unchangedCount(outcome) };
  }
  const onLedger = ledgerActions[action];
  if (!onLedger) throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose an action.' });
  return onLedger(call, id);
}

function unchangedCount({ alerts }: CallOutcome): Done {
  return alerts.length === 0 ? {} : { unchanged: String(alerts.length) };
}

const lineActions: Readonly<Record<string, (call: PageCall, ID: readonly number[]) => Promise<CallOutcome>>> = {
  include: (call, ID) => call.call('ledgeritem/includeintotal', { ID }),
  exclude: (call, ID) => call.call('ledgeritem/excludefromtotal', { ID }),
  'approve-lines': (call, ID) => call.call('ledgeritem/approve', { ID }),
  'reject-lines': (call, ID) => call.call('ledgeritem/reject', { ID }),
  'undo-review': (call, ID) => call.call('ledgeritem/undoreview', { ID }),
  'calculate-lines': (call, ID) => call.call('ledgeritem/calculate', { ID }),
  delete: (call, [ID = 0]) => call.call('ledgeritem/delete', { ID }),
  undelete: (call, [ID = 0]) => call.call('ledgeritem/undelete', { ID }),
  'undo-edit': (call, [ID = 0]) => call.call('ledgeritem/rollback', { ID, CallID: plainText(call.form['CallID']) }),
};

const ledgerActions: Readonly<Record<string, (call: PageCall, id: number) => Promise<Done>>> = {
  async approve(call, id) {
    await call.call('ledger/approve', { ID: id });
    return { done: 'approve' };
  },
  async post(call, id) {
    await call.call('ledger/post', { ID: id });
    return { done: 'post' };
  },
  async lock(call, id) {
    await call.call('ledger/lockitems', { ID: id });
    return { done: 'lock' };
  },
  async calculate(call, id) {
    const through = plainText(call.form['Through']);
    await call.call('ledger/calculate', { ID: id, ...(isDay(through) && { GoodThrough: through }) });
    return { done: 'calculate' };
  },
  async 'undo-paste'(call) {
    const { answer } = await call.call('ledger/undobatch', { ImportFileID: plainText(call.form['Batch']) });
    return { done: 'undo-paste', count: String(answer.row.Deleted) };
  },
  edit: saveLine,
  add: addLine,
};

async function saveLine(call: PageCall): Promise<Done> {
  const id = idOf(plainText(call.form['LineID']));
  if (id === undefined) throw new PlatformError('NOT_FOUND');
  const changed = changedFields(call.form, lineColumns(call));
  if (Object.keys(changed).length === 0) return { done: 'edit', lines: String(id) };
  await call.call('ledgeritem/update', { ID: id, Version: plainText(call.form['Version']) }, changed);
  return { done: 'edit', lines: String(id), undo: call.correlationId };
}

async function addLine(call: PageCall, ledgerId: number): Promise<Done> {
  const filled = Object.entries(changedFields(call.form, lineColumns(call)));
  const from = idOf(plainText(call.form['LedgerTemplateItemID']));
  const { id } = await call.callOnce(plainText(call.form['Key']), 'ledgeritem/insert', {
    ...Object.fromEntries(filled),
    LedgerID: ledgerId,
    // A line by hand counts, as people expect; one of the template as its template line says.
    ...(from === undefined ? { IsTotaled: true } : { LedgerTemplateItemID: from }),
  });
  return { done: 'add', lines: String(id) };
}

/** Returns what the form of a line shows again: what was entered and, after a conflict, both values. */
async function lineReply(call: PageCall, error: PlatformError): Promise<LineFormReply> {
  const columns = lineColumns(call);
  const sent = Object.fromEntries(columns.map(({ name }) => [name, plainText(call.form[name])]));
  const id = idOf(plainText(call.form['LineID']));
  if (error.code !== 'VERSION_CONFLICT' || id === undefined) return { error, sent, conflicts: [] };
  const { row } = (await call.call('ledgeritem/select', { ID: id })).answer;
  return { error, sent, conflicts: conflictsOf(call, columns, row, changedFields(call.form, columns)) };
}
