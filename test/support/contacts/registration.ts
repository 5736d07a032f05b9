import assert from 'node:assert/strict';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import type { CleanUp } from '../database.ts';
import { eventually } from '../eventually.ts';
import { mailsIn, type ReceivedMail } from '../peers/mail-server.ts';
import { testPlatform, type TestAnswer, type TestPlatform } from '../platform.ts';

type Row = Record<string, unknown>;

/** The password of every registered user, unless a test says otherwise. */
export const PASSWORD = 'a password of twelve';
export const HOUR = 3_600_000;

/** A platform on which anybody can register, with the calls that the tests repeat. */
export interface Registrations {
  readonly on: TestPlatform;
  readonly clock: ReturnType<typeof fixedClock>;
  /** Calls as the administrator; the call must succeed. */
  ok(path: string, body?: object): Promise<Row>;
  /** Changes a setting, effective at once. */
  set(setting: string, value: string): Promise<void>;
  sql(text: string, params?: unknown[]): Promise<Row[]>;
  one(text: string, params?: unknown[]): Promise<Row | undefined>;
  person(email: string): Promise<Row | undefined>;
  /** Returns an unused address. */
  fresh(): string;
  /** Returns the parameters to register an address. */
  registration(email: string, more?: object): object;
  register(email: string, more?: object, operation?: string): Promise<TestAnswer>;
  /** Returns the mails to an address, once there are this many. */
  mailsTo(email: string, count?: number): Promise<ReceivedMail[]>;
  /** Every mail so far. */
  mails(): ReceivedMail[];
  confirm(token: string): Promise<TestAnswer>;
  /** Waits until all queued calls are done. */
  idle(): Promise<unknown>;
}

/** Returns the token in a mail's link, or undefined. */
export function linkIn(mail: ReceivedMail | undefined): string {
  return /http:\/\/127\.0\.0\.1:8080\/confirm\/([\w-]{43})\n/.exec((mail?.body ?? '').replaceAll('\r', ''))?.[1] ?? '';
}

/** Starts the platform for a whole file. */
export async function registrations(cleanUp: CleanUp): Promise<Registrations> {
  // Starts at the machine's time: the queue compares with the database's.
  const clock = fixedClock(new Date().toISOString());
  const on = await testPlatform(cleanUp, { worker: true, clock });
  const sql: Registrations['sql'] = (text, params = []) => on.platform.store.query<Row>(text, params);
  const one: Registrations['one'] = async (text, params = []) => (await sql(text, params))[0];
  const ok: Registrations['ok'] = async (path, body = {}) => {
    const answer = await on.admin.post(`/api/${path}?Output=Json`, body);
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    return answer.json();
  };
  let made = 0;
  const registration = (email: string, more: object = {}): object => ({
    Organization: `Firm ${made}`,
    FirstName: 'Nora',
    LastName: 'New',
    Email: email,
    Password: PASSWORD,
    ...more,
  });
  const mails = (): ReceivedMail[] => mailsIn(on.mailFolder);
  const all: Registrations = {
    on,
    clock,
    ok,
    sql,
    one,
    registration,
    mails,
    async set(Setting, Value) {
      // A setting has one record.
      const row = await one('select settingid as id from setting where setting = $1::text', [Setting]);
      await ok('setting/save', row ? { ID: row['id'], Value } : { Setting, Value });
      // Settings are cached for half a second of the clock.
      clock.advance(1_000);
    },
    person: (email) =>
      one(
        `select personid as id, person, status, organizationid, roles, password, email
         from person
         where person = $1::text`,
        [email],
      ),
    fresh: () => `user${++made}@newcomer.example`,
    register: (email, more = {}, operation = 'register') =>
      on.anonymous.post(`/api/organization/${operation}?Output=Json`, registration(email, more)),
    mailsTo: (email, count = 1) =>
      eventually(`${count} mails to ${email}`, () =>
        ((found) => found.length >= count && found)(mails().filter(({ to }) => to.includes(email))),
      ),
    confirm: (token) => on.anonymous.post('/api/organization/confirm?Output=Json', { Token: token }),
    idle: () =>
      eventually(
        'nothing is queued',
        async () =>
          (
            await one(
              "select count(*)::integer as n from pgboss.job where state < 'completed' and name <> 'DeadLetters'",
            )
          )?.['n'] === 0,
      ),
  };
  await all.set('RegistrationEnabled', 'true');
  return all;
}
