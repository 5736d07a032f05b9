import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { ASSIGNMENTS_PATH } from './assignment-list.ts';

/**
 * Renders on a case whether its firm sees the loan: for staff with the buttons that assign it or take that back, for
 * the firm only that it waits.
 */
export function loanAccess(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  const { LoanID: loanId, LoanAssigned: isAssigned, OrganizationID: firm } = row;
  if (typeof loanId !== 'number' || typeof isAssigned !== 'boolean' || typeof firm !== 'number') return false;
  const mayChange = call.user.universal && call.may('loan/assign') && call.may('loan/unassign');
  if (!mayChange) return !isAssigned && firmNote();
  const id = Number(row[record.idField]);
  return isAssigned ? assigned(call, record, id) : waiting(call, record, { id, loanId });
}

/** Links from a loan that waits to the page on which it is compared and assigned. */
export function assignLink(call: PageCall, { LoanID: id, AssignmentStatus: status }: AnyRow): Markup | false {
  if (typeof id !== 'number' || typeof status !== 'string' || !call.user.universal || !call.may('loan/assign'))
    return false;
  return html`<a class="button" href="${ASSIGNMENTS_PATH}/${id}">Assign loan</a>`;
}

function firmNote(): Markup {
  return html`<p class="note">This case waits for its loan to be assigned. Until then, its loan shows only what your
firm sent.</p>`;
}

function waiting(
  call: PageCall,
  record: RecordType,
  { id, loanId }: { readonly id: number; readonly loanId: number },
): Markup {
  return html`<form method="post" action="${ASSIGNMENTS_PATH}" class="note">
<p>This case waits for its loan to be assigned. The firm sees only what it sent.</p>
${csrfField(call)}${hiddenField('ProcessID', id)}${hiddenField('Return', casePath(record, id))}
<p class="actions"><button class="button">Assign loan</button>
<a class="button quiet" href="${ASSIGNMENTS_PATH}/${loanId}">Compare first</a></p>
</form>`;
}

function assigned(call: PageCall, record: RecordType, id: number): Markup {
  return html`<details><summary>Loan access</summary>
<form method="post" action="${ASSIGNMENTS_PATH}">
<p>The firm sees the loan, its property and its borrowers. If the case was assigned by mistake, undo it: what the firm
sent is restored, and the firm no longer sees the loan.</p>
${csrfField(call)}${hiddenField('ProcessID', id)}${hiddenField('Return', casePath(record, id))}
<p><button class="button" name="Action" value="unassign">Undo assignment</button></p>
</form>
</details>`;
}
