import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailDelivery = defineRecord({
  name: 'MailDelivery',
  doc: 'An outgoing mail: its recipients and the result of each attempt to send it.',
  reach: 'none',
  staffReports: true,
  history: false,
  labelDoc: 'The purpose of the mail, in a word or two.',
  finalStatuses: ['Sent', 'Partly', 'Failed', 'Unknown', 'Canceled'],
  fields: {
    Provider: f.text({
      doc:
        'The name of the mail server. Until the email is sent, empty means the default server; then the one ' +
        'that sent it.',
      max: 100,
    }),
    Object: f.text({ label: 'Sent for', doc: 'The record type that the email is about.', max: 60, exact: true }),
    ObjectID: f.id({ label: 'Sent for, record number', doc: 'The record that it is about.' }),
    InternetMessageID: f.text({
      label: 'Mail message ID',
      doc: 'The Message-ID, the same in every attempt.',
      max: 255,
      exact: true,
    }),
    MailKey: f.secret({
      label: 'Delivery key',
      doc: 'SHA-256 of its idempotency key, hexadecimal: a repeated call creates no second mail.',
      max: 64,
    }),
    MailContentID: f.id({
      label: 'Stored content',
      doc: 'The email itself, encrypted, which the deliveries of a message share. Cleared once it is sent.',
    }),
    Recipients: f.json({
      doc:
        'Each recipient with its Category (0 To, 1 Cc, 2 Bcc), Address, Status (Waiting, Accepted, Refused, ' +
        "Unknown, Delivered, Bounced), the server's reply, the time, and the server's own ID of the mail (Reference) " +
        'if it returned one.',
    }),
    Attempts: f.integer({ label: 'Attempts', doc: 'How many attempts were made.' }),
    NextAttempt: f.timestamp({ doc: 'When the next attempt is made.' }),
    RetryUntil: f.timestamp({ doc: 'The time after which it is not retried.' }),
    LeasedUntil: f.timestamp({ label: 'Reserved until', doc: 'When the lease of the running attempt expires.' }),
    DataBegun: f.timestamp({
      label: 'Transmission began',
      doc:
        'When the running attempt began to transmit the content. If the process ends after that, it is ' +
        'unknown whether the server accepted the mail.',
    }),
    SlotDate: f.timestamp({
      label: 'Turn at the mail server',
      doc: 'When the mail server takes it, where the server has a limit per minute.',
    }),
    LastAttempt: f.timestamp({ doc: 'When the last attempt was made.' }),
    SentDate: f.timestamp({ label: 'Sent', doc: 'When the server of the last recipient accepted it.' }),
    LastError: f.text({ doc: 'Why the last attempt failed.', max: 300, exact: true }),
    AttemptLog: f.json({
      doc:
        'The latest attempts, oldest first: when, by which mail server (Provider), how many recipients were ' +
        'accepted, refused, deferred or unknown, and why.',
    }),
    MessageID: f.id({ label: 'Message', doc: 'The message that it sends; empty for system mail.', to: 'Message' }),
    MessageRecipientID: f.id({
      label: 'Recipient of the message',
      doc: 'The recipient of the message to whom it goes.',
      to: 'MessageRecipient',
    }),
    CorrelationID: f.text({
      label: 'Correlation ID',
      doc: 'The correlation ID of the call that created it.',
      max: 64,
      exact: true,
    }),
  },
});
