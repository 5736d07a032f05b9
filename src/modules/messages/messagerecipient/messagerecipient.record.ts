import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const messageRecipient = defineRecord({
  name: 'MessageRecipient',
  title: 'Recipient',
  doc: 'An address on a message, and what became of the message there.',
  reach: 'one',
  collections: { MessageID: 'Recipients' },
  labelDoc: 'The email address, or the telephone number of a text message.',
  labelMax: 320,
  triggers: {
    messagerecipient_reach: 'Visible to the firm that sees the message; a blind copy only if that firm sent it.',
    messagerecipient_text_added: 'Marks the words of its message as due for indexing.',
    messagerecipient_text_removed: 'Marks the words of its message as due for indexing.',
    messagerecipient_text: 'Marks the words of its message as due for indexing after its address or firm has changed.',
  },
  fields: {
    MessageID: required(f.id({ doc: 'The message.', to: 'Message' })),
    Category: f.integer({ label: 'Kind', doc: '0 To, 1 Cc, 2 Bcc, 3 Reply-To.', default: 0 }),
    Name: f.personal({ doc: 'The name beside the address.', max: 255 }),
    ContactID: f.id({ doc: 'The contact whose address it is.', to: 'Contact' }),
    PersonID: f.id({ label: 'User', doc: 'The user who gets a note.', to: 'Person' }),
    Detail: computed(
      f.personal({ doc: "The last answer of the recipient's mail server, or why nothing was sent.", max: 300 }),
    ),
    MailDeliveryID: computed(f.id({ label: 'Delivery', doc: 'The delivery to this recipient.', to: 'MailDelivery' })),
    SentDate: f.timestamp({ label: 'Sent', doc: 'When the mail server accepted it.' }),
    ReceivedDate: f.timestamp({ label: 'Delivered', doc: "When the recipient's mail server reported it." }),
    ReadDate: f.timestamp({ label: 'Read', doc: 'When the recipient opened it, if that is known.' }),
  },
});
