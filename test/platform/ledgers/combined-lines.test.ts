import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { lossyDatabase } from '../../support/lossy-database.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

/** `npm run soak -- combined-lines` runs 1,000. */
const BOOKS = Number(process.env['CASEWRIGHT_TEST_COMBINED_BOOKS'] ?? 4);
const CALLERS = 12;

const p = await testPlatform({ after });
const admin = client(p);
await admin.save('setting', { Setting: 'CallsPerMinuteMax', Value: '0' });
await admin.save('setting', { Setting: 'LedgerClosedThrough', Value: '2026-10' });
await admin.save('role', { Role: 'Clerk', Permissions: '* -LedgerUpdateLocked', UniversalAccess: true });
const clerk = await p.user('clerk', 'Clerk');
await p.platform.settings.fresh();
// Each node combines its own calls.
const lossy = await lossyDatabase({ after }, p.database);
const second = await secondPlatform({ after }, { ...p, database: lossy.database });
const { CreatedPersonID: PersonID } = await admin.save('ledger', {});
const { ApiKey } = await admin.expectOk('apikey/create', { PersonID });

/** What a caller sends: lines that are right, wrong before or after they are written, and repeated. */
const post = fc.record({
  kind: fc.constantFrom('line', 'line', 'line', 'keyed', 'amount', 'closed', 'person', 'below', 'warned', 'named'),
  cents: fc.integer({ min: 1, max: 99_999 }),
  key: fc.nat(4),
});
type Post = typeof post extends fc.Arbitrary<infer T> ? T : never;

const refusals: Partial<Record<Post['kind'], string>> = {
  amount: 'BAD_PARAMETER AmountMoney',
  closed: 'STATE_REFUSES PostedDate',
  person: 'BAD_PARAMETER PersonID',
  below: 'BAD_PARAMETER ChildLedgerID',
};

/** Sends a line to a node. Returns what the answer says, without what differs between two ledgers. */
async function send(url: string, ledger: unknown, { kind, cents, key }: Post): Promise<string> {
  const amount = kind === 'keyed' ? `${key + 1}.25` : `${cents / 100}`;
  const line = {
    LedgerID: ledger,
    LedgerItem: kind,
    AmountMoney: kind === 'amount' ? 'twelve' : amount,
    IsDebit: true,
    IsTotaled: true,
    ...(kind === 'closed' && { PostedDate: '2026-10-15T12:00:00Z' }),
    ...(kind === 'person' && { PersonID: 999_999 }),
    ...(kind === 'below' && { ChildLedgerID: ledger }),
    ...(kind === 'warned' && { PaymentRole: 'Payment' }),
    ...(kind === 'named' && { SubscriberID: `line ${String(ledger)} ${key}` }),
  };
  const answer = await fetch(`${url}/api/ledgeritem/save?Output=Json`, {
    method: 'POST',
    headers: {
      'X-ApiKey': String(ApiKey),
      'Content-Type': 'application/json',
      ...(kind === 'keyed' && { 'Idempotency-Key': `${String(ledger)} ${key}` }),
    },
    body: JSON.stringify(line),
  });
  const row = (await answer.json()) as Row;
  const { Code, Field } = (row['Error'] ?? {}) as Row;
  if (answer.status !== 200) return `${String(Code)} ${String(Field)}`;
  return `${String(row['LedgerItem'])} ${String(row['AmountMoney'])} ${answer.headers.get('x-alerts') ?? 0}`;
}

async function books(ledger: unknown): Promise<unknown> {
  const lines = await p.platform.store.query<{ line: string }>(
    `select ledgeritem || ' ' || amountmoney || ' ' || version as line from ledgeritem where ledgerid = $1::bigint`,
    [ledger],
  );
  const { Balance, BalanceAdjusted } = await admin.select('ledger', ledger);
  // Of repeated names the last amount stays, and which is last is chance.
  const isNamed = ({ line }: { line: string }): boolean => line.startsWith('named');
  const texts = lines.filter((line) => !isNamed(line)).map(({ line }) => line);
  return { texts: texts.toSorted(), named: lines.filter(isNamed).length, isEqual: Balance === BalanceAdjusted };
}

async function sumOf(ledger: unknown): Promise<unknown> {
  const [row] = await p.platform.store.query<{ isRight: boolean }>(
    `select l.balance = (select coalesce(sum(amountmoney), 0) from ledgeritem i where i.ledgerid = l.ledgerid)
       as "isRight" from ledger l where l.ledgerid = $1::bigint`,
    [ledger],
  );
  return row?.isRight;
}

describe('lines that many callers add to one ledger', () => {
  it('LED-12 equal those of one caller: same answers, refusals, warnings, lines and balance', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(post, { minLength: 40, maxLength: 80 }), async (posts) => {
        // The sum is that of a line without an amount; a ledger is totaled with its first change.
        const [one, many] = [await admin.save('ledger', {}), await admin.save('ledger', {})];
        const expected: string[] = [];
        for (const each of posts) expected.push(await send(p.url, one['LedgerID'], each));
        const found: string[] = [];
        let next = 0;
        const caller = async (): Promise<void> => {
          for (let n = next++; n < posts.length; n = next++)
            found[n] = await send(n % 2 === 0 ? p.url : second.url, many['LedgerID'], posts[n] as Post);
        };
        await Promise.all(Array.from({ length: CALLERS }, caller));
        assert.deepEqual(found, expected);
        for (const [n, { kind }] of posts.entries()) if (refusals[kind]) assert.equal(found[n], refusals[kind]);
        assert.deepEqual(await books(many['LedgerID']), await books(one['LedgerID']));
        for (const { LedgerID } of [one, many]) assert.notEqual(await sumOf(LedgerID), false);
      }),
      { numRuns: BOOKS, endOnFailure: true },
    );
  });

  it('LED-12 name who added each, and refuse each with its own warning once the ledger is locked', async () => {
    const { LedgerID } = await admin.save('ledger', {});
    const line = { LedgerID, AmountMoney: '1', IsDebit: true, IsTotaled: true };
    const users = [admin, client(p, clerk.caller)];
    const rows = await Promise.all(
      Array.from({ length: 24 }, (_, n) => (users[n % 2] ?? admin).save('ledgeritem', line)),
    );
    assert.deepEqual(new Set(rows.map(({ CreatedPersonID }) => CreatedPersonID)).size, 2);
    for (const [n, row] of rows.entries()) assert.equal(row['CreatedPersonID'] === clerk.personId, n % 2 === 1);
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 24);
    await admin.expectOk('ledger/post', { ID: LedgerID });
    const refused = await Promise.all(
      Array.from({ length: 8 }, () => client(p, clerk.caller).send('ledgeritem/save', line)),
    );
    for (const { status, text } of refused) {
      assert.equal(status, 409, text);
      assert.equal(text.match(/"Code":"LOCKED","Text"|"Text":"[^"]*is locked/g)?.length, 1, text);
    }
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 24);
  });

  it('KRN-20 each change of a line has the call that made it, which can be undone', async () => {
    const { LedgerID } = await admin.save('ledger', {});
    const lines = Array.from({ length: CALLERS }, (_, n) => ({ LedgerID, SubscriberID: `changed ${n}` }));
    await Promise.all(lines.map((line) => admin.save('ledgeritem', { ...line, AmountMoney: '1' })));
    const changes = await Promise.all(
      lines.map(async (line) => {
        const { headers, text } = await admin.send('ledgeritem/save', { ...line, AmountMoney: '2' });
        return { ID: (JSON.parse(text) as Row)['LedgerItemID'], CallID: headers.get('x-correlation-id') };
      }),
    );
    for (const { ID, CallID } of changes) {
      const [change] = await admin.expectRows('ledgeritem/history', { ID });
      assert.equal(change?.['CallID'], CallID);
    }
    await admin.expectOk('ledgeritem/rollback', { ...changes[5] });
    assert.equal((await admin.select('ledger', LedgerID))['Balance'], 1 - 2 * CALLERS);
  });

  it('LED-04 are totaled by the CalculateMethod of the template', async () => {
    await admin.save('statement', {
      ClassName: 'Ledger',
      Statement: 'CombinedTotals',
      Query: `select sum(AmountMoney) * 2 as "Balance", max(AmountMoney) as "BalanceAdjusted" from LedgerItem
              where LedgerID = {LedgerID}`,
    });
    const { LedgerTemplateID } = await admin.save('ledgertemplate', {
      LedgerTemplate: 'By method',
      Repeatable: 'Many',
      CalculateMethod: 'Ledger/CombinedTotals?LedgerID={LedgerID}',
    });
    const { LedgerID } = await admin.save('ledger', { LedgerTemplateID });
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        admin.save('ledgeritem', { LedgerID, AmountMoney: `${n + 1}`, IsDebit: true, IsTotaled: true }),
      ),
    );
    const { Balance, BalanceAdjusted } = await admin.select('ledger', LedgerID);
    assert.deepEqual([Balance, BalanceAdjusted], [156, 12]);
  });

  it('LED-12 KRN-23 a lost answer to their commit is reported to all as unknown, and repeating them adds nothing', async () => {
    const { LedgerID } = await admin.save('ledger', {});
    const sendAll = (): Promise<(readonly [status: number, text: string])[]> =>
      Promise.all(
        Array.from({ length: CALLERS }, async (_, n) => {
          const answer = await fetch(`${second.url}/api/ledgeritem/save?Output=Json`, {
            method: 'POST',
            headers: { 'X-ApiKey': String(ApiKey), 'Content-Type': 'application/json', 'Idempotency-Key': `lost ${n}` },
            body: JSON.stringify({ LedgerID, LedgerItem: `lost line ${n}`, AmountMoney: '1' }),
          });
          return [answer.status, await answer.text()] as const;
        }),
      );
    lossy.loseCommitOf(`lost line ${CALLERS - 1}`);
    const first = await sendAll();
    const refused = first.filter(([status]) => status !== 200);
    assert.ok(refused.length > 1);
    for (const [status, text] of refused) {
      assert.equal(status, 503, text);
      assert.match(text, /"Code":"UNAVAILABLE".*not known whether it was/s);
    }
    for (const [status, text] of await sendAll()) assert.equal(status, 200, text);
    assert.equal((await admin.expectRows('ledgeritem/search', { LedgerID })).length, CALLERS);
  });

  it('LED-12 are not added for callers who have gone while they waited, except under an Idempotency-Key', async () => {
    const { LedgerID } = await admin.save('ledger', {});
    const held = Promise.withResolvers<undefined>();
    const locked = Promise.withResolvers<undefined>();
    const lock = p.platform.store.transaction({ personId: null, firm: null, callId: 'lock' }, async (own) => {
      await own.query('select 1 from ledger where ledgerid = $1::bigint for update', [LedgerID]);
      locked.resolve(undefined);
      await held.promise;
    });
    await locked.promise;
    const line = (LedgerItem: string, more: { signal?: AbortSignal; key?: string } = {}): Promise<Response> =>
      fetch(`${p.url}/api/ledgeritem/save?Output=Json`, {
        method: 'POST',
        body: JSON.stringify({ LedgerID, LedgerItem, AmountMoney: '1' }),
        ...(more.signal && { signal: more.signal }),
        headers: {
          'X-ApiKey': String(ApiKey),
          'Content-Type': 'application/json',
          ...(more.key !== undefined && { 'Idempotency-Key': more.key }),
        },
      });
    const waits = line('Waits in the database');
    await eventually('the first call waits for the ledger', async () => {
      const rows = await p.platform.store.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    });
    const gone = new AbortController();
    const key = 'gone';
    const stays = line('Stays');
    const left = [line('Gone', { signal: gone.signal }), line('Keyed', { signal: gone.signal, key })];
    // Calls are read in the order in which they arrive, and closed connections before later calls.
    await admin.expectRows('ledger/search', { LedgerID });
    gone.abort();
    await Promise.allSettled(left);
    for (let n = 0; n < 2; n++) await admin.expectRows('ledger/search', { LedgerID });
    held.resolve(undefined);
    await lock;
    for (const answer of await Promise.all([waits, stays, line('Keyed', { key })])) assert.equal(answer.status, 200);
    const lines = await admin.expectRows('ledgeritem/search', { LedgerID, OrderBy: 'LedgerItem' });
    assert.deepEqual(
      lines.map((row) => row['LedgerItem']),
      ['Keyed', 'Stays', 'Waits in the database'],
    );
  });

  it('KRN-23 a file whose commit was not answered stays with its record', async () => {
    const { ContactID } = await admin.save('contact', { LastName: 'Lost' });
    lossy.loseCommitOf('lost-file.txt');
    const send = (operation: string, sent: object): Promise<Response> =>
      fetch(`${second.url}/api/attachment/${operation}`, {
        method: 'POST',
        headers: { 'X-ApiKey': String(ApiKey), 'Content-Type': 'application/json' },
        body: JSON.stringify(sent),
      });
    const file = { Object: 'Contact', ObjectID: ContactID, FileName: 'lost-file.txt', Content: 'aGVsbG8=' };
    assert.equal((await send('save', file)).status, 503);
    const [row] = await admin.expectRows('attachment/search', { FileName: 'lost-file.txt' });
    const content = await send('download', { ID: row?.['AttachmentID'] });
    assert.equal(await content.text(), 'hello');
  });
});
