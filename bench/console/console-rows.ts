import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type postgres from 'postgres';
import { loadDemo } from '../../src/app/demo/sample-referrals.ts';
import type { WorldThreadData } from '../../src/app/demo/world-platform.ts';
import type { HttpBench } from '../lib/http.ts';
import { copyCases, type Cast } from './case-copies.ts';

const CLERKS = 300;
const OTHER_FIRMS = 40;
/** Open tasks and changes of a case that is busier than others, and how often there is one. */
const BUSY_TASKS = 60;
const BUSY_CHANGES = 200;
const BUSY_CASES = 250;
const LARGE_CASE_TASKS = 10_000;
/** Cases whose numbers, borrowers and addresses are searched. */
const SEARCHED = 400;

/** What figures show and search. Numbers are case IDs. */
export interface ShownCases {
  readonly cases: number;
  /** Foreclosures with 60 open tasks and 200 changes. */
  readonly busy: readonly number[];
  readonly bankruptcies: readonly number[];
  /** A foreclosure with 10,000 tasks. */
  readonly large: number;
  /** Open foreclosures of two firms. */
  readonly ofLargeFirm: readonly number[];
  readonly ofSmallFirm: readonly number[];
  /** Case numbers, surnames of borrowers, and addresses of some cases. */
  readonly numbers: readonly string[];
  readonly surnames: readonly string[];
  readonly addresses: readonly string[];
  /** The view of cases that are late in their stages. */
  readonly lateView: number;
}

/** Fills the database unless it was filled by an earlier run. Returns the IDs of the two firms. */
export async function prepareRows(
  http: HttpBench,
  rows: number,
): Promise<{ readonly small: number; readonly large: number }> {
  const firmsThere = await http.database.use(http.connection, (sql) =>
    sql.unsafe<{ id: number }[]>(
      `select contactid::integer as id from contact
       where contact in ('Small firm', 'Large firm') and recordclass = 'Organization' order by contact`,
    ),
  );
  const [large, small] = firmsThere;
  if (large && small) return { small: small.id, large: large.id };
  const made = {
    small: (await http.firm('Small firm')).organizationId,
    large: (await http.firm('Large firm')).organizationId,
  };
  await fillConsole(http, rows);
  return made;
}

/**
 * Fills an empty database with the demo's cases, played through the product, and with copies of them, until there are
 * `rows` cases. Open cases have workflows, tasks, work items and documents; two of three copies are closed and old.
 */
async function fillConsole(http: HttpBench, rows: number): Promise<void> {
  await loadDemo({ url: http.origin, administratorKey: http.staffKey, print: () => undefined });
  await loadWorld(http);
  await http.call(http.staffKey, '/api/casesummary/refresh?Output=Json', { All: true });
  await http.database.use(http.connection, async (sql) => {
    await copyCases(sql, rows, await createCast(sql));
    await fillBusyCases(sql);
  });
}

/** Returns what the figures show and search. */
export function shownCases({ database, connection }: HttpBench): Promise<ShownCases> {
  return database.use(connection, async (sql) => {
    const numbers = async (text: string): Promise<readonly number[]> =>
      (await sql.unsafe<{ id: number }[]>(text)).map(({ id }) => id);
    const texts = async (column: string): Promise<readonly string[]> =>
      (
        await sql.unsafe<{ text: string }[]>(
          `select ${column} as text from casesummary where casesummaryid % 997 = 5 and borrower is not null
           order by casesummaryid desc limit ${SEARCHED}`,
        )
      ).map(({ text }) => text);
    const open = (where: string): string =>
      `select casesummaryid::integer as id from casesummary where isopen and ${where}
       order by casesummaryid desc limit ${BUSY_CASES}`;
    const ofFirm = (name: string): string =>
      open(`recordclass = 'Foreclosure'
        and organizationid = (
          select min(contactid) from contact where contact = '${name}' and recordclass = 'Organization')`);
    const ofTask = (name: string): string =>
      `select objectid::integer as id from importform where importform = '${name}' order by id limit ${BUSY_CASES}`;
    return {
      cases: (await numbers('select count(*)::integer as id from process'))[0] ?? 0,
      busy: await numbers(ofTask('Busy task 1')),
      large: (await numbers(ofTask('Large task 1')))[0] ?? 0,
      bankruptcies: await numbers(open("recordclass = 'Bankruptcy'")),
      ofLargeFirm: await numbers(ofFirm('Large firm')),
      ofSmallFirm: await numbers(ofFirm('Small firm')),
      numbers: await texts('casesummary'),
      surnames: await texts('split_part(borrower collate "C", \',\', 1)'),
      addresses: await texts('address'),
      lateView: (await numbers(`select viewid::integer as id from "view" where "view" = 'Late in stage'`))[0] ?? 0,
    };
  });
}

/** Plays the demo's cases, in a thread, as a first start does. */
async function loadWorld({ database, connection }: HttpBench): Promise<void> {
  const thread = new Worker(new URL('../../src/app/demo/world-thread.ts', import.meta.url), {
    workerData: {
      connection,
      dataFolder: database.folder,
      filesFolder: join(database.folder, 'files'),
      secretKey: undefined,
      logLevel: 'error',
    } satisfies WorldThreadData,
  });
  const [code] = (await once(thread, 'exit')) as [number];
  if (code !== 0) throw new Error('the demo was not loaded');
}

async function createCast(sql: postgres.Sql): Promise<Cast> {
  const firm = async (name: string): Promise<number> => {
    const [row] = await sql.unsafe<{ id: number }[]>(
      `select contactid::integer as id from contact where contact = $1 and recordclass = 'Organization'`,
      [name],
    );
    return row?.id ?? 0;
  };
  const clerks = await sql.unsafe<{ id: number }[]>(
    `insert into person (person, firstname, lastname, status, roles)
     select 'clerk ' || n, 'Clerk', 'Number ' || n, 'Active', 'Staff' from generate_series(1, ${CLERKS}) n
     returning personid::integer as id`,
  );
  await sql.unsafe(
    `insert into collectionmember (collectionid, sourceobjectid, priority)
     select c.collectionid, p.personid, 1 from collection c, person p
     where c.sourceobject = 'Person' and p.person like 'clerk %' collate "C" and (c.collectionid + p.personid) % 3 = 0`,
  );
  const others = await sql.unsafe<{ id: number }[]>(
    `with named as (
       insert into contact (contact, status, recordclass)
       select 'Firm ' || n, 'Active', 'Organization' from generate_series(1, ${OTHER_FIRMS}) n returning contactid)
     insert into organization (organizationid) select contactid from named returning organizationid::integer as id`,
  );
  return {
    smallFirm: await firm('Small firm'),
    largeFirm: await firm('Large firm'),
    otherFirms: others.map(({ id }) => id),
    clerks: clerks.map(({ id }) => id),
  };
}

/** Adds tasks and changes to some open foreclosures, and 10,000 tasks to one. */
async function fillBusyCases(sql: postgres.Sql): Promise<void> {
  const open = `select casesummaryid as id, row_number() over (order by casesummaryid) as n from casesummary
    where recordclass = 'Foreclosure' and isopen and casesummaryid > 1000 and stage is not null`;
  const tasks = (name: string, where: string, count: number): string => `
    insert into importform (importform, object, objectid, reachorganizationid, estimatedcompletion, actualcompletion,
      assignedpersonid, createdpersonid)
    select '${name} task ' || t, 'Foreclosure', p.processid, p.organizationid,
      now() + (t % 90 - 45) * interval '1 day',
      case when ${count} > 1000 and t % 4 > 0 then now() - t % 900 * interval '1 day' end,
      (select min(personid) + t % ${CLERKS} from person where person like 'clerk %' collate "C"), 1
    from (${open}) o join process p on p.processid = o.id cross join generate_series(1, ${count}) t where ${where}`;
  await sql.unsafe(tasks('Busy', `o.n % 40 = 7 and o.n <= ${40 * BUSY_CASES}`, BUSY_TASKS));
  await sql.unsafe(tasks('Large', 'o.n = 2', LARGE_CASE_TASKS));
  await sql.unsafe(`insert into history (at, tablename, recordid, change, personid, callid, old)
    select now() - t * interval '3 hours', case when t % 4 = 0 then 'loan' else 'process' end,
      case when t % 4 = 0 then p.loanid else p.processid end, 'update', 4, gen_random_uuid()::text,
      case when t % 4 = 0 then jsonb_build_object('upbamount', 100000 + t)
        else jsonb_build_object('status', 'Was ' || t) end
    from (select distinct objectid from importform where importform = 'Busy task 1') b
    join process p on p.processid = b.objectid cross join generate_series(1, ${BUSY_CHANGES}) t`);
  for (const table of ['importform', 'history']) await sql.unsafe(`vacuum analyze ${table}`);
}
