import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const sessionIdleMinutes = defineSetting(
  'SessionIdleMinutes',
  f.integer({ doc: 'A browser session ends after this many minutes without use.' }),
  120,
  { range: [1, 525_600] },
);
export const sessionHoursMax = defineSetting(
  'SessionHoursMax',
  f.integer({ doc: 'A browser session ends this many hours after sign-in, however much it is used.' }),
  12,
  { range: [1, 87_600] },
);

export const settings = [sessionIdleMinutes, sessionHoursMax] as const;
