/**
 * `docs/internals/areas.md`: which tables each area owns and which of others it reads, from the
 * declarations. `npm run generate` writes it; the architecture check compares it.
 */
import { isPublic } from './imports.ts';
import { importsOf, resolveImport, sourcesUnder } from './source.ts';
import { areaGraph } from './tables.ts';
import { ownerOf, readTableDeclarations } from './table-owners.ts';
import type { FileMap, Problem } from './tree.ts';

/** The path of the page. */
export const AREA_PAGE = 'docs/internals/areas.md';

const HEAD = `<!-- Written by \`npm run generate\` from the declarations in src. Do not edit. -->

# Areas and their tables

An owner of tables is an area, the kernel, a surface, the providers of a contract, or the composition (\`app\`). It owns
the tables of its record types and those in its \`tables.ts\`. Only the owner writes a table in SQL. Others read it if
their \`reads.ts\` declares it with a reason; otherwise they call an operation of the owner or a function in its
\`public/\`. [ADR 0049](../adr/0049-areas-own-their-tables.md) and [0056](../adr/0056-public-functions-of-areas.md) say
why.
`;

/** The text of the page. */
export function areaPage(files: FileMap): string {
  const declarations = readTableDeclarations(files, []);
  const { owners, reads } = declarations;
  const tablesOf = (owner: string): string[] => [...owners].filter(([, of]) => of === owner).map(([table]) => table);
  const owning = [...new Set(owners.values())].sort();
  const lines = [HEAD, '## Dependencies between areas', '', 'No area depends on itself by way of others.', ''];
  lines.push('| Area | Depends on |', '|---|---|');
  for (const [area, targets] of areaGraph(files, declarations)) {
    lines.push(`| ${area} | ${[...targets].sort().join(', ') || 'no other area'} |`);
  }
  lines.push('', '## Tables', '', '| Owner | Tables |', '|---|---|');
  for (const owner of owning) lines.push(`| ${owner} | ${tablesOf(owner).sort().join(', ')} |`);
  lines.push('', '## Reads of the tables of others', '', '| Reader | Owner | Table | Reason |', '|---|---|---|---|');
  const rows = reads.map((each) => `| ${each.reader} | ${each.owner} | ${each.table} | ${each.reason} |`);
  lines.push(...rows.sort());
  lines.push('', '## Public functions', '', '| Area | File | Imported by |', '|---|---|---|');
  for (const [file, importers] of importersOfPublicFiles(files)) {
    lines.push(`| ${ownerOf(file).name} | ${file} | ${[...importers].sort().join(', ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** The files of public functions in alphabetical order, each with who else imports it. */
function importersOfPublicFiles(files: FileMap): Map<string, Set<string>> {
  const importers = new Map(
    [...files.keys()]
      .filter(isPublic)
      .sort()
      .map((path) => [path, new Set<string>()]),
  );
  for (const { path, source } of sourcesUnder(files, 'src/')) {
    for (const { specifier } of importsOf(source)) {
      const target = resolveImport(path, specifier);
      if (target === undefined || ownerOf(path).name === ownerOf(target).name) continue;
      importers.get(target)?.add(ownerOf(path).name);
    }
  }
  return importers;
}

/** Reports a page that differs from the declarations. */
export function checkAreaPage(files: FileMap): Problem[] {
  if (files.get(AREA_PAGE) === areaPage(files)) return [];
  return [{ file: AREA_PAGE, line: 1, what: 'is not what src declares; run npm run generate', expected: '' }];
}
