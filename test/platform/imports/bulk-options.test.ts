import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const test = await testPlatform({ after });
const { load, template, send, rows, columns, save } = bulkOn(test);
const sql = postgres({ ...test.database, max: 1, onnotice: () => undefined });
after(() => sql.end());

describe('options of a bulk load', () => {
  it('IMP-11 without options a file is loaded into a new table, every column as text', async () => {
    const done = await load({}, 'Loan Number,Balance,State\n007,12.50,TX\n"8","",\n');
    assert.deepEqual([done.status, done.success, done.errors, done.log], ['Complete', 2, 0, []]);
    assert.deepEqual(await columns(`import${done.id}`), ['loannumber text', 'balance text', 'state text']);
    assert.deepEqual(await rows(`import${done.id}`), [
      ['007', '12.50', 'TX'],
      ['8', null, null],
    ]);
  });

  it('IMP-11 TableName names the staging table, in lower case and without characters that would need quoting', async () => {
    await load({ options: { TableName: 'Loans of Today' } }, 'A,B\n1,2\n');
    assert.deepEqual(await rows('loans_of_today'), [['1', '2']]);
  });

  it('IMP-11 {TableName} in TableName stands for the file, or for each worksheet', async () => {
    await load({ options: { TableName: 'in_{TableName}' } }, 'A,B\n1,2\n', 'March 2026.csv');
    assert.deepEqual(await rows('in_march_2026'), [['1', '2']]);
    const book = await workbookOf({
      sheets: {
        Loans: [
          ['A', 'B'],
          ['1', '2'],
        ],
        Notes: [['C'], ['x'], ['y']],
      },
    });
    const done = await load({ options: { TableName: 'in_{TableName}' } }, book, 'book.xlsx');
    assert.deepEqual([done.status, done.success], ['Complete', 3]);
    assert.deepEqual([await rows('in_loans'), await rows('in_notes')], [[['1', '2']], [['x'], ['y']]]);
  });

  it('IMP-11 Truncate empties the table first; without it rows are added', async () => {
    for (const Truncate of ['false', 'false', 'true'])
      await load({ options: { TableName: 'emptied', Truncate } }, 'A,B\n1,2\n');
    assert.equal((await rows('emptied')).length, 1);
    await load({ options: { TableName: 'emptied' } }, 'A,B\n3,4\n');
    assert.deepEqual(await rows('emptied'), [
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('IMP-11 EnsureTable false refuses a missing table and loads into an existing one', async () => {
    const name = await template({ options: { TableName: 'existing', EnsureTable: 'false' } });
    const refused = await send(name, 'A,B\n1,2\n');
    assert.deepEqual([refused.status, refused.success], ['Error', 0]);
    assert.match(refused.message ?? '', /there is no staging table existing, and EnsureTable is false/);
    await sql.unsafe('create table staging.existing (b text, a text)');
    assert.equal((await send(name, 'A,B\n1,2\n')).status, 'Complete');
    assert.deepEqual(await rows('existing'), [['2', '1']], 'columns are found by name');
  });

  it('IMP-11 AllowAlterColumn adds columns and widens those too narrow for the data; without it such rows fail', async () => {
    await sql.unsafe('create table staging.narrow (code varchar(3), amount integer, day date)');
    const body = 'Code,Amount,Day\nabc,1,2026-01-31\nabcd,2,2026-02-28\nab,99999999999,2026-03-01\na,1.5,x\n';
    const narrow = await load({ options: { TableName: 'narrow' } }, body);
    assert.deepEqual([narrow.success, narrow.errors], [1, 3]);
    assert.deepEqual(
      narrow.log.map((row) => [row.SourceLine, row.Status]),
      [
        [3, 'Error'],
        [4, 'Error'],
        [5, 'Error'],
      ],
    );
    assert.match(
      narrow.log[0]?.Message ?? '',
      /Line 3: Code: "abcd" does not fit into the column; expected at most 3 characters/,
    );
    const more = await load({ options: { TableName: 'narrow' } }, 'Code,Extra\na,b\n');
    assert.match(more.message ?? '', /has no column extra; with AllowAlterColumn it would be added/);
    const wide = await load(
      { options: { TableName: 'narrow', AllowAlterColumn: 'true', Truncate: 'true' } },
      body.replaceAll('\n', ',e\n').replace(',e', ',Extra'),
    );
    assert.deepEqual([wide.status, wide.success, wide.errors], ['Complete', 4, 0]);
    assert.deepEqual(await columns('narrow'), ['code text', 'amount numeric', 'day text', 'extra text']);
    assert.deepEqual(await rows('narrow', 'amount, code'), [
      ['abc', '1', '2026-01-31', 'e'],
      ['a', '1.5', 'x', 'e'],
      ['abcd', '2', '2026-02-28', 'e'],
      ['ab', '99999999999', '2026-03-01', 'e'],
    ]);
  });

  it('IMP-11 IdentityColumn numbers the rows', async () => {
    await load({ options: { TableName: 'numbered', IdentityColumn: 'RowID' } }, 'A,RowID\nx,7\ny,8\n');
    assert.deepEqual(await columns('numbered'), ['rowid bigint', 'a text', 'rowid2 text']);
    assert.deepEqual(await rows('numbered'), [
      [1, 'x', '7'],
      [2, 'y', '8'],
    ]);
  });

  it('IMP-11 BulkCopyTimeout stops a copy that takes longer', async () => {
    await sql.unsafe('create table staging.locked (a text, b text)');
    const name = await template({ options: { TableName: 'locked', BulkCopyTimeout: '1' } });
    await sql.begin(async (held) => {
      await held.unsafe('lock table staging.locked in share mode');
      const late = await send(name, 'A,B\n1,2\n');
      assert.deepEqual([late.status, late.message], ['Error', 'BulkCopyTimeout: a copy took longer than 1 seconds.']);
    });
    assert.equal((await send(name, 'A,B\n1,2\n')).status, 'Complete');
  });

  it('IMP-11 without UseTransaction the rows loaded before a failure remain; with it none do', async () => {
    const body = 'A,B\n1,2\nx\n3,4\n';
    for (const [UseTransaction, stored] of [
      ['false', 1],
      ['true', 0],
    ] as const) {
      const done = await load(
        { options: { TableName: `whole_${UseTransaction}`, UseTransaction, ThrowOnError: 'true' } },
        body,
      );
      assert.equal(done.status, 'Error');
      assert.match(done.message ?? '', /ThrowOnError: Line 3: the row has 1 cell; expected 2: A, B\./);
      const [found] = await sql<
        { table: string | null }[]
      >`select to_regclass(${`staging.whole_${UseTransaction}`})::text as table`;
      assert.equal(found?.table === null ? 0 : (await rows(`whole_${UseTransaction}`)).length, stored);
    }
    const statement = { ImportStatement: 'delete from {TableName} where 1 / (length(a) - 1) = 1' };
    const undone = await load(
      { options: { TableName: 'undone', UseTransaction: 'true' }, fields: statement },
      'A,B\n1,2\n',
    );
    assert.equal(undone.status, 'Error');
    assert.equal(
      (await sql`select to_regclass('staging.undone') as t`)[0]?.['t'],
      null,
      'the failed statement fails the load',
    );
    const good = await load({ options: { TableName: 'undone', UseTransaction: 'true' } }, body);
    assert.deepEqual([good.status, good.success, good.errors], ['Complete', 2, 1]);
    assert.deepEqual(await rows('undone'), [
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('IMP-11 ThrowOnError false logs a failed row and loads the others, whatever refused it', async () => {
    await sql.unsafe("create table staging.checked (a text, b text check (b <> 'no'))");
    const rest: Readonly<Record<number, string>> = { 3: ',no', 7: '' };
    const lines = Array.from({ length: 50 }, (_, n) => `${n}${rest[n % 10] ?? ',yes'}`);
    const body = ['A,B', ...lines].join('\n');
    const done = await load({ options: { TableName: 'checked' } }, body);
    assert.deepEqual([done.status, done.success, done.errors], ['Complete', 40, 10]);
    assert.deepEqual(
      done.log.map((row) => row.SourceLine),
      [5, 9, 15, 19, 25, 29, 35, 39, 45, 49],
    );
    assert.match(
      done.log[0]?.Message ?? '',
      /Line 5: the table rejects the row: its constraint checked_b_check does not allow it/,
    );
    const thrown = await load({ options: { TableName: 'checked', Truncate: 'true', ThrowOnError: 'true' } }, body);
    assert.deepEqual([thrown.status, thrown.success, thrown.errors], ['Error', 3, 1]);
    assert.equal((await rows('checked')).length, 3, 'the rows before the failed one remain');
  });

  it('IMP-11 UseSafe strips column names and numbers those that become equal; without it they are kept', async () => {
    const header = '"Loan #","Loan-","xmin","1st","select","Größe €"';
    await load({ options: { TableName: 'safe' } }, `${header}\n1,2,3,4,5,6\n`);
    assert.deepEqual(await columns('safe'), [
      'loan text',
      'loan2 text',
      'xmin2 text',
      '_1st text',
      'select text',
      'größe text',
    ]);
    await load({ options: { TableName: 'unsafe', UseSafe: 'false' } }, `${header}\n1,2,3,4,5,6\n`);
    assert.deepEqual(await columns('unsafe'), [
      'Loan # text',
      'Loan- text',
      'xmin2 text',
      '1st text',
      'select text',
      'Größe € text',
    ]);
    assert.deepEqual(await rows('unsafe'), [['1', '2', '3', '4', '5', '6']]);
  });

  it('IMP-11 an invalid option is refused when the template is saved', async () => {
    const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ Truncate: 'perhaps' }, /Truncate: expected true or false/],
      [{ BulkCopyTimeout: '0' }, /BulkCopyTimeout: expected a number of seconds between 1 and 3600/],
      [{ TableName: '{File}' }, /TableName: expected a name with braces only around TableName/],
      [
        { TargetTableName: 'public.loan' },
        /TargetTableName: expected a table of staging, or a record type; public is not staging/,
      ],
      [{ Connection: 'Elsewhere' }, /no database is declared as Elsewhere/],
      [{ Trunkate: 'true' }, /has no option Trunkate/],
    ];
    for (const [options, reported] of wrong) {
      const answer = await save({ options });
      assert.equal(answer.status, 400, JSON.stringify(options));
      assert.match(answer.text, reported);
    }
  });
});
