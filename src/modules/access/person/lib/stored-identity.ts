import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { Cache } from '../../../../kernel/time/cache.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { CONFIGURATION_AGE_MAX, type Configuration } from '../../../../kernel/database/configuration.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type {
  BrowserSession,
  BuiltinUser,
  Credential,
  Identity,
  OpenedSession,
  Principal,
  Rights,
  SecurityEvent,
} from '../../../../kernel/security/identity.ts';
import type { Journal } from '../../../../kernel/ports/platform.ts';
import type { LimitedKey, Usage } from '../../../../kernel/ports/usage.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import type { Db, Store } from '../../../../kernel/database/store.ts';
import { verifyDecoy, isPassword } from '../../../../kernel/security/password.ts';
import type { Preferences } from '../../../../kernel/security/preferences.ts';
import { preferencesOf, type StoredPreference } from '../../preference/lib/own-preference.ts';
import { initialPasswordDays } from '../settings.ts';
import { openDevice, sealDevice } from './known-devices.ts';
import { storeKeyUse } from '../../apikey/lib/key-use.ts';
import { admitSignIn, countRefusedKey, forgiveSignIn, type AdmittedAttempt } from './sign-in-limits.ts';
import { isAllowed, storedNetworks } from '../../../../kernel/security/networks.ts';
import { hashOfKey } from '../../apikey/lib/api-key.ts';
import type { AccessRules, GrantingRole, Sessions } from './access-rules.ts';

interface StoredPerson {
  readonly personid: number;
  readonly person: string;
  readonly firstname: string | null;
  readonly status: string | null;
  readonly password: string | null;
  readonly initialpassworddate: string | null;
  readonly organizationid: number | null;
  readonly roles: string | null;
  readonly preference: Omit<StoredPreference, 'MutedKinds'>;
}

interface PersonRow extends StoredPerson {
  readonly isActive: boolean;
  readonly roleNames: readonly string[];
  /** Under which the principal is cached: all of the row that the principal depends on. */
  readonly principalKey: string;
  readonly preferences: Preferences;
}

interface KeyRow {
  readonly apikeyid: number;
  readonly personid: number;
  readonly expires: string | null;
  readonly revokeddate: string | null;
  readonly allowednetworks: string | null;
  readonly ratelimitperminute: number | null;
}

/** Where a password is entered. */
interface SignInPlace {
  readonly address: string;
  /** Returns what shows that a user has signed in there before; undefined if nothing does. */
  readonly knownFor: (personId: number) => string | undefined;
}

/** What the identity port depends on. */
export interface IdentityParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly cipher: Cipher;
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly journal: Journal;
  readonly usage: Usage;
  /** Loads roles with their permissions. */
  readonly rules: AccessRules;
  readonly sessions: Sessions;
}

const CREDENTIAL_CACHE_MILLISECONDS = 300_000;
const CREDENTIAL_CACHE_MAX = 5_000;
/** How long further uses of a key or password from an address are not logged. */
const USE_MILLISECONDS = 3_600_000;
/** Most users, keys and sessions cached, of each. */
const ROW_CACHE_MAX = 10_000;

/**
 * Identity from the tables of users, roles and keys. Checking a password costs milliseconds, so a process remembers for
 * five minutes, under its own random key, which credentials matched which stored hash.
 */
export class StoredIdentity implements Identity {
  private readonly parts: IdentityParts;
  private readonly persons: RowCache<PersonRow>;
  private readonly keys: RowCache<KeyRow>;
  private readonly sessions: RowCache<BrowserSession & { readonly personId: number }>;
  private readonly checksInFlight = new Map<string, Promise<PersonRow>>();
  private readonly cacheKey = randomBytes(32);
  /** Uses of keys and passwords that are in the security log. */
  private readonly loggedUses: Cache<string, true>;
  /** Stored hashes that credentials matched. */
  private readonly verifiedCredentials: Cache<string, string>;

  constructor(parts: IdentityParts) {
    this.parts = parts;
    this.persons = rowCache(parts.clock);
    this.keys = rowCache(parts.clock);
    this.sessions = rowCache(parts.clock);
    this.loggedUses = new Cache({
      max: ROW_CACHE_MAX,
      age: { clock: parts.clock, milliseconds: USE_MILLISECONDS },
    });
    this.verifiedCredentials = new Cache({
      max: CREDENTIAL_CACHE_MAX,
      age: { clock: parts.clock, milliseconds: CREDENTIAL_CACHE_MILLISECONDS },
    });
  }

  authenticate(credential: Credential, address: string): Promise<Principal> {
    switch (credential.kind) {
      case 'apikey':
        return this.authenticateApiKey(credential.key, address);
      case 'basic':
        return this.authenticatePassword(credential.name, credential.password, address);
      case 'session':
        return this.authenticateSession(credential.token, address);
    }
  }

  async signIn(
    name: string,
    password: string,
    from: { readonly address: string; readonly agent: string; readonly device?: string | undefined },
  ): Promise<OpenedSession> {
    const { cipher, clock } = this.parts;
    const device = openDevice(cipher, clock, from.device);
    const row = await this.verifyCredentials(name, password, {
      address: from.address,
      knownFor: (personId) => (device?.persons.includes(personId) ? `browser ${device.id}` : undefined),
    });
    const { token, sessionId, expires } = await this.parts.sessions.open(
      { personId: row.personid, passwordHash: row.password ?? '' },
      from,
    );
    await this.parts.journal.security(
      { event: 'SignedIn', personId: row.personid, object: 'Session', objectId: sessionId, address: from.address },
      '',
    );
    const opened = { token, device: sealDevice(cipher, clock, device, row.personid), expires };
    return { ...opened, principal: await this.principal(row), preferences: row.preferences };
  }

  async signOut(token: string, address: string): Promise<void> {
    const ended = await this.parts.sessions.end(token);
    this.sessions.delete(token);
    if (ended)
      await this.parts.journal.security(
        { event: 'SignedOut', personId: ended.personId, object: 'Session', objectId: ended.sessionId, address },
        '',
      );
  }

  private async authenticateSession(token: string, address: string): Promise<Principal> {
    const found = await this.sessions.getOrLoad(token, () => this.parts.sessions.find(token));
    if (!found) throw new PlatformError('NOT_SIGNED_IN', { message: 'Your session has ended. Sign in again.' });
    const { personId, ...session } = found;
    const row = await this.activePerson(personId);
    await this.parts.usage.countCall({ personId, address });
    return this.ofSessionPerson(row, session);
  }

  async ofSession(token: string): Promise<Principal | undefined> {
    const found = await this.parts.sessions.peek(token);
    if (!found) return undefined;
    const { personId, ...session } = found;
    const row = await this.persons.getOrLoad(String(personId), () =>
      this.loadPerson('personid = $1::bigint', personId),
    );
    return row?.isActive ? this.ofSessionPerson(row, session) : undefined;
  }

  isSessionToken(token: string): Promise<boolean> {
    return this.parts.sessions.isKnown(token);
  }

  private async ofSessionPerson(row: PersonRow, session: BrowserSession): Promise<Principal> {
    return {
      ...(await this.principal(row)),
      ...this.passwordState(row),
      ...(row.firstname === null ? {} : { firstName: row.firstname }),
      preferences: row.preferences,
      session,
    };
  }

  async confirm(token: string, password: string, address: string): Promise<void> {
    const found = await this.parts.sessions.find(token);
    if (!found) throw new PlatformError('NOT_SIGNED_IN', { message: 'Your session has ended. Sign in again.' });
    const { name } = await this.ofPerson(found.personId);
    try {
      await this.verifyCredentials(name, password, {
        address,
        knownFor: () => `session ${found.sessionId}`,
      });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'NOT_SIGNED_IN') throw error;
      throw new PlatformError('CONFIRM_IDENTITY', { message: 'This is not your password. Nothing was changed.' });
    }
    await this.parts.sessions.confirm(found.sessionId);
    this.sessions.delete(token);
    await this.parts.journal.security(
      { event: 'IdentityConfirmed', personId: found.personId, object: 'Session', objectId: found.sessionId, address },
      '',
    );
  }

  async ofPerson(personId: number): Promise<Principal> {
    return this.principal(await this.activePerson(personId));
  }

  private async activePerson(personId: number): Promise<PersonRow> {
    const row = await this.persons.getOrLoad(String(personId), () =>
      this.loadPerson('personid = $1::bigint', personId),
    );
    if (!row?.isActive)
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The user of this call is no longer active.' });
    return row;
  }

  forget(): void {
    for (const cache of [this.persons, this.keys, this.sessions]) cache.clear();
  }

  async rightsOfRoles(db: Db, names: readonly string[]): Promise<Rights> {
    return rightsOf(await this.parts.rules.loadRoles(db), names);
  }

  builtinPersonId(configuration: Configuration, name: BuiltinUser): Promise<number | undefined> {
    return configuration.get(`built-in user ${name}`, async () => {
      const [row] = await configuration.db.query<{ personid: number }>(
        'select personid from person where person = $1::text order by personid limit 1',
        [name],
      );
      return row?.personid;
    });
  }

  private async authenticateApiKey(key: string, address: string): Promise<Principal> {
    const { clock } = this.parts;
    const hash = hashOfKey(key);
    const row = await this.keys.getOrLoad(hash, () => this.loadKey(hash));
    if (!row || !isUsable(row, clock.milliseconds())) {
      await this.refuseKey(row, address, row ? 'expired or revoked' : 'unknown key');
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The API key is not valid.' });
    }
    if (row.allowednetworks !== null && !isAllowed(storedNetworks(row.allowednetworks), address)) {
      await this.refuseKey(row, address, 'address not allowed');
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The API key is not valid from this address.' });
    }
    const user = await this.ofPerson(row.personid);
    await this.parts.usage.countCall({ personId: row.personid, address }, limitedKey(row));
    await this.noteUse({ event: 'KeyUsed', personId: row.personid, object: 'ApiKey', objectId: row.apikeyid, address });
    return user;
  }

  /**
   * Logs that a call was made with a key or with Basic credentials: the first of a key or user from an address in an
   * hour, for each process. Every call would flood the log.
   */
  private async noteUse(event: SecurityEvent): Promise<void> {
    const use = `${event.event} ${event.objectId ?? event.personId} ${event.address}`;
    if (this.loggedUses.get(use)) return;
    this.loggedUses.set(use, true);
    await this.parts.journal.security(event, '');
    if (event.object === 'ApiKey' && typeof event.objectId === 'number')
      await storeKeyUse(this.parts, event.objectId, event.address ?? null);
  }

  private async refuseKey(row: KeyRow | undefined, address: string, detail: string): Promise<void> {
    const isLast = await countRefusedKey(this.parts, address);
    const personId = row?.personid ?? null;
    await this.parts.journal.security({ event: 'KeyRefused', address, personId, detail }, '');
    if (isLast) await this.logBlocked({ address, personId, detail: 'API keys from this address' });
  }

  private async authenticatePassword(name: string, password: string, address: string): Promise<Principal> {
    const row = await this.verifyCredentials(name, password, { address, knownFor: () => undefined });
    await this.parts.usage.countCall({ personId: row.personid, address });
    await this.noteUse({ event: 'PasswordUsed', personId: row.personid, address });
    return { ...(await this.principal(row)), ...this.passwordState(row) };
  }

  /** Returns the user with this name and password. Throws NOT_SIGNED_IN or TOO_MANY. */
  private async verifyCredentials(name: string, password: string, place: SignInPlace): Promise<PersonRow> {
    // PostgreSQL accepts no NUL; no name has one.
    // Read each time: a password that was changed is refused at once by every process. PostgreSQL accepts no NUL; no
    // name has one.
    const row = name.includes('\u0000') ? undefined : await this.loadPerson('person = $1::text', name);
    const known = row && place.knownFor(row.personid);
    // By address: nobody elsewhere can try passwords against what was right here, past the limits.
    const key = this.credentialKey(name, password, `${place.address} ${known}`);
    if (row?.isActive && row.password !== null && this.verifiedCredentials.get(key) === row.password) return row;
    // Concurrent calls with the same credentials are one attempt: a service that starts with twenty of them is no
    // attack. A check against a password that has been changed since is not theirs.
    const check = `${key} ${row?.password}`;
    let checking = this.checksInFlight.get(check);
    if (!checking) {
      checking = this.checkPassword(row, name, password, { address: place.address, known });
      checking = checking.finally(() => this.checksInFlight.delete(check));
      this.checksInFlight.set(check, checking);
    }
    const checked = await checking;
    this.verifiedCredentials.set(key, String(checked.password));
    return checked;
  }

  private async checkPassword(
    row: PersonRow | undefined,
    name: string,
    password: string,
    { address, known }: { readonly address: string; readonly known: string | undefined },
  ): Promise<PersonRow> {
    // Names are compared without case and accents: an account has many spellings, and all share one count.
    const account = row
      ? `person:${row.personid}`
      : `account:${name
          .normalize('NFKD')
          .replace(/[^\p{L}\p{N}]/gu, '')
          .toLowerCase()}`;
    // Counted before the password is checked; otherwise concurrent attempts would all be made before the first is
    // counted.
    const attempt = await admitSignIn(this.parts, { account, personId: row?.personid, address, known });
    const right = row?.password ? await isPassword(row.password, password) : (await verifyDecoy(password), false);
    if (!row || !right || !row.isActive) {
      const detail = row && right ? 'inactive' : 'wrong name or password';
      await this.recordFailure(attempt, { address, personId: row?.personid ?? null, detail });
      throw new PlatformError('NOT_SIGNED_IN', { message: 'Wrong sign-in name or password.' });
    }
    await forgiveSignIn(this.parts, attempt);
    if (this.isExpired(row)) {
      await this.parts.journal.security(
        { event: 'SignInRefused', address, personId: row.personid, detail: 'initial password not changed in time' },
        '',
      );
      throw new PlatformError('NOT_SIGNED_IN', {
        message: 'This initial password has expired. Ask your administrator for a new one.',
      });
    }
    return row;
  }

  /** Returns that the password must be changed, if another user has set it. */
  private passwordState({ initialpassworddate: since }: PersonRow): Pick<Principal, 'mustChangePassword'> {
    const isInitial = since !== null && this.parts.settings.get(initialPasswordDays) > 0;
    return isInitial ? { mustChangePassword: true } : {};
  }

  /** Whether a password that another user has set was not changed in time. */
  private isExpired({ initialpassworddate: since }: PersonRow): boolean {
    const days = this.parts.settings.get(initialPasswordDays);
    return since !== null && days > 0 && this.parts.clock.milliseconds() - Date.parse(since) >= days * 86_400_000;
  }

  private credentialKey(name: string, password: string, place: string): string {
    return createHmac('sha256', this.cacheKey)
      .update(JSON.stringify([name, password, place]))
      .digest('base64');
  }

  private async recordFailure({ reached }: AdmittedAttempt, facts: Omit<SecurityEvent, 'event'>): Promise<void> {
    await this.parts.journal.security({ event: 'SignInRefused', ...facts }, '');
    for (const detail of reached) await this.logBlocked({ ...facts, detail });
  }

  /** Logs that a limit of failed sign-ins is reached, once each time. `detail`: what must wait. */
  private logBlocked(facts: Omit<SecurityEvent, 'event'>): Promise<void> {
    return this.parts.journal.security({ event: 'SignInBlocked', ...facts }, '');
  }

  private principal(row: PersonRow): Promise<Principal> {
    const { configuration, rules } = this.parts;
    return configuration.get(row.principalKey, async () => {
      const roles = await configuration.get('roles', () => rules.loadRoles(configuration.db));
      const own = row.roleNames.flatMap((name) => roles.get(name.toLowerCase()) ?? []);
      return {
        personId: row.personid,
        name: row.person,
        organizationId: row.organizationid,
        roles: own.map((r) => r.name),
        ...rightsOf(roles, row.roleNames),
      };
    });
  }

  private async loadPerson(condition: string, value: unknown): Promise<PersonRow | undefined> {
    const [row] = await this.parts.store.query<StoredPerson>(
      `select person.personid, person, firstname, person.status, password, initialpassworddate, organizationid, roles,
         json_build_object('Theme', theme, 'Density', density, 'Sidebar', sidebar, 'Shortcuts', shortcuts,
           'TimeZone', timezone, 'StartPage', startpage, 'PinnedViews', pinnedviews) as preference
       from person
       left join preference on preference.personid = person.personid
       where person.${condition}`,
      [value],
    );
    return row && toPersonRow(row);
  }

  private async loadKey(hash: string): Promise<KeyRow | undefined> {
    const [row] = await this.parts.store.query<KeyRow>(
      `select apikeyid, personid, expires, revokeddate, allowednetworks, ratelimitperminute
       from apikey
       where keyhash = $1::text`,
      [hash],
    );
    return row;
  }
}

/** Returns what roles grant together. */
function rightsOf(roles: ReadonlyMap<string, GrantingRole>, names: readonly string[]): Rights {
  const own = names.flatMap((name) => roles.get(name.toLowerCase()) ?? []);
  return {
    universal: own.some((r) => r.universal),
    permissions: new Set(own.flatMap((r) => [...r.permissions])),
  };
}

type RowCache<T> = Cache<string, Promise<T | undefined>>;

/**
 * Caches rows for at most half a second, so that a revocation is seen everywhere within it. The process that commits it
 * forgets them at once.
 */
function rowCache<T>(clock: Clock): RowCache<T> {
  return new Cache({ max: ROW_CACHE_MAX, age: { clock, milliseconds: CONFIGURATION_AGE_MAX } });
}

/** Returns the key's own limit of calls, if it has one. */
function limitedKey({ apikeyid: id, ratelimitperminute: callsPerMinuteMax }: KeyRow): LimitedKey | undefined {
  return callsPerMinuteMax === null ? undefined : { id, callsPerMinuteMax };
}

/** Whether a key is neither revoked nor expired. */
function isUsable({ revokeddate, expires }: KeyRow, now: number): boolean {
  return revokeddate === null && (expires === null || Date.parse(expires) > now);
}

function toPersonRow(row: StoredPerson): PersonRow {
  const roleNames = splitCommaList(row.roles ?? '');
  return {
    ...row,
    isActive: (row.status ?? 'Active').toLowerCase() === 'active',
    roleNames,
    preferences: preferencesOf(row.preference),
    principalKey: `principal:${row.personid}:${row.organizationid}:${row.person}:${roleNames.join(',')}`,
  };
}
