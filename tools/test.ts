/**
 * `npm test`: runs in parallel all tests on the embedded PostgreSQL 18, those that depend on the server's version also
 * on PostgreSQL 15 (the oldest supported), and the checks. At the end PostgreSQL 15 prepares every statement that the
 * product sent during the tests.
 *
 * `npm test -- mail ledger` runs the test files whose path contains one of the words (and no checks);
 * `npm test -- --only 15` (or 18) runs them, or all, on one server. The exit code is 1 if anything failed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { constants, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/app/embedded-postgres.ts';
import { watchParent } from '../src/app/parent-watch.ts';
import type { TestServer } from '../test/support/database.ts';
import { installLibreOffice } from '../test/support/peers/libreoffice.ts';
import { installHledger } from '../test/support/peers/hledger.ts';
import { installTesseract } from '../test/support/peers/tesseract.ts';
import { installChromium } from '../test/support/browser/chromium.ts';
import { installOpenSsh } from '../test/support/peers/openssh.ts';
import { installDovecot } from '../test/support/peers/dovecot.ts';
import { installOpensshServer } from '../test/support/peers/openssh-server.ts';
import type { FileReport, TestCounts } from '../test/support/runner/file-reporter.ts';
import { lanesOf, readTimes, writeTimes } from './test-order.ts';
import { nodeOptions, runFiles, type FileRun, type Lane } from './test-pool.ts';
import { bundlePrograms } from './test-program.ts';
import { countingReports, reportsToRepeat, verdictLine } from './repeated-files.ts';
import { readTree } from './architecture/tree.ts';
import { compareRefusals, readProduced } from './refusals/produced.ts';
import { compareStatements, readStatements } from './test-statements.ts';
import { installPgbouncer } from '../test/support/peers/pgbouncer.ts';
import { installDebianPostgres, startDebianPostgres } from '../test/support/peers/debian-postgres.ts';

const ROOT = join(import.meta.dirname, '..');
/** Enough for several platforms of several files at once, each with separate pools. */
const CONNECTIONS_MAX = '400';
/** The samples of property tests, the same in every run. */
const PROPERTY_SEED = '20261121';
/** Files named at the end of a run because they took longest. */
const SLOWEST_MAX = 12;
/**
 * Memory as a file system: nothing of a test run need be written to a disk, which takes longer than all the rest of a
 * backup or a start.
 */
const MEMORY_FOLDER = '/dev/shm';
/** Free space and memory required to use it, with a wide margin. Otherwise files go to the usual folder. */
const MEMORY_FREE_BYTES_MIN = 6 * 1024 ** 3;
/**
 * Tests that also run on PostgreSQL 15: those whose results could depend on its planner, collations, catalog or error
 * codes, and those of the queue's library, which sends its own statements. Whether it understands all other statements
 * is found by preparing them (test-statements.ts).
 */
const ON_OLDEST = [
  'test/platform/access/row-security',
  'test/platform/database/',
  'test/platform/imports/bulk-merge',
  'test/platform/kernel/custom-field',
  'test/platform/kernel/filter',
  'test/platform/kernel/history',
  'test/platform/kernel/point-in-time',
  'test/platform/kernel/records',
  'test/platform/kernel/retention',
  'test/platform/kernel/transaction',
  'test/platform/kernel/transfer',
  'test/platform/records/record-find',
  'test/platform/reports/statements',
  'test/platform/worker/queued-call',
];

/** The requested server; undefined for both. */
type Only = '15' | '18' | undefined;

/** What is running now, to be stopped if the run is aborted; the last started is stopped first. */
interface Run {
  readonly cleanUps: (() => unknown)[];
  /** The cleanup in progress: the first to notice an abort cleans up, the others wait. */
  cleaning: Promise<void>;
  broken: boolean;
}

/** Result of a part of the run: whether it passed, and the text printed at the end. */
interface Verdict {
  readonly passed: boolean;
  readonly lines: readonly string[];
}

await main(process.argv.slice(2));

async function main(parameters: string[]): Promise<void> {
  const { words, only } = readArguments(parameters);
  const files = globSync('test/**/*.test.ts', { cwd: ROOT })
    .sort()
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) {
    console.error(`No test file's path contains ${words.join(' or ')}; they are in test/ and end in .test.ts.`);
    process.exit(1);
  }
  useMemoryForFiles();
  const run: Run = { cleanUps: [], cleaning: Promise.resolve(), broken: false };
  listenForTheEnd(run);
  const verdicts: Verdict[] = [];
  try {
    const isWhole = words.length === 0 && only === undefined;
    const checking = isWhole ? check(run) : undefined;
    for await (const verdict of test(run, files, only, isWhole)) verdicts.push(verdict);
    const checked = await checking;
    if (checked) verdicts.push(checked);
  } finally {
    await cleanUp(run);
  }
  if (run.broken) return;
  console.log(`\n${verdicts.flatMap(({ lines }) => lines).join('\n')}`);
  process.exit(verdicts.every(({ passed }) => passed) ? 0 : 1);
}

/** Runs the files on the servers; a whole run also compares the servers' reading of the statements. */
async function* test(run: Run, files: readonly string[], only: Only, isWhole: boolean): AsyncGenerator<Verdict> {
  const skipped = [...installPeers(files)];
  const forOldest = only === '15' ? files : files.filter((file) => ON_OLDEST.some((start) => file.startsWith(start)));
  const newest = only === '15' ? undefined : await startNewest(run);
  const oldest = only === '18' || forOldest.length === 0 ? undefined : await startOldest(run, skipped);
  yield { passed: true, lines: skipped };
  const reports = isWhole ? reportFolders(run) : undefined;
  yield await runTests(
    run,
    [
      ...(newest ? files.map((file) => ({ file, label: file, server: newest })) : []),
      ...(oldest ? forOldest.map((file) => ({ file, label: `${file} on PostgreSQL 15`, server: oldest })) : []),
    ],
    reports ?? {},
  );
  if (reports === undefined || run.broken) return;
  yield checkRefusals(reports.CASEWRIGHT_TEST_REFUSALS);
  if (newest && oldest) yield await checkStatements(reports.CASEWRIGHT_TEST_STATEMENTS, newest, oldest);
}

function readArguments(parameters: string[]): { words: string[]; only: Only } {
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

/** The checks, beside the tests. Architecture and dead code are checked by a test. */
async function check(run: Run): Promise<Verdict> {
  const output: string[] = [];
  const passed = await runNode(run, [join(ROOT, 'tools', 'check.ts'), 'types', 'lint', 'format', 'docs'], output);
  return { passed, lines: ['', output.join('').trimEnd(), `Checks: ${passed ? 'passed' : 'FAILED'}`] };
}

/** Puts the folders of tests, and the stores of their servers, in memory if there is enough. */
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

/** Installs the programs that test files need before any of them runs; yields what is skipped for lack of one. */
function* installPeers(files: readonly string[]): Generator<string> {
  const peers = [
    { of: /^test\/browser\//, install: installChromium, tests: 'Pages in Chromium' },
    {
      of: /file-location|documents\/watch/,
      install: installOpensshServer,
      tests: "Storage locations over OpenSSH's server",
    },
    { of: /document-ocr/, install: installTesseract, tests: 'Recognition of text in pictures' },
    { of: /documents\/convert/, install: installLibreOffice, tests: 'Conversion of office documents' },
    { of: /(?:messages\/(?:imap|hosted)|pages\/mailboxes)/, install: installDovecot, tests: 'Mailboxes of Dovecot' },
    { of: /ledgers\/journal/, install: installHledger, tests: 'Balances recomputed by hledger' },
    { of: /app\/pooler/, install: installPgbouncer, tests: 'Connections through PgBouncer' },
    { of: /^test\/processes\/(?:sftp|guides)\//, install: installOpenSsh, tests: "sFTP with OpenSSH's client" },
  ];
  for (const { of, install, tests } of peers) {
    const missing = files.some((file) => of.test(file)) ? install((line) => console.log(line)) : undefined;
    if (missing !== undefined) yield `${tests}: skipped, ${missing}`;
  }
}

async function startNewest(run: Run): Promise<TestServer> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'casewright-test-'));
  // Started by root, the server runs as another user, who must be able to enter it.
  chmodSync(dataFolder, 0o711);
  run.cleanUps.push(() => rmSync(dataFolder, { recursive: true, force: true }));
  // Nothing of a test run need survive a power failure, and this makes databases several times faster to create.
  const server = await startEmbeddedPostgres({
    dataFolder,
    log: () => {},
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: CONNECTIONS_MAX },
    onExit: ({ code, signal }) => console.error(`PostgreSQL 18 ended by itself (${code ?? signal}).`),
  });
  run.cleanUps.push(() => server.stop());
  return { host: server.socketFolder, port: server.port, user: server.user };
}

/** Starts PostgreSQL 15. Returns undefined, and adds the reason to `skipped`, if it is not available. */
async function startOldest(run: Run, skipped: string[]): Promise<TestServer | undefined> {
  const missing = installDebianPostgres((line) => console.log(line));
  if (missing !== undefined) {
    skipped.push(`PostgreSQL 15: skipped, ${missing}`);
    return undefined;
  }
  const oldest = await startDebianPostgres();
  run.cleanUps.push(() => oldest.stop());
  return oldest.server;
}

/** Returns a folder for files that the test processes create once and share. */
function sharedFolder(run: Run): string {
  const folder = mkdtempSync(join(tmpdir(), 'casewright-shared-'));
  // Started by root, servers of tests run as another user, who must be able to enter it.
  chmodSync(folder, 0o755);
  run.cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns folders into which the test processes write what they saw, each by the variable that names it to them. */
function reportFolders(run: Run) {
  const folder = (subject: string): string => {
    const path = mkdtempSync(join(tmpdir(), `casewright-${subject}-`));
    run.cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  return { CASEWRIGHT_TEST_STATEMENTS: folder('statements'), CASEWRIGHT_TEST_REFUSALS: folder('refusals') };
}

/** Runs the files; the verdict repeats the failures with their errors. */
async function runTests(
  run: Run,
  files: readonly FileRun[],
  folders: Readonly<Record<string, string>>,
): Promise<Verdict> {
  const start = performance.now();
  console.log(`\nRunning ${files.length} files`);
  const startsProcesses = files.some(({ file }) => file.startsWith('test/processes/'));
  const environment = {
    CASEWRIGHT_TEST_SEED: process.env['CASEWRIGHT_TEST_SEED'] ?? PROPERTY_SEED,
    CASEWRIGHT_TEST_FOLDER: sharedFolder(run),
    NODE_OPTIONS: nodeOptions(startsProcesses ? await bundlePrograms() : undefined),
    ...folders,
  };
  const first = await runLanes(run, lanesOf(files, readTimes()), environment);
  const late = reportsToRepeat(first);
  const alone = files.filter((file) => late.some(({ label }) => label === file.label));
  if (alone.length > 0) console.log(`\nRepeating ${alone.length} files alone, in which a wait exceeded its limit`);
  const repeated = await runLanes(run, [{ files: alone, processes: 1 }], environment);
  const reports = countingReports(first, late, repeated);
  if (!run.broken)
    writeTimes(new Map(reports.map(({ label, milliseconds }) => [label, Math.round(milliseconds / 100) / 10])));
  const passed = reports.length === files.length && reports.every((report) => report.passed);
  return {
    passed,
    lines: [
      ...late.flatMap(({ failures }) => ['Repeated alone:', ...failures, '']),
      ...summaryOf(reports, performance.now() - start),
      verdictLine(passed, late),
    ],
  };
}

/** Runs the lanes, and prints each report when its file ends. */
async function runLanes(
  run: Run,
  lanes: readonly Lane[],
  environment: Readonly<Record<string, string>>,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  if (run.broken) return reports;
  await runFiles(lanes, environment, {
    onStart: (stop) => run.cleanUps.push(stop),
    onReport(report) {
      reports.push(report);
      console.log(`\n${report.label} (${seconds(report.milliseconds)})\n${report.text.trimEnd()}`);
    },
  });
  return reports;
}

function summaryOf(reports: readonly FileReport[], milliseconds: number): string[] {
  const failures = reports.flatMap((report) => report.failures);
  const slowest = reports.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST_MAX);
  const sum = (of: keyof TestCounts): number => reports.reduce((total, { counts }) => total + counts[of], 0);
  return [
    ...(failures.length === 0 ? [] : ['Failing:', ...failures, '']),
    `Slowest of ${reports.length} files:`,
    ...slowest.map((report) => `${seconds(report.milliseconds).padStart(9)}  ${report.label}`),
    '',
    `All files took ${seconds(milliseconds)}.`,
    `Tests: ${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`,
  ];
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

async function checkStatements(folder: string, newest: TestServer, oldest: TestServer): Promise<Verdict> {
  const start = performance.now();
  const { count, differences } = await compareStatements(readStatements(folder), newest, oldest);
  const passed = count > 0 && differences.length === 0;
  const took = seconds(performance.now() - start);
  return {
    passed,
    lines: [...differences, `${count} statements on PostgreSQL 15: ${passed ? 'prepared' : 'FAILED'} in ${took}`],
  };
}

/** Compares the errors and warnings of the run with the texts that docs/reference/refusals.md lists. */
function checkRefusals(folder: string): Verdict {
  const { passed, lines } = compareRefusals(readTree(ROOT), readProduced(folder));
  return { passed, lines };
}

/** Runs this runtime with the parameters; returns whether it exited with 0. `output` collects what it prints. */
async function runNode(run: Run, parameters: readonly string[], output: string[]): Promise<boolean> {
  if (run.broken) return false;
  const child = spawn(process.execPath, parameters, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
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

/** Stops everything on Ctrl-C, on an ordinary kill, and when npm or the starter ends. */
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
