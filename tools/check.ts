/**
 * `npm run check`: types, lint, format, architecture, docs and dead code, each on one line with its time.
 *
 * `npm run check -- lint docs` runs the named parts alone. The exit code is 1 when anything was found.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { checkArchitecture, checkDead, checkDocs } from './architecture/checks.ts';
import { type FileMap, type Problem, formatProblem, readTree } from './architecture/tree.ts';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Keeps Go's garbage collector from running in the type-aware linter, which has 2.9 GB in use without it and 2.6 GB
 * with it. Collecting took a third of its processor time.
 */
const LINTER_MEMORY = { GOGC: 'off', GOMEMLIMIT: '4GiB' };

/**
 * What Oxlint prints with `--format json`. An error of the compiler has a code like `typescript(TS2304)`; a comment
 * that switches off nothing has none.
 */
interface LintReport {
  readonly diagnostics: readonly {
    readonly message: string;
    readonly code?: string;
    readonly filename: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

type Part = (files: () => FileMap) => readonly Problem[] | Promise<readonly Problem[]>;

const PARTS: Readonly<Record<string, Part>> = {
  types: async () => (await typedProblems()).types,
  lint: async () => (await typedProblems()).lint,
  format: checkFormat,
  architecture: (files) => checkArchitecture(files(), registryHosts()),
  docs: async (files) => [...checkDocs(files()), ...(await checkGenerated())],
  dead: (files) => checkDead(files()),
};

/** The requested parts; all by default. */
const requested = process.argv.slice(2);
let typed: Promise<{ types: Problem[]; lint: Problem[] }> | undefined;

await main();

async function main(): Promise<void> {
  const unknown = requested.find((name) => PARTS[name] === undefined);
  if (unknown !== undefined) {
    console.error(`There is no part ${unknown}; known are ${Object.keys(PARTS).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  let tree: FileMap | undefined;
  const files = (): FileMap => (tree ??= readTree(ROOT));
  const names = requested.length === 0 ? Object.keys(PARTS) : requested;
  // The linter with the compiler, and the formatter, run in separate processes; this one does the rest.
  const running = names.map((name) => timed(name, PARTS[name] as Part, files));
  let found = 0;
  for (const report of await Promise.all(running)) {
    console.log(report.lines.join('\n'));
    found += report.found;
  }
  process.exitCode = found === 0 ? 0 : 1;
}

function byPlace(a: Problem, b: Problem): number {
  if (a.file === b.file) return a.line - b.line;
  return a.file < b.file ? -1 : 1;
}

async function timed(name: string, part: Part, files: () => FileMap): Promise<{ lines: string[]; found: number }> {
  const start = performance.now();
  const problems = [...(await part(files))].sort(byPlace);
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

/**
 * Runs a program of an installed package with this Node. Returns its output, whatever its exit code.
 */
async function runTool(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string; failed: boolean }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    const options = { cwd: ROOT, env, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' as const };
    const parameters = [join(ROOT, 'node_modules', script), ...args];
    execFile(process.execPath, parameters, options, (error, stdout, stderr) => {
      resolve({ stdout, stderr, failed: error !== null });
    });
  });
}

/** What the compiler and the linter find. One run of Oxlint does both, with the same types. */
function typedProblems(): Promise<{ types: Problem[]; lint: Problem[] }> {
  return (typed ??= runTool('oxlint/bin/oxlint', ['--format', 'json', '.'], LINTER_MEMORY).then(
    ({ stdout, stderr }) => {
      const failed = (): { types: Problem[]; lint: Problem[] } => {
        const problem = {
          file: '.oxlintrc.json',
          line: 1,
          what: `the linter failed: ${stdout}${stderr}`,
          expected: '',
        };
        return { types: [problem], lint: [problem] };
      };
      let report: LintReport;
      try {
        report = JSON.parse(stdout) as LintReport;
      } catch {
        return failed();
      }
      const found = report.diagnostics.map(({ message, code = 'unused directive', filename, labels }) => ({
        isType: code.startsWith('typescript(TS'),
        file: filename,
        line: labels[0]?.span.line ?? 1,
        what: `${message.replace(/\.$/, '')} (${code})`,
        expected: '',
      }));
      return { types: found.filter(({ isType }) => isType), lint: found.filter(({ isType }) => !isType) };
    },
  ));
}

/** Files that `npm run format` would change. */
async function checkFormat(): Promise<Problem[]> {
  const { stdout, stderr, failed } = await runTool('oxfmt/bin/oxfmt', ['--list-different', '.']);
  const problems = stdout.split('\n').flatMap((file) => {
    const what = 'is not formatted; run npm run format';
    return file === '' ? [] : [{ file, line: 1, what, expected: '' }];
  });
  if (failed && problems.length === 0)
    problems.push({ file: '.oxfmtrc.json', line: 1, what: `the formatter failed: ${stderr.trim()}`, expected: '' });
  return problems;
}

/** Checks that the catalog of modules and the reference equal the output of `npm run generate`. */
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

/** Returns the hosts of npm's registries, which npm passes to its scripts; no file may contain them. */
function registryHosts(): string[] {
  const address = process.env['npm_config_registry'];
  return address !== undefined && URL.canParse(address) ? [new URL(address).host] : [];
}
