import { didYouMean, namesHint, PlatformError } from './errors.ts';
import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';

/** A parsed route after `/api/`. `operation` is undefined if no code implements it; a statement may. */
export interface Route {
  readonly module: string;
  /** The path below the module, without the id: `search`, `schedule/listen`. */
  readonly path: string;
  readonly operation: Operation | undefined;
  /** Path segments that are parameters of the operation. */
  readonly segments: Readonly<Record<string, string>>;
  readonly id: number | undefined;
  readonly parent: { readonly record: RecordType; readonly id: number } | undefined;
  readonly queued: boolean;
}

const isId = (segment: string | undefined): segment is string =>
  segment !== undefined && /^[1-9]\d{0,15}$/.test(segment);

/** The operation that an HTTP verb means when the route names a record and no operation. */
const verbs: Readonly<Record<string, string>> = {
  GET: 'select',
  HEAD: 'select',
  POST: 'save',
  PUT: 'save',
  PATCH: 'save',
  DELETE: 'delete',
};

/**
 * Parses a route: `{module}/{operation}`, `{module}/queue/{operation}`, `{module}/{operation}/{id}`, or
 * `{module}/{id}`, where the verb names the operation; each also below `{parent}/{parentId}/`. Names are
 * case-insensitive.
 */
export function parseRoute(registry: Registry, segments: readonly string[], verb: string): Route {
  return ownRoute(registry, segments) ?? parseSegments(registry, segments, verb);
}

/** Returns the route of an operation that is sent as it is registered, such as `contact/select`: one lookup. */
function ownRoute(registry: Registry, segments: readonly string[]): Route | undefined {
  if (segments[1] === 'queue') return undefined;
  const operation = registry.operation(segments.join('/'));
  if (!operation || operation.route.includes('{')) return undefined;
  const { module, route } = operation;
  const path = route.slice(module.length + 1);
  return { module, path, operation, segments: {}, id: undefined, parent: undefined, queued: false };
}

function parseSegments(registry: Registry, segments: readonly string[], verb: string): Route {
  const parent = parentOf(registry, segments);
  const own = parent ? segments.slice(2) : segments;
  const [module = '', ...tail] = own.map((s) => s.toLowerCase());
  const queued = tail[0] === 'queue' && tail.length > 1;
  const rest = queued ? tail.slice(1) : tail;
  const sent = own.slice(queued ? 2 : 1);
  const whole = registry.find(module, rest.join('/'), sent.join('/'));
  if (whole)
    return {
      module,
      path: rest.join('/'),
      operation: whole.operation,
      segments: whole.segments,
      id: undefined,
      parent,
      queued,
    };
  const last = rest.at(-1);
  if (!isId(last))
    return { module, path: rest.join('/'), operation: undefined, segments: {}, id: undefined, parent, queued };
  const path = rest.length === 1 ? (verbs[verb] ?? 'select') : rest.slice(0, -1).join('/');
  const found = registry.find(module, path, sent.slice(0, -1).join('/'));
  return {
    module,
    path,
    operation: found?.operation,
    segments: found?.segments ?? {},
    id: Number(last),
    parent,
    queued,
  };
}

/** Returns the parent of a route such as `/api/{parent}/{id}/{module}/…`. */
function parentOf(registry: Registry, segments: readonly string[]): Route['parent'] {
  const [first = '', second, third] = segments;
  const record = registry.record(first);
  const hasParent = record && isId(second) && third !== undefined && !/^\d+$/.test(third) && registry.hasModule(third);
  return hasParent ? { record, id: Number(second) } : undefined;
}

/** Returns the error for a route that no operation has, with the nearest names of modules or operations. */
export function unknownOperation(registry: Registry, { module, path }: Pick<Route, 'module' | 'path'>): PlatformError {
  if (!registry.hasModule(module))
    return new PlatformError('UNKNOWN_OPERATION', {
      message: `There is no module ${module}.${didYouMean(module, registry.moduleNames())}`,
    });
  const known = registry.operations().filter((operation) => operation.module === module);
  const hint = namesHint(
    path,
    known.map((operation) => operation.path ?? operation.name),
  );
  return new PlatformError('UNKNOWN_OPERATION', {
    message:
      path === ''
        ? `Name an operation of the module ${module}, as in /api/${module}/{operation}.`
        : `There is no operation ${path} on the module ${module}.${hint}`,
  });
}
