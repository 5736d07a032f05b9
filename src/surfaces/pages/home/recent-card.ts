import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { shortDay } from '../due-words.ts';
import { readLoanParties, type LoanParties } from '../lists/loan-parties.ts';
import type { PageCall } from '../page-call.ts';
import {
  caseKey,
  loadItemCases,
  recordAddress,
  type ItemCase,
  type ItemCases,
  type RecordReference,
} from '../work/item-cases.ts';

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
  const [cases, parties] = await Promise.all([
    loadItemCases(call, rows),
    call.user.universal ? new Map<number, LoanParties>() : readLoanParties(call, rows),
  ]);
  const line = (row: (typeof rows)[number]): Markup => {
    const { name, place, number } = caseNames(row, cases, parties);
    return html`<li><a href="${recordAddress(call, row)}">
<span class="coming-what"><bdi>${name}</bdi></span>
<span class="coming-case"><bdi class="soft">${place}</bdi></span>
<span class="coming-why muted"><bdi>${number}</bdi></span>
<span class="coming-due muted">${shortDay(call, row.CreatedDate)}</span></a></li>\n`;
  };
  return card({
    id: 'recent',
    title: 'Newest cases',
    actions: html`<a class="button quiet" href="/cases">All cases ${icon('chevronRight', 14)}</a>`,
    body:
      rows.length === 0
        ? emptyState({ title: 'There are no cases yet.', text: 'Cases appear here as soon as a referral opens one.' })
        : html`<ul class="list coming">${rows.map(line)}</ul>`,
  });
}

/** Returns what names a case: for a firm, the borrowers and the property of its loan. */
function caseNames(
  row: RecordReference & { readonly LoanID: number | null },
  cases: ItemCases,
  parties: ReadonlyMap<number, LoanParties>,
): ItemCase {
  const found = cases.get(caseKey(row)) ?? { name: '', place: '', number: '' };
  const { borrowers, place } = parties.get(row.LoanID ?? 0) ?? { borrowers: '', place: '' };
  return borrowers === '' ? { ...found, place: found.place || place } : { name: borrowers, place, number: found.name };
}
