import type { Db } from '../../../../kernel/database/store.ts';
import type { HealthCheck } from './health-checks.ts';

/** A finding that somebody has acknowledged for some time. */
export interface HealthMute {
  readonly health: string;
  readonly state: 'warning' | 'failed';
  readonly until: string;
  readonly reason: string;
  readonly personid: number | null;
}

/** Returns the mutes that have not ended, by the name of the check. */
export async function currentMutes(db: Db, now: string): Promise<ReadonlyMap<string, HealthMute>> {
  const rows = await db.query<HealthMute>(
    'select health, state, until, reason, personid from healthmute where until > $1::timestamptz',
    [now],
  );
  return new Map(rows.map((row) => [row.health, row]));
}

/** Returns the mute of a finding: one that got worse since is no longer muted. */
export function muteOf(
  { Health: name, State: state }: Pick<HealthCheck, 'Health' | 'State'>,
  mutes: ReadonlyMap<string, HealthMute>,
): HealthMute | undefined {
  const mute = mutes.get(name);
  if (!mute || state === 'ok') return undefined;
  return state === 'failed' && mute.state === 'warning' ? undefined : mute;
}

/** Stores a mute, in place of an earlier one of the same check. */
export async function storeMute(db: Db, mute: HealthMute): Promise<void> {
  await db.query(
    `insert into healthmute (health, state, until, reason, personid)
     values ($1::text, $2::text, $3::timestamptz, $4::text, $5::bigint)
     on conflict (health) do update
       set state = excluded.state, until = excluded.until, reason = excluded.reason, personid = excluded.personid,
         createddate = now()`,
    [mute.health, mute.state, mute.until, mute.reason, mute.personid],
  );
}

/** Ends a mute. Returns whether there was one. */
export async function endMute(db: Db, health: string): Promise<boolean> {
  const rows = await db.query('delete from healthmute where health = $1::text returning health', [health]);
  return rows.length > 0;
}
