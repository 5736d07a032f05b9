import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { newKey } from '../../../src/kernel/security/cipher.ts';
import { atEnd } from '../../support/at-end.ts';
import { type CleanUp } from '../../support/database.ts';
import { startedDatabase } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';
import { ADMINISTRATOR_KEY, call } from '../../support/processes/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const database = await startedDatabase({ after });
const env = {
  DATABASE_URL:
    `postgres://${database.user}@/${database.database}?host=${encodeURIComponent(database.host)}` +
    `&port=${database.port}`,
  CASEWRIGHT_DATA: temporaryFolder({ after }),
  CASEWRIGHT_SECRET_KEY: newKey(),
  CASEWRIGHT_ADMIN_KEY: ADMINISTRATOR_KEY,
  CASEWRIGHT_LOG_TO: 'stdout',
  PORT: '0',
};

interface Service {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly error: () => string;
  readonly ended: Promise<number | string>;
}

/** Starts `casewright serve` as a service manager does: by its installed command, with its streams collected. */
function startService(cleanUp: CleanUp, more: Readonly<Record<string, string>> = {}, ...args: string[]): Service {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CASEWRIGHT_|DATABASE_URL$|PORT$|HOST$|METRICS_|NODE_TEST_CONTEXT$|npm_)/.test(name),
    ),
  );
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/casewright.mjs'), 'serve', ...args], {
    env: { ...inherited, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', error: '' };
  child.stdout.on('data', (data: Buffer) => void (texts.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => void (texts.error += data.toString()));
  const ended = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone')),
  );
  atEnd(cleanUp, async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { child, out: () => texts.out, error: () => texts.error, ended };
}

const urlOf = (service: Service): Promise<string> =>
  eventually('it is ready', () => /casewright ready on (http:[^"]+)"/.exec(service.out())?.[1], 30_000);

test('a service runs in the foreground, logs only JSON to standard output, and drains on SIGTERM: running calls are answered and jobs finished', async (t) => {
  const service = startService(t);
  const url = await urlOf(service);
  assert.equal((await fetch(`${url}/api/healthcheck`)).status, 200);
  const saved = (await (await call(url, '/api/contact/save', 'LastName=Held&Output=Json')).json()) as {
    ContactID: number;
  };
  const holder = postgres({ ...database, max: 2, onnotice: () => undefined });
  atEnd(t, () => holder.end({ timeout: 5 }));
  const held = await holder.reserve();
  await held`begin`;
  await held`select 1 from contact where contactid = ${saved.ContactID} for update`;
  const queued = (await (
    await call(url, '/api/contact/queue/save', `ID=${saved.ContactID}&City=Queued&Output=Json`)
  ).json()) as { QueueMessageID: string };
  const stateOf = async (): Promise<string> =>
    (
      await holder<{ state: string }[]>`select state::text as state from pgboss.job where id = ${queued.QueueMessageID}`
    )[0]?.state ?? '';
  await eventually('the job runs', async () => (await stateOf()) === 'active');
  const answer = call(url, '/api/contact/save', `ID=${saved.ContactID}&FirstName=Slow&Output=Json`);
  await eventually(
    'both wait for the row',
    async () =>
      // An index that the starting worker builds waits for this transaction too.
      (
        await holder`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query not like 'create index%'`
      ).length === 2,
  );
  service.child.kill('SIGTERM');
  await eventually(
    'no more calls are taken',
    async () =>
      (await fetch(`${url}/api/healthcheck`).then(
        (r) => r.status,
        () => 0,
      )) !== 200,
  );
  await held`commit`;
  held.release();
  assert.equal((await answer).status, 200);
  assert.equal(await service.ended, 0);
  assert.equal(await stateOf(), 'completed');
  assert.equal(service.error(), '');
  const lines = service
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; time: string; msg: string });
  assert.ok(lines.every((line) => line.level !== '' && !Number.isNaN(Date.parse(line.time))));
  assert.ok(lines.some((line) => line.msg === 'call'));
  assert.ok(
    lines.some((line) => line.msg.startsWith('casewright ready on ')),
    'the log says when it is ready',
  );
});

test('the exit code distinguishes a start that cannot succeed from one that may: 78 and 1', async (t) => {
  const started = async (more: Record<string, string>, ...args: string[]): Promise<[number | string, string]> => {
    const service = startService(t, more, ...args);
    return [await service.ended, service.error()];
  };
  const misspelt = await started({ CASEWRIGHT_LOG_TOO: 'x' });
  assert.equal(misspelt[0], 78);
  assert.match(misspelt[1], /Did you mean CASEWRIGHT_LOG_TO\?/);
  assert.equal((await started({}, '--roel', 'web'))[0], 78);
  assert.equal((await started({ METRICS_HOST: '127.0.0.1' }))[0], 78);
  assert.equal((await started({ CASEWRIGHT_SECRET_KEY: newKey() }))[0], 78, "another key than the store's");
  const away = await started({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
  assert.equal(away[0], 1);
  assert.match(away[1], /^casewright did not start: .*nothing is listening/);
});

test('what the command line reads from its environment does not keep a server from starting', async (t) => {
  const service = startService(
    t,
    { CASEWRIGHT_URL: 'http://127.0.0.1:8080', CASEWRIGHT_API_KEY_FILE: '/nowhere' },
    '--role',
    'web',
  );
  await urlOf(service);
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
});
