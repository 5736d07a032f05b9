import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

const contact = (kind: string, label: string) =>
  f.id({ label, doc: `The contact who is a ${kind} recipient.`, to: 'Contact' });
const addresses = (kind: string, label: string) =>
  f.text({
    label,
    doc: `Addresses of ${kind} recipients, comma-separated; {…} expressions are filled in.`,
    max: 2000,
    exact: true,
  });
const method = (kind: string, label: string) =>
  f.staff({
    label,
    doc: `The method signature whose rows, with Email or ContactID, are ${kind} recipients.`,
    max: 2000,
    exact: true,
  });
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
    ToAddress: addresses('To', 'To addresses'),
    CcAddress: addresses('Cc', 'Copy to addresses'),
    BccAddress: addresses('Bcc', 'Blind copy to addresses'),
    ReplyToAddress: addresses('Reply-To', 'Replies to'),
    ToMethod: method('To', 'To, from a method'),
    CcMethod: method('Cc', 'Copy to, from a method'),
    BccMethod: method('Bcc', 'Blind copy to, from a method'),
    ReplyToMethod: method('Reply-To', 'Replies to, from a method'),
    BodyLanguage: f.choice(['Fields', 'Liquid'], {
      label: 'Template language',
      valueLabels: { Fields: '{Field} expressions', Liquid: 'Liquid' },
      doc: 'How subject and bodies are written: with {Field} expressions (also where it is empty), or in Liquid.',
    }),
    AttachmentTemplates: f.text({
      label: 'Attach',
      doc: 'Names of document types that are generated and attached, comma-separated.',
      max: 2000,
    }),
    Provider: f.text({ label: 'Mail server', doc: 'The mail server, by name; by default the first one.', max: 100 }),
    SecureDelivery: f.boolean({
      label: 'Secure delivery',
      doc: 'Whether its emails contain only a notice with a link, unless a message says otherwise.',
    }),
    IsBulk: f.boolean({
      label: 'Bulk mail',
      doc: 'Whether it goes to many recipients who may unsubscribe: its emails have an unsubscribe link.',
    }),
    VariantOfID: f.id({
      label: 'Translation of',
      doc: 'The template of which this is the version in another language.',
      to: 'MessageTemplate',
    }),
    Language: f.text({
      doc: "The language, as in a contact's SpokenLanguage: `Spanish`. Recipients who speak it get this version.",
      max: 60,
    }),
  },
});
