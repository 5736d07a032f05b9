import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn, type BulkTemplate } from '../../support/imports/bulk.ts';

const test = await testPlatform({ after });
const { load, template, send, rows, columns } = bulkOn(test);
const sql = postgres({ ...test.database, max: 1, onnotice: () => undefined });
after(() => sql.end());

const maps = [
  { ImportFileMap: 'Loan', Destination: 'LoanNumber', ImportFileMapType: 'Key' },
  { ImportFileMap: 'State', Destination: 'State', Translation: 'Texas=TX\nOhio=OH' },
  { ImportFileMap: 'Balance', Destination: 'Balance', DataType: 'Money' },
];
const merge = (
  options: Record<string, string>,
  fields: Record<string, unknown> = {},
  ownMaps: BulkTemplate['maps'] = maps,
): BulkTemplate => ({ engine: 'BulkMerge', options, maps: ownMaps, fields });
const tableThere = async (id: number): Promise<boolean> =>
  (await sql`select to_regclass(${`staging.import${id}`}) as t`)[0]?.['t'] !== null;

describe('a bulk merge into a table', () => {
  it('IMP-11 IMP-12 creates the target with its keys, inserts and updates by them through the maps, and leaves no staging table', async () => {
    const name = await template(merge({ TargetTableName: 'loans' }));
    const first = await send(name, 'Loan,State,Balance,Other\n1,Texas,"$1,250.50",x\n2,ohio,20,x\n');
    assert.deepEqual([first.status, first.success, first.errors, first.log], ['Complete', 2, 0, []]);
    assert.deepEqual(await columns('loans'), ['loannumber text', 'state text', 'balance numeric(19,4)']);
    const again = await send(name, 'Loan,State,Balance\n2,TX,21\n3,Nevada,30\n');
    assert.equal(again.success, 2);
    assert.deepEqual(await rows('loans'), [
      ['1', 'TX', '1250.5'],
      ['2', 'TX', '21'],
      ['3', 'Nevada', '30'],
    ]);
    assert.equal(await tableThere(again.id), false);
  });

  it('IMP-12 a value of the wrong type, and a missing required value, fail their row and name the column', async () => {
    const done = await load(
      merge({ TargetTableName: 'typed' }, {}, [
        ...maps,
        { ImportFileMap: 'City', Destination: 'City', Required: true },
      ]),
      'Loan,State,Balance,City\n1,TX,much,A\n2,TX,5,\n3,TX,7,C\n,TX,8,D\n',
    );
    assert.deepEqual([done.success, done.errors], [1, 3]);
    assert.deepEqual(
      done.log.map((row) => row.Message),
      [
        'Line 2: Balance: "much" is not an amount, such as 1250.00 or $1,250.00.',
        'Line 3: City: it is empty; a value is required.',
        'Line 5: Loan: empty; it identifies rows of the target.',
      ],
    );
    assert.deepEqual(
      (await rows('typed')).map((row) => row[0]),
      ['3'],
    );
  });

  it('IMP-14 a row that needs an operation that is not allowed fails, and nothing of it is saved', async () => {
    await sql.unsafe(
      `create table staging.allowed (loannumber text, state text, balance numeric); insert into staging.allowed
        values ('1', 'old', 1)`,
    );
    const body = 'Loan,State,Balance\n1,new,2\n2,new,2\n2,newer,3\n';
    const none = await load(merge({ TargetTableName: 'allowed' }, { ImportOperationsAllowed: 0 }), body);
    assert.deepEqual([none.success, none.errors], [0, 3]);
    const inserts = await load(merge({ TargetTableName: 'allowed' }, { ImportOperationsAllowed: 1 }), body);
    assert.deepEqual([inserts.success, inserts.errors, inserts.log.map((row) => row.SourceLine)], [1, 2, [2, 4]]);
    assert.match(
      inserts.log[0]?.Message ?? '',
      /a row with this Loan exists, and the import type does not allow updates/,
    );
    assert.deepEqual(await rows('allowed'), [
      ['1', 'old', '1'],
      ['2', 'new', '2'],
    ]);
    const updates = await load(
      merge({ TargetTableName: 'allowed' }, { ImportOperationsAllowed: 2 }),
      `${body}3,new,4\n`,
    );
    assert.deepEqual([updates.success, updates.errors], [2, 1]);
    assert.match(
      updates.log.find((row) => row.Status === 'Error')?.Message ?? '',
      /Line 5: .*no row with this Loan exists, and the import type does not allow inserts/,
    );
    assert.deepEqual(await rows('allowed'), [
      ['1', 'new', '2'],
      ['2', 'newer', '3'],
    ]);
  });

  it('IMP-11 of two rows with the same key the later one is merged, and the log reports the earlier one', async () => {
    const done = await load(merge({ TargetTableName: 'later' }), 'Loan,State,Balance\n1,A,1\n2,B,2\n1,C,3\n');
    assert.deepEqual(await rows('later'), [
      ['1', 'C', '3'],
      ['2', 'B', '2'],
    ]);
    assert.deepEqual(
      done.log.map((row) => [row.SourceLine, row.Status, row.Operation]),
      [[2, 'Warning', 'None']],
    );
    assert.deepEqual([done.success, done.errors], [2, 0]);
  });

  it('IMP-11 a row that the target refuses, or that matches several of its rows, fails alone', async () => {
    await sql.unsafe(
      `create table staging.strict (loannumber text, state text check (length(state) < 3), balance numeric);
        insert into staging.strict values ('7', 'A', 1), ('7', 'B', 1)`,
    );
    const done = await load(
      merge({ TargetTableName: 'strict' }),
      [
        'Loan,State,Balance',
        ...Array.from({ length: 40 }, (_, n) => `${n},${n === 20 || n === 33 ? 'long' : 'TX'},1`),
      ].join('\n'),
    );
    assert.deepEqual([done.success, done.errors], [37, 3]);
    assert.deepEqual(
      done.log.map((row) => row.SourceLine),
      [9, 22, 35],
    );
    assert.match(done.log[0]?.Message ?? '', /several rows of the target have this value/);
    assert.match(done.log[1]?.Message ?? '', /constraint strict_state_check does not allow it/);
  });

  it('IMP-18 the ImportStatement runs between the load and the merge', async () => {
    await load(
      merge(
        { TargetTableName: 'cleaned' },
        { ImportStatement: `delete from {TableName} where balance < 10; update {TableName} set state = lower(state)` },
      ),
      'Loan,State,Balance\n1,TX,1\n2,TX,20\n',
    );
    assert.deepEqual(await rows('cleaned'), [['2', 'tx', '20']]);
  });

  it('IMP-11 a named staging table with rows from earlier files merges only those of its own file', async () => {
    const name = await template(merge({ TargetTableName: 'again', TableName: 'again_staged' }));
    await send(name, 'Loan,State,Balance\n1,TX,1\n');
    await sql.unsafe('delete from staging.again');
    const second = await send(name, 'Loan,State,Balance\n2,TX,2\n');
    assert.deepEqual([second.success, await rows('again')], [1, [['2', 'TX', '2']]]);
    assert.equal((await rows('again_staged')).length, 2);
  });

  it('IMP-11 UseTransaction merges all or nothing', async () => {
    const body = 'Loan,State,Balance\n1,TX,1\n2,TX,x\n3,TX,3\n';
    const failed = await load(merge({ TargetTableName: 'atomic', UseTransaction: 'true', ThrowOnError: 'true' }), body);
    assert.equal(failed.status, 'Error');
    assert.equal((await sql`select to_regclass('staging.atomic') as t`)[0]?.['t'], null);
    const done = await load(merge({ TargetTableName: 'atomic', UseTransaction: 'true' }), body);
    assert.deepEqual([done.status, done.success, done.errors, (await rows('atomic')).length], ['Complete', 2, 1, 2]);
  });

  it('IMP-11 a template without a key, and a target without its columns, are reported before any row is merged', async () => {
    const keyless = await load(
      merge({ TargetTableName: 'keyless' }, {}, [{ ImportFileMap: 'Loan', Destination: 'Loan' }]),
      'Loan\n1\n',
    );
    assert.match(keyless.message ?? '', /expected a map of type Key/);
    await sql.unsafe('create table staging.other (loannumber text)');
    const other = await load(merge({ TargetTableName: 'other' }), 'Loan,State,Balance\n1,TX,1\n');
    assert.match(other.message ?? '', /staging\.other has no column state; its columns: loannumber/);
    const missing = await load(
      merge({ TargetTableName: 'missing', EnsureTable: 'false' }),
      'Loan,State,Balance\n1,TX,1\n',
    );
    assert.match(missing.message ?? '', /there is no table staging\.missing, and EnsureTable is false/);
  });
});

describe('a bulk merge into records', () => {
  const propertyMaps = [
    { ImportFileMap: 'Street', Destination: 'Address', ImportFileMapType: 'Key' },
    { ImportFileMap: 'Town', Destination: 'City', Required: true },
    { ImportFileMap: 'Zip', Destination: 'PostalCode', IsText: true },
  ];

  it('IMP-11 IMP-12 IMP-14 saves each row like any record, including history, labels, versions and visibility', async () => {
    const name = await template({
      engine: 'BulkMerge',
      maps: propertyMaps,
      options: { TargetTableName: 'Property' },
      fields: { AppliesTo: 'Property' },
    });
    const first = await send(name, 'Street,Town,Zip\n1 Ash Way,Alder,01234\n2 Ash Way,,01235\n3 Ash Way,Alder,01236\n');
    assert.deepEqual([first.status, first.success, first.errors], ['Complete', 2, 1]);
    assert.match(
      first.log.find((row) => row.Status === 'Error')?.Message ?? '',
      /Town: it is empty; a value is required/,
    );
    const second = await send(name, 'Street,Town,Zip\n1 Ash Way,Birch,01234\n');
    assert.deepEqual(
      second.log.map((row) => row.Operation),
      ['Update'],
    );
    const found = await sql<{ city: string; postalcode: string; version: number; history: number }[]>`
      select city, postalcode, version,
        (select count(*)::integer from history where tablename = 'property' and recordid = propertyid) as history
      from property
      where address collate "C" like '%Ash Way'
      order by address`;
    assert.deepEqual(
      [...found],
      [
        { city: 'Birch', postalcode: '01234', version: 2, history: 1 },
        { city: 'Alder', postalcode: '01236', version: 1, history: 0 },
      ],
    );
    assert.equal(await tableThere(second.id), false);
  });

  it('IMP-18 the ImportStatement changes rows before they are saved, using the column names of the source', async () => {
    const done = await load(
      {
        engine: 'BulkMerge',
        maps: propertyMaps,
        fields: {
          AppliesTo: 'Property',
          ImportStatement: `delete from {TableName} where town is null; update {TableName} set town = upper(town)`,
        },
      },
      'Street,Town,Zip\n8 Oak,,1\n9 Oak,Elm,2\n',
    );
    assert.deepEqual([done.success, done.errors], [1, 0]);
    assert.deepEqual(
      [...(await sql`select city from property where address collate "C" like '% Oak'`)].map((row) => row['city']),
      ['ELM'],
    );
  });

  it('IMP-11 invalid options are refused when the template is saved: all or nothing, another record type, no record type', async () => {
    const { save } = bulkOn(test);
    for (const [options, AppliesTo, reported] of [
      [
        { TargetTableName: 'Property', UseTransaction: 'true' },
        'Property',
        /UseTransaction: expected false for a merge into records/,
      ],
      [{ TargetTableName: 'Property' }, 'Loan', /TargetTableName: expected Loan, which the import type applies to/],
      [{}, undefined, /neither what to merge into nor which record type/],
    ] as const) {
      const answer = await save({ engine: 'BulkMerge', options, fields: AppliesTo === undefined ? {} : { AppliesTo } });
      assert.equal(answer.status, 400);
      assert.match(answer.text, reported);
    }
  });
});
