import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { groupDigits } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { INBOX_PATH, messagePath, recipientsPath } from './message-paths.ts';
import { pageTurn } from './page-turn.ts';
import { messageToasts } from './message-toasts.ts';
import { recipientStates } from './recipient-states.ts';
import { FAILED_STATES, RESENT_MAX, sendAgain } from './send-again.ts';

const PAGE_ROWS = 100;
/** Messages of a template whose recipients are counted, the newest. */
const TEMPLATE_MESSAGES_MAX = 500;

type RecipientRow = RowNamed<'MessageRecipient'>;

/** The messages whose outcome a page shows. */
interface Outcome {
  readonly title: string;
  readonly crumbs: NonNullable<ShownPage['crumbs']>;
  readonly place: ShownPage['place'];
  readonly path: string;
  readonly messageIds: readonly number[];
  /** The only message, which can be sent again; undefined for those of a template. */
  readonly messageId?: number;
  /** What is counted. */
  readonly note: string;
}

/** Shows what became of a message at each of its recipients. */
export const outcomePage = page((call) => messageOutcome(call));

/** Sends a message again to the recipients whom it did not reach. */
export const resendMessage = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  try {
    await sendAgain(call, id);
    return { redirectTo: `${recipientsPath(id)}?done=mail-again` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return messageOutcome(call, error.masked());
  }
});

/** Shows what became of the messages that were written from a template. */
export const templateOutcomePage = page(async (call) => {
  const id = recordIdFromPath(call);
  const [{ answer: selected }, { answer: found }] = await Promise.all([
    call.call('messagetemplate/select', { ID: id }),
    call.call('message/search', {
      MessageTemplateID: String(id),
      SqlColumns: 'MessageID',
      OrderBy: '-MessageID',
      DisplaySize: TEMPLATE_MESSAGES_MAX,
      RecordCount: 'false',
    }),
  ]);
  const name = (selected.row.MessageTemplate ?? '') || `Template ${id}`;
  const { rows } = found;
  const note =
    rows.length === TEMPLATE_MESSAGES_MAX
      ? `The newest ${TEMPLATE_MESSAGES_MAX} messages from this template.`
      : `${plural(rows.length, 'message')} from this template.`;
  return outcomeAnswer(call, {
    title: `Recipients of ${name}`,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: html`<bdi>${name}</bdi>`, href: `/configure/messages/${id}` },
      { text: 'Recipients' },
    ],
    path: `/configure/messages/${id}/recipients`,
    messageIds: rows.map(({ MessageID }) => MessageID),
    note,
  });
});

async function messageOutcome(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const id = recordIdFromPath(call);
  const { row } = (await call.call('message/select', { ID: id })).answer;
  const subject = (row.Message ?? '').trim() || 'No subject';
  return outcomeAnswer(
    call,
    {
      title: subject,
      place: 'messages',
      crumbs: [
        { text: 'Messages', href: INBOX_PATH },
        { text: html`<bdi>${subject}</bdi>`, href: messagePath(id) },
        { text: 'Recipients' },
      ],
      path: recipientsPath(id),
      messageIds: [id],
      messageId: id,
      note: 'what became of the message at each',
    },
    refused,
  );
}

async function outcomeAnswer(call: PageCall, outcome: Outcome, refused?: PlatformError): Promise<ShownPage> {
  const { path, messageIds, messageId, title } = outcome;
  const sent = plainText(call.query['state']).toLowerCase();
  const state = Object.keys(recipientStates).find((each) => each.toLowerCase() === sent);
  const start = rowOffset(call.query['RecordStart']);
  const [counts, rows] = await Promise.all([
    countStates(call, messageIds),
    readRecipients(call, messageIds, { state, start }),
  ]);
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const failed = FAILED_STATES.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0);
  const inState = state === undefined ? total : (counts.get(state) ?? 0);
  return {
    title,
    place: outcome.place,
    crumbs: outcome.crumbs,
    entries: ['list'],
    status: refused?.status ?? 200,
    toasts: messageToasts(call, path),
    body: html`<div class="page wide"><header class="page-head"><div class="grow"><h1><bdi>${title}</bdi></h1>
<p class="soft">${groupDigits(String(total))} ${total === 1 ? 'recipient' : 'recipients'} · ${outcome.note}</p></div>
<div class="row wrap">${rows.length > 0 && exportLink(messageIds, state)}${
      messageId !== undefined && failed > 0 && call.may('message/send') && resendForm(call, messageId, failed)
    }</div></header>
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<div id="recipients-live" class="stack" data-live="message" data-live-mode="quiet">
${stateTabs(path, counts, { total, state })}
${
  rows.length === 0
    ? emptyState({
        icon: 'message',
        title: total === 0 ? 'There are no recipients.' : 'No recipient is in this state.',
      })
    : recipientTable(call, rows, messageId === undefined)
}
${pageTurn({
  start,
  shown: rows.length,
  size: PAGE_ROWS,
  count: inState,
  to: (at) => withQuery(path, { ...(state !== undefined && { state: state.toLowerCase() }), RecordStart: String(at) }),
})}
</div></div>`,
  };
}

/** Counts the recipients in each state; states that nobody is in are left out. */
async function countStates(call: PageCall, ids: readonly number[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const counts = await Promise.all(
    Object.keys(recipientStates).map(async (state) => {
      const { answer } = await call.call('messagerecipient/search', {
        MessageID: ids.join(','),
        Status: state,
        SqlColumns: 'MessageRecipientID',
        DisplaySize: 1,
      });
      return [state, answer.rows[0]?.RecordCount ?? 0] as const;
    }),
  );
  return new Map(counts.filter(([, count]) => count > 0));
}

interface ShownRecipients {
  readonly state: string | undefined;
  readonly start: number;
}

async function readRecipients(
  call: PageCall,
  ids: readonly number[],
  { state, start }: ShownRecipients,
): Promise<readonly RecipientRow[]> {
  if (ids.length === 0) return [];
  const { answer } = await call.call('messagerecipient/search', {
    MessageID: ids.join(','),
    Status: statesOf(state),
    OrderBy: 'MessageRecipientID',
    DisplaySize: PAGE_ROWS,
    RecordStart: start,
    RecordCount: 'false',
  });
  return answer.rows;
}

function statesOf(state: string | undefined): string[] {
  return state === undefined ? Object.keys(recipientStates) : [state];
}

function stateTabs(
  path: string,
  counts: ReadonlyMap<string, number>,
  { total, state }: { readonly total: number; readonly state: string | undefined },
): Markup {
  const shown = Object.entries(recipientStates).filter(([each]) => counts.has(each) || each === state);
  return tabs('Recipients by state', [
    { href: path, text: 'All', count: groupDigits(String(total)), isCurrent: state === undefined },
    ...shown.map(([each, { text }]) => ({
      href: `${path}?state=${each.toLowerCase()}`,
      text,
      count: groupDigits(String(counts.get(each) ?? 0)),
      isCurrent: each === state,
    })),
  ]);
}

function recipientTable(call: PageCall, rows: readonly RecipientRow[], hasMessage: boolean): Markup {
  const line = (row: RecipientRow): Markup => {
    const look = recipientStates[row.Status ?? ''];
    const name = (row.Name ?? '').trim();
    return html`<tr id="recipient-${row.MessageRecipientID}"><th
 scope="row"><bdi>${name || row.MessageRecipient}</bdi>${
   name !== '' && html`<br><span class="small muted"><bdi>${row.MessageRecipient}</bdi></span>`
 }</th>
<td>${look ? html`<span title="${look.meaning}">${badge(look.text, look.tone)}</span>` : row.Status}</td>
<td class="small"><bdi>${row.Detail ?? ''}</bdi></td>
<td class="nowrap">${shortTimeMark(call, row.SentDate)}</td>
<td class="nowrap">${shortTimeMark(call, row.ReceivedDate)}</td>
<td class="nowrap">${shortTimeMark(call, row.ReadDate)}</td>${
      hasMessage && html`<td><a class="link" href="${messagePath(row.MessageID)}">Message</a></td>`
    }</tr>\n`;
  };
  return table({
    label: 'Recipients',
    heads: [
      'Recipient',
      'State',
      'Last answer',
      'Sent',
      'Delivered',
      'Read',
      hasMessage && { text: 'Message', isHidden: true },
    ],
    rows: rows.map(line),
  });
}

function exportLink(ids: readonly number[], state: string | undefined): Markup {
  const query = new URLSearchParams({
    MessageID: ids.join(','),
    OrderBy: 'MessageRecipientID',
    SqlColumns: 'MessageID,MessageRecipient,Name,Status,Detail,SentDate,ReceivedDate,ReadDate',
    DisplaySize: '10000',
    RecordCount: 'false',
    Output: 'Csv',
  });
  for (const each of statesOf(state)) query.append('Status', each);
  return buttonLink({
    text: 'Download as CSV',
    icon: 'export',
    href: `/api/messagerecipient/search?${query.toString()}`,
    download: 'recipients.csv',
  });
}

function resendForm(call: PageCall, id: number, failed: number): Markup {
  const count = Math.min(failed, RESENT_MAX);
  return html`<form method="post" action="${recipientsPath(id)}">${csrfField(call)}${button({
    text: `Send again to ${count < failed ? 'the first ' : ''}${groupDigits(String(count))}`,
    icon: 'refresh',
  })}</form>`;
}
