import { createWriteStream, mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startChild } from './lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from './lib/database.ts';
import type { CopyHandlers } from './lib/floor-copy.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { ProductHandlers } from './lib/product.ts';
import type { BenchOptions } from './run.ts';

const ROWS = 500_000;
const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';
const columns = [
  'LoanNumber',
  'First Name',
  'Last Name',
  'Street',
  'City',
  'State',
  'Zip',
  'Balance',
  'Rate',
  'Opened',
  'Due',
  'Status',
  'Investor',
  'Phone',
  'Note',
];

/** Mappings of the second figure: six columns are checked or translated, the others trimmed. */
const checked: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  LoanNumber: { DataType: 'Integer', Required: true },
  'Last Name': { Required: true },
  State: { Translation: 'Texas=TX\nOhio=OH\nUtah=UT' },
  Balance: { DataType: 'Money' },
  Rate: { DataType: 'Decimal' },
  Opened: { DataType: 'Date', Required: true },
};

/**
 * Loads a file into staging with BulkReader, from the start of the import to its end. The floor is a plain copy of the
 * same file into a logged table of the same server. The product's source file is sealed, like all uploads; the floor's
 * is not.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const rows = options.rows ?? ROWS;
  const folder = mkdtempSync(join(tmpdir(), 'casewright-import-'));
  const database = await startDatabase();
  const product = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  const floor = await startChild<CopyHandlers>('floor-copy.ts');
  try {
    const path = join(folder, 'loans.txt');
    await pipeline(Readable.from(fileLines(rows)), createWriteStream(path));
    const connection = await database.create('bench');
    const plain = await database.create('plain', 'plain');
    const port = await product.ask('start', {
      databaseUrl: database.url('bench'),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web', 'worker'],
    });
    const side: Side = {
      cpu: () => floor.ask('cpu', undefined),
      slice: async () => ({
        calls: rows,
        seconds: await floor.ask('copy', {
          connection: plain,
          path,
          columns: columns.map((name) => `"${name}"`),
          staged: true,
        }),
      }),
    };
    for (const [name, maps, rateAtLeast] of [
      ['import: as it stands', {}, 0.6],
      ['import: with maps', checked, 0.3],
    ] as const) {
      if (!options.takes(name)) continue;
      const template = await templateOf(port, name, maps);
      const own: Side = {
        cpu: () => product.ask('cpu', undefined),
        slice: async () => ({ calls: rows, seconds: await importOnce(port, database, connection, { template, path }) }),
      };
      options.print(line(name, await compare(side, own, options.plan), { rateAtLeast }));
    }
  } finally {
    await Promise.all([product.stop(), floor.stop()]);
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function* fileLines(rows: number): Generator<string, void, undefined> {
  yield `${columns.join('|')}\n`;
  for (let n = 1; n <= rows; n++) {
    const cells = [
      ...[100_000_000 + n, 'Anna', `Example${n % 5_000}`, `${n % 9_999} Long Street Road`, 'Springfield'],
      ...[n % 3 === 0 ? 'Texas' : 'TX', 10_000 + (n % 89_999), `${(n * 37) % 900_000}.${10 + (n % 89)}`],
      ...[`4.${n % 999}`, `20${10 + (n % 14)}-0${1 + (n % 9)}-1${n % 10}`, '2026-01-31', 'Active', `INV${n % 40}`],
      ...[`555-01${10 + (n % 89)}`, `some words about the loan ${n}`],
    ];
    yield `${cells.join('|')}\n`;
  }
}

async function post(port: number, path: string, body: string | Blob, type: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': type },
    body,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 1_000)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function templateOf(port: number, name: string, maps: typeof checked): Promise<string> {
  const save = (record: string, fields: object): Promise<Record<string, unknown>> =>
    post(port, `${record}/save?Output=Json`, JSON.stringify(fields), 'application/json');
  const { ImportFileTemplateID } = await save('importfiletemplate', {
    ImportFileTemplate: name,
    ImportEngine: 'BulkReader',
    Async: true,
    ParameterString: 'TableName=bench&Delimiter=Pipe',
  });
  if (Object.keys(maps).length > 0)
    for (const [n, column] of columns.entries())
      await save('importfilemap', {
        ImportFileTemplateID,
        ImportFileMap: column,
        Destination: column,
        Sequence: n + 1,
        ...maps[column],
      });
  return name;
}

/** Imports the file into a table that does not exist yet; returns the duration. */
async function importOnce(
  port: number,
  database: BenchDatabase,
  connection: BenchConnection,
  { template, path }: { readonly template: string; readonly path: string },
): Promise<number> {
  return database.use(connection, async (sql) => {
    await sql.unsafe('drop table if exists staging.bench');
    const { ImportFileID } = await post(
      port,
      `importfile/importbyobject?Output=Json&Template=${encodeURIComponent(template)}`,
      await openAsBlob(path),
      'text/plain',
    );
    for (;;) {
      const [row] = await sql.unsafe<
        { status: string; message: string | null; errors: number; seconds: number | null }[]
      >(
        `select status, message, errorcount as errors,
           extract(epoch from importcomplete - importstart)::float8 as seconds
         from importfile where importfileid = $1::bigint`,
        [Number(ImportFileID)],
      );
      if (row?.status === 'Complete' && row.seconds !== null && row.errors === 0) return row.seconds;
      if (row?.seconds !== null && row?.seconds !== undefined)
        throw new Error(`the import ended as ${row.status} with ${row.errors} errors: ${String(row.message)}`);
      await sql.unsafe('select pg_sleep(0.1)');
    }
  });
}
