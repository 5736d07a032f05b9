import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailReceipt = defineRecord({
  name: 'MailReceipt',
  title: 'Received mail',
  titlePlural: 'Received mail',
  doc: 'An email that a mailbox received, and what became of it.',
  reach: 'none',
  staffReports: true,
  history: false,
  labelDoc: 'The subject as it was sent.',
  labelMax: 1000,
  fields: {
    MailInboundID: computed(f.id({ label: 'Mailbox', doc: 'The mailbox.', to: 'MailInbound' })),
    Folder: computed(f.text({ doc: 'The folder in which it was.', max: 500, exact: true })),
    UidValidity: computed(
      f.text({ label: 'Folder version', doc: 'UIDVALIDITY of the folder.', max: 100, exact: true }),
    ),
    Uid: computed(f.text({ label: 'Number in the folder', doc: 'UID of the mail.', max: 100, exact: true })),
    HeaderHash: computed(f.text({ doc: 'SHA-256 of its header block, hexadecimal.', max: 64, exact: true })),
    ContentHash: computed(f.text({ doc: 'SHA-256 of its text and attachments, hexadecimal.', max: 64, exact: true })),
    InternetMessageID: computed(
      f.text({
        label: 'Mail message ID',
        doc: 'The Message-ID, without angle brackets.',
        max: 500,
        exact: true,
      }),
    ),
    InReplyTo: computed(f.text({ label: 'Answers', doc: 'The ID in its In-Reply-To header.', max: 500, exact: true })),
    EarlierIDs: computed(
      f.json({
        label: 'Earlier messages',
        doc: 'The IDs in its References header, oldest first: the first 5 and the last 45.',
      }),
    ),
    MessageID: computed(f.id({ label: 'Message', doc: 'The message that it became.', to: 'Message' })),
    FromAddress: computed(f.personal({ label: 'Sender address', doc: "The sender's address.", max: 320 })),
    ReceivedDate: computed(f.timestamp({ label: 'Received', doc: 'When the mail server received it.' })),
    Size: computed(f.integer({ label: 'Bytes', doc: 'Size of the raw mail in bytes.' })),
    AttachmentID: computed(f.id({ label: 'Raw mail', doc: 'The mail as it came.', to: 'Attachment' })),
    Reason: computed(f.text({ doc: 'Why it was set aside, or what it reported.', max: 1000, exact: true })),
    Attempts: computed(f.integer({ doc: 'How many times it was processed.', default: 0 })),
  },
});
