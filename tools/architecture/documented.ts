/**
 * What must be documented in the code itself: exported things of the kernel and the contracts, operations, settings,
 * reactions, error codes. And a rule that is switched off gives its reason.
 */
import ts from 'typescript';
import { declaredText, operationFiles } from './operations.ts';
import {
  bare,
  exportedValue,
  exportsOf,
  lineOf,
  literalText,
  propertyName,
  propertyOf,
  sourcesUnder,
  walkNodes,
} from './source.ts';
import { type FileMap, type Problem, lineAt } from './tree.ts';

/** The table of error codes: code → `{ status, text }`. */
const ERROR_TABLE = { file: 'src/kernel/door/errors.ts', name: 'errorTable' };

/** Checks all of the above; skips what does not exist yet. */
export function checkDocumented(files: FileMap): Problem[] {
  return [
    ...checkExports(files),
    ...checkOperations(files),
    ...checkDataFiles(files, 'settings'),
    ...checkDataFiles(files, 'reactions'),
    ...checkErrorTexts(files),
    ...checkReasons(files),
  ];
}

function checkExports(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/kernel/', 'src/contracts/')) {
    if (path.includes('.gen.')) continue;
    // One comment serves the overloads of a function, and a type that bears the name of its value.
    const documented = new Set(
      exportsOf(source)
        .filter((each) => hasDocComment(source, each.node))
        .map((each) => each.name),
    );
    for (const each of exportsOf(source)) {
      if (each.again || documented.has(each.name)) continue;
      documented.add(each.name);
      problems.push({
        file: path,
        line: each.line,
        what: `the export ${each.name} has no documentation`,
        expected: 'a `/** … */` comment that says what it is for',
      });
    }
  }
  return problems;
}

function hasDocComment(source: ts.SourceFile, node: ts.Node): boolean {
  // `export { name }` is documented where the name is declared.
  if (ts.isExportSpecifier(node)) return true;
  const ranges = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
  return ranges.some((range) => {
    const comment = source.text.slice(range.pos, range.end);
    return comment.startsWith('/**') && /[a-z]{2}/i.test(comment) && !/^\/\*\*\s*size:/.test(comment);
  });
}

function checkOperations(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const operation of operationFiles(files)) {
    if (operation.declaration === undefined) continue;
    if (isEmpty(declaredText(operation, 'summary'))) {
      problems.push({
        file: operation.path,
        line: lineOf(operation.source, operation.declaration),
        what: 'the operation has no summary',
        expected: '`summary`, one sentence that says what it does',
      });
    }
  }
  return problems;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/**
 * In a data file (`settings.ts`, `core-settings.ts`) each field `f.kind({ … })` and each entry with a `default` or an
 * `on` has a `doc`.
 */
function checkDataFiles(files: FileMap, kind: 'settings' | 'reactions'): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/')) {
    if (!path.endsWith(`/${kind}.ts`) && !path.endsWith(`-${kind}.ts`)) continue;
    walkNodes(source, (node) => {
      if (!ts.isObjectLiteralExpression(node) || !isEntry(node, kind)) return;
      const doc = propertyOf(node, 'doc');
      if (doc !== undefined && literalText(doc)?.trim() !== '') return;
      problems.push({
        file: path,
        line: lineOf(source, node),
        what: `an entry of ${kind} has no documentation`,
        expected: '`doc`, one sentence for the reference',
      });
    });
  }
  return problems;
}

function isEntry(object: ts.ObjectLiteralExpression, kind: 'settings' | 'reactions'): boolean {
  if (kind === 'reactions') return propertyOf(object, 'on') !== undefined;
  const call = object.parent;
  const isField =
    ts.isCallExpression(call) &&
    ts.isPropertyAccessExpression(call.expression) &&
    call.expression.expression.getText() === 'f';
  return isField || propertyOf(object, 'default') !== undefined;
}

function checkErrorTexts(files: FileMap): Problem[] {
  const file = ERROR_TABLE.file;
  const [found] = sourcesUnder(files, file);
  if (found === undefined) return [];
  const table = exportedValue(found.source, ERROR_TABLE.name);
  if (table === undefined || !ts.isObjectLiteralExpression(table)) {
    return [
      { file, line: 1, what: `no table ${ERROR_TABLE.name}`, expected: 'an object literal, code → { status, text }' },
    ];
  }
  const problems: Problem[] = [];
  for (const property of table.properties) {
    const value = ts.isPropertyAssignment(property) ? bare(property.initializer) : undefined;
    const code = property.name === undefined ? undefined : propertyName(property.name);
    const text =
      value !== undefined && ts.isObjectLiteralExpression(value) ? literalText(propertyOf(value, 'text')) : undefined;
    if (isEmpty(text)) {
      problems.push({
        file,
        line: lineOf(found.source, property),
        what: `the error ${code ?? 'entry'} has no text`,
        expected: '`text`, one sentence that the caller can act on',
      });
    }
  }
  return problems;
}

/** A lint rule or a type error is switched off with a written reason, or not at all. */
function checkReasons(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const [path, text] of files) {
    if (!/\.(ts|mjs|js)$/.test(path)) continue;
    for (const match of text.matchAll(/(?:\/\/|\/\*)\s*(?:eslint|oxlint)-disable[^\n]*/g)) {
      if (!/ -- \S.{7,}/.test(match[0])) {
        problems.push({
          file: path,
          line: lineAt(text, match.index),
          what: 'a lint rule switched off without a reason',
          expected: '` -- <reason>` after the name of the rule',
        });
      }
    }
  }
  return problems;
}
