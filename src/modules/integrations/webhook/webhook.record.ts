import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const webhook = defineRecord({
  name: 'Webhook',
  kind: { group: 'exchange', position: 2, icon: 'link', text: 'Events sent to other systems' },
  doc: 'An address of another system to which changes of records are posted, signed.',
  reach: 'none',
  labelDoc: 'A display name for the webhook.',
  triggers: { webhook_configuration: 'Notifies every process that webhooks changed.' },
  fields: {
    URL: required(
      f.text({
        label: 'Address',
        doc: 'The address that receives events: https, without credentials.',
        max: 2000,
        exact: true,
      }),
    ),
    Events: required(
      f.text({
        label: 'Sent for',
        doc:
          'The subscribed events, comma-separated: `Foreclosure.insert`, `Loan.update`, `*.delete`, `Import*.*`. ' +
          'Changes are insert, update, delete and undelete; a base type such as Process includes its derived types.',
        max: 4000,
      }),
    ),
    Columns: f.text({
      label: 'Columns watched',
      doc: 'Send an update only if it changes one of these columns, comma-separated; empty for all.',
      max: 4000,
    }),
    Fields: f.text({
      label: 'Fields sent',
      doc: 'Public columns whose values are sent with each event, comma-separated; empty for none.',
      max: 4000,
    }),
    OrganizationID: f.id({
      label: 'Firm',
      doc: 'Send only what this firm can see; empty for everything.',
      to: 'Organization',
    }),
    IsActive: f.boolean({
      doc:
        'Whether events are recorded and sent. The platform switches it off if the address responds with 410 ' +
        'or has failed for too long.',
    }),
    Headers: f.secret({
      doc: 'Extra headers of each call, one `Name: value` per line. Stored encrypted and never shown.',
      max: 20000,
    }),
    HeaderNames: computed(f.text({ doc: 'The names of the extra headers.', max: 2000, exact: true })),
    Secret: computed(f.secret({ doc: 'The signing secret, encrypted.', max: 500 })),
    SecretDate: computed(f.timestamp({ label: 'Secret since', doc: 'When the secret was created.' })),
    PreviousSecret: computed(f.secret({ doc: 'The previous secret, encrypted.', max: 500 })),
    PreviousSecretUntil: computed(
      f.timestamp({ label: 'Previous secret valid until', doc: 'Until when the previous secret still signs as well.' }),
    ),
    DisabledDate: computed(f.timestamp({ label: 'Turned off', doc: 'When the platform switched it off.' })),
    DisabledReason: computed(
      f.text({ label: 'Why it was turned off', doc: 'Why the platform switched it off.', max: 300 }),
    ),
  },
});
