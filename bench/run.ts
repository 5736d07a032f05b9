/**
 * `npm run bench -- <name> [words of figures] [--pairs 5] [--seconds 2] [--rows 100000] [--profile <folder>]
 * [--against <folder>] [--data <folder>]`
 *
 * Compares the product with a floor (the minimum that does the same work) and prints a line for each figure. Both run
 * in separate processes over one durable PostgreSQL, alternately, so that a busy machine affects both. Absolute values
 * mean little.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Plan } from './lib/pairs.ts';

/** Options of a benchmark. */
export interface BenchOptions {
  readonly plan: Plan;
  /** Whether to run a figure: its name contains all the given words. */
  takes(figure: string): boolean;
  /** Number of rows to insert, if the benchmark supports it. */
  readonly rows: number | undefined;
  /** Folder for CPU profiles of the product. */
  readonly profile: string | undefined;
  /** Folder of another version of the product that takes the place of the floor, if the benchmark supports it. */
  readonly against: string | undefined;
  /** Folder in which the rows are kept for the next run, if the benchmark supports it. */
  readonly data: string | undefined;
  print(line: string): void;
}

const names = [
  'records',
  'queue',
  'reach',
  'start',
  'referral',
  'history',
  'upload',
  'xslt',
  'page',
  'events',
  'import',
  'sftp',
  'matrix',
  'rules',
  'score',
  'names',
  'workflow',
  'worklist',
  'lists',
  'console',
  'documents',
  'live',
  'mail',
  'ledger',
];

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      pairs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      rows: { type: 'string' },
      profile: { type: 'string' },
      against: { type: 'string' },
      data: { type: 'string' },
    },
  });
  const [name = '', ...words] = positionals;
  const known = names.filter((n) => existsSync(join(import.meta.dirname, `${n}.ts`)));
  if (!known.includes(name)) {
    fail(`Say which benchmark to run: ${known.join(', ')}.`);
    return;
  }
  const pairs = Number(values.pairs);
  const seconds = Number(values.seconds);
  if (!Number.isInteger(pairs) || pairs < 1) {
    fail('--pairs: expected a whole number of at least 1; the figures that count take at least 5.');
    return;
  }
  if (!(seconds > 0)) {
    fail('--seconds: expected the length of a slice, greater than 0.');
    return;
  }
  const { bench } = (await import(`./${name}.ts`)) as { bench: (options: BenchOptions) => Promise<void> };
  await bench({
    plan: { pairs, milliseconds: seconds * 1000, warmupMilliseconds: Math.min(2_000, seconds * 1000) },
    takes: (figure) => words.every((word) => figure.toLowerCase().includes(word.toLowerCase())),
    rows: values.rows === undefined ? undefined : Number(values.rows),
    profile: values.profile,
    against: values.against,
    data: values.data,
    print: (line) => void process.stdout.write(`${line}\n`),
  });
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
