import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runCommand } from '../../../src/surfaces/cli/cli.ts';

/** A command's output and how it ended. */
export interface CommandResult {
  readonly code: number | string;
  readonly out: string;
  readonly bytes: Buffer;
  readonly error: string;
}

/** Input of a command. */
export interface CommandInput {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether its output is read; only for a separate process. */
  readonly isRead?: boolean;
}

/** Runs a command in this process. */
export async function command(
  args: readonly string[],
  { env = {}, input = '' }: CommandInput = {},
): Promise<CommandResult> {
  const parts: Buffer[] = [];
  let error = '';
  const code = await runCommand(args, {
    environment: env,
    version: '9.8.7',
    input: (async function* () {
      yield await Promise.resolve(Buffer.from(input));
    })(),
    out: (data) => Promise.resolve(void parts.push(Buffer.from(data))),
    error: (text) => void (error += text),
  });
  const bytes = Buffer.concat(parts);
  return { code, out: bytes.toString(), bytes, error };
}

/** Runs the installed command in a separate process, as a shell does. */
export function commandProcess(
  args: readonly string[],
  { env = {}, input, isRead = true }: CommandInput = {},
): Promise<CommandResult> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CASEWRIGHT_|DATABASE_URL$|PORT$|HOST$|METRICS_|NODE_TEST_CONTEXT$|npm_)/.test(name),
    ),
  );
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/casewright.mjs'), ...args], {
    env: { ...inherited, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  const parts: Buffer[] = [];
  let error = '';
  if (!isRead) child.stdout?.destroy();
  child.stdout?.on('data', (data: Buffer) => void parts.push(data));
  child.stderr?.on('data', (data: Buffer) => void (error += data.toString()));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const bytes = Buffer.concat(parts);
      resolve({ code: code ?? signal ?? 'gone', out: bytes.toString(), bytes, error });
    });
  });
}
