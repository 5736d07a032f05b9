import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const signInFailuresMax = defineSetting(
  'SignInFailuresMax',
  f.integer({
    doc:
      'Failed sign-ins of one account from one address, or in one browser, within the window after which the next ' +
      'attempt must wait: a minute, then twice as long each time, up to the length of the window.',
  }),
  10,
);
export const signInFailuresPerAddressMax = defineSetting(
  'SignInFailuresPerAddressMax',
  f.integer({
    doc:
      'Failed sign-ins from one network address within the window after which the next attempt must wait; users who ' +
      'have signed in there before are not affected. Invalid API keys of an address are counted apart, by the same ' +
      'number; valid keys are never affected.',
  }),
  50,
);
export const signInFailuresPerAccountMax = defineSetting(
  'SignInFailuresPerAccountMax',
  f.integer({
    doc:
      'Failed sign-ins of one account from all addresses within the window after which attempts must wait, except in ' +
      'browsers and from addresses where its user has signed in before.',
  }),
  100,
);
export const signInWindowMinutes = defineSetting(
  'SignInWindowMinutes',
  f.integer({
    doc: 'Minutes in which a full count of failed sign-ins sinks to zero, and the longest wait. At least 1.',
  }),
  15,
);

export const initialPasswordDays = defineSetting(
  'InitialPasswordDays',
  f.integer({
    doc:
      'Days within which users must change a password that another user has set for them. Until they do, they can do ' +
      'nothing else with it; afterwards it is refused. 0: such a password is like any other. Keys are not affected.',
  }),
  14,
);

export const settings = [
  initialPasswordDays,
  signInFailuresMax,
  signInFailuresPerAddressMax,
  signInFailuresPerAccountMax,
  signInWindowMinutes,
] as const;
