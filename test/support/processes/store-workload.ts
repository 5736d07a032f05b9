import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { call } from './server-process.ts';

/** What a server answered: a contact with its child, a document with its file, a line of the ledger. */
interface Answered {
  readonly kind: 'contact' | 'document' | 'line';
  readonly key: string;
  readonly id: number;
  /** Of a document: SHA-256 of its content. */
  readonly hash?: string;
}

/** Clients that go on saving until they are stopped. */
export interface Workload {
  /** What is answered by now. */
  answered(): readonly Answered[];
  stop(): Promise<void>;
}

const form = async (url: string, path: string, body: string): Promise<Record<string, unknown>> => {
  const answer = await call(url, `${path}?Output=Json`, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
};

/** A Social Security number for a counter; each is different. */
export const numberOf = (n: number): string => `9${String(10_000_000 + n).slice(-8)}`;

let made = 0;

/** Starts clients that save contacts, documents and lines of one ledger, one after the other. */
export async function startWorkload(url: string, clients: number): Promise<Workload> {
  const { LedgerID } = await form(url, '/api/ledger/save', 'Ledger=Workload');
  const answered: Answered[] = [];
  const stopping = new AbortController();
  const one = async (client: number): Promise<void> => {
    const n = ++made;
    const key = `W${client}x${n}`;
    const contact = await form(
      url,
      '/api/contact/save',
      `LastName=${key}&USSSN=${numberOf(n)}&Contacts_0_LastName=child%20of%20${key}` +
        `&Methods_0_MethodType=Email&Methods_0_ContactValue=${key}@example.test`,
    );
    answered.push({ kind: 'contact', key, id: Number(contact['ContactID']) });
    const content = Buffer.from(`content of ${key} ${'x'.repeat(n % 5_000)}`);
    const document = await form(
      url,
      '/api/attachment/save',
      `Object=Contact&ObjectID=${contact['ContactID']}&FileName=${key}.txt` +
        `&Content=${encodeURIComponent(content.toString('base64'))}`,
    );
    answered.push({
      kind: 'document',
      key,
      id: Number(document['AttachmentID']),
      hash: createHash('sha256').update(content).digest('hex'),
    });
    const line = await form(
      url,
      '/api/ledgeritem/save',
      `LedgerID=${LedgerID}&LedgerItem=${key}&AmountMoney=${n % 997}.25&IsDebit=true&IsTotaled=true`,
    );
    answered.push({ kind: 'line', key, id: Number(line['LedgerItemID']) });
  };
  const running = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (!stopping.signal.aborted) await one(client);
    }),
  );
  running.catch(() => undefined);
  return {
    answered: () => [...answered],
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Connects to the embedded database of a data folder whose server runs. */
export async function withEmbedded<T>(dataFolder: string, run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const host = join(dataFolder, 'postgres/socket');
  const sql = postgres({
    host,
    path: `${host}/.s.PGSQL.5432`,
    user: 'casewright',
    database: 'casewright',
    max: 1,
    onnotice: () => undefined,
  });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Looks whether a store has what was answered, and nothing half: rows, files, references, totals, and the pages of
 * tables and indexes.
 */
export async function verifyStore(dataFolder: string, answered: readonly Answered[]): Promise<void> {
  await withEmbedded(dataFolder, async (sql) => {
    await verifyRows(sql, answered);
    await verifyFiles(sql, join(dataFolder, 'files'), answered);
    await verifyReferences(sql);
    await verifyPages(sql);
  });
}

async function verifyRows(sql: postgres.Sql, answered: readonly Answered[]): Promise<void> {
  const ids = new Set(
    (
      await sql<{ id: number }[]>`select contactid::integer as id from contact where lastname like 'W%x%' collate "C"`
    ).map((row) => row.id),
  );
  for (const { key, id } of answered.filter((a) => a.kind === 'contact'))
    assert.ok(ids.has(id), `${key} was answered and is lost`);
  const half = await sql`
    select lastname from contact c where lastname like 'W%x%' collate "C" and not (
      (select count(*) from contact k where k.object = 'Contact' and k.objectid = c.contactid
        and k.lastname = 'child of ' || c.lastname) = 1
      and (select count(*) from contactmethod m where m.contactid = c.contactid) = 1
      and usssncipher is not null and usssnindex is not null)`;
  assert.deepEqual([...half], [], 'contacts without their parts');
  const lines = new Set(
    (await sql<{ id: number }[]>`select ledgeritemid::integer as id from ledgeritem`).map((row) => row.id),
  );
  for (const { key, id } of answered.filter((a) => a.kind === 'line'))
    assert.ok(lines.has(id), `the line ${key} was answered and is lost`);
  const wrong = await sql`
    select l.ledgerid, l.balance, l.balanceadjusted from ledger l where l.ledger = 'Workload' and
      (l.balance, l.balanceadjusted) is distinct from (
        select (sum(amountmoney), sum(amountmoney)) from ledgeritem i where i.ledgerid = l.ledgerid
      ) and l.balance <> 0`;
  assert.deepEqual(
    wrong.filter((row) => row['balance'] === null),
    [],
  );
  const [total] = await sql<
    { sum: string; balance: string }[]
  >`select (select coalesce(sum(amountmoney), 0) from ledgeritem) as sum,
    (select sum(balance) from ledger where ledger = 'Workload') as balance`;
  assert.equal(total?.balance, total?.sum, 'the total of the ledger is the sum of its lines');
}

async function verifyFiles(sql: postgres.Sql, files: string, answered: readonly Answered[]): Promise<void> {
  const rows = await sql<
    { id: number; path: string; hash: string }[]
  >`select attachmentid::integer as id, filepath as path, filehash as hash from attachment where sealed is not true`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { key, id, hash } of answered.filter((a) => a.kind === 'document'))
    assert.equal(byId.get(id)?.hash, hash, `the document ${key} was answered and is lost`);
  for (const { id, path, hash } of rows) {
    const found = createHash('sha256');
    for await (const piece of createReadStream(join(files, path)) as AsyncIterable<Buffer>) found.update(piece);
    assert.equal(found.digest('hex'), hash, `the file of the document ${id}`);
  }
}

async function verifyReferences(sql: postgres.Sql): Promise<void> {
  const keys = await sql<{ child: string; parent: string; columns: string[]; targets: string[] }[]>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent,
      array(select attname::text from unnest(conkey) with ordinality k(n, i)
        join pg_attribute on attrelid = conrelid and attnum = k.n order by k.i) as columns,
      array(select attname::text from unnest(confkey) with ordinality k(n, i)
        join pg_attribute on attrelid = confrelid and attnum = k.n order by k.i) as targets
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;
  assert.ok(keys.length > 20);
  for (const { child, parent, columns, targets } of keys) {
    const on = columns.map((column, n) => `p.${targets[n]} = c.${column}`).join(' and ');
    const set = columns.map((column) => `c.${column} is not null`).join(' and ');
    const [row] = await sql.unsafe<{ n: number }[]>(
      `select count(*)::integer as n from ${child} c where ${set} and not exists (select from ${parent} p where ${on})`,
    );
    assert.equal(row?.n, 0, `${child} points to ${parent} rows that are not there`);
  }
}

/** Every page of every table and index is read, its checksum compared, and its structure. */
async function verifyPages(sql: postgres.Sql): Promise<void> {
  await sql`create extension if not exists amcheck`;
  const [indexes] = await sql<{ n: number }[]>`
    select count(bt_index_check(c.oid, true))::integer as n
      from pg_class c join pg_am a on a.oid = c.relam and a.amname = 'btree'
      where c.relkind = 'i' and c.relpersistence = 'p'`;
  assert.ok((indexes?.n ?? 0) > 100);
  const damaged = await sql`select c.relname, v.*
      from pg_class c cross join lateral verify_heapam(c.oid) v
      where c.relkind in ('r', 't') and c.relpersistence = 'p'`;
  assert.deepEqual([...damaged], []);
}
