/**
 * `npm run soak -- <name> [--rounds <n>] [--seed <n>]`: runs a long test completely, of which `npm test` runs a small
 * seeded sample.
 *
 * Both run the same test file; an environment variable sets the count. The seed is random unless given, and printed, so
 * that a failure can be reproduced.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { watchParent } from '../src/app/parent-watch.ts';

/**
 * A test that can run longer. `variable` sets its count, `rounds` is the count of a complete run. Without a variable
 * the files run that many times, each time with the next seed.
 */
interface Soak {
  readonly about: string;
  readonly files: readonly string[];
  readonly variable?: string;
  readonly rounds: number;
}

const ROOT = join(import.meta.dirname, '..');

/** The test files that try properties on random samples. */
const propertyFiles = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
  readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'"),
);

const soaks: Readonly<Record<string, Soak>> = {
  kill: {
    about: 'kills the server in the middle of saves and jobs',
    files: ['test/processes/app/server-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_KILL_ROUNDS',
    rounds: 30,
  },
  nodes: {
    about: 'kills one of two processes in the middle of jobs',
    files: ['test/processes/app/server-nodes.test.ts'],
    variable: 'CASEWRIGHT_TEST_NODES_ROUNDS',
    rounds: 30,
  },
  referrals: {
    about: 'kills the server in the middle of referral imports',
    files: ['test/processes/imports/referral-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_REFERRAL_KILL_ROUNDS',
    rounds: 30,
  },
  'referral-runs': {
    about: 'kills the server in the middle of referrals that are imported from the queue',
    files: ['test/processes/imports/referral-run-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_REFERRAL_RUN_KILL_ROUNDS',
    rounds: 20,
  },
  conversations: {
    about: 'files 1,000 conversations by mail that are made to mislead',
    files: ['test/platform/messages/conversations.test.ts'],
    variable: 'CASEWRIGHT_TEST_CONVERSATIONS',
    rounds: 1_000,
  },
  sending: {
    about: 'kills the server 20 times while it sends mails',
    files: ['test/processes/messages/send-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_KILL_ROUNDS',
    rounds: 20,
  },
  mails: {
    about: 'kills the server 20 times while it receives 10,000 mails',
    files: ['test/processes/messages/receive-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_MAIL_KILL_ROUNDS',
    rounds: 20,
  },
  imports: {
    about: 'kills the server in the middle of an import of 100,000 rows',
    files: ['test/processes/imports/import-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_IMPORT_KILL_ROUNDS',
    rounds: 50,
  },
  events: {
    about: 'kills the server in the middle of an events file of 100,000 rows',
    files: ['test/processes/imports/event-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_EVENT_KILL_ROUNDS',
    rounds: 50,
  },
  ledgers: {
    about: 'compares ledgers with a plain oracle after 100,000 changes',
    files: ['test/platform/ledgers/ledger-oracle.test.ts'],
    variable: 'CASEWRIGHT_TEST_LEDGER_STEPS',
    rounds: 100_000,
  },
  'combined-lines': {
    about: 'compares lines that many callers add to one ledger with those of one caller, in 1,000 books',
    files: ['test/platform/ledgers/combined-lines.test.ts'],
    variable: 'CASEWRIGHT_TEST_COMBINED_BOOKS',
    rounds: 1_000,
  },
  'ledger-pairs': {
    about: 'runs every two operations of one ledger at once and compares them with both orders',
    files: ['test/platform/ledgers/ledger-pairs.test.ts'],
    variable: 'CASEWRIGHT_TEST_LEDGER_PAIRS',
    rounds: 1_323,
  },
  'ledger-kill': {
    about: 'kills the server in the middle of lines, payments and reversals of one ledger',
    files: ['test/processes/ledgers/ledger-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_LEDGER_KILL_ROUNDS',
    rounds: 50,
  },
  'batch-kill': {
    about: 'kills the server in the middle of imports of ledger lines and their reversals',
    files: ['test/processes/ledgers/batch-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_BATCH_KILL_ROUNDS',
    rounds: 50,
  },
  charges: {
    about: 'kills the server in the middle of charges, refunds and the storing of cards at a card gateway',
    files: ['test/processes/ledgers/charge-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_CHARGE_KILL_ROUNDS',
    rounds: 50,
  },
  duplicates: {
    about: 'sends one payment 10,000 times at once',
    files: ['test/platform/ledgers/faults.test.ts'],
    variable: 'CASEWRIGHT_TEST_LEDGER_DUPLICATES',
    rounds: 10_000,
  },
  books: {
    about: 'compares the balances of 1,000 random books with those of hledger',
    files: ['test/platform/ledgers/journal.test.ts'],
    variable: 'CASEWRIGHT_TEST_LEDGER_BOOKS',
    rounds: 1_000,
  },
  uploads: {
    about: 'kills the server in the middle of documents that are sent in chunks',
    files: ['test/processes/documents/upload-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_KILL_ROUNDS',
    rounds: 30,
  },
  moves: {
    about: 'moves 10,000 files to another location, stopped and resumed, while people read and replace them',
    files: ['test/platform/documents/move-many.test.ts'],
    variable: 'CASEWRIGHT_TEST_FILES',
    rounds: 10_000,
  },
  memory: {
    about: 'sends referrals with a file of 40 MB and looks at the memory',
    files: ['test/processes/imports/referral-memory.test.ts'],
    variable: 'CASEWRIGHT_TEST_MEMORY_ROUNDS',
    rounds: 5,
  },
  batches: {
    about: 'kills the server in the middle of batches',
    files: ['test/processes/imports/batch-kill.test.ts'],
    variable: 'CASEWRIGHT_TEST_BATCH_KILL_ROUNDS',
    rounds: 30,
  },
  readers: {
    about: 'reads import documents of 200 MB a round and looks at the memory',
    files: ['test/processes/lib/readers-memory.test.ts'],
    variable: 'CASEWRIGHT_TEST_READER_ROUNDS',
    rounds: 5,
  },
  rotation: {
    about: 'kills the rotation of the secret key',
    files: ['test/processes/app/rotation-faults.test.ts'],
    variable: 'CASEWRIGHT_TEST_ROTATION_KILLS',
    rounds: 40,
  },
  matrix: {
    about:
      'compares a million lookups in matrices with a plain scan, and runs a matrix of a million cells ' +
      'through its life cycle',
    files: ['test/unit/rules/matrix-oracle.test.ts', 'test/platform/rules/matrix-million.test.ts'],
    variable: 'CASEWRIGHT_TEST_MATRIX_ROUNDS',
    rounds: 50,
  },
  workflow: {
    about: 'kills the server between steps of workflows, and compares workflows with a plain reading of the rules',
    files: [
      'test/processes/work/workflow-kill.test.ts',
      'test/processes/work/workflow-nodes.test.ts',
      'test/platform/work/workflow-oracle.test.ts',
    ],
    variable: 'CASEWRIGHT_TEST_WORKFLOW_ROUNDS',
    rounds: 50,
  },
  loops: {
    about: 'carries out the loop of a workflow step over 100,000 rows, of which some fail and are queued again',
    files: ['test/platform/work/workflow-batch.test.ts'],
    variable: 'CASEWRIGHT_TEST_LOOP_ROWS',
    rounds: 100_000,
  },
  properties: { about: 'tries the properties on other samples', files: propertyFiles, rounds: 20 },
};

/** Every soak ends within this, or has failed. */
const HOURS_MAX = 6;

main(process.argv.slice(2));

function main(parameters: string[]): void {
  const { values, positionals } = parseArgs({
    args: parameters,
    allowPositionals: true,
    options: { rounds: { type: 'string' }, seed: { type: 'string' } },
  });
  const [name = ''] = positionals;
  const soak = soaks[name];
  if (!soak)
    return fail(
      `Say which one to run:\n${Object.entries(soaks)
        .map(([known, { about, rounds }]) => `  ${known}  ${about}, ${rounds} rounds`)
        .join('\n')}`,
    );
  const rounds = Number(values.rounds ?? soak.rounds);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (!Number.isInteger(rounds) || rounds < 1) return fail('--rounds: expected a whole number of at least 1.');
  if (!Number.isInteger(seed) || seed < 0) return fail('--seed: expected a whole number of at least 0.');
  console.log(`${name}: ${rounds} rounds, seed ${seed}`);
  void run(soak, rounds, seed);
}

async function run({ variable, files }: Soak, rounds: number, seed: number): Promise<void> {
  let child: ChildProcess | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child?.kill(signal));
  watchParent(() => child?.kill('SIGTERM'));
  for (let round = 0; round < (variable === undefined ? rounds : 1); round++) {
    const env = {
      ...process.env,
      ...(variable === undefined ? {} : { [variable]: String(rounds) }),
      CASEWRIGHT_TEST_SEED: String(seed + round),
    };
    const parameters = [
      '--import',
      join(ROOT, 'test', 'support', 'runner', 'property-seed.ts'),
      '--test',
      `--test-timeout=${HOURS_MAX * 3_600_000}`,
      '--test-reporter=spec',
      ...files,
    ];
    child = spawn(process.execPath, parameters, { cwd: ROOT, stdio: 'inherit', env });
    const ended = child;
    const code = await new Promise<number>((resolve) => ended.on('exit', (status) => resolve(status ?? 1)));
    if (code !== 0) {
      console.error(`failed with seed ${seed + round}`);
      process.exit(code);
    }
  }
  process.exit(0);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
