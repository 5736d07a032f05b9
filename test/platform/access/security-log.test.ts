import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigurationError } from '../../../src/app/configuration-error.ts';
import { readEnvironment } from '../../../src/app/environment.ts';
import { openSecurityStream, securityStreamTarget } from '../../../src/app/security-stream.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { createStoredJournal } from '../../../src/modules/access/securitylog/lib/stored-journal.ts';
import { sweepSecurityLog } from '../../../src/modules/access/securitylog/lib/sweep.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const clock = fixedClock('2026-03-02T09:00:00Z');
const p = await testPlatform({ after }, { clock });
const { store } = p.platform;

interface Entry {
  readonly personid: number | null;
  readonly object: string | null;
  readonly address: string | null;
  readonly detail: string | null;
}

function entries(event: string): Promise<Entry[]> {
  return store.query<Entry>(
    'select personid, object, address, detail from securitylog where securitylog = $1::text order by securitylogid',
    [event],
  );
}

describe('the security log', () => {
  test('KRN-16 CON-08 has a refused call of a caller without an account', async () => {
    const form = {
      Organization: 'X',
      Email: 'x@example.com',
      FirstName: 'X',
      LastName: 'Y',
      Password: 'four good words',
    };
    const refused = await p.anonymous.post('/api/organization/register', form);
    assert.equal(refused.status, 403, refused.text);
    const [entry] = await entries('Refused');
    assert.deepEqual([entry?.personid, entry?.object], [null, 'organization/register']);
    assert.match(entry?.address ?? '', /127\.0\.0\.1$/);
  });

  test('KRN-16 keeps an entry whose user no other transaction sees, and names the user in its detail', async () => {
    await p.platform.journal.security({ event: 'OfNobody', personId: 999_999, detail: 'why' }, 'c');
    assert.deepEqual(
      (await entries('OfNobody')).map(({ personid, detail }) => [personid, detail]),
      [[null, 'why, person 999999']],
    );
  });

  test('WEB-06 KRN-15 KRN-16 has the first use of a key and of a password from an address in an hour, and a limit that a key reaches', async () => {
    const { personId } = await p.user('user of a key', 'Staff');
    const made = (
      await p.admin.post('/api/apikey/create?Output=Json', { PersonID: personId, RateLimitPerMinute: 3 })
    ).json();
    const uses = async (event: string): Promise<number> =>
      (await entries(event)).filter((entry) => entry.personid === personId).length;
    for (let n = 0; n < 6; n++) await p.byKey(String(made['ApiKey'])).get('/api/contact/search');
    for (let n = 0; n < 3; n++)
      await p.byPassword('user of a key', 'password of user of a key').get('/api/contact/search');
    assert.deepEqual([await uses('KeyUsed'), await uses('PasswordUsed'), await uses('KeyLimited')], [1, 1, 1]);
    const lastUse = async (): Promise<string> =>
      (await p.admin.post('/api/apikey/lastuse?Output=Json', { ID: [made['ApiKeyID']] })).text;
    const before = await lastUse();
    assert.match(before, /"LastUsed":"[^"]+","Address":"127\.0\.0\.1"/);
    clock.advance(3_600_001);
    await p.byKey(String(made['ApiKey'])).get('/api/contact/search');
    assert.equal(await uses('KeyUsed'), 2);
    assert.notEqual(await lastUse(), before, 'WEB-06 the last use of a key is known');
  });

  test('WEB-01 KRN-16 has forged requests, sign-ins included, and of callers without a user each once a minute', async () => {
    await p.user('victim', 'Staff');
    const session = await testSession(p, 'victim');
    await session.post('/api/contact/save?Output=Json', { LastName: 'Forged' }, { Origin: 'https://evil.example' });
    await session.post('/account', { _csrf: 'forged' });
    const elsewhere = { Origin: 'https://evil.example' };
    for (let n = 0; n < 3; n++) {
      const forged = await p.anonymous.post('/signin', 'Name=victim&Password=x', elsewhere);
      assert.equal(forged.status, 403);
      await p.anonymous.post('/signout', '', elsewhere);
      await p.anonymous.post('/register', 'FirstName=x', elsewhere);
      assert.equal((await p.anonymous.post('/mcp', {}, elsewhere)).status, 403);
    }
    assert.deepEqual(
      (await entries('RequestForged')).map(({ object, detail }) => object ?? detail),
      ['contact/save', '/account', '/signin', '/signout', '/register', '/mcp'],
    );
  });

  test('KRN-16 is kept for the months that the owner of the machine requires, whatever the setting says', async () => {
    const set = await p.admin.post('/api/setting/save', { Setting: 'SecurityLogMonths', Value: '1' });
    assert.equal(set.status, 200);
    await store.query(
      `insert into securitylog (securitylog, createddate)
       values ('Old', $1::timestamptz - interval '6 months'), ('Old', $1::timestamptz - interval '14 months')`,
      [clock.now()],
    );
    clock.advance(1_000);
    const ownerSays = (monthsMin: number) => ({
      ...p.platform,
      settings: p.platform.settings,
      journal: { ...p.platform.journal, monthsMin },
    });
    await p.platform.settings.fresh();
    await sweepSecurityLog.run(ownerSays(12));
    assert.equal((await entries('Old')).length, 1);
    await sweepSecurityLog.run(ownerSays(0));
    assert.equal((await entries('Old')).length, 0);
    const { securityLogMonthsMin } = readEnvironment({}, []);
    assert.equal(securityLogMonthsMin, 12);
    assert.throws(() => readEnvironment({ CASEWRIGHT_SECURITY_LOG_MONTHS: '-1' }, []), ConfigurationError);
  });
});

describe('the stream of security events', () => {
  test('KRN-16 has each entry with time, user and address, in a file that only its owner can read', async (t) => {
    const path = join(temporaryFolder(t), 'security.log');
    const target = securityStreamTarget(path);
    assert.ok(target);
    const stream = openSecurityStream(target, silentLog);
    const journal = createStoredJournal({ store, clock, stream, monthsMin: 0 });
    const { personId } = await p.user('streamed "user"', 'Staff');
    await journal.security({ event: 'SignedIn', personId, address: '192.0.2.1', detail: 'a\nb' }, 'correlation');
    await journal.security({ event: 'Refused', personId: 0, address: '192.0.2.2' }, '');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 2, 'line ends in values are encoded');
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(first, {
      time: clock.now(),
      event: 'SignedIn',
      personId,
      address: '192.0.2.1',
      detail: 'a\nb',
      correlationId: 'correlation',
      user: 'streamed "user"',
    });
    assert.deepEqual([second?.['personId'], second?.['user']], [null, null]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  test('KRN-16 is sent to syslog', async (t) => {
    const receiver = createSocket('udp4');
    t.after(() => receiver.close());
    receiver.bind(0, '127.0.0.1');
    await once(receiver, 'listening');
    const target = securityStreamTarget(`syslog://127.0.0.1:${receiver.address().port}`);
    assert.ok(target);
    const received = once(receiver, 'message');
    openSecurityStream(target, silentLog)({ time: clock.now(), event: 'SignedIn' });
    const [message] = (await received) as [Buffer];
    assert.match(message.toString(), /^<85>1 2026-\S+ \S+ casewright \d+ security - \{"time":.*"event":"SignedIn"\}$/);
    for (const wrong of ['security.log', 'http://host', 'syslog://'])
      assert.throws(() => securityStreamTarget(wrong), ConfigurationError, wrong);
    assert.equal(securityStreamTarget(''), undefined);
  });
});
