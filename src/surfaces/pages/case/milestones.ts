import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { shortDay } from '../days.ts';
import { plural } from '../due-words.ts';

/** A milestone of a case. */
export type Milestone = AnswerRowFor<'decision/milestones'>;

/** Renders milestones in a line: reached, current and coming, each with its target. */
export function milestoneLine(call: PageCall, milestones: readonly Milestone[]): Markup | false {
  const shown = milestones.filter(({ Status }) => Status !== 'Skipped');
  if (shown.length === 0) return false;
  return html`<ol class="milestones scroll" tabindex="0" aria-label="Milestones">
${shown.map((each) => milestone(call, each))}</ol>`;
}

const classes: Readonly<Record<string, string>> = { Reached: 'done', Current: 'now' };

function milestone(call: PageCall, row: Milestone): Markup {
  const { Milestone: name, Status: status, ActualDate: actual, ExpectedDate: expected, TargetDate: target } = row;
  const mark = status === 'Reached' && icon('check', 12);
  return html`<li class="milestone ${classes[status] ?? 'coming'}"${status === 'Current' && html` aria-current="step"`}>
<span class="milestone-dot">${mark}</span>
<span class="milestone-name"><bdi>${name}</bdi></span>
<span class="milestone-date">${dateText(call, { status, actual, expected })}</span>
<span class="milestone-target">${
    typeof target === 'string' && html`<span>Target ${shortDay(call, target)}</span> ${lateText(row)}`
  }</span>
</li>`;
}

interface MilestoneDates {
  readonly status: string;
  readonly actual: string | null | undefined;
  readonly expected: string | null | undefined;
}

function dateText(call: PageCall, { status, actual, expected }: MilestoneDates): Markup | string {
  if (actual !== null && actual !== undefined) return shortDay(call, actual);
  if (status === 'Current') return 'In progress';
  return expected === null || expected === undefined ? '' : html`Likely ${shortDay(call, expected)}`;
}

/** Says how late or early a milestone is; nothing about one that is on time and still to come. */
function lateText({ Status: status, DaysLate: days }: Milestone): Markup | false {
  if (typeof days !== 'number') return false;
  if (days > 0) return html`<span class="late">${plural(days, 'day')} late</span>`;
  if (status !== 'Reached') return false;
  return days === 0
    ? html`<span class="good">on time</span>`
    : html`<span class="good">${plural(-days, 'day')} early</span>`;
}
