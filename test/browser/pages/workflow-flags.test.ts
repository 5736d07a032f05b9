/** What pages show of workflows besides the page of a case: failed steps in lists, and workflows of other records. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { save, ok, template, newCase, start, stepNamed } = workflowCalls(p);
await p.user('clerk', 'Staff');
await p.user('lead', 'Team lead');
await p.user('operator', 'Administrator');
const clerk = await testSession(p, 'clerk');
const [lead, operator] = [await testSession(p, 'lead'), await testSession(p, 'operator')];
const shown = async (path: string, session = clerk): Promise<string> => {
  const { status, text } = await session.get(path);
  assert.equal(status, 200, `${path}: ${text}`);
  return text.replaceAll(/\s+/g, ' ');
};

describe('pages', () => {
  it('WEB-04 WF-09 flag a failed step on the case, in lists, and on the home page, of team leads too, until it is complete', async () => {
    await template('Fails', [{ name: 'Wrong', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID=77777777' }]);
    const [caseId, fine] = [await newCase({ Foreclosure: 'Case A' }), await newCase({ Foreclosure: 'Case B' })];
    await p.admin.post('/api/decision/save', { Template: 'Fails', Object: 'Foreclosure', ObjectID: caseId });
    const [{ decisionid: id } = { decisionid: 0 }] = await p.platform.store.query<{ decisionid: number }>(
      'select decisionid from decision where objectid = $1::bigint',
      [caseId],
    );
    const flag = (of: number): string =>
      `<a class="state failed" href="/case/foreclosure/${of}"><span aria-hidden="true">!</span> Step failed</a>`;
    assert.match(
      await shown(`/case/foreclosure/${caseId}`),
      /href="\?tab=workflow"><span class="badge danger">1 step failed</,
    );
    assert.doesNotMatch(await shown(`/case/foreclosure/${fine}`), /step failed/);
    const list = await shown('/records/foreclosure');
    assert.ok(list.includes(`<bdi>Case A</bdi></a> ${flag(caseId)}`), list);
    assert.ok(list.includes('Case B') && !list.includes(flag(fine)));
    assert.match(await shown('/records/decision'), /class="state failed"/);
    const home = await shown('/');
    const link = /href="([^"]+)">A workflow step failed on 1 case<\/a>/.exec(home)?.[1] ?? '';
    assert.ok((await shown('/', lead)).includes(`href="${link}">A workflow step failed on 1 case</a>`));
    const failed = await shown(link);
    assert.ok(failed.includes('Case A') && !failed.includes('Case B'), failed);
    await ok(
      p.admin.post('/api/decisionstep/complete?Output=Json', { ID: (await stepNamed(id, 'Wrong'))['DecisionStepID'] }),
    );
    for (const path of ['/', '/records/foreclosure', `/case/foreclosure/${caseId}`])
      assert.doesNotMatch(await shown(path), /step failed/i, path);
  });

  it('WEB-06 link a queued call to the case and the workflow step that it runs', async () => {
    await template('Queued', [
      { name: 'Later', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}', Async: true },
    ]);
    const caseId = await newCase();
    const { DecisionID: id } = await start('Queued', caseId);
    const step = (await stepNamed(id, 'Later'))['DecisionStepID'];
    const queues = await shown('/administration/queues?State=created', operator);
    assert.ok(
      queues.includes(
        `<td><a href="/case/foreclosure/${caseId}"><bdi>Case of a test</bdi></a><br>` +
          `<a class="muted small" href="/records/decisionstep/${String(step)}"><bdi>Later</bdi></a></td>`,
      ),
      queues,
    );
  });

  it('WEB-03 count the rows of an import only where it has rows', async () => {
    const sent = await p.admin.post(
      '/api/import/foreclosure',
      '<ImportCollection><ForeclosureItem/></ImportCollection>',
      {
        'Content-Type': 'text/xml',
      },
    );
    const id = /ImportResults ID="(\d+)"/.exec(sent.text)?.[1] ?? '';
    const text = await shown(`/imports/${id}`);
    assert.match(text, /<dt>Failed<\/dt> ?<dd>[1-9]/);
    assert.doesNotMatch(text, /<dt>Rows<\/dt>/);
  });

  it('WEB-04 show the diagram of a workflow on any record, from the page of the workflow', async () => {
    await template(
      'On a person',
      [
        { name: 'Call', CreateOnCompletion: 1 },
        { name: 'Write', after: ['Call'] },
      ],
      {
        AppliesTo: 'Contact',
      },
    );
    const contact = await save('contact', { LastName: 'Quill' });
    const { DecisionID: id } = await save('decision', {
      Template: 'On a person',
      Object: 'Contact',
      ObjectID: contact['ContactID'],
    });
    const path = `/case/contact/${String(contact['ContactID'])}`;
    const text = await shown(`${path}?tab=workflow`);
    assert.match(text, /<svg/);
    assert.match(text, /Call.*Write/);
    assert.ok(
      (await shown(`/records/decision/${String(id)}`)).includes(
        `href="${path}?tab=workflow&amp;Workflow=${String(id)}"`,
      ),
    );
  });

  it('WEB-04 say of the steps that a canceled workflow has not reached that they were not reached', async () => {
    await template('Stopped', [{ name: 'First' }, { name: 'Second', after: ['First'] }]);
    const caseId = await newCase();
    const { DecisionID: id } = await start('Stopped', caseId);
    await ok(p.admin.post('/api/decision/cancel?Output=Json', { ID: id }));
    const text = await shown(`/case/foreclosure/${caseId}?tab=workflow`);
    assert.match(text, /Not reached/);
    assert.doesNotMatch(text, /Not needed/);
  });
});
