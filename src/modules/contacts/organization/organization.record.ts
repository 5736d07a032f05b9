import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { contact } from '../contact/contact.record.ts';

export const organization = defineRecord({
  name: 'Organization',
  doc: "A company: a firm, a client, the installation's own. It shares a contact's address fields and methods.",
  base: contact,
  reach: 'many',
  template: 'ContactTemplate',
  labelDoc: "The organization's name.",
  triggers: { organization_reach: 'A firm reaches its own organization.' },
  fields: {
    ProviderCode: f.text({
      doc: 'The code by which files name the firm; no two firms share one.',
      max: 50,
      exact: true,
    }),
    Website: f.text({ doc: 'Address of its site.', max: 255 }),
  },
});
