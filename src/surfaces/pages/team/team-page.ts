import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { loadBar } from '../design/progress.ts';
import { emptyState } from '../design/empty.ts';
import { person } from '../design/avatar.ts';
import { table } from '../design/table.ts';
import { tabs } from '../design/tabs.ts';
import { ageText } from '../due-words.ts';
import { TIME_PATH } from '../ledgers/time-filter.ts';
import { partOrFailure } from '../home/part.ts';
import { teamOutput } from '../home/team-card.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { doneToast } from '../work/done-words.ts';
import { itemsCard } from './items-card.ts';
import { teamFilter, teamPath, type TeamFilter } from './team-filter.ts';

type TeamRow = AnswerRowFor<'smartworklist/teams'>;
type QueueRow = AnswerRowFor<'smartworklist/teamqueues'>;
type MemberRow = AnswerRowFor<'smartworklist/teammembers'>;

/** Shows the queues of a team, who does what, its output, and its open items. */
export const teamPage = page((call) => teamAnswer(call));

/** Renders the page of a team. `result`: what was just done to its items. */
export async function teamAnswer(call: PageCall, result: Markup | false = false, status = 200): Promise<PageAnswer> {
  const { answer } = await call.call('smartworklist/teams', { All: String(call.may('smartworklistmember/reassign')) });
  const requested = plainText(call.form['team'] ?? call.query['team']);
  const team = answer.rows.find(({ TeamID: id }) => String(id) === requested) ?? answer.rows[0];
  const body = team ? await teamBody(call, team, answer.rows, result) : noTeam;
  return { title: 'Team', place: 'team', entries: ['list'], status, toasts: doneToast(call), body };
}

const noTeam = html`<div class="page"><h1>Team</h1>${emptyState({
  icon: 'team',
  title: 'You are in no team.',
  text: 'A team is a group of users that shares queues. Your administrator can add you to one.',
})}</div>`;

async function teamBody(
  call: PageCall,
  team: TeamRow,
  teams: readonly TeamRow[],
  result: Markup | false,
): Promise<Markup> {
  const filter = teamFilter(call, team.TeamID ?? 0);
  const [queues, members, output, items] = await Promise.all([
    partOrFailure(call, 'The list of queues', () => queuesCard(call, filter)),
    partOrFailure(call, 'The list of people', () => membersCard(call, filter)),
    partOrFailure(call, 'The output of the team', () => outputCard(call, filter)),
    partOrFailure(call, 'The list of items', () => itemsCard(call, filter)),
  ]);
  const others = tabs(
    'Teams',
    teams.map(({ TeamID: id, Team: name }) => ({
      href: teamPath({ team: id ?? 0 }),
      text: html`<bdi>${name}</bdi>`,
      isCurrent: id === team.TeamID,
    })),
  );
  return html`<div class="page wide">
<div class="row wrap"><h1><bdi>${team.Team}</bdi></h1>${timeLink(call)}${
    team.IsMember !== true && html` ${badge('You are not a member')}`
  }</div>
${teams.length > 1 && others}
${result}
<div class="team-columns"><div class="stack">${members}${queues}</div><div class="stack">${output}</div></div>
${items}
</div>`;
}

function timeLink(call: PageCall): Markup | false {
  if (!call.may('ledgeritem/search')) return false;
  return buttonLink({ text: 'Time entries', icon: 'clock', href: TIME_PATH });
}

async function queuesCard(call: PageCall, filter: TeamFilter): Promise<Markup> {
  const { answer } = await call.call('smartworklist/teamqueues', { TeamID: filter.team });
  const line = (row: QueueRow): Markup => {
    const query = new URLSearchParams({ queue: row.SmartWorklist ?? '' }).toString();
    const isLate = (row.Overdue ?? 0) > 0;
    const path = teamPath({ team: filter.team, queue: row.SmartWorklistID ?? 0 });
    const work = html`<a class="link" href="/work?${query}">Work<span class="hidden"> ${row.SmartWorklist}</span></a>`;
    return html`<tr>
<th scope="row"><a href="${path}#items"><bdi>${row.SmartWorklist}</bdi></a></th>
<td class="number">${row.Open}</td><td class="number wide-cell">${row.Unassigned}</td>
<td class="number${isLate && ' late'}">${row.Overdue}</td>
<td class="number wide-cell">${row.OldestDate !== null && ageText(call, row.OldestDate)}</td>
<td>${call.may('smartworklistmember/next') && work}</td></tr>\n`;
  };
  const number = (text: string, className = '') => ({ text, isNumber: true, className });
  const heads = [
    'Queue',
    number('Open'),
    number('Unassigned', 'wide-cell'),
    number('Overdue'),
    number('Oldest', 'wide-cell'),
  ];
  return card({
    id: 'queues',
    title: 'Queues',
    body:
      answer.rows.length === 0
        ? emptyState({ title: 'No queue has open items of this team.', text: 'New items appear as cases need them.' })
        : table({
            label: 'Queues and ages',
            className: 'team-table',
            heads: [...heads, { text: 'Work it', isHidden: true }],
            rows: answer.rows.map(line),
          }),
  });
}

async function membersCard(call: PageCall, filter: TeamFilter): Promise<Markup> {
  const { answer } = await call.call('smartworklist/teammembers', { TeamID: filter.team });
  const scale = Math.max(...answer.rows.map(({ Open: open }) => open ?? 0), 1);
  const overloaded = overloadedPeople(answer.rows);
  const line = (row: MemberRow): Markup => {
    const [open, late, today] = [row.Open ?? 0, row.Overdue ?? 0, row.DueToday ?? 0];
    const path = teamPath({ team: filter.team, person: String(row.PersonID) });
    const isOverloaded = overloaded.has(row.PersonID ?? 0);
    return html`<tr>
<th scope="row"><span class="row"><a href="${path}#items">${person(row.Name ?? '')}</a>${
      isOverloaded && badge('Overloaded', 'warn')
    }</span></th>
<td class="wide-cell">${loadBar({ late, today, later: Math.max(0, open - late - today) }, scale)}</td>
<td class="number">${open}</td><td class="number${late > 0 && ' late'}">${late}</td>
<td class="number${today > 0 && ' soon'}">${today}</td><td class="number wide-cell">${row.Started}</td>
<td class="number wide-cell">${row.DoneToday}</td></tr>\n`;
  };
  const number = (text: string, className = '') => ({ text, isNumber: true, className });
  const heads = [
    'Person',
    { text: 'Load', isHidden: true, className: 'wide-cell' },
    ...['Open', 'Overdue', 'Due today'].map((text) => number(text)),
    ...['In progress', 'Done today'].map((text) => number(text, 'wide-cell')),
  ];
  return card({
    id: 'people',
    title: 'Who does what',
    note: overloaded.size > 0 && `overloaded: more than ${OVERLOAD_SHARE} times the team’s mean`,
    body: table({ label: 'People', heads, rows: answer.rows.map(line), className: 'team-table' }),
  });
}

/** Somebody has too much to do with more open items than this times the mean of the team … */
const OVERLOAD_SHARE = 1.5;
/** … and at least this many. */
const OVERLOAD_ITEMS = 5;

/** Returns the ids of the members with much more to do than the others. */
export function overloadedPeople(
  rows: readonly Pick<MemberRow, 'PersonID' | 'Open' | 'IsMember'>[],
): ReadonlySet<number> {
  const members = rows.filter(({ IsMember: isMember }) => isMember === true);
  const mean = members.reduce((sum, { Open: open }) => sum + (open ?? 0), 0) / Math.max(1, members.length);
  const least = Math.max(OVERLOAD_ITEMS, mean * OVERLOAD_SHARE);
  return new Set(members.filter(({ Open: open }) => (open ?? 0) >= least).map(({ PersonID: id }) => id ?? 0));
}

async function outputCard(call: PageCall, filter: TeamFilter): Promise<Markup> {
  const { answer } = await call.call('smartworklist/teamoutput', { TeamID: filter.team });
  return card({ id: 'output', title: 'Output', note: 'last 14 working days', body: teamOutput(answer.rows) });
}
