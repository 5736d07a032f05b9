import type { BenchOptions } from './run.ts';
import { updateText } from '../src/kernel/database/sql.ts';
import type { RecordType } from '../src/kernel/declare/record.ts';
import { contact } from '../src/modules/contacts/contact/contact.record.ts';
import { foreclosure } from '../src/modules/cases/records/foreclosure.record.ts';
import { startChild } from './lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from './lib/database.ts';
import { httpRequest, startHttpBench, type HttpBench } from './lib/http.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { Update, UpdateHandlers } from './lib/update.ts';

/** Changed records of each type. */
const ROWS = 20_000;
const tables = ['contact', 'process', 'foreclosure'] as const;

/** Records that are read, and the number of changes to each after the instant at which they are read. */
const READ_ROWS = 2_000;
const CHANGES = 10;

/**
 * The cost of history: the same changes on two databases, one with the history triggers and one without. And reading
 * it: a record before its last changes compared with the present record, both over HTTP.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const database = await startDatabase();
  try {
    await updates(database, options);
  } finally {
    await database.stop();
  }
  const http = await startHttpBench(options.profile);
  try {
    await reads(http, options);
  } finally {
    await http.stop();
  }
}

async function reads(http: HttpBench, options: BenchOptions): Promise<void> {
  await fill(http.database, http.connection, READ_ROWS);
  const at = await http.database.use(http.connection, async (sql) => {
    const [row] = await sql.unsafe<{ at: Date }[]>("select clock_timestamp() + interval '1 millisecond' as at");
    await sql.unsafe('select pg_sleep(0.01)');
    for (let n = 0; n < CHANGES; n++) {
      await sql.unsafe(
        `update contact set title = 'Title ${n}', city = 'City ${n}', version = version + 1,
           updateddate = clock_timestamp()
         where recordclass = 'Contact'`,
      );
      await sql.unsafe(`update foreclosure set saleamount = ${n}`);
    }
    await sql.unsafe('vacuum analyze');
    return row?.at.toISOString() ?? '';
  });
  for (const module of ['contact', 'foreclosure'] as const) {
    const ids = await http.database.use(http.connection, (sql) =>
      sql.unsafe<{ id: number }[]>(
        module === 'contact'
          ? "select contactid::integer as id from contact where recordclass = 'Contact'"
          : 'select foreclosureid::integer as id from foreclosure',
      ),
    );
    const asOf = (path: string, query: string): string[] =>
      ids.map(({ id }) => httpRequest(`/api/${module}/${path}/${id}?Output=Json${query}`, { key: http.staffKey }));
    const was = await http.call(http.staffKey, `/api/${module}/asof/${ids[0]?.id ?? 0}?Output=Json&At=${at}`);
    if (/Title \d|"SaleAmount":[0-9]\b/.test(JSON.stringify(was)))
      throw new Error('the record was answered as it is, not as it was');
    for (const callers of [1, 8]) {
      const name = `${module} before ${CHANGES} changes, ${callers} caller${callers === 1 ? '' : 's'}`;
      if (options.takes(name))
        options.print(
          line(
            `history: ${name}`,
            await http.compareKinds(
              { floor: asOf('select', ''), product: asOf('asof', `&At=${at}`) },
              callers,
              options.plan,
            ),
            { timeAtMost: 3 },
          ),
        );
    }
  }
}

/**
 * Of every five changes, two change a contact's fields, one its name, one a case's amounts, one its status.
 */
const mix: readonly Update[] = [
  change(contact, ['title', 'address', 'city']),
  change(foreclosure, ['scheduledsaledate'], 'day'),
  change(contact, ['title']),
  change(foreclosure, ['status']),
  change(contact, ['firstname', 'contact']),
];

function change(record: RecordType, names: readonly string[], another: 'text' | 'day' = 'text'): Update {
  const keys = names.map((name) => `${String(record.columns.get(name)?.table)}.${name}`).sort();
  return {
    text: updateText(record, keys),
    values: [
      { id: true },
      { same: null },
      { same: 1 },
      { same: '2026-01-01T00:00:00Z' },
      ...keys.map(() => ({ another })),
    ],
  };
}

async function updates(database: BenchDatabase, options: BenchOptions): Promise<void> {
  if (![1, 8].some((callers) => options.takes(updateName(callers)))) return;
  const connections = {
    with: await database.create('with_history'),
    without: await database.create('without_history'),
  };
  for (const connection of Object.values(connections)) await fill(database, connection, options.rows ?? ROWS);
  await database.use(connections.without, async (sql) => {
    for (const table of tables) await sql.unsafe(`alter table ${table} disable trigger ${table}_history`);
  });
  for (const callers of [1, 8]) {
    const name = updateName(callers);
    if (!options.takes(name)) continue;
    const sides = await Promise.all([
      updateSide(connections.without, callers, options.rows ?? ROWS),
      updateSide(connections.with, callers, options.rows ?? ROWS),
    ]);
    try {
      options.print(line(`history: ${name}`, await compare(sides[0], sides[1], options.plan), { timeAtMost: 1.3 }));
    } finally {
      await Promise.all(sides.map((side) => side.stop()));
    }
  }
}

const updateName = (callers: number): string => `update with history, ${callers} caller${callers === 1 ? '' : 's'}`;

async function updateSide(
  connection: BenchConnection,
  callers: number,
  ids: number,
): Promise<Side & { stop(): Promise<void> }> {
  const child = await startChild<UpdateHandlers>('update.ts');
  return {
    slice: (milliseconds) => child.ask('slice', { connection, updates: mix, ids, callers, milliseconds }),
    cpu: () => child.ask('cpu', undefined),
    stop: () => child.stop(),
  };
}

async function fill(database: BenchDatabase, connection: BenchConnection, rows: number): Promise<void> {
  await database.use(connection, async (sql) => {
    await sql.unsafe(`
      insert into contact (contact, status, recordclass, firstname, lastname, company, title, address, city, state,
        postalcode, country, birthdate, createdpersonid)
      select 'Name' || n % 5000 || ', First' || n % 300, 'Active', 'Contact', 'First' || n % 300, 'Name' || n % 5000,
        'Company ' || n % 700, 'Clerk', n || ' Main Street', 'City ' || n % 900, 'TX',
        lpad((n % 100000)::text, 5, '0'), 'US', date '1950-01-01' + n % 18000, 1
      from generate_series(1, ${rows}) n`);
    await sql.unsafe(`
      with made as (
        insert into process (process, status, recordclass, organizationid, dateopened, loanassigned, createdpersonid)
        select 'Case ' || n, 'Active', 'Foreclosure', null, date '2020-01-01' + n * 7 % 2000, true, 1
        from generate_series(1, ${rows}) n
        returning processid)
      insert into foreclosure (foreclosureid, saleamount, scheduledsaledate, openingbidamount)
      select processid, 100000 + processid % 9000 * 11.25, date '2026-01-01' + (processid % 300)::integer,
        90000 + processid % 5000
      from made`);
    await sql.unsafe('vacuum analyze');
    await sql.unsafe('checkpoint');
  });
}
