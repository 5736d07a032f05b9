import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { facts } from '../design/list.ts';
import { progress } from '../design/progress.ts';
import { groupDigits } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import { retryCounts } from './dead-letter-causes.ts';
import { administrationAnswer } from './frame.ts';
import { causePath, QUEUES_PATH, retryPath } from './queue-actions.ts';

type Retry = RowNamed<'QueueRetry'>;

/** Seconds after which the page of a retry that is not over is read again. */
const REFRESH_SECONDS = 2;

/** Shows a retry of dead letters: how far it is, how its calls ended, and how to stop it. */
export const queueRetryPage = page(async (call) => {
  const { answer } = await call.call('queueretry/select', { ID: recordIdFromPath(call) });
  const { row } = answer;
  const labels = await loadLabels(call, [referencesOf([row], ['CreatedPersonID', 'Person'])]);
  const person = row.CreatedPersonID === null ? undefined : labels.get('Person')?.get(row.CreatedPersonID);
  const refresh = isLive(row) && html` data-refresh-seconds="${REFRESH_SECONDS}"`;
  const cause = { Operation: row.Operation ?? '', ErrorCode: row.ErrorCode, Cause: row.Cause ?? 'none' };
  return administrationAnswer(call, {
    title: row.QueueRetry ?? 'Retry',
    path: QUEUES_PATH,
    below: [{ text: 'Retry' }],
    heading: html`<bdi>${row.QueueRetry}</bdi>`,
    body: html`<div class="stack" id="queue-retry"${refresh}>
<div class="row wrap" role="status">${stateBadge(row)}${progressOf(row)}${stopForm(call, row)}</div>
${row.StopReason !== null && banner({ tone: 'warn', text: row.StopReason })}
${card({
  id: 'counts',
  title: 'Its calls',
  body: html`<div class="card-body">${facts([
    ['Dead letters at the start', groupDigits(String(row.Total ?? 0))],
    ['Tried', groupDigits(String(row.Requeued ?? 0))],
    ['Done', groupDigits(String(row.Succeeded ?? 0))],
    ['Failed again', failedAgain(row)],
    ['Failed again, being retried automatically', (row.Failing ?? 0) > 0 && groupDigits(String(row.Failing))],
    ['Started', html`${shortTimeMark(call, row.CreatedDate)}${person !== undefined && html` by <bdi>${person}</bdi>`}`],
  ])}</div>`,
})}
<p class="row"><a class="button" href="${causePath(cause)}">Dead letters of this cause</a>
<a class="button quiet" href="${QUEUES_PATH}">All queues</a></p>
</div>`,
    entries: ['list'],
  });
});

/** Stops a retry. */
export const stopQueueRetry = page(async (call) => {
  const id = recordIdFromPath(call);
  await call.call('queueretry/stop', { ID: id });
  return { redirectTo: retryPath(id) };
});

/** Whether its counts may still change: calls in their queues run after a stop, too. */
function isLive({ Status: status, Requeued: tried, Succeeded: done, FailedAgain: failed }: Retry): boolean {
  return status === 'Started' || (tried ?? 0) > (done ?? 0) + (failed ?? 0);
}

function stateBadge({ Status: status }: Retry): Markup {
  if (status === 'Started') return badge('Running', 'accent');
  return status === 'Stopped' ? badge('Stopped', 'warn', 'hold') : badge('Finished', 'ok', 'check');
}

function progressOf(row: Retry): Markup {
  const ended = (row.Succeeded ?? 0) + (row.FailedAgain ?? 0);
  return progress(ended, row.Total ?? 0, retryCounts(row), (row.FailedAgain ?? 0) > 0 ? 'danger' : 'accent');
}

function failedAgain({ FailedAgain: count }: Retry): Markup {
  return html`<span class="${(count ?? 0) > 0 && 'late'}">${groupDigits(String(count ?? 0))}</span>`;
}

function stopForm(call: PageCall, { QueueRetryID: id, Status: status }: Retry): Markup | false {
  if (status !== 'Started' || !call.may('queueretry/stop')) return false;
  return html`<form class="inline-form" method="post" action="${retryPath(id)}">${csrfField(call)}
${button({ text: 'Stop' })}</form>`;
}
