import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';

/** The firm within whose view a user's SubscriberIDs are looked up: its own, or 0 for the installation's. */
export function externalIdView(ctx: Pick<Context, 'user'>): number {
  return ctx.user.universal ? 0 : (ctx.user.organizationId ?? 0);
}

/**
 * The record that an outside identifier is tied to within a firm's view, or undefined. Compared byte for byte.
 * Staff see every firm's; an identifier that two firms use is then ambiguous and refused.
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
    `select objectid, organizationid from objectsubscription where subscriberid = $1::text and object = any($2::text[]) and ($3::bigint = 0 or organizationid = $3) order by organizationid limit 3`,
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

/** Like {@link findByExternalId}, but an unknown identifier is NOT_FOUND naming the field. */
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
      message: `${field}: no ${record.name} within reach has this SubscriberID.`,
    });
  return id;
}

/** Ties an outside identifier to a record. Two at the same moment: the second fails with DUPLICATE_KEY and can look again. */
export async function addExternalId(ctx: Context, record: RecordType, id: number, subscriberId: string): Promise<void> {
  await ctx.db.query(
    `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription, createdpersonid, createddate) values ($1::text, $2::bigint, $3::bigint, $4::text, $4::text, $5::bigint, $6::timestamptz)`,
    [record.name, id, externalIdView(ctx), subscriberId, ctx.user.personId, ctx.clock.now()],
  );
}
