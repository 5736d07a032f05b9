import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { restoreRow, rowsDeletedByCall } from '../history/restore-row.ts';
import { objectSubscription } from '../types/objectsubscription.record.ts';

/** Returns the firm whose external IDs a user's SubscriberIDs are looked up in; 0 for the installation's own. */
export function externalIdView(ctx: Pick<Context, 'user'>): number {
  return ctx.user.universal ? 0 : (ctx.user.organizationId ?? 0);
}

/**
 * Returns the id of the record that has this external ID, compared byte for byte, or undefined. Staff see the external
 * IDs of every firm.
 *
 * @throws BAD_PARAMETER where several firms use the external ID for different records
 */
export async function findByExternalId(
  ctx: Context,
  record: RecordType,
  subscriberId: string,
): Promise<number | undefined> {
  const classes = `{${ctx.registry
    .family(record)
    .map((r) => r.name)
    .join(',')}}`;
  const rows = await ctx.db.query<{ objectid: number; organizationid: number }>(
    `select objectid, organizationid from objectsubscription
     where subscriberid = $1::text and object = any($2::text[]) and ($3::bigint = 0 or organizationid = $3)
     order by organizationid limit 3`,
    [subscriberId, classes, externalIdView(ctx)],
  );
  const own = rows.filter((r) => r.organizationid === externalIdView(ctx));
  const candidates = own.length > 0 ? own : rows;
  if (new Set(candidates.map((r) => r.objectid)).size > 1) {
    throw new PlatformError('BAD_PARAMETER', {
      field: 'SubscriberID',
      message: 'SubscriberID: several firms use this identifier; name the record by its ID.',
    });
  }
  return candidates[0]?.objectid;
}

/** Like {@link findByExternalId}. Throws NOT_FOUND, naming the field, for an unknown external ID. */
export async function requireByExternalId(
  ctx: Context,
  record: RecordType,
  subscriberId: string,
  field: string,
): Promise<number> {
  const id = await findByExternalId(ctx, record, subscriberId);
  if (id === undefined)
    throw new PlatformError('NOT_FOUND', {
      field,
      message: `${field}: no ${record.name} that you can access has this SubscriberID.`,
    });
  return id;
}

/**
 * Gives a record an external ID. Of two concurrent calls with the same one, the second fails with DUPLICATE_KEY and can
 * be retried.
 */
export async function addExternalId(ctx: Context, record: RecordType, id: number, subscriberId: string): Promise<void> {
  await ctx.db.query(INSERT_EXTERNAL_ID, newExternalId(ctx, record, id, subscriberId));
}

/** Like {@link addExternalId} for several records of one type: external IDs by the records' ids. */
export async function addExternalIds(
  ctx: Context,
  record: RecordType,
  externalIds: ReadonlyMap<number, string>,
): Promise<void> {
  await ctx.db.query(
    `insert into objectsubscription
       (object, objectid, organizationid, subscriberid, objectsubscription, createdpersonid, createddate)
     select $1::text, e.id, $3::bigint, e.text, e.text, $4::bigint, $5::timestamptz
     from jsonb_to_recordset($2::text::jsonb) as e (id bigint, text text)`,
    [
      record.name,
      JSON.stringify([...externalIds].map(([id, text]) => ({ id, text }))),
      externalIdView(ctx),
      ctx.user.personId,
      ctx.clock.now(),
    ],
  );
}

/** Like {@link addExternalId}, but does not wait. Only where a lock guarantees that the external ID is free. */
export function sendExternalId(ctx: Context, record: RecordType, id: number, subscriberId: string): void {
  ctx.transaction().later(INSERT_EXTERNAL_ID, newExternalId(ctx, record, id, subscriberId));
}

const INSERT_EXTERNAL_ID = `insert into objectsubscription
    (object, objectid, organizationid, subscriberid, objectsubscription, createdpersonid, createddate)
  values ($1::text, $2::bigint, $3::bigint, $4::text, $4::text, $5::bigint, $6::timestamptz)`;

function newExternalId(ctx: Context, record: RecordType, id: number, subscriberId: string): readonly unknown[] {
  return [record.name, id, externalIdView(ctx), subscriberId, ctx.user.personId, ctx.clock.now()];
}

/** Records of one type that were deleted. */
export interface DeletedRecords {
  readonly record: RecordType;
  readonly ids: readonly number[];
}

/** Deletes the external IDs of deleted records, of every firm. */
export async function deleteExternalIds(db: Db, deleted: readonly DeletedRecords[]): Promise<void> {
  const conditions = deleted.map(
    (_, n) => `(object = $${2 * n + 1}::text and objectid = any($${2 * n + 2}::bigint[]))`,
  );
  await db.query(
    `delete from objectsubscription where ${conditions.join(' or ')}`,
    deleted.flatMap(({ record, ids }) => [record.name, arrayLiteral(ids)]),
  );
}

/** Restores the external IDs that the call `callId` deleted with a record. */
export async function restoreExternalIds(
  ctx: Context,
  record: RecordType,
  id: number,
  callId: string | null,
): Promise<void> {
  const by = [['Object', 'ObjectID']] as const;
  const externalIds = await rowsDeletedByCall(ctx, objectSubscription, callId, { record, id, by });
  for (const externalId of externalIds) await restoreRow(ctx, objectSubscription, externalId, {});
}
