import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Field } from '../../../src/kernel/declare/field-types.ts';
import { namedParameters, ownParameter } from '../../../src/kernel/declare/named-parameters.ts';
import type { Operation } from '../../../src/kernel/declare/operation.ts';
import type { RecordType } from '../../../src/kernel/declare/record.ts';
import { rowsOf } from '../../support/client.ts';
import { contentHash, makeFirmRecords, operationRecipes, type FirmRecords } from '../../support/records.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

/** An ID that no record has. */
const ABSENT = 88_888_888;
/**
 * Modules called between two comparisons of all tables. A comparison costs about thirty calls; a small group identifies
 * the culprit.
 */
const MODULES_PER_HASH = 8;
/** The other firm's record IDs start here, so that one in an answer is recognizable. */
const FOREIGN_FROM = 77_000_000;

/**
 * A call made once with the name of a foreign record and once with an absent one. `blind`: it may answer 200, but as if
 * nothing were there. `misfit`: the record type cannot be a child of the route's parent.
 */
interface Variant {
  readonly what: string;
  readonly expect: 'refused' | 'blind' | 'misfit';
  readonly send: (name: string) => Promise<TestAnswer>;
  readonly foreign: string;
  readonly absent: string;
}

const p = await testPlatform({ after });
await p.admin.post('/api/setting/save', 'Setting=SignInFailuresPerAddressMax&Value=1000000');
await p.admin.post('/api/setting/save', 'Setting=CallsPerMinuteMax&Value=0');
await p.admin.post('/api/role/save', { Role: 'Everything Reached', Permissions: '*', UniversalAccess: false });
const alpha = await p.firm('Alpha', 'Everything Reached');
/** A partner's user with every permission and no universal access. */
const reached = alpha.caller;
const own = await makeFirmRecords(p.platform, alpha);
/** A user of the same firm without any role. */
const bare = (await p.user('nobody of Alpha', '')).caller;
await p.platform.store.query(`update person set organizationid = $1::bigint where person = 'nobody of Alpha'`, [
  alpha.organizationId,
]);
const wrongKey = p.byKey('cwk_this-key-was-never-made');
await farIds();
const foreign = await makeFirmRecords(p.platform, await p.firm('Beta'));

async function farIds(): Promise<void> {
  const roots = p.platform.registry.records().filter((r) => r.base === undefined);
  for (const [i, { table }] of roots.entries())
    await p.platform.store.query(
      `alter table ${table} alter column ${table}id restart with ${FOREIGN_FROM + i * 1_000}`,
    );
}

describe('every operation refuses callers without permission', () => {
  test('KRN-15 KRN-02 without a key, or with a wrong one, every form of every operation answers 401 and changes nothing', async () => {
    const turns = new Map<string, number>();
    await assertUnchangedBy(
      (o) => o.access !== 'anonymous',
      async (operation) => {
        const forms = inTurn(turns, operation, formsOf(operation));
        await assertAnswers(401, p.anonymous, 'nobody', forms);
        await assertAnswers(401, wrongKey, 'a wrong key', forms.slice(0, 2));
      },
    );
  });

  test('KRN-17 KRN-02 without the permission every form of every operation answers 403 and changes nothing', async () => {
    const turns = new Map<string, number>();
    await assertUnchangedBy(
      (o) => o.access === 'permission',
      (operation) => assertAnswers(403, bare, 'no permission', inTurn(turns, operation, formsOf(operation))),
    );
  });

  test('KRN-17 the built-in role Analyst is refused every operation on access and its evidence, in every form', async () => {
    const analyst = (await p.user('an analyst', 'Analyst')).caller;
    const readsUsers = new Set(['PersonSelect', 'PersonSearch', 'QueueStatus', 'QueueSchedules', 'QueueCancel']);
    const writesRules = new Set(['MailInboundSelect', 'MailInboundSearch']);
    const isOpen = (name: string): boolean =>
      readsUsers.has(name) || writesRules.has(name) || name.startsWith('MailProcessor');
    const turns = new Map<string, number>();
    const closed =
      /^(?:person|role|apikey|session|setting|securitylog|errorlog|queue|system|webhook|sftpaccount|fileobject|mail)/;
    const isClosed = ({ access, module, permissionName }: Operation): boolean =>
      access === 'permission' && (permissionName === 'UnmaskSSN' || (closed.test(module) && !isOpen(permissionName)));
    assert.ok(p.platform.registry.operations().filter(isClosed).length > 100);
    await assertUnchangedBy(isClosed, (operation) =>
      assertAnswers(403, analyst, 'an analyst', inTurn(turns, operation, formsOf(operation))),
    );
  });

  test('KRN-15 an unknown route reveals no more to an unauthenticated caller than a known one', async () => {
    const [known, unknown, module] = await Promise.all([
      p.anonymous.get('/api/contact/search'),
      p.anonymous.get('/api/contact/nosuchthing'),
      p.anonymous.get('/api/nosuchmodule/search'),
    ]);
    assert.equal(known.status, 401);
    assert.equal(plain(unknown, 'x'), plain(known, 'x'));
    assert.equal(plain(module, 'x'), plain(known, 'x'));
  });

  test('KRN-17 each refused call is in the security log', async () => {
    const count = async (): Promise<number> =>
      Number(
        (
          await p.platform.store.query<{ n: number }>(
            `select count(*)::integer as n from securitylog where securitylog = 'Refused' and object = 'contact/save'`,
          )
        )[0]?.n,
      );
    const before = await count();
    await bare.post('/api/contact/save', 'LastName=x');
    assert.equal(await count(), before + 1);
  });
});

/** Operations that refuse no name when their call is queued, and why. */
const refusesNone: Readonly<Record<string, string>> = {
  'process/evaluate': 'the values of the case, when it runs, decide what it creates and so which fields it takes',
  'score/calculate': 'names that its Method does not use are warnings, for a direct call too',
  'message/generate': 'names that no merge field uses are warnings, for a direct call too',
  'message/preview': 'names that no merge field uses are warnings, for a direct call too',
  'message/send': 'names that no merge field uses are warnings, for a direct call too',
  'importform/draft': 'the form of the task, when it runs, decides which answers it takes',
  'importform/evaluate': 'only the questions of the form are read, for a direct call too',
  'importform/insert': 'a task stores any other name as an answer, for a direct call too',
  'importform/save': 'a task stores any other name as an answer, for a direct call too',
  'importform/update': 'a task stores any other name as an answer, for a direct call too',
};

/** What decides which names an operation takes. */
const deciding: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'attachment/generate': { TemplateID: '{AttachmentTemplate}', Object: 'Organization', ObjectID: '{Organization}' },
  'businessrule/try': { AppliesTo: 'Contact' },
  'scoretemplate/try': { Object: 'Organization', ObjectID: '{Organization}' },
  'importfile/batch': { ClassName: 'Contact', Operation: 'Search', Signature: 'Contact/Summary?ID={ContactID}' },
};

describe('every operation refuses unknown parameters', () => {
  test('KRN-02 KRN-06 when its call is queued as when it is made', async () => {
    const made = await p.admin.post('/api/matrix/save', {
      Matrix: 'Of queued calls',
      Dimensions_0_MatrixDimension: 'State',
      Measures_0_MatrixMeasure: 'Result',
    });
    assert.equal(made.status, 200, made.text);
    const scorecard = await p.admin.post('/api/scoretemplate/create?Output=Json', {
      ScoreTemplate: 'Of queued calls',
      ScoreEngine: 'ExpressionEngine',
      EngineParameters: 'Score = 1',
    });
    const scorecardId = String(scorecard.json()['ScoreTemplateID']);
    const problems: string[] = [];
    await assertUnchangedBy(
      ({ access, body, module, path = '', route }) =>
        access !== 'anonymous' &&
        body !== 'raw' &&
        !path.includes('{') &&
        !(route in refusesNone) &&
        module !== 'fileobject',
      async (operation) => {
        const matrices = ['Matrix', 'FromMatrix', 'RuleSet'].filter((name) => name in operation.params);
        const named: Record<string, string> = Object.fromEntries(matrices.map((name) => [name, 'Of queued calls']));
        if (operation.route === 'scoretemplate/try') named['ID'] = scorecardId;
        const body = { ...requiredOf(operation), ...named, ...filled(deciding[operation.route]), NoSuchParameter: 'x' };
        const text = new URLSearchParams(body).toString();
        const { module, name, path } = operation;
        const answer = await p.admin.post(`/api/${module}/queue/${path ?? name.toLowerCase()}`, text);
        // Secrets in the clear and what is not for queues at all is refused before.
        const isRefused = answer.text.includes('UNKNOWN_PARAMETER') || answer.status === 403;
        if (!isRefused) problems.push(`${operation.route}: ${answer.status} ${answer.text.slice(0, 200)}`);
      },
      problems,
    );
    assert.equal(problems.length, 0, problems.join('\n'));
  });

  test('KRN-02 a queued batch is refused for its query, its call and their parameters as one that is made now', async () => {
    const batch = { ...deciding['importfile/batch'] };
    for (const [changed, code] of [
      [{ NoSuchColumn: 'x' }, 'UNKNOWN_PARAMETER'],
      [{ DisplaySize: '10' }, 'BAD_PARAMETER'],
      [{ ClassName: 'Nothing' }, 'BAD_PARAMETER'],
      [{ Operation: 'NoSuchOperation' }, 'UNKNOWN_OPERATION'],
      [{ Operation: 'Save' }, 'BAD_PARAMETER'],
      [{ Operation: 'queue/Search' }, 'BAD_PARAMETER'],
      [{ Signature: 'Contact/NoSuchOperation' }, 'BAD_SIGNATURE'],
      [{ BatchStepTheadCount: '65' }, 'BAD_PARAMETER'],
    ] as const) {
      const body = new URLSearchParams({ ...batch, ...changed }).toString();
      const [now, later] = [
        await p.admin.post('/api/importfile/batch', body),
        await p.admin.post('/api/importfile/queue/batch', body),
      ];
      assert.match(now.text, new RegExp(`Code="${code}"`), body);
      assert.equal(plain(later, 'x'), plain(now, 'x'), body);
    }
    const accepted = new URLSearchParams({ ...batch, LastName: 'Nobody' }).toString();
    assert.equal((await p.admin.post('/api/importfile/queue/batch', accepted)).status, 202);
  });

  test('KRN-02 a queued search is refused for columns, orders and values as one that is made now', async () => {
    for (const [parameters, code] of [
      ['NoSuchColumn=x', 'UNKNOWN_PARAMETER'],
      ['UPBAmount=lots', 'BAD_PARAMETER'],
      ['OrderBy=NoSuchColumn', 'UNKNOWN_PARAMETER'],
      ['SqlColumns=NoSuchColumn', 'UNKNOWN_PARAMETER'],
      ['SqlFilters=NoSuchFilter', 'BAD_PARAMETER'],
      ['DisplaySize=100000', 'BAD_PARAMETER'],
    ] as const) {
      const [now, later] = [
        await p.admin.post('/api/loan/search', parameters),
        await p.admin.post('/api/loan/queue/search', parameters),
      ];
      assert.match(now.text, new RegExp(`Code="${code}"`), parameters);
      assert.equal(plain(later, 'x'), plain(now, 'x'), parameters);
    }
    assert.equal((await p.admin.post('/api/loan/queue/search', 'UPBAmount>=1000&OrderBy=-LoanID')).status, 202);
  });
});

describe('every operation refuses records that are not visible', () => {
  test("KRN-18 KRN-02 another firm's record is refused in every operation and form as if it did not exist, and nothing changes", async () => {
    const problems: string[] = [];
    await assertUnchangedBy(
      () => true,
      async (operation) => void problems.push(...(await Promise.all(variantsOf(operation).map(problemsOf))).flat()),
      problems,
    );
    assert.equal(problems.length, 0, problems.join('\n'));
  });

  test('KRN-18 every record type is refused as a foreign parent in a route', async () => {
    const problems: string[] = [];
    for (const record of p.platform.registry
      .records()
      .filter((r) => r.reach !== 'configuration' && r.history !== false)) {
      for (const path of [
        'contact/search',
        'contact/listbyobject',
        'contact/save',
        'contact/queue/search',
        'contact/queue/save',
      ]) {
        const variant: Variant = {
          what: `/api/${record.module}/{id}/${path}`,
          expect: 'refused',
          foreign: String(foreign.id(record)),
          absent: String(ABSENT),
          send: (id) => reached.post(`/api/${record.module}/${id}/${path}`, 'LastName=x'),
        };
        problems.push(...(await problemsOf(variant)));
      }
    }
    assert.equal(problems.length, 0, problems.join('\n'));
  });

  test('KRN-05 below a parent, records of every type are found, read and changed only if they are its own, by staff too', async () => {
    const problems: string[] = [];
    const before = await contentHash(p.platform);
    const { registry } = p.platform;
    const below = `/api/organization/${own.organizationId}`;
    const children = registry.records().filter(({ parent, history }) => parent !== undefined && history !== false);
    let walked = 0;
    for (const record of children) {
      const found = await p.admin.get(`${below}/${record.module}/search?Output=Json&DisplaySize=1000`);
      const ids = found.status === 200 ? rowsOf(found.json()).map((row) => row[record.idField]) : [];
      if (ids.includes(foreign.id(record))) problems.push(`${record.name}: a search finds another parent's`);
      if (!ids.includes(own.id(record))) continue;
      walked++;
      for (const name of ['select', 'summary', 'history', 'asof', 'update', 'save', 'delete', 'rollback', 'undelete']) {
        const operation = registry.find(record.module, name)?.operation;
        if (!operation) continue;
        // The path names the record.
        const { ID: _ID, ...values } = requiredOf(operation);
        const path = `${below}/${record.module}/${name}/${foreign.id(record)}?Output=Json`;
        const answer = await (operation.effect === 'read'
          ? p.admin.get(`${path}&${new URLSearchParams(values).toString()}`)
          : p.admin.post(path, values));
        const { Code } = (answer.json()['Error'] ?? {}) as { Code?: string };
        if (Code !== 'NOT_FOUND')
          problems.push(`${record.name}/${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    assert.deepEqual(problems, []);
    assert.ok(walked > 10, `only ${walked} of ${children.length} types have a record below an organization`);
    assert.deepEqual(await contentHash(p.platform), before);
  });

  test('KRN-18 no list that a partner requests, in any Output, contains a value of another firm', async () => {
    for (const operation of p.platform.registry
      .operations()
      .filter((o) => o.effect === 'read' && o.free === 'filters')) {
      for (const output of ['Xml', 'Json', 'Csv']) {
        const answer = await reached.get(
          `/api/${operation.route}?Output=${output}` +
            `&DisplaySize=1000&${new URLSearchParams(requiredOf(operation)).toString()}`,
        );
        assert.ok(
          [200, 403].includes(answer.status),
          `${operation.route} ${output} answered ${answer.status}: ${answer.text.slice(0, 300)}`,
        );
        if (operation.record?.reach !== 'configuration') assertNothingRevealed(answer, operation.route, foreign);
      }
    }
  });

  test("KRN-18 the same calls on the caller's own records succeed, so the refusals above mean something", async () => {
    const answered: string[] = [];
    for (const record of p.platform.registry.records().filter((r) => r.reach === 'one' || r.reach === 'many')) {
      const answer = await reached.get(`/api/${record.module}/select?ID=${own.id(record)}`);
      if (answer.status === 200) answered.push(record.name);
    }
    for (const name of ['Contact', 'Organization', 'ContactMethod', 'Person', 'ObjectSubscription'])
      assert.ok(answered.includes(name), `${name} of the own firm was not answered; only ${answered.join(', ')} were`);
  });

  test('KRN-18 KRN-02 a queued call of another user is visible only to users with universal access', async () => {
    const made = await p.admin.post('/api/contact/queue/save?Output=Json', 'LastName=x');
    const id = String(made.json()['QueueMessageID']);
    const [other, absent] = await Promise.all([
      reached.get(`/api/queue/status?ID=${id}`),
      reached.get('/api/queue/status?ID=00000000-0000-4000-8000-000000000000'),
    ]);
    assert.equal(other.status, 404);
    assert.equal(plain(other, id), plain(absent, '00000000-0000-4000-8000-000000000000'));
    assert.equal((await p.admin.get(`/api/queue/status?ID=${id}`)).status, 200);
  });

  test('KRN-17 records saved along with another need their own permission', async () => {
    await p.admin.post('/api/role/save', { Role: 'Contacts Only', Permissions: 'ContactSave', UniversalAccess: true });
    const { caller } = await p.user('saver of contacts', 'Contacts Only');
    assert.equal((await caller.post('/api/contact/save', 'LastName=x')).status, 200);
    const before = await contentHash(p.platform);
    for (const body of [
      'LastName=x&ObjectSubscriptions_0_SubscriberID=s',
      'LastName=x&Methods_0_ContactValue=v',
      'LastName=x&Methods_0_Contact_Methods_0_ContactValue=v',
    ]) {
      const answer = await caller.post('/api/contact/save', body);
      assert.equal(answer.status, 403, `${body}: ${answer.text}`);
    }
    const nested = await caller.post(
      '/api/contact/save',
      `LastName=x&Object=Organization&ObjectID=${own.organizationId}&Organization_Status=x`,
    );
    assert.equal(nested.status, 403);
    assert.deepEqual(await contentHash(p.platform), before);
  });
});

/**
 * Calls operations in groups of modules and checks that no table changes. Adds what a group changed to `problems`, or
 * fails without it.
 */
async function assertUnchangedBy(
  which: (operation: Operation) => boolean,
  call: (operation: Operation) => Promise<void>,
  problems?: string[],
): Promise<void> {
  const modules = [...Map.groupBy(p.platform.registry.operations().filter(which), (o) => o.module)];
  let before = await contentHash(p.platform);
  for (let from = 0; from < modules.length; from += MODULES_PER_HASH) {
    const group = modules.slice(from, from + MODULES_PER_HASH);
    for (const operation of group.flatMap(([, operations]) => operations)) await call(operation);
    const after = await contentHash(p.platform);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    const reported = `one of ${group.map(([module]) => module).join(', ')} changed ${changed.join(', ')}`;
    if (changed.length > 0 && problems === undefined) assert.fail(reported);
    if (changed.length > 0) problems?.push(reported);
    before = after;
  }
}

async function assertAnswers(status: number, caller: Caller, who: string, forms: readonly Form[]): Promise<void> {
  const answers = await Promise.all(forms.map(async (form) => ({ form, answer: await form.send(caller) })));
  for (const { form, answer } of answers) {
    assert.equal(answer.status, status, `${who}: ${form.what} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    assertNothingRevealed(answer, `${who}: ${form.what}`, own);
  }
}

/** Operations of this name for most record types share their code. */
const sharedNames = new Set(
  [...Map.groupBy(p.platform.registry.operations(), ({ name }) => name)]
    .filter(([, { length }]) => length >= p.platform.registry.records().length / 2)
    .map(([name]) => name),
);

/**
 * Returns all of a module's own operation. Of an operation that every record type has, returns one per type, in turn:
 * its code is shared, so each is still tried on many types.
 */
function inTurn<Tried>(turns: Map<string, number>, operation: Operation, all: readonly Tried[]): readonly Tried[] {
  if (!sharedNames.has(operation.name)) return all;
  const turn = turns.get(operation.name) ?? 0;
  turns.set(operation.name, turn + 1);
  return all.length === 0 ? [] : [all[turn % all.length] as Tried];
}

const pathTurns = new Map<string, number>();
const routeTurns = new Map<string, number>();

/**
 * Returns what precedes an operation's path: for a direct call and for a queued one. Of an operation that every record
 * type has, returns one of them per type in turn, so that each kind of call is tried both ways.
 */
function pathForms(operation: Operation, kind: string): readonly string[] {
  const both = ['', 'queue/'];
  if (!sharedNames.has(operation.name)) return both;
  const key = `${operation.name} ${kind}`;
  // Kinds that only one type has begin with either.
  const turn = pathTurns.get(key) ?? pathTurns.size;
  pathTurns.set(key, turn + 1);
  return [both[turn % 2] as string];
}

/** One way to call an operation, with a record of the caller's own firm. */
interface Form {
  readonly what: string;
  readonly send: (caller: Caller) => Promise<TestAnswer>;
}

function formsOf(operation: Operation): Form[] {
  const { module } = operation;
  const path = filledPath(operation, String(own.organizationId));
  const id = operation.record ? own.id(operation.record) : 1;
  const body = new URLSearchParams(operation.body === 'raw' ? {} : requiredOf(operation)).toString();
  const forms: [string, string, string | undefined][] = [
    ['POST', `/api/${module}/${path}`, body],
    ['GET', `/api/${module}/${path}?${body}`, undefined],
    ['POST', `/api/${module}/queue/${path}`, body],
    ['GET', `/api/${module}/queue/${path}/${id}`, undefined],
    ['POST', `/api/${module}/${path}/${id}`, body],
    ['POST', `/api/organization/${own.organizationId}/${module}/${path}`, body],
    ['POST', `/api/organization/${own.organizationId}/${module}/queue/${path}/${id}`, body],
  ];
  for (const verb of verbsOf(operation)) forms.push([verb, `/api/${module}/${id}`, verb === 'GET' ? undefined : '']);
  return forms.map(([method, url, content]) => ({
    what: `${method} ${url}`,
    send: (caller) =>
      caller.send(
        method,
        url,
        content,
        content === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' },
      ),
  }));
}

function verbsOf({ route, module }: Operation): string[] {
  if (route === `${module}/select`) return ['GET'];
  if (route === `${module}/save`) return ['POST', 'PUT', 'PATCH'];
  return route === `${module}/delete` ? ['DELETE'] : [];
}

function filledPath(operation: Operation, value: string): string {
  return operation.route.slice(operation.module.length + 1).replace(/\{\w+\}/g, value);
}

/** Returns values for the required parameters. */
function requiredOf(operation: Operation): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, field] of Object.entries(operation.params)) {
    if (field.required && !operation.route.includes(`{${name}}`)) values[name] = sampleOf(operation, name, field);
  }
  return { ...values, ...filled(operationRecipes[operation.route]) };
}

/** Returns a recipe with its references filled in: `{ScoreTemplate}` is the ID of the own firm's. */
function filled(recipe: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = Object.entries(recipe).map(([name, value]) => [
    name,
    value.replace(/^\{(\w+)\}$/, (_, record: string) =>
      String(own.id(p.platform.registry.requireRecord(record, name))),
    ),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function sampleOf(operation: Operation, name: string, field: Field): string {
  switch (field.kind) {
    case 'id':
    case 'idList': {
      const target = targetOf(operation, name, field);
      return String(target ? own.id(target) : 1);
    }
    case 'integer':
    case 'decimal':
    case 'money':
      return '1';
    case 'boolean':
      return 'true';
    case 'date':
    case 'timestamp':
      return '2024-01-31';
    default:
      return field.values?.[0] ?? (name === 'Object' ? 'Organization' : 'x');
  }
}

/** Returns the record type that a parameter names. */
function targetOf(operation: Operation, name: string, field: Field): RecordType | undefined {
  if (name === 'ObjectID') return p.platform.registry.record('Organization');
  if (name === 'ID' || name === ownParameter(operation)) return operation.record;
  return field.to === undefined ? undefined : p.platform.registry.record(field.to);
}

/** Returns every way to name a foreign record in a call of an operation. */
function variantsOf(operation: Operation): Variant[] {
  if (operation.access === 'anonymous') return [];
  return [
    ...parameterVariants(operation),
    ...inTurn(routeTurns, operation, routeVariants(operation)),
    ...(operation.free === 'fields' ? saveVariants(operation) : []),
    ...(operation.free === 'filters' ? filterVariants(operation) : []),
  ];
}

// oxlint-disable-next-line max-params -- the matrix reads as a table: one row per call, one column per parameter
function post(
  operation: Operation,
  what: string,
  expect: Variant['expect'],
  target: RecordType,
  parameters: (id: string) => Record<string, string>,
  queued = true,
  names: { foreign: string; absent: string } = { foreign: String(foreign.id(target)), absent: String(ABSENT) },
): Variant[] {
  const path = filledPath(operation, '1');
  const variant = (form: string): Variant => ({
    what: `${operation.module}/${form}${path} ${what}`,
    expect,
    ...names,
    send: (id) => {
      const sent = new URLSearchParams({ ...requiredOf(operation), ...parameters(id) }).toString();
      const url = `/api/${operation.module}/${form}${path}`;
      return operation.body === 'raw'
        ? reached.post(`${url}?${sent}`, '<x/>', { 'Content-Type': 'text/xml' })
        : reached.post(url, sent);
    },
  });
  return queued && operation.body !== 'raw' ? pathForms(operation, what).map(variant) : [variant('')];
}

/** Declared parameters that name a record. Everybody may read configuration. */
function parameterVariants(operation: Operation): Variant[] {
  return Object.entries(operation.params).flatMap(([name, field]) => {
    if (field.kind !== 'id' && field.kind !== 'idList') return [];
    const target = targetOf(operation, name, field);
    if (!target || isOpen(operation, target)) return [];
    const by = namedParameters(operation).find(({ id }) => id === name);
    const refused = by !== undefined || (operation.effect === 'write' && target.reach !== 'configuration');
    const named = post(
      operation,
      `${name}={id}`,
      refused ? 'refused' : 'blind',
      target,
      (id) => ({ ...(by?.object === undefined ? {} : { [by.object]: target.name }), [name]: id }),
      refused,
    );
    if (name !== ownParameter(operation) || operation.record === undefined) return named;
    const outside = { foreign: foreign.subscriberId(operation.record), absent: 'no-such-subscriber' };
    const withoutId = (sub: string): Record<string, string> => ({ SubscriberID: sub });
    return [
      ...named,
      ...post(
        { ...operation, params: { ...operation.params, [name]: { ...field, required: false } } },
        'SubscriberID={id}',
        'refused',
        target,
        withoutId,
        true,
        outside,
      ),
    ];
  });
}

function isOpen(operation: Operation, target: RecordType): boolean {
  return target.reach === 'configuration' && operation.effect === 'read';
}

/** The record in the route, and a foreign parent. */
function routeVariants(operation: Operation): Variant[] {
  const { record, module } = operation;
  if (!record || operation.body === 'raw') return [];
  const path = filledPath(operation, '1');
  const body = new URLSearchParams(
    Object.fromEntries(
      Object.entries(requiredOf(operation)).filter(([name]) => name !== ownParameter(operation) && name !== 'ID'),
    ),
  ).toString();
  const variants: Variant[] = [];
  const add = (
    what: string,
    target: RecordType,
    send: (id: string) => Promise<TestAnswer>,
    expect: Variant['expect'] = 'refused',
  ): void => void variants.push({ what, expect, send, foreign: String(foreign.id(target)), absent: String(ABSENT) });
  const organization = p.platform.registry.recordType('Organization');
  for (const form of pathForms(operation, 'parent'))
    add(`organization/{id}/${module}/${form}${path}`, organization, (id) =>
      reached.post(
        `/api/organization/${id}/${module}/${form}${path}`,
        new URLSearchParams(requiredOf(operation)).toString(),
      ),
    );
  if (isOpen(operation, record)) return variants;
  if (
    ownParameter(operation) !== undefined ||
    operation.params['ID'] !== undefined ||
    operation.name === 'Save' ||
    operation.name === 'Update'
  ) {
    for (const form of pathForms(operation, 'path'))
      add(`${module}/${form}${path}/{id}`, record, (id) => reached.post(`/api/${module}/${form}${path}/${id}`, body));
    add(`GET ${module}/${path}/{id}`, record, (id) => reached.get(`/api/${module}/${path}/${id}?${body}`));
    add(
      `organization/own/${module}/${path}/{id}`,
      record,
      (id) => reached.post(`/api/organization/${own.organizationId}/${module}/${path}/${id}`, body),
      'misfit',
    );
  }
  for (const verb of verbsOf(operation))
    add(`${verb} ${module}/{id}`, record, (id) =>
      reached.send(verb, `/api/${module}/${id}`, operation.name === 'Save' ? 'Status=x' : undefined, {
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
    );
  return variants;
}

/** Operations that save a record by the same code. Each reference of a type is tried in one of them, in turn. */
const SAVES = ['Save', 'Insert', 'Update'];

/** Whether the reference of this number is tried in the operation. */
function isTriedIn({ name }: Operation, number: number): boolean {
  return !SAVES.includes(name) || SAVES[number % SAVES.length] === name;
}

/** Saves that name a foreign record: itself, its parent, records that it references, its children. */
function saveVariants(operation: Operation): Variant[] {
  const { record } = operation;
  if (!record) return [];
  const { registry } = p.platform;
  const variants: Variant[] = [];
  const ownId = operation.name === 'Insert' ? {} : { ID: String(own.id(record)) };
  if (operation.name !== 'Insert')
    variants.push(
      ...post(operation, 'ID={id}', 'refused', record, (id) => ({ ID: id, Status: 'x' })),
      ...post(operation, `${record.idField}={id}`, 'refused', record, (id) => ({ [record.idField]: id })),
    );
  if (operation.name === 'Update' && !record.columns.has('subscriberid'))
    variants.push(
      ...post(operation, 'SubscriberID={id}', 'refused', record, (id) => ({ SubscriberID: id, Status: 'x' }), true, {
        foreign: foreign.subscriberId(record),
        absent: 'no-such-subscriber',
      }),
    );
  if (record.parent !== undefined)
    variants.push(
      ...post(operation, 'Object and ObjectID', 'refused', registry.recordType('Organization'), (id) => ({
        ...ownId,
        Object: 'Organization',
        ObjectID: id,
      })),
    );
  const columns = [...new Set(record.columns.values())].filter((_, n) => isTriedIn(operation, n));
  for (const column of columns) {
    const target =
      column.field.to === undefined || column.field.computed ? undefined : registry.record(column.field.to);
    if (!target || target.reach === 'configuration') continue;
    variants.push(
      ...post(operation, `${column.name}={id}`, 'refused', target, (id) => ({ ...ownId, [column.name]: id })),
    );
    variants.push(
      ...post(
        operation,
        `${column.name}={id} with its fields`,
        'refused',
        target,
        (id) => ({ ...ownId, [column.name]: id, [`${column.name.slice(0, -2)}_Status`]: 'x' }),
        false,
      ),
    );
  }
  const collections = [...registry.collections(record).values()].filter((_, n) => isTriedIn(operation, n));
  for (const collection of collections) {
    const child = registry.requireRecord(collection.record, '');
    variants.push(
      ...post(
        operation,
        `${collection.name}_0_ID={id}`,
        'refused',
        child,
        (id) => ({ ...ownId, [`${collection.name}_0_ID`]: id, [`${collection.name}_0_Status`]: 'x' }),
        false,
      ),
    );
  }
  return variants;
}

/** Searches by a foreign name find nothing, exactly as for a name that does not exist. */
function filterVariants(operation: Operation): Variant[] {
  const { record } = operation;
  if (!record || record.reach === 'configuration') return [];
  const variants = [
    ...post(operation, 'ID={id}', 'blind', record, (id) => ({ ID: id }), false),
    ...post(operation, 'SubscriberID={id}', 'blind', record, (id) => ({ SubscriberID: id }), false, {
      foreign: foreign.subscriberId(record),
      absent: 'no-such-subscriber',
    }),
  ];
  for (const column of new Set(record.columns.values())) {
    const target = column.field.to === undefined ? undefined : p.platform.registry.record(column.field.to);
    if (target && target.reach !== 'configuration')
      variants.push(...post(operation, `${column.name}={id}`, 'blind', target, (id) => ({ [column.name]: id }), false));
  }
  return variants;
}

async function problemsOf(variant: Variant): Promise<string[]> {
  const [foreignAnswer, absentAnswer] = await Promise.all([
    variant.send(variant.foreign),
    variant.send(variant.absent),
  ]);
  const problems: string[] = [];
  const allowed = { refused: [401, 403, 404], misfit: [400, 401, 403, 404], blind: [200, 400, 401, 403, 404] }[
    variant.expect
  ];
  if (!allowed.includes(foreignAnswer.status))
    problems.push(`${variant.what}: answered ${foreignAnswer.status}: ${foreignAnswer.text.slice(0, 250)}`);
  if (
    foreignAnswer.status !== absentAnswer.status ||
    plain(foreignAnswer, variant.foreign) !== plain(absentAnswer, variant.absent)
  ) {
    problems.push(
      `${variant.what}: a foreign record is distinguishable from none: ${foreignAnswer.status} ` +
        `${plain(foreignAnswer, variant.foreign).slice(0, 200)} against ${absentAnswer.status} ` +
        plain(absentAnswer, variant.absent).slice(0, 200),
    );
  }
  const reported = revealedBy(foreignAnswer, foreign, variant.foreign);
  if (reported !== undefined) problems.push(`${variant.what}: tells ${reported}`);
  return problems;
}

/** Returns an answer without what differs from call to call. */
function plain(answer: TestAnswer, name: string): string {
  const id = answer.headers.get('x-correlation-id') ?? '';
  return `${answer.status} ${answer.text.replaceAll(id, 'CORRELATION').replaceAll(name, 'NAME')}`;
}

function revealedBy(answer: TestAnswer, of: FirmRecords, sent = ''): string | undefined {
  const text = `${answer.text} ${JSON.stringify([...answer.headers])}`.replaceAll(sent === '' ? '\u0000' : sent, '');
  return of.revealing.find((value) => text.includes(value));
}

function assertNothingRevealed(answer: TestAnswer, what: string, of: FirmRecords): void {
  const reported = revealedBy(answer, of);
  assert.equal(reported, undefined, `${what}: reveals ${reported}`);
}
