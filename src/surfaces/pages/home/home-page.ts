import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import { longToday } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { doneToast } from '../work/done-words.ts';
import { loadItemCases, type ItemCases, type UpcomingRow } from '../work/item-cases.ts';
import { afterCard } from './after-card.ts';
import { attentionCard } from './attention-card.ts';
import { importsCard } from './imports-card.ts';
import { nextCard } from './next-card.ts';
import { loadPart, partOrFailure, type LoadedPart } from './part.ts';
import { queuesCard } from './queues-card.ts';
import { recentCard } from './recent-card.ts';
import { teamCard } from './team-card.ts';
import { dueTodayAfter, workloadHead, type Workload } from './workload-head.ts';

/** Items after the next one that the page lists. */
const AFTER_MAX = 8;

/** Shows the next work item with its reason, the rest of the day, and what else needs the user. */
export const homePage = page(async (call) => {
  const works = call.may('smartworklistmember/next');
  const [workload, coming, queues, team, attention, imports, recent] = await Promise.all([
    works && loadPart(call, 'The count of your work', () => loadWorkload(call)),
    works && loadPart(call, 'Your work', () => loadComing(call)),
    partOrFailure(call, 'The list of queues', () => queuesCard(call)),
    partOrFailure(call, 'The output of your team', () => teamCard(call)),
    partOrFailure(call, 'The list of what needs attention', () => attentionCard(call)),
    partOrFailure(call, 'The list of failed imports', () => importsCard(call)),
    !works && partOrFailure(call, 'The list of the newest cases', () => recentCard(call)),
  ]);
  const counts = workload && 'data' in workload ? workload.data : undefined;
  const center = [coming && afterPart(call, coming, counts), recent, queues].filter((part) => part !== false);
  const side = [attention, team, imports].filter((part) => part !== false);
  return {
    title: 'Home',
    place: 'home',
    toasts: doneToast(call),
    body: html`<div class="page wide home">
${counts ? workloadHead(call, counts) : html`<h1>${longToday(call)}</h1>`}
${workload && 'failure' in workload && workload.failure}
${coming && nextPart(call, coming)}
<div class="home-columns${(side.length === 0 || center.length === 0) && ' single'}">
${center.length > 0 && html`<div class="stack">${center}</div>`}
${side.length > 0 && html`<div class="stack">${side}</div>`}
</div>
${coming === false && center.length + side.length === 0 && nothingHere}
</div>`,
  };
});

const nothingHere = emptyState({
  title: 'There is nothing here for you yet.',
  text: 'Your roles show no cases and no work. Your administrator can change that.',
});

/** The next items of a user, and what names their cases. */
interface ComingItems {
  readonly rows: readonly UpcomingRow[];
  readonly cases: ItemCases;
}

async function loadWorkload(call: PageCall): Promise<Workload> {
  return (await call.call('smartworklistmember/workload', {})).answer.row;
}

async function loadComing(call: PageCall): Promise<ComingItems> {
  const { answer } = await call.call('smartworklistmember/upcoming', { DisplaySize: AFTER_MAX + 1 });
  return { rows: answer.rows, cases: await loadItemCases(call, answer.rows) };
}

function nextPart(call: PageCall, coming: LoadedPart<ComingItems>): Markup {
  return 'failure' in coming ? coming.failure : nextCard(call, coming.data.rows[0], coming.data.cases);
}

function afterPart(call: PageCall, coming: LoadedPart<ComingItems>, counts: Workload | undefined): Markup | false {
  if ('failure' in coming) return false;
  const { rows, cases } = coming.data;
  const after = rows.slice(1);
  return afterCard(call, after, cases, counts && dueTodayAfter(counts, rows[0]));
}
