import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { delimitedEngine } from '../../../src/providers/import-engine/delimited/delimited-engine.ts';
import { openWorkbook } from '../../../src/lib/readers/workbook/workbook.ts';
import { numberText, parseFormat } from '../../../src/lib/readers/workbook/number-format.ts';
import {
  correctionsOf,
  documentOf,
  issuesOf,
  outcomeOf,
  rowsOf,
  short,
  templateOf,
} from '../../support/imports/reading.ts';
import { workbookOf, zipOf, type SheetCell, type WorkbookContent } from '../../support/imports/import-workbooks.ts';

const MEGABYTE = 1024 * 1024;
const read = async (content: WorkbookContent, template = templateOf()) =>
  short(await rowsOf(delimitedEngine, documentOf(await workbookOf(content)), template));
const refuses = async (bytes: Buffer, message: RegExp): Promise<void> => {
  await assert.rejects(rowsOf(delimitedEngine, documentOf(bytes), templateOf()), message);
  const [issue] = await issuesOf(delimitedEngine, documentOf(bytes));
  assert.match(issue?.message ?? '', message);
  assert.equal(await delimitedEngine.detect(documentOf(bytes), templateOf()), false);
};
const cell = (inner: string, attributes = ''): SheetCell => ({ inner, attributes });

describe('workbooks', () => {
  it('IMP-13 reads shared, formatted and inline texts, numbers and booleans; phonetic text is left out', async () => {
    const rows = await read({
      shared: [
        'Ann',
        '<r><rPr/><t>Bo</t></r><r><t xml:space="preserve">b </t></r><rPh sb="0" eb="1"><t>x</t></rPh>',
        'a_x000D_b_x005F_c',
      ],
      sheets: {
        One: [
          ['Text', 'Number', 'Flag'],
          [cell('<v>0</v>', 't="s"'), 12.5, cell('<v>1</v>', 't="b"')],
          [cell('<v>1</v>', 't="s"'), cell('<v>0.30000000000000004</v>'), cell('<v>0</v>', 't="b"')],
          [cell('<v>2</v>', 't="s"'), cell('<v>1E-7</v>'), null],
          ['<&>"', cell('<v>1.5E+20</v>'), cell('<f>A1</f><v>text of it</v>', 't="str"')],
        ],
      },
    });
    assert.deepEqual(rows, [
      { Text: 'Ann', Number: '12.5', Flag: 'true' },
      { Text: 'Bob ', Number: '0.3', Flag: 'false' },
      { Text: 'a\rb_c', Number: '0.0000001', Flag: '' },
      { Text: '<&>"', Number: '150000000000000000000', Flag: 'text of it' },
    ]);
  });

  it('reads dates and times by the number format, in both calendars', async () => {
    const date = (serial: number | string, style: number): SheetCell => cell(`<v>${serial}</v>`, `s="${style}"`);
    const formats = [
      0,
      14,
      22,
      'yyyy\\-mm\\-dd',
      '[$-409]d-mmm-yy',
      '"Due" 0',
      'h:mm',
      '[h]:mm',
      '#,##0.00;[Red]-#,##0.00',
      '00000',
      '000\\-00\\-0000',
      'General" days"',
    ];
    const row = [
      date(44628, 0),
      date(44628, 1),
      date(44628.4375, 2),
      date(1, 3),
      date(60, 4),
      date(7, 5),
      date(0.75, 6),
      date(1.5, 7),
      date(-1234.5, 8),
      date(501, 9),
      date(12345678, 10),
      date(3, 11),
    ];
    const header = row.map((_, n) => `C${n}`);
    assert.deepEqual(Object.values((await read({ formats, sheets: { A: [header, row] } }))[0]!), [
      '44628',
      '2022-03-08',
      '2022-03-08T10:30:00',
      '1900-01-01',
      '1900-02-28',
      '7',
      '18:00:00',
      '1.5',
      '-1234.5',
      '00501',
      '012-34-5678',
      '3',
    ]);
    assert.equal(
      Object.values((await read({ from1904: true, formats, sheets: { A: [header, row] } }))[0]!)[1],
      '2026-03-09',
    );
    assert.equal(numberText('61', 'date', false), '1900-03-01');
    assert.equal(numberText('59', 'date', false), '1900-02-28');
    assert.equal(numberText('2958465', 'date', false), '9999-12-31');
    for (const odd of ['2958466', '-1', 'x', '']) assert.equal(numberText(odd, 'date', false), odd);
    assert.deepEqual(['mm:ss', 'yyyy"x', '@', '0.00E+00', 'dd/mm/yyyy;@'].map(parseFormat), [
      'date',
      'date',
      'number',
      'number',
      'date',
    ]);
  });

  it('every date of the calendar is recovered, and numbers keep their fifteen digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 2_958_465 }), fc.integer({ min: 0, max: 86_399 }), (serial, seconds) => {
        const expected = new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000 + seconds * 1000).toISOString();
        assert.equal(
          numberText(String(serial + seconds / 86_400), 'date', false),
          seconds === 0 ? expected.slice(0, 10) : expected.slice(0, 19),
        );
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -9_999_999_999, max: 9_999_999_999 }),
        fc.integer({ min: 0, max: 4 }),
        (units, places) => {
          const value = units / 10 ** places;
          assert.equal(Number(numberText(String(value), 'number', false)), value);
          assert.match(numberText(String(value), 'number', false), /^-?\d+(\.\d+)?$/);
        },
      ),
    );
  });

  it('refuses a workbook in which several worksheets share one part', async () => {
    const content: WorkbookContent = { sheets: { One: [['A'], ['1']], Two: [['A'], ['2']] } };
    assert.equal((await read(content)).length, 2);
    const relations =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="s0" Type="x/worksheet" Target="worksheets/sheet0.xml"/>' +
      '<Relationship Id="s1" Type="x/worksheet" Target="worksheets/../worksheets/sheet0.xml"/></Relationships>';
    await refuses(
      await workbookOf({ ...content, parts: { 'xl/_rels/workbook.xml.rels': relations } }),
      /Two uses the part of another worksheet/,
    );
  });

  it('returns few rows at a time from a worksheet with many columns, however few cells its rows have', async () => {
    const columns = 16_000;
    const bytes = await workbookOf({
      sheets: {
        Wide: [Array.from({ length: columns }, (_, n) => `C${n}`), ...Array.from({ length: 100 }, () => [1])],
      },
    });
    const { sheets } = await openWorkbook(documentOf(bytes), templateOf());
    const sizes: number[] = [];
    for await (const { rows } of sheets[0]!.rows()) sizes.push(rows.length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      100,
    );
    assert.ok(Math.max(...sizes) * columns <= 200_000, String(sizes));
  });

  it('IMP-12 a text column keeps what its cell contains, whatever its format displays', async () => {
    const template = templateOf({}, [{ source: 'code', isText: true }]);
    assert.deepEqual(
      await read(
        {
          formats: [0, 14, '00000'],
          sheets: {
            A: [
              ['Code', 'Day'],
              [cell('<v>44628</v>', 's="1"'), cell('<v>44628</v>', 's="1"')],
              [cell('<v>7</v>', 's="2"'), null],
            ],
          },
        },
        template,
      ),
      [
        { Code: '44628', Day: '2022-03-08' },
        { Code: '00007', Day: '' },
      ],
    );
  });

  it('IMP-13 reads every worksheet in order with its own header, skipping empty rows and sheets', async () => {
    const bytes = await workbookOf({
      sheets: { Jan: [['A', 'B'], ['1', '2'], [], [null, '3']], Empty: [], Feb: [[], ['B', 'C'], ['4', '5']] },
    });
    assert.deepEqual(await rowsOf(delimitedEngine, documentOf(bytes)), [
      { line: 2, sheet: 'Jan', values: { A: '1', B: '2' } },
      { line: 4, sheet: 'Jan', values: { A: '', B: '3' } },
      { line: 30_000_003, sheet: 'Feb', values: { B: '4', C: '5' } },
    ]);
    assert.deepEqual(
      (await issuesOf(delimitedEngine, documentOf(bytes), templateOf({}, [{ source: 'a', required: true }]))).map(
        (issue) => issue.message,
      ),
      ['Worksheet Feb: the column a is missing; there are B, C.'],
    );
  });

  it('uses the columns that the template declares if there is no header', async () => {
    const sheets = {
      A: [
        ['1', '2'],
        ['3', '4'],
      ],
    };
    assert.deepEqual(await read({ sheets }, templateOf({ Columns: 'X,Y' })), [
      { X: '1', Y: '2' },
      { X: '3', Y: '4' },
    ]);
    assert.deepEqual(await read({ sheets }, templateOf({ Header: 'false' })), [
      { Column1: '1', Column2: '2' },
      { Column1: '3', Column2: '4' },
    ]);
    await assert.rejects(read({ sheets }, templateOf({ Header: 'no' })), /expected true or false/);
  });

  it('fails only a row whose cell is an error, a formula without a result, a missing text, or beyond the header', async () => {
    const rows = await read({
      sheets: {
        A: [
          ['A', 'B'],
          [cell('<v>#REF!</v>', 't="e"')],
          [null, cell('<f>1+1</f>')],
          [cell('<v>9</v>', 't="s"')],
          ['1', '2', '3'],
          [cell('<f>1+1</f><v>2</v>'), 'ok'],
        ],
      },
    });
    assert.deepEqual(rows, [
      'Row 2: cell A2 contains the error #REF!.',
      'Row 3: cell B3 contains a formula without its result; open the workbook in a spreadsheet program and save it.',
      'Row 4: cell A4 refers to the shared text 9, which the workbook lacks.',
      'Row 5: cell C5 has a value, but the header names no column.',
      { A: '2', B: 'ok' },
    ]);
  });

  it('reads workbooks of other programs: prefixed elements, cells and rows without references', async () => {
    const sheet =
      '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>A</x:t></x:is></x:c></x:row>' +
      '<x:row><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    assert.deepEqual(await read({ sheets: { A: sheet } }), [{ A: '5' }]);
  });

  it('refuses an empty workbook, a truncated one, an encrypted one, and an archive of something else', async () => {
    await refuses(await workbookOf({ sheets: { A: [] } }), /The workbook is empty/);
    await refuses(await workbookOf({ sheets: {} }), /The workbook is empty/);
    await refuses(await zipOf({ 'a.txt': 'x' }), /not a workbook/);
    await refuses(
      await zipOf({
        'word/document.xml': '<w/>',
        '_rels/.rels':
          '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>',
      }),
      /not a workbook/,
    );
    await refuses(
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]),
      /encrypted or from before 2007/,
    );
    const good = await workbookOf({ sheets: { A: [['A'], ['1']] } });
    for (let length = 4; length < good.length; length += 97) {
      const outcome = await outcomeOf(delimitedEngine, documentOf(good.subarray(0, length)));
      assert.match(outcome.error ?? '', /cut off or is damaged/);
    }
    assert.deepEqual(await read({ sheets: { A: [['A', 'B']] } }), []);
  });

  it('refuses duplicate column names, also if they differ only in case, and 200,000 columns', async () => {
    await refuses(
      await workbookOf({ sheets: { A: [['A', 'b', 'B']] } }),
      /Worksheet A, row 1: columns 2 and 3 are both named B/,
    );
    const wide = Array.from({ length: 200_000 }, () => '<c><v>1</v></c>').join('');
    await refuses(
      await workbookOf({ sheets: { A: `<worksheet><sheetData><row r="1">${wide}</row></sheetData></worksheet>` } }),
      /more than the 16,384 columns/,
    );
    assert.deepEqual(
      await read({
        sheets: {
          A:
            '<worksheet><sheetData><row><c ' +
            `t="inlineStr"><is><t>A</t></is></c></row><row>${wide}</row><row><c><v>2</v></c></row></sheetData>` +
            '</worksheet>',
        },
      }),
      ['Row 2: the row has more than 16,384 cells.', { A: '2' }],
    );
  });

  it('refuses a DOCTYPE, entities and deep nesting, in any part', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><sst><si><t>&a;</t></si></sst>';
    for (const part of [
      'xl/sharedStrings.xml',
      'xl/workbook.xml',
      'xl/styles.xml',
      'xl/worksheets/sheet0.xml',
      '_rels/.rels',
    ]) {
      await refuses(await workbookOf({ sheets: { A: [['A'], ['1']] }, parts: { [part]: bomb } }), /DOCTYPE/);
      await refuses(
        await workbookOf({ sheets: { A: [['A'], ['1']] }, parts: { [part]: `<x>${' '.repeat(3000)}&a;</x>` } }),
        /not well-formed/,
      );
    }
    await refuses(await workbookOf({ sheets: { A: '<a>'.repeat(5000) } }), /nested deeper than 100/);
  });

  it('follows no reference out of the workbook', async () => {
    const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    await refuses(
      await workbookOf({
        sheets: { A: [['A']] },
        parts: {
          'xl/_rels/workbook.xml.rels':
            `<Relationships><Relationship Id="s0" Type="${office}/worksheet" Target="file:///etc/passwd" ` +
            'TargetMode="External"/></Relationships>',
        },
      }),
      /is not in the workbook itself/,
    );
    await refuses(
      await workbookOf({
        sheets: { A: [['A']] },
        parts: {
          'xl/_rels/workbook.xml.rels':
            `<Relationships><Relationship Id="s0" Type="${office}/worksheet" ` +
            'Target="../../../etc/passwd"/></Relationships>',
        },
      }),
      /lacks its part etc\/passwd/,
    );
  });

  it('IMP-15 refuses an archive that unpacks to far more than its size, and one that lies about it', async () => {
    const sheet = Buffer.concat([Buffer.from('<worksheet><sheetData>'), Buffer.alloc(64 * MEGABYTE, '<row></row>')]);
    const bomb = await workbookOf({ sheets: { A: [['A'], ['1']] }, parts: { 'xl/worksheets/sheet0.xml': sheet } });
    await refuses(bomb, /more than 250 times its size/);
    const entry = bomb.lastIndexOf('xl/worksheets/sheet0.xml') - 46;
    assert.equal(bomb.readUInt32LE(entry + 24), sheet.length);
    bomb.writeUInt32LE(1000, entry + 24);
    await refuses(bomb, /does not match its directory entry/);
  });

  it('refuses an archive whose parts are not what its directory says', async () => {
    const good = await workbookOf({ sheets: { A: [['A'], ['1']] } });
    const lied = Buffer.from(good);
    // The content of the first part is replaced by another of the same compressed length.
    const first = 30 + lied.readUInt16LE(26) + lied.readUInt16LE(28);
    const at = lied.indexOf(Buffer.from('PK\x01\x02', 'latin1'));
    const packed = deflateRawSync(Buffer.alloc(20, 'x'), { level: 0 });
    packed.copy(lied, first);
    assert.ok(at > first);
    await refuses(lied, /damaged/);
  });

  it('a failure of the storage is not reported as a fault of the workbook', async () => {
    const good = documentOf(await workbookOf({ sheets: { A: [['A'], ['1']] } }));
    const lost = new Error('the connection was lost');
    for (let calls = 1; calls < 8; calls++) {
      let left = calls;
      const source = {
        ...good,
        part: (start: number, end: number) => {
          if (left-- <= 0) throw lost;
          return good.part(start, end);
        },
      };
      await assert.rejects(rowsOf(delimitedEngine, source), lost);
      left = calls;
      await assert.rejects(delimitedEngine.detect(source, templateOf()), lost);
    }
  });

  it('reads the same rows in any pieces, and only ever throws a PlatformError for changed workbooks', async () => {
    const good = await workbookOf({
      shared: ['x', 'y'],
      sheets: {
        A: [
          ['A', 'B'],
          ['1', '2'],
          [cell('<v>1</v>', 't="s"'), 'ü'],
        ],
        B: [['A'], ['3']],
      },
    });
    const expected = await outcomeOf(delimitedEngine, documentOf(good));
    assert.equal(expected.rows.length, 3);
    for (const pieceBytes of [1, 2, 7, 1000])
      assert.deepEqual(await outcomeOf(delimitedEngine, documentOf(good, { pieceBytes })), expected);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }), async (changes) => {
        const changed = Buffer.from(good);
        for (const [at, byte] of changes) changed[at] = byte;
        await outcomeOf(delimitedEngine, documentOf(changed));
      }),
      { numRuns: 300 },
    );
  });

  it('IMP-19 returns failed rows of a workbook as delimited text with the columns of all worksheets', async () => {
    const source = documentOf(
      await workbookOf({
        sheets: {
          A: [
            ['A', 'B'],
            ['1', '2'],
            ['x,"y"', 'ü'],
          ],
          B: [
            ['B', 'C'],
            ['3', '4'],
          ],
        },
      }),
      { fileName: 'loans.xlsx' },
    );
    const corrections = await correctionsOf(delimitedEngine, source, templateOf(), [
      [3, 'A: no number'],
      [20_000_002, 'two\nlines'],
    ]);
    assert.equal(corrections.fileName, 'loans-corrections.csv');
    assert.equal(corrections.text, '\ufeffA,B,C,ImportReason\r\n"x,""y""",ü,,A: no number\r\n,3,4,two lines\r\n');
    assert.deepEqual(short(await rowsOf(delimitedEngine, documentOf(corrections.bytes))), [
      { A: 'x,"y"', B: 'ü', C: '' },
      { A: '', B: '3', C: '4' },
    ]);
  });
});
