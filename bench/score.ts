import type { BenchOptions } from './run.ts';
import type { CpuUsage } from './lib/child.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { compare, type Side } from './lib/pairs.ts';
import type { CapturedQuery } from './lib/product.ts';

const ITEMS = 20;
/** Target: the rate of a calculation by expressions relative to that of its statements alone. */
const RATE_AT_LEAST = 0.4;

/**
 * Calculates a score with twenty items by expressions, all of which change, compared with the recorded statements of
 * the product, in one transaction on one connection. One caller each; the product's side is a complete request over
 * HTTP.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    const path = await fill(http);
    // Two alternating calculations, so that every item changes each time and both sides write history.
    const turns = [await http.capture(http.staffKey, path(1)), await http.capture(http.staffKey, path(2))];
    await http.database.use(http.connection, async (sql) => {
      const replay = async (statements: readonly CapturedQuery[]): Promise<void> => {
        await sql.begin(async (transaction) => {
          for (const { text, values } of statements)
            await transaction.unsafe(text, values as never[], { prepare: true });
        });
      };
      const floor = sideOf((n) => replay(turns[n % 2] ?? []));
      const product = sideOf(async (n) => {
        await http.call(http.staffKey, path(1 + (n % 2)));
      });
      const { ratio, product: ours, floor: bare } = await compare(floor, product, options.plan);
      const spread = `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)})`;
      options.print(
        `score: ${ITEMS} items by expressions, rate ${spread} of its ${turns[0]?.length ?? 0} statements alone, ` +
          `demanded >= ${RATE_AT_LEAST}: ${ratio.median >= RATE_AT_LEAST ? 'met' : 'MISSED'}  ` +
          `${ours.rate.toFixed(0)}/s, floor ${bare.rate.toFixed(0)}/s`,
      );
    });
  } finally {
    await http.stop();
  }
}

/** Creates a score template with its items, and a score; returns the path that recalculates it from a number. */
async function fill(http: HttpBench): Promise<(x: number) => string> {
  const numbers = Array.from({ length: ITEMS }, (_, n) => n + 1);
  await http.call(http.staffKey, '/api/scoretemplate/create?Output=Json', {
    ScoreTemplate: 'Bench',
    ScoreEngine: 'ExpressionEngine',
    Repeatable: 'One',
    Method: 'Parameters',
    EngineParameters: numbers.map((n) => `Item${n} = number(X) * ${n} + ${n}.25`).join('\n'),
  });
  const { LoanID } = await http.call(http.staffKey, '/api/loan/save?Output=Json', {
    Loan: '700700701',
    UPBAmount: '250000',
  });
  const { ScoreID } = await http.call(
    http.staffKey,
    `/api/score/calculate?Output=Json&Template=Bench&Object=Loan&ObjectID=${String(LoanID)}&X=0`,
  );
  return (x) => `/api/score/calculate?Output=Json&ID=${String(ScoreID)}&X=${x}`;
}

/** Runs calls in succession for about the time. CPU is not compared: both sides mostly wait for the database. */
function sideOf(call: (n: number) => Promise<void>): Side {
  let calls = 0;
  return {
    async slice(milliseconds) {
      const before = calls;
      const began = performance.now();
      while (performance.now() - began < milliseconds) await call(calls++);
      return { calls: calls - before, seconds: (performance.now() - began) / 1000 };
    },
    cpu: async (): Promise<CpuUsage> => ({ user: 0, system: 0 }),
  };
}
