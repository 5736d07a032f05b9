import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { weightedConfidence } from '../../../src/modules/rules/score/lib/confidence.ts';
import { testPlatform } from '../../support/platform.ts';
import { money, rowsOf, scoreCalls } from '../../support/rules/scores.ts';

const on = await testPlatform({ after });
const { post, get, send, refused, newTemplate, newLoan, calculate, itemsOf, countOf } = scoreCalls(on);

describe('saving scores', () => {
  it('SCO-02 parameters named like an item set that item, creating it if missing; the others are columns', async () => {
    const template = await newTemplate({ ValueType: 'Money', Repeatable: 'One' }, [
      money('Net Income'),
      { ScoreItemTemplate: '1st grade', ValueType: 'Enumerated', Enumeration: 'A,B' },
      { ScoreItemTemplate: 'Sure?', ValueType: 'Boolean', Weight: 3 },
    ]);
    assert.deepEqual(Object.keys(template.items), ['NetIncome', 'N1stgrade', 'Sure']);
    const loan = await newLoan();
    const score = await post('score/save', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: loan,
      netincome: '$1,200.50',
      N1stGrade: 'b',
      SureConfidence: '0.5',
      ScoreMoney: '7',
      Status: 'Draft',
    });
    assert.deepEqual([score['ScoreMoney'], score['Status'], score['Confidence']], [7, 'Draft', 0.7]);
    const items = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [
        items['Net Income']?.['ScoreMoney'],
        items['1st grade']?.['ScoreChar'],
        items['Sure?']?.['ScoreBoolean'],
        items['Sure?']?.['Confidence'],
      ],
      [1200.5, 'B', undefined, 0.5],
    );
    const changed = await post('score/save', { Template: template.name, Object: 'Loan', ObjectID: loan, Sure: 'yes' });
    assert.equal(changed['ScoreID'], score['ScoreID']);
    const after = await itemsOf(score['ScoreID']);
    assert.deepEqual(
      [after['Sure?']?.['ScoreBoolean'], after['Sure?']?.['ScoreItemID'], after['Net Income']?.['Version']],
      [true, items['Sure?']?.['ScoreItemID'], 1],
    );
    assert.equal((await refused('score/save', { ID: score['ScoreID'], NetIncme: 1 })).Code, 'UNKNOWN_PARAMETER');
    assert.match(
      (await refused('score/save', { ID: score['ScoreID'], NetIncome: 'lots' })).Message,
      /^NetIncome: expected a number/,
    );
    assert.match(
      (await refused('score/save', { ID: score['ScoreID'], ScoreInt: 5 })).Message,
      /ScoreInt: expected no value: .* is Money; send its value in ScoreMoney/,
    );
    assert.equal(
      (await refused('score/save', { ID: score['ScoreID'], Version: 1, NetIncome: 1 })).Code,
      'VERSION_CONFLICT',
    );
    const hostile = JSON.parse(`{"ID":${String(score['ScoreID'])},"__proto__":"x"}`) as object;
    assert.equal((await refused('score/save', hostile)).Code, 'UNKNOWN_PARAMETER');
  });

  it('SCO-02 below a record, scores are created on that record, and only its own scores can be changed', async () => {
    const template = await newTemplate({}, [money('A')]);
    const [loan, other] = [await newLoan(), await newLoan()];
    const made = await post(`loan/${loan}/score/save`, { Template: template.name, A: 1 });
    assert.deepEqual([made['Object'], made['ObjectID']], ['Loan', loan]);
    const refusal = await refused(`loan/${other}/score/save/${String(made['ScoreID'])}`, { A: 2 });
    assert.equal(refusal.Code, 'NOT_FOUND');
    const changed = await post(`loan/${loan}/score/save/${String(made['ScoreID'])}`, {
      A: 3,
      SubscriberID: 'score of the loan',
    });
    assert.deepEqual(
      [changed['ScoreID'], changed['ObjectID'], (await itemsOf(made['ScoreID']))['A']?.['ScoreMoney']],
      [made['ScoreID'], loan, 3],
    );
    assert.equal((await post('score/save', { SubscriberID: 'score of the loan', A: 4 }))['ScoreID'], made['ScoreID']);
    assert.equal(
      (await post('score/save', { SubscriberID: 'another', Template: template.name, Object: 'Loan', ObjectID: loan }))[
        'ScoreID'
      ] === made['ScoreID'],
      false,
    );
  });

  it('SCO-02 savecalculate saves the given values and calculates with them, in one call that fails as a whole', async () => {
    const template = await newTemplate(
      { ScoreEngine: 'ExpressionEngine', ValueType: 'Money', EngineParameters: 'Score = Income / Debt' },
      [money('Income'), money('Debt')],
    );
    const loan = await newLoan();
    const score = await post('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: loan,
      Income: 300,
      Debt: 40,
    });
    assert.equal(score['ScoreMoney'], 7.5);
    const count = await countOf('score');
    await refused('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: loan,
      Income: 300,
      Debt: 0,
    });
    assert.equal(await countOf('score'), count);
    assert.equal((await refused('score/savecalculate', { ID: score['ScoreID'], Debt: 5 })).Code, 'DUPLICATE_KEY');
  });

  it('SCO-02 an unknown item name is refused with the known items, and a template for other records with the records it applies to', async () => {
    const template = await newTemplate(
      { ScoreEngine: 'ExpressionEngine', ValueType: 'Money', EngineParameters: 'Score = NetIncome' },
      [money('Net Income'), money('Debt')],
    );
    const sent = { Object: 'Loan', ObjectID: await newLoan() };
    for (const operation of ['score/save', 'score/savecalculate']) {
      const unknown = await refused(operation, { ...sent, Template: template.name, NetIncom: 5 });
      assert.equal(unknown.Code, 'UNKNOWN_PARAMETER');
      assert.match(
        unknown.Message,
        /^NetIncom: Kind \d+ has no item.* Did you mean NetIncome\b.*Items: NetIncome, Debt\./,
      );
    }
    const other = await newTemplate({
      AppliesTo: 'Foreclosure',
      ScoreEngine: 'ExpressionEngine',
      EngineParameters: 'Score = 1',
    });
    for (const operation of ['score/save', 'score/savecalculate', 'score/calculate']) {
      assert.match(
        (await refused(operation, { ...sent, Template: other.name })).Message,
        /no ScoreTemplate for Loan is named "Kind \d+", only for Foreclosure\./,
        operation,
      );
      assert.match(
        (await refused(operation, { ...sent, ScoreTemplateID: other.id })).Message,
        /Kind \d+ is for Foreclosure records, not for Loan\./,
        operation,
      );
    }
    assert.equal(await countOf('score where objectid = $1::bigint', sent.ObjectID), 0);
  });

  it('SCO-02 ambiguous safe names are refused when templates are saved', async () => {
    const template = await newTemplate({}, [money('Net Income')]);
    const item = (name: string): Promise<{ Code: string; Message: string }> =>
      refused('scoreitemtemplate/save', { ScoreTemplateID: template.id, ScoreItemTemplate: name });
    assert.equal((await item('net-income')).Code, 'DUPLICATE_KEY');
    assert.equal((await item('Net Income Confidence')).Code, 'DUPLICATE_KEY');
    for (const name of ['Status', 'Object ID', 'Score', 'ScoreMoney', 'Template', 'Confidence', 'ID', 'Value'])
      assert.match((await item(name)).Message, /which a score already uses/, name);
    assert.match((await item('!!!')).Message, /a letter or digit/);
    const answers = await Promise.all(
      ['A-b', 'Ab', 'a_B'].map((name) =>
        send('scoreitemtemplate/save', { ScoreTemplateID: template.id, ScoreItemTemplate: name }),
      ),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status).sort((a, b) => a - b),
      [200, 409, 409],
    );
  });

  it('SCO-03 ValueType selects the column, by name or code; results contain both', async () => {
    const kinds = [
      ['Money', 'ScoreMoney', 1.5],
      ['Int', 'ScoreInt', 2],
      ['Float', 'ScoreFloat', 2.125],
      ['Boolean', 'ScoreBoolean', true],
      ['String', 'ScoreChar', 'x'],
      ['Date', 'ScoreDate', '2024-01-31'],
      ['Enumerated', 'ScoreChar', 'A'],
    ] as const;
    const template = await newTemplate({});
    for (const [code, [name, column, value]] of kinds.entries()) {
      const byCode = await post('scoreitemtemplate/save', {
        ScoreTemplateID: template.id,
        ScoreItemTemplate: `Code ${code}`,
        ValueType: code,
        Enumeration: 'A',
      });
      const byName = await post('scoreitemtemplate/save', {
        ScoreTemplateID: template.id,
        ScoreItemTemplate: `Name ${code}`,
        ValueType: name.toUpperCase(),
        Enumeration: 'A',
      });
      assert.deepEqual(
        [byCode['ValueType'], byCode['ValueTypeCode'], byName['ValueType'], byName['ValueTypeCode']],
        [name, code, name, code],
      );
      const score = await post('score/save', {
        ScoreTemplateID: template.id,
        [`Code${code}`]: value,
        [`Name${code}`]: value,
      });
      for (const item of Object.values(await itemsOf(score['ScoreID']))) assert.equal(item[column], value, name);
    }
    assert.match(
      (await refused('scoretemplate/save', { ScoreTemplate: 'Odd', ValueType: '7' })).Message,
      /one of Money \(0\), .*Enumerated \(6\)/,
    );
    assert.match(
      (
        await refused('scoreitemtemplate/save', {
          ScoreTemplateID: template.id,
          ScoreItemTemplate: 'Open',
          ValueType: 6,
        })
      ).Message,
      /Enumeration: expected the allowed values/,
    );
  });

  it('SCO-03 saving a single item is validated too: the wrong column, a value that is not allowed and another template are refused', async () => {
    const template = await newTemplate({}, [
      money('M'),
      { ScoreItemTemplate: 'E', ValueType: 'Enumerated', Enumeration: 'A|B' },
    ]);
    const score = await post('score/save', { ScoreTemplateID: template.id, M: 1 });
    const item = (await itemsOf(score['ScoreID']))['M'];
    assert.match(
      (await refused('scoreitem/save', { ID: item?.['ScoreItemID'], ScoreInt: 5 })).Message,
      /^ScoreInt: expected no value: M is Money/,
    );
    assert.equal(
      (await refused('scoreitem/save', { ID: item?.['ScoreItemID'], ScoreItemTemplateID: template.items['E'] })).Code,
      'STATE_REFUSES',
    );
    assert.match(
      (
        await refused('scoreitem/insert', {
          ScoreID: score['ScoreID'],
          ScoreItemTemplateID: template.items['E'],
          ScoreChar: 'C',
        })
      ).Message,
      /^E: expected one of A, B/,
    );
    assert.equal(
      (
        await refused('scoreitem/insert', {
          ScoreID: score['ScoreID'],
          ScoreItemTemplateID: template.items['M'],
          ScoreMoney: 2,
        })
      ).Code,
      'DUPLICATE_KEY',
    );
    assert.equal(
      (await refused('scoreitemtemplate/save', { ID: template.items['M'], ValueType: 'Int' })).Code,
      'STATE_REFUSES',
    );
  });

  it('SCO-04 confidence is the weighted average, with missing values counted as 1; calculateconfidence recomputes it', async () => {
    const template = await newTemplate({}, [
      money('A', { Weight: 2 }),
      money('B', { Weight: '0.5' }),
      money('C'),
      money('D', { Weight: 0 }),
    ]);
    const score = await post('score/save', {
      ScoreTemplateID: template.id,
      A: 1,
      AConfidence: '0.9',
      B: 2,
      BConfidence: '0.1',
      C: 3,
      D: 4,
      DConfidence: 0,
    });
    // (2 * 0.9 + 0.5 * 0.1 + 1 * 1 + 0 * 0) / 3.5
    assert.equal(score['Confidence'], 0.814286);
    const items = await itemsOf(score['ScoreID']);
    await post('scoreitem/save', { ID: items['C']?.['ScoreItemID'], Confidence: 0 });
    const other = await post('score/save', { ScoreTemplateID: template.id });
    const rows = rowsOf(
      await get(`score/calculateconfidence?ID=${String(score['ScoreID'])},${String(other['ScoreID'])}`),
    );
    assert.deepEqual(
      rows.map((row) => row['Confidence']),
      [0.528571, undefined],
    );
    assert.equal(
      (await refused('score/calculateconfidence', { ID: `${String(score['ScoreID'])},999999999` })).Code,
      'NOT_FOUND',
    );
    assert.match(
      (await refused('scoreitem/save', { ID: items['C']?.['ScoreItemID'], Confidence: '1.01' })).Message,
      /Confidence: expected a number from 0 to 1/,
    );
    assert.match(
      (await refused('scoreitemtemplate/save', { ScoreTemplateID: template.id, ScoreItemTemplate: 'W', Weight: -1 }))
        .Message,
      /Weight: expected a number that is not negative/,
    );
  });

  it("SCO-04 the average of random items equals the database's", async () => {
    const decimal = (most: number): fc.Arbitrary<string | null> =>
      fc.option(fc.integer({ min: 0, max: most }).map((n) => String(n / 1_000)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ confidence: decimal(1_000), weight: decimal(9_999) }), { maxLength: 12 }),
        async (items) => {
          const [row] = await on.platform.store.query<{ average: string | null }>(
            `select round(sum(coalesce(c, 1) * coalesce(w, 1)) / nullif(sum(coalesce(w, 1)), 0), 6) as average
             from jsonb_to_recordset($1::text::jsonb) as r (c numeric, w numeric)`,
            [JSON.stringify(items.map(({ confidence, weight }) => ({ c: confidence, w: weight })))],
          );
          const found = weightedConfidence(items);
          assert.equal(
            found === null ? null : Number(found),
            row?.average === null || row === undefined ? null : Number(row.average),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('SCO-01 a thousand items can be created and changed; more are refused', async () => {
    const template = await newTemplate({
      ScoreEngine: 'ExpressionEngine',
      Repeatable: 'One',
      EngineParameters: Array.from({ length: 1_000 }, (_, n) => `I${n} = coalesce(I${n}, 0) + ${n}`).join('\n'),
    });
    const record = on.platform.registry.recordType('ScoreItemTemplate');
    assert.ok(record);
    await on.platform.store.query(
      `insert into scoreitemtemplate (scoretemplateid, scoreitemtemplate, safename, valuetype, valuetypecode)
       select $1::bigint, 'I' || n, 'I' || n, 'Int', 1 from generate_series(0, 999) n`,
      [template.id],
    );
    const loan = await newLoan();
    const score = await calculate(template, loan);
    const sum = async (): Promise<unknown> =>
      (
        await on.platform.store.query<{ s: number; n: number }>(
          'select sum(scoreint)::integer as s, count(*)::integer as n from scoreitem where scoreid = $1::bigint',
          [score['ScoreID']],
        )
      )[0];
    assert.deepEqual(await sum(), { s: 499_500, n: 1_000 });
    await calculate(template, loan);
    assert.deepEqual(await sum(), { s: 999_000, n: 1_000 });
    assert.equal(
      (await refused('scoreitemtemplate/save', { ScoreTemplateID: template.id, ScoreItemTemplate: 'One more' })).Code,
      'TOO_LARGE',
    );
  });
});
