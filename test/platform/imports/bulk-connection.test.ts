import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { readEnvironment } from '../../../src/app/environment.ts';
import { IMPORT_ENGINE, type ImportPiece, type ImportRun } from '../../../src/contracts/import-engine.ts';
import { sourceOf } from '../../../src/contracts/conformance/import-engine.ts';
import { emptyTestDatabase } from '../../support/database.ts';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';
import { templateOf } from '../../support/imports/reading.ts';
import { runContext } from '../../support/imports/run-context.ts';

const other = await emptyTestDatabase({ after });
const sql = postgres({ ...other, max: 1, onnotice: () => undefined });
after(() => sql.end());
await sql.unsafe('create schema dim; create table dim."Loans" ("LoanNumber" text primary key, state text)');
const connection = { host: other.host, port: other.port, user: other.user, database: other.database };
const test = await testPlatform(
  { after },
  {
    connections: new Map([
      ['WAREHOUSE', connection],
      ['GONE', { ...connection, database: 'nothing_there' }],
    ]),
  },
);
const { load, save } = bulkOn(test);

const keyed = [
  { ImportFileMap: 'Loan', Destination: 'LoanNumber', ImportFileMapType: 'Key' },
  { ImportFileMap: 'State', Destination: 'State' },
];

describe('a bulk load into another database', () => {
  it('IMP-11 Connection selects the database that holds staging table and target and runs the ImportStatement', async () => {
    const done = await load(
      {
        options: { Connection: 'Warehouse', TableName: 'there', TargetTableName: 'dim.Loans' },
        fields: {
          ImportStatement: `insert into {TargetTableName} ("LoanNumber", state) select loan, state from there`,
        },
      },
      'Loan,State\n1,TX\n2,OH\nx\n',
    );
    assert.deepEqual([done.status, done.success, done.errors], ['Complete', 2, 1]);
    assert.deepEqual(
      [...(await sql`select * from dim."Loans" order by 1`)].map((row) => Object.values(row)),
      [
        ['1', 'TX'],
        ['2', 'OH'],
      ],
    );
    assert.equal((await sql`select * from staging.there`).length, 2);
    assert.equal((await test.platform.store.query("select from pg_class where relname = 'there'")).length, 0);
    assert.equal((await sql`select * from staging.casewright_step`).length, 0, 'nothing remains of ended runs');
  });

  it('IMP-11 BulkMerge merges there by keys, matching names regardless of case', async () => {
    const done = await load(
      { engine: 'BulkMerge', options: { Connection: 'warehouse', TargetTableName: 'dim.Loans' }, maps: keyed },
      'Loan,State\n2,NV\n3,UT\n',
    );
    assert.deepEqual([done.status, done.success, done.message], ['Complete', 2, undefined]);
    assert.deepEqual(
      [...(await sql`select * from dim."Loans" order by 1`)].map((row) => Object.values(row)),
      [
        ['1', 'TX'],
        ['2', 'NV'],
        ['3', 'UT'],
      ],
    );
  });

  it('IMP-11 rows staged there are saved as records here', async () => {
    const done = await load(
      {
        engine: 'BulkMerge',
        options: { Connection: 'Warehouse' },
        maps: [{ ImportFileMap: 'Street', Destination: 'Address' }],
        fields: { AppliesTo: 'Property' },
      },
      'Street\n5 Far Road\n',
    );
    assert.deepEqual([done.status, done.success], ['Complete', 1]);
    assert.equal((await test.platform.store.query("select from property where address = '5 Far Road'")).length, 1);
  });

  it('IMP-11 UseTransaction leaves nothing there if the run fails', async () => {
    const done = await load(
      {
        options: { Connection: 'Warehouse', TableName: 'whole', UseTransaction: 'true' },
        fields: { ImportStatement: 'delete from dim.missing' },
      },
      'A,B\n1,2\n',
    );
    assert.equal(done.status, 'Error');
    assert.match(done.message ?? '', /ImportStatement: statement 1: relation "dim\.missing" does not exist/);
    assert.equal((await sql`select to_regclass('staging.whole') as t`)[0]?.['t'], null);
  });

  it('IMP-11 templates choose among the connections declared in the environment, whose addresses are never revealed', async () => {
    const answer = await save({ options: { Connection: 'Warehous' } });
    assert.match(answer.text, /no database is declared as Warehous\. Did you mean warehouse\? Known: warehouse, gone/);
    const hostile = await save({ options: { Connection: 'postgres://root@127.0.0.1/postgres' } });
    assert.equal(hostile.status, 400);
    const catalog = await save({ options: { Connection: 'Warehouse', TargetTableName: 'pg_catalog.pg_authid' } });
    assert.match(catalog.text, /TargetTableName/);
    const reading = await save({
      options: { Connection: 'Warehouse' },
      fields: { ImportStatement: 'insert into {TableName} select rolpassword from pg_catalog.pg_authid' },
    });
    assert.match(reading.text, /tables of pg_catalog cannot be named/);
  });

  it('IMP-11 a database that refuses the login ends the run, and is reported by name without its address', async () => {
    const done = await load({ options: { Connection: 'Gone' } }, 'A,B\n1,2\n');
    assert.deepEqual(
      [done.status, done.message],
      ['Error', 'Connection: the database Gone rejects the user declared in the environment.'],
    );
  });

  it('IMP-15 a piece committed there but lost here is not loaded twice', async () => {
    const engine = test.platform.providers.get(IMPORT_ENGINE, 'BulkReader');
    const template = templateOf({ Connection: 'Warehouse', TableName: 'twice' });
    const ctx = await runContext(test, 'importfile/import');
    const source = sourceOf({ fileName: 'twice.csv', bytes: Buffer.from('A,B\n1,2\n3,4\nbroken\n') });
    const stored: ImportPiece[] = [];
    let lose = false;
    const run = (): ImportRun => ({
      importFileId: 987_654,
      organizationId: null,
      template,
      source,
      ctx,
      done: stored.at(-1)?.done ?? 0,
      state: stored.findLast((piece) => piece.state !== undefined)?.state,
      expect: async () => undefined,
      warn: () => Promise.resolve(),
      handOff: () => undefined,
      rows: () => assert.fail('nothing is saved as records'),
      piece: async (work) => {
        const piece = await ctx.inTransaction(async (own) => {
          const made = await work(own);
          if (lose && made.results.length > 0) throw new Error('the connection was lost');
          return made;
        });
        stored.push(piece);
      },
    });
    lose = true;
    await assert.rejects(engine.import(run()), { message: 'the connection was lost' });
    assert.equal((await sql`select * from staging.twice`).length, 2, 'it is there already');
    lose = false;
    await engine.import(run());
    assert.deepEqual(
      [...(await sql`select * from staging.twice order by a`)].map((row) => Object.values(row)),
      [
        ['1', '2'],
        ['3', '4'],
      ],
    );
    const results = stored.flatMap((piece) => piece.results);
    assert.deepEqual(
      results.map((result) => result.line),
      [4],
      'its results are reported',
    );
    assert.equal(
      stored.reduce((sum, piece) => sum + (piece.counted?.success ?? 0), 0),
      2,
    );
  });
});

describe('declared connections', () => {
  it('IMP-11 are declared in the environment, one per variable', () => {
    const { connections } = readEnvironment(
      {
        CASEWRIGHT_CONNECTION_WAREHOUSE: 'postgres://loader:secret@warehouse.example:5433/facts?sslmode=verify-full',
        CASEWRIGHT_CONNECTION_EMPTY: '',
      },
      [],
    );
    assert.deepEqual(
      [...(connections ?? [])],
      [
        [
          'WAREHOUSE',
          {
            host: 'warehouse.example',
            port: 5433,
            user: 'loader',
            password: 'secret',
            database: 'facts',
            ssl: 'verify-full',
          },
        ],
      ],
    );
    assert.throws(
      () => readEnvironment({ CASEWRIGHT_CONNECTION_WAREHOUSE: 'mysql://x' }, []),
      /CASEWRIGHT_CONNECTION_WAREHOUSE: expected an address that begins with postgres/,
    );
    assert.throws(
      () => readEnvironment({ 'CASEWRIGHT_CONNECTION_my-db': 'postgres://x' }, []),
      /expected a name of capital letters/,
    );
  });
});
