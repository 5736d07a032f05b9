import type { HttpBench } from './http.ts';

/** A firm with the API key of its user. */
export interface Firm {
  readonly organizationId: number;
  readonly key: string;
}

/** Firms by their share of the rows in thousandths; the other firms share the rest. */
const shares = { small: 3, large: 70 } as const;
const OTHERS = 40;
/** Of the contacts, this share in tenths are borrowers of loans; the others belong to organizations. */
const BORROWERS = 7;
/** Loans per property. */
const LOANS_PER_PROPERTY = 5;

/**
 * Inserts as many contacts, loans and cases as `rows` says, with one statement for each table and without triggers,
 * whose results are written directly. The values follow from the row's number, so that each run has the same ones.
 */
export async function fillLists(http: HttpBench, rows: number): Promise<Record<'small' | 'large', Firm>> {
  const firms = { small: await http.firm('Small firm'), large: await http.firm('Large firm') };
  const firmOf = (n: string): string =>
    `case when ${n} % 1000 < ${shares.small} then ${firms.small.organizationId}
      when ${n} % 1000 < ${shares.small + shares.large} then ${firms.large.organizationId}
      else 1000000 + ${n} % ${OTHERS} end::bigint`;
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe("set session_replication_role = replica; set maintenance_work_mem = '256MB'");
    for (const text of [
      propertiesText(firmOf),
      loansText(firmOf),
      casesText(firmOf),
      casesOfTypeText,
      contactsText(firmOf),
    ])
      await sql.unsafe(text.replaceAll('$ROWS', String(rows)));
    for (const table of ['property', 'loan', 'process', 'foreclosure', 'contact'])
      await sql.unsafe(`vacuum analyze ${table}`);
    await sql.unsafe('checkpoint');
  });
  return firms;
}

/** Returns SQL for one of several texts, chosen by a hash of the row's number. */
function oneOf(salt: number, values: readonly string[]): string {
  return `('{${values.join(',')}}'::text[])[1 + ${hash(salt)} % ${values.length}]`;
}

/** Returns SQL for a number of at least 0 that depends on the row's number and on nothing else. */
function hash(salt: number): string {
  return `(hashint8extended(n, ${salt}) & 1073741823)`;
}

type FirmOf = (n: string) => string;

const propertiesText = (firmOf: FirmOf): string => `
  insert into property (property, status, address, city, state, postalcode, county, reachorganizationid,
    createdpersonid)
  select n || ' Main Street', 'Active', n || ' Main Street', 'City ' || ${hash(1)} % 900,
    ${oneOf(2, ['AL', 'CA', 'FL', 'GA', 'IL', 'NY', 'TX'])}, lpad((${hash(3)} % 100000)::text, 5, '0'),
    'County ' || ${hash(4)} % 300, array[${firmOf('n')}], 1
  from generate_series(1, $ROWS / ${LOANS_PER_PROPERTY}) n`;

const loansText = (firmOf: FirmOf): string => `
  insert into loan (loan, status, loantype, agency, propertyid, servicerloanid, originalbalance, upbamount,
    lienprioritytype, reachorganizationid, createddate, createdpersonid)
  select (4000000000 + n)::text, ${oneOf(11, ['Active', 'Paid Off', 'Default', 'Closed'])},
    ${oneOf(12, ['Conventional', 'FHA', 'VA'])}, ${oneOf(13, ['FNMA', 'FHLMC', 'GNMA'])},
    1 + (n - 1) / ${LOANS_PER_PROPERTY}, 'S' || ${hash(14)}, 50000 + ${hash(15)} % 900000, ${hash(16)} % 900000,
    1 + (${hash(17)} % 10 = 0)::integer, array[${firmOf('n')}],
    timestamptz '2018-01-01' + ${hash(18)} % 250000000 * interval '1 second', 1
  from generate_series(1, $ROWS) n`;

const casesText = (firmOf: FirmOf): string => `
  insert into process (process, status, recordclass, loanid, organizationid, dateopened, dateclosed, loanassigned,
    createddate, createdpersonid)
  select 'Case ' || n, ${oneOf(21, ['New', 'Active', 'On Hold', 'Sale Set', 'Closed'])}, 'Foreclosure', n,
    ${firmOf('n')}, date '2016-01-01' + (${hash(22)} % 3600)::integer,
    case when ${hash(23)} % 3 = 0 then date '2026-01-01' + (${hash(24)} % 300)::integer end, true,
    timestamptz '2018-01-01' + ${hash(25)} % 250000000 * interval '1 second', 1
  from generate_series(1, $ROWS) n`;

const casesOfTypeText = `
  insert into foreclosure (foreclosureid, reachorganizationid, saleamount, scheduledsaledate, openingbidamount)
  select processid, organizationid, 100000 + processid % 9000 * 11.25, date '2026-01-01' + (processid % 300)::integer,
    90000 + processid % 5000
  from process`;

const contactsText = (firmOf: FirmOf): string => `
  insert into contact (contact, status, object, objectid, recordclass, firstname, lastname, company, address, city,
    state, postalcode, country, birthdate, borrowertype, sequence, reachorganizationid, createddate, createdpersonid)
  select last || ', ' || first, 'Active', case when borrower then 'Loan' else 'Organization' end,
    case when borrower then n else ${firmOf('n')} end, 'Contact', first, last, 'Company ' || ${hash(31)} % 7000,
    n || ' Main Street', 'City ' || ${hash(32)} % 900, ${oneOf(33, ['AL', 'CA', 'FL', 'GA', 'IL', 'NY', 'TX'])},
    lpad((${hash(34)} % 100000)::text, 5, '0'), 'US', date '1940-01-01' + (${hash(35)} % 25000)::integer,
    case when borrower then 'Primary' end, case when borrower then 1 end, array[${firmOf('n')}],
    timestamptz '2018-01-01' + ${hash(36)} % 250000000 * interval '1 second', 1
  from (
    select n, n % 10 < ${BORROWERS} as borrower, 'Family' || ${hash(37)} % 50000 as last,
      'Given' || ${hash(38)} % 900 as first
    from generate_series(1, $ROWS) n) person`;
