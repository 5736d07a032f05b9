import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailHouse = defineRecord({
  name: 'MailHouse',
  kind: { group: 'exchange', position: 3, icon: 'print', text: 'Companies that print and mail letters' },
  doc: 'A company that prints and mails letters. A mailing that names none goes to the first by Sequence.',
  reach: 'none',
  labelDoc: 'The name by which mailings and calls refer to the mail house; it cannot change.',
  labelMax: 100,
  triggers: { mailhouse_configuration: 'Notifies every process that mail houses changed.' },
  fields: {
    Description: f.text({ doc: 'What the mail house is for.', max: 2000 }),
    Sequence: f.integer({ label: 'Order', doc: 'The sort order; the lowest is the default. Empty comes last.' }),
    Options: f.text({
      doc:
        "Options of the mail house's kind, as a query string: `Location=Mail+house&LetterCents=120`. " +
        'docs/guides/operators/mail-houses.md lists them.',
      max: 10000,
      exact: true,
    }),
    Secrets: f.secret({
      label: 'Secret options',
      doc: "Secret options of the mail house's kind, as a query string: `ApiKey=…`. Stored encrypted and never shown.",
      max: 30000,
    }),
  },
});
