/** Reading a list in full: all of its rows as of one moment, whatever is written meanwhile. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ListAnswer, TreeAnswer } from '../../../src/kernel/door/answer.ts';
import { item } from '../../../src/kernel/door/answer.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { testPlatform } from '../../support/platform.ts';

const returns = {
  Pieces: required(f.integer({ doc: 'Pieces that were handed over.' })),
  Rows: required(f.integer({ doc: 'Rows.' })),
  Names: f.text({ doc: 'Values of the first column.' }),
  Columns: f.text({ doc: 'Columns.' }),
};
const whole = defineOperation({
  module: 'wholeprobe',
  name: 'Read',
  method: 'POST',
  summary: 'Reads a list whole.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { Route: required(f.text({ doc: 'What is read.', max: 200 })) },
  free: 'any',
  returns,
  errors: [],
  source: 'test',
});

/** Writes while the list is read, once the first piece has been returned. */
let meanwhile: () => Promise<unknown> = async () => undefined;

const t = await testPlatform(
  { after },
  {
    fixture: {
      declarations: {
        operations: [
          {
            operation: whole,
            run: handle(whole, async (ctx, { Route }, rest) => {
              const pieces: (ListAnswer | TreeAnswer)[] = [];
              await ctx.readNamed(Route, rest, async (piece) => {
                pieces.push(piece);
                if (pieces.length === 1) await meanwhile();
              });
              const lists = pieces.filter((piece) => piece.kind === 'list');
              const shape = lists[0]?.shape.map(({ name }) => name) ?? [];
              const rows = lists.flatMap((list) => list.rows);
              return item('Whole', returns, {
                Pieces: pieces.length,
                Rows: rows.length,
                Names: [...new Set(rows.map((row) => String(row[shape[0] ?? ''])))].join(','),
                Columns: shape.join(','),
              });
            }),
          },
        ],
      },
    },
  },
);
const { admin, platform } = t;

const read = async (caller: typeof admin, parameters: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const answer = await caller.post('/api/wholeprobe/read?Output=Json', parameters);
  return answer.status === 200 ? answer.json() : { status: answer.status, text: answer.text };
};
const insert = (lastName: string, count: number): Promise<unknown> =>
  platform.store.query(
    `insert into contact (recordclass, contact, lastname, reachorganizationid)
     select 'Contact', 'x', $1::text, '{}'
     from generate_series(1, $2::integer) n`,
    [lastName, count],
  );

describe('a list read in full', () => {
  it('IMP-07 contains every row of a search once, as of when it began', async () => {
    await insert('Whole', 1_203);
    meanwhile = async () => {
      await insert('Whole', 700);
      await platform.store.query(
        `delete from contact
         where contactid in (
           select contactid from contact where lastname = 'Whole' order by contactid desc offset 600 limit 100
         )`,
      );
      await platform.store.query(
        `update contact
         set lastname = 'Elsewhere'
         where contactid in (
           select contactid from contact where lastname = 'Whole' order by contactid desc limit 100
         )`,
      );
    };
    const before = await read(admin, {
      Route: 'contact/search',
      LastName: 'Whole',
      SqlColumns: 'LastName,ContactID',
      OrderBy: '-ContactID',
    });
    meanwhile = async () => undefined;
    assert.deepEqual([before['Rows'], before['Names'], before['Columns']], [1_203, 'Whole', 'LastName,ContactID']);
    assert.ok(Number(before['Pieces']) >= 3);
    assert.equal((await read(admin, { Route: 'contact/search', LastName: 'Whole' }))['Rows'], 1_203 + 700 - 200);
  });

  it('IMP-07 has the columns of its own query, whatever was read before on the same connection', async () => {
    await insert('Columns', 2);
    for (const columns of ['LastName,ContactID', 'ContactID,LastName', 'LastName,ContactID,FirstName', 'LastName']) {
      const [first = ''] = columns.split(',');
      const { Names, Columns } = await read(admin, {
        Route: 'contact/search',
        LastName: 'Columns',
        SqlColumns: columns,
      });
      assert.equal(Columns, columns);
      if (first === 'LastName') assert.equal(Names, 'Columns');
      else assert.match(String(Names), /^\d+,\d+$/);
    }
  });

  it('IMP-07 contains every row of a saved statement, beyond the most that it answers at once', async () => {
    await admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'Many',
      Query: 'select g as Number from generate_series(1, {Rows}::integer) g',
    });
    assert.equal((await read(admin, { Route: 'contact/many', Rows: 10_403 }))['Rows'], 10_403);
    assert.deepEqual(
      [
        (await read(admin, { Route: 'contact/many', Rows: 0 }))['Columns'],
        (await read(admin, { Route: 'contact/many', Rows: 0 }))['Pieces'],
      ],
      ['number', 1],
    );
    assert.equal((await read(admin, { Route: 'contact/many', Row: 1 }))['status'], 400);
  });

  it("IMP-20 of another kind is refused before anything runs; the caller's permission and visibility apply", async () => {
    for (const Route of ['contact/select', 'contact/save', 'contact/queue/search'])
      assert.match(String((await read(admin, { Route, ID: 1 }))['text']), /returns no rows/, Route);
    assert.match(String((await read(admin, { Route: 'contact/history', ID: 1 }))['text']), /one page at a time/);
    assert.match(
      String((await read(admin, { Route: 'contact/search', RecordStart: 5 }))['text']),
      /RecordStart: all rows are read/,
    );
    await admin.post('/api/role/save', {
      Role: 'Whole',
      Permissions: 'WholeprobeRead ContactSearch ContactListByObject',
      UniversalAccess: false,
    });
    const { caller, organizationId } = await t.firm('Whole LLP', 'Whole');
    await insert('Reached', 3);
    await platform.store.query(
      `insert into contact (recordclass, contact, lastname, object, objectid)
       values ('Contact', 'x', 'Reached', 'Organization', $1::bigint)`,
      [organizationId],
    );
    assert.equal((await read(caller, { Route: 'contact/search', LastName: 'Reached' }))['Rows'], 1);
    assert.equal(
      (await read(caller, { Route: 'contact/listbyobject', Object: 'Organization', ObjectID: organizationId }))['Rows'],
      1,
    );
    assert.equal((await read(caller, { Route: 'contact/many', Rows: 1 }))['status'], 403);
    assert.equal((await read(caller, { Route: 'loan/search' }))['status'], 403);
  });
});
