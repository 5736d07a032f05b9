import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { plural, recentTime } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import { notificationAddress, notificationIcons, recordName } from '../notifications/notification-list.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, loadItemCases, type ItemCases } from '../work/item-cases.ts';

type FollowedRow = AnswerRowFor<'follow/mine'>;

/** Followed records that the card lists: those that changed last. */
const FOLLOWED_MAX = 5;

/** Renders what has changed on the records that the user follows, the latest first. */
export async function followedCard(call: PageCall): Promise<Markup | false> {
  const { rows } = (await call.call('follow/mine', {})).answer;
  if (rows.length === 0) return false;
  const shown = rows.slice(0, FOLLOWED_MAX);
  const cases = await loadItemCases(call, shown);
  const changed = rows.filter(({ Unread }) => Unread > 0).length;
  return card({
    id: 'followed',
    title: 'Cases you follow',
    note: changed > 0 ? `${changed} changed since you looked` : `${plural(rows.length, 'case')}, nothing new`,
    actions: html`${changed > 0 && markReadForm(call, rows)}
<a class="button quiet" href="/notifications">All${icon('chevronRight', 14)}</a>`,
    attributes: html`data-live="me/notification"`,
    body: html`<ul class="list followed-changes">${shown.map((row) => followedLine(call, row, cases))}</ul>`,
  });
}

function markReadForm(call: PageCall, rows: readonly FollowedRow[]): Markup {
  const latest = Math.max(...rows.map(({ LatestID }) => LatestID ?? 0));
  return html`<form method="post" action="/notifications/read">${csrfField(call)}${hiddenField(
    'UpTo',
    String(latest),
  )}${hiddenField('Followed', 'true')}${hiddenField('Back', '/')}${button({
    text: 'Mark as read',
    kind: 'quiet',
    of: ': changes of cases you follow',
  })}</form>`;
}

function followedLine(call: PageCall, row: FollowedRow, cases: ItemCases): Markup {
  const { LatestID: id, LatestKind: kind, LatestDate: at, Unread: unread } = row;
  const { name = '', place = '' } = cases.get(caseKey(row)) ?? {};
  const address = id === null ? notificationAddress(call, row) : `/notifications/${id}`;
  const more = unread > 1 && html` <span class="muted">and ${unread - 1} more</span>`;
  return html`<li id="followed-${row.Object}-${row.ObjectID}-${id ?? 0}" data-row class="${unread > 0 && 'unread'}">
<a href="${address}">${icon(kind === null ? 'star' : notificationIcons[kind])}
<span class="followed-name cut"><bdi>${recordName(call, row, name)}</bdi></span>
<span class="followed-what soft cut">${unread > 0 && html`<span class="hidden">New: </span>`}<bdi>${
    row.Latest ?? place
  }</bdi>${more}</span>
<span class="followed-when muted nowrap">${at !== null && recentTime(call, at)}</span></a></li>\n`;
}
