import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { processIdentity } from '../../../src/app/process-identity.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../../..');
const starter = join(root, 'tools', 'run.mjs');
const parentWatch = join(root, 'src', 'app', 'parent-watch.ts');

/** Stays, says its pid, and writes into its file what happened to it. */
const stayingScript = (file: string) => `
  import { writeFileSync } from 'node:fs';
  import { watchParent } from ${JSON.stringify(parentWatch)};
  const end = (what: string, code: number) => { writeFileSync(${JSON.stringify(file)}, what); process.exit(code); };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal, 40));
  watchParent((who) => end('gone: ' + who, 41));
  setInterval(() => {}, 1000);
  writeFileSync(${JSON.stringify(file)}, 'pid ' + process.pid);
`;

test('the starter runs TypeScript on Node 24 or later with its arguments and ends with its exit code', async (t) => {
  const script = join(temporaryFolder(t), 'script.ts');
  writeFileSync(
    script,
    `const words: string[] = process.argv.slice(2); console.log(process.version, ...words); process.exit(7);`,
  );
  const child = run(t, [starter, script, 'a b', '--only']);
  const output = read(child);
  assert.equal(await exitCode(child), 7);
  assert.match(await output, /^v(2[4-9]|[3-9]\d)\.\S+ a b --only\n$/);
});

test('the starter without a script prints its usage', async (t) => {
  const child = run(t, [starter]);
  const errors = read(child, 'stderr');
  assert.equal(await exitCode(child), 1);
  assert.match(await errors, /node tools\/run\.mjs <script\.ts>/);
});

test('a script ended by a signal exits with 128 plus the signal, as in a shell', async (t) => {
  const script = join(temporaryFolder(t), 'script.ts');
  writeFileSync(script, `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`);
  assert.equal(await exitCode(run(t, [starter, script])), 137);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`the starter forwards ${signal} and waits for the script to end`, async (t) => {
    const { child, file } = await startStaying(t);
    child.kill(signal);
    assert.equal(await exitCode(child), 40);
    assert.equal(readFileSync(file, 'utf8'), signal);
  });
}

test('the script notices kill -9 of the starter', async (t) => {
  const { child, file, pid } = await startStaying(t);
  child.kill('SIGKILL');
  await eventually('the script ended', () => processIdentity(pid) === undefined);
  assert.match(readFileSync(file, 'utf8'), /^gone: the (parent process|starter)$/);
});

test('the script notices kill -9 of npm above the starter', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'state');
  writeFileSync(join(folder, 'script.ts'), stayingScript(file));
  // A process that npm stands for: it starts the starter as a script of npm's and does nothing else.
  const start =
    `require('node:child_process').spawn(process.execPath, ` +
    `${JSON.stringify([starter, join(folder, 'script.ts')])}, { stdio: 'inherit' })`;
  const npm = run(t, ['-e', start], { npm_lifecycle_event: 'start' });
  const pid = await stayingPid(file);
  npm.kill('SIGKILL');
  await eventually('the script ended', () => processIdentity(pid) === undefined);
  assert.equal(readFileSync(file, 'utf8'), 'gone: npm');
});

test('without npm the end of the process above the starter does not matter', async (t) => {
  const folder = temporaryFolder(t);
  const script = join(folder, 'script.ts');
  writeFileSync(script, `console.log(process.env.CASEWRIGHT_PARENT_PID, process.env.CASEWRIGHT_STARTER_PID);`);
  const child = run(t, [starter, script], { CASEWRIGHT_PARENT_PID: '1' });
  assert.equal(await read(child), `undefined ${child.pid}\n`);
});

test('dependencies are installed when they are missing or differ from the lock file, and left alone otherwise', async (t) => {
  const copy = checkoutWithoutDependencies(t);
  const npm = fakeNpm(t);
  const first = await output(run(t, [join(copy, 'tools', 'run.mjs'), 'script.ts'], npm, copy));
  assert.equal(first, 'Installing the dependencies …\nran\n');
  const second = await output(run(t, [join(copy, 'tools', 'run.mjs'), 'script.ts'], npm, copy));
  assert.equal(second, 'ran\n');
  writeLock(join(copy, 'package-lock.json'), { 'node_modules/thing': { version: '2.0.0' } });
  const third = await output(run(t, [join(copy, 'tools', 'run.mjs'), 'script.ts'], npm, copy));
  assert.equal(third, 'Installing the dependencies …\nran\n');
  const calls = readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n');
  assert.equal(calls.length, 2);
  assert.match(calls[0] ?? '', /^ci --prefix .* --ignore-scripts/);
});

test('a start of the product installs no development packages; a later tool adds them and removes nothing', async (t) => {
  const copy = checkoutWithoutDependencies(t);
  const npm = fakeNpm(t);
  writeLock(join(copy, 'package-lock.json'), {
    'node_modules/thing': { version: '1.0.0' },
    'node_modules/for-another-platform': { version: '1.0.0', optional: true },
    'node_modules/for-development': { version: '1.0.0', dev: true },
  });
  mkdirSync(join(copy, 'src'));
  cpSync(join(copy, 'script.ts'), join(copy, 'src', 'script.ts'));
  const start = (script: string) => output(run(t, [join(copy, 'tools', 'run.mjs'), script], npm, copy));
  assert.equal(await start('src/script.ts'), 'Installing the dependencies …\nran\n');
  assert.equal(await start('src/script.ts'), 'ran\n');
  assert.equal(await start('script.ts'), 'Installing the dependencies for development …\nran\n');
  assert.deepEqual([await start('script.ts'), await start('src/script.ts')], ['ran\n', 'ran\n']);
  const [first, second, ...others] = readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n');
  assert.match(first ?? '', /^ci --omit=dev /);
  assert.match(second ?? '', /^install --no-save /);
  assert.deepEqual(others, []);
});

test('two starters at once install once', async (t) => {
  const copy = checkoutWithoutDependencies(t);
  const npm = fakeNpm(t);
  const both = [1, 2].map(() => output(run(t, [join(copy, 'tools', 'run.mjs'), 'script.ts'], npm, copy)));
  assert.ok((await Promise.all(both)).every((text) => text.endsWith('ran\n')));
  assert.equal(readFileSync(join(copy, 'calls'), 'utf8').trim().split('\n').length, 1);
});

test('a failed installation is reported and ends the start', async (t) => {
  const copy = checkoutWithoutDependencies(t);
  const npm = fakeNpm(t, 'process.exit(3);');
  const child = run(t, [join(copy, 'tools', 'run.mjs'), 'script.ts'], npm, copy);
  const errors = read(child, 'stderr');
  assert.equal(await exitCode(child), 1);
  assert.match(await errors, /"npm ci" failed in .* \(exit code 3\)/);
  assert.equal(existsSync(join(copy, '.cache', 'install.lock')), false);
});

function run(t: TestContext, parameters: string[], environment: Record<string, string> = {}, cwd = root): ChildProcess {
  const inherited = { ...process.env };
  delete inherited['npm_lifecycle_event'];
  const child = spawn(process.execPath, parameters, {
    cwd,
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(t, () => child.kill('SIGKILL'));
  return child;
}

async function startStaying(t: TestContext) {
  const folder = temporaryFolder(t);
  const file = join(folder, 'state');
  writeFileSync(join(folder, 'script.ts'), stayingScript(file));
  const child = run(t, [starter, join(folder, 'script.ts')]);
  return { child, file, pid: await stayingPid(file) };
}

function stayingPid(file: string): Promise<number> {
  return eventually('the script runs', () => Number(/^pid (\d+)$/.exec(readFileSync(file, 'utf8'))?.[1]) || undefined);
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  return child.exitCode ?? new Promise((resolve) => child.on('close', resolve));
}

async function output(child: ChildProcess): Promise<string> {
  const [text, errors] = await Promise.all([read(child), read(child, 'stderr')]);
  return text + errors;
}

async function read(child: ChildProcess, stream: 'stdout' | 'stderr' = 'stdout'): Promise<string> {
  let text = '';
  for await (const chunk of child[stream] as NonNullable<ChildProcess['stdout']>) text += String(chunk);
  return text;
}

/** A folder with the starter, a script, and a lock file that asks for one package. */
function checkoutWithoutDependencies(t: TestContext): string {
  const copy = temporaryFolder(t);
  mkdirSync(join(copy, 'tools'));
  cpSync(starter, join(copy, 'tools', 'run.mjs'));
  writeFileSync(join(copy, 'script.ts'), `console.log('ran');`);
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  writeLock(join(copy, 'package-lock.json'), { 'node_modules/thing': { version: '1.0.0' } });
  return copy;
}

function writeLock(file: string, packages: Record<string, object>): void {
  writeFileSync(file, JSON.stringify({ packages }));
}

/** Returns an environment in which a script replaces npm: it records its call and installs what the lock says. */
function fakeNpm(t: TestContext, first = ''): Record<string, string> {
  const file = join(temporaryFolder(t), 'npm-cli.cjs');
  writeFileSync(
    file,
    `const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
     const isLeftOut = ([, { dev }]) => dev && process.argv.includes('--omit=dev');
     appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
     ${first}
     mkdirSync('node_modules', { recursive: true });
     const packages = Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)
       .filter((one) => !isLeftOut(one) && !one[1].optional);
     writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(packages) }));`,
  );
  return { npm_execpath: file };
}
