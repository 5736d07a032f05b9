import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField } from '../components.ts';
import { localDateTime, recordLink } from '../display-values.ts';
import { administrationCrumb, csrfField } from '../layout.ts';
import { flashNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts, rowOffset } from '../plain-text.ts';

type QueueRow = AnswerRowFor<'queue/queues'>;
type MessageRow = AnswerRowFor<'queue/search'>;

/** Messages of one page. */
const PAGE_ROWS = 50;

/** The states of messages, as the queue names them, with their names for people. */
const states = [
  { state: 'dead', name: 'Dead letters' },
  { state: 'retry', name: 'Retrying' },
  { state: 'active', name: 'Running' },
  { state: 'created', name: 'Waiting' },
  { state: 'completed', name: 'Completed' },
  { state: 'cancelled', name: 'Canceled' },
] as const;

type MessageState = (typeof states)[number];

/** Shows the queues, and the messages of one state: dead letters unless the address names another. */
export const queuesPage = page((call) => queuesAnswer(call));

/** Stops, starts or limits a queue, or retries or cancels messages. */
export const controlQueue = page(async (call) => {
  const { Action: action = '', ID: id } = call.form;
  const queue = { QueueName: plainText(call.form['QueueName']) };
  switch (action) {
    case 'stop':
    case 'start':
      await call.call(`queue/${action}`, queue);
      break;
    case 'throttle':
      await call.call('queue/throttle', { ...queue, MessagesPerMinute: plainText(call.form['MessagesPerMinute']) });
      break;
    case 'requeue':
      await call.call('queue/requeue', id === undefined ? queue : { ID: [...plainTexts(id)] });
      break;
    case 'cancel':
      await call.call('queue/cancel', { ID: plainText(id) });
      break;
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected stop, start, throttle, requeue or cancel.',
      });
  }
  return { redirectTo: `/administration/queues?done=${action}` };
});

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stop: 'Queue stopped',
    start: 'Queue started',
    throttle: 'Rate limit saved',
    requeue: 'Messages queued again',
    cancel: 'Message canceled',
  }),
);

async function queuesAnswer(call: PageCall): Promise<PageAnswer> {
  const current = states.find(({ state }) => state === call.query['State']) ?? states[0];
  const start = rowOffset(call.query['RecordStart']);
  const [queues, messages] = await Promise.all([
    call.call('queue/queues', {}),
    call.call('queue/search', { State: current.state, RecordStart: start, DisplaySize: PAGE_ROWS }),
  ]);
  const rows = messages.answer.rows;
  return {
    title: 'Queues',
    wide: true,
    body: html`${administrationCrumb()}
<h1>Queues</h1>
${flashNote(flashMessages, call.query['done'])}
${queueTable(call, queues.answer.rows)}
<section aria-labelledby="messages">
<h2 id="messages">${current.state === 'dead' ? 'Dead letters' : `${current.name} messages`}</h2>
${stateLinks(current)}
${rows.length === 0 ? html`<p class="quiet">None</p>` : messageTable(call, rows, current)}
${paging(current, start, rows.length)}
</section>`,
  };
}

function stateLinks(current: MessageState): Markup {
  const link = ({ state, name }: MessageState): Markup =>
    html`<a href="?State=${state}"${state === current.state && html` aria-current="true"`}>${name}</a> `;
  return html`<nav aria-label="States" class="paging">${states.map(link)}</nav>`;
}

function paging({ state }: MessageState, start: number, count: number): Markup {
  const to = (at: number): Markup => html`?State=${state}&amp;RecordStart=${at}`;
  return html`<nav class="paging" aria-label="Pages">
${start > 0 && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}">Newer</a>`}
${count === PAGE_ROWS && html`<a href="${to(start + PAGE_ROWS)}">Older</a>`}
</nav>`;
}

/** Renders a button that does something to a queue or a message. `target`: the form's fields that name it. */
function actionForm(call: PageCall, target: Markup, name: string, label: HtmlValue): Markup {
  return html`<form method="post" action="/administration/queues">
${csrfField(call)}${target}
<button class="quiet" name="Action" value="${name}">${label}</button>
</form>`;
}

const counts = ['Waiting', 'OldestSeconds', 'Deferred', 'Running', 'Dead'] as const;

function queueTable(call: PageCall, rows: readonly QueueRow[]): Markup {
  return dataTable({
    label: 'Queues',
    caption: 'Queues',
    heads: [
      'Queue',
      'State',
      ...['Waiting', 'Oldest (s)', 'Deferred', 'Running', 'Dead'].map((text) => ({ text, isNumber: true })),
      'Rate limit / min',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => queueRow(call, row)),
  });
}

function queueRow(call: PageCall, row: QueueRow): Markup {
  return html`<tr>
<th scope="row">${row.QueueName}</th>
<td><span class="status">${row.State}</span></td>
${counts.map((name) => html`<td class="number">${row[name]}</td>`)}
<td>${rateLimit(call, row)}</td>
<td>${queueActions(call, row)}</td>
</tr>\n`;
}

/** What a button does to a queue. `input`: what is sent with it. */
interface QueueAction {
  readonly name: string;
  readonly label: string;
  readonly input?: Markup;
}

function queueAction(call: PageCall, { QueueName: queue }: QueueRow, { name, label, input }: QueueAction): Markup {
  const target = html`${hiddenField('QueueName', queue)}${input}`;
  return actionForm(call, target, name, html`${label}<span class="hidden"> ${queue}</span>`);
}

function rateLimit(call: PageCall, row: QueueRow): Markup {
  const { QueueName: queue, MessagesPerMinute: limit } = row;
  if (!call.may('queue/throttle')) return html`${limit}`;
  const input = html`<label class="hidden" for="t-${queue}">Rate limit of ${queue} per minute (0: none)</label>
<input id="t-${queue}" class="short" name="MessagesPerMinute" inputmode="numeric" value="${limit}">`;
  return queueAction(call, row, { name: 'throttle', label: 'Set', input });
}

function queueActions(call: PageCall, row: QueueRow): Markup {
  const isStopped = row.State === 'stopped';
  const start = isStopped && call.may('queue/start') && queueAction(call, row, { name: 'start', label: 'Start' });
  const stop = !isStopped && call.may('queue/stop') && queueAction(call, row, { name: 'stop', label: 'Stop' });
  const retry =
    row.Dead > 0 && call.may('queue/requeue') && queueAction(call, row, { name: 'requeue', label: 'Retry all' });
  return html`${start}${stop}${retry}`;
}

function messageTable(call: PageCall, rows: readonly MessageRow[], state: MessageState): Markup {
  return dataTable({
    label: 'Messages',
    heads: [
      'Operation',
      'Queue',
      'Label',
      'Queued',
      { text: 'Attempts', isNumber: true },
      'Last error',
      'Message ID',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => messageRow(call, row, state)),
  });
}

function messageRow(call: PageCall, row: MessageRow, state: MessageState): Markup {
  const error = row.ErrorCode ?? '';
  return html`<tr>
<th scope="row"><code>${row.Operation}</code></th>
<td>${row.QueueName}</td>
<td>${messageLabel(call, row)}</td>
<td>${localDateTime(call, row.QueuedDate)}</td>
<td class="number">${row.Attempts}</td>
<td>${error !== '' && html`<code>${error}</code> ${row.ErrorMessage}`}</td>
<td><code>${row.QueueMessageID}</code></td>
<td>${messageAction(call, row, state)}</td>
</tr>\n`;
}

/** Renders a message's label, linked to the record that it names: `DecisionStep 7`. */
function messageLabel(call: PageCall, { QueueLabel: label }: MessageRow): HtmlValue {
  const [, name = '', id = ''] = /^(\w+) (\d{1,15})$/.exec(label ?? '') ?? [];
  const record = call.platform.registry.record(name);
  return record ? recordLink(call, record.name, Number(id), label ?? '') : label;
}

function messageAction(call: PageCall, { QueueMessageID: id }: MessageRow, { state }: MessageState): Markup | false {
  const button = (name: string, label: string): Markup =>
    actionForm(call, hiddenField('ID', id), name, html`${label}<span class="hidden"> ${id}</span>`);
  if (state === 'dead') return call.may('queue/requeue') && button('requeue', 'Retry');
  return (state === 'created' || state === 'retry') && call.may('queue/cancel') && button('cancel', 'Cancel');
}
