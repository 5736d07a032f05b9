import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../../kernel/time/clock.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import type { AuthenticationLevel, BrowserSession } from '../../../../kernel/security/identity.ts';
import type { Store } from '../../../../kernel/database/store.ts';
import { sessionHoursMax, sessionIdleMinutes } from '../settings.ts';

/** A session and its user. */
export interface SessionOwner {
  readonly sessionId: number;
  readonly personId: number;
}

/** A valid session and its user. */
export interface SessionIdentity extends BrowserSession {
  readonly personId: number;
}

interface SessionRow {
  readonly sessionid: number;
  readonly personid: number;
  readonly expires: string;
  readonly lastseen: string;
  readonly level: AuthenticationLevel;
  readonly authenticateddate: string;
  readonly endeddate: string | null;
  readonly passwordmark: string;
  readonly password: string | null;
}

/** Uses within this time count as one, so that the row is not written at each call. */
const SEEN_MILLISECONDS = 60_000;
/** 256 random bits, encoded for a cookie. */
const TOKEN_BYTES = 32;

/** Browser sessions in the database. */
export class StoredSessions {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly settings: Settings;

  constructor(store: Store, clock: Clock, settings: Settings) {
    this.store = store;
    this.clock = clock;
    this.settings = settings;
  }

  /** Opens a session for a user who has just signed in. Returns the token, which only the user gets. */
  async open(
    person: { readonly personId: number; readonly passwordHash: string },
    from: { readonly address: string; readonly agent: string },
  ): Promise<{ readonly token: string; readonly sessionId: number; readonly expires: string }> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const expires = new Date(this.clock.milliseconds() + this.settings.get(sessionHoursMax) * 3_600_000).toISOString();
    const [row] = await this.store.query<{ sessionid: number }>(
      `insert into session (session, status, personid, tokenhash, passwordmark, address, lastseen, expires,
         authenticationlevel, authenticateddate, createddate, createdpersonid)
       values ($1::text, 'Open', $2::bigint, $3::text, $4::text, $5::text, $6::timestamptz, $7::timestamptz,
         'Password', $6::timestamptz, $6::timestamptz, $2::bigint)
       returning sessionid`,
      [
        from.agent.slice(0, 255),
        person.personId,
        digest(token),
        digest(person.passwordHash),
        from.address.slice(0, 60),
        now,
        expires,
      ],
    );
    return { token, sessionId: row?.sessionid ?? 0, expires };
  }

  async find(token: string): Promise<SessionIdentity | undefined> {
    const row = await this.read(token);
    if (row && this.clock.milliseconds() - Date.parse(row.lastseen) >= SEEN_MILLISECONDS)
      await this.store.query(
        'update session set lastseen = $2::timestamptz where sessionid = $1::bigint and lastseen < $2::timestamptz',
        [row.sessionid, this.clock.now()],
      );
    return row && identityOf(row);
  }

  async peek(token: string): Promise<SessionIdentity | undefined> {
    const row = await this.read(token);
    return row && identityOf(row);
  }

  /** Whether there is or was a session with this token. */
  async isKnown(token: string): Promise<boolean> {
    return (await this.store.query('select 1 from session where tokenhash = $1::text', [digest(token)])).length > 0;
  }

  /** Returns the row of a token while its session is valid. */
  private async read(token: string): Promise<SessionRow | undefined> {
    const [row] = await this.store.query<SessionRow>(
      `select sessionid, session.personid, expires, lastseen, endeddate, passwordmark, person.password,
         coalesce(authenticationlevel, 'Password') as level,
         coalesce(authenticateddate, session.createddate) as authenticateddate
       from session
       join person on person.personid = session.personid
       where tokenhash = $1::text`,
      [digest(token)],
    );
    if (row?.endeddate !== null || row.passwordmark !== digest(row.password ?? '')) return undefined;
    const now = this.clock.milliseconds();
    const idleSince = now - this.settings.get(sessionIdleMinutes) * 60_000;
    return Date.parse(row.expires) <= now || Date.parse(row.lastseen) < idleSince ? undefined : row;
  }

  /** Notes that the user of an open session has proved their identity again. */
  async confirm(sessionId: number): Promise<void> {
    await this.store.query(
      `update session
       set authenticationlevel = 'Password', authenticateddate = $2::timestamptz
       where sessionid = $1::bigint and endeddate is null`,
      [sessionId, this.clock.now()],
    );
  }

  /** Ends the session of a token and returns it, if it was open. */
  async end(token: string): Promise<SessionOwner | undefined> {
    const [row] = await this.store.query<{ sessionid: number; personid: number }>(
      `update session
       set status = 'Ended', endeddate = $2::timestamptz, updateddate = $2::timestamptz, version = version + 1
       where tokenhash = $1::text and endeddate is null
       returning sessionid, personid`,
      [digest(token), this.clock.now()],
    );
    return row && { sessionId: row.sessionid, personId: row.personid };
  }
}

function identityOf({ sessionid, personid, level, authenticateddate }: SessionRow): SessionIdentity {
  return { sessionId: sessionid, personId: personid, level, authenticatedDate: authenticateddate };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
