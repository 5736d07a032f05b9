import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { toast } from '../design/toast.ts';
import { recentTime } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { caseKey, loadItemCases, type ItemCases } from '../work/item-cases.ts';
import { followButton } from './follow-button.ts';
import { notificationAddress, notificationDays, recordName, type NotificationRow } from './notification-list.ts';

/** Notifications of one page, and of the panel that the bell opens. */
const PAGE_ROWS = 50;
const PANEL_ROWS = 20;

/** Lists what happened that the user wants to know, the latest first. */
export const notificationsPage = page(async (call) => {
  const unread = call.query['Unread'] === 'true';
  const before = plainText(call.query['Before']);
  const [{ answer }, followed] = await Promise.all([
    call.call('notification/mine', { Size: PAGE_ROWS, Unread: unread, ...(before === '' ? {} : { Before: before }) }),
    call.call('follow/mine', {}),
  ]);
  const { rows } = answer;
  const follows = followed.answer.rows;
  const cases = await loadItemCases(call, [...rows, ...follows]);
  const last = rows.at(-1);
  const older =
    rows.length === PAGE_ROWS &&
    last !== undefined &&
    buttonLink({ text: 'Older', href: pagePath(unread, last.NotificationID) });
  return {
    title: 'Notifications',
    place: 'notifications',
    toasts: call.query['done'] === 'read' ? [toast({ text: 'All marked as read' })] : [],
    body: html`<div class="page narrow">
<div class="page-head"><h1>Notifications</h1>
<div class="row" id="notification-tools" data-live="me/notification" data-live-mode="quiet">
${filterLink(unread)}${markAllForm(call, rows)}</div></div>
<div id="notification-list" data-live="me/notification">${
      rows.length === 0 ? nothing(unread) : notificationDays(call, rows, cases, 'h2')
    }</div>
${older && html`<p class="row">${older}</p>`}
${followedCard(call, follows, cases)}
</div>`,
  };
});

/** Returns the panel that the bell opens: the latest notifications, and what can be done with them. */
export const notificationPanel = page(async (call) => {
  const { rows } = (await call.call('notification/mine', { Size: PANEL_ROWS })).answer;
  const cases = await loadItemCases(call, rows);
  return {
    fragment: html`<section class="bell-panel" id="bell-panel" role="dialog"
 aria-labelledby="bell-panel-title" tabindex="-1">
<div class="bell-panel-head"><h2 id="bell-panel-title">Notifications</h2>${markAllForm(call, rows)}</div>
<div class="bell-panel-list scroll" tabindex="0" role="group" aria-label="Latest notifications">${
      rows.length === 0 ? nothing(false) : notificationDays(call, rows, cases, 'h3')
    }</div>
<div class="bell-panel-foot"><a class="link" href="/notifications">All notifications</a>
<a class="link end" href="/preferences#notify">What to be notified of</a></div>
</section>`,
  };
});

/** Marks what is known of a record up to a notification as read, and goes to the record. */
export const openNotification = page(async (call) => {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('notification/mine', { Before: id + 1, Size: 1 });
  const [row] = answer.rows;
  if (row?.NotificationID !== id) return { redirectTo: '/notifications' };
  await call.call('notification/markallread', { UpTo: id, SameRecord: true });
  return { redirectTo: notificationAddress(call, row) };
});

/** Marks all notifications as read that the user has seen, or those about followed records. */
export const markNotificationsRead = page(async (call): Promise<PageAnswer> => {
  const upTo = plainText(call.form['UpTo']);
  const isFollowed = plainText(call.form['Followed']) === 'true';
  await call.call('notification/markallread', { Followed: isFollowed, ...(upTo === '' ? {} : { UpTo: upTo }) });
  return { redirectTo: plainText(call.form['Back']) === '/' ? '/' : '/notifications?done=read' };
});

function pagePath(unread: boolean, before?: number): string {
  const query = new URLSearchParams({
    ...(unread ? { Unread: 'true' } : {}),
    ...(before === undefined ? {} : { Before: String(before) }),
  }).toString();
  return query === '' ? '/notifications' : `/notifications?${query}`;
}

function filterLink(unread: boolean): Markup {
  return unread
    ? buttonLink({ text: 'Show all', href: pagePath(false), kind: 'quiet' })
    : buttonLink({ text: 'Unread only', href: pagePath(true), kind: 'quiet' });
}

function markAllForm(call: PageCall, rows: readonly NotificationRow[]): Markup | false {
  const [latest] = rows;
  if (latest === undefined || rows.every(({ ReadDate }) => ReadDate !== null)) return false;
  return html`<form method="post" action="/notifications/read" data-mark-read>${csrfField(call)}
${hiddenField('UpTo', String(latest.NotificationID))}
${button({ text: 'Mark all as read', icon: 'check', kind: 'quiet' })}</form>`;
}

function nothing(unread: boolean): Markup {
  return emptyState({
    title: unread ? 'Nothing unread' : 'No notifications yet',
    text: 'Follow a case to be notified of its changes. Mentions and assignments arrive in any case.',
    action: buttonLink({ text: 'What to be notified of', href: '/preferences#notify' }),
    icon: 'bell',
  });
}

/** Renders what the user follows, with a way to stop. */
function followedCard(
  call: PageCall,
  follows: readonly AnswerRowFor<'follow/mine'>[],
  cases: ItemCases,
): Markup | false {
  if (follows.length === 0) return false;
  const followed = (row: AnswerRowFor<'follow/mine'>): Markup => {
    const { Object: object, ObjectID: id } = row;
    const label = recordName(call, row, cases.get(caseKey(row))?.name);
    const when = row.LatestDate !== null && html` · ${recentTime(call, row.LatestDate)}`;
    return html`<li class="followed"><a class="cut" href="${notificationAddress(call, row)}"><bdi>${label}</bdi></a>
<span class="small soft cut"><bdi>${row.Latest}</bdi>${when}</span>
${followButton(call, { object, id, isFollowing: true, back: '/notifications', of: label })}</li>\n`;
  };
  return card({
    id: 'followed',
    title: 'You follow',
    note: follows.length,
    body: html`<ul class="followed-list">${follows.map(followed)}</ul>`,
  });
}
