import type { BenchOptions } from './run.ts';
import type { FloorRoute } from './lib/floor.ts';
import { httpRequest, startHttpBench, type HttpBench } from './lib/http.ts';
import { compare, line, type Demand } from './lib/pairs.ts';
import type { CapturedQuery } from './lib/product.ts';

const ROWS = 50_000;
const FIRMS = 10;
const READ_IDS = 2_000;
const statuses = ['New', 'Active', 'On Hold', 'Sale Set', 'Closed'] as const;
const states = ['AL', 'AZ', 'CA', 'CO', 'FL', 'GA', 'IL', 'MI', 'NY', 'TX'] as const;

/** Reading, listing and creating records over HTTP, compared with a bare server that sends the same statements. */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile);
  const other = options.against === undefined ? undefined : await startHttpBench(undefined, options.against);
  try {
    if (other) await compareVersions(other, http, options);
    else await compareWithFloor(http, options);
  } finally {
    await Promise.all([http.stop(), other?.stop()]);
  }
}

async function compareWithFloor(http: HttpBench, options: BenchOptions): Promise<void> {
  const { routes, list } = await figuresOf(http, await fill(http));
  await http.startFloor(routes);
  for (const { name, callers, requests, demand } of chosen(list, options)) {
    const found = await http.compare(requests, callers, options.plan);
    options.print(line(`records: ${name}`, found, demand));
  }
}

/** What a change costs or saves: the other version takes the place of the floor. */
async function compareVersions(other: HttpBench, http: HttpBench, options: BenchOptions): Promise<void> {
  const before = chosen((await figuresOf(other, await fill(other))).list, options);
  const now = chosen((await figuresOf(http, await fill(http))).list, options);
  for (const [n, { name, callers, requests }] of now.entries()) {
    const floor = other.side(before[n]?.requests.product ?? [], callers);
    const found = await compare(floor, http.side(requests.product, callers), options.plan);
    options.print(line(`records: ${name}`, found, {}));
  }
}

/** Returns the requested figures, one for each number of callers. */
function chosen(
  figures: readonly Figure[],
  options: BenchOptions,
): readonly (Omit<Figure, 'callers'> & { readonly callers: number })[] {
  return figures
    .flatMap((figure) =>
      figure.callers.map((callers) => ({
        ...figure,
        callers,
        name: `${figure.name}, ${callers} caller${callers === 1 ? '' : 's'}`,
      })),
    )
    .filter(({ name }) => options.takes(name));
}

interface Firm {
  readonly organizationId: number;
  readonly key: string;
  readonly ids: readonly number[];
}

/** Creates contacts and cases of ten firms, evenly distributed; a user of the first firm sees a tenth of them. */
async function fill(http: HttpBench): Promise<Firm> {
  const firms: { organizationId: number; key: string }[] = [];
  for (let n = 0; n < FIRMS; n++) firms.push(await http.firm(`Firm ${n}`));
  const [first] = firms;
  if (!first) throw new Error('no firm');
  const ids = await http.database.use(http.connection, async (sql) => {
    const ids = `{${firms.map((f) => f.organizationId).join(',')}}`;
    await sql.unsafe(contactsText, [ids, `{${states.join(',')}}`]);
    await sql.unsafe(casesText, [ids, `{${statuses.join(',')}}`]);
    await sql.unsafe('vacuum analyze');
    return sql.unsafe<{ id: number }[]>(
      `select contactid::integer as id from contact
       where recordclass = 'Contact' and reachorganizationid @> array[$1::bigint]
       order by md5(contactid::text) limit $2`,
      [first.organizationId, READ_IDS],
    );
  });
  return { ...first, ids: ids.map((row) => row.id) };
}

const contactsText = `
  insert into contact (contact, status, object, objectid, recordclass, firstname, lastname, company, address, city,
    state, postalcode, country, birthdate, latitude, longitude, createdpersonid)
  select 'Name' || n % 5000 || ', First' || n % 300, 'Active', 'Organization', ($1::bigint[])[1 + n % ${FIRMS}],
    'Contact', 'First' || n % 300, 'Name' || n % 5000, 'Company ' || n % 700, n || ' Main Street', 'City ' || n % 900,
    ($2::text[])[1 + (n / ${FIRMS}) % ${states.length}], lpad((n % 100000)::text, 5, '0'), 'US',
    date '1950-01-01' + n % 18000, 33.1 + n % 100 / 7.0, -97.2 - n % 100 / 9.0, 1
  from generate_series(1, ${ROWS}) n`;

const casesText = `
  with made as (
    insert into process (process, status, recordclass, organizationid, dateopened, loanassigned, createdpersonid)
    select 'Case ' || n, ($2::text[])[1 + (n / ${FIRMS}) % ${statuses.length}], 'Foreclosure',
      ($1::bigint[])[1 + n % ${FIRMS}], date '2020-01-01' + n * 7 % 2000, true, 1
    from generate_series(1, ${ROWS}) n
    returning processid, organizationid)
  insert into foreclosure (foreclosureid, reachorganizationid, saleamount, scheduledsaledate, openingbidamount)
  select processid, organizationid, 100000 + processid % 9000 * 11.25,
    date '2026-01-01' + (processid % 300)::integer, 90000 + processid % 5000
  from made`;

interface Figure {
  readonly name: string;
  readonly callers: readonly number[];
  readonly requests: { readonly product: readonly string[]; readonly floor: readonly string[] };
  readonly demand: Demand;
}

/** The floor's statements are the recorded ones of the product. */
async function figuresOf(
  http: HttpBench,
  firm: Firm,
): Promise<{ routes: readonly FloorRoute[]; list: readonly Figure[] }> {
  const readPath = (id: number): string => `/api/contact/select?ID=${id}&Output=Json`;
  const listPath = (status: string): string =>
    `/api/foreclosure/search?Output=Json&Status=${status.replace(' ', '+')}&OrderBy=DateOpened&RecordCount=false`;
  const read = only(await http.capture(http.staffKey, readPath(firm.ids[0] ?? 0)));
  const list = only(await http.capture(http.staffKey, listPath('Active')));
  const create = only(await http.capture(http.staffKey, '/api/contact/save?Output=Json', person(0)));
  const routes: FloorRoute[] = [
    { path: '/read', text: read.text, values: [{ member: 'id' }], one: true },
    {
      path: '/list',
      text: list.text,
      values: list.values.map((value) => (value === 'Active' ? { member: 'status' } : { value })),
      one: false,
    },
    { path: '/create', text: create.text, values: create.values.map((value) => memberOf(value, person(0))), one: true },
  ];
  const readBy = (key: string): Figure['requests'] => ({
    product: firm.ids.map((id) => httpRequest(readPath(id), { key })),
    floor: firm.ids.map((id) => httpRequest(`/read?id=${id}`)),
  });
  const listBy = (key: string): Figure['requests'] => ({
    product: statuses.map((status) => httpRequest(listPath(status), { key })),
    floor: statuses.map((status) => httpRequest(`/list?status=${status.replace(' ', '+')}`)),
  });
  const people = Array.from({ length: 500 }, (_, n) => person(n));
  return {
    routes,
    list: [
      { name: 'read one, staff', callers: [1, 8, 16], requests: readBy(http.staffKey), demand: { rateAtLeast: 0.5 } },
      { name: 'read one, partner', callers: [1, 8, 16], requests: readBy(firm.key), demand: { rateAtLeast: 0.4 } },
      { name: 'list of 25, staff', callers: [1, 16], requests: listBy(http.staffKey), demand: { rateAtLeast: 0.5 } },
      { name: 'list of 25, partner', callers: [1, 16], requests: listBy(firm.key), demand: { rateAtLeast: 0.4 } },
      {
        name: 'create with history',
        callers: [8, 16],
        requests: {
          product: people.map((body) => httpRequest('/api/contact/save?Output=Json', { key: http.staffKey, body })),
          floor: people.map((body) => httpRequest('/create', { body })),
        },
        demand: { rateAtLeast: 0.3, cpuAtMost: 3 },
      },
    ],
  };
}

/**
 * Returns the one statement on the records themselves; the product caches what it reads about keys and configuration.
 */
function only(statements: readonly CapturedQuery[]): CapturedQuery {
  const [statement, ...more] = statements.filter((s) => /\b(from |into public\.)(contact|process)\b/.test(s.text));
  if (!statement || more.length > 0)
    throw new Error(
      `expected one statement on the records, the product sent: ${statements.map((s) => s.text).join('; ')}`,
    );
  return statement;
}

function person(n: number): Record<string, string> {
  return {
    FirstName: `Given${n}`,
    LastName: `Family${n}`,
    Company: `Employer ${n}`,
    Address: `${n} High Street`,
    City: `Town ${n}`,
    State: 'NV',
    PostalCode: String(10_000 + n),
    Country: 'USA',
    BirthDate: '1970-05-17',
  };
}

/**
 * Takes values sent by the caller from the floor's own request; the others (label, dates, user) stay as the product had
 * them.
 */
function memberOf(value: unknown, sent: Readonly<Record<string, string>>): FloorRoute['values'][number] {
  const member = Object.keys(sent).find((name) => sent[name] === value);
  return member === undefined ? { value } : { member };
}
