/**
 * `npm run check`: types, lint, architecture, docs and dead code, each on one line with its time.
 *
 * `npm run check -- lint docs` runs the named parts alone. The exit code is 1 when anything was found.
 */
import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { checkArchitecture, checkDead, checkDocs } from './architecture/checks.ts';
import { type FileMap, type Problem, formatProblem, readTree } from './architecture/tree.ts';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

type Part = (files: () => FileMap) => Problem[] | Promise<Problem[]>;

const PARTS: Readonly<Record<string, Part>> = {
  types: checkTypes,
  lint: checkLint,
  architecture: (files) => checkArchitecture(files(), registryHosts()),
  docs: async (files) => [...checkDocs(files()), ...(await checkGenerated())],
  dead: (files) => checkDead(files()),
};

await main(process.argv.slice(2));

async function main(wanted: string[]): Promise<void> {
  const unknown = wanted.find((name) => PARTS[name] === undefined);
  if (unknown !== undefined) {
    console.error(`There is no part ${unknown}; known are ${Object.keys(PARTS).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  let tree: FileMap | undefined;
  const files = (): FileMap => (tree ??= readTree(ROOT));
  const names = wanted.length === 0 ? Object.keys(PARTS) : wanted;
  // The compiler and the linter are programs of their own: they run beside each other while this process does the rest.
  const running = names.map((name) => timed(name, PARTS[name] as Part, files));
  let found = 0;
  for (const report of await Promise.all(running)) {
    console.log(report.lines.join('\n'));
    found += report.found;
  }
  process.exitCode = found === 0 ? 0 : 1;
}

async function timed(name: string, part: Part, files: () => FileMap): Promise<{ lines: string[]; found: number }> {
  const start = performance.now();
  const problems = [...(await part(files))].sort((a, b) =>
    a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1,
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const verdict =
    problems.length === 0 ? 'ok' : `${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return {
    lines: [
      `${name.padEnd(12)} ${seconds.padStart(5)} s  ${verdict}`,
      ...problems.map((each) => `  ${formatProblem(each)}`),
    ],
    found: problems.length,
  };
}

/** Runs a program of an installed package under this same Node; what it prints is its answer, whatever its exit code. */
async function runTool(script: string, args: string[]): Promise<{ stdout: string; stderr: string; failed: boolean }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' as const };
    execFile(process.execPath, [join(ROOT, 'node_modules', script), ...args], options, (error, stdout, stderr) => {
      resolve({ stdout, stderr, failed: error !== null });
    });
  });
}

async function checkTypes(): Promise<Problem[]> {
  const { stdout, stderr, failed } = await runTool('typescript/lib/tsc.js', [
    '--noEmit',
    '--pretty',
    'false',
    '-p',
    'tsconfig.json',
  ]);
  const problems: Problem[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line);
    if (match !== null)
      problems.push({ file: match[1] ?? '', line: Number(match[2]), what: match[3] ?? '', expected: '' });
  }
  if (failed && problems.length === 0)
    problems.push({
      file: 'tsconfig.json',
      line: 1,
      what: `the compiler failed: ${stdout.trim()}${stderr.trim()}`,
      expected: '',
    });
  return problems;
}

/** The catalog of modules and the reference are what `npm run generate` would write. */
async function checkGenerated(): Promise<Problem[]> {
  const { stderr, failed } = await runTool('../tools/generate.ts', ['--check']);
  const problems = stderr.split('\n').flatMap((line) => {
    const match = /^((?:src|docs)\/\S+): (.*)$/.exec(line);
    return match === null ? [] : [{ file: match[1] ?? '', line: 1, what: match[2] ?? '', expected: '' }];
  });
  if (failed && problems.length === 0)
    problems.push({ file: 'tools/generate.ts', line: 1, what: `it failed: ${stderr.trim()}`, expected: '' });
  return problems;
}

interface LintedFile {
  readonly filePath: string;
  readonly messages: readonly { readonly line?: number; readonly message: string; readonly ruleId: string | null }[];
}

async function checkLint(): Promise<Problem[]> {
  const { stdout, stderr } = await runTool('eslint/bin/eslint.js', ['--format', 'json', '--no-warn-ignored', '.']);
  if (!stdout.startsWith('['))
    return [
      { file: 'eslint.config.js', line: 1, what: `the linter failed: ${stdout.trim()}${stderr.trim()}`, expected: '' },
    ];
  return (JSON.parse(stdout) as LintedFile[]).flatMap((file) =>
    file.messages.map((each) => ({
      file: relative(ROOT, file.filePath),
      line: each.line ?? 1,
      what: `${each.message.replace(/\.$/, '')} (${each.ruleId ?? 'eslint'})`,
      expected: '',
    })),
  );
}

/** npm tells its scripts which registry it uses; that host must not have crept into any file. */
function registryHosts(): string[] {
  const address = process.env['npm_config_registry'];
  return address !== undefined && URL.canParse(address) ? [new URL(address).host] : [];
}
