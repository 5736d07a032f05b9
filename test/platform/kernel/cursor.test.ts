import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { client, expectRefused, type Client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';
import { testSession } from '../../support/pages/session.ts';
import { anyCharacter } from '../../support/characters.ts';

const p = await testPlatform({ after }, { fixture });
const admin = client(p);
const firm = await p.firm('Paging Firm');
const partner = client(p, firm.caller);

type Values = Readonly<Record<string, string | undefined>>;
type Compare = (a: string, b: string) => number;

const byText: Compare = (a, b) => Number(a > b) - Number(a < b);
const byNumber: Compare = (a, b) => Number(a) - Number(b);

/** Columns with few values, so that many rows are equal, and how an order compares them. */
const columns: Readonly<Record<string, { readonly values: readonly string[]; readonly compare: Compare }>> = {
  Note: {
    values: ['abc', 'ÁBC', 'b', 'Straße', 'x"y\\', ' z'],
    compare: new Intl.Collator('und', { sensitivity: 'base' }).compare,
  },
  Code: { values: ['abc', 'ABC', 'b'], compare: byText },
  Count: { values: ['-7', '0', '12', '100'], compare: byNumber },
  Amount: { values: ['-1234.5', '0', '99.99', '123'], compare: byNumber },
  Due: { values: ['1999-12-31', '2024-02-29', '2026-07-04'], compare: byText },
  At: { values: ['2026-03-08T05:00:00.000Z', '2026-03-08T05:00:00.001Z'], compare: byText },
  Flag: { values: ['false', 'true'], compare: byText },
};

interface StoredRow {
  readonly id: number;
  readonly values: Values;
}

async function storedRows(): Promise<readonly StoredRow[]> {
  const value = (of: readonly string[]): fc.Arbitrary<string | undefined> =>
    fc.option(fc.constantFrom(...of), { nil: undefined, freq: 3 });
  const [sample = []] = fc.sample(
    fc.array(fc.record(Object.fromEntries(Object.entries(columns).map(([name, of]) => [name, value(of.values)]))), {
      minLength: 70,
      maxLength: 70,
    }),
    { numRuns: 1, seed: 11 },
  );
  const made = await Promise.all(sample.map((values) => admin.save('chore', values)));
  return made.map((row, at) => ({ id: Number(row['ChoreID']), values: sample[at] as Values }));
}
const rows = await storedRows();

/** One key of an order: a column, and whether it is descending. */
type Key = readonly [column: string, isDescending: boolean];

/** All rows, sorted in memory: empty values last, equal rows by id. */
function sorted(keys: readonly Key[]): number[] {
  const compareRows = (a: StoredRow, b: StoredRow): number => {
    for (const [column, isDescending] of keys) {
      const [x, y] = [a.values[column], b.values[column]];
      if (x === undefined && y === undefined) continue;
      if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
      const compared = columns[column]?.compare(x, y) ?? 0;
      if (compared !== 0) return isDescending ? -compared : compared;
    }
    return a.id - b.id;
  };
  return [...rows].sort(compareRows).map(({ id }) => id);
}

/** Sizes of the pages of a walk, used in turn, and what happens after each page. */
interface Walk {
  readonly sizes: readonly number[];
  readonly between?: () => Promise<unknown>;
}

/** Reads a search page by page. */
async function walk(of: Client, route: string, parameters: object, { sizes, between }: Walk): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: unknown = '*';
  for (let page = 0; cursor !== undefined; page++) {
    assert.ok(page < 500, 'the pages do not end');
    const read = await of.expectRows(route, {
      ...parameters,
      Cursor: cursor,
      DisplaySize: sizes[page % sizes.length],
    });
    for (const row of read.slice(0, -1)) assert.equal(row['NextCursor'], undefined);
    cursor = read.at(-1)?.['NextCursor'];
    found.push(...read);
    await between?.();
  }
  return found;
}

const byId = (a: number, b: number): number => a - b;

/** The ids of contacts, in their order. */
function idsOf(contacts: readonly Row[]): number[] {
  return contacts.map((row) => Number(row['ContactID'])).sort(byId);
}

async function firstCursor(of: Client, parameters: object = {}): Promise<string> {
  const [row] = await of.expectRows('chore/search', { Cursor: '*', DisplaySize: 1, ...parameters });
  return String(row?.['NextCursor']);
}

/** The ids of the records that a page links to. */
function linkedIds(text: string): string[] {
  return [...text.matchAll(/href="\/(?:records\/chore|messages)\/(\d+)"/g)].map(([, id]) => String(id));
}

const key = fc.tuple(fc.constantFrom(...Object.keys(columns)), fc.boolean());

describe('cursors of searches', () => {
  it('KRN-11 consecutive pages of any order and size return the rows in the order of a sort in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 3, selector: ([column]) => column }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
        async (keys, sizes) => {
          const OrderBy = keys.map(([column, isDescending]) => (isDescending ? `-${column}` : column)).join(',');
          const found = await walk(admin, 'chore/search', { OrderBy }, { sizes });
          assert.deepEqual(
            found.map((row) => row['ChoreID']),
            sorted(keys),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('KRN-11 filters hold on every page, and the total is that of the first page', async () => {
    const expected = sorted([['Due', true]]).filter((id) => {
      const { Count } = rows.find((row) => row.id === id)?.values ?? {};
      return Count !== undefined && Number(Count) >= 0;
    });
    const found = await walk(admin, 'chore/search', { OrderBy: '-Due', Count: '>=0' }, { sizes: [7] });
    assert.deepEqual(
      found.map((row) => row['ChoreID']),
      expected,
    );
    assert.deepEqual(new Set(found.map((row) => row['RecordCount'])), new Set([expected.length]));
    const uncounted = await walk(admin, 'chore/search', { Count: '>=0', RecordCount: 'false' }, { sizes: [20] });
    assert.ok(uncounted.every((row) => row['RecordCount'] === undefined));
  });

  it('a page begins anywhere by RecordStart and continues by cursor', async () => {
    const [last] = (await admin.expectRows('chore/search', { Cursor: '*', RecordStart: 10, DisplaySize: 5 })).slice(-1);
    const next = await admin.expectRows('chore/search', { Cursor: last?.['NextCursor'], DisplaySize: 5 });
    assert.deepEqual(
      next.map((row) => row['ChoreID']),
      sorted([]).slice(15, 20),
    );
  });

  it('records of a derived type, whose columns are in two tables, page by the columns of both', async () => {
    for (let n = 0; n < 12; n++)
      await admin.save('foreclosure', { Status: n % 2 ? 'Open' : 'Held', SaleAmount: n % 4 ? n % 3 : undefined });
    for (const OrderBy of ['ID', '-ID', '-ForeclosureID,Status', '-SaleAmount', 'Status,-SaleAmount', '-CreatedDate']) {
      const all = await admin.expectRows('foreclosure/search', { OrderBy, DisplaySize: 1000 });
      const found = await walk(admin, 'foreclosure/search', { OrderBy }, { sizes: [5] });
      assert.deepEqual(
        found.map((row) => row['ForeclosureID']),
        all.map((row) => row['ForeclosureID']),
        OrderBy,
      );
    }
  });

  it('more rows than are counted are read completely, with an estimate of their number', async () => {
    const rowsMade = 10_100;
    await p.platform.store.query(
      `insert into chore (code, count, note) select 'many', n % 50, 'n' || n from generate_series(1, $1::integer) n`,
      [rowsMade],
    );
    const first = await admin.expectRows('chore/search', { Code: 'many', OrderBy: '-Count', RecordStart: 3 });
    assert.equal(first[0]?.['RecordCountIsEstimate'], true);
    assert.ok(Number(first[0]['RecordCount']) > 10_000);
    const found = await walk(admin, 'chore/search', { Code: 'many', OrderBy: '-Count' }, { sizes: [1000] });
    assert.equal(new Set(found.map((row) => row['ChoreID'])).size, rowsMade);
    assert.deepEqual(
      first.map((row) => row['ChoreID']),
      found.slice(3, 28).map((row) => row['ChoreID']),
    );
    const [beyond] = await admin.expectRows('chore/search', { Code: 'many', Count: '7', RecordStart: 1_000_000 });
    assert.equal(beyond, undefined);
    await p.platform.store.query("delete from chore where code = 'many'");
  });

  it('pages after a counted first page are complete when more rows than are counted have been added', async () => {
    const insert = (from: number, to: number): Promise<unknown> =>
      p.platform.store.query(
        `insert into chore (code, count)
         select 'grown', $2::integer - n from generate_series($1::integer, $2::integer) n`,
        [from, to],
      );
    await insert(1, 3);
    const search = { Code: 'grown', OrderBy: 'Count' };
    const [first] = await admin.expectRows('chore/search', { ...search, Cursor: '*', DisplaySize: 1 });
    assert.equal(first?.['RecordCount'], 3);
    await insert(1, 10_500);
    const next = await admin.expectRows('chore/search', { ...search, Cursor: first['NextCursor'], DisplaySize: 6 });
    // The first row had the count 0; another with it follows, and so do two each with 1 and 2.
    assert.deepEqual(
      next.map((row) => row['Count']),
      [0, 1, 1, 2, 2, 3],
    );
    await p.platform.store.query("delete from chore where code = 'grown'");
  });

  it('instants that differ by microseconds are neither missed nor repeated', async () => {
    const ids = rows.slice(0, 20).map(({ id }) => id);
    const Note = 'microseconds';
    for (const ChoreID of ids) await admin.expectOk('chore/update', { ID: ChoreID, Code: Note });
    await p.platform.store.query(
      `update chore set at = timestamptz '2026-01-01T00:00:00.000001Z' + (choreid % 5) * interval '1 microsecond'
       where code = $1::text`,
      [Note],
    );
    for (const OrderBy of ['At', '-At']) {
      const found = await walk(admin, 'chore/search', { Code: Note, OrderBy }, { sizes: [3] });
      assert.equal(new Set(found.map((row) => row['ChoreID'])).size, ids.length);
      assert.equal(found.length, ids.length);
    }
    for (const { id, values } of rows.slice(0, 20))
      await admin.expectOk('chore/update', { ID: id, Code: values['Code'] ?? '', At: values['At'] ?? '' });
  });

  it('custom fields sort pages like other columns', async () => {
    for (const [CustomField, Kind] of Object.entries({ Rank: 'Integer', Seen: 'Date', Pet: 'Text', Worth: 'Money' }))
      await admin.save('customfield', { AppliesTo: 'Property', CustomField, Kind });
    const pets = ['Öhi', 'ohi', 'Zoe', undefined];
    for (let n = 0; n < 24; n++)
      await admin.save('property', {
        Property: `P${n}`,
        Rank: n % 5 === 0 ? undefined : (n * 7) % 11,
        Seen: n % 4 === 0 ? undefined : `2024-02-${10 + (n % 9)}`,
        Pet: pets[n % 4],
        Worth: n % 3 === 0 ? undefined : `${(n * 13) % 17}.5`,
      });
    for (const OrderBy of ['Rank', '-Rank', 'Seen,-Rank', '-Pet', 'Pet,Worth', '-Worth']) {
      const all = await admin.expectRows('property/search', { OrderBy, DisplaySize: 1000 });
      const found = await walk(admin, 'property/search', { OrderBy }, { sizes: [5] });
      assert.deepEqual(
        found.map((row) => row['PropertyID']),
        all.map((row) => row['PropertyID']),
        OrderBy,
      );
    }
  });

  it('rows that exist throughout are read once while others are inserted and deleted', async () => {
    const saveAll = (count: number): Promise<Row[]> =>
      Promise.all(
        Array.from({ length: count }, (_, n) => admin.save('chore', { Code: 'churn', Count: n % 7, Note: `${n}` })),
      );
    const lasting = (await saveAll(40)).map((row) => row['ChoreID']);
    const passing = (await saveAll(40)).map((row) => row['ChoreID']);
    for (const OrderBy of ['Count', '-Count', '-ID']) {
      const between = async (): Promise<void> => {
        const id = passing.pop();
        if (id !== undefined) await admin.expectOk('chore/delete', { ID: id });
        await saveAll(2);
      };
      const found = await walk(admin, 'chore/search', { Code: 'churn', OrderBy }, { sizes: [9], between });
      const ids = found.map((row) => row['ChoreID']);
      assert.equal(new Set(ids).size, ids.length, 'a row was repeated');
      assert.deepEqual(
        lasting.filter((id) => !ids.includes(id)),
        [],
        'a row was missed',
      );
    }
    for (const row of await admin.expectRows('chore/search', { Code: 'churn', DisplaySize: 1000 }))
      await admin.expectOk('chore/delete', { ID: row['ChoreID'] });
  });
});

describe('lists in pages', () => {
  it('the next page of a list begins at a cursor; an address with the cursor of somebody else shows the same page', async () => {
    await p.user('reader', 'Administrator');
    const session = await testSession(p, 'reader');
    const ids: string[] = [];
    let path = '/records/chore?OrderBy=-Count';
    let deepest = path;
    for (;;) {
      const { text } = await session.get(path);
      ids.push(...linkedIds(text));
      const next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      if (next === undefined) break;
      assert.match(next, /[?&]Cursor=[\w-]+/);
      deepest = path = next;
    }
    assert.deepEqual(ids.map(Number), sorted([['Count', true]]));
    const other = deepest.replace(/Cursor=[\w-]+/, 'Cursor=somebody-elses');
    assert.deepEqual(linkedIds((await session.get(other)).text), linkedIds((await session.get(deepest)).text));
  });

  it('a list sorted by a text that is too long for a cursor continues by the number of rows', async () => {
    await p.user('long reader', 'Administrator');
    const session = await testSession(p, 'long reader');
    for (let n = 100; n < 202; n++)
      await admin.save('message', { Message: 'Sort', BodyText: `${n}${'long '.repeat(2_000)}` });
    const first = await session.get('/records/message?Message=Sort&OrderBy=BodyText');
    assert.equal(first.status, 200);
    assert.equal(linkedIds(first.text).length, 100);
    const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /[?&]RecordStart=100/);
    const second = await session.get(next);
    assert.equal(linkedIds(second.text).length, 2);
    assert.doesNotMatch(second.text, /rel="next"/);
  });
});

describe('cursors reveal nothing and open nothing', () => {
  it('a firm pages through its own records only, also below a parent', async () => {
    const mine: number[] = [];
    const before = idsOf(await partner.expectRows('contact/search'));
    for (let n = 0; n < 8; n++) {
      const parent = { Object: 'Organization', ObjectID: firm.organizationId };
      mine.push(Number((await admin.save('contact', { LastName: `Mine ${n % 3}`, ...parent }))['ContactID']));
      await admin.save('contact', { LastName: `Hidden ${n}` });
    }
    const own = await walk(partner, 'contact/search', { OrderBy: '-LastName' }, { sizes: [3] });
    assert.deepEqual(idsOf(own), [...before, ...mine].sort(byId));
    const below = await walk(partner, `organization/${firm.organizationId}/contact/search`, {}, { sizes: [3] });
    assert.deepEqual(idsOf(below), mine);
    const parent = { Object: 'Organization', ObjectID: firm.organizationId };
    const listed = await walk(partner, 'contact/listbyobject', parent, { sizes: [3] });
    assert.deepEqual(idsOf(listed), mine);
  });

  it("another user's cursor is refused", async () => {
    const [row] = await admin.expectRows('contact/search', { Cursor: '*', DisplaySize: 1 });
    await partner.expectRefused('contact/search', { Cursor: row?.['NextCursor'] }, 'BAD_PARAMETER', 'Cursor');
  });

  it('a cursor shows no value in any encoding', async () => {
    await admin.save('chore', { Note: 'confidential-value', Code: 'sealed' });
    await admin.save('chore', { Note: 'other', Code: 'sealed' });
    const cursor = await firstCursor(admin, { OrderBy: 'Note', Code: 'sealed' });
    for (const encoding of ['base64url', 'hex', 'latin1'] as const)
      assert.ok(!Buffer.from(cursor, encoding).toString('latin1').includes('confidential'));
    assert.match(cursor, /^[\w-]+$/);
  });

  it('a cursor of other filters, another order, type or parent is refused with a message that says so', async () => {
    const Cursor = await firstCursor(admin, { OrderBy: 'Note', Count: '>=0' });
    const others = [
      ['chore/search', { OrderBy: 'Note' }],
      ['chore/search', { OrderBy: 'Note', Count: '>=1' }],
      ['chore/search', { OrderBy: '-Note', Count: '>=0' }],
      ['chore/search', { OrderBy: 'Note,Count', Count: '>=0' }],
      ['chore/search', { OrderBy: 'Note', Count: '>=0', Code: 'b' }],
      ['contact/search', {}],
    ] as const;
    for (const [route, parameters] of others)
      await expectRefused(
        admin.send(route, { ...parameters, Cursor }),
        'BAD_PARAMETER',
        'Cursor',
        /other filters or another OrderBy/,
      );
    // The columns, the size and the spelling of names may change from page to page.
    await admin.expectOk('chore/search', { count: '>=0', orderby: 'note', SqlColumns: 'Due', DisplaySize: 3, Cursor });
  });

  it('a cursor with RecordStart is refused', async () => {
    const Cursor = await firstCursor(admin);
    await admin.expectRefused('chore/search', { Cursor, RecordStart: 5 }, 'BAD_PARAMETER', 'RecordStart');
  });

  it('refuses any text that is not a cursor', async () => {
    const cursor = await firstCursor(admin);
    const changed = fc
      .tuple(fc.nat(cursor.length - 1), fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '-', '_'))
      .map(([at, letter]) => {
        return cursor.slice(0, at) + letter + cursor.slice(at + 1);
      });
    const cut = fc.nat(cursor.length - 1).map((at) => cursor.slice(0, at));
    const text = fc.oneof(
      changed,
      cut,
      fc.string({ unit: anyCharacter }),
      fc.base64String(),
      fc.constant(`${cursor}=`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (Cursor) => {
        fc.pre(Cursor !== cursor && Cursor !== '' && Cursor !== '*');
        await admin.expectRefused('chore/search', { Cursor }, 'BAD_PARAMETER', 'Cursor');
      }),
      { numRuns: 150 },
    );
    await admin.expectRefused('chore/search', { Cursor: 'x'.repeat(8_001) }, 'BAD_PARAMETER', 'Cursor');
    await admin.expectRefused('chore/search', { Cursor: [cursor, cursor] }, 'BAD_PARAMETER', 'Cursor');
  });

  it('values too long for a cursor are refused by naming OrderBy', async () => {
    for (const n of [1, 2]) await admin.save('message', { Message: 'Long', BodyText: `${n}${'long '.repeat(2_000)}` });
    const parameters = { Message: 'Long', OrderBy: 'BodyText', DisplaySize: 1 };
    await admin.expectRefused('message/search', { ...parameters, Cursor: '*' }, 'BAD_PARAMETER', 'OrderBy');
    await admin.expectOk('message/search', parameters);
  });
});
