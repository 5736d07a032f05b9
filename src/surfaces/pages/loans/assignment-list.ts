import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { dayMark, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote, statusNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';

type WaitingRow = AnswerRowFor<'loan/waiting'>;

/** The address of the list. */
export const ASSIGNMENTS_PATH = '/assignments';

/** Lists the cases and loans that wait for assignment, to be selected and assigned. */
export const assignmentsPage = page((call) => assignmentsAnswer(call));

/** Assigns what was selected, takes an assignment back, or shows why not. */
export const changeAssignments = page(async (call) => {
  const back = returnPath(call);
  try {
    if (call.form['Action'] === 'unassign') {
      await call.call('loan/unassign', { ProcessID: plainText(call.form['ProcessID']) });
      return { redirectTo: `${back}?done=unassigned` };
    }
    const theirs = plainTexts(call.form['Theirs']).join(',');
    await call.call('loan/assign', {
      ProcessID: plainTexts(call.form['ProcessID']).join(','),
      ID: plainTexts(call.form['ID']).join(','),
      ...(theirs === '' ? {} : { Theirs: theirs }),
    });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return assignmentsAnswer(call, error);
  }
  return { redirectTo: `${back}?done=assigned` };
});

/** Returns the page that the form was on: the list, or that of a case. */
function returnPath(call: PageCall): string {
  const path = plainText(call.form['Return']);
  return /^\/case\/[a-z]{1,60}\/\d{1,15}$/.test(path) ? path : ASSIGNMENTS_PATH;
}

/** Renders the outcome of an assignment that the address names. */
export function assignmentFlash(done: unknown): Markup | false {
  if (done === 'assigned') return statusNote('Assigned. The firms now see the loan, its property and its borrowers.');
  if (done === 'unassigned') return statusNote('The assignment was undone. The firm no longer sees the loan.');
  return false;
}

async function assignmentsAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { answer } = await call.call('loan/waiting', {});
  const { rows } = answer;
  const labels = await loadLabels(call, [referencesOf(rows, ['OrganizationID', 'Organization'])]);
  return {
    title: 'Loan assignments',
    place: 'cases',
    crumbs: [{ text: 'Cases', href: '/records/process' }, { text: 'Loan assignments' }],
    status: error?.status ?? 200,
    body: html`<div class="page"><h1>Loan assignments</h1>
<p class="soft">These firms sent a loan number that another source had created. Until you assign them, they see only
what they sent themselves. Assigning keeps the values of the loan; compare first to take values over.</p>
${assignmentFlash(call.query['done'])}
${error && errorNote(error.masked())}
${
  rows.length === 0
    ? emptyState({
        title: 'Nothing waits for assignment.',
        text: 'Every firm sees the loans that it sent.',
        icon: 'check',
      })
    : card({ id: 'waiting', title: 'Waiting', note: rows.length, body: selection(call, rows, labels) })
}</div>`,
  };
}

function selection(call: PageCall, rows: readonly WaitingRow[], labels: Labels): Markup {
  const mayAssign = call.may('loan/assign');
  return html`<form method="post" action="${ASSIGNMENTS_PATH}">
${csrfField(call)}
${table({
  label: 'Waiting for assignment',
  heads: [mayAssign && { text: 'Select', isHidden: true }, 'Loan number', 'Firm', 'Case', 'Waiting since', 'Compare'],
  rows: rows.map((row) => waitingRow(call, row, { labels, mayAssign })),
})}
${mayAssign && html`<p class="card-body">${button({ text: 'Assign selected', kind: 'primary' })}</p>`}
</form>`;
}

function waitingRow(
  call: PageCall,
  row: WaitingRow,
  { labels, mayAssign }: { readonly labels: Labels; readonly mayAssign: boolean },
): Markup {
  const { ProcessID: caseId, WaitingLoanID: waitingId, OrganizationID: firm, CreatedDate: since } = row;
  const [name, value] = caseId === null ? ['ID', waitingId] : ['ProcessID', caseId];
  const number = row.Loan ?? `Loan ${waitingId ?? row.LoanID ?? ''}`;
  const select = html`<td><input class="tick" type="checkbox" name="${name}" value="${value ?? ''}"
 aria-label="Select ${number}, ${row.Case ?? 'no case'}"></td>`;
  const firmLabel = labels.get('Organization')?.get(firm ?? 0);
  return html`<tr>
${mayAssign && select}
<th scope="row"><bdi>${number}</bdi></th>
<td>${firm === null ? 'None' : recordLink(call, 'Organization', firm, firmLabel)}</td>
<td>${caseText(row)}</td>
<td>${since !== null && dayMark(call, since)}</td>
<td>${compareLink(row)}</td>
</tr>\n`;
}

function caseText({ ProcessID: id, Object: kind, Case: label, AssignmentStatus: status }: WaitingRow): Markup {
  if (id === null)
    return html`<span class="muted">${status === 'Duplicate' ? 'Same number as another loan' : 'None'}</span>`;
  const path = casePath({ module: (kind ?? '').toLowerCase() }, id);
  return html`<a href="${path}"><bdi>${label ?? id}</bdi></a>`;
}

function compareLink({ WaitingLoanID: id, LoanID: target, Loan: number }: WaitingRow): Markup {
  if (id === null) return html`<span class="muted">Nothing was sent</span>`;
  if (target === null) return html`<span class="muted">No other loan has the number</span>`;
  return html`<a href="${ASSIGNMENTS_PATH}/${id}">Compare<span class="hidden"> ${number}</span></a>`;
}
