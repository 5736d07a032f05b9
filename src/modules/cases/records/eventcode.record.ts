import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const eventCode = defineRecord({
  name: 'EventCode',
  kind: { group: 'data', position: 1, icon: 'flag', text: 'Events of cases and what they mean' },
  doc:
    'Maps a business event code of events files: the kind of case that it belongs to, the task that it ' +
    'completes and the status that it sets on the case.',
  reach: 'configuration',
  labelDoc: 'The code, such as E0290.',
  labelMax: 100,
  triggers: { eventcode_configuration: 'Notifies every process that templates changed.' },
  fields: {
    Description: f.text({ doc: 'What the event is.', max: 10000 }),
    CaseKind: f.choice(['Foreclosure', 'Bankruptcy', 'Delay', 'Loan'], {
      label: 'Kind of case',
      doc:
        'The record that the event belongs to: a case of this kind, a delay of the loan, or the loan alone. ' +
        'If empty, the key columns of each event decide.',
    }),
    ImportFormTemplateID: f.id({
      label: 'Task type',
      doc: 'The task of the case that the event completes.',
      to: 'ImportFormTemplate',
    }),
    TaskDate: f.choice(['Actual', 'Projected'], {
      label: 'Date means',
      doc: "Whether the event's date completes the task or projects its completion.",
      default: 'Actual',
    }),
    CaseStatus: f.text({
      label: 'New case status',
      doc: "The status of the case from the event's date on. Empty: the event does not change it.",
      max: 100,
    }),
    DecisionDelayTemplateID: f.id({
      label: 'Hold type',
      doc: 'The hold type from which a delay is created; without one, the hold is named after its type.',
      to: 'DecisionDelayTemplate',
    }),
  },
});
