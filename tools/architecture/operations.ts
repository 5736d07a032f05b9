/** Finds the operation files of a tree and reads their declarations as far as the checks need them. */
import ts from 'typescript';
import { bare, exportedValue, literalText, propertyOf, sourcesUnder } from './source.ts';
import type { FileMap } from './tree.ts';

/** Files of a module that are data and not operations. */
const MODULE_DATA_FILES = ['reactions', 'settings', 'uses'] as const;

/** Folders of a module that hold what only the module itself sees. */
export const MODULE_PRIVATE_FOLDERS = ['lib', 'schema'] as const;

/** An operation file and where its name says that it answers. */
export interface OperationFile {
  readonly path: string;
  readonly text: string;
  readonly source: ts.SourceFile;
  /** The folder under `src/modules`. */
  readonly module: string;
  /** The route below the module: the file's path without `.ts`. */
  readonly route: string;
  /** The object given to `defineOperation`, undefined when the file has none that can be read. */
  readonly declaration: ts.ObjectLiteralExpression | undefined;
}

/** What stands in `src/modules/<module>/` and is neither record, data file nor private folder. */
export function operationFiles(files: FileMap): OperationFile[] {
  const found: OperationFile[] = [];
  for (const { path, text, source } of sourcesUnder(files, 'src/modules/')) {
    const [, , module = '', ...rest] = path.split('/');
    const route = rest.join('/').replace(/\.ts$/, '');
    if (rest.length === 0 || isDataOrPrivate(rest)) continue;
    found.push({ path, text, source, module, route, declaration: declarationOf(source) });
  }
  return found;
}

function isDataOrPrivate(rest: string[]): boolean {
  const [first = ''] = rest;
  if (rest.length > 1) return (MODULE_PRIVATE_FOLDERS as readonly string[]).includes(first);
  return first.endsWith('.record.ts') || (MODULE_DATA_FILES as readonly string[]).includes(first.replace(/\.ts$/, ''));
}

function declarationOf(source: ts.SourceFile): ts.ObjectLiteralExpression | undefined {
  const value = exportedValue(source, 'operation');
  if (value === undefined) return undefined;
  if (ts.isObjectLiteralExpression(value)) return value;
  if (!ts.isCallExpression(value)) return undefined;
  return value.arguments.map(bare).find(ts.isObjectLiteralExpression);
}

/** A property of an operation's declaration that is written as a literal text. */
export function declaredText(operation: OperationFile, name: string): string | undefined {
  return operation.declaration === undefined ? undefined : literalText(propertyOf(operation.declaration, name));
}
