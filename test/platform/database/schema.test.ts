import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { allowsCustomFields } from '../../../src/kernel/declare/custom-field.ts';
import type { Column, RecordType } from '../../../src/kernel/declare/record.ts';
import { physicalColumns } from '../../../src/kernel/database/sql.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { testDatabase } from '../../support/database.ts';

const registry = new Registry(declarations);
const sql = postgres({ ...(await testDatabase({ after })), max: 1 });
after(() => sql.end());

interface StoredColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly notnull: boolean;
  readonly identity: string;
  readonly generated: string;
}

const stored = await sql<StoredColumn[]>`
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as notnull, a.attidentity as identity, a.attgenerated as generated,
    (select collname from pg_collation l where l.oid = a.attcollation) as collation
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`;
const byTable = Map.groupBy(stored, (c) => c.table);

/** Returns the columns of a record type's own table as declared, each once, without the identity. */
function ownColumns(record: RecordType): Column[] {
  const own = [...record.columns.values()].filter((c) => c.table === record.table && c.column !== `${record.table}id`);
  return [...new Map(own.map((c) => [c.column, c])).values()];
}

interface StoredTrigger {
  readonly table: string;
  readonly name: string;
  readonly fn: string;
}

/** Returns what is wrong with the triggers that every record type gets from its declaration: history and links. */
function generatedTriggerProblems(record: RecordType, own: readonly StoredTrigger[]): string[] {
  const problems: string[] = [];
  const history = own.filter((t) => t.fn === `casewright_history_of_${record.table}`);
  if (history.length !== (record.history === false ? 0 : 1))
    problems.push(`${record.table} has ${history.length} history triggers`);
  const isDeclared = Object.hasOwn(record.triggers ?? {}, `${record.table}_added`);
  const isRoot = record.base === undefined && (record.history !== false || isDeclared);
  if (own.filter((t) => t.name === `${record.table}_added`).length !== (isRoot ? 1 : 0))
    problems.push(`${record.table}: its inserts are ${isRoot ? 'not ' : ''}noted`);
  const following = own.filter((t) => t.name === `${record.table}_reach_links` && t.fn === 'casewright_reach_links');
  if (following.length !== (record.reach === 'one' || record.reach === 'many' ? 1 : 0)) {
    const fault =
      following.length > 0 ? 'follow it though firms do not reach it one by one' : 'do not follow its firms';
    problems.push(`${record.table}: its links ${fault}`);
  }
  return problems;
}

/** Returns the triggers that are stored without a declaration, and those that are declared but missing. */
function declaredTriggerProblems(record: RecordType, own: readonly StoredTrigger[]): string[] {
  const generated = new Set([`${record.table}_history`, `${record.table}_added`, `${record.table}_reach_links`]);
  const declared = Object.keys(record.triggers ?? {});
  // One behavior may need several triggers: a name that begins with a declared one belongs to it.
  const belongsTo = (name: string, d: string): boolean => name === d || name.startsWith(`${d}_`);
  const hasReachColumn = byTable.get(record.table)?.some((c) => c.name === 'reachorganizationid' && c.generated !== '');
  const needsTrigger = (name: string): boolean =>
    !name.endsWith('_reach') || (hasReachColumn !== true && record.base === undefined);
  return [
    ...own
      .filter(({ name }) => !generated.has(name) && !declared.some((d) => belongsTo(name, d)))
      .map(({ name }) => `${record.table}: ${name} is not declared`),
    ...declared
      .filter((d) => needsTrigger(d) && !own.some(({ name }) => belongsTo(name, d)))
      .map((d) => `${record.table}: ${d} is declared and missing`),
  ];
}

function expectedCollation(field: Column['field']): string {
  if (field.kind === 'xml') return 'default';
  return field.exact ? 'C' : 'casewright_text';
}

function expectedType(column: Column): { type: string; collation: string | null } {
  const { field } = column;
  if (field.kind === 'text' || field.kind === 'xml') {
    return {
      type: field.max === undefined ? 'text' : `character varying(${field.max})`,
      collation: expectedCollation(field),
    };
  }
  const types: Readonly<Record<string, string>> = { money: 'numeric(19,4)', timestamptz: 'timestamp with time zone' };
  const [first] = physicalColumns(column);
  return { type: types[field.kind] ?? types[first?.type ?? ''] ?? first?.type ?? '', collation: null };
}

function expectedColumns(record: RecordType): Map<string, { type: string; collation: string | null }> {
  const expected = new Map<string, { type: string; collation: string | null }>([
    [`${record.table}id`, { type: 'bigint', collation: null }],
  ]);
  for (const column of ownColumns(record)) {
    if (column.field.kind === 'ssn')
      for (const part of physicalColumns(column)) expected.set(part.column, { type: 'bytea', collation: null });
    else expected.set(column.column, expectedType(column));
  }
  if (allowsCustomFields(record) && !record.base) expected.set('custom', { type: 'jsonb', collation: null });
  if (record.reach === 'one') expected.set('reachorganizationid', { type: 'bigint', collation: null });
  if (record.reach === 'many') expected.set('reachorganizationid', { type: 'bigint[]', collation: null });
  return expected;
}

/** Tables without a record type, each with the reason why it exists. */
const infrastructure: Readonly<Record<string, string>> = {
  history: 'old values, by month',
  historyknown: 'from when on history is complete',
  notificationposition: 'how far changes have been looked at for notifications',
  apikeyuse: 'when each API key was last used',
  demoworld: 'how far loading the demo is',
  recordadded: 'which records were inserted in the last day',
  configurationversion: 'one counter that tells processes to read configuration again',
  idempotency: 'first answers under an Idempotency-Key',
  usagecount: 'calls and bytes of users, keys and addresses within a minute or day',
  mailcontent: 'mails that are not sent, encrypted',
  mailpace: 'when each mail server with a limit takes the next mail',
  mailanswer: 'when each sender of a conversation was last answered automatically',
  mailboxlease: 'which process watches a mailbox',
  messagefile: 'documents of a record that were filed with a received message',
  messageproposal: 'to which record an unfiled message probably belongs',
  messageread: 'when each user read each message',
  securelinkcode: 'one-time codes of secure links',
  securelinkfile: 'which documents a secure link shows',
  securelinkread: 'who read what by a secure link',
  limitedevent: 'when each user caused the security events whose number is limited',
  signinattempt: 'attempts to sign in that may have been guesses',
  signinfailure: 'registrations and refused connections in a window',
  installation: 'where the store was last used, and whether it is a copy',
  secretkeycheck: 'shows that the secret key is the one that the data was sealed under',
  secretkeyrotation: 'which key seals, and how far a rotation is',
  secretkeyholder: 'the processes that may seal, and which keys they know',
  queuepause: 'operations whose calls wait in a queue',
  queuecontrol: 'which queues are stopped or throttled, and the allowance that workers share',
  filecontent: 'contents of files that are kept in the database',
  filepiece: 'their pieces',
  storedfile: 'the paths of files that are kept in the database',
  testgatewayobject: 'what test gateways store: customers, methods, payments, refunds, subscriptions, disputes',
  testgatewayrequest: 'requests to test gateways under a key, with their answers',
  documentscan: 'contents of documents that are to be scanned for malware',
  documentrendition: 'documents in other formats, by the hash of their content',
  documenttext: 'how far the text of each document is read',
  documentimage: 'images of the pages of documents',
  documentpage: 'the text of documents, by page, and its words',
  messagetext: 'the words of messages',
  documentword: 'the words of these texts, by which beginnings of words are looked up',
  expectedfile: 'files that watches expect by a time, and whether they have come',
  watchedfile: 'files that watches have seen in storage locations, and how far each is taken',
  documentversion: 'earlier contents of documents',
  fileremoval: 'originals of moved documents, to be removed',
  deliverynotice: 'notices of mail houses that were received, so that none is taken twice',
  upload: 'files that come in pieces, until they are documents',
  webhookstate: 'how sending to each webhook goes, and the lock of who sends',
  importrun: 'how far each run of an import is, and who works on it',
  eventstate: 'which event spoke last of a case',
  loanassignment: 'what assignments of loans changed, for undoing them',
  loanassignmentattempt: 'the loan numbers that were compared for a firm',
  decisiondelaystate: 'which event spoke last of a hold',
  casechange: 'cases whose summaries for lists are out of date',
  sftpfile: 'files that came by sFTP, until they are imported or removed',
  importformdraft: 'answers of tasks that are not saved yet',
  workclaim: 'which work items users have begun, and until when they have them',
  decisionstepattempt: 'a start of a queued step: the outcome of its operation until a pass has recorded it',
  decisiontemplatecontent: 'what each version of a kind of workflow is made of, taken apart',
  matrixcontent: 'what each version of a matrix is made of, compressed',
  recorddraft: 'configuration as it is edited, before it is published',
  matrixacceptance: 'warnings about matrices that somebody has accepted',
  staginguse: 'which imports use which staging table',
  registration: 'registrations that wait to be confirmed',
  organizationlookup: 'the codes by which users register on an organization',
  organizationschedule: 'whose the recurring calls of organizations are',
  healthmute: 'findings of the health report that somebody has muted',
  queuesample: 'how many calls waited in each queue',
  queueretrycall: 'the calls of retries of dead letters that are in their queues',
  publicaddresscheck: 'what was found at the address of the installation',
  servercertificate: 'until when the certificates of other servers are valid',
  searchindex: 'the indexes that administrators have added',
  ruletrace: 'which rows of rule sets changed records, and why',
  slowsearch: 'which searches were slow because they read a whole table',
  migration: 'the files of db/ that were applied',
};

/** Tables without a record type that firms' users read, under a policy of their own. */
const readByReach: readonly string[] = [
  'documentpage casewright_reach',
  'messagetext casewright_reach',
  'messageread casewright_reach',
];

describe('the migrated database equals the declarations', () => {
  for (const record of registry.records()) {
    it(`KRN-32 ${record.table}: columns, types, lengths and collations`, () => {
      const actual = new Map(
        (byTable.get(record.table) ?? []).map((c) => [c.name, { type: c.type, collation: c.collation }]),
      );
      assert.deepEqual(Object.fromEntries(actual), Object.fromEntries(expectedColumns(record)));
    });

    it(`${record.table}: required columns are not null, the database assigns ids, tracking columns exist`, () => {
      const columns = new Map((byTable.get(record.table) ?? []).map((c) => [c.name, c]));
      assert.equal(columns.get(`${record.table}id`)?.identity, record.base ? '' : 'a');
      for (const column of ownColumns(record)) {
        if (column.field.required) assert.ok(columns.get(column.column)?.notnull, column.column);
      }
      if (!record.base)
        for (const name of ['createddate', 'updateddate', 'version']) assert.ok(columns.get(name)?.notnull, name);
    });
  }

  it('there are no tables but those of record types and the named ones', () => {
    const known = new Set([...registry.records().map((r) => r.table), ...Object.keys(infrastructure)]);
    const unknown = [...byTable.keys()].filter((t) => !known.has(t) && !/^history_(\d{6}|default)$/.test(t));
    assert.deepEqual(unknown, []);
  });

  it('every reference to a record type is a foreign key with an index', async () => {
    const keys = await sql<{ table: string; column: string; target: string }[]>`
      select conrelid::regclass::text as table,
        (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as column,
        confrelid::regclass::text as target
      from pg_constraint where contype = 'f' and cardinality(conkey) = 1`;
    const indexes = await sql<{ table: string; column: string }[]>`
      select i.indrelid::regclass::text as table, a.attname as column
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]`;
    const missing: string[] = [];
    for (const record of registry.records()) {
      if (
        record.base &&
        !keys.some(
          (k) => k.table === record.table && k.column === `${record.table}id` && k.target === record.base?.table,
        )
      )
        missing.push(`${record.table} is not tied to ${record.base.table}`);
      for (const column of ownColumns(record)) {
        const target =
          column.field.to === undefined || column.field.computed ? undefined : registry.record(column.field.to);
        if (!target) continue;
        if (!keys.some((k) => k.table === record.table && k.column === column.column && k.target === target.table))
          missing.push(`${record.table}.${column.column} references ${target.table}`);
        if (!indexes.some((i) => i.table === record.table && i.column === column.column))
          missing.push(`${record.table}.${column.column} has no index`);
      }
    }
    assert.deepEqual(missing, []);
  });

  it('KRN-20 the trigger of each table compares every column except those that describe the change itself or have no history', async () => {
    const reported = new Set(['updateddate', 'updatedpersonid', 'version', 'reachorganizationid']);
    const problems: string[] = [];
    for (const record of registry.records().filter((each) => each.history !== false)) {
      const [fn] = await sql<
        { text: string; args: string }[]
      >`select pg_get_functiondef(tgfoid) as text, encode(tgargs, 'escape') as args
        from pg_trigger
        where tgrelid = ${record.table}::regclass and tgname = ${`${record.table}_history`}`;
      const columns = await sql<{ name: string }[]>`select attname as name
        from pg_attribute
        where attrelid = ${record.table}::regclass and attnum > 0 and not attisdropped`;
      const never = new Set(fn?.args.split('\\000') ?? []);
      for (const { name } of columns) {
        const isCompared = [name, `"${name}"`].some((quoted) => fn?.text.includes(`'${name}', old.${quoted})`));
        if (isCompared === (reported.has(name) || never.has(name) || name === `${record.table}id`))
          problems.push(`${record.table}.${name}`);
      }
    }
    assert.deepEqual(problems, []);
  });

  it('KRN-20 triggers: history on every record table and not on logs, every other trigger named in its declaration, none undeclared', async () => {
    const triggers = await sql<StoredTrigger[]>`
      select tgrelid::regclass::text as table, tgname as name, tgfoid::regproc::text as fn
        from pg_trigger
        where not tgisinternal`;
    const problems = registry.records().flatMap((record) => {
      const own = triggers.filter((t) => t.table === record.table);
      return [...generatedTriggerProblems(record, own), ...declaredTriggerProblems(record, own)];
    });
    assert.deepEqual(problems, []);
  });

  it('KRN-18 row security is on for every record table, with the policies of its declared reach', async () => {
    const tables = await sql<{ table: string; on: boolean }[]>`select relname as table, relrowsecurity as on
      from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`;
    const policies = await sql<
      { table: string; roles: string[]; cmd: string; qual: string }[]
    >`select tablename as table, roles::text[] as roles, cmd, coalesce(qual, '') as qual from pg_policies`;
    for (const record of registry.records()) {
      assert.equal(tables.find((t) => t.table === record.table)?.on, true, `${record.table} has no row security`);
      const reached = policies.filter((p) => p.table === record.table && p.roles.includes('casewright_reach'));
      if (record.reach === 'none') assert.deepEqual(reached, [], record.table);
      if (record.reach === 'configuration')
        assert.ok(reached.every((p) => p.cmd === 'SELECT') && reached.length > 0, record.table);
      if (record.reach === 'one' || record.reach === 'many') {
        assert.ok(reached.length > 0, record.table);
        for (const policy of reached)
          assert.match(policy.qual, /reachorganizationid.*casewright\.firm|casewright_/, record.table);
      }
    }
  });

  it('KRN-18 the roles below the owner can do what their reach allows and nothing else', async () => {
    const grants = await sql<{ table: string; role: string; privilege: string }[]>`
      select c.relname as table, coalesce(r.rolname, 'public') as role, g.privilege_type as privilege
      from pg_class c cross join lateral aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and g.grantee <> c.relowner`;
    const of = (table: string, role: string): string[] =>
      grants
        .filter((g) => g.table === table && g.role === role)
        .map((g) => g.privilege)
        .sort();
    assert.deepEqual(
      grants.filter((g) => g.role === 'public'),
      [],
    );
    for (const record of registry.records()) {
      const expected = {
        one: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
        many: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
        configuration: ['SELECT'],
        none: [],
      }[record.reach];
      assert.ok(
        of(record.table, 'casewright_reach').every((g) => (expected as string[]).includes(g)),
        `${record.table}: ${of(record.table, 'casewright_reach').join(', ')}`,
      );
      for (const role of ['casewright_report', 'casewright_report_all'])
        assert.deepEqual(of(record.table, role), [], `${role} may read single columns, not all of ${record.table}`);
    }
    for (const table of Object.keys(infrastructure))
      for (const role of ['casewright_reach', 'casewright_report', 'casewright_report_all'])
        assert.deepEqual(
          of(table, role),
          readByReach.includes(`${table} ${role}`) ? ['SELECT'] : [],
          `${role} on ${table}`,
        );
    const columns = await sql<{ table: string; column: string; privilege: string }[]>`
      select c.relname as table, a.attname as column, g.privilege_type as privilege
      from pg_attribute a join pg_class c on c.oid = a.attrelid cross join lateral aclexplode(a.attacl) g
        join pg_roles r on r.oid = g.grantee
      where c.relnamespace = 'public'::regnamespace and r.rolname like 'casewright_report%'`;
    assert.ok(columns.length > 0 && columns.every((c) => c.privilege === 'SELECT'));
    for (const record of registry.records()) {
      const secret = ownColumns(record)
        .filter((c) => c.field.classification === 'secret')
        .flatMap((c) => (c.field.kind === 'ssn' ? physicalColumns(c).map((part) => part.column) : [c.column]));
      assert.deepEqual(
        columns.filter((c) => c.table === record.table && secret.includes(c.column)),
        [],
        record.table,
      );
    }
  });

  it('KRN-14 report views show each visible record type, and those for staff alone, under its declared names, under row security', async () => {
    const views = await sql<{ view: string; column: string; options: string[] | null }[]>`
      select c.relname as view, a.attname as column, c.reloptions as options
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'report'::regnamespace and c.relkind = 'v'`;
    const byView = Map.groupBy(views, (v) => v.view);
    for (const record of registry.records()) {
      const shown = [
        ...record.shown.filter((c) => c.field.kind !== 'ssn').map((c) => c.name.toLowerCase()),
        ...(allowsCustomFields(record) ? ['custom'] : []),
      ];
      const actual = byView.get(record.table);
      if (record.reach === 'none' && !record.staffReports) {
        assert.equal(actual, undefined, record.table);
        continue;
      }
      assert.deepEqual([...new Set(actual?.map((v) => v.column))].sort(), [...new Set(shown)].sort(), record.table);
      assert.ok(
        actual?.every((v) => v.options?.includes('security_invoker=true')),
        record.table,
      );
    }
    assert.deepEqual(
      [...byView.keys()].filter((view) => !registry.record(view)),
      ['history'],
    );
  });

  it("functions that run with the owner's rights have a fixed search path, and no session can impersonate another firm", async () => {
    const loose = await sql`select proname
        from pg_proc
        where prosecdef and pronamespace = 'public'::regnamespace
        and not coalesce(proconfig::text, '') like '%search_path=%'`;
    assert.deepEqual([...loose], []);
    const [may] = await sql<
      { may: boolean }[]
    >`select has_function_privilege('casewright_report', 'pg_catalog.set_config(text, text, boolean)',
      'execute') as may`;
    assert.equal(may?.may, false);
  });
});
