import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import { welcomeNote } from '../first-run/welcome-page.ts';
import { longToday } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { doneToast } from '../work/done-words.ts';
import { loadItemCases, type ItemCases, type UpcomingRow } from '../work/item-cases.ts';
import { afterCard } from './after-card.ts';
import { attentionCard } from './attention-card.ts';
import { importsCard } from './imports-card.ts';
import { nextCard } from './next-card.ts';
import { followedCard } from './followed-card.ts';
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
  const [workload, coming, ...parts] = await Promise.all([
    works ? loadPart(call, 'The count of your work', () => loadWorkload(call)) : undefined,
    works ? loadPart(call, 'Your work', () => loadComing(call)) : undefined,
    partOrFailure(call, 'The list of cases you follow', () => followedCard(call)),
    partOrFailure(call, 'The list of queues', () => queuesCard(call)),
    !works && partOrFailure(call, 'The list of the newest cases', () => recentCard(call)),
    partOrFailure(call, 'The list of what needs attention', () => attentionCard(call)),
    partOrFailure(call, 'The output of your team', () => teamCard(call)),
    partOrFailure(call, 'The list of failed imports', () => importsCard(call)),
  ]);
  const [followed, queues, recent, ...side] = parts;
  const counts = workload && 'data' in workload ? workload.data : undefined;
  const center = [coming ? afterPart(call, coming, counts) : false, followed, recent, queues];
  const columns = columnsOf(center, side);
  return {
    title: 'Home',
    place: 'home',
    toasts: doneToast(call),
    body: html`<div class="page wide home">
${welcomeNote(call)}
${workload ? headPart(call, workload) : html`<h1>${longToday(call)}</h1>`}
${coming && nextPart(call, coming)}
${columns}
${!works && columns === false && nothingHere}
</div>`,
  };
});

function headPart(call: PageCall, workload: LoadedPart<Workload>): Markup {
  if ('data' in workload) return workloadHead(call, workload.data);
  return html`<h1>${longToday(call)}</h1>${workload.failure}`;
}

type Cards = readonly (Markup | false)[];

/** Renders the cards in two columns, or in one if the other would be empty. */
function columnsOf(center: Cards, side: Cards): Markup | false {
  const columns = [center, side]
    .map((cards) => cards.filter((card) => card !== false))
    .filter(({ length }) => length > 0);
  if (columns.length === 0) return false;
  return html`<div class="home-columns${columns.length === 1 && ' single'}">
${columns.map((cards) => html`<div class="stack">${cards}</div>`)}
</div>`;
}

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
