/**
 * `npm run schema`: writes `db/schema.sql`, the present schema, from a database that it migrates for this. With
 * `--check` nothing is written; it fails where the file is out of date.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../src/app/embedded-postgres.ts';
import { migrate } from '../../src/app/migrate.ts';
import { schemaText } from './schema-text.ts';

const target = join(import.meta.dirname, '../../db/schema.sql');

const dataFolder = mkdtempSync(join(tmpdir(), 'casewright-schema-'));
const server = await startEmbeddedPostgres({ dataFolder, log: () => undefined, settings: { fsync: 'off' } });
try {
  const database = { host: server.socketFolder, port: server.port, user: server.user, database: 'postgres' };
  await migrate(database, () => undefined);
  const sql = postgres({ ...database, max: 4 });
  const text = await schemaText(sql);
  await sql.end();
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error('db/schema.sql: is not what the migrations make; run npm run schema');
    process.exitCode = 1;
  }
} finally {
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true });
}
