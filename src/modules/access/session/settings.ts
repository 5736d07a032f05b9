import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const sessionIdleMinutes = defineSetting(
  'SessionIdleMinutes',
  f.integer({ doc: "A browser's sign-in ends when it was not used for this many minutes." }),
  120,
);
export const sessionHoursMax = defineSetting(
  'SessionHoursMax',
  f.integer({ doc: "A browser's sign-in ends this many hours after it began, however much it is used." }),
  12,
);

export const settings = [sessionIdleMinutes, sessionHoursMax] as const;
