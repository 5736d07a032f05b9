import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const businessRuleEnabled = defineSetting(
  'BusinessRuleEnabled',
  f.boolean({ doc: 'Whether business rules are asked at all. False lets everything through that they would refuse.' }),
  true,
);
export const businessRuleCacheDuration = defineSetting(
  'BusinessRuleCacheDuration',
  f.integer({
    doc: 'For how many minutes a process remembers the business rules before it reads them again. A change of a rule is seen at once whatever it says.',
  }),
  1_440,
);

export const settings = [businessRuleEnabled, businessRuleCacheDuration] as const;
