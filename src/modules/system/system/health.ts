import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

const checks = {
  Health: required(f.text({ doc: 'What was looked at.' })),
  State: required(f.choice(['ok', 'warning', 'failed'], { doc: 'How it is.' })),
  Detail: required(f.text({ doc: 'What was found.' })),
};

interface Check {
  readonly Health: string;
  readonly State: 'ok' | 'warning' | 'failed';
  readonly Detail: string;
}

/** Messages that are due for longer than this show that workers are missing or too few. */
const WAITING_SECONDS_WARNING = 300;
/** Connections in use above this share of what the server allows are few left. */
const CONNECTIONS_SHARE_WARNING = 0.8;

export const operation = defineOperation({
  module: 'system',
  name: 'Health',
  method: 'GET',
  summary: 'Tells how the installation is: database, queues, stored files, failures of the last day, and this process.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'Health',
  rows: checks,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'The health of the installation is told to users with universal access.',
    });
  const found = await Promise.all([
    guarded('Database', () => database(ctx)),
    guarded('Queues', () => queues(ctx)),
    guarded('Stored files', () => storedFiles(ctx)),
    guarded('Failures of the last day', () => failures(ctx)),
  ]);
  return list('Health', checks, [...found, thisProcess()]);
});

/** A check that fails is itself what was found out. */
async function guarded(name: string, check: () => Promise<Omit<Check, 'Health'>>): Promise<Check> {
  try {
    return { Health: name, ...(await check()) };
  } catch (error) {
    return {
      Health: name,
      State: 'failed',
      Detail: error instanceof PlatformError ? error.message : 'It does not answer.',
    };
  }
}

async function database(ctx: Context): Promise<Omit<Check, 'Health'>> {
  const [row] = await ctx.db.query<{ version: string; bytes: string; used: number; most: number }>(
    `select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as bytes,
       (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used, current_setting('max_connections')::integer as most`,
  );
  if (!row) throw new Error('no answer');
  return {
    State: row.used > row.most * CONNECTIONS_SHARE_WARNING ? 'warning' : 'ok',
    Detail: `PostgreSQL ${row.version}, ${row.bytes}, ${row.used} of ${row.most} connections.`,
  };
}

async function queues(ctx: Context): Promise<Omit<Check, 'Health'>> {
  const states = await ctx.queue.states(ctx.db);
  const sum = (of: (state: (typeof states)[number]) => number): number =>
    states.reduce((total, state) => total + of(state), 0);
  const oldest = Math.max(0, ...states.map((state) => state.OldestSeconds ?? 0));
  const stopped = states.filter((state) => state.State !== 'running').map((state) => state.QueueName);
  const dead = sum((state) => state.Dead);
  const detail = `${sum((state) => state.Waiting)} waiting, the oldest for ${oldest} s, ${sum((state) => state.Running)} running, ${dead} dead letters.${stopped.length > 0 ? ` Not running: ${stopped.join(', ')}.` : ''}`;
  return {
    State: dead > 0 || oldest > WAITING_SECONDS_WARNING || stopped.length > 0 ? 'warning' : 'ok',
    Detail: detail,
  };
}

/** Stores a small file where documents go first, and removes it. */
async function storedFiles(ctx: Context): Promise<Omit<Check, 'Health'>> {
  const content = Buffer.from(ctx.correlationId);
  const staged = await ctx.documents.stage(
    (async function* () {
      yield content;
    })(),
    { fileName: 'health.txt' },
  );
  await ctx.documents.discard(staged.token);
  const names = ctx.providers.names('file-object');
  return { State: 'ok', Detail: `Written and removed a file; storages: ${names.join(', ')}.` };
}

async function failures(ctx: Context): Promise<Omit<Check, 'Health'>> {
  const since = new Date(ctx.clock.milliseconds() - 86_400_000).toISOString();
  const [row] = await ctx.db.query<{ errors: number; refused: number }>(
    `select (select count(*)::integer from errorlog where createddate >= $1::timestamptz) as errors,
       (select count(*)::integer from securitylog where createddate >= $1::timestamptz and securitylog in ('SignInRefused', 'KeyRefused', 'Refused')) as refused`,
    [since],
  );
  return {
    State: (row?.errors ?? 0) > 0 ? 'warning' : 'ok',
    Detail: `${row?.errors ?? 0} unforeseen failures, ${row?.refused ?? 0} refused calls and sign-ins.`,
  };
}

function thisProcess(): Check {
  const { rss } = process.memoryUsage();
  return {
    Health: 'This process',
    State: 'ok',
    Detail: `Node ${process.versions.node}, up for ${Math.round(process.uptime() / 60)} minutes, ${Math.round(rss / 1_048_576)} MB.`,
  };
}
