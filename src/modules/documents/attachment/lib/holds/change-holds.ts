import type { Context } from '../../../../../kernel/door/context.ts';
import type { HeldRecord } from './legal-holds.ts';

/** A hold as an answer names it. */
export interface HoldRow {
  readonly LegalHoldID: number;
  readonly Object: string;
  readonly ObjectID: number;
}

const columns = 'legalholdid as "LegalHoldID", object as "Object", objectid as "ObjectID"';

/** Inserts a hold, and writes it to the security log with the commit. */
export async function setHold(own: Context, { object, id }: HeldRecord, reason: string): Promise<HoldRow> {
  const [row] = await own.transaction().elevated((db) =>
    db.query<HoldRow>(
      `insert into legalhold (object, objectid, reason, createddate, createdpersonid, updateddate, updatedpersonid)
       values ($1::text, $2::bigint, $3::text, $4::timestamptz, $5::bigint, $4::timestamptz, $5::bigint)
       returning ${columns}`,
      [object, id, reason, own.clock.now(), own.user.personId],
    ),
  );
  if (!row) throw new Error('the hold was not inserted');
  await own.security({ event: 'LegalHoldSet', object, objectId: id, detail: reason.slice(0, 400) });
  return row;
}

/** Releases the holds of a record, or one of them, and writes it to the security log. */
export async function releaseHolds(
  own: Context,
  { object, id }: HeldRecord,
  { reason, only }: { readonly reason: string; readonly only: number | undefined },
): Promise<readonly HoldRow[]> {
  const rows = await own.transaction().elevated((db) =>
    db.query<HoldRow>(
      `update legalhold
       set releaseddate = $3::timestamptz, releasedpersonid = $4::bigint, releasereason = $5::text,
         updateddate = $3::timestamptz, updatedpersonid = $4::bigint, version = version + 1
       where object = $1::text and objectid = $2::bigint and releaseddate is null
         and ($6::bigint is null or legalholdid = $6::bigint)
       returning ${columns}`,
      [object, id, own.clock.now(), own.user.personId, reason, only ?? null],
    ),
  );
  if (rows.length > 0)
    await own.security({ event: 'LegalHoldReleased', object, objectId: id, detail: reason.slice(0, 400) });
  return rows;
}
