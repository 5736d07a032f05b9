import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { ageText } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';

/** Queues that the card lists: those with the most overdue items that nobody has. */
const QUEUES_MAX = 4;

/** Renders the queues of the user's teams that have unassigned items. */
export async function queuesCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklist/counts') || !call.may('smartworklistmember/next')) return false;
  const { answer } = await call.call('smartworklist/teamqueues', {});
  const queues = answer.rows
    .filter(({ Unassigned: count }) => (count ?? 0) > 0)
    .toSorted((a, b) => (b.OverdueUnassigned ?? 0) - (a.OverdueUnassigned ?? 0))
    .slice(0, QUEUES_MAX);
  if (queues.length === 0) return false;
  return card({
    id: 'queues',
    title: 'Queues you can help',
    actions: html`<a class="button quiet" href="/team">All queues ${icon('chevronRight', 14)}</a>`,
    body: html`<ul class="help-queues">${queues.map(
      ({ SmartWorklist: name, Unassigned: count, OldestUnassignedDate: oldest, OverdueUnassigned: late }) => html`<li>
<a href="/work?${new URLSearchParams({ queue: name ?? '' }).toString()}"><b>${count}</b><span><bdi>${name}</bdi>
<span class="small muted">${late !== null && late > 0 && html`<span class="late">${late} overdue</span>, `}${
        oldest !== null && `oldest ${ageText(call, oldest)}`
      }</span></span></a></li>\n`,
    )}</ul>`,
  });
}
