import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { STYLESHEET_CHARACTERS_MAX } from '../../../kernel/xml/stylesheet.ts';

export const businessRule = defineRecord({
  name: 'BusinessRule',
  doc: 'A rule that is asked before a record of a table is changed, or an operation is called: it may refuse, or warn.',
  reach: 'configuration',
  labelDoc: 'What the rule is called; it is told with each refusal.',
  labelMax: 100,
  triggers: { businessrule_configuration: 'Tells every process that rules changed.' },
  fields: {
    AppliesTo: f.text({
      doc: 'The table that it looks at; a rule of a base type, such as Process, looks at what derives from it too.',
      max: 60,
    }),
    Operation: f.text({
      doc: 'When it is asked, one or more with commas between them: Insert, Update, Save (either), Delete, or the name of an operation or saved statement of the table.',
      max: 200,
    }),
    StartDate: f.date({ doc: "The first day on which it is asked, in the installation's time zone." }),
    EndDate: f.date({ doc: 'The last day on which it is asked.' }),
    Sequence: f.integer({ doc: 'The order among the rules of a table, the lowest first.' }),
    RuleValidator: f.text({ doc: 'The plug-in that runs it; XsltRuleValidator where it is empty.', max: 100 }),
    Stylesheet: f.text({
      doc: 'The rule itself, for XsltRuleValidator a stylesheet of XSLT 1.0. It is kept as a document on the rule too: saving one changes the other.',
      max: STYLESHEET_CHARACTERS_MAX,
      exact: true,
    }),
    Description: f.text({ doc: 'What it sees to, and why.', max: 1000 }),
  },
});
