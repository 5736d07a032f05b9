import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { progress } from '../design/progress.ts';
import { longToday, plural, timeOfDay } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import type { UpcomingRow } from '../work/item-cases.ts';

/** The numbers of a user's work. */
export type Workload = AnswerRowFor<'smartworklistmember/workload'>;

/** Renders the day, how much of it is done, and what is due. */
export function workloadHead(call: PageCall, counts: Workload): Markup {
  const { DoneToday: done, Overdue: late, DueToday: today, DueTomorrow: tomorrow, Waiting: waiting } = counts;
  const total = done + late + today;
  const sentence = workloadSentence(call, counts);
  const tile = (count: number, text: string, tone = ''): Markup =>
    html`<li><a href="/work"><b class="${count > 0 ? tone : ''}">${count}</b><span>${text}</span></a></li>\n`;
  return html`<div class="home-head">
<div><h1>${longToday(call)}</h1>
<p class="soft">${total > 0 ? progress(done, total, sentence) : sentence}</p>
</div>
<ul class="tally">${tile(late, 'Overdue', 'late')}${tile(today, 'Due today')}${tile(tomorrow, 'Tomorrow')}
<li><a href="/work?list=waiting"><b>${waiting}</b><span>Waiting on others</span></a></li></ul>
</div>`;
}

/** Returns how much of today's work is done, and when the rest will be at the usual pace. */
function workloadSentence(call: PageCall, counts: Workload): string {
  const { DoneToday: done, Overdue: late, DueToday: today, FinishDate: finish, UsualPerDay: usual } = counts;
  const total = done + late + today;
  if (total === 0) return counts.Unassigned + counts.Own === 0 ? 'You have no open items.' : 'Nothing is due today.';
  const part = `${done} of ${total} done.`;
  if (done === total) return `${part} That is all for today.`;
  if (finish !== null) return `${part} At your usual pace you finish about ${timeOfDay(call, finish)}.`;
  if (usual === null) return part;
  return `${part} You usually finish ${plural(Math.round(Number(usual)), 'item')} a day.`;
}

/** Returns how many items besides the next one are overdue or due today, in words. Undefined without any. */
export function dueTodayAfter(
  { Overdue: late, DueToday: today }: Workload,
  next: UpcomingRow | undefined,
): string | undefined {
  const isNextDue = next?.DueDate !== null && next?.DueDate !== undefined ? 1 : 0;
  const left = Math.max(0, late + today - isNextDue);
  return left === 0 ? undefined : `${left} more due`;
}
