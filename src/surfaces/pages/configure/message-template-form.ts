import { columnLabel, valueLabel } from '../../../kernel/declare/labels.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { checkbox, selectField, textAreaField, textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { TemplateRow } from './message-template-page.ts';

/** Texts of a template that its page edits. */
const TEXTS = [
  'Subject',
  'BodyText',
  'BodyHTML',
  'BodyLanguage',
  'ToAddress',
  'CcAddress',
  'BccAddress',
  'FromName',
  'FromAddress',
  'AttachmentTemplates',
] as const;
type TextName = (typeof TEXTS)[number];
const SWITCHES = ['SecureDelivery', 'IsBulk'] as const;

/** The fields of a template that its page edits, and the preview of one that is being edited takes. */
export const TEMPLATE_FIELDS: readonly string[] = [...TEXTS, ...SWITCHES];

/** Returns what the form sent, as a save takes it. */
export function sentTemplate(
  call: PageCall,
): Readonly<Record<TextName, string>> & Readonly<Record<(typeof SWITCHES)[number], boolean>> {
  const text = (name: TextName): string => plainText(call.form[name]).replace(/\r\n?/g, '\n');
  return {
    ...(Object.fromEntries(TEXTS.map((name) => [name, text(name)])) as Record<TextName, string>),
    SecureDelivery: plainText(call.form['SecureDelivery']) === 'true',
    IsBulk: plainText(call.form['IsBulk']) === 'true',
  };
}

/** Renders the texts and recipients of a template as a form. */
export function templateForm(call: PageCall, row: TemplateRow, refused: PlatformError | undefined): Markup {
  const record = call.platform.registry.recordType('MessageTemplate');
  const isSent = call.form['Version'] !== undefined;
  const value = (name: TextName): string => (isSent ? plainText(call.form[name]) : (row[name] ?? ''));
  const parts = (name: TextName, hint?: string) => ({
    label: columnLabel(record, name),
    name,
    value: value(name),
    ...(hint !== undefined && { hint }),
    ...(refused?.field === name && { error: sentenceFor(refused) }),
  });
  const isOn = (name: (typeof SWITCHES)[number]): boolean =>
    isSent ? plainText(call.form[name]) === 'true' : row[name] === true;
  const languages = record.columns.get('bodylanguage')?.field;
  const choices = (languages?.values ?? []).map((each) => ({
    value: each,
    text: languages ? valueLabel(languages, each) : each,
  }));
  return card({
    id: 'texts',
    title: 'Message',
    body: html`<form class="card-body stack entry" id="template-form"
 method="post">${csrfField(call)}${hiddenField('Version', row.Version)}
${textField(parts('Subject'))}
${textAreaField({ ...parts('BodyText', 'In {…}: a field of the record, such as {Loan}, or an XPath.'), rows: 12 })}
<details${value('BodyHTML') !== '' && html` open`}><summary class="link small">HTML version</summary>${textAreaField({
      ...parts('BodyHTML', 'HTML. Email programs show it instead of the text.'),
      rows: 10,
      attributes: html`spellcheck="false" class="input mono"`,
    })}</details>
<div class="form-grid">${textField(parts('ToAddress', 'Addresses or {…} expressions, separated by commas.'))}
${textField(parts('CcAddress'))}${textField(parts('BccAddress'))}
${textField(parts('FromName'))}${textField(parts('FromAddress'))}
${textField(parts('AttachmentTemplates', 'Document types that are generated and attached.'))}
${selectField({ ...parts('BodyLanguage'), choices, empty: '{Field} expressions' })}</div>
<div class="row wrap">${checkbox({
      label: columnLabel(record, 'SecureDelivery'),
      name: 'SecureDelivery',
      isChecked: isOn('SecureDelivery'),
    })}
${checkbox({ label: columnLabel(record, 'IsBulk'), name: 'IsBulk', isChecked: isOn('IsBulk') })}</div>
${
  call.may('messagetemplate/save') &&
  html`<div class="row">${button({ text: 'Save', kind: 'primary', name: 'Action', value: 'save', key: 's' })}${button({
    text: 'Preview',
    kind: 'quiet',
    name: 'Action',
    value: 'preview',
  })}</div>`
}</form>`,
  });
}
