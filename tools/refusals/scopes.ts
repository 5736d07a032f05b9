/** What the names of the source mean: the declaration that an identifier refers to, also in another file. */
import ts from 'typescript';
import { resolveImport, sourcesUnder, walkNodes } from '../architecture/source.ts';
import type { FileMap } from '../architecture/tree.ts';

/** A function with a name: declared, or an arrow function or function expression in a constant. */
export type NamedFunction = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** What a name refers to. */
export type Declaration =
  | { readonly kind: 'function'; readonly node: NamedFunction }
  | { readonly kind: 'class'; readonly node: ts.ClassDeclaration }
  | { readonly kind: 'constant'; readonly value: ts.Expression }
  | { readonly kind: 'parameter'; readonly of: ts.Node; readonly index: number }
  | { readonly kind: 'import'; readonly path: string; readonly name: string }
  | { readonly kind: 'other' };

type Names = Map<string, Declaration>;

/** The parsed files of the product, with the names that each scope declares. */
export class Scopes {
  readonly sources: readonly { readonly path: string; readonly source: ts.SourceFile }[];
  readonly #files = new Map<string, ts.SourceFile>();
  readonly #names = new Map<ts.Node, Names>();

  constructor(files: FileMap, folder: string) {
    this.sources = sourcesUnder(files, folder);
    for (const { path, source } of this.sources) {
      this.#files.set(path, source);
      walkNodes(source, (node) => this.#declare(path, node));
    }
  }

  /** Returns what the identifier refers to; undefined for globals and what packages export. */
  resolve(identifier: ts.Identifier): Declaration | undefined {
    for (let scope: ts.Node | undefined = identifier.parent; scope; scope = scope.parent as ts.Node | undefined) {
      const found = this.#names.get(scope)?.get(identifier.text);
      if (found) return this.#follow(found);
    }
    return undefined;
  }

  #follow(found: Declaration): Declaration | undefined {
    if (found.kind !== 'import') return found;
    const source = this.#files.get(found.path);
    const declared = source && this.#names.get(source)?.get(found.name);
    return declared && this.#follow(declared);
  }

  #declare(path: string, node: ts.Node): void {
    if (ts.isFunctionDeclaration(node) && node.name) this.#add(node, node.name, { kind: 'function', node });
    else if (ts.isClassDeclaration(node) && node.name) this.#add(node, node.name, { kind: 'class', node });
    else if (ts.isVariableDeclaration(node)) this.#declareVariable(node);
    else if (ts.isParameter(node)) this.#declareParameter(node);
    else if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) this.#add(node, node.name, { kind: 'other' });
    else if (ts.isImportSpecifier(node)) {
      const { moduleSpecifier } = node.parent.parent.parent;
      const target = ts.isStringLiteral(moduleSpecifier) ? resolveImport(path, moduleSpecifier.text) : undefined;
      const name = (node.propertyName ?? node.name).text;
      this.#add(node, node.name, target === undefined ? { kind: 'other' } : { kind: 'import', path: target, name });
    }
  }

  #declareVariable(node: ts.VariableDeclaration): void {
    if (!ts.isIdentifier(node.name)) return;
    const value = node.initializer;
    const isConstant = (ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const) !== 0;
    if (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)))
      this.#add(node, node.name, { kind: 'function', node: value });
    else this.#add(node, node.name, value && isConstant ? { kind: 'constant', value } : { kind: 'other' });
  }

  #declareParameter(node: ts.ParameterDeclaration): void {
    if (!ts.isIdentifier(node.name)) return;
    const index = (node.parent.parameters as ts.NodeArray<ts.Node>).indexOf(node);
    this.#add(node, node.name, { kind: 'parameter', of: node.parent, index });
  }

  #add(node: ts.Node, name: ts.Identifier, declaration: Declaration): void {
    const scope = scopeOf(node);
    const names = this.#names.get(scope) ?? new Map<string, Declaration>();
    this.#names.set(scope, names.set(name.text, declaration));
  }
}

/** Returns the block, function or file in which a declaration is visible. */
function scopeOf(node: ts.Node): ts.Node {
  let scope = node.parent;
  while (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isFunctionLike(scope) && !isLoop(scope))
    scope = scope.parent;
  return scope;
}

function isLoop(node: ts.Node): boolean {
  return ts.isForOfStatement(node) || ts.isForStatement(node) || ts.isForInStatement(node) || ts.isCaseBlock(node);
}
