/**
 * Checks that documents match the tree: folders, environment variables, scripts and links that they name exist, and
 * those that exist are named.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf, propertyName, sourcesUnder, walkNodes } from './source.ts';
import { type FileMap, type Problem, lineAt } from './tree.ts';

const ARCHITECTURE = 'docs/internals/architecture.md';
const ENVIRONMENT_DOCUMENTS = [
  'README.md',
  'docs/guides/operators/installation.md',
  'docs/guides/operators/data.md',
  'docs/guides/operators/running.md',
];
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Documents whose claims are proved by the files that they name. */
const DOCUMENTS_WITH_PATHS = /^docs\/(?:internals|security)\/.*\.md$/;

/** Checks folders, environment variables, npm scripts, relative links, and paths in backticks. */
export function checkDocs(files: FileMap): Problem[] {
  return [
    ...checkFolders(files),
    ...checkEnvironment(files),
    ...checkScripts(files),
    ...checkLinks(files),
    ...checkPaths(files),
  ];
}

interface Mention {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

function mentions(files: FileMap, paths: readonly string[], pattern: RegExp): Mention[] {
  return paths.flatMap((file) => {
    const text = files.get(file) ?? '';
    return [...text.matchAll(pattern)].map((match) => ({
      name: match[1] ?? '',
      file,
      line: lineAt(text, match.index),
    }));
  });
}

/** ARCHITECTURE.md has one line per folder, the folder's path in backticks with a slash at its end. */
function checkFolders(files: FileMap): Problem[] {
  if (!files.has(ARCHITECTURE))
    return [{ file: ARCHITECTURE, line: 1, what: 'the document is missing', expected: 'one line per folder' }];
  const paths = [...files.keys()];
  const named = mentions(
    files,
    [ARCHITECTURE],
    /`((?:src|db|test|tools|bench|docs|samples|runtime)\/(?:[\w.-]+\/)*)`/g,
  );
  const problems: Problem[] = [];
  for (const folder of named) {
    if (!paths.some((path) => path.startsWith(folder.name))) {
      problems.push({
        file: folder.file,
        line: folder.line,
        what: `the folder ${folder.name} does not exist`,
        expected: 'folders that do',
      });
    }
  }
  const existing = new Set(
    paths.filter((path) => /^src\/[^/]+\//.test(path)).map((path) => `${path.split('/').slice(0, 2).join('/')}/`),
  );
  for (const folder of existing) {
    if (!named.some((each) => each.name === folder)) {
      problems.push({
        file: ARCHITECTURE,
        line: 1,
        what: `the folder ${folder} is not described`,
        expected: `a line with \`${folder}\``,
      });
    }
  }
  return problems;
}

/** A variable is documented in the first column of a table of ENVIRONMENT_DOCUMENTS, and read only in src/app. */
function checkEnvironment(files: FileMap): Problem[] {
  const read = variablesRead(files);
  if (read.length === 0) return [];
  const documented = mentions(files, ENVIRONMENT_DOCUMENTS, /^\|\s*`([A-Z][A-Z0-9_]+)`\s*\|/gm);
  const problems: Problem[] = [];
  for (const variable of uniqueByName(read)) {
    if (documented.some((each) => each.name === variable.name)) continue;
    problems.push({
      file: variable.file,
      line: variable.line,
      what: `${variable.name} is read but not documented`,
      expected: `a row in ${ENVIRONMENT_DOCUMENTS.join(' or ')}`,
    });
  }
  for (const variable of uniqueByName(documented)) {
    if (read.some((each) => each.name === variable.name)) continue;
    problems.push({
      file: variable.file,
      line: variable.line,
      what: `${variable.name} is documented but not read in src/app`,
      expected: 'variables that have an effect',
    });
  }
  return problems;
}

/**
 * `process.env.X`, `env.X`, `env['X']`, `environment.X`, texts that can only be the name of a variable of ours, and the
 * keys of a table of variables in a file `environment.ts`.
 */
function variablesRead(files: FileMap): Mention[] {
  const found: Mention[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/app/')) {
    walkNodes(source, (node) => {
      const name = variableName(node) ?? (path.endsWith('/environment.ts') ? tableKey(node) : undefined);
      if (name !== undefined) found.push({ name, file: path, line: lineOf(source, node) });
    });
  }
  return found;
}

function variableName(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node))
    return /^(CASEWRIGHT_[A-Z0-9_]*[A-Z0-9]|DATABASE_URL|PORT|HOST)$/.exec(node.text)?.[1];
  const isAccess = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  if (!isAccess || !/(^|\.)(env|environment)$/.test(node.expression.getText())) return undefined;
  const key = ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
  return (ts.isIdentifier(key) || ts.isStringLiteralLike(key)) && VARIABLE.test(key.text) ? key.text : undefined;
}

function tableKey(node: ts.Node): string | undefined {
  const name = ts.isPropertyAssignment(node) ? propertyName(node.name) : undefined;
  return name !== undefined && VARIABLE.test(name) ? name : undefined;
}

function uniqueByName(all: Mention[]): Mention[] {
  return all.filter((each, at) => all.findIndex((other) => other.name === each.name) === at);
}

function checkScripts(files: FileMap): Problem[] {
  const manifest = files.get('package.json');
  if (manifest === undefined) return [];
  const { scripts = {} } = JSON.parse(manifest) as { scripts?: Record<string, string> };
  const documents = markdownFiles(files);
  const named = mentions(files, documents, /\bnpm (?:run )?((?<=run )[a-z][\w:-]*|start|test)\b/g);
  const problems: Problem[] = [];
  for (const script of Object.keys(scripts)) {
    if (named.some((each) => each.name === script)) continue;
    problems.push({
      file: 'package.json',
      line: lineAt(manifest, manifest.indexOf(`"${script}"`)),
      what: `the script ${script} is not documented`,
      expected: `\`npm ${/^(start|test)$/.test(script) ? '' : 'run '}${script}\` in README, CONTRIBUTING or docs`,
    });
  }
  for (const each of named) {
    if (scripts[each.name] === undefined)
      problems.push({
        file: each.file,
        line: each.line,
        what: `there is no script ${each.name}`,
        expected: 'a script of package.json',
      });
  }
  return problems;
}

/** A control or a test that a document names exists. Folders of the architecture have a check of their own. */
function checkPaths(files: FileMap): Problem[] {
  const documents = markdownFiles(files).filter((path) => DOCUMENTS_WITH_PATHS.test(path) && path !== ARCHITECTURE);
  const named = mentions(files, documents, /`((?:src|test|tools|db|docs|bench|samples)\/[\w./-]+)`/g);
  const paths = [...files.keys()];
  const exists = (name: string): boolean =>
    files.has(name) || paths.some((path) => path.startsWith(name.replace(/\/?$/, '/')));
  return named
    .filter(({ name }) => !exists(name))
    .map(({ name, file, line }) => ({
      file,
      line,
      what: `${name} does not exist`,
      expected: 'a file or folder of the repository',
    }));
}

function markdownFiles(files: FileMap): string[] {
  return [...files.keys()].filter((path) => path.endsWith('.md'));
}

function checkLinks(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const folders = new Set([...files.keys()].map((path) => posix.dirname(path)));
  for (const link of mentions(files, markdownFiles(files), /\]\((?![a-z]+:|#)([^)\s#]+)(?:#[^)]*)?\)/g)) {
    const target = posix.normalize(posix.join(posix.dirname(link.file), link.name)).replace(/\/$/, '');
    if (!files.has(target) && !folders.has(target)) {
      problems.push({
        file: link.file,
        line: link.line,
        what: `the link to ${link.name} leads nowhere`,
        expected: 'a file of the repository',
      });
    }
  }
  return problems;
}
