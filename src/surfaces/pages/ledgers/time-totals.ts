import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { amountText, quantityText, unitText } from './money.ts';
import { stateBadge } from './time-entries.ts';
import { timePath, type TimeFilter, type TimeView } from './time-filter.ts';

type TotalRow = AnswerRowFor<'ledgeritem/timetotals'>;

const PERIOD = 'Month';

/** Renders the totals of time entries by timekeeper, case, month and state. Each leads to its entries. */
export async function timeTotals(call: PageCall, filter: TimeFilter): Promise<Markup> {
  const { person, case: of, from, to } = filter;
  const { answer, alerts } = await call.call('ledgeritem/timetotals', {
    Period: PERIOD,
    ...(person !== undefined && { PersonID: person }),
    ...(of && { Object: of.type, ObjectID: of.id }),
    ...(from !== '' && { From: from }),
    ...(to !== '' && { To: to }),
  });
  const { rows } = answer;
  if (rows.length === 0) return emptyState({ icon: 'clock', title: 'No time entries match.' });
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
  const number = (text: string) => ({ text, isNumber: true });
  return html`${alerts.map(({ text }) => html`<p class="soft">${text}</p>`)}${table({
    label: 'Totals by timekeeper and case',
    className: 'record-rows',
    heads: [
      'Timekeeper',
      'Case',
      'Month',
      'State',
      number('Entries'),
      number('Units'),
      number('Amount'),
      number('In the total'),
    ],
    rows: rows.map((row) => totalRow(row, labels, filter)),
  })}`;
}

function totalRow(row: TotalRow, labels: Labels, filter: TimeFilter): Markup {
  const { PersonID: person, Object: type, ObjectID: id } = row;
  const who = labels.get('Person')?.get(person) ?? row.Person ?? `User ${person}`;
  const name = type !== null && id !== null && (row.Case ?? labels.get(type)?.get(id) ?? `${type} ${id}`);
  return html`<tr><th scope="row" class="line-1"><a href="${entriesPath(row, filter)}"><bdi>${who}</bdi></a></th>
<td class="line-2">${name !== false && html`<bdi>${name}</bdi>`}</td>
<td class="nowrap line-3">${row.From.slice(0, 7)}</td>
<td class="side-2">${stateBadge(row.Status)}</td><td class="number">${row.Entries}</td>
<td class="number">${quantityText(row.UnitCount)} ${unitText(row.Units ?? '', row.UnitCount)}</td>
<td class="number side-1">${amountText(row.AmountMoney)} <span class="muted">${row.Currency}</span></td>
<td class="number">${amountText(row.AmountTotaled)}</td></tr>\n`;
}

/** Returns the address of the entries of a total. */
function entriesPath(row: TotalRow, filter: TimeFilter): string {
  const { PersonID: person, Object: type, ObjectID: id, Status: status, From: from } = row;
  const views: Readonly<Record<string, TimeView>> = { approved: 'approved', rejected: 'rejected' };
  return timePath({
    ...filter,
    view: status === null ? 'review' : (views[status.toLowerCase()] ?? 'all'),
    person,
    case: type === null || id === null ? undefined : { type, id },
    from: laterOf(from, filter.from),
    to: earlierOf(lastOfMonth(from), filter.to),
  });
}

function laterOf(day: string, limit: string): string {
  return limit > day ? limit : day;
}

function earlierOf(day: string, limit: string): string {
  return limit !== '' && limit < day ? limit : day;
}

function lastOfMonth(first: string): string {
  const [year = 0, month = 1] = first.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
