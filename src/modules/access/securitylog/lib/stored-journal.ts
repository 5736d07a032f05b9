import type { Clock } from '../../../../kernel/time/clock.ts';
import { writeErrorEntry } from '../../../../kernel/door/error-log.ts';
import type { SecurityEvent } from '../../../../kernel/security/identity.ts';
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
    async error(entry: ErrorEntry) {
      await writeErrorEntry(store, clock, entry);
    },
  };
}
