import type { Store } from '../../../../kernel/database/store.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import {
  attackerNetwork,
  countAttempt,
  forgiveAttempt,
  tooManyAttempts,
  type AttemptLimit,
  type AttemptWindow,
} from '../../../../kernel/security/sign-in-attempts.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import {
  signInFailuresMax,
  signInFailuresPerAccountMax,
  signInFailuresPerAddressMax,
  signInWindowMinutes,
} from '../settings.ts';

/** What the limits depend on. */
export interface SignInLimitParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
}

/** An attempt to sign in with a password. */
export interface SignInAttempt {
  /** The account in all spellings of its name. */
  readonly account: string;
  /** Undefined for a name that nobody has. */
  readonly personId: number | undefined;
  readonly address: string;
  /** What shows that the user has signed in here before: a browser or an open session; undefined if nothing does. */
  readonly known: string | undefined;
}

/** An attempt that may be made, counted as a failure until it is forgiven. */
export interface AdmittedAttempt {
  readonly subjects: readonly string[];
  /** The subject whose earlier failures a success forgets. */
  readonly own: string;
  /** In words, the limits that it reaches if it fails. */
  readonly reached: readonly string[];
}

/** How long an address counts as one from which a user signs in, in days. */
const KNOWN_ADDRESS_DAYS = 30;

/**
 * Counts an attempt, or throws TOO_MANY.
 *
 * Where the user has signed in before, only the failures made there count, so that nobody else can lock them out. All
 * other attempts are counted for the account at the address, which slows guessing; and for the address and for the
 * account, which slow guesses at many accounts and from many addresses. These two do not hold for a user who has signed
 * in from the address before: a whole office may share it.
 */
export async function admitSignIn(parts: SignInLimitParts, attempt: SignInAttempt): Promise<AdmittedAttempt> {
  const { store, settings } = parts;
  const { account, known } = attempt;
  const network = attackerNetwork(attempt.address);
  const most = settings.get(signInFailuresMax);
  const own: AttemptLimit = { subject: known === undefined ? `${account} at ${network}` : `${known} ${account}`, most };
  const byAddress = { subject: `address:${network}`, most: settings.get(signInFailuresPerAddressMax) };
  const byAccount = { subject: account, most: settings.get(signInFailuresPerAccountMax) };
  const limits = known === undefined ? [own, byAddress, byAccount] : [own];
  const window = attemptWindow(parts);
  let counted = await countAttempt(store, limits, window);
  let subjects = limits.map(({ subject }) => subject);
  const isOwnRefused = counted.refusedBy.includes(own.subject);
  if (counted.refusedBy.length > 0 && !isOwnRefused && (await isKnownAddress(parts, attempt))) {
    counted = await countAttempt(store, [own], window);
    subjects = [own.subject];
  }
  if (counted.refusedBy.length > 0) throw tooManyAttempts(counted.waitSeconds);
  const words = new Map([
    [own.subject, 'this account from here'],
    [byAddress.subject, 'this address'],
    [byAccount.subject, 'this account from anywhere'],
  ]);
  return { subjects, own: own.subject, reached: counted.reached.flatMap((subject) => words.get(subject) ?? []) };
}

/** Takes back an attempt that succeeded, and forgets the account's earlier failures there. */
export async function forgiveSignIn({ store }: SignInLimitParts, { subjects, own }: AdmittedAttempt): Promise<void> {
  await forgiveAttempt(store, subjects, [own]);
}

/** Counts a refused API key for its address, apart from passwords. Throws TOO_MANY; returns whether it is the last. */
export async function countRefusedKey(parts: SignInLimitParts, address: string): Promise<boolean> {
  const most = parts.settings.get(signInFailuresPerAddressMax);
  const limit = { subject: `key at ${attackerNetwork(address)}`, most };
  const { refusedBy, reached, waitSeconds } = await countAttempt(parts.store, [limit], attemptWindow(parts));
  if (refusedBy.length > 0) throw tooManyAttempts(waitSeconds, 'Too many invalid API keys from this address.');
  return reached.length > 0;
}

/** Returns the window in which failed sign-ins are counted. */
export function attemptWindow({ clock, settings }: Omit<SignInLimitParts, 'store'>): AttemptWindow {
  return { clock, minutes: settings.get(signInWindowMinutes) };
}

async function isKnownAddress(
  { store, clock }: SignInLimitParts,
  { personId, address }: SignInAttempt,
): Promise<boolean> {
  if (personId === undefined) return false;
  const since = new Date(clock.milliseconds() - KNOWN_ADDRESS_DAYS * 86_400_000).toISOString();
  const rows = await store.query(
    `select 1
     from securitylog
     where personid = $1::bigint and address = $2::text and securitylog in ('SignedIn', 'PasswordUsed')
       and createddate > $3::timestamptz
     limit 1`,
    [personId, address, since],
  );
  return rows.length > 0;
}
