import { PlatformError } from '../../../kernel/door/errors.ts';
import { draftAnswers, submitAnswers } from '../forms/submit-form.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { readItemRow } from './current-item.ts';
import { giveAway } from './give-away.ts';
import { queueOf, workPath } from './work-address.ts';

/** Performs the pressed button's action. Returns the address to go to. */
export async function performAction(call: PageCall): Promise<string> {
  const id = plainText(call.form['ID']);
  const action = plainText(call.form['Do']);
  if (action.startsWith('move ')) return moveTask(call, id);
  const perform = actions.get(action);
  if (!perform)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Do',
      message: `Do: expected one of ${[...actions.keys()].join(', ')}.`,
    });
  return perform(call, id);
}

const actions: ReadonlyMap<string, (call: PageCall, id: string) => Promise<string>> = new Map(
  Object.entries({
    next: (call: PageCall) => claimNext(call, {}),
    start: async (call: PageCall, id: string) => {
      await call.call('smartworklistmember/claim', { ID: id });
      return workPath(call, id);
    },
    save: async (call: PageCall, id: string) => {
      await submitAnswers(call, Number(plainText(call.form['Task'])));
      return workPath(call, id, { done: 'saved' });
    },
    rows: async (call: PageCall, id: string) => {
      await draftAnswers(call, Number(plainText(call.form['Task'])));
      return workPath(call, id);
    },
    complete: completeItem,
    skip: skipItem,
    release: async (call: PageCall, id: string) => {
      await call.call('smartworklistmember/release', { ID: id });
      return '/?done=released';
    },
    leave: leaveItem,
    note: addNote,
    reassign: reassignItem,
  }),
);

/** Claims the next item, and returns its address; that of the empty list without one. */
async function claimNext(call: PageCall, more: Readonly<Record<string, string>>): Promise<string> {
  const queue = queueOf(call);
  const { answer } = await call.call('smartworklistmember/claim', queue === '' ? {} : { SmartWorklist: queue });
  if (answer.kind === 'nothing') return workPath(call, undefined, more);
  return workPath(call, (answer.row as { readonly SmartWorklistMemberID: number }).SmartWorklistMemberID, more);
}

/** Completes a task with its answers, or an item that is no task; then claims the next one. */
async function completeItem(call: PageCall, id: string): Promise<string> {
  const task = plainText(call.form['Task']);
  try {
    if (task !== '') await submitAnswers(call, Number(task));
    else await call.call('smartworklistmember/complete', { ID: id });
  } catch (error) {
    // The same page was sent before, and its answer was lost.
    if (!(error instanceof PlatformError) || !(await isDoneByUser(call, id))) throw error;
  }
  return claimNext(call, { done: 'completed' });
}

async function isDoneByUser(call: PageCall, id: string): Promise<boolean> {
  const row = await readItemRow(call, id);
  return row !== undefined && row.CompletionDate !== null && row.UpdatedPersonID === call.user.personId;
}

/** Moves a task to another status with its answers. What comes next depends on the status. */
async function moveTask(call: PageCall, id: string): Promise<string> {
  await submitAnswers(call, Number(plainText(call.form['Task'])));
  const row = await readItemRow(call, id);
  const isDone = row === undefined || row.CompletionDate !== null || row.CancelledDate !== null;
  return isDone ? claimNext(call, { done: 'completed' }) : workPath(call, id, { done: 'saved' });
}

/** Skips an item until a time. An item that nobody has is assigned to the user first, as skipping it needs. */
async function skipItem(call: PageCall, id: string): Promise<string> {
  const row = await readItemRow(call, id);
  if (row?.PersonID === null) await call.call('smartworklistmember/start', { ID: id });
  const until = plainText(call.form['SkipDate']);
  const reason = plainText(call.form['ReasonDetail']);
  await call.call('smartworklistmember/skip', {
    ID: id,
    ...(until === '' ? {} : { SkipDate: until }),
    ...(reason === '' ? {} : { ReasonDetail: reason }),
  });
  if (plainText(call.form['from']) === 'home') return `/?done=skipped&was=${id}`;
  return claimNext(call, { done: 'skipped', was: id });
}

/** Leaves work mode: an item in progress that was claimed there returns to its queue. */
async function leaveItem(call: PageCall, id: string): Promise<string> {
  const row = await readItemRow(call, id);
  const isMine = row?.Status === 'Started' && row.PersonID === call.user.personId;
  if (!isMine) return '/';
  await call.call('smartworklistmember/release', { ID: id });
  return '/?done=released';
}

async function addNote(call: PageCall, id: string): Promise<string> {
  await call.call('message/save', {
    Object: plainText(call.form['Object']),
    ObjectID: plainText(call.form['ObjectID']),
    Message: 'Note',
    BodyText: plainText(call.form['BodyText']),
  });
  return workPath(call, id, { done: 'noted' });
}

async function reassignItem(call: PageCall, id: string): Promise<string> {
  if (!/^(?:person|team) \d{1,15}$/.test(plainText(call.form['To'])))
    throw new PlatformError('BAD_PARAMETER', { field: 'To', message: 'To: choose the person or the team.' });
  await giveAway(call, id);
  return claimNext(call, { done: 'reassigned' });
}
