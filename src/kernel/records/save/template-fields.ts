import { f } from '../../declare/field.ts';

/**
 * The fields of every template type: which parents it applies to, how often it is used, and who besides staff sees its
 * instances.
 */
export const templateFields = {
  AppliesTo: f.text({
    label: 'Used on',
    doc: 'The record type under which instances are made; empty for any.',
    max: 60,
  }),
  Repeatable: f.choice(['One', 'OneActive', 'Many'], {
    label: 'How often',
    valueLabels: { One: 'Once', OneActive: 'One at a time', Many: 'Any number' },
    doc:
      "One: always reuses the parent's instance; OneActive: reuses it until it is final; " +
      'Many: creates an instance each time.',
    default: 'Many',
  }),
  ExtranetEnabled: f.choice(['No', 'Parent', 'Self'], {
    label: 'Firms see it',
    valueLabels: { No: 'Never', Parent: 'With the case', Self: 'When it is theirs' },
    doc: "No: partner users never see instances; Parent: who reaches the parent; Self: by the instance's own reach.",
    default: 'Self',
  }),
  Description: f.text({ doc: 'What it is for.', max: 10000 }),
};
