import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { scoreEngineConformance } from '../../../src/contracts/conformance/score-engine.ts';
import { SCORE_ENGINE, type EngineScore } from '../../../src/contracts/score-engine.ts';
import { matrixEngine } from '../../../src/providers/score-engine/matrix/matrix-engine.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after });
type Body = Record<string, unknown>;

const send = (path: string, body: object): Promise<TestAnswer> => on.admin.post(`/api/${path}?Output=Json`, body);
async function post(path: string, body: object): Promise<Body> {
  const answer = await send(path, body);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.json();
}
const rowsOf = (body: Body): Body[] => Object.values(Object.values(body)[0] as Record<string, Body[]>)[0] ?? [];
const messageOf = (answer: TestAnswer): string =>
  (answer.json() as never as { Error: { Message: string } }).Error.Message;

const template = Number(
  (
    await post('scoretemplate/save', { ScoreTemplate: 'Risk', AppliesTo: 'Loan', ValueType: 'Int', Repeatable: 'Many' })
  )['ScoreTemplateID'],
);
for (const [n, item] of [
  { ScoreItemTemplate: 'Net Income %', ValueType: 'Money', Label: 'Income' },
  { ScoreItemTemplate: 'Grade', ValueType: 'Enumerated', Enumeration: 'A|B' },
].entries())
  await post('scoreitemtemplate/save', { ScoreTemplateID: template, Sequence: n, ...item });
const loans: number[] = [];
for (let n = 1; n <= 30; n++) {
  const loan = Number(
    (
      await post('loan/save', {
        Loan: String(830_000_000 + n),
        UPBAmount: n * 1000,
        Status: n % 2 === 0 ? 'Even' : 'Odd',
      })
    )['LoanID'],
  );
  loans.push(loan);
  await post('score/save', {
    ScoreTemplateID: template,
    Object: 'Loan',
    ObjectID: loan,
    ScoreInt: n,
    NetIncome: n + 0.5,
    ...(n === 3 ? {} : { Grade: n % 2 === 0 ? 'A' : 'B', GradeConfidence: '0.5' }),
    Status: n <= 5 ? 'Draft' : 'Final',
  });
}

describe('reading scores in bulk', () => {
  it('SCO-05 pivotbytemplate returns one row per score with a column for each item and its confidence, page by page', async () => {
    const body = await post('score/pivotbytemplate', {
      Template: 'Risk',
      DisplaySize: 4,
      OrderBy: '-ScoreInt',
      Status: 'Draft',
    });
    const rows = rowsOf(body);
    assert.deepEqual(
      rows.map((row) => [
        row['ScoreInt'],
        row['NetIncome'],
        row['NetIncomeConfidence'],
        row['Grade'],
        row['GradeConfidence'],
        row['RecordCount'],
      ]),
      [
        [5, 5.5, undefined, 'B', 0.5, 5],
        [4, 4.5, undefined, 'A', 0.5, 5],
        [3, 3.5, undefined, undefined, undefined, 5],
        [2, 2.5, undefined, 'A', 0.5, 5],
      ],
    );
    assert.deepEqual(
      rowsOf(
        await post('score/pivotbytemplate', {
          ScoreTemplateID: template,
          RecordStart: 4,
          OrderBy: '-ScoreInt',
          Status: 'Draft',
        }),
      ).map((row) => row['ScoreInt']),
      [1],
    );
    assert.equal(rowsOf(await post('score/pivotbytemplate', { Template: 'Risk' })).length, 25);
    assert.deepEqual(
      rowsOf(await post(`loan/${loans[6] ?? 0}/score/pivotbytemplate`, { Template: 'Risk' })).map(
        (row) => row['ScoreInt'],
      ),
      [7],
      'below a record',
    );
  });

  it('SCO-05 SafeName=false names columns like the items, and every output format stays well-formed', async () => {
    const [row] = rowsOf(await post('score/pivotbytemplate', { Template: 'Risk', SafeName: false, DisplaySize: 1 }));
    assert.deepEqual(
      [row?.['Net Income %'], row?.['Net Income %Confidence'] ?? null, row?.['NetIncome']],
      [1.5, null, undefined],
    );
    const csv = (await on.admin.get('/api/score/pivotbytemplate?Template=Risk&SafeName=false&Output=Csv&DisplaySize=1'))
      .text;
    assert.match(csv.split('\r\n')[0] ?? '', /,Net Income %,Net Income %Confidence,Grade,GradeConfidence/);
    const xml = await on.admin.get('/api/score/pivotbytemplate?Template=Risk&SafeName=false&Output=Xml&DisplaySize=1');
    assert.match(xml.text, /<Net_Income__>1\.5<\/Net_Income__>/);
  });

  it('SCO-05 analyzebytemplate adds the columns of the scored records, one row per score', async () => {
    const rows = rowsOf(
      await post('score/analyzebytemplate', {
        Template: 'Risk',
        RecordColumns: 'Loan,UPBAmount',
        ScoreInt: '>=29',
        OrderBy: 'ScoreInt',
      }),
    );
    assert.deepEqual(
      rows.map((row) => [
        row['Loan_Loan'],
        row['Loan_UPBAmount'],
        row['Loan_Status'],
        row['ScoreInt'],
        row['NetIncome'],
      ]),
      [
        ['830000029', 29_000, undefined, 29, 29.5],
        ['830000030', 30_000, undefined, 30, 30.5],
      ],
    );
    const columns = await send('score/analyzebytemplate', { Template: 'Risk', RecordColumns: 'UPBAmuont' });
    assert.match(messageOf(columns), /Loan has no column UPBAmuont. Did you mean UPBAmount/);
    const open = Number((await post('scoretemplate/save', { ScoreTemplate: 'Any parent' }))['ScoreTemplateID']);
    assert.match(
      messageOf(await send('score/analyzebytemplate', { ScoreTemplateID: open })),
      /^Object: Any parent applies to any record type/,
    );
    assert.deepEqual(rowsOf(await post('score/analyzebytemplate', { ScoreTemplateID: open, Object: 'Loan' })), []);
  });

  it('SCO-05 analyzebyobject returns one row per value, for all templates', async () => {
    await post('scoretemplate/save', {
      ScoreTemplate: 'Second',
      Items_0_ScoreItemTemplate: 'Flag',
      Items_0_ValueType: 'Boolean',
    });
    await post('score/save', { Template: 'Second', Object: 'Loan', ObjectID: loans[0], Flag: true });
    const rows = rowsOf(
      await post('score/analyzebyobject', {
        Object: 'Loan',
        ObjectID: `${loans[0]},${loans[2]}`,
        RecordColumns: 'Status',
      }),
    );
    assert.deepEqual(
      rows.map((row) => [
        row['Loan_Status'],
        row['ScoreTemplate'],
        row['ScoreItemTemplate'],
        row['Label'],
        row['ValueType'],
        row['Value'],
        row['Confidence'],
      ]),
      [
        ['Odd', 'Risk', 'Net Income %', 'Income', 'Money', '1.5', undefined],
        ['Odd', 'Risk', 'Grade', undefined, 'Enumerated', 'B', 0.5],
        ['Odd', 'Second', 'Flag', undefined, 'Boolean', 'true', undefined],
        ['Odd', 'Risk', 'Net Income %', 'Income', 'Money', '3.5', undefined],
      ],
    );
    assert.equal(rowsOf(await post('score/analyzebyobject', { Object: 'Loan', Template: 'Second' })).length, 1);
    assert.equal(
      rowsOf(await post('score/analyzebyobject', { Object: 'Loan', DisplaySize: 1000, RecordStart: 50 })).length,
      10,
    );
    assert.equal(rowsOf(await post('score/analyzebyobject', { Object: 'Process' })).length, 0);
    assert.match(
      messageOf(await send('score/analyzebyobject', { Object: 'Loan', DisplaySize: 1001 })),
      /DisplaySize: expected/,
    );
    assert.match(messageOf(await send('score/analyzebyobject', { Object: 'Nothing' })), /Object: no record type/);
  });

  it('SCO-05 an unknown template and unknown filters are refused with the nearest names', async () => {
    assert.match(messageOf(await send('score/pivotbytemplate', { Template: 'Rsik' })), /Did you mean Risk/);
    assert.match(messageOf(await send('score/pivotbytemplate', {})), /^Template: name the scorecard/);
    assert.match(
      messageOf(await send('score/pivotbytemplate', { Template: 'Risk', Statsu: 'x' })),
      /Statsu: Score has no such column. Did you mean Status/,
    );
    assert.equal((await send('score/pivotbytemplate', { ScoreTemplateID: 999_999 })).status, 400);
  });

  it('SCO-05 SCO-01 an analysis can be the input of another score, called as a method signature', async () => {
    const total = Number(
      (
        await post('scoretemplate/save', {
          ScoreTemplate: 'Of the first',
          ScoreEngine: 'ExpressionEngine',
          ValueType: 'Money',
          Method: 'Score/PivotByTemplate?Template=Risk&Object={Object}&ObjectID={ObjectID}',
          EngineParameters: 'Score = NetIncome * 2',
        })
      )['ScoreTemplateID'],
    );
    assert.equal(
      (await post('score/calculate', { ScoreTemplateID: total, Object: 'Loan', ObjectID: loans[9] }))['ScoreMoney'],
      21,
    );
  });
});

describe('score templates created by engines', () => {
  it('SCO-06 SCO-09 a matrix decides: its inputs are items or fields of the record, its outputs become items, and without a matching row nothing is set', async () => {
    await post('matrix/save', {
      Matrix: 'Pricing',
      Dimensions: [
        { MatrixDimension: 'Client Grade', Weight: 10 },
        { MatrixDimension: 'UPB Amount', Weight: 5, ValueType: 'Number' },
      ],
      Measures: [
        { MatrixMeasure: 'Unit Price', ValueType: 'Money' },
        { MatrixMeasure: 'Value', ValueType: 'Number' },
      ],
      Facts: [
        ['Client Grade', 'A', 1],
        ['Unit Price', '90', 1],
        ['Value', '1', 1],
        ['Client Grade', 'A', 2],
        ['UPB Amount', '>10K', 2],
        ['Unit Price', '95.5', 2],
        ['Value', '2', 2],
      ].map(([MatrixFact, Cell, RowNumber]) => ({ MatrixFact, Cell, RowNumber })),
    });
    const made = await post('scoretemplate/create', {
      ScoreTemplate: 'Priced',
      ScoreEngine: 'MatrixEngine',
      EngineParameters: 'Pricing\nClientGrade = Grade',
      AppliesTo: 'Loan',
      Repeatable: 'One',
    });
    assert.equal(made['ValueType'], 'Float', 'the type of the output Value');
    await post('scoreitemtemplate/save', { ScoreTemplateID: made['ScoreTemplateID'], ScoreItemTemplate: 'Grade' });
    const items = rowsOf(
      await post('scoreitemtemplate/search', {
        ScoreTemplateID: made['ScoreTemplateID'],
        OrderBy: 'ScoreItemTemplateID',
      }),
    );
    assert.deepEqual(
      items.map((item) => [item['ScoreItemTemplate'], item['ValueType']]),
      [
        ['Client Grade', 'String'],
        ['UPB Amount', 'Float'],
        ['Unit Price', 'Money'],
        ['Grade', undefined],
      ],
    );
    const loan = loans[14];
    const score = await post('score/savecalculate', { Template: 'Priced', Object: 'Loan', ObjectID: loan, Grade: 'A' });
    const price = async (): Promise<unknown> =>
      rowsOf(await post('scoreitem/search', { ScoreID: score['ScoreID'], ScoreItem: 'Unit Price' }))[0]?.['ScoreMoney'];
    assert.deepEqual([score['ScoreFloat'], await price()], [2, 95.5], 'the balance of the loan was an input');
    await post('score/save', { ID: score['ScoreID'], Grade: 'Z' });
    const none = await post('score/calculate', { ID: score['ScoreID'] });
    assert.deepEqual([none['ScoreFloat'], await price()], [undefined, undefined]);
    assert.match(
      messageOf(
        await send('scoretemplate/create', {
          ScoreTemplate: 'Nowhere',
          ScoreEngine: 'MatrixEngine',
          EngineParameters: 'No such matrix',
        }),
      ),
      /there is no matrix "No such matrix"/,
    );
  });

  it('SCO-09 the MatrixEngine fulfills the contract', async () => {
    let checked = 0;
    on.platform.providers.register(SCORE_ENGINE, 'ConformanceEngine', {
      doc: "Checks the engine of matrices in a call's own context.",
      check: () => undefined,
      getItems: async () => [],
      createTemplate: async () => ({ valueType: undefined, items: [] }),
      async calculate(_data: unknown, { ctx }: EngineScore) {
        const subject = {
          engine: matrixEngine,
          parameters: 'Pricing\nClientGrade = Debt',
          badParameters: 'Pricing\nno sign',
          items: [
            { name: 'Unit Price', valueType: 'Money' as const },
            { name: 'Client Grade', valueType: 'String' as const, value: 'A' },
          ],
          ctx,
        };
        for (const { check } of scoreEngineConformance) await check(subject).then(() => checked++);
        return { kind: 'values', items: new Map() };
      },
    });
    const id = (await post('scoretemplate/save', { ScoreTemplate: 'Conformance', ScoreEngine: 'ConformanceEngine' }))[
      'ScoreTemplateID'
    ];
    await post('score/calculate', { ScoreTemplateID: id, Object: 'Loan', ObjectID: loans[0] });
    assert.equal(checked, scoreEngineConformance.length);
  });

  it('SCO-09 create builds a scorecard from engine parameters: the names in a program become its items', async () => {
    const made = await post('scoretemplate/create', {
      ScoreTemplate: 'Made',
      ScoreEngine: 'ExpressionEngine',
      EngineParameters: "[Net Worth] = Assets - Debts\nGrade = if(NetWorth > 0, 'A', 'B')\nScore = NetWorth > 100",
    });
    assert.equal(made['ValueType'], 'Boolean');
    const items = rowsOf(
      await post('scoreitemtemplate/search', { ScoreTemplateID: made['ScoreTemplateID'], OrderBy: 'Sequence' }),
    );
    assert.deepEqual(
      items.map((item) => [item['ScoreItemTemplate'], item['SafeName'], item['ValueType']]),
      [
        ['Net Worth', 'NetWorth', 'Float'],
        ['Grade', 'Grade', 'String'],
      ],
    );
    assert.equal(
      (
        await send('scoretemplate/create', {
          ScoreTemplate: 'Made',
          ScoreEngine: 'ExpressionEngine',
          EngineParameters: 'A = 1',
        })
      ).status,
      409,
    );
    assert.match(
      messageOf(
        await send('scoretemplate/create', {
          ScoreTemplate: 'Other',
          ScoreEngine: 'Expression',
          EngineParameters: 'A = 1',
        }),
      ),
      /Known: .*ExpressionEngine/,
    );
    const staff = await on.user('staff who may not', 'Staff');
    assert.equal(
      (
        await staff.caller.post('/api/scoretemplate/create?Output=Json', {
          ScoreTemplate: 'X',
          ScoreEngine: 'ExpressionEngine',
          EngineParameters: 'A = 1',
        })
      ).status,
      403,
    );
  });

  it('SCO-11 export and import carry a score template to another installation with its items', async () => {
    const exported = await on.admin.get(`/api/scoretemplate/export?ID=${template}&Output=Xml`);
    assert.equal(exported.status, 200, exported.text);
    for (const word of ['Net Income %', 'Enumerated', 'A|B']) assert.ok(exported.text.includes(word), word);
  });
});
