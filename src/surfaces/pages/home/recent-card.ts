import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { shortDay } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, loadItemCases, recordAddress } from '../work/item-cases.ts';

const CASES_MAX = 8;

/** Renders the newest cases, for users to whom no work is assigned. */
export async function recentCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('process/search')) return false;
  const { answer } = await call.call('process/search', {
    OrderBy: '-ProcessID',
    DisplaySize: CASES_MAX,
    RecordCount: 'false',
  });
  const rows = answer.rows.map((row) => ({ ...row, Object: row.RecordClass, ObjectID: row.ProcessID }));
  const cases = await loadItemCases(call, rows);
  const line = (row: (typeof rows)[number]): Markup => {
    const { name = '', place = '', number = '' } = cases.get(caseKey(row)) ?? {};
    return html`<li><a href="${recordAddress(call, row)}">
<span class="coming-what"><bdi>${name}</bdi></span>
<span class="coming-case"><bdi class="soft">${place}</bdi></span>
<span class="coming-why muted"><bdi>${number}</bdi></span>
<span class="coming-due muted">${shortDay(call, row.CreatedDate)}</span></a></li>\n`;
  };
  return card({
    id: 'recent',
    title: 'Newest cases',
    actions: html`<a class="button quiet" href="/records/process">All cases ${icon('chevronRight', 14)}</a>`,
    body:
      rows.length === 0
        ? emptyState({ title: 'There are no cases yet.', text: 'Cases appear here as soon as a referral opens one.' })
        : html`<ul class="list coming">${rows.map(line)}</ul>`,
  });
}
