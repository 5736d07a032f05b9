import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { recordField, textField } from '../design/field.ts';
import { facts } from '../design/list.ts';
import { recordLink } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

type Handover = RowNamed<'Handover'>;

/** Renders the form that deactivates a user and gives their work to others. `error`: why it was refused. */
export function deactivationForm(call: PageCall, id: string, error?: PlatformError): Markup {
  const sent = (name: string): string => plainText(call.form[name]);
  return card({
    id: 'deactivate',
    title: 'Deactivate and hand over',
    body: html`<form class="card-body stack entry" method="post" action="/administration/users/${id}/deactivate">
${csrfField(call)}
${error && errorNote(error.masked())}
<p>Sessions end and API keys are revoked at once. Open work is reassigned in the background.</p>
<div class="form-grid">
${recordField({
  label: 'Work items and tasks go to',
  name: 'WorkPersonID',
  type: 'Person',
  value: sent('WorkPersonID'),
  hint: 'If empty, items go back to their queues. Tasks outside of queues become unassigned.',
})}
${recordField({
  label: 'Cases go to',
  name: 'CasePersonID',
  type: 'Person',
  value: sent('CasePersonID'),
  hint: 'If empty, cases become unassigned.',
})}
${textField({
  label: 'Reason',
  name: 'Reason',
  value: sent('Reason'),
  isRequired: true,
  attributes: html`maxlength="1000"`,
})}
</div>
${confirmationField(call, 'deactivate')}
<p class="row">${button({ text: 'Deactivate user', kind: 'danger' })}
<a class="button quiet" href="/administration/users/${id}">Cancel</a></p>
</form>`,
  });
}

/** Returns the last deactivation of a user that has not been undone; undefined if the viewer may not see it. */
export async function currentHandover(call: PageCall, personId: string): Promise<Handover | undefined> {
  if (!call.may('handover/search')) return undefined;
  const { answer } = await call.call('handover/search', {
    PersonID: personId,
    OrderBy: ['-HandoverID'],
    DisplaySize: 1,
    RecordCount: 'false',
  });
  return answer.rows.find(({ UndoneDate: undone }) => undone === null);
}

/** Shows what a deactivation did, where the work is now, and the way back. */
export async function handoverCard(call: PageCall, row: Handover): Promise<Markup> {
  const labels = await loadLabels(call, [
    referencesOf([row], ['WorkPersonID', 'Person'], ['CasePersonID', 'Person'], ['CreatedPersonID', 'Person']),
  ]);
  const keys = row.KeyCount ?? 0;
  return card({
    id: 'deactivation',
    title: 'Deactivation',
    body: html`<div class="card-body stack">${facts([
      ['When', shortTimeMark(call, row.CreatedDate)],
      ['By', personOf(call, labels, row.CreatedPersonID)],
      ['Reason', html`<bdi>${row.Reason}</bdi>`],
      ['Work items', runOf(row.WorkItemRunID, personOf(call, labels, row.WorkPersonID) ?? 'Back to their queues')],
      ['Tasks', runOf(row.TaskRunID, personOf(call, labels, row.WorkPersonID) ?? 'Back to their queues')],
      ['Cases', runOf(row.CaseRunID, personOf(call, labels, row.CasePersonID) ?? 'Unassigned')],
      ['API keys', keys > 0 && `${plural(keys, 'key')} revoked`],
    ])}
${call.may('handover/undo') && undoForm(call, row)}</div>`,
  });
}

/** Names who got the work, and leads to the bulk change. Nothing if there was none. */
function runOf(runId: number | null, receiver: HtmlValue): HtmlValue {
  return runId !== null && html`${receiver} · <a class="link" href="/bulk/${runId}">Results</a>`;
}

function personOf(call: PageCall, labels: Labels, id: number | null): Markup | undefined {
  return id === null ? undefined : recordLink(call, 'Person', id, labels.get('Person')?.get(id));
}

function undoForm(call: PageCall, { HandoverID: id, PersonID: personId, KeyCount: keys }: Handover): Markup {
  const notice = (keys ?? 0) > 0 ? 'The revoked API keys stay revoked: create new ones.' : 'Ended sessions stay ended.';
  return html`<form class="stack entry" method="post" action="/administration/users/${personId}/reactivate">
${csrfField(call)}${hiddenField('ID', id)}
<p class="soft">Undo makes the user active again, and gives back what nobody has worked on since. ${notice}</p>
${confirmationField(call, 'reactivate')}
<p class="row">${button({ text: 'Undo deactivation' })}</p></form>`;
}
