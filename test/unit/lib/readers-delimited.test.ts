import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { delimitedEngine } from '../../../src/providers/import-engine/delimited/delimited-engine.ts';
import { CELL_BYTES_MAX, COLUMNS_MAX } from '../../../src/lib/readers/limits.ts';
import { scanDelimited } from '../../../src/lib/readers/scan-delimited.ts';
import { documentOf, issuesOf, outcomeOf, rowsOf, short, templateOf } from '../../support/imports/reading.ts';
import { heldBufferBytes } from '../../support/held-memory.ts';

const MEGABYTE = 1024 * 1024;
const read = async (content: string | Uint8Array, options: Readonly<Record<string, string>> = {}) =>
  short(await rowsOf(delimitedEngine, documentOf(content), templateOf(options)));
const refuses = async (
  content: string | Uint8Array,
  message: RegExp,
  options: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const template = templateOf(options);
  await assert.rejects(rowsOf(delimitedEngine, documentOf(content), template), message);
  await assert.rejects(delimitedEngine.preview(documentOf(content), template, 5), message);
  const [issue] = await issuesOf(delimitedEngine, documentOf(content), template);
  assert.match(issue?.message ?? '', message);
  assert.equal(await delimitedEngine.detect(documentOf(content), template), false);
};

/** A record as the scanner returns it. */
interface Scanned {
  line: number;
  cells?: string[];
}

async function scanned(bytes: Uint8Array, pieceBytes: number, delimiter = ','): Promise<Scanned[]> {
  const all: Scanned[] = [];
  for await (const records of scanDelimited(documentOf(bytes, { pieceBytes }).open(), { delimiter, quote: '"' })) {
    for (let record = 0; record < records.count; record++) {
      const cells: string[] = [];
      for (let cell = records.firstCells[record]!; cell < records.firstCells[record + 1]!; cell++)
        cells.push(
          records.bytes
            .toString('latin1', records.starts[cell], records.ends[cell])
            .replaceAll(records.flags[cell]! & 2 ? '""' : '\0', records.flags[cell]! & 2 ? '"' : '\0'),
        );
      all.push({ line: records.lines[record]!, ...(records.problems.has(record) ? {} : { cells }) });
    }
  }
  return all;
}

/** The same, plainly: record by record with a regular expression; an invalid one ends with its first line. */
function plainly(text: string, delimiter = ','): Scanned[] {
  const all: Scanned[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\r|\\n|$(?![^]))`, 'y');
  let line = 1;
  for (let at = 0; at < text.length;) {
    const record = plainRecord(cell, text, at, delimiter);
    const end = record?.end ?? nulEnd(text, at, delimiter);
    if (record) all.push({ line, cells: record.cells });
    if (all.at(-1)?.line !== line) all.push({ line });
    line += text.slice(at, end).match(/\r\n|\r|\n/g)?.length ?? 0;
    at = end;
  }
  return all;
}

/** Reads one record; undefined if it cannot be read. */
function plainRecord(
  cell: RegExp,
  text: string,
  at: number,
  delimiter: string,
): { readonly cells: string[]; readonly end: number } | undefined {
  const cells: string[] = [];
  for (let end = at; ;) {
    cell.lastIndex = end;
    const found = cell.exec(text);
    const value = found?.[1]?.replaceAll('""', '"') ?? found?.[2];
    if (!found || value!.includes('\0')) return undefined;
    cells.push(value!);
    end = cell.lastIndex;
    if (found[3] !== delimiter) return { cells, end };
    // A delimiter at the very end is followed by an empty cell.
    if (end === text.length) return { cells: [...cells, ''], end };
  }
}

/**
 * Returns where an unreadable record ends. A record whose only defect is a NUL ends where it would without it; any
 * other ends with its first line.
 */
function nulEnd(text: string, at: number, delimiter: string): number {
  const cell = `(?:"(?:[^"]|"")*"|[^"${delimiter}\\r\\n]*)`;
  const end = '\\r\\n|\\r|\\n|$(?![^])';
  const whole = new RegExp(`(?:${cell}(?:${delimiter}|${end})(?<!\\r\\n|\\r|\\n))*${cell}(?:${end})`, 'y');
  whole.lastIndex = at;
  if (whole.test(text)) return whole.lastIndex;
  const lineEnd = /\r\n|\r|\n|$(?![^])/g;
  lineEnd.lastIndex = at;
  lineEnd.test(text);
  return lineEnd.lastIndex;
}

describe('delimited text', () => {
  it('IMP-13 detects the delimiter, honors quotes, and names values by the header', async () => {
    for (const delimiter of [',', '|', '\t', ';']) {
      const text = [
        ['Name', 'City'],
        ['"Miller, Ann|x;y\tz"', '"He said ""no"""'],
        ['', ' Rome '],
      ]
        .map((row) => row.join(delimiter))
        .join('\r\n');
      assert.deepEqual(
        await read(text),
        [
          { Name: 'Miller, Ann|x;y\tz', City: 'He said "no"' },
          { Name: '', City: ' Rome ' },
        ],
        JSON.stringify(delimiter),
      );
    }
  });

  it('uses the delimiter, the quote and the columns that the template declares', async () => {
    assert.deepEqual(await read('A~B\n1,2~3', { Delimiter: '~' }), [{ A: '1,2', B: '3' }]);
    assert.deepEqual(await read('A|B\n1|2', { Delimiter: 'Pipe' }), [{ A: '1', B: '2' }]);
    assert.deepEqual(await read("A,B\n5\" pipe,'x'", { Quote: 'None' }), [{ A: '5" pipe', B: "'x'" }]);
    assert.deepEqual(await read("A,B\n'a,b',\"", { Quote: "'" }), [{ A: 'a,b', B: '"' }]);
    assert.deepEqual(await read('1,2\n3,4', { Columns: 'A, B' }), [
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ]);
    assert.deepEqual(await read('1,2', { Header: 'false' }), [{ Column1: '1', Column2: '2' }]);
    await refuses('A,B\n1,2', /Delimiter: the import type says "ab"; expected one character/, { Delimiter: 'ab' });
    await refuses('A,B\n1,2', /Header: .* expected true or false/, { Header: 'maybe' });
    await refuses('A,B\n1,2', /Encoding: "utf-9" is not known.* Did you mean utf-8\?/, { Encoding: 'utf-9' });
  });

  it('accepts CR LF, LF or CR as line ends, skips blank lines, and needs no final line end', async () => {
    for (const end of ['\r\n', '\n', '\r']) {
      const rows = await rowsOf(delimitedEngine, documentOf(['', 'A,B', '1,2', '', '"x', 'y",3'].join(end)));
      assert.deepEqual(rows, [
        { line: 3, values: { A: '1', B: '2' } },
        { line: 5, values: { A: `x${end}y`, B: '3' } },
      ]);
    }
  });

  it('fails only the ragged row and says what was expected', async () => {
    assert.deepEqual(await read('A,B,C\n1,2\n1,2,3,4\n1,2,3\n'), [
      'Line 2: the row has 2 cells; expected 3: A, B, C.',
      'Line 3: the row has 4 cells; expected 3: A, B, C.',
      { A: '1', B: '2', C: '3' },
    ]);
  });

  it('fails only a row with wrong quotes, and continues with the next line', async () => {
    const rows = await read('A,B\na"b,1\n"a"b,2\n"open,3\n4,"x"\n5,"y"\n');
    assert.deepEqual(rows, [
      'Line 2: cell 1 contains a quote; expected quotes around the whole cell, and doubled quotes within it.',
      'Line 3: cell 1 continues after its closing quote; expected doubled quotes within a cell.',
      'Line 4: cell 1 continues after its closing quote; expected doubled quotes within a cell.',
      { A: '4', B: 'x' },
      { A: '5', B: 'y' },
    ]);
    assert.deepEqual(await read('A,B\n1,"never\n2,b\n3,c'), [
      'Line 2: the quote that opens cell 2 is never closed.',
      { A: '2', B: 'b' },
      { A: '3', B: 'c' },
    ]);
  });

  it('IMP-15 an open quote neither swallows the file nor takes long', async () => {
    const lines = Array.from(
      { length: 50_000 },
      (_, n) => `${n},"value ${n}","and more of it, so that the file is long"`,
    );
    lines[10] = '10,"open';
    lines[40_000] = '"40000",x,"open';
    const rows = await read(['A,B,C', ...lines].join('\n'));
    assert.equal(rows.length, 50_000);
    assert.deepEqual(
      rows.flatMap((row, index) => (typeof row === 'string' ? [index] : [])),
      [10, 40_000],
    );
    // Every line opens a quote that the next one closes wrongly, and none closes one properly.
    for (const line of ['x,"aaa', 'x,"', '"', '"a""']) {
      const outcome = await outcomeOf(delimitedEngine, documentOf(`A,B\n${`${line}\n`.repeat(60_000)}`));
      assert.ok(outcome.rows.length >= 30_000, line);
    }
  });

  it('reads a formula as plain text', async () => {
    assert.deepEqual(await read('A,B\n=1+1,@SUM(A1)\n-5,+x'), [
      { A: '=1+1', B: '@SUM(A1)' },
      { A: '-5', B: '+x' },
    ]);
  });

  it('treats an empty file, and one of blank lines, as no table; one with only a header as a table without rows', async () => {
    await refuses('', /The document is empty/);
    await refuses('\r\n\r\n', /The document is empty/);
    await refuses('\ufeff', /The document is empty/);
    for (const header of ['A,B', 'A,B\r\n', '\ufeffA,B\n\n']) {
      assert.deepEqual(await read(header), []);
      assert.equal(await delimitedEngine.detect(documentOf(header), templateOf()), true);
      assert.deepEqual(await issuesOf(delimitedEngine, documentOf(header)), []);
    }
  });

  it('refuses duplicate column names, also if they differ only in case, and invalid ones', async () => {
    await refuses('A,B,A\n1,2,3', /Line 1: columns 1 and 3 are both named A; expected each name once/);
    await refuses('Name,City,NAME\n1,2,3', /columns 1 and 3 are both named NAME/);
    await refuses('A,__proto__\n1,2', /column 2 has an invalid name/);
    await refuses(`A,${'x'.repeat(300)}\n1,2`, /column 2 has a name of 300 characters/);
    assert.deepEqual(await read('A,,B,\n1,2,3,4'), [{ A: '1', Column2: '2', B: '3', Column4: '4' }]);
  });

  it('IMP-15 refuses 200,000 columns, and fails only a row with that many', async () => {
    await refuses(
      `${Array.from({ length: 200_000 }, (_, n) => `Column ${n}`).join(',')}\n1,2`,
      /more than 16,384 cells/,
    );
    const rows = await read(`A,B\n${','.repeat(200_000)}\n1,2\n`);
    assert.deepEqual(rows, ['Line 2: the row has more than 16,384 cells.', { A: '1', B: '2' }]);
    const most = Array.from({ length: COLUMNS_MAX }, (_, n) => `c${n}`).join(',');
    assert.equal((await read(`${most}\n${most}`)).length, 1);
  });

  it('IMP-15 fails only a row with a cell of 100 MB, in quotes or not, on one line or many', async () => {
    async function* parts(cell: (part: Buffer) => Buffer[], open: string, close: string): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`A,B\n1,2\n3,${open}`);
      for (let n = 0; n < 100; n++) yield* cell(Buffer.alloc(MEGABYTE, 'x'));
      yield Buffer.from(`${close}\n5,6\n`);
    }
    const before = await heldBufferBytes();
    for (const [open, close] of [
      ['', ''],
      ['"', '"'],
      ['"', ''],
    ] as const) {
      const source = { ...documentOf(''), open: () => parts((part) => [part], open, close) };
      const found = await rowsOf(delimitedEngine, source);
      assert.deepEqual(
        found.map((row) => row.line),
        [2, 3, 4],
      );
      const rows = short(found);
      assert.ok((await heldBufferBytes()) - before < 64 * MEGABYTE);
      assert.equal(rows.length, 3);
      assert.match(String(rows[1]), /Line 3: cell 2 is longer than 4,194,304 bytes/);
      assert.deepEqual(
        [rows[0], rows[2]],
        [
          { A: '1', B: '2' },
          { A: '5', B: '6' },
        ],
      );
    }
    // A quote that is never closed: each of its lines is a separate row again.
    const lines = `${'y'.repeat(999)}\n`.repeat(10_000);
    const rows = short(await rowsOf(delimitedEngine, documentOf(`A\n"open\n${lines}`), templateOf({ Delimiter: ',' })));
    assert.equal(rows.length, 10_001);
    assert.match(String(rows[0]), /cell 1 is longer than .* or its quotes do not close/);
    assert.ok(CELL_BYTES_MAX < 10_000_000);
  });

  it('fails only a row with a NUL byte', async () => {
    assert.deepEqual(await read('A,B\n1,\0\n"x\0y",2\n3,4'), [
      'Line 2: cell 2 contains a NUL byte, which text cannot contain.',
      'Line 3: cell 1 contains a NUL byte, which text cannot contain.',
      { A: '3', B: '4' },
    ]);
  });

  it('does not accept markup or JSON as rows', async () => {
    for (const text of ['<?xml version="1.0"?><a,b/>', '<LoanCollection>,', '{"a": 1, "b": 2}', '[{"a":1},{"b":2}]'])
      await refuses(text, /expected rows of delimited text/);
  });
});

describe('encodings of delimited text', () => {
  const text = 'Näme,City\nJürgen €,Łódź\n';

  it('reads UTF-8 with and without a BOM, UTF-16 by its BOM or the option, and windows-1252', async () => {
    const expected = [{ Näme: 'Jürgen €', City: 'Łódź' }];
    assert.deepEqual(await read(text), expected);
    assert.deepEqual(await read(`\ufeff${text}`), expected);
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    assert.deepEqual(await read(wide), expected);
    assert.deepEqual(await read(Buffer.from(wide).swap16()), expected);
    assert.deepEqual(await read(wide.subarray(2), { Encoding: 'UTF-16LE' }), expected);
    await refuses(wide.subarray(2), /undeclared UTF-16/);
    const western = Buffer.from('N\xe4me,City\nJ\xfcrgen \x80,\x93x\x94\n', 'latin1');
    for (const options of [{}, { Encoding: 'windows-1252' }, { Encoding: 'ISO-8859-1' }])
      assert.deepEqual(await read(western, options), [{ Näme: 'Jürgen €', City: '“x”' }]);
  });

  it('a BOM overrides the option', async () => {
    assert.deepEqual(await read(`\ufeff${text}`, { Encoding: 'windows-1252' }), [{ Näme: 'Jürgen €', City: 'Łódź' }]);
  });

  it('the first row that is not ASCII decides if no encoding is given', async () => {
    const plain = 'a,b\n'.repeat(100_000);
    const western = Buffer.concat([Buffer.from(`A,B\n${plain}`), Buffer.from('\xe9,\xc3\xa9\n', 'latin1')]);
    assert.deepEqual((await read(western)).at(-1), { A: 'é', B: 'Ã©' });
    assert.deepEqual((await read(`A,B\n${plain}é,x\n`)).at(-1), { A: 'é', B: 'x' });
  });

  it('reports a malformed byte with its line, replaces none, and reads the rows around it', async () => {
    const broken = Buffer.concat([Buffer.from('A,B\né,1\nx'), Buffer.from([0xe9]), Buffer.from(',2\nü,3\n')]);
    for (const options of [{}, { Encoding: 'UTF-8' }]) {
      assert.deepEqual(await read(broken, options), [
        { A: 'é', B: '1' },
        'Line 3: the row contains bytes that are not UTF-8; set the option Encoding of the import type, or send ' +
          'the file in UTF-8.',
        { A: 'ü', B: '3' },
      ]);
    }
    const half = Buffer.from('\ufeffA,B\n1,x\ud800y\n2,ok\n', 'utf16le');
    const rows = await read(half);
    assert.match(String(rows[0]), /Line 2: the row contains bytes/);
    assert.deepEqual(rows[1], { A: '2', B: 'ok' });
    assert.match(
      String((await read(Buffer.concat([half, Buffer.from('x')]))).at(-1)),
      /Line 4: the row contains bytes/,
    );
  });
});

describe('delimited text compared with a plain reader', () => {
  const cell = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('', '"', '""', '\r\n', '\n', '\r', ',', ' ', 'ü', '\u{1f600}', 'a"b', '=1'),
  );
  const pieceBytes = fc.oneof(fc.constantFrom(1, 2, 7), fc.integer({ min: 1, max: 400 }));

  it('IMP-13 reads back what a plain writer wrote, in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(
            cell.filter((text) => !text.includes('\0') && text.isWellFormed()),
            { minLength: 3, maxLength: 3 },
          ),
          { maxLength: 12 },
        ),
        fc.constantFrom(',', '|', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        pieceBytes,
        async (rows, delimiter, end, size) => {
          const written = [['A', 'B', 'C'], ...rows]
            .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(delimiter))
            .join(end);
          const read = await rowsOf(
            delimitedEngine,
            documentOf(written, { pieceBytes: size }),
            templateOf({ Delimiter: delimiter === '\t' ? 'Tab' : delimiter }),
          );
          assert.deepEqual(
            short(read),
            rows.map(([A = '', B = '', C = '']) => ({ A, B, C })),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('IMP-13 reads more rows and quoted cells at once than there is room for at the start', async () => {
    const count = 3_000;
    const read = short(await rowsOf(delimitedEngine, documentOf(`A,B\n${'"x ""y""",z\n'.repeat(count)}`)));
    assert.equal(read.length, count);
    for (const row of read) assert.deepEqual(row, { A: 'x "y"', B: 'z' });
  });

  it('any bytes give the records that a plain reader finds, in any pieces', async () => {
    const bytes = fc
      .array(fc.constantFrom('"', '"', '""', ',', '\n', '\r\n', '\r', 'a', 'b,', '",', ',"', '"\n', '\n"', '\0'), {
        maxLength: 40,
      })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(bytes, pieceBytes, async (text, size) => {
        assert.deepEqual(await scanned(Buffer.from(text), size), plainly(text), JSON.stringify(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('mutated documents only ever throw a PlatformError, and read the same in any pieces', async () => {
    const good = Buffer.from('\ufeffName,City,Amount\r\n"Ann, B",Rome,1\r\nBob,"Łódź",2\r\n"x\r\ny",,3\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }),
        pieceBytes,
        async (changes, size) => {
          const changed = Buffer.from(good);
          for (const [at, byte] of changes) changed[at] = byte;
          assert.deepEqual(
            await outcomeOf(delimitedEngine, documentOf(changed, { pieceBytes: size })),
            await outcomeOf(delimitedEngine, documentOf(changed)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
