import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { dayHead, localDay, timeOfDay, today } from '../days.ts';
import { icon, type IconName } from '../design/icons.ts';
import { openPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, type ItemCases, type RecordReference } from '../work/item-cases.ts';

export type NotificationRow = AnswerRowFor<'notification/mine'>;

/** The icons of what happened. */
export const notificationIcons: Readonly<Record<NotificationRow['Kind'], IconName>> = {
  Stage: 'flag',
  Hold: 'hold',
  Date: 'calendar',
  Document: 'document',
  Message: 'note',
  Task: 'task',
  Mention: 'person',
  Assignment: 'assign',
  Payment: 'money',
};

/** Renders notifications under their days, those about one record together. `level`: of the days' headings. */
export function notificationDays(
  call: PageCall,
  rows: readonly NotificationRow[],
  cases: ItemCases,
  level: 'h2' | 'h3',
): Markup {
  const now = today(call);
  const days = [...Map.groupBy(rows, ({ CreatedDate }) => localDay(call, CreatedDate))];
  const tag = { markup: level };
  return html`${days.map(
    ([day, of]) => html`<section class="notice-day"><${tag} class="notice-head">${dayHead(day, now)}</${tag}>
<ul class="notifications">${[...Map.groupBy(of, caseKey).values()].map((group) => recordGroup(call, group, cases))}</ul>
</section>\n`,
  )}`;
}

/** Renders what happened on one day to one record. */
function recordGroup(call: PageCall, rows: readonly NotificationRow[], cases: ItemCases): Markup {
  const [first] = rows;
  if (!first) return html``;
  const { name = '', place = '' } = cases.get(caseKey(first)) ?? {};
  return html`<li class="notice-group"><p class="small soft cut"><bdi>${recordName(call, first, name)}</bdi>${
    place !== '' && html` <bdi class="muted">${place}</bdi>`
  }</p>
<ul>${rows.map((row) => notificationLine(call, row))}</ul></li>\n`;
}

function notificationLine(call: PageCall, row: NotificationRow): Markup {
  const { NotificationID: id, Notification: what, CreatedDate: at } = row;
  const isUnread = row.ReadDate === null;
  const mark = isUnread && html`<span class="hidden">Unread: </span>`;
  return html`<li id="notification-${id}" data-row class="notification${isUnread && ' unread'}">
<a href="/notifications/${id}">${icon(notificationIcons[row.Kind])}
<span class="notification-what">${mark}<bdi>${what}</bdi></span>
<span class="small muted nowrap">${timeOfDay(call, at)}</span></a></li>\n`;
}

/** Returns what people call a record: the given name, or else its type and number. */
export function recordName(
  { platform }: PageCall,
  { Object: object, ObjectID: id }: RecordReference,
  name = '',
): string {
  if (name !== '') return name;
  return `${platform.registry.record(object ?? '')?.title ?? object ?? ''} ${id ?? ''}`.trim();
}

/** Returns the address of the record that a notification is about; of a queue, where its items are worked on. */
export function notificationAddress(call: PageCall, { Object: object, ObjectID: id }: RecordReference): string {
  const record = call.platform.registry.record(object ?? '');
  if (!record || id === null) return '/notifications';
  if (record.name === 'SmartWorklist') return '/work';
  return record.root.name === 'Process' ? casePath(record, id) : openPath(record.module, id);
}
