import { defineRecord } from '../../kernel/record.ts';
import { templateFields } from '../../kernel/records/template-fields.ts';

export const importFormTemplate = defineRecord({
  name: 'ImportFormTemplate',
  doc: 'A kind of task: a tracked step with a form.',
  reach: 'configuration',
  labelDoc: 'The task\'s name.',
  labelMax: 100,
  triggers: {
    importformtemplate_configuration: 'Tells every process that templates changed.',
    importformtemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: { ...templateFields },
});
