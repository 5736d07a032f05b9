import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import { scoreEngineConformance } from '../../../src/contracts/conformance/score-engine.ts';
import { SCORE_ENGINE } from '../../../src/contracts/score-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { readAll } from '../../../src/kernel/parameters/body-parameters.ts';
import { readRecord } from '../../../src/kernel/records/search/read.ts';
import { testPlatform } from '../../support/platform.ts';
import { money, scoreCalls, type MadeTemplate } from '../../support/rules/scores.ts';
import { testWorkbook, type TestCell, type TestWorkbook } from '../../support/rules/workbooks.ts';

const on = await testPlatform({ after });
const { post, get, send, refused, newTemplate, newLoan, calculate, itemsOf, countOf } = scoreCalls(on);

interface Kind {
  readonly values?: object;
  readonly items?: readonly object[];
  readonly fileName?: string;
}

/** Saves a score template with a workbook. */
async function workbookKind(
  workbook: TestWorkbook | Buffer,
  { values = {}, items = [money('Total')], fileName = 'calculator.xlsx' }: Kind = {},
): Promise<MadeTemplate> {
  const { template, document } = await templateWithDocument(workbook, { values, items, fileName });
  await post('scoretemplate/save', { ID: template.id, RenderID: document });
  return template;
}

/** Saves a score template and a workbook that it does not name yet. */
async function templateWithDocument(
  workbook: TestWorkbook | Buffer,
  { values = {}, items = [], fileName = 'calculator.xlsx' }: Kind,
): Promise<{ readonly template: MadeTemplate; readonly document: unknown }> {
  const template = await newTemplate({ ScoreEngine: 'WorkbookEngine', Repeatable: 'One', ...values }, items);
  const content = Buffer.isBuffer(workbook) ? workbook : await testWorkbook(workbook);
  const document = await post('attachment/save', {
    Object: 'ScoreTemplate',
    ObjectID: template.id,
    FileName: fileName,
    Content: content.toString('base64'),
  });
  return { template, document: document['AttachmentID'] };
}

/** Returns the message with which a score template refuses a workbook when it is saved. */
async function saveRefusal(workbook: TestWorkbook, kind: Kind): Promise<string> {
  const { template, document } = await templateWithDocument(workbook, kind);
  return (await refused('scoretemplate/save', { ID: template.id, RenderID: document })).Message;
}

/** The refused workbooks replace one another as the document of one score template, calculated on one loan. */
const first = { sheets: { S: { A1: '=1' } }, names: { Total: 'S!$A$1' } } as const;
const many = await workbookKind(first);
const manyLoan = await newLoan();
const { RenderID: manyDocument } = await get(`scoretemplate/select?ID=${many.id}`);

/** Returns the message with which the calculation of a workbook is refused. */
async function refusal(workbook: TestWorkbook | Buffer, kind?: Kind): Promise<string> {
  const content = Buffer.isBuffer(workbook) ? workbook : await testWorkbook(workbook);
  const template = kind ? await workbookKind(content, kind) : many;
  if (!kind)
    await post('attachment/save', {
      ID: manyDocument,
      FileName: 'calculator.xlsx',
      Content: content.toString('base64'),
    });
  const { Message } = await refused('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: manyLoan });
  assert.equal(await countOf('score where scoretemplateid = $1::bigint', template.id), 0, 'nothing of it is stored');
  return Message;
}

/** Downloads the workbook stored with a score. */
async function renderedWorkbook(score: Record<string, unknown>): Promise<Buffer> {
  const { platform } = on;
  const answer = await on.admin.get(`/api/attachment/download?ID=${String(score['RenderID'])}`);
  assert.equal(answer.headers.get('content-type'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  const row = await readRecord(platform.store, platform.registry.recordType('Attachment'), Number(score['RenderID']));
  return Buffer.from(await readAll((await platform.documents.content(row)).open(), 1_000_000));
}

/** Returns one part of the workbook stored with a score. */
async function renderedPart(score: Record<string, unknown>, name = 'xl/worksheets/sheet1.xml'): Promise<string> {
  const zip = await fromBufferPromise(await renderedWorkbook(score), { lazyEntries: true, autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  }
  return '';
}

/** Calculates the formulas in one workbook over two columns of data, and returns their values by name. */
async function valuesOf(
  formulas: Readonly<Record<string, string>>,
  more: Partial<TestWorkbook> = {},
): Promise<Record<string, unknown>> {
  const cells: Record<string, TestCell> = {
    A1: 1,
    A2: 2,
    A3: 3,
    A4: 'x',
    B1: 10,
    B2: 20,
    B3: 30,
    C1: 'apple',
    C2: 'Banana',
    C3: 'cherry',
  };
  const names: Record<string, string> = {};
  for (const [at, [name, formula]] of Object.entries(formulas).entries()) {
    cells[`F${at + 1}`] = formula;
    names[name] = `Data!$F$${at + 1}`;
  }
  const template = await workbookKind(
    { sheets: { Data: cells }, names, ...more },
    { items: Object.keys(formulas).map((name) => ({ ScoreItemTemplate: name })) },
  );
  const items = await itemsOf((await calculate(template, await newLoan()))['ScoreID']);
  return Object.fromEntries(Object.keys(formulas).map((name) => [name, items[name]?.['ScoreChar']]));
}

describe('the WorkbookEngine as score engine', () => {
  for (const { title, check } of scoreEngineConformance) {
    it(`SCO-07 SCO-09 ${title}`, async () => {
      const { store, registry, configuration, documents, clock, settings, providers } = on.platform;
      await post('attachment/save', {
        ID: manyDocument,
        FileName: 'calculator.xlsx',
        Content: (
          await testWorkbook({
            sheets: { S: { A1: '=B1-C1', B1: 0, C1: 0, D1: '=A1/100' } },
            names: { Net: 'S!$A$1', Income: 'S!$B$1', Debt: 'S!$C$1', Score: 'S!$D$1' },
          })
        ).toString('base64'),
      });
      const ctx = { db: store, registry, configuration, documents, clock, settings } as never as Context;
      await check({
        engine: providers.get(SCORE_ENGINE, 'WorkbookEngine'),
        parameters: `AttachmentID = ${String(manyDocument)}`,
        badParameters: 'just words',
        items: [
          { name: 'Net', valueType: 'Money' },
          { name: 'Income', valueType: 'Money' },
          { name: 'Debt', valueType: 'Money' },
        ],
        ctx,
      });
    });
  }
});

describe('workbook scores', () => {
  it('SCO-07 named cells take items and columns, named formulas become items and the score, and the filled-in workbook is stored', async () => {
    const template = await workbookKind(
      {
        sheets: {
          'My sheet': {
            A1: 'Balance',
            B1: 0,
            B2: 0.1,
            B4: '=B1*B2',
            B5: '=B1-Reserve_Cell',
            B6: '=IF(B5>1000,"big & <good>","small")',
            C9: '=EDATE(Due,1)',
          },
        },
        names: {
          UPBAmount: "'My sheet'!$B$1",
          Rate: "'My sheet'!$B$2",
          Reserve_Cell: "'My sheet'!$B$4",
          Score: "'My sheet'!$B$5",
          Size: "'My sheet'!$B$6",
          Due: "'My sheet'!$D$8",
          Next: "'My sheet'!$C$9",
        },
      },
      {
        values: { ValueType: 'Money', EngineParameters: 'Reserve_Cell = Reserve' },
        items: [
          money('Reserve'),
          { ScoreItemTemplate: 'Size' },
          { ScoreItemTemplate: 'Rate', ValueType: 'Float' },
          { ScoreItemTemplate: 'Due', ValueType: 'Date' },
          { ScoreItemTemplate: 'Next', ValueType: 'Date' },
        ],
      },
    );
    const loan = await newLoan({ UPBAmount: '123456.78' });
    const score = await post('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: loan,
      Rate: '0.2',
      Due: '2024-01-31',
    });
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [
        score['ScoreMoney'],
        items['Reserve']?.['ScoreMoney'],
        items['Size']?.['ScoreChar'],
        items['Next']?.['ScoreDate'],
      ],
      [98765.424, 24691.356, 'big & <good>', '2024-02-29'],
    );
    const sheet = await renderedPart(score);
    assert.match(sheet, /<c r="B1"><v>123456.78<\/v><\/c>/);
    assert.match(sheet, /<c r="B4"><f>B1\*B2<\/f><v>24691.35\d*<\/v><\/c>/);
    assert.match(sheet, /<c r="B6" t="str"><f>[^<]*<\/f><v>big &amp; &lt;good&gt;<\/v><\/c>/);
    assert.match(
      sheet,
      /<row r="8"><c r="D8"><v>45322<\/v><\/c><\/row><row r="9">/,
      'a cell missing in the sheet is inserted in order',
    );
    assert.equal(
      (await renderedPart(score, 'xl/calcChain.xml')) +
        String((await renderedPart(score, '[Content_Types].xml')).includes('calcChain')),
      'false',
    );
    await post('loan/save', { ID: loan, UPBAmount: '100' });
    const again = await calculate(template, loan);
    assert.deepEqual(
      [again['ScoreID'], again['RenderID'], again['ScoreMoney']],
      [score['ScoreID'], score['RenderID'], 80],
    );
    assert.match(await renderedPart(again), /<c r="B1"><v>100<\/v><\/c>/, 'the document is the new one');
  });

  it('SCO-07 KRN-07 the recipe of the guide works: a workbook sent as a form, then named with the engine', async () => {
    const { id, name } = await newTemplate({ ValueType: 'Int', Repeatable: 'One' });
    const workbook = await testWorkbook({ sheets: { S: { A1: '=6*7' } }, names: { Score: 'S!$A$1' } });
    const form = new URLSearchParams({
      Object: 'ScoreTemplate',
      ObjectID: String(id),
      FileName: 'affordability.xlsx',
      Content: workbook.toString('base64'),
    });
    const saved = await on.admin.post('/api/attachment/save?Output=Json', form.toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    assert.equal(saved.status, 200, saved.text);
    await post('scoretemplate/save', {
      ID: id,
      ScoreEngine: 'WorkbookEngine',
      RenderID: saved.json()['AttachmentID'],
    });
    const score = await post('score/calculate', { Template: name, Object: 'Loan', ObjectID: await newLoan() });
    assert.equal(score['ScoreInt'], 42);
  });

  it('SCO-07 the stored workbook can be used for another calculation', async () => {
    const template = await workbookKind({ sheets: { S: { A1: 2, A2: '=A1*21' } }, names: { Total: 'S!$A$2' } });
    const score = await calculate(template, await newLoan());
    const again = await calculate(await workbookKind(await renderedWorkbook(score)), await newLoan());
    assert.equal((await itemsOf(again['ScoreID']))['Total']?.['ScoreMoney'], 42);
  });

  it('SCO-07 formulas give the same results as in spreadsheet programs', async () => {
    const expected: Readonly<Record<string, readonly [formula: string, value: string]>> = {
      Minus: ['=-2^2', '4'],
      Order: ['=2+3*4^2/8&"|"', '8|'],
      Percent: ['=50%*8', '4'],
      Exact: ['=IF(0.1+0.2=0.3,"same","other")', 'same'],
      Half: ['=ROUND(1.005,2)&"/"&ROUND(-2.5,0)&"/"&ROUND(1234.5,-2)', '1.01/-3/1200'],
      Sums: [
        '=SUM(A1:A4)&"/"&SUM(A:A,B1)&"/"&AVERAGE(A1:A3)&"/"&MAX(A:B)&"/"&MIN(A:B)&"/"&MEDIAN(B1:B3)',
        '6/16/2/30/1/20',
      ],
      Whole: ['=COUNT(A1:B4)&"/"&COUNTA(A1:B4)&"/"&COUNTBLANK(A1:B4)', '6/7/1'],
      Ifs: [
        '=SUMIF(A1:A3,">1",B1:B3)&"/"&SUMIFS(B1:B3,A1:A3,"<3",C1:C3,"b*")' +
          '&"/"&COUNTIF(C1:C3,"?????")&"/"&COUNTIFS(A1:A3,">=2")',
        '50/20/1/2',
      ],
      Product: ['=SUMPRODUCT((A1:A3>1)*(B1:B3))', '50'],
      Lookup: [
        '=VLOOKUP(2,A1:C3,3,FALSE)&"/"&VLOOKUP(2.5,A1:C3,2)' +
          '&"/"&INDEX(B1:B3,MATCH("CHERRY",C1:C3,0))&"/"&XLOOKUP(9,A1:A3,B1:B3,"none")',
        'Banana/20/30/none',
      ],
      Days: [
        '=TEXT(DATE(2024,1,31)+1,"yyyy-mm-dd")&"/"&DATEDIF(DATE(2023,3,15),DATE(2024,3,14),"m")' +
          '&"/"&WEEKDAY(DATE(2024,2,29))&"/"&NETWORKDAYS(DATE(2024,2,26),DATE(2024,3,3))&"/"&YEAR(60)',
        '2024-02-01/11/5/5/1900',
      ],
      Months: [
        '=TEXT(EOMONTH(DATE(2024,1,15),1),"mm/dd/yyyy")&" "&TEXT(1234567.891,"#,##0.00")&" "&TEXT(0.125,"0.0%")',
        '02/29/2024 1,234,567.89 12.5%',
      ],
      Loan: [
        '=ROUND(PMT(0.06/12,360,-200000),2)&"/"&ROUND(PV(0.05,3,-100),2)' +
          '&"/"&ROUND(NPER(0.01,-100,1000),3)&"/"&ROUND(RATE(360,-1199.1,200000)*12,4)',
        '1199.1/272.32/10.589/0.06',
      ],
      Texts: [
        '=LEFT("abcdef",2)&MID("abcdef",3,2)&RIGHT("abcdef",1)&LEN("äö")&SUBSTITUTE("a-b-c","-","+",2)' +
          '&SEARCH("c*e","abcdef")&TEXTJOIN(",",TRUE,C1:C3)&TRIM("  a  b ")',
        'abcdf2a-b+c3apple,Banana,cherrya b',
      ],
      Choices: [
        '=IFERROR(1/0,"none")&IFS(FALSE,1,TRUE,2)&SWITCH(3,1,"a",3,"c","z")&CHOOSE(2,"x","y")' +
          '&AND(TRUE,1)&OR(A1>5,FALSE)&ISERROR(NA())&IFNA(NA(),"na")',
        'none2cyTRUEFALSETRUEna',
      ],
      Here: ['=ROW()&"/"&COLUMN()&"/"&ROW(B3)&"/"&ROWS(A:A)&"/"&COLUMNS(A1:XFD1)', '16/6/3/1048576/16384'],
      Link: ['=HYPERLINK("http://127.0.0.1:9/","shown")', 'shown'],
      Empty: ['=Z99', '0'],
    };
    assert.deepEqual(
      await valuesOf(Object.fromEntries(Object.entries(expected).map(([name, [formula]]) => [name, formula]))),
      Object.fromEntries(Object.entries(expected).map(([name, [, value]]) => [name, value])),
    );
  });

  it('SCO-07 handles shared formulas, other sheets, a thousand formulas in a chain, and dates counted from 1904', async () => {
    const chain: Record<string, TestCell> = {
      A1: 1,
      C1: { xml: '<c r="C1"><f t="shared" ref="C1:C3" si="0">A1*$A$1+1</f></c>' },
      C2: { xml: '<c r="C2"><f t="shared" si="0"/></c>' },
      C3: { xml: '<c r="C3"><f t="shared" si="0"/></c>' },
      D1: { day: 0 },
      D2: { xml: '<c r="D2" s="1"><f>EDATE(D1,1)</f></c>' },
      E1: "=SUM('Other one'!A1:A3)+C3",
    };
    for (let row = 2; row <= 1_000; row++) chain[`A${row}`] = `=A${row - 1}+1`;
    const template = await workbookKind(
      {
        from1904: true,
        sheets: { S: chain, 'Other one': { A1: '=S!A1000', A2: 5 } },
        names: { Last: 'S!$A$1000', Shared: 'S!$C$3', Day: 'S!$D$1', Later: 'S!$D$2', Total: 'S!$E$1' },
      },
      {
        items: [
          { ScoreItemTemplate: 'Last', ValueType: 'Int' },
          { ScoreItemTemplate: 'Shared', ValueType: 'Int' },
          { ScoreItemTemplate: 'Day', ValueType: 'Date' },
          { ScoreItemTemplate: 'Later', ValueType: 'Date' },
          money('Total'),
        ],
      },
    );
    const score = await post('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: await newLoan(),
      Day: '2024-01-31',
    });
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [
        items['Last']?.['ScoreInt'],
        items['Shared']?.['ScoreInt'],
        items['Later']?.['ScoreDate'],
        items['Total']?.['ScoreMoney'],
      ],
      [1_000, 4, '2024-02-29', 1_009],
    );
    assert.match(await renderedPart(score), /<c r="D1" s="1"><v>43860<\/v><\/c>/);
  });

  it("SCO-07 now and today come from the platform's clock", async () => {
    const values = await valuesOf({
      Day: '=TEXT(TODAY(),"yyyy-mm-dd")',
      Now: '=IF(AND(NOW()>=TODAY(),NOW()<TODAY()+1),"today","other")',
    });
    assert.match(String(values['Day']), /^\d{4}-\d\d-\d\d$/);
    assert.ok(
      Math.abs(Date.parse(String(values['Day'])) - on.platform.clock.milliseconds()) < 2 * 86_400_000,
      "it is the day of the platform's clock",
    );
    assert.equal(values['Now'], 'today');
  });

  it('SCO-07 errors are reported with the cell and their origin; circles and excessive work stop the calculation', async () => {
    const named = { Total: 'S!$A$1' };
    const cases: readonly (readonly [Record<string, TestCell>, RegExp])[] = [
      [{ A1: '=A2+1', A2: '=1/A3' }, /#DIV\/0! in Total \(S!A1\), which arose in S!A2/],
      [{ A1: '=INDIRECT("A2")' }, /#NAME\? in Total \(S!A1\): INDIRECT is not calculated here/],
      [{ A1: '=WEBSERVICE("http://127.0.0.1:9/x")' }, /WEBSERVICE is not calculated here/],
      [{ A1: '=RAND()' }, /RAND is not calculated here/],
      [{ A1: '=SUMM(A2)' }, /there is no function SUMM \(did you mean SUM/],
      [{ A1: '=[1]Other!A1' }, /refers to another workbook/],
      [{ A1: "='C:\\[x.xlsx]Other'!A1" }, /refers to another workbook/],
      [{ A1: '=A2*2', A2: 'words' }, /#VALUE! in Total .*expected a number, found text/],
      [{ A1: '=A2&"x"', A2: '=REPT("abc",99999)' }, /arose in S!A2: a text would be longer than 32767/],
      [{ A1: '=NoSuchName+1' }, /there is no name NoSuchName/],
      [{ A1: '="abc"' }, /must have a number in Total \(S!A1\)/],
      [{ A1: '=A2', A2: '=B7', B7: '=A1' }, /in a circle: S!A1 → S!A2 → S!B7 → S!A1/],
      [{ A1: '=SUM(A1:XFD1048576)' }, /in a circle: S!A1 → S!A1/],
      [{ A1: '=SUM(B1:XFD1048576)', XFD1048576: 1 }, /S!A1: a range has \d+ cells, more than the 100000/],
      [{ A1: '=Loop' }, /Loop/],
      [{ A1: `=${'('.repeat(300)}1${')'.repeat(300)}` }, /brackets are nested more than 200 deep/],
      [{ A1: `=1${'+1'.repeat(600)}` }, /more than 500 signs/],
    ];
    for (const [cells, words] of cases)
      assert.match(
        await refusal({ sheets: { S: cells }, names: { ...named, Loop: 'Loop+1' } }),
        words,
        JSON.stringify(cells).slice(0, 100),
      );
    const heavy: Record<string, TestCell> = { A1: '=SUM(C1:C60)', B30000: 1 };
    for (let row = 1; row <= 60; row++) heavy[`C${row}`] = `=SUMPRODUCT(B1:B30000*${row})`;
    assert.match(await refusal({ sheets: { S: heavy }, names: named }), /the workbook takes more than 3000000 steps/);
  });

  it('SCO-07 refuses workbooks that contain macros, reference anything outside, are damaged or are zip bombs', async () => {
    const plain = { sheets: { S: { A1: '=1' } }, names: { Total: 'S!$A$1' } } as const;
    assert.match(
      await refusal({ ...plain, mainType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' }),
      /contains macros/,
    );
    assert.match(
      await refusal({ ...plain, parts: { 'xl/vbaProject.bin': 'x' } }),
      /vbaProject.bin: macros, other workbooks/,
    );
    assert.match(
      await refusal({ ...plain, parts: { 'xl/externalLinks/externalLink1.xml': '<x/>' } }),
      /externalLink1.xml/,
    );
    assert.match(await refusal({ ...plain, parts: { 'xl/connections.xml': '<x/>' } }), /connections.xml/);
    assert.match(
      await refusal({ ...plain, parts: { 'xl/worksheets/sheet1.xml': Buffer.alloc(20 * 1024 * 1024, ' ') } }),
      /unpacks to more than 250 times its size/,
    );
    assert.match(
      await refusal({ ...plain, parts: { 'xl/worksheets/sheet1.xml': '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>' } }),
      /DOCTYPE/,
    );
    const whole = await testWorkbook(plain);
    assert.match(await refusal(whole.subarray(0, whole.length - 40)), /cut off or is damaged/);
    assert.match(await refusal(Buffer.from('no workbook')), /workbook cannot be read/);
  });

  it('SCO-07 names that are missing, refer to no cell or hold something else are reported with the available names', async () => {
    const sheets = { S: { A1: '=B1*2', B1: 5, B2: { day: 1 } } } as const;
    const names = {
      Total: 'S!$A$1',
      Income: 'S!$B$1',
      Begun: 'S!$B$2',
      Area: 'S!$A$1:$B$2',
      Away: '[1]S!$A$1',
      Gone: '#REF!',
    };
    const kindWith = (EngineParameters: string): Kind => ({
      values: { EngineParameters },
      items: [money('Total'), { ScoreItemTemplate: 'Income' }, { ScoreItemTemplate: 'Begun' }],
    });
    assert.match(
      await saveRefusal({ sheets, names }, kindWith('Incone = Income')),
      /no cell named Incone \(did you mean Income\?\); its named cells are Total, Income, Begun\./,
    );
    assert.match(
      await saveRefusal({ sheets, names }, kindWith('Area = Income')),
      /the name Area, which points to a range; expected one cell/,
    );
    assert.match(
      await saveRefusal({ sheets, names }, kindWith('Away = Income')),
      /the name Away, which cannot be followed: it refers to another workbook/,
    );
    assert.match(await saveRefusal({ sheets, names }, kindWith('Gone = Income')), /the name Gone, which/);
    assert.match(
      await refusal({ sheets, names: { Income: 'S!$B$1' } }),
      /has no formula in a cell named after an item or the score; its named cells are Income\./,
    );
    const template = await workbookKind({ sheets, names }, kindWith(''));
    const loan = await newLoan();
    for (const [item, words] of [
      [{ Income: 'a lot' }, /takes a number, as the workbook has there in Income \(S!B1\)/],
      [{ Begun: 'soon' }, /takes a date from 1900 on, such as 2026-01-31, in Begun \(S!B2\)/],
    ] as const) {
      assert.match(
        (await refused('score/savecalculate', { Template: template.name, Object: 'Loan', ObjectID: loan, ...item }))
          .Message,
        words,
      );
    }
    assert.equal(
      (await refused('scoretemplate/save', { ID: template.id, EngineParameters: 'just words' })).Field,
      'EngineParameters',
    );
    const bare = await newTemplate({ ScoreEngine: 'WorkbookEngine' }, [money('Total')]);
    assert.match(
      (await refused('score/calculate', { Template: bare.name, Object: 'Loan', ObjectID: loan })).Message,
      /RenderID of the template names the document/,
    );
    const stray = await post('attachment/save', {
      Object: 'Loan',
      ObjectID: loan,
      FileName: 'x.xlsx',
      Content: (await testWorkbook({ sheets, names })).toString('base64'),
    });
    assert.match(
      (await refused('scoretemplate/save', { ID: bare.id, RenderID: stray['AttachmentID'] })).Message,
      /belongs to no ScoreTemplate/,
    );
  });

  it('SCO-07 AttachmentID selects a workbook without storing a copy, and its names can create a score template', async () => {
    const holder = await workbookKind({
      sheets: { S: { A1: '=B1*2', B1: 21, B2: { day: 1 } } },
      names: { Score: 'S!$A$1', 'Net.Income': 'S!$B$1', Begun: 'S!$B$2' },
    });
    const [{ id } = { id: 0 }] = await on.platform.store.query<{ id: number }>(
      'select renderid as id from scoretemplate where scoretemplateid = $1::bigint',
      [holder.id],
    );
    const made = await post('scoretemplate/create', {
      ScoreTemplate: 'Made of a workbook',
      AppliesTo: 'Loan',
      ScoreEngine: 'WorkbookEngine',
      EngineParameters: `AttachmentID = ${id}`,
    });
    assert.equal(made['ValueType'], 'Float');
    const score = await get(
      `score/calculate?ScoreTemplateID=${String(made['ScoreTemplateID'])}&Object=Loan&ObjectID=${await newLoan()}`,
    );
    assert.deepEqual([score['ScoreFloat'], score['RenderID']], [42, undefined]);
  });

  it('SCO-07 masked items enter the calculation, but neither they nor values derived from them are in the stored workbook', async () => {
    const template = await workbookKind(
      {
        sheets: {
          S: { A1: 'x', A2: '=A1&"-copy"', A3: '=LEN(A2)', A4: '=RIGHT(A1,4)&"secret"', A5: '=LEN(A4)', B1: '=1+1' },
        },
        names: { Account: 'S!$A$1', Length: 'S!$A$3', Derived: 'S!$A$4', Free: 'S!$B$1' },
      },
      {
        items: [
          { ScoreItemTemplate: 'Account', Mask: '*####' },
          { ScoreItemTemplate: 'Length', ValueType: 'Int' },
          { ScoreItemTemplate: 'Derived', Mask: '*##' },
          { ScoreItemTemplate: 'Free', ValueType: 'Int' },
        ],
      },
    );
    const score = await post('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: await newLoan(),
      Account: 'ZZTOP98765',
    });
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [items['Length']?.['ScoreInt'], items['Account']?.['ScoreChar'], items['Derived']?.['ScoreChar']],
      [15, '***8765', '***et'],
    );
    const sheet = await renderedPart(score);
    assert.doesNotMatch(sheet, /ZZTOP|8765|secret<|copy</);
    assert.match(
      sheet,
      /<c r="A3"><v>15<\/v><\/c>/,
      'an item without a mask is shown, without the formula that would be calculated from nothing',
    );
    assert.match(sheet, /<c r="B1"><f>1\+1<\/f><v>2<\/v><\/c>/);
    assert.equal(sheet.match(/>hidden</g)?.length, 4);
  });

  it('SCO-07 two concurrent calculations store one score and one document', async () => {
    const template = await workbookKind({
      sheets: { S: { A1: '=B1*2', B1: 5 } },
      names: { Total: 'S!$A$1', UPBAmount: 'S!$B$1' },
    });
    const loan = await newLoan({ UPBAmount: '7' });
    const answers = await Promise.all(
      [1, 2, 3].map(() => send('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: loan })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
      answers.map(({ text }) => text).join('\n'),
    );
    const score = await calculate(template, loan);
    assert.equal(await countOf("attachment where object = 'Score' and objectid = $1::bigint", score['ScoreID']), 1);
    assert.match(await renderedPart(score), /<v>14<\/v>/);
  });

  it('SCO-07 calculating needs no permission to save documents, and a failing calculation keeps the previous document', async () => {
    const template = await workbookKind(
      { sheets: { S: { A1: '=10/B1', B1: 5 } }, names: { Total: 'S!$A$1', Divisor: 'S!$B$1' } },
      { items: [money('Total'), money('Divisor')] },
    );
    const loan = await newLoan();
    const staff = await on.user('staff with workbooks', 'Staff');
    const score = await post(
      'score/savecalculate',
      { Template: template.name, Object: 'Loan', ObjectID: loan, Divisor: 4 },
      staff.caller,
    );
    await post('score/save', { ID: score['ScoreID'], Divisor: 0 });
    assert.match((await refused('score/calculate', { ID: score['ScoreID'] })).Message, /#DIV\/0! in Total \(S!A1\)/);
    assert.match(await renderedPart(score), /<v>2.5<\/v>/);
  });
});
