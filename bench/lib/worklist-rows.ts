import type postgres from 'postgres';

/** Teams, callers and records of the benchmark. */
export const TEAMS = 20;
export const CALLERS = 64;
const RECORDS = 1_000;
/** Connections of a side that works on the database: as many as the product opens for transactions. */
export const CONNECTIONS = 12;

/**
 * Inserts the users (64, each in four or five of 20 teams, with or without a priority) and the records that items refer
 * to.
 */
export async function fillPeople(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(
    `insert into collection (collection, sourceobject)
     select 'Team ' || n, 'Person' from generate_series(1, ${TEAMS}) n`,
  );
  await sql.unsafe(
    `insert into person (person, status, roles)
     select 'caller ' || n, 'Active', 'Staff' from generate_series(1, ${CALLERS}) n`,
  );
  await sql.unsafe(
    `insert into collectionmember (collectionid, sourceobjectid, priority)
     select c.collectionid, p.personid, nullif((c.collectionid + p.personid) % 4, 0)
     from collection c, person p
     where p.person like 'caller %' collate "C" and (c.collectionid * 7 + p.personid) % 4 = 0`,
  );
  await sql.unsafe(`insert into loan (loan) select (100000000 + n)::text from generate_series(1, ${RECORDS}) n`);
  await sql.unsafe(
    `insert into smartworklisttemplate (smartworklisttemplate, sourceobject, memberurl)
     values ('Bench', 'Loan', '/records/loan/{LoanID}')`,
  );
  await sql.unsafe(
    `insert into smartworklist (smartworklist, status, smartworklisttemplateid, sourceobject)
     select 'Bench', 'Open', smartworklisttemplateid, 'Loan' from smartworklisttemplate`,
  );
}

/** Fills up to a number of waiting items, always in the same mixture. */
export async function fillItems(sql: postgres.Sql, items: number): Promise<void> {
  const [{ n: waiting } = { n: 0 }] = await sql.unsafe<{ n: number }[]>(
    'select count(*)::integer as n from smartworklistmember where completiondate is null and personid is null',
  );
  if (waiting >= items) return;
  await sql.unsafe(
    `insert into smartworklistmember
       (smartworklistid, status, sourceobject, sourceobjectid, teamid, priority, sequence, duedate)
     select (select max(smartworklistid) from smartworklist), 'Queued', 'Loan',
       (select min(loanid) from loan) + n % ${RECORDS}, (select min(collectionid) from collection) + n % ${TEAMS},
       nullif(n % 7, 0), n % 11, now() + n * interval '1 second'
     from generate_series(1, ${items - waiting}) n`,
  );
  await sql.unsafe('analyze smartworklistmember');
}
