import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';

/** Returns the messages of a retry that are in their queues, as far as known. */
export async function callsOf(db: Db, retryId: number): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    'select messageid as id from queueretrycall where queueretryid = $1::bigint',
    [retryId],
  );
  return rows.map(({ id }) => id);
}

/** Notes messages that a retry has put back. One that another retry has put back before is this one's from now on. */
export async function addCalls(db: Db, retryId: number, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return;
  await db.query(
    `insert into queueretrycall (messageid, queueretryid)
     select id, $2::bigint
     from unnest($1::uuid[]) m (id)
     on conflict (messageid) do update set queueretryid = excluded.queueretryid`,
    [arrayLiteral(messageIds), retryId],
  );
}

/** Forgets messages whose outcome has been counted. */
export async function dropCalls(db: Db, retryId: number, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return;
  await db.query('delete from queueretrycall where queueretryid = $1::bigint and messageid = any($2::uuid[])', [
    retryId,
    arrayLiteral(messageIds),
  ]);
}
