/**
 * The tree that the architecture checks look at, as plain text by path.
 *
 * Every check is a pure function of a `FileMap`, so that a test can plant a violation in four lines
 * instead of building a folder; only `readTree` touches the disk.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Text of each file by its path from the top of the repository, with forward slashes. Binary files have empty text. */
export type FileMap = ReadonlyMap<string, string>;

/** One thing that is not as the house wants it. `line` is 1 when the file as a whole is meant. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly expected: string;
}

/** Writes a problem as `file:line: what is wrong, what is expected`, which editors turn into a link. */
export function formatProblem(problem: Problem): string {
  const expected = problem.expected === '' ? '' : `, expected ${problem.expected}`;
  return `${problem.file}:${String(problem.line)}: ${problem.what}${expected}`;
}

/** Line number, from 1, of a character offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Reads what git tracks or would track; outside a git checkout, everything but installed packages and data. */
export function readTree(root: string): FileMap {
  const files = new Map<string, string>();
  for (const path of listFiles(root)) {
    const text = readText(join(root, path));
    if (text !== undefined) files.set(path, text);
  }
  return files;
}

function listFiles(root: string): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
    return [...new Set(listed.split('\0').filter((path) => path !== ''))].sort();
  } catch {
    // An unpacked archive has no git, and git refuses a folder of another owner: walk instead.
    return walk(root, '').sort();
  }
}

const FOLDERS_NOT_OURS = new Set(['node_modules', '.git', 'data', '.cache']);

function walk(root: string, folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!FOLDERS_NOT_OURS.has(entry.name)) found.push(...walk(root, path));
    } else if (entry.isFile() && !entry.name.endsWith('.log')) {
      found.push(path);
    }
  }
  return found;
}

/** Undefined when git lists a file that was deleted but not yet staged. */
function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.includes(0) ? '' : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
