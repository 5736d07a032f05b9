import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { listAddresses } from '../../../src/surfaces/pages/lists/list-sources.ts';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

describe('pages of lists', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  await p.user('clerk', 'Staff');
  await p.firm('Hollis Law', 'Partner');
  const clerk = await testSession(p, 'clerk');
  const { LoanID } = await admin.save('loan', { Loan: '0047', UPBAmount: 5 });
  await admin.save('contact', { Object: 'Loan', ObjectID: LoanID, LastName: '<b>Delgado', Sequence: 1 });
  await admin.save('foreclosure', { Foreclosure: 'FC-1', LoanID });
  const shown = async (path: string, status = 200): Promise<string> => {
    const answer = await clerk.get(path);
    assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 300)}`);
    return answer.text;
  };

  it('WEB-01 every list is shown, also without any rows, and hostile text stays text', async () => {
    for (const address of listAddresses) assert.match(await shown(`/${address}`), /<h1>/);
    const cases = await shown('/cases');
    assert.match(cases, /FC-1/);
    assert.match(cases, /&lt;b>Delgado|&lt;b&gt;Delgado/);
    assert.ok(!cases.includes('<b>Delgado'));
  });

  it('WEB-01 filters are chips of the address, and a filter that no search takes is said in words', async () => {
    const page = await shown('/cases?Stage=Title&UPBAmount=%3E%3D100');
    assert.match(page, /No cases match these filters/);
    assert.match(page, /Remove filter: Stage/);
    assert.match(page, /is at least/);
    assert.match(await shown('/cases?DateOpened=soon', 400), /DateOpened/);
    const sent = await clerk.get('/cases?Field=Stage&Operator=startsWith&Value=Ti');
    assert.equal(sent.location, '/cases?Stage=Ti*');
  });

  it('WEB-01 a view is saved from the list, and the list says when it differs from its view', async () => {
    const saved = await clerk.post('/lists/casesummary/views', {
      Action: 'create',
      Name: 'Large',
      Path: '/cases',
      Filters: 'UPBAmount=>=100',
      SortedBy: 'Borrower',
    });
    assert.match(String(saved.location), /^\/cases\?View=\d+$/);
    const page = await shown(String(saved.location));
    assert.match(page, /Large/);
    assert.ok(!page.includes('View changed'));
    assert.match(await shown(`${String(saved.location)}&UPBAmount=%3E%3D200`), /View changed/);
  });

  it('WEB-01 a preview is a page of its own', async () => {
    const [row] = await admin.expectRows('casesummary/search');
    assert.match(await shown(`/preview/casesummary/${String(row?.['CaseSummaryID'])}`), /Open case/);
    assert.match(await shown(`/preview/loan/${String(LoanID)}`), /0047/);
  });
});
