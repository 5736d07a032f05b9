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
  { range: [1, 1_000_000] },
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
  { range: [1, 1_000_000] },
);
export const signInFailuresPerAccountMax = defineSetting(
  'SignInFailuresPerAccountMax',
  f.integer({
    doc:
      'Failed sign-ins of one account from all addresses within the window after which attempts must wait, except in ' +
      'browsers and from addresses where its user has signed in before.',
  }),
  100,
  { range: [1, 1_000_000] },
);
export const signInWindowMinutes = defineSetting(
  'SignInWindowMinutes',
  f.integer({
    doc: 'Minutes in which a full count of failed sign-ins sinks to zero, and the longest wait. At least 1.',
  }),
  15,
  { range: [1, 10_080] },
);

export const initialPasswordDays = defineSetting(
  'InitialPasswordDays',
  f.integer({
    doc:
      'Days within which users must change a password that another user has set for them. Until they do, they can do ' +
      'nothing else with it; afterwards it is refused. 0: such a password is like any other. Keys are not affected.',
  }),
  14,
  { range: [0, 36_500] },
);

export const callsPerMinuteMax = defineSetting(
  'CallsPerMinuteMax',
  f.integer({
    doc:
      'Most calls a minute of one user, however they sign in, or of one network address without signing in; pages ' +
      'count too. Further ones are refused until the minute is over. An API key with `RateLimitPerMinute` has that ' +
      'limit instead. Several processes count together, to within a twentieth each. 0: no limit.',
  }),
  12_000,
  { range: [0, 1_000_000_000] },
);
export const largeBodiesMax = defineSetting(
  'LargeBodiesMax',
  f.integer({
    doc:
      'Most calls at once of one user, or of one network address without signing in, with bodies of more than 1 MB; ' +
      'counted in each process. Those of them whose bodies are parameters, not files, may have 64 MB together. ' +
      'Further ones are refused until one of them is answered. 0: no limit of either.',
  }),
  8,
  { range: [0, 1_000_000] },
);
export const megabytesPerDayMax = defineSetting(
  'MegabytesPerDayMax',
  f.integer({
    doc:
      'Most megabytes (of a million bytes, decompressed) that one user sends in a day of UTC, in calls, pages and ' +
      'files by sFTP, or one network address without signing in. Several processes count together, to within a ' +
      'twentieth each. 0: no limit.',
  }),
  20_000,
  { range: [0, 1_000_000_000] },
);

export const settings = [
  callsPerMinuteMax,
  initialPasswordDays,
  largeBodiesMax,
  megabytesPerDayMax,
  signInFailuresMax,
  signInFailuresPerAddressMax,
  signInFailuresPerAccountMax,
  signInWindowMinutes,
] as const;
