import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { csrfField } from '../layout.ts';

/** Worklists that the page lists; of more, those with the most overdue items. */
const WORKLISTS_MAX = 40;
/** Teams and persons that managers see; of more, likewise. */
const TEAM_ROWS_MAX = 200;

/** What there is to do: worklists for everybody, and by team and person for who may give items to others. */
export async function countSections(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklist/counts')) return false;
  const { answer } = await call.call('smartworklist/counts');
  const rows = (answer as ListAnswer).rows;
  if (rows.length === 0)
    return html`<section aria-labelledby="worklists"><h2 id="worklists">Worklists</h2><p class="quiet">No worklist has open items.</p></section>`;
  const worklists = mostUrgent(sumBy(rows, 'SmartWorklistID'));
  const manages = call.may('smartworklistmember/reassign');
  return html`<section aria-labelledby="worklists"><h2 id="worklists">Worklists</h2>
${countTable(call, 'Worklists', worklists.slice(0, WORKLISTS_MAX), ['Worklist'], (row) => [worklistLink(call, row)], call.may('smartworklistmember/next'))}
${worklists.length > WORKLISTS_MAX && html`<p class="quiet">The ${WORKLISTS_MAX} most urgent of ${worklists.length}. <a href="/records/smartworklist">All of them</a></p>`}
${manages && teamSection(call, rows)}</section>`;
}

function teamSection(call: PageCall, rows: readonly Row[]): Markup {
  const shown = mostUrgent(rows).slice(0, TEAM_ROWS_MAX);
  const who = (name: unknown, none: string): Markup =>
    typeof name === 'string' && name !== '' ? html`<bdi>${name}</bdi>` : html`<span class="quiet">${none}</span>`;
  return html`<details><summary>By team and person</summary>${countTable(call, 'By team and person', shown, ['Worklist', 'Team', 'Person'], (row) => [worklistLink(call, row), who(row['Team'], 'no team'), who(row['Person'], 'nobody yet')], false)}${rows.length > TEAM_ROWS_MAX && html`<p class="quiet">The ${TEAM_ROWS_MAX} most urgent of ${rows.length}.</p>`}</details>`;
}

const countColumns = ['Open', 'Started', 'Skipped', 'DueToday', 'Overdue'] as const;

/** Rows of one key added up. */
function sumBy(rows: readonly Row[], key: string): readonly Row[] {
  return [...Map.groupBy(rows, (row) => row[key])].map(([, own]) => ({
    ...own[0],
    ...Object.fromEntries(
      countColumns.map((name) => [name, own.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)]),
    ),
    OldestMinutes: Math.max(...own.map((row) => Number(row['OldestMinutes'] ?? 0))),
  }));
}

function mostUrgent(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort(
    (a, b) =>
      Number(b['Overdue'] ?? 0) - Number(a['Overdue'] ?? 0) ||
      Number(b['DueToday'] ?? 0) - Number(a['DueToday'] ?? 0) ||
      Number(b['Open'] ?? 0) - Number(a['Open'] ?? 0),
  );
}

function worklistLink(call: PageCall, row: Row): Markup {
  const name = String(row['SmartWorklist'] ?? '') || `Worklist ${String(row['SmartWorklistID'])}`;
  return call.may('smartworklist/select')
    ? html`<a href="/records/smartworklist/${String(row['SmartWorklistID'])}"><bdi>${name}</bdi></a>`
    : html`<bdi>${name}</bdi>`;
}

function countTable(
  call: PageCall,
  caption: string,
  rows: readonly Row[],
  heads: readonly string[],
  cells: (row: Row) => readonly Markup[],
  takes: boolean,
): Markup {
  const number = (row: Row, name: (typeof countColumns)[number]): Markup =>
    html`<td class="number${name === 'Overdue' && Number(row[name]) > 0 && ' late'}">${String(row[name] ?? 0)}</td>`;
  const take = (row: Row): Markup =>
    html`<td><form method="post" action="/work">${csrfField(call)}<input type="hidden" name="SmartWorklist" value="${String(row['SmartWorklist'] ?? '')}"><button class="quiet" name="Do" value="next">Next<span class="hidden"> item of ${String(row['SmartWorklist'] ?? '')}</span></button></form></td>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="counts"><caption class="hidden">${caption}</caption><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<th scope="col" class="number">Open</th><th scope="col" class="number">Begun</th><th scope="col" class="number">Put off</th><th scope="col" class="number">Due within a day</th><th scope="col" class="number">Overdue</th><th scope="col" class="number">Oldest</th>${takes && html`<th scope="col"><span class="hidden">Take one</span></th>`}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell, at) => (at === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}${countColumns.map((name) => number(row, name))}<td class="number">${durationText(Number(row['OldestMinutes'] ?? 0))}</td>${takes && take(row)}</tr>\n`)}</tbody></table></div>`;
}

/** Some minutes in the largest unit that says something: `5 min`, `3 h`, `12 days`. */
function durationText(minutes: number): string {
  if (minutes < 60) return `${Math.max(0, minutes)} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1440)} days`;
}

/** How long ago an instant is. */
export function age(call: PageCall, instant: unknown): Markup {
  if (typeof instant !== 'string') return html``;
  const minutes = Math.floor((call.platform.clock.milliseconds() - Date.parse(instant)) / 60_000);
  return html`<time datetime="${instant}">${minutes < 1 ? 'just now' : `${durationText(minutes)} ago`}</time>`;
}
