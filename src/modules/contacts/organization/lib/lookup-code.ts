import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { openText, sealText } from '../../../../kernel/security/sealed-text.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { hashOfCode, newCode } from './registration-codes.ts';

/** The columns of a result with an organization's code. */
export const lookupFields = {
  OrganizationID: required(f.id({ doc: 'The organization.' })),
  Lookup: f.text({ doc: 'The code with which users register on the organization. Empty if there is none.' }),
  CreatedDate: f.timestamp({ doc: 'When the code was created.' }),
};

/** An organization's code, as operations return it. */
export interface Lookup {
  readonly OrganizationID: number;
  readonly Lookup: string | null;
  readonly CreatedDate: string | null;
}

/** Returns the code of an organization that the caller can see. */
export async function readLookup(ctx: Context, organizationId: number): Promise<Lookup> {
  const [row] = await elevatedRead(ctx, (db) =>
    db.query<{ code: string; createddate: string }>(
      'select code, createddate from organizationlookup where organizationid = $1::bigint',
      [organizationId],
    ),
  );
  return {
    OrganizationID: organizationId,
    Lookup: row ? openText(ctx.cipher, 'organizationlookup', 'code', row.code) : null,
    CreatedDate: row?.createddate ?? null,
  };
}

/** Replaces an organization's code with a new one. */
export async function renewLookup(ctx: Context, organizationId: number): Promise<Lookup> {
  const code = newCode();
  const now = ctx.clock.now();
  await elevatedRead(ctx, (db) =>
    db.query(
      `insert into organizationlookup (organizationid, codehash, code, createddate, createdpersonid)
        values ($1::bigint, $2::bytea, $3::text, $4::timestamptz, $5::bigint)
     on conflict (organizationid) do update
     set codehash = excluded.codehash, code = excluded.code, createddate = excluded.createddate, createdpersonid =
     excluded.createdpersonid`,
      [
        organizationId,
        hashOfCode(code),
        sealText(ctx.cipher, 'organizationlookup', 'code', code),
        now,
        ctx.user.personId,
      ],
    ),
  );
  await ctx.security({ event: 'LookupRenewed', object: 'Organization', objectId: organizationId });
  return { OrganizationID: organizationId, Lookup: code, CreatedDate: now };
}

/** Deletes an organization's code, so that no user can register with it. */
export async function withdrawLookup(ctx: Context, organizationId: number): Promise<Lookup> {
  await elevatedRead(ctx, (db) =>
    db.query('delete from organizationlookup where organizationid = $1::bigint', [organizationId]),
  );
  await ctx.security({ event: 'LookupWithdrawn', object: 'Organization', objectId: organizationId });
  return { OrganizationID: organizationId, Lookup: null, CreatedDate: null };
}

/**
 * Runs without row security: codes are hidden from firms' users. The call was authorized before, and the organization
 * was found with the caller's visibility.
 */
function elevatedRead<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  if (ctx.user.universal) return run(ctx.db);
  return ctx.operation.effect === 'write'
    ? ctx.transaction().elevated(run)
    : ctx.inTransaction((own) => own.transaction().elevated(run));
}
