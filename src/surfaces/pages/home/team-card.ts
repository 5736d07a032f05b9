import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { avatar } from '../design/avatar.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { progress } from '../design/progress.ts';
import { weekdayDate } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { outputChart } from './output-chart.ts';

type OutputRow = AnswerRowFor<'smartworklist/teamoutput'>;
type MemberRow = AnswerRowFor<'smartworklist/teammembers'>;

/** Users that the card lists; the team's page lists all. */
const MEMBERS_MAX = 6;

/** Renders what the user's first team has completed, and how far each member is today. */
export async function teamCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklist/counts')) return false;
  const { answer: teams } = await call.call('smartworklist/teams', {});
  const [team] = teams.rows;
  if (!team) return false;
  const [output, members] = await Promise.all([
    call.call('smartworklist/teamoutput', { TeamID: team.TeamID ?? 0 }),
    call.call('smartworklist/teammembers', { TeamID: team.TeamID ?? 0 }),
  ]);
  return card({
    id: 'team-output',
    title: 'Team output',
    note: '14 working days',
    actions: html`<a class="button quiet" href="/team?team=${team.TeamID}"><bdi class="cut">${team.Team}</bdi>
${icon('chevronRight', 14)}</a>`,
    body: html`${teamOutput(output.answer.rows)}${membersTable(call, members.answer.rows)}`,
  });
}

/** Renders the output of the last working day, compared with the mean, as a sentence and a line. */
export function teamOutput(rows: readonly OutputRow[]): Markup {
  const days = rows.slice(0, -1);
  const counts = days.map(({ Completed: count }) => count);
  const sum = counts.reduce((total, count) => total + count, 0);
  if (sum === 0) return html`<p class="card-body soft">Nothing was completed in the last 14 working days.</p>`;
  const mean = sum / counts.length;
  const last = counts.at(-1) ?? 0;
  const day = days.at(-1)?.Date ?? '';
  return html`<div class="output">
<div class="row"><span class="large-number">${last}</span><p class="small soft">${
    last === 1 ? 'item' : 'items'
  } completed ${weekdayDate(day)}<br>${comparison(last, mean)}</p></div>
${outputChart(counts, mean)}
</div>`;
}

function comparison(last: number, mean: number): Markup {
  const percent = Math.round((last / mean - 1) * 100);
  if (percent === 0) return html`<span>The 14-day mean</span>`;
  const words = `${Math.abs(percent)}% ${percent > 0 ? 'above' : 'below'} the 14-day mean`;
  return html`<span class="${percent > 0 ? 'good' : ''}">${words}</span>`;
}

function membersTable(call: PageCall, rows: readonly MemberRow[]): Markup | false {
  if (rows.length === 0) return false;
  const own = rows.filter(({ PersonID: id }) => id === call.user.personId);
  const shown = [...own, ...rows.filter((row) => !own.includes(row))].slice(0, MEMBERS_MAX);
  const left = rows.length - shown.length;
  return html`<table class="team-members"><caption class="hidden">Today by person</caption>
<tbody>${shown.map((row) => memberLine(call, row))}</tbody></table>
${left > 0 && html`<p class="card-note small muted">and ${left === 1 ? '1 more person' : `${left} more people`}</p>`}`;
}

function memberLine(call: PageCall, { PersonID: id, Name: name, DoneToday: done, Open: open }: MemberRow): Markup {
  const [closed, all] = [done ?? 0, (done ?? 0) + (open ?? 0)];
  const isOwn = id === call.user.personId;
  const numbers = html`${closed}<span class="muted"> / ${all}</span>`;
  return html`<tr><td>${avatar(name ?? '', true)}</td>
<th scope="row"><bdi>${name}</bdi>${isOwn && html` <span class="muted">you</span>`}</th>
<td><span class="hidden">done today of assigned: </span>${progress(closed, all, numbers)}</td></tr>\n`;
}
