import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dayText, localDay, today } from '../days.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { amountText } from './money.ts';

const WIDTH = 720;
const HEIGHT = 160;
/** Room for the amounts at the left and the days below. */
const LEFT = 88;
const BOTTOM = 22;
const TOP = 10;
const RIGHT = 12;
/** Most changes of the balance that the chart reads. */
const CHANGES_MAX = 500;

/** The balance from an instant on. */
interface BalanceAt {
  readonly at: number;
  readonly day: string;
  readonly value: string;
}

/** Charts the adjusted balance over time, from the ledger's history; nothing if it never changed. */
export async function balanceChart(call: PageCall, row: RowNamed<'Ledger'>): Promise<Markup | false> {
  if (!call.may('ledger/history')) return false;
  const course = await readCourse(call, row);
  if (course.length < 2) return false;
  const [first, last] = [course[0], course.at(-1)] as [BalanceAt, BalanceAt];
  const now = today(call);
  const sentence = `Adjusted balance: ${amountText(first.value).markup} on ${dayText(first.day, now)}, ${
    amountText(last.value).markup
  } now, after ${course.length - 1} changes.`;
  return html`<section class="ledger-chart" aria-labelledby="chart-title">
<h2 id="chart-title">Adjusted balance over time</h2>
<div class="chart-scroll scroll" tabindex="0" role="region" aria-label="Chart">
${drawing(course, { sentence, now, end: call.platform.clock.milliseconds() })}</div>
<details><summary class="link">Show as a table</summary><table class="chart-values">
<caption class="hidden">Adjusted balance by change</caption>
<thead><tr><th scope="col">From</th><th scope="col" class="number">Adjusted balance</th></tr></thead>
<tbody>${course.map(
    ({ day, value }) =>
      html`<tr><th scope="row">${dayText(day, now)}</th><td class="number">${amountText(value)}</td></tr>`,
  )}</tbody></table></details></section>`;
}

async function readCourse(call: PageCall, row: RowNamed<'Ledger'>): Promise<readonly BalanceAt[]> {
  const { answer } = await call.call('ledger/history', { ID: row.LedgerID, DisplaySize: CHANGES_MAX });
  const changes = answer.rows
    .filter(({ Field: field }) => field === 'BalanceAdjusted')
    .map(({ At: at, NewValue: value }) => pointOf(call, plainText(at), plainText(value) || '0'));
  changes.sort((a, b) => a.at - b.at);
  return changes.slice(firstShown(changes));
}

/** Returns where the chart begins: at the end of the first day, on which the ledger gets its first lines. */
function firstShown(changes: readonly BalanceAt[]): number {
  const later = changes.findIndex(({ day }) => day !== changes[0]?.day);
  if (later > 0) return later - 1;
  // All on one day: leave out the zero of the new ledger.
  return Number(changes[0]?.value) === 0 ? 1 : 0;
}

function pointOf(call: PageCall, instant: string, value: string): BalanceAt {
  return { at: Date.parse(instant), day: localDay(call, instant), value };
}

interface Drawing {
  readonly sentence: string;
  readonly now: string;
  readonly end: number;
}

/** Below this share of the balance, changes would be hard to see on a scale that begins at zero. */
const SMALL_CHANGE = 0.25;

/** Returns the range of the scale and its labeled amounts. It includes zero unless the changes are small. */
function scaleOf(values: readonly number[]): {
  readonly low: number;
  readonly high: number;
  readonly marks: readonly number[];
} {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least;
  if (span > 0 && span < SMALL_CHANGE * Math.max(Math.abs(least), Math.abs(most)))
    return { low: least - span * SMALL_CHANGE, high: most, marks: [most, least] };
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  return { low, high, marks: [...new Set([high, low, 0])] };
}

/** Draws steps: a balance stays until it changes. Heights and times are for the eye; the table has the amounts. */
function drawing(course: readonly BalanceAt[], { sentence, now, end }: Drawing): Markup {
  const values = course.map(({ value }) => Number(value));
  const { low, high, marks } = scaleOf(values);
  const begin = course[0]?.at ?? end;
  const x = (at: number): string =>
    (LEFT + ((at - begin) / Math.max(1, end - begin)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string =>
    (TOP + ((high - value) / Math.max(1, high - low)) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const steps = course.map(({ at }, n) => `${n === 0 ? 'M' : 'H'}${x(at)}${n === 0 ? ' ' : 'V'}${y(values[n] ?? 0)}`);
  const scale = marks.map(
    (value) => html`<path class="chart-line" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/>
<text x="${LEFT - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${amountText(
      value.toFixed(2),
    )}</text>`,
  );
  return html`<svg class="balance-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${sentence}">${scale}
<path class="chart-course" d="${steps.join('')}H${WIDTH - RIGHT}"/>
<text x="${LEFT}" y="${HEIGHT - 6}">${dayText(course[0]?.day ?? now, now)}</text>
<text x="${WIDTH - RIGHT}" y="${HEIGHT - 6}" text-anchor="end">Now</text></svg>`;
}
