import { arrayLiteral, type Db } from '../../../kernel/database/store.ts';

/** Returns the organizations with the given provider codes, by code. */
export async function findFirmsByProviderCode(db: Db, codes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await db.query<{ providercode: string; id: number }>(
    'select o.providercode, o.organizationid as id from organization o where o.providercode = any($1::text[])',
    [arrayLiteral(codes)],
  );
  return new Map(found.map(({ providercode, id }) => [providercode, id]));
}
