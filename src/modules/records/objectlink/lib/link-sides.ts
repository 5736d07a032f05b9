import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { objectLink } from '../objectlink.record.ts';
import type { SavePlan } from '../../../../kernel/records/save/plan.ts';
import { concreteClass, notFound, assertReachable } from '../../../../kernel/records/search/read.ts';
import { resolveExternalIds } from '../../../../kernel/records/save/resolve-references.ts';

/** One of the two records of a link. */
export interface Side {
  /** Its concrete record type. */
  readonly name: string;
  readonly id: number;
}

/** Column prefixes of the two sides. */
export type SideName = 'Primary' | 'Linked';

/**
 * Returns the record that one side of a link names, by its concrete type. It must exist and be visible to the caller.
 * Locks it against deletion until the transaction ends, so that no link dangles.
 */
export async function requireSide(ctx: Context, side: SideName, className: unknown, id: unknown): Promise<Side> {
  const field = `${side}ObjectID`;
  if (typeof className !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: `${side}Object`,
      message: `${side}Object is required: the record type of ${field}.`,
    });
  if (typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field,
      message: `${field} is required, or ${side}ObjectSubscriberID.`,
    });
  const named = ctx.registry.requireRecord(className, `${side}Object`);
  try {
    // The door does not know it: a save can name it by an external ID.
    await assertReachable(ctx, named, [id]);
    const record = await concreteClass(ctx, ctx.db, named, id);
    const { table } = record.root;
    // The user may only have read access to linked configuration; this lock does not block reads or changes.
    const locked = await ctx
      .transaction()
      .elevated((db) => db.query(`select 1 from ${table} where ${table}id = $1::bigint for key share`, [id]));
    if (locked.length > 0) return { name: record.name, id };
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'NOT_FOUND')) throw error;
  }
  throw notFound(named, id, field);
}

/** Returns the link in a set that already joins two records, if the user can see it. */
export async function findLink(ctx: Context, primary: Side, linked: Side, set: unknown): Promise<number | undefined> {
  const [row] = await ctx.db.query<{ id: number }>(
    `select objectlinkid as id
     from objectlink
     where primaryobjectid = $2::bigint and primaryobject = $1::text and linkedobjectid = $4::bigint
       and linkedobject = $3::text and objectlinktype is not distinct from $5::text`,
    [primary.name, primary.id, linked.name, linked.id, set ?? null],
  );
  return row?.id;
}

/** Returns the two records that a save of a link names. Resolves external IDs, and writes the result to the plan. */
export async function resolveSides(ctx: Context, plan: SavePlan<typeof objectLink>): Promise<readonly [Side, Side]> {
  await resolveExternalIds(ctx, plan);
  plan.subscribers.clear();
  return [await resolveSide(ctx, plan, 'Primary'), await resolveSide(ctx, plan, 'Linked')];
}

async function resolveSide(ctx: Context, plan: SavePlan<typeof objectLink>, side: SideName): Promise<Side> {
  const [classKey, idKey] = [`${side}Object`, `${side}ObjectID`] as const;
  const found = await requireSide(ctx, side, plan.values[classKey], plan.values[idKey]);
  plan.values[classKey] = found.name;
  plan.values[idKey] = found.id;
  return found;
}
