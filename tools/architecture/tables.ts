/**
 * Areas own their tables. No SQL and no row function of the kernel writes a table of another owner, and a read of one
 * by SQL is declared in the reader's `reads.ts`. The areas must not depend on one another in a circle, by declared
 * reads or by imports.
 *
 * Statements over a table that is not known here (`from ${record.table}`) work on any record type; the name of the
 * table must come from a record type, so that no text hides what it reads.
 */
import { circlesOf } from './circles.ts';
import { importsOf, resolveImport, sourcesUnder } from './source.ts';
import { tableCalls } from './table-calls.ts';
import { type TableUse, tablesIn } from './sql-tables.ts';
import { type SourceLookup, textsOf } from './sql-texts.ts';
import { ownerOf, readTableDeclarations, type TableDeclarations, tablesOfSchema } from './table-owners.ts';
import type { FileMap, Problem } from './tree.ts';

/** One SQL text that reads or writes a table. */
interface Use {
  readonly file: string;
  readonly line: number;
  readonly kind: 'reads' | 'writes';
  /** The table; the code of the expression if it is not known. */
  readonly table: string;
  readonly isKnown: boolean;
}

/** Expressions that give the table of a record type, or of an import's staging area. */
const TABLE_OF_RECORD = /(?:^|\.)table$|^fromOf\(|^qualified\(/;
/** Tables of PostgreSQL itself, which everybody may read. */
const SYSTEM_TABLE = /^(?:pg_|information_schema\.)/;

/** Compares all SQL texts of `src` with the owners of their tables. */
export function checkTables(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const declarations = readTableDeclarations(files, problems);
  const uses = usesOfTables(files, declarations, problems);
  refuseUnusedReads(uses, declarations, problems);
  refuseViolations(uses, declarations, problems);
  refuseCircles(files, declarations, problems);
  return problems;
}

function usesOfTables(files: FileMap, { owners }: TableDeclarations, problems: Problem[]): Use[] {
  const sources = sourcesUnder(files, 'src/').filter(({ path }) => !path.endsWith('.gen.ts'));
  const byPath = new Map(sources.map(({ path, source }) => [path, source]));
  const lookup: SourceLookup = (path) => byPath.get(path);
  const tables = new Set([...owners.keys(), ...tablesOfSchema(files)]);
  return sources.flatMap(({ path, source }) => {
    const calls = path.startsWith('src/kernel/database/') ? [] : tableCalls(path, source, lookup);
    const uses = calls.map((call): Use => ({ ...call, file: path, kind: 'writes' }));
    const defined = new Set<string>();
    for (const { line, pieces } of textsOf(path, source, lookup)) {
      const found = tablesIn(pieces, tables);
      if (found === undefined) continue;
      if ('message' in found) {
        const expected = 'SQL that the parser understands; name what it does not know by a constant';
        problems.push({ file: path, line, what: `SQL that cannot be parsed: ${found.message}`, expected });
        continue;
      }
      if (found.repeatsLocks) {
        const expected = 'a common table expression, which is evaluated once: with due as materialized (select …)';
        problems.push({ file: path, line, what: 'changes what a limited subquery locks', expected });
      }
      for (const name of found.defines) defined.add(name);
      uses.push(...usesIn(found, path, line));
    }
    // A part of a statement may name a common table expression of another part.
    return uses.filter(({ isKnown, table }) => !isKnown || tables.has(table) || !defined.has(table));
  });
}

function usesIn(found: TableUse, file: string, line: number): Use[] {
  const use = (kind: Use['kind'], names: ReadonlySet<string>, isKnown: boolean): Use[] =>
    [...names].filter((name) => !SYSTEM_TABLE.test(name)).map((table) => ({ file, line, kind, table, isKnown }));
  return [
    ...use('reads', found.reads, true),
    ...use('writes', found.writes, true),
    ...use('reads', found.unknownReads, false),
    ...use('writes', found.unknownWrites, false),
  ];
}

/** Refuses uses of tables of other owners that no `reads.ts` declares, and of tables without an owner. */
function refuseViolations(uses: readonly Use[], declarations: TableDeclarations, problems: Problem[]): void {
  const declared = new Set(declarations.reads.map(({ reader, table }) => `${reader} ${table}`));
  for (const use of uses) {
    const { file, line, kind, table } = use;
    const reader = ownerOf(file).name;
    const owner = declarations.owners.get(table);
    if (use.isKnown && owner === undefined) {
      const expected = 'a table of a record type, or one that a tables.ts lists';
      problems.push({ file, line, what: `${kind} the unknown table ${table}`, expected });
      continue;
    }
    const isForeign = owner !== reader && (kind === 'writes' || !declared.has(`${reader} ${table}`));
    if (use.isKnown ? !isForeign : !isHidden(use, reader)) continue;
    problems.push({ file, line, what: `${kind} ${table}`, expected: expectedFor(use) });
  }
}

/** Whether a text hides its table. The kernel and its callers in `app` work on every record type. */
function isHidden({ kind, table }: Use, reader: string): boolean {
  if (reader === 'kernel') return false;
  return !TABLE_OF_RECORD.test(table) || (kind === 'writes' && reader !== 'app' && !table.startsWith('qualified('));
}

function refuseUnusedReads(uses: readonly Use[], { reads, owners }: TableDeclarations, problems: Problem[]): void {
  const used = new Set(
    uses.filter(({ kind }) => kind === 'reads').map((use) => `${ownerOf(use.file).name} ${use.table}`),
  );
  for (const { reader, owner, table, file, line } of reads) {
    const actual = owners.get(table);
    if (actual !== owner) {
      problems.push({ file, line, what: `${table} is not a table of ${owner}`, expected: actual ?? 'a known table' });
    } else if (!used.has(`${reader} ${table}`)) {
      const what = `declares a read of ${table}, which no SQL of ${reader} reads`;
      problems.push({ file, line, what, expected: 'exactly the tables that are read' });
    }
  }
}

function expectedFor({ kind, isKnown, file }: Use): string {
  if (!isKnown) return 'the table of a record type, as `record.table` or `fromOf(record)`';
  if (kind === 'writes') return "a call of the owner's operation or public function; only an owner writes its tables";
  return `a call of the owner, or the read declared in ${ownerOf(file).folder}/reads.ts`;
}

/** The areas that each area depends on, by declared reads and by imports. */
export function areaGraph(files: FileMap, { reads, areas }: TableDeclarations): Map<string, Set<string>> {
  const graph = new Map(areas.map((area) => [area, new Set<string>()]));
  for (const { reader, owner } of reads) if (graph.has(owner)) graph.get(reader)?.add(owner);
  for (const { path, source } of sourcesUnder(files, 'src/modules/')) {
    for (const { specifier } of importsOf(source)) {
      const target = resolveImport(path, specifier);
      // A record declaration is no dependency by itself: who reads its rows declares that.
      if (target?.startsWith('src/modules/') !== true || target.endsWith('.record.ts')) continue;
      const [from, to] = [ownerOf(path).name, ownerOf(target).name];
      if (from !== to) graph.get(from)?.add(to);
    }
  }
  return graph;
}

function refuseCircles(files: FileMap, declarations: TableDeclarations, problems: Problem[]): void {
  for (const circle of circlesOf(areaGraph(files, declarations))) {
    const [first = ''] = circle;
    problems.push({
      file: `src/modules/${first}/reads.ts`,
      line: 1,
      what: `areas depend on one another in a circle: ${[...circle, first].join(' → ')}`,
      expected: 'one direction; a call through the door turns one around',
    });
  }
}
