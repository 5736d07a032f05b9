import { parseXml } from '../../../src/kernel/xml/element.ts';
import type { OpenApiDocument } from '../../../src/surfaces/openapi/openapi.ts';
import { follow, validate } from './validate.ts';

type Node = Readonly<Record<string, unknown>>;

/** The body types that operations accept. */
export type BodyType = 'application/json' | 'application/x-www-form-urlencoded' | 'text/xml';

/** An answer validated against the document. */
export interface ClientAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A client driven only by an OpenAPI document. */
export interface Client {
  /**
   * Calls an operation by ID. `parameters` go where the document says; `body` is sent as one of the types it offers.
   */
  call(
    operationId: string,
    parameters?: Readonly<Record<string, unknown>>,
    body?: { readonly type: BodyType; readonly value: unknown },
  ): Promise<ClientAnswer>;
}

interface FoundOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Node;
}

/** Creates a client from a document. Throws if what it sends or gets is invalid under the document. */
export function clientOf(document: OpenApiDocument, base: string, key: string): Client {
  return {
    async call(operationId, parameters = {}, body) {
      const found = find(document, operationId);
      const address = addressOf(document, found, parameters);
      const encoded = body === undefined ? undefined : encode(document, found, body);
      const response = await fetch(base + address, {
        method: found.method.toUpperCase(),
        headers: {
          'X-ApiKey': key,
          ...(encoded === undefined || body === undefined ? {} : { 'Content-Type': body.type }),
        },
        ...(encoded === undefined ? {} : { body: encoded }),
      });
      return judge(document, found, response.status, {
        type: response.headers.get('content-type') ?? '',
        text: await response.text(),
      });
    },
  };
}

function find(document: OpenApiDocument, operationId: string): FoundOperation {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item))
      if (operation['operationId'] === operationId) return { path, method, operation };
  }
  throw new Error(`the document has no operation ${operationId}`);
}

function addressOf(
  document: OpenApiDocument,
  { path, operation }: FoundOperation,
  parameters: Readonly<Record<string, unknown>>,
): string {
  let address = path;
  const query = new URLSearchParams();
  const left = new Set(Object.keys(parameters));
  for (const each of ((operation['parameters'] ?? []) as unknown[]).map((one) => follow(document, one))) {
    const name = each['name'] as string;
    if (each['in'] === 'query' && each['explode'] === true) {
      const schema = follow(document, each['schema']);
      for (const member of [...left].filter(
        (one) => schema['additionalProperties'] === true || one in ((schema['properties'] ?? {}) as Node),
      )) {
        valid(document, ((schema['properties'] ?? {}) as Node)[member] ?? {}, parameters[member], member);
        for (const value of [parameters[member]].flat()) query.append(member, String(value));
        left.delete(member);
      }
    } else if (left.delete(name)) {
      valid(document, each['schema'], parameters[name], name);
      if (each['in'] === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(parameters[name])));
      else query.set(name, String(parameters[name]));
    } else if (each['required'] === true) throw new Error(`${path} needs ${name}`);
  }
  if (left.size > 0) throw new Error(`${path} does not take ${[...left].join(', ')}`);
  return query.size === 0 ? address : `${address}?${query}`;
}

function encode(
  document: OpenApiDocument,
  { path, operation }: FoundOperation,
  { type, value }: { readonly type: BodyType; readonly value: unknown },
): string {
  const content = follow(document, operation['requestBody'] ?? {})['content'] as Record<string, Node> | undefined;
  const media = content?.[type];
  if (!media) throw new Error(`${path} takes no ${type}`);
  // The document's own XML examples are text; everything else is a value.
  if (type === 'text/xml') return String(value);
  valid(document, media['schema'], value, path);
  if (type === 'application/json') return JSON.stringify(value);
  return new URLSearchParams(
    Object.entries(value as Node).map(([name, one]): [string, string] => [name, String(one)]),
  ).toString();
}

function valid(document: OpenApiDocument, schema: unknown, value: unknown, what: string): void {
  const problems = validate(document, schema, value, what);
  if (problems.length > 0) throw new Error(`not valid by the document: ${problems.join('; ')}`);
}

function judge(
  document: OpenApiDocument,
  { path, operation }: FoundOperation,
  status: number,
  { type, text }: { readonly type: string; readonly text: string },
): ClientAnswer {
  const responses = operation['responses'] as Node;
  const response = follow(document, responses[String(status)] ?? responses['default']);
  const mime = type.split(';')[0] ?? '';
  const media = (response['content'] as Record<string, Node> | undefined)?.[mime];
  if (!media)
    throw new Error(`${path} answered ${status} with ${mime}, which the document does not list: ${text.slice(0, 300)}`);
  if (mime !== 'text/xml') {
    const body = JSON.parse(text) as Record<string, unknown>;
    valid(document, media['schema'], body, `${path} answered ${status}`);
    return { status, body };
  }
  return { status, body: judgeXml(document, media['schema'], text, path) };
}

/** An XML answer has the root and the elements that the schema's XML names declare. */
export function judgeXml(
  document: OpenApiDocument,
  schema: unknown,
  text: string,
  path: string,
): Record<string, unknown> {
  const root = parseXml(Buffer.from(text));
  const of = follow(document, schema);
  const name = (of['xml'] as Node | undefined)?.['name'];
  if (root.name !== name) throw new Error(`${path} answered <${root.name}>, the document says <${String(name)}>`);
  const row = of['type'] === 'array' ? follow(document, of['items']) : of;
  const rows = of['type'] === 'array' ? root.children : [root];
  const known = namesOf(document, row);
  for (const each of rows) {
    if (each.name !== (row['xml'] as Node)['name'])
      throw new Error(`${path} answered <${each.name}> for <${String((row['xml'] as Node)['name'])}>`);
    for (const child of each.children)
      if (!known.has(child.name)) throw new Error(`${path} answered <${child.name}>, which the document does not list`);
  }
  return Object.fromEntries((rows[0]?.children ?? []).map((child) => [child.name, child.text]));
}

function namesOf(document: OpenApiDocument, schema: Node): Set<string> {
  const parts = ((schema['allOf'] ?? []) as unknown[]).flatMap((part) => [
    ...namesOf(document, follow(document, part)),
  ]);
  return new Set([
    ...Object.keys(schema['properties'] ?? {}),
    ...parts,
    'Alerts',
    'RecordCount',
    'RecordCountIsEstimate',
  ]);
}
