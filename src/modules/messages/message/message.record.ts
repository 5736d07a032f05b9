import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const message = defineRecord({
  name: 'Message',
  doc: 'A note about a record, or a message sent or received about it: an email or a text message.',
  reach: 'one',
  parent: 'Messages',
  template: 'MessageTemplate',
  labelDoc: 'The subject.',
  labelMax: 1000,
  synonyms: { Subject: 'Message', DateAdded: 'CreatedDate' },
  triggers: {
    message_reach:
      "Visible to its parent's firm, if its template allows it; received mail to the firm of the mailbox, or to one " +
      'that sees the message that it answers.',
    message_thread: 'Gives a message that names no conversation that of the message that it answers, or its own.',
    message_reach_spread: 'Propagates a change of its firms to the records below it.',
    message_text_added: 'Marks its words as due for indexing.',
    message_text: 'Marks its words as due for indexing after its text has changed.',
    message_text_reach: 'Makes its words visible to its firm.',
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
    ThreadID: computed(
      f.id({
        label: 'Conversation',
        doc: 'The first message of the conversation; itself if it began one.',
        to: 'Message',
      }),
    ),
    InternetMessageID: computed(
      f.text({ label: 'Mail message ID', doc: 'The Message-ID, without angle brackets.', max: 500, exact: true }),
    ),
    SentDate: computed(
      f.timestamp({ label: 'Sent', doc: 'When it was decided to send it; of a received message, its Date header.' }),
    ),
    MailInboundID: computed(
      f.id({ label: 'Mailbox', doc: 'The mailbox that received it; empty for a message of ours.', to: 'MailInbound' }),
    ),
    ReceivedDate: computed(
      f.timestamp({ label: 'Received', doc: 'When the mail server received it; empty for a message of ours.' }),
    ),
    FiledBy: computed(
      f.choice(['ReplyToken', 'ReplyHeader', 'Processor', 'Subject', 'Person'], {
        label: 'Filed by',
        valueLabels: {
          ReplyToken: 'The address that it was sent to',
          ReplyHeader: 'The message that it answers',
          Processor: 'A rule of the mailbox',
          Subject: 'Its subject',
          Person: 'A person',
        },
        doc: 'What decided which record a received message belongs to.',
      }),
    ),
    FiledDetail: computed(
      f.text({ label: 'Filed because', doc: 'The evidence for where it is filed, in words.', max: 1000 }),
    ),
    SubjectChanged: computed(
      f.boolean({ label: 'New subject', doc: 'Whether a reply has another subject than what it answers.' }),
    ),
    SenderProof: computed(
      f.choice(['Proven', 'Failed', 'Unproven'], {
        label: 'Sender check',
        valueLabels: { Proven: 'Genuine', Failed: 'Failed', Unproven: 'Not proven' },
        doc:
          "Whether a received message is from its sender's address, as the mailbox's own server found. " +
          'Unproven: it did not check that, or found neither.',
      }),
    ),
    SenderDetail: computed(
      f.text({ label: 'Sender check details', doc: 'What the server found, in words.', max: 1000 }),
    ),
    DKIM: computed(
      f.choice(['Pass', 'Fail', 'None'], {
        label: 'Signature of the domain',
        doc: "Result of DKIM for the sender's domain; empty if the mailbox's server did not check the sender.",
      }),
    ),
    SPF: computed(
      f.choice(['Pass', 'Fail', 'None'], {
        label: 'Server of the domain',
        doc: "Result of SPF for the sender's domain; empty if the mailbox's server did not check the sender.",
      }),
    ),
    DMARC: computed(
      f.choice(['Pass', 'Fail', 'None'], {
        label: 'Policy of the domain',
        doc: "Result of DMARC for the sender's domain; empty if the mailbox's server did not check the sender.",
      }),
    ),
    AutoSubmitted: computed(
      f.boolean({ label: 'Automatic', doc: 'Whether a program wrote it, such as an out-of-office reply.' }),
    ),
  },
});
