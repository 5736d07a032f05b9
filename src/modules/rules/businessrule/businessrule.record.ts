import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { STYLESHEET_CHARACTERS_MAX } from '../../../kernel/xml/stylesheet.ts';

export const businessRule = defineRecord({
  name: 'BusinessRule',
  kind: { group: 'rules', position: 2, icon: 'rule', text: 'Changes that are refused or warned of' },
  title: 'Rule',
  doc: 'A rule that refuses, or warns of, certain changes of records or calls of operations.',
  reach: 'configuration',
  labelDoc: 'The name of the rule, reported with each refusal.',
  labelMax: 100,
  triggers: { businessrule_configuration: 'Notifies every process that rules changed.' },
  fields: {
    AppliesTo: f.text({
      doc:
        'The table that the rule applies to. A rule on a base type, such as Process, also applies to the types ' +
        'derived from it.',
      max: 60,
    }),
    Operation: f.text({
      label: 'Before',
      doc:
        'When the rule is evaluated, comma-separated: Insert, Update, Save (insert or update), Delete, or the ' +
        'name of an operation or saved statement of the table.',
      max: 200,
    }),
    StartDate: f.date({
      label: 'In force from',
      doc: "The first day on which the rule applies, in the installation's time zone.",
    }),
    EndDate: f.date({ label: 'In force until', doc: 'The last day on which the rule applies.' }),
    Sequence: f.integer({ label: 'Order', doc: 'The order among the rules of a table, lowest first.' }),
    RuleValidator: f.text({
      label: 'Checked by',
      doc: 'The provider that runs the rule. Empty: XsltRuleValidator.',
      max: 100,
    }),
    Stylesheet: f.text({
      names: 'CustomField',
      doc:
        'The text of the rule; for XsltRuleValidator, an XSLT 1.0 stylesheet. It is also stored as a document ' +
        'on the rule: saving one changes the other.',
      max: STYLESHEET_CHARACTERS_MAX,
      exact: true,
    }),
    Description: f.text({ doc: 'What the rule enforces, and why.', max: 1000 }),
  },
});
