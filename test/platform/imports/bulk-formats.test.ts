import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { sourceOf } from '../../../src/contracts/conformance/import-engine.ts';
import {
  IMPORT_ENGINE,
  type ImportMap,
  type ImportPiece,
  type ImportTemplate,
} from '../../../src/contracts/import-engine.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { mapRow } from '../../../src/modules/imports/importfile/lib/map-row.ts';
import { delimitedEngine } from '../../../src/providers/import-engine/delimited/delimited-engine.ts';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';
import { rowsOf, templateOf } from '../../support/imports/reading.ts';
import { runContext } from '../../support/imports/run-context.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const test = await testPlatform({ after });
const { load, rows, columns } = bulkOn(test);
const { store, providers } = test.platform;
const loaded = async (
  body: string | Uint8Array,
  options: Record<string, string> = {},
  fileName?: string,
): Promise<{
  rows: unknown[][];
  errors: [number | undefined, string | undefined][];
  status: string;
  message: string | undefined;
}> => {
  const done = await load({ options }, body, fileName);
  const there = (await columns(`import${done.id}`)).length > 0;
  return {
    rows: there ? await rows(`import${done.id}`) : [],
    errors: done.log.map((row) => [row.SourceLine, row.Message]),
    status: done.status,
    message: done.message,
  };
};

describe('formats of a bulk load', () => {
  it('IMP-11 IMP-13 workbooks, XML, JSON and fixed width are loaded as their engines read them', async () => {
    const book = await workbookOf({
      sheets: {
        Loans: [
          ['Loan', 'Name'],
          ['1', 'a,b'],
          ['2', 'c"d'],
        ],
      },
    });
    assert.deepEqual((await loaded(book, {}, 'loans.xlsx')).rows, [
      ['1', 'a,b'],
      ['2', 'c"d'],
    ]);
    const xml =
      '<LoanCollection><LoanItem><Loan>1</Loan><Property><City>Elm</City></Property></LoanItem><LoanItem>' +
      '<Loan>2</Loan><Note>x</Note></LoanItem></LoanCollection>';
    const fromXml = await load({ fields: { AppliesTo: 'Loan' } }, xml, 'loans.xml');
    assert.deepEqual(
      [fromXml.status, await columns(`import${fromXml.id}`)],
      ['Complete', ['loan text', 'property_city text', 'note text']],
    );
    assert.deepEqual(await rows(`import${fromXml.id}`), [
      ['1', 'Elm', null],
      ['2', null, 'x'],
    ]);
    assert.deepEqual((await loaded('[{"Loan":"1","Rate":4.50},{"Loan":null,"rate":"x\\ny"}]', {}, 'loans.json')).rows, [
      ['1', '4.50'],
      [null, 'x\ny'],
    ]);
    assert.deepEqual(
      (await loaded('  7Anna \n 12Bo   \nx\n', { Format: 'FixedWidth', Columns: 'Number:3, Name:5' }, 'loans.txt'))
        .rows,
      [
        ['12', 'Bo'],
        ['7', 'Anna'],
      ],
    );
  });

  it('IMP-11 an element missing from a row does not clear its field when rows are saved as records', async () => {
    const maps = [
      { ImportFileMap: 'Address', Destination: 'Address', ImportFileMapType: 'Key' },
      { ImportFileMap: 'City', Destination: 'City' },
      { ImportFileMap: 'County', Destination: 'County' },
    ];
    const item = (inner: string): string =>
      `<PropertyCollection><PropertyItem><Address>1 Sparse Way</Address>${inner}</PropertyItem></PropertyCollection>`;
    for (const inner of ['<City>Elm</City>', '<County>Ash</County>']) {
      const done = await load({ engine: 'BulkMerge', maps, fields: { AppliesTo: 'Property' } }, item(inner), 'p.xml');
      assert.deepEqual([done.success, done.message], [1, undefined]);
    }
    assert.deepEqual(
      [...(await store.query("select city, county from property where address = '1 Sparse Way'"))],
      [{ city: 'Elm', county: 'Ash' }],
    );
  });

  const texts: readonly (readonly [string, string | Uint8Array, unknown[][], Record<string, string>?])[] = [
    [
      'line ends of every kind in one file',
      'A,B\r\n1,2\n3,4\r5,6\r\n"7\r\n8",9',
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
        ['7\r\n8', '9'],
      ],
    ],
    [
      'text that would end a COPY',
      'A,B\n\\.,x\n\\N,\\t\n',
      [
        ['\\.', 'x'],
        ['\\N', '\\t'],
      ],
    ],
    ['one column, with text that would end a COPY', 'A\n\\.\n"\\."\nx\n', [['\\.'], ['\\.'], ['x']]],
    [
      'blank lines',
      'A,B\n\n1,2\n\n\n3,4\n\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['a byte order mark, and quotes in quotes', '\ufeffA|B\n"1 ""x"""|"a|b"\n', [['1 "x"', 'a|b']]],
    ['UTF-16', Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('A,B\nä,€\n', 'utf16le')]), [['ä', '€']]],
    [
      'windows-1252 with some rows that are also valid UTF-8',
      Buffer.from('A,B\nM\xfcller,1\n\xc3\xa9,2\n', 'latin1'),
      [
        ['Müller', '1'],
        ['Ã©', '2'],
      ],
    ],
    ['single quotes', "A,B\n'1,5',it\"s\n", [['1,5', 'it"s']], { Quote: "'" }],
    ['quotes as plain characters', 'A,B\n"x,y"z\n', [['"x', 'y"z']], { Quote: 'None' }],
    [
      'no header',
      '1,2\n3,4\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
      { Header: 'false', Columns: 'A,B' },
    ],
    ['a column of reasons, without loading it', 'A,ImportReason,B\n1,why,2\n', [['1', '2']]],
  ];
  for (const [what, body, expected, options] of texts) {
    it(`IMP-11 reads ${what}`, async () => {
      const done = await loaded(body, options);
      assert.deepEqual(done.rows, expected, JSON.stringify(done));
      assert.deepEqual([done.status, done.errors], ['Complete', []]);
    });
  }

  it('IMP-11 rows that cannot be read fail with their line number, and the other rows are loaded', async () => {
    const body = Buffer.concat([
      Buffer.from('A,B\n1,ä\n2\n3,4,5\n'),
      Buffer.from([0x36, 0x2c, 0xff, 0x0a]),
      Buffer.from('7,a\0b\n8,"x"y\n9,"open\n10,z\n'),
    ]);
    const done = await loaded(body);
    assert.deepEqual(done.rows, [
      ['1', 'ä'],
      ['10', 'z'],
    ]);
    assert.deepEqual(
      done.errors.map(([line]) => line),
      [3, 4, 5, 6, 7, 8],
    );
    for (const [line, message] of done.errors) assert.match(message ?? '', new RegExp(`^Line ${line}: `));
  });

  it('IMP-11 empty files, files with only headers, and files in another format are reported', async () => {
    assert.match((await loaded('')).message ?? '', /empty/);
    const header = await loaded('A,B\n');
    assert.deepEqual([header.status, header.rows], ['Complete', []]);
    assert.match((await loaded('{"a":')).message ?? '', /./);
  });

  it('IMP-11 a table has at most 1,600 columns, and names of at most 63 bytes', async () => {
    const wide = Array.from({ length: 1_601 }, (_, n) => `c${n}`);
    assert.match(
      (await loaded(`${wide.join(',')}\n${wide.join(',')}\n`)).message ?? '',
      /1,601 columns; a table has at most 1,600\. Map the columns that are needed/,
    );
    const fits = await loaded(`${wide.slice(1).join(',')}\n${'x'.padEnd(1_600, ',')}\n${wide.slice(1).join(',')}\n`);
    assert.deepEqual([fits.status, fits.rows.length, fits.rows[0]?.length], ['Complete', 1, 1_600]);
    assert.match(fits.errors[0]?.[1] ?? '', /Line 3: the table rejects the row: it is too large for a table row/);
    const long = ['ä'.repeat(100), `${'ä'.repeat(99)}b`];
    const done = await load({}, `${long.join(',')}\n1,2\n`);
    const names = (await columns(`import${done.id}`)).map((column) => column.replace(/ text$/, ''));
    assert.equal(new Set(names).size, 2);
    for (const name of names) assert.ok(Buffer.byteLength(name) <= 63 && Buffer.byteLength(name) > 50, name);
  });
});

const ctx = await runContext(test, 'importfile/import');
const reader = providers.get(IMPORT_ENGINE, 'BulkReader');

/** Returns the rows that a load leaves in its table, and the line numbers that failed. */
async function inStaging(
  template: ImportTemplate,
  bytes: Uint8Array,
  pieceBytes: number,
): Promise<{ rows: (string | null)[][]; failed: number[]; success: number }> {
  const pieces: ImportPiece[] = [];
  await store.script('drop table if exists staging.import1; delete from staginguse');
  await reader.import({
    importFileId: 1,
    organizationId: null,
    template,
    source: sourceOf({ fileName: 'random.csv', bytes }, pieceBytes),
    ctx,
    done: 0,
    state: undefined,
    expect: async () => undefined,
    warn: () => Promise.resolve(),
    handOff: () => undefined,
    rows: () => assert.fail('no records'),
    piece: async (work) => void pieces.push(await ctx.inTransaction(work)),
  });
  const stored = await store.query<Record<string, string | null>>('select * from staging.import1');
  return {
    rows: stored.map((row) => Object.values(row)),
    failed: pieces.flatMap((piece) => piece.results.map((result) => result.line)),
    success: pieces.reduce((sum, piece) => sum + (piece.counted?.success ?? 0), 0),
  };
}

/** Returns the same, computed slowly: rows read by the delimited engine and mapped like rows of records. */
async function expectedOf(
  template: ImportTemplate,
  bytes: Uint8Array,
): Promise<{ rows: (string | null)[][]; failed: number[]; success: number }> {
  const found: (string | null)[][] = [];
  const failed: number[] = [];
  const destinations = [...new Set(template.maps.filter((map) => map.type !== 'Ignore').map((map) => map.destination))];
  for (const row of await rowsOf(delimitedEngine, sourceOf({ fileName: 'random.csv', bytes }), template)) {
    try {
      if (row.problem !== undefined) throw new PlatformError('BAD_PARAMETER', {});
      const values = template.maps.length === 0 ? row.values : mapRow(template, row.values).parameters;
      found.push(
        (template.maps.length === 0 ? Object.keys(values) : destinations).map((name) =>
          values[name] === '' ? null : (values[name] ?? null),
        ),
      );
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failed.push(row.line);
    }
  }
  return { rows: found, failed, success: found.length };
}

const cell = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      'x',
      '12',
      '-7',
      '1,250.50',
      '2026-01-31',
      '2026-02-29',
      '20260115',
      'yes',
      'Texas',
      'texas ',
      '\\.',
      '\\N',
      "it's",
      'ä€',
      '0',
      '007',
      '12345678901234567890',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', '"', ',', '|', ' ', '\n', '\r\n', 'é', '\t', '\\', '.'),
      maxLength: 6,
    }),
  },
);
const broken = fc.constantFrom('one', 'a,b,c,d,e', '"x"y,2,3', '"open,2,3', 'a\0,b,c');
const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(cell, cell, cell)
      .map((cells) =>
        cells
          .map((text) => (/["\r\n,]/.test(text) || text.length % 3 === 1 ? `"${text.replaceAll('"', '""')}"` : text))
          .join(','),
      ),
  },
  { weight: 1, arbitrary: broken },
);
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n', '\r')), { maxLength: 30 })
  .map((lines) => `A,B,C\n${lines.map(([own, end]) => own + end).join('')}`);
// Text stays as it was in the database; other types come back in canonical form, which other tests check.
const map = fc.record({
  source: fc.constantFrom('A', 'b', 'C', 'Missing'),
  destination: fc.constantFrom('P', 'Q', 'R'),
  isText: fc.boolean(),
  required: fc.boolean(),
  dataType: fc.constantFrom(undefined, undefined, 'Text' as const),
  type: fc.constantFrom('Column', 'Column', 'Key', 'Ignore', 'Constant'),
  translation: fc.constantFrom(
    undefined,
    new Map([
      ['texas', 'TX'],
      ['', 'none'],
      ['12', ''],
    ]),
  ),
}) as fc.Arbitrary<ImportMap>;

describe('bulk loads of random files', () => {
  it('IMP-11 IMP-12 give the same result as reading and mapping row by row, in whatever chunks the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(map, { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        async (body, maps, pieceBytes) => {
          const used = maps.filter((own) => own.type !== 'Ignore');
          const template = templateOf({ Delimiter: ',' }, used.length === 0 ? [] : maps);
          const bytes = Buffer.from(body);
          assert.deepEqual(await inStaging(template, bytes, pieceBytes), await expectedOf(template, bytes));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('IMP-12 accept a typed cell exactly when they accept it as text', async () => {
    const typed = fc.constantFrom<NonNullable<ImportMap['dataType']>>('Integer', 'Decimal', 'Money', 'Date', 'Boolean');
    const number = fc.oneof(
      cell,
      fc
        .tuple(
          fc.constantFrom('', '-', '+'),
          fc.integer({ min: 0 }),
          fc.constantFrom('', '.', '.5', '.12345', '.1.', '-'),
        )
        .map((parts) => parts.join('')),
      fc
        .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
        .map(
          ([y, m, d]) => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`,
        ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 20 }),
        typed,
        typed,
        fc.boolean(),
        async (cells, first, second, required) => {
          const body = Buffer.from(
            `A,B\n${cells.map((pair) => pair.map((own) => `"${own.replaceAll('"', '""')}"`).join(',')).join('\n')}\n`,
          );
          const template = templateOf({ Delimiter: ',' }, [
            { source: 'A', dataType: first, required },
            { source: 'B', dataType: second },
          ]);
          const [found, expected] = [await inStaging(template, body, 7), await expectedOf(template, body)];
          assert.deepEqual([found.failed, found.success], [expected.failed, expected.success]);
          // Both sides write the value in the same form.
          const same = (type: string, value: unknown): unknown => {
            if (value === null || type === 'Date') return value;
            return type === 'Boolean' ? JSON.stringify(value).replaceAll('"', '') : Number(value);
          };
          assert.deepEqual(
            found.rows.map(([a, b]) => [same(first, a ?? null), same(second, b ?? null)]),
            expected.rows.map(([a, b]) => [same(first, a ?? null), same(second, b ?? null)]),
          );
        },
      ),
      { numRuns: 80 },
    );
  });
});
