import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The server that commands of guides are run on. */
export interface GuideServer {
  readonly url: string;
  readonly dataFolder: string;
  readonly sftpPort: number;
}

/** What the commands of a block printed. */
export interface BlockResult {
  readonly code: number | string;
  /** The output of each command that printed something. */
  readonly outputs: readonly string[];
  /** The HTTP status of each curl. */
  readonly statuses: readonly number[];
  readonly error: string;
}

const ROOT = join(import.meta.dirname, '../../..');
/** Commands find these programs and no others, so that a guide's `useradd` cannot change the machine of the tests. */
const PROGRAMS = ['base64', 'bash', 'cat', 'curl', 'env', 'node', 'npm', 'od', 'openssl', 'sed', 'sh', 'split', 'tr'];
const CHECKOUT = ['bin', 'db', 'docs', 'node_modules', 'package.json', 'runtime', 'samples', 'src', 'tools'];
const STATUS = /^\u001FHTTP (\d+)\n/gm;

/**
 * A shell in a folder that looks like a checkout. Programs are the real ones. Only where they connect to differs: curl
 * connects to the server instead of 127.0.0.1:8080, and sftp instead of sftp.example.
 */
export class GuideShell {
  readonly folder: string;
  #environment: Record<string, string>;

  constructor(folder: string, server: GuideServer, keyFile: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    for (const name of CHECKOUT) symlinkSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, 'programs'));
    for (const name of PROGRAMS) symlinkSync(which(name), join(folder, 'programs', name));
    symlinkSync(join(ROOT, 'bin/casewright.mjs'), join(folder, 'programs/casewright'));
    const { host } = new URL(server.url);
    writeFileSync(
      join(folder, '.curlrc'),
      [
        'silent',
        'show-error',
        `connect-to = "127.0.0.1:8080:${host}"`,
        String.raw`write-out = "%{stderr}\n\u001FHTTP %{http_code}\n"`.replace(String.raw`\u001F`, '\u001F'),
        '',
      ].join('\n'),
    );
    const connect = join(folder, 'programs/connect');
    const program = (name: string, text: string): void =>
      writeFileSync(join(folder, 'programs', name), `#!${which('bash')}\n${text}\n`, { mode: 0o755 });
    program('connect', `exec 3<>/dev/tcp/127.0.0.1/${server.sftpPort}\ncat <&3 &\ncat >&3\nkill $!`);
    program(
      'sftp',
      `exec ${which('sftp')} -o ProxyCommand=${connect} -o IdentityFile=${keyFile} -o StrictHostKeyChecking=no ` +
        `-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$@"`,
    );
    this.#environment = {
      ...inherited(),
      CASEWRIGHT_DATA: server.dataFolder,
      CASEWRIGHT_URL: server.url,
      ...environment,
      HOME: folder,
      PATH: join(folder, 'programs'),
    };
  }

  /** Saves a file in the folder. */
  save(name: string, content: string | Buffer): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** Runs commands. Variables that they set stay set for those that follow. */
  async run(commands: string): Promise<BlockResult> {
    const state = join(this.folder, '.variables');
    // A mark before each command tells their outputs apart.
    const script = [
      'exec 3>&1',
      'set -aeo pipefail',
      String.raw`trap 'printf "\036" >&3' DEBUG`,
      withoutPlaceholders(commands),
      'trap - DEBUG',
      `env -0 > ${state}`,
    ].join('\n');
    const result = await bash(script, this.folder, this.#environment);
    if (result.code === 0) {
      const variables = readFileSync(state, 'utf8').split('\0');
      this.#environment = Object.fromEntries(variables.filter(Boolean).map((each) => splitOnce(each, '=')));
    }
    return result;
  }
}

/** Returns the path of a program; it must be installed. */
function which(name: string): string {
  const { PATH = '' } = process.env;
  const path = PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((each) => existsSync(each));
  if (path === undefined) throw new Error(`the guides need the program ${name}`);
  return path;
}

/** `KEY=…` says that the reader sets a variable; the test has set it. So does an address of somebody's server. */
function withoutPlaceholders(commands: string): string {
  return commands
    .replaceAll(/^((?:export )?)((?:[A-Z_]+=\S*[ \t]*)+)$/gm, (_, before: string, assignments: string) => {
      const own = assignments.split(/[ \t]+/).filter((each) => !/…|\.example\b/.test(each));
      return own.join('') === '' ? '' : `${before}${own.join(' ')}`;
    })
    .replaceAll(/^BASE=.*$/gm, 'BASE=http://127.0.0.1:8080');
}

const splitOnce = (text: string, by: string): [string, string] => [
  text.slice(0, text.indexOf(by)),
  text.slice(text.indexOf(by) + by.length),
];

function inherited(): Record<string, string> {
  const own = /^(?:CASEWRIGHT_|SFTP_|METRICS_|DATABASE_URL$|PORT$|HOST$|NODE_TEST_CONTEXT$|npm_)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || own.test(name) ? [] : [[name, value]],
    ),
  );
}

function bash(script: string, cwd: string, env: Record<string, string>): Promise<BlockResult> {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (texts.error += text));
  return new Promise((resolve) => {
    child.on('close', (code, signal) =>
      resolve({
        code: code ?? signal ?? 'gone',
        outputs: texts.out.split('\u001E').filter((output) => output.trim() !== ''),
        statuses: [...texts.error.matchAll(STATUS)].map(([, status]) => Number(status)),
        error: texts.error.replaceAll(STATUS, '').trim(),
      }),
    );
  });
}
