import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { table } from '../design/table.ts';
import { shortTimeMark } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { casesOf, type CaseLink } from './dead-letter-cases.ts';
import { actionForm, discardMenu, messagePath } from './queue-actions.ts';

type MessageRow = AnswerRowFor<'queue/search'>;

/** Messages of one page. */
export const MESSAGES_SHOWN = 50;

/** Characters of an ID that identify a call of a list. */
const ID_CHARACTERS = 8;

/** Renders queued calls with what can be done with each. `isOneCause`: all failed alike, so no row repeats why. */
export async function messageTable(
  call: PageCall,
  rows: readonly MessageRow[],
  { isOneCause = false }: { readonly isOneCause?: boolean } = {},
): Promise<Markup> {
  const cases = await casesOf(call, rows);
  return table({
    label: 'Queued calls',
    className: 'wrap',
    heads: [
      'Call',
      'About',
      'Queued',
      'Ended',
      { text: 'Attempts', isNumber: true },
      !isOneCause && 'Last error',
      { text: 'Actions', isHidden: true },
    ],
    rows: rows.map((row) => messageRow(call, row, { isOneCause, of: cases.get(row.QueueMessageID) })),
  });
}

function messageRow(
  call: PageCall,
  row: MessageRow,
  { isOneCause, of }: { readonly isOneCause: boolean; readonly of: CaseLink | undefined },
): Markup {
  const { QueueMessageID: id, ErrorCode: error } = row;
  return html`<tr>
<th scope="row"><a href="${messagePath(id)}">${
    isOneCause ? html`<span class="mono">${id.slice(0, ID_CHARACTERS)}</span>` : html`<code>${row.Operation}</code>`
  }</a>${!isOneCause && html`<br><span class="muted small">${row.QueueName}</span>`}</th>
<td>${aboutLinks(row, of)}</td>
<td>${shortTimeMark(call, row.QueuedDate)}</td>
<td>${shortTimeMark(call, row.CompletedDate)}</td>
<td class="number">${row.Attempts}</td>
${!isOneCause && html`<td class="error-text">${error !== null && error !== 'OK' && failure(row)}</td>`}
<td><div class="row end">${messageActions(call, row)}</div></td>
</tr>\n`;
}

function failure({ ErrorCode: code, ErrorMessage: text }: MessageRow): Markup {
  return html`<span class="late">${code}</span> <bdi>${text}</bdi>`;
}

/** Links to what a call is about, and to the case that it belongs to. */
export function aboutLinks(
  { QueueLabel: label }: Pick<MessageRow, 'QueueLabel'>,
  link: CaseLink | undefined,
): HtmlValue {
  if (!link) return html`<bdi>${label}</bdi>`;
  return html`<a href="${link.href}"><bdi>${link.text}</bdi></a>${
    link.below !== undefined &&
    html`<br><a class="muted small" href="${link.below.href}"><bdi>${link.below.text}</bdi></a>`
  }`;
}

/** Renders what can be done with a queued call in its state. */
export function messageActions(
  call: PageCall,
  { QueueMessageID: id, Operation: of, State: state }: Pick<MessageRow, 'QueueMessageID' | 'Operation' | 'State'>,
  kind: 'primary' | 'quiet' = 'quiet',
): Markup | false {
  const fields = hiddenField('ID', id);
  if (state === 'dead')
    return html`${call.may('queue/discard') && discardMenu(call, fields, { id, text: 'Discard', of })}
${call.may('queue/requeue') && actionForm(call, { fields, action: 'requeue', text: 'Retry', of, kind })}`;
  return (
    (state === 'created' || state === 'retry' || state === 'paused') &&
    call.may('queue/cancel') &&
    actionForm(call, { fields, action: 'cancel', text: 'Cancel', of })
  );
}

/** Renders links to newer and older rows of a page. */
export function pageTurn(path: string, start: number, count: number): Markup | false {
  if (start === 0 && count < MESSAGES_SHOWN) return false;
  const to = (at: number): string => `${path}${path.includes('?') ? '&' : '?'}RecordStart=${at}`;
  return html`<nav class="page-turn" aria-label="Pages">
${start > 0 && html`<a href="${to(Math.max(0, start - MESSAGES_SHOWN))}">Newer</a>`}
${count === MESSAGES_SHOWN && html`<a href="${to(start + MESSAGES_SHOWN)}">Older</a>`}
</nav>`;
}
