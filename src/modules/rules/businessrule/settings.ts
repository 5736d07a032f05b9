import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const businessRuleEnabled = defineSetting(
  'BusinessRuleEnabled',
  f.boolean({ doc: 'Whether business rules are evaluated. False allows every change that they would refuse.' }),
  true,
);
export const businessRuleCacheDuration = defineSetting(
  'BusinessRuleCacheDuration',
  f.integer({
    doc:
      'Minutes for which a process caches business rules before reading them again. A change to a rule takes ' +
      'effect at once regardless.',
  }),
  1_440,
  { range: [0, 525_600] },
);

export const settings = [businessRuleEnabled, businessRuleCacheDuration] as const;
