import type postgres from 'postgres';
import postgresClient from 'postgres';
import type { BenchOptions } from './run.ts';
import { slice } from './lib/callers.ts';
import type { FloorRoute } from './lib/floor.ts';
import { httpRequest, startHttpBench, type HttpBench } from './lib/http.ts';
import { readerOf } from './console/reader.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import { signInClerk } from './lib/sign-in.ts';

const IMPORTED = 100_000;
const LINES_PER_LEDGER = 100;
const POSTERS = 8;
const LARGE = 10_000;
const TOGGLED = 1_000;
/** Target for opening a ledger of 10,000 lines. */
const OPEN_MILLISECONDS_MAX = 200;
const figures = {
  set: 'lines imported as a set',
  hot: `${POSTERS} posters on one ledger`,
  single: 'save of one line',
  large: `save of one line in a ledger of ${LARGE}`,
  toggle: `${TOGGLED} lines of a ledger of ${LARGE} toggled`,
  open: `ledger of ${LARGE} lines opens`,
  page: `page of a ledger with ${LARGE} lines`,
} as const;

/** Lines of ledgers: as a set, on one ledger by many callers, one by one, and many in one ledger. */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    if (options.takes(figures.set)) await importSet(http, options);
    if (options.takes(figures.hot)) await hotLedger(http, options);
    if (options.takes(figures.single)) await singleSave(http, options);
    if (options.takes(figures.large)) await largeLedger(http, options);
    if (options.takes(figures.toggle)) await toggleLines(http, options);
    if (options.takes(figures.open)) await openLarge(http, options);
    if (options.takes(figures.page)) await openPage(http, options);
  } finally {
    await http.stop();
  }
}

/** Statements that this process sends itself. */
function sqlSide(http: HttpBench, run: (milliseconds: number) => ReturnType<Side['slice']>): Side {
  return {
    slice: run,
    cpu: async () => process.cpuUsage(),
    databaseCpu: () => http.database.cpu(),
  };
}

/**
 * A set of lines by one statement into ledgers of 100 lines, against two floors in SQL. Both insert the same rows into
 * a table with the same columns and indexes and without triggers, and update the balances by hand, in one transaction.
 * The first one writes nothing else. The second one stores what the product must store: it has the same constraints,
 * copies the firm that each ledger is visible to, and writes the rows of history and of the change feed.
 */
async function importSet(http: HttpBench, options: BenchOptions): Promise<void> {
  const rows = options.rows ?? IMPORTED;
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe(`${tablesIn('bare')}; ${tablesIn('whole')}; ${constraintsText}`).simple();
    for (const floor of [bareSet, wholeSet])
      options.print(
        line(
          `ledger: ${rows} ${figures.set}, floor ${floor.title}`,
          await compare(
            sqlSide(http, () => insertSet(sql, floor, rows)),
            sqlSide(http, () => insertSet(sql, productSet, rows)),
            options.plan,
          ),
          { rateAtLeast: 0.5 },
        ),
      );
    await sql.unsafe('vacuum analyze ledger, ledgeritem');
  });
}

/** The statements of one transaction that adds a set of lines. */
interface SetStatements {
  readonly title: string;
  readonly ledgers: string;
  /** Takes the first ledger and the number of lines. */
  readonly lines: string;
  /** Take the first ledger. */
  readonly after: readonly string[];
}

async function insertSet(
  sql: postgres.Sql,
  statements: SetStatements,
  rows: number,
): Promise<{ calls: number; seconds: number }> {
  const [first] = await sql.unsafe<{ id: number }[]>(
    `with made as (insert into ${statements.ledgers} (ledger, currency) select 'Set', 'USD'
       from generate_series(1, $1::integer) returning ledgerid)
     select min(ledgerid)::integer as id from made`,
    [Math.ceil(rows / LINES_PER_LEDGER)],
  );
  const from = first?.id ?? 0;
  const began = performance.now();
  await sql.begin(async (own) => {
    await own.unsafe(statements.lines, [from, rows]);
    for (const text of statements.after) await own.unsafe(text, [from]);
  });
  return { calls: rows, seconds: (performance.now() - began) / 1_000 };
}

const tablesIn = (schema: string): string => `create schema ${schema};
  create table ${schema}.ledger (like ledger including defaults including indexes);
  create table ${schema}.ledgeritem (like ledgeritem including defaults including indexes);
  create sequence ${schema}.ledgers; create sequence ${schema}.lines;
  alter table ${schema}.ledger alter ledgerid drop identity if exists;
  alter table ${schema}.ledgeritem alter ledgeritemid drop identity if exists;
  alter table ${schema}.ledger alter ledgerid set default nextval('${schema}.ledgers');
  alter table ${schema}.ledgeritem alter ledgeritemid set default nextval('${schema}.lines')`;

/** The foreign keys and checks of a line, in the second floor. */
const constraintsText = `do $$
  declare
    own record;
  begin
    for own in
      select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
      where conrelid = 'public.ledgeritem'::regclass and contype in ('f', 'c')
    loop
      execute format('alter table whole.ledgeritem add constraint %I %s', own.name,
        replace(own.definition, 'REFERENCES ledger(', 'REFERENCES whole.ledger('));
    end loop;
  end $$`;

const linesText = (table: string): string => `
  insert into ${table} (ledgeritem, ledgerid, amountmoney, isdebit, istotaled, createdpersonid)
  select 'Line ' || n, $1::bigint + (n - 1) / ${LINES_PER_LEDGER}, n % 900 + 0.25, true, true, 1
  from generate_series(1, $2::integer) n`;

const balancesText = (schema: string): string => `
  update ${schema}.ledger l set balance = s.total, balanceadjusted = s.adjusted
  from (select ledgerid, sum(case when isdebit then amountmoney else -amountmoney end) as total,
      sum(case when isdebit then amountmoney else -amountmoney end) filter (where istotaled) as adjusted
    from ${schema}.ledgeritem where ledgerid >= $1::bigint group by ledgerid) s
  where s.ledgerid = l.ledgerid`;

const productSet: SetStatements = { title: '', ledgers: 'ledger', lines: linesText('ledgeritem'), after: [] };

const bareSet: SetStatements = {
  title: 'without constraints and history',
  ledgers: 'bare.ledger',
  lines: linesText('bare.ledgeritem'),
  after: [balancesText('bare')],
};

const wholeSet: SetStatements = {
  title: 'with the same constraints and history',
  ledgers: 'whole.ledger',
  lines: `
    insert into whole.ledgeritem
      (ledgeritem, ledgerid, amountmoney, isdebit, istotaled, createdpersonid, reachorganizationid)
    select 'Line ' || n, l.ledgerid, n % 900 + 0.25, true, true, 1, l.reachorganizationid
    from generate_series(1, $2::integer) n
      join whole.ledger l on l.ledgerid = $1::bigint + (n - 1) / ${LINES_PER_LEDGER}`,
  after: [
    `insert into recordadded (tablename, ids)
     select 'ledgeritem', array(select ledgeritemid from whole.ledgeritem where ledgerid >= $1::bigint)`,
    `insert into history (tablename, recordid, change, version, updateddate, updatedpersonid, old)
     select 'ledger', ledgerid, 'update', version, updateddate, updatedpersonid,
       jsonb_build_object('balance', balance, 'balanceadjusted', balanceadjusted)
     from whole.ledger where ledgerid >= $1::bigint`,
    balancesText('whole'),
  ],
};

/**
 * Eight callers that save lines of one ledger over HTTP. The floor does what is naive without triggers, a statement at
 * a time: lock the ledger, insert, sum all lines, update, commit. Each side begins with an empty ledger in each slice.
 */
async function hotLedger(http: HttpBench, options: BenchOptions): Promise<void> {
  const sql = postgresClient({ ...http.connection, max: POSTERS, onnotice: () => undefined });
  try {
    await sql.unsafe(`drop schema if exists bare cascade; ${tablesIn('bare')}`).simple();
    const naive = sqlSide(http, async (milliseconds) => {
      const [ledger] = await sql.unsafe<{ id: number }[]>(
        `insert into bare.ledger (ledger, currency) values ('Hot', 'USD') returning ledgerid::integer as id`,
      );
      return slice(POSTERS, milliseconds, () => postNaively(sql, ledger?.id ?? 0));
    });
    const product: Side = {
      slice: async (milliseconds) => {
        const requests = [saveRequest(http, await emptyLedger(http))];
        return http.side(requests, POSTERS).slice(milliseconds);
      },
      cpu: () => http.cpu(),
      databaseCpu: () => http.database.cpu(),
    };
    options.print(line(`ledger: ${figures.hot}`, await compare(naive, product, options.plan), { rateAtLeast: 5 }));
  } finally {
    await sql.end();
  }
}

async function postNaively(sql: postgres.Sql, id: number): Promise<number> {
  const began = performance.now();
  await sql.begin(async (own) => {
    await own.unsafe('select 1 from bare.ledger where ledgerid = $1::bigint for update', [id]);
    await own.unsafe(
      `insert into bare.ledgeritem (ledgeritem, ledgerid, amountmoney, isdebit, istotaled)
       values ('Line', $1::bigint, 12.25, true, true)`,
      [id],
    );
    const [sum] = await own.unsafe<{ total: string }[]>(
      `select sum(case when isdebit then amountmoney else -amountmoney end) as total
       from bare.ledgeritem where ledgerid = $1::bigint`,
      [id],
    );
    await own.unsafe('update bare.ledger set balance = $2, balanceadjusted = $2 where ledgerid = $1::bigint', [
      id,
      sum?.total ?? '0',
    ]);
  });
  return performance.now() - began;
}

async function emptyLedger(http: HttpBench): Promise<number> {
  return Number((await http.call(http.staffKey, '/api/ledger/save?Output=Json', { Ledger: 'Bench' }))['LedgerID']);
}

const newLine = (ledgerId: number): object => ({
  LedgerID: String(ledgerId),
  LedgerItem: 'Line',
  AmountMoney: '12.25',
  IsDebit: true,
  IsTotaled: true,
});

const saveRequest = (http: HttpBench, ledgerId: number): string =>
  httpRequest('/api/ledgeritem/save?Output=Json', { key: http.staffKey, body: newLine(ledgerId) });

/** Saves of lines in many ledgers. The floor sends the product's own insert, with the triggers that total. */
async function singleSave(http: HttpBench, options: BenchOptions): Promise<void> {
  const ids: number[] = [];
  for (let n = 0; n < 200; n++) ids.push(await emptyLedger(http));
  const path = '/api/ledgeritem/save?Output=Json';
  await http.capture(http.staffKey, path, newLine(ids[0] ?? 0));
  const sent = await http.capture(http.staffKey, path, newLine(ids[0] ?? 0));
  const insert = sent.find(({ text }) => /into public\.ledgeritem\b/.test(text));
  if (!insert) throw new Error(`no insert of a line in: ${sent.map(({ text }) => text).join('; ')}`);
  const route: FloorRoute = {
    path: '/save',
    text: insert.text,
    values: insert.values.map((value) => (value === ids[0] ? { member: 'LedgerID' } : { value })),
    one: true,
  };
  await http.startFloor([route]);
  const requests = {
    product: ids.map((id) => saveRequest(http, id)),
    floor: ids.map((id) => httpRequest('/save', { body: { LedgerID: id } })),
  };
  for (const callers of [1, POSTERS])
    options.print(
      line(
        `ledger: ${figures.single}, ${callers} caller${callers === 1 ? '' : 's'}, ${sent.length} statements`,
        await http.compare(requests, callers, options.plan),
        { rateAtLeast: 0.6 },
      ),
    );
}

/** The same save, in ledgers with 10,000 lines and in empty ones, which take the place of the floor. */
async function largeLedger(http: HttpBench, options: BenchOptions): Promise<void> {
  const large = [await largeOf(http), await largeOf(http)];
  const small: number[] = [];
  for (let n = 0; n < 200; n++) small.push(await emptyLedger(http));
  const requestsOf = (ids: readonly number[]): string[] => ids.map((id) => saveRequest(http, id));
  const found = await http.compareKinds({ product: requestsOf(large), floor: requestsOf(small) }, 1, options.plan);
  options.print(line(`ledger: ${figures.large}`, found, {}));
}

/** Includes or excludes lines of a large ledger, all by one call. */
async function toggleLines(http: HttpBench, options: BenchOptions): Promise<void> {
  const id = await largeOf(http);
  const lines = `/api/ledgeritem/search?Output=Json&LedgerID=${id}&DisplaySize=${TOGGLED}`;
  const { LedgerItemCollection } = (await http.call(http.staffKey, lines)) as {
    LedgerItemCollection?: { LedgerItemItem?: { LedgerItemID?: number }[] };
  };
  const ids = (LedgerItemCollection?.LedgerItemItem ?? []).map(({ LedgerItemID }) => LedgerItemID);
  if (ids.length !== TOGGLED) throw new Error(`expected ${TOGGLED} lines`);
  const times: number[] = [];
  for (let n = 0; n <= options.plan.pairs; n++) {
    const began = performance.now();
    await http.call(http.staffKey, '/api/ledgeritem/toggleistotaled?Output=Json', { ID: ids.join(',') });
    if (n > 0) times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  options.print(`ledger: ${figures.toggle}: median ${(times[Math.floor(times.length / 2)] ?? 0).toFixed(0)} ms`);
}

async function largeOf(http: HttpBench): Promise<number> {
  const id = await emptyLedger(http);
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe(
      `insert into ledgeritem (ledgeritem, ledgerid, amountmoney, isdebit, istotaled, createdpersonid)
       select 'Line ' || n, $1::bigint, n % 900 + 0.25, true, true, 1 from generate_series(1, $2::integer) n`,
      [id, LARGE],
    );
    await sql.unsafe('vacuum analyze ledger, ledgeritem');
  });
  return id;
}

/** The ledger with its balance, and all its lines in pages of the largest size. */
async function openLarge(http: HttpBench, options: BenchOptions): Promise<void> {
  const id = await largeOf(http);
  const times: number[] = [];
  for (let n = 0; n < 5 + options.plan.pairs * 4; n++) {
    const began = performance.now();
    await http.call(http.staffKey, `/api/ledger/select?Output=Json&ID=${id}`);
    const lines = `/api/ledgeritem/search?Output=Json&LedgerID=${id}&OrderBy=Sequence&DisplaySize=1000`;
    const { LedgerItemCollection } = (await http.call(http.staffKey, lines)) as {
      LedgerItemCollection?: { LedgerItemItem?: unknown[] };
    };
    if (LedgerItemCollection?.LedgerItemItem?.length !== 1_000) throw new Error('expected 1,000 lines');
    if (n >= 5) times.push(performance.now() - began);
  }
  options.print(`ledger: ${figures.open}, the balance and the first 1,000 lines: ${within(times)}`);
}

function within(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor(times.length * part)] ?? Number.NaN;
  return (
    `median ${at(0.5).toFixed(0)} ms, 95th percentile ${at(0.95).toFixed(0)} ms, ` +
    `demanded <= ${OPEN_MILLISECONDS_MAX} ms: ${at(0.95) <= OPEN_MILLISECONDS_MAX ? 'met' : 'MISSED'}`
  );
}

/** The day to which the page is projected. */
const PROJECTED = '2027-01-15';
/** Views of the page that are measured for each pair, and those before them. */
const VIEWS_PER_PAIR = 20;
const WARMUP_VIEWS = 20;

/**
 * The page of a ledger as a clerk opens it, from the request to its last byte: at its beginning, in the middle, and
 * projected. A tenth of its lines belong to a template line that is calculated; its balance has changed often.
 */
async function openPage(http: HttpBench, options: BenchOptions): Promise<void> {
  const id = await largeOf(http);
  await makeProjectable(http, id);
  const reader = await readerOf(http, (await signInClerk(http)).cookie);
  const views = {
    'the first lines': `/ledgers/${id}`,
    'lines in the middle': `/ledgers/${id}?RecordStart=${LARGE / 2}`,
    'a live update': `/ledgers/${id}?Part=live`,
    projected: `/ledgers/${id}?through=${PROJECTED}`,
  };
  for (const [name, path] of Object.entries(views)) {
    const times: number[] = [];
    for (let n = 0; n < WARMUP_VIEWS + options.plan.pairs * VIEWS_PER_PAIR; n++) {
      const began = performance.now();
      await reader.get(path, path.includes('through') ? 'to the stored' : 'id="line-count"');
      if (n >= WARMUP_VIEWS) times.push(performance.now() - began);
    }
    options.print(`ledger: ${figures.page}, ${name}: ${within(times)}`);
  }
}

/** Gives a ledger a template with a line per day, and its balance a history. */
async function makeProjectable(http: HttpBench, id: number): Promise<void> {
  const template = await http.call(http.staffKey, '/api/ledgertemplate/save?Output=Json', {
    LedgerTemplate: 'Bench',
    Repeatable: 'Many',
    Items: [{ LedgerTemplateItem: 'Per diem', Units: 'Day', Rate: '12.5', IsDebit: true, IsTotaled: true }],
  });
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe('update ledger set ledgertemplateid = $2::bigint where ledgerid = $1::bigint', [
      id,
      Number(template['LedgerTemplateID']),
    ]);
    await sql.unsafe(
      `update ledgeritem i set units = 'Day', rate = 12.5, effectivedate = '2026-01-01', amountmoney = null,
         ledgertemplateitemid = (select t.ledgertemplateitemid from ledgertemplateitem t
           where t.ledgertemplateid = $2::bigint)
       where i.ledgerid = $1::bigint and i.ledgeritemid % 10 = 0`,
      [id, Number(template['LedgerTemplateID'])],
    );
    await sql.unsafe('vacuum analyze ledger, ledgeritem');
  });
  for (let n = 0; n < 20; n++) await http.call(http.staffKey, '/api/ledgeritem/save?Output=Json', newLine(id));
  const projection = `/api/ledgeritem/project?Output=Json&Changed=true&GoodThrough=${PROJECTED}&LedgerID=${id}`;
  const { LedgerItemCollection } = (await http.call(http.staffKey, projection)) as {
    LedgerItemCollection?: { LedgerItemItem?: unknown[] };
  };
  const changed = LedgerItemCollection?.LedgerItemItem?.length ?? 0;
  if (changed !== LARGE / 10) throw new Error(`expected ${LARGE / 10} lines to change, got ${changed}`);
}
