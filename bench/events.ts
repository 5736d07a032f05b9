import { mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { startChild, type Child } from './lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from './lib/database.ts';
import { eventCodes, layoutNames, loanNumber, writeEventsFile, type EventsFile } from './lib/events-file.ts';
import type { CopyHandlers } from './lib/floor-copy.ts';
import type { ProductHandlers } from './lib/product.ts';
import type { BenchOptions } from './run.ts';

const ROWS = 1_000_000;
const XML_ROWS = 50_000;
const LOANS = 50_000;
/** Memory that an import may take beyond that of the process before it. */
const MEGABYTES_MAX = 300;
const ADMINISTRATOR_KEY = 'the-administrators-key-of-the-bench';

/**
 * Imports events over HTTP, as a firm's system sends them, and measures from the start of the import to its end: event,
 * log row, case status and task of each row. The floor is a plain copy of the same file into a logged table with a
 * primary key; for XML, the parser alone.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'casewright-events-'));
  const database = await startDatabase();
  const floor = await startChild<CopyHandlers>('floor-copy.ts');
  try {
    const prepared = await database.create('prepared');
    await prepare(database, prepared);
    await database.create('plain', 'plain');
    const parts: Parts = {
      options,
      database,
      connection: prepared,
      folder,
      copy: (path) =>
        floor.ask('copy', {
          connection: { ...prepared, database: 'plain' },
          path,
          columns: layoutNames.map((name) => name.toLowerCase()),
        }),
      parse: (path) => floor.ask('parse', { path }),
      load: (path) =>
        floor.ask('load', {
          connection: { ...prepared, database: 'plain' },
          path,
          columns: layoutNames.map((name) => name.toLowerCase()),
        }),
    };
    await compare(parts, 'delimited', options.rows ?? ROWS);
    await compare(parts, 'xml', options.rows === undefined ? XML_ROWS : Math.min(options.rows, XML_ROWS));
  } finally {
    await floor.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly options: BenchOptions;
  readonly database: BenchDatabase;
  readonly connection: BenchConnection;
  readonly folder: string;
  copy(path: string): Promise<number>;
  parse(path: string): Promise<number>;
  /** With pgloader, if it is installed. */
  load(path: string): Promise<number | undefined>;
}

async function compare(parts: Parts, form: EventsFile['form'], rows: number): Promise<void> {
  const { options } = parts;
  const name = form === 'xml' ? 'events: XML, against the parser' : 'events: rows, against a plain copy';
  if (!options.takes(name)) return;
  const path = join(parts.folder, form === 'xml' ? 'Bench_Events.txt' : 'Bench_Events.csv');
  await writeEventsFile({ path, rows, loans: LOANS, form });
  const ratios: number[] = [];
  let peak = 0;
  let last = 0;
  let rates = '';
  let beside = '';
  let cpu = '';
  for (let pair = 0; pair < options.plan.pairs; pair++) {
    const floor = form === 'xml' ? await parts.parse(path) : await parts.copy(path);
    const product = await importOnce(parts, path, `bench_${form}_${pair}`);
    peak = Math.max(peak, product.megabytes - product.before);
    beside = `above ${product.before} at its start (${product.uploaded - product.before} when the file was there)`;
    ratios.push(floor / product.seconds);
    const [node, server] = [product.cpu.node, product.cpu.database].map((cpuSeconds) =>
      ((cpuSeconds * 1e6) / rows).toFixed(1),
    );
    cpu = `cpu a row ${node} us, the database ${server} us`;
    last = product.seconds;
    rates = `${(rows / product.seconds).toFixed(0)}/s, floor ${(rows / floor).toFixed(0)}/s`;
  }
  const loaded = form === 'xml' ? undefined : await parts.load(path);
  if (loaded !== undefined) {
    const rate = loaded / last;
    options.print(
      `${'events: rows, against pgloader'.padEnd(34)} rate ${rate.toFixed(2)}  ` +
        `demanded >= 3: ${rate < 3 ? 'MISSED' : 'met'}  pgloader ${(rows / loaded).toFixed(0)}/s`,
    );
  }
  ratios.sort((a, b) => a - b);
  const median = ratios[Math.floor(ratios.length / 2)] ?? 0;
  const demanded = form === 'xml' ? 0.5 : 0.25;
  const spread = `${(ratios[0] ?? 0).toFixed(2)}-${(ratios.at(-1) ?? 0).toFixed(2)}`;
  options.print(
    `${name.padEnd(34)} rate ${median.toFixed(2)} (${spread})  ` +
      `demanded >= ${demanded}: ${median < demanded ? 'MISSED' : 'met'}  ${rows} rows, ${rates}  ${cpu}  ` +
      `memory ${peak} MB ${beside}, demanded <= ${MEGABYTES_MAX}: ${peak > MEGABYTES_MAX ? 'MISSED' : 'met'}`,
  );
}

/** Imports a file into a fresh copy of the prepared database, in a separate process. */
async function importOnce(
  { database, connection, options }: Parts,
  path: string,
  name: string,
): Promise<{ seconds: number; megabytes: number; before: number; uploaded: number; cpu: CpuSeconds }> {
  const admin = { ...connection, database: 'postgres' };
  await database.use(admin, async (sql) => {
    await sql.unsafe(`create database ${name} template prepared strategy file_copy`);
  });
  // The copy is another installation, which its first start says.
  await database.use({ ...connection, database: name }, (sql) => sql.unsafe('delete from installation'));
  const child = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  try {
    const port = await child.ask('start', {
      databaseUrl: database.url(name),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web', 'worker'],
    });
    const before = await peakMegabytes(child.pid);
    const answer = await fetch(
      `http://127.0.0.1:${port}/api/import/legacyevents?PreTransform_FileName=` +
        `Bench_Events.${path.endsWith('csv') ? 'csv' : 'txt'}`,
      {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from('bench:the password of the bench').toString('base64')}`,
          SOAPAction: 'import',
          'Content-Type': 'text/plain; charset=UTF-8',
        },
        body: await openAsBlob(path),
      },
    );
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the import answered ${answer.status}: ${text.slice(0, 2_000)}`);
    const uploaded = await peakMegabytes(child.pid);
    const began = await cpuSeconds(child, database, { ...admin, database: name });
    const seconds = await database.use({ ...admin, database: name }, ended);
    const cpu = await cpuSeconds(child, database, { ...admin, database: name });
    return {
      seconds,
      megabytes: await peakMegabytes(child.pid),
      before,
      uploaded,
      cpu: { node: cpu.node - began.node, database: cpu.database - began.database },
    };
  } finally {
    await child.stop();
    if (options.profile === undefined)
      await database.use(admin, async (sql) => {
        await sql.unsafe(`drop database ${name} with (force)`);
      });
  }
}

/** Waits for the end of the import; returns its duration. */
async function ended(sql: postgres.Sql): Promise<number> {
  for (;;) {
    const [row] = await sql.unsafe<
      { status: string; message: string | null; errors: number; seconds: number | null }[]
    >(
      `select status, message, errorcount as errors,
         extract(epoch from importcomplete - importstart)::float8 as seconds
       from importfile`,
    );
    if (row?.status === 'Complete' && row.seconds !== null) return row.seconds;
    if (row?.status === 'Error') throw new Error(`the import failed: ${String(row.message)}`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

/** Creates the firm with its account, the loans with their cases, and the event codes. */
async function prepare(database: BenchDatabase, connection: BenchConnection): Promise<void> {
  const child = await startChild<ProductHandlers>('product.ts');
  try {
    const port = await child.ask('start', {
      databaseUrl: database.url(connection.database),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web'],
    });
    const save = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/${path}?Output=Json`, {
        method: 'POST',
        headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    };
    const { OrganizationID } = await save('organization/save', { Organization: 'Bench Law', ProviderCode: 'BENCH' });
    // The password below is used as it is.
    await save('setting/save', { Setting: 'InitialPasswordDays', Value: '0' });
    await save('person/save', {
      Person: 'bench',
      Password: 'the password of the bench',
      OrganizationID,
      Roles: 'Partner',
    });
    for (const [n, code] of eventCodes.entries()) {
      const { ImportFormTemplateID } = await save('importformtemplate/save', {
        ImportFormTemplate: `Task of ${code}`,
        AppliesTo: 'Foreclosure',
        Repeatable: 'One',
      });
      await save('eventcode/save', {
        EventCode: code,
        CaseKind: 'Foreclosure',
        ImportFormTemplateID,
        ...(n % 5 === 0 ? { CaseStatus: ['Open', 'On Hold', 'Open', 'Closed'][n / 5] } : {}),
      });
    }
    await database.use(connection, async (sql) => {
      await sql.unsafe(
        `insert into loan (loan, agency, status) select number, 'INVESTOR', 'Active' from unnest($1::text[]) number`,
        [Array.from({ length: LOANS }, (_, n) => loanNumber(n))],
      );
      await sql.unsafe(
        `with made as (
          insert into process (process, status, recordclass, loanid, organizationid, dateopened, loanassigned)
          select 'F-' || substr(loan, 2)::integer, 'Open', 'Foreclosure', loanid, $1::bigint, '2024-01-01', true
          from loan
          returning processid, organizationid)
        insert into foreclosure (foreclosureid, reachorganizationid) select processid, organizationid from made`,
        [Number(OrganizationID)],
      );
      await sql.unsafe('vacuum analyze');
    });
  } finally {
    await child.stop();
  }
}

/**
 * CPU used by the product's process and its database connections. On a busy machine it is more reliable than elapsed
 * time.
 */
interface CpuSeconds {
  readonly node: number;
  readonly database: number;
}

/** Clock ticks per second, Linux's unit of CPU time. */
const TICKS = 100;

async function cpuSeconds(
  child: Child<ProductHandlers>,
  database: BenchDatabase,
  connection: BenchConnection,
): Promise<CpuSeconds> {
  const { user, system } = await child.ask('cpu', undefined);
  const backends = await database.use(connection, (sql) =>
    sql.unsafe<{ pid: number }[]>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
  );
  let ticks = 0;
  for (const { pid } of backends) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return { node: (user + system) / 1e6, database: ticks / TICKS };
}

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
