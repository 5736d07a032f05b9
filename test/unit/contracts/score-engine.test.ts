import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scoreEngineConformance, type ScoreEngineSubject } from '../../../src/contracts/conformance/score-engine.ts';
import {
  inputValues,
  safeName,
  unsupportedInput,
  type EngineItem,
  type EngineScore,
  type ScoreData,
  type ScoreEngine,
  type ScoreValues,
  type ValueType,
} from '../../../src/contracts/score-engine.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { timeZone } from '../../../src/kernel/declare/core-settings.ts';
import { apiEngine } from '../../../src/providers/score-engine/api/api-engine.ts';
import {
  add,
  compareDecimals,
  parseDecimal,
  decimalText,
  divide,
  floorDecimal,
  multiply,
  negate,
  remainder,
  roundDecimal,
  subtract,
  type Decimal,
} from '../../../src/lib/decimals/decimal.ts';
import { expressionEngine } from '../../../src/providers/score-engine/expression/expression-engine.ts';

/** What these engines use of a call's context: the clock and the settings. */
const ctx = {
  alert: () => undefined,
  clock: fixedClock('2026-03-01T04:30:00.000Z'),
  settings: { get: (setting: unknown) => (setting === timeZone ? 'America/New_York' : undefined) },
} as never as Context;

const subjects: Readonly<Record<string, ScoreEngineSubject>> = {
  ApiEngine: {
    engine: apiEngine,
    parameters: '',
    items: [
      { name: 'Income', valueType: 'Money' },
      { name: 'Total Debt', valueType: 'Money' },
    ],
    ctx,
  },
  ExpressionEngine: {
    engine: expressionEngine,
    parameters:
      '[Net Income] = coalesce(Income, 0) - coalesce(Debt, 0)\n[Net Income].Confidence = 0.5\n' +
      'Score = [Net Income] / 100',
    badParameters: 'Net = Income +',
    items: [
      { name: 'Net Income', valueType: 'Money' },
      { name: 'Income', valueType: 'Money' },
      { name: 'Debt', valueType: 'Money' },
    ],
    ctx,
  },
};

for (const [name, subject] of Object.entries(subjects)) {
  describe(`the ${name} as score engine`, () => {
    for (const { title, check } of scoreEngineConformance) it(`SCO-09 ${title}`, () => check(subject));
  });
}

const itemOf = (name: string, valueType: ValueType, value: EngineItem['value'] = null): EngineItem => ({
  name,
  safeName: safeName(name),
  valueType,
  value,
  confidence: null,
  prompt: null,
  enumeration: [],
});
const rows = (row: Record<string, unknown>): ScoreData => ({
  kind: 'rows',
  columns: Object.keys(row),
  rows: [row],
  xml: () => '<x/>',
});
async function calculate(
  parameters: string,
  row: Record<string, unknown> = {},
  items: readonly EngineItem[] = [],
  valueType?: ValueType,
): Promise<ScoreValues> {
  const score: EngineScore = { template: 'T', valueType, parameters, items, ctx };
  const found = await expressionEngine.calculate(rows(row), score);
  assert.equal(found.kind, 'values');
  return found;
}
/** Returns the value of one expression. */
const valueOf = async (expression: string, row: Record<string, unknown> = {}): Promise<unknown> =>
  (await calculate(`Score = ${expression}`, row)).value;
const fault = async (expression: string, words: RegExp, row: Record<string, unknown> = {}): Promise<void> =>
  assert.rejects(
    valueOf(expression, row),
    (error) => (error instanceof Error && words.test(error.message)) || assert.fail(String(error)),
  );

describe('the contract of score engines', () => {
  const base: Omit<ScoreEngine, 'doc' | 'calculate'> = {
    check: () => undefined,
    getItems: async () => [],
    createTemplate: async () => ({ valueType: undefined, items: [] }),
  };
  const kindEngine: ScoreEngine = {
    ...base,
    doc: 'Returns the kind of its input.',
    calculate: async ({ kind }) => ({ kind: 'values', value: kind, items: new Map() }),
  };
  const emptyEngine: ScoreEngine = {
    ...base,
    doc: 'Takes nothing at all.',
    calculate: async (data, score) => {
      throw unsupportedInput(data, score);
    },
  };
  const score: EngineScore = { template: 'T', valueType: undefined, parameters: '', items: [], ctx };
  const kinds: readonly ScoreData[] = [
    rows({}),
    { kind: 'xml', xml: () => '<a/>' },
    { kind: 'set', tables: new Map(), xml: () => '<a/>' },
    { kind: 'record', record: undefined as never, row: {}, xml: () => '<a/>' },
    { kind: 'none', xml: () => undefined },
  ];

  it('SCO-06 SCO-09 passes each type of input to the engine, and an engine refuses by name what it does not accept', async () => {
    for (const data of kinds) {
      assert.equal(((await kindEngine.calculate(data, score)) as ScoreValues).value, data.kind);
      await assert.rejects(
        async () => emptyEngine.calculate(data, score),
        /Method: the engine of T cannot calculate from/,
      );
    }
  });

  it('SCO-10 reads the values of rows, sets and documents by safe name, the first of a name before others', () => {
    const read = (data: ScoreData): unknown => Object.fromEntries(inputValues(data));
    assert.deepEqual(read(rows({ 'Net Income': 1, net_income: 2 })), { netincome: 1 });
    assert.deepEqual(
      read({
        kind: 'set',
        tables: new Map([
          ['A', [{ X: 1 }, { X: 2 }]],
          ['B', [{ Y: 3 }]],
        ]),
        xml: () => '',
      }),
      { x: 1 },
    );
    assert.deepEqual(read({ kind: 'xml', xml: () => '<r kind="k"><A>1</A><A>2</A><B><C>3</C></B></r>' }), {
      kind: 'k',
      a: '1',
    });
    assert.deepEqual(read({ kind: 'xml', xml: () => '<Rs><R><A>1</A></R><R><A>2</A></R></Rs>' }), { a: '1' });
  });
});

describe('the arithmetic of expressions', () => {
  const scale = 6;
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(scale))
    .map(([units, places]): Decimal => parseDecimal(decimalText({ units, scale: places })) ?? assert.fail());
  const scaled = (value: Decimal, to: number): bigint => value.units * 10n ** BigInt(to - value.scale);
  const text = (value: Decimal): string => decimalText(value);

  it('SCO-06 is exact: sums, differences, products and comparisons equal those of whole numbers', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [x, y] = [scaled(a, scale), scaled(b, scale)];
        assert.equal(scaled(add(a, b), scale), x + y);
        assert.equal(scaled(subtract(a, b), scale), x - y);
        assert.equal(scaled(multiply(a, b), 2 * scale), x * y);
        assert.equal(Math.sign(compareDecimals(a, b)), Math.sign(Number(x - y)));
        assert.equal(text(parseDecimal(text(a)) ?? assert.fail()), text(a));
      }),
    );
  });

  it('SCO-06 divides to within half of the last decimal, and rounds half away from zero', () => {
    const abs = (value: bigint): bigint => (value < 0n ? -value : value);
    fc.assert(
      fc.property(decimal, decimal, fc.integer({ min: -3, max: 8 }), (a, b, places) => {
        const quotient = divide(a, b);
        if (b.units === 0n) assert.equal(quotient, undefined);
        else {
          const q = quotient ?? assert.fail();
          const off = scaled(multiply(q, b), 40) - scaled(a, 40);
          assert.ok(2n * abs(off) <= abs(scaled(b, 40)) / 10n ** 18n + 1n, `${text(a)} / ${text(b)} = ${text(q)}`);
          const left = remainder(a, b) ?? assert.fail();
          assert.ok(abs(scaled(left, scale)) < abs(scaled(b, scale)));
        }
        const step = 10n ** BigInt(scale + 3 - places);
        const off = scaled(roundDecimal(a, places), scale + 3) - scaled(a, scale + 3);
        assert.ok(2n * abs(off) <= step, text(a));
        if (2n * abs(off) === step)
          assert.ok(abs(scaled(roundDecimal(a, places), scale + 3)) > abs(scaled(a, scale + 3)));
        assert.ok(
          compareDecimals(floorDecimal(a), a) <= 0 &&
            compareDecimals(subtract(a, floorDecimal(a)), { units: 1n, scale: 0 }) < 0,
        );
      }),
    );
  });

  /** A random expression with its expected value, as a fraction of two integers. */
  interface MadeScore {
    readonly text: string;
    readonly top: bigint;
    readonly bottom: bigint;
  }
  const leaf = fc
    .nat(9_999)
    .map((n): MadeScore => ({ text: decimalText({ units: BigInt(n), scale: 2 }), top: BigInt(n), bottom: 100n }));
  const made: fc.Arbitrary<MadeScore> = fc.letrec<{ made: MadeScore }>((tie) => ({
    made: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.tuple(tie('made'), fc.constantFrom('+', '-', '*'), tie('made')).map(([a, sign, b]): MadeScore => {
        const bottom = a.bottom * b.bottom;
        const [left, right] = [a.top * b.bottom, b.top * a.bottom];
        const sum = sign === '+' ? left + right : left - right;
        const top = sign === '*' ? a.top * b.top : sum;
        return { text: `(${a.text} ${sign} ${b.text})`, top, bottom };
      }),
      tie('made').map((a): MadeScore => ({ text: `-${a.text}`, top: -a.top, bottom: a.bottom })),
    ),
  })).made;

  it('SCO-06 agrees with exact fractions for random expressions', async () => {
    await fc.assert(
      fc.asyncProperty(made, async (expression) => {
        const found = await valueOf(expression.text).catch((error: unknown) => {
          assert.match(String(error), /more than 60 digits|nested more than/);
          return undefined;
        });
        if (found === undefined) return;
        const value = parseDecimal(String(found)) ?? assert.fail(String(found));
        assert.equal(value.units * expression.bottom, expression.top * 10n ** BigInt(value.scale), expression.text);
      }),
    );
  });

  it('SCO-06 has the usual precedence: products before sums, comparisons before not, and before or', async () => {
    const cases: readonly [string, unknown][] = [
      ['2 + 3 * 4', '14'],
      ['(2 + 3) * 4', '20'],
      ['10 - 4 - 3', '3'],
      ['2 - -3', '5'],
      ['7 % 4', '3'],
      ['0.1 + 0.2', '0.3'],
      ['1 / 3 * 3', '0.999999999999999999'],
      ['1 = 1 and 2 > 3 or true', true],
      ['not 1 = 2', true],
      ['not (1 = 1) and false', false],
      ['1 < 2', true],
      ['2 <= 2', true],
      ['3 <> 4', true],
      ["'a' & 1 + 1", 'a2'],
      ["'it''s'", "it's"],
      ["'A' = 'a'", true],
      ['null = null', true],
      ['null < 1', false],
      ['null + 1', null],
      ['true', true],
      ['if(1 > 2, 1 / 0, 5)', '5'],
      ['min(3, 1, null, 2)', '1'],
      ['max(3, 1, 2)', '3'],
      ['sum(1, null, 2.5)', '3.5'],
      ['average(1, 2)', '1.5'],
      ['round(2.345, 2)', '2.35'],
      ['round(-2.5)', '-3'],
      ['round(1234, -2)', '1200'],
      ['floor(-1.5)', '-2'],
      ['ceiling(-1.5)', '-1'],
      ['abs(-3)', '3'],
      ["coalesce(null, '', 7)", '7'],
      ["in('tx', 'CA', 'TX')", true],
      ["length('añ😀')", '3'],
      ["upper('x') & lower('Y') & trim(' z ')", 'Xyz'],
      ["contains('Foreclosure', 'CLOS')", true],
      ["startswith('Foreclosure', 'fore')", true],
      ["isnull('')", true],
      ["number('12.50') + 1", '13.5'],
      ['text(1.50)', '1.5'],
      // Half past four in London is still the previous day in New York.
      ['today()', '2026-02-28'],
      ["days('2024-02-28', '2024-03-01')", '2'],
      ["adddays('2024-02-28', 2)", '2024-03-01'],
      ["addmonths('2024-01-31', 1)", '2024-02-29'],
      ["year('2024-05-06') * 10000 + month('2024-05-06') * 100 + day('2024-05-06')", '20240506'],
      ["date('2024-05-06') > '2024-05-05'", true],
    ];
    for (const [expression, expected] of cases) assert.deepEqual(await valueOf(expression), expected, expression);
  });

  it('SCO-06 sees items, earlier statements and the input; an item with a value overrides a column of its name', async () => {
    const items = [itemOf('Base', 'Money', '100'), itemOf('Net Income', 'Money'), itemOf('When', 'Date', '2024-02-28')];
    const found = await calculate(
      '// comment\n[Net Income] = Base * Rate; Score = NetIncome + sum(\n  1,\n  2)\nBase.Confidence = 0.25\n' +
        'When = adddays(When, 1)',
      { Base: 5, rate: '0.5' },
      items,
      'Money',
    );
    assert.equal(found.value, '53');
    assert.deepEqual(
      [...found.items],
      [
        ['NetIncome', { value: '50' }],
        ['Base', { confidence: '0.25' }],
        ['When', { value: '2024-02-29' }],
      ],
    );
  });

  it('SCO-06 an invalid program is refused with its line', () => {
    const cases: readonly [string, RegExp][] = [
      ['', /expected statements/],
      ['A = 1\nB = (2', /line 2: expected \), found the end/],
      ['A = 1 +\nB = 2', /line 1: .*end of the line/],
      ['A == 1 2', /line 1/],
      ['= 3', /line 1: expected the name/],
      ['A 3', /expected =/],
      ['A = exec(1)', /no function exec/],
      ['A = round()', /round takes 1 to 2 values, found 0/],
      ['A = "open', /line 1: .*not closed/],
      ['A.Value = 1', /expected Confidence/],
      ['A = 1 $ 2', /line 1/],
      [`A = ${'('.repeat(60)}1${')'.repeat(60)}`, /nested more than 50/],
      [`A = 1${'+1'.repeat(600)}`, /more than 500 signs/],
      [`A = ${'-'.repeat(100)}1`, /nested/],
      [`A = ${'9'.repeat(50)}`, /more than 40 digits/],
      ['A = 1\n'.repeat(2_001), /more than 2000 statements/],
      [`A = min(${'1,'.repeat(60_000)}1)`, /more than 50000/],
      ['A = not not not', /found the end/],
      ['process.exit = 1', /expected Confidence/],
      ['A = constructor.constructor', /expected the end of the statement/],
    ];
    for (const [program, words] of cases)
      assert.throws(
        () => expressionEngine.check(program),
        (error) =>
          (error instanceof Error && words.test(error.message)) ||
          assert.fail(`${program.slice(0, 40)}: ${String(error)}`),
      );
  });

  it('SCO-06 an expression without a value is reported with its line: division by zero, unknown names, text for numbers, unbounded numbers', async () => {
    await fault('1 / 0', /line 1, Score: it divides by zero/);
    await fault('1 % (2 - 2)', /divides by zero/);
    await fault('Incomee * 2', /no item or input Incomee \(did you mean income/, { Income: 1 });
    await fault("'abc' * 2", /\* expects a number/);
    await fault('Amount * 2', /expects a number/, { Amount: Number.NaN });
    await fault('Amount * 2', /expects a number/, { Amount: Number.POSITIVE_INFINITY });
    await fault('toString', /no item or input/);
    await fault("if('maybe', 1, 2)", /expects true or false/);
    await fault("date('2024-02-30')", /expects a day/);
    await fault("adddays('9999-12-31', 1)", /years 1 to 9999/);
    await fault('round(1, 0.5)', /whole number/);
    const doubling = ['A = 99999999999999999999', ...Array.from({ length: 10 }, () => 'A = A * A')].join('\n');
    await assert.rejects(
      calculate(doubling, {}, [itemOf('A', 'Float')]),
      /line 3, A: a number has more than 60 digits/,
    );
    const growing = [`A = '${'x'.repeat(5_000)}'`, ...Array.from({ length: 10 }, () => 'A = A & A')].join('\n');
    await assert.rejects(calculate(growing, {}, [itemOf('A', 'String')]), /longer than 10000 characters/);
    await assert.rejects(
      calculate('A = length(Sent)', { Sent: 'x'.repeat(10_001) }, [itemOf('A', 'Int')]),
      /longer than 10000 characters/,
    );
  });

  it('SCO-06 any text is either a program or refused, and never causes another error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(
              fc.constantFrom(
                'A',
                '=',
                '1',
                '+',
                '(',
                ')',
                'if',
                ',',
                "'",
                '"',
                '[',
                ']',
                '\n',
                ';',
                '.',
                'not',
                ' ',
                'é',
                '//',
              ),
              { maxLength: 40 },
            )
            .map((parts) => parts.join('')),
        ),
        (program) => {
          try {
            expressionEngine.check(program);
          } catch (error) {
            assert.equal((error as { code?: unknown }).code, 'BAD_PARAMETER');
          }
        },
      ),
    );
  });

  it('SCO-06 results are rounded to the precision of their type: money to four decimals', async () => {
    const found = await calculate(
      'A = 2 / 3\nB = 2 / 3\nScore = 1 / 3',
      {},
      [itemOf('A', 'Money'), itemOf('B', 'Float')],
      'Money',
    );
    assert.deepEqual(
      [found.value, found.items.get('A')?.value, found.items.get('B')?.value],
      ['0.3333', '0.6667', '0.666666666666666667'],
    );
  });

  it('negation leaves empty values empty and zero without a sign', async () => {
    assert.equal(await valueOf('-A', { A: null }), null);
    assert.equal(decimalText(negate({ units: 0n, scale: 0 })), '0');
  });
});
