import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const contactTemplate = defineRecord({
  name: 'ContactTemplate',
  doc: 'A role of contacts, such as borrower, heir or trustee.',
  reach: 'configuration',
  labelDoc: "The role's name.",
  labelMax: 100,
  triggers: {
    contacttemplate_configuration: 'Tells every process that templates changed.',
    contacttemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    CustomStatusList: f.text({
      doc: 'The values that Status of its contacts may have, comma-separated; any where it is empty.',
      max: 4000,
    }),
    CustomTypeList: f.text({
      doc: 'The values that ContactType of its contacts may have, comma-separated; any where it is empty.',
      max: 4000,
    }),
  },
});
