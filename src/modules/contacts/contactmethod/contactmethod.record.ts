import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const contactMethod = defineRecord({
  name: 'ContactMethod',
  doc: 'A phone number, email or other address of a contact.',
  reach: 'many',
  collections: { ContactID: 'Methods' },
  label: derivedLabel(
    ['MethodType', 'ContactValue'],
    (row) => [row.MethodType, row.ContactValue].filter(Boolean).join(': ') || null,
  ),
  triggers: { contactmethod_reach: 'Maintains the firms that can see the method: those of its contact.' },
  fields: {
    ContactID: required(f.id({ doc: 'The contact.', to: 'Contact' })),
    MethodType: f.text({ label: 'Kind', doc: 'Email, Phone, Fax and so on.', max: 60 }),
    ContactValue: f.personal({ label: 'Phone, email or address', doc: 'The address or number.', max: 255 }),
    PrimaryMethod: f.boolean({ label: 'Preferred', doc: 'Whether it is the preferred one.' }),
    ValidStart: f.date({ label: 'Valid from', doc: 'The first day on which it is valid.' }),
    ValidEnd: f.date({ label: 'Valid until', doc: 'The last day on which it is valid.' }),
    VerifiedSource: f.text({ label: 'Verified by', doc: 'What verified it.', max: 100 }),
  },
});
