import { startHttpBench, type HttpBench } from '../lib/http.ts';
import type { BenchOptions } from '../run.ts';
import { fillDocuments, wordOf } from './document-rows.ts';

const ROWS = 1_000_000;
/** Searches of a kind for each pair, of which there are five by default; and before them. */
const SEARCHES_PER_PAIR = 20;
const SEARCHES_WARMUP = 10;
/** Greatest 95th percentile in milliseconds, and greatest ratio of a firm's median to that of staff. */
const BUDGET = { milliseconds: 50, firmRatio: 1.3 } as const;

type Kind = readonly [name: string, query: (n: number, text: string) => string];

/** The kinds of queries, each with the n-th of its kind. Ranks are those of words on a share of all pages. */
const kinds: Readonly<Record<string, Kind[1]>> = {
  'docket number': (_n, text) => /26-CV-\d+/.exec(text)?.[0] ?? '',
  'rare word, 0.1 % of pages': (n) => wordOf(15_000 + n * 37),
  'two medium words': (n) => `${wordOf(500 + n)} ${wordOf(900 + n)}`,
  'medium word, 2 % of pages': (n) => wordOf(800 + n),
  'common word, over 20 % of pages': (n) => wordOf(40 + (n % 40)),
  'prefix of 5 characters': (n) => `${wordOf(700 + n).slice(0, 5)}*`,
  'prefix of 4 characters': (n) => `${wordOf(700 + n).slice(0, 4)}*`,
  'phrase of 2 words': (n, text) => phraseOf(text, 20 + (n % 100), 2),
  'phrase of 3 words': (n, text) => phraseOf(text, 20 + (n % 100), 3),
};

function phraseOf(text: string, at: number, words: number): string {
  return `"${text
    .split(' ')
    .slice(at, at + words)
    .join(' ')}"`;
}

/** Searches by full text over HTTP among the texts of a million documents, by staff and by firms' users. */
export async function benchSearch(options: BenchOptions): Promise<void> {
  const taken = Object.entries(kinds).filter(([kind]) => options.takes(`search ${kind}`));
  if (taken.length === 0) return;
  const http = await startHttpBench(options.profile, undefined, options.data);
  try {
    await benchKinds(http, options, taken);
  } finally {
    await http.stop();
  }
}

async function benchKinds(http: HttpBench, options: BenchOptions, taken: readonly Kind[]): Promise<void> {
  const firms = { large: await firmNamed(http, 'Large firm'), small: await firmNamed(http, 'Small firm') };
  const rows = options.rows ?? ROWS;
  const [there] = await read<{ count: number }>(http, 'select count(*)::integer as count from documenttext');
  if ((there?.count ?? 0) === 0) {
    const ids = { large: firms.large.organizationId, small: firms.small.organizationId };
    const pages = await fillDocuments((work) => http.database.use(http.connection, work), rows, ids);
    options.print(`documents: ${rows} documents, ${pages} pages`);
  }
  const [size] = await read<{ size: string; table: string }>(
    http,
    `select pg_size_pretty(sum(pg_relation_size(indexrelid))) as size,
       pg_size_pretty(pg_total_relation_size('documentpage')) as table
     from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
     where indrelid = 'documentpage'::regclass and amname = 'gin'`,
  );
  options.print(`documents: texts with indexes take ${size?.table ?? ''}, that of words ${size?.size ?? ''}`);
  const searches = SEARCHES_PER_PAIR * options.plan.pairs + SEARCHES_WARMUP;
  const keys = { staff: http.staffKey, large: firms.large.key, small: firms.small.key };
  for (const [kind, query] of taken) {
    const texts = await read<{ body: string }>(
      http,
      `select body from documentpage tablesample system (1) order by random() limit ${searches}`,
    );
    const queries = texts.map(({ body }, n) => query(n, body));
    options.print(line(kind, await searchTimes(http, keys, queries)));
  }
}

/** Returns a firm and the key of its user: that of an earlier run, if its rows were kept. */
async function firmNamed(http: HttpBench, name: string): ReturnType<HttpBench['firm']> {
  const [known] = await read<{ organization: string; person: string }>(
    http,
    `select organizationid::text as organization, personid::text as person
     from person where person = 'user of ${name}'`,
  );
  if (!known) return http.firm(name);
  const { ApiKey } = await http.call(http.staffKey, '/api/apikey/create?Output=Json', { PersonID: known.person });
  return { organizationId: Number(known.organization), key: String(ApiKey) };
}

function read<R extends object>(http: HttpBench, text: string): Promise<readonly R[]> {
  return http.database.use(http.connection, (sql) => sql.unsafe<R[]>(text));
}

type Caller = 'staff' | 'large' | 'small';

/** Milliseconds of each search by caller; one that was refused as too broad counts as endless. */
type Times = Readonly<Record<Caller, readonly number[]>>;

/** Searches by each caller in turn, so that none always finds what another one has read into memory. */
async function searchTimes(
  http: HttpBench,
  keys: Readonly<Record<Caller, string>>,
  queries: readonly string[],
): Promise<Times> {
  const times = { staff: [] as number[], large: [] as number[], small: [] as number[] };
  const callers = Object.keys(keys) as Caller[];
  for (const [n, query] of queries.entries())
    for (const at of callers.keys()) {
      const caller = callers[(n + at) % callers.length] ?? 'staff';
      const took = await searchTime(http, keys[caller], query);
      if (n >= SEARCHES_WARMUP) times[caller].push(took);
    }
  return times;
}

async function searchTime(http: HttpBench, key: string, query: string): Promise<number> {
  const parameters = new URLSearchParams({ FullText: query, SqlColumns: 'AttachmentID,Attachment', Output: 'Json' });
  const began = performance.now();
  const answer = await fetch(`${http.origin}/api/attachment/search?${parameters.toString()}`, {
    headers: { 'X-ApiKey': key },
  });
  const text = await answer.text();
  const took = performance.now() - began;
  if (answer.status !== 200 && answer.status !== 400)
    throw new Error(`searching ${query} answered ${answer.status}: ${text}`);
  return answer.status === 200 ? took : Infinity;
}

function line(kind: string, { staff, large, small }: Times): string {
  const part = (times: readonly number[]): string =>
    `${percentile(times, 0.5).toFixed(1).padStart(6)} /${percentile(times, 0.95).toFixed(1).padStart(7)}`;
  const ratio = percentile(large, 0.5) / percentile(staff, 0.5);
  return (
    `documents: ${kind.padEnd(34)} p50/p95 ms staff ${part(staff)}, firm with 7.5 % ${part(large)}, with 0.3 % ` +
    `${part(small)}; budget ${BUDGET.milliseconds}; firm to staff ${ratio.toFixed(2)} (at most ${BUDGET.firmRatio})`
  );
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
