import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Client } from '../../support/client.ts';
import { errorOf, httpAgent } from '../../support/mcp/agent.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const LIMIT = 30;
const NUMBER = '900-23-4410';
const HOUR = 3_600_000;
const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { clock, worker: true });
const admin = client(p);
const firm = await p.firm('Number searchers');
const { ContactID: id } = await admin.save('contact', {
  Object: 'Organization',
  ObjectID: firm.organizationId,
  LastName: 'Bracketed',
  USSSN: NUMBER,
});

interface Attacker {
  readonly role: string;
  readonly personId: number;
  readonly key: string;
  readonly calls: Client;
}

const attackers: Attacker[] = [];
for (const role of ['Read Only', 'Staff']) {
  const user = await p.user(`searching ${role}`, role);
  attackers.push({ role, personId: user.personId, key: user.key, calls: client(p, user.caller) });
}
attackers.push({ role: 'Partner', personId: firm.personId, key: firm.key, calls: client(p, firm.caller) });

/** Candidates for a number of which the last four digits are shown. */
const candidates = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${String(90_000 + from + at)}4410`);

const entriesOf = (personId: number): Promise<{ event: string; address: string; row: string }[]> =>
  p.platform.store.query(
    `select securitylog as event, address, securitylog::text as row from securitylog
     where personid = $1::bigint and securitylog like 'SSN%' order by securitylogid`,
    [personId],
  );

beforeEach(() => clock.advance(2 * HOUR));

describe('KRN-21 searching by Social Security number', () => {
  it('KRN-21 finds the one contact with a number, with and without hyphens, and logs who searched from where, without the number', async () => {
    for (const { calls, personId, role } of attackers) {
      const before = (await entriesOf(personId)).length;
      for (const sent of [NUMBER, NUMBER.replaceAll('-', ''), ` ${NUMBER} `])
        assert.deepEqual(
          (await calls.expectRows('contact/search', { USSSN: sent, SqlColumns: 'ContactID' })).map(
            (row) => row['ContactID'],
          ),
          [id],
          role,
        );
      const entries = (await entriesOf(personId)).slice(before);
      assert.deepEqual(
        entries.map(({ event, address }) => [event, address]),
        Array.from({ length: 3 }, () => ['SSNSearched', '127.0.0.1']),
      );
      for (const { row } of entries) assert.doesNotMatch(row, /900-?23-?4410/);
    }
  });

  it('KRN-21 refuses lists, ranges, comparisons, wildcards and negations on every route and surface, for every role', async () => {
    const wrong: unknown[] = [
      candidates(0, 1_000),
      [NUMBER],
      `${NUMBER}, 900-23-4411`,
      `${NUMBER},900-23-4411`,
      `not ${NUMBER}`,
      `<>${NUMBER}`,
      `!=${NUMBER}`,
      `>=${NUMBER}`,
      `<${NUMBER}`,
      `=${NUMBER}`,
      `${NUMBER} - 900-23-4419`,
      '900-23-*',
      '*4410',
      `"${NUMBER}"`,
      { a: NUMBER },
    ];
    const routes = [
      'contact/search',
      'organization/search',
      `organization/${firm.organizationId}/contact/search`,
      'contact/queue/search',
    ];
    for (const { calls, personId, role } of attackers) {
      const before = (await entriesOf(personId)).length;
      for (const route of routes)
        for (const USSSN of wrong) {
          // The queue does not check the names of filters.
          if (route.includes('queue') && typeof USSSN === 'object' && !Array.isArray(USSSN)) continue;
          const answer = await calls.send(route, { ContactID: id, USSSN });
          assert.equal(answer.status, 400, `${role} ${route} ${JSON.stringify(USSSN).slice(0, 60)}: ${answer.text}`);
        }
      const { message } = await calls.expectRefused('contact/search', { USSSN: wrong[0] }, 'BAD_PARAMETER', 'USSSN');
      assert.match(message, /one whole number, as 000123456 or 000-12-3456: .* no list, range/);
      const repeated = await calls.caller.post('/api/contact/search', `USSSN=${NUMBER}&usssn=900234411`);
      assert.equal(repeated.status, 400, repeated.text);
      assert.equal((await entriesOf(personId)).length, before, 'nothing was compared');
      // Whether there is a number at all is no secret: the last four digits show it.
      assert.equal((await calls.expectRows('contact/search', { ContactID: id, USSSN: 'not null' })).length, 1);
      assert.equal((await calls.expectRows('contact/search', { ContactID: id, USSSN: 'null' })).length, 0);
    }
  });

  it('KRN-21 KRN-16 recovers no number by trying: each user has 30 guesses an hour on all surfaces together, in all processes', async () => {
    const second = await secondPlatform({ after }, p, clock);
    for (const { calls, personId, key, role } of attackers) {
      const before = (await entriesOf(personId)).length;
      const elsewhere = client(p, callerAt(second.url, key));
      const surfaces: ((USSSN: string) => Promise<{ status: number; text: string; headers: Headers }>)[] = [
        (USSSN) => calls.send('contact/search', { ContactID: id, USSSN }),
        (USSSN) => elsewhere.send('contact/search', { ContactID: id, USSSN }),
        (USSSN) => calls.send(`organization/${firm.organizationId}/contact/search`, { USSSN }),
        (USSSN) => calls.send('organization/search', { USSSN }),
        // A search that fails afterwards was a search.
        (USSSN) => calls.send('contact/search', { USSSN, NoSuchColumn: 1 }),
      ];
      const statuses: number[] = [];
      for (const [at, guess] of candidates(0, LIMIT).entries())
        statuses.push((await surfaces[at % surfaces.length]?.(guess))?.status ?? 0);
      assert.ok(!statuses.includes(429), `${role}: ${statuses.join()}`);
      for (const search of surfaces) {
        const answer = await search(NUMBER);
        assert.equal(answer.status, 429, `${role}: ${answer.text}`);
        assert.equal(answer.headers.get('Retry-After'), '3600');
        assert.doesNotMatch(answer.text, /900-?23-?4410/);
      }
      const events = (await entriesOf(personId)).slice(before).map(({ event }) => event);
      assert.deepEqual(events, [...Array.from({ length: LIMIT }, () => 'SSNSearched'), 'SSNSearchedRefused']);
      // Other searches go on, also by the last four digits.
      assert.equal((await calls.expectRows('contact/search', { ContactID: id, USSSN4: '4410' })).length, 1);
      clock.advance(HOUR - 1_000);
      assert.equal((await calls.send('contact/search', { USSSN: NUMBER })).headers.get('Retry-After'), '1');
      clock.advance(1_000);
      assert.equal((await calls.expectRows('contact/search', { USSSN: NUMBER })).length, 1, 'admitted again');
    }
  });

  it('KRN-16 KRN-21 counts searches at the same moment one by one', async () => {
    const { calls } = await attackerNamed('racing');
    const answers = await Promise.all(
      candidates(0, LIMIT + 20).map((USSSN) => calls.send('contact/search', { USSSN, RecordCount: false })),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, LIMIT);
    assert.equal(statuses.filter((status) => status === 429).length, 20);
  });

  it('KRN-21 has a setting for the limit; 0 allows nobody to search by number', async () => {
    const { calls } = await attackerNamed('limited');
    for (const [value, allowed] of [
      ['2', 2],
      ['0', 0],
    ] as const) {
      clock.advance(2 * HOUR);
      await setLimit(value);
      const statuses = [];
      for (const USSSN of candidates(0, 3)) statuses.push((await calls.send('contact/search', { USSSN })).status);
      assert.deepEqual(statuses, [200, 200, 200].fill(429, allowed), value);
    }
    await setLimit(String(LIMIT));
  });

  it('KRN-21 is closed to agents, right or wrong, also through the queue', async () => {
    await admin.expectOk('setting/save', { Setting: 'AgentWrites', Value: 'true' });
    const { key, personId } = await attackerNamed('with agent', 'Administrator');
    const agent = await httpAgent({ after }, p.url, { 'X-ApiKey': key });
    const before = (await entriesOf(personId)).length;
    for (const USSSN of [NUMBER, '900-23-4411']) {
      const answers = [
        await agent.use('search_records', { record: 'Contact', filters: { USSSN } }),
        await agent.use('run_read_operation', { operation: 'contact/search', parameters: { USSSN, ContactID: id } }),
        await agent.use('run_write_operation', { operation: 'contact/queue/search', parameters: { USSSN } }),
      ];
      for (const answer of answers) {
        assert.equal(errorOf(answer)['Code'], 'NO_PERMISSION', answer.text);
        assert.match(String(errorOf(answer)['Message']), /agents cannot compare/);
      }
    }
    const list = await agent.use('search_records', { record: 'Contact', filters: { USSSN: candidates(0, 100) } });
    assert.equal(errorOf(list)['Code'], 'BAD_PARAMETER');
    assert.equal((await entriesOf(personId)).length, before);
  });

  it('KRN-21 CON-11 counts merges that are refused after two numbers were compared', async () => {
    const { calls } = await attackerNamed('merging', 'Administrator');
    const own = Number((await admin.save('contact', { LastName: 'Mine', USSSN: '900-23-0001' }))['ContactID']);
    const merge = (): Promise<{ status: number; text: string }> =>
      calls.send('contact/merge', { ID: id, MergedContactID: own });
    for (let i = 0; i < LIMIT; i++) assert.equal((await merge()).status, 422);
    const refused = await merge();
    assert.equal(refused.status, 429, refused.text);
  });

  it('KRN-19 KRN-21 is named in messages: a save of SSN learns of USSSN, and an order by it that it cannot be sorted', async () => {
    const { message } = await admin.expectRefused('contact/save', { SSN: '1' }, 'UNKNOWN_PARAMETER', 'SSN');
    assert.match(message, /Did you mean USSSN\? Known fields: .*\bUSSSN\b/);
    for (const OrderBy of ['USSSN', '-usssn', 'usssn desc'])
      assert.match(
        (await admin.expectRefused('contact/search', { OrderBy }, 'BAD_PARAMETER', 'OrderBy')).message,
        /USSSN cannot be sorted/,
      );
    assert.match(
      (await admin.expectRefused('message/delete', { ID: '1,3' }, 'BAD_PARAMETER', 'ID')).message,
      /^ID: expected one ID/,
    );
  });

  it('KRN-21 KRN-14 is open to no saved statement and no batch of its own: statements have no number, a batch counts like its user', async () => {
    const statement = { ClassName: 'Contact', Statement: 'ByFullNumber' };
    for (const column of ['usssn', 'usssncipher', 'usssnindex'])
      await admin.expectRefused(
        'statement/save',
        { ...statement, Query: `select contactid from contact where ${column}::text = {Number}` },
        'BAD_STATEMENT',
      );
    const { calls, personId } = await attackerNamed('batching', 'Administrator');
    const batch = (USSSN: unknown): Promise<{ status: number; text: string }> =>
      calls.send('importfile/batch', {
        ClassName: 'Contact',
        Operation: 'Search',
        USSSN,
        Signature: 'Contact/Select?ID={ContactID}',
      });
    assert.equal((await batch(candidates(0, 3))).status, 400);
    const before = (await entriesOf(personId)).length;
    const answer = await batch(NUMBER);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await entriesOf(personId)).length, before + 1);
  });
});

describe('KRN-21 KRN-20 comparing by writing', () => {
  const SAME_END = candidates(40, LIMIT + 1);
  const contactWithNumber = async (): Promise<number> =>
    Number((await admin.save('contact', { LastName: 'Guessed', USSSN: NUMBER }))['ContactID']);

  it('KRN-21 KRN-20 guesses no number by saving it and rolling back: 30 wrong ones an hour are logged, then right ones are refused too', async () => {
    const { calls, personId } = await attackerNamed('saving');
    const target = await contactWithNumber();
    const guess = async (USSSN: string): Promise<number> => {
      const saved = await calls.send('contact/save', { ID: target, USSSN });
      if (saved.status !== 200) return saved.status;
      const CallID = saved.headers.get('x-correlation-id');
      return (await calls.send('contact/rollback', { ID: target, CallID })).status;
    };
    const statuses: number[] = [];
    // Each wrong guess counts, and so does restoring the number over it.
    for (const wrong of SAME_END) statuses.push(await guess(wrong));
    assert.deepEqual(statuses, [
      ...Array.from({ length: LIMIT / 2 }, () => 200),
      ...Array.from({ length: LIMIT / 2 + 1 }, () => 429),
    ]);
    assert.equal(await guess(NUMBER), 429, 'the right one looks like a wrong one');
    const entries = await entriesOf(personId);
    assert.deepEqual(
      entries.map(({ event }) => event),
      [...Array.from({ length: LIMIT }, () => 'SSNCompared'), 'SSNComparedRefused'],
    );
    for (const { row } of entries) assert.doesNotMatch(row, /\d{5}4410/);
    assert.equal((await admin.expectRows('contact/search', { ContactID: target, USSSN: NUMBER })).length, 1);
    // Other digits at the end are no guess, nor is what staff who may read numbers write.
    await calls.expectOk('contact/save', { ID: target, USSSN: '900-23-0007' });
    for (const USSSN of SAME_END.slice(0, 2)) await admin.expectOk('contact/save', { ID: target, USSSN });
  });

  it('KRN-21 CON-11 a merge of equal numbers is refused as well once the limit is reached', async () => {
    const { calls } = await attackerNamed('merging equals', 'Administrator');
    const [target, wrong, right] = [await contactWithNumber(), await contactWithNumber(), await contactWithNumber()];
    await admin.expectOk('contact/save', { ID: wrong, USSSN: '900-99-4410' });
    for (let i = 0; i < LIMIT; i++)
      assert.equal((await calls.send('contact/merge', { ID: target, MergedContactID: wrong })).status, 422);
    for (const MergedContactID of [wrong, right])
      assert.equal((await calls.send('contact/merge', { ID: target, MergedContactID })).status, 429);
  });

  it('KRN-21 has settings for the limits of comparisons and of military checks', async () => {
    for (const Setting of ['NumberComparisonsPerHour', 'MilitaryChecksPerHour']) {
      await admin.expectRefused('setting/save', { Setting, Value: '10001' }, 'BAD_PARAMETER', 'Value');
      await admin.expectOk('setting/save', { Setting, Value: '1' });
    }
    const { calls } = await attackerNamed('limited to one');
    const target = await contactWithNumber();
    const statuses = [];
    for (const USSSN of SAME_END.slice(0, 2))
      statuses.push((await calls.send('contact/save', { ID: target, USSSN })).status);
    assert.deepEqual(statuses, [200, 429]);
    for (const [Setting, Value] of [
      ['NumberComparisonsPerHour', String(LIMIT)],
      ['MilitaryChecksPerHour', '1000'],
    ]) {
      const [row] = await admin.expectRows('setting/search', { Setting });
      await admin.expectOk('setting/save', { ID: row?.['SettingID'], Setting, Value });
    }
  });

  it('KRN-21 KRN-15 IMP-01 sending the stored number again counts for nothing, however often', async () => {
    const { calls, personId } = await attackerNamed('repeating');
    const target = await contactWithNumber();
    for (let i = 0; i < LIMIT + 5; i++) await calls.expectOk('contact/save', { ID: target, USSSN: NUMBER });
    assert.equal((await entriesOf(personId)).length, 0);
    assert.equal((await admin.expectRows('contact/search', { ContactID: target, USSSN: NUMBER })).length, 1);
  });
});

describe('KRN-21 KRN-07 secrets in an address', () => {
  it('KRN-21 KRN-07 are refused in every query, by GET and POST, nested and queued too, and a clear message says where they belong', async () => {
    const number = 'USSSN=900-23-4410';
    const addresses = [
      `contact/search?${number}`,
      `organization/search?${number}`,
      `organization/${firm.organizationId}/contact/search?${number}`,
      `contact/queue/search?${number}`,
      `contact/save?LastName=x&${number}`,
      `contact/save?Contact_${number}`,
      `contact/save?LastName=x&Contacts_0_LastName=x&Contacts_0_${number}`,
      `contact/save?LastName=x&ParentContact_${number}`,
      `contact/${String(id)}?${number}`,
      `contact/queue/save?LastName=x&${number}`,
      'person/update?ID=1&Password=in-the-address',
      'person/save?Person=x&password=in-the-address',
      'person/changepassword?CurrentPassword=a&NewPassword=in-the-address',
      'loan/save?ID=1&Contacts_0_CreatedPerson_Password=in-the-address',
      'mailoutbound/save?MailOutbound=x&Password=in-the-address',
      'mailoutbound/save?MailOutbound=x&Secrets=ApiKey%3Din-the-address',
      'fileobject/save?FileObject=x&SecretAccessKey=in-the-address',
      'organization/confirm?Token=in-the-address',
    ];
    for (const address of addresses)
      for (const method of ['GET', 'POST', 'PATCH']) {
        const answer = await p.admin.send(method, `/api/${address}&Output=Json`, method === 'GET' ? undefined : '{}', {
          'Content-Type': 'application/json',
        });
        assert.equal(answer.status, 400, `${method} ${address}: ${answer.text}`);
        assert.match(
          answer.text,
          /it is secret and must not be part of an address.*in the body of a POST request/,
          address,
        );
        assert.doesNotMatch(answer.text, /in-the-address|900-23-4410/);
      }
    const versions = await p.platform.store.query<{ n: number }>(
      "select count(*)::integer as n from contact where lastname = 'x'",
    );
    assert.equal(versions[0]?.n, 0, 'nothing was saved');
    const anonymous = await p.anonymous.get(`/api/contact/search?${number}`, { 'User-Agent': 'test' });
    assert.equal(anonymous.status, 401, 'before signing in nothing is said about parameters');
  });

  it('KRN-07 other parameters stay in the query, and so do filters without a secret', async () => {
    for (const query of [
      'USSSN=null',
      'USSSN=not+null',
      'USSSN=',
      'USSSN4=4410',
      'LastName=Bracketed&SqlColumns=USSSN',
    ])
      assert.equal((await p.admin.get(`/api/contact/search?${query}`)).status, 200, query);
    assert.equal(
      (await p.admin.post('/api/contact/update?Output=Json', `ID=${String(id)}&USSSN=${NUMBER}`)).status,
      200,
    );
    assert.equal((await p.admin.get(`/api/contact/update?ID=${String(id)}&FirstName=Ada`)).status, 200);
  });
});

async function setLimit(Value: string): Promise<void> {
  const [row] = await admin.expectRows('setting/search', { Setting: 'NumberSearchesPerHour' });
  await admin.expectOk('setting/save', { ID: row?.['SettingID'], Setting: 'NumberSearchesPerHour', Value });
}

async function attackerNamed(name: string, role = 'Staff'): Promise<Attacker> {
  const user = await p.user(name, role);
  return { role, personId: user.personId, key: user.key, calls: client(p, user.caller) };
}

/** Calls of a key at another process. */
function callerAt(url: string, key: string): Client['caller'] {
  const post: Client['caller']['post'] = async (path, body = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-ApiKey': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) as never };
  };
  return { get: (path) => post(path), post, send: (_method, path) => post(path) };
}
