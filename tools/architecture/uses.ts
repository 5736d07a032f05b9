/**
 * What each module calls. `uses.ts` names the modules in its `ctx.call('module/operation', …)` literals, so that the
 * dependencies of a module are read in one line; circles between modules are refused.
 */
import ts from 'typescript';
import { circlesOf } from './circles.ts';
import { modulePlace } from './operations.ts';
import { bare, exportedValue, lineOf, literalText, sourcesUnder, walkNodes } from './source.ts';
import type { FileMap, Problem } from './tree.ts';

interface Call {
  readonly module: string;
  readonly file: string;
  readonly line: number;
}

interface Declared {
  readonly file: string;
  readonly line: number;
  readonly modules: readonly string[];
}

/** Compares each module's `uses.ts` with its calls and looks for circles. */
export function checkUses(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const homes = homesOfModules(files);
  const calls = callsByFolder(files, problems);
  const declared = declaredByFolder(files, problems);
  const graph = new Map<string, Set<string>>();
  for (const folder of new Set([...calls.keys(), ...declared.keys()])) {
    const made = (calls.get(folder) ?? []).filter((call) => home(homes, call.module) !== folder);
    compare(folderOf(files, folder), made, declared.get(folder), problems);
    graph.set(folder, new Set(made.map((call) => home(homes, call.module))));
  }
  for (const circle of circlesOf(graph)) {
    const [first = ''] = circle;
    const file = declared.get(first)?.file ?? `${folderOf(files, first)}/uses.ts`;
    problems.push({
      file,
      line: declared.get(first)?.line ?? 1,
      what: `modules call in a circle: ${[...circle, first].join(' → ')}`,
      expected: 'one direction; a reaction or a queued call turns one around',
    });
  }
  return problems;
}

/** A module's folder: its own, or the one in which its record is declared. */
function homesOfModules(files: FileMap): Map<string, string> {
  const homes = new Map<string, string>();
  for (const path of files.keys()) {
    const place = modulePlace(path);
    if (place === undefined) continue;
    homes.set(place.module, place.module);
    const record = /^([^/]+)\.record\.ts$/.exec(place.rest.join('/'))?.[1];
    if (record !== undefined && !homes.has(record)) homes.set(record, place.module);
  }
  return homes;
}

function folderOf(files: FileMap, module: string): string {
  const path = [...files.keys()].find((each) => modulePlace(each)?.module === module) ?? '';
  return modulePlace(path)?.folder ?? `src/modules/${module}`;
}

function home(homes: Map<string, string>, module: string): string {
  return homes.get(module) ?? module;
}

function callsByFolder(files: FileMap, problems: Problem[]): Map<string, Call[]> {
  const calls = new Map<string, Call[]>();
  for (const { path, source } of sourcesUnder(files, 'src/modules/')) {
    const folder = modulePlace(path)?.module ?? '';
    walkNodes(source, (node) => {
      if (!ts.isCallExpression(node) || !isDoorCall(node.expression)) return;
      const target = literalText(node.arguments[0]);
      const line = lineOf(source, node);
      if (target !== undefined && /^[a-z0-9]+\/[a-z0-9/]+$/.test(target)) {
        calls.set(folder, [...(calls.get(folder) ?? []), { module: target.split('/')[0] ?? '', file: path, line }]);
      } else {
        problems.push({
          file: path,
          line,
          what: 'ctx.call without a literal target',
          expected: "'module/operation' in lower case; what configuration names goes by signature",
        });
      }
    });
  }
  return calls;
}

/** `ctx.call(…)`, whatever the context is called that ends in `ctx`. */
function isDoorCall(callee: ts.Expression): boolean {
  return (
    ts.isPropertyAccessExpression(callee) &&
    callee.name.text === 'call' &&
    /(^|\.)\w*ctx$/i.test(callee.expression.getText())
  );
}

function declaredByFolder(files: FileMap, problems: Problem[]): Map<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const { path, source } of sourcesUnder(files, 'src/modules/')) {
    const place = modulePlace(path);
    if (place?.rest.join('/') !== 'uses.ts') continue;
    const folder = place.module;
    const value = exportedValue(source, 'uses');
    if (value === undefined || !ts.isArrayLiteralExpression(value)) {
      problems.push({
        file: path,
        line: 1,
        what: 'no list of modules',
        expected: "`export const uses = ['message'] as const`",
      });
      continue;
    }
    const modules = value.elements.map((each) => literalText(bare(each)) ?? '');
    declared.set(folder, { file: path, line: lineOf(source, value), modules });
  }
  return declared;
}

function compare(folder: string, made: Call[], declared: Declared | undefined, problems: Problem[]): void {
  const listed = new Set(declared?.modules ?? []);
  const reported = new Set<string>();
  for (const call of made) {
    if (listed.has(call.module) || reported.has(call.module)) continue;
    reported.add(call.module);
    problems.push({
      file: call.file,
      line: call.line,
      what: `calls the module ${call.module}`,
      expected: `'${call.module}' in ${folder}/uses.ts`,
    });
  }
  if (declared === undefined) return;
  const called = new Set(made.map((call) => call.module));
  for (const module of declared.modules) {
    if (!called.has(module))
      problems.push({
        file: declared.file,
        line: declared.line,
        what: `lists '${module}', which the module does not call`,
        expected: 'exactly the modules that are called',
      });
  }
}
