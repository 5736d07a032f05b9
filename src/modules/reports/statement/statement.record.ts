import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const statement = defineRecord({
  name: 'Statement',
  kind: { group: 'words', position: 4, icon: 'database', text: 'Saved queries for reports and queues' },
  title: 'Report statement',
  doc: 'A saved query. As soon as it is saved, it can be called as {module}/{statement}.',
  reach: 'none',
  transferKey: ['ClassName', 'Statement'],
  labelDoc: 'The name by which it is called: letters and digits.',
  labelMax: 60,
  triggers: { statement_configuration: 'Notifies every process that statements changed.' },
  fields: {
    ClassName: f.text({ label: 'Module', doc: 'The record type on whose module it is called.', max: 60 }),
    Description: f.text({ doc: 'What it returns.', max: 1000 }),
    Query: f.text({
      doc: 'One SELECT. {Name} in it is a parameter. It runs read-only and sees only the rows that the caller can see.',
      max: 50000,
      exact: true,
    }),
  },
});
