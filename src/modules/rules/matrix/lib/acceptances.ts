import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** Who accepted a warning, and why. */
export interface Acceptance {
  readonly personId: number | null;
  readonly reason: string;
}

/** Returns the accepted warnings of a matrix by the keys of the findings. */
export async function acceptedFindings(db: Db, matrixId: number): Promise<ReadonlyMap<string, Acceptance>> {
  const rows = await db.query<Acceptance & { readonly key: string }>(
    `select findingkey as key, createdpersonid as "personId", reason
     from matrixacceptance
     where matrixid = $1::bigint and withdrawndate is null`,
    [matrixId],
  );
  return new Map(rows.map(({ key, personId, reason }) => [key, { personId, reason }]));
}

/** Stores that the current user accepts a warning. Does nothing if somebody has accepted it. */
export async function acceptFinding(
  ctx: Context,
  matrixId: number,
  { key, finding, reason }: { readonly key: string; readonly finding: string; readonly reason: string },
): Promise<void> {
  await ctx.db.query(
    `insert into matrixacceptance (matrixid, findingkey, finding, reason, createddate, createdpersonid)
     values ($1::bigint, $2::text, $3::text, $4::text, $5::timestamptz, $6::bigint)
     on conflict (matrixid, findingkey) where withdrawndate is null do nothing`,
    [matrixId, key, finding.slice(0, 1000), reason, ctx.clock.now(), ctx.user.personId],
  );
}

/** Withdraws an acceptance. Returns whether there was one. */
export async function withdrawAcceptance(ctx: Context, matrixId: number, key: string): Promise<boolean> {
  const rows = await ctx.db.query<{ id: number }>(
    `update matrixacceptance
     set withdrawndate = $3::timestamptz, withdrawnpersonid = $4::bigint
     where matrixid = $1::bigint and findingkey = $2::text and withdrawndate is null
     returning matrixacceptanceid as id`,
    [matrixId, key, ctx.clock.now(), ctx.user.personId],
  );
  return rows.length > 0;
}
