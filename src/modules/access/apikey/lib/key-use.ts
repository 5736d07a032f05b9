import { arrayLiteral, type Db, type Store } from '../../../../kernel/database/store.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';

/** The last use of a key. */
export interface KeyUse {
  readonly ApiKeyID: number;
  /** To the hour for each address: a process stores the first use from it in an hour. */
  readonly LastUsed: string;
  readonly Address: string | null;
}

/** Stores that a key was used now. */
export async function storeKeyUse(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  apiKeyId: number,
  address: string | null,
): Promise<void> {
  await store.query(
    `insert into apikeyuse as u (apikeyid, lastused, address)
     select apikeyid, $2::timestamptz, $3::text from apikey where apikeyid = $1::bigint
     on conflict (apikeyid) do update set lastused = excluded.lastused, address = excluded.address
     where u.lastused < excluded.lastused`,
    [apiKeyId, clock.now(), address],
  );
}

/** Returns the last uses of keys; those never used have none. */
export function selectKeyUses(db: Db, ids: readonly number[]): Promise<KeyUse[]> {
  return db.query<KeyUse>(
    `select apikeyid as "ApiKeyID", lastused as "LastUsed", address as "Address" from apikeyuse
     where apikeyid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
}
