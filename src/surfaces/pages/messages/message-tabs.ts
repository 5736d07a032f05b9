import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { tabs, type Tab } from '../design/tabs.ts';
import type { PageCall } from '../page-call.ts';
import { INBOX_PATH } from './message-paths.ts';

/** Views of all messages that are offered as tabs. */
const VIEWS_MAX = 4;

/** The pages of messages that tabs lead to; `team:5` is the inbox of a team. */
export type MessageTab = 'inbox' | 'unfiled' | 'setaside' | 'all' | `team:${number}`;

/** A team whose mail the user may read together. */
export type MessageTeam = AnswerRowFor<'smartworklist/teams'>;

/** Returns the user's own teams. */
export async function readTeams(call: PageCall): Promise<readonly MessageTeam[]> {
  if (!call.may('smartworklist/teams')) return [];
  return (await call.call('smartworklist/teams', {})).answer.rows;
}

/** Renders the tabs of the pages of messages: inboxes, mail that needs a person, and views of all messages. */
export async function messageTabs(
  call: PageCall,
  current: MessageTab,
  { teams, unread }: { readonly teams: readonly MessageTeam[]; readonly unread?: number | undefined },
): Promise<Markup> {
  const [views, unfiled, setAside] = await Promise.all([readViews(call), countUnfiled(call), countSetAside(call)]);
  const shown: readonly (Tab | false)[] = [
    {
      href: INBOX_PATH,
      text: 'Inbox',
      isCurrent: current === 'inbox',
      ...((unread ?? 0) > 0 && { count: String(unread) }),
    },
    ...teams.map(({ TeamID, Team }) => ({
      href: `${INBOX_PATH}?team=${TeamID}`,
      text: html`<bdi>${Team}</bdi>`,
      isCurrent: current === `team:${TeamID}`,
    })),
    unfiled !== undefined && {
      href: `${INBOX_PATH}/unfiled`,
      text: 'Not filed',
      isCurrent: current === 'unfiled',
      ...(unfiled > 0 && { count: String(unfiled) }),
    },
    setAside !== undefined && {
      href: `${INBOX_PATH}/set-aside`,
      text: 'Set aside',
      isCurrent: current === 'setaside',
      ...(setAside > 0 && { count: String(setAside) }),
    },
    { href: `${INBOX_PATH}/all`, text: 'All messages', isCurrent: current === 'all' },
    ...views.map(({ ViewID, View }) => ({
      href: `${INBOX_PATH}/all?View=${ViewID}`,
      text: html`<bdi>${View}</bdi>`,
      isCurrent: false,
    })),
  ];
  return tabs(
    'Messages',
    shown.filter((tab) => tab !== false),
  );
}

async function readViews(call: PageCall) {
  return (await call.call('view/mine', { RecordType: 'Message' })).answer.rows.slice(0, VIEWS_MAX);
}

/** Most messages that are counted; a longer queue shows this many. */
const COUNTED_MAX = 99;

/** Counts received messages that are on no record; undefined for users who do not see them. */
async function countUnfiled(call: PageCall): Promise<number | undefined> {
  if (!call.user.universal || !call.may('message/file')) return undefined;
  const { answer } = await call.call('message/search', {
    Status: 'Unfiled',
    SqlColumns: 'MessageID',
    DisplaySize: COUNTED_MAX,
    RecordCount: 'false',
  });
  return answer.rows.length;
}

async function countSetAside(call: PageCall): Promise<number | undefined> {
  if (!call.user.universal || !call.may('mailreceipt/search')) return undefined;
  const { answer } = await call.call('mailreceipt/search', {
    Status: 'SetAside',
    SqlColumns: 'MailReceiptID',
    DisplaySize: COUNTED_MAX,
    RecordCount: 'false',
  });
  return answer.rows.length;
}
