import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { selectRow } from '../record-address.ts';
import { ASSIGNMENTS_PATH } from './assignment-list.ts';

type DifferenceRow = AnswerRowFor<'loan/differences'>;

/** Shows a loan that waits beside the loan of its number, and asks which values to use. */
export const comparePage = page(async (call): Promise<PageAnswer> => {
  const id = plainText(call.path['id']);
  const loan = call.platform.registry.recordType('Loan');
  const [row, { answer }] = await Promise.all([
    selectRow(call, loan, Number(id)),
    call.call('loan/differences', { ID: id }),
  ]);
  const { rows } = answer;
  const number = plainText(row['Loan']);
  if (row['AssignmentStatus'] === null) return notWaiting(number);
  return {
    title: `Assign loan ${number}`,
    place: 'cases',
    crumbs: [{ text: 'Loan assignments', href: ASSIGNMENTS_PATH }, { text: number }],
    body: html`<div class="page"><h1>Assign loan <bdi>${number}</bdi></h1>
${targetText(call, rows)}
<form class="stack" method="post" action="${ASSIGNMENTS_PATH}">
${csrfField(call)}${hiddenField('ID', id)}
${differenceTable(rows)}
<p class="row">
${call.may('loan/assign') && button({ text: 'Assign', kind: 'primary' })}
${buttonLink({ text: 'Cancel', href: ASSIGNMENTS_PATH })}
</p>
</form></div>`,
  };
});

function notWaiting(number: string): PageAnswer {
  return {
    title: `Loan ${number}`,
    place: 'cases',
    crumbs: [{ text: 'Loan assignments', href: ASSIGNMENTS_PATH }, { text: number }],
    body: html`<div class="page narrow"><h1>Loan <bdi>${number}</bdi></h1>
<p>There is nothing to compare: the firm sent no values of its own for this loan. Assign the case in the list, or on its
page.</p></div>`,
  };
}

function targetText(call: PageCall, rows: readonly DifferenceRow[]): Markup {
  const target = rows[0]?.LoanID;
  const link = target === undefined ? 'the loan of this number' : recordLink(call, 'Loan', target, undefined);
  return html`<p class="soft">The firm's cases move to ${link}, which keeps its values except where you select the
firm's. What you don't select is deleted, and restored if you undo the assignment.</p>`;
}

function differenceTable(rows: readonly DifferenceRow[]): Markup {
  if (rows.length === 0)
    return emptyState({ title: 'The sources agree in everything that the firm sent.', icon: 'check' });
  return card({
    id: 'differences',
    title: 'Differences',
    note: rows.length,
    body: table({
      label: 'Differences between the loan and what the firm sent',
      className: 'wrap',
      heads: ["Use the firm's", 'Value', 'The loan has', 'The firm sent'],
      rows: rows.map(differenceRow),
    }),
  });
}

function differenceRow({ Key: key, Field: field, Ours: ours, Theirs: theirs }: DifferenceRow): Markup {
  const isHidden = ours !== null && ours === theirs;
  const note = isHidden && html` <span class="muted">(differs in the hidden digits)</span>`;
  const label = field === null ? `Add ${key}` : `Use the firm's ${key}`;
  return html`<tr>
<td><input class="tick" type="checkbox" name="Theirs" value="${key}" aria-label="${label}"></td>
<th scope="row">${key}</th>
<td>${ours === null ? html`<span class="muted">Nothing</span>` : html`<bdi>${ours}</bdi>`}</td>
<td><bdi>${theirs}</bdi>${note}</td>
</tr>\n`;
}
