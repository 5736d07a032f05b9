import type { Db } from '../../../kernel/database/store.ts';

/** How far the demo's cases have been loaded. */
export interface DemoWorld {
  readonly cases: number;
  readonly played: number;
  readonly startedDate: string;
  readonly finishedDate: string | null;
  /** Why it stopped before its end. */
  readonly failure: string | null;
}

/** Returns the progress of the demo; undefined for an installation without one. */
export async function readDemoWorld(db: Db): Promise<DemoWorld | undefined> {
  const [row] = await db.query<DemoWorld>(
    `select cases, played, starteddate as "startedDate", finisheddate as "finishedDate", failure from demoworld`,
  );
  return row;
}

/** Notes that the demo's cases are being loaded, from the start or again after an interruption. */
export async function beginDemoWorld(db: Db, cases: number, now: string): Promise<void> {
  await db.query(
    `insert into demoworld (cases, starteddate) values ($1::integer, $2::timestamptz)
     on conflict (onlyrow) do update set failure = null`,
    [cases, now],
  );
}

/** Notes how many of the demo's cases are there. */
export async function noteDemoProgress(db: Db, played: number): Promise<void> {
  await db.query('update demoworld set played = least($1::integer, cases)', [played]);
}

/** Notes that more of the demo's cases are there. */
export async function addDemoProgress(db: Db, played: number): Promise<void> {
  await db.query('update demoworld set played = least(played + $1::integer, cases)', [played]);
}

/** Notes that loading the demo has ended; `failure`: why it could not go on. */
export async function endDemoWorld(db: Db, now: string, failure: string | null): Promise<void> {
  await db.query(
    `update demoworld set failure = $2::text, finisheddate = case when $2::text is null then $1::timestamptz end,
       played = case when $2::text is null then cases else played end`,
    [now, failure],
  );
}
