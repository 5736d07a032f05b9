import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const eventCode = defineRecord({
  name: 'EventCode',
  doc: 'What a business event code of events files means here: the kind of case that it belongs to, the task that it completes, the status that the case gets.',
  reach: 'configuration',
  labelDoc: 'The code, such as E0290.',
  labelMax: 100,
  triggers: { eventcode_configuration: 'Tells every process that templates changed.' },
  fields: {
    Description: f.text({ doc: 'What the event is.', max: 10000 }),
    CaseKind: f.choice(['Foreclosure', 'Bankruptcy', 'Delay', 'Loan'], {
      doc: 'What the event belongs to: a case of this kind, a delay of the loan, or the loan alone. Where it is empty the key columns of each event say it.',
    }),
    ImportFormTemplateID: f.id({ doc: 'The task of the case that the event completes.', to: 'ImportFormTemplate' }),
    TaskDate: f.choice(['Actual', 'Projected'], {
      doc: "Whether the event's date completes the task or projects its completion.",
      default: 'Actual',
    }),
    CaseStatus: f.text({
      doc: "The status that the case has from the event's date on; empty where the event says nothing of it.",
      max: 100,
    }),
    DecisionDelayTemplateID: f.id({
      doc: 'The kind of hold that a delay is made from; without one it is named after its type.',
      to: 'DecisionDelayTemplate',
    }),
  },
});
