import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const professionalLicense = defineRecord({
  name: 'ProfessionalLicense',
  doc: "A person's or firm's license to practice.",
  parent: 'ProfessionalLicenses',
  reach: 'many',
  labelDoc: "The license's number or name.",
  triggers: { professionallicense_reach: 'Maintains the firms that can see the license: those of its parent.' },
  fields: {
    Effective: f.date({ label: 'Valid from', doc: 'The first day on which it is valid.' }),
    Expires: f.date({ label: 'Valid until', doc: 'The last day on which it is valid.' }),
    VerificationType: f.text({
      label: 'How verified',
      doc: 'How it was verified, such as by the register of the state.',
      max: 100,
    }),
    VerifiedDate: f.timestamp({ label: 'Verified', doc: 'When it was verified.' }),
    VerifiedBy: f.personal({ doc: 'Who verified it.', max: 255 }),
    AttachmentID: f.id({ label: 'Document', doc: 'The document that proves it.', to: 'Attachment' }),
    GeographyID: f.id({ label: 'Valid in', doc: 'Where it is valid: a state or county.', to: 'Geography' }),
  },
});
