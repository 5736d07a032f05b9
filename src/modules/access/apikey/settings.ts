import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const apiKeyDays = defineSetting(
  'ApiKeyDays',
  f.integer({ doc: 'Days after which a new API key expires unless `Expires` is sent; 0: it does not expire.' }),
  365,
  { range: [0, 36_500] },
);
export const apiKeyWarningDays = defineSetting(
  'ApiKeyWarningDays',
  f.integer({ doc: 'Days before an API key expires from which on the health report warns of it.' }),
  30,
  { range: [0, 36_500] },
);

export const settings = [apiKeyDays, apiKeyWarningDays] as const;
