/**
 * Writes `docs/reference/`: operations, records, settings, errors and permissions, from their declarations.
 *
 * `node tools/run.mjs tools/reference.ts` writes it. With `--check` it writes nothing and fails if a page is missing,
 * out of date, or no longer needed. `npm run generate` and `npm run check` do the same.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorTable, type ErrorCode } from '../src/kernel/door/errors.ts';
import type { Operation } from '../src/kernel/declare/operation.ts';
import type { RecordType, Reach } from '../src/kernel/declare/record.ts';
import {
  namedPermissions,
  pagePermissions,
  partPermissions,
  Registry,
  type Declarations,
} from '../src/kernel/declare/registry.ts';
import { builtinRoles } from '../src/modules/access/role/lib/builtin-roles.ts';
import { grantedPermissions } from '../src/modules/access/role/lib/permissions.ts';
import { describeOperation, describeRecord, typeWords } from '../src/surfaces/openapi/describe.ts';
import { accessOf, code, fieldRows, operationLines, table } from '../src/surfaces/openapi/markdown.ts';
import { readTree } from './architecture/tree.ts';
import { collectRefusals } from './refusals/collect.ts';
import { type Examples, readExamples, REFUSALS_PAGE, refusalsPage } from './refusals/page.ts';

const FOLDER = 'docs/reference';
const EXAMPLE_MODULE = 'contact';
const WRITTEN = '<!-- Written by `npm run generate` from the declarations in src. Do not edit. -->';

/** The pages of the reference by their path below `docs/reference`. */
export function referencePages(declarations: Declarations): ReadonlyMap<string, string> {
  const registry = new Registry(declarations);
  const every = new Set(
    declarations.operations
      .filter(({ operation }) => operation.module === 'any')
      .map(({ operation }) => operation.name),
  );
  const isOwn = (operation: Operation): boolean =>
    operation.record === undefined ||
    !every.has(operation.name) ||
    !declarations.operations.some((file) => file.operation.module === 'any' && file.run === operation.run);
  const modules = [...new Set([...registry.operations(), ...registry.records()].map(({ module }) => module))].sort();
  const pages: [string, string[]][] = [
    ['README.md', index(registry, modules)],
    ['operations.md', operationsPage(registry, modules, isOwn)],
    ['records.md', recordsPage(registry)],
    ['settings.md', settingsPage(registry)],
    ['errors.md', errorsPage(registry)],
    ['permissions.md', permissionsPage(registry)],
    ...modules.map((module): [string, string[]] => [`modules/${module}.md`, modulePage(registry, module, isOwn)]),
    ...registry
      .records()
      .map((record): [string, string[]] => [`records/${record.module}.md`, recordPage(registry, record)]),
  ];
  return new Map(pages.map(([path, lines]) => [path, `${[WRITTEN, '', ...lines].join('\n').trimEnd()}\n`]));
}

/** Returns the differences between the pages and a folder, one line each. */
export function referenceDifferences(pages: ReadonlyMap<string, string>, folder: string): string[] {
  const found = filesUnder(folder);
  const missing = [...pages]
    .filter(([path, text]) => !found.has(path) || readFileSync(join(folder, path), 'utf8') !== text)
    .map(([path]) => `${folder}/${path}: is not what src declares; run npm run generate`);
  const left = [...found]
    .filter((path) => !pages.has(path))
    .map((path) => `${folder}/${path}: belongs to nothing that src declares; run npm run generate`);
  return [...missing, ...left];
}

/** Writes the pages into a folder and deletes obsolete ones. */
export function writeReference(pages: ReadonlyMap<string, string>, folder: string): void {
  for (const path of filesUnder(folder)) if (!pages.has(path)) rmSync(join(folder, path));
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function filesUnder(folder: string): Set<string> {
  try {
    return new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name).slice(join(folder).length + 1)),
    );
  } catch {
    return new Set();
  }
}

/** Writes or checks the reference; returns the problems. */
export async function updateReference(check: boolean): Promise<string[]> {
  // Not imported above: `npm run generate` writes the catalog first.
  const { declarations } = await import('../src/app/catalog.gen.ts');
  const pages = new Map([...referencePages(declarations), [REFUSALS_PAGE, refusals()]]);
  if (check) return referenceDifferences(pages, FOLDER);
  writeReference(pages, FOLDER);
  return [];
}

/** Returns the page of refusals: the texts of the source, with the examples that `given` or the present page has. */
function refusals(given?: Examples): string {
  const path = join(FOLDER, REFUSALS_PAGE);
  const examples = given ?? readExamples(existsSync(path) ? readFileSync(path, 'utf8') : '');
  const lines = refusalsPage(collectRefusals(readTree('.')), examples);
  return `${[WRITTEN, '', ...lines].join('\n').trimEnd()}\n`;
}

/** Writes the page of refusals with the examples of the last whole run of the tests. */
export function updateRefusals(examples: Examples): void {
  writeFileSync(join(FOLDER, REFUSALS_PAGE), refusals(examples));
}

function index(registry: Registry, modules: readonly string[]): string[] {
  return [
    '# Reference',
    '',
    'Generated from the declarations in the code. A running server publishes the same description for programs at',
    '`GET /api/openapi.json`.',
    '',
    '- [Operations](operations.md): every route, in one table',
    '- [Records](records.md): the record types',
    '- [Settings](settings.md): how an installation behaves',
    '- [Errors](errors.md): codes, statuses, texts',
    '- [Refusals and warnings](refusals.md): every text of an error or a warning',
    '- [Permissions](permissions.md): what the built-in roles may do',
    '',
    '## Modules',
    '',
    ...table(
      ['Module', 'What it is'],
      modules.map((module) => [
        `[${registry.record(module)?.name ?? module}](modules/${module}.md)`,
        registry.record(module)?.doc ?? 'Operations without records of their own.',
      ]),
    ),
  ];
}

function operationsPage(
  registry: Registry,
  modules: readonly string[],
  isOwn: (operation: Operation) => boolean,
): string[] {
  const own = registry.operations().filter(isOwn);
  const common = registry.operations().filter((operation) => !isOwn(operation));
  // Examples use contacts, which are familiar, if contacts have the operation.
  const every = new Map(
    [...common, ...common.filter(({ module }) => module === EXAMPLE_MODULE)].map((operation) => [
      operation.name,
      operation,
    ]),
  );
  return [
    '# Operations',
    '',
    'Every action is an operation on a module, called as `/api/{module}/{operation}` with GET or POST; the tables show',
    'the preferred method. Names are case-insensitive. Parameters come from the path, the query, or a body (JSON,',
    'form, XML); `Output` sets the format of the answer.',
    '',
    '| Form | What it does |',
    '|---|---|',
    '| `/api/{module}/{operation}` | runs it |',
    '| `/api/{module}/{operation}/{id}` | runs it on one record |',
    '| `/api/{module}/{id}` | GET reads the record, PUT, PATCH and POST save it, DELETE deletes it |',
    '| `/api/{parent}/{parentId}/{module}/{operation}` | runs it in the scope of a parent record |',
    '| `/api/{module}/queue/{operation}` | queues it; also below a parent and with an id |',
    '',
    'A saved statement is an operation of its module, named like the statement. Statements are records, so they are',
    'not listed here.',
    '',
    '## Of every record type',
    '',
    'Logs have those that read only.',
    '',
    ...[...every.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((operation) => everySection(registry, operation)),
    '## Of one module',
    '',
    ...table(
      ['Operation', 'Method', 'What it does', 'Permission'],
      modules.flatMap((module) =>
        own
          .filter((operation) => operation.module === module)
          .sort((a, b) => (a.route < b.route ? -1 : 1))
          .map((operation) => [
            `[${code(operation.route)}](modules/${module}.md#${anchor(operation)})`,
            operation.method,
            operation.summary,
            accessOf(describeOperation(registry, operation)),
          ]),
      ),
    ),
  ];
}

/** The heading of an operation is its name; this is how a link names it. */
function anchor(operation: Operation): string {
  return operation.name.toLowerCase().replaceAll(/[^\w-]+/g, '');
}

function operationSection(registry: Registry, operation: Operation): string[] {
  const columns = operation.record ? { columns: `../records/${operation.record.module}.md#fields` } : {};
  return [
    `### ${operation.name}`,
    '',
    ...operationLines(describeOperation(registry, operation), { errors: '../errors.md', ...columns }),
  ];
}

/** The page section of an operation that every record type has, described once with one record type in its examples. */
function everySection(registry: Registry, operation: Operation): string[] {
  const of = describeOperation(registry, operation);
  const route = of.route.replace(operation.module, '{module}');
  return [
    `### ${operation.name}`,
    '',
    ...operationLines(
      { ...of, route, permission: `{Record}${operation.name}` },
      { errors: 'errors.md', columns: 'records.md' },
    ),
  ];
}

const reachWords: Readonly<Record<Reach, string>> = {
  one: 'each row by one firm',
  many: 'each row by one or several firms',
  configuration: 'read by every user, changed by staff only',
  none: 'by staff only',
};

function recordsPage(registry: Registry): string[] {
  const records = [...registry.records()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    '# Records',
    '',
    'Each record type has an id (`{Record}ID`), a label in a field named like the record type, `Status`,',
    '`{Record}Type`, the users and times of its creation and last change, and a `Version`. Logs never contain personal',
    'fields; answers never contain secret ones.',
    '',
    ...table(
      ['Record', 'What it is', 'Derives from', 'Below', 'Template', 'Reached'],
      records.map((record) => [
        `[${record.name}](records/${record.module}.md)`,
        record.doc,
        record.base?.name ?? '',
        belowOf(registry, record),
        record.template ?? '',
        reachWords[record.reach],
      ]),
    ),
  ];
}

/**
 * What a record type hangs below: any record by Object and ObjectID, or the targets of foreign keys that show it as a
 * collection.
 */
function belowOf(registry: Registry, record: RecordType): string {
  const keys = Object.keys(record.collections ?? {}).map(
    (key) => registry.record(record.columns.get(key.toLowerCase())?.field.to ?? '')?.name ?? '',
  );
  return [...(record.parent === undefined ? [] : ['any record']), ...keys.filter((name) => name !== '')].join(', ');
}

function modulePage(registry: Registry, module: string, isOwn: (operation: Operation) => boolean): string[] {
  const record = registry.record(module);
  const operations = registry
    .operations()
    .filter((operation) => operation.module === module)
    .sort((a, b) => (a.route < b.route ? -1 : 1));
  const own = operations.filter(isOwn);
  const common = operations.filter((operation) => !isOwn(operation));
  return [
    `# ${record?.name ?? module}`,
    '',
    ...(record
      ? [record.doc, '', `[Its fields](../records/${module}.md)`]
      : ['Operations without records of their own.']),
    '',
    ...(own.length > 0 ? ['## Operations', ''] : []),
    ...own.flatMap((operation) => operationSection(registry, operation)),
    ...(common.length > 0 ? ['## Operations of every record type', '', ...commonTable(registry, common), ''] : []),
  ];
}

/**
 * Operations common to all record types are described on one page. This table has what differs: the permission, and an
 * example of a call.
 */
function commonTable(registry: Registry, operations: readonly Operation[]): string[] {
  return table(
    ['Operation', 'Permission', 'Example'],
    operations.map((operation) => {
      const of = describeOperation(registry, operation);
      return [
        `[${code(operation.route)}](../operations.md#${anchor(operation)})`,
        accessOf(of),
        code(of.example.signature ?? of.example.path),
      ];
    }),
  );
}

function recordPage(registry: Registry, record: RecordType): string[] {
  return [
    `# ${record.name}`,
    '',
    ...recordLines(registry, record),
    ...ruleLines(registry, record),
    '## Operations',
    '',
    `[${code(`/api/${record.module}/…`)}](../modules/${record.module}.md)`,
  ];
}

function recordLines(registry: Registry, record: RecordType): string[] {
  const facts: readonly (readonly [string, string])[] = [
    ['Derives from', record.base ? `[${record.base.name}](${record.base.module}.md); the id is shared` : ''],
    ['Below', belowOf(registry, record)],
    ['Template', record.template ?? ''],
    ['Reached', reachWords[record.reach]],
    ['Final statuses', (record.finalStatuses ?? record.base?.finalStatuses ?? []).join(', ')],
    [
      'Collections',
      [...registry.collections(record).values()]
        .map((collection) => `${code(collection.name)} (${collection.record})`)
        .join(', '),
    ],
    ['History', record.history === false ? 'none; nobody saves or deletes it' : ''],
  ];
  const synonyms = Object.entries(record.synonyms ?? {}).map(([name, of]) => `${code(name)} is ${code(of)}`);
  return [
    record.doc,
    '',
    ...facts.filter(([, text]) => text !== '').map(([name, text]) => `- ${name}: ${text}`),
    ...(synonyms.length > 0 ? [`- Synonyms: ${synonyms.join(', ')}`] : []),
    '',
    '## Fields',
    '',
    ...table(['Field', 'Type', 'What it is'], fieldRows(describeRecord(registry, record).fields)),
    '',
  ];
}

/** Returns the checks before a change, its consequences, and the constraints of the database. */
function ruleLines(registry: Registry, record: RecordType): string[] {
  const lines = [
    ...registry.checks(record).map((check) => `- Before it is stored: ${check.doc}`),
    ...registry.reactions(record).map((reaction) => `- After ${reaction.after.join(', ')}: ${reaction.doc}`),
    ...Object.values(record.triggers ?? {}).map((doc) => `- By the database: ${doc}`),
  ];
  return lines.length > 0 ? ['## Rules', '', ...lines, ''] : [];
}

function settingsPage(registry: Registry): string[] {
  const settings = [...registry.settings].sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    '# Settings',
    '',
    'Settings configure an installation. A setting that differs from its default is a record: call',
    '`POST /api/setting/save` with `Setting` and `Value`. It takes effect in every process within half a second.',
    '',
    ...table(
      ['Setting', 'Type', 'Default', 'What it does'],
      settings.map((setting) => [
        code(setting.name),
        typeWords(setting.field),
        code(typeof setting.default === 'string' ? setting.default : JSON.stringify(setting.default)),
        `${setting.doc}${setting.field.classification === 'secret' ? ' *Secret.*' : ''}`,
      ]),
    ),
  ];
}

function errorsPage(registry: Registry): string[] {
  const codes = Object.keys(errorTable) as ErrorCode[];
  return [
    '# Errors',
    '',
    'Every failure has the same form: `<Error Code= Status= CorrelationID=><Message/><Field/></Error>` in XML, the',
    'same members as `application/problem+json` in JSON. The code is stable; the message may be more specific than the',
    'text below. `Field` names the parameter or column. The correlation ID is also in the header `X-Correlation-ID`,',
    'in the log, and in the history of the records that the call changed.',
    '',
    ...table(
      ['Code', 'Status', 'What it says', 'Named by'],
      codes.map((each) => [
        code(each),
        String(errorTable[each].status),
        errorTable[each].text,
        namedBy(registry, each),
      ]),
    ),
  ];
}

/** Returns the operations that declare an error; those common to all record types once. */
function namedBy(registry: Registry, error: ErrorCode): string {
  const names = new Map<string, number>();
  for (const operation of registry.operations())
    if (operation.errors.includes(error)) names.set(operation.name, (names.get(operation.name) ?? 0) + 1);
  return [...names.keys()]
    .sort()
    .map((name) => code(name))
    .join(', ');
}

function permissionsPage(registry: Registry): string[] {
  const all = registry.permissions();
  const roles = builtinRoles.map((role) => ({ ...role, granted: grantedPermissions(role.Permissions, all) }));
  return [
    '# Permissions',
    '',
    'A role grants permissions by name. `*` in a role matches any letters, a leading minus revokes, and later words',
    "override earlier ones. Universal access grants all rows; without it, users see the rows that their firm's access",
    'covers.',
    '',
    ...table(
      ['Role', 'What it is for', 'Universal access'],
      roles.map((role) => [role.Role, role.Description, role.UniversalAccess ? 'yes' : '']),
    ),
    '',
    `Permissions without an operation: ${[...namedPermissions, ...partPermissions].map(code).join(', ')}.`,
    `They guard parts of operations. Permissions of pages: ${pagePermissions.map(code).join(', ')}.`,
    '',
    ...table(
      ['Permission', ...roles.map((role) => role.Role)],
      all.map((name) => [code(name), ...roles.map((role) => (role.granted.has(name) ? 'yes' : ''))]),
    ),
  ];
}

if (import.meta.main) {
  const found = await updateReference(process.argv.includes('--check'));
  for (const line of found) console.error(line);
  process.exitCode = found.length === 0 ? 0 : 1;
}
