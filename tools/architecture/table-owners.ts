/**
 * Who owns which table, and who may read the tables of others.
 *
 * A folder of `src` owns the tables of the record types in it and those that its `tables.ts` lists. Its `reads.ts`
 * declares the tables of other owners that it reads, each with a reason.
 */
import ts from 'typescript';
import { bare, exportedValue, lineOf, literalText, propertyName, sourcesUnder } from './source.ts';
import { recordTables } from './sql-texts.ts';
import type { FileMap, Problem } from './tree.ts';

/** The file that lists the tables of a database that is migrated to the newest version. */
const SCHEMA = 'db/schema.sql';

/** Folders whose sub-folders are owners; the others are one owner each. */
const LAYERS_OF_OWNERS: Readonly<Record<string, string>> = {
  modules: '',
  providers: 'providers/',
  surfaces: 'surfaces/',
};

/** A folder of `src` that may own tables: an area, a provider's contract, a surface, or a whole layer. */
export interface Owner {
  /** `work` for an area, `surfaces/sftp` for a surface, `kernel`. */
  readonly name: string;
  readonly folder: string;
}

/** A read that a `reads.ts` declares. */
export interface DeclaredRead {
  readonly reader: string;
  readonly owner: string;
  readonly table: string;
  readonly reason: string;
  readonly file: string;
  readonly line: number;
}

/** What is declared about tables. */
export interface TableDeclarations {
  /** The owner of each table. */
  readonly owners: ReadonlyMap<string, string>;
  readonly reads: readonly DeclaredRead[];
  /** All areas, in alphabetical order. */
  readonly areas: readonly string[];
}

/** The owner of a file of `src`. */
export function ownerOf(path: string): Owner {
  const [, layer = '', folder = ''] = path.split('/');
  const prefix = LAYERS_OF_OWNERS[layer];
  if (prefix === undefined || folder.endsWith('.ts')) return { name: layer, folder: `src/${layer}` };
  return { name: `${prefix}${folder}`, folder: `src/${layer}/${folder}` };
}

/** Reads the declarations of all folders, and reports tables without an owner, or with two. */
export function readTableDeclarations(files: FileMap, problems: Problem[]): TableDeclarations {
  const owners = new Map<string, string>();
  const reads: DeclaredRead[] = [];
  const areas = new Set<string>();
  for (const { path, source } of sourcesUnder(files, 'src/')) {
    const owner = ownerOf(path);
    if (path.startsWith('src/modules/')) areas.add(owner.name);
    for (const table of ownTables(path, source, owner, problems)) {
      const known = owners.get(table);
      if (known !== undefined) {
        problems.push({ file: path, line: 1, what: `the table ${table} belongs to ${known}`, expected: 'one owner' });
      }
      owners.set(table, owner.name);
    }
    if (path === `${owner.folder}/reads.ts`) reads.push(...readsIn(path, source, owner, problems));
  }
  refuseUnowned(files, owners, problems);
  return { owners, reads, areas: [...areas].sort() };
}

/** The tables that the migrations create. */
export function tablesOfSchema(files: FileMap): string[] {
  const text = files.get(SCHEMA) ?? '';
  return [...text.matchAll(/^create (?:unlogged )?table (\w+)/gim)].map((match) => match[1] ?? '');
}

function refuseUnowned(files: FileMap, owners: ReadonlyMap<string, string>, problems: Problem[]): void {
  for (const table of tablesOfSchema(files)) {
    if (owners.has(table)) continue;
    const expected = 'a record type, or an entry in the tables.ts of the folder that it belongs to';
    problems.push({ file: SCHEMA, line: 1, what: `the table ${table} has no owner`, expected });
  }
}

function ownTables(path: string, source: ts.SourceFile, owner: Owner, problems: Problem[]): string[] {
  if (path.endsWith('.record.ts')) return [...recordTables(source).values()];
  if (path !== `${owner.folder}/tables.ts`) return [];
  const value = exportedValue(source, 'tables');
  if (value !== undefined && ts.isArrayLiteralExpression(value)) {
    return value.elements.map((each) => literalText(bare(each)) ?? '');
  }
  problems.push({ file: path, line: 1, what: 'no list of tables', expected: "`export const tables = ['upload']`" });
  return [];
}

function readsIn(path: string, source: ts.SourceFile, owner: Owner, problems: Problem[]): DeclaredRead[] {
  const value = exportedValue(source, 'reads');
  const form = "`export const reads = { work: { decision: 'Why it is read.' } } satisfies TableReads`";
  if (owner.name === 'kernel' || value === undefined || !ts.isObjectLiteralExpression(value)) {
    const what = owner.name === 'kernel' ? 'the kernel reads the tables of others' : 'no declared reads';
    problems.push({ file: path, line: 1, what, expected: owner.name === 'kernel' ? 'its own tables only' : form });
    return [];
  }
  const found: DeclaredRead[] = [];
  for (const [of, tables] of entriesOf(value)) {
    for (const [table, reason] of entriesOf(tables)) {
      const line = lineOf(source, reason);
      const text = literalText(reason)?.trim() ?? '';
      if (text === '') problems.push({ file: path, line, what: `no reason for ${table}`, expected: form });
      found.push({ reader: owner.name, owner: of, table, reason: text, file: path, line });
    }
  }
  return found;
}

function entriesOf(value: ts.Expression): [string, ts.Expression][] {
  if (!ts.isObjectLiteralExpression(value)) return [];
  return value.properties.flatMap((each): [string, ts.Expression][] => {
    const name = ts.isPropertyAssignment(each) ? propertyName(each.name) : undefined;
    return ts.isPropertyAssignment(each) && name !== undefined ? [[name, bare(each.initializer)]] : [];
  });
}
