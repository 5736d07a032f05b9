import { Agent, request } from 'node:http';
import { silentLog } from '../src/kernel/ports/log.ts';
import { ThreadSandbox } from '../src/kernel/xml/sandbox/sandbox.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import type { BenchOptions } from './run.ts';

/** Rules enforced for a save. */
const RULES = 3;
/** Their maximum cost per save: milliseconds at the median, and relative to the transforms alone. */
const MILLISECONDS_MAX = 3;
const TIMES_MAX = 2;

/** Typical rules: a comparison with the previous value, a list of values, required fields by state. */
const sheets: readonly string[] = [
  '<xsl:if test="LoanItem/UPBAmount &lt; 0 or LoanItem/UPBAmount &gt; 10 * LoanItem/OriginalBalance">' +
    '<Exception>The balance is out of bounds.</Exception></xsl:if>' +
    "<xsl:if test=\"Before/@Status = 'Closed' and LoanItem/Status != 'Closed'\">" +
    '<Exception>A closed loan stays closed.</Exception></xsl:if>',
  '<xsl:variable name="status" select="LoanItem/Status"/>' +
    "<xsl:if test=\"not(contains('|Open|Active|Closed|', concat('|', $status, '|')))\">" +
    '<Exception><xsl:value-of select="concat(\'Unknown status \', $status)"/></Exception></xsl:if>',
  '<xsl:for-each select="LoanItem/*[contains(name(), \'Amount\')]">' +
    '<xsl:if test="number(.) != number(.)">' +
    '<Exception><xsl:value-of select="name()"/> is no number.</Exception></xsl:if></xsl:for-each>',
].map(
  (body) =>
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">' +
    '<xsl:output omit-xml-declaration="yes"/>' +
    `<xsl:template match="/LoanBusinessRuleItem">${body}</xsl:template></xsl:stylesheet>`,
);

/**
 * A save with three rules over HTTP, compared with the same save with rules turned off. The difference is compared with
 * the transforms alone: the same stylesheets over the same document in a sandbox of this process, one after another,
 * each after a save without rules. In immediate succession they would find the thread awake, unlike in a save, and take
 * a third of the time.
 */
// size: one measurement from its set-up to its figures, read top to bottom.
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  const sandbox = new ThreadSandbox(silentLog);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const { LoanID } = await http.call(http.staffKey, '/api/loan/save?Output=Json', {
      Loan: '700000001',
      UPBAmount: '150000',
      OriginalBalance: '200000',
      Status: 'Open',
    });
    for (const [i, Stylesheet] of sheets.entries())
      await http.call(http.staffKey, '/api/businessrule/save?Output=Json', {
        BusinessRule: `rule ${i}`,
        AppliesTo: 'Loan',
        Operation: 'Save',
        Stylesheet,
      });
    const [first] = sheets;
    const tried = await http.call(http.staffKey, '/api/businessrule/try?Output=Json', {
      AppliesTo: 'Loan',
      Stylesheet: first,
      RecordID: LoanID,
      UPBAmount: '1',
    });
    const xml = String((tried['BusinessRuleTry'] as Record<string, unknown>)['Input']);
    const setting = await http.call(http.staffKey, '/api/setting/save?Output=Json', {
      Setting: 'BusinessRuleEnabled',
      Value: 'true',
    });
    const enable = (value: boolean): Promise<unknown> =>
      http.call(http.staffKey, '/api/setting/save?Output=Json', { ID: setting['SettingID'], Value: String(value) });
    let n = 0;
    const save = (): Promise<void> =>
      post(http, agent, '/api/loan/update?Output=Json', `ID=${String(LoanID)}&UPBAmount=${++n}`);
    const transforms = async (): Promise<void> => {
      for (const stylesheet of sheets) await sandbox.transform({ stylesheet, xml, scope: 'bench', wellFormed: false });
    };
    const sides = {
      without: { prepare: () => enable(false), before: nothing, run: save, cpu: () => http.cpu() },
      transforms: { prepare: nothing, before: save, run: transforms, cpu: async () => process.cpuUsage() },
      with: { prepare: () => enable(true), before: nothing, run: save, cpu: () => http.cpu() },
    };
    const found: Record<keyof typeof sides, Cost>[] = [];
    for (let pair = -1; pair < options.plan.pairs; pair++) {
      const milliseconds = pair < 0 ? options.plan.warmupMilliseconds : options.plan.milliseconds;
      const costs = {
        without: await costOf(sides.without, milliseconds),
        transforms: await costOf(sides.transforms, milliseconds),
        with: await costOf(sides.with, milliseconds),
      };
      if (pair >= 0) found.push(costs);
    }
    const time = (side: keyof typeof sides): string =>
      `${side} ${middle(found.map((one) => one[side].milliseconds)).toFixed(2)} ms`;
    const cpu = (side: keyof typeof sides): string =>
      `${side} ${middle(found.map((one) => one[side].cpu)).toFixed(2)} ms`;
    options.print(
      figure(
        `rules: a save with ${RULES} rules, ms more`,
        found.map((one) => one.with.milliseconds - one.without.milliseconds),
        MILLISECONDS_MAX,
        `${time('with')}, ${time('without')}`,
      ),
    );
    options.print(
      figure(
        'rules: the same, times the transforms',
        found.map((one) => (one.with.milliseconds - one.without.milliseconds) / one.transforms.milliseconds),
        TIMES_MAX,
        time('transforms'),
      ),
    );
    options.print(
      figure(
        'rules: the same, in CPU',
        found.map((one) => (one.with.cpu - one.without.cpu) / one.transforms.cpu),
        TIMES_MAX,
        `${cpu('with')}, ${cpu('without')}, ${cpu('transforms')}`,
      ),
    );
  } finally {
    agent.destroy();
    await sandbox.stop();
    await http.stop();
  }
}

function figure(name: string, values: readonly number[], most: number, behind: string): string {
  const median = middle(values);
  const spread = `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`;
  return (
    `${name.padEnd(42)} ${median.toFixed(2)} (${spread})  ` +
    `demanded <= ${most}: ${median > most ? 'MISSED' : 'met'}  ${behind}`
  );
}

/** Cost of one call: the median time, and the average CPU. */
interface Cost {
  readonly milliseconds: number;
  readonly cpu: number;
}

interface Side {
  /** Before the slice. */
  readonly prepare: () => Promise<unknown>;
  /** Runs before each call, outside the measurement. */
  readonly before: () => Promise<void>;
  readonly run: () => Promise<void>;
  readonly cpu: () => Promise<{ readonly user: number; readonly system: number }>;
}

const nothing = async (): Promise<void> => undefined;

async function costOf({ prepare, before, run, cpu }: Side, milliseconds: number): Promise<Cost> {
  await prepare();
  const times: number[] = [];
  let used = 0;
  const measure = before === nothing ? undefined : cpu;
  const whole = await cpu();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await before();
    const from = await measure?.();
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
    const to = await measure?.();
    if (from && to) used += to.user + to.system - from.user - from.system;
  }
  const { user, system } = await cpu();
  return {
    milliseconds: middle(times),
    cpu: (measure ? used : user + system - whole.user - whole.system) / times.length / 1_000,
  };
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function post(http: HttpBench, agent: Agent, path: string, body: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const sent = request(
    new URL(path, http.origin),
    {
      method: 'POST',
      agent,
      headers: {
        'X-ApiKey': http.staffKey,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
      },
    },
    (answer) => {
      answer
        .resume()
        .on('end', () =>
          answer.statusCode === 200
            ? resolve(undefined)
            : reject(new Error(`a save was answered ${answer.statusCode}`)),
        );
    },
  );
  sent.on('error', reject).end(body);
  return promise;
}
