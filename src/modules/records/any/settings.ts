import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const ruleTraceDays = defineSetting(
  'RuleTraceDays',
  f.integer({
    doc: 'For how many days it is stored which row of a rule set changed a record, and why; 0 stores nothing.',
  }),
  730,
  { range: [0, 36_500] },
);

export const settings = [ruleTraceDays] as const;
