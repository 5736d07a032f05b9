import type { BenchOptions } from './run.ts';
import { fillConfiguration, type ShownConfiguration } from './console/configuration-rows.ts';
import { fillPayments } from './console/payment-rows.ts';
import { fillMail, type ShownMail } from './console/mail-rows.ts';
import { prepareRows, shownCases } from './console/console-rows.ts';
import { figures, type ConsoleFigure, type View, type Viewer } from './console/figures.ts';
import { readerOf, type Reader } from './console/reader.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { signIn, signInClerk } from './lib/sign-in.ts';

const ROWS = 1_000_000;
const QUEUE_ROWS = 1_000_000;
const CONFIGURATION_RECORDS = 2_000;
const MESSAGES = 100_000;
/** Views of a figure for each of the pairs that a run asks for, of which there are five by default; and before them. */
const VIEWS_PER_PAIR = 40;
const VIEWS_WARMUP = 30;
/** The floor reads one case by its key: the least that a page can do. */
const FLOOR_PATH = '/case';

/**
 * Times in milliseconds of the views of a page, and of the floor's request before each. The CPU time of both processes
 * is the most that a view takes on an idle machine with warm caches, where neither waits.
 */
interface Times {
  readonly page: readonly number[];
  readonly floor: readonly number[];
  /** CPU time of the product's process, of PostgreSQL, and of both together. */
  readonly cpu: readonly number[];
  readonly databaseCpu: readonly number[];
  readonly bothCpu: readonly number[];
}

/**
 * The server part of the console's pages among a million cases: from the request of a signed-in user to the last byte.
 * Each view is preceded by a request to the floor, which reads one case by its key: the ratio to it holds on a busy
 * machine too, where the milliseconds do not. With `--data` the rows are kept for the next run.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile, undefined, options.data);
  try {
    const firms = await prepareRows(http, options.rows ?? ROWS);
    const clerk = await signInClerk(http);
    const chosen = figures.filter(({ name, viewer = 'clerk' }) => options.takes(`${name} ${viewer}`));
    const shown = { ...(await shownCases(http)), ...(await prepareMore(http, chosen)) };
    if (chosen.some(({ needs }) => needs === 'payments'))
      await http.database.use(http.connection, (sql) => fillPayments(sql, shown.busy));
    options.print(`console: ${shown.cases} cases`);
    await joinTeams(http, clerk.personId);
    await http.startFloor([
      {
        path: FLOOR_PATH,
        text: 'select * from process join foreclosure on foreclosureid = processid where processid = $1::bigint',
        values: [{ member: 'id' }],
        one: true,
      },
    ]);
    const lead = await signIn(http, { name: 'bench lead', roles: 'Team lead' });
    await joinTeams(http, lead.personId);
    const users = { memberId: clerk.personId, readerId: lead.personId };
    const mail = await prepareMail(http, chosen, users);
    const readers: Readonly<Record<Viewer, Reader>> = {
      clerk: await readerOf(http, clerk.cookie),
      lead: await readerOf(http, lead.cookie),
      administrator: await readerOf(
        http,
        (await signIn(http, { name: 'bench administrator', roles: 'Administrator' })).cookie,
      ),
      analyst: await readerOf(http, (await signIn(http, { name: 'bench analyst', roles: 'Analyst' })).cookie),
      'large firm': await firmReader(http, 'large firm', firms.large),
      'small firm': await firmReader(http, 'small firm', firms.small),
    };
    const views = VIEWS_PER_PAIR * options.plan.pairs;
    for (const figure of chosen)
      options.print(
        line(
          figure,
          await measure(http, readers[figure.viewer ?? 'clerk'], figure, { shown: { ...shown, ...mail }, views }),
        ),
      );
  } finally {
    await http.stop();
  }
}

/** Adds the rows that figures need besides cases, and returns what they show of these. */
async function prepareMore(http: HttpBench, chosen: readonly ConsoleFigure[]): Promise<ShownConfiguration> {
  if (chosen.some(({ needs }) => needs === 'queue')) await http.fillQueue(QUEUE_ROWS);
  if (!chosen.some(({ needs }) => needs === 'configuration')) return { taskType: 0 };
  return http.database.use(http.connection, (sql) => fillConfiguration(sql, CONFIGURATION_RECORDS));
}

/** Adds the messages that figures need. */
async function prepareMail(
  http: HttpBench,
  chosen: readonly ConsoleFigure[],
  users: { readonly memberId: number; readonly readerId: number },
): Promise<ShownMail> {
  if (!chosen.some(({ needs }) => needs === 'mail')) return { mailTeam: 0 };
  return http.database.use(http.connection, (sql) => fillMail(sql, MESSAGES, users));
}

async function firmReader(http: HttpBench, name: string, organizationId: number): Promise<Reader> {
  const { cookie } = await signIn(http, { name: `bench ${name}`, roles: 'Partner', organizationId });
  return readerOf(http, cookie);
}

/** Makes the user a member of three teams, if not yet. */
async function joinTeams({ database, connection }: HttpBench, personId: number): Promise<void> {
  await database.use(connection, (sql) =>
    sql.unsafe(
      `insert into collectionmember (collectionid, sourceobjectid, priority)
       select c.collectionid, $1::bigint, 1 from collection c
       where c.collection in ('Intake', 'Title', 'Litigation')
         and not exists (
           select from collectionmember m where m.collectionid = c.collectionid and m.sourceobjectid = $1)`,
      [personId],
    ),
  );
}

async function measure(
  http: HttpBench,
  reader: Reader,
  figure: ConsoleFigure,
  { shown, views }: { readonly shown: View['shown']; readonly views: number },
): Promise<Times> {
  const times = {
    page: [] as number[],
    floor: [] as number[],
    cpu: [] as number[],
    databaseCpu: [] as number[],
    bothCpu: [] as number[],
  };
  for (let n = 0; n < VIEWS_WARMUP + views; n++) {
    const prepared = (await figure.prepare?.({ reader, n, shown, prepared: '' })) ?? '';
    const floor = await timed(() => http.callFloor(`${FLOOR_PATH}?id=${shown.busy[n % shown.busy.length] ?? 1}`));
    const before = { product: await productCpu(http), database: http.database.cpu() ?? Number.NaN };
    const page = await timed(() => figure.view({ reader, n, shown, prepared }));
    if (n < VIEWS_WARMUP) continue;
    const product = ((await productCpu(http)) - before.product) / 1000;
    const database = ((http.database.cpu() ?? Number.NaN) - before.database) / 1000;
    times.page.push(page);
    times.floor.push(floor);
    times.cpu.push(product);
    times.databaseCpu.push(database);
    times.bothCpu.push(product + database);
  }
  return times;
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

function line({ name, viewer = 'clerk', budgetMilliseconds }: ConsoleFigure, times: Times): string {
  const late = percentile(times.page, 0.95);
  const ratio = percentile(
    times.page.map((page, n) => page / (times.floor[n] ?? Number.NaN)),
    0.5,
  );
  const whose = viewer === 'clerk' ? name : `${name} (${viewer})`;
  return (
    `console: ${whose.padEnd(50)} p95 ${late.toFixed(1).padStart(7)} ms  budget ${budgetMilliseconds}: ` +
    `${late <= budgetMilliseconds ? 'met   ' : 'MISSED'}  median ${percentile(times.page, 0.5).toFixed(1)} ms, ` +
    `${ratio.toFixed(1)}x the floor's ${percentile(times.floor, 0.5).toFixed(2)} ms ` +
    `(its p95 ${percentile(times.floor, 0.95).toFixed(2)} ms)  ` +
    `cpu a view ${percentile(times.cpu, 0.5).toFixed(1)} ms, ` +
    `PostgreSQL ${percentile(times.databaseCpu, 0.5).toFixed(1)} ms, ` +
    `both p95 ${percentile(times.bothCpu, 0.95).toFixed(1)} ms`
  );
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
