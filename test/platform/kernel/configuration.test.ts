import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { businessCalendar } from '../../../src/modules/work/lib/business-calendar.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { StoredSettings } from '../../../src/modules/system/setting/lib/stored-settings.ts';
import type { Configuration } from '../../../src/kernel/database/configuration.ts';
import type { SettingDefinition } from '../../../src/kernel/declare/setting.ts';
import type { Log } from '../../../src/kernel/ports/log.ts';
import { money, scoreCalls } from '../../support/rules/scores.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

/** What the probe does in its transaction; set by each test. */
let work: (ctx: Context) => Promise<unknown> = async () => undefined;
const operation = defineOperation({
  module: 'configurationprobe',
  name: 'Work',
  method: 'POST',
  summary: 'Does what a test says.',
  effect: 'write',
  idempotent: false,
  access: 'signed-in',
  params: {},
  returns: { Result: f.json({ doc: 'What came of it.' }) },
  errors: [],
  source: 'test',
});
const run = handle(operation, async (ctx) => item('Probe', operation.returns, { Result: await work(ctx) }));
const on = await testPlatform({ after }, { fixture: { declarations: { operations: [{ operation, run }] } } });
const { post, get, newTemplate, newLoan, calculate, countOf } = scoreCalls(on);
type Body = Record<string, unknown>;

/** Runs work in one call and returns its result. */
async function inOneCall(what: (ctx: Context) => Promise<unknown>): Promise<unknown> {
  work = what;
  return (await post('configurationprobe/work', {}))['Result'];
}

const expression = (value: number): object => ({
  ScoreEngine: 'ExpressionEngine',
  ValueType: 'Money',
  Repeatable: 'One',
  EngineParameters: `Score = ${value}`,
});
const rowOf = async (answer: Promise<unknown>): Promise<Body> => ((await answer) as { row: Body }).row;

describe('a setting', () => {
  it('is saved by name: a second save changes its value, an insert of a second one is refused', async () => {
    const save = (operation: string, value: string): Promise<TestAnswer> =>
      on.admin.post(`/api/setting/${operation}?Output=Json`, { Setting: 'decisionPollingMinutes', Value: value });
    const [first, second] = [(await save('save', '7')).json(), (await save('save', '8')).json()];
    assert.deepEqual(
      [second['SettingID'], second['Setting'], second['Value']],
      [first['SettingID'], 'DecisionPollingMinutes', '8'],
    );
    const refused = await save('insert', '9');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /Setting: Setting \d+ already has this value; insert only creates/);
    const answers = await Promise.all(
      ['BusinessHours', 'BUSINESSHOURS'].map((Setting) =>
        on.admin.post('/api/setting/save?Output=Json', { Setting, Value: 'Mon-Fri 09:00-17:00' }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(await countOf("setting where setting = 'BusinessHours'"), 1);
  });

  it('KRN-15 is refused beyond its range, which every number has and its documentation names', async () => {
    const numbers = on.platform.registry.settings.filter(({ field }) => field.kind === 'integer');
    assert.ok(numbers.length > 50);
    const before = await countOf('setting');
    for (const { name: Setting, doc, default: value, limits } of numbers) {
      const [min, max] = limits.range ?? [NaN, NaN];
      assert.ok(Number(value) >= min && Number(value) <= max, `${Setting}: its default is not in its range`);
      assert.match(doc, new RegExp(`From ${min} to ${max}\\.$`));
      for (const Value of [min - 1, max + 1, -1, 99_999_999_999]) {
        const refused = await on.admin.post('/api/setting/save?Output=Json', { Setting, Value: String(Value) });
        assert.equal(refused.status, 400, `${Setting} ${Value}`);
        if (Value < 2_147_483_648)
          assert.match(
            refused.text,
            new RegExp(`Value: expected a whole number from ${min} to ${max}, for the setting ${Setting}`),
          );
      }
    }
    assert.equal(await countOf('setting'), before);
  });

  it('KRN-15 is refused if it is not in its format: addresses, origins, networks, operations', async () => {
    const formatted = on.platform.registry.settings.filter(({ limits }) => limits.format !== undefined);
    assert.deepEqual(formatted.map(({ name }) => name).sort(), [
      'AgentOrigins',
      'AgentTools',
      'BounceDomain',
      'ChromiumCommand',
      'DocumentLocale',
      'GeocoderCensusUrl',
      'LedgerClosedThrough',
      'LedgerCurrency',
      'LibreOfficeCommand',
      'MalwareScanner',
      'OcrCommand',
      'OcrLanguages',
      'OutboundAllowedNetworks',
      'PublicAddress',
      'ReplyDomain',
    ]);
    const hostile = [
      'https://evil.example/"><script>',
      'javascript:alert(1)',
      'https://a.example/\u0001',
      '<b>',
      "x'y",
    ];
    for (const { name: Setting } of formatted)
      for (const Value of hostile) {
        const refused = await on.admin.post('/api/setting/save?Output=Json', { Setting, Value });
        assert.equal(refused.status, 400, `${Setting} ${Value}`);
        assert.match(refused.text, /Value: /);
        assert.equal(await countOf(`setting where setting = '${Setting}'`), 0);
      }
    for (const Value of ['ftp://x.example', 'https://', 'https://user@x.example', 'https://x.example/?a=b', '//x'])
      assert.equal((await on.admin.post('/api/setting/save', { Setting: 'PublicAddress', Value })).status, 400, Value);
    const Value = Array.from({ length: 51 }, () => 'loan/search').join(', ');
    assert.equal((await on.admin.post('/api/setting/save', { Setting: 'AgentTools', Value })).status, 400);
  });

  it('KRN-15 saved by an earlier version beyond its limits counts as the nearest value, with a warning in the log', async () => {
    const declared = (name: string): SettingDefinition => {
      const found = on.platform.registry.settings.find((each) => each.name === name);
      assert.ok(found);
      return found;
    };
    const rows = [
      { setting: 'NumberSearchesPerHour', value: '999999' },
      { setting: 'WebhookTimeoutSeconds', value: '-5' },
      { setting: 'PublicAddress', value: 'https://evil.example/"><script>' },
      { setting: 'HistoryMonths', value: '24' },
    ];
    const warnings: unknown[] = [];
    const log = { warn: (_text: string, facts: { setting?: unknown } = {}) => warnings.push(facts.setting) };
    const loaded = Promise.resolve(new Map(rows.map(({ setting, value }) => [setting.toLowerCase(), value])));
    const settings = new StoredSettings(
      { ensureFresh: () => undefined, get: () => loaded } as unknown as Configuration,
      log as unknown as Log,
    );
    await settings.fresh();
    assert.deepEqual(
      rows.map(({ setting }) => settings.get(declared(setting))),
      [10_000, 1, 'http://127.0.0.1:8080', 24],
    );
    assert.deepEqual(warnings, ['NumberSearchesPerHour', 'WebhookTimeoutSeconds', 'PublicAddress']);
  });
});

describe('configuration that a call changes and uses', () => {
  it('shows the call its own changes, and others only after the commit', async () => {
    const template = await newTemplate(expression(1), [money('A')]);
    const loan = await newLoan();
    assert.equal((await calculate(template, loan))['ScoreMoney'], 1);
    const seen = await inOneCall(async (ctx) => {
      const score = async (): Promise<unknown> =>
        (await rowOf(ctx.call('score/calculate', { ScoreTemplateID: template.id, Object: 'Loan', ObjectID: loan })))[
          'ScoreMoney'
        ];
      const values = [await score()];
      for (const value of [2, 3]) {
        await ctx.call('scoretemplate/save', { ID: template.id, EngineParameters: `Score = ${value}` });
        values.push(await score());
      }
      // The loan's own score is locked by this call, so another loan is scored meanwhile.
      values.push((await calculate(template, await newLoan()))['ScoreMoney']);
      return values;
    });
    assert.deepEqual(seen, ['1', '2', '3', 1]);
    assert.equal(
      (await calculate(template, await newLoan()))['ScoreMoney'],
      3,
      'and all others see it at once when it has',
    );
  });

  it('is discarded with a rolled-back savepoint, and with the call', async () => {
    const template = await newTemplate(expression(1), []);
    const loan = await newLoan();
    const seen = await inOneCall(async (ctx) => {
      const score = async (): Promise<unknown> =>
        (await rowOf(ctx.call('score/calculate', { ScoreTemplateID: template.id, Object: 'Loan', ObjectID: loan })))[
          'ScoreMoney'
        ];
      const change = (value: number): Promise<unknown> =>
        ctx.call('scoretemplate/save', { ID: template.id, EngineParameters: `Score = ${value}` });
      await change(2);
      const values = [await score()];
      await assert.rejects(
        ctx.savepoint(async () => {
          await change(3);
          values.push(await score());
          throw new Error('undone');
        }),
        /undone/,
      );
      return [...values, await score()];
    });
    assert.deepEqual(seen, ['2', '3', '2']);
    work = async (ctx) => {
      await ctx.call('scoretemplate/save', { ID: template.id, EngineParameters: 'Score = 9' });
      await ctx.call('score/calculate', { ScoreTemplateID: template.id, Object: 'Loan', ObjectID: loan });
      throw new Error('the call fails');
    };
    assert.equal((await on.admin.post('/api/configurationprobe/work?Output=Json', {})).status, 500);
    assert.equal((await calculate(template, loan))['ScoreMoney'], 2);
  });

  it('also covers how often a template may be used, deleted and restored records, and holidays', async () => {
    const template = await newTemplate({ ...expression(1), Repeatable: 'Many' }, []);
    const loan = await newLoan();
    await calculate(template, loan);
    const holiday = await post('holiday/save', { Holiday: "Founders' day", Date: '2031-05-05' });
    const seen = await inOneCall(async (ctx) => {
      const score = async (): Promise<unknown> =>
        (await rowOf(ctx.call('score/calculate', { ScoreTemplateID: template.id, Object: 'Loan', ObjectID: loan })))[
          'ScoreID'
        ];
      await ctx.call('scoretemplate/save', { ID: template.id, Repeatable: 'One' });
      const [one, other] = [await score(), await score()];
      const isWorked = async (): Promise<boolean> => (await businessCalendar(ctx)).isBusinessDay('2031-05-05');
      const days = [await isWorked()];
      await ctx.call('holiday/delete', { ID: Number(holiday['HolidayID']) });
      days.push(await isWorked());
      await ctx.call('holiday/undelete', { ID: Number(holiday['HolidayID']) });
      return [one === other, ...days, await isWorked()];
    });
    assert.deepEqual(seen, [true, false, true, false]);
    assert.equal(await countOf('score where objectid = $1::bigint', loan), 1);
  });

  it('applies to matrices, whose version is created when the call ends', async () => {
    const matrix = Number(
      (
        await post('matrix/save', {
          Matrix: 'Fees of one call',
          Dimensions_0_MatrixDimension: 'State',
          Measures_0_MatrixMeasure: 'Fee',
          Facts_0_RowNumber: 1,
          Facts_0_MatrixFact: 'State',
          Facts_0_Cell: 'CA',
          Facts_1_RowNumber: 1,
          Facts_1_MatrixFact: 'Fee',
          Facts_1_Cell: '5',
        })
      )['MatrixID'],
    );
    const fee = async (): Promise<unknown> =>
      JSON.stringify(await get('matrix/lookup?Matrix=Fees%20of%20one%20call&State=CA'));
    assert.match(String(await fee()), /"Fee":"?5"?/);
    const [{ id } = { id: 0 }] = await on.platform.store.query<{ id: number }>(
      "select matrixfactid as id from matrixfact where matrixid = $1::bigint and matrixfact = 'Fee'",
      [matrix],
    );
    const versions = (): Promise<number> => countOf('matrixversion where matrixid = $1::bigint', matrix);
    const before = await versions();
    const seen = await inOneCall(async (ctx) => {
      await ctx.call('matrixfact/save', { ID: id, Cell: '6' });
      const own = JSON.stringify(await ctx.call('matrix/lookup', { Matrix: 'Fees of one call', State: 'CA' }));
      await ctx.call('matrixfact/save', { ID: id, Cell: '8' });
      return [own, JSON.stringify(await ctx.call('matrix/lookup', { ID: matrix, State: 'CA' })), await fee()];
    });
    const reported = (seen as string[]).map((text) => /"Fee":"?(\d)/.exec(text)?.[1]);
    assert.deepEqual(reported, ['6', '8', '5']);
    assert.match(String(await fee()), /"Fee":"?8"?/);
    assert.equal(await versions(), before + 1);
  });
});
