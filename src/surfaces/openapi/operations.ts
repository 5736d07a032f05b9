import { errorTable } from '../../kernel/door/errors.ts';
import type { ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { toCsv } from '../../kernel/render/csv.ts';
import { pageTypes } from '../../kernel/render/output.ts';
import { escapeText } from '../../kernel/xml/element.ts';
import { errorResponse } from './errors.ts';
import {
  exampleAnswer,
  exampleItem,
  exampleList,
  exampleSummary,
  isRecordTree,
  writtenExample,
} from './example-answer.ts';
import { callExampleOf, wireText } from './example-call.ts';
import { sentExample } from './examples.ts';
import { callExample, filterExample, isSaved, listSchema, saveExample, updateExample } from './records.ts';
import { answeredObject, ref, sentObject, sentSchema, type Schema } from './schema.ts';

/** Components of the document that operations refer to instead of repeating them. */
export interface Components {
  readonly schemas: Record<string, Schema>;
  readonly parameters: Record<string, Schema>;
  readonly responses: Record<string, Schema>;
  readonly requestBodies: Record<string, Schema>;
}

/** What describing an operation needs besides the operation itself. */
export interface OperationContext {
  readonly registry: Registry;
  readonly components: Components;
  /** Declared parameters, results and rows shared by several modules: those of the operations of every record type. */
  readonly shared: ReadonlySet<ParameterFields>;
}

/** Returns the field declarations shared by operations of several modules. */
export function sharedFields(registry: Registry): ReadonlySet<ParameterFields> {
  const modules = new Map<ParameterFields, Set<string>>();
  for (const { module, params, returns, rows } of registry.operations()) {
    for (const fields of [params, returns, rows])
      if (typeof fields === 'object') modules.set(fields, (modules.get(fields) ?? new Set()).add(module));
  }
  return new Set([...modules].filter(([, users]) => users.size > 1).map(([fields]) => fields));
}

/** One HTTP method of one path, as the document describes it. */
export interface PathMethod {
  readonly operation: Operation;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Unique in the document. */
  readonly operationId: string;
  /** Whether the path names the record: `ID` is a path parameter. */
  readonly byId: boolean;
}

/** Whether the route accepts a trailing ID: the operation names a record by a number, or saves one. */
export function takesId(operation: Operation): boolean {
  if (operation.route.includes('{') || operation.body === 'raw') return false;
  const kind = operation.params['ID']?.kind;
  return kind === 'id' || kind === 'idList' || (operation.free === 'fields' && operation.name !== 'Insert');
}

/** Returns the class name of an operation's module: the record type's, or else the capitalized module. */
function className(operation: Operation): string {
  return operation.record?.name ?? operation.module.charAt(0).toUpperCase() + operation.module.slice(1);
}

/**
 * Returns the name of an operation's own components. An operation that every record type has is described once: its
 * declarations are the same objects for all, so the name has no class.
 */
function partName(ctx: OperationContext, operation: Operation, part: ParameterFields): string {
  const name = operation.name.replaceAll(/[^A-Za-z0-9]+/g, '.');
  return `${ctx.shared.has(part) ? 'Any' : className(operation)}.${name}`;
}

/** Returns the names of path parameters: `{Template}` of `import/{Template}`, and `ID` in the form for one record. */
function pathNames({ operation, byId }: PathMethod): string[] {
  const inRoute = [...operation.route.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return byId ? [...inRoute, 'ID'] : inRoute;
}

/** Describes one method of one path. */
export function describePathMethod(ctx: OperationContext, form: PathMethod): Schema {
  const { operation, method } = form;
  const inPath = pathNames(form);
  const others = Object.fromEntries(Object.entries(operation.params).filter(([name]) => !inPath.includes(name)));
  const hasBody = method !== 'get' && method !== 'delete';
  const body = hasBody ? requestBody(ctx, form, others) : undefined;
  const parameters = [
    ...inPath.map((name) => pathParameter(operation, name)),
    ...(hasBody && operation.body !== 'raw' ? [] : queryParameters(ctx, operation, others)),
    ...(operation.effect === 'write' && method !== 'get'
      ? [ref('parameters', 'Idempotency-Key'), ref('parameters', 'If-Match')]
      : []),
    ...(operation.form === undefined && operation.returns !== 'content'
      ? [ref('parameters', 'Output'), ref('parameters', 'callback'), ref('parameters', 'Transform')]
      : []),
  ];
  return {
    operationId: form.operationId,
    tags: [operation.module],
    summary: operation.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responses(ctx, operation),
    ...(operation.access === 'anonymous' ? { security: [] } : {}),
    ...(operation.access === 'permission' ? { 'x-permission': operation.permissionName } : {}),
    'x-effect': operation.effect,
    'x-idempotent': operation.idempotent,
    // The form that the interface itself uses has the example of a whole call; the others follow from it.
    ...(isDeclaredMethod(form)
      ? { 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: callExampleOf(operation).curl }] }
      : {}),
  };
}

/** Whether this is the operation's own route with its declared method. */
function isDeclaredMethod({ operation, method, byId }: PathMethod): boolean {
  return !byId && (operation.body === 'raw' || method === operation.method.toLowerCase());
}

function pathParameter(operation: Operation, name: string): Schema {
  const field = operation.params[name];
  const {
    description,
    default: _preset,
    ...schema
  } = field && field.kind !== 'idList'
    ? sentSchema(field)
    : {
        type: 'integer',
        format: 'int64',
        minimum: 1,
        description: field?.doc ?? `The ${operation.record?.name ?? 'record'}.`,
      };
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema,
    example: field && field.kind !== 'idList' ? sentExample(name, field) : 1,
  };
}

/** Describes declared parameters one by one, and columns and filters as one object whose members are parameters. */
function queryParameters(ctx: OperationContext, operation: Operation, fields: ParameterFields): Schema[] {
  const shared = partName(ctx, operation, operation.params);
  // A secret is accepted in the body or its header only.
  const sendable = Object.entries(fields).filter(
    ([name, { classification }]) => classification !== 'secret' || headerOf(operation, name) !== undefined,
  );
  const declared = sendable.map(([name, field]): Schema => {
    const { description, ...schema } = sentSchema(field);
    const list = field.kind === 'idList' || field.kind === 'textList';
    const header = headerOf(operation, name);
    // Clients for trying out calls fill in every example they find, so only required parameters have one.
    const of = {
      name: header ?? name,
      in: header === undefined ? 'query' : 'header',
      ...(field.required ? { required: true, example: field.default ?? sentExample(name, field) } : {}),
      description,
      schema,
      ...(list ? { style: 'form', explode: false } : {}),
    };
    if (!shared.startsWith('Any.')) return of;
    ctx.components.parameters[`${shared}.${name}`] = of;
    return ref('parameters', `${shared}.${name}`);
  });
  const free = freeSchema(operation, 'flat');
  return free
    ? [
        ...declared,
        {
          name: operation.free === 'filters' ? 'Filters' : 'Fields',
          in: 'query',
          style: 'form',
          explode: true,
          description: 'Each member is a separate parameter.',
          schema: free,
          ...freeExample(operation),
        },
      ]
    : declared;
}

/** Returns the example of the undeclared parameters in a query. */
function freeExample({ free, record, name }: Operation): { readonly example?: unknown } {
  if (free === 'filters' && record) return { example: filterExample(record) };
  if (free === 'fields' && record && isSaved(record))
    return { example: name === 'Update' ? updateExample(record) : saveExample(record) };
  return {};
}

/** Returns the header that carries a parameter, if it has one. */
function headerOf({ headers = {} }: Operation, name: string): string | undefined {
  return Object.keys(headers).find((header) => headers[header] === name);
}

/** Returns what an operation accepts besides its declared parameters; `flat` omits children and linked records. */
function freeSchema(operation: Operation, form: 'flat' | 'nested'): Schema | undefined {
  const { free, record } = operation;
  if (free === undefined) return undefined;
  if (free === 'filters' && record) return ref('schemas', `${record.name}.Filters`);
  if (free === 'fields' && record && isSaved(record))
    return ref('schemas', `${record.name}.${form === 'flat' ? 'Fields' : 'Save'}`);
  return { type: 'object', additionalProperties: true, description: 'All other parameters are passed on unchanged.' };
}

/**
 * Describes the body: parameters as JSON, form or XML, or raw content. Returns undefined if the path holds all
 * parameters.
 */
function requestBody(ctx: OperationContext, { operation }: PathMethod, fields: ParameterFields): Schema | undefined {
  if (operation.body === 'raw') return rawBody(operation);
  const declared = Object.keys(fields).length > 0;
  if (!declared && operation.free === undefined) return undefined;
  if (!declared && operation.free === 'fields' && operation.record && isSaved(operation.record))
    return saveBody(ctx, operation.record);
  const own = declared ? [sharedSchema(ctx, operation, fields)] : [];
  const schemaOf = (form: 'flat' | 'nested'): Schema => {
    const free = freeSchema(operation, form);
    const parts = free ? [...own, free] : own;
    const [only] = parts;
    return parts.length === 1 && only ? only : { allOf: parts };
  };
  const example = callExample(fields);
  return {
    required: Object.values(fields).some((field) => field.required),
    content: {
      'application/json': { schema: schemaOf('nested'), example },
      'application/x-www-form-urlencoded': { schema: schemaOf('flat'), example },
      'text/xml': { schema: schemaOf('nested'), example: xmlOf('Parameters', example) },
    },
  };
}

function sharedSchema(ctx: OperationContext, operation: Operation, fields: ParameterFields): Schema {
  const all = Object.keys(fields).length === Object.keys(operation.params).length;
  const name = `${partName(ctx, operation, operation.params)}.${all ? 'Parameters' : 'Others'}`;
  ctx.components.schemas[name] = { ...sentObject(fields), xml: { name: 'Parameters' } };
  return ref('schemas', name);
}

const rawTypes = { xml: 'text/xml', json: 'application/json', any: '*/*' } as const;

function rawBody(operation: Operation): Schema {
  const type = rawTypes[operation.form ?? 'any'];
  return {
    required: true,
    description: 'The document itself rather than parameters, which go into the query.',
    content: { [type]: { schema: type === 'application/json' ? {} : { type: 'string' } } },
  };
}

function saveBody(ctx: OperationContext, record: RecordType): Schema {
  const { name } = record;
  const example = saveExample(record);
  ctx.components.requestBodies[`${name}.Save`] = {
    description: `A ${name}; parameters in the query take precedence over those in the body.`,
    content: {
      'application/json': { schema: ref('schemas', `${name}.Save`), example },
      'application/x-www-form-urlencoded': { schema: ref('schemas', `${name}.Fields`), example },
      'text/xml': { schema: ref('schemas', `${name}.Save`), example: xmlOf(`${name}Item`, example) },
    },
  };
  return ref('requestBodies', `${name}.Save`);
}

/** Describes parameters as an XML body. */
function xmlOf(root: string, values: Readonly<Record<string, unknown>>): string {
  const leaf = (value: unknown): string => escapeText(wireText(value));
  return `<${root}>${Object.entries(values)
    .map(([name, value]) => `<${name}>${leaf(value)}</${name}>`)
    .join('')}</${root}>`;
}

/** Statuses with which a call can be refused, by who may call. */
const accessStatuses = { anonymous: [], 'signed-in': [401], permission: [401, 403] } as const;

function responses(ctx: OperationContext, operation: Operation): Schema {
  const declared = operation.errors.map((code) => errorTable[code].status);
  const usual = accessStatuses[operation.access];
  const statuses = [...new Set([...usual, ...declared])].sort((a, b) => a - b);
  for (const status of statuses) ctx.components.responses[`Error${status}`] ??= errorResponse(status);
  return {
    ...answerOf(ctx, operation),
    ...Object.fromEntries(statuses.map((status) => [String(status), ref('responses', `Error${status}`)])),
    default: ref('responses', 'Error'),
  };
}

function answerOf(ctx: OperationContext, operation: Operation): Schema {
  const name = operation.answerName ?? className(operation);
  const { returns, record } = operation;
  switch (returns) {
    case 'nothing':
      return {
        '204': {
          description: 'Done, without a result. With warnings the status is 200 and the response carries them.',
        },
      };
    case 'content':
      return { '200': { description: 'The bytes, with their own media type.', content: { '*/*': { schema: {} } } } };
    case 'tree':
      return treeResponses(operation);
    case 'item':
      return {
        '200': record
          ? ref('responses', record.name)
          : resultResponse(operation, { type: 'object' }, { type: 'object', xml: { name: `${name}Item` } }),
      };
    case 'list':
      if (!operation.rows && record) return { '200': ref('responses', `${record.name}.List`) };
      return { '200': rowsResponse(ctx, operation, name) };
    default:
      return { '200': fieldsResponse(ctx, operation, name, returns) };
  }
}

/**
 * A record with its children has a schema; other trees have their own form. One that reports a failure is sent with
 * 500, in the same form.
 */
function treeResponses(operation: Operation): Schema {
  const { record, answerName } = operation;
  if (record && isRecordTree(operation)) return { '200': ref('responses', `${record.name}.Tree`) };
  const done = resultResponse(
    operation,
    { type: 'object', additionalProperties: true },
    { type: 'object', ...(answerName === undefined ? {} : { xml: { name: answerName } }) },
  );
  return {
    '200': done,
    ...(operation.effect === 'write'
      ? {
          '500': {
            ...done,
            description: 'The same document reporting a failure. An unexpected failure has the shape of all errors.',
          },
        }
      : {}),
  };
}

function rowsResponse(ctx: OperationContext, operation: Operation, name: string): Schema {
  const fields = operation.rows ?? {};
  const part = `${partName(ctx, operation, fields)}.Row`;
  ctx.components.schemas[part] ??= { ...answeredObject(fields), xml: { name: `${name}Item` } };
  ctx.components.schemas[`${part}s`] ??= listSchema(name, ref('schemas', part));
  ctx.components.responses[`${part}s`] ??= listResponse({
    description: 'The rows.',
    json: ref('schemas', `${part}s`),
    name,
    row: ref('schemas', part),
    example: exampleAnswer(operation),
  });
  return ref('responses', `${part}s`);
}

function fieldsResponse(ctx: OperationContext, operation: Operation, name: string, fields: ParameterFields): Schema {
  const part = `${partName(ctx, operation, fields)}.Result`;
  ctx.components.schemas[part] ??= { ...answeredObject(fields), xml: { name: `${name}Item` } };
  return resultResponse(operation, { allOf: [ref('schemas', part), ref('schemas', 'Alerted')] }, ref('schemas', part));
}

type Example = ReturnType<typeof exampleAnswer>;

/** Describes a response's media types; each separate format has its own example. */
function contentOf(json: Schema | undefined, xml: Schema | undefined, example: Example): Record<string, Schema> {
  const written = example && writtenExample(example);
  return {
    ...(xml ? { 'text/xml': { schema: xml, ...(written ? { example: written.xml } : {}) } } : {}),
    ...(json ? { 'application/json': { schema: json, ...(written ? { example: written.json } : {}) } } : {}),
    ...(json && xml ? { 'text/javascript': jsonpForm, ...pageForms } : {}),
  };
}

/** Describes a response with one result in each format that the operation supports. */
function resultResponse(operation: Operation, json: Schema, xml: Schema): Schema {
  return {
    description: 'Done.',
    headers: answerHeaders,
    content: contentOf(
      operation.form === 'xml' ? undefined : json,
      operation.form === 'json' ? undefined : xml,
      exampleAnswer(operation),
    ),
  };
}

/** Describes JSONP: the JSON response passed to a function. */
const jsonpForm: Schema = {
  schema: { type: 'string', description: 'The JSON response as the argument of a call to `callback`.' },
};

/** Describes the response as a page, plain or rendered by a stylesheet. */
const pageForms: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.values(pageTypes).map((type) => [
    type.split(';')[0] ?? '',
    {
      schema: {
        type: 'string',
        description: 'The response as a page: a plain one, or the XML rendered by the stylesheet named by `Transform`.',
      },
    },
  ]),
);

const answerHeaders: Schema = {
  'X-Correlation-ID': ref('headers', 'X-Correlation-ID'),
  'X-Alerts': ref('headers', 'X-Alerts'),
};

interface ListResponse {
  readonly description: string;
  readonly json: Schema;
  readonly name: string;
  readonly row: Schema;
  readonly example: Example;
}

function listResponse({ description, json, name, row, example }: ListResponse): Schema {
  return {
    description,
    headers: answerHeaders,
    content: {
      ...contentOf(json, { type: 'array', items: row, xml: { name: `${name}Collection`, wrapped: true } }, example),
      'text/csv': {
        schema: { type: 'string', description: 'A header row, then one row for each item (RFC 4180).' },
        ...(example ? { example: toCsv(example) } : {}),
      },
    },
  };
}

/** Describes the results of a record type's own operations: one record, a list, a summary. */
export function recordResponses(record: RecordType): Record<string, Schema> {
  const { name, idField } = record;
  const one = (description: string, xml: Schema, json: Schema, example: Example): Schema => ({
    description,
    headers: answerHeaders,
    content: contentOf(json, xml, example),
  });
  const itemName = `${name}Item`;
  return {
    [name]: one(
      `The ${name}.`,
      ref('schemas', name),
      { allOf: [ref('schemas', name), ref('schemas', 'Alerted')], required: [idField] },
      exampleItem(record),
    ),
    [`${name}.Tree`]: one(
      `The ${name} with the records that it points to and its children.`,
      ref('schemas', `${name}.Tree`),
      {
        type: 'object',
        allOf: [ref('schemas', 'Alerted')],
        properties: { [itemName]: ref('schemas', `${name}.Tree`) },
        required: [itemName],
      },
      exampleSummary(record),
    ),
    [`${name}.List`]: listResponse({
      description: 'A page of rows.',
      json: ref('schemas', `${name}.List`),
      name,
      row: ref('schemas', name),
      example: exampleList(record),
    }),
  };
}
