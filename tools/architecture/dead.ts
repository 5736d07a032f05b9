/**
 * Dead code: files that nothing imports, and exports that nothing imports.
 *
 * An import by a test counts, so that a rule can be tested before the operation that needs it exists. An exported type
 * that its own file uses stays: it names a part of that file's interface.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { isAreaCode, MODULE_PRIVATE_FOLDERS, modulePlace } from './operations.ts';
import { exportsOf, importsOf, literalText, resolveImport, sourcesUnder, walkNodes } from './source.ts';
import { ownerOf } from './table-owners.ts';
import type { FileMap, Problem } from './tree.ts';

/** The used exports of each file; `'*'` if a file is used as a whole. */
type Uses = Map<string, Set<string>>;

/** Checks every TypeScript file of src, tools and bench. */
export function checkDead(files: FileMap): Problem[] {
  const uses = usesOf(files);
  const entries = entryFiles(files);
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/', 'tools/', 'bench/')) {
    if (entries.has(path) || isFoundByPlace(path) || path.endsWith('.d.ts')) continue;
    const used = uses.get(path);
    if (used === undefined) {
      problems.push({ file: path, line: 1, what: 'nothing imports this file', expected: 'a use, or no file' });
      continue;
    }
    if (used.has('*')) continue;
    for (const each of exportsOf(source)) {
      if (used.has(each.name) || (each.isType && isUsedInside(source, each.name))) continue;
      problems.push({
        file: path,
        line: each.line,
        what: `nothing imports ${each.name}`,
        expected: 'no `export`, or nothing at all',
      });
    }
  }
  return problems;
}

function usesOf(files: FileMap): Uses {
  const uses: Uses = new Map();
  const add = (path: string, names: readonly string[] | '*'): void => {
    const known = uses.get(path) ?? new Set<string>();
    for (const name of names === '*' ? ['*'] : names) known.add(name);
    uses.set(path, known);
  };
  for (const { path, source } of sourcesUnder(files, 'src/', 'test/', 'tools/', 'bench/')) {
    for (const each of importsOf(source)) {
      const target = resolveImport(path, each.specifier);
      if (target !== undefined && target !== path) add(target, each.names);
    }
    // A path written as text starts a worker or a program.
    walkNodes(source, (node) => {
      // Inside `declare module './x.ts'` the exports of x are visible without an import.
      const augmented =
        ts.isModuleDeclaration(node) && ts.isStringLiteralLike(node.name)
          ? resolveImport(path, node.name.text)
          : undefined;
      if (augmented !== undefined) walkNodes(node, (inner) => ts.isIdentifier(inner) && add(augmented, [inner.text]));
      const text = ts.isStringLiteralLike(node) ? literalText(node) : undefined;
      if (text === undefined || !text.endsWith('.ts') || isSpecifier(node)) return;
      for (const target of [posix.normalize(text), posix.join(posix.dirname(path), text)]) {
        if (target !== path && files.has(target)) add(target, '*');
      }
    });
  }
  return uses;
}

function isSpecifier(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isLiteralTypeNode(parent) ||
    ts.isModuleDeclaration(parent)
  );
}

const SCRIPT_ENTRIES = 'src/surfaces/pages/assets/entries.ts';

/** Programs that package.json or another script starts, and the scripts with which the bundler starts. */
function entryFiles(files: FileMap): Set<string> {
  const starters = [...files].filter(([path]) => /(^|\/)package\.json$|\.(mjs|js|sh)$|^\.ci\//.test(path));
  const entries = new Set<string>();
  for (const [, text] of starters) {
    for (const match of text.matchAll(/[\w./-]+\.ts\b/g)) entries.add(posix.normalize(match[0]));
  }
  const [, names = ''] = /scriptEntries = \[([^\]]*)\]/.exec(files.get(SCRIPT_ENTRIES) ?? '') ?? [];
  for (const [, name] of names.matchAll(/'([\w-]+)'/g)) entries.add(`src/surfaces/pages/client/${name}.ts`);
  return entries;
}

/**
 * The files of a module, declarations about tables and benchmarks are found by their place; private folders of a
 * module are imported as usual.
 */
function isFoundByPlace(path: string): boolean {
  const [top, layer] = path.split('/');
  if (top === 'bench') return layer !== 'lib';
  if (path === `${ownerOf(path).folder}/tables.ts` || path === `${ownerOf(path).folder}/reads.ts`) return true;
  const place = modulePlace(path);
  if (place === undefined) return false;
  if (isAreaCode(place.folder)) return place.rest.join('/') === 'uses.ts';
  return place.rest.length === 1 || !(MODULE_PRIVATE_FOLDERS as readonly string[]).includes(place.rest[0] ?? '');
}

function isUsedInside(source: ts.SourceFile, name: string): boolean {
  let count = 0;
  walkNodes(source, (node) => {
    if (ts.isIdentifier(node) && node.text === name) count += 1;
  });
  return count > 1;
}
