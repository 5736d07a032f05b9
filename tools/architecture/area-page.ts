/**
 * `docs/internals/areas.md`: which tables each area owns and which of others it reads, and the known violations, from
 * the declarations. `npm run generate` writes it; the architecture check compares it.
 */
import { areaGraph, type TableViolations } from './tables.ts';
import { readTableDeclarations } from './table-owners.ts';
import type { FileMap, Problem } from './tree.ts';

/** The path of the page. */
export const AREA_PAGE = 'docs/internals/areas.md';

const HEAD = `<!-- Written by \`npm run generate\` from the declarations in src. Do not edit. -->

# Areas and their tables

An owner of tables is an area, the kernel, a surface, the providers of a contract, or the composition (\`app\`). It owns
the tables of its record types and those in its \`tables.ts\`. Only the owner writes a table in SQL. Others read it if
their \`reads.ts\` declares it with a reason. [ADR 0049](../adr/0049-areas-own-their-tables.md) says why.
`;

/** The text of the page. */
export function areaPage(files: FileMap, known: TableViolations): string {
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
  lines.push('', '## Known violations', '');
  lines.push(
    'SQL that should not be where it is, in `tools/architecture/table-violations.ts`. The list only shrinks.',
    '',
  );
  lines.push('| File | SQL texts |', '|---|---|');
  for (const [file, counts] of Object.entries(known)) {
    const texts = Object.entries(counts).map(([what, count]) => `${what} (${String(count)})`);
    lines.push(`| ${file} | ${texts.join(', ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** Reports a page that differs from the declarations. */
export function checkAreaPage(files: FileMap, known: TableViolations): Problem[] {
  if (files.get(AREA_PAGE) === areaPage(files, known)) return [];
  return [{ file: AREA_PAGE, line: 1, what: 'is not what src declares; run npm run generate', expected: '' }];
}
