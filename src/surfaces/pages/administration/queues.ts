import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts, rowOffset } from '../plain-text.ts';
import { shortTimeMark } from '../short-time.ts';
import { casesOf, type CaseLink } from './dead-letter-cases.ts';
import { administrationAnswer } from './frame.ts';

type QueueRow = AnswerRowFor<'queue/queues'>;
type MessageRow = AnswerRowFor<'queue/search'>;

const PATH = '/administration/queues';
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
  { state: 'discarded', name: 'Discarded' },
] as const;

type MessageState = (typeof states)[number];

/** Shows the queues, and the messages of one state: dead letters unless the address names another. */
export const queuesPage = page((call) => queuesAnswer(call));

/** Stops, starts or limits a queue, or retries, discards or cancels messages. */
export const controlQueue = page(async (call) => {
  const action = plainText(call.form['Action']);
  try {
    await performAction(call, action);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return queuesAnswer(call, error);
  }
  return { redirectTo: `${PATH}?done=${action}` };
});

async function performAction(call: PageCall, action: string): Promise<void> {
  const { ID: id } = call.form;
  const text = (name: string): string => plainText(call.form[name]);
  const queue = { QueueName: text('QueueName') };
  switch (action) {
    case 'stop':
    case 'start':
      await call.call(`queue/${action}`, queue);
      return;
    case 'throttle':
      await call.call('queue/throttle', { ...queue, MessagesPerMinute: text('MessagesPerMinute') });
      return;
    case 'requeue':
      await call.call('queue/requeue', id === undefined ? kindOf(call) : { ID: [...plainTexts(id)] });
      return;
    case 'discard': {
      const which = id === undefined ? kindOf(call) : { ID: [...plainTexts(id)] };
      await call.call('queue/discard', { ...which, Reason: text('Reason') });
      return;
    }
    case 'cancel':
      await call.call('queue/cancel', { ID: text('ID') });
      return;
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected stop, start, throttle, requeue, discard or cancel.',
      });
  }
}

/** Returns the filter for messages of one kind: of a queue, of an operation, and with an error. */
function kindOf({ form }: PageCall): {
  readonly QueueName?: string;
  readonly Operation?: string;
  readonly ErrorCode?: string;
} {
  const names = ['QueueName', 'Operation', 'ErrorCode'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (plainText(form[name]) === '' ? [] : [[name, plainText(form[name])]])),
  );
}

const doneTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stop: 'Queue stopped',
    start: 'Queue started',
    throttle: 'Rate limit saved',
    requeue: 'Messages queued again',
    discard: 'Discarded. The security log has the reason.',
    cancel: 'Message canceled',
  }),
);

async function queuesAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const current = states.find(({ state }) => state === call.query['State']) ?? states[0];
  const start = rowOffset(call.query['RecordStart']);
  const [queues, messages] = await Promise.all([
    call.call('queue/queues', {}),
    call.call('queue/search', { State: current.state, RecordStart: start, DisplaySize: PAGE_ROWS }),
  ]);
  const { rows } = messages.answer;
  const cases = await casesOf(call, rows);
  const dead = queues.answer.rows.reduce((sum, row) => sum + row.Dead, 0);
  return administrationAnswer(call, {
    title: 'Queues',
    path: PATH,
    status: error?.status,
    intro:
      dead === 0
        ? 'No call waits for a decision.'
        : `${dead} ${dead === 1 ? 'call has' : 'calls have'} used up their attempts and wait for you below.`,
    done: doneTexts.get(plainText(call.query['done'])),
    body: html`${error && errorNote(error.masked())}
${card({ id: 'queues', title: 'Queues', body: queueTable(call, queues.answer.rows) })}
${card({
  id: 'messages',
  title: current.state === 'dead' ? 'Dead letters' : `${current.name} messages`,
  body: html`${stateTabs(current)}
${rows.length === 0 ? noMessages(current) : messageTable(call, rows, { current, cases })}
${paging(current, start, rows.length)}
${current.state === 'dead' && rows.length > 0 && kindForms(call, rows)}`,
})}`,
  });
}

function noMessages({ state, name }: MessageState): Markup {
  return state === 'dead'
    ? emptyState({
        title: 'There are no dead letters.',
        text: 'Every call has ended, or is tried again.',
        icon: 'check',
      })
    : emptyState({ title: `No message is in the state ${name.toLowerCase()}.` });
}

function stateTabs(current: MessageState): Markup {
  return tabs(
    'States',
    states.map(({ state, name }) => ({
      href: `${PATH}?State=${state}`,
      text: name,
      isCurrent: state === current.state,
    })),
  );
}

function paging({ state }: MessageState, start: number, count: number): Markup | false {
  if (start === 0 && count < PAGE_ROWS) return false;
  const to = (at: number): string => `${PATH}?State=${state}&RecordStart=${at}`;
  return html`<nav class="page-turn" aria-label="Pages">
${start > 0 && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}">Newer</a>`}
${count === PAGE_ROWS && html`<a href="${to(start + PAGE_ROWS)}">Older</a>`}
</nav>`;
}

/** Renders a form with a button that does something to a queue or a message. `target`: the fields that name it. */
function actionForm(call: PageCall, target: Markup, name: string, label: { text: string; of: string }): Markup {
  return html`<form class="inline-form" method="post" action="${PATH}">
${csrfField(call)}${target}
${button({ text: label.text, of: label.of, kind: 'quiet', name: 'Action', value: name })}
</form>`;
}

const counts = ['Waiting', 'OldestSeconds', 'Deferred', 'Running', 'Dead'] as const;

function queueTable(call: PageCall, rows: readonly QueueRow[]): Markup {
  return table({
    label: 'Queues and their states',
    heads: [
      'Queue',
      'State',
      ...['Waiting', 'Oldest (s)', 'Deferred', 'Running', 'Dead'].map((text) => ({ text, isNumber: true })),
      'Calls per minute, at most',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => queueRow(call, row)),
  });
}

function queueRow(call: PageCall, row: QueueRow): Markup {
  return html`<tr>
<th scope="row">${row.QueueName}</th>
<td>${queueBadge(row)}</td>
${counts.map((name) => html`<td class="number${name === 'Dead' && row.Dead > 0 && ' late'}">${row[name]}</td>`)}
<td>${rateLimit(call, row)}</td>
<td class="number">${queueActions(call, row)}</td>
</tr>\n`;
}

function queueBadge({ State: state }: QueueRow): Markup {
  if (state === 'running') return badge('Running', 'ok');
  return badge(state === 'stopped' ? 'Stopped' : 'Abandoned', 'warn', 'hold');
}

function rateLimit(call: PageCall, { QueueName: queue, MessagesPerMinute: limit }: QueueRow): Markup {
  if (!call.may('queue/throttle')) return html`${limit}`;
  const input = html`${hiddenField('QueueName', queue)}
<label class="hidden" for="t-${queue}">Calls of ${queue} per minute, at most (0: no limit)</label>
<input id="t-${queue}" class="input" name="MessagesPerMinute" inputmode="numeric" value="${limit}">`;
  return actionForm(call, input, 'throttle', { text: 'Set', of: `limit of ${queue}` });
}

function queueActions(call: PageCall, { QueueName: queue, State: state, Dead: dead }: QueueRow): Markup {
  const target = hiddenField('QueueName', queue);
  const isStopped = state === 'stopped';
  return html`${isStopped && call.may('queue/start') && actionForm(call, target, 'start', { text: 'Start', of: queue })}
${!isStopped && call.may('queue/stop') && actionForm(call, target, 'stop', { text: 'Stop', of: queue })}
${dead > 0 && call.may('queue/requeue') && actionForm(call, target, 'requeue', { text: 'Retry all', of: queue })}`;
}

/** What the rows of the messages need. */
interface MessageDetails {
  readonly current: MessageState;
  readonly cases: ReadonlyMap<string, CaseLink>;
}

function messageTable(call: PageCall, rows: readonly MessageRow[], details: MessageDetails): Markup {
  return table({
    label: 'Messages',
    className: 'wrap',
    heads: [
      'Call',
      'About',
      'Queued',
      { text: 'Attempts', isNumber: true },
      'Last error',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => messageRow(call, row, details)),
  });
}

function messageRow(call: PageCall, row: MessageRow, { current, cases }: MessageDetails): Markup {
  const error = row.ErrorCode ?? '';
  const of = cases.get(row.QueueMessageID);
  return html`<tr>
<th scope="row"><code>${row.Operation}</code><br>
<span class="muted small">${row.QueueName} · ${row.QueueMessageID}</span></th>
<td>${about(row, of)}</td>
<td class="nowrap">${shortTimeMark(call, row.QueuedDate)}</td>
<td class="number">${row.Attempts}</td>
<td>${error !== '' && error !== 'OK' && html`<span class="late">${error}</span> ${row.ErrorMessage}`}</td>
<td class="number">${messageActions(call, row, current)}</td>
</tr>\n`;
}

/** Links to what a call is about, and to the case that it belongs to. */
function about({ QueueLabel: label }: MessageRow, link: CaseLink | undefined): HtmlValue {
  if (!link) return label;
  return html`<a href="${link.href}">${link.text}</a>${
    link.below !== undefined && html`<br><a class="muted small" href="${link.below.href}">${link.below.text}</a>`
  }`;
}

function messageActions(call: PageCall, row: MessageRow, { state }: MessageState): Markup | false {
  const { QueueMessageID: id, Operation: operation } = row;
  const target = hiddenField('ID', id);
  if (state === 'dead')
    return html`${call.may('queue/requeue') && actionForm(call, target, 'requeue', { text: 'Retry', of: operation })}
${call.may('queue/discard') && discardMenu(call, id, operation)}`;
  return (
    (state === 'created' || state === 'retry') &&
    call.may('queue/cancel') &&
    actionForm(call, target, 'cancel', { text: 'Cancel', of: operation })
  );
}

/** Renders the discarding of one message, which asks for a reason. */
function discardMenu(call: PageCall, id: string, operation: string): Markup {
  const of = html`<span class="hidden"> ${operation}</span>`;
  return html`<details class="menu"><summary class="button quiet">Discard…${of}</summary>
<form class="menu-entries right discard-form" method="post" action="${PATH}">
${csrfField(call)}${hiddenField('ID', id)}
${reasonField(`reason-${id}`)}
${button({ text: 'Discard', kind: 'danger', name: 'Action', value: 'discard', of: operation })}
</form></details>`;
}

function reasonField(id: string): Markup {
  return textField({
    label: 'Why it need not run',
    name: 'Reason',
    id,
    isRequired: true,
    attributes: html`maxlength="300" autocomplete="off"`,
  });
}

/**
 * Renders what can be done with all dead letters of a kind: of one operation that failed with one error. Without an
 * error's code there is no kind: an empty filter would act on all calls of the operation.
 */
function kindForms(call: PageCall, rows: readonly MessageRow[]): Markup | false {
  if (!call.may('queue/requeue')) return false;
  const kinds = [
    ...Map.groupBy(
      rows.filter(({ ErrorCode: code }) => (code ?? '') !== ''),
      ({ Operation: operation, ErrorCode: code }) => `${operation} ${code ?? ''}`,
    ).values(),
  ];
  return html`${kinds.map((of, at) => of[0] && kindForm(call, of[0], { shown: of.length, at }))}`;
}

function kindForm(
  call: PageCall,
  { Operation: operation, ErrorCode: code }: MessageRow,
  { shown, at }: { readonly shown: number; readonly at: number },
): Markup {
  const kind = `${operation}, ${code ?? ''}`;
  return html`<form class="discard-form" method="post" action="${PATH}">
${csrfField(call)}${hiddenField('Operation', operation)}${hiddenField('ErrorCode', code ?? '')}
<p class="grow"><span class="strong">${kind}</span> <span class="muted">${shown} on this page</span></p>
${call.may('queue/discard') && textField({ label: 'Reason, to discard', name: 'Reason', id: `kind-${at}` })}
${button({ text: 'Retry all of this kind', name: 'Action', value: 'requeue', of: kind })}
${
  call.may('queue/discard') &&
  button({ text: 'Discard all of this kind', kind: 'danger', name: 'Action', value: 'discard', of: kind })
}
</form>`;
}
