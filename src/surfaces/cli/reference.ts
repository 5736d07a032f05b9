import { didYouMean } from '../../kernel/door/errors.ts';
import type { Arguments } from './arguments.ts';
import type { Client } from './client.ts';
import { exitCodes, plain, RefusedError, table, UsageError, type Terminal } from './terminal.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly description?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly explode?: boolean;
  readonly schema: Schema;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly 'x-permission'?: string;
  readonly 'x-effect'?: string;
}

/** The server's OpenAPI document. */
export interface ServerDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Fetches the server's OpenAPI document. */
export async function documentOf(client: Client): Promise<ServerDocument> {
  const answer = await client.send('/api/openapi.json', { headers: { Accept: 'application/json' } });
  const text = await answer.text();
  if (!answer.ok) throw new RefusedError(text);
  return JSON.parse(text) as ServerDocument;
}

/** Returns each operation once, under its own route. */
function routesOf(document: ServerDocument): { route: string; described: DescribedOperation }[] {
  const routes: { route: string; described: DescribedOperation }[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    const described = methods['get'] ?? methods['post'];
    if (described?.['x-effect'] === undefined || path.endsWith('/{ID}')) continue;
    routes.push({ route: path.replace(/^\/api\//, ''), described });
  }
  return routes.sort((a, b) => (a.route < b.route ? -1 : 1));
}

function resolve<T extends { readonly $ref?: string }>(document: ServerDocument, of: T): T {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(of.$ref ?? '') ?? [];
  return of.$ref === undefined ? of : ((document.components[kind]?.[name] ?? {}) as T);
}

/** Returns an operation's parameters, without those that choose the output format. */
function parametersOf(document: ServerDocument, described: DescribedOperation): Parameter[] {
  return (described.parameters ?? [])
    .map((each) => resolve(document, each))
    .filter(
      ({ name, in: place }) => place !== 'header' && name !== 'Output' && name !== 'callback' && name !== '_Transform',
    );
}

const isFree = ({ explode, schema }: Parameter): boolean =>
  explode === true && (schema.$ref !== undefined || schema.type === 'object');

/** `operations [module]`: lists operations. */
export async function operationsCommand(terminal: Terminal, client: Client, args: Arguments): Promise<number> {
  const [module, ...more] = args.words;
  if (more.length > 0) throw new UsageError('expected the name of one module, or none');
  const document = await documentOf(client);
  const routes = routesOf(document);
  const modules = [...new Set(routes.map(({ route }) => route.split('/')[0] ?? ''))];
  if (module === undefined) {
    await terminal.out(
      table(
        ['OPERATION', 'SUMMARY'],
        routes.map(({ route, described }) => [route, described.summary]),
      ),
    );
    return exitCodes.done;
  }
  if (!modules.includes(module.toLowerCase()))
    throw new RefusedError(`unknown module ${plain(module)}.${suggestion(module, modules)}`);
  for (const { route, described } of routes.filter(({ route }) => route.startsWith(`${module.toLowerCase()}/`))) {
    const names = parametersOf(document, described).map((each) =>
      each.required && !isFree(each) ? each.name : `[${each.name}]`,
    );
    await terminal.out(`${route}  ${names.join(' ')}\n    ${plain(described.summary)}\n`);
  }
  return exitCodes.done;
}

/** `describe module/operation`: prints the parameters. */
export async function describeCommand(terminal: Terminal, client: Client, args: Arguments): Promise<number> {
  const [requested, ...more] = args.words;
  if (requested === undefined || more.length > 0)
    throw new UsageError('expected one operation, such as contact/search');
  const document = await documentOf(client);
  const routes = routesOf(document);
  const found = routes.find(
    ({ route }) => route.toLowerCase() === requested.replace(/^\/?(?:api\/)?/i, '').toLowerCase(),
  );
  if (!found)
    throw new RefusedError(
      `unknown operation ${plain(requested)}.${suggestion(
        requested,
        routes.map(({ route }) => route),
      )}`,
    );
  const { described, route } = found;
  const all = parametersOf(document, described);
  const permission = described['x-permission'];
  const needs = permission === undefined ? 'Needs no permission.' : `Needs the permission ${permission}.`;
  const effect = described['x-effect'] === 'read' ? ' Changes nothing.' : '';
  await terminal.out(`${route}\n${plain(described.summary)}\n${needs}${effect}\n`);
  const declared = all.filter((each) => !isFree(each));
  if (declared.length > 0)
    await terminal.out(
      `\n${table(
        ['PARAMETER', 'TYPE', 'MEANING'],
        declared.map((each) => [
          `${each.name}${each.required ? ' (required)' : ''}`,
          typeOf(document, each.schema),
          each.description,
        ]),
      )}`,
    );
  for (const free of all.filter(isFree)) {
    const members = membersOf(document, free.schema);
    await terminal.out(
      `\n${free.name === 'Filters' ? 'Filters on' : 'Values for'} any of: ` +
        `${members.length > 0 ? members.join(', ') : 'any names'}\n`,
    );
  }
  return exitCodes.done;
}

function suggestion(name: string, known: readonly string[]): string {
  return didYouMean(name, known);
}

function typeOf(document: ServerDocument, sent: Schema): string {
  const schema = resolve(document, sent);
  if (schema.enum) return schema.enum.map(plain).join(' | ');
  if (schema.items) return `list of ${typeOf(document, schema.items)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : plain(schema.type);
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function membersOf(document: ServerDocument, sent: Schema): string[] {
  const schema = resolve(document, sent);
  return [
    ...Object.keys(schema.properties ?? {}),
    ...(schema.allOf ?? []).flatMap((part) => membersOf(document, part)),
  ];
}
