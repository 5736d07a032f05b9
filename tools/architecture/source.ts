/**
 * TypeScript files read as syntax trees: what a file imports, exports and calls.
 *
 * Plain parsing without types: 300 files take about half a second, a type-checked program four.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import type { FileMap } from './tree.ts';

/** `names` is `'*'` when the whole file is taken: a namespace, a dynamic import, a worker's address, a bare import. */
export interface Import {
  readonly specifier: string;
  readonly names: readonly string[] | '*';
  readonly line: number;
}

/** One exported name; `isType` for what exists only to the type checker. */
export interface Export {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
  readonly node: ts.Node;
  /** `export { x } from`: taken from another file, documented there. */
  readonly again: boolean;
}

const parsed = new Map<string, { text: string; source: ts.SourceFile }>();

/** Parses a file once per text; the checks share the tree. */
function parse(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known.source;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  parsed.set(path, { text, source });
  return source;
}

/** The TypeScript files under a folder (`'src/'`), parsed. */
export function sourcesUnder(
  files: FileMap,
  ...folders: string[]
): { path: string; text: string; source: ts.SourceFile }[] {
  const found = [];
  for (const [path, text] of files) {
    if (path.endsWith('.ts') && folders.some((folder) => path.startsWith(folder))) {
      found.push({ path, text, source: parse(path, text) });
    }
  }
  return found;
}

/** Line, from 1, on which a node begins (its comments not counted). */
export function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

/** Calls `visit` for a node and everything below it. */
export function walkNodes(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => {
    walkNodes(child, visit);
  });
}

/** Returns the text of a string literal, of a template without holes, or of several of these joined by `+`. */
export function literalText(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [literalText(node.left), literalText(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Everything that a file takes from elsewhere: static, dynamic, in types, and `new URL('…', import.meta.url)`. */
export function importsOf(source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  walkNodes(source, (node) => {
    const specifier = literalText(specifierOf(node));
    if (specifier !== undefined) found.push({ specifier, names: namesOf(node), line: lineOf(source, node) });
  });
  return found;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (ts.isModuleDeclaration(node)) return ts.isStringLiteral(node.name) ? node.name : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  if (
    ts.isNewExpression(node) &&
    node.expression.getText() === 'URL' &&
    node.arguments?.[1]?.getText() === 'import.meta.url'
  ) {
    return node.arguments[0];
  }
  return undefined;
}

function namesOf(node: ts.Node): readonly string[] | '*' {
  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause;
    if (clause === undefined) return '*';
    const names = clause.name === undefined ? [] : ['default'];
    if (clause.namedBindings === undefined) return names;
    if (ts.isNamespaceImport(clause.namedBindings)) return '*';
    return [...names, ...clause.namedBindings.elements.map((each) => (each.propertyName ?? each.name).text)];
  }
  if (ts.isExportDeclaration(node) && node.exportClause !== undefined && ts.isNamedExports(node.exportClause)) {
    return node.exportClause.elements.map((each) => (each.propertyName ?? each.name).text);
  }
  if (ts.isImportTypeNode(node) && node.qualifier !== undefined) return [node.qualifier.getText().split('.')[0] ?? ''];
  // An augmentation adds to a file and uses nothing of it.
  return ts.isModuleDeclaration(node) ? [] : '*';
}

/** The path of the repository that a relative specifier means; undefined for packages and built-ins. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined;
}

/** The names that a file exports. */
export function exportsOf(source: ts.SourceFile): Export[] {
  const found: Export[] = [];
  const add = (name: string, node: ts.Node, isType: boolean, again = false): void => {
    found.push({ name, node, isType, again, line: lineOf(source, node) });
  };
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      if (clause !== undefined && ts.isNamedExports(clause)) {
        const again = statement.moduleSpecifier !== undefined;
        for (const each of clause.elements) add(each.name.text, each, statement.isTypeOnly || each.isTypeOnly, again);
      }
    } else if (ts.isExportAssignment(statement)) {
      add('default', statement, false);
    } else if (isExported(statement)) {
      for (const name of declaredNames(statement)) add(name, statement, isTypeDeclaration(statement));
    }
  }
  return found;
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)
  );
}

function isTypeDeclaration(statement: ts.Statement): boolean {
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((each) => boundNames(each.name));
  }
  if (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  ) {
    const isDefault = (ts.getModifiers(statement) ?? []).some((each) => each.kind === ts.SyntaxKind.DefaultKeyword);
    return [isDefault ? 'default' : (statement.name?.text ?? 'default')];
  }
  return [];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) => (ts.isOmittedExpression(each) ? [] : boundNames(each.name)));
}

/** The value of an exported const: `export const name = value`, with `as const` and `satisfies` taken off. */
export function exportedValue(source: ts.SourceFile, name: string): ts.Expression | undefined {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || !isExported(statement)) continue;
    for (const each of statement.declarationList.declarations) {
      if (ts.isIdentifier(each.name) && each.name.text === name && each.initializer) return bare(each.initializer);
    }
  }
  return undefined;
}

/** An expression without its assertions and brackets. */
export function bare(expression: ts.Expression): ts.Expression {
  if (
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isParenthesizedExpression(expression)
  ) {
    return bare(expression.expression);
  }
  return expression;
}

/** The value of a property written `name: value` in an object literal. */
export function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (ts.isPropertyAssignment(property) && propertyName(property.name) === name) return bare(property.initializer);
  }
  return undefined;
}

/** The plain name of a property, undefined when it is computed. */
export function propertyName(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name) ? name.text : undefined;
}
