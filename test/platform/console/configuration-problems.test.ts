import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';

const p = await testPlatform({ after });
const admin = client(p);
const { ok, table } = matrixCalls(p);
const fees = 'State,Balance,Price\n5,1,output\ntype: Text,type: Number,type: Money\nNY,,100\nFL,0 - 250000,200\n';
await p.user('analyst', 'Analyst');
await p.user('clerk', 'Staff');
await p.firm('alder');
const analyst = await testSession(p, 'analyst');

/** Opens the front page until its checks are done, which it does not wait for. */
async function checkedFrontPage(): Promise<string> {
  await analyst.get('/configure/problems');
  return (await analyst.get('/configure')).text;
}

describe('the problems of the configuration', () => {
  it('WEB-05 are counted by area and listed with the page that fixes them, until they are fixed', async () => {
    assert.match((await analyst.get('/configure/problems')).text, /Templates that are missing[^<]*: none\./);
    const type = await admin.save('attachmenttemplate', {
      AttachmentTemplate: '<b>Payoff</b>',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'MailMergeGenerator',
    });
    const id = Number(type['AttachmentTemplateID']);
    const listed = (await analyst.get('/configure/problems')).text;
    assert.match(
      listed,
      new RegExp(
        `/configure/documents/${id}">.*&lt;b&gt;Payoff&lt;/b&gt;.*It has no template, and nothing can be`,
        's',
      ),
    );
    assert.match(await checkedFrontPage(), /<b>Document types<\/b>.*<span class="badge danger">1 problem</s);
    await admin.save('attachmenttemplate', { ID: id, AttachmentService: '' });
    assert.match(await checkedFrontPage(), /<b>Document types<\/b>(?:(?!<\/li>).)*badge ok/s);
  });

  it('WEB-05 are found in decision tables, without those that were accepted', async () => {
    const create = async (name: string): Promise<unknown> => (await ok(table(name, fees)))['MatrixID'];
    const accepted = await create('Accepted');
    const draft = await ok(p.admin.get(`/api/matrix/draft?ID=${String(accepted)}&Output=Json`));
    const findings = draft['Findings'] as { readonly Key: string }[];
    assert.ok(findings.length > 0);
    for (const { Key } of findings)
      assert.equal((await admin.send('matrix/acceptfinding', { ID: accepted, Key, Reason: 'as agreed' })).status, 204);
    const open = await create('Periods');
    const listed = (await analyst.get('/configure/problems')).text;
    assert.match(listed, new RegExp(`/configure/matrices/${String(open)}">.*<bdi>Periods</bdi>`, 's'));
    assert.doesNotMatch(listed, new RegExp(`/configure/matrices/${String(accepted)}"`));
  });

  it('WEB-05 are shown only to those who may fix them', async () => {
    const clerk = await testSession(p, 'clerk');
    assert.match((await clerk.get('/configure/problems')).text, /You cannot change any configuration that is checked/);
    assert.doesNotMatch((await clerk.get('/configure')).text, /id="problems"/);
    const firm = await testSession(p, 'user of alder');
    assert.doesNotMatch((await firm.get('/configure/problems')).text, /Payoff|Periods/);
  });
});
