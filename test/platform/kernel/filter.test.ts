import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { expectOk, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';
import { anyCharacter } from '../../support/characters.ts';

const ZONE = 'America/New_York';
const p = await testPlatform({ after }, { fixture });

/** How a column type writes its values in a filter and compares two of them: the plain rules, without SQL. */
interface Kind {
  readonly column: string;
  readonly values: readonly string[];
  readonly lists: 'comma' | 'comma and space' | 'repeat';
  readonly comparable: boolean;
  readonly ranges: boolean;
  /** Other spellings of a value; the first is the value itself. */
  readonly forms?: (value: string) => readonly string[];
  readonly compare: (a: string, b: string) => number;
}

const scaled = (text: string): bigint => {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  return BigInt(whole + rest.padEnd(20, '0')) * (sign === '-' ? -1n : 1n);
};
const order = <T extends string | bigint>(a: T, b: T): number => Number(a > b) - Number(a < b);
const byNumber = (a: string, b: string): number => order(scaled(a), scaled(b));
const byText = (a: string, b: string): number => order(a, b);
const collator = new Intl.Collator('und', { sensitivity: 'base' });
const grouped = (value: string): string =>
  value.replace(/^(-?)(\d+)/, (_m, sign: string, digits: string) => sign + digits.replace(/\B(?=(?:\d{3})+$)/g, ','));

const kinds: readonly Kind[] = [
  {
    column: 'Count',
    values: ['-7', '0', '1', '5', '12', '1234', '1234567', '2000000000'],
    lists: 'comma and space',
    comparable: true,
    ranges: true,
    forms: (v) => [v, grouped(v)],
    compare: byNumber,
  },
  {
    column: 'Amount',
    values: ['-1234.5', '-0.01', '0', '0.1', '99.99', '1234', '500000', '123456789012345.6789'],
    lists: 'comma and space',
    comparable: true,
    ranges: true,
    forms: (v) => [v, grouped(v), grouped(v).replace(/^(-?)/, '$1$')],
    compare: byNumber,
  },
  {
    column: 'Ratio',
    values: ['0.000000000000000001', '0.3', '0.30000000000000004', '1', '-2.5'],
    lists: 'comma and space',
    comparable: true,
    ranges: true,
    forms: (v) => [v],
    compare: byNumber,
  },
  {
    column: 'Due',
    values: ['1999-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '2026-07-04'],
    lists: 'comma',
    comparable: true,
    ranges: true,
    forms: (v) => [v, `${v}T10:00`],
    compare: byText,
  },
  {
    column: 'HelperContactID',
    values: ['1', '2', '3', '4'],
    lists: 'comma',
    comparable: true,
    ranges: false,
    compare: byNumber,
  },
  {
    column: 'Flag',
    values: ['true', 'false'],
    lists: 'repeat',
    comparable: false,
    ranges: false,
    forms: (v) => (v === 'true' ? ['true', 'YES', '1'] : ['false', 'no', '0']),
    compare: byText,
  },
  {
    column: 'Note',
    values: [
      'abc',
      'ÁBC',
      'abcd',
      'a%c',
      'a_c',
      'a\\c',
      'a*c',
      'x "y" z',
      'null',
      'not null',
      'not abc',
      '>5',
      'a, b',
      ' abc',
      '100 - 200',
      'Straße',
      'zebra',
      '"q"',
      '<>a',
    ],
    lists: 'repeat',
    comparable: true,
    ranges: false,
    compare: collator.compare,
  },
  {
    column: 'Code',
    values: ['abc', 'ABC', 'ábc', 'b*'],
    lists: 'repeat',
    comparable: true,
    ranges: false,
    compare: byText,
  },
];

/** Instants around both clock changes, and the date of each in the installation's zone. */
const instants = [
  '2026-03-08T04:59:59.999Z',
  '2026-03-08T05:00:00.000Z',
  '2026-03-08T07:30:00.000Z',
  '2026-03-09T03:59:59.999Z',
  '2026-03-09T04:00:00.000Z',
  '2026-11-01T05:30:00.000Z',
  '2026-11-01T06:30:00.000Z',
  '2026-11-02T04:59:59.999Z',
  '2026-11-02T05:00:00.000Z',
];
const dayOf = (instant: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    Date.parse(instant),
  );

interface StoredText {
  readonly id: number;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Eighty chores with any mixture of values and empty ones. */
async function stored(): Promise<StoredText[]> {
  for (const n of [1, 2, 3, 4])
    await expectOk(p.admin.post('/api/contact/save?Output=Json', { LastName: `helper ${n}` }));
  const [rows = []] = fc.sample(
    fc.array(
      fc.record(
        Object.fromEntries([
          ...kinds.map((k) => [k.column, fc.option(fc.constantFrom(...k.values), { nil: undefined })] as const),
          ['At', fc.option(fc.constantFrom(...instants), { nil: undefined })],
        ]),
      ),
      { minLength: 80, maxLength: 80 },
    ),
    { numRuns: 1, seed: 7 },
  );
  const made = await Promise.all(rows.map((values) => expectOk(p.admin.post('/api/chore/save?Output=Json', values))));
  return made
    .map((row, i) => ({ id: Number(row['ChoreID']), values: rows[i] as StoredText['values'] }))
    .sort((a, b) => a.id - b.id);
}
const rows = await stored();

async function found(body: string): Promise<number[]> {
  const answer = await expectOk(p.admin.post('/api/chore/search?Output=Json&DisplaySize=1000', body));
  const items = (answer as never as { ChoreCollection: { ChoreItem: { ChoreID: number; RecordCount: number }[] } })
    .ChoreCollection.ChoreItem;
  for (const item of items) assert.equal(item.RecordCount, items.length);
  return items.map((i) => i.ChoreID).sort((a, b) => a - b);
}

type Test = (value: string | undefined) => boolean;

/** One term of a filter: its text and its meaning. */
interface Term {
  readonly text: string;
  readonly kind: 'alternative' | 'bound' | 'negated';
  readonly test: Test;
}

const signs = ['>=', '<=', '>', '<'] as const;
function holds(sign: string, compared: number): boolean {
  switch (sign) {
    case '>=':
      return compared >= 0;
    case '<=':
      return compared <= 0;
    case '>':
      return compared > 0;
    case '<':
      return compared < 0;
    default:
      return compared === 0;
  }
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

function likeTest(pattern: string): Test {
  const regex = new RegExp(
    `^${fold(pattern)
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
  return (value) => value !== undefined && regex.test(fold(value));
}

function positive(kind: Kind): fc.Arbitrary<Term> {
  const value = fc.constantFrom(...kind.values);
  const isText = kind.lists === 'repeat' && kind.comparable;
  const write = (v: string): fc.Arbitrary<string> =>
    isText ? fc.constant(`"${v}"`) : fc.constantFrom(...(kind.forms?.(v) ?? [v]));
  const equal = value.chain((v) =>
    write(v).map((text): Term => ({
      text,
      kind: 'alternative',
      test: (x) => x !== undefined && kind.compare(x, v) === 0,
    })),
  );
  const written = [equal];
  if (isText) {
    // Plain words need no quotes; an asterisk stands for any characters.
    written.push(
      fc.constantFrom('abc', 'ABC', 'zebra', 'strasse', 'abcd').map((text): Term => ({
        text,
        kind: 'alternative',
        test: (x) => x !== undefined && kind.compare(x, text) === 0,
      })),
    );
    if (kind.column === 'Note')
      written.push(
        fc
          .constantFrom('a*', '*c', 'a*c', '*', 'A%*', '*_c', '*\\c', 'ab*', '*"*', '* - *', 'á*')
          .map((text): Term => ({ text, kind: 'alternative', test: likeTest(text) })),
      );
  }
  if (kind.ranges) {
    written.push(
      fc.tuple(value, value).chain(([a, b]) =>
        fc.tuple(write(a), write(b)).map(([from, to]): Term => ({
          text: kind.column === 'Due' ? `${from} - ${to}` : `${from}-${to}`,
          kind: 'alternative',
          test: (x) => x !== undefined && kind.compare(x, a) >= 0 && kind.compare(x, b) <= 0,
        })),
      ),
    );
  }
  return fc.oneof(...written);
}

function term(kind: Kind): fc.Arbitrary<Term> {
  const value = fc.constantFrom(...kind.values.filter((v) => kind.column !== 'Note' || /^\w+$/.test(v)));
  const bound = fc.tuple(fc.constantFrom(...signs), value, fc.constantFrom('', ' ')).map(([sign, v, gap]): Term => ({
    text: `${sign}${gap}${v}`,
    kind: 'bound',
    test: (x) => x !== undefined && holds(sign, kind.compare(x, v)),
  }));
  const negated = fc
    .tuple(fc.constantFrom('not ', 'NOT  ', '<>', '!='), positive(kind))
    .map(([word, of]): Term => ({ text: word + of.text, kind: 'negated', test: (x) => !of.test(x) }));
  const words = fc.constantFrom<Term>(
    { text: 'null', kind: 'alternative', test: (x) => x === undefined },
    { text: 'Not Null', kind: 'negated', test: (x) => x !== undefined },
  );
  return fc.oneof(
    { weight: 4, arbitrary: positive(kind) },
    ...(kind.comparable ? [{ weight: 2, arbitrary: bound }] : []),
    { weight: 2, arbitrary: negated },
    { weight: 1, arbitrary: words },
  );
}

function meaning(terms: readonly Term[]): Test {
  const of = (kind: Term['kind']): Term[] => terms.filter((t) => t.kind === kind);
  const [alternatives, bounds, negated] = [of('alternative'), of('bound'), of('negated')];
  return (value) => {
    const isExpected =
      alternatives.length + bounds.length === 0 ||
      alternatives.some((t) => t.test(value)) ||
      (bounds.length > 0 && bounds.every((t) => t.test(value)));
    return isExpected && negated.every((t) => t.test(value));
  };
}

/** Several terms on one column, sent as one list if its type has lists, else by repeating the name. */
const filter = fc.constantFrom(...kinds).chain((kind) =>
  fc.tuple(fc.array(term(kind), { minLength: 1, maxLength: 4 }), fc.boolean()).map(([terms, joined]) => {
    const texts =
      joined && kind.lists !== 'repeat'
        ? [terms.map((t) => t.text).join(kind.lists === 'comma' ? ',' : ', ')]
        : terms.map((t) => t.text);
    return {
      column: kind.column,
      body: texts.map((text) => `${kind.column}=${encodeURIComponent(text)}`).join('&'),
      test: meaning(terms),
    };
  }),
);

describe('search filters', () => {
  it('texts of ASCII are folded as all others are', async () => {
    const texts = fc.sample(fc.oneof(fc.string(), fc.string({ unit: anyCharacter })), { numRuns: 300, seed: 3 });
    const sent = texts.filter((text) => !text.includes('\0') && text.isWellFormed());
    const differing = await p.platform.store.query(
      `select text from json_array_elements_text($1::text::json) as given(text)
       where casewright_fold(text) collate "C" <> lower(
         regexp_replace(normalize(text collate "C", nfkd), '[\u0300-\u036f]', '', 'g') collate "C")`,
      [JSON.stringify(sent)],
    );
    assert.equal(differing.length, 0, JSON.stringify(differing));
    const [ofNull] = await p.platform.store.query('select casewright_fold(null) as folded');
    assert.deepEqual(ofNull, { folded: null });
  });

  it('KRN-11 any filter on any type of column finds what a plain implementation of the rules finds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 2 }), async (filters) => {
        fc.pre(new Set(filters.map((one) => one.column)).size === filters.length);
        const expected = rows
          .filter((row) => filters.every((one) => one.test(row.values[one.column])))
          .map((row) => row.id);
        assert.deepEqual(await found(filters.map((one) => one.body).join('&')), expected);
      }),
      { numRuns: 400 },
    );
  });

  it("KRN-11 on an instant a bare date means the whole day in the installation's zone, across daylight saving changes", async () => {
    const days = ['2026-03-07', '2026-03-08', '2026-03-09', '2026-11-01', '2026-11-02', '2026-06-01'];
    const check = async (text: string, test: (at: string) => boolean): Promise<void> => {
      assert.deepEqual(
        await found(`At=${encodeURIComponent(text)}`),
        rows.filter((row) => row.values['At'] !== undefined && test(row.values['At'])).map((row) => row.id),
        text,
      );
    };
    for (const day of days) {
      for (const sign of [...signs, '=', ''] as const)
        await check(`${sign}${day}`, (at) => holds(sign, byText(dayOf(at), day)));
      await check(`2026-03-08 - ${day}`, (at) => dayOf(at) >= '2026-03-08' && dayOf(at) <= day);
    }
    for (const instant of instants) {
      for (const sign of [...signs, '='] as const)
        await check(`${sign}${instant}`, (at) => holds(sign, byText(at, instant)));
      await check(instant.replace('Z', '+00:00'), (at) => at === instant);
    }
    await check('2026-11-01T01:30', (at) => at === '2026-11-01T05:30:00.000Z');
    await check('2026-03-08, 2026-11-01', (at) => ['2026-03-08', '2026-11-01'].includes(dayOf(at)));
  });

  it('KRN-11 the operator may stand between name and value, as people write it', async () => {
    const expected = rows
      .filter((row) => row.values['Amount'] !== undefined && byNumber(row.values['Amount'], '1000') >= 0)
      .map((row) => row.id);
    assert.deepEqual(await found('Amount>=1000'), expected);
    assert.deepEqual(await found('Amount>=1,000'), expected);
    assert.deepEqual(
      await found('Count!=5'),
      rows.filter((row) => row.values['Count'] !== '5').map((row) => row.id),
    );
    assert.deepEqual(
      await found('Due>=2024-02-29&Due<2026-07-04'),
      rows.filter((row) => ['2024-02-29', '2024-03-01'].includes(row.values['Due'] ?? '')).map((row) => row.id),
    );
  });

  it("a value that does not fit the column's type is refused naming the column, not searched for", async () => {
    const wrong = [
      'Count=five',
      'Count=1,23',
      'Count=1.5',
      'Count=1,2345',
      'Amount=12,34',
      'Amount=1e5',
      'Amount=>',
      'Due=yesterday',
      'Due=2024-02-30',
      'At=2024',
      'Flag=maybe',
      'HelperContactID=x',
      'HelperContactID=1 2',
      'Count=1--',
      'Due=2024-01-01 - ',
    ];
    for (const body of wrong) {
      const answer = await p.admin.post('/api/chore/search?Output=Json', body);
      const error = (answer.json() as never as { Error: { Code: string; Field: string } }).Error;
      assert.equal(error.Code, 'BAD_PARAMETER', `${body}: ${answer.text}`);
      assert.equal(error.Field, body.slice(0, body.indexOf('=')));
    }
    const many = Array.from({ length: 1_001 }, (_, i) => `Note=${i}`).join('&');
    assert.equal((await p.admin.post('/api/chore/search', many)).status, 400);
    const most = Array.from({ length: 1_000 }, (_, i) => `Note=${i}`).join('&');
    assert.equal((await p.admin.post('/api/chore/search', most)).status, 200);
  });

  it('KRN-11 sorting ignores case and accents, empty values come last, ties are broken by ID', async () => {
    const order = async (by: string): Promise<(string | undefined)[]> => {
      const answer = await expectOk(p.admin.get(`/api/chore/search?Output=Json&DisplaySize=1000&OrderBy=${by}`));
      return (
        answer as never as { ChoreCollection: { ChoreItem: { Note?: string; Count?: number; ChoreID: number }[] } }
      ).ChoreCollection.ChoreItem.map((i) => (by.includes('Count') ? i.Count?.toString() : i.Note));
    };
    const sorted = await order('Note');
    const texts = sorted.filter((t) => t !== undefined);
    assert.ok(sorted.slice(texts.length).every((t) => t === undefined));
    for (const [i, text] of texts.entries())
      if (i > 0) assert.ok(collator.compare(texts[i - 1]!, text) <= 0, `${texts[i - 1]} before ${text}`);
    const counts = (await order('-Count,Note')).filter((c) => c !== undefined).map(Number);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
    );
  });

  it('KRN-11 RecordCount is exact up to 10,000 and an estimate, marked as such, beyond', async () => {
    await p.platform.store.query(
      `insert into choretemplate (choretemplate, version, createddate, updateddate)
       select 't' || n, 1, now(), now()
       from generate_series(1, 10000) n`,
    );
    const first = async (query: string): Promise<Row> =>
      (
        (await expectOk(p.admin.get(`/api/choretemplate/search?Output=Json&DisplaySize=1${query}`))) as never as {
          ChoreTemplateCollection: { ChoreTemplateItem: Row[] };
        }
      ).ChoreTemplateCollection.ChoreTemplateItem[0]!;
    assert.deepEqual(
      [(await first(''))['RecordCount'], (await first(''))['RecordCountIsEstimate']],
      [10_000, undefined],
    );
    await p.platform.store.query(
      `insert into choretemplate (choretemplate, version, createddate, updateddate)
       select 'u' || n, 1, now(), now()
       from generate_series(1, 5000) n`,
    );
    await p.platform.store.query('analyze choretemplate');
    const row = await first('');
    assert.equal(row['RecordCountIsEstimate'], true);
    assert.ok(Number(row['RecordCount']) > 12_000 && Number(row['RecordCount']) < 18_000, String(row['RecordCount']));
    assert.equal((await first('&RecordCount=false'))['RecordCount'], undefined);
  });
});
