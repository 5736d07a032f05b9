import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { dueWords } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, itemTitle, type ItemCases, type UpcomingRow } from '../work/item-cases.ts';

/** Renders the items after the next one. `more`: how many are due today besides the shown ones. */
export function afterCard(
  call: PageCall,
  rows: readonly UpcomingRow[],
  cases: ItemCases,
  note: string | undefined,
): Markup | false {
  if (rows.length === 0) return false;
  return card({
    id: 'after',
    title: 'After that',
    note,
    actions: html`<a class="button quiet" href="/work">Open queue ${icon('chevronRight', 14)}</a>`,
    body: html`<ul class="list coming">${rows.map((row) => comingLine(call, row, cases))}</ul>`,
  });
}

function comingLine(call: PageCall, row: UpcomingRow, cases: ItemCases): Markup {
  const { name = '', place = '' } = cases.get(caseKey(row)) ?? {};
  const due = dueWords(call, row.DueDate);
  const owner = row.PersonID === null ? (row.Team ?? 'Anyone') : 'Assigned to you';
  const reason = (row.Reason ?? '') === '' ? owner : row.Reason;
  return html`<li><a href="/work?item=${row.SmartWorklistMemberID}">
<span class="coming-what"><bdi>${itemTitle(call, row)}</bdi></span>
<span class="coming-case"><bdi class="soft">${name}</bdi> <bdi class="muted">${place}</bdi></span>
<span class="coming-why muted"><bdi>${reason}</bdi></span>
<span class="coming-due ${due.tone}">${due.text}</span>
</a></li>\n`;
}
