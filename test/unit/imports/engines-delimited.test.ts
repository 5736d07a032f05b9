import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importEngineConformance, type EngineSubject } from '../../../src/contracts/conformance/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { delimitedEngine } from '../../../src/providers/import-engine/delimited/delimited-engine.ts';
import { correctionsOf, documentOf, issuesOf, rowsOf, short, templateOf } from '../../support/imports/reading.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const template = templateOf({}, [{ source: 'Loan', type: 'Key' }, { source: 'Name' }, { source: 'Note' }]);
const lines = (rows: number): string[][] => [
  ['Loan', 'Name', 'Note'],
  ...Array.from({ length: rows }, (_, n) => [`${n + 1}`, `Müller, "${n}"`, n % 2 ? 'two\r\nlines' : '']),
];
const textOf = (rows: number): string =>
  lines(rows)
    .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\r\n');
const foreign = [
  { fileName: 'a.xml', bytes: Buffer.from('<LoanCollection><LoanItem><Loan>1</Loan></LoanItem></LoanCollection>') },
  { fileName: 'a.json', bytes: Buffer.from('[{"Loan":"1"}]') },
  { fileName: 'a.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
  { fileName: 'a.xls', bytes: Buffer.from('d0cf11e0a1b11ae10000000000000000', 'hex') },
];
const subject: EngineSubject = {
  engine: delimitedEngine,
  template,
  document: (rows) => ({ fileName: 'loans.csv', bytes: Buffer.from(textOf(rows)) }),
  faulty: { fileName: 'loans.csv', bytes: Buffer.from('Name,Note\r\nx,y') },
  foreign,
  ctx: {} as Context,
};

describe('the delimited engine', () => {
  for (const { title, check } of importEngineConformance) it(title, () => check(subject));
});

describe('the delimited engine with a workbook', async () => {
  const books = new Map(
    await Promise.all(
      [3, 5, 37].map(async (rows) => [rows, await workbookOf({ sheets: { Loans: lines(rows) } })] as const),
    ),
  );
  const workbooks: EngineSubject = {
    ...subject,
    document: (rows) => ({ fileName: 'loans.xlsx', bytes: books.get(rows)! }),
    faulty: {
      fileName: 'loans.xlsx',
      bytes: await workbookOf({ sheets: { Loans: lines(2), More: [['Name'], ['x']] } }),
    },
  };
  for (const { title, check } of importEngineConformance) it(title, () => check(workbooks));
});

describe('corrections files of delimited text', () => {
  it('repeat the bytes of a row, wrong quotes and extra cells included, and keep its delimiter', async () => {
    const source = documentOf('A|B\n1|2\n"x""y"|3\nbad"quote|4\n5|6|7\nlast|8', { fileName: 'x.txt' });
    const { text, fileName } = await correctionsOf(delimitedEngine, source, templateOf(), [
      [3, 'r3'],
      [4, 'r|4'],
      [5, 'r5'],
      [6, 'r6'],
    ]);
    assert.equal(fileName, 'x-corrections.txt');
    assert.equal(text, 'A|B|ImportReason\r\n"x""y"|3|r3\r\nbad"quote|4|"r|4"\r\n5|6|7|r5\r\nlast|8|r6\r\n');
  });

  it('IMP-19 a source column ImportReason is never imported, and is replaced by the next reason', async () => {
    const source = documentOf('A,importreason,B\n1,old,2\n3,old,4\n', { fileName: 'x-corrections.csv' });
    assert.deepEqual(short(await rowsOf(delimitedEngine, source)), [
      { A: '1', B: '2' },
      { A: '3', B: '4' },
    ]);
    assert.deepEqual((await delimitedEngine.preview(source, templateOf(), 1)).columns, ['A', 'B']);
    const again = await correctionsOf(delimitedEngine, source, templateOf(), [[3, 'new']]);
    assert.equal(again.fileName, 'x-corrections.csv');
    assert.equal(again.text, 'A,B,ImportReason\r\n3,4,new\r\n');
  });

  it('without a header a reason is a last cell that is recognized by its beginning, and is replaced too', async () => {
    const options = templateOf({ Columns: 'A,B' });
    const first = await correctionsOf(delimitedEngine, documentOf('1,2\n3,4\n'), options, [[2, 'no, not so']]);
    assert.equal(first.text, '3,4,"ImportReason: no, not so"\r\n');
    assert.deepEqual(short(await rowsOf(delimitedEngine, documentOf(first.bytes), options)), [{ A: '3', B: '4' }]);
    assert.equal(
      (await correctionsOf(delimitedEngine, documentOf(first.bytes), options, [[1, 'still']])).text,
      '3,4,ImportReason: still\r\n',
    );
    assert.match(String(short(await rowsOf(delimitedEngine, documentOf('1,2,3'), options))[0]), /3 cells; expected 2/);
  });

  it('IMP-19 a row that lacks a cell fails again without a header, instead of importing its reason', async () => {
    const options = templateOf({ Columns: 'A,B' });
    const first = await correctionsOf(delimitedEngine, documentOf('1,2\n3\n'), options, [[2, 'too short']]);
    assert.equal(first.text, '3,ImportReason: too short\r\n');
    assert.match(
      String(short(await rowsOf(delimitedEngine, documentOf(first.bytes), options))[0]),
      /the row has 1 cell; expected 2/,
    );
    const again = await correctionsOf(delimitedEngine, documentOf(first.bytes), options, [[1, 'still']]);
    assert.equal(again.text, '3,ImportReason: still\r\n');
  });

  it('are UTF-8, with a BOM if the source had one or the template declares another encoding', async () => {
    const western = Buffer.from('A,B\n\xe9,1\n\xfc,2\n', 'latin1');
    assert.equal(
      (await correctionsOf(delimitedEngine, documentOf(western), templateOf(), [[3, 'ä']])).text,
      'A,B,ImportReason\r\nü,2,ä\r\n',
    );
    for (const [bytes, options] of [
      [western, { Encoding: 'windows-1252' }],
      [Buffer.from('\ufeffA,B\né,1\nü,2\n'), {}],
      [Buffer.from('\ufeffA,B\né,1\nü,2\n', 'utf16le'), {}],
    ] as const) {
      const { text, bytes: corrected } = await correctionsOf(delimitedEngine, documentOf(bytes), templateOf(options), [
        [3, 'ä'],
      ]);
      assert.equal(text, '\ufeffA,B,ImportReason\r\nü,2,ä\r\n');
      assert.deepEqual(short(await rowsOf(delimitedEngine, documentOf(corrected), templateOf(options))), [
        { A: 'ü', B: '2' },
      ]);
    }
    const broken = Buffer.concat([Buffer.from('A\né\nx'), Buffer.of(0xff), Buffer.from('\n')]);
    assert.deepEqual(
      (await correctionsOf(delimitedEngine, documentOf(broken), templateOf(), [[3, 'r']])).bytes,
      Buffer.concat([Buffer.from('A,ImportReason\r\nx'), Buffer.of(0xff), Buffer.from(',r\r\n')]),
    );
  });

  it('skip lines that are not rows', async () => {
    const source = documentOf('A,B\n\n1,2\n\n3,4\n5,6');
    assert.equal(
      (
        await correctionsOf(delimitedEngine, source, templateOf(), [
          [1, 'x'],
          [2, 'x'],
          [3, 'r3'],
          [4, 'x'],
          [6, 'r6'],
          [99, 'x'],
        ])
      ).text,
      'A,B,ImportReason\r\n1,2,r3\r\n5,6,r6\r\n',
    );
  });

  it('do not repeat a row that is too long to be read', async () => {
    const source = documentOf(`A,B\n1,${'x'.repeat(5_000_000)}\n2,3\n`);
    assert.equal(
      (await correctionsOf(delimitedEngine, source, templateOf(), [[2, 'too long']])).text,
      'A,B,ImportReason\r\n,too long\r\n',
    );
  });
});

describe('detection by the delimited engine', () => {
  it('IMP-06 matches a document to a template whose keys and required columns it has', async () => {
    const maps = [{ source: 'Loan', type: 'Key' as const }, { source: 'Name', required: true }, { source: 'Other' }];
    const detect = (text: string): Promise<boolean> => delimitedEngine.detect(documentOf(text), templateOf({}, maps));
    assert.equal(await detect('loan,NAME\n'), true);
    assert.equal(await detect('Loan,Other\n'), false);
    assert.equal(await detect('A,B\n'), false);
    assert.deepEqual(await issuesOf(delimitedEngine, documentOf('Other\n'), templateOf({}, maps)), [
      { line: 0, message: 'The document: the column Loan is missing; there are Other.' },
      { line: 0, message: 'The document: the column Name is missing; there are Other.' },
    ]);
  });
});
