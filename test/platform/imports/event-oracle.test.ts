import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { delimited, saveCodes, sendEvents, testCodes, xmlOf, type EventValues } from '../../support/imports/events.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
const firm = await on.firm('Oracle Law');
await on.firm('Foreign Law');
await saveCodes(on.admin);
const query = on.platform.store.query.bind(on.platform.store);

/** One generated file: its rows in order, and its format. */
interface SampleFile {
  readonly rows: readonly EventValues[];
  readonly form: '|' | ',' | 'xml';
  /** Indexes of the rows that are written with a different number of columns. */
  readonly short: number;
}

/** A case in the state in which the events leave it. */
interface ExpectedCase {
  kind: string;
  opened: string | undefined;
  best: string;
  status: string;
  closed: string | undefined;
  reason: string | undefined;
  tasks: Map<string, { actual?: string; projected?: string }>;
}

/** Returns what identifies the case of an event: the loan, the kind, and the firm's or court's number. */
function caseKey(row: EventValues, kind: string): string {
  const number = kind === 'Foreclosure' ? row['FCAttorneyFileID'] : row['BKCaseNumberID'];
  return `${row['InvestorLoanNumberID'] ?? ''} ${kind} ${number?.toLowerCase() ?? ''}`;
}

/** Applies the specification to files, row by row, as plainly as it is written. */
class Oracle {
  readonly logs: string[][] = [];
  events = 0;
  private readonly cases = new Map<string, ExpectedCase>();
  private readonly delays = new Map<
    string,
    { best: string; status: string; projected: string | undefined; projectedRank: string; ended: string | undefined }
  >();
  private readonly loans: ReadonlySet<string>;

  constructor(loans: ReadonlySet<string>) {
    this.loans = loans;
  }

  file({ rows, short, form }: SampleFile): void {
    const outcomes: string[] = [];
    for (const [n, row] of rows.entries()) {
      const type = row['RecordType'] ?? '';
      if (type === 'HEADER' || type === 'FOOTER') continue;
      outcomes.push(
        `${n + 1} ${this.row(rows, n, form !== 'xml' && n === short ? 'wrong' : 'right', form === 'xml' ? -1 : short)}`,
      );
    }
    this.logs.push(outcomes);
  }

  private row(rows: readonly EventValues[], n: number, columns: 'right' | 'wrong', short: number): string {
    const row = rows[n] ?? {};
    if (row['RecordType'] !== 'EVENT' || columns === 'wrong') return 'Error';
    const key = keyOf(row);
    if (
      key !== undefined &&
      rows.some((later, m) => m > n && m !== short && later['RecordType'] === 'EVENT' && keyOf(later) === key)
    )
      return 'Success None';
    const at = row['EventActualDate'] ?? '';
    if (
      key === undefined ||
      at === '2024-13-01' ||
      row['ProviderCode'] !== 'OracleLaw' ||
      !this.loans.has(row['InvestorLoanNumberID'] ?? '')
    )
      return 'Error';
    this.keep(row, at.startsWith('1900') ? '' : at);
    return at === '' || at.startsWith('1900') ? 'Warning Insert' : 'Success Insert';
  }

  private keep(row: EventValues, at: string): void {
    this.events++;
    const kind = kindOf(row);
    const meaning = testCodes.find((code) => code.code === row['BusinessEventCode']);
    const rank = [at, row['EventCreatedDate'] ?? '', row['BusinessEventCode']].join(' ');
    if (kind === 'Delay') return this.keepDelay(row, at, rank);
    if (kind === 'Loan') return;
    const of = this.caseOf(caseKey(row, kind), kind);
    if (at === '') return;
    of.opened = [of.opened ?? at, at.slice(0, 10)].sort()[0]?.slice(0, 10);
    if (meaning?.task !== undefined) this.keepTask(of, meaning.task, meaning.taskDate, at);
    if (meaning?.status !== undefined && rank > of.best) this.keepStatus(of, row, { status: meaning.status, at, rank });
  }

  private keepTask(of: ExpectedCase, name: string, date: string | undefined, at: string): void {
    const task = of.tasks.get(name) ?? {};
    const which = date === 'Projected' ? 'projected' : 'actual';
    if (task[which] === undefined || at > task[which]) task[which] = at;
    of.tasks.set(name, task);
  }

  private keepStatus(
    of: ExpectedCase,
    row: EventValues,
    { status, at, rank }: { readonly status: string; readonly at: string; readonly rank: string },
  ): void {
    const isClosed = status === 'Closed';
    of.best = rank;
    of.status = status;
    of.closed = isClosed ? at.slice(0, 10) : undefined;
    of.reason = isClosed ? filled(row['FCFileClosedReasonType']) : undefined;
  }

  private caseOf(key: string, kind: string): ExpectedCase {
    const known = this.cases.get(key);
    if (known) return known;
    const of: ExpectedCase = {
      kind,
      opened: undefined,
      best: '',
      status: 'Open',
      closed: undefined,
      reason: undefined,
      tasks: new Map(),
    };
    this.cases.set(key, of);
    return of;
  }

  private keepDelay(row: EventValues, at: string, rank: string): void {
    const key = [
      row['InvestorLoanNumberID'],
      filled(row['DelayTypeCode']) ?? row['BusinessEventCode'],
      filled(row['DelayActualStartDate']) ?? at.slice(0, 10),
    ].join(' ');
    const of = this.delays.get(key) ?? {
      best: '',
      status: '',
      projected: undefined,
      projectedRank: '',
      ended: undefined,
    };
    this.delays.set(key, of);
    // A column that an event leaves empty is not reported, and stays.
    const projected = filled(row['DelayProjectedEndDate']);
    if (projected !== undefined && rank > of.projectedRank) Object.assign(of, { projected, projectedRank: rank });
    if (rank <= of.best) return;
    const ended = Boolean(row['DelayEndReasonCode']);
    of.best = rank;
    of.status = ended ? 'Complete' : 'Active';
    of.ended = ended && at !== '' ? at : undefined;
  }

  /** Returns the expected stored state, as lines of text. */
  get store(): string[] {
    const lines = [...this.cases].flatMap(([key, of]) => [
      `${key} ${of.status} ${of.opened ?? '-'} ${of.closed ?? '-'} ${of.reason ?? '-'}`,
      ...[...of.tasks].map(
        ([name, { actual, projected }]) => `${key} task ${name} ${actual ?? '-'} ${projected ?? '-'}`,
      ),
    ]);
    return [
      ...lines,
      ...[...this.delays].map(
        ([key, { status, projected, ended }]) => `delay ${key} ${status} ${projected ?? '-'} ${ended ?? '-'}`,
      ),
    ].sort();
  }
}

/** Returns a value unless it is empty. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function caseNumbers(kind: string, row: EventValues): (string | undefined)[] {
  if (kind === 'Foreclosure') return [row['FCAttorneyFileID']];
  return kind === 'Bankruptcy' ? [row['BKCaseNumberID']] : [];
}

function kindOf(row: EventValues): string {
  const meaning = testCodes.find((code) => code.code === row['BusinessEventCode']);
  if (meaning?.kind !== undefined) return meaning.kind;
  if (row['DelayTypeCode']) return 'Delay';
  if (row['BKCaseNumberID']) return 'Bankruptcy';
  return row['FCAttorneyFileID'] ? 'Foreclosure' : 'Loan';
}

/** Returns the key by which an event equals another; undefined if a part of it is missing. */
function keyOf(row: EventValues): string | undefined {
  const kind = kindOf(row);
  const parts = [row['ProviderCode'], row['InvestorLoanNumberID'], row['BusinessEventCode'], ...caseNumbers(kind, row)];
  return parts.some((part) => !part) ? undefined : parts.join('\n').toLowerCase();
}

/** Returns the stored state of some loans in the oracle's format. */
async function stored(numbers: readonly string[]): Promise<string[]> {
  const local = (column: string): string =>
    `coalesce(to_char(${column} at time zone 'America/New_York', 'YYYY-MM-DD"T"HH24:MI:SS'), '-')`;
  const day = (column: string, missing: string): string =>
    `coalesce(to_char(${column} at time zone 'America/New_York', 'YYYY-MM-DD'), '${missing}')`;
  const list = `{${numbers.join(',')}}`;
  const rows = await query<{ line: string }>(
    `with cases as (
       select p.processid, p.recordclass, l.loan || ' ' || p.recordclass || ' ' || lower(coalesce(b.bkcaseno,
       p.process) collate "C") as key, p.status, p.dateopened, p.dateclosed, p.closedreason
       from process p join loan l on l.loanid = p.loanid left join bankruptcy b on b.bankruptcyid = p.processid
       where l.loan = any($1::text[])
     )
     select key || ' ' || status || ' ' || coalesce(dateopened::text, '-') || ' ' || coalesce(dateclosed::text, '-')
     || ' ' || coalesce(closedreason, '-') as line from cases
     union all select key || ' task ' || i.importform
       || ' ' || ${local('i.actualcompletion')} || ' ' || ${local('i.projectedcompletion')}
       from cases join importform i on i.object = cases.recordclass and i.objectid = cases.processid
     union all select 'delay ' || l.loan || ' ' || d.decisiondelaytype
       || ' ' || ${day('d.actualstart', '')} || ' ' || d.status
       || ' ' || ${day('d.projectedcompletion', '-')} || ' ' || ${local('d.actualcompletion')}
       from decisiondelay d join loan l on d.object = 'Loan' and d.objectid = l.loanid where l.loan = any($1::text[])`,
    [list],
  );
  return rows.map((row) => row.line).sort();
}

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

/** Rows about few loans, cases and dates, so that they collide; letters stand for the sample's loan numbers. */
const sampleRow: fc.Arbitrary<EventValues> = fc.record({
  RecordType: often('EVENT', 'HEADER', 'FOOTER', 'TRAILER'),
  ProviderCode: often('OracleLaw', 'ForeignLaw', ''),
  BusinessEventCode: fc.constantFrom(...testCodes.map((code) => code.code), 'E0999', 'E0998'),
  InvestorLoanNumberID: fc.constantFrom('a', 'a', 'b', 'unknown', ''),
  FCAttorneyFileID: fc.constantFrom('F-1', 'f-1', 'F|2', ''),
  BKCaseNumberID: fc.constantFrom('C-1', 'C-2', '', ''),
  EventActualDate: fc.constantFrom(
    '2024-01-10T09:00:00',
    '2024-01-10T11:30:00',
    '2024-01-12T00:00:00',
    '2024-02-01T08:00:00',
    '1900-01-01T00:00:00',
    '',
    '2024-13-01',
  ),
  EventCreatedDate: fc.constantFrom('2024-02-02T00:00:00', '2024-02-03T00:00:00'),
  DelayTypeCode: fc.constantFrom('', '', 'D1', 'D2'),
  DelayActualStartDate: fc.constantFrom('', '2024-01-05'),
  DelayProjectedEndDate: fc.constantFrom('', '2024-03-01', '2024-04-01'),
  DelayEndReasonCode: fc.constantFrom('', '', 'Resolved'),
  FCFileClosedReasonType: fc.constantFrom('', 'Reinstated'),
});

const sampleFile: fc.Arbitrary<SampleFile> = fc.record({
  rows: fc.array(sampleRow, { minLength: 1, maxLength: 14 }),
  form: fc.constantFrom('|', ',', 'xml' as const),
  short: fc.integer({ min: -3, max: 13 }),
});

let samples = 0;

function written({ rows, form, short }: SampleFile): string {
  if (form === 'xml') return xmlOf(rows);
  // A line that is one column short still shows the reader the delimiter.
  return rows
    .map((row, n) => (n === short ? delimited([row], form).replace(/.\n$/, '\n') : delimited([row], form)))
    .join('');
}

test(
  'EVT-03 EVT-04 EVT-05 EVT-09 EVT-11 EVT-13 files in any order and number ' +
    'have the same effect as a plain reading of the rules, row by row',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sampleFile, { minLength: 1, maxLength: 3 }), async (files) => {
        const base = 500_000_000 + 10 * ++samples;
        const loans: Readonly<Record<string, string>> = {
          a: String(base),
          b: String(base + 1),
          unknown: String(base + 2),
          '': '',
        };
        await query(`insert into loan (loan, agency) select n, 'INVESTOR' from unnest($1::text[]) n`, [
          `{${base},${base + 1}}`,
        ]);
        const oracle = new Oracle(new Set([String(base), String(base + 1)]));
        const sent = files.map((file) => ({
          ...file,
          rows: file.rows.map((row) => ({
            ...row,
            InvestorLoanNumberID: loans[row['InvestorLoanNumberID'] ?? ''] ?? '',
          })),
        }));
        let events = 0;
        for (const [n, file] of sent.entries()) {
          oracle.file(file);
          const { log, row } = await sendEvents(
            on,
            firm.caller,
            written(file),
            file.form === 'xml' ? 'Events.txt' : 'Events.csv',
          );
          const isUnreadable =
            file.rows.every(
              (each: EventValues, n) => each['RecordType'] !== 'EVENT' || (file.form !== 'xml' && n === file.short),
            ) && (oracle.logs[n]?.length ?? 0) > 0;
          assert.equal(row['status'], isUnreadable ? 'Error' : 'Complete', String(row['message']));
          const lines = log.filter((each) => each.SourceLine > 0);
          assert.deepEqual(
            lines.map(
              (each) => `${each.SourceLine} ${each.Status}${each.Status === 'Error' ? '' : ` ${each.Operation}`}`,
            ),
            oracle.logs[n],
            JSON.stringify(file),
          );
          events += lines.filter((each) => each.Operation === 'Insert').length;
        }
        assert.equal(events, oracle.events);
        assert.deepEqual(await stored([String(base), String(base + 1)]), oracle.store);
      }),
      { numRuns: 20 },
    );
  },
);
