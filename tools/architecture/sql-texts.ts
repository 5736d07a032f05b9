/**
 * The SQL texts of a TypeScript file: literals, templates and concatenations, with constants put in.
 *
 * What the syntax alone does not tell is a hole: `${columns}`, `${fromOf(record)}`.
 */
import ts from 'typescript';
import { bare, exportedValue, lineOf, literalText, propertyOf, resolveImport, walkNodes } from './source.ts';

/** An unknown part of a text. */
export interface Hole {
  /** The texts that it can be, as far as they are known: the branches of a condition, the members of a constant. */
  readonly choices: readonly string[];
  /** The expression in its place. */
  readonly code: string;
}

/** Texts and holes in the order of the file. */
export type Pieces = readonly (string | Hole)[];

/** One text of a file. */
export interface Text {
  readonly line: number;
  readonly pieces: Pieces;
}

/** Returns a file of the tree by its path. */
export type SourceLookup = (path: string) => ts.SourceFile | undefined;

interface Scope {
  readonly path: string;
  readonly source: ts.SourceFile;
  readonly lookup: SourceLookup;
  /** How many constants were followed to get here. */
  readonly depth: number;
}

const DEPTH_MAX = 8;

/** All texts of a file. A literal in a hole of another text is a text of its own. */
export function textsOf(path: string, source: ts.SourceFile, lookup: SourceLookup): Text[] {
  const scope = { path, source, lookup, depth: 0 };
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (!isText(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    found.push({ line: lineOf(source, node), pieces: piecesOf(node, scope) ?? [] });
    for (const inner of innerExpressions(node)) visit(inner);
  };
  visit(source);
  return found;
}

/** Whether a node is a text: a literal, a template, or a concatenation or joined list with one. */
function isText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  if (isConcatenation(node)) return isText(node.left) || isText(node.right);
  return joinedList(node) !== undefined;
}

function isConcatenation(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** The expressions of a text that are not text themselves. */
function innerExpressions(node: ts.Node): readonly ts.Node[] {
  if (ts.isTemplateExpression(node)) return node.templateSpans.map((span) => span.expression);
  if (isConcatenation(node)) {
    return [node.left, node.right].flatMap((side) => (isText(side) ? innerExpressions(side) : [side]));
  }
  return joinedList(node)?.elements.flatMap((each) => (isText(each) ? innerExpressions(each) : [each])) ?? [];
}

/** The list of `['…', '…'].join(…)` that contains a text. */
function joinedList(node: ts.Node): ts.ArrayLiteralExpression | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  const list = bare(expression);
  return name.text === 'join' && ts.isArrayLiteralExpression(list) && list.elements.some(isText) ? list : undefined;
}

/** The pieces of an expression; undefined if nothing is known about it. */
function piecesOf(expression: ts.Node, scope: Scope): Pieces | undefined {
  const node = ts.isExpression(expression) ? bare(expression) : expression;
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap((span) => [...orHole(span.expression, scope), span.literal.text]);
    return [node.head.text, ...spans];
  }
  if (isConcatenation(node)) return [...orHole(node.left, scope), ...orHole(node.right, scope)];
  if (ts.isConditionalExpression(node)) return choice([node.whenTrue, node.whenFalse], node, scope);
  if (ts.isCallExpression(node)) return callPieces(node, scope);
  return scope.depth > DEPTH_MAX ? undefined : namedPieces(node, scope);
}

function orHole(node: ts.Expression, scope: Scope): Pieces {
  return piecesOf(node, scope) ?? [{ choices: [], code: node.getText() }];
}

function choice(nodes: readonly ts.Expression[], at: ts.Node, scope: Scope): Pieces {
  const choices = nodes.flatMap((each) => {
    const pieces = piecesOf(each, scope);
    return pieces?.every((piece) => typeof piece === 'string') ? [pieces.join('')] : [];
  });
  return [{ choices, code: at.getText() }];
}

/** A joined list, or `fromOf(record)` of a record type known by name. */
function callPieces(node: ts.CallExpression, scope: Scope): Pieces | undefined {
  const list = joinedList(node);
  if (list !== undefined) {
    const separator = node.arguments[0];
    const between = separator === undefined ? [','] : orHole(separator, scope);
    return list.elements.flatMap((each, n) => [...(n === 0 ? [] : between), ...orHole(each, scope)]);
  }
  const [argument] = node.arguments;
  const table =
    node.expression.getText() === 'fromOf' && argument !== undefined ? recordTable(argument, scope) : undefined;
  return table === undefined ? undefined : [table];
}

/** What a name or a member of a name is: a constant, or the table of a record type. */
function namedPieces(node: ts.Node, scope: Scope): Pieces | undefined {
  if (ts.isIdentifier(node)) {
    const found = constantOf(node, scope);
    return found === undefined ? undefined : piecesOf(found.value, found.scope);
  }
  if (ts.isPropertyAccessExpression(node)) {
    const table = node.name.text === 'table' ? recordTable(node.expression, scope) : undefined;
    return table === undefined ? memberPieces(node.expression, node.name.text, scope) : [table];
  }
  if (!ts.isElementAccessExpression(node)) return undefined;
  const object = objectOf(node.expression, scope);
  if (object === undefined) return undefined;
  const values = object.value.properties.flatMap((each) => (ts.isPropertyAssignment(each) ? [each.initializer] : []));
  return choice(values, node, object.scope);
}

function memberPieces(object: ts.Expression, name: string, scope: Scope): Pieces | undefined {
  const found = objectOf(object, scope);
  const value = found === undefined ? undefined : propertyOf(found.value, name);
  return found === undefined || value === undefined ? undefined : piecesOf(value, found.scope);
}

interface Constant<T extends ts.Expression = ts.Expression> {
  readonly value: T;
  readonly scope: Scope;
}

function objectOf(node: ts.Expression, scope: Scope): Constant<ts.ObjectLiteralExpression> | undefined {
  const found = ts.isIdentifier(node) ? constantOf(node, scope) : undefined;
  return found !== undefined && ts.isObjectLiteralExpression(found.value)
    ? { ...found, value: found.value }
    : undefined;
}

/** The value of a constant: of an enclosing block, of the file, or of the file that it is imported from. */
function constantOf(name: ts.Identifier, scope: Scope): Constant | undefined {
  for (let at: ts.Node = name.parent; ; at = at.parent) {
    if (ts.isFunctionLike(at) && at.parameters.some((each) => bindsName(each.name, name.text))) return undefined;
    if (ts.isBlock(at) || ts.isSourceFile(at)) {
      const declared = declaredIn(at, name.text);
      if (declared === 'unknown') return undefined;
      if (declared !== undefined) return { value: bare(declared), scope: { ...scope, depth: scope.depth + 1 } };
    }
    if (ts.isSourceFile(at)) return importedConstant(name.text, scope);
  }
}

/** The value of a `const` among the statements of a block; `unknown` for another kind of declaration of the name. */
function declaredIn(block: ts.Block | ts.SourceFile, name: string): ts.Expression | 'unknown' | undefined {
  for (const statement of block.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const isConstant = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const each of statement.declarationList.declarations) {
      if (!bindsName(each.name, name)) continue;
      return isConstant && ts.isIdentifier(each.name) && each.initializer ? each.initializer : 'unknown';
    }
  }
  return undefined;
}

function bindsName(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name;
  return binding.elements.some((each) => !ts.isOmittedExpression(each) && bindsName(each.name, name));
}

function importedConstant(name: string, scope: Scope): Constant | undefined {
  const from = importedFrom(name, scope);
  const source = from === undefined ? undefined : scope.lookup(from);
  const value = source === undefined ? undefined : exportedValue(source, name);
  if (from === undefined || source === undefined || value === undefined) return undefined;
  return { value, scope: { path: from, source, lookup: scope.lookup, depth: scope.depth + 1 } };
}

function importedFrom(name: string, { path, source }: Scope): string | undefined {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue;
    if (bindings.elements.some((each) => each.name.text === name && each.propertyName === undefined)) {
      return resolveImport(path, statement.moduleSpecifier.text);
    }
  }
  return undefined;
}

/** The table of a record type that is named by its declaration: `loan` for `loan`, `process` for `foreclosure.root`. */
function recordTable(node: ts.Expression, scope: Scope): string | undefined {
  const name = ts.isPropertyAccessExpression(node) && node.name.text === 'root' ? node.expression : node;
  if (!ts.isIdentifier(name)) return undefined;
  const from = importedFrom(name.text, scope);
  if (from?.endsWith('.record.ts') !== true) return undefined;
  const source = scope.lookup(from);
  return source === undefined ? undefined : recordTables(source).get(name.text);
}

/**
 * The table of a record type that an expression gives by its name: a declaration, a constant, or
 * `ctx.registry.recordType('Loan')`.
 */
export function tableOfRecord(
  expression: ts.Expression,
  at: Pick<Scope, 'path' | 'source' | 'lookup'>,
): string | undefined {
  const node = bare(expression);
  const scope = { ...at, depth: 0 };
  const declared = recordTable(node, scope);
  if (declared !== undefined) return declared;
  if (ts.isIdentifier(node)) {
    const found = constantOf(node, scope);
    return found === undefined || ts.isIdentifier(found.value) ? undefined : tableOfRecord(found.value, found.scope);
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const isLookup = ['recordType', 'requireRecord', 'record'].includes(node.expression.name.text);
  return isLookup ? literalText(node.arguments[0])?.toLowerCase() : undefined;
}

/** The tables of the record types that a file declares, by the names of their constants. */
export function recordTables(source: ts.SourceFile): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  walkNodes(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return;
    const value = bare(node.initializer);
    if (!ts.isCallExpression(value) || value.expression.getText() !== 'defineRecord') return;
    const declaration = value.arguments.map(bare).find(ts.isObjectLiteralExpression);
    const property = declaration === undefined ? undefined : propertyOf(declaration, 'name');
    if (property !== undefined && ts.isStringLiteralLike(property))
      tables.set(node.name.text, property.text.toLowerCase());
  });
  return tables;
}
