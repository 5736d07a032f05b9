import { setTimeout as pause } from 'node:timers/promises';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { emptyState, failedPart } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { timeMark } from '../display-values.ts';
import { plural } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import {
  checkArea,
  problemAreas,
  type CheckedArea,
  type ConfigurationProblem,
  type ProblemArea,
} from './find-problems.ts';

/** How long the front page waits for checks, in milliseconds. What takes longer is counted when it is next opened. */
const WAIT_MAX = 150;
/** Problems of an area that are listed, errors first. */
const LISTED_MAX = 200;

/** Lists what is wrong with the configuration, each with the page that fixes it. */
export const problemsPage = page(async (call) => {
  const areas = problemAreas(call);
  const cards = await Promise.all(
    areas.map(async (area) => {
      const checked = await checkArea(call, area).catch(() => undefined);
      return checked ? areaCard(call, area, checked) : failedPart(area.title, '/configure/problems');
    }),
  );
  return {
    title: 'Problems',
    place: 'configure',
    crumbs: [{ text: 'Configure', href: '/configure' }, { text: 'Problems' }],
    body: html`<div class="page"><header class="page-head"><h1>Configuration problems</h1></header>
${
  areas.length === 0
    ? emptyState({
        title: 'You cannot change any configuration that is checked.',
        text: 'An administrator can give you the role Analyst.',
      })
    : html`<p class="soft">Checked again when configuration changes; drafts and template files, after five minutes.</p>`
}
<div class="stack">${cards}</div></div>`,
  };
});

function areaCard(call: PageCall, { id, title, text }: ProblemArea, checked: CheckedArea): Markup {
  const { problems, unchecked, at } = checked;
  const sorted = problems.toSorted((one, other) => Number(other.isError) - Number(one.isError));
  const more = problems.length - LISTED_MAX;
  return card({
    id,
    title,
    note: html`${countWords(checked)}, ${timeMark(call, at)}`,
    body: html`${
      problems.length === 0
        ? html`<p class="card-body soft">${text}: none.</p>`
        : html`<ul>${sorted.slice(0, LISTED_MAX).map(problemLine)}</ul>`
    }${more > 0 && html`<p class="card-body soft">${more} more are not listed.</p>`}${
      unchecked > 0 && html`<p class="card-body soft">${unchecked} more were not checked.</p>`
    }`,
  });
}

function problemLine({ name, href, text, isError }: ConfigurationProblem): Markup {
  return html`<li><a class="configure-entry" href="${href}">${icon(isError ? 'error' : 'warning')}<span
class="problem-text"><b><bdi>${name}</bdi></b> <span class="small soft"><bdi>${text}</bdi></span></span>${
    isError ? badge('error', 'danger') : badge('warning', 'warn')
  }</a></li>`;
}

function countWords({ problems, checked }: CheckedArea): string {
  return `${problems.length === 0 ? 'No problems' : plural(problems.length, 'problem')} in ${checked}`;
}

/** Renders how many problems each area has, for the front page, which does not wait for long checks. */
export async function problemsCard(call: PageCall): Promise<Markup | false> {
  const areas = problemAreas(call);
  if (areas.length === 0) return false;
  const lines = await Promise.all(
    areas.map(async (area) => {
      const checked = await Promise.race([
        checkArea(call, area).catch(() => 'failed' as const),
        pause(WAIT_MAX, undefined, { ref: false }),
      ]);
      return areaLine(area, checked);
    }),
  );
  return card({
    id: 'problems',
    title: 'Problems',
    actions: html`<a class="link small" href="/configure/problems">Show all</a>`,
    body: html`<ul>${lines}</ul>`,
  });
}

function areaLine({ id, title, text }: ProblemArea, checked: CheckedArea | 'failed' | undefined): Markup {
  return html`<li><a class="configure-entry" href="/configure/problems#${id}">${icon('warning')}<span
class="cut"><b>${title}</b> <span class="small muted">${text}</span></span>${stateBadge(checked)}</a></li>`;
}

function stateBadge(checked: CheckedArea | 'failed' | undefined): Markup {
  if (checked === 'failed') return badge('could not be checked', 'warn');
  if (checked === undefined) return badge('being checked');
  const { problems } = checked;
  if (problems.length === 0) return badge('none', 'ok', 'check');
  return badge(plural(problems.length, 'problem'), problems.some(({ isError }) => isError) ? 'danger' : 'warn');
}
