import type { BenchOptions } from './run.ts';
import { fillConsole } from './console/console-rows.ts';
import { figures, type ConsoleFigure } from './console/figures.ts';
import { readerOf, type Reader } from './console/reader.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { signInClerk } from './lib/sign-in.ts';

const ROWS = 1_000_000;
const VIEWS_WARMUP = 30;
const VIEWS = 200;
/** The floor reads one case by its key: the least that a page can do. */
const FLOOR_PATH = '/case';

/** Times in milliseconds of the views of a page, and of the floor's request before each. */
interface Times {
  readonly page: readonly number[];
  readonly floor: readonly number[];
  /** Of the product's process and of PostgreSQL, per view. */
  readonly cpu: number;
  readonly databaseCpu: number;
}

/**
 * The server part of the console's pages among a million cases: from the request of a signed-in user to the last byte.
 * Each view is preceded by a request to the floor, which reads one case by its key: the ratio to it holds on a busy
 * machine too, where the milliseconds do not.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    const rows = options.rows ?? ROWS;
    const { cookie, personId } = await signInClerk(http);
    await fillConsole(http, rows, personId);
    await http.startFloor([
      {
        path: FLOOR_PATH,
        text: 'select * from process join foreclosure on foreclosureid = processid where processid = $1::bigint',
        values: [{ member: 'id' }],
        one: true,
      },
    ]);
    const reader = await readerOf(http, cookie);
    for (const figure of figures.filter(({ name }) => options.takes(name)))
      options.print(line(figure, await measure(http, reader, figure, rows)));
  } finally {
    await http.stop();
  }
}

async function measure(http: HttpBench, reader: Reader, figure: ConsoleFigure, rows: number): Promise<Times> {
  const times: { page: number[]; floor: number[] } = { page: [], floor: [] };
  let product = 0;
  let database = 0;
  for (let n = 0; n < VIEWS_WARMUP + VIEWS; n++) {
    await figure.prepare?.(reader, n);
    const floor = await timed(() => http.callFloor(`${FLOOR_PATH}?id=${1 + ((n * 7919) % rows)}`));
    const before = { product: await productCpu(http), database: http.database.cpu() ?? Number.NaN };
    const page = await timed(() => figure.view(reader, n, rows));
    if (n < VIEWS_WARMUP) continue;
    product += (await productCpu(http)) - before.product;
    database += (http.database.cpu() ?? Number.NaN) - before.database;
    times.page.push(page);
    times.floor.push(floor);
  }
  return { ...times, cpu: product / VIEWS / 1000, databaseCpu: database / VIEWS / 1000 };
}

async function productCpu(http: HttpBench): Promise<number> {
  const { user, system } = await http.cpu();
  return user + system;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function line({ name, budgetMilliseconds }: ConsoleFigure, times: Times): string {
  const late = percentile(times.page, 0.95);
  const ratio = percentile(
    times.page.map((page, n) => page / (times.floor[n] ?? Number.NaN)),
    0.5,
  );
  return (
    `console: ${name.padEnd(34)} p95 ${late.toFixed(1).padStart(7)} ms  budget ${budgetMilliseconds}: ` +
    `${late <= budgetMilliseconds ? 'met   ' : 'MISSED'}  median ${percentile(times.page, 0.5).toFixed(1)} ms, ` +
    `${ratio.toFixed(1)}x the floor's ${percentile(times.floor, 0.5).toFixed(2)} ms ` +
    `(its p95 ${percentile(times.floor, 0.95).toFixed(2)} ms)  ` +
    `cpu a view ${times.cpu.toFixed(1)} ms, PostgreSQL ${times.databaseCpu.toFixed(1)} ms`
  );
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
