import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import type { Db } from '../../../src/kernel/database/store.ts';
import type { QueueFilter } from '../../../src/kernel/ports/queue.ts';
import * as statements from '../../../src/surfaces/shared/pgboss-sql.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const db: Db = on.platform.store;

/** Columns that the statements use, with their types. */
const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pgboss.queue': { name: 'text' },
  'pgboss.job': {
    id: 'uuid',
    name: 'text',
    data: 'jsonb',
    state: 'pgboss.job_state',
    policy: 'text',
    blocked: 'boolean',
    retry_limit: 'integer',
    retry_count: 'integer',
    start_after: 'timestamp with time zone',
    created_on: 'timestamp with time zone',
    started_on: 'timestamp with time zone',
    completed_on: 'timestamp with time zone',
    heartbeat_on: 'timestamp with time zone',
    keep_until: 'timestamp with time zone',
    deletion_seconds: 'integer',
    output: 'jsonb',
    source_name: 'text',
    source_root_id: 'uuid',
    source_created_on: 'timestamp with time zone',
    source_retry_count: 'integer',
    source_output: 'jsonb',
  },
};

const filter = {
  ids: [randomUUID()],
  queueName: 'Default',
  label: 'label',
  personId: 1,
  operation: 'loan/save',
  errorCode: 'INTERRUPTED',
  cause: '',
  deadBefore: '2026-01-01T00:00:00Z',
  start: 0,
  size: 10,
} as const;
const job = { id: randomUUID(), retryCount: 0 };
const queues = ['Default', 'Report'];

/** One call of each statement, by its name. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  selectQueueStates: () => statements.selectQueueStates(db, queues),
  blockPausedCalls: () => statements.blockPausedCalls(db, 'Default'),
  releaseCalls: () => statements.releaseCalls(db, 10),
  countPausedCalls: () => statements.countPausedCalls(db),
  selectDueQueues: () => statements.selectDueQueues(db, queues),
  selectMessages: async () => [
    await statements.selectMessages(db, filter, queues),
    await statements.selectMessages(db, { ...filter, state: 'active' }, queues),
    await statements.selectMessages(db, { scheduled: true, start: 0, size: 10 }, queues),
  ],
  discardDeadLetters: () =>
    statements.discardDeadLetters(db, {
      ids: [job.id],
      note: { discardId: randomUUID(), personId: 1, reason: 'not needed' },
      days: 90,
    }),
  restoreDiscarded: () => statements.restoreDiscarded(db, { ...filter, discardId: randomUUID() }, queues),
  selectDeadLetterCauses: () => statements.selectDeadLetterCauses(db, 10),
  selectOutcomes: () => statements.selectOutcomes(db, [job.id]),
  createJobIndexes: async () => {
    for (const name of ['state', 'dead', 'cause', 'blocked'])
      await db.query(`drop index if exists pgboss.casewright_job_${name}`);
    await db.query('create index casewright_job_paused on pgboss.job_common (name)');
    assert.equal(await statements.createJobIndexes(on.platform.store), 4);
    assert.equal(await statements.createJobIndexes(on.platform.store), 0, 'they are there');
    const [former] = await db.query<{ name: string | null }>(
      "select to_regclass('pgboss.casewright_job_paused')::text as name",
    );
    assert.equal(former?.name, null, 'the index of an earlier version is dropped');
  },
  countDeadLetters: () => statements.countDeadLetters(db, filter, queues),
  lockDeadLetters: () => statements.lockDeadLetters(db, filter, queues),
  selectScheduleId: () => statements.selectScheduleId(db, job.id, queues),
  lockLiveJobs: async () => [
    await statements.lockLiveJobs(db, { id: job.id, scheduleId: null }, queues),
    await statements.lockLiveJobs(db, { id: job.id, scheduleId: 'a' }, queues),
  ],
  cancelWaitingJob: () => statements.cancelWaitingJob(db, 'Default', job.id),
  insertCanceledCopy: () =>
    statements.insertCanceledCopy(db, { name: 'Default', id: job.id, copyOf: randomUUID(), retentionDays: 1 }),
  selectRunningJobs: () => statements.selectRunningJobs(db, queues),
  removeDeadLetterQueue: () => statements.removeDeadLetterQueue(db, 'Default', [job.id]),
  makeAttemptLast: () => statements.makeAttemptLast(db, 'Default', job),
  unclaimJobs: () => statements.unclaimJobs(db, 'Default', [job]),
};

describe('the statements on the tables of the queue library', () => {
  it('were written for the installed version, which package.json pins', () => {
    const read = (file: string): { version: string; dependencies: Record<string, string> } =>
      JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')) as never;
    assert.equal(read('package.json').dependencies['pg-boss'], statements.PGBOSS_VERSION);
    assert.equal(read('node_modules/pg-boss/package.json').version, statements.PGBOSS_VERSION);
  });

  it('use tables and columns that the library has, with the expected types', async () => {
    for (const [table, expected] of Object.entries(columns)) {
      const rows = await db.query<{ name: string; type: string }>(
        `select attname as name, format_type(atttypid, null) as type
         from pg_attribute
         where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped and attname = any($2::text[])`,
        [table, `{${Object.keys(expected).join(',')}}`],
      );
      assert.deepEqual(Object.fromEntries(rows.map(({ name, type }) => [name, type])), expected, table);
    }
    const { table, key, callColumn, failureColumns } = statements.sealedJobs;
    for (const name of [...key.map((each) => each.name), callColumn, ...failureColumns])
      assert.ok(columns[table]?.[name], name);
  });

  it('may compare states: waiting ones come before active, ended ones after it', async () => {
    const rows = await db.query<{ state: string }>('select unnest(enum_range(null::pgboss.job_state))::text as state');
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['created', 'retry', 'active', 'completed', 'cancelled', 'failed'],
    );
  });

  it('find waiting jobs by an index that the library has', async () => {
    const rows = await db.query<{ definition: string }>(
      "select indexdef as definition from pg_indexes where schemaname = 'pgboss' and tablename like 'job%'",
    );
    const waiting = rows.filter(({ definition }) => /\(name, .*WHERE .*state < 'active'/.test(definition));
    assert.ok(waiting.length > 0, rows.map(({ definition }) => definition).join('\n'));
  });

  it('WEB-06 find the calls of a cause, and paused calls in order, by our indexes alone', async () => {
    await statements.createJobIndexes(on.platform.store);
    const planOf = async (filtered: QueueFilter): Promise<string> => {
      const sent: { text: string; values: readonly unknown[] }[] = [];
      const recorder: Db = {
        query: (text, values = []) => (sent.push({ text, values }), Promise.resolve([])),
      };
      await statements.selectMessages(recorder, filtered, queues);
      return on.platform.store.transaction({ personId: null, firm: null, callId: 'plan' }, async (transaction) => {
        // The test's table is empty, so that reading all of it costs the least.
        for (const name of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
          await transaction.query(`select set_config('${name}', 'off', true)`);
        const [{ text, values } = { text: '', values: [] }] = sent;
        const rows = await transaction.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    };
    const ofCause = await planOf({ state: 'dead', cause: 'a1', start: 0, size: 50 });
    assert.match(ofCause, /Scan using casewright_job_cause on [^]*Index Cond: [^]*'cause'/);
    const paused = await planOf({ state: 'paused', start: 0, size: 50 });
    assert.match(paused, /Scan using casewright_job_blocked on/);
    assert.doesNotMatch(paused, /Sort/);
  });

  it('are all understood by the database', async () => {
    const names = Object.entries(statements)
      .filter(([name, value]) => typeof value === 'function' && name !== 'messageIdsIn')
      .map(([name]) => name);
    assert.deepEqual(Object.keys(calls).sort(), names.sort(), 'expected a call of each statement');
    for (const [name, call] of Object.entries(calls)) await assert.doesNotReject(call(), name);
    await db.query(`select from idempotency where ${statements.messageIsGone}`);
  });
});
