import type { Clock } from '../../../../kernel/time/clock.ts';
import { writeErrorEntry } from '../../../../kernel/door/error-log.ts';
import type { EventLimit, LimitedEvent, SecurityEvent } from '../../../../kernel/security/identity.ts';
import type { ErrorEntry, Journal } from '../../../../kernel/ports/platform.ts';
import type { Store } from '../../../../kernel/database/store.ts';

/**
 * Returns the security and error logs in the database. Entries are written outside the call's transaction, so that they
 * stay when it rolls back.
 */
export function createStoredJournal(store: Store, clock: Clock): Journal {
  return {
    async security(event: SecurityEvent, correlationId: string) {
      await store.query(
        `insert into securitylog (securitylog, personid, object, objectid, address, detail, correlationid,
           createddate, createdpersonid)
         values ($1::text, $2::bigint, $3::text, $4::bigint, $5::text, $6::text, $7::text,
           $8::timestamptz, $2::bigint)`,
        [
          event.event,
          event.personId ?? null,
          event.object ?? null,
          event.objectId ?? null,
          event.address ?? null,
          event.detail ?? null,
          correlationId || null,
          clock.now(),
        ],
      );
    },
    async limitedSecurity(event: LimitedEvent, limit: EventLimit, correlationId: string) {
      const { outcome, oldest } = await countEvent(store, clock, event, limit);
      if (outcome === 'Admitted') await this.security(event, correlationId);
      if (outcome === 'First refused') await this.security({ ...event, event: `${event.event}Refused` }, correlationId);
      return outcome === 'Admitted' ? 0 : secondsUntilAdmitted(clock, limit, oldest);
    },
    async error(entry: ErrorEntry) {
      await writeErrorEntry(store, clock, entry);
    },
  };
}

interface CountedEvent {
  /** Only the first refusal within the limit's minutes is written to the security log. */
  readonly outcome: 'Admitted' | 'First refused' | 'Refused';
  /** The oldest event that counts, in ISO 8601; null if none is ever admitted. */
  readonly oldest: string | null;
}

/**
 * Counts an event of a user, unless as many as the limit have happened within its minutes. One statement that locks the
 * user's row: of two at the same moment, the second sees the first.
 */
async function countEvent(
  store: Store,
  clock: Clock,
  { personId, event }: LimitedEvent,
  { most, minutes }: EventLimit,
): Promise<CountedEvent> {
  const since = new Date(clock.milliseconds() - minutes * 60_000).toISOString();
  const [counted] = await store.query<CountedEvent>(
    `insert into limitedevent as l (personid, event, instants, outcome, refused)
     select $1::bigint, $2::text, case when isopen then array[$3::timestamptz] else '{}' end,
       case when isopen then 'Admitted' else 'First refused' end, case when isopen then null else $3::timestamptz end
     from (select $5::integer > 0 as isopen) limits
     on conflict (personid, event) do update set (instants, outcome, refused) = (
       select case when isopen then recent || $3::timestamptz else recent end,
         case when isopen then 'Admitted' when isnew then 'First refused' else 'Refused' end,
         case when not isopen and isnew then $3::timestamptz else l.refused end
       from (
         select recent, cardinality(recent) < $5::integer as isopen,
           l.refused is null or l.refused <= $4::timestamptz as isnew
         from (select array(select at from unnest(l.instants) at where at > $4::timestamptz order by at) as recent) own
       ) counted)
     returning outcome, instants[1] as oldest`,
    [personId, event, clock.now(), since, most],
  );
  if (!counted) throw new Error('the limited event was not counted');
  return counted;
}

function secondsUntilAdmitted(clock: Clock, { minutes }: EventLimit, oldest: string | null): number {
  const passed = oldest === null ? 0 : clock.milliseconds() - Date.parse(oldest);
  return Math.max(1, Math.ceil(minutes * 60 - passed / 1000));
}
