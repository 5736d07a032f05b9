import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const message = defineRecord({
  name: 'Message',
  doc: 'A note about a record, or an email sent from it.',
  reach: 'one',
  parent: 'Messages',
  template: 'MessageTemplate',
  labelDoc: 'The subject.',
  labelMax: 1000,
  synonyms: { Subject: 'Message', DateAdded: 'CreatedDate' },
  triggers: {
    message_reach: "Visible to its parent's firm, if its template allows it.",
    message_reach_spread: 'Propagates a change of its firms to the records below it.',
  },
  fields: {
    BodyText: f.body({ label: 'Text', doc: 'The body as plain text.' }),
    BodyHTML: f.body({ label: 'Formatted text', doc: 'The body as HTML.' }),
    FromAddress: f.personal({ label: 'Sender address', doc: "The sender's address.", max: 255 }),
    FromName: f.personal({ label: 'Sender', doc: "The sender's name.", max: 255 }),
    ParentMessageID: f.id({ label: 'In reply to', doc: 'The message that this one replies to.', to: 'Message' }),
    Priority: f.integer({ doc: 'Its priority.' }),
    SecureDelivery: f.boolean({
      label: 'Secure delivery',
      doc: 'Whether the email contains only a notice with a link.',
    }),
  },
});
