import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { money, scoreCalls } from '../../support/rules/scores.ts';

const on = await testPlatform({ after });
const { post, get, send, refused, newTemplate, newLoan, calculate, itemsOf, countOf } = scoreCalls(on);
type Body = Record<string, unknown>;

describe('calculating scores', () => {
  it('SCO-01 SCO-06 evaluates expressions on the record: finds or creates the score and saves its value and items in one call', async () => {
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        ValueType: 'Money',
        Repeatable: 'One',
        EngineParameters: 'Reserve = UPBAmount * 0.1\nScore = UPBAmount - Reserve',
      },
      [money('Reserve')],
    );
    const loan = await newLoan({ UPBAmount: '123456.78' });
    const score = await calculate(template, loan);
    assert.equal(score['ScoreMoney'], 111111.102);
    assert.equal(score['Score'], template.name);
    assert.equal(score['Confidence'], 1);
    assert.equal(score['Version'], 1, 'a new score is written once');
    assert.equal((await itemsOf(score['ScoreID']))['Reserve']?.['ScoreMoney'], 12345.678);
    await post('loan/save', { ID: loan, UPBAmount: '100' });
    const again = await calculate(template, loan);
    assert.equal(again['ScoreID'], score['ScoreID'], 'One reuses the score');
    assert.equal(again['ScoreMoney'], 90);
    assert.equal((await itemsOf(score['ScoreID']))['Reserve']?.['ScoreMoney'], 10);
  });

  it('SCO-01 Repeatable Many creates a new score each time, OneActive until the score is final', async () => {
    const many = await newTemplate(
      { ScoreEngine: 'ExpressionEngine', Repeatable: 'Many', EngineParameters: 'N = coalesce(N, 0) + 1' },
      [{ ScoreItemTemplate: 'N', ValueType: 'Int' }],
    );
    const active = await newTemplate(
      { ScoreEngine: 'ExpressionEngine', Repeatable: 'OneActive', EngineParameters: 'N = coalesce(N, 0) + 1' },
      [{ ScoreItemTemplate: 'N', ValueType: 'Int' }],
    );
    const loan = await newLoan();
    const n = async (score: Body): Promise<unknown> => (await itemsOf(score['ScoreID']))['N']?.['ScoreInt'];
    const [a, b] = [await calculate(many, loan), await calculate(many, loan)];
    assert.notEqual(a['ScoreID'], b['ScoreID']);
    assert.equal(await n(b), 1);
    const [c, d] = [await calculate(active, loan), await calculate(active, loan)];
    assert.equal(c['ScoreID'], d['ScoreID']);
    assert.equal(await n(d), 2, 'the previous values are visible');
    await post('score/update', { ID: Number(d['ScoreID']), Status: 'Closed' });
    const e = await calculate(active, loan);
    assert.notEqual(e['ScoreID'], d['ScoreID']);
    assert.equal(await n(e), 1, 'those of a final score are not');
  });

  it('SCO-12 calculate with ID recalculates that score in place, regardless of Repeatable', async () => {
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        ValueType: 'Int',
        Repeatable: 'Many',
        EngineParameters: 'Score = coalesce(number(A), 0) * 2',
      },
      [{ ScoreItemTemplate: 'A', ValueType: 'Int' }],
    );
    const loan = await newLoan();
    const saved = await post('score/save', { Template: template.name, Object: 'Loan', ObjectID: loan, A: 21 });
    const before = await countOf('score');
    const score = await get(`score/calculate?ID=${String(saved['ScoreID'])}`);
    assert.deepEqual([score['ScoreID'], score['ScoreInt'], await countOf('score')], [saved['ScoreID'], 42, before]);
    assert.equal((await refused('score/calculate', { ID: 999_999_999 })).Code, 'NOT_FOUND');
  });

  it('SCO-01 with a signature as Method, its result is the input, filled in from score, record and request; the request never takes precedence', async () => {
    await post('statement/save', {
      Statement: 'Balances',
      ClassName: 'Loan',
      Query:
        'select UPBAmount as Balance, {Note} as Note, {Kind} as Kind, {Number} as Number ' +
        'from Loan where LoanID = {LoanID}',
    });
    const method = 'Loan/Balances?LoanID={ObjectID}&Note={Note}&Kind={ScoreTemplateID}&Number={Loan}';
    const template = await newTemplate({ ScoreEngine: 'ApiEngine', Method: method }, [
      money('Balance'),
      { ScoreItemTemplate: 'Note' },
      { ScoreItemTemplate: 'Kind' },
      { ScoreItemTemplate: 'Number' },
    ]);
    const loan = await newLoan({ UPBAmount: '77.5' });
    const score = await calculate(template, loan, '&Note=from%26the=request&Loan=999');
    const items = await itemsOf(score['ScoreID']);
    assert.equal(items['Balance']?.['ScoreMoney'], 77.5);
    assert.equal(items['Note']?.['ScoreChar'], 'from&the=request');
    assert.equal(items['Kind']?.['ScoreChar'], String(template.id));
    assert.match(String(items['Number']?.['ScoreChar']), /^81000/);
  });

  it('SCO-01 with the word Parameters as Method, the parameters of the request are the input, hostile names included', async () => {
    const template = await newTemplate({ ScoreEngine: 'ApiEngine', Method: 'parameters', ValueType: 'Money' }, [
      money('Net Income'),
      { ScoreItemTemplate: 'Path', XPath: '//Nested' },
    ]);
    const loan = await newLoan();
    const sent = JSON.parse(
      `{"Template":"${template.name}","Object":"Loan","ObjectID":${loan},"NetIncome":"12.5","Value":"1,250.00",` +
        '"Nested":"<a>&</a>","__proto__":"x","constructor":"y","toString":"z","a b":"1"}',
    ) as object;
    const score = await post('score/calculate', sent);
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [score['ScoreMoney'], items['Net Income']?.['ScoreMoney'], items['Path']?.['ScoreChar']],
      [1250, 12.5, '<a>&</a>'],
    );
  });

  it('SCO-11 an item with an XPath takes its value from the input before the engine runs', async () => {
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        ValueType: 'Int',
        EngineParameters: "Score = City = 'Austin'\nScore = if(City = 'Austin', Borrowers, 0)",
      },
      [
        { ScoreItemTemplate: 'City', XPath: '//Property/City', Prompt: 'Where?', Label: 'Place' },
        { ScoreItemTemplate: 'Borrowers', ValueType: 'Int', XPath: 'count(//Borrowers/ContactItem)' },
        { ScoreItemTemplate: 'Absent', XPath: '//Nowhere' },
      ],
    );
    const loan = await newLoan({ Property_City: 'Austin', Borrowers_0_LastName: 'One', Borrowers_1_LastName: 'Two' });
    const score = await calculate(template, loan);
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [score['ScoreInt'], items['City']?.['ScoreChar'], items['Borrowers']?.['ScoreInt'], items['Absent']],
      [2, 'Austin', 2, undefined],
    );
    const bad = await refused('scoreitemtemplate/save', {
      ScoreTemplateID: template.id,
      ScoreItemTemplate: 'Bad',
      XPath: '//a[',
    });
    assert.deepEqual([bad.status, bad.Code], [400, 'BAD_XPATH']);
  });

  it('SCO-10 the API engine saves every column that matches the score or an item, and ignores the others', async () => {
    await post('statement/save', {
      Statement: 'ScoreFeed',
      ClassName: 'Loan',
      Query:
        'select 0.75 as Confidence, \'AB\' as Grade, 12.34 as "Monthly Debt", 0.5 as MonthlyDebtConfidence, ' +
        "'x' as Other, 500 as ScoreInt from Loan where LoanID = {ObjectID}",
    });
    const template = await newTemplate(
      { ScoreEngine: 'apiengine', ValueType: '1', Method: 'Loan/ScoreFeed?ObjectID={ObjectID}' },
      [
        { ScoreItemTemplate: 'Grade', ValueType: 'Enumerated', Enumeration: 'AB|CD' },
        money('Monthly Debt'),
        money('Untouched'),
      ],
    );
    const score = await calculate(template, await newLoan());
    const items = await itemsOf(score['ScoreID']);
    assert.equal(score['ScoreInt'], 500);
    assert.deepEqual(
      [
        items['Grade']?.['ScoreChar'],
        items['Monthly Debt']?.['ScoreMoney'],
        items['Monthly Debt']?.['Confidence'],
        Object.keys(items).length,
      ],
      ['AB', 12.34, 0.5, 2],
    );
    assert.equal(score['Confidence'], 0.75, 'the average of 1 and a half');
  });

  it('SCO-08 a nested score is calculated first and provides the value of its item', async () => {
    const inner = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        ValueType: 'Money',
        EngineParameters: 'X = UPBAmount / 4\nX.Confidence = 0.4\nScore = X',
      },
      [money('X')],
    );
    const outer = await newTemplate(
      { ScoreEngine: 'ExpressionEngine', ValueType: 'Money', EngineParameters: 'Score = Part + 1' },
      [money('Part')],
    );
    const loan = await newLoan({ UPBAmount: '400' });
    const child = Number((await calculate(inner, loan))['ScoreID']);
    const parent = Number(
      (await post('score/save', { Template: outer.name, Object: 'Loan', ObjectID: loan, Part: 0 }))['ScoreID'],
    );
    const [part] = Object.values(await itemsOf(parent));
    await post('scoreitem/save', { ID: Number(part?.['ScoreItemID']), ChildScoreID: child });
    await post('loan/save', { ID: loan, UPBAmount: '800' });
    const score = await get(`score/calculate?ID=${parent}`);
    assert.deepEqual([score['ScoreMoney'], score['Confidence']], [201, 0.4]);
    assert.equal((await get(`score/select?ID=${child}`))['ScoreMoney'], 200);
    assert.equal((await itemsOf(parent))['Part']?.['Confidence'], 0.4);
  });

  it('SCO-08 scores cannot be nested in themselves, even when two concurrent callers close the circle, nor too deep', async () => {
    const template = await newTemplate({ ScoreEngine: 'ExpressionEngine', EngineParameters: 'A = 1' }, [money('A')]);
    const loan = await newLoan();
    const scores: { score: number; item: number }[] = [];
    for (let n = 0; n < 12; n++) {
      const score = Number((await calculate(template, loan))['ScoreID']);
      scores.push({ score, item: Number(Object.values(await itemsOf(score))[0]?.['ScoreItemID']) });
    }
    const tie = (from: number, to: number): ReturnType<typeof send> =>
      send('scoreitem/save', { ID: scores[from]?.item, ChildScoreID: scores[to]?.score });
    const itself = await tie(0, 0);
    assert.equal(itself.status, 400);
    assert.match(itself.text, /ChildScoreID: expected a score that does not contain this one/);
    const answers = await Promise.all([tie(0, 1), tie(1, 2), tie(2, 0)]);
    assert.equal(
      answers.filter((answer) => answer.status === 200).length,
      2,
      answers.map((answer) => answer.text).join('\n'),
    );
    await Promise.all([0, 1, 2].map((n) => post('scoreitem/save', { ID: scores[n]?.item, ChildScoreID: '' })));
    for (let n = 0; n < 11; n++) assert.equal((await tie(n, n + 1)).status, 200);
    assert.equal((await refused('score/calculate', { ID: scores[0]?.score })).Code, 'CHAIN_TOO_DEEP');
    assert.equal((await send('score/calculate', { ID: scores[2]?.score })).status, 200);
  });

  it('SCO-01 an unused parameter is reported with those that the Method references; a used one is not', async () => {
    const parameters = await newTemplate({
      ScoreEngine: 'ExpressionEngine',
      ValueType: 'Money',
      Method: 'Parameters',
      EngineParameters: 'Score = Income',
    });
    const method = await newTemplate({
      ScoreEngine: 'ExpressionEngine',
      ValueType: 'Money',
      Method: 'Loan/Select?ID={Chosen}',
      EngineParameters: 'Score = UPBAmount',
    });
    const record = await newTemplate({
      ScoreEngine: 'ExpressionEngine',
      ValueType: 'Money',
      EngineParameters: 'Score = UPBAmount',
    });
    const loan = await newLoan({ UPBAmount: '40' });
    const unused = (body: Body): string[] =>
      ((body['Alerts'] ?? []) as { Code: string; Text: string }[])
        .filter(({ Code }) => Code === 'PARAMETER_UNUSED')
        .map(({ Text }) => Text);
    assert.deepEqual(
      unused(await calculate(parameters, loan, '&Income=5&Debt=6')),
      [],
      'all submitted parameters are the input',
    );
    assert.deepEqual(unused(await calculate(method, loan, `&chosen=${loan}`)), []);
    assert.deepEqual(unused(await calculate(method, loan, `&Chosen=${loan}&Choosen=1&Colour=red`)), [
      'Not used: Choosen (did you mean Chosen?), Colour; the Method references Chosen.',
    ]);
    assert.deepEqual(unused(await calculate(record, loan, '&UPBAmount=7')), [
      'Not used: UPBAmount; the Method references no parameter.',
    ]);
    assert.equal((await calculate(record, loan, '&UPBAmount=7'))['ScoreMoney'], 40);
  });
});
