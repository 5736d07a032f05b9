import type { HttpBench } from '../lib/http.ts';
import { fillLists } from '../lib/list-rows.ts';

/** Every so many cases, one has messages, tasks and contacts; the pages of these are measured. */
export const BUSY_EVERY = 10;
const MESSAGES = 8;
const TASKS = 6;
const CONTACTS = 4;
/** Tasks of the first case. */
export const LARGE_CASE_TASKS = 10_000;
const TEAMS = 20;
const WORK_ITEMS = 100_000;

/**
 * Inserts the rows of `npm run bench -- lists`, the children of every tenth case, one case with 10,000 tasks, and
 * 100,000 waiting work items of 20 teams, of which the user is in five. Cases have the IDs from 1.
 */
export async function fillConsole(http: HttpBench, rows: number, personId: number): Promise<void> {
  await fillLists(http, rows);
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe("set session_replication_role = replica; set maintenance_work_mem = '256MB'");
    for (const text of [
      messages(rows),
      tasks(rows),
      largeCase,
      contacts(rows),
      ...workItems(rows, personId),
      summaries,
    ])
      await sql.unsafe(text);
    for (const table of [
      'message',
      'importform',
      'contact',
      'collection',
      'collectionmember',
      'smartworklistmember',
      'casesummary',
    ])
      await sql.unsafe(`vacuum analyze ${table}`);
    await sql.unsafe('checkpoint');
  });
}

/** The summaries of all cases, as lists show them: most are open, one in 20 is on hold. */
const summaries = `
  insert into casesummary (casesummaryid, casesummary, status, processid, recordclass, isopen, loanid, loannumber,
    borrower, address, city, state, agency, upbamount, organizationid, assignedpersonid, dateopened, dateclosed,
    scheduledsaledate, stage, stagenumber, stagecount, stagebegan, stagetarget, targetdays, hold, helddate, nexttask,
    nextdue)
  overriding system value
  select p.processid, p.process, p.status, p.processid, p.recordclass, p.dateclosed is null, p.loanid, l.loan,
    c.contact, r.address, r.city, r.state, l.agency, l.upbamount, p.organizationid, 1, p.dateopened, p.dateclosed,
    f.scheduledsaledate, 'Stage ' || p.processid % 7, 1 + p.processid % 7, 7,
    now() - p.processid % 90 * interval '1 day', now() + (p.processid % 200 - 60) * interval '1 day', 30,
    case when p.processid % 20 = 0 then 'Court' end,
    case when p.processid % 20 = 0 then now() - p.processid % 300 * interval '1 day' end, 'Task',
    now() + (p.processid % 60 - 20) * interval '1 day'
  from process p
  join foreclosure f on f.foreclosureid = p.processid
  join loan l on l.loanid = p.loanid
  left join property r on r.propertyid = l.propertyid
  left join contact c on c.objectid = p.loanid and c.object = 'Loan'`;

const messages = (rows: number): string => `
  insert into message (message, bodytext, object, objectid, createdpersonid, createddate)
  select 'Notice ' || m || ' of case ' || n, repeat('Some words of the body of a message. ', 6), 'Foreclosure', n, 1,
    now() - (n + m) % 5000 * interval '1 hour'
  from generate_series(${BUSY_EVERY}, ${rows}, ${BUSY_EVERY}) n, generate_series(1, ${MESSAGES}) m`;

const tasks = (rows: number): string => `
  insert into importform (importform, status, object, objectid, estimatedcompletion, actualcompletion, createdpersonid)
  select 'Task ' || t, case when t <= 2 then 'Open' else 'Complete' end, 'Foreclosure', n,
    now() + (n % 90 - 45) * interval '1 day', case when t > 2 then now() - n % 900 * interval '1 day' end, 1
  from generate_series(${BUSY_EVERY}, ${rows}, ${BUSY_EVERY}) n, generate_series(1, ${TASKS}) t`;

const largeCase = `
  insert into importform (importform, status, object, objectid, estimatedcompletion, actualcompletion, createdpersonid)
  select 'Task ' || t, case when t % 4 = 0 then 'Open' else 'Complete' end, 'Foreclosure', 1,
    now() + (t % 90 - 45) * interval '1 day', case when t % 4 > 0 then now() - t % 900 * interval '1 day' end, 1
  from generate_series(1, ${LARGE_CASE_TASKS}) t`;

const contacts = (rows: number): string => `
  insert into contact (contact, status, object, objectid, recordclass, firstname, lastname, address, city, state,
    createdpersonid)
  select 'Chmark ' || c || ', Ben', 'Active', 'Foreclosure', n, 'Contact', 'Ben', 'Chmark ' || c, n || ' Main Street',
    'City ' || n % 900, 'TX', 1
  from generate_series(${BUSY_EVERY}, ${rows}, ${BUSY_EVERY}) n, generate_series(1, ${CONTACTS}) c`;

const workItems = (rows: number, personId: number): readonly string[] => [
  `insert into collection (collection, sourceobject)
   select 'Team ' || n, 'Person' from generate_series(1, ${TEAMS}) n`,
  `insert into collectionmember (collectionid, sourceobjectid, priority)
   select collectionid, ${personId}, nullif(collectionid % 4, 0)
   from collection where sourceobject = 'Person' and collection like 'Team %' and collectionid % 4 = 0`,
  `insert into smartworklisttemplate (smartworklisttemplate, sourceobject, memberurl)
   values ('Bench', 'Foreclosure', '/records/foreclosure/{ForeclosureID}')`,
  `insert into smartworklist (smartworklist, status, smartworklisttemplateid, sourceobject)
   select 'Bench', 'Open', smartworklisttemplateid, 'Foreclosure'
   from smartworklisttemplate where smartworklisttemplate = 'Bench'`,
  `insert into smartworklistmember
     (smartworklistid, status, sourceobject, sourceobjectid, teamid, priority, sequence, duedate)
   select (select max(smartworklistid) from smartworklist), 'Queued', 'Foreclosure',
     ${BUSY_EVERY} * (1 + n % ${Math.max(1, Math.floor(rows / BUSY_EVERY))}),
     (select min(collectionid) from collection where collection like 'Team %') + n % ${TEAMS},
     nullif(n % 7, 0), n % 11, now() + n * interval '1 second'
   from generate_series(1, ${WORK_ITEMS}) n`,
];
