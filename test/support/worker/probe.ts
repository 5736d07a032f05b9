import postgres from 'postgres';
import { item } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError, type ErrorCode } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { eventually } from '../eventually.ts';
import type { Caller, TestPlatform } from '../platform.ts';

/**
 * Operations that leave a mark each time that their work commits, and fail as often as the table probefailure says. A
 * failure is counted in a separate transaction, so that it is not rolled back with the call.
 */
const schema = `
  create table probemark (id bigint generated always as identity, word text, personid bigint, universal boolean);
  create table probefailure (word text primary key, failures integer not null, code text not null);
  grant select, insert on probemark, probefailure to casewright_reach;`;

const fields = {
  Word: required(f.text({ doc: 'A word.', max: 100 })),
  QueuedAs: f.text({ doc: 'The QueueName that the operation itself got.' }),
};
const base = {
  module: 'probe',
  method: 'GET',
  summary: 'Leaves a mark.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  returns: fields,
  errors: [],
  source: 'test',
} as const;

async function mark(ctx: Context, word: string): Promise<void> {
  await ctx
    .transaction()
    .elevated((db) =>
      db.query('insert into probemark (word, personid, universal) values ($1::text, $2::bigint, $3::boolean)', [
        word,
        ctx.user.personId,
        ctx.user.universal,
      ]),
    );
  const [row] = await ctx.inTransaction((own) =>
    own
      .transaction()
      .elevated((db) =>
        db.query<{ code: string }>(
          'update probefailure set failures = failures - 1 where word = $1::text and failures > 0 returning code',
          [word],
        ),
      ),
  );
  if (row)
    throw new PlatformError(row.code as ErrorCode, {
      message: `Failed on purpose for ${word}.`,
      alerts: [{ code: 'PROBE', text: `alert of the failure of ${word}` }],
    });
  ctx.alert({ code: 'PROBE', text: `alert of ${word}`, id: 7 });
}

const mark1 = defineOperation({ ...base, name: 'Mark', params: { Word: fields.Word } });
const segments = defineOperation({
  ...base,
  name: 'MarkDeep',
  path: 'deep/{Word}/mark',
  params: { Word: fields.Word },
});
const named = defineOperation({
  ...base,
  name: 'Named',
  params: { Word: fields.Word, QueueName: f.text({ doc: 'Its own.', max: 100 }) },
});
const own = defineOperation({ ...base, name: 'Own', transactions: 'own', params: { Word: fields.Word } });
const look = defineOperation({ ...base, name: 'Look', effect: 'read', params: { Word: fields.Word } });

const answer = (Word: string, QueuedAs: string | null = null) => item('Probe', fields, { Word, QueuedAs });

export const probe = {
  schema,
  declarations: {
    operations: [
      { operation: mark1, run: handle(mark1, async (ctx, { Word }) => (await mark(ctx, Word), answer(Word))) },
      { operation: segments, run: handle(segments, async (ctx, { Word }) => (await mark(ctx, Word), answer(Word))) },
      {
        operation: named,
        run: handle(
          named,
          async (ctx, { Word, QueueName }) => (await mark(ctx, Word), answer(Word, QueueName ?? null)),
        ),
      },
      {
        operation: own,
        run: handle(own, async (ctx, { Word }) => (await ctx.inTransaction((part) => mark(part, Word)), answer(Word))),
      },
      { operation: look, run: handle(look, async (_ctx, { Word }) => answer(Word)) },
    ],
  },
};

/** Returns how often the work of a word was committed. */
export async function marksOf(test: TestPlatform, word: string): Promise<number> {
  const [row] = await test.platform.store.query<{ n: number }>(
    'select count(*)::integer as n from probemark where word = $1::text',
    [word],
  );
  return row?.n ?? 0;
}

/** Makes the work of a word fail this many times. */
export async function failing(test: TestPlatform, word: string, failures: number, code: ErrorCode): Promise<void> {
  await test.platform.store.query(
    `insert into probefailure
     values ($1::text, $2::integer, $3::text)
     on conflict (word) do update set failures = excluded.failures`,
    [word, failures, code],
  );
}

/** Queues a call and returns its message's ID. */
export async function enqueue(caller: Caller, path: string, headers: Record<string, string> = {}): Promise<string> {
  const answered = await caller.post(`${path}${path.includes('?') ? '&' : '?'}Output=Json`, '', headers);
  if (answered.status !== 202) throw new Error(`${path}: ${answered.status} ${answered.text}`);
  return String(answered.json()['QueueMessageID']);
}

/** Returns the reported status of a message. */
export async function statusOf(caller: Caller, id: string): Promise<Record<string, unknown>> {
  return (await caller.get(`/api/queue/status?ID=${id}&Output=Json`)).json();
}

/** Waits until a message has this status. */
export function until(
  caller: Caller,
  id: string,
  state: string,
  deadlineMs = 20_000,
): Promise<Record<string, unknown>> {
  return eventually<Record<string, unknown> | false>(
    `message ${id} is ${state}`,
    async () => {
      const status = await statusOf(caller, id);
      return status['State'] === state && status;
    },
    deadlineMs,
  );
}

/** Blocks every probe in the middle until `run` is done. */
export async function whileProbesBlocked(test: TestPlatform, run: () => Promise<void>): Promise<void> {
  const holder = postgres({ ...test.database, max: 1, onnotice: () => undefined });
  try {
    await holder.unsafe('begin; lock table probefailure in access exclusive mode');
    await run();
  } finally {
    await holder.end();
  }
}

/** Does to a running job what the supervisor does when its worker shows no sign of life. */
export async function presumeDead(test: TestPlatform, id: string): Promise<void> {
  await test.platform.queue.boss.fail('Default', id, { value: { message: 'job heartbeat timeout' } });
}
