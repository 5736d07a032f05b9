import { createHash, randomUUID } from 'node:crypto';
import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { inKeyOrder, keyColumns } from './transfer.ts';

/** Records of several types by id, with their rows. */
export type RowsByType = ReadonlyMap<RecordType, ReadonlyMap<number, Row>>;

/** The outside identifiers of records, by type and id. */
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
 * The outside identifiers of records in the installation's own view. A record without one gets one that is kept: made from
 * what names it, so that two installations that were set up alike come to the same, or a random one where that is taken.
 */
export async function identifyRecords(ctx: Context, rows: RowsByType): Promise<ExternalIds> {
  const identifiers = new ExternalIds();
  for (const record of inKeyOrder(ctx.registry, rows.keys())) {
    const of = rows.get(record) ?? new Map<number, Row>();
    const made = (id: number): string => `${record.name}-${keyDigest(ctx, record, of.get(id) ?? {}, identifiers)}`;
    await completeIdentifiers(ctx, record, [...of.keys()], made, identifiers);
  }
  return identifiers;
}

/** Adds the identifiers of records of one type; `made` proposes one for a record that has none. */
export async function completeIdentifiers(
  ctx: Context,
  record: RecordType,
  ids: readonly number[],
  made: (id: number) => string,
  identifiers: ExternalIds,
): Promise<void> {
  await readIdentifiers(ctx, record, ids, identifiers);
  const propose = [made, () => `${record.name}-${randomUUID()}`];
  for (const proposed of propose) {
    const missing = ids.filter((id) => identifiers.get(record, id) === undefined);
    if (missing.length === 0) return;
    await ctx.db.query(
      `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription, createdpersonid, createddate)
       select $1::text, r.id, 0, r.identifier, r.identifier, $4::bigint, $5::timestamptz from unnest($2::bigint[], $3::text[]) as r (id, identifier)
       on conflict (subscriberid, organizationid, object) do nothing`,
      [record.name, arrayLiteral(missing), arrayLiteral(missing.map(proposed)), ctx.user.personId, ctx.clock.now()],
    );
    await readIdentifiers(ctx, record, missing, identifiers);
  }
}

/** Where a record has several, the one that it has had longest. */
async function readIdentifiers(
  ctx: Context,
  record: RecordType,
  ids: readonly number[],
  identifiers: ExternalIds,
): Promise<void> {
  const classes = ctx.registry.family(record.root).map((r) => r.name);
  const found = await ctx.db.query<{ objectid: number; subscriberid: string }>(
    'select distinct on (objectid) objectid, subscriberid from objectsubscription where object = any($1::text[]) and objectid = any($2::bigint[]) and organizationid = 0 order by objectid, objectsubscriptionid',
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
