import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const decisionDelayTemplate = defineRecord({
  name: 'DecisionDelayTemplate',
  doc: 'A kind of hold or delay.',
  reach: 'configuration',
  labelDoc: "The hold's name.",
  labelMax: 100,
  triggers: {
    decisiondelaytemplate_configuration: 'Tells every process that templates changed.',
    decisiondelaytemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    OnStartParentStatus: f.text({ doc: 'The status that the case gets when the hold starts.', max: 100 }),
    DecisionTemplateID: f.id({
      doc: 'The only kind of workflow that knows the hold; every kind that applies to the case where it is empty.',
      to: 'DecisionTemplate',
    }),
    ImportFormTemplateID: f.id({ doc: 'The task that comes with the hold.', to: 'ImportFormTemplate' }),
  },
});
