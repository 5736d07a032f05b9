import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { DraftFinding } from '../../../src/modules/rules/matrix/lib/check-draft.ts';
import type { Differences } from '../../../src/lib/decision-tables/differences.ts';
import type { Grid } from '../../../src/lib/decision-tables/grid.ts';
import type { Trial } from '../../../src/lib/decision-tables/tried-row.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { ok, refused, lookup, table } = matrixCalls(p);

interface Draft {
  readonly Version: number;
  readonly Published: number;
  readonly Base: number;
  readonly Grid: Grid;
  readonly Differences: Differences;
  readonly Findings: readonly DraftFinding[];
}
const fees =
  'State,Balance,Price\n5,1,output\ntype: Text,type: Number,type: Money\nNY,,100\nFL,0 - 250000,200\n,,300\n';
const create = async (name: string): Promise<number> => Number((await ok(table(name, fees)))['MatrixID']);
const read = async (id: number): Promise<Draft> =>
  (await ok(p.admin.get(`/api/matrix/draft?ID=${id}&Output=Json`))) as unknown as Draft;
const send = (
  id: number,
  version: number,
  operation: string,
  more: Readonly<Record<string, unknown>> = {},
): ReturnType<typeof p.admin.post> =>
  p.admin.post(`/api/matrix/${operation}?Output=Json`, { ID: id, Version: version, ...more });
const edit = (id: number, version: number, ...edits: readonly object[]): ReturnType<typeof p.admin.post> =>
  send(id, version, 'savedraft', { Edits: JSON.stringify(edits) });
const done = async (answer: ReturnType<typeof p.admin.post>): Promise<void> => assert.equal((await answer).status, 204);
const set = (row: number, column: number, text: string): object => ({ kind: 'set', cells: [{ row, column, text }] });
const price = async (name: string, inputs: Readonly<Record<string, string>>): Promise<unknown> =>
  (await lookup(name, inputs))[0]?.['Price'];

describe('a draft of a decision table', () => {
  it('WEB-04 is edited while the published version decides, names each change, and decides once it is published', async () => {
    const id = await create('Drafted');
    const before = await read(id);
    assert.deepEqual([before.Version, before.Published, before.Differences.rows], [0, 1, []]);
    const saved = (await ok(
      edit(
        id,
        0,
        set(0, 2, '150'),
        { kind: 'insert', at: 3, rows: [['TX', '', '50']] },
        { kind: 'remove', at: 1, count: 1 },
      ),
    )) as unknown as Draft;
    assert.equal(saved.Version, 1);
    assert.deepEqual(saved.Differences.rows, [
      { kind: 'changed', before: 0, after: 0, cells: [{ column: 2, before: '100' }] },
      { kind: 'removed', before: 1, at: 1, cells: ['FL', '0 - 250000', '200'] },
      { kind: 'added', after: 2 },
    ]);
    assert.equal(Number(await price('Drafted', { State: 'NY' })), 100);
    const published = await ok(send(id, 1, 'publishdraft'));
    assert.deepEqual(
      [published['Published'], published['Added'], published['Changed'], published['Removed']],
      [2, 1, 1, 1],
    );
    assert.equal(Number(await price('Drafted', { State: 'NY' })), 150);
    assert.equal(Number(await price('Drafted', { State: 'TX' })), 50);
    assert.deepEqual([(await read(id)).Version, (await read(id)).Published], [0, 2]);
  });

  it('WEB-04 of two analysts, the second learns of the first change, and nothing is lost', async () => {
    const id = await create('Two analysts');
    await ok(edit(id, 0, set(0, 2, '150')));
    await refused(edit(id, 0, set(0, 2, '160')), 409);
    await ok(edit(id, 1, set(0, 2, '160')));
    await refused(send(id, 1, 'publishdraft'), 409);
    assert.equal((await read(id)).Grid.rows[0]?.[2], '160');
    await ok(table('Two analysts', fees.replace('NY,,100', 'NY,,110')));
    await refused(send(id, 2, 'publishdraft'), 422);
    await ok(send(id, 2, 'publishdraft', { Replace: true }));
    assert.equal(Number(await price('Two analysts', { State: 'NY' })), 160);
  });

  it('WEB-04 with a cell that cannot be read or rows that tie is stored and not published; a warning is accepted with a reason', async () => {
    const id = await create('Checked');
    const unreadable = (await ok(edit(id, 0, set(1, 1, '500 - 1'), set(0, 2, 'free')))) as unknown as Draft;
    assert.deepEqual(
      unreadable.Findings.map(({ Finding, Severity, Row, Input, Output }) => [Finding, Severity, Row, Input ?? Output]),
      [
        ['Unreadable', 'Error', 2, 'Balance'],
        ['Unreadable', 'Error', 1, 'Price'],
      ],
    );
    await refused(send(id, 1, 'publishdraft'), 422);
    const tied = (await ok(
      edit(id, 1, set(0, 2, '100'), set(1, 1, '0 - 250000'), {
        kind: 'insert',
        at: 2,
        rows: [['FL', '200k - 500k', '250']],
      }),
    )) as unknown as Draft;
    assert.equal(tied.Findings[0]?.Title, 'Rows 2 and 3 tie');
    assert.match(tied.Findings[0]?.Description ?? '', /For State FL, Balance from 200,000 to 250,000: Price/);
    await refused(send(id, 2, 'acceptfinding', { Key: tied.Findings[0]?.Key, Reason: 'x', Version: undefined }), 422);
    const overlap = (await ok(
      edit(
        id,
        2,
        set(2, 1, '250000.01 - 500000'),
        { kind: 'insert', at: 3, rows: [['not NY', '', '1']] },
        set(2, 0, 'FL, NY'),
      ),
    )) as unknown as Draft;
    const warning = overlap.Findings.find(({ Finding }) => Finding === 'Overlap');
    assert.ok(warning, JSON.stringify(overlap.Findings));
    await done(
      send(id, 3, 'acceptfinding', { Key: warning.Key, Reason: 'New York is an exception.', Version: undefined }),
    );
    const accepted = (await read(id)).Findings.find(({ Key }) => Key === warning.Key);
    assert.equal(accepted?.AcceptedReason, 'New York is an exception.');
    assert.ok(accepted.AcceptedPersonID);
    await done(send(id, 3, 'withdrawacceptance', { Key: warning.Key, Version: undefined }));
    assert.equal((await read(id)).Findings.find(({ Key }) => Key === warning.Key)?.AcceptedReason, null);
  });

  it('WEB-04 is discarded, restored from a version, and replaced by a table', async () => {
    const id = await create('Versions');
    await ok(edit(id, 0, set(0, 2, '150')));
    await ok(send(id, 1, 'publishdraft'));
    await ok(edit(id, 0, set(0, 2, '170')));
    await done(send(id, 1, 'discarddraft'));
    assert.equal((await read(id)).Grid.rows[0]?.[2], '150');
    const listed = await ok(p.admin.get(`/api/matrix/versions?ID=${id}&Output=Json`));
    const versions = (listed['MatrixVersionCollection'] as { MatrixVersionItem: Record<string, unknown>[] })
      .MatrixVersionItem;
    assert.deepEqual(
      versions.map(({ Number: number, RowCount }) => [number, RowCount]),
      [
        [2, 3],
        [1, 3],
      ],
    );
    const restored = (await ok(
      send(id, 0, 'restoreversion', { MatrixVersionID: versions[1]?.['MatrixVersionID'] }),
    )) as unknown as Draft;
    assert.deepEqual([restored.Differences.changed, restored.Differences.rows.length], [1, 1]);
    const sent = await ok(
      p.admin.post(
        `/api/matrix/importdraft?ID=${id}&Version=1&Output=Json`,
        'State,Balance,Price\n5,2,output\nCA,1 to 5,x\n',
        {
          'content-type': 'text/csv',
        },
      ),
    );
    const replaced = sent as unknown as Draft;
    assert.deepEqual(replaced.Differences.columns, [{ kind: 'weight', name: 'Balance', before: '1', after: '2' }]);
    assert.equal(replaced.Findings[0]?.Finding, 'Unreadable');
    const csv = (await p.admin.get(`/api/matrix/exporttable?ID=${id}&Draft=true`)).text;
    assert.match(csv, /CA,1 - 5,x/);
    assert.doesNotMatch((await p.admin.get(`/api/matrix/exporttable?ID=${id}`)).text, /CA,/);
  });

  it('WEB-04 is tried: the row that decides column by column, other matches, and near misses with what they would score', async () => {
    const id = await create('Tried');
    await ok(edit(id, 0, { kind: 'insert', at: 0, rows: [['NY', '>500K', '900']] }));
    const tried = async (more: string): Promise<Trial> =>
      (await ok(p.admin.get(`/api/matrix/try?ID=${id}&Output=Json${more}`)))['Trial'] as Trial;
    const { winner, alsoMatched, nearMisses, weightMax } = await tried('&State=NY&Balance=600000');
    assert.deepEqual([winner?.number, winner?.weight, weightMax, winner?.outputs[0]?.value], [1, 6, 6, '900']);
    assert.deepEqual(
      winner?.cells.map(({ input, reason, weight }) => [input, reason, weight]),
      [
        ['State', 'is NY', 5],
        ['Balance', 'in the range', 1],
      ],
    );
    assert.deepEqual(
      alsoMatched.map(({ number }) => number),
      [2, 4],
    );
    assert.deepEqual(nearMisses, []);
    const less = await tried('&State=FL&Balance=600000');
    assert.deepEqual(
      [less.winner?.number, less.nearMisses.map(({ number, weight }) => [number, weight])],
      [
        4,
        [
          [1, 6],
          [3, 6],
          [2, 5],
        ],
      ],
    );
    assert.equal(
      less.nearMisses[1]?.cells.find(({ outcome }) => outcome === 'Missed')?.reason,
      'is 600000, not from 0 to 250,000, both included',
    );
    await refused(p.admin.get(`/api/matrix/try?ID=${id}&Stat=NY&Output=Json`), 400);
  });

  it('WEB-04 lists what uses the matrix, and is closed to those who may not change matrices', async () => {
    const id = await create('Used');
    await ok(table('Using', 'State,Next Matrix\n1,output\nNY,Used\n'));
    const uses = await ok(p.admin.get(`/api/matrix/usedin?ID=${id}&Output=Json`));
    assert.match(JSON.stringify(uses), /"Object":"Matrix".*"Name":"Using".*"Field":"Next Matrix"/);
    const { caller } = await p.user('reads', 'Read Only');
    await ok(caller.get(`/api/matrix/draft?ID=${id}&Output=Json`));
    await refused(caller.post('/api/matrix/savedraft?Output=Json', { ID: id, Version: 0, Edits: '[]' }), 403);
    await refused(caller.post('/api/matrix/publishdraft?Output=Json', { ID: id, Version: 0 }), 403);
  });
});
