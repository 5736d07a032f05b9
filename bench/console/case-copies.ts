import type postgres from 'postgres';
import { namePools, POOL_SIZES, type Pool } from './name-pools.ts';

/** Every so many copies, all rows of the cases are copied; the others are closed and have no more than people. */
const WHOLE_EVERY = 3;
/** Every so many copies, the history of the cases is copied, too. */
const HISTORY_EVERY = 12;
/** Days by which the dates of copies are earlier: open cases are late by some weeks, closed ones years old. */
const DAYS = { whole: 40, closed: 2_000 } as const;
/** Shares of the copies in thousandths that are of the small and of the large firm. */
const SHARES = { small: 3, large: 73 } as const;

/** Tables of which every case has rows. */
const CASE_TABLES = [
  'property',
  'loan',
  'process',
  'foreclosure',
  'bankruptcy',
  'contact',
  'contactmethod',
  'casesummary',
];
/** Tables of which only open cases, and some closed ones, have rows. */
const CHILD_TABLES = [
  'decision',
  'decisionstep',
  'decisiondelay',
  'importform',
  'message',
  'attachment',
  'smartworklistmember',
  'ledger',
  'ledgeritem',
  'publicrecord',
  'notification',
];

/** Firms and people of the copies. */
export interface Cast {
  readonly smallFirm: number;
  readonly largeFirm: number;
  readonly otherFirms: readonly number[];
  /** Users to whom done work and notifications are credited. */
  readonly clerks: readonly number[];
}

/** A column of a table to copy. */
interface Column {
  readonly name: string;
  readonly type: string;
  /** The table of the record to which it refers; its own for the primary key. */
  readonly refersTo: string | null;
}

/** What a table's statement needs of the others. */
interface CopyPlan {
  /** By how much the ids of each table rise from one copy to the next. */
  readonly strides: ReadonlyMap<string, number>;
  readonly cast: Cast;
  readonly copies: number;
}

/**
 * Copies all cases so often that there are `rows`: with other borrowers, addresses, numbers, dates and firms.
 * Everything follows from the number of the copy, so that each run has the same rows. Triggers do not run; what they
 * would have written is copied, too.
 */
export async function copyCases(sql: postgres.Sql, rows: number, cast: Cast): Promise<void> {
  await sql.unsafe("set session_replication_role = replica; set maintenance_work_mem = '256MB'");
  await fillPools(sql);
  const strides = new Map<string, number>();
  for (const table of [...CASE_TABLES, ...CHILD_TABLES]) strides.set(table, await greatestId(sql, table));
  for (const table of ['foreclosure', 'bankruptcy', 'casesummary']) strides.set(table, strides.get('process') ?? 0);
  const [known] = await sql.unsafe<{ count: number }[]>('select count(*)::integer as count from process');
  const plan = { strides, cast, copies: Math.ceil(rows / (known?.count ?? 1)) - 1 };
  for (const table of CASE_TABLES) await withoutIndexes(sql, table, () => copyTable(sql, table, plan, 1));
  for (const table of CHILD_TABLES) await withoutIndexes(sql, table, () => copyTable(sql, table, plan, WHOLE_EVERY));
  await copyHistory(sql, plan);
  for (const table of [...CASE_TABLES, ...CHILD_TABLES, 'history']) await sql.unsafe(`vacuum analyze ${table}`);
  await sql.unsafe('drop table bench_name; checkpoint');
}

async function fillPools(sql: postgres.Sql): Promise<void> {
  await sql.unsafe('create unlogged table bench_name (pool text, n integer, name text, primary key (pool, n))');
  for (const [pool, names] of Object.entries(namePools()))
    await sql.unsafe(
      'insert into bench_name select $1, n - 1, name from unnest($2::text[]) with ordinality as u (name, n)',
      [pool, [...names]],
    );
  await sql.unsafe('analyze bench_name');
}

async function greatestId(sql: postgres.Sql, table: string): Promise<number> {
  const [row] = await sql.unsafe<{ id: number }[]>(`select coalesce(max(${table}id), 1)::integer as id from ${table}`);
  return row?.id ?? 1;
}

/** Inserts rows while a table has no index but its key: building an index at once takes a fraction of the time. */
async function withoutIndexes(sql: postgres.Sql, table: string, insert: () => Promise<void>): Promise<void> {
  const indexes = await sql.unsafe<{ name: string; text: string }[]>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text
     from pg_index i
     where indrelid = '${table}'::regclass and not indisprimary
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await insert();
  for (const { text } of indexes) await sql.unsafe(text);
}

async function copyTable(sql: postgres.Sql, table: string, plan: CopyPlan, every: number): Promise<void> {
  const columns = await columnsOf(sql, table);
  const values = columns.map((column) => valueOf(table, column, plan));
  await sql.unsafe(`insert into ${table} (${columns.map(({ name }) => name).join(', ')}) overriding system value
    select ${values.join(', ')}
    from (
      select k, ${hash('k', 1)} as h, k % ${WHOLE_EVERY} > 0 as isclosed
      from generate_series(1::bigint, ${plan.copies}) k) c
    cross join ${table} t${joinsOf(table)}
    where k % ${every} = 0${copiedRows[table] ?? ''}`);
  if (!['foreclosure', 'bankruptcy'].includes(table))
    await sql.unsafe(
      `select setval(pg_get_serial_sequence('${table}', '${table}id'), (select max(${table}id) from ${table}))`,
    );
}

/** Rows that are copied of tables which have others, too. */
const copiedRows: Readonly<Record<string, string>> = {
  contact: " and t.object = 'Loan'",
  attachment: " and t.object = 'Foreclosure'",
};

/** Copies what the history says of copied cases, and of what belongs to them. */
async function copyHistory(sql: postgres.Sql, { strides, copies }: CopyPlan): Promise<void> {
  const stride = [...strides].map(([table, ids]) => `when '${table}' then ${ids}`).join(' ');
  await sql.unsafe(
    `insert into history (at, tablename, recordid, change, personid, callid, version, old, updateddate,
      updatedpersonid, xid)
    select t.at - ${hash('k', 1)} % ${DAYS.whole} * interval '1 day', t.tablename,
      t.recordid + k * (case t.tablename ${stride} end)::bigint, t.change, t.personid, t.callid, t.version, t.old,
      t.updateddate, t.updatedpersonid, null
    from generate_series(${HISTORY_EVERY}::bigint, ${copies}, ${HISTORY_EVERY}) k cross join history t
    where t.tablename = any($1::text[])`,
    [[...strides.keys()]],
  );
}

async function columnsOf(sql: postgres.Sql, table: string): Promise<readonly Column[]> {
  return sql.unsafe<(Column & postgres.Row)[]>(
    `select a.attname as name, format_type(a.atttypid, null) as type,
       coalesce((select c.confrelid::regclass::text from pg_constraint c
         where c.conrelid = a.attrelid and c.contype = 'f' and c.conkey = array[a.attnum] limit 1),
         case when a.attname = '${table}id' then '${table}' when a.attname = 'processid' then 'process'
           when a.attname = 'loanid' then 'loan' when a.attname = 'nexttaskid' then 'importform' end) as "refersTo"
     from pg_attribute a
     where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     order by a.attnum`,
  );
}

/** Returns SQL for the value of a column in copy `k` of row `t`. */
function valueOf(table: string, column: Column, plan: CopyPlan): string {
  const { name, type, refersTo } = column;
  const own = ownValues[`${table}.${name}`];
  if (own !== undefined) return own;
  const stored = `t.${name}`;
  const special = personOf(table, name, plan.cast) ?? firmOf(name, type, plan.cast);
  if (special !== undefined) return special;
  const stride = refersTo === null ? undefined : plan.strides.get(refersTo);
  if (stride !== undefined) return `${stored} + k * ${stride}`;
  if (/^(?:source)?objectid$/.test(name))
    return `${stored} + k * ${strideByType(name.replace(/id$/, ''), plan.strides)}`;
  if (type.startsWith('timestamp')) return `${stored} - ${daysEarlier} * interval '1 day'`;
  return type === 'date' ? `${stored} - ${daysEarlier}` : stored;
}

/** SQL of the number of days by which a copy is earlier. */
const daysEarlier = `(case when isclosed then ${DAYS.whole} + h % ${DAYS.closed} else h % ${DAYS.whole} end)::integer`;

function strideByType(typeColumn: string, strides: ReadonlyMap<string, number>): string {
  const types = {
    Foreclosure: 'process',
    Bankruptcy: 'process',
    ImportForm: 'importform',
    Loan: 'loan',
    Ledger: 'ledger',
  };
  const cases = Object.entries(types).map(([type, table]) => `when '${type}' then ${strides.get(table) ?? 0}`);
  return `(case t.${typeColumn} ${cases.join(' ')} else 0 end)`;
}

/** Done work and notifications are spread over many users; open items are of nobody. */
function personOf(table: string, name: string, { clerks }: Cast): string | undefined {
  if (name !== 'personid') return undefined;
  const someone = `('{${clerks.join(',')}}'::bigint[])[1 + (k + t.${table}id) % ${clerks.length}]`;
  if (table === 'notification') return someone;
  if (table !== 'smartworklistmember') return undefined;
  return `case when t.completiondate is not null and t.personid is not null then ${someone} end`;
}

function firmOf(name: string, type: string, { smallFirm, largeFirm, otherFirms }: Cast): string | undefined {
  if (name !== 'organizationid' && name !== 'reachorganizationid') return undefined;
  const firm =
    `(case when h % 1000 < ${SHARES.small} then ${smallFirm} when h % 1000 < ${SHARES.large} then ${largeFirm} ` +
    `else ('{${otherFirms.join(',')}}'::bigint[])[1 + k % ${otherFirms.length}] end)::bigint`;
  if (type.endsWith('[]')) return `case when cardinality(t.${name}) = 0 then t.${name} else array[${firm}] end`;
  return `case when t.${name} is not null then ${firm} end`;
}

/** SQL of a number of at least 0 that depends on a value and on nothing else. */
function hash(value: string, salt: number): string {
  return `(hashint8extended(${value}, ${salt}) & 1073741823)`;
}

/** SQL of a place in a pool of names: the first are the most common. */
function placeIn(pool: Pool, value: string, salt: number): string {
  return `floor(${POOL_SIZES[pool]} * power(${hash(value, salt)} / 1073741824.0::float8, 2))::integer`;
}

const loanKey = (loan: string): string => `k * 1000003 + ${loan}`;
const propertyOf = 'coalesce((select l.propertyid from loan l where l.loanid = t.loanid), 0)';
const closedStatus = `case when isclosed then 'Closed' else t.status end`;
const number = (id: string): string =>
  `regexp_replace(t.NAME collate "C", '[0-9]+$', '') || lpad((k * 1000 + ${id})::text, 8, '0')`;

/** Joins of the names that a table's rows have. */
function joinsOf(table: string): string {
  const name = (alias: string, pool: Pool, value: string, salt: number): string =>
    ` left join bench_name ${alias} on ${alias}.pool = '${pool}' and ${alias}.n = ${placeIn(pool, value, salt)}`;
  if (table === 'contact')
    return (
      name('s', 'surname', loanKey('t.objectid'), 5) + name('f', 'first', `${loanKey('t.objectid')} + t.contactid`, 6)
    );
  if (table === 'property') return addressJoins(name, 't.propertyid');
  if (table !== 'casesummary') return '';
  return (
    ` cross join lateral (select ${propertyOf} as propertyid) p` +
    addressJoins(name, 'p.propertyid') +
    name('s', 'surname', loanKey('t.loanid'), 5) +
    ` left join lateral (select min(c.contactid) as one, nullif(max(c.contactid), min(c.contactid)) as two
        from contact c where c.object = 'Loan' and c.objectid = t.loanid and c.contactid <= 1000) b on true` +
    name('f', 'first', `${loanKey('t.loanid')} + b.one`, 6) +
    name('g', 'first', `${loanKey('t.loanid')} + b.two`, 6)
  );
}

function addressJoins(
  name: (alias: string, pool: Pool, value: string, salt: number) => string,
  property: string,
): string {
  return name('a', 'street', loanKey(property), 7) + name('y', 'city', loanKey(property), 8);
}

const addressOf = (property: string): string => `1 + ${hash(loanKey(property), 9)} % 4999 || ' ' || a.name`;

/** SQL of the columns whose values are the copy's own, by table and column. */
const ownValues: Readonly<Record<string, string>> = {
  'contact.contact': "s.name || ', ' || f.name",
  'contact.firstname': 'f.name',
  'contact.lastname': 's.name',
  'property.property': addressOf('t.propertyid'),
  'property.address': addressOf('t.propertyid'),
  'property.city': 'y.name',
  'loan.loan': "'7' || lpad((k * 1000 + t.loanid)::text, 9, '0')",
  'loan.servicerloanid': "'S' || (k * 1000 + t.loanid)",
  'bankruptcy.bkcaseno': "t.bkcaseno || '-' || k",
  'process.process': number('t.processid').replace('NAME', 'process'),
  'process.status': closedStatus,
  'process.dateclosed': `case when isclosed then t.dateopened - ${daysEarlier} + 300 else t.dateclosed end`,
  'casesummary.casesummary': number('t.processid').replace('NAME', 'casesummary'),
  'casesummary.status': closedStatus,
  'casesummary.isopen': 't.isopen and not isclosed',
  'casesummary.dateclosed': `case when isclosed then t.dateopened - ${daysEarlier} + 300 else t.dateclosed end`,
  'casesummary.hold': 'case when not isclosed then t.hold end',
  'casesummary.nextdue': `case when not isclosed then t.nextdue - ${daysEarlier} * interval '1 day' end`,
  'casesummary.nexttask': 'case when not isclosed then t.nexttask end',
  'casesummary.loannumber': "'7' || lpad((k * 1000 + t.loanid)::text, 9, '0')",
  'casesummary.borrower': "s.name || ', ' || f.name || coalesce(' and ' || g.name, '')",
  'casesummary.address': addressOf('p.propertyid'),
  'casesummary.city': 'y.name',
};
