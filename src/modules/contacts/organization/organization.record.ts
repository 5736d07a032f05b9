import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { contact } from '../contact/contact.record.ts';

export const organization = defineRecord({
  name: 'Organization',
  doc: 'A company: a firm, a client or your own. Has an address, phone numbers and emails, like a contact.',
  base: contact,
  reach: 'many',
  template: 'ContactTemplate',
  labelDoc: "The organization's name.",
  triggers: { organization_reach: 'A firm can see its own organization.' },
  fields: {
    ProviderCode: f.text({
      label: 'Firm code',
      doc: 'The code of the firm in files, unique among firms.',
      max: 50,
      exact: true,
    }),
    Website: f.text({ doc: 'The address of its website.', max: 255 }),
  },
});
