/**
 * Writes `src/app/catalog.gen.ts` (the list of all declarations of modules, and the types of operations for
 * `ctx.call`), the reference in `docs/reference/`, the page of areas, and the software bill of materials. With
 * `--check` it writes nothing and fails if a file is out of date; the architecture check compares the page of areas.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AREA_PAGE, areaPage } from './architecture/area-page.ts';
import { readTree } from './architecture/tree.ts';
import { isSbomCurrent, SBOM, sbom } from './sbom.ts';

const target = 'src/app/catalog.gen.ts';
/** The operations that every record type has. */
const ANY = 'src/modules/records/any/';
/** Those of them whose name a record type uses for something else: importfile/import runs an import. */
const REDEFINED = ['import'];
/** The record types that the kernel itself stores. */
const KERNEL_TYPES = 'src/kernel/records/types/';

interface ExportedName {
  readonly path: string;
  readonly name: string;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesOf(path) : [path];
    });
}

/** Returns the path below the area. A record type without a folder is treated as in its own: `loan/loan.record`. */
function belowArea(path: string): string {
  return path
    .replace(/^src\/(?:modules\/[^/]+|kernel)\//, '')
    .replace(/\.ts$/, '')
    .replace(/^records\/(?:types\/)?([^/.]+)\.(record|reactions)$/, (_, name: string, kind: string) =>
      kind === 'record' ? `${name}/${name}.record` : `${name}/reactions`,
    );
}

/** Returns the name of a file's import. The operation payment/refund has another one than the record PaymentRefund. */
function identifier(path: string): string {
  const name = belowArea(path).replace(/[^A-Za-z0-9]+(.)?/g, (_, c: string | undefined) => (c ?? '').toUpperCase());
  return records.some((record) => record.name === name) ? `${name}Operation` : name;
}

function exportsOf(path: string, pattern: RegExp): ExportedName[] {
  return [...readFileSync(path, 'utf8').matchAll(pattern)].map((m) => ({ path, name: m[1] ?? '' }));
}

/**
 * Sorted by module name, regardless of area: the order in which reactions run must not depend on the folder layout.
 */
const files = [...filesOf('src/modules'), ...filesOf(KERNEL_TYPES)]
  .filter((p) => p.endsWith('.ts') && !/\/(?:lib|public)\//.test(p))
  .sort((a, b) => (belowArea(a) < belowArea(b) ? -1 : 1));
const operations = files.filter((p) => readFileSync(p, 'utf8').includes('export const operation = defineOperation'));
const records = files
  .filter((p) => p.endsWith('.record.ts'))
  .flatMap((p) => exportsOf(p, /export const (\w+) = defineRecord\(/g));
const reactions = files.filter((p) => p.endsWith('/reactions.ts') || p.endsWith('.reactions.ts'));
const settings = files.filter((p) => p.endsWith('/settings.ts'));
const saveFeatures = files.filter((p) => p.endsWith('/save-feature.ts'));
const searchFilters = files.filter((p) => p.endsWith('/search-filters.ts'));
const has = (path: string, name: string): boolean =>
  new RegExp(`export const ${name}\\b`).test(readFileSync(path, 'utf8'));
const from = (path: string): string => `'../${path.replace(/^src\//, '')}'`;

const lines = [
  '// Written by `npm run generate` from the declarations in src. Do not edit.',
  "import { coreSettings } from '../kernel/declare/core-settings.ts';",
  "import type { Declarations } from '../kernel/declare/registry.ts';",
  ...records.map((r) => `import { ${r.name} } from ${from(r.path)};`),
  ...operations.map((p) => `import * as ${identifier(p)} from ${from(p)};`),
  ...reactions.map((p) => `import * as ${identifier(p)} from ${from(p)};`),
  ...settings.map((p) => `import { settings as ${identifier(p)} } from ${from(p)};`),
  ...saveFeatures.map((p) => `import { saveFeature as ${identifier(p)} } from ${from(p)};`),
  ...searchFilters.map((p) => `import { searchFilters as ${identifier(p)} } from ${from(p)};`),
  '',
  '/** Everything that modules declare. */',
  'export const declarations: Declarations = {',
  `  records: [${records.map((r) => r.name).join(', ')}],`,
  `  operations: [${operations.map(identifier).join(', ')}],`,
  `  reactions: [${reactions
    .filter((p) => has(p, 'reactions'))
    .map((p) => `...${identifier(p)}.reactions`)
    .join(', ')}],`,
  `  checks: [${reactions
    .filter((p) => has(p, 'checks'))
    .map((p) => `...${identifier(p)}.checks`)
    .join(', ')}],`,
  `  guards: [${reactions
    .filter((p) => has(p, 'guards'))
    .map((p) => `...${identifier(p)}.guards`)
    .join(', ')}],`,
  `  callSources: [${reactions
    .filter((p) => has(p, 'callSources'))
    .map((p) => `...${identifier(p)}.callSources`)
    .join(', ')}],`,
  `  saveFeatures: [${saveFeatures.map(identifier).join(', ')}],`,
  `  searchFilters: [${searchFilters.map((p) => `...${identifier(p)}`).join(', ')}],`,
  `  settings: [...coreSettings${settings.map((p) => `, ...${identifier(p)}`).join('')}],`,
  '};',
  '',
  "declare module '../kernel/declare/catalog.ts' {",
  '  interface RecordCatalog {',
  ...records.map((r) => `    ${recordName(r)}: typeof ${r.name};`),
  '  }',
  '  interface OperationCatalog {',
  ...catalogMembers(),
  '  }',
  '  interface RecordOperationCatalog {',
  ...operations
    .filter((p) => p.startsWith(ANY))
    .map((p) => ({ route: belowArea(p).replace(/^any\//, ''), name: identifier(p) }))
    .filter(({ route }) => !REDEFINED.includes(route))
    .map(({ route, name }) => `    ${route}: CatalogEntry<typeof ${name}.operation, typeof ${name}.run>;`),
  '  }',
  '}',
  '',
];

/** Returns the catalog's members: each route with its operation's declaration and run, and its module's record type. */
function catalogMembers(): string[] {
  const recordTypes = new Map(records.map((record) => [recordName(record).toLowerCase(), record.name]));
  const own = new Map<string, string>();
  for (const path of operations.filter((p) => !p.startsWith(ANY))) {
    own.set(belowArea(path), identifier(path));
  }
  for (const path of operations.filter((p) => p.startsWith(ANY))) {
    for (const module of recordTypes.keys()) {
      const route = `${module}/${belowArea(path).replace(/^any\//, '')}`;
      if (!own.has(route)) own.set(route, identifier(path));
    }
  }
  return [...own]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([route, name]) => {
      const types = [`typeof ${name}.operation`, `typeof ${name}.run`];
      const record = recordTypes.get(route.slice(0, route.indexOf('/')));
      if (record !== undefined) types.push(`typeof ${record}`);
      return `    '${route}': CatalogEntry<${types.join(', ')}>;`;
    });
}

/** Returns the name in a record type's declaration. */
function recordName(record: ExportedName): string {
  const text = readFileSync(record.path, 'utf8');
  return /name: '(\w+)'/.exec(text.slice(text.indexOf(`export const ${record.name} = defineRecord(`)))?.[1] ?? '';
}

const text = lines.join('\n');
const check = process.argv.includes('--check');
if (!check) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  // The reference is generated from the catalog, so checking it would add nothing.
  console.error(`${target}: is not what src declares; run npm run generate`);
  process.exit(1);
}
if (!check) {
  writeFileSync(AREA_PAGE, areaPage(readTree('.')));
  writeFileSync(SBOM, sbom());
}
const { updateReference } = await import('./reference.ts');
const found = await updateReference(check);
if (check && !isSbomCurrent()) found.push(`${SBOM}: does not match the lock files; run npm run generate`);
for (const line of found) console.error(line);
process.exitCode = found.length === 0 ? 0 : 1;
