import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { recordField, textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { CaseFact } from './case-facts.ts';
import type { CaseView } from './case-view.ts';
import { today } from '../days.ts';

/** Returns the dates of the case itself that its layout shows. */
export function dateFacts({ facts }: CaseView): readonly CaseFact[] {
  const own = [...facts.values()].filter(
    ({ path: { references, column } }) =>
      references.length === 0 && column.field.kind === 'date' && column.field.computed !== true,
  );
  return [...new Map(own.map((fact) => [fact.path.column.name, fact])).values()];
}

/** Renders the form of an action that the address or a refused form names: to assign, to close, or to change dates. */
export function actForm(call: PageCall, view: CaseView, refused: PlatformError | undefined): Markup | false {
  const sent = plainText(call.form['Action']);
  const act = sent || plainText(call.query['act']);
  const parts = acts[act];
  const { record, path, row } = view;
  if (!parts || !call.mayOf(record, 'save') || (!view.isCase && act !== 'dates')) return false;
  const error = refused && sent === act && banner({ tone: 'danger', role: 'alert', text: refused.masked().message });
  const isSent = sent === act;
  return html`<form class="act-form" id="act" method="post" action="${path}">
${csrfField(call)}${hiddenField('Version', isSent ? plainText(call.form['Version']) : row.Version)}${error}
<div class="row wrap">${parts.fields(call, view, (name) => (isSent ? plainText(call.form[name]) : undefined))}</div>
<div class="row">${button({ text: parts.text, name: 'Action', value: act, kind: act === 'close' ? 'danger' : 'plain' })}
${act === 'assign' && button({ text: 'Assign to me', name: 'Action', value: 'assign me', kind: 'quiet' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: path })}</div>
</form>`;
}

/** A form of an action. `sent` returns what a refused form had for a field. */
interface ActParts {
  readonly text: string;
  readonly fields: (call: PageCall, view: CaseView, sent: (name: string) => string | undefined) => Markup;
}

const acts: Readonly<Record<string, ActParts>> = {
  assign: { text: 'Assign', fields: assigneeField },
  close: { text: 'Close the case', fields: closingFields },
  dates: { text: 'Save dates', fields: dateFields },
};

function assigneeField(_call: PageCall, { row, labels }: CaseView, sent: (name: string) => string | undefined): Markup {
  const person = row.AssignedPersonID ?? null;
  return recordField({
    label: 'Assign to',
    name: 'AssignedPersonID',
    id: 'assignee',
    type: 'Person',
    value: sent('AssignedPersonID') ?? '',
    shown: person === null ? undefined : (labels.get('Person')?.get(person) ?? `User ${person}`),
    hint: 'The name of a user. Empty: nobody.',
    attributes: html`autofocus`,
  });
}

function closingFields(call: PageCall, _view: CaseView, sent: (name: string) => string | undefined): Markup {
  return html`${textField({
    label: 'Closed on',
    name: 'DateClosed',
    type: 'date',
    value: sent('DateClosed') ?? today(call),
    isRequired: true,
  })}
${textField({
  label: 'Reason',
  name: 'ClosedReason',
  value: sent('ClosedReason') ?? '',
  isRequired: true,
  attributes: html`autofocus maxlength="255"`,
})}`;
}

function dateFields(_call: PageCall, view: CaseView, sent: (name: string) => string | undefined): Markup {
  return html`${dateFacts(view).map(({ label, path: { column }, row }, at) => {
    const stored = row[column.name];
    return textField({
      label,
      name: column.name,
      type: 'date',
      value: sent(column.name) ?? (typeof stored === 'string' ? stored : ''),
      attributes: at === 0 && html`autofocus`,
    });
  })}`;
}
