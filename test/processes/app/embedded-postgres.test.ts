import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  chownSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test, type TestContext } from 'node:test';
import postgres from 'postgres';
import { canReach, chooseAccount, spawnAs } from '../../../src/app/embedded-postgres/account.ts';
import { fixedSettings, preparePaths } from '../../../src/app/embedded-postgres/cluster.ts';
import { findServerPackage, prepareProgram } from '../../../src/app/embedded-postgres/program.ts';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../../src/app/embedded-postgres.ts';
import { isSameProcess, processIdentity } from '../../../src/app/process-identity.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const ownerScript = join(import.meta.dirname, '../../support/app/embedded-owner.ts');

test('a start creates a cluster that listens only on a protected unix socket and syncs every commit', async (t) => {
  const dataFolder = join(temporaryFolder(t), 'data');
  const server = await start(t, { dataFolder });
  assert.match(server.version, /^18\./);
  assert.equal(statSync(server.socketFolder).mode & 0o777, 0o700);
  assert.equal(server.socketFolder, join(dataFolder, 'postgres', 'socket'));
  const sql = connect(t, server);
  const settings = Object.fromEntries(
    (await sql`select name, setting from pg_settings`).map((row) => [row['name'] as string, row['setting'] as string]),
  );
  const expected = {
    listen_addresses: '',
    server_encoding: 'UTF8',
    data_checksums: 'on',
    fsync: 'on',
    synchronous_commit: 'on',
    autovacuum: 'on',
    jit: 'off',
    max_connections: '100',
    log_min_error_statement: 'panic',
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, settings[name]])), expected);
  const [row] = await sql`select current_user as who, lower('ÄÉ') as low,
      array(select 'b' union select 'B' union select 'a' order by 1) as sorted`;
  assert.deepEqual(row, { who: 'casewright', low: 'äé', sorted: ['B', 'a', 'b'] });
  assert.equal(new URL(server.url('x y')).pathname, '/x%20y');
});

test('a second start finds the same data, and stop() can be called twice', async (t) => {
  const dataFolder = temporaryFolder(t);
  const first = await start(t, { dataFolder });
  await connect(t, first)`create table kept as select 1 as one`;
  await Promise.all([first.stop(), first.stop()]);
  assert.equal(existsSync(join(dataFolder, 'owner.json')), false);
  assert.equal(existsSync(first.socketFolder), false);
  const second = await start(t, { dataFolder });
  assert.deepEqual([...(await connect(t, second)`select one from kept`)], [{ one: 1 }]);
});

test("the server's log contains no values of statements, errors or parameters", async (t) => {
  const lines: string[] = [];
  const server = await startOnCopy(t, { dataFolder: temporaryFolder(t), log: (line) => lines.push(line) });
  const sql = connect(t, server);
  await sql`create table person (name text unique)`;
  await sql`insert into person values ('Mustermann')`;
  await assert.rejects(sql`insert into person values (${'Mustermann'})`, { code: '23505' });
  await assert.rejects(sql`select ${'Mustermann'}::text::int`, { code: '22P02' });
  await sql`do $$ begin raise warning 'Mustermann'; end $$`;
  await server.stop();
  assert.ok(lines.some((line) => line.includes('database system is shut down')));
  assert.deepEqual(
    lines.filter((line) => /Mustermann|person/.test(line)),
    [],
  );
});

test('a second owner of a data folder is refused with the pid of the first', async (t) => {
  const dataFolder = temporaryFolder(t);
  const { owner } = await startOwner(t, dataFolder);
  const refusal = await startEmbeddedPostgres({ dataFolder, log: () => {} }).catch((error: unknown) => error);
  assert.ok(refusal instanceof EmbeddedPostgresError);
  assert.equal(refusal.reason, 'owned');
  assert.match(
    refusal.message,
    new RegExp(`^The data folder .* is in use by process ${owner.pid} since .*Stop that process first`),
  );
});

test('an owner file whose pid was reused is replaced', async (t) => {
  const dataFolder = temporaryFolder(t);
  const stale = { pid: process.pid, identity: 'of an earlier boot', since: '2020-01-01', token: 'x' };
  writeFileSync(join(dataFolder, 'owner.json'), JSON.stringify(stale));
  await startOnCopy(t, { dataFolder });
  const owner = JSON.parse(readFileSync(join(dataFolder, 'owner.json'), 'utf8'));
  assert.equal(owner.identity, processIdentity(process.pid));
});

test('after kill -9 of the owner the next start works and has every committed row', async (t) => {
  const dataFolder = temporaryFolder(t);
  const { owner } = await startOwner(t, dataFolder);
  owner.kill('SIGKILL');
  await ended(owner);
  const server = await start(t, { dataFolder });
  assert.deepEqual([...(await connect(t, server)`select * from promised`)], [{ text: 'kept' }]);
});

test(
  'kill -9 of the owner stops the server too',
  { skip: !existsSync('/usr/bin/setpriv') && 'this system has no setpriv' },
  async (t) => {
    const { owner, serverPid } = await startOwner(t, temporaryFolder(t));
    const identity = processIdentity(serverPid) as string;
    owner.kill('SIGKILL');
    await eventually('the server ended', () => !isSameProcess(serverPid, identity));
  },
);

test('kill -9 while the cluster is created is repaired by the next start', async (t) => {
  const dataFolder = temporaryFolder(t);
  const owner = spawnNode(t, [ownerScript, dataFolder], {});
  const unfinished = () => readdirSync(join(dataFolder, 'postgres')).find((name) => name.startsWith('cluster.new-'));
  await eventually('initdb has begun', () => existsSync(join(dataFolder, 'postgres', unfinished() ?? '', 'base')));
  owner.kill('SIGKILL');
  await ended(owner);
  assert.equal(existsSync(join(dataFolder, 'postgres', 'cluster')), false);
  const server = await start(t, { dataFolder });
  assert.deepEqual([...(await connect(t, server)`select 1 as one`)], [{ one: 1 }]);
  assert.equal(unfinished(), undefined);
});

test('a server that outlived its killed owner is shut down and replaced', async (t) => {
  const dataFolder = temporaryFolder(t);
  const first = await startOnCopy(t, { dataFolder });
  await connect(t, first)`create table kept as select 1 as one`;
  await first.stop();
  const orphan = await startOrphan(t, dataFolder);
  const lines: string[] = [];
  const second = await start(t, { dataFolder, log: (line) => lines.push(line) });
  assert.notEqual(second.pid, orphan);
  assert.equal(processIdentity(orphan), undefined);
  assert.match(lines[0] ?? '', /Stopping the PostgreSQL server that an earlier, killed Casewright left running/);
  assert.ok(!lines.some((line) => line.includes('not properly shut down')));
  assert.deepEqual([...(await connect(t, second)`select one from kept`)], [{ one: 1 }]);
});

test('a postmaster.pid that names a process other than PostgreSQL does not prevent the start', async (t) => {
  const dataFolder = temporaryFolder(t);
  const first = await startOnCopy(t, { dataFolder });
  await first.stop();
  const bystander = spawnNode(t, ['-e', 'setInterval(() => {}, 1000)'], {});
  writeFileSync(
    join(dataFolder, 'postgres', 'cluster', 'postmaster.pid'),
    `${bystander.pid}\n${dataFolder}\n1\n5432\n\n\n`,
  );
  await start(t, { dataFolder });
  assert.equal(bystander.exitCode, null);
});

test('a cluster of another major version is refused, naming both, and nothing is changed', async (t) => {
  const dataFolder = temporaryFolder(t);
  const server = await startOnCopy(t, { dataFolder });
  await server.stop();
  for (const other of ['17', '19']) {
    writeFileSync(join(dataFolder, 'postgres', 'cluster', 'PG_VERSION'), `${other}\n`);
    const before = listing(dataFolder);
    await assert.rejects(startEmbeddedPostgres({ dataFolder, log: () => {} }), {
      reason: 'version',
      message: new RegExp(
        `was created by PostgreSQL ${other}, but this version of Casewright includes ` +
          'PostgreSQL 18 .* Nothing was changed',
      ),
    });
    assert.deepEqual(listing(dataFolder), before);
  }
});

test('a server that exits on its own is reported, and the next start recovers what was committed', async (t) => {
  const dataFolder = temporaryFolder(t);
  let exit: unknown;
  const server = await startOnCopy(t, { dataFolder, onExit: (how) => (exit = how) });
  const sql = connect(t, server);
  await sql`create table kept as select 1 as one`;
  await sql.end();
  process.kill(server.pid, 'SIGKILL');
  await eventually('its end is reported', () => exit);
  assert.deepEqual(exit, { code: null, signal: 'SIGKILL' });
  await server.stop();
  const again = await start(t, { dataFolder });
  assert.deepEqual([...(await connect(t, again)`select one from kept`)], [{ one: 1 }]);
});

test('a long data path moves the socket to a short folder', async (t) => {
  const dataFolder = join(temporaryFolder(t), 'a'.repeat(90), 'b'.repeat(90));
  const server = await startOnCopy(t, { dataFolder });
  assert.ok(Buffer.byteLength(join(server.socketFolder, '.s.PGSQL.5432')) <= 103, server.socketFolder);
  assert.equal(statSync(server.socketFolder).mode & 0o777, 0o700);
  assert.deepEqual([...(await connect(t, server)`select 1 as one`)], [{ one: 1 }]);
});

test('missing library links are created at the start', async (t) => {
  const folder = temporaryFolder(t);
  const packageFolder = await copyPackage(folder);
  await startOnCopy(t, { dataFolder: join(folder, 'data'), packageFolder });
  assert.ok(lstatSync(join(packageFolder, 'native', 'lib', 'libpq.so.5')).isSymbolicLink());
  assert.deepEqual(copiesIn(join(folder, 'data')), []);
});

test('a package that its user cannot write to or read is copied into the data folder, once', async (t) => {
  const folder = temporaryFolder(t);
  const packageFolder = await copyPackage(folder);
  // Root can write everywhere, but its server's user cannot enter a closed folder; another user cannot write.
  const closed = isRoot ? packageFolder : join(packageFolder, 'native', 'lib');
  chmodSync(closed, isRoot ? 0o700 : 0o555);
  atEnd(t, () => chmodSync(closed, 0o755));
  const dataFolder = join(folder, 'data');
  const first = await startOnCopy(t, { dataFolder, packageFolder });
  const copies = copiesIn(dataFolder);
  assert.equal(copies.length, 1);
  await first.stop();
  const made = statSync(join(dataFolder, 'postgres', copies[0] as string)).ctimeMs;
  await start(t, { dataFolder, packageFolder });
  assert.equal(statSync(join(dataFolder, 'postgres', copies[0] as string)).ctimeMs, made);
});

test('settings are passed on, except those on which supervision depends', async (t) => {
  const dataFolder = temporaryFolder(t);
  await assert.rejects(startEmbeddedPostgres({ dataFolder, log: () => {}, settings: { listen_addresses: '*' } }), {
    reason: 'setting',
  });
  await assert.rejects(startEmbeddedPostgres({ dataFolder, log: () => {}, settings: { "x'": 'y' } }), {
    reason: 'setting',
  });
  await assert.rejects(startEmbeddedPostgres({ dataFolder, log: () => {}, settings: { no_such: 'x' } }), {
    reason: 'start',
    message: /unrecognized configuration parameter "no_such"/,
  });
  const server = await startOnCopy(t, { dataFolder, settings: { work_mem: '9MB', application_name: "it's" } });
  assert.deepEqual([...(await connect(t, server)`show work_mem`)], [{ work_mem: '9MB' }]);
});

test(
  'started by root the server runs as uid 65534, even below a protected folder',
  { skip: !isRoot && 'only root can try this' },
  async (t) => {
    for (const mode of ['open', 'closed'] as const) {
      const server = await start(t, { dataFolder: join(temporaryFolder(t, mode), 'data') });
      assert.equal(statSync(`/proc/${server.pid}`).uid, 65534);
      assert.deepEqual([...(await connect(t, server)`select 1 as one`)], [{ one: 1 }]);
      await server.stop();
    }
  },
);

test(
  'an ordinary user runs it, root takes the folder over as that user, and the user can start it again',
  { skip: cannotBeOrdinary() },
  async (t) => {
    const dataFolder = temporaryFolder(t);
    chownSync(dataFolder, 65534, 65534);
    const asOrdinary = { uid: 65534, gid: 65534, cwd: '/' };
    const first = await startOwner(t, dataFolder, asOrdinary);
    assert.equal(first.uid, 65534);
    first.owner.kill('SIGKILL');
    await ended(first.owner);
    const server = await start(t, { dataFolder });
    assert.deepEqual([...(await connect(t, server)`select * from promised`)], [{ text: 'kept' }]);
    await server.stop();
    await startOwner(t, dataFolder, asOrdinary);
  },
);

test(
  'a cluster owned by root, such as a restored copy, is given back to the server',
  { skip: !isRoot && 'only root can try this' },
  async (t) => {
    const dataFolder = temporaryFolder(t);
    const server = await startOnCopy(t, { dataFolder });
    await server.stop();
    const cluster = join(dataFolder, 'postgres', 'cluster');
    for (const name of ['.', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })])
      chownSync(join(cluster, name), 0, 0);
    await start(t, { dataFolder });
  },
);

/** The cluster that startOnCopy copies. */
let made: Promise<string> | undefined;

async function makeCluster(): Promise<string> {
  const dataFolder = temporaryFolder({ after });
  await (await startEmbeddedPostgres({ dataFolder, log: () => {} })).stop();
  return join(dataFolder, 'postgres', 'cluster');
}

/** Starts a server on a copy of a new cluster. To make another takes half a second of the processor. */
async function startOnCopy(
  t: TestContext,
  options: Partial<EmbeddedPostgresOptions> & { dataFolder: string },
): Promise<EmbeddedPostgres> {
  const cluster = await (made ??= makeCluster());
  // Under root it belongs to another user, and has to in the copy.
  execFileSync('cp', ['-a', cluster, preparePaths(options.dataFolder).clusterFolder]);
  return start(t, options);
}

async function start(
  t: TestContext,
  options: Partial<EmbeddedPostgresOptions> & { dataFolder: string },
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ log: () => {}, ...options });
  atEnd(t, () => server.stop());
  return server;
}

function connect(t: TestContext, server: EmbeddedPostgres): postgres.Sql {
  const sql = postgres({
    host: server.socketFolder,
    port: server.port,
    user: server.user,
    database: 'postgres',
    max: 1,
    onnotice: () => {},
  });
  atEnd(t, () => sql.end());
  return sql;
}

function spawnNode(t: TestContext, parameters: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended(child);
  });
  return child;
}

async function startOwner(t: TestContext, dataFolder: string, options: SpawnOptions = {}) {
  const owner = spawnNode(t, [ownerScript, dataFolder], options);
  for await (const line of createInterface({ input: owner.stdout as NonNullable<ChildProcess['stdout']> })) {
    const { serverPid, uid } = JSON.parse(line) as { serverPid: number; uid: number };
    const identity = processIdentity(serverPid) ?? '';
    atEnd(t, async () => {
      owner.kill('SIGKILL');
      // Where the system does not end it with its owner, this does.
      if (isSameProcess(serverPid, identity)) process.kill(serverPid, 'SIGINT');
      await eventually('the server ended', () => !isSameProcess(serverPid, identity));
    });
    return { owner, serverPid, uid };
  }
  throw new Error('The owner ended before it had started its server; its error stands above.');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.on('exit', resolve));
}

/** Starts the server as a killed owner leaves it where the system cannot end it: running, with nobody to own it. */
async function startOrphan(t: TestContext, dataFolder: string): Promise<number> {
  const places = preparePaths(dataFolder);
  const account = chooseAccount(places.clusterFolder);
  const program = await prepareProgram({
    serverPackage: await findServerPackage(),
    postgresFolder: places.postgresFolder,
    account,
    log: () => {},
  });
  const settings = Object.entries(fixedSettings(places, places.clusterFolder)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const orphan = spawnAs(account, join(program.folder, 'bin', 'postgres'), ['-D', places.clusterFolder, ...settings], {
    cwd: places.clusterFolder,
    detached: true,
    stdio: 'ignore',
  });
  atEnd(t, () => void orphan.kill('SIGKILL'));
  await eventually('the orphan is ready', () =>
    /^ready/m.test(readFileSync(join(places.clusterFolder, 'postmaster.pid'), 'utf8')),
  );
  return orphan.pid as number;
}

/** The package as an installation without install scripts leaves it. */
async function copyPackage(folder: string): Promise<string> {
  const { folder: installed } = await findServerPackage();
  const packageFolder = join(folder, 'package');
  mkdirSync(packageFolder);
  cpSync(join(installed, 'package.json'), join(packageFolder, 'package.json'));
  cpSync(join(installed, 'native'), join(packageFolder, 'native'), {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  return packageFolder;
}

function copiesIn(dataFolder: string): string[] {
  return readdirSync(join(dataFolder, 'postgres')).filter((name) => name.startsWith('program-'));
}

function listing(folder: string): [string, number][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name): [string, number] => [name, lstatSync(join(folder, name)).mtimeMs]);
}

function cannotBeOrdinary(): string | false {
  if (!isRoot) return 'only root can become another user; all other tests here ran as an ordinary one';
  const nobody = { uid: 65534, gid: 65534 };
  const reachable = canReach(import.meta.dirname, nobody) && canReach(join(process.execPath, '..'), nobody);
  return reachable ? false : 'the checkout cannot be reached by another user';
}
