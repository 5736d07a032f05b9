import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const message = defineRecord({
  name: 'Message',
  doc: 'A note, memo or mail on a record.',
  reach: 'one',
  parent: 'Messages',
  template: 'MessageTemplate',
  labelDoc: 'The subject.',
  labelMax: 1000,
  synonyms: { Subject: 'Message', DateAdded: 'CreatedDate' },
  triggers: {
    message_reach: "Keeps the firm that reaches the message: its parent's, as its template allows.",
    message_reach_spread: 'Hands a change of its firms on to what hangs below it.',
  },
  fields: {
    BodyText: f.body({ doc: 'The body as plain text.' }),
    BodyHTML: f.body({ doc: 'The body as HTML.' }),
    FromAddress: f.personal({ doc: "The sender's address.", max: 255 }),
    FromName: f.personal({ doc: "The sender's name.", max: 255 }),
    ParentMessageID: f.id({ doc: 'The message that it answers: its thread.', to: 'Message' }),
    Priority: f.integer({ doc: 'Its priority.' }),
    SecureDelivery: f.boolean({ doc: 'Whether only a notice with a link is mailed.' }),
  },
});
