import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const signInFailuresMax = defineSetting(
  'SignInFailuresMax',
  f.integer({
    doc: 'Failed sign-ins of one account within the window after which it is refused until the window ends.',
  }),
  10,
);
export const signInFailuresPerAddressMax = defineSetting(
  'SignInFailuresPerAddressMax',
  f.integer({
    doc: 'Failed sign-ins from one network address within the window after which it is refused until the window ends.',
  }),
  50,
);
export const signInWindowMinutes = defineSetting(
  'SignInWindowMinutes',
  f.integer({ doc: 'Length of the window in which failed sign-ins are counted, in minutes.' }),
  15,
);

export const settings = [signInFailuresMax, signInFailuresPerAddressMax, signInWindowMinutes] as const;
