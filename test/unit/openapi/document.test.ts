import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { test } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { errorTable } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { openApi, type OpenApiDocument } from '../../../src/surfaces/openapi/openapi.ts';
import { describeOperation } from '../../../src/surfaces/openapi/describe.ts';
import { judgeXml } from '../../support/openapi/client.ts';
import { follow, resolve, validate } from '../../support/openapi/validate.ts';

type Node = Readonly<Record<string, unknown>>;

const options = { version: '1.2.3', timeZone: 'Europe/Lisbon', queueNames: ['First', 'Second'] };
const registry = new Registry(declarations);
const document = openApi(registry, options);

/** Returns every object of the document with its pointer. */
function* nodes(at: unknown, pointer = '#'): Generator<readonly [string, Node]> {
  if (typeof at !== 'object' || at === null) return;
  if (!Array.isArray(at)) yield [pointer, at as Node];
  for (const [name, of] of Object.entries(at))
    yield* nodes(of, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: Node;
}

function forms(of: OpenApiDocument): Described[] {
  return Object.entries(of.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

function parametersOf(of: OpenApiDocument, { operation }: Described): Node[] {
  return ((operation['parameters'] ?? []) as unknown[]).map((each) => follow(of, each));
}

/** Returns the member names of an object schema, those of its parts included. */
function namesOf(of: OpenApiDocument, schema: unknown): string[] {
  const node = follow(of, schema);
  const parts = (node['allOf'] ?? []) as unknown[];
  return [...Object.keys(node['properties'] ?? {}), ...parts.flatMap((part) => namesOf(of, part))];
}

/** Returns everything that a form accepts by name: in the path, in the query, or in a JSON body. */
function acceptedNames(of: OpenApiDocument, form: Described): Set<string> {
  const direct = parametersOf(of, form).flatMap((each) =>
    each['explode'] === true ? namesOf(of, each['schema']) : [each['name'] as string],
  );
  const body = form.operation['requestBody'] === undefined ? undefined : follow(of, form.operation['requestBody']);
  const json = (body?.['content'] as Record<string, Node> | undefined)?.['application/json'];
  return new Set([...direct, ...(json ? namesOf(of, json['schema']) : [])]);
}

test('KRN-22 every reference in the document resolves within it, and every component is referenced', () => {
  const used = new Set<string>();
  for (const [pointer, node] of nodes(document)) {
    const reference = node['$ref'];
    if (reference === undefined) continue;
    assert.ok(resolve(document, reference as string), pointer);
    used.add(reference as string);
  }
  const parts = Object.entries(document.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, of]) => Object.keys(of).map((name) => `#/components/${kind}/${name}`));
  assert.deepEqual(
    parts.filter((part) => !used.has(part)),
    [],
  );
  assert.deepEqual(
    parts.filter((part) => !/^#\/components\/\w+\/[A-Za-z0-9._-]+$/.test(part)),
    [],
  );
});

test('KRN-22 operation ids are unique, tags and security schemes declared, and every form declares its answers', () => {
  const ids = forms(document).map(({ operation }) => operation['operationId'] as string);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    ids.filter((id) => !/^[A-Za-z]\w*$/.test(id)),
    [],
  );
  const tags = new Set((document['tags'] as Node[]).map((tag) => tag['name']));
  const schemes = Object.keys(document.components['securitySchemes'] ?? {});
  assert.deepEqual(
    (document['security'] as Node[]).flatMap((each) => Object.keys(each)),
    schemes,
  );
  for (const form of forms(document)) {
    const where = `${form.method} ${form.path}`;
    for (const tag of form.operation['tags'] as string[]) assert.ok(tags.has(tag), where);
    const responses = form.operation['responses'] as Node;
    assert.ok(
      Object.keys(responses).some((status) => /^2\d\d$/.test(status)),
      where,
    );
    assert.ok('default' in responses, where);
    for (const response of Object.values(responses))
      assert.equal(typeof follow(document, response)['description'], 'string', where);
    assert.ok(!(['get', 'delete'].includes(form.method) && 'requestBody' in form.operation), where);
  }
});

test('KRN-22 the parameters of a path are exactly those in its template, and no parameter is declared twice', () => {
  for (const form of forms(document)) {
    const where = `${form.method} ${form.path}`;
    const parameters = parametersOf(document, form);
    const inPath = parameters.filter((each) => each['in'] === 'path');
    assert.deepEqual(
      inPath.map((each) => String(each['name'])).sort(),
      [...form.path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1])).sort(),
      where,
    );
    assert.ok(
      inPath.every((each) => each['required'] === true),
      where,
    );
    const keys = parameters.map((each) => `${String(each['in'])} ${String(each['name']).toLowerCase()}`);
    assert.equal(new Set(keys).size, keys.length, where);
    for (const each of parameters) assert.equal(typeof each['schema'], 'object', where);
  }
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
  assert.equal(new Set(shapes).size, shapes.length);
});

test('KRN-22 schemas are well-formed: known types, and every required member is declared', () => {
  const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean']);
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {})) {
    for (const [pointer, node] of nodes(schema, name)) {
      if (/\/(examples|default|properties)(\/\d+)?$/.test(pointer)) continue;
      const { type } = node;
      const named = Array.isArray(type) ? (type as string[]) : [type as string | undefined];
      for (const each of named.filter((one) => one !== undefined)) assert.ok(types.has(each), `${pointer}: ${each}`);
      if (Array.isArray(node['required']))
        for (const each of node['required'] as string[])
          assert.ok(namesOf(document, node).includes(each), `${pointer} requires ${each}`);
      if (Array.isArray(node['enum'])) assert.ok((node['enum'] as unknown[]).length > 0, pointer);
      if (type === 'array') assert.ok('items' in node, pointer);
    }
  }
});

test('KRN-22 each operation is listed with GET and POST, every parameter, its permission and its errors', () => {
  for (const operation of registry.operations()) {
    const path = `/api/${operation.route}`;
    const item = document.paths[path];
    assert.ok(item, path);
    assert.deepEqual(Object.keys(item).sort(), operation.body === 'raw' ? ['post'] : ['get', 'post'], path);
    for (const [method, described] of Object.entries(item)) {
      const taken = acceptedNames(document, { path, method, operation: described });
      const header = (name: string): string | undefined =>
        Object.entries(operation.headers ?? {}).find(([, parameter]) => parameter === name)?.[0];
      for (const [name, { classification }] of Object.entries(operation.params)) {
        // Secrets are sent in the body only.
        const isSent = method !== 'get' || classification !== 'secret';
        assert.equal(taken.has(name) || taken.has(String(header(name))), isSent, `${method} ${path} accepts ${name}`);
      }
      if (operation.access === 'permission') assert.equal(described['x-permission'], operation.permissionName, path);
      for (const code of operation.errors)
        assert.ok(String(errorTable[code].status) in (described['responses'] as Node), `${path} lists ${code}`);
    }
  }
});

test("KRN-22 every column that an answer shows is in the record type's schema, its save and its filters; secrets are write-only", () => {
  for (const record of registry.records()) {
    const answered = namesOf(document, { $ref: `#/components/schemas/${record.name}` });
    assert.deepEqual(
      answered,
      record.shown.map((column) => column.name),
      record.name,
    );
    const filters = namesOf(document, { $ref: `#/components/schemas/${record.name}.Filters` });
    const secret = [...record.columns.values()]
      .filter((column) => column.field.classification === 'secret' && column.field.kind !== 'ssn')
      .map((column) => column.name);
    for (const name of secret) assert.ok(!answered.includes(name) && !filters.includes(name), `${record.name}.${name}`);
    for (const { name } of record.shown) assert.ok(filters.includes(name), `${record.name}.${name}`);
    if (record.history === false) continue;
    const saved = namesOf(document, { $ref: `#/components/schemas/${record.name}.Save` });
    for (const { name, field } of record.shown)
      assert.equal(saved.includes(name), field.computed !== true, `${record.name}.${name}`);
  }
  const person = resolve(document, '#/components/schemas/Person.Fields')['properties'] as Record<string, Node>;
  assert.equal(person['Password']?.['writeOnly'], true);
});

test('KRN-22 every example is valid under the schema that it accompanies', () => {
  let seen = 0;
  for (const [pointer, node] of nodes(document)) {
    if (node['schema'] === undefined || pointer.includes('text~1xml')) continue;
    const examples = [
      ...('example' in node ? [node['example']] : []),
      ...Object.values((node['examples'] ?? {}) as Record<string, Node>).map((each) => each['value']),
    ];
    for (const example of examples) {
      seen += 1;
      assert.deepEqual(validate(document, node['schema'], example), [], pointer);
    }
  }
  for (const [name, schema] of Object.entries(document.components['schemas'] ?? {})) {
    for (const example of (schema['examples'] ?? []) as unknown[]) {
      seen += 1;
      assert.deepEqual(validate(document, schema['type'] === 'object' ? schema : {}, example), [], name);
    }
  }
  assert.ok(seen > registry.records().length * 3);
});

test('KRN-22 the document is valid under the schema of OpenAPI 3.1', async () => {
  const validation = await new Validator().validate(structuredClone(document));
  assert.equal(validation.valid, true, JSON.stringify(validation).slice(0, 500));
  const broken = await new Validator().validate({
    ...structuredClone(document),
    paths: { '/a': { get: { parameters: [{ name: 'x', in: 'nowhere' }] } } },
  });
  assert.equal(broken.valid, false);
});

test('KRN-22 every operation shows an example of its call and, unless it returns a file or nothing, of its answer in each format', () => {
  for (const operation of registry.operations()) {
    const item = document.paths[`/api/${operation.route}`] ?? {};
    const own = item[operation.body === 'raw' ? 'post' : operation.method.toLowerCase()] ?? {};
    const [sample] = (own['x-codeSamples'] ?? []) as { source: string }[];
    assert.match(sample?.source ?? '', new RegExp(`^curl .*/api/${operation.module}/`), operation.route);
    if (operation.returns === 'content' || operation.returns === 'nothing') continue;
    const content = follow(document, (own['responses'] as Node)['200'])['content'] as Record<string, Node>;
    for (const type of ['text/xml', 'application/json', 'text/csv'].filter((each) => each in content))
      assert.ok(
        'example' in (content[type] ?? {}),
        `${operation.route} has no example of ${type}; a tree with its own name declares one as \`example\``,
      );
  }
});

test('KRN-22 every example of an XML answer has the root and the elements that its schema lists', () => {
  let seen = 0;
  for (const [pointer, node] of nodes(document.components['responses'])) {
    if (typeof node['example'] !== 'string' || !node['example'].startsWith('<') || !pointer.endsWith('text~1xml'))
      continue;
    seen += 1;
    const schema = follow(document, node['schema']);
    assert.equal(parseXml(Buffer.from(node['example'])).name, (schema['xml'] as Node | undefined)?.['name'], pointer);
    judgeXml(document, schema, node['example'], pointer);
  }
  assert.ok(seen > registry.records().length * 2);
});

test("KRN-22 a call's parameters and its signature match its description, and the schema for agents is self-contained", () => {
  for (const operation of registry.operations()) {
    const of = describeOperation(registry, operation);
    assert.deepEqual(
      of.parameters.map(({ name }) => name),
      Object.keys(operation.params),
      operation.route,
    );
    assert.doesNotMatch(JSON.stringify(of.schema), /\$ref/, operation.route);
    assert.deepEqual(validate(document, of.schema, of.example.parameters), [], operation.route);
    for (const each of of.parameters.filter(({ required: needed }) => needed))
      assert.ok(each.name in of.example.parameters, `${operation.route} needs ${each.name}`);
    if (of.example.signature !== undefined)
      assert.ok(of.example.signature.toLowerCase().startsWith(operation.module), operation.route);
  }
});

test('KRN-22 the document stays small enough for a program to read at once', () => {
  const text = JSON.stringify(document);
  assert.ok(text.length < registry.operations().length * 9_000, String(text.length));
  assert.ok(gzipSync(text).length * 10 < text.length, 'repeated parts are referenced by name');
});

test('KRN-22 KRN-26 the queued and the parent-scope form are defined once, with the existing queues and record types', () => {
  const queued = document.paths['/api/{module}/queue/{operation}']?.['post'];
  assert.ok(queued);
  const parameters = parametersOf(document, { path: '', method: 'post', operation: queued });
  assert.deepEqual(
    (parameters.find((each) => each['name'] === 'QueueName')?.['schema'] as Node | undefined)?.['enum'],
    ['First', 'Second'],
  );
  assert.ok('202' in (queued['responses'] as Node));
  const below = document.paths['/api/{parentModule}/{parentId}/{module}/{operation}']?.['get'];
  assert.ok(below);
  assert.match(JSON.stringify(document['info']), /Europe\/Lisbon.*|1\.2\.3/);
});

test('KRN-22 the document follows the declarations: a new record type and operation appear in it, with lengths, choices and collections', () => {
  const parent = defineRecord({
    name: 'Shelf',
    doc: 'A shelf.',
    reach: 'none',
    fields: { Width: f.integer({ doc: 'In centimetres.' }) },
  });
  const child = defineRecord({
    name: 'Book',
    doc: 'A book.',
    reach: 'none',
    collections: { ShelfID: 'Books' },
    fields: {
      ShelfID: required(f.id({ doc: 'Where it stands.', to: 'Shelf' })),
      Title: f.text({ doc: 'Its title.', max: 7 }),
      Binding: f.choice(['Cloth', 'Paper'], { doc: 'Its binding.' }),
      Price: f.money({ doc: 'Its price.' }),
    },
  });
  const lend = {
    operation: {
      module: 'book',
      name: 'Lend',
      method: 'POST',
      summary: 'Lends books.',
      effect: 'write',
      idempotent: false,
      access: 'permission',
      params: { ID: required(f.idList({ doc: 'The books.' })), Until: f.date({ doc: 'Back by then.' }) },
      returns: { Lent: required(f.integer({ doc: 'How many.' })) },
      errors: ['STATE_REFUSES'],
      source: 'test',
    },
    run: () => undefined,
  } as const;
  const small = openApi(
    new Registry({
      records: [parent, child],
      operations: [...declarations.operations.filter((each) => each.operation.module === 'any'), lend],
    }),
    options,
  );
  const fields = resolve(small, '#/components/schemas/Book.Fields')['properties'] as Record<string, Node>;
  assert.equal(fields['Title']?.['maxLength'], 7);
  assert.deepEqual(fields['Binding']?.['enum'], ['Cloth', 'Paper']);
  assert.match(fields['ShelfID']?.['description'] as string, /Points to Shelf.*Required to create/);
  const shelf = resolve(small, '#/components/schemas/Shelf.Save')['properties'] as Record<string, Node>;
  assert.deepEqual(shelf['Books']?.['items'], { $ref: '#/components/schemas/Book.Save' });
  assert.deepEqual(Object.keys(small.paths['/api/book/lend'] ?? {}).sort(), ['get', 'post']);
  assert.ok(small.paths['/api/book/lend/{ID}']);
  assert.deepEqual(resolve(small, '#/components/schemas/Book.Lend.Parameters')['required'], ['ID']);
  assert.ok('422' in ((small.paths['/api/book/lend']?.['post']?.['responses'] ?? {}) as Node));
  assert.equal(small.paths['/api/book/search']?.['get']?.['operationId'], 'book_search');
});
