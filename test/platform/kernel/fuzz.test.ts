import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';
import { anyCharacter } from '../../support/characters.ts';

const p = await testPlatform({ after }, { fixture });
work.set('x', async () => ({ kind: 'nothing' }));
// Everything that does not remove the fuzzer's own rights.
await p.admin.post('/api/role/save', {
  Role: 'Fuzzer',
  Permissions: '* -Role* -Person* -ApiKey* -Setting*',
  UniversalAccess: true,
});
const fuzzer = (await p.user('fuzzer', 'Fuzzer')).caller;
await p.admin.post('/api/role/save', { Role: 'Reached', Permissions: '* -Role* -Person* -ApiKey* -Setting*' });
const reached = (await p.firm('Fuzz Firm', 'Reached')).caller;
for (const LastName of ['One', 'Two'])
  await p.admin.post('/api/contact/save', { LastName, SubscriberID: LastName, Methods: [{ ContactValue: LastName }] });

/** Asserts that no request fails with an unexpected error and that no answer reveals internals. */
function assertNoUnexpectedError(answer: TestAnswer, sent: unknown): void {
  const reported = `${JSON.stringify(sent)}\n${answer.status} ${answer.text.slice(0, 500)}`;
  assert.ok(!/Code(?:=|":)"INTERNAL"/.test(answer.text), reported);
  assert.ok(answer.status < 500 || answer.status === 503 || answer.text.includes('<ImportResults'), reported);
  assert.ok(!/\bat \S+ \(file:|node_modules|PostgresError|syntax error at or near/.test(answer.text), reported);
}

const { registry } = p.platform;
const word = fc.oneof(
  fc.constantFrom(
    'null',
    'not null',
    '',
    '0',
    '-1',
    '1',
    '2',
    '99999999999999999999',
    '1e400',
    'NaN',
    'true',
    '2024-02-30',
    '2024-02-29',
    '0001-01-01',
    '9999-12-31T23:59:59-14:00',
    '1 - 2',
    '5-',
    '>=',
    '>=5',
    '<>x',
    'not *',
    '*',
    '**%_\\',
    '"',
    '""',
    '{X}',
    '%',
    "'; drop table contact --",
    '\u0000',
    '\ud800',
    '😀'.repeat(50),
    'a'.repeat(300),
    '__proto__',
    '1,2',
    ', ,',
    '-$1,234.5',
    'Json',
    'Csv',
    'One',
    'Contact',
    '<a>',
    '&amp;',
    'Daily @ 3am',
    'ContactID',
    '-LastName',
    'LastName desc',
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);
const names = [
  ...new Set([
    ...registry.records().flatMap((r) => [...r.columns.values()].map((c) => c.name)),
    ...registry.operations().flatMap((o) => Object.keys(o.params)),
    'ID',
    'SubscriberID',
    'Template',
    'Output',
    'callback',
    'Version',
    'QueueName',
    'QueuedDate',
    'ScheduleName',
    '_ScheduleName',
  ]),
];
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('Contacts', 'Methods', 'Chores', 'Items', 'Borrowers', 'Nothing'),
        fc.constantFrom('0', '1', '-1', '999999', 'x'),
        fc.constantFrom(...names),
      )
      .map((parts) => parts.join('_')),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('Contact', 'HelperContact', 'Loan', 'Process', 'Organization', ''),
        fc.constantFrom(...names),
      )
      .map((parts) => parts.join('_')),
  },
  { weight: 1, arbitrary: word },
);
const module = fc.constantFrom(...registry.records().map((r) => r.module), 'probe', 'queue', 'import', 'nothing');
const segment = fc.oneof(
  { weight: 3, arbitrary: module },
  { weight: 5, arbitrary: fc.constantFrom(...registry.operations().map((o) => o.name.toLowerCase())) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('1', '2', '0', '999999999', '99999999999999999', 'queue', '..', '.', '%2e%2e', ''),
  },
  { weight: 1, arbitrary: word },
);
const wellFormed = (text: string): string => encodeURIComponent(text.toWellFormed());
const path = fc.oneof(
  fc.tuple(module, segment).map((s) => s.map(wellFormed).join('/')),
  fc.constantFrom(...registry.operations().map((o) => o.route.replaceAll(/\{\w+\}/g, 'x'))),
  fc.array(segment, { maxLength: 7 }).map((s) => s.map(wellFormed).join('/')),
);
const query = fc
  .array(fc.tuple(name, fc.constantFrom('=', '>=', '<=', '>', '!=', ''), word), { maxLength: 5 })
  .map((pairs) => pairs.map(([n, sign, v]) => wellFormed(n) + sign + wellFormed(v)).join('&'));
const scalar = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const xmlName = fc.constantFrom(...names.filter((n) => /^[A-Za-z]+$/.test(n)), 'ContactItem', 'Contacts', 'Methods');
const xml = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .tuple(
      xmlName,
      fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('', 'text', '1', '<![CDATA[<]]>', '&lt;', '&bad;', '<!-- c -->'),
        fc.array(tie('element'), { maxLength: 3 }).map((c) => c.join('')),
      ),
    )
    .map(([n, inner]) => `<${n}>${inner}</${n}>`),
})).element;
const body = fc.oneof(
  fc
    .tuple(fc.dictionary(name, tree, { maxKeys: 4 }), fc.constant('application/json'))
    .map(([value, type]) => [JSON.stringify(value), type] as const),
  fc.tuple(query, fc.constant('application/x-www-form-urlencoded')),
  fc.tuple(xml, fc.constant('text/xml')),
  fc.tuple(
    fc.string({ unit: anyCharacter, maxLength: 40 }).map((s) => s.toWellFormed()),
    fc.constantFrom('application/json', 'text/xml', 'application/x-www-form-urlencoded', 'text/plain', ''),
  ),
);
const header = fc.constantFrom<Record<string, string>>(
  {},
  { 'If-Match': '"1"' },
  { 'If-Match': 'x' },
  { 'Idempotency-Key': 'k' },
  { 'X-Correlation-ID': 'x'.repeat(100) },
  { Accept: 'text/html' },
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD');

interface FuzzRequest {
  readonly verb: string;
  readonly target: string;
  /** Body and content type. */
  readonly content: readonly [string, string];
  readonly headers: Record<string, string>;
}

async function send(caller: Caller, { verb, target, content, headers }: FuzzRequest): Promise<void> {
  const bodied = verb !== 'GET' && verb !== 'HEAD';
  const answer = await caller.send(
    verb,
    `/api/${target}`,
    bodied ? content[0] : undefined,
    bodied && content[1] !== '' ? { ...headers, 'Content-Type': content[1] } : headers,
  );
  assertNoUnexpectedError(answer, [verb, target, ...content, headers]);
}

describe('fuzzing', () => {
  it('KRN-19 no path, query, header or body causes an unexpected error, for staff or under row security', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(fuzzer, reached),
        fc.record({ verb: method, path, query, content: body, headers: header }),
        (caller, { verb, path: route, query: text, content, headers }) =>
          send(caller, { verb, target: text === '' ? route : `${route}?${text}`, content, headers }),
      ),
      { numRuns: 700 },
    );
  });

  it('KRN-19 searches survive any filters and saves survive any fields', async () => {
    const record = fc.constantFrom(
      ...registry.records().filter((r) => !['role', 'person', 'apikey', 'setting'].includes(r.module)),
    );
    const call = record.chain((r) => {
      const own = fc.constantFrom(...[...r.columns.values()].map((c) => c.name));
      return fc.tuple(
        fc.constant(r.module),
        fc.constantFrom('search', 'search', 'save', 'insert'),
        fc.array(fc.tuple(own, scalar), { minLength: 1, maxLength: 5 }),
      );
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(fuzzer, reached), call, (caller, [where, operation, fields]) =>
        send(caller, {
          verb: 'POST',
          target: `${where}/${operation}`,
          content: [JSON.stringify(Object.fromEntries(fields)), 'application/json'],
          headers: {},
        }),
      ),
      { numRuns: 300 },
    );
  });

  it('bytes that are not HTTP, and truncated requests, do not stop the server', async () => {
    const { hostname, port } = new URL(p.url);
    const lines = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc
        .tuple(
          method,
          path,
          fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', ''),
          fc.constantFrom(
            'Host: x',
            'Content-Length: 10',
            'Content-Length: -1',
            'Transfer-Encoding: chunked',
            'X-ApiKey: the-administrators-key-of-tests\r\nContent-Type: application/json\r\nContent-Length: 50',
          ),
          fc.constantFrom('', '{"a":', 'zz\r\n', '5\r\nabc'),
        )
        .map(
          ([verb, where, version, head, rest]) =>
            `${verb} /api/${where} ${version}\r\nHost: x\r\n${head}\r\n\r\n${rest}`,
        ),
    );
    await fc.assert(
      fc.asyncProperty(
        lines,
        (bytes) =>
          new Promise<void>((resolve) => {
            const socket = connect(Number(port), hostname, () => socket.end(bytes));
            socket.on('error', () => undefined);
            socket.on('data', () => socket.destroy());
            socket.on('close', () => resolve());
          }),
      ),
      { numRuns: 100 },
    );
    assert.equal((await p.admin.get('/api/contact/search')).status, 200);
    const errors = await p.platform.store.query<{ errorlog: string; operation: string; stack: string }>(
      'select errorlog, operation, stack from errorlog',
    );
    assert.deepEqual([...errors], []);
  });
});
