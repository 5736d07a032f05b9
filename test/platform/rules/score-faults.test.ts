import { SCORE_ENGINE, type ItemResult } from '../../../src/contracts/score-engine.ts';
import type { RawValue } from '../../../src/kernel/parameters/parse-value.ts';
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { money, scoreCalls } from '../../support/rules/scores.ts';

const on = await testPlatform({ after });
const { post, get, send, refused, newTemplate, newLoan, calculate, itemsOf, countOf } = scoreCalls(on);
type Body = Record<string, unknown>;

describe('failing calculations', () => {
  it('SCO-06 SCO-09 an unknown engine is refused with the known ones, and so is a template without an engine', async () => {
    const unknown = await refused('scoretemplate/save', {
      ScoreTemplate: 'Unknown engine',
      ScoreEngine: 'ExpresionEngine',
    });
    assert.match(unknown.Message, /ScoreEngine: expected one of ApiEngine, ExpressionEngine, MatrixEngine/);
    const byHand = await newTemplate({});
    assert.equal(
      (await refused('score/calculate', { Template: byHand.name, Object: 'Loan', ObjectID: await newLoan() })).Field,
      'ScoreEngine',
    );
    // An engine that has been removed since.
    const gone = await newTemplate({ ScoreEngine: 'ApiEngine' });
    await on.platform.store.query(
      "update scoretemplate set scoreengine = 'Bygone' where scoretemplateid = $1::bigint",
      [gone.id],
    );
    on.platform.configuration.expire();
    assert.match(
      (await refused('score/calculate', { Template: gone.name, Object: 'Loan', ObjectID: await newLoan() })).Message,
      /ApiEngine/,
    );
  });

  it('SCO-01 a failing engine leaves the previous score, its items and its nested scores unchanged, and its error is reported', async () => {
    on.platform.providers.register(SCORE_ENGINE, 'FailingEngine', {
      doc: 'Fails.',
      check: () => undefined,
      getItems: async () => [],
      createTemplate: async () => ({ valueType: undefined, items: [] }),
      calculate: async () => Promise.reject(new Error('the service said 123-45-6789 and no more')),
    });
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        Repeatable: 'One',
        ValueType: 'Money',
        EngineParameters: 'A = 1\nScore = 10 / Divisor',
      },
      [money('A'), money('Divisor')],
    );
    const loan = await newLoan();
    const score = await post('score/savecalculate', {
      Template: template.name,
      Object: 'Loan',
      ObjectID: loan,
      Divisor: 4,
    });
    const before = [await get(`score/select?ID=${String(score['ScoreID'])}`), await itemsOf(score['ScoreID'])];
    await post('score/save', { ID: score['ScoreID'], Divisor: 0 });
    const saved = [await get(`score/select?ID=${String(score['ScoreID'])}`), await itemsOf(score['ScoreID'])];
    const divided = await refused('score/calculate', { ID: score['ScoreID'] });
    assert.deepEqual([divided.status, divided.Code], [422, 'STATE_REFUSES']);
    assert.match(divided.Message, /line 2, Score: it divides by zero/);
    assert.deepEqual(
      [await get(`score/select?ID=${String(score['ScoreID'])}`), await itemsOf(score['ScoreID'])],
      saved,
    );
    assert.equal((before[0] as Body)['ScoreMoney'], 2.5);
    await post('scoretemplate/save', { ID: template.id, ScoreEngine: 'FailingEngine' });
    const failed = await refused('score/calculate', { ID: score['ScoreID'] });
    assert.match(failed.Message, /ScoreEngine: FailingEngine failed on .*: the service said XXX-XX-6789 and no more/);
    const count = await countOf('score');
    await refused('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: await newLoan() });
    assert.equal(await countOf('score'), count, 'no score is left behind by a failed first calculation');
  });

  it("SCO-03 an engine's results are validated by item type before anything is saved: no number, out of range, not allowed, unknown item", async () => {
    const values = new Map<string, ItemResult>();
    on.platform.providers.register(SCORE_ENGINE, 'AnyEngine', {
      doc: 'Any.',
      check: () => undefined,
      getItems: async () => [],
      createTemplate: async () => ({ valueType: undefined, items: [] }),
      calculate: async () => ({ kind: 'values', items: values }),
    });
    const template = await newTemplate({ ScoreEngine: 'AnyEngine', Repeatable: 'One' }, [
      money('M'),
      { ScoreItemTemplate: 'I', ValueType: 'Int' },
      { ScoreItemTemplate: 'F', ValueType: 'Float' },
      { ScoreItemTemplate: 'B', ValueType: 'Boolean' },
      { ScoreItemTemplate: 'D', ValueType: 'Date' },
      { ScoreItemTemplate: 'E', ValueType: 'Enumerated', Enumeration: 'One\nTwo, or so' },
      { ScoreItemTemplate: 'S' },
    ]);
    const loan = await newLoan();
    const count = await countOf('score');
    const cases: readonly [string, unknown, RegExp][] = [
      ['M', Number.NaN, /^M: expected a number/],
      ['M', Number.POSITIVE_INFINITY, /^M: /],
      ['M', '1234567890123456', /15 digits/],
      ['M', '0.00001', /4 decimals/],
      ['F', Number.NEGATIVE_INFINITY, /^F: /],
      ['F', '1e400', /^F: /],
      ['I', '2147483648', /^I: expected a whole number/],
      ['I', '1.5', /^I: /],
      ['B', 'maybe', /^B: expected true or false/],
      ['D', '2024-02-30', /^D: expected a day/],
      ['E', 'Three', /^E: expected one of One, Two, or so/],
      ['S', 'x'.repeat(4_001), /^S: expected at most 4000/],
      ['S', { a: 1 }, /^S: expected one value/],
      ['S', 'a\u0000b', /^S: /],
      ['__proto__', 1, /not an item/],
      ['constructor', 1, /not an item/],
    ];
    for (const [name, value, words] of cases) {
      values.clear();
      values.set(name, { value: value as RawValue });
      assert.match(
        (await refused('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: loan })).Message,
        words,
        `${name} ${String(value)}`,
      );
    }
    values.clear();
    values.set('M', { value: 1, confidence: 1.1 });
    assert.match(
      (await refused('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: loan })).Message,
      /MConfidence: expected a number from 0 to 1/,
    );
    assert.equal(await countOf('score'), count);
    values.clear();
    for (const [name, value] of [
      ['m', '999999999999999.9999'],
      ['I', -2147483647],
      ['F', '-0.000000000000000001'],
      ['B', 'no'],
      ['D', '2024-02-29T10:00:00'],
      ['E', 'two, OR so'],
      ['S', ''],
    ] as const)
      values.set(name, { value: value });
    const items = await itemsOf((await calculate(template, loan))['ScoreID']);
    const [stored] = await on.platform.store.query<{ scoremoney: string }>(
      'select scoremoney from scoreitem where scoreitemid = $1::bigint',
      [items['M']?.['ScoreItemID']],
    );
    assert.equal(stored?.scoremoney, '999999999999999.9999');
    assert.deepEqual(
      [
        items['I']?.['ScoreInt'],
        items['B']?.['ScoreBoolean'],
        items['D']?.['ScoreDate'],
        items['E']?.['ScoreChar'],
        items['S']?.['ScoreChar'],
      ],
      [-2147483647, false, '2024-02-29', 'Two, or so', undefined],
    );
  });

  it('SCO-01 a Method runs as the calling user: without its permission the calculation is refused and nothing is saved', async () => {
    const template = await newTemplate({ ScoreEngine: 'ApiEngine', Method: 'SecurityLog/Search?DisplaySize=1' }, [
      { ScoreItemTemplate: 'Event' },
    ]);
    const staff = await on.user('staff who scores', 'Staff');
    const loan = await newLoan();
    const answer = await refused(
      'score/calculate',
      { Template: template.name, Object: 'Loan', ObjectID: loan },
      staff.caller,
    );
    assert.deepEqual([answer.status, answer.Code], [403, 'NO_PERMISSION']);
    assert.match(answer.Message, /SecurityLogSearch/);
    assert.equal(await countOf('score where scoretemplateid = $1::bigint', template.id), 0);
    const unknown = await refused('scoretemplate/save', {
      ScoreTemplate: 'No such method',
      Method: 'Loan/Serch?LoanID={ObjectID}',
    });
    assert.deepEqual([unknown.Code, unknown.Field], ['BAD_SIGNATURE', 'Method']);
    assert.equal(
      (
        await refused('scoretemplate/save', {
          ScoreTemplate: 'Bad program',
          ScoreEngine: 'ExpressionEngine',
          EngineParameters: 'A = (1',
        })
      ).Field,
      'EngineParameters',
    );
  });

  it('SCO-01 a record that the caller cannot search is refused as input, even if the template applies to any record', async () => {
    const template = await newTemplate({ ScoreEngine: 'ApiEngine', AppliesTo: null }, [
      { ScoreItemTemplate: 'SecurityLog' },
    ]);
    const staff = await on.user('staff who looks', 'Staff');
    const [entry] = await on.platform.store.query<{ id: number }>(
      'select securitylogid as id from securitylog limit 1',
    );
    for (const operation of ['score/calculate', 'score/savecalculate']) {
      const answer = await refused(
        operation,
        { ScoreTemplateID: template.id, Object: 'SecurityLog', ObjectID: entry?.id },
        staff.caller,
      );
      assert.deepEqual([answer.status, answer.Code], [403, 'NO_PERMISSION'], operation);
    }
    assert.equal(await countOf('score where scoretemplateid = $1::bigint', template.id), 0);
  });

  it('SCO-01 KRN-08 a Method only reads: one that changes or queues something is refused when saved and, if stored before, when calculated', async () => {
    const writes = [
      'Score/Calculate?ID={ScoreID}',
      'Loan/Save?ID={ObjectID}',
      'Loan/Delete?ID={ObjectID}',
      'Loan/queue/Select?ID={ObjectID}',
    ];
    for (const Method of writes) {
      const answer = await refused('scoretemplate/save', { ScoreTemplate: 'Writes', Method });
      assert.deepEqual([answer.Code, answer.Field], ['BAD_SIGNATURE', 'Method']);
      assert.match(answer.Message, /(changes records|would be queued); expected an operation that only reads/);
    }
    const template = await newTemplate({ ScoreEngine: 'ApiEngine', Method: 'Loan/Select?ID={ObjectID}' }, [money('A')]);
    const loan = await newLoan();
    for (const Method of writes) {
      await on.platform.store.query('update scoretemplate set method = $2::text where scoretemplateid = $1::bigint', [
        template.id,
        Method,
      ]);
      on.platform.configuration.expire();
      const answer = await on.admin.get(
        `/api/score/calculate?Output=Json&Template=${encodeURIComponent(template.name)}&Object=Loan&ObjectID=${loan}`,
      );
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /expected an operation that only reads/);
    }
    assert.equal((await get(`loan/select?ID=${loan}`))['Version'], 1);
    assert.equal(await countOf('score where scoretemplateid = $1::bigint', template.id), 0);
  });

  it('SCO-01 SCO-11 what a template refers to is checked when it is saved: matrix, inputs, workbook, and the fields in its Method', async () => {
    const alertsOf = (body: Body): string[] =>
      ((body['Alerts'] ?? []) as { Code: string; Text: string }[]).map(({ Code, Text }) => `${Code} ${Text}`);
    const matrixEngine = (EngineParameters: string): object => ({
      ScoreTemplate: 'Refers',
      AppliesTo: 'Loan',
      ScoreEngine: 'MatrixEngine',
      EngineParameters,
    });
    const missing = await refused('scoretemplate/save', matrixEngine('Nowhere'));
    assert.deepEqual([missing.Code, missing.Field], ['BAD_PARAMETER', 'EngineParameters']);
    assert.match(missing.Message, /there is no matrix "Nowhere"/);
    await post('matrix/save', {
      Matrix: 'Grades',
      Dimensions: [{ MatrixDimension: 'Loan Type' }],
      Measures: [{ MatrixMeasure: 'Grade' }],
    });
    const input = await refused('scoretemplate/save', matrixEngine('Grades\nLoanTyp = Kind'));
    assert.match(input.Message, /the matrix Grades has no input LoanTyp \(did you mean LoanType/);
    assert.deepEqual(alertsOf(await post('scoretemplate/save', matrixEngine('Grades\nLoanType = Kind'))), []);
    // A template is saved before the workbook that is its document.
    const workbook = { ScoreTemplate: 'Workbook to come', ScoreEngine: 'WorkbookEngine' };
    const other = { ...workbook, ScoreTemplate: 'Workbook that is gone' };
    assert.match(
      alertsOf(await post('scoretemplate/save', workbook)).join(),
      /^SCORE_ENGINE_INCOMPLETE RenderID: the workbook is missing/,
    );
    assert.match(
      (await refused('scoretemplate/save', { ...other, EngineParameters: 'AttachmentID = 999999' })).Message,
      /document 999999, was not found/,
    );
    const created = await post('scoretemplate/create', {
      ScoreTemplate: 'Of a type',
      ScoreEngine: 'ExpressionEngine',
      EngineParameters: 'Score = 1',
      ValueType: 'Int',
    });
    assert.equal(created['ValueType'], 'Int', 'the type sent, not the one derived');
    // Items that are saved with the template count; what only a call can supply is a warning.
    assert.deepEqual(
      alertsOf(
        await post('scoretemplate/save', {
          ScoreTemplate: 'Fields',
          AppliesTo: 'Loan',
          Method:
            'Loan/Search?LoanID={ObjectID}&LoanType={Kind}&Status={LoanTyp}&Agency={//Property/State}&Loan={Loan}',
          Items: [{ ScoreItemTemplate: 'Kind' }],
        }),
      ),
      [
        'METHOD_FIELD_UNKNOWN Method: {LoanTyp} is neither an item nor a field of Score or Loan ' +
          '(did you mean LoanType or Loan or LoanID?). It is empty unless each calculation sends ' +
          'a parameter of this name.',
      ],
    );
    assert.equal(
      (await refused('scoretemplate/save', { ScoreTemplate: 'Bad path', Method: 'Loan/Search?LoanID={//[}' })).Code,
      'BAD_XPATH',
    );
  });

  it('SCO-01 SCO-04 an input without a value is named by a warning, unless the program tests for it', async () => {
    const emptyOf = (body: Body): string[] =>
      ((body['Alerts'] ?? []) as { Code: string; Text: string }[])
        .filter(({ Code }) => Code === 'INPUT_EMPTY')
        .map(({ Text }) => Text);
    const program = (EngineParameters: string): Promise<{ readonly name: string }> =>
      newTemplate({ ScoreEngine: 'ExpressionEngine', Method: 'Parameters', ValueType: 'String', EngineParameters }, [
        money('Total'),
      ]);
    const afford = await program("Score = if(Debt / Income < 0.43, 'Yes', 'No')");
    const loan = await newLoan();
    const calculated = (template: { readonly name: string }, values: object): Promise<Body> =>
      post('score/calculate', { Template: template.name, Object: 'Loan', ObjectID: loan, ...values });
    const silent = await calculated(afford, { Debt: 100 });
    assert.deepEqual(
      [silent['ScoreChar'], emptyOf(silent)],
      ['No', [`${afford.name} was calculated without a value for Income.`]],
    );
    assert.deepEqual(emptyOf(await calculated(afford, { Debt: 100, Income: 400 })), []);
    const tested = await program(
      "Total = coalesce(Debt, 0) + 1; Score = if(isnull(Income) or Fees = null, 'No', text(Total))",
    );
    assert.deepEqual(emptyOf(await calculated(tested, {})), []);
    const graded = await newTemplate({ ScoreEngine: 'MatrixEngine', Method: 'Parameters', EngineParameters: 'Grades' });
    assert.deepEqual(emptyOf(await calculated(graded, {})), [
      `${graded.name} was calculated without a value for Loan Type.`,
    ]);
    assert.deepEqual(emptyOf(await calculated(graded, { LoanType: 'FHA' })), []);
  });

  it('KRN-18 SCO-11 firms see neither methods nor parameters of templates, in answers, searches or summaries; nor their lines', async () => {
    const firm = await on.firm('Curious firm', 'Partner');
    const signature = 'Loan/Select?ID={ObjectID}';
    const templates: readonly (readonly [module: string, body: object, hidden: readonly string[]])[] = [
      [
        'scoretemplate',
        { ScoreEngine: 'ExpressionEngine', EngineParameters: 'Secret = 7 * 6', Method: signature },
        ['EngineParameters', 'Method'],
      ],
      [
        'ledgertemplate',
        { CalculateMethod: signature, ProjectMethod: signature },
        ['CalculateMethod', 'ProjectMethod'],
      ],
      [
        'importfiletemplate',
        {
          AppliesTo: 'Loan',
          ImportEngine: 'DelimitedEngine',
          ExtranetEnabled: 'Self',
          ParameterString: 'header=true',
          ResultMethod: signature,
        },
        ['ParameterString', 'ResultMethod'],
      ],
      ['messagetemplate', { AppliesTo: 'Loan', Method: signature }, ['Method']],
      ['attachmenttemplate', { AppliesTo: 'Loan', Method: signature }, ['Method']],
    ];
    for (const [module, body, hidden] of templates) {
      const type = on.platform.registry.requireRecord(module, 'test');
      const made = await post(`${module}/save`, { [type.name]: `Of ${module}`, ...body });
      const id = String(made[type.idField]);
      const own = await get(`${module}/select?ID=${id}`);
      for (const name of hidden) {
        assert.notEqual(own[name], undefined, `${module}.${name} is shown to staff`);
        for (const path of [`select?ID=${id}`, `search?ID=${id}`, `summary?ID=${id}`])
          for (const Output of ['Json', 'Xml']) {
            const answer = await firm.caller.get(`/api/${module}/${path}&Output=${Output}`);
            assert.equal(answer.status, 200, `${module}/${path}: ${answer.text}`);
            assert.doesNotMatch(answer.text, /Loan\/Select|7 \* 6|header=true/, `${module}/${path} ${name}`);
          }
        const found = await firm.caller.get(
          `/api/${module}/search?Output=Json&${name}=${encodeURIComponent(`*${String(own[name]).slice(0, 6)}*`)}`,
        );
        assert.doesNotMatch(found.text, new RegExp(`"${type.idField}":${id}\\b`), `${module}: found by ${name}`);
      }
    }
    for (const module of ['ledgertemplateitem', 'scoreitemtemplate', 'importfilemap', 'matrix'])
      assert.equal((await firm.caller.get(`/api/${module}/search?Output=Json`)).status, 403, module);
  });

  it('SCO-01 two concurrent callers create one score if it is not repeatable, and each item once; concurrent recalculations both take effect', async () => {
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        Repeatable: 'One',
        ValueType: 'Int',
        EngineParameters: 'A = 1\nB = 2\nScore = A + B',
      },
      [money('A'), money('B')],
    );
    const loan = await newLoan();
    const made = await Promise.all([1, 2, 3, 4].map(() => calculate(template, loan)));
    assert.equal(new Set(made.map((score) => score['ScoreID'])).size, 1);
    const id = made[0]?.['ScoreID'];
    assert.equal(Object.keys(await itemsOf(id)).length, 2);
    const again = await Promise.all([1, 2, 3].map(() => send('score/calculate', { ID: id })));
    assert.deepEqual(
      again.map((answer) => answer.status),
      [200, 200, 200],
    );
    assert.equal(await countOf('scoreitem where scoreid = $1::bigint', id), 2);
    const saves = await Promise.all(
      [5, 6, 7].map((n) => send('score/save', { Template: template.name, Object: 'Loan', ObjectID: loan, A: n })),
    );
    assert.deepEqual(
      saves.map((answer) => answer.status),
      [200, 200, 200],
    );
  });

  it('SCO-01 an engine that responds later leaves the score unchanged and queues its call together with the score', async () => {
    on.platform.providers.register(SCORE_ENGINE, 'LaterEngine', {
      doc: 'Later.',
      check: () => undefined,
      getItems: async () => [],
      createTemplate: async () => ({ valueType: undefined, items: [] }),
      calculate: async () => ({ kind: 'later', route: 'score/calculateconfidence', parameters: { Note: 'x' } }),
    });
    const template = await newTemplate({ ScoreEngine: 'LaterEngine', ValueType: 'Money' }, [money('A')]);
    const before = await countOf('pgboss.job');
    const score = await calculate(template, await newLoan());
    assert.deepEqual([score['ScoreMoney'], await countOf('pgboss.job')], [undefined, before + 1]);
  });
});
