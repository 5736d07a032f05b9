/** Finds the operation files of a tree and reads their declarations as far as the checks need them. */
import ts from 'typescript';
import { bare, exportedValue, literalText, propertyOf, sourcesUnder } from './source.ts';
import type { FileMap } from './tree.ts';

/** Files of a module that are data and not operations. */
const MODULE_DATA_FILES = ['reactions', 'save-feature', 'search-filters', 'settings', 'uses'] as const;

/** Folders of a module that are private to it. */
export const MODULE_PRIVATE_FOLDERS = ['lib', 'schema'] as const;

/** Folders of an area with code that several of its modules share, and with what other areas may import. */
const AREA_CODE_FOLDERS = ['lib', 'public'] as const;

/** Whether a folder has code of an area as a whole: it is no module, and its files are imported as usual. */
export function isAreaCode(folder: string): boolean {
  return (AREA_CODE_FOLDERS as readonly string[]).includes(folder.split('/').at(-1) ?? '');
}

/** Where a file of `src/modules` is: its area, its module, and its path below the module's folder. */
export interface ModulePlace {
  readonly area: string;
  /** The module's name; the area's own name for code of the area as a whole, in `{area}/lib/` and `{area}/public/`. */
  readonly module: string;
  /** The folder that belongs to the module alone; a record type without one shares `{area}/records`. */
  readonly folder: string;
  readonly rest: readonly string[];
}

/** The place of a file of `src/modules`, undefined for any other file. */
export function modulePlace(path: string): ModulePlace | undefined {
  const [top, layer, area = '', folder = '', ...rest] = path.split('/');
  if (top !== 'src' || layer !== 'modules' || rest.length === 0) return undefined;
  const below = `src/modules/${area}/${folder}`;
  if (isAreaCode(folder)) return { area, module: area, folder: below, rest };
  // A record type without operations: `{area}/records/loan.record.ts`, and `loan.reactions.ts` beside it.
  const flat =
    folder === 'records' && rest.length === 1 ? /^([a-z0-9]+)\.(record|reactions)\.ts$/.exec(rest[0] ?? '') : null;
  return { area, module: flat?.[1] ?? folder, folder: below, rest };
}

/** An operation file and the route that its name implies. */
export interface OperationFile {
  readonly path: string;
  readonly text: string;
  readonly source: ts.SourceFile;
  /** The name of the module's folder. */
  readonly module: string;
  /** The route below the module: the file's path without `.ts`. */
  readonly route: string;
  /** The object given to `defineOperation`, undefined when the file has none that can be read. */
  readonly declaration: ts.ObjectLiteralExpression | undefined;
}

/** The files of modules that are neither record, data file nor in a private folder. */
export function operationFiles(files: FileMap): OperationFile[] {
  const found: OperationFile[] = [];
  for (const { path, text, source } of sourcesUnder(files, 'src/modules/')) {
    const place = modulePlace(path);
    if (place === undefined || isDataOrPrivate(place)) continue;
    const route = place.rest.join('/').replace(/\.ts$/, '');
    found.push({ path, text, source, module: place.module, route, declaration: declarationOf(source) });
  }
  return found;
}

function isDataOrPrivate({ folder, rest }: ModulePlace): boolean {
  const [first = ''] = rest;
  if (isAreaCode(folder) || first.endsWith('.reactions.ts')) return true;
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
