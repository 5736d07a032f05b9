import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import type { IconName } from '../design/icons.ts';
import { facts } from '../design/list.ts';
import { table } from '../design/table.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { casesOf } from './dead-letter-cases.ts';
import { administrationAnswer } from './frame.ts';
import { aboutLinks, messageActions } from './queued-messages.ts';
import { causePath, doneToasts, pauseMenu, QUEUES_PATH } from './queue-actions.ts';

type Status = AnswerRowFor<'queue/status'>;
type Parameter = AnswerRowFor<'queue/parameters'>;
type Attempt = AnswerRowFor<'queue/attempts'>;

/** Seconds after which the page of a call that is not over is read again. */
const REFRESH_SECONDS = 2;

const stateBadges: ReadonlyMap<string, readonly [text: string, tone: Tone, icon?: IconName]> = new Map([
  ['created', ['Waiting', 'neutral']],
  ['retry', ['Waiting to retry', 'warn', 'clock']],
  ['paused', ['Paused', 'warn', 'hold']],
  ['active', ['Running', 'accent']],
  ['completed', ['Done', 'ok', 'check']],
  ['failed', ['Failed, repeated automatically', 'warn']],
  ['cancelled', ['Canceled', 'neutral']],
  ['dead', ['Dead letter', 'danger', 'error']],
  ['discarded', ['Discarded', 'neutral']],
]);

/** Shows one queued call: its state, what it is called with, its attempts and its error. */
export const queuedMessagePage = page(async (call) => {
  const id = call.path['id'] ?? '';
  const [{ answer }, parameters, attempts] = await Promise.all([
    call.call('queue/status', { ID: id }),
    call.call('queue/parameters', { ID: id }),
    call.call('queue/attempts', { ID: id }),
  ]);
  const { row } = answer;
  const [cases, errors, labels] = await Promise.all([
    casesOf(call, [row]),
    errorLog(call, row),
    loadLabels(call, [{ columns: [], rows: peopleOf(row).map((ObjectID) => ({ Object: 'Person', ObjectID })) }]),
  ]);
  const about = aboutLinks(row, cases.get(row.QueueMessageID));
  const isLive = ['created', 'retry', 'paused', 'active'].includes(row.State);
  return administrationAnswer(call, {
    title: `Call ${row.Operation}`,
    path: QUEUES_PATH,
    below: [{ text: 'Queued call' }],
    heading: html`<code>${row.Operation}</code>`,
    actions: html`${call.may('queue/stop') && isPausable(row) && pauseMenu(call, row.QueueName, row.Operation)}
${messageActions(call, row, 'primary')}`,
    toasts: doneToasts(call),
    entries: ['list'],
    body: html`<div id="queued-call" class="stack"${isLive && html` data-refresh-seconds="${REFRESH_SECONDS}"`}>
${error(row)}
${discardNote(row, labels)}
<div class="two-columns">
${card({ id: 'call', title: 'Call', body: callFacts(call, { row, about, labels }) })}
${attemptCard(call, row, attempts.answer.rows)}
</div>
${card({ id: 'parameters', title: 'Called with', body: parameterTable(parameters.answer.rows) })}
${errors}
</div>`,
  });
});

/** Whether pausing the operation of a call makes sense from its page: it waits, runs or has failed. */
function isPausable({ State: state }: Status): boolean {
  return ['created', 'retry', 'active', 'dead'].includes(state);
}

function peopleOf({ PersonID: caller, DiscardPersonID: discarder }: Status): readonly number[] {
  return [...new Set([caller, discarder].filter((id) => id !== null))];
}

function error(row: Status): Markup | false {
  const { ErrorCode: code, ErrorMessage: text, State: state } = row;
  if (code === null || code === 'OK' || state === 'completed') return false;
  return banner({
    tone: state === 'dead' ? 'danger' : 'warn',
    text: html`<span class="strong">${code}</span> <bdi class="error-text">${text}</bdi>`,
    ...(state === 'dead' && {
      actions: html`<a class="link" href="${causePath({ ...row, ErrorCode: code })}">All with this cause</a>`,
    }),
  });
}

function discardNote({ DiscardReason: reason, DiscardPersonID: person }: Status, labels: Labels): Markup | false {
  if (reason === null) return false;
  const name = person === null ? undefined : labels.get('Person')?.get(person);
  return banner({
    tone: 'info',
    text: html`Discarded${name !== undefined && html` by <bdi>${name}</bdi>`}: <bdi>${reason}</bdi>`,
  });
}

function callFacts(
  call: PageCall,
  { row, about, labels }: { readonly row: Status; readonly about: HtmlValue; readonly labels: Labels },
): Markup {
  const [text, tone, icon] = stateBadges.get(row.State) ?? [row.State, 'neutral'];
  return html`<div class="card-body">${facts([
    ['State', badge(text, tone, icon)],
    ['About', about],
    ['Runs as', html`<bdi>${labels.get('Person')?.get(row.PersonID) ?? row.PersonID}</bdi>`],
    ['Queue', row.QueueName],
    ['Label', row.QueueLabel !== null && html`<bdi>${row.QueueLabel}</bdi>`],
    ['Recurs', row.ScheduleName ?? false],
    ['Queued', shortTimeMark(call, row.QueuedDate)],
    ['Next attempt', row.State === 'retry' && shortTimeMark(call, row.StartAfter)],
    ['Ended', shortTimeMark(call, row.CompletedDate)],
    ['Message', html`<span class="mono wrap-anywhere">${row.QueueMessageID}</span>`],
    ['Reference', html`<span class="mono wrap-anywhere">${row.CorrelationID}</span>`],
  ])}</div>`;
}

function attemptCard(call: PageCall, row: Status, attempts: readonly Attempt[]): Markup {
  const note = plural(row.Attempts, 'attempt');
  return card({ id: 'attempts', title: 'Attempts', note, body: attemptList(call, row, attempts) });
}

function attemptList(call: PageCall, { Attempts: count }: Status, attempts: readonly Attempt[]): Markup {
  if (attempts.length === 0)
    return emptyState({ title: count === 0 ? 'It has not run yet.' : 'No attempt has failed with an error.' });
  const first = Math.max(0, count - attempts.length);
  return table({
    label: 'Failed attempts, the oldest first',
    heads: [{ text: 'Attempt', isNumber: true }, 'Failed', 'Error'],
    rows: attempts.map(
      ({ At: at, ErrorCode: code }, index) => html`<tr><td class="number">${first + index + 1}</td>
<td>${shortTimeMark(call, at)}</td><td class="late">${code}</td></tr>\n`,
    ),
  });
}

function parameterTable(parameters: readonly Parameter[]): Markup {
  if (parameters.length === 0) return emptyState({ title: 'It is called without parameters.' });
  return table({
    label: 'Parameters',
    className: 'wrap',
    heads: ['Parameter', 'Value'],
    rows: parameters.map(
      ({ Name: name, Value: value, Hidden: hidden }) => html`<tr><th scope="row"><code>${name}</code></th>
<td>${
        hidden === null
          ? html`<bdi class="error-text">${value}</bdi>`
          : html`<span class="muted">Hidden: ${hidden}</span>`
      }</td></tr>\n`,
    ),
  });
}

/** Shows what the error log has of the call, with the place in the code, to those who may read the log. */
async function errorLog(call: PageCall, { CorrelationID: id, State: state }: Status): Promise<Markup | false> {
  if (id === null || state === 'completed' || !call.may('errorlog/search')) return false;
  try {
    const { answer } = await call.call(
      'errorlog/search',
      { OrderBy: '-ErrorLogID', DisplaySize: 1, RecordCount: false },
      { ErrorGUID: id },
    );
    const [found] = answer.rows;
    return found !== undefined && stackCard(call, found);
  } catch (failed) {
    if (failed instanceof PlatformError && failed.status < 500) return false;
    throw failed;
  }
}

function stackCard(call: PageCall, row: RowNamed<'ErrorLog'>): Markup {
  return card({
    id: 'stack',
    title: 'Error log',
    note: shortTimeMark(call, row.CreatedDate),
    actions: html`<a class="link" href="/records/errorlog/${row.ErrorLogID}">Open the entry</a>`,
    body: html`<div class="card-body"><p><bdi>${row.ErrorLog}</bdi></p>
<pre class="stack-trace" tabindex="0" aria-label="Technical details">${row.Stack}</pre></div>`,
  });
}
