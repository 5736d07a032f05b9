import type { BenchOptions } from './run.ts';
import { startChild } from './lib/child.ts';
import { httpRequest, startHttpBench, type HttpBench } from './lib/http.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { CapturedQuery } from './lib/product.ts';
import type { StatementHandlers } from './lib/statement.ts';

const ROWS = 1_000_000;
/** Firms by their share of the rows in thousandths; the other firms share the rest. */
const shares = { small: 3, large: 70 } as const;
const OTHERS = 40;
const SHORTER = 5;
const statuses = ['New', 'Active', 'On Hold', 'Sale Set', 'Closed'] as const;

interface Firm {
  readonly organizationId: number;
  readonly key: string;
}

/**
 * A firm's list among a million cases: row security compared with the same statement with an explicit predicate on the
 * firm. First the statement alone on one connection that has served the other firm before (a plan for one firm must not
 * spoil the other's), then the complete request over HTTP compared with a bare server.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  try {
    const firms = { small: await http.firm('Small firm'), large: await http.firm('Large firm') };
    await fill(http, firms, options.rows ?? ROWS);
    for (const order of ['DateOpened', '-DateOpened'] as const) {
      const statement = await listStatement(http, firms.small, order);
      for (const size of ['small', 'large'] as const) {
        const name = `${shares[size] / 10} % of the rows, ${order === 'DateOpened' ? 'oldest' : 'newest'} first`;
        if (options.takes(`statement, ${name}`))
          options.print(
            line(`reach: statement, ${name}`, await compareStatements(http, statement, firms, { size, options }), {
              timeAtMost: 1.3,
            }),
          );
      }
    }
    await overHttp(http, firms, options);
  } finally {
    await http.stop();
  }
}

/**
 * Inserts with one statement per table and without triggers, whose results are written directly. The cases of the two
 * firms are spread among the others.
 */
async function fill(http: HttpBench, firms: { small: Firm; large: Firm }, rows: number): Promise<void> {
  await http.database.use(http.connection, async (sql) => {
    await sql.unsafe('set session_replication_role = replica');
    await sql.unsafe(`
      insert into process (process, status, recordclass, organizationid, dateopened, loanassigned, createdpersonid)
      select 'Case ' || n,
        ('{${statuses.join(',')}}'::text[])[1 + hashint4(n) % ${statuses.length} * sign(hashint4(n))::integer],
        'Foreclosure',
        case when n % 1000 < ${shares.small} then ${firms.small.organizationId}
          when n % 1000 < ${shares.small + shares.large} then ${firms.large.organizationId}
          else 1000000 + n % ${OTHERS} end,
        date '2016-01-01' + (hashint8(n) & 4095), true, 1
      from generate_series(1, ${rows}) n`);
    await sql.unsafe(`
      insert into foreclosure (foreclosureid, reachorganizationid, saleamount, scheduledsaledate, openingbidamount)
      select processid, organizationid, 100000 + processid % 9000 * 11.25,
        date '2026-01-01' + (processid % 300)::integer, 90000 + processid % 5000
      from process`);
    await sql.unsafe('vacuum analyze process');
    await sql.unsafe('vacuum analyze foreclosure');
    await sql.unsafe('checkpoint');
  });
}

const listPath = (order: string): string =>
  `/api/foreclosure/search?Output=Json&Status=Active&OrderBy=${order}&RecordCount=false`;

/** Returns the statement that the product sends for the list, and the same with the predicate. */
async function listStatement(http: HttpBench, firm: Firm, order: string): Promise<CapturedQuery> {
  const sent = (await http.capture(firm.key, listPath(order))).find((s) => s.text.includes('from process'));
  if (!sent) throw new Error('the product sent no statement on cases');
  return sent;
}

function withPredicate({ text, values }: CapturedQuery, firm: number): CapturedQuery {
  const parts = text.split(' where ');
  if (parts.length !== 2) throw new Error(`expected one where in: ${text}`);
  return {
    text: parts.join(` where process.reachorganizationid = $${values.length + 1}::bigint and `),
    values: [...values, firm],
  };
}

async function compareStatements(
  http: HttpBench,
  statement: CapturedQuery,
  firms: { small: Firm; large: Firm },
  { size, options }: { readonly size: 'small' | 'large'; readonly options: BenchOptions },
) {
  const side = async (reached: boolean): Promise<Side & { stop(): Promise<void> }> => {
    const child = await startChild<StatementHandlers>('statement.ts');
    const run = async (firm: Firm, milliseconds: number) => {
      const found = await child.ask('slice', {
        connection: http.connection,
        milliseconds,
        ...(reached
          ? { ...statement, firm: firm.organizationId }
          : { ...withPredicate(statement, firm.organizationId), firm: null }),
      });
      if (found.rows !== 25) throw new Error(`the list has ${found.rows} rows, expected 25`);
      return found;
    };
    await run(size === 'small' ? firms.large : firms.small, options.plan.warmupMilliseconds);
    return {
      slice: (milliseconds) => run(firms[size], milliseconds),
      cpu: () => child.ask('cpu', undefined),
      stop: () => child.stop(),
    };
  };
  const floor = await side(false);
  const product = await side(true);
  try {
    // A single caller on one connection is sensitive to every disturbance: more and shorter slices even it out.
    const { pairs, milliseconds, warmupMilliseconds } = options.plan;
    return await compare(floor, product, {
      pairs: pairs * SHORTER,
      milliseconds: milliseconds / SHORTER,
      warmupMilliseconds,
    });
  } finally {
    await Promise.all([floor.stop(), product.stop()]);
  }
}

async function overHttp(http: HttpBench, firms: { small: Firm; large: Firm }, options: BenchOptions): Promise<void> {
  const statement = await listStatement(http, firms.small, 'DateOpened');
  const plain = withPredicate(statement, 0);
  await http.startFloor([
    {
      path: '/list',
      text: plain.text,
      values: plain.values.map((value, at) => (at === plain.values.length - 1 ? { member: 'firm' } : { value })),
      one: false,
    },
  ]);
  for (const size of ['small', 'large'] as const) {
    for (const callers of [1, 16]) {
      const name = `whole request, ${shares[size] / 10} % of the rows, ${callers} caller${callers === 1 ? '' : 's'}`;
      if (!options.takes(name)) continue;
      const { key, organizationId } = firms[size];
      const requests = {
        product: [httpRequest(listPath('DateOpened'), { key })],
        floor: [httpRequest(`/list?firm=${organizationId}`)],
      };
      options.print(line(`reach: ${name}`, await http.compare(requests, callers, options.plan), {}));
    }
  }
}
