/**
 * Where files may be. The rule of one guess: `/api/{module}/{operation}` is in
 * `src/modules/{area}/{module}/{operation}.ts`, and no two areas have a module of the same name.
 *
 * Names are lower case. Meaningless names (`util`, `manager`, …) are refused, because such files collect unrelated
 * code.
 */
import type ts from 'typescript';
import { declaredText, isAreaCode, modulePlace, operationFiles } from './operations.ts';
import { exportsOf, literalText, sourcesUnder, walkNodes } from './source.ts';
import { type FileMap, type Problem, lineAt } from './tree.ts';

const LAYERS = ['kernel', 'contracts', 'lib', 'modules', 'providers', 'surfaces', 'app'];
const EMPTY_NAMES = new Set(['common', 'util', 'utils', 'helper', 'helpers', 'manager', 'service']);
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(record|reactions|test|type-test|gen|d))?\.ts$/;
/** The files of an area as a whole. */
const AREA_FILES = ['reads.ts', 'tables.ts'];
const MODULE_FOLDER = /^[a-z][a-z0-9]*$/;

/** Checks names and places of all files, and that operation and record files declare what their name says. */
export function checkPlaces(files: FileMap): Problem[] {
  return [
    ...checkNames(files),
    ...checkFolders(files),
    ...checkAreas(files),
    ...checkOperations(files),
    ...checkRecords(files),
  ];
}

function checkNames(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const path of files.keys()) {
    if (!/^(src|test|tools|bench|db)\//.test(path)) continue;
    const segments = path.split('/');
    const empty = segments.find((segment) => segment.split(/[-._]/).some((word) => EMPTY_NAMES.has(word)));
    if (empty !== undefined) {
      problems.push({
        file: path,
        line: 1,
        what: `the name ${empty} says nothing`,
        expected: 'the noun or the route that the file is about',
      });
    }
    const name = segments.at(-1) ?? '';
    if (name.endsWith('.ts') && !FILE_NAME.test(name)) {
      problems.push({ file: path, line: 1, what: `the file name ${name}`, expected: 'lower case with hyphens' });
    }
  }
  return problems;
}

function checkFolders(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const contracts = new Set([...files.keys()].filter((path) => path.startsWith('src/contracts/')));
  for (const path of files.keys()) {
    const expected = path.startsWith('src/') ? properPlace(path, contracts) : undefined;
    if (expected !== undefined) problems.push({ file: path, line: 1, what: 'a file where none belongs', expected });
  }
  return problems;
}

/** Where a file of `src` should be, undefined when it is in a proper place. */
function properPlace(path: string, contracts: ReadonlySet<string>): string | undefined {
  const [, layer = '', folder = '', ...rest] = path.split('/');
  if (folder === '' || !LAYERS.includes(layer)) return `one of src/${LAYERS.join(', src/')}`;
  if (layer === 'modules') {
    return isInModule(folder, rest) ? undefined : 'src/modules/{area}/{module}/, lower case without hyphens';
  }
  if (layer !== 'providers') return undefined;
  if (rest.length === 0) return 'src/providers/{contract}/{name}';
  return contracts.has(`src/contracts/${folder}.ts`) ? undefined : `the contract src/contracts/${folder}.ts`;
}

/** Whether a file of an area is in a module or declares something of the area as a whole. */
function isInModule(area: string, [module = '', ...rest]: readonly string[]): boolean {
  if (!MODULE_FOLDER.test(area)) return false;
  return rest.length === 0 ? AREA_FILES.includes(module) : MODULE_FOLDER.test(module);
}

/** A module's name must identify its folder, so it may be in one area only. */
function checkAreas(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const areas = new Map<string, string>();
  for (const path of files.keys()) {
    const place = modulePlace(path);
    if (place === undefined || isAreaCode(place.folder)) continue;
    const known = areas.get(place.module);
    areas.set(place.module, known ?? place.area);
    if (known !== undefined && known !== place.area) {
      problems.push({
        file: path,
        line: 1,
        what: `the module ${place.module} is in the areas ${known} and ${place.area}`,
        expected: 'one area for each module',
      });
    }
  }
  return problems;
}

function checkOperations(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const operation of operationFiles(files)) {
    const report = (what: string, expected: string, at = 'operation'): void => {
      const offset = operation.text.indexOf(at);
      problems.push({ file: operation.path, line: lineAt(operation.text, Math.max(offset, 0)), what, expected });
    };
    const names = exportsOf(operation.source).map((each) => each.name);
    if (!names.includes('operation') || !names.includes('run')) {
      report('not an operation file', '`export const operation` and `export const run`; private code is in lib/');
      continue;
    }
    for (const name of names) {
      if (name !== 'operation' && name !== 'run')
        report(`the operation file exports ${name} too`, 'operation and run only', name);
    }
    const module = declaredText(operation, 'module');
    const name = declaredText(operation, 'name');
    if (module !== operation.module)
      report(`module is ${quoted(module)}`, `'${operation.module}', as the folder says`, 'module:');
    if (!answersAt(operation.route, name, declaredText(operation, 'path'))) {
      report(`name is ${quoted(name)}`, `'${operation.route}', as the file's path says`, 'name:');
    }
  }
  return problems;
}

/**
 * Whether the file's path below its module is the operation's name or, where it declares a `path`, the fixed segments
 * of that path, the last of them or the name at its end: `schedule/listen`, and `search/byid` for `search/{ID}`.
 */
function answersAt(file: string, name: string | undefined, path: string | undefined): boolean {
  const plain = name?.toLowerCase();
  if (plain === undefined) return false;
  if (path === undefined) return file === plain;
  const fixed = path
    .toLowerCase()
    .split('/')
    .filter((segment) => !segment.startsWith('{'));
  const end = plain.split('/').at(-1) ?? plain;
  return [plain, fixed.join('/'), [...fixed, end].join('/'), [...fixed.slice(0, -1), end].join('/')].includes(file);
}

function quoted(text: string | undefined): string {
  return text === undefined ? 'not a literal' : `'${text}'`;
}

function namesRecord(source: ts.SourceFile, record: string): boolean {
  const names = new Set<string | undefined>();
  walkNodes(source, (node) => names.add(literalText(node)?.toLowerCase()));
  return names.has(record);
}

function checkRecords(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/modules/', 'src/kernel/records/types/')) {
    const record = /^src\/(?:modules|kernel)\/[^/]+\/[^/]+\/([^/]+)\.record\.ts$/.exec(path)?.[1];
    if (record === undefined) continue;
    if (!namesRecord(source, record))
      problems.push({
        file: path,
        line: 1,
        what: `no record of the name ${record}`,
        expected: 'the file named like its record, in lower case',
      });
  }
  return problems;
}
