import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { rowsOf } from '../table.ts';

/** What needs an operator or an analyst: a line with the way to it. */
interface AttentionLine {
  readonly title: string;
  readonly text: string;
  readonly href: string;
  readonly isFailed: boolean;
}

/** Renders what is wrong with the installation and its workflows, for users who can fix it. */
export async function attentionCard(call: PageCall): Promise<Markup | false> {
  const [checks, steps] = await Promise.all([failedChecks(call), failedSteps(call)]);
  const lines = [...steps, ...checks];
  if (lines.length === 0) return false;
  return card({
    id: 'attention',
    title: 'Needs attention',
    note: badge(String(lines.length), lines.some(({ isFailed }) => isFailed) ? 'danger' : 'warn'),
    actions:
      call.may('system/health') &&
      html`<a class="button quiet" href="/administration/health">Health ${icon('chevronRight', 14)}</a>`,
    body: html`<ul class="card-lines">${lines.map(
      ({ title, text, href, isFailed }) => html`<li>
<p class="row ${isFailed ? 'late' : 'soon'}">${icon(isFailed ? 'error' : 'warning', 14)}
<a class="strong" href="${href}">${title}</a></p>
<p class="small soft">${text}</p>
</li>\n`,
    )}</ul>`,
  });
}

async function failedChecks(call: PageCall): Promise<readonly AttentionLine[]> {
  if (!call.user.universal || !call.may('system/health')) return [];
  const { answer } = await call.call('system/health', {});
  return answer.rows
    .filter(({ State: state, MutedUntil: muted }) => state !== 'ok' && muted === null)
    .map(({ Health: name, State: state, Detail: detail, Advice: advice }) => ({
      title: name,
      text: [detail, advice ?? ''].filter((text) => text !== '').join(' '),
      href: '/administration/health',
      isFailed: state === 'failed',
    }));
}

/** Returns a line if workflow steps have failed, for users who can start them again. */
async function failedSteps(call: PageCall): Promise<readonly AttentionLine[]> {
  if (!call.may('decisionstep/errorrequeue') || !call.may('process/search')) return [];
  const { answer } = await call.call(
    'process/search',
    { SqlColumns: 'ProcessID', DisplaySize: 1 },
    { FailedSteps: 'true' },
  );
  const { count } = rowsOf(answer);
  if (count === 0) return [];
  return [
    {
      title: count === 1 ? 'A workflow step failed on 1 case' : `Workflow steps failed on ${count} cases`,
      text: 'The workflow waits until the step is started again.',
      href: '/records/process?FailedSteps=true',
      isFailed: true,
    },
  ];
}
