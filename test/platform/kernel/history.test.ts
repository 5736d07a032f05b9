import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import type { Actor, Transaction } from '../../../src/kernel/database/store.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { moments } from '../../support/moments.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const moment = moments(p.platform);
const save = (module: string, body: object, caller: Caller = p.admin, headers = {}): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body, headers));
const historyOf = async (module: string, id: unknown, query = '', caller: Caller = p.admin): Promise<Row[]> =>
  (
    (await expectOk(caller.get(`/api/${module}/history/${String(id)}?Output=Json${query}`))) as never as {
      HistoryCollection: { HistoryItem: Row[] };
    }
  ).HistoryCollection.HistoryItem;
/** Within one call the order of columns is not significant. */
const changes = (rows: readonly Row[]): unknown[] =>
  rows
    .map((r) => [r['Change'], r['Field'], r['OldValue'], r['NewValue']])
    .sort((a, b) => byText(String(a[1]), String(b[1])));
const byText = (a: string, b: string): number => Number(a > b) - Number(a < b);

describe('history', () => {
  it('KRN-20 returns who changed what, when and in which call, latest first', async () => {
    const editor = await p.user('editor', 'Administrator');
    const { ContactID } = await save('contact', { FirstName: 'A', LastName: 'B', BirthDate: '1970-01-01' });
    await save('contact', { ID: ContactID, FirstName: 'C', BirthDate: '' }, editor.caller, {
      'X-Correlation-ID': 'the-first-change',
    });
    await save('contact', { ID: ContactID, FirstName: 'D' }, p.admin, { 'X-Correlation-ID': 'the-second-change' });
    const rows = await historyOf('contact', ContactID);
    assert.deepEqual(changes(rows.slice(0, 2)), [
      ['update', 'Contact', 'B, C', 'B, D'],
      ['update', 'FirstName', 'C', 'D'],
    ]);
    assert.deepEqual(changes(rows.slice(2)), [
      ['update', 'BirthDate', '1970-01-01', undefined],
      ['update', 'Contact', 'B, A', 'B, C'],
      ['update', 'FirstName', 'A', 'C'],
    ]);
    assert.deepEqual(
      [rows[0]?.['PersonID'] === editor.personId, rows[0]?.['CallID'], rows[2]?.['PersonID'], rows[2]?.['CallID']],
      [false, 'the-second-change', editor.personId, 'the-first-change'],
    );
    assert.ok(rows.every((r) => Math.abs(Date.parse(String(r['At'])) - p.platform.clock.milliseconds()) < 60_000));
    assert.ok(String(rows[0]?.['At']) >= String(rows[2]?.['At']));
  });

  it('KRN-20 every type of value is kept exactly; a save that changes nothing leaves no trace', async () => {
    const first = {
      Note: 'ä',
      Count: 1,
      Amount: '1.5',
      Ratio: '0.25',
      Due: '2024-02-29',
      At: '2024-02-29T12:00:00.000Z',
      Flag: true,
    };
    const { ChoreID } = await save('chore', first);
    await save('chore', { ID: ChoreID, ...first });
    assert.deepEqual(await historyOf('chore', ChoreID), []);
    await save('chore', {
      ID: ChoreID,
      Note: 'o',
      Count: 2,
      Amount: '2',
      Ratio: '',
      Due: '2024-03-01',
      At: '2024-03-01T12:00:00Z',
      Flag: false,
    });
    const old = Object.fromEntries((await historyOf('chore', ChoreID)).map((r) => [r['Field'], r['OldValue']]));
    assert.deepEqual(
      {
        ...old,
        At: new Date(String(old['At'])).toISOString(),
        Amount: Number(old['Amount']),
        Ratio: Number(old['Ratio']),
      },
      { Note: 'ä', Count: '1', Amount: 1.5, Ratio: 0.25, Due: '2024-02-29', At: first.At, Flag: 'true' },
    );
  });

  it("KRN-20 a derived record's history contains the columns of both tables", async () => {
    const { OrganizationID } = await save('organization', { Organization: 'H', Website: 'one', City: 'Here' });
    await save('organization', { ID: OrganizationID, Website: 'two', City: 'There' });
    assert.deepEqual(changes(await historyOf('organization', OrganizationID)), [
      ['update', 'City', 'Here', 'There'],
      ['update', 'Website', 'one', 'two'],
    ]);
  });

  it('KRN-20 a deleted record is kept whole and restored under its ID, more than once', async () => {
    const made = await save('contact', {
      FirstName: 'Back',
      LastName: 'Again',
      USSSN: '123-45-6789',
      SubscriberID: 'back',
      BirthDate: '1980-05-05',
    });
    const id = made['ContactID'];
    for (let round = 0; round < 2; round++) {
      await expectOk(p.admin.post(`/api/contact/delete/${String(id)}?Output=Json`));
      const old = Object.fromEntries(
        (await historyOf('contact', id))
          .filter((r) => r['Change'] === 'delete')
          .map((r) => [r['Field'], r['OldValue']]),
      );
      assert.deepEqual(
        [old['FirstName'], old['BirthDate'], old['USSSN4'], old['USSSN']],
        ['Back', '1980-05-05', '6789', 'XXX-XX-6789'],
      );
      const back = await expectOk(p.admin.post(`/api/contact/undelete/${String(id)}?Output=Json`));
      const { Version, UpdatedDate, ...rest } = back;
      const { Version: _v, UpdatedDate: _u, ...before } = made;
      assert.deepEqual(rest, before);
      assert.ok(Number(Version) > Number(made['Version']) && String(UpdatedDate) >= String(made['UpdatedDate']));
      assert.equal((await expectOk(p.admin.get('/api/contact/select?SubscriberID=back&Output=Json')))['ContactID'], id);
      assert.match(
        (await p.admin.post('/api/contact/search', 'USSSN=123456789')).text,
        /Again/,
        'the restored SSN is found by its blind index again',
      );
    }
    const twice = await p.admin.post(`/api/contact/undelete/${String(id)}?Output=Json`);
    assert.equal(twice.status, 409);
    assert.equal((await p.admin.post('/api/contact/undelete/99999999')).status, 404);
  });

  it("KRN-20 the row's old values come from the database itself, whoever writes", async () => {
    const { ChoreID } = await save('chore', { Note: 'by hand' });
    await p.platform.store.query("update chore set note = 'changed' where choreid = $1", [ChoreID]);
    assert.deepEqual(changes(await historyOf('chore', ChoreID)), [['update', 'Note', 'by hand', 'changed']]);
  });

  it('KRN-20 KRN-21 shows that a number was exchanged, also if its last four digits stay, on every change of it', async () => {
    const { ContactID } = await save('contact', { LastName: 'S', USSSN: '987-65-4321' });
    await save('contact', { ID: ContactID, USSSN: '987-65-4321', LastName: 'Same' });
    const before = await moment();
    await save('contact', { ID: ContactID, USSSN: '987-66-4321' });
    await save('contact', { ID: ContactID, USSSN: '' });
    await save('contact', { ID: ContactID, USSSN: '987-65-4321' });
    const exchanges = (await historyOf('contact', ContactID)).filter(({ Field }) => Field === 'USSSN');
    assert.deepEqual(
      exchanges.map(({ OldValue, NewValue }) => [OldValue, NewValue]),
      [
        [undefined, 'XXX-XX-4321'],
        ['XXX-XX-4321', undefined],
        ['XXX-XX-4321', 'XXX-XX-4321'],
      ],
    );
    const asOf = async (): Promise<string> =>
      (await p.admin.post('/api/contact/asof?Output=Json', { ID: ContactID, At: before })).text;
    assert.doesNotMatch(await asOf(), /NUMBER_DIFFERS/);
    await save('contact', { ID: ContactID, USSSN: '986-65-4321' });
    assert.match(await asOf(), /NUMBER_DIFFERS.*USSSN: the number was different then/);
  });

  it('secrets and SSNs are never in clear in the history, which every record type has', async () => {
    const { ContactID } = await save('contact', { LastName: 'S', USSSN: '987-65-4321' });
    await save('contact', { ID: ContactID, USSSN: '987-65-4322' });
    await save('person', { Person: 'hist', Password: 'a long enough password' });
    const { PersonID } = await save('person', { Person: 'hist2', Password: 'a long enough password' });
    await save('person', { ID: PersonID, Password: 'another long password' });
    assert.deepEqual(changes(await historyOf('contact', ContactID)), [
      ['update', 'USSSN', 'XXX-XX-4321', 'XXX-XX-4322'],
      ['update', 'USSSN4', '4321', '4322'],
    ]);
    // That the password was set by another person is no secret.
    assert.deepEqual(
      (await historyOf('person', PersonID)).map(({ Field }) => Field),
      ['InitialPasswordDate'],
    );
    const stored = await p.platform.store.query<{ old: string }>('select old::text as old from history');
    assert.ok(
      stored.length > 10 &&
        stored.every(({ old }) => !old.includes('argon2') && !old.includes('987654321') && !old.includes('98765432')),
    );
    const triggers = await p.platform.store.query<{ t: string }>(
      // The functions that note added rows for open pages have names of the same kind.
      `select tgrelid::regclass::text as t from pg_trigger
       where tgfoid::regproc::text ~ '^casewright_history(_of_|$)' and tgfoid::regproc::text !~ '_added$'`,
    );
    const tables = new Set(triggers.map((r) => r.t));
    for (const record of p.platform.registry.records())
      assert.equal(tables.has(record.table), record.history !== false, record.name);
  });

  it('KRN-20 a change of only case, accents or trailing spaces counts as a change; an amount with different trailing zeros does not', async () => {
    const { ContactID } = await save('contact', { LastName: 'Muller', City: 'Ende' });
    for (const values of [{ LastName: 'MULLER' }, { LastName: 'Müller' }, { City: 'Ende ' }])
      await save('contact', { ID: ContactID, ...values });
    assert.deepEqual(
      changes(
        (await historyOf('contact', ContactID)).filter((row) => row['Field'] === 'LastName' || row['Field'] === 'City'),
      ),
      [
        ['update', 'City', 'Ende', 'Ende '],
        ['update', 'LastName', 'MULLER', 'Müller'],
        ['update', 'LastName', 'Muller', 'MULLER'],
      ],
    );
    const { LoanID } = await save('loan', { Loan: '55', UPBAmount: '10.50' });
    await save('loan', { ID: LoanID, UPBAmount: '10.5' });
    assert.deepEqual(changes(await historyOf('loan', LoanID)), []);
  });

  it("KRN-20 has pages, and a firm's user sees only the history of visible records", async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Historian',
      Permissions: 'ContactHistory ContactSelect ContactUndelete',
    });
    const [a, b] = [await p.firm('A', 'Historian'), await p.firm('B', 'Historian')];
    const { ContactID } = await save('contact', { LastName: 'v0', Object: 'Organization', ObjectID: a.organizationId });
    for (let i = 1; i <= 3; i++) await save('contact', { ID: ContactID, Title: `t${i}` });
    assert.deepEqual(changes(await historyOf('contact', ContactID, '&RecordStart=1&DisplaySize=1', a.caller)), [
      ['update', 'Title', 't1', 't2'],
    ]);
    assert.equal((await b.caller.get(`/api/contact/history/${String(ContactID)}`)).status, 404);
    await expectOk(p.admin.post(`/api/contact/delete/${String(ContactID)}?Output=Json`));
    assert.equal((await a.caller.get(`/api/contact/history/${String(ContactID)}`)).status, 404);
    assert.equal((await a.caller.post(`/api/contact/undelete/${String(ContactID)}`)).status, 404);
  });

  it('KRN-20 KRN-18 a child saved at the moment its parent is deleted stays below it, and its firm sees it once the parent is back', async (t) => {
    await p.admin.post('/api/role/save', { Role: 'Reader', Permissions: 'ContactSearch' });
    const { organizationId: OrganizationID, caller } = await p.firm('Of both children', 'Reader');
    const { ForeclosureID } = await save('foreclosure', { OrganizationID });
    const parent = { Object: 'Foreclosure', ObjectID: ForeclosureID };
    const { ContactID } = await save('contact', { LastName: 'Before', ...parent });
    const deleted = beforeInsert(t, () =>
      expectOk(p.admin.post(`/api/foreclosure/delete/${String(ForeclosureID)}?Output=Json`)),
    );
    await save('contact', { LastName: 'Meanwhile', ...parent });
    await deleted;
    const late = await p.admin.post('/api/contact/save', { LastName: 'After', ...parent });
    assert.equal(late.status, 404, 'the parent is gone');
    await expectOk(p.admin.post(`/api/foreclosure/undelete/${String(ForeclosureID)}?Output=Json`));
    for (const reader of [p.admin, caller]) {
      const found = await reader.get(
        `/api/foreclosure/${String(ForeclosureID)}/contact/search?Output=Csv&SqlColumns=LastName&OrderBy=ContactID`,
      );
      assert.deepEqual(found.text.match(/^(?:Before|Meanwhile|After)/gm), ['Before', 'Meanwhile'], found.text);
    }
    assert.deepEqual(await historyOf('contact', ContactID), [], 'nothing of a child has changed');
  });
});

/** Runs a call to its end right before the next statement that inserts a record, which its save has checked by then. */
function beforeInsert(t: TestContext, run: () => Promise<unknown>): Promise<unknown> {
  const { store } = p.platform;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let isRun = false;
  const pausing = (transaction: Transaction): Transaction => {
    const query = transaction.query.bind(transaction);
    return Object.assign(transaction, {
      query: async (text: string, params?: readonly unknown[]) => {
        if (!isRun && text.includes('insert into public.')) {
          isRun = true;
          await run().then(resolve, reject);
        }
        return query(text, params);
      },
    });
  };
  const original = store.transaction.bind(store);
  t.mock.method(
    store,
    'transaction',
    (actor: Actor, work: (transaction: Transaction) => Promise<unknown>, mode?: 'read' | 'write') =>
      original(actor, (transaction) => work(pausing(transaction)), mode),
  );
  return promise;
}
