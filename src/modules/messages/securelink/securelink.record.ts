import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const secureLink = defineRecord({
  name: 'SecureLink',
  title: 'Secure link',
  doc: 'A link by which one recipient reads one message after signing in or entering a one-time code.',
  reach: 'none',
  inSummary: false,
  labelDoc: 'The address to which the link was sent.',
  labelMax: 320,
  fields: {
    MessageID: computed(f.id({ doc: 'The message.', to: 'Message' })),
    MessageRecipientID: computed(f.id({ label: 'Recipient', doc: 'The recipient.', to: 'MessageRecipient' })),
    TokenHash: computed(f.secret({ doc: 'SHA-256 of the token in the link, hexadecimal.', max: 64 })),
    ExpiryDate: computed(f.timestamp({ label: 'Expires', doc: 'When it stops working.' })),
    RevokedDate: computed(f.timestamp({ label: 'Revoked', doc: 'When it was revoked.' })),
    LastRead: computed(f.timestamp({ label: 'Last read', doc: 'When its recipient last read the message by it.' })),
  },
});
