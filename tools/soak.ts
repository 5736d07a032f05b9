/**
 * `npm run soak -- <name> [--rounds <n>] [--seed <n>]`: a long test whole, of which `npm test` runs a small seeded sample.
 *
 * The same test file runs in both; a variable says how often. The seed is random unless it is given, and printed, so that
 * a failure can be looked at again.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { watchParent } from '../src/app/parent-watch.ts';

/** A test that can run longer: `variable` takes the count, `rounds` is what a whole run takes. */
interface Soak {
  readonly about: string;
  readonly files: readonly string[];
  readonly variable: string;
  readonly rounds: number;
}

const soaks: Readonly<Record<string, Soak>> = {
  kill: { about: 'kills the server in the middle of saves and jobs', files: ['test/faults/kill.test.ts'], variable: 'CASEWRIGHT_TEST_KILL_ROUNDS', rounds: 30 },
  referrals: { about: 'kills the server in the middle of referral imports', files: ['test/faults/referral-kill.test.ts'], variable: 'CASEWRIGHT_TEST_REFERRAL_KILL_ROUNDS', rounds: 30 },
  memory: { about: 'sends referrals with a file of 40 MB and looks at the memory', files: ['test/faults/referral-memory.test.ts'], variable: 'CASEWRIGHT_TEST_MEMORY_ROUNDS', rounds: 5 },
};

const ROOT = join(import.meta.dirname, '..');
/** Every soak ends within this, or has failed. */
const HOURS_MAX = 6;

main(process.argv.slice(2));

function main(parameters: string[]): void {
  const { values, positionals } = parseArgs({ args: parameters, allowPositionals: true, options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
  const [name = ''] = positionals;
  const soak = soaks[name];
  if (!soak) return fail(`Say which one to run:\n${Object.entries(soaks).map(([known, { about, rounds }]) => `  ${known}  ${about}, ${rounds} rounds`).join('\n')}`);
  const rounds = Number(values.rounds ?? soak.rounds);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (!Number.isInteger(rounds) || rounds < 1) return fail('--rounds: expected a whole number of at least 1.');
  if (!Number.isInteger(seed) || seed < 0) return fail('--seed: expected a whole number of at least 0.');
  console.log(`${name}: ${rounds} rounds, seed ${seed}`);
  const env = { ...process.env, [soak.variable]: String(rounds), CASEWRIGHT_TEST_SEED: String(seed) };
  const child = spawn(process.execPath, ['--test', `--test-timeout=${HOURS_MAX * 3_600_000}`, '--test-reporter=spec', ...soak.files], { cwd: ROOT, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  watchParent(() => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
