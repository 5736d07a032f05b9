import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const pageLayout = defineRecord({
  name: 'PageLayout',
  kind: { group: 'pages', position: 2, icon: 'case', text: 'What the page of a case shows' },
  doc: 'What the page of a case shows and in which order: facts, milestones, panels and tabs.',
  reach: 'configuration',
  labelDoc: 'The name of the layout.',
  labelMax: 100,
  triggers: { pagelayout_configuration: 'Notifies every process that layouts changed.' },
  fields: {
    AppliesTo: required(
      f.text({
        doc: 'The record type of the cases: Foreclosure, Bankruptcy, or Process for all.',
        max: 60,
        exact: true,
      }),
    ),
    ProcessType: f.text({ doc: 'The type of the cases, such as Judicial. Empty: all types.', max: 100 }),
    Role: f.text({ names: 'Role', doc: 'The role whose users see the layout. Empty: all roles.', max: 100 }),
    Layout: required(
      f.text({
        names: 'CustomField',
        doc:
          'The content as JSON: `header` and `panels` with fields such as `Loan.Property.County`, `milestones`, ' +
          '`side` and `tabs`.',
        max: 100_000,
        exact: true,
      }),
    ),
    Description: f.text({ doc: 'What the layout is for.', max: 1000 }),
  },
});
