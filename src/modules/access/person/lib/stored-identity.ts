import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { Cache } from '../../../../kernel/time/cache.ts';
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
} from '../../../../kernel/security/identity.ts';
import type { Journal } from '../../../../kernel/ports/platform.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import type { Db, Store } from '../../../../kernel/database/store.ts';
import { signInFailuresMax, signInFailuresPerAddressMax, signInWindowMinutes } from '../settings.ts';
import { verifyDecoy, isPassword } from '../../../../kernel/security/password.ts';
import {
  countFailure,
  failuresOf,
  forgiveFailure,
  windowMilliseconds,
  windowStart,
  type FailureWindow,
} from '../../../../kernel/security/sign-in-failures.ts';
import { isAllowed, storedNetworks } from '../../../../kernel/security/networks.ts';
import { hashOfKey } from '../../apikey/lib/api-key.ts';
import type { AccessRules, GrantingRole, Sessions } from './access-rules.ts';

interface StoredPerson {
  readonly personid: number;
  readonly person: string;
  readonly status: string | null;
  readonly password: string | null;
  readonly organizationid: number | null;
  readonly roles: string | null;
}

interface PersonRow extends StoredPerson {
  readonly isActive: boolean;
  readonly roleNames: readonly string[];
  /** Under which the principal is cached: all of the row that the principal depends on. */
  readonly principalKey: string;
}

interface KeyRow {
  readonly apikeyid: number;
  readonly personid: number;
  readonly expires: string | null;
  readonly revokeddate: string | null;
  readonly allowednetworks: string | null;
  readonly ratelimitperminute: number | null;
}

/** What the identity port depends on. */
export interface IdentityParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly journal: Journal;
  /** Loads roles with their permissions. */
  readonly rules: AccessRules;
  readonly sessions: Sessions;
}

const CREDENTIAL_CACHE_MILLISECONDS = 300_000;
const CREDENTIAL_CACHE_MAX = 5_000;
/** Most users, sign-in names, keys and sessions cached, of each. */
const ROW_CACHE_MAX = 10_000;

/**
 * Identity from the tables of users, roles and keys. Checking a password costs milliseconds, so a process remembers for
 * five minutes, under its own random key, which credentials matched which stored hash.
 */
export class StoredIdentity implements Identity {
  private readonly parts: IdentityParts;
  private readonly persons: RowCache<PersonRow>;
  private readonly names: RowCache<PersonRow>;
  private readonly keys: RowCache<KeyRow>;
  private readonly sessions: RowCache<BrowserSession & { readonly personId: number }>;
  private readonly checksInFlight = new Map<string, Promise<PersonRow>>();
  private readonly cacheKey = randomBytes(32);
  /** Stored hashes that credentials matched. */
  private readonly verifiedCredentials: Cache<string, string>;

  constructor(parts: IdentityParts) {
    this.parts = parts;
    this.persons = rowCache(parts.clock);
    this.names = rowCache(parts.clock);
    this.keys = rowCache(parts.clock);
    this.sessions = rowCache(parts.clock);
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
        return this.authenticateSession(credential.token);
    }
  }

  async signIn(
    name: string,
    password: string,
    from: { readonly address: string; readonly agent: string },
  ): Promise<OpenedSession> {
    const row = await this.verifyCredentials(name, password, from.address);
    const { token, sessionId, expires } = await this.parts.sessions.open(
      { personId: row.personid, passwordHash: row.password ?? '' },
      from,
    );
    await this.parts.journal.security(
      { event: 'SignedIn', personId: row.personid, object: 'Session', objectId: sessionId, address: from.address },
      '',
    );
    return { token, expires, principal: await this.principal(row) };
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

  private async authenticateSession(token: string): Promise<Principal> {
    const found = await this.sessions.getOrLoad(token, () => this.parts.sessions.find(token));
    if (!found) throw new PlatformError('NOT_SIGNED_IN', { message: 'Your session has ended. Sign in again.' });
    const { personId, ...session } = found;
    return { ...(await this.ofPerson(personId)), session };
  }

  async confirm(token: string, password: string, address: string): Promise<void> {
    const found = await this.parts.sessions.find(token);
    if (!found) throw new PlatformError('NOT_SIGNED_IN', { message: 'Your session has ended. Sign in again.' });
    const { name } = await this.ofPerson(found.personId);
    try {
      await this.verifyCredentials(name, password, address);
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
    const row = await this.persons.getOrLoad(String(personId), () =>
      this.loadPerson('personid = $1::bigint', personId),
    );
    if (!row?.isActive)
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The user of this call is no longer active.' });
    return await this.principal(row);
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
    const { clock, settings, store } = this.parts;
    const hash = hashOfKey(key);
    const row = await this.keys.getOrLoad(hash, () => this.loadKey(hash));
    if (!row || !isUsable(row, clock.milliseconds())) {
      await this.refuseAfterTooMany(store, address, settings.get(signInFailuresPerAddressMax));
      await this.recordFailure([`address:${address}`], {
        event: 'KeyRefused',
        address,
        personId: row?.personid ?? null,
        detail: row ? 'expired or revoked' : 'unknown key',
      });
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The API key is not valid.' });
    }
    if (row.allowednetworks !== null && !isAllowed(storedNetworks(row.allowednetworks), address)) {
      await this.recordFailure([`address:${address}`], {
        event: 'KeyRefused',
        address,
        personId: row.personid,
        detail: 'address not allowed',
      });
      throw new PlatformError('NOT_SIGNED_IN', { message: 'The API key is not valid from this address.' });
    }
    if (row.ratelimitperminute !== null) await this.countCall(row.apikeyid, row.ratelimitperminute);
    return await this.ofPerson(row.personid);
  }

  /** Counts a call of a limited key in the database, so that the limit holds over all processes. */
  private async countCall(apiKeyId: number, limit: number): Promise<void> {
    const [row] = await this.parts.store.query<{ calls: number }>(
      `insert into ratelimit as r (apikeyid, minute, calls)
       values ($1::bigint, date_trunc('minute', $2::timestamptz), 1)
       on conflict (apikeyid, minute) do update set calls = r.calls + 1
       returning calls`,
      [apiKeyId, this.parts.clock.now()],
    );
    if ((row?.calls ?? 0) > limit)
      throw new PlatformError('TOO_MANY', {
        message: `This API key is limited to ${limit} calls a minute.`,
        details: { RetryAfterSeconds: 60 - (Math.floor(this.parts.clock.milliseconds() / 1000) % 60) },
      });
  }

  private async authenticatePassword(name: string, password: string, address: string): Promise<Principal> {
    return this.principal(await this.verifyCredentials(name, password, address));
  }

  /** Returns the user with this name and password. Throws NOT_SIGNED_IN or TOO_MANY. */
  private async verifyCredentials(name: string, password: string, address: string): Promise<PersonRow> {
    // PostgreSQL accepts no NUL; no name has one.
    const row = name.includes('\u0000')
      ? undefined
      : await this.names.getOrLoad(name.toLowerCase(), () => this.loadPerson('person = $1::text', name));
    if (row && this.isVerified(name, password, row) && row.isActive) return row;
    // Concurrent calls with the same credentials are one attempt: a service that starts with twenty of them is no
    // attack.
    const key = `${this.credentialKey(name, password)} ${address}`;
    let checking = this.checksInFlight.get(key);
    if (!checking)
      this.checksInFlight.set(
        key,
        (checking = this.checkPassword(row, name, password, address).finally(() => this.checksInFlight.delete(key))),
      );
    return checking;
  }

  private async checkPassword(
    row: PersonRow | undefined,
    name: string,
    password: string,
    address: string,
  ): Promise<PersonRow> {
    const { settings, store } = this.parts;
    // Names are compared without case and accents: an account has many spellings, and all share one count.
    const account = row
      ? `person:${row.personid}`
      : `account:${name
          .normalize('NFKD')
          .replace(/[^\p{L}\p{N}]/gu, '')
          .toLowerCase()}`;
    await this.refuseAfterTooMany(store, address, settings.get(signInFailuresPerAddressMax));
    // Counted before the password is checked; otherwise concurrent attempts would all be made before the first is
    // counted.
    if ((await countFailure(store, account, this.window())) > settings.get(signInFailuresMax))
      throw this.tooManyFailures();
    const right = row?.password ? await isPassword(row.password, password) : (await verifyDecoy(password), false);
    if (!row || !right || !row.isActive) {
      await this.recordFailure([`address:${address}`], {
        event: 'SignInRefused',
        address,
        personId: row?.personid ?? null,
        detail: row && right ? 'inactive' : 'wrong name or password',
      });
      throw new PlatformError('NOT_SIGNED_IN', { message: 'Wrong sign-in name or password.' });
    }
    await forgiveFailure(store, account, this.window());
    this.rememberVerified(name, password, String(row.password));
    return row;
  }

  private credentialKey(name: string, password: string): string {
    return createHmac('sha256', this.cacheKey)
      .update(JSON.stringify([name, password]))
      .digest('base64');
  }

  private isVerified(name: string, password: string, row: PersonRow | undefined): boolean {
    const hash = this.verifiedCredentials.get(this.credentialKey(name, password));
    return hash !== undefined && hash === row?.password;
  }

  private rememberVerified(name: string, password: string, hash: string): void {
    this.verifiedCredentials.set(this.credentialKey(name, password), hash);
  }

  private window(): FailureWindow {
    return { clock: this.parts.clock, minutes: this.parts.settings.get(signInWindowMinutes) };
  }

  private async refuseAfterTooMany(store: Store, address: string, limit: number): Promise<void> {
    if ((await failuresOf(store, `address:${address}`, this.window())) >= limit) throw this.tooManyFailures();
  }

  private tooManyFailures(): PlatformError {
    const window = this.window();
    const left = Date.parse(windowStart(window)) + windowMilliseconds(window.minutes) - this.parts.clock.milliseconds();
    return new PlatformError('TOO_MANY', {
      message: 'Too many failed sign-ins. Try again later.',
      details: { RetryAfterSeconds: Math.max(1, Math.ceil(left / 1000)) },
    });
  }

  private async recordFailure(subjects: readonly string[], event: Parameters<Journal['security']>[0]): Promise<void> {
    for (const subject of subjects) await countFailure(this.parts.store, subject, this.window());
    await this.parts.journal.security(event, '');
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
      `select personid, person, status, password, organizationid, roles from person where ${condition}`,
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

/** Caches rows for at most half a second, so that a revocation is seen everywhere within a second. */
function rowCache<T>(clock: Clock): RowCache<T> {
  return new Cache({ max: ROW_CACHE_MAX, age: { clock, milliseconds: CONFIGURATION_AGE_MAX } });
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
    principalKey: `principal:${row.personid}:${row.organizationid}:${row.person}:${roleNames.join(',')}`,
  };
}
