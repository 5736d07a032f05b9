import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { facts } from '../design/list.ts';
import { table } from '../design/table.ts';
import { groupDigits } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { administrationAnswer } from './frame.ts';
import { messageTable, MESSAGES_SHOWN, pageTurn } from './queued-messages.ts';
import {
  actionForm,
  causeFields,
  causeOf,
  causePath,
  discardMenu,
  doneToasts,
  QUEUES_PATH,
  retryPath,
  type CauseKey,
} from './queue-actions.ts';

type Cause = AnswerRowFor<'queue/causes'>;
type Retry = RowNamed<'QueueRetry'>;

/** Characters of an error that a row shows. */
const ERROR_CHARACTERS = 220;

/** Renders the dead letters by cause, the latest first. */
export function causesCard(call: PageCall, causes: readonly Cause[], dead: number): Markup {
  const looked = causes[0]?.Looked ?? 0;
  return card({
    id: 'dead-letters',
    title: 'Dead letters',
    note: dead > 0 && `${groupDigits(String(dead))} in ${plural(causes.length, 'cause')}, the latest first`,
    body:
      causes.length === 0
        ? emptyState({
            title: 'There are no dead letters.',
            text: 'Every call has finished or is being retried.',
            icon: 'check',
          })
        : html`${causeTable(call, causes)}${
            looked < dead &&
            html`<p class="card-body muted">The causes of the latest ${groupDigits(String(looked))}.</p>`
          }`,
  });
}

function causeTable(call: PageCall, causes: readonly Cause[]): Markup {
  return table({
    label: 'Dead letters by cause',
    className: 'wrap dead-causes',
    heads: [
      'Why they failed',
      { text: 'Calls', isNumber: true },
      'First',
      'Last',
      'Queue',
      { text: 'Retry', isHidden: true },
    ],
    rows: causes.map((cause) => causeRow(call, cause)),
  });
}

function causeRow(call: PageCall, cause: Cause): Markup {
  const { Count: count, Operation: operation } = cause;
  const text = count === 1 ? 'Retry' : `Retry all ${groupDigits(String(count))}`;
  return html`<tr>
<th scope="row"><a class="error-text" href="${causePath(cause)}"><bdi>${errorText(cause)}</bdi></a>
<span class="muted small"><code>${operation}</code> · ${cause.ErrorCode ?? 'no code'}</span></th>
<td class="number late">${groupDigits(String(count))}</td>
<td>${shortTimeMark(call, cause.FirstDate)}</td>
<td>${shortTimeMark(call, cause.LastDate)}</td>
<td>${cause.QueueNames}</td>
<td class="number">${
    call.may('queueretry/start') &&
    actionForm(call, { fields: causeFields(cause), action: 'retryall', text, of: operation, kind: 'plain' })
  }</td>
</tr>\n`;
}

function errorText({ ErrorMessage: text, ErrorCode: code }: Pick<Cause, 'ErrorMessage' | 'ErrorCode'>): string {
  const shown = text ?? '';
  if (shown === '') return code ?? 'Failed without a message';
  return shown.length > ERROR_CHARACTERS ? `${shown.slice(0, ERROR_CHARACTERS).toWellFormed()}…` : shown;
}

/** Shows the dead letters of one cause, to be retried or discarded together or one by one. */
export const causePage = page(async (call) => {
  const key = causeOf(call.query);
  const start = rowOffset(call.query['RecordStart']);
  const { Operation, Cause, ErrorCode } = key;
  const filter = { Operation, Cause, ...(ErrorCode !== null && { ErrorCode }) };
  const [causes, messages, retries] = await Promise.all([
    call.call('queue/causes', {}),
    call.call('queue/search', { ...filter, State: 'dead', RecordStart: start, DisplaySize: MESSAGES_SHOWN }),
    call.call('queueretry/search', { Status: 'Started', Operation: `"${Operation}"`, RecordCount: false }),
  ]);
  const cause = causes.answer.rows.find((each) => isSame(each, key));
  const running = retries.answer.rows.find((each) => each.Cause === key.Cause && each.ErrorCode === key.ErrorCode);
  const { rows } = messages.answer;
  return administrationAnswer(call, {
    title: 'Dead letters of one cause',
    path: QUEUES_PATH,
    below: [{ text: 'Dead letters' }],
    heading: html`<bdi class="error-text">${errorText(cause ?? { ErrorMessage: null, ErrorCode })}</bdi>`,
    actions: cause && causeActions(call, cause, running),
    toasts: doneToasts(call),
    body: html`${running && runningBanner(running)}
${cause ? causeFacts(call, cause) : gone()}
${
  rows.length > 0 &&
  card({
    id: 'messages',
    title: 'Calls',
    body: html`${await messageTable(call, rows, { isOneCause: true })}${pageTurn(causePath(key), start, rows.length)}`,
  })
}`,
  });
});

function isSame(cause: Cause, key: CauseKey): boolean {
  return (
    cause.Cause === key.Cause &&
    cause.ErrorCode === key.ErrorCode &&
    cause.Operation.toLowerCase() === key.Operation.toLowerCase()
  );
}

function causeActions(call: PageCall, cause: Cause, running: Retry | undefined): Markup {
  const count = groupDigits(String(cause.Count));
  const fields = causeFields(cause);
  return html`${
    call.may('queue/discard') &&
    discardMenu(call, fields, { id: 'cause', text: cause.Count === 1 ? 'Discard' : `Discard all ${count}` })
  }${
    call.may('queueretry/start') &&
    !running &&
    actionForm(call, {
      fields,
      action: 'retryall',
      text: cause.Count === 1 ? 'Retry' : `Retry all ${count}`,
      kind: 'primary',
    })
  }`;
}

function runningBanner(retry: Retry): Markup {
  return banner({
    tone: 'info',
    text: html`<bdi>${retry.QueueRetry}</bdi> is under way: ${retryCounts(retry)}.`,
    actions: html`<a class="link" href="${retryPath(retry.QueueRetryID)}">Open the retry</a>`,
  });
}

/** Returns how far a retry is, in words. */
export function retryCounts({ Succeeded, FailedAgain, Total }: Retry): string {
  const number = (value: number | null): string => groupDigits(plainText(value ?? 0));
  const failed = (FailedAgain ?? 0) > 0 ? `, ${number(FailedAgain)} failed again` : '';
  return `${number(Succeeded)} of ${number(Total)} done${failed}`;
}

function causeFacts(call: PageCall, cause: Cause): Markup {
  return card({
    id: 'cause',
    title: 'What failed',
    body: html`<div class="card-body">${facts([
      ['Call', html`<code>${cause.Operation}</code>`],
      ['Error', html`${badge(cause.ErrorCode ?? 'no code', 'danger')} <bdi>${cause.ErrorMessage}</bdi>`],
      ['Dead letters', groupDigits(String(cause.Count))],
      ['First', shortTimeMark(call, cause.FirstDate)],
      ['Last', shortTimeMark(call, cause.LastDate)],
      ['Queue', cause.QueueNames],
    ])}
<p class="muted small below-facts">Failures have one cause if their texts differ only in IDs, numbers, quoted values and
mail addresses. Retry all tries 20 calls first, and continues once one of them has succeeded.</p></div>`,
  });
}

function gone(): Markup {
  return emptyState({
    title: 'No dead letter has this cause any more.',
    text: 'They were retried or discarded, or are older than the latest 10,000.',
    action: html`<a class="link" href="${QUEUES_PATH}">All dead letters</a>`,
    icon: 'check',
  });
}
