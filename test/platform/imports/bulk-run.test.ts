import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  importEngineConformance,
  sourceOf,
  type EngineSubject,
} from '../../../src/contracts/conformance/import-engine.ts';
import {
  IMPORT_ENGINE,
  type ImportEngine,
  type ImportMap,
  type ImportPiece,
  type ImportRun,
  type ImportTemplate,
} from '../../../src/contracts/import-engine.ts';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';
import { templateOf } from '../../support/imports/reading.ts';
import { runContext } from '../../support/imports/run-context.ts';

const test = await testPlatform({ after });
const { load } = bulkOn(test);
const { store, providers } = test.platform;
const ctx = await runContext(test, 'importfile/import');
const reader = providers.get(IMPORT_ENGINE, 'BulkReader');
const merge = providers.get(IMPORT_ENGINE, 'BulkMerge');

const dropAll = `do $$ declare found record; begin
  for found in
    select c.relname from pg_class c where c.relnamespace = 'staging'::regnamespace and c.relkind = 'r'
  loop
    execute format('drop table staging.%I', found.relname);
  end loop;
  delete from staginguse;
end $$`;

const documentText = (rows: number): string =>
  [
    'Loan,Name,Note',
    ...Array.from({ length: rows }, (_, n) => `${n + 1},"Müller, ""${n}""",${n % 2 ? '"two\nlines"' : ''}`),
  ].join('\n');
const foreign = [
  { fileName: 'a.xml', bytes: Buffer.from('<LoanCollection><LoanItem><Loan>1</Loan></LoanItem></LoanCollection>') },
  { fileName: 'a.json', bytes: Buffer.from('[{"Loan":"1"}]') },
];

function subjectOf(engine: ImportEngine, template: ImportTemplate, table: string): EngineSubject {
  return {
    engine,
    template,
    ctx,
    foreign,
    document: (rows) => ({ fileName: 'loans.csv', bytes: Buffer.from(documentText(rows)) }),
    faulty: { fileName: 'loans.csv', bytes: Buffer.from('Name,Note\nx,y') },
    saves: {
      transaction: (work) => ctx.inTransaction(work),
      saved: async () =>
        (
          await store.query<{ row: string }>(
            `select (s.loan || '|' || s.name || '|' || coalesce(s.note, '')) as row from staging.${table} s`,
          )
        ).map(({ row }) => row),
      clear: () => store.script(dropAll),
    },
  };
}

const maps: Partial<ImportMap>[] = [{ source: 'Loan', type: 'Key' }, { source: 'Name' }, { source: 'Note' }];

describe('the bulk reader as an import engine', () => {
  const subject = subjectOf(reader, templateOf({}, maps), 'import1');
  for (const { title, check } of importEngineConformance) it(title, () => check(subject));
});

describe('the bulk merge as an import engine', () => {
  const subject = subjectOf(merge, templateOf({ TargetTableName: 'loans' }, maps), 'loans');
  for (const { title, check } of importEngineConformance) it(title, () => check(subject));
});

/** A run with stored progress, as the pipeline has it, that can be interrupted before or after a piece commits. */
class CutRun {
  readonly storedRows: ImportPiece[] = [];
  readonly rowsGiven: string[] = [];
  private readonly template: ImportTemplate;
  private readonly bytes: Buffer;

  constructor(template: ImportTemplate, bytes: Buffer) {
    this.template = template;
    this.bytes = bytes;
  }

  /** Delivers the run once; `cut` decides by a piece's number whether the process dies there, losing that piece. */
  deliver(engine: ImportEngine, cut: (piece: number) => boolean = () => false): Promise<void> {
    let number = 0;
    const storedRows = (): ImportPiece[] => this.storedRows;
    const run: ImportRun = {
      importFileId: 1,
      organizationId: null,
      template: this.template,
      source: sourceOf({ fileName: 'many.csv', bytes: this.bytes }, 50_000),
      ctx,
      get done() {
        return storedRows().at(-1)?.done ?? 0;
      },
      get state() {
        return storedRows().findLast((piece) => piece.state !== undefined)?.state;
      },
      expect: async () => undefined,
      warn: () => Promise.resolve(),
      handOff: () => undefined,
      rows: () => assert.fail('no records'),
      piece: async (work) => {
        const isCut = cut(number++);
        this.storedRows.push(
          await ctx.inTransaction(async (own) => {
            const piece = await work(own);
            if (isCut) throw new Error('cut off');
            return JSON.parse(JSON.stringify(piece)) as ImportPiece;
          }),
        );
      },
    };
    return engine.import(run);
  }

  get counts(): { success: number; failed: number[]; done: number } {
    return {
      success: this.storedRows.reduce((sum, piece) => sum + (piece.counted?.success ?? 0), 0),
      failed: this.storedRows.flatMap((piece) => piece.results.filter((r) => r.status === 'Error').map((r) => r.line)),
      done: this.storedRows.at(-1)?.done ?? 0,
    };
  }
}

const MANY = 250_000;
/** Rows for three pieces, some of which fail. */
const many = Buffer.from(
  [
    'Number,Word,Amount',
    ...Array.from({ length: MANY }, (_, n) => (n % 50_000 === 777 ? `${n}` : `${n},"word ${n}",${n}.5`)),
  ].join('\n'),
);
const wrong = [0, 1, 2, 3, 4].map((n) => n * 50_000 + 777 + 2);

describe('an interrupted bulk load', () => {
  for (const [what, template] of [
    ['without maps', templateOf({ Truncate: 'true', TableName: 'many' })],
    [
      'with maps',
      templateOf({ TableName: 'many' }, [
        { source: 'Number', dataType: 'Integer' },
        { source: 'Word', required: true },
        { source: 'Amount', dataType: 'Money' },
      ]),
    ],
  ] as const) {
    it(`IMP-15 continues ${what} with no row lost or loaded twice, wherever it was interrupted`, async () => {
      await store.script(dropAll);
      const run = new CutRun(template, many);
      for (let piece = 0; piece < 12; piece++)
        await run
          .deliver(reader, (number) => number === Math.min(piece % 3, 1))
          .then(
            () => undefined,
            (error: unknown) => assert.equal((error as Error).message, 'cut off'),
          );
      await run.deliver(reader);
      assert.deepEqual(run.counts, { success: MANY - 5, failed: wrong, done: MANY });
      const [stored] = await store.query<{ n: number; different: number }>(
        'select count(*) as n, count(distinct number) as different from staging.many',
      );
      assert.deepEqual(stored, { n: MANY - 5, different: MANY - 5 });
    });
  }

  it('IMP-15 continues merging with no row lost or merged twice', async () => {
    await store.script(dropAll);
    const template = templateOf({ TargetTableName: 'merged' }, [
      { source: 'Number', type: 'Key', dataType: 'Integer' },
      { source: 'Word' },
      { source: 'Amount', dataType: 'Money' },
    ]);
    const run = new CutRun(template, Buffer.from(many.subarray(0, many.indexOf('\n60000,') + 1)));
    for (let piece = 0; piece < 12; piece++)
      await run
        .deliver(merge, (number) => number === Math.min(piece % 3, 1))
        .then(
          () => undefined,
          (error: unknown) => assert.equal((error as Error).message, 'cut off'),
        );
    await run.deliver(merge);
    assert.deepEqual(run.counts, { success: 59_998, failed: wrong.slice(0, 2), done: 60_000 });
    assert.deepEqual(
      [...(await store.query('select count(*) as n, sum(number) as sum from staging.merged'))],
      [{ n: 59_998, sum: String((60_000 * 59_999) / 2 - 777 - 50_777) }],
    );
    assert.deepEqual([...(await store.query("select to_regclass('staging.import1') as t"))], [{ t: null }]);
  });

  it('IMP-15 with UseTransaction starts over and keeps nothing of the interrupted load', async () => {
    await store.script(dropAll);
    const run = new CutRun(templateOf({ TableName: 'many', UseTransaction: 'true' }), many);
    await assert.rejects(
      run.deliver(reader, (number) => number === 1),
      { message: 'cut off' },
    );
    assert.deepEqual([...(await store.query("select to_regclass('staging.many') as t"))], [{ t: null }]);
    await run.deliver(reader);
    assert.deepEqual(run.counts, { success: MANY - 5, failed: wrong, done: MANY });
  });
});

describe('concurrent bulk loads', () => {
  it('IMP-11 two loads into one table both add rows; a load that truncates the table is refused, without waiting, while another is unfinished', async () => {
    await store.script(dropAll);
    const first = new CutRun(templateOf({ TableName: 'shared' }), Buffer.from('A,B\n1,2\n'));
    await assert.rejects(
      first.deliver(reader, (number) => number === 3),
      { message: 'cut off' },
    );
    // The import file of the first load exists and has not ended.
    await store.script(
      `insert into importfile (importfileid, importfile, status) overriding system value
        values (1, 'first', 'Importing'); select setval(pg_get_serial_sequence('importfile', 'importfileid'), 100)`,
    );
    assert.equal((await load({ options: { TableName: 'shared' } }, 'A,B\n3,4\n')).status, 'Complete');
    const refused = await load({ options: { TableName: 'shared', Truncate: 'true' } }, 'A,B\n5,6\n');
    assert.deepEqual([refused.status, refused.success], ['Error', 0]);
    assert.match(refused.message ?? '', /import file 1 is using the staging table shared;/);
    await store.query('update importfile set importcomplete = now() where importfileid = 1');
    assert.equal((await load({ options: { TableName: 'shared', Truncate: 'true' } }, 'A,B\n5,6\n')).status, 'Complete');
    assert.deepEqual([...(await store.query('select * from staging.shared'))], [{ a: '5', b: '6' }]);
  });
});
