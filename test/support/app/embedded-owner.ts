/**
 * A process that owns an embedded PostgreSQL, for tests to kill. Starts it on the folder given as argument, commits a
 * row, prints one line of JSON, and stays until it is killed.
 */
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../../src/app/embedded-postgres.ts';

const [dataFolder = ''] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ dataFolder, log: () => {} });
const sql = postgres({
  host: server.socketFolder,
  port: server.port,
  user: server.user,
  database: 'postgres',
  onnotice: () => {},
});
await sql`create table if not exists promised (text text)`;
await sql`insert into promised values ('kept')`;
console.log(JSON.stringify({ serverPid: server.pid, uid: process.getuid?.(), version: server.version }));
