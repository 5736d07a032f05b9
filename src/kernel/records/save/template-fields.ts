import { f } from '../../declare/field.ts';

/**
 * The fields of every template type: which parents it applies to, how often it is used, and who besides staff sees its
 * instances.
 */
export const templateFields = {
  AppliesTo: f.text({ doc: 'The record type under which instances are made; empty for any.', max: 60 }),
  Repeatable: f.choice(['One', 'OneActive', 'Many'], {
    doc:
      "One: always reuses the parent's instance; OneActive: reuses it until it is final; " +
      'Many: creates an instance each time.',
    default: 'Many',
  }),
  ExtranetEnabled: f.choice(['No', 'Parent', 'Self'], {
    doc: "No: partner users never see instances; Parent: who reaches the parent; Self: by the instance's own reach.",
    default: 'Self',
  }),
  Description: f.text({ doc: 'What it is for.', max: 10000 }),
};
