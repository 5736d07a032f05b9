import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { sparkline } from '../design/sparkline.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { groupDigits } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowOffset } from '../plain-text.ts';
import { causesCard, retryCounts } from './dead-letter-causes.ts';
import { administrationAnswer } from './frame.ts';
import { actionForm, doneToasts, performAction, QUEUES_PATH, retryPath } from './queue-actions.ts';
import { messageTable, MESSAGES_SHOWN, pageTurn } from './queued-messages.ts';

type QueueRow = AnswerRowFor<'queue/queues'>;
type Pause = AnswerRowFor<'queue/pauses'>;
type Point = AnswerRowFor<'queue/course'>;
type Retry = RowNamed<'QueueRetry'>;

/** Hours of the course of queues that the page shows. */
const COURSE_HOURS = 24;
/** Rows of its table. */
const COURSE_ROWS = 200;

/** The states of calls that are not dead letters, as the queue names them, with their names for people. */
const states = [
  { state: 'retry', name: 'Retrying' },
  { state: 'active', name: 'Running' },
  { state: 'created', name: 'Waiting' },
  { state: 'paused', name: 'Paused' },
  { state: 'completed', name: 'Done' },
  { state: 'failed', name: 'Failed, repeated automatically' },
  { state: 'cancelled', name: 'Canceled' },
  { state: 'discarded', name: 'Discarded' },
] as const;

type MessageState = (typeof states)[number];

/** Shows the dead letters by cause, the queues, and the calls of one state. */
export const queuesPage = page((call) => queuesAnswer(call));

/** Stops, starts or limits a queue, or retries, discards or cancels calls. */
export const controlQueue = page(async (call) => {
  try {
    return { redirectTo: await performAction(call) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return queuesAnswer(call, error);
  }
});

async function queuesAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const current = states.find(({ state }) => state === call.query['State']) ?? states[0];
  const start = rowOffset(call.query['RecordStart']);
  const [queues, pauses, course, causes, retries, messages] = await Promise.all([
    call.call('queue/queues', {}),
    call.call('queue/pauses', {}),
    call.call('queue/course', { Hours: COURSE_HOURS }),
    call.call('queue/causes', {}),
    call.call('queueretry/search', { Status: 'Started', OrderBy: '-QueueRetryID', RecordCount: false }),
    call.call('queue/search', { State: current.state, RecordStart: start, DisplaySize: MESSAGES_SHOWN }),
  ]);
  const { rows } = messages.answer;
  const dead = queues.answer.rows.reduce((sum, row) => sum + row.Dead, 0);
  return administrationAnswer(call, {
    title: 'Queues',
    path: QUEUES_PATH,
    status: error?.status,
    intro: dead === 0 ? 'No calls need a decision.' : introOf(dead, causes.answer.rows.length),
    toasts: doneToasts(call),
    body: html`${error && errorNote(error.masked())}
${await stoppedBanners(call, queues.answer.rows, pauses.answer.rows)}
${retries.answer.rows.map(retryBanner)}
${causesCard(call, causes.answer.rows, dead)}
${queuesCard(call, queues.answer.rows, course.answer.rows)}
${card({
  id: 'messages',
  title: 'Calls',
  body: html`${stateTabs(current)}
${rows.length === 0 ? noCalls(current) : await messageTable(call, rows)}
${pageTurn(`${QUEUES_PATH}?State=${current.state}`, start, rows.length)}`,
})}`,
  });
}

function noCalls({ name }: MessageState): Markup {
  return emptyState({ title: `No call is ${name.toLowerCase()}.` });
}

function introOf(dead: number, causes: number): string {
  if (dead === 1) return '1 call has used up its attempts. Remove the cause, then retry it.';
  const calls = `${groupDigits(String(dead))} calls have used up their attempts`;
  return `${calls}, for ${plural(causes, 'cause')}. Remove a cause, then retry its calls.`;
}

/** Renders who stopped which queue or paused which calls, when and why, with the button that ends it. */
async function stoppedBanners(
  call: PageCall,
  queues: readonly QueueRow[],
  pauses: readonly Pause[],
): Promise<readonly Markup[]> {
  const held = queues.filter(({ State: state, MessagesPerMinute: limit }) => state === 'stopped' || limit > 0);
  const people = [...held, ...pauses].flatMap(({ ChangedPersonID: id }) =>
    id === null ? [] : [{ Object: 'Person', ObjectID: id }],
  );
  const labels = await loadLabels(call, [{ columns: [], rows: people }]);
  return [
    ...held.map((row) => stoppedBanner(call, row, labels)),
    ...pauses.map((pause) => pauseBanner(call, pause, labels)),
  ];
}

function stoppedBanner(call: PageCall, row: QueueRow, labels: Labels): Markup {
  const { QueueName: queue, MessagesPerMinute: limit } = row;
  const isStopped = row.State === 'stopped';
  const what = isStopped
    ? html`<span class="strong">${queue} is stopped.</span>`
    : html`<span class="strong">${queue} is limited to ${plural(limit, 'call')} a minute.</span>`;
  return banner({
    tone: isStopped ? 'warn' : 'info',
    icon: 'hold',
    text: html`${what} ${changeText(call, row, labels)}`,
    actions:
      isStopped &&
      call.may('queue/start') &&
      actionForm(call, {
        fields: hiddenField('QueueName', queue),
        action: 'start',
        text: 'Start',
        of: queue,
        kind: 'plain',
      }),
  });
}

function pauseBanner(call: PageCall, pause: Pause, labels: Labels): Markup {
  const { QueueName: queue, Operation: operation, Waiting: waiting } = pause;
  return banner({
    tone: 'warn',
    icon: 'hold',
    text: html`<span class="strong">Calls of <code>${operation}</code> in ${queue} are paused.</span> ${
      waiting > 0 && html`<a href="${QUEUES_PATH}?State=paused#messages">${countText(waiting)} waiting</a>. `
    }${changeText(call, pause, labels)}`,
    actions:
      call.may('queue/start') &&
      actionForm(call, {
        fields: html`${hiddenField('QueueName', queue)}${hiddenField('Operation', operation)}`,
        action: 'start',
        text: 'Resume',
        of: `${operation} in ${queue}`,
        kind: 'plain',
      }),
  });
}

/** Says since when, by whom and why a queue or an operation is held. */
function changeText(
  call: PageCall,
  {
    ChangedDate: at,
    ChangedPersonID: id,
    Reason: reason,
  }: Pick<QueueRow, 'ChangedDate' | 'ChangedPersonID' | 'Reason'>,
  labels: Labels,
): Markup {
  const name = id === null ? undefined : labels.get('Person')?.get(id);
  return html`Since ${shortTimeMark(call, at)}${
    name !== undefined && html`, by <bdi>${name}</bdi>`
  }${reason !== null && html`: <bdi>${reason}</bdi>`}`;
}

function retryBanner(retry: Retry): Markup {
  return banner({
    tone: 'info',
    text: html`<bdi>${retry.QueueRetry}</bdi>: ${retryCounts(retry)}.`,
    actions: html`<a class="link" href="${retryPath(retry.QueueRetryID)}">Open the retry</a>`,
  });
}

function stateTabs(current: MessageState): Markup {
  return tabs(
    'States',
    states.map(({ state, name }) => ({
      href: `${QUEUES_PATH}?State=${state}#messages`,
      text: name,
      isCurrent: state === current.state,
    })),
  );
}

const counts = ['Waiting', 'Deferred', 'Running', 'Paused', 'Dead'] as const;

function queuesCard(call: PageCall, rows: readonly QueueRow[], course: readonly Point[]): Markup {
  const points = Map.groupBy(course, ({ QueueName: queue }) => queue);
  return card({
    id: 'queues',
    title: 'Queues',
    note: 'Each process runs 12 calls at a time, at most 10 of one queue, so that a long queue leaves room for others.',
    body: html`${queueTable(call, rows, points)}
${course.length > 0 && courseDetails(call, course)}`,
  });
}

/** Renders the numbers of the lines, for those who cannot see them or want to know exactly. */
function courseDetails(call: PageCall, course: readonly Point[]): Markup {
  const busy = course.filter(({ Waiting: waiting, Dead: dead }) => waiting > 0 || dead > 0).toReversed();
  return html`<details class="card-body"><summary>The last ${COURSE_HOURS} hours in numbers</summary>
${
  busy.length === 0
    ? html`<p class="soft">No calls were waiting at any of the checks, one a minute.</p>`
    : table({
        label: 'Calls that waited, the latest first',
        heads: [
          'From',
          'Queue',
          { text: 'Waiting', isNumber: true },
          { text: 'Oldest', isNumber: true },
          { text: 'Dead', isNumber: true },
        ],
        rows: busy.slice(0, COURSE_ROWS).map(
          (point) => html`<tr><td>${shortTimeMark(call, point.At)}</td><th scope="row">${point.QueueName}</th>
<td class="number">${groupDigits(String(point.Waiting))}</td><td class="number">${waitText(point.OldestSeconds)}</td>
<td class="number">${groupDigits(String(point.Dead))}</td></tr>\n`,
        ),
      })
}</details>`;
}

/** Renders how many calls waited in a queue over the last hours. */
function courseLine(points: readonly Point[]): Markup | false {
  if (points.length < 2) return false;
  const most = Math.max(...points.map(({ Waiting: waiting }) => waiting));
  return sparkline(
    points.map(({ Waiting: waiting }) => waiting),
    `At most ${groupDigits(String(most))} waiting`,
  );
}

/** Returns when a queue is empty at its pace: "in 40 min", or that it is not getting shorter. */
function emptyText({ Waiting: waiting, EmptySeconds: seconds, State: state }: QueueRow): string {
  if (waiting === 0) return '';
  if (state === 'stopped') return 'Not while stopped';
  return seconds === null ? 'Not at this pace' : `In ${waitText(seconds)}`;
}

function queueTable(call: PageCall, rows: readonly QueueRow[], points: ReadonlyMap<string, readonly Point[]>): Markup {
  return table({
    label: 'Queues and their states',
    heads: [
      'Queue',
      'State',
      ...['Waiting', 'Later', 'Running', 'Paused', 'Dead'].map((text) => ({ text, isNumber: true })),
      { text: 'Oldest waits', isNumber: true },
      'Empty',
      'Last 24 hours',
      'Calls per minute, at most',
      { text: 'Stop or start', isHidden: true },
    ],
    rows: rows.map((row) => queueRow(call, row, points.get(row.QueueName) ?? [])),
  });
}

function queueRow(call: PageCall, row: QueueRow, points: readonly Point[]): Markup {
  const cell = (name: (typeof counts)[number]): Markup =>
    html`<td class="number${name === 'Dead' && row.Dead > 0 && ' late'}">${countText(row[name])}</td>`;
  return html`<tr>
<th scope="row">${row.QueueName}</th>
<td>${queueBadge(row)}</td>
${counts.map(cell)}
<td class="number">${row.Waiting > 0 && waitText(row.OldestSeconds)}</td>
<td>${emptyText(row)}</td>
<td>${courseLine(points)}</td>
<td>${rateLimit(call, row)}</td>
<td class="number">${queueActions(call, row)}</td>
</tr>\n`;
}

/** Counts of messages end here. */
const COUNTED_MAX = 100_000;

/** Returns a count: "4,000", or "100,000+" where there may be more. */
function countText(count: number): string {
  return `${groupDigits(String(count))}${count >= COUNTED_MAX ? '+' : ''}`;
}

/** Returns a duration in its largest unit: "40 s", "12 min", "3 h". */
function waitText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : plural(Math.floor(seconds / 86_400), 'day');
}

function queueBadge({ State: state }: QueueRow): Markup {
  if (state === 'running') return badge('Running', 'ok');
  return badge(state === 'stopped' ? 'Stopped' : 'Abandoned', 'warn', 'hold');
}

function rateLimit(call: PageCall, { QueueName: queue, MessagesPerMinute: limit }: QueueRow): Markup {
  if (!call.may('queue/throttle')) return html`${limit === 0 ? 'Any' : limit}`;
  const fields = html`${hiddenField('QueueName', queue)}
<label class="hidden" for="t-${queue}">Calls of ${queue} per minute, at most (0: no limit)</label>
<input id="t-${queue}" class="input" name="MessagesPerMinute" inputmode="numeric" value="${limit}">`;
  return actionForm(call, { fields, action: 'throttle', text: 'Set', of: `limit of ${queue}` });
}

function queueActions(call: PageCall, { QueueName: queue, State: state }: QueueRow): Markup | false {
  if (state === 'stopped') return false;
  return call.may('queue/stop') && stopMenu(call, queue);
}

/** Renders the form that stops a queue, with a reason for other operators. */
function stopMenu(call: PageCall, queue: string): Markup {
  return html`<details class="menu"><summary class="button quiet">Stop…<span class="hidden"> ${queue}</span></summary>
<form class="menu-entries right discard-form" method="post" action="${QUEUES_PATH}">
${csrfField(call)}${hiddenField('QueueName', queue)}
${textField({
  label: 'Only calls of',
  name: 'Operation',
  id: `of-${queue}`,
  hint: 'An operation, such as maildelivery/send. Empty: all calls of the queue.',
  attributes: html`maxlength="200" autocomplete="off" spellcheck="false"`,
})}
${textField({
  label: 'Why',
  name: 'Reason',
  id: `stop-${queue}`,
  isRequired: true,
  hint: 'Running calls finish. New ones wait.',
  attributes: html`maxlength="300" autocomplete="off"`,
})}
${button({ text: 'Stop', kind: 'danger', name: 'Action', value: 'stop', of: queue })}
</form></details>`;
}
