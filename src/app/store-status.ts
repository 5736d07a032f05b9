import { keysOf } from '../kernel/security/cipher.ts';
import type { Connection } from '../kernel/database/store.ts';
import { encryptionText } from './database-encryption.ts';
import { migrations } from './migrate.ts';
import { readDownMigration, type DownMigration } from './migrate-down.ts';
import type { KeySource } from './rotation/key-source.ts';
import { readHolders, readRotation } from './rotation/rotation-state.ts';
import { startConnection } from './start-connection.ts';

/**
 * Returns the state of the store in lines for people: its migrations, each with how it is undone, and its keys by id.
 */
export async function storeStatus(connection: Connection, source: KeySource): Promise<string[]> {
  const sql = startConnection(connection, { name: 'casewright status' });
  try {
    const [server] = await sql.unsafe<{ version: string }[]>(`select current_setting('server_version') as version`);
    const [has] = await sql.unsafe<{ migrated: boolean; rotates: boolean }[]>(
      `select to_regclass('public.migration') is not null as migrated,
         to_regclass('public.secretkeyrotation') is not null as rotates`,
    );
    const applied = new Set(
      has?.migrated === true
        ? (await sql.unsafe<{ name: string }[]>('select name from migration')).map((row) => row.name)
        : [],
    );
    const lines = [
      `PostgreSQL ${server?.version ?? ''}, database ${connection.database}, connection ${encryptionText(connection)}`,
    ];
    for (const { name } of migrations()) {
      const down = readDownMigration(name);
      lines.push(`${applied.has(name) ? 'applied' : 'missing'}  ${name}  (to undo: ${undoText(down)})`);
    }
    return has?.rotates === true ? [...lines, ...(await keyLines(sql, source))] : lines;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function undoText(down: DownMigration | undefined): string {
  if (down === undefined) return 'impossible, no file in db/down';
  return 'reason' in down ? `impossible, ${down.reason}` : down.loses;
}

async function keyLines(sql: ReturnType<typeof startConnection>, source: KeySource): Promise<string[]> {
  const rotation = await readRotation(sql);
  const ids = keysOf(source.read()).map((key) => key.id.toString('hex'));
  return [
    `keys in ${source.name}: ${ids.join(', ')}`,
    rotation ? `rotation to key ${rotation.newKey}: ${rotation.phase}` : 'no rotation yet',
    ...(await readHolders(sql)).map(
      (holder) => `process ${holder.label} knows ${holder.knows.join(', ')} and seals with ${holder.seals}`,
    ),
  ];
}
