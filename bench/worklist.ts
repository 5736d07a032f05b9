import type { BenchOptions } from './run.ts';
import { p99, type Slice } from './lib/callers.ts';
import { startChild } from './lib/child.ts';
import { startDatabase } from './lib/database.ts';
import type { FloorWorklistHandlers } from './lib/floor-worklist.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { ProductWorklistHandlers } from './lib/product-worklist.ts';
import { CALLERS, fillItems, fillPeople, TEAMS } from './lib/worklist-rows.ts';

/** Waiting items at the start of a slice. */
const ITEMS = 100_000;
/** Target: the 99th percentile of the product's calls relative to the floor's. */
const P99_AT_MOST = 3;

/**
 * `next` and `complete` through the door, in process and without HTTP, compared with the minimal SQL (one statement
 * that selects by the same rules and assigns, one that completes) and with pg-boss (fetch and complete of single jobs).
 * Each has a separate database with 100,000 waiting items. With `--rows` the product draws that many items in total, to
 * verify that none is given twice or to a user outside the team.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const database = await startDatabase();
  const [ours, bare, queue] = [
    await database.create('ours'),
    await database.create('bare'),
    await database.create('queue', 'plain'),
  ];
  const product = await startChild<ProductWorklistHandlers>(
    'product-worklist.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  const floor = await startChild<FloorWorklistHandlers>('floor-worklist.ts');
  try {
    await product.ask('start', { databaseUrl: database.url('ours'), dataFolder: database.folder });
    for (const connection of [ours, bare]) await database.use(connection, fillPeople);
    await product.ask('signIn', undefined);
    await floor.ask('start', { bare, queue });
    await floor.ask('fillQueue', ITEMS);
    const times: Record<'product' | 'bare', number[]> = { product: [], bare: [] };
    const noted = (of: 'product' | 'bare', found: Slice): Slice => (times[of].push(p99(found.times)), found);
    const productSide: Side = {
      slice: async (milliseconds) => (
        await database.use(ours, (sql) => fillItems(sql, ITEMS)),
        noted('product', await product.ask('draws', { milliseconds }))
      ),
      cpu: () => product.ask('cpu', undefined),
    };
    const bareSide: Side = {
      slice: async (milliseconds) => (
        await database.use(bare, (sql) => fillItems(sql, ITEMS)),
        noted('bare', await floor.ask('bareDraws', milliseconds))
      ),
      cpu: () => floor.ask('cpu', undefined),
    };
    const queueSide: Side = {
      slice: (milliseconds) => floor.ask('queueDraws', milliseconds),
      cpu: () => floor.ask('cpu', undefined),
    };
    const figure = `${ITEMS} items, ${TEAMS} teams, ${CALLERS} callers`;
    if (options.takes('bare')) {
      options.print(
        line(`worklist: bare, ${figure}`, await compare(bareSide, productSide, options.plan), { rateAtLeast: 0.3 }),
      );
      options.print(p99Line(median(times.product), median(times.bare)));
    }
    if (options.takes('pg-boss'))
      options.print(
        line(`worklist: pg-boss, ${figure}`, await compare(queueSide, productSide, options.plan), { rateAtLeast: 0.8 }),
      );
    for (
      let drawn = (await product.ask('given', undefined)).given;
      options.rows !== undefined && drawn < options.rows;
      drawn = (await product.ask('given', undefined)).given
    ) {
      await database.use(ours, (sql) => fillItems(sql, ITEMS));
      await product.ask('draws', { milliseconds: 600_000, drawsMax: Math.min(ITEMS / 2, options.rows - drawn) });
    }
    const { given, twice, strangers } = await product.ask('given', undefined);
    options.print(
      `worklist: ${given} items drawn, ${twice} given twice, ${strangers} to somebody not of the team  ` +
        `demanded 0 and 0: ${twice + strangers === 0 ? 'met' : 'MISSED'}`,
    );
  } finally {
    await Promise.all([product.stop(), floor.stop()]);
    await database.stop();
  }
}

function p99Line(own: number, least: number): string {
  const ratio = own / least;
  return (
    `worklist: p99 of next ${own.toFixed(1)} ms, bare ${least.toFixed(1)} ms: ${ratio.toFixed(2)}x  ` +
    `demanded <= ${P99_AT_MOST}x: ${ratio <= P99_AT_MOST ? 'met' : 'MISSED'}`
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
