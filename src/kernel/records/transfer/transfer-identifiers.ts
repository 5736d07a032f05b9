import { createHash, randomUUID } from 'node:crypto';
import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { inKeyOrder, keyColumns } from './transfer.ts';

/** Records of several types by id, with their rows. */
export type RowsByType = ReadonlyMap<RecordType, ReadonlyMap<number, Row>>;

/** The external IDs of records, by type and id. */
export class ExternalIds {
  private readonly known = new Map<string, string>();

  get(record: RecordType, id: number): string | undefined {
    return this.known.get(`${record.root.name}:${id}`);
  }

  set(record: RecordType, id: number, identifier: string): void {
    this.known.set(`${record.root.name}:${id}`, identifier);
  }
}

/**
 * Returns the installation's own external IDs of records. A record without one gets one, which is stored: derived from
 * its transfer key, so that two installations set up alike derive the same, or a random one where that is taken.
 */
export async function identifyRecords(ctx: Context, rows: RowsByType): Promise<ExternalIds> {
  const identifiers = new ExternalIds();
  for (const record of inKeyOrder(ctx.registry, rows.keys())) {
    const of = rows.get(record) ?? new Map<number, Row>();
    const propose = (id: number): string => `${record.name}-${keyDigest(ctx, record, of.get(id) ?? {}, identifiers)}`;
    await completeIdentifiers(ctx, { record, ids: [...of.keys()], propose }, identifiers);
  }
  return identifiers;
}

/** Records of one type that need external IDs. */
interface RecordsToIdentify {
  readonly record: RecordType;
  readonly ids: readonly number[];
  /** Returns the external ID to try for a record that has none. */
  readonly propose: (id: number) => string;
}

/** Adds the stored external IDs of records, and stores new ones for records without. */
export async function completeIdentifiers(
  ctx: Context,
  { record, ids, propose }: RecordsToIdentify,
  identifiers: ExternalIds,
): Promise<void> {
  await readIdentifiers(ctx, record, ids, identifiers);
  for (const proposed of [propose, () => `${record.name}-${randomUUID()}`]) {
    const missing = ids.filter((id) => identifiers.get(record, id) === undefined);
    if (missing.length === 0) return;
    await ctx.db.query(
      `insert into objectsubscription
         (object, objectid, organizationid, subscriberid, objectsubscription, createdpersonid, createddate)
       select $1::text, r.id, 0, r.identifier, r.identifier, $4::bigint, $5::timestamptz
       from unnest($2::bigint[], $3::text[]) as r (id, identifier)
       on conflict (subscriberid, organizationid, object) do nothing`,
      [record.name, arrayLiteral(missing), arrayLiteral(missing.map(proposed)), ctx.user.personId, ctx.clock.now()],
    );
    await readIdentifiers(ctx, record, missing, identifiers);
  }
}

/** Adds the stored external IDs of records; of several, the oldest. */
async function readIdentifiers(
  ctx: Context,
  record: RecordType,
  ids: readonly number[],
  identifiers: ExternalIds,
): Promise<void> {
  const classes = ctx.registry.family(record.root).map((r) => r.name);
  const found = await ctx.db.query<{ objectid: number; subscriberid: string }>(
    `select distinct on (objectid) objectid, subscriberid from objectsubscription
     where object = any($1::text[]) and objectid = any($2::bigint[]) and organizationid = 0
     order by objectid, objectsubscriptionid`,
    [arrayLiteral(classes), arrayLiteral(ids)],
  );
  for (const { objectid, subscriberid } of found) identifiers.set(record, objectid, subscriberid);
}

function keyDigest(ctx: Context, record: RecordType, row: Row, identifiers: ExternalIds): string {
  const parts = keyColumns(ctx.registry, record).map(({ column, target }) => {
    const value = row[column.name] ?? null;
    return target && typeof value === 'number' ? (identifiers.get(target, value) ?? null) : value;
  });
  return createHash('sha256')
    .update(JSON.stringify([record.name, ...parts]))
    .digest('hex')
    .slice(0, 32);
}
