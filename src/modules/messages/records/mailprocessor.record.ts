import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailProcessor = defineRecord({
  name: 'MailProcessor',
  title: 'Mailbox rule',
  kind: { group: 'exchange', position: 4, icon: 'message', text: 'Where received email is filed' },
  doc: 'A rule of a mailbox that decides what becomes of an email. Rules are tried by Sequence until one decides.',
  reach: 'none',
  collections: { MailInboundID: 'Processors' },
  labelDoc: 'What the rule does, in a few words.',
  labelMax: 255,
  fields: {
    MailInboundID: required(f.id({ label: 'Mailbox', doc: 'The mailbox.', to: 'MailInbound' })),
    Sequence: f.integer({ label: 'Order', doc: 'The sort order. Empty comes last.' }),
    Active: f.boolean({ doc: 'Whether the rule is tried.', default: true }),
    Processor: f.choice(['Signature', 'Evidence'], {
      label: 'Kind',
      valueLabels: { Signature: 'Call an operation', Evidence: 'Look for what it answers' },
      doc:
        'Signature: calls MessageStatement and files the mail by the first row of its answer. Evidence: files a ' +
        'reply with the message that it answers.',
      default: 'Signature',
    }),
    MessageStatement: f.staff({
      label: 'Operation',
      doc:
        'The method signature to call, such as CaseOfCourtNotice?Subject={Subject}. A name without a module is a ' +
        'statement or operation of Message.',
      max: 2000,
      exact: true,
    }),
  },
});
