import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, createConnection, type AddressInfo } from 'node:net';
import { randomFillSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchOptions } from './run.ts';
import { startChild, type CpuUsage } from './lib/child.ts';
import { startDatabase } from './lib/database.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { SftpProductHandlers } from './lib/product-sftp.ts';

/** Size of the uploaded file; `--rows` overrides it. */
const MEGABYTES = 100;
const MEGABYTE = 1024 * 1024;
const SSHD = '/usr/sbin/sshd';
const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';
/** Most time for OpenSSH's server to start listening. */
const LISTEN_MILLISECONDS_MAX = 10_000;
/** Most time for a connection's process to exit. */
const END_MILLISECONDS_MAX = 2_000;
/** Hides the library's native part, as if it had not been built. */
const HIDING = [
  "import Module from 'node:module';",
  "const load = Module._extensions['.node'];",
  "Module._extensions['.node'] = (module, file) => {",
  "if (file.endsWith('sshcrypto.node')) throw new Error('hidden');",
  'return load(module, file); };',
].join(' ');

/**
 * Uploads one large file with OpenSSH's client over the same cipher: to OpenSSH's own server, and to ours, which also
 * has it on disk when it answers and records in the store that it is complete. Once with the library's native part and
 * once without. The rate is in megabytes per second.
 */
export async function bench(options: BenchOptions): Promise<void> {
  if (!existsSync(SSHD)) {
    options.print(`sftp: skipped, ${SSHD} is not installed`);
    return;
  }
  const megabytes = options.rows ?? MEGABYTES;
  const folder = mkdtempSync(join(tmpdir(), 'casewright-bench-sftp-'));
  const database = await startDatabase();
  const key = join(folder, 'key');
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const publicKey = readFileSync(`${key}.pub`, 'utf8').trim();
  const content = join(folder, 'content.bin');
  writeFileSync(content, randomFillSync(Buffer.alloc(megabytes * MEGABYTE)));
  const openSsh = await startOpenSsh(folder, key);
  try {
    for (const native of [true, false]) {
      const ciphers = `${native ? 'with' : 'without'} the native part`;
      const name = `sftp: ${megabytes} MB uploaded, ${ciphers}, to OpenSSH's server`;
      if (!options.takes(name)) continue;
      const product = await startChild<SftpProductHandlers>(
        'product-sftp.ts',
        native ? [] : ['--import', `data:text/javascript,${encodeURIComponent(HIDING)}`],
      );
      try {
        const base = `bench${String(native)}`;
        await database.create(base);
        const started = await product.ask('start', {
          databaseUrl: database.url(base),
          dataFolder: join(database.folder, base),
          administratorKey: ADMINISTRATOR_KEY,
          publicKey,
        });
        if (started.native !== native)
          options.print('sftp: the native part is not built here; npm start builds it where there is a C++ compiler');
        const floor = side(
          megabytes,
          () =>
            upload(openSsh.port, process.env['USER'] ?? 'root', key, { file: content, to: join(folder, 'there.bin') }),
          () => openSsh.cpu(),
        );
        const own = side(
          megabytes,
          () => upload(started.port, 'bench', key, { file: content, to: '/there.bin' }),
          () => product.ask('cpu', undefined),
        );
        options.print(line(name, await compare(floor, own, options.plan), { timeAtMost: native ? 1.5 : 6 }));
      } finally {
        await product.stop();
      }
    }
  } finally {
    openSsh.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function side(megabytes: number, send: () => Promise<void>, cpu: () => Promise<CpuUsage>): Side {
  return {
    cpu,
    async slice() {
      const began = performance.now();
      await send();
      return { calls: megabytes, seconds: (performance.now() - began) / 1000 };
    },
  };
}

function upload(
  port: number,
  user: string,
  key: string,
  { file, to }: { readonly file: string; readonly to: string },
): Promise<void> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'Ciphers=aes128-gcm@openssh.com',
    'IdentitiesOnly=yes',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(
      'sftp',
      [
        '-F',
        'none',
        '-q',
        '-b',
        '-',
        '-P',
        String(port),
        '-i',
        key,
        ...options.flatMap((option) => ['-o', option]),
        `${user}@127.0.0.1`,
      ],
      { stdio: ['pipe', 'ignore', 'pipe'] },
    );
    let error = '';
    child.stderr.on('data', (data: Buffer) => (error += data.toString()));
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`sftp ended with ${String(code)}: ${error}`)),
    );
    child.stdin.end(`put ${file} ${to}\n`);
  });
}

/** Starts OpenSSH's server for this user only, on a free loopback port. */
async function startOpenSsh(
  folder: string,
  key: string,
): Promise<{ port: number; cpu(): Promise<CpuUsage>; stop(): void }> {
  const port = await freePort();
  const hostKey = join(folder, 'host-key');
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
  const authorized = join(folder, 'authorized');
  writeFileSync(authorized, readFileSync(`${key}.pub`));
  chmodSync(authorized, 0o600);
  // The server requires this folder, which a system service would create.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const config = join(folder, 'sshd.conf');
  writeFileSync(
    config,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      `PidFile ${join(folder, 'sshd.pid')}`,
      'Subsystem sftp internal-sftp',
      '',
    ].join('\n'),
  );
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: 'ignore' });
  const until = performance.now() + LISTEN_MILLISECONDS_MAX;
  while (!(await listens(port))) {
    if (performance.now() > until || server.exitCode !== null) throw new Error("OpenSSH's server did not start");
    await delay(50);
  }
  return { port, cpu: () => cpuOf(server.pid ?? 0), stop: () => void server.kill() };
}

/**
 * Returns the CPU of a process and its children, in microseconds: OpenSSH's server starts one per connection, whose
 * time counts once it exits.
 */
async function cpuOf(pid: number): Promise<CpuUsage> {
  const until = performance.now() + END_MILLISECONDS_MAX;
  while (readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim() !== '' && performance.now() < until)
    await delay(10);
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const microseconds = (at: number): number => (fields[at] ?? 0) * 10_000;
  return { user: microseconds(11) + microseconds(13), system: microseconds(12) + microseconds(14) };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
