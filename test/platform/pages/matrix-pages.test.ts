import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf } from '../../support/work/workflows.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';

const p = await testPlatform({ after });
const { ok, table } = matrixCalls(p);
const fees = 'State,Balance,Price\n5,1,output\ntype: Text,type: Number,type: Money\nNY,,100\nFL,0 - 250000,200\n';
const create = async (name: string): Promise<string> => {
  const { MatrixID } = await ok(table(name, fees));
  return `/configure/matrices/${String(MatrixID)}`;
};
const session = async (name: string, role: string): Promise<TestSession> => {
  await p.user(name, role);
  return testSession(p, name);
};
const analyst = await session('analyst', 'Analyst');
const read = async (address: string): Promise<{ Grid: { rows: string[][] }; Version: number }> =>
  (await ok(p.admin.get(`/api/matrix/draft?ID=${address.split('/').at(-1)}&Output=Json`))) as never;

describe('the pages of matrices without script', () => {
  it('WEB-04 a row is a form: saved, added, moved and deleted; what was entered stays after a refusal', async () => {
    const page = await create('Rows');
    const row = await analyst.get(`${page}/rows/2`);
    assert.match(row.text, /From 0 to 250,000, both included/);
    const fields = { 'cell-0': 'FL', 'cell-1': 'any', 'cell-2': '210', Version: '0', do: 'save' };
    assert.equal((await analyst.post(`${page}/rows/2`, fields)).location, `${page}#row-2`);
    const refused = await analyst.post(`${page}/rows/2`, { ...fields, 'cell-2': '<b>999' });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /value="&lt;b&gt;999"/);
    assert.match(refused.text, /The draft is at version 1, not 0/);
    await analyst.post(`${page}/rows/new`, { ...fields, 'cell-0': 'CA', Version: '1' });
    await analyst.post(`${page}/rows/3`, { ...fields, 'cell-0': 'CA', Version: '2', do: 'up' });
    await analyst.post(`${page}/rows/1`, { ...fields, Version: '3', do: 'delete' });
    assert.deepEqual((await read(page)).Grid.rows, [
      ['CA', '', '210'],
      ['FL', '', '210'],
    ]);
    assert.equal((await analyst.get(`${page}/rows/9`)).status, 404);
    assert.match((await analyst.get(`${page}/rows/new?cell.State=PA`)).text, /value="PA"/);
  });

  it('WEB-04 cells are pasted as rows, and too many in a row are refused with what was pasted', async () => {
    const page = await create('Pasted');
    const cells = 'State\tBalance\tPrice\nCA\t200k to 500k\t90\n"T""X"\tany\t80\n';
    assert.match((await analyst.post(`${page}/import`, { cells, Version: '0' })).location ?? '', /done=imported/);
    assert.deepEqual((await read(page)).Grid.rows.slice(2), [
      ['CA', '200k - 500k', '90'],
      ['T"X', '', '80'],
    ]);
    const wide = await analyst.post(`${page}/import`, { cells: 'a\tb\tc\td', Version: '1' });
    assert.equal(wide.status, 400);
    assert.match(wide.text, /Row 1 has 4 cells; the matrix has 3 columns/);
    assert.match(wide.text, /a(?:\t|&#9;|&#x9;)b/);
  });

  it('WEB-04 a warning is accepted with a reason, a version restored, a draft discarded, and a trial explains its result without its values in the address', async () => {
    const page = await create('Steps');
    const fields = { 'cell-0': 'NY, FL', 'cell-1': '>=100', 'cell-2': '1', Version: '0', do: 'save' };
    await analyst.post(`${page}/rows/new`, fields);
    const editor = await analyst.get(page);
    assert.match(editor.text, /Rows 2 and 3 tie/);
    assert.match(editor.text, /aria-disabled="true" aria-description="Fix 1 conflict to publish"/);
    const refused = await analyst.post(`${page}/publish`, { Version: '1' });
    assert.match(refused.text, /Fix this error to publish\. Rows 2 and 3 tie/);
    const [, key = ''] = /accept\?Key=(\w+)/.exec(editor.text) ?? [];
    assert.match((await analyst.get(`${page}/accept?Key=${key}`)).text, /Why the table is right/);
    const empty = await analyst.post(`${page}/accept?Key=${key}`, { Reason: ' ', do: 'accept', Version: '1' });
    assert.equal(empty.status, 400);
    await analyst.post(`${page}/accept?Key=${key}`, { Reason: 'Agreed with <i>Ann</i>.', do: 'accept', Version: '1' });
    assert.match((await analyst.get(page)).text, /analyst: “Agreed with &lt;i&gt;Ann&lt;\/i&gt;\.”/);
    const trial = await analyst.post(`${page}/try`, { 'in.State': 'FL', 'in.Balance': '300000' });
    assert.match(trial.text, /Row 3 wins[\s\S]*Near misses[\s\S]*Row 2[\s\S]*Balance is 300000, not from 0 to 250,000/);
    assert.match((await analyst.post(`${page}/try`, { 'in.Stat': 'FL' })).text, /Stat: Steps has no such input/);
    await analyst.post(`${page}/discard`, { Version: '1' });
    assert.equal((await read(page)).Version, 0);
    const [, version = ''] =
      /value="(\d+)"[^>]*>\s*<span>Restore/.exec((await analyst.get(`${page}/versions`)).text) ?? [];
    const restored = await analyst.post(`${page}/versions`, { Version: '0', MatrixVersionID: version });
    assert.equal(restored.location, `${page}?done=restored`);
    assert.match((await analyst.get(`${page}/uses`)).text, /Nothing uses this matrix/);
  });

  it('WEB-04 Configure offers what the user may change, and a matrix shows others nothing that would be refused', async () => {
    const page = await create('Offered');
    const configure = await analyst.get('/configure');
    for (const text of ['/records/matrix"', '/records/decisiontemplate"', 'Drafts that wait to be published'])
      assert.ok(configure.text.includes(text), text);
    const reader = await session('reader', 'Read Only');
    assert.match((await reader.get('/configure')).text, /You cannot change any configuration/);
    const shown = await reader.get(page);
    assert.match(shown.text, /Try it/);
    assert.doesNotMatch(shown.text, /Publish…|New row|Upload a table|This is right|data-weight/);
    await p.user('nobody', 'Data Service');
    assert.equal((await (await testSession(p, 'nobody')).get(page)).status, 403);
  });

  it('WEB-05 columns are added, renamed, moved, typed and removed in the draft; what it does to cells is said before', async () => {
    const page = await create('Columns');
    const id = page.split('/').at(-1);
    const columns = `${page}/columns`;
    const added = await analyst.post(columns, { Version: '0', Add: 'true', Name: 'Court', Kind: 'Input' });
    assert.equal(added.location, `${columns}/3`);
    const reserved = await analyst.post(columns, { Version: '1', Add: 'true', Name: 'Object', Kind: 'Input' });
    assert.equal(reserved.status, 400);
    assert.match(reserved.text, /a lookup already has a parameter with this name[^]*value="Object"/);
    const typed = await analyst.post(`${columns}/1`, { Version: '1', Name: 'State', Type: 'Number', Weight: '5' });
    assert.match(typed.text, /2 of 2 cells cannot be read this way: rows 1, 2\.[^]*Change anyway/);
    assert.equal((await read(page)).Version, 1, 'nothing is stored before it is confirmed');
    await analyst.post(`${columns}/1`, { Version: '1', Name: 'Place', Type: 'Text', Weight: '7' });
    await analyst.post(columns, { Version: '2', Move: '0 1' });
    assert.match((await analyst.get(columns)).text, /<bdi>Place<\/bdi> <span class="small muted">was <bdi>State/);
    const question = await analyst.get(`${columns}/1/remove`);
    assert.match(question.text, /Remove the input Balance\?[^]*1 of 2 rows have a value in it/);
    await analyst.post(`${columns}/1/remove`, { Version: '3' });
    assert.equal((await analyst.post(`${columns}/1/remove`, { Version: '3' })).status, 409);
    assert.equal((await analyst.get(`${columns}/9`)).status, 404);
    assert.match(
      (await analyst.get(`${page}/publish`)).text,
      /Column State renamed to Place[^]*Column Balance removed/,
    );
    const stored = async (): Promise<Record<string, unknown>[]> => {
      const answer = await ok(p.admin.get(`/api/matrixdimension/search?MatrixID=${id}&OrderBy=Sequence&Output=Json`));
      return rowsOf(answer, 'MatrixDimension');
    };
    const ids = new Map((await stored()).map((row) => [row['MatrixDimension'], row['MatrixDimensionID']]));
    assert.equal((await analyst.post(`${page}/publish`, { Version: '4' })).location, `${page}?done=published`);
    assert.deepEqual(
      (await stored()).map((row) => [row['MatrixDimension'], row['MatrixDimensionID'] === ids.get('State')]),
      [
        ['Place', true],
        ['Court', false],
      ],
    );
    assert.deepEqual((await read(page)).Grid.rows, [
      ['NY', '', '100'],
      ['FL', '', '200'],
    ]);
  });

  it('WEB-05 two columns that exchange their names keep their cells', async () => {
    const page = await create('Exchanged');
    const names = [
      { kind: 'renameColumn', column: 0, name: 'Other' },
      { kind: 'renameColumn', column: 1, name: 'State' },
      { kind: 'renameColumn', column: 0, name: 'Balance' },
    ];
    const body = { ID: page.split('/').at(-1), Version: 0, Edits: JSON.stringify(names) };
    await ok(p.admin.post('/api/matrix/savedraft?Output=Json', body));
    assert.equal((await analyst.post(`${page}/publish`, { Version: '1' })).location, `${page}?done=published`);
    assert.deepEqual((await read(page)).Grid.rows[1], ['FL', '0 - 250000', '200']);
  });

  it('WEB-05 a gap is a row of the grid that offers to fill it', async () => {
    const page = await create('With a gap');
    const shown = await analyst.get(page);
    assert.match(
      shown.text,
      /<tr role="row" class="gap">[^]*No row covers this\. <a class="link"[^>]*rows\/new\?cell\./,
    );
    const reader = await session('gap-reader', 'Staff');
    assert.doesNotMatch((await reader.get(page)).text, /class="gap"[^]*Add a row/);
  });
});
