import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_MAX } from '../../kernel/door/idempotency.ts';
import { queueParameterFields } from '../../kernel/parameters/queue-parameters.ts';
import { CSRF_HEADER } from '../shared/csrf.ts';
import { SESSION_COOKIE } from '../shared/session-cookie.ts';
import { outputs } from '../../kernel/render/output.ts';
import type { Registry } from '../../kernel/declare/registry.ts';
import { errorResponse, errorSchemas, otherError } from './errors.ts';
import {
  describePathMethod,
  recordResponses,
  sharedFields,
  takesId,
  type Components,
  type PathMethod,
  type OperationContext,
} from './operations.ts';
import { countedSchema, filterSchemasOf, recordSchemas } from './records.ts';
import { ref, sentSchema, type Schema } from './schema.ts';

/** Facts of the installation that the document states. */
export interface OpenApiOptions {
  readonly version: string;
  readonly timeZone: string;
  /** Names of the queues, the default first. */
  readonly queueNames: readonly string[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly [member: string]: unknown;
}

/**
 * Returns the OpenAPI document of everything registered: a pure function of the declarations and the options. Each
 * operation has its route with GET and POST, and `…/{ID}` if it works on one record. The forms that every route has
 * (the `/queue/` form, the scope of a parent) are one path each with the module and operation as parameters, instead of
 * three more paths per operation.
 */
export function openApi(registry: Registry, options: OpenApiOptions): OpenApiDocument {
  const records = [...registry.records()].sort(byName);
  const components: Components = {
    schemas: {
      ...errorSchemas,
      ...filterSchemasOf(records),
      Counted: countedSchema,
      ...(Object.assign({}, ...records.map((record) => recordSchemas(registry, record))) as Record<string, Schema>),
    },
    parameters: parameters(),
    responses: {
      Error: otherError,
      Error401: errorResponse(401),
      Error403: errorResponse(403),
      Error404: errorResponse(404),
      ...(Object.assign({}, ...records.map(recordResponses)) as Record<string, Schema>),
      Queued: queuedResponse,
    },
    requestBodies: {},
  };
  const paths = {
    ...operationPaths({ registry, components, shared: sharedFields(registry) }),
    ...commonPaths(registry, options),
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Casewright',
      version: options.version,
      summary: 'Every operation of this installation, with its parameters and results.',
      description: introduction(options),
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    servers: [{ url: '/', description: 'The origin of this document.' }],
    security: [{ ApiKey: [] }, { Basic: [] }, { Session: [] }],
    tags: tags(registry),
    paths,
    components: { ...components, headers, securitySchemes },
  };
}

const EVERY_OPERATION = 'every operation';

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const securitySchemes: Readonly<Record<string, Schema>> = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-ApiKey',
    description: "A user's API key; the call runs as that user.",
  },
  Basic: { type: 'http', scheme: 'basic', description: "A user's sign-in name and password." },
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session cookie of a browser (over HTTPS prefixed with \`__Host-\`). A change must then be a ' +
      `POST from a page of the platform, with that page's token in the header \`${CSRF_HEADER}\`; JsonP is ` +
      'refused.',
  },
};

const headers: Readonly<Record<string, Schema>> = {
  'X-Correlation-ID': {
    description:
      'Identifies the call in logs, history and the error log. A caller may send its own: 8 to 64 letters, ' +
      'digits and hyphens.',
    schema: { type: 'string' },
  },
  'X-Alerts': {
    description: 'The number of warnings in the response; absent if there are none.',
    schema: { type: 'integer' },
  },
};

const queuedResponse: Schema = {
  description: 'The call is queued; `queue/status` returns its state and result.',
  headers: { 'X-Correlation-ID': ref('headers', 'X-Correlation-ID') },
  content: {
    'text/xml': {
      schema: { type: 'object', properties: { QueueMessageID: { type: 'string' } }, xml: { name: 'QueueMessageItem' } },
    },
    'application/json': {
      schema: { type: 'object', properties: { QueueMessageID: { type: 'string' } }, required: ['QueueMessageID'] },
      example: { QueueMessageID: '00000000-0000-4000-8000-000000000002' },
    },
  },
};

function parameters(): Record<string, Schema> {
  return {
    Output: {
      name: 'Output',
      in: 'query',
      description:
        'The format of the response. Csv is for lists; Html and XHtml are pages. The default is XML, or Html ' +
        'for a browser session.',
      schema: { type: 'string', enum: outputs, default: 'Xml' },
    },
    callback: {
      name: 'callback',
      in: 'query',
      description: 'With Output=JsonP: the name of the function that the response calls.',
      schema: { type: 'string', default: 'callback', maxLength: 100 },
    },
    Transform: {
      name: '_Transform',
      in: 'query',
      description:
        'With Output=Html or XHtml: the name of the stylesheet that renders the page. `Transform` means the ' +
        'same unless the operation has a parameter of that name.',
      schema: { type: 'string' },
    },
    'Idempotency-Key': {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        `For POST: a repeat within ${IDEMPOTENCY_HOURS} hours with the same key and request returns the ` +
        'first response, and nothing is done twice.',
      schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX },
    },
    'If-Match': {
      name: 'If-Match',
      in: 'header',
      description: 'The Version of the record on which a change is based; an outdated one is refused with 409.',
      schema: { type: 'string' },
    },
  };
}

function tags(registry: Registry): Schema[] {
  const modules = [...new Set(registry.operations().map((operation) => operation.module))].sort();
  const all = { name: EVERY_OPERATION, description: 'Route forms that every operation has.' };
  return [
    all,
    ...modules.map((module) => ({
      name: module,
      description: registry.record(module)?.doc ?? `Operations of ${module}.`,
    })),
  ];
}

function operationPaths(ctx: OperationContext): Record<string, Record<string, Schema>> {
  const paths: Record<string, Record<string, Schema>> = {};
  const put = (path: string, form: PathMethod): void => {
    paths[path] = { ...paths[path], [form.method]: describePathMethod(ctx, form) };
  };
  for (const operation of [...ctx.registry.operations()].sort((a, b) => (a.route < b.route ? -1 : 1))) {
    const id = operation.route
      .replaceAll('{', 'by_')
      .replaceAll(/[^A-Za-z0-9_]+/g, '_')
      .replace(/_$/, '');
    const declared = operation.method === 'GET' ? 'get' : 'post';
    for (const method of operation.body === 'raw' ? (['post'] as const) : (['get', 'post'] as const)) {
      const suffix = method === declared || operation.body === 'raw' ? '' : `_${method}`;
      put(`/api/${operation.route}`, { operation, method, operationId: id + suffix, byId: false });
      if (takesId(operation))
        put(`/api/${operation.route}/{ID}`, { operation, method, operationId: `${id}_by_id${suffix}`, byId: true });
    }
  }
  for (const record of ctx.registry.records()) {
    const verbs = [
      ['get', 'select'],
      ['put', 'save'],
      ['patch', 'save'],
      ['post', 'save'],
      ['delete', 'delete'],
    ] as const;
    for (const [method, name] of verbs) {
      const operation = ctx.registry.find(record.module, name)?.operation;
      if (operation)
        put(`/api/${record.module}/{ID}`, {
          operation,
          method,
          operationId: `${record.module}_record_${method}`,
          byId: true,
        });
    }
  }
  return paths;
}

/** Describes the forms that every operation has: queued, and in the scope of a parent record. */
function commonPaths(registry: Registry, options: OpenApiOptions): Record<string, Record<string, Schema>> {
  const modules = [...new Set(registry.operations().map((operation) => operation.module))].sort();
  const segment = (name: string, description: string, schema: Schema = { type: 'string' }): Schema => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
  });
  const module = segment('module', 'The module of the operation.', { type: 'string', enum: modules });
  const operation = segment('operation', 'The operation, as in its own path; an ID may follow it.');
  const rest: Schema = {
    name: 'Parameters',
    in: 'query',
    style: 'form',
    explode: true,
    description: "The operation's own parameters; in a POST they may be in the body.",
    schema: { type: 'object', additionalProperties: true },
  };
  const queue = Object.entries(queueParameterFields).map(([name, field]): Schema => {
    const { description, ...schema } = sentSchema(field);
    return {
      name,
      in: 'query',
      description,
      schema: name === 'QueueName' ? { ...schema, enum: options.queueNames, default: options.queueNames[0] } : schema,
    };
  });
  const parent = [
    segment('parentModule', 'The record type of the parent.', {
      type: 'string',
      enum: registry
        .records()
        .map((record) => record.module)
        .sort(),
    }),
    segment('parentId', "The parent's id.", { type: 'integer', format: 'int64', minimum: 1 }),
  ];
  const errors = {
    '401': ref('responses', 'Error401'),
    '403': ref('responses', 'Error403'),
    '404': ref('responses', 'Error404'),
    default: ref('responses', 'Error'),
  };
  const answered = { '200': { description: "The same as the operation's own path returns." }, ...errors };
  const pair = (id: string, summary: string, of: readonly Schema[], responses: Schema): Record<string, Schema> =>
    Object.fromEntries(
      (['get', 'post'] as const).map((method) => [
        method,
        { operationId: `${id}_${method}`, tags: [EVERY_OPERATION], summary, parameters: of, responses },
      ]),
    );
  return {
    '/api/{module}/queue/{operation}': pair(
      'queue_any',
      'Queues any operation. The parameters are checked now; the call runs later as the same user. ' +
        'Operations whose body is a document cannot be queued by callers.',
      [module, operation, ...queue, rest],
      { '202': ref('responses', 'Queued'), ...errors },
    ),
    '/api/{parentModule}/{parentId}/{module}/{operation}': pair(
      'below_any',
      'Runs any operation in the scope of a parent record: searches return only records below it, saves ' +
        'create new records there, and IDs must name records below it. `queue/` may precede the operation.',
      [...parent, module, operation, rest],
      answered,
    ),
  };
}

function introduction(options: OpenApiOptions): string {
  return [
    'Every action is an operation on a module, under `/api/{module}/{operation}`; names are ' +
      'case-insensitive. Each accepts GET and POST. Parameters come from the path, the query, or a body in ' +
      'JSON, form or XML format, with the same names in each; the path takes precedence over the query, ' +
      'and the query over the body. An unknown parameter is an error that lists the known ones.',
    'Children are saved with a parent by `{Collection}_{index}_{Field}` (`Contacts_0_FirstName`), linked ' +
      'records by `{Link}_{Field}` (`Property_Address`), or as nested JSON or XML. `{X}SubscriberID`, an ' +
      'external ID, can replace `{X}ID` anywhere.',
    'Responses are XML unless `Output` says otherwise. In JSON, members without a value are omitted, and ' +
      'numbers are exact.',
    `Times without a zone are read in the installation's time zone, ${options.timeZone}; responses are in UTC.`,
    'A saved statement is also an operation, `/api/{module}/{statement}`. Statements are records of this ' +
      'installation and are not listed here.',
    'A call needs the permission that its operation names as `x-permission`, granted by a role of the ' +
      'user, and sees only records visible to that user.',
  ].join('\n\n');
}
