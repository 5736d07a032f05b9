import { Cache } from '../../../../kernel/time/cache.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { writeErrorEntry } from '../../../../kernel/door/error-log.ts';
import type { EventLimit, LimitedEvent, SecurityEvent } from '../../../../kernel/security/identity.ts';
import type { ErrorEntry, Journal } from '../../../../kernel/ports/platform.ts';
import type { Store } from '../../../../kernel/database/store.ts';

/** What the journal depends on. */
interface JournalParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Takes each entry of the security log too; undefined for the database only. */
  readonly stream: ((entry: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly monthsMin: number;
}

/** Events that anybody may cause by as many requests as they like. */
const ANYBODYS_EVENTS: readonly string[] = ['Refused', 'RequestForged'];
/** How long further events of the same kind by callers without a user, from the same address, are not written. */
const REPEATED_MILLISECONDS = 60_000;
/** Most such events that a process remembers. */
const REPEATED_MAX = 10_000;

/**
 * Returns a function that says whether an event repeats one that was written within the last minute. Only for events
 * that callers without a user cause, who could fill the log with them.
 */
function repeatCheck(clock: Clock): (event: SecurityEvent) => boolean {
  const written = new Cache<string, true>({
    max: REPEATED_MAX,
    age: { clock, milliseconds: REPEATED_MILLISECONDS },
  });
  return ({ event, personId, address, object, detail }) => {
    if ((personId ?? 0) !== 0 || !ANYBODYS_EVENTS.includes(event)) return false;
    const key = [event, address, object, detail].join(' ');
    if (written.get(key)) return true;
    written.set(key, true);
    return false;
  };
}

/**
 * Returns the security and error logs in the database. Entries are written outside the call's transaction, so that they
 * stay when it rolls back.
 */
export function createStoredJournal({ store, clock, stream, monthsMin }: JournalParts): Journal {
  const isRepeated = repeatCheck(clock);
  return {
    monthsMin,
    async security(event: SecurityEvent, correlationId: string) {
      if (isRepeated(event)) return;
      const time = clock.now();
      const entry = {
        ...event,
        personId: event.personId === 0 ? null : (event.personId ?? null),
        correlationId: correlationId === '' ? null : correlationId,
      };
      // Streamed also where the database does not take it.
      const user = await insertEntry(store, time, entry).catch((error: unknown) => {
        stream?.({ time, ...entry });
        throw error;
      });
      stream?.({ time, ...entry, user });
    },
    async limitedSecurity(event: LimitedEvent, limit: EventLimit, correlationId: string) {
      const { outcome, oldest } = await countEvent(store, clock, event, limit);
      if (outcome === 'Admitted' && limit.count !== 0) await this.security(event, correlationId);
      if (outcome === 'First refused') await this.security({ ...event, event: `${event.event}Refused` }, correlationId);
      return outcome === 'Admitted' ? 0 : secondsUntilAdmitted(clock, limit, oldest);
    },
    async error(entry: ErrorEntry) {
      await writeErrorEntry(store, clock, entry);
    },
  };
}

type LogEntry = SecurityEvent & { readonly correlationId: string | null };

/**
 * Inserts an entry and returns the sign-in name of its user. Without a user, or with one whom no other transaction sees
 * yet or any more, the entry has none: no foreign key may lose it.
 */
async function insertEntry(store: Store, time: string, entry: LogEntry): Promise<string | null> {
  const [row] = await store.query<{ user: string | null }>(
    `insert into securitylog (securitylog, personid, object, objectid, address, detail, correlationid,
       createddate, createdpersonid)
     select $1::text, p.personid, $3::text, $4::bigint, $5::text,
       case when p.personid is null and $2::bigint is not null
         then left(concat_ws(', ', nullif($6::text, ''), 'person ' || $2::bigint), 500) else $6::text end,
       $7::text, $8::timestamptz, p.personid
     from (select) as entry
     left join person p on p.personid = $2::bigint
     returning (select person from person where personid = securitylog.personid) as user`,
    [
      entry.event,
      entry.personId ?? null,
      entry.object ?? null,
      entry.objectId ?? null,
      entry.address ?? null,
      entry.detail ?? null,
      entry.correlationId,
      time,
    ],
  );
  return row?.user ?? null;
}

interface CountedEvent {
  /** Only the first refusal within the limit's minutes is written to the security log. */
  readonly outcome: 'Admitted' | 'First refused' | 'Refused';
  /** The oldest event that counts, in ISO 8601; null if none is ever admitted. */
  readonly oldest: string | null;
}

/**
 * Counts an event of a user, unless with it more than the limit would have happened within its minutes. One statement
 * that locks the user's row: of two at the same moment, the second sees the first.
 */
async function countEvent(
  store: Store,
  clock: Clock,
  { personId, event }: LimitedEvent,
  { most, minutes, count = 1 }: EventLimit,
): Promise<CountedEvent> {
  const since = new Date(clock.milliseconds() - minutes * 60_000).toISOString();
  const [counted] = await store.query<CountedEvent>(
    `insert into limitedevent as l (personid, event, instants, outcome, refused)
     select $1::bigint, $2::text, case when isopen then array_fill($3::timestamptz, array[$6::integer]) else '{}' end,
       case when isopen then 'Admitted' else 'First refused' end, case when isopen then null else $3::timestamptz end
     from (select greatest($6::integer, 1) <= $5::integer as isopen) limits
     on conflict (personid, event) do update set (instants, outcome, refused) = (
       select case when isopen then recent || array_fill($3::timestamptz, array[$6::integer]) else recent end,
         case when isopen then 'Admitted' when isnew then 'First refused' else 'Refused' end,
         case when not isopen and isnew then $3::timestamptz else l.refused end
       from (
         select recent, cardinality(recent) + greatest($6::integer, 1) <= $5::integer as isopen,
           l.refused is null or l.refused <= $4::timestamptz as isnew
         from (select array(select at from unnest(l.instants) at where at > $4::timestamptz order by at) as recent) own
       ) counted)
     returning outcome, instants[1] as oldest`,
    [personId, event, clock.now(), since, most, count],
  );
  if (!counted) throw new Error('the limited event was not counted');
  return counted;
}

function secondsUntilAdmitted(clock: Clock, { minutes }: EventLimit, oldest: string | null): number {
  const passed = oldest === null ? 0 : clock.milliseconds() - Date.parse(oldest);
  return Math.max(1, Math.ceil(minutes * 60 - passed / 1000));
}
