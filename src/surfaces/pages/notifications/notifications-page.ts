import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon, type IconName } from '../design/icons.ts';
import { toast } from '../design/toast.ts';
import { localDateTime, recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { followButton } from './follow-button.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';

type NotificationRow = AnswerRowFor<'notification/mine'>;

/** Notifications of one page. */
const PAGE_ROWS = 50;

const icons: Readonly<Record<NotificationRow['Kind'], IconName>> = {
  Stage: 'flag',
  Hold: 'hold',
  Date: 'calendar',
  Document: 'document',
  Message: 'note',
  Task: 'task',
  Mention: 'person',
  Assignment: 'assign',
};

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
  const labels = await loadLabels(call, [
    { columns: [], rows },
    { columns: [], rows: follows },
  ]);
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
${filterLink(unread)}${markAllForm(call, rows[0])}</div></div>
<div id="notification-list" data-live="me/notification">${list(call, rows, labels, unread)}</div>
${older && html`<p class="row">${older}</p>`}
${followedCard(call, follows, labels)}
</div>`,
  };
});

/** Marks a notification as read and goes to what it is about. */
export const openNotification = page(async (call) => {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('notification/mine', { Before: id + 1, Size: 1 });
  const [row] = answer.rows;
  if (row?.NotificationID !== id) return { redirectTo: '/notifications' };
  await call.call('notification/markread', { ID: [id] });
  return { redirectTo: addressOf(call, row) };
});

/** Marks all notifications as read that the user has seen. */
export const markNotificationsRead = page(async (call) => {
  const upTo = plainText(call.form['UpTo']);
  await call.call('notification/markallread', upTo === '' ? {} : { UpTo: upTo });
  return { redirectTo: '/notifications?done=read' };
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

function markAllForm(call: PageCall, latest: NotificationRow | undefined): Markup | false {
  if (latest === undefined) return false;
  return html`<form method="post" action="/notifications/read">${csrfField(call)}
${hiddenField('UpTo', String(latest.NotificationID))}
${button({ text: 'Mark all as read', icon: 'check' })}</form>`;
}

function list(call: PageCall, rows: readonly NotificationRow[], labels: Labels, unread: boolean): Markup {
  if (rows.length === 0)
    return emptyState({
      title: unread ? 'Nothing unread' : 'No notifications yet',
      text: 'Follow a case to learn of its dates, holds, documents and tasks. Mentions and assignments come without.',
      action: buttonLink({ text: 'What to be notified of', href: '/preferences#notify' }),
      icon: 'bell',
    });
  return html`<ul class="notifications">${rows.map((row) => line(call, row, labels))}</ul>`;
}

function line(call: PageCall, row: NotificationRow, labels: Labels): Markup {
  const { NotificationID: id, Notification: what, CreatedDate: at } = row;
  const isUnread = row.ReadDate === null;
  const mark = isUnread && html`<span class="hidden">Unread: </span>`;
  return html`<li id="notification-${id}" data-row class="notification${isUnread && ' unread'}">
<a href="/notifications/${id}">${icon(icons[row.Kind])}
<span class="notification-text"><span class="notification-what">${mark}<bdi>${what}</bdi></span>
<span class="small soft cut"><bdi>${labelOf(call, row, labels)}</bdi></span></span>
<time class="small muted" datetime="${at}">${localDateTime(call, at)}</time></a></li>\n`;
}

/** Renders what the user follows, with a way to stop. */
function followedCard(call: PageCall, follows: readonly AnswerRowFor<'follow/mine'>[], labels: Labels): Markup | false {
  if (follows.length === 0) return false;
  const followed = (row: AnswerRowFor<'follow/mine'>): Markup => {
    const { Object: object, ObjectID: id } = row;
    const label = labelOf(call, row, labels);
    return html`<li class="followed"><a class="cut" href="${addressOf(call, row)}"><bdi>${label}</bdi></a>
<span class="small soft cut"><bdi>${row.Latest}</bdi></span>
${followButton(call, { object, id, isFollowing: true, back: '/notifications', of: label })}</li>\n`;
  };
  return card({
    id: 'followed',
    title: 'You follow',
    note: follows.length,
    body: html`<ul class="followed-list">${follows.map(followed)}</ul>`,
  });
}

/** Returns what people call a record: its label, or its type and id. */
function labelOf(
  { platform }: PageCall,
  { Object: object, ObjectID: id }: Pick<NotificationRow, 'Object' | 'ObjectID'>,
  labels: Labels,
): string {
  const label = labels.get(object)?.get(id) ?? '';
  return label === '' ? `${platform.registry.record(object)?.title ?? object} ${id}` : label;
}

/** Returns the address of the record that a notification is about. */
function addressOf(
  call: PageCall,
  { Object: object, ObjectID: id }: Pick<NotificationRow, 'Object' | 'ObjectID'>,
): string {
  const record = call.platform.registry.record(object);
  if (!record) return '/notifications';
  return record.root.name === 'Process' ? casePath(record, id) : recordPath(record.module, id);
}
