import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const contactTemplate = defineRecord({
  name: 'ContactTemplate',
  kind: { group: 'data', position: 3, icon: 'people', text: 'Roles of contacts' },
  doc: 'A role of contacts, such as borrower, heir or trustee.',
  reach: 'configuration',
  labelDoc: "The role's name.",
  labelMax: 100,
  triggers: {
    contacttemplate_configuration: 'Notifies every process that templates changed.',
    contacttemplate_reach: 'Propagates a change of ExtranetEnabled to existing contacts.',
  },
  fields: {
    ...templateFields,
    CustomStatusList: f.text({
      label: 'Statuses offered',
      doc: 'The values allowed for Status of its contacts, comma-separated. Empty: any.',
      max: 4000,
    }),
    CustomTypeList: f.text({
      label: 'Types offered',
      doc: 'The values allowed for ContactType of its contacts, comma-separated. Empty: any.',
      max: 4000,
    }),
  },
});
