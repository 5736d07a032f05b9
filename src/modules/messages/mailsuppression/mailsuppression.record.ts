import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailSuppression = defineRecord({
  name: 'MailSuppression',
  title: 'Blocked address',
  titlePlural: 'Blocked addresses',
  doc: 'An address to which no mail is sent. Delete it to send there again.',
  reach: 'none',
  labelDoc: 'The address, in lower case.',
  labelMax: 320,
  fields: {
    Reason: f.choice(['Bounced', 'Complaint', 'Unsubscribed', 'Person'], {
      valueLabels: {
        Bounced: 'There is no such mailbox',
        Complaint: 'The recipient reported an email as spam',
        Unsubscribed: 'The recipient unsubscribed',
        Person: 'Blocked by a person',
      },
      doc: 'Why no mail is sent there.',
      default: 'Person',
    }),
    Scope: f.choice(['All', 'Bulk'], {
      label: 'Blocked',
      valueLabels: { All: 'All mail', Bulk: 'Bulk mail' },
      doc: 'Whether no mail at all is sent there, or no bulk mail.',
      default: 'All',
    }),
    MessageID: f.id({
      label: 'Message',
      doc: 'The message to which the recipient or its server reacted.',
      to: 'Message',
    }),
    Detail: f.text({ doc: 'What the mail server or the person said.', max: 300 }),
  },
});
