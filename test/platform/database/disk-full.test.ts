import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { logServerMessage } from '../../../src/app/server-messages.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { store } = p.platform;
const health = async () => {
  const { status, text } = await p.anonymous.get('/api/healthcheck');
  return [status, text];
};
/** Returns what an administrator reads about the disk. */
const disk = async () => {
  const { text } = await p.admin.get('/api/system/health?Output=Csv');
  return /^Database disk,(\w+),/m.exec(text)?.[1];
};

/** Makes inserts of contacts and new tables fail as on a full disk, or lets them succeed again. */
async function fillDisk(isFull: boolean): Promise<void> {
  if (!isFull)
    return store.script('drop event trigger no_tables; drop function no_tables; drop function no_room cascade');
  const failure = `raise exception 'could not extend file "base/16384/17021": No space left on device'
    using errcode = '53100', hint = 'Check free disk space.'`;
  await store.script(`
    create function no_room() returns trigger language plpgsql as $$ begin ${failure}; end $$;
    create trigger no_room before insert on contact for each row execute function no_room();
    create function no_tables() returns event_trigger language plpgsql as $$ begin ${failure}; end $$;
    create event trigger no_tables on ddl_command_end when tag in ('CREATE TABLE') execute function no_tables();`);
}

test('KRN-19 on a full disk a change is answered 503 with the reason, nothing of it is stored, and the health check says so until there is room', async () => {
  assert.deepEqual(await health(), [200, '{"status":"healthy"}']);
  await fillDisk(true);
  assert.deepEqual(await health(), [200, '{"status":"healthy"}'], 'nothing has failed yet');
  assert.equal(await disk(), 'ok');
  const refused = await p.admin.post('/api/contact/save?Output=Json', 'LastName=Full');
  assert.equal(refused.status, 503);
  assert.match(refused.text, /"UNAVAILABLE".*The database is out of disk space/);
  assert.match(refused.text, /DiskFull/);
  assert.doesNotMatch(refused.text, /base\/16384/);
  assert.deepEqual(await health(), [503, '{"status":"database disk full"}']);
  assert.deepEqual(await health(), [503, '{"status":"database disk full"}']);
  assert.equal(await disk(), 'failed');
  const read = await p.admin.get('/api/contact/search?LastName=Full&Output=Json');
  assert.equal(read.status, 200, 'reading goes on');
  assert.doesNotMatch(read.text, /"Full"/);
  await fillDisk(false);
  assert.equal(await disk(), 'ok', 'without another check or save');
  assert.deepEqual(await health(), [200, '{"status":"healthy"}']);
  assert.equal((await p.admin.post('/api/contact/save', 'LastName=Full')).status, 200);
});

test('a PANIC of the embedded PostgreSQL is an error in the log, all else that it says is not', () => {
  const lines: string[] = [];
  const note = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  const log = { ...silentLog, info: note('info'), error: note('error') };
  logServerMessage(log, 'could not write to file "pg_wal/xlogtemp": No space left on device', { level: 'PANIC' });
  logServerMessage(log, 'terminating connection due to administrator command', { level: 'FATAL' });
  logServerMessage(log, 'server process was terminated');
  assert.deepEqual(
    lines.map((line) => line.slice(0, 22)),
    ['error: could not write', 'info: terminating conn', 'info: server process w'],
  );
});
