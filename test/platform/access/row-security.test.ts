import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { testPlatform, type Caller } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { registry, store } = p.platform;
await p.admin.post('/api/role/save', { Role: 'Everything Reached', Permissions: '*', UniversalAccess: false });

/** A record of the plain model: its type and parents, without anything of how the database stores firms. */
interface Node {
  readonly type: string;
  readonly id: number;
  /** Its parent by Object and ObjectID, or by its one foreign key. */
  parent: Node | null;
  /** Of a user or a case: its firm. */
  firm: number | null;
  /** Of a child created from a template: whether the template is open to partners; undefined without a template. */
  readonly forPartners: boolean | undefined;
  /** Of a case: its loan. */
  loan: Node | null;
}

interface World {
  readonly nodes: Node[];
  readonly firms: readonly { readonly organizationId: number; readonly caller: Caller }[];
}

const templated = ['ImportForm', 'DecisionDelay', 'Message', 'Attachment', 'Ledger'].filter((type) =>
  registry.record(type),
);
const ofLedgers = ['Payment', 'PaymentRefund', 'PaymentDispute'];
const hasCases = registry.record('Foreclosure') !== undefined;
const cases = ['Foreclosure', 'Bankruptcy'];

/** The oracle: firms that can see a record, found by walking up its parents. Knows the rules, no database column. */
function firmsOf(world: World, node: Node): ReadonlySet<number> {
  const of = (firm: number | null): ReadonlySet<number> => new Set(firm === null ? [] : [firm]);
  if (ofLedgers.includes(node.type)) return node.parent ? firmsOf(world, node.parent) : of(null);
  switch (node.type) {
    case 'Organization':
      return of(node.id);
    case 'Person':
    case 'Foreclosure':
    case 'Bankruptcy':
      return of(node.firm);
    case 'Loan':
      return new Set(world.nodes.filter((n) => cases.includes(n.type) && n.loan === node).flatMap((n) => n.firm ?? []));
    case 'Contact':
    case 'ContactMethod':
    case 'LedgerItem':
    case 'PublicRecord':
      return node.parent ? firmsOf(world, node.parent) : of(null);
    default: {
      // Staff created all of them: without a template open to partners nobody else sees them.
      const parent = node.parent;
      return parent && node.forPartners ? new Set([...firmsOf(world, parent)].slice(0, 1)) : of(null);
    }
  }
}

async function insertId(table: string, values: Readonly<Record<string, unknown>>): Promise<number> {
  const names = Object.keys(values);
  const types: Readonly<Record<string, string>> = {
    loanassigned: 'boolean',
    amount: 'numeric',
    requesteddate: 'timestamptz',
    gatewaydisputeid: 'text',
  };
  const typeOf = (name: string): string => types[name] ?? (name.endsWith('id') ? 'bigint' : 'text');
  const [row] = await store.query<{ id: number }>(
    `insert into ${table} (${names.join(', ')})
     values (${names.map((n, i) => `$${i + 1}::${typeOf(n)}`).join(', ')})
     returning ${table}id as id`,
    Object.values(values),
  );
  return row?.id ?? 0;
}

let serial = 0;
const templates = new Map<string, number>();

async function templateOf(type: string, forPartners: boolean): Promise<number> {
  const key = `${type} ${forPartners}`;
  const known = templates.get(key);
  if (known !== undefined) return known;
  const table = `${type.toLowerCase()}template`;
  const id = await insertId(table, { [table]: key, extranetenabled: forPartners ? 'Self' : 'No' });
  templates.set(key, id);
  return id;
}

/** A node without relations. */
const unrelated = { parent: null, firm: null, forPartners: undefined, loan: null };

/** Creates a record as the owner of the tables, below an earlier one. */
async function make(world: World, type: string, pick: number): Promise<void> {
  const made = await insertRecord(world, type, pick);
  if (made) world.nodes.push({ ...unrelated, type, ...made });
}

type MadeNode = Partial<Node> & { readonly id: number };

/** Inserts a record; returns undefined if it needs a parent and there is none. */
async function insertRecord(world: World, type: string, pick: number): Promise<MadeNode | undefined> {
  const firm = pick % 5 === 0 ? null : (world.firms[pick % world.firms.length]?.organizationId ?? null);
  if (ofLedgers.includes(type)) return insertOfLedger(world, type, pick);
  switch (type) {
    case 'Organization':
      return { id: await insertOrganization() };
    case 'Person':
      return { firm, id: await insertId('person', { person: `person ${++serial}`, organizationid: firm }) };
    case 'Contact': {
      const parent = choose(world, pick, ['Organization', 'Person', 'Contact', ...cases, 'Loan', ...templated]);
      const values = { contact: `contact ${++serial}`, recordclass: 'Contact', ...below(parent) };
      return { parent, id: await insertId('contact', values) };
    }
    case 'ContactMethod':
      return insertChild(choose(world, pick, ['Contact', 'Organization']), 'contactmethod', 'contactid');
    case 'Loan':
      return { id: await insertId('loan', { loan: String(++serial) }) };
    case 'PublicRecord':
      return insertChild(choose(world, pick, ['Loan']), 'publicrecord', 'loanid');
    case 'Foreclosure':
    case 'Bankruptcy':
      return insertCase(type, firm, choose(world, pick, ['Loan']));
    case 'LedgerItem':
      return insertChild(choose(world, pick, ['Ledger']), 'ledgeritem', 'ledgerid');
    default:
      return insertTemplated(world, type, pick);
  }
}

function choose(world: World, pick: number, types: readonly string[]): Node | null {
  const found = world.nodes.filter((n) => types.includes(n.type));
  return found[pick % (found.length + 1)] ?? null;
}

function below(node: Node | null): Record<string, unknown> {
  return { object: node?.type ?? null, objectid: node?.id ?? null };
}

async function insertChild(parent: Node | null, table: string, key: string): Promise<MadeNode | undefined> {
  if (!parent) return undefined;
  return { parent, id: await insertId(table, { [table]: `${table} ${++serial}`, [key]: parent.id }) };
}

async function insertOfLedger(world: World, type: string, pick: number): Promise<MadeNode | undefined> {
  const parent = choose(world, pick, [type === 'Payment' ? 'Ledger' : 'Payment']);
  if (!parent) return undefined;
  return type === 'Payment' ? insertPayment(parent) : insertPaymentPart(type, parent);
}

async function insertPayment(parent: Node): Promise<MadeNode> {
  const values = {
    payment: `payment ${++serial}`,
    status: 'Declined',
    purpose: 'Charge',
    amount: '1',
    currency: 'USD',
    paymentkey: `key ${serial}`,
    requesteddate: '2026-05-04T15:00:00.000Z',
    ledgerid: parent.id,
  };
  return { parent, id: await insertId('payment', values) };
}

async function insertPaymentPart(type: string, parent: Node): Promise<MadeNode> {
  const own =
    type === 'PaymentRefund'
      ? { status: 'Failed', refundkey: `key ${++serial}` }
      : { status: 'Won', gatewaydisputeid: `dispute ${++serial}` };
  const values = { ...own, paymentid: parent.id, amount: '1', currency: 'USD' };
  return { parent, id: await insertId(type.toLowerCase(), values) };
}

async function insertCase(type: string, firm: number | null, loan: Node | null): Promise<MadeNode> {
  const id = await insertId('process', {
    process: `case ${++serial}`,
    recordclass: type,
    organizationid: firm,
    loanid: loan?.id ?? null,
    loanassigned: true,
  });
  const table = type.toLowerCase();
  await store.query(`insert into ${table} (${table}id, reachorganizationid) values ($1::bigint, $2::bigint)`, [
    id,
    firm,
  ]);
  return { id, firm, loan };
}

async function insertTemplated(world: World, type: string, pick: number): Promise<MadeNode> {
  const parent = choose(world, pick, [...cases, 'Organization', ...templated]);
  const forPartners = type === 'Ledger' || pick % 3 > 0 ? pick % 3 !== 1 : undefined;
  const table = type.toLowerCase();
  const template = forPartners === undefined ? {} : { [`${table}templateid`]: await templateOf(type, forPartners) };
  const id = await insertId(table, { [table]: `${type} ${++serial}`, ...below(parent), ...template });
  return { parent, forPartners, id };
}

async function insertOrganization(): Promise<number> {
  const id = await insertId('contact', { contact: `organization ${++serial}`, recordclass: 'Organization' });
  await store.query(
    'insert into organization (organizationid, reachorganizationid) values ($1::bigint, array[$1::bigint])',
    [id],
  );
  return id;
}

function isBelow(node: Node | null, ancestor: Node): boolean {
  for (let at = node; at; at = at.parent) if (at === ancestor) return true;
  return false;
}

/** Moves a record: to another parent, to another firm, to another loan, or away from all of them. */
async function move(world: World, which: number, where: number): Promise<void> {
  const node = world.nodes[which % world.nodes.length];
  if (!node) return;
  if (node.type === 'Person' || cases.includes(node.type)) return moveToFirm(world, node, where);
  if (node.type === 'Contact' || templated.includes(node.type)) return moveToParent(world, node, where);
}

async function moveToFirm(world: World, node: Node, where: number): Promise<void> {
  node.firm = where % 4 === 0 ? null : (world.firms[where % world.firms.length]?.organizationId ?? null);
  const table = node.type === 'Person' ? 'person' : 'process';
  await store.query(`update ${table} set organizationid = $2::bigint where ${table}id = $1::bigint`, [
    node.id,
    node.firm,
  ]);
  if (!cases.includes(node.type) || where % 3 !== 0) return;
  node.loan = choose(world, where, ['Loan']);
  await store.query('update process set loanid = $2::bigint where processid = $1::bigint', [
    node.id,
    node.loan?.id ?? null,
  ]);
}

async function moveToParent(world: World, node: Node, where: number): Promise<void> {
  const types =
    node.type === 'Contact'
      ? ['Organization', 'Person', 'Contact', ...cases, 'Loan', ...templated]
      : [...cases, 'Organization', ...templated];
  const parents = world.nodes.filter((n) => types.includes(n.type) && !isBelow(n, node));
  node.parent = parents[where % (parents.length + 1)] ?? null;
  const table = node.type.toLowerCase();
  await store.query(`update ${table} set object = $2::text, objectid = $3::bigint where ${table}id = $1::bigint`, [
    node.id,
    node.parent?.type ?? null,
    node.parent?.id ?? null,
  ]);
}

const kinds = [
  'Organization',
  'Person',
  'Contact',
  'Contact',
  'ContactMethod',
  ...(hasCases
    ? [
        'Foreclosure',
        'Foreclosure',
        'Bankruptcy',
        'Loan',
        'PublicRecord',
        'LedgerItem',
        ...ofLedgers,
        ...templated,
        ...templated,
      ]
    : []),
].filter((type) => registry.record(type));
const seen = [...new Set(kinds)];

for (const type of seen) {
  const record = registry.requireRecord(type, 'type');
  await p.admin.post('/api/statement/save', {
    ClassName: type,
    Statement: 'AllReached',
    Query: `select ${record.table}id as id from ${record.table} order by 1`,
  });
}

const firms = [
  await p.firm('First', 'Everything Reached'),
  await p.firm('Second', 'Everything Reached'),
  await p.firm('Third', 'Everything Reached'),
] as const;
const withoutFirm = await p.user('of no firm', 'Everything Reached');

async function emptyWorld(): Promise<World> {
  for (const { organizationId, personId } of firms)
    await store.query('update person set organizationid = $2::bigint where personid = $1::bigint', [
      personId,
      organizationId,
    ]);
  return { firms, nodes: [] };
}

/** Returns the IDs under a name in the rows of a JSON answer. */
function idsIn(text: string, name: string): number[] {
  return [...text.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].map((m) => Number(m[1])).sort((a, b) => a - b);
}

async function ids(caller: Caller, path: string, name: string): Promise<number[]> {
  const answer = await caller.get(`${path}${path.includes('?') ? '&' : '?'}Output=Json&DisplaySize=1000`);
  assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
  return idsIn(answer.text, name);
}

async function compare(world: World): Promise<void> {
  const ours = new Map(world.nodes.map((n) => [`${n.type}:${n.id}`, n]));
  for (const { organizationId, caller } of [...world.firms, { organizationId: 0, caller: withoutFirm.caller }]) {
    const reaches = (node: Node): boolean => firmsOf(world, node).has(organizationId);
    await Promise.all(
      seen.map(async (type) => {
        const record = registry.requireRecord(type, 'type');
        const expected = world.nodes
          .filter((n) => n.type === type && reaches(n))
          .map((n) => n.id)
          .sort((a, b) => a - b);
        const known = (found: number[]): number[] => found.filter((id) => ours.has(`${type}:${id}`));
        const searched = await ids(caller, `/api/${record.module}/search?SqlColumns=${record.idField}`, record.idField);
        assert.deepEqual(known(searched), expected, `search of ${type} by firm ${organizationId}`);
        assert.deepEqual(
          known(await ids(caller, `/api/${record.module}/allreached`, 'id')),
          expected,
          `statement on ${type} by firm ${organizationId}`,
        );
      }),
    );
    await Promise.all(
      world.nodes.filter((_, i) => i % 3 === 0).map((node) => compareOne(world, caller, reaches, node)),
    );
  }
}

/** Compares the model with the answers of every route that names a record. */
async function compareOne(world: World, caller: Caller, reaches: (node: Node) => boolean, node: Node): Promise<void> {
  const record = registry.requireRecord(node.type, 'type');
  const status = reaches(node) ? 200 : 404;
  for (const path of [
    `${record.module}/${node.id}`,
    `${record.module}/summary?ID=${node.id}`,
    `${record.module}/history?ID=${node.id}`,
  ]) {
    const answer = await caller.get(`/api/${path}`);
    assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 200)}`);
  }
  const contactsOf = (parent: Node | null): Node[] =>
    world.nodes.filter((n) => n.parent !== null && n.parent === parent && n.type === 'Contact' && reaches(n));
  const idsOf = (nodes: readonly Node[]): number[] => nodes.map((n) => n.id).sort((a, b) => a - b);
  const expected = idsOf(contactsOf(node));
  // A case also shows the borrowers of its loan to firms that can see the case.
  const below = reaches(node) ? idsOf([...contactsOf(node), ...contactsOf(node.loan)]) : expected;
  const known = (found: number[]): number[] =>
    found.filter((id) => world.nodes.some((n) => n.type === 'Contact' && n.id === id));
  const listed = await ids(
    caller,
    `/api/contact/listbyobject?Object=${node.type}&ObjectID=${node.id}&SqlColumns=ContactID`,
    'ContactID',
  );
  assert.deepEqual(known(listed), below, `contacts below ${node.type} ${node.id}`);
  const scoped = await caller.get(
    `/api/${record.module}/${node.id}/contact/search?Output=Json&SqlColumns=ContactID&Object=${node.type}` +
      '&DisplaySize=1000',
  );
  assert.equal(scoped.status, status, `${record.module}/${node.id}/contact/search: ${scoped.text.slice(0, 200)}`);
  if (status === 200)
    assert.deepEqual(
      known(idsIn(scoped.text, 'ContactID')),
      expected,
      `contacts in the scope of ${node.type} ${node.id}`,
    );
}

const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ make: fc.constantFrom(...kinds), pick: fc.nat(1_000) }) },
  { weight: 1, arbitrary: fc.record({ which: fc.nat(1_000), where: fc.nat(1_000) }) },
);

describe('visible rows', () => {
  test('KRN-18 what a partner gets by search, select, summary, history, listbyobject, parent scope and statement equals a plain walk up the records, also after moves', async () => {
    const first = seen.map((type, i) => ({ make: type, pick: i * 7 + 1 }));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 50, maxLength: 90 }), async (actions) => {
        const world = await emptyWorld();
        for (const organization of firms)
          world.nodes.push({
            type: 'Organization',
            id: organization.organizationId,
            parent: null,
            firm: null,
            forPartners: undefined,
            loan: null,
          });
        for (const each of [...first, ...actions]) {
          if ('make' in each) await make(world, each.make, each.pick);
          else await move(world, each.which, each.where);
        }
        await compare(world);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  test(
    'KRN-18 closing a template to partners hides its instances from them, and opening it shows them again',
    { skip: !templated.includes('Message') },
    async () => {
      const [firm] = firms;
      const template = await insertId('messagetemplate', { messagetemplate: 'closing', extranetenabled: 'Self' });
      const id = await insertId('message', {
        message: 'm',
        object: 'Organization',
        objectid: firm.organizationId,
        messagetemplateid: template,
      });
      const statuses: number[] = [];
      for (const extranet of ['Self', 'No', 'Self']) {
        await p.admin.post('/api/messagetemplate/save', `ID=${template}&ExtranetEnabled=${extranet}`);
        statuses.push((await firm.caller.get(`/api/message/${id}`)).status);
      }
      assert.deepEqual(statuses, [200, 404, 200]);
    },
  );

  test("KRN-18 a user without a firm sees no external ID of the installation's own view", async () => {
    const made = await p.admin.post(
      '/api/contact/save?Output=Json',
      'LastName=Subscribed&SubscriberID=of-the-installation',
    );
    assert.equal(made.status, 200);
    assert.deepEqual(await ids(withoutFirm.caller, '/api/objectsubscription/search', 'ObjectSubscriptionID'), []);
    assert.equal((await withoutFirm.caller.get('/api/contact/select?SubscriberID=of-the-installation')).status, 404);
    assert.equal((await withoutFirm.caller.post('/api/objectsubscription/save', 'SubscriberID=x')).status, 403);
  });

  test("KRN-18 a partner can neither take over another firm's record nor attach its own record to another firm's", async () => {
    const [one, two] = firms;
    const own = Number(
      (
        await one.caller.post(
          '/api/contact/save?Output=Json',
          `LastName=Own&Object=Organization&ObjectID=${one.organizationId}`,
        )
      ).json()['ContactID'],
    );
    const theirs = Number(
      (
        await two.caller.post(
          '/api/contact/save?Output=Json',
          `LastName=Theirs&Object=Organization&ObjectID=${two.organizationId}`,
        )
      ).json()['ContactID'],
    );
    assert.ok(own > 0 && theirs > 0);
    assert.equal(
      (await one.caller.post('/api/contact/save', `ID=${own}&Object=Organization&ObjectID=${two.organizationId}`))
        .status,
      404,
    );
    assert.equal(
      (await one.caller.post('/api/contact/save', `ID=${theirs}&Object=Organization&ObjectID=${one.organizationId}`))
        .status,
      404,
    );
    assert.equal((await one.caller.post('/api/contactmethod/save', `ContactID=${theirs}&ContactValue=x`)).status, 404);
    assert.equal(
      (await one.caller.post('/api/person/save', `Person=planted&OrganizationID=${two.organizationId}`)).status,
      404,
    );
    assert.equal((await one.caller.post('/api/organization/save', 'Organization=Planted')).status, 403);
    assert.equal((await one.caller.post('/api/person/save', `ID=${one.personId}&Roles=Administrator`)).status, 403);
    assert.equal((await one.caller.post('/api/contact/save', 'LastName=Nowhere')).status, 403);
  });

  test('KRN-18 many concurrent reads by a partner do not deadlock', async () => {
    const { caller, organizationId } = firms[0];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        caller.get(i % 2 === 0 ? `/api/organization/history?ID=${organizationId}` : '/api/contact/search'),
      ),
    );
    assert.deepEqual([...new Set(answers.map((a) => a.status))], [200]);
  });
});
