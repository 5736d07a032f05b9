import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { localDateTime } from '../display-values.ts';

/** Messages of one page. */
const PAGE_ROWS = 50;
const states = ['dead', 'retry', 'active', 'created', 'completed', 'cancelled'] as const;

/** The queues with what waits in them, and the messages of one state: the dead letters unless another is asked for. */
export const queuesPage = page((call) => queuesAnswer(call));

/** Stops, starts or throttles a queue, or puts dead letters back. */
export const controlQueue = page(async (call) => {
  const { QueueName = '', Action = '', MessagesPerMinute = '', ID } = call.form;
  const queue = { QueueName: String(QueueName) };
  switch (Action) {
    case 'stop':
    case 'start':
      await call.call(`queue/${Action}`, queue);
      break;
    case 'throttle':
      await call.call('queue/throttle', { ...queue, MessagesPerMinute: String(MessagesPerMinute) });
      break;
    case 'requeue':
      await call.call('queue/requeue', ID === undefined ? queue : { ID: [ID].flat().map(String) });
      break;
    case 'cancel':
      await call.call('queue/cancel', { ID: String(ID ?? '') });
      break;
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected stop, start, throttle, requeue or cancel.',
      });
  }
  return { redirectTo: `/administration/queues?done=${String(Action)}` };
});

async function queuesAnswer(call: PageCall): Promise<PageAnswer> {
  const state = states.find((each) => each === call.query['State']) ?? 'dead';
  const start = Math.max(0, Math.trunc(Number(call.query['RecordStart'] ?? 0)) || 0);
  const [queues, messages] = await Promise.all([
    call.call('queue/queues'),
    call.call('queue/search', { State: state, RecordStart: String(start), DisplaySize: String(PAGE_ROWS) }),
  ]);
  const rows = (messages.answer as ListAnswer).rows;
  return {
    title: 'Queues',
    wide: true,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Queues</h1>
${typeof call.query['done'] === 'string' && html`<div class="note" role="status"><p>Done: ${call.query['done'].slice(0, 20)}.</p></div>`}
${queueTable(call, (queues.answer as ListAnswer).rows)}
<section aria-labelledby="messages"><h2 id="messages">${state === 'dead' ? 'Dead letters' : `Messages that are ${state}`}</h2>
<nav aria-label="States" class="paging">${states.map((each) => html`<a href="?State=${each}"${each === state && html` aria-current="true"`}>${each}</a> `)}</nav>
${rows.length === 0 ? html`<p class="quiet">None.</p>` : messageTable(call, rows, state)}
<nav class="paging" aria-label="Pages">${start > 0 && html`<a href="?State=${state}&amp;RecordStart=${Math.max(0, start - PAGE_ROWS)}">Later</a> `}${rows.length === PAGE_ROWS && html`<a href="?State=${state}&amp;RecordStart=${start + PAGE_ROWS}">Earlier</a>`}</nav></section>`,
  };
}

function queueTable(call: PageCall, rows: readonly Row[]): Markup {
  const action = (row: Row, name: string, label: string, more: Markup | false = false): Markup =>
    html`<form method="post" action="/administration/queues">${csrfField(call)}<input type="hidden" name="QueueName" value="${String(row['QueueName'])}">${more}<button class="quiet" name="Action" value="${name}">${label}<span class="hidden"> ${String(row['QueueName'])}</span></button></form>`;
  const throttle = (row: Row): Markup =>
    html`<label class="hidden" for="t-${String(row['QueueName'])}">Messages a minute of ${String(row['QueueName'])}, 0 for no limit</label><input id="t-${String(row['QueueName'])}" class="short" name="MessagesPerMinute" inputmode="numeric" value="${String(row['MessagesPerMinute'] ?? 0)}"> `;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Queues"><table><caption class="hidden">Queues</caption><thead><tr><th scope="col">Queue</th><th scope="col">State</th><th scope="col" class="number">Waiting</th><th scope="col" class="number">Oldest, s</th><th scope="col" class="number">Deferred</th><th scope="col" class="number">Running</th><th scope="col" class="number">Dead</th><th scope="col">Messages a minute</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${String(row['QueueName'])}</th><td><span class="status">${String(row['State'])}</span></td>${['Waiting', 'OldestSeconds', 'Deferred', 'Running', 'Dead'].map((name) => html`<td class="number">${String(row[name] ?? 0)}</td>`)}<td>${call.may('queue/throttle') ? action(row, 'throttle', 'Set', throttle(row)) : String(row['MessagesPerMinute'] ?? 0)}</td><td>${row['State'] === 'stopped' ? call.may('queue/start') && action(row, 'start', 'Start') : call.may('queue/stop') && action(row, 'stop', 'Stop')}${Number(row['Dead']) > 0 && call.may('queue/requeue') && action(row, 'requeue', 'Put dead letters back')}</td></tr>\n`)}</tbody></table></div>`;
}

function messageTable(call: PageCall, rows: readonly Row[], state: string): Markup {
  const button = (row: Row, name: string, label: string): Markup =>
    html`<form method="post" action="/administration/queues">${csrfField(call)}<input type="hidden" name="ID" value="${String(row['QueueMessageID'])}"><button class="quiet" name="Action" value="${name}">${label}<span class="hidden"> ${String(row['QueueMessageID'])}</span></button></form>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Messages"><table><thead><tr><th scope="col">Operation</th><th scope="col">Queue</th><th scope="col">Label</th><th scope="col">Queued</th><th scope="col" class="number">Attempts</th><th scope="col">Last failure</th><th scope="col">Message</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row"><code>${String(row['Operation'] ?? '')}</code></th><td>${String(row['QueueName'] ?? '')}</td><td>${String(row['QueueLabel'] ?? '')}</td><td>${typeof row['QueuedDate'] === 'string' && localDateTime(call, row['QueuedDate'])}</td><td class="number">${String(row['Attempts'] ?? 0)}</td><td>${row['ErrorCode'] !== null && row['ErrorCode'] !== undefined && html`<code>${String(row['ErrorCode'])}</code> ${String(row['ErrorMessage'] ?? '')}`}</td><td><code>${String(row['QueueMessageID'])}</code></td><td>${state === 'dead' && call.may('queue/requeue') && button(row, 'requeue', 'Put back')}${(state === 'created' || state === 'retry') && call.may('queue/cancel') && button(row, 'cancel', 'Cancel')}</td></tr>\n`)}</tbody></table></div>`;
}
