/** Events of the security log that have a name in words of their own; the names of all others are split into words. */
const names: readonly (readonly [event: string, words: string])[] = [
  ['SignedIn', 'Signed in'],
  ['SignedOut', 'Signed out'],
  ['SftpSignedIn', 'Signed in by sFTP'],
  ['SftpSignInRefused', 'Sign-in by sFTP refused'],
  ['SftpRefused', 'sFTP request refused'],
  ['Refused', 'Call refused'],
  ['SSNUnmasked', 'SSN shown in the clear'],
  ['UndeclaredProxy', 'Proxy not declared'],
  ['PlainHttp', 'Sent over plain HTTP'],
];

/** Events that the filter offers, the most used first. */
const OFFERED = [
  'SignInRefused',
  'SignedIn',
  'SignInBlocked',
  'Refused',
  'KeyUsed',
  'KeyRefused',
  'KeyMade',
  'KeyRevoked',
  'PasswordChanged',
  'RolesChanged',
  'StatusChanged',
  'PersonMade',
  'PersonDeactivated',
  'PersonReactivated',
  'SettingChanged',
  'SessionEnded',
  'SSNUnmasked',
  'QueueStopped',
  'QueueStarted',
  'OperationPaused',
  'OperationResumed',
  'CallsDiscarded',
  'CallsRetried',
  'ConfigurationImported',
];

const wordsByEvent: ReadonlyMap<string, string> = new Map(names);

/** Returns the name of an event in words: `SignInRefused` is "Sign-in refused", `PersonMade` "User created". */
export function eventWords(event: string): string {
  const own = wordsByEvent.get(event);
  if (own !== undefined) return own;
  const named = event
    .replace(/^SignIn/, 'Sign-in')
    .replace(/^Person/, 'User')
    .replace(/Made$/, 'Created');
  const words = named.replace(/([a-z])([A-Z])/g, '$1 $2').split(' ');
  return words.map((word, at) => (at === 0 || /^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase())).join(' ');
}

/** The words of the events that the filter offers. */
export const offeredEvents: readonly string[] = OFFERED.map(eventWords);

const eventsByWords: ReadonlyMap<string, string> = new Map(
  [...OFFERED, ...wordsByEvent.keys()].map((event) => [eventWords(event).toLowerCase(), event]),
);

const knownEvents: ReadonlySet<string> = new Set([...OFFERED, ...wordsByEvent.keys()]);

/**
 * Returns the filter of a search for what somebody typed: the event with this name, in words or as it is stored, or
 * else all events whose names contain the words.
 */
export function eventFilter(typed: string): string {
  const text = typed.trim();
  if (knownEvents.has(text) || (/^[A-Za-z]+$/.test(text) && /[a-z][A-Z]/.test(text))) return text;
  const known = eventsByWords.get(text.toLowerCase());
  if (known !== undefined) return known;
  const letters = text
    .replace(/^user\b/i, 'Person')
    .replace(/\bcreated$/i, 'Made')
    .replace(/[^A-Za-z]/g, '');
  // Without letters nothing can match: the filter must not become one for everything.
  return letters === '' ? text : `*${letters}*`;
}
