import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import {
  MILITARY_SOURCE,
  type MilitaryAnswer,
  type MilitaryPerson,
  type MilitarySource,
} from '../../../src/contracts/military-source.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
const save = (module: string, body: object): Promise<Row> =>
  expectOk(on.admin.post(`/api/${module}/save?Output=Json`, body));
const newContact = async (body: object): Promise<number> => Number((await save('contact', body))['ContactID']);
const contactOf = (id: number): Promise<Row> => expectOk(on.admin.get(`/api/contact/${id}?Output=Json`));
const search = (ids: readonly number[], caller: Caller = on.admin): Promise<TestAnswer> =>
  caller.get(`/api/contact/scrasearch?Output=Json&ID=${ids.join(',')}`);
const settled = (id: number): Promise<Row> =>
  eventually(`contact ${id} is checked`, async () => {
    const contact = await contactOf(id);
    return contact['SCRAStatus'] !== 'Pending' && contact;
  });

async function setting(name: string, value: string | null): Promise<void> {
  await on.platform.store.query('delete from setting where setting = $1::text', [name]);
  if (value !== null)
    await on.platform.store.query('insert into setting (setting, value) values ($1::text, $2::text)', [name, value]);
  on.platform.configuration.expire();
}

/** Counts the queued checks of a contact that are scheduled for later. */
const waiting = async (id: number): Promise<number> =>
  (await on.platform.queue.find(on.platform.store, { label: `SCRA ${id}`, start: 0, size: 100 })).filter(
    (message) =>
      message.StartAfter !== null &&
      ['created', 'retry'].includes(message.State) &&
      Date.parse(message.StartAfter) > Date.now(),
  ).length;

/** A source that returns what a test sets, and records the persons it was queried for. */
class ScriptedSource implements MilitarySource {
  readonly requests: MilitaryPerson[] = [];
  answer: (person: MilitaryPerson, day: string) => MilitaryAnswer | Promise<MilitaryAnswer> = () => ({
    kind: 'unavailable',
    problem: 'down',
  });
  async check(person: MilitaryPerson, day: string): Promise<MilitaryAnswer> {
    this.requests.push(person);
    return this.answer(person, day);
  }
}
const scripted = new ScriptedSource();
on.platform.providers.register(MILITARY_SOURCE, 'Scripted', scripted);
const notServing = (day: string): MilitaryAnswer => ({
  kind: 'answered',
  status: {
    dateOfInterest: day,
    covered: false,
    activeDuty: { covered: false },
    earlyIndication: { covered: false },
    recentDuty: { covered: false },
    matched: true,
  },
});

describe('scrasearch', () => {
  beforeEach(async () => {
    await setting('SCRASource', null);
    await setting('SCRAAttemptsMax', null);
    scripted.requests.length = 0;
    scripted.answer = () => ({ kind: 'unavailable', problem: 'down' });
  });

  it('CON-07 sets Pending at once, and the result updates status, source, day and service', async () => {
    await save('militaryservice', {
      LastName: 'Serving',
      USSSN: '900125001',
      ActiveDutyStartDate: '2020-01-01',
      ServiceComponentCode: 'NR',
    });
    await save('militaryservice', {
      LastName: 'Called',
      USSSN: '900125002',
      ActiveDutyStartDate: '2999-01-01',
      NotificationDate: '2020-01-01',
      ServiceComponentCode: 'AG',
    });
    await save('militaryservice', {
      LastName: 'Past',
      BirthDate: '1980-05-06',
      ActiveDutyStartDate: '1999-01-01',
      ActiveDutyEndDate: '2001-01-01',
    });
    const ids = [
      await newContact({ LastName: 'Serving', USSSN: '900-12-5001' }),
      await newContact({ LastName: 'Called', USSSN: '900-12-5002' }),
      await newContact({ LastName: 'Past', BirthDate: '1980-05-06' }),
      await newContact({ LastName: 'Unknown', USSSN: '900-12-5003' }),
    ];
    const answer = await expectOk(search(ids));
    assert.deepEqual(
      Object.values(answer['ContactCollection'] as object)[0],
      ids.map((ContactID) => ({ ContactID, SCRAStatus: 'Pending' })),
    );
    const contacts = await Promise.all(ids.map(settled));
    assert.deepEqual(
      contacts.map((row) => [
        row['SCRAStatus'],
        row['SCRASource'],
        row['SCRAActiveDutyStartDate'],
        row['SCRAServiceComponentCode'],
      ]),
      [
        ['Active Duty', 'LocalTable', '2020-01-01', 'NR'],
        ['Called Up', 'LocalTable', '2999-01-01', 'AG'],
        ['Not Active', 'LocalTable', undefined, undefined],
        ['No Record', 'LocalTable', undefined, undefined],
      ],
    );
    for (const contact of contacts) assert.match(String(contact['SCRAStatusAsOf']), /^\d{4}-\d\d-\d\d$/);
  });

  it('CON-07 a contact that lacks data for a check becomes Incomplete, and no source is queried', async () => {
    await setting('SCRASource', 'Scripted');
    const ids = [
      await newContact({ LastName: 'Numberless' }),
      await newContact({ Company: 'Nobody Inc', USSSN: '900-12-5004' }),
    ];
    await expectOk(search(ids));
    assert.deepEqual(
      (await Promise.all(ids.map(settled))).map((row) => [row['SCRAStatus'], row['SCRAMessage']]),
      [
        ['Incomplete', 'A check takes USSSN or BirthDate.'],
        ['Incomplete', 'A check takes LastName.'],
      ],
    );
    assert.deepEqual(scripted.requests, []);
  });

  it('CON-07 a source that is down leaves the contact Pending and is retried later; after the last attempt the contact shows the error', async () => {
    await setting('SCRASource', 'Scripted');
    await setting('SCRAAttemptsMax', '2');
    const id = await newContact({ LastName: 'Patient', USSSN: '900-12-5005' });
    await expectOk(search([id]));
    await eventually('the next attempt is queued', async () => (await waiting(id)) === 1);
    assert.equal((await contactOf(id))['SCRAStatus'], 'Pending');
    assert.deepEqual(scripted.requests, [{ lastName: 'Patient', ssn: '900125005' }]);
    assert.equal(
      (await expectOk(on.admin.post('/api/contact/scracheck?Output=Json', { ID: id, Attempt: 2 })))['SCRAStatus'],
      'Error',
    );
    const contact = await contactOf(id);
    assert.deepEqual(
      [contact['SCRAStatus'], contact['SCRAMessage'], contact['SCRASource']],
      ['Error', 'Scripted did not answer 2 times, the last time: down.', undefined],
    );
    scripted.answer = (_person, day) => notServing(day);
    await expectOk(search([id]));
    const now = await settled(id);
    assert.deepEqual([now['SCRAStatus'], now['SCRAMessage'], now['SCRASource']], ['Not Active', undefined, 'Scripted']);
  });

  it('CON-07 a check that is delivered twice, or after the result, queries no source and changes nothing', async () => {
    await setting('SCRASource', 'Scripted');
    scripted.answer = (_person, day) => notServing(day);
    const id = await newContact({ LastName: 'Twice', USSSN: '900-12-5006' });
    await expectOk(search([id]));
    const before = await settled(id);
    const requestCount = scripted.requests.length;
    const again = await Promise.all(
      Array.from({ length: 4 }, () => expectOk(on.admin.post('/api/contact/scracheck?Output=Json', { ID: id }))),
    );
    assert.deepEqual(
      [again.map((row) => row['SCRAStatus']), scripted.requests.length],
      [Array(4).fill('Not Active'), requestCount],
    );
    assert.equal((await contactOf(id))['Version'], before['Version']);
  });

  it('CON-07 a contact changed while its source is queried is checked again with its new data', async () => {
    await setting('SCRASource', 'Scripted');
    const id = await newContact({ LastName: 'Before', USSSN: '900-12-5007' });
    scripted.answer = async ({ lastName }, day) => {
      if (lastName === 'Before') await save('contact', { ID: id, LastName: 'After' });
      return notServing(day);
    };
    await expectOk(search([id]));
    assert.equal((await settled(id))['SCRAStatus'], 'Not Active');
    assert.deepEqual(
      scripted.requests.map((person) => person.lastName),
      ['Before', 'After'],
    );
  });

  it('CON-07 no transaction is open and no row locked while the source is queried', async () => {
    await setting('SCRASource', 'Scripted');
    const id = await newContact({ LastName: 'Unlocked', USSSN: '900-12-5008' });
    let open = -1;
    scripted.answer = async (_person, day) => {
      const [row] = await on.platform.store.query<{ n: number }>(
        `select count(*)::integer as n from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      );
      open = row?.n ?? -1;
      return notServing(day);
    };
    await expectOk(search([id]));
    await settled(id);
    assert.equal(open, 0);
  });

  it('CON-07 a refusal by the source is recorded on the contact, without the social security number', async () => {
    await setting('SCRASource', 'Scripted');
    scripted.answer = () => ({ kind: 'refused', problem: 'the name is not one' });
    const id = await newContact({ LastName: 'Refused', USSSN: '900-12-5009' });
    await expectOk(search([id]));
    assert.deepEqual(
      [(await settled(id))['SCRAStatus'], (await contactOf(id))['SCRAMessage']],
      ['Error', 'Scripted refused the request: the name is not one.'],
    );
  });

  it('CON-07 one contact that the caller cannot see fails the whole call and nothing is queued; the number of contacts is limited', async () => {
    await save('role', { Role: 'Searcher', Permissions: 'ContactSCRASearch *Select' });
    const firm = await on.firm('Searching', 'Searcher');
    const [own, other] = [
      await newContact({
        LastName: 'Own',
        USSSN: '900-12-5010',
        Object: 'Organization',
        ObjectID: firm.organizationId,
      }),
      await newContact({ LastName: 'Other', USSSN: '900-12-5011' }),
    ];
    assert.equal((await search([own, other], firm.caller)).status, 404);
    assert.deepEqual(
      [(await contactOf(own))['SCRAStatus'], (await contactOf(other))['SCRAStatus']],
      [undefined, undefined],
    );
    await expectOk(search([own], firm.caller));
    assert.equal((await settled(own))['SCRAStatus'], 'No Record');
    assert.equal((await search(Array.from({ length: 1_001 }, (_, n) => n + 1))).status, 413);
  });

  it('CON-07 KRN-21 finds no service member by trying numbers: checks are logged, and limited per user and hour', async () => {
    await setting('MilitaryChecksPerHour', '5');
    const { caller, personId } = await on.user('checking', 'Staff');
    const ids: number[] = [];
    for (let n = 0; n < 4; n++) ids.push(await newContact({ LastName: 'Serving', USSSN: `90013500${n}` }));
    const [first = 0] = ids;
    await expectOk(search(ids, caller));
    const refused = await search(ids.slice(0, 2), caller);
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.text, /military status of 5 contacts per hour; nothing was queued/);
    await expectOk(search([first], caller));
    assert.equal((await search([first], caller)).status, 429);
    // Nor by saving a contact as Pending and calling the check itself.
    await settled(first);
    await expectOk(caller.post('/api/contact/save?Output=Json', { ID: first, SCRAStatus: 'Pending' }));
    const check = await caller.post('/api/contact/scracheck?Output=Json', { ID: first });
    assert.equal(check.status, 429, check.text);
    assert.equal((await contactOf(first))['SCRAStatus'], 'Pending');
    // Administrators may read numbers: logged, but not limited.
    await expectOk(
      search([...ids, ...(await Promise.all([newContact({ LastName: 'A' }), newContact({ LastName: 'B' })]))]),
    );
    const entries = await on.platform.store.query<{ event: string; detail: string }>(
      `select securitylog as event, detail from securitylog where securitylog like 'SCRASearched%'
       and (personid = $1::bigint or detail like '%, 6 contacts') order by securitylogid`,
      [personId],
    );
    assert.deepEqual(
      entries.map(({ event, detail }) => [event, detail.replace(/^.*, /, '')]),
      [
        ['SCRASearched', '4 contacts'],
        ['SCRASearchedRefused', '2 contacts'],
        ['SCRASearched', '1 contacts'],
        ['SCRASearched', '6 contacts'],
      ],
    );
    await setting('MilitaryChecksPerHour', null);
  });
});
