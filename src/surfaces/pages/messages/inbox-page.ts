import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { keyHint } from '../design/keys.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { loadPeople } from '../people.ts';
import { plainText } from '../plain-text.ts';
import { loadItemCases } from '../work/item-cases.ts';
import { inboxList, type ThreadRow } from './inbox-list.ts';
import { composePath, INBOX_PATH } from './message-paths.ts';
import { messageTabs, readTeams, type MessageTeam } from './message-tabs.ts';
import { messageToasts } from './message-toasts.ts';
import type { Thread } from './read-thread.ts';
import { openThread, threadPane } from './thread-pane.ts';

/** Conversations of a page; with as many there may be more. */
const PAGE_ROWS = 50;

const SHOWN = [
  { value: 'Received', text: 'All' },
  { value: 'Unread', text: 'Unread' },
  { value: 'Sent', text: 'Sent' },
] as const;

/** What the address says about the inbox. */
interface InboxChoice {
  readonly show: (typeof SHOWN)[number]['value'];
  readonly team: MessageTeam | undefined;
  readonly before: string;
  readonly thread: number | undefined;
}

/** Shows the inbox of the user or of a team: its conversations, and one of them beside the list. */
export const inboxPage = page(async (call) => {
  // Earlier versions had the list of all messages here.
  if (['View', 'Field', 'Sort'].some((name) => call.query[name] !== undefined))
    return { redirectTo: `${INBOX_PATH}/all?${new URLSearchParams(call.query as Record<string, string>).toString()}` };
  const teams = await readTeams(call);
  const choice = choiceOf(call, teams);
  const thread = choice.thread === undefined ? undefined : await openThread(call, choice.thread);
  const [{ answer }, unread] = await Promise.all([
    call.call('inbox/threads', {
      Show: choice.show,
      DisplaySize: PAGE_ROWS,
      ...(choice.team && { TeamID: choice.team.TeamID ?? 0 }),
      ...(choice.before !== '' && { Before: choice.before }),
    }),
    call.call('inbox/unread', {}).then((counted) => counted.answer.row.Unread),
  ]);
  return inboxAnswer(call, choice, { rows: answer.rows, thread, teams, unread });
});

function choiceOf(call: PageCall, teams: readonly MessageTeam[]): InboxChoice {
  const show = plainText(call.query['show']);
  const thread = Number(call.query['thread']);
  return {
    show: SHOWN.find(({ value }) => value === show)?.value ?? 'Received',
    team: teams.find(({ TeamID }) => String(TeamID) === call.query['team']),
    before: plainText(call.query['before']),
    thread: Number.isSafeInteger(thread) && thread > 0 ? thread : undefined,
  };
}

/** Returns the address of the inbox with other words in its query. */
function inboxPath({ show, team, before, thread }: InboxChoice): string {
  const query = new URLSearchParams({
    ...(team && { team: String(team.TeamID) }),
    ...(show !== 'Received' && { show }),
    ...(before !== '' && { before }),
    ...(thread !== undefined && { thread: String(thread) }),
  }).toString();
  return query === '' ? INBOX_PATH : `${INBOX_PATH}?${query}`;
}

interface InboxParts {
  readonly rows: readonly ThreadRow[];
  readonly thread: Thread | undefined;
  readonly teams: readonly MessageTeam[];
  readonly unread: number;
}

async function inboxAnswer(
  call: PageCall,
  choice: InboxChoice,
  { rows, thread, teams, unread }: InboxParts,
): Promise<PageAnswer> {
  const here = inboxPath(choice);
  const list = inboxPath({ ...choice, thread: undefined });
  const [head, people, cases, pane] = await Promise.all([
    messageTabs(call, choice.team ? `team:${choice.team.TeamID ?? 0}` : 'inbox', { teams, unread }),
    loadPeople(
      call,
      rows.map(({ CreatedPersonID }) => CreatedPersonID),
    ),
    loadItemCases(
      call,
      rows
        .filter(({ ObjectID }) => (ObjectID ?? null) !== null)
        .map(({ Object: object, ObjectID: id }) => ({ Object: object ?? null, ObjectID: id ?? null })),
    ),
    thread && threadPane(call, thread, { path: here, list, heading: 'h2' }),
  ]);
  const title = choice.team ? `${choice.team.Team ?? 'Team'}: inbox` : 'Inbox';
  const context = {
    cases,
    people,
    current: thread?.id,
    pathOf: (id: number) => inboxPath({ ...choice, thread: id }),
    hasUnreadFirst: choice.show === 'Received',
  };
  return {
    title,
    place: 'messages',
    crumbs: [{ text: 'Messages', href: INBOX_PATH }, { text: title }],
    hasPanes: true,
    entries: ['messages', 'case'],
    toasts: messageToasts(call, here),
    body: html`<message-inbox class="inbox${thread !== undefined && ' has-thread'}" id="inbox" data-list="${list}">
<div class="list-head"><h1>Messages</h1>${head}<span class="row end">${writeButton(call, here)}</span></div>
<div class="inbox-body">
<div class="inbox-side">
${showLinks(choice)}
<div class="inbox-list scroll" id="inbox-list" data-live="message" tabindex="0" role="region" aria-label="${title}">
${rows.length === 0 ? nothing(choice) : inboxList(call, rows, context)}
${older(choice, rows)}</div>
${keysLine}
</div>
<section class="inbox-thread scroll" id="inbox-thread" tabindex="0"
 aria-label="Conversation">${pane ?? chooseOne}</section>
</div></message-inbox>`,
  };
}

function writeButton(call: PageCall, back: string): Markup | false {
  return (
    call.may('message/generate') &&
    buttonLink({ text: 'Write', icon: 'pencil', kind: 'primary', key: 'c', href: composePath({ Back: back }) })
  );
}

function showLinks(choice: InboxChoice): Markup {
  return html`<nav class="kinds inbox-kinds" aria-label="Show">${SHOWN.map(
    ({ value, text }) =>
      html`<a href="${inboxPath({ ...choice, show: value, before: '', thread: undefined })}"${
        value === choice.show && html` aria-current="true"`
      }>${text}</a>\n`,
  )}</nav>`;
}

function older(choice: InboxChoice, rows: readonly ThreadRow[]): Markup | false {
  const last = rows.at(-1);
  if (!last || rows.length < PAGE_ROWS) return false;
  const href = inboxPath({ ...choice, before: last.Cursor, thread: undefined });
  return html`<p class="older">${buttonLink({ text: 'Older conversations', href })}</p>`;
}

function nothing({ show, before, team }: InboxChoice): Markup {
  if (before !== '') return emptyState({ icon: 'message', title: 'No older conversations.' });
  if (show === 'Unread')
    return emptyState({
      icon: 'check',
      title: 'No unread mail.',
      action: html`<a class="button" href="${INBOX_PATH}">Show all conversations</a>`,
    });
  const whose = team ? 'the users of this team follow or are responsible for' : 'you follow or are responsible for';
  return emptyState({
    icon: 'message',
    title: show === 'Sent' ? 'Nothing has been sent yet.' : 'No mail yet.',
    text: `Mail on cases that ${whose}, and answers to messages that were sent, appear here.`,
  });
}

const chooseOne = emptyState({
  icon: 'message',
  title: 'Choose a conversation.',
  text: 'It opens here, next to the list.',
});

const hint = (keys: readonly string[], text: string): Markup =>
  html`${keys.map((key) => keyHint(key))}<span>${text}</span>`;

const keysLine = html`<p class="inbox-keys hints row small" aria-hidden="true">${hint(['j', 'k'], 'move')}${hint(
  ['r'],
  'reply',
)}${hint(['e'], 'done')}${hint(['u'], 'unread')}${hint(['c'], 'write')}</p>`;
