import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const secureLinkDays = defineSetting(
  'SecureLinkDays',
  f.integer({ doc: 'For how many days a mailed link to a secure message works.' }),
  7,
  { range: [1, 365] },
);

export const settings = [secureLinkDays] as const;
