import type { BenchOptions } from './run.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { signInClerk } from './lib/sign-in.ts';

/** Target: the median time of the record page of a case with this many children. */
const CHILDREN = 50;
const MEDIAN_MILLISECONDS_MAX = 40;
/** Other records in the store, so that it does not have only one case. */
const OTHER_CASES = 5_000;
const WARMUP_PAGES = 50;
const PAGES = 300;

/**
 * The time of the record page of a case with children of several types and a history, from the request to the last
 * byte, with one reader.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    const id = await fill(http);
    const { cookie } = await signInClerk(http);
    const read = async (): Promise<number> => {
      const began = performance.now();
      const answer = await fetch(`${http.origin}/records/foreclosure/${id}`, { headers: { Cookie: cookie } });
      const text = await answer.text();
      if (answer.status !== 200 || !text.includes('Bench notice') || !text.includes('id="history"'))
        throw new Error(`the page answered ${answer.status}`);
      return performance.now() - began;
    };
    for (let n = 0; n < WARMUP_PAGES; n++) await read();
    const times: number[] = [];
    for (let n = 0; n < PAGES; n++) times.push(await read());
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(share * (PAGES - 1))] ?? 0;
    options.print(
      `page: record page of a case with ${CHILDREN} children, median ${at(0.5).toFixed(1)} ms ` +
        `(at most ${MEDIAN_MILLISECONDS_MAX}), 95 % within ${at(0.95).toFixed(1)} ms ` +
        (at(0.5) <= MEDIAN_MILLISECONDS_MAX ? 'ok' : 'MISSED'),
    );
  } finally {
    await http.stop();
  }
}

/**
 * Creates a case on a loan with borrowers, messages, tasks, contacts and a ledger, as many in total as the target says,
 * and some changes.
 */
async function fill(http: HttpBench): Promise<number> {
  const { staffKey } = http;
  const { organizationId } = await http.firm('Bench Firm');
  const loan = await http.call(staffKey, '/api/loan/save?Output=Json', {
    Loan: '700700700',
    UPBAmount: '250000',
    Borrowers: [1, 2].map((Sequence) => ({ FirstName: 'Ada', LastName: `Benchley ${Sequence}`, Sequence })),
  });
  const made = await http.call(staffKey, '/api/foreclosure/save?Output=Json', {
    Foreclosure: 'BENCH-1',
    Status: 'Open',
    OrganizationID: organizationId,
    LoanID: loan['LoanID'],
    Messages: many(18, (n) => ({
      Message: `Bench notice ${n}`,
      BodyText: 'A text of some length as the body of a message. '.repeat(5),
    })),
    Contacts: many(10, (n) => ({
      FirstName: 'Ben',
      LastName: `Chmark ${n}`,
      Address: `${n} Main Street`,
      City: 'Port Callan',
      State: 'TX',
    })),
    ImportForms: many(15, (n) => ({ ImportForm: `Task ${n}` })),
    Ledgers: many(5, (n) => ({ Ledger: `Ledger ${n}` })),
  });
  const id = Number(made['ForeclosureID']);
  for (let n = 0; n < 10; n++)
    await http.call(staffKey, '/api/foreclosure/save?Output=Json', { ID: id, Status: `Open ${n}` });
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe(
      `with made as (
         insert into process (process, status, recordclass, loanassigned, createdpersonid)
         select 'Other ' || n, 'Open', 'Foreclosure', true, 1 from generate_series(1, ${OTHER_CASES}) n
         returning processid)
       insert into foreclosure (foreclosureid) select processid from made`,
    );
    await sql.unsafe(
      `insert into message (message, object, objectid, createdpersonid)
       select 'Other', 'Foreclosure', 1 + n % ${OTHER_CASES}, 1 from generate_series(1, ${OTHER_CASES * 4}) n`,
    );
    await sql.unsafe('vacuum analyze');
  });
  return id;
}

function many<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_unused, n) => make(n + 1));
}
