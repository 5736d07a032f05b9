import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';

/** The numbers of open items of a queue, team and person. */
type CountRow = AnswerRowFor<'smartworklist/counts'>;

/** Queues that the page lists; of more, those with the most overdue items. */
const QUEUES_MAX = 40;
/** Rows by team and person that managers see; of more, likewise. */
const TEAM_ROWS_MAX = 200;

/** Renders the numbers of open items: by queue, and by team and person for users who may reassign items. */
export async function countSections(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklist/counts')) return false;
  const { answer } = await call.call('smartworklist/counts', {});
  const rows = answer.rows;
  const body = rows.length === 0 ? html`<p class="quiet">No queue has open items</p>` : queueSection(call, rows);
  return html`<section aria-labelledby="worklists">
<h2 id="worklists">Queues</h2>
${body}
</section>`;
}

function queueSection(call: PageCall, rows: readonly CountRow[]): Markup {
  const queues = mostUrgent(sumByQueue(rows));
  const table = countTable(call, queues.slice(0, QUEUES_MAX), {
    caption: 'Queues',
    columns: [{ head: 'Queue', cell: (row) => queueLink(call, row) }],
    hasNext: call.may('smartworklistmember/next'),
  });
  const all = html`<a href="/records/smartworklist">View all</a>`;
  const more =
    queues.length > QUEUES_MAX && html`<p class="quiet">The ${QUEUES_MAX} most urgent of ${queues.length}. ${all}</p>`;
  return html`${table}
${more}
${call.may('smartworklistmember/reassign') && teamSection(call, rows)}`;
}

function teamSection(call: PageCall, rows: readonly CountRow[]): Markup {
  const name = (text: string | null, none: string): Markup =>
    (text ?? '') !== '' ? html`<bdi>${text}</bdi>` : html`<span class="quiet">${none}</span>`;
  const table = countTable(call, mostUrgent(rows).slice(0, TEAM_ROWS_MAX), {
    caption: 'By team and person',
    columns: [
      { head: 'Queue', cell: (row) => queueLink(call, row) },
      { head: 'Team', cell: (row) => name(row.Team, 'No team') },
      { head: 'Person', cell: (row) => name(row.Person, 'Unassigned') },
    ],
    hasNext: false,
  });
  const more =
    rows.length > TEAM_ROWS_MAX && html`<p class="quiet">The ${TEAM_ROWS_MAX} most urgent of ${rows.length}.</p>`;
  return html`<details><summary>By team and person</summary>${table}${more}</details>`;
}

const countColumns = [
  'Open',
  'Started',
  'Skipped',
  'DueToday',
  'Overdue',
] as const satisfies readonly (keyof CountRow)[];
const countHeads = ['Open', 'In progress', 'Snoozed', 'Due within a day', 'Overdue', 'Oldest'];

/** Returns one row for each queue, with the counts added up. */
function sumByQueue(rows: readonly CountRow[]): readonly CountRow[] {
  return [...Map.groupBy(rows, (row) => row.SmartWorklistID).values()].flatMap((own) =>
    own[0] === undefined
      ? []
      : {
          ...own[0],
          ...Object.fromEntries(
            countColumns.map((name) => [name, own.reduce((sum, row) => sum + (row[name] ?? 0), 0)]),
          ),
          OldestMinutes: Math.max(...own.map((row) => row.OldestMinutes ?? 0)),
        },
  );
}

function mostUrgent(rows: readonly CountRow[]): readonly CountRow[] {
  const difference = (a: CountRow, b: CountRow, name: (typeof countColumns)[number]): number =>
    (b[name] ?? 0) - (a[name] ?? 0);
  return [...rows].sort(
    (a, b) => difference(a, b, 'Overdue') || difference(a, b, 'DueToday') || difference(a, b, 'Open'),
  );
}

function queueLink(call: PageCall, { SmartWorklistID: id, SmartWorklist: queue }: CountRow): Markup {
  const name = html`<bdi>${(queue ?? '') || `Queue ${id}`}</bdi>`;
  return call.may('smartworklist/select') ? html`<a href="/records/smartworklist/${id}">${name}</a>` : name;
}

/** A table of counts. `columns` come before the counts; `hasNext`: each row has a button that takes its next item. */
interface CountTable {
  readonly caption: string;
  readonly columns: readonly { readonly head: string; readonly cell: (row: CountRow) => Markup }[];
  readonly hasNext: boolean;
}

function countTable(call: PageCall, rows: readonly CountRow[], { caption, columns, hasNext }: CountTable): Markup {
  const line = (row: CountRow): Markup =>
    html`<tr>
${columns.map(({ cell }, at) => (at === 0 ? html`<th scope="row">${cell(row)}</th>` : html`<td>${cell(row)}</td>`))}
${countColumns.map((name) => countCell(name, row[name] ?? 0))}
<td class="number">${durationText(row.OldestMinutes ?? 0)}</td>
${hasNext && html`<td>${nextForm(call, row.SmartWorklist ?? '')}</td>`}
</tr>\n`;
  return dataTable({
    label: caption,
    caption,
    className: 'counts',
    heads: [
      ...columns.map(({ head }) => head),
      ...countHeads.map((text) => ({ text, isNumber: true })),
      hasNext && { text: 'Take one', isHidden: true },
    ],
    rows: rows.map(line),
  });
}

function countCell(name: (typeof countColumns)[number], count: number): Markup {
  return html`<td class="number${name === 'Overdue' && count > 0 && ' late'}">${count}</td>`;
}

function nextForm(call: PageCall, queue: string): Markup {
  return html`<form method="post" action="/work">
${csrfField(call)}${hiddenField('SmartWorklist', queue)}
<button class="quiet" name="Do" value="next">Next<span class="hidden"> item of ${queue}</span></button>
</form>`;
}

/** Returns a length of time in its largest useful unit: `5 min`, `3 h`, `12 days`. */
function durationText(minutes: number): string {
  if (minutes < 60) return `${Math.max(0, minutes)} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1440)} days`;
}

/** Renders how long ago an instant was. */
export function age(call: PageCall, instant: string | null): Markup {
  if (instant === null) return html``;
  const minutes = Math.floor((call.platform.clock.milliseconds() - Date.parse(instant)) / 60_000);
  return html`<time datetime="${instant}">${minutes < 1 ? 'just now' : `${durationText(minutes)} ago`}</time>`;
}
