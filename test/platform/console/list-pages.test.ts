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
  const firm = await p.firm('Hollis Law', 'Partner');
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

  it('WEB-01 a firm sees the borrowers and the property of its own cases in its list, and of no others', async () => {
    const { PropertyID } = await admin.save('property', { Address: '88 Linden Ave', City: 'Yonkers', State: 'NY' });
    const loan = await admin.save('loan', { Loan: '0048', PropertyID });
    const borrowers = { Object: 'Loan', ObjectID: loan['LoanID'] };
    await admin.save('contact', { ...borrowers, LastName: '<i>Whitfield', FirstName: 'Ann', Sequence: 1 });
    await admin.save('contact', { ...borrowers, LastName: '<i>Whitfield', FirstName: 'Bo', Sequence: 2 });
    await admin.save('contact', { ...borrowers, LastName: 'Osborne', Sequence: 3 });
    await admin.save('contact', { ...borrowers, LastName: 'Not a borrower' });
    await admin.save('foreclosure', {
      Foreclosure: 'FC-2',
      LoanID: loan['LoanID'],
      OrganizationID: firm.organizationId,
    });
    const other = await p.firm('Marsh Law', 'Partner');
    await admin.save('foreclosure', { Foreclosure: 'FC-3', LoanID, OrganizationID: other.organizationId });
    const listOf = async (user: string): Promise<string> => (await (await testSession(p, user)).get('/cases')).text;
    const own = await listOf('user of Hollis Law');
    assert.match(own, /<bdi>&lt;i(>|&gt;)Whitfield, Ann and Bo; Osborne<\/bdi>/);
    assert.match(own, /88 Linden Ave, Yonkers NY/);
    for (const hidden of ['Delgado', 'FC-3', 'Not a borrower']) assert.ok(!own.includes(hidden), hidden);
    const home = (await (await testSession(p, 'user of Hollis Law')).get('/')).text;
    assert.match(home, /Newest cases[\s\S]*Whitfield, Ann and Bo; Osborne<[\s\S]*88 Linden Ave[\s\S]*FC-2/);
    assert.ok(!home.includes('did not load') && !home.includes('Delgado'));
    const others = await listOf('user of Marsh Law');
    assert.match(others, /Delgado/);
    for (const hidden of ['Whitfield', 'Linden', 'FC-2']) assert.ok(!others.includes(hidden), hidden);
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

  it('WEB-01 all cases begin with the newest, open ones with those that are late; a chosen order stays', async () => {
    const order = async (path: string): Promise<string | undefined> =>
      /name="SortedBy" value="([^"]*)"/.exec(await shown(path))?.[1];
    assert.equal(await order('/cases?View=all'), '-CaseSummaryID');
    assert.equal(await order('/cases?State=NY'), '-CaseSummaryID');
    assert.equal(await order('/cases?SqlFilters=Open'), 'StageTarget');
    assert.equal(await order('/cases?View=all&OrderBy=Borrower'), 'Borrower');
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

  it('WEB-01 every record type has a list with the same filters, columns and pages, and leads to its records', async () => {
    const list = await shown('/records/foreclosure?Foreclosure=FC-1&Columns=Foreclosure,LoanID,UpdatedPersonID');
    assert.match(list, /<h1>Foreclosures<\/h1>/);
    assert.match(list, /<th scope="row"[^>]*><a href="\/records\/foreclosure\/\d+"><bdi>FC-1<\/bdi>/);
    assert.match(list, new RegExp(`<a href="/records/loan/${String(LoanID)}">0047</a>`));
    assert.match(list, /Remove filter: Foreclosure/);
    assert.match(list, /<a href="\/records">All records<\/a>/);
    // A type with a list of its own has the same one here.
    assert.match(await shown('/records/contact'), /action="\/contacts"/);
    const below = await shown(`/records/message?Object=Loan&ObjectID=${String(LoanID)}`);
    assert.match(below, new RegExp(`href="/records/message/new\\?Object=Loan&amp;ObjectID=${String(LoanID)}"`));
    assert.equal((await clerk.get('/records/nothing')).status, 404);
  });

  it('WEB-01 a view of a type without a list of its own filters and names the list of all its records', async () => {
    await admin.save('messagetemplate', { MessageTemplate: 'Shown by the view', FromName: 'Desk' });
    await admin.save('messagetemplate', { MessageTemplate: 'Left out', FromName: 'Other' });
    const view = await admin.save('view', {
      View: 'Of the desk',
      RecordType: 'MessageTemplate',
      Filters: 'FromName=Desk',
    });
    const list = await shown(`/records/messagetemplate?View=${String(view['ViewID'])}`);
    assert.match(list, /Of the desk/);
    assert.match(list, /Shown by the view/);
    assert.doesNotMatch(list, /Left out/);
  });

  it('WEB-01 a list offers to restore what was just deleted, to those who may', async () => {
    const { PropertyID } = await admin.save('property', { Address: '9 Gone Street' });
    await admin.expectOk('property/delete', { ID: PropertyID });
    const deleted = `/records/property?deleted=${String(PropertyID)}`;
    const list = await shown(deleted);
    assert.match(list, new RegExp(`action="/records/property/${String(PropertyID)}/undelete"`));
    const partner = await testSession(p, 'user of Hollis Law');
    assert.match((await partner.get(deleted)).text, /was deleted\.(?!.*Restore)/s);
  });
});
