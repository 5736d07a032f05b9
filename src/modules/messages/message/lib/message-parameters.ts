import { f } from '../../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../../kernel/declare/field-types.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { messageKinds } from '../../lib/recipients/recipient.ts';

const LIST = 'comma-separated: `a@b.example, "Last, First" <c@d.example>`';

/** The parameters that name the recipients of a message. */
const recipientParameters = {
  ToAddress: f.body({ doc: `Recipients, ${LIST}.` }),
  To: f.body({ doc: 'Another name of ToAddress. Of a note: names of users.' }),
  CcAddress: f.body({ doc: 'Recipients of a copy.' }),
  Cc: f.body({ doc: 'Another name of CcAddress.' }),
  BccAddress: f.body({ doc: 'Recipients of a blind copy.' }),
  Bcc: f.body({ doc: 'Another name of BccAddress.' }),
  ReplyToAddress: f.body({ doc: 'The addresses for replies; by default the message that is replied to is found.' }),
  ReplyTo: f.body({ doc: 'Another name of ReplyToAddress.' }),
} as const;

const METHOD = 'Each row with an Email, or the contact of its ContactID, is a recipient.';
const method = (what: string) =>
  f.text({ doc: `A method signature that returns ${what}. ${METHOD}`, max: 2000, exact: true });

/** The parameters by which a method returns recipients. */
const methodParameters = {
  ToMethod: method('recipients'),
  CcMethod: method('recipients of a copy'),
  BccMethod: method('recipients of a blind copy'),
  ReplyToMethod: method('addresses for replies'),
} as const;

/** The parameters of a call that writes a message, by a template or without one. */
export const compositionParameters = {
  Template: f.text({ doc: 'The message template, by name.', max: 100 }),
  MessageTemplateID: f.id({ doc: 'The message template.', to: 'MessageTemplate' }),
  Object: f.text({ doc: 'The record type of the record that the message is about.', max: 60 }),
  ObjectID: f.id({ doc: 'The record, whose data are merged.' }),
  ...recipientParameters,
  ...methodParameters,
  DefaultRecipients: f.boolean({
    doc: "Whether the template's recipients are added to those of the call.",
    default: true,
  }),
  Subject: f.personal({ doc: "The subject, instead of the template's. It is not merged.", max: 1000 }),
  BodyText: f.body({ doc: "The text, instead of the template's bodies. It is not merged." }),
  BodyHTML: f.body({ doc: "The body as HTML, instead of the template's bodies. It is not merged." }),
  FromAddress: f.personal({ doc: "The sender's address; by default the template's, or the mail server's.", max: 254 }),
  FromName: f.personal({ doc: "The sender's name.", max: 255 }),
  Priority: f.integer({ doc: 'The priority of the message.' }),
  SecureDelivery: f.boolean({
    doc: "Whether the mail contains only a notice with a link; by default the template's choice.",
  }),
  ParentMessageID: f.id({ doc: 'The message that this one replies to.', to: 'Message' }),
  MessageType: f.choice(messageKinds, {
    doc: 'Email, Text (a text message), or Note (shown to users); by default the type of the template, or Email.',
  }),
  Language: f.text({ doc: "The language of the template's version; by default that of the recipients.", max: 60 }),
  AttachmentID: f.idList({ doc: 'Documents to attach. One that is stored encrypted is refused.', to: 'Attachment' }),
  Provider: f.text({ doc: 'The mail server; by default the first one.', max: 100 }),
  MergeSubstitution: f.boolean({
    doc: "Whether the data of the record are filled into the template's texts.",
    default: true,
  }),
} as const;

/** The parameters of a save besides the fields of the message. */
export const draftParameters = {
  ...recipientParameters,
  ...methodParameters,
  AttachmentID: f.idList({ doc: 'Documents to attach, besides those that the message has.', to: 'Attachment' }),
} as const;

/** Returns the fields of a message among the parameters of an operation that saves one. */
export function messageFields(params: ParameterFields, parameters: Parameters): Parameters {
  const declared = new Set(Object.keys(params).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !declared.has(name.toLowerCase())));
}

/** The records that these parameters name. */
export const compositionNames = [{ object: 'Object', id: 'ObjectID' }, 'AttachmentID'] as const;
