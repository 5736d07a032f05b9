import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Days for which samples are kept. */
const KEPT_DAYS = 7;
/** Width of a point of the course, in minutes. */
const POINT_MINUTES = 10;
/** How far back the pace of a queue is measured. */
const PACE_MINUTES = 10;
/** A pace over less than this says little. */
const PACE_SECONDS_MIN = 60;

/** Housekeeping: notes each minute how many calls wait in each queue, and for how long. Returns 0: it is no news. */
export const sampleQueues = {
  name: 'samples of queues',
  everyMinutes: 1,
  async run({ store, queue }: Platform): Promise<number> {
    const states = await queue.states(store);
    await store.query(
      `insert into queuesample (queuename, waiting, oldestseconds, dead)
       select *
       from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
       on conflict do nothing`,
      [
        arrayLiteral(states.map((each) => each.QueueName)),
        arrayLiteral(states.map((each) => each.Waiting)),
        arrayLiteral(states.map((each) => each.OldestSeconds)),
        arrayLiteral(states.map((each) => each.Dead)),
      ],
    );
    await store.query(`delete from queuesample where sampled < now() - interval '${KEPT_DAYS} days'`);
    return 0;
  },
} as const;

/** The most calls that waited in a queue during some minutes. */
export interface QueuePoint {
  readonly QueueName: string;
  readonly At: string;
  readonly Waiting: number;
  readonly OldestSeconds: number;
  readonly Dead: number;
}

/** Returns the course of all queues over the last hours, one point for ten minutes, the oldest first. */
export function queueCourse(db: Db, hours: number): Promise<QueuePoint[]> {
  return db.query<QueuePoint>(
    `select queuename as "QueueName", date_bin('${POINT_MINUTES} minutes', sampled, 'epoch'::timestamptz) as "At",
       max(waiting) as "Waiting", max(oldestseconds) as "OldestSeconds", max(dead) as "Dead"
     from queuesample
     where sampled > now() - make_interval(hours => $1::integer)
     group by 1, 2
     order by 1, 2`,
    [hours],
  );
}

/** How many calls waited in a queue some minutes ago. */
export interface EarlierSample {
  readonly queue: string;
  readonly waiting: number;
  readonly secondsAgo: number;
}

/** Returns the first sample of each queue within the last minutes, by which its pace is measured. */
export async function earlierSamples(db: Db): Promise<ReadonlyMap<string, EarlierSample>> {
  const rows = await db.query<EarlierSample>(
    `select distinct on (queuename) queuename as queue, waiting,
       extract(epoch from now() - sampled)::double precision as "secondsAgo"
     from queuesample
     where sampled > now() - interval '${PACE_MINUTES} minutes'
     order by queuename, sampled`,
  );
  return new Map(rows.map((row) => [row.queue, row]));
}

/**
 * Returns in how many seconds a queue is empty at the pace of the last minutes; null if it does not shrink, or too
 * little is known.
 */
export function secondsUntilEmpty(waiting: number, earlier: Omit<EarlierSample, 'queue'> | undefined): number | null {
  if (waiting === 0) return 0;
  if (!earlier || earlier.secondsAgo < PACE_SECONDS_MIN) return null;
  const perSecond = (earlier.waiting - waiting) / earlier.secondsAgo;
  return perSecond > 0 ? Math.ceil(waiting / perSecond) : null;
}
