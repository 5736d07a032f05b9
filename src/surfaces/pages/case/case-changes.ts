import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import type { FlashQuery } from './actions.ts';
import { caseFromPath } from './case-address.ts';
import { casePath } from './case-link.ts';
import { statusNote } from './case-notes.ts';

/** Most characters of a note's subject. */
const SUBJECT_CHARACTERS_MAX = 200;

/** What can be done on a case besides its workflow, by the value of the pressed button. */
export const caseChanges: ReadonlyMap<string, (call: PageCall) => Promise<FlashQuery>> = new Map([
  ['note', addNote],
  ['task', addTask],
  ['extend', extendHold],
  ['assign', (call) => assign(call, plainText(call.form['AssignedPersonID']).trim())],
  ['assign me', (call) => assign(call, String(call.user.personId))],
  ['close', closeCase],
  ['dates', changeDates],
  ['undo', undo],
]);

const doneTexts: ReadonlyMap<string, string> = new Map([
  ['noted', 'Note added.'],
  ['task-added', 'Task added.'],
  ['hold-extended', 'The review date was changed.'],
  ['case-assigned', 'The case was assigned.'],
  ['assignee-cleared', 'The case is assigned to nobody.'],
  ['closed', 'The case is closed.'],
  ['undone', 'The change was undone.'],
  ['uploaded', 'The document was added.'],
]);

/** Renders what was just done on the case, as the address says. */
export function caseChangeFlash(call: PageCall): Markup | false {
  const done = plainText(call.query['done']);
  if (done === 'dates') return datesNote(call);
  const text = doneTexts.get(done);
  return text !== undefined && statusNote(text);
}

/** Confirms changed dates, with the button that takes the change back. */
function datesNote(call: PageCall): Markup {
  const { record, id } = caseFromPath(call);
  const callId = plainText(call.query['undo']);
  const undoButton =
    call.mayOf(record, 'rollback') &&
    html`<form method="post" action="${casePath(record, id)}">${csrfField(call)}${hiddenField('CallID', callId)}
${hiddenField('Record', record.name)}${hiddenField('RecordID', id)}
${button({
  text: 'Undo',
  icon: 'undo',
  key: 'z',
  name: 'Action',
  value: 'undo',
  kind: 'quiet',
  of: 'the change of dates',
})}</form>`;
  return banner({ tone: 'ok', role: 'status', text: 'The dates were changed.', actions: undoButton });
}

/** Adds a note. Its first line is the subject. */
async function addNote(call: PageCall): Promise<FlashQuery> {
  const text = normalizeLineEnds(plainText(call.form['BodyText'])).trim();
  if (text === '') throw new PlatformError('MISSING_PARAMETER', { field: 'BodyText', message: 'Write a note first.' });
  const { record, id } = caseFromPath(call);
  const [subject = ''] = text.split('\n');
  await call.call('message/save', {
    Object: record.name,
    ObjectID: id,
    Message: subject.slice(0, SUBJECT_CHARACTERS_MAX),
    BodyText: text,
  });
  return { done: 'noted' };
}

async function addTask(call: PageCall): Promise<FlashQuery> {
  const template = plainText(call.form['Template']);
  if (template === '') throw new PlatformError('MISSING_PARAMETER', { field: 'Template', message: 'Choose a task.' });
  const { record, id } = caseFromPath(call);
  const due = plainText(call.form['ProjectedCompletion']);
  await call.call('importform/save', {
    Template: template,
    Object: record.name,
    ObjectID: id,
    ...(due !== '' && { ProjectedCompletion: due }),
  });
  return { done: 'task-added' };
}

/** Changes when a hold is reviewed. */
async function extendHold(call: PageCall): Promise<FlashQuery> {
  const review = plainText(call.form['ReviewDate']);
  if (review === '') throw new PlatformError('MISSING_PARAMETER', { field: 'ReviewDate', message: 'Enter a date.' });
  await call.call('decisiondelay/save', { ID: plainText(call.form['HoldID']), ProjectedCompletion: review });
  return { done: 'hold-extended' };
}

async function assign(call: PageCall, person: string): Promise<FlashQuery> {
  const { record, id } = caseFromPath(call);
  await call.callNamed(`${record.module}/save`, {
    ID: String(id),
    Version: plainText(call.form['Version']),
    AssignedPersonID: person,
  });
  return { done: person === '' ? 'assignee-cleared' : 'case-assigned' };
}

async function closeCase(call: PageCall): Promise<FlashQuery> {
  const { record, id } = caseFromPath(call);
  const reason = plainText(call.form['ClosedReason']).trim();
  if (reason === '')
    throw new PlatformError('MISSING_PARAMETER', { field: 'ClosedReason', message: 'Enter why it is closed.' });
  await call.callNamed(`${record.module}/save`, {
    ID: String(id),
    Version: plainText(call.form['Version']),
    DateClosed: plainText(call.form['DateClosed']),
    ClosedReason: reason,
    Status: 'Closed',
  });
  return { done: 'closed' };
}

/** Changes dates of the case. What the form does not have stays as it is. */
async function changeDates(call: PageCall): Promise<FlashQuery> {
  const { record, id } = caseFromPath(call);
  const dates = Object.entries(call.form).filter(
    ([name]) => record.columns.get(name.toLowerCase())?.field.kind === 'date',
  );
  await call.callNamed(`${record.module}/save`, {
    ID: String(id),
    Version: plainText(call.form['Version']),
    ...Object.fromEntries(dates.map(([name, value]) => [name, plainText(value)])),
  });
  return { done: 'dates', undo: call.correlationId };
}

/** Takes back what one call changed in the case, its loan or its property. */
async function undo(call: PageCall): Promise<FlashQuery> {
  const record = call.platform.registry.requireRecord(plainText(call.form['Record']), 'Record');
  await call.callOf(record, 'rollback', {
    ID: plainText(call.form['RecordID']),
    CallID: plainText(call.form['CallID']),
  });
  return { tab: 'history', done: 'undone' };
}
