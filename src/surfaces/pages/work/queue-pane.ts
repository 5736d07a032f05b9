import { html, type Markup } from '../../../kernel/render/markup.ts';
import { plural, recentTime, shortDueWords } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, itemTitle, type ItemCases, type UpcomingRow } from './item-cases.ts';
import type { ItemRow } from './current-item.ts';
import { queueOf, workPath } from './work-address.ts';

/** What the list of coming items shows. */
export interface QueueParts {
  readonly rows: readonly UpcomingRow[];
  readonly cases: ItemCases;
  /** All items that the user may get, with those that are not listed. */
  readonly total: number;
  readonly currentId: number | undefined;
  readonly nextCursor: string | null;
}

/** Renders the coming items in the order in which they are next. */
export function queuePane(call: PageCall, { rows, cases, total, currentId, nextCursor }: QueueParts): Markup {
  const queue = queueOf(call);
  const allQueues = html`<a class="link" href="/work">All queues</a>`;
  const more =
    nextCursor !== null &&
    html`<p class="queue-more">
<a class="link" href="${workPath(call, currentId, { after: nextCursor })}">More items</a></p>`;
  return html`<nav class="work-queue scroll" aria-label="Coming items" tabindex="0">
<header class="row"><h2 class="cut"><bdi>${queue === '' ? 'Queue' : queue}</bdi></h2>
<span class="muted small nowrap">${plural(total, 'item')} left</span>
<span class="end small muted nowrap">${queue === '' ? 'As they come' : allQueues}</span></header>
<ol>${rows.map((row) => queueLine(call, row, cases, row.SmartWorklistMemberID === currentId))}</ol>
${more}
</nav>`;
}

function queueLine(call: PageCall, row: UpcomingRow, cases: ItemCases, isCurrent: boolean): Markup {
  const due = shortDueWords(call, row.DueDate);
  const { name = '' } = cases.get(caseKey(row)) ?? {};
  const reason = (row.Reason ?? '') === '' ? (row.Team ?? '') : row.Reason;
  const path = workPath(call, row.SmartWorklistMemberID ?? '');
  return html`<li${isCurrent && html` aria-current="true"`}><a href="${path}">
<span class="cut"><bdi>${itemTitle(call, row)}</bdi></span><span class="small nowrap ${due.tone}">${due.text}</span>
<span class="small soft cut"><bdi>${name}</bdi></span><span class="small muted cut"><bdi>${reason}</bdi></span>
</a></li>\n`;
}

/** Renders the user's own items that wait for a day or for a hold to end. */
export function waitingPane(
  call: PageCall,
  rows: readonly ItemRow[],
  cases: ItemCases,
  currentId: number | undefined,
): Markup {
  const line = (row: ItemRow): Markup => {
    const key = caseKey({ Object: row.SourceObject, ObjectID: row.SourceObjectID });
    const until = row.SkipDate === null ? 'on hold' : `until ${recentTime(call, row.SkipDate)}`;
    const isCurrent = row.SmartWorklistMemberID === currentId;
    return html`<li${isCurrent && html` aria-current="true"`}>
<a href="${workPath(call, row.SmartWorklistMemberID, { list: 'waiting' })}">
<span class="cut"><bdi>${itemTitle(call, row)}</bdi></span><span class="small nowrap">${until}</span>
<span class="small soft cut"><bdi>${cases.get(key)?.name ?? ''}</bdi></span>
<span class="small muted cut"><bdi>${row.Reason}</bdi></span></a></li>\n`;
  };
  return html`<nav class="work-queue scroll" aria-label="Waiting items" tabindex="0">
<header class="row"><h2>Waiting on others</h2>
<span class="end small"><a class="link" href="/work">Queue</a></span></header>
${rows.length === 0 && html`<p class="soft queue-more">None of your items is waiting.</p>`}
<ol>${rows.map(line)}</ol>
</nav>`;
}
