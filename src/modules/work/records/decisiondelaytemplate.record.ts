import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const decisionDelayTemplate = defineRecord({
  name: 'DecisionDelayTemplate',
  kind: { group: 'work', position: 4, icon: 'hold', text: 'Why work stops, and for how long' },
  title: 'Hold type',
  doc: 'A hold type: why work waits, and what the hold does.',
  reach: 'configuration',
  labelDoc: "The hold's name.",
  labelMax: 100,
  triggers: {
    decisiondelaytemplate_configuration: 'Notifies all processes that templates changed.',
    decisiondelaytemplate_reach: 'Propagates a change of ExtranetEnabled to existing records.',
  },
  fields: {
    ...templateFields,
    OnStartParentStatus: f.text({
      label: 'Case status while on hold',
      doc: 'The status that the case gets when the hold starts.',
      max: 100,
    }),
    DecisionTemplateID: f.id({
      label: 'Workflow template',
      doc: 'The only workflow template that the hold is for. If empty, all that apply to the case.',
      to: 'DecisionTemplate',
    }),
    ImportFormTemplateID: f.id({
      label: 'Task type',
      doc: 'The task created with the hold.',
      to: 'ImportFormTemplate',
    }),
  },
});
