import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const webhook = defineRecord({
  name: 'Webhook',
  doc: 'An address outside that is told of changes of records by signed HTTP calls.',
  reach: 'none',
  labelDoc: 'A name by which people know the webhook.',
  triggers: { webhook_configuration: 'Tells every process that webhooks changed.' },
  fields: {
    URL: required(f.text({ doc: 'Where events are sent: https, without credentials.', max: 2000, exact: true })),
    Events: required(
      f.text({
        doc: 'What is told, comma-separated: `Foreclosure.insert`, `Loan.update`, `*.delete`, `Import*.*`. Changes are insert, update, delete and undelete; a base such as Process stands for what derives from it.',
        max: 4000,
      }),
    ),
    Columns: f.text({
      doc: 'Of updates, only those that change one of these columns, comma-separated; empty for all.',
      max: 4000,
    }),
    Fields: f.text({ doc: 'Public columns whose values are sent along, comma-separated; empty for none.', max: 4000 }),
    OrganizationID: f.id({ doc: 'Only what this firm reaches is sent; empty for everything.', to: 'Organization' }),
    IsActive: f.boolean({
      doc: 'Whether events are recorded and sent. Switched off by the platform where the address says 410 or has failed for long.',
    }),
    Headers: f.secret({
      doc: 'Headers that are sent along, one `Name: value` a line. Kept sealed and never shown.',
      max: 20000,
    }),
    HeaderNames: computed(f.text({ doc: 'The names of the headers that are sent along.', max: 2000, exact: true })),
    Secret: computed(f.secret({ doc: 'The secret that signs, sealed.', max: 500 })),
    SecretDate: computed(f.timestamp({ doc: 'When the secret was made.' })),
    PreviousSecret: computed(f.secret({ doc: 'The secret before it, sealed.', max: 500 })),
    PreviousSecretUntil: computed(f.timestamp({ doc: 'Until when the secret before it signs too.' })),
    DisabledDate: computed(f.timestamp({ doc: 'When the platform switched it off.' })),
    DisabledReason: computed(f.text({ doc: 'Why it did.', max: 300 })),
  },
});
