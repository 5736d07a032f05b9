import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

const contact = (kind: string, label: string) =>
  f.id({ label, doc: `The contact who is a ${kind} recipient.`, to: 'Contact' });
const collection = (kind: string, label: string) =>
  f.id({ label, doc: `The collection whose current members are ${kind} recipients.`, to: 'Collection' });

export const messageTemplate = defineRecord({
  name: 'MessageTemplate',
  kind: { group: 'words', position: 1, icon: 'message', text: 'Mail, letters and notes' },
  doc: 'A template for notes and emails.',
  reach: 'configuration',
  labelDoc: "The template's name.",
  labelMax: 100,
  triggers: {
    messagetemplate_configuration: 'Notifies every process that templates changed.',
    messagetemplate_reach: 'Propagates a change of ExtranetEnabled to existing records.',
  },
  fields: {
    ...templateFields,
    Subject: f.text({ names: 'CustomField', doc: 'The subject, with {…} expressions.', max: 1000 }),
    BodyHTML: f.text({ names: 'CustomField', label: 'Formatted text', doc: 'The body as HTML, with {…} expressions.' }),
    BodyText: f.text({ names: 'CustomField', label: 'Text', doc: 'The body as plain text, with {…} expressions.' }),
    BodyXsltID: f.id({ label: 'Stylesheet', doc: 'The stylesheet that renders the body.', to: 'Attachment' }),
    Method: f.staff({
      label: 'Data from',
      doc: 'The method signature whose result is merged.',
      max: 2000,
      exact: true,
    }),
    FromAddress: f.text({ label: 'Sender address', doc: "The sender's address.", max: 255 }),
    FromName: f.text({ label: 'Sender', doc: "The sender's name.", max: 255 }),
    ToContactID: contact('To', 'To contact'),
    ToCollectionID: collection('To', 'To group'),
    CcContactID: contact('Cc', 'Copy to contact'),
    CcCollectionID: collection('Cc', 'Copy to group'),
    BccContactID: contact('Bcc', 'Blind copy to contact'),
    BccCollectionID: collection('Bcc', 'Blind copy to group'),
  },
});
