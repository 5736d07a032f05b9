import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import type { CleanUp } from '../database.ts';
import { eventually } from '../eventually.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';
import { startedDataFolder } from './started-folder.ts';

/** What a workload gets in one round. */
export interface KillRound {
  readonly round: number;
  readonly url: string;
  /** The data folder of the server. */
  readonly folder: string;
  /**
   * Aborted when the server is killed: whatever has no answer by then is sent again in the next round, or by `finish`.
   */
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Counts a call that was answered, toward the plan's `answersMin`. */
  readonly countAnswer: () => void;
}

/** Connection to the database of the server under test. */
export type KillSql = postgres.Sql;

/** What {@link killRounds} runs. */
export interface KillPlan {
  /** Sends calls until it is stopped; errors of calls that the kill cut off are its own to take. */
  readonly workload: (round: KillRound) => Promise<void>;
  /** Looks at the store right after a restart: what was answered is there, nothing is half-written. */
  readonly verify: (url: string, sql: KillSql, round: number) => Promise<void>;
  /** Once after the last round: sends what is still unanswered. The queue is then waited for and must end empty. */
  readonly finish: (url: string, sql: KillSql) => Promise<void>;
  readonly rounds: number;
  /** Two runs of one seed kill after the same times; what the server does meanwhile is never the same. */
  readonly seed: number;
  /** The longest time between the start of the workload and the kill, if `answersMin` calls are answered by then. */
  readonly millisecondsMax?: number;
  /** The route whose calls may become dead letters: calls that a kill leaves with an outcome that nobody knows. */
  readonly unknowable?: string;
  /** The server is killed after so many answers of a round at the earliest, however slow the machine is. Default: 0. */
  readonly answersMin?: number;
}

/**
 * Runs the real program on a data folder of its own, with a durable store, kills it with SIGKILL in the middle of the
 * workload, starts it again, and looks at what is there; every second time its PostgreSQL is killed the same way.
 */
export async function killRounds(cleanUp: CleanUp, plan: KillPlan): Promise<void> {
  const folder = await startedDataFolder(cleanUp);
  const random = seeded(plan.seed);
  const start = () => startServerProcess(cleanUp, { env: { CASEWRIGHT_DATA: folder, CASEWRIGHT_LOG_LEVEL: 'error' } });
  let server = await start();
  // A workload makes more calls than any user.
  await withDatabase(folder, async (sql) => {
    await sql`insert into setting (setting, value) values ('CallsPerMinuteMax', '0')`;
  });
  for (let round = 0; round < plan.rounds; round++) {
    const milliseconds = Math.round(100 + random() * ((plan.millisecondsMax ?? 1_500) - 100));
    const enough = new AbortController();
    let answers = 0;
    if (plan.answersMin === undefined) enough.abort();
    const killed = new AbortController();
    const work = plan.workload({
      round,
      url: server.url,
      folder,
      signal: killed.signal,
      random,
      countAnswer() {
        answers += 1;
        if (answers >= (plan.answersMin ?? 0)) enough.abort();
      },
    });
    // A workload that fails ends the wait for its answers.
    await Promise.all([aborted(AbortSignal.timeout(milliseconds)), Promise.race([aborted(enough.signal), work])]);
    kill(server, folder, round % 2 === 1);
    killed.abort();
    await work;
    await server.ended;
    server = await start();
    await withDatabase(folder, (sql) => plan.verify(server.url, sql, round));
  }
  await withDatabase(folder, async (sql) => {
    await plan.finish(server.url, sql);
    await emptyQueue(sql);
    const dead = await sql`
      select data ->> 'route' as route, source_output
      from pgboss.job
      where name = 'DeadLetters' and data ->> 'route' is distinct from ${plan.unknowable ?? null}`;
    if (dead.length > 0) throw new Error(`${dead.length} dead letters, the first: ${JSON.stringify(dead[0])}`);
    await plan.verify(server.url, sql, plan.rounds);
  });
  const how = await server.stop();
  if (how !== 0) throw new Error(`the server did not stop in good order at the end: ${how}`);
}

/** Most time in which the queue must get shorter or do something else, and most time until it is empty. */
const QUEUE_STILL_MILLISECONDS = 60_000;
const QUEUE_MILLISECONDS_MAX = 30 * 60_000;

/** Waits until the queue is empty: a long run leaves much to do. Fails if nothing changes for a minute. */
async function emptyQueue(sql: KillSql): Promise<void> {
  let before = '';
  let changed = performance.now();
  const end = await eventually(
    'the queue is empty',
    async () => {
      const open = await sql`select name, state, count(*)::integer as jobs from pgboss.job
        where state < 'completed' and name <> 'DeadLetters' group by name, state order by name, state`;
      const now = JSON.stringify(open);
      if (now !== before) [before, changed] = [now, performance.now()];
      if (open.length === 0) return 'empty';
      return performance.now() - changed > QUEUE_STILL_MILLISECONDS ? `unchanged for a minute: ${now}` : undefined;
    },
    QUEUE_MILLISECONDS_MAX,
  );
  if (end !== 'empty') throw new Error(`The queue is ${end}.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

function kill(server: ServerProcess, folder: string, withDatabase: boolean): void {
  server.signal('SIGKILL');
  if (!withDatabase) return;
  try {
    const [pid = ''] = readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  } catch {
    // It is gone already: with its parent, or because the round failed before and the folder was removed.
  }
}

async function withDatabase(folder: string, run: (sql: KillSql) => Promise<void>): Promise<void> {
  const host = join(folder, 'postgres/socket');
  const sql = postgres({
    host,
    path: `${host}/.s.PGSQL.5432`,
    user: 'casewright',
    database: 'casewright',
    max: 1,
    onnotice: () => undefined,
  });
  try {
    await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A small generator of numbers from 0 up to 1 that a seed repeats (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
