import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const delivery = defineRecord({
  name: 'Delivery',
  title: 'Letter',
  doc: 'A document that is mailed to a recipient: the address as it was sent, and the state of the letter.',
  reach: 'one',
  inSummary: false,
  labelDoc: 'The document that is mailed.',
  finalStatuses: ['Delivered', 'Returned', 'Canceled', 'Failed'],
  triggers: { delivery_reach: 'Visible to the firm that sees its document.' },
  fields: {
    DeliveryBatchID: computed(f.id({ label: 'Mailing', doc: 'The mailing.', to: 'DeliveryBatch' })),
    Object: computed(
      f.text({ label: 'Mailed for', doc: 'The record type that the letter is about.', max: 60, exact: true }),
    ),
    ObjectID: computed(f.id({ label: 'Mailed for, record number', doc: 'The record that it is about.' })),
    AttachmentID: computed(f.id({ label: 'Document', doc: 'The document.', to: 'Attachment' })),
    AttachmentTemplateID: computed(
      f.id({
        label: 'Document type',
        doc: 'The type of a document that is still to be generated.',
        to: 'AttachmentTemplate',
      }),
    ),
    FileHash: computed(
      f.text({ label: 'SHA-256', doc: 'SHA-256 of the file when it was prepared, hexadecimal.', max: 64, exact: true }),
    ),
    ContactID: computed(f.id({ label: 'Recipient', doc: 'The recipient.', to: 'Contact' })),
    RecipientName: computed(
      f.personal({ label: 'Name on the letter', doc: "The recipient's name as it was sent.", max: 255 }),
    ),
    Street: computed(f.personal({ doc: 'The street address as it was sent.', max: 255 })),
    City: computed(f.personal({ doc: 'The city as it was sent.', max: 100 })),
    State: computed(f.text({ doc: 'The state as it was sent, two letters.', max: 2 })),
    PostalCode: computed(f.personal({ label: 'ZIP code', doc: 'The ZIP code as it was sent.', max: 10 })),
    MailHouse: computed(f.text({ doc: 'The mail house, by name.', max: 100 })),
    MailClass: computed(f.text({ label: 'Mail class', doc: 'How it is mailed.', max: 40 })),
    Pages: computed(f.integer({ doc: 'Pages of the document.' })),
    Sheets: computed(f.integer({ doc: 'Sheets of paper.' })),
    Cost: computed(f.money({ doc: 'The estimated cost, or the charge once the mail house reports it.' })),
    LetterKey: computed(
      f.text({
        label: 'Key at the mail house',
        doc: 'Identifies the letter at the mail house, the same in every attempt.',
        max: 36,
        exact: true,
      }),
    ),
    SubmissionKey: computed(
      f.text({ label: 'Submission', doc: 'The submission that it was part of.', max: 80, exact: true }),
    ),
    Reference: computed(f.text({ doc: "The mail house's own ID of the letter.", max: 200, exact: true })),
    TrackingNumber: computed(f.text({ doc: "The post's tracking number.", max: 60, exact: true })),
    BegunDate: computed(
      f.timestamp({
        label: 'Transmission began',
        doc:
          'When an attempt began to transmit it. If the process ends after that, the letter is looked up at the ' +
          'mail house before it is sent again.',
      }),
    ),
    PreparedDate: computed(f.timestamp({ label: 'Prepared', doc: 'When it was prepared.' })),
    SubmittedDate: computed(f.timestamp({ label: 'Submitted', doc: 'When the mail house took it over.' })),
    MailedDate: computed(f.timestamp({ label: 'Mailed', doc: 'When it was mailed.' })),
    DeliveredDate: computed(f.timestamp({ label: 'Delivered', doc: 'When it was delivered.' })),
    ReturnedDate: computed(f.timestamp({ label: 'Returned', doc: 'When it came back.' })),
    CanceledDate: computed(f.timestamp({ label: 'Canceled', doc: 'When it was canceled.' })),
    FailedDate: computed(f.timestamp({ label: 'Failed', doc: 'When it was given up.' })),
    UnknownDate: computed(
      f.timestamp({ label: 'Unknown since', doc: 'Since when it is unknown whether the mail house has it.' }),
    ),
    TrackedDate: computed(
      f.timestamp({ label: 'Last checked', doc: 'When its state was last checked with the mail house.' }),
    ),
    Reason: computed(f.text({ doc: 'Why it was returned, failed or is waiting.', max: 300, exact: true })),
  },
});
