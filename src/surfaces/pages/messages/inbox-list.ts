import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { avatar } from '../design/avatar.ts';
import { icon } from '../design/icons.ts';
import { shortTimeMark } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, type ItemCases } from '../work/item-cases.ts';

/** A conversation of the list. */
export type ThreadRow = AnswerRowFor<'inbox/threads'>;

/** What the list needs besides its rows. */
export interface InboxContext {
  readonly cases: ItemCases;
  /** Names of our own users, by their ids. */
  readonly people: ReadonlyMap<number, string>;
  /** The conversation that is shown beside the list. */
  readonly current: number | undefined;
  /** Returns the address at which a conversation is shown beside the list. */
  readonly pathOf: (threadId: number) => string;
  /** Whether unread conversations come first, below a heading of their own. */
  readonly hasUnreadFirst: boolean;
  /** Whether all are about one case, which is not named then. */
  readonly isOfCase?: boolean;
}

/** Renders conversations: unread ones first, below a heading of their own. */
export function inboxList(call: PageCall, rows: readonly ThreadRow[], context: InboxContext): Markup {
  const isFirst = ({ Unread }: ThreadRow): boolean => context.hasUnreadFirst && Unread > 0;
  const [first, others] = [rows.filter(isFirst), rows.filter((row) => !isFirst(row))];
  const part = (title: string, own: readonly ThreadRow[], id: string): Markup | false =>
    own.length > 0 &&
    html`<h2 class="thread-part" id="${id}">${title}</h2><ul aria-labelledby="${id}">${own.map((row) =>
      threadLine(call, row, context),
    )}</ul>`;
  if (first.length === 0 || others.length === 0)
    return html`<ul aria-label="Conversations">${rows.map((row) => threadLine(call, row, context))}</ul>`;
  return html`${part('Unread', first, 'threads-unread')}${part('Everything else', others, 'threads-other')}`;
}

/** Renders a conversation: with whom, about what, and how it begins. */
export function threadLine(call: PageCall, row: ThreadRow, context: InboxContext): Markup {
  const { ThreadID: id, Unread: unread } = row;
  const who = correspondent(row, context);
  const about = context.cases.get(caseKey({ Object: row.Object ?? null, ObjectID: row.ObjectID ?? null }));
  const subject = (row.Message ?? '').trim() || 'No subject';
  return html`<li><a class="thread-line${unread > 0 && ' unread'}" id="thread-${id}" data-row data-thread="${id}"
 href="${context.pathOf(id)}"${id === context.current && html` aria-current="true"`}>
<span class="thread-dot">${unread > 0 && html`<span class="hidden">Unread: </span>`}</span>${avatar(who, true)}
<span class="thread-who cut"><bdi>${!row.IsReceived && html`<span class="muted">To </span>`}${who}</bdi>${
    row.Messages > 1 &&
    html` <span class="muted thread-size">${row.Messages}<span class="hidden"> messages</span></span>`
  }</span>
<span class="thread-time small muted">${row.HasAttachments && icon('attach', 12)}${shortTimeMark(
    call,
    row.LatestDate,
  )}</span>
<span class="thread-subject cut"><bdi>${subject}</bdi></span>
${
  context.isOfCase !== true &&
  html`<span class="thread-case cut small">${
    about
      ? html`<bdi>${about.name}</bdi>`
      : html`<span
 class="soon">Not filed</span>`
  }</span>`
}
<span class="thread-text cut muted small"><bdi>${row.Snippet ?? ''}</bdi></span></a></li>\n`;
}

/** Returns with whom the conversation is: the sender of its latest message, or the recipients of one of ours. */
function correspondent(row: ThreadRow, { people }: InboxContext): string {
  if (!row.IsReceived)
    return (row.Recipients ?? '').trim() || (people.get(row.CreatedPersonID ?? 0) ?? '').trim() || 'Nobody';
  return (row.FromName ?? '').trim() || (row.FromAddress ?? '').trim() || 'Unknown sender';
}
