import { PgBoss } from 'pg-boss';
import postgres from 'postgres';
import { smartWorklistMember } from '../../src/modules/work/smartworklistmember/smartworklistmember.record.ts';
import { pickTexts } from '../../src/modules/work/smartworklistmember/lib/pick-item.ts';
import { slice, type Slice } from './callers.ts';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';
import { CALLERS, CONNECTIONS } from './worklist-rows.ts';

/** The requests that the floor's process handles. */
export type FloorWorklistHandlers = typeof handlers;

/**
 * The minimal equivalent: one statement that selects by the same rules and order and assigns, and one that completes.
 */
const TAKE = `with picked as materialized (${pickTexts(smartWorklistMember).any})
  update smartworklistmember i
  set personid = $1::bigint, startdate = now(), status = 'Started', version = i.version + 1
  from picked
  where i.smartworklistmemberid = picked."SmartWorklistMemberID"
  returning i.*`;
const COMPLETE = `update smartworklistmember
  set completiondate = now(), status = 'Completed', version = version + 1
  where smartworklistmemberid = $1::bigint`;

let sql: postgres.Sql | undefined;
let people: readonly number[] = [];
let boss: PgBoss | undefined;
const QUEUE = 'bench';

async function start({
  bare,
  queue,
}: {
  readonly bare: BenchConnection;
  readonly queue: BenchConnection;
}): Promise<void> {
  sql = postgres({ ...bare, max: CONNECTIONS, onnotice: () => undefined });
  people = (
    await sql.unsafe<{ id: number }[]>(
      'select personid::integer as id from person where person like \'caller %\' collate "C" order by 1',
    )
  ).map(({ id }) => id);
  boss = new PgBoss({ ...queue, max: CONNECTIONS, supervise: false, schedule: false, useListenNotify: false });
  await boss.start();
  await boss.createQueue(QUEUE);
}

async function bareDraws(milliseconds: number): Promise<Slice> {
  return slice(CALLERS, milliseconds, async (caller) => {
    const began = performance.now();
    const rows = await sql?.unsafe<{ smartworklistmemberid: string }[]>(
      TAKE,
      [people[caller] ?? 0, new Date().toISOString().slice(0, 10), new Date().toISOString()],
      { prepare: true },
    );
    const took = performance.now() - began;
    const id = rows?.[0]?.smartworklistmemberid;
    if (id === undefined) return undefined;
    await sql?.unsafe(COMPLETE, [id], { prepare: true });
    return took;
  });
}

async function fillQueue(jobs: number): Promise<void> {
  await boss?.insert(
    QUEUE,
    Array.from({ length: jobs }, (_, n) => ({ data: { n }, priority: n % 7 })),
  );
}

async function queueDraws(milliseconds: number): Promise<Slice> {
  return slice(CALLERS, milliseconds, async () => {
    const began = performance.now();
    const [job] = (await boss?.fetch(QUEUE)) ?? [];
    const took = performance.now() - began;
    if (!job) return undefined;
    await boss?.complete(QUEUE, job.id);
    return took;
  });
}

const handlers = { start, bareDraws, fillQueue, queueDraws, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, async () => {
  await boss?.stop({ graceful: false });
  await sql?.end();
});
