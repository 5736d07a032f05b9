import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailDelivery = defineRecord({
  name: 'MailDelivery',
  doc: 'One decision to send one mail: to whom, and what came of each attempt.',
  reach: 'none',
  history: false,
  labelDoc: 'What the mail is for, in a word or two.',
  finalStatuses: ['Sent', 'Partly', 'Failed', 'Unknown', 'Canceled'],
  fields: {
    Provider: f.text({
      doc: 'The mail server by name; empty for the default as it is when the mail is sent, and then the one that has sent it.',
      max: 100,
    }),
    Object: f.text({ doc: 'The record type that the mail is about.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'The record that it is about.' }),
    InternetMessageID: f.text({ doc: 'The Message-ID, the same in every attempt.', max: 255, exact: true }),
    MailKey: f.secret({
      doc: 'SHA-256 of the key under which it was decided on, hexadecimal: a repeated call makes no second mail.',
      max: 64,
    }),
    Content: f.secret({ doc: 'The mail itself, sealed. Emptied once it is sent.' }),
    Recipients: f.json({
      doc: "Each receiver with its Category (0 To, 1 Cc, 2 Bcc), Address, Status (Waiting, Accepted, Refused, Unknown), the server's words, and when.",
    }),
    Attempts: f.integer({ doc: 'How often it was tried.' }),
    NextAttempt: f.timestamp({ doc: 'When it is tried next.' }),
    RetryUntil: f.timestamp({ doc: 'After which a failed attempt is the last.' }),
    LeasedUntil: f.timestamp({ doc: 'Until when the attempt that runs is waited for.' }),
    DataBegun: f.timestamp({
      doc: 'When the attempt that runs began to hand the mail itself over: from then on a process that ends leaves it unknown whether it was taken.',
    }),
    LastAttempt: f.timestamp({ doc: 'When it was tried last.' }),
    SentDate: f.timestamp({ doc: "When the last receiver's server had taken it." }),
    LastError: f.text({ doc: 'Why the last attempt failed.', max: 300, exact: true }),
    AttemptLog: f.json({
      doc: 'The latest attempts, oldest first: when, by which mail server (Provider), how many receivers were taken, refused, put off or unknown, and why.',
    }),
    CorrelationID: f.text({ doc: 'Finds the call that decided on it.', max: 64, exact: true }),
  },
});
