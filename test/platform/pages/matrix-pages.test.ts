import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
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

  it('WEB-04 a warning is accepted with a reason, a version restored, a draft discarded, and a trial is a GET form', async () => {
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
    const trial = await analyst.get(`${page}/try?in.State=FL&in.Balance=300000`);
    assert.match(trial.text, /Row 3 wins[\s\S]*Near misses[\s\S]*Row 2[\s\S]*Balance is 300000, not from 0 to 250,000/);
    assert.match((await analyst.get(`${page}/try?in.Stat=FL`)).text, /Stat: Steps has no such input/);
    await analyst.post(`${page}/discard`, { Version: '1' });
    assert.equal((await read(page)).Version, 0);
    const [, version = ''] =
      /value="(\d+)"[^>]*>\s*<span>Restore/.exec((await analyst.get(`${page}/versions`)).text) ?? [];
    const restored = await analyst.post(`${page}/versions`, { Version: '0', MatrixVersionID: version });
    assert.equal(restored.location, `${page}?done=restored`);
    assert.match((await analyst.get(`${page}/uses`)).text, /Nothing names this matrix/);
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
});
