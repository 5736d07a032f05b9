import { arrayLiteral } from '../../src/kernel/database/store.ts';
import type { Platform } from '../../src/kernel/ports/platform.ts';
import { sealCall, sealFailure } from '../../src/surfaces/worker/envelope.ts';
import { causeOf } from '../../src/surfaces/worker/failure-cause.ts';
import { createJobIndexes, DEAD_LETTERS } from '../../src/surfaces/shared/pgboss-sql.ts';

const PAUSED = 'decisionstep/start';
const ROUTES = ['loan/update', 'contact/update', 'maildelivery/send', 'webhookdelivery/send', PAUSED];
/** Sealed calls and failures that the rows share. */
const SEALED = 200;
/** How many causes the dead letters have. */
const CAUSES = 40;
/** Rows of one statement, which must end before the store's timeout. */
const ROWS_AT_ONCE = 50_000;
/** Queued calls: one each 0.5 s, the latest now. */
const SECONDS_BETWEEN = 0.5;

/**
 * Fills the queue's table, unless it is full, until it has `rows` rows, with the indexes that the scheduler makes.
 * Of 20 rows, 4 are dead letters, 4 the failed jobs of these, 8 done, 3 waiting, and 1 waits as its operation
 * is paused.
 */
export async function fillQueue({ store, cipher, queue }: Platform, rows: number): Promise<void> {
  const [known] = await store.query<{ count: number }>('select count(*)::integer as count from pgboss.job');
  if ((known?.count ?? 0) >= rows) return;
  const calls = Array.from({ length: SEALED }, (_, n) =>
    sealCall(cipher, {
      messageId: '',
      route: ROUTES[n % ROUTES.length] ?? '',
      personId: 1,
      queueName: queue.queueOf(undefined),
      correlationId: `bench ${n}`,
      parameters: { ID: 1 + (n % 100), Note: `The reason of change ${n}, in some words of a clerk.` },
      cause: [],
    }),
  );
  const failures = Array.from({ length: SEALED }, (_, n) => {
    const message = `The server ${'x'.repeat(1 + (n % CAUSES))} refused "${n}".`;
    const code = n % 3 === 0 ? 'UPSTREAM' : 'STATE_REFUSES';
    return {
      code,
      cause: causeOf(cipher, { code, message } as Parameters<typeof causeOf>[1]),
      sealed: sealFailure(cipher, { message, alerts: [] }),
      attempts: [{ at: '2026-01-01T00:00:00.000Z', code }],
    };
  });
  const names = (await queue.states(store)).map(({ QueueName: name }) => name);
  for (let from = 1; from <= rows; from += ROWS_AT_ONCE)
    await store.query(
      `insert into pgboss.job (id, name, data, state, retry_limit, retry_count, start_after, created_on, started_on,
         completed_on, keep_until, output, policy, blocked, source_name, source_id, source_created_on,
         source_retry_count, source_output, source_root_id)
       select case when isdead then gen_random_uuid() else id end,
         case when isdead then '${DEAD_LETTERS}' else queue end,
         ($1::jsonb -> (n % ${SEALED})::integer) || jsonb_build_object('messageId', id),
         (case when kind between 4 and 7 then 'failed' when kind between 8 and 15 then 'completed' else 'created' end)
           ::pgboss.job_state,
         4, case when kind between 4 and 7 then 4 else 0 end, at, at, case when kind between 4 and 15 then at end,
         case when kind between 4 and 15 then at + interval '1 second' end, now() + interval '90 days',
         case when kind between 4 and 7 then failure when kind between 8 and 15 then '{"code": "OK"}' end,
         'standard', false, case when isdead then queue end, case when isdead then id end,
         case when isdead then at end, case when isdead then 4 end, case when isdead then failure end,
         case when isdead then id end
       from (
         select n, n % 20 as kind, n % 20 < 4 as isdead,
           now() - (${rows} - n) * interval '${SECONDS_BETWEEN} seconds' as at,
           md5('job ' || case when n % 20 between 4 and 7 then n - 4 else n end)::uuid as id,
           ($2::text[])[1 + case when n % 4 = 0 then n / 20 % cardinality($2::text[]) else 0 end] as queue,
           $3::jsonb -> (n / 20 % ${SEALED})::integer as failure
         from generate_series($4::bigint, $5::bigint) n) j
       on conflict do nothing`,
      [
        JSON.stringify(calls),
        arrayLiteral(names),
        JSON.stringify(failures),
        from,
        Math.min(rows, from + ROWS_AT_ONCE - 1),
      ],
    );
  await pauseCalls({ store, queue });
  await createJobIndexes(store);
  await store.outsideTransaction('vacuum analyze pgboss.job_common', 600_000);
}

/** Pauses an operation in the first queue, and blocks its calls: those of every 20th row. */
async function pauseCalls({ store, queue }: Pick<Platform, 'store' | 'queue'>): Promise<void> {
  const calls = { queueName: queue.queueOf(undefined), operation: PAUSED };
  await store.transaction({ personId: null, firm: null, callId: 'bench' }, (transaction) =>
    queue.pause(transaction, calls, { personId: 1, reason: 'Bench' }),
  );
  await store.query(
    `update pgboss.job
     set blocked = true
     where name = $1 and state < 'active' and not blocked and data ->> 'route' = $2`,
    [calls.queueName, calls.operation],
  );
}
