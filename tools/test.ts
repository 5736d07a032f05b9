/**
 * `npm test`: the checks, beside them all tests on the embedded PostgreSQL 18, then those that depend on the server's version
 * once more on PostgreSQL 15, the oldest that is supported.
 *
 * `npm test -- mail ledger` runs the test files whose path contains one of the words (and no checks);
 * `npm test -- --only 15` (or 18) runs on one server. The exit code is 1 when anything failed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/app/embedded-postgres.ts';
import { watchParent } from '../src/app/parent-watch.ts';
import type { TestServer } from '../test/support/database.ts';
import { installChromium } from '../test/support/pages/chromium.ts';
import { installOpenSsh } from '../test/support/peers/openssh.ts';
import { installOpensshServer } from '../test/support/peers/openssh-server.ts';
import type { FileReport, TestCounts } from '../test/support/runner/file-reporter.ts';
import { lanesOf, readTimes, writeTimes } from './test-order.ts';
import { runFiles } from './test-pool.ts';
import { installDebianPostgres, startDebianPostgres } from '../test/support/peers/debian-postgres.ts';

const ROOT = join(import.meta.dirname, '..');
/** Several platforms of several files at once, each with pools of its own. */
const CONNECTIONS_MAX = '400';
/** The samples of property tests, the same in every run. */
const PROPERTY_SEED = '20261121';
/** Files named at the end of a run because they took longest. */
const SLOWEST_MAX = 12;
/** Memory as a file system: nothing of a test run need be written to a disk, which takes longer than all the rest of a backup or a start. */
const MEMORY_FOLDER = '/dev/shm';
/** As much of it, and of memory, must be free, with much to spare. Else files go where they usually go. */
const MEMORY_FREE_BYTES_MIN = 6 * 1024 ** 3;
/** What is run on PostgreSQL 15 too: all that holds SQL and has a database. */
const VERSION_DEPENDENT = ['test/platform/'];
/**
 * What of it asks the database nothing that another file there does not ask too, and takes long: it is about what stands in
 * front of the database (the engines of documents, scores and names, networks, files), or about many callers and faults.
 */
const ONCE_IS_ENOUGH = [
  'platform/access/injection',
  'platform/access/keys-and-passwords',
  'platform/access/refusal-matrix',
  'platform/access/small-bodies',
  'platform/access/ssn',
  'platform/kernel/fuzz',
  'platform/kernel/html-output',
  'platform/kernel/parameters',
  'platform/kernel/providers',
  'platform/kernel/routes',
  'unit/kernel/sandbox',
  'unit/kernel/sandbox-xpath',
  'platform/kernel/signature',
  'platform/kernel/transfer',
  'unit/kernel/values',
  'platform/documents/attachment-download',
  'platform/imports/batch',
  'platform/imports/batch-rows',
  'platform/rules/businessrule-documents',
  'platform/rules/businessrule-faults',
  'platform/rules/businessrule-ways',
  'platform/contacts/contact-scra',
  'platform/documents/download',
  'platform/rules/evaluate',
  'platform/imports/event-faults',
  'platform/imports/event-oracle',
  'processes/documents/file-locations',
  'platform/contacts/geocode',
  'platform/messages/mail-delivery',
  'platform/rules/matrix',
  'platform/rules/matrix-table',
  'platform/contacts/names-operations',
  'platform/contacts/organization-schedule',
  'platform/imports/referral-concurrency',
  'platform/imports/referral-engine',
  'platform/imports/referral-samples',
  'platform/imports/referral-stand-alone',
  'platform/rules/ruleset-save',
  'platform/rules/score',
  'platform/rules/score-faults',
  'platform/rules/score-mask',
  'platform/rules/score-workbook',
  'platform/documents/upload',
  'processes/documents/watch',
  'platform/integrations/webhook-retry',
];
/** What a test imports that has a database, by itself or through its support. */
const USES_DATABASE =
  /support\/(?:\w+\/)*(platform|database|server-process|referrals|second-platform|keyed-platform)\.ts|Platform\(/;

/** What is running now, to be ended when the run is broken off; the last started is ended first. */
interface Run {
  readonly cleanUps: (() => unknown)[];
  /** The end of the cleaning up under way: a broken-off run is cleaned up by whoever notices first, the rest wait. */
  cleaning: Promise<void>;
  broken: boolean;
}

await main(process.argv.slice(2));

async function main(parameters: string[]): Promise<void> {
  const { words, only } = readArguments(parameters);
  const files = globSync('test/**/*.test.ts', { cwd: ROOT })
    .sort()
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) {
    console.error(`No test file's path contains ${words.join(' or ')}; they lie in test/ and end in .test.ts.`);
    process.exit(1);
  }
  useMemoryForFiles();
  const run: Run = { cleanUps: [], cleaning: Promise.resolve(), broken: false };
  listenForTheEnd(run);
  const results: string[] = [];
  const verdicts: boolean[] = [];
  const record = (what: string, passed: boolean) => {
    results.push(`${what}: ${passed ? 'passed' : 'FAILED'}`);
    verdicts.push(passed);
  };
  try {
    const checking = words.length === 0 && only === undefined ? check(run) : undefined;
    seeToBrowser(files, results);
    seeToSftpServer(files, results);
    seeToOpenSsh(files, results);
    if (only !== '15') record('PostgreSQL 18', await testOnEmbedded(run, files, results, checking));
    const checked = await checking;
    if (checked) {
      console.log(`\nChecks\n${checked.told}`);
      record('Checks', checked.passed);
    }
    if (only !== '18') {
      const passed = await testOnDebian(run, files, only === '15', results);
      if (passed !== undefined) record('PostgreSQL 15', passed);
    }
  } finally {
    await cleanUp(run);
  }
  if (run.broken) return;
  console.log(`\n${results.join('\n')}`);
  process.exit(verdicts.every(Boolean) ? 0 : 1);
}

function readArguments(parameters: string[]): { words: string[]; only: '15' | '18' | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: parameters,
      options: { only: { type: 'string' } },
      allowPositionals: true,
    });
    const { only } = values;
    if (only === undefined || only === '15' || only === '18') return { words: positionals, only };
    throw new Error(`--only takes 18 or 15, not ${only}.`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

/**
 * The checks, beside the first tests: the linter keeps one core busy and leaves the other. What they say is told once the tests are
 * through. The architecture and dead code are looked at by a test.
 */
async function check(run: Run): Promise<{ passed: boolean; told: string }> {
  const told: string[] = [];
  const passed = await runNode(run, [join(ROOT, 'tools', 'check.ts'), 'types', 'lint', 'docs'], {}, told);
  return { passed, told: told.join('').trimEnd() };
}

/** Folders of tests, and the stores of the servers that they start, are made in memory where there is enough of it. */
function useMemoryForFiles(): void {
  if (!existsSync(MEMORY_FOLDER) || freemem() < MEMORY_FREE_BYTES_MIN) return;
  // Servers of tests run programs from there.
  const options = /^\S+ \/dev\/shm \S+ (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',') ?? ['ro'];
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  if (bavail * bsize < MEMORY_FREE_BYTES_MIN || options.includes('ro') || options.includes('noexec')) return;
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'casewright-tests-'));
  // Started by root, a server runs as another user, who makes folders there too.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

/** The sFTP server is tested by OpenSSH's client. */
function seeToOpenSsh(files: readonly string[], results: string[]): void {
  if (!files.some((file) => file.startsWith('test/processes/sftp/'))) return;
  const missing = installOpenSsh((line) => console.log(line));
  if (missing !== undefined) results.push(`sFTP with OpenSSH's client: skipped, ${missing}`);
}

/** Storage locations are tried against OpenSSH's server, likewise. */
function seeToSftpServer(files: readonly string[], results: string[]): void {
  if (!files.some((file) => /file-location|documents\/watch/.test(file))) return;
  const missing = installOpensshServer((line) => console.log(line));
  if (missing !== undefined) results.push(`Storage locations over OpenSSH's server: skipped, ${missing}`);
}

/** Pages are looked at in a browser. It is installed once, before test files run beside one another. */
function seeToBrowser(files: readonly string[], results: string[]): void {
  if (!files.some((file) => file.startsWith('test/browser/'))) return;
  const missing = installChromium((line) => console.log(line));
  if (missing !== undefined) results.push(`Pages in Chromium: skipped, ${missing}`);
}

/** `beside`: what runs at the same time, and must have ended before all is cleaned up. */
async function testOnEmbedded(
  run: Run,
  files: readonly string[],
  results: string[],
  beside: Promise<unknown> | undefined,
): Promise<boolean> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'casewright-test-'));
  // Started by root, the server runs as another user, who must be able to enter it.
  chmodSync(dataFolder, 0o711);
  run.cleanUps.push(() => rmSync(dataFolder, { recursive: true, force: true }));
  // Nothing of a test run need survive a power failure, and this makes databases several times faster to create.
  const server = await startEmbeddedPostgres({
    dataFolder,
    log: () => {},
    settings: { fsync: 'off', max_connections: CONNECTIONS_MAX },
    onExit: ({ code, signal }) => console.error(`PostgreSQL 18 ended by itself (${code ?? signal}).`),
  });
  run.cleanUps.push(() => server.stop());
  console.log(`\nTests on PostgreSQL ${server.version} (${files.length} files)`);
  const passed = await runTests(
    run,
    files,
    { host: server.socketFolder, port: server.port, user: server.user },
    results,
  );
  await beside;
  await cleanUp(run);
  return passed;
}

/** The version-dependent files on PostgreSQL 15, or all when that alone was asked for; undefined when skipped. */
async function testOnDebian(
  run: Run,
  files: readonly string[],
  all: boolean,
  results: string[],
): Promise<boolean | undefined> {
  const chosen = all
    ? files
    : files.filter(
        (file) =>
          VERSION_DEPENDENT.some((folder) => file.startsWith(folder)) &&
          !ONCE_IS_ENOUGH.some((name) => file === `test/${name}.test.ts`) &&
          USES_DATABASE.test(readFileSync(join(ROOT, file), 'utf8')),
      );
  if (chosen.length === 0 || run.broken) return undefined;
  const missing = installDebianPostgres((line) => console.log(line));
  if (missing !== undefined) {
    results.push(`PostgreSQL 15: skipped, ${missing}`);
    return undefined;
  }
  const oldest = await startDebianPostgres();
  run.cleanUps.push(() => oldest.stop());
  console.log(`\nTests on PostgreSQL 15 (${chosen.length} files)`);
  const passed = await runTests(run, chosen, oldest.server, results);
  await cleanUp(run);
  return passed;
}

/** Runs the files; what failed is repeated among the results, with its error. */
async function runTests(run: Run, files: readonly string[], server: TestServer, results: string[]): Promise<boolean> {
  const reports: FileReport[] = [];
  const start = performance.now();
  await runFiles(
    lanesOf(files, readTimes()),
    {
      CASEWRIGHT_TEST_POSTGRES: JSON.stringify(server),
      CASEWRIGHT_TEST_SEED: process.env['CASEWRIGHT_TEST_SEED'] ?? PROPERTY_SEED,
    },
    {
      onStart: (stop) => run.cleanUps.push(stop),
      onReport(report) {
        reports.push(report);
        console.log(`\n${report.file} (${seconds(report.milliseconds)})\n${report.text.trimEnd()}`);
      },
    },
  );
  if (run.broken) return false;
  writeTimes(new Map(reports.map(({ file, milliseconds }) => [file, Math.round(milliseconds / 100) / 10])));
  const failures = reports.flatMap((report) => report.failures);
  if (failures.length > 0) results.push(`\nFailing:\n${failures.join('\n')}\n`);
  const slowest = reports.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST_MAX);
  const lines = slowest.map(({ file, milliseconds }) => `${seconds(milliseconds).padStart(9)}  ${file}`);
  results.push(`\nSlowest of ${files.length} files:\n${lines.join('\n')}\n`);
  const sum = (of: keyof TestCounts): number => reports.reduce((total, { counts }) => total + counts[of], 0);
  results.push(
    `${sum('passed')} tests passed, ${sum('failed')} failed, ${sum('skipped')} skipped ` +
      `in ${seconds(performance.now() - start)}`,
  );
  return reports.length === files.length && reports.every(({ passed }) => passed);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Runs this same runtime with the parameters; true when it ended with 0. Where `told` is given it takes what is printed. */
async function runNode(
  run: Run,
  parameters: readonly string[],
  environment: Record<string, string> = {},
  told?: string[],
): Promise<boolean> {
  if (run.broken) return false;
  const child = spawn(process.execPath, parameters, {
    cwd: ROOT,
    stdio: told ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...environment },
  });
  for (const output of told ? [child.stdout, child.stderr] : [])
    output?.setEncoding('utf8').on('data', (text: string) => told?.push(text));
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
  const kill = () => endChild(child, ended);
  run.cleanUps.push(kill);
  const passed = await ended;
  // A broken-off run has taken it out already.
  if (run.cleanUps.includes(kill)) run.cleanUps.splice(run.cleanUps.indexOf(kill), 1);
  return passed;
}

async function endChild(child: ChildProcess, ended: Promise<boolean>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** Ctrl-C, an ordinary kill, and the end of npm or the starter all end what was started. */
function listenForTheEnd(run: Run): void {
  const end = (code: number) => {
    if (run.broken) return;
    run.broken = true;
    void cleanUp(run).finally(() => process.exit(code));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => end(128 + constants.signals[signal]));
  watchParent(() => end(1));
}

function cleanUp(run: Run): Promise<void> {
  run.cleaning = run.cleaning.then(async () => {
    for (let last = run.cleanUps.pop(); last !== undefined; last = run.cleanUps.pop()) {
      await Promise.resolve(last()).catch((error: unknown) => console.error(error));
    }
  });
  return run.cleaning;
}
