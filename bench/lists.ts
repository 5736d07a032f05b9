import type { BenchOptions } from './run.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { fillLists, type Firm } from './lib/list-rows.ts';

const ROWS = 1_000_000;
/** Demanded at most: where an index serves, and where none does. */
const INDEXED_MILLISECONDS_MAX = 100;
const SCAN_MILLISECONDS_MAX = 400;
/** Each figure is the least of this many calls after the first one: other work on the machine only makes it slower. */
const CALLS = 5;

/** A list, search or summary. `$ID` in the path is an id that the reader sees. */
interface ListFigure {
  readonly path: string;
  readonly kind: 'index' | 'scan';
  /** Of an index that row security does not allow: PostgreSQL may fold a text only after it has checked the firm. */
  readonly isForStaff?: true;
  /** Whether it is paged deeply too. */
  readonly isDeep?: true;
}

/** A reader, and how deep the deep pages of its lists are. */
interface Reader {
  readonly name: string;
  readonly key: string;
  readonly deep: number;
  readonly firm?: Firm;
}

const figures: readonly ListFigure[] = [
  ...['contact', 'loan', 'process', 'foreclosure'].flatMap((module): ListFigure[] => [
    { path: `/api/${module}/search?`, kind: 'index', isDeep: true },
    { path: `/api/${module}/search?OrderBy=-ID`, kind: 'index', isDeep: true },
    {
      path: `/api/${module}/search?OrderBy=${module === 'foreclosure' ? 'process' : module}`,
      kind: 'index',
      isDeep: true,
    },
    { path: `/api/${module}/search?OrderBy=-CreatedDate`, kind: 'scan' },
    { path: `/api/${module}/search?CreatedDate=2021-03-04`, kind: 'scan' },
    { path: `/api/${module}/summary?ID=$ID`, kind: 'index' },
  ]),
  { path: '/api/contact/search?Contact=%22Family123,+Given45%22', kind: 'index' },
  { path: '/api/contact/search?Contact=family123*', kind: 'index', isForStaff: true },
  { path: '/api/contact/search?LastName=family123', kind: 'index' },
  { path: '/api/contact/search?LastName=family123&OrderBy=FirstName', kind: 'index' },
  { path: '/api/contact/search?Object=Loan&ObjectID=$ID', kind: 'index' },
  { path: '/api/contact/listbyobject?Object=Loan&ObjectID=$ID', kind: 'index' },
  { path: '/api/contact/search?Contact=*mily123*', kind: 'scan' },
  { path: '/api/contact/search?City=City+12', kind: 'scan', isDeep: true },
  { path: '/api/contact/search?City=Nowhere', kind: 'scan' },
  { path: '/api/contact/search?OrderBy=BirthDate', kind: 'scan', isDeep: true },
  { path: '/api/contact/search?State=CA&BirthDate=1970-01-01+-+1970-01-31&OrderBy=-BirthDate', kind: 'scan' },
  { path: '/api/contact/search?City=City+12&State=CA&OrderBy=LastName', kind: 'scan', isDeep: true },
  { path: '/api/contact/search?Contact=*mily123*&City=*12*', kind: 'scan' },
  { path: '/api/contact/search?Status=not+Active', kind: 'scan' },
  { path: '/api/contact/search?Object=Organization&ObjectID=2&OrderBy=LastName', kind: 'scan' },
  ...['family123', 'amily4567', '12345+main', 'zzznothing', '*mily123*', '400012'].map((text): ListFigure => ({
    path: `/api/record/find?Text=${text}`,
    kind: 'index',
  })),
  { path: '/api/record/find?Text=main+street', kind: 'scan' },
  { path: '/api/loan/search?Loan=4000123456', kind: 'index' },
  { path: '/api/loan/search?Loan=40001234*', kind: 'index', isForStaff: true },
  { path: '/api/loan/search?ServicerLoanID=S5', kind: 'index' },
  { path: '/api/loan/search?PropertyID=5', kind: 'index' },
  { path: '/api/loan/search?Loan=*123456*', kind: 'scan' },
  { path: '/api/loan/search?Status=Default', kind: 'scan', isDeep: true },
  { path: '/api/loan/search?UPBAmount=500000-500100', kind: 'scan' },
  { path: '/api/loan/search?UPBAmount>=899990&OrderBy=-UPBAmount', kind: 'scan' },
  { path: '/api/loan/search?Agency=FNMA&OrderBy=-UPBAmount', kind: 'scan', isDeep: true },
  { path: '/api/foreclosure/search?Status=Active&OrderBy=DateOpened', kind: 'index', isDeep: true },
  { path: '/api/foreclosure/search?Status=Active&OrderBy=-DateOpened', kind: 'index', isDeep: true },
  { path: '/api/foreclosure/search?LoanID=$ID', kind: 'index' },
  { path: '/api/foreclosure/search?Foreclosure=Case+77777', kind: 'index' },
  { path: '/api/foreclosure/search?Foreclosure=*77777*', kind: 'scan' },
  { path: '/api/foreclosure/search?OrderBy=-SaleAmount', kind: 'scan', isDeep: true },
  { path: '/api/foreclosure/search?ScheduledSaleDate=2026-03-04', kind: 'scan' },
  { path: '/api/foreclosure/search?SaleAmount>=200000&OrderBy=SaleAmount', kind: 'scan' },
  { path: '/api/foreclosure/search?DateClosed=null&OrderBy=-DateOpened', kind: 'scan' },
  { path: '/api/process/search?Status=New&Status=Active&OrderBy=DateOpened', kind: 'scan' },
  { path: '/api/loan/$ID/process/search?', kind: 'index' },
  { path: '/api/loan/$ID/contact/search?', kind: 'index' },
  { path: '/api/process/$ID/contact/search?', kind: 'index' },
];

/**
 * Every kind of list, search and summary among a million contacts, a million loans and a million cases, as staff, as a
 * firm with 7 % of the rows and as one with 0.3 %: the first page and a deep one, by offset and by cursor.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    const rows = options.rows ?? ROWS;
    const firms = await fillLists(http, rows);
    const readers: readonly Reader[] = [
      { name: 'staff', key: http.staffKey, deep: Math.floor(rows * 0.9) },
      { name: 'large firm', key: firms.large.key, deep: Math.floor(rows * 0.063), firm: firms.large },
      { name: 'small firm', key: firms.small.key, deep: Math.floor(rows * 0.0027), firm: firms.small },
    ];
    let missed = 0;
    let measured = 0;
    for (const reader of readers)
      for (const figure of figures.filter(({ path }) => options.takes(`${reader.name} ${path}`)))
        for (const result of await measure(http, reader, figure)) {
          measured++;
          if (result.isMissed) missed++;
          options.print(result.text);
        }
    options.print(`lists: ${measured} figures at ${rows} rows, ${missed} missed`);
  } finally {
    await http.stop();
  }
}

interface Result {
  readonly text: string;
  readonly isMissed: boolean;
}

async function measure(http: HttpBench, reader: Reader, figure: ListFigure): Promise<readonly Result[]> {
  const path = `${figure.path.replace('$ID', String(await someId(http, reader)))}&Output=Json`;
  const isServed = figure.kind === 'index' && !(reader.firm && figure.isForStaff);
  const most = isServed ? INDEXED_MILLISECONDS_MAX : SCAN_MILLISECONDS_MAX;
  const one = async (page: string, query: string, limit: number): Promise<Result> => {
    const milliseconds = await least(http, reader, path + query);
    const isMissed = milliseconds > limit;
    const name = `${reader.name.padEnd(10)} ${page.padEnd(6)} ${figure.path}`;
    return {
      isMissed,
      text: `${milliseconds.toFixed(1).padStart(8)} ms  ${isMissed ? 'MISSED' : 'met   '} ${limit}  ${name}`,
    };
  };
  const results = [await one('first', '', most)];
  if (figure.isDeep) {
    results.push(await one('offset', `&RecordStart=${reader.deep}`, Infinity));
    const cursor = await deepCursor(http, reader, path);
    if (cursor !== undefined) results.push(await one('cursor', `&Cursor=${cursor}`, most));
  }
  return results;
}

/** Returns the id of a loan, case and contact that belong together and that the reader sees. */
async function someId(http: HttpBench, { key }: Reader): Promise<number> {
  const answer = await http.call(
    key,
    '/api/loan/search?Output=Json&DisplaySize=1&RecordStart=100&RecordCount=false&OrderBy=ID',
  );
  return Number(rowsOf(answer)[0]?.['LoanID'] ?? 1);
}

async function least(http: HttpBench, { key }: Reader, path: string): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call <= CALLS; call++) {
    const began = performance.now();
    await http.call(key, path);
    times.push(performance.now() - began);
  }
  return Math.min(...times.slice(1));
}

/** Returns the cursor after the deep page; undefined if the list ends before it. */
async function deepCursor(http: HttpBench, { key, deep }: Reader, path: string): Promise<string | undefined> {
  for (let start = deep; start >= 25; start = Math.floor(start / 4)) {
    const rows = rowsOf(await http.call(key, `${path}&Cursor=*&RecordStart=${start}`));
    const cursor = rows.at(-1)?.['NextCursor'];
    if (typeof cursor === 'string') return cursor;
  }
  return undefined;
}

function rowsOf(answer: Record<string, unknown>): readonly Record<string, unknown>[] {
  const [collection] = Object.values(answer) as Record<string, Record<string, unknown>[]>[];
  return (collection && Object.values(collection)[0]) ?? [];
}
