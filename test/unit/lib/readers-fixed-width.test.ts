import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fixedWidthEngine } from '../../../src/providers/import-engine/fixed-width/fixed-width-engine.ts';
import {
  correctionsOf,
  documentOf,
  issuesOf,
  outcomeOf,
  rowsOf,
  short,
  templateOf,
} from '../../support/imports/reading.ts';

const Columns = 'SSN:9, Name:6, City:4';
const read = async (content: string | Uint8Array, options: Readonly<Record<string, string>> = {}) =>
  short(await rowsOf(fixedWidthEngine, documentOf(content), templateOf({ Columns, ...options })));
const refuses = async (
  content: string | Uint8Array,
  options: Readonly<Record<string, string>>,
  message: RegExp,
): Promise<void> => {
  await assert.rejects(rowsOf(fixedWidthEngine, documentOf(content), templateOf(options)), message);
  assert.match((await issuesOf(fixedWidthEngine, documentOf(content), templateOf(options)))[0]?.message ?? '', message);
  assert.equal(await fixedWidthEngine.detect(documentOf(content), templateOf(options)), false);
};

describe('fixed-width text', () => {
  it('IMP-13 cuts lines at their widths and trims spaces', async () => {
    assert.deepEqual(await read('001234567Ann   Rome\r\n\r\n         Bob   Oslo\n'), [
      { SSN: '001234567', Name: 'Ann', City: 'Rome' },
      { SSN: '', Name: 'Bob', City: 'Oslo' },
    ]);
    assert.deepEqual(await read('001234567 Ann  Rome   ', { Trim: 'false' }), [
      { SSN: '001234567', Name: ' Ann  ', City: 'Rome' },
    ]);
  });

  it('accepts positions instead of widths, and skips a heading', async () => {
    assert.deepEqual(await read('heading\n001234567xxAnn   Rome', { Columns: 'City:18-21, SSN:1-9', Header: 'true' }), [
      { City: 'Rome', SSN: '001234567' },
    ]);
  });

  it('IMP-12 keeps the spaces before a value that is mapped as text', async () => {
    const rows = await rowsOf(
      fixedWidthEngine,
      documentOf('001234567  Ann Rome'),
      templateOf({ Columns }, [{ source: 'name', isText: true }]),
    );
    assert.deepEqual(short(rows), [{ SSN: '001234567', Name: '  Ann', City: 'Rome' }]);
  });

  it('fails only a line that is too short, too long, or not text', async () => {
    assert.deepEqual(
      await read(
        Buffer.concat([
          Buffer.from('001234567Ann   Ro\n001234567Ann   Rome7\né01234567Ann   Rome\n'),
          Buffer.of(0xff),
          Buffer.from('01234567Ann   Rome\n0\x0001234567Ann   Rom\n\t01234567Ann   Rome'),
        ]),
      ),
      [
        'Line 1: the row has 17 characters; expected 19.',
        'Line 2: the row has 20 characters; expected 19.',
        { SSN: 'é01234567', Name: 'Ann', City: 'Rome' },
        'Line 4: the row contains bytes that are not UTF-8; set the option Encoding of the import type, or send ' +
          'the file in UTF-8.',
        'Line 5: the row contains a NUL byte, which text cannot contain.',
        { SSN: '01234567', Name: 'Ann', City: 'Rome' },
      ],
    );
    const long = short(
      await rowsOf(
        fixedWidthEngine,
        documentOf(`001234567Ann   Rome\n${'x'.repeat(5_000_000)}\n001234567Bob   Rome`),
        templateOf({ Columns }),
      ),
    );
    assert.match(String(long[1]), /Line 2: the row is longer than 4,194,304 bytes/);
    assert.equal(long.length, 3);
  });

  it('counts characters, those outside the BMP too, in every encoding', async () => {
    const text = '00123456\u{1f600}Jürgen Ös \n';
    const expected = [{ SSN: '00123456\u{1f600}', Name: 'Jürgen', City: 'Ös' }];
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    ]) {
      for (const pieceBytes of [1, 2, 3, 1000])
        assert.deepEqual(
          short(await rowsOf(fixedWidthEngine, documentOf(bytes, { pieceBytes }), templateOf({ Columns }))),
          expected,
        );
    }
    assert.deepEqual(await read(Buffer.from('001234567J\xfcrgen \xd6s \n', 'latin1'), { Encoding: 'windows-1252' }), [
      { SSN: '001234567', Name: 'Jürgen', City: 'Ös' },
    ]);
  });

  it('IMP-13 reads rows without line ends', async () => {
    const rows = ['001234567Ann   Rome', '001234568Bob   Oslo', '00'];
    const expected = [
      { SSN: '001234567', Name: 'Ann', City: 'Rome' },
      { SSN: '001234568', Name: 'Bob', City: 'Oslo' },
    ];
    for (const pieceBytes of [1, 2, 7, 1000]) {
      const read = short(
        await rowsOf(
          fixedWidthEngine,
          documentOf(rows.join(''), { pieceBytes }),
          templateOf({ Columns, Lines: 'false' }),
        ),
      );
      assert.deepEqual(read, [...expected, 'Row 3: the row has 2 characters; expected 19.']);
    }
    assert.deepEqual(await read(`${rows.slice(0, 2).join('')}\r\n`, { Lines: 'false' }), expected);
    assert.match(String((await read('001234567Ann   Ro\r\n', { Lines: 'false' }))[0]), /holds a line end/);
  });

  it('refuses an empty document, lines in another format, and invalid columns', async () => {
    await refuses('', { Columns }, /The document is empty/);
    await refuses(' \r\n', { Columns }, /The document is empty/);
    for (const [columns, message] of [
      ['', /not set by the import type/],
      ['A', /"A" is not a column/],
      ['A:0', /expected positions from 1/],
      ['A:5-3', /the last not before the first/],
      ['A:0-3', /expected positions from 1/],
      ['A:3,B:1-2', /is not a column/],
      ['A:3,a:4', /both named a/],
      ['A:99999', /expected positions from 1 to 65,536/],
    ] as const)
      await refuses('x', { Columns: columns }, message);
    await refuses('x', { Columns, Lines: 'maybe' }, /Lines: .* expected true or false/);
    assert.deepEqual(await issuesOf(fixedWidthEngine, documentOf('Name,City\nAnn,Rome\n'), templateOf({ Columns })), [
      { line: 1, message: 'Line 1: the row has 9 characters; expected 19.' },
      { line: 2, message: 'Line 2: the row has 8 characters; expected 19.' },
    ]);
  });

  it('IMP-19 returns rows with the reason after them, which is skipped and replaced when sent again', async () => {
    for (const Lines of ['true', 'false']) {
      const template = templateOf({ Columns, Lines });
      const source = documentOf(['001234567Ann   Rome', '001234568Bob   Oslo'].join(Lines === 'true' ? '\n' : ''), {
        fileName: 'x.dat',
      });
      const first = await correctionsOf(fixedWidthEngine, source, template, [
        [1, 'a\nb'],
        [2, 'no such city'],
      ]);
      assert.equal(first.fileName, 'x-corrections.dat');
      assert.equal(
        first.text,
        '001234567Ann   Rome ImportReason: a b\r\n001234568Bob   Oslo ImportReason: no such city\r\n',
      );
      assert.deepEqual(short(await rowsOf(fixedWidthEngine, documentOf(first.bytes, { pieceBytes: 3 }), template)), [
        { SSN: '001234567', Name: 'Ann', City: 'Rome' },
        { SSN: '001234568', Name: 'Bob', City: 'Oslo' },
      ]);
      assert.equal(
        (await correctionsOf(fixedWidthEngine, documentOf(first.bytes), template, [[2, 'again']])).text,
        '001234568Bob   Oslo ImportReason: again\r\n',
      );
    }
    const short17 = await correctionsOf(fixedWidthEngine, documentOf('001234567Ann   Ro\n'), templateOf({ Columns }), [
      [1, 'too short'],
    ]);
    assert.deepEqual(await read(short17.bytes), ['Line 1: the row has 17 characters; expected 19.']);
  });

  it('reads back what was written, in any pieces, and only ever throws a PlatformError for changed documents', async () => {
    const value = (width: number) =>
      fc
        .string({ unit: fc.constantFrom('a', 'ü', '9', ' ', '\u{1f600}'), maxLength: width })
        .map((text) => text.trim())
        .filter((text) => Array.from(text).length <= width);
    const pieceBytes = fc.oneof(fc.constantFrom(1, 2, 7), fc.integer({ min: 1, max: 100 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value(9), value(6), value(4)), { minLength: 1, maxLength: 8 }),
        pieceBytes,
        async (rows, size) => {
          if (rows.every((row) => row.join('') === '')) return;
          const pad = (text: string, width: number): string => text + ' '.repeat(width - Array.from(text).length);
          const text = rows.map(([a, b, c]) => pad(a, 9) + pad(b, 6) + pad(c, 4)).join('\n');
          assert.deepEqual(
            short(await rowsOf(fixedWidthEngine, documentOf(text, { pieceBytes: size }), templateOf({ Columns }))),
            rows.map(([SSN, Name, City]) => ({ SSN, Name, City })),
          );
        },
      ),
      { numRuns: 150 },
    );
    const good = Buffer.from('\ufeff001234567Ann   Rome\r\n001234568Bób   Oslo\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }),
        pieceBytes,
        fc.constantFrom('true', 'false'),
        async (changes, size, Lines) => {
          const changed = Buffer.from(good);
          for (const [at, byte] of changes) changed[at] = byte;
          const template = templateOf({ Columns, Lines });
          assert.deepEqual(
            await outcomeOf(fixedWidthEngine, documentOf(changed, { pieceBytes: size }), template),
            await outcomeOf(fixedWidthEngine, documentOf(changed), template),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});
