import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { recordField, selectField } from '../design/field.ts';
import { facts } from '../design/list.ts';
import { plural } from '../due-words.ts';
import { loadLabels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { PreviewProblem, PreviewRecipient } from '../messages/apply-template.ts';
import { TEMPLATE_FIELDS } from './message-template-form.ts';

/** Recipients that a preview names. */
const RECIPIENTS_SHOWN = 12;
const TYPES = ['Foreclosure', 'Bankruptcy', 'Loan', 'Contact'] as const;

/** A preview, or why there is none. */
type Preview = { readonly row: AnswerRowFor<'message/preview'> } | { readonly error: PlatformError };

/** Renders the choice of the record on which a template is tried. Its fields belong to the form of the template. */
export async function previewRecord(call: PageCall): Promise<Markup> {
  const sent = (name: string): string => plainText(call.form[name] ?? call.query[name]);
  const types = TYPES.flatMap((name) => {
    const record = call.platform.registry.record(name);
    return record && call.mayOf(record, 'search') ? [{ value: name, text: record.title }] : [];
  });
  const type = sent('Object') || 'Foreclosure';
  const id = Number(sent('ObjectID'));
  const isKnown = types.some(({ value }) => value === type) && Number.isSafeInteger(id) && id > 0;
  const labels = isKnown
    ? await loadLabels(call, [{ columns: [], rows: [{ Object: type, ObjectID: id }] }])
    : undefined;
  return html`<div class="row wrap tried-on">${selectField({
    label: 'Preview with',
    name: 'Object',
    id: 'tried-type',
    choices: types,
    value: type,
    attributes: html`form="template-form" data-file-type="tried"`,
  })}${recordField({
    label: 'Record',
    name: 'ObjectID',
    id: 'tried',
    type,
    value: sent('ObjectID'),
    shown: labels?.get(type)?.get(id),
    hint: 'Type a name, an address or a number.',
    attributes: html`form="template-form"`,
  })}</div>`;
}

/** Reads what a template becomes with the values of the form, or as it is saved. */
export async function previewAnswer(call: PageCall, id: number): Promise<Preview> {
  const sent = (name: string): string => plainText(call.form[name] ?? call.query[name]);
  const edited = Object.fromEntries(
    TEMPLATE_FIELDS.flatMap((name) =>
      call.form[name] === undefined ? [] : [[`MessageTemplate_${name}`, plainText(call.form[name])]],
    ),
  );
  try {
    const { answer } = await call.call(
      'message/preview',
      {
        MessageTemplateID: id,
        ...(/^\d{1,15}$/.test(sent('ObjectID')) && { Object: sent('Object'), ObjectID: Number(sent('ObjectID')) }),
      },
      edited,
    );
    return { row: answer.row };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { error: error.masked() };
  }
}

/** Renders what a template becomes: subject, recipients with where they come from, and what is wrong. */
export async function templatePreview(call: PageCall, id: number): Promise<Markup> {
  const preview = await previewAnswer(call, id);
  if ('error' in preview) return banner({ tone: 'danger', text: preview.error.message });
  const { row } = preview;
  const problems = row.Problems as readonly PreviewProblem[];
  const recipients = row.Recipients as readonly PreviewRecipient[];
  const documents = row.DocumentTypes;
  const from = [row.FromName, row.FromAddress].filter((part) => (part ?? '') !== '').join(' ');
  return html`${problems.length > 0 && html`<ul class="template-problems">${problems.map(problemLine)}</ul>`}
${facts([
  ['Subject', html`<b><bdi>${row.Subject}</bdi></b>`],
  ['From', from !== '' && html`<bdi>${from}</bdi>`],
  ['To', recipientList(recipients, row.RecipientCount)],
  ['Attached', documents.length > 0 && html`<bdi>${documents.join(', ')}</bdi>`],
  ['Delivery', row.SecureDelivery === true && badge('Secure: a notice and a link', 'violet', 'lock')],
])}`;
}

function problemLine({ Field, Text, IsError }: PreviewProblem): Markup {
  return html`<li>${badge(IsError ? 'Error' : 'Warning', IsError ? 'danger' : 'warn')} <bdi>${Text}</bdi>${
    (Field ?? '') !== '' && html` <span class="muted small">${Field}</span>`
  }</li>`;
}

function recipientList(recipients: readonly PreviewRecipient[], count: number): Markup {
  if (recipients.length === 0) return html`<span class="muted">None: the sender chooses</span>`;
  const shown = recipients.slice(0, RECIPIENTS_SHOWN);
  return html`<ul class="template-recipients">${shown.map(
    ({ Kind, Name, Address, Source }) =>
      html`<li>${Kind !== 'To' && html`<span class="muted">${Kind}</span> `}<bdi>${(Name ?? '') || Address}</bdi> <span
 class="muted small"><bdi>${(Name ?? '') !== '' && Address}</bdi> from ${Source}</span></li>`,
  )}</ul>${count > shown.length && html`<span class="muted small">${plural(count, 'recipient')} in all</span>`}`;
}
