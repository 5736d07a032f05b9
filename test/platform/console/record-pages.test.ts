import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

describe('pages of records', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const { personId } = await p.user('clerk', 'Staff');
  await admin.expectOk('person/save', { ID: personId, FirstName: 'Dana', LastName: '<i>Okafor' });
  const clerk = await testSession(p, 'clerk');
  await p.firm('Hollis Law', 'Partner');
  const partner = await testSession(p, 'user of Hollis Law');
  const shown = async (path: string, status = 200): Promise<string> => {
    const answer = await clerk.get(path);
    assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 300)}`);
    return answer.text;
  };
  const property = await admin.save('property', { Address: '12 Elm Row', City: 'Quail Hollow' });
  const loan = await admin.save('loan', {
    Loan: '900100200',
    UPBAmount: '1234567.89',
    PropertyID: property['PropertyID'],
  });
  const path = `/records/loan/${String(loan['LoanID'])}`;
  const edit = async (fields: Record<string, string>) => {
    const { Version } = await admin.select('loan', loan['LoanID']);
    return clerk.post(`${path}/edit`, { Version: String(Version), ...fields });
  };

  it('WEB-01 a record shows its fields in groups, under their labels, with amounts and the names of other records', async () => {
    const page = await shown(path);
    for (const [id, title] of [
      ['details', 'Details'],
      ['related', 'Related records'],
      ['amounts', 'Amounts'],
      ['record', 'Record'],
    ])
      assert.match(page, new RegExp(`<h2 id="group-${String(id)}-title">${String(title)}</h2>`));
    assert.match(page, /Unpaid balance<\/dt><dd><span class="number">1,234,567\.89/);
    assert.match(page, new RegExp(`Property</dt><dd><a href="/records/property/\\d+">12 Elm Row`));
    assert.match(page, /empty fields<\/summary><p>[^<]*Investor/);
    assert.doesNotMatch(page, /UPBAmount|PropertyID/);
  });

  it('WEB-01 a text of millions of characters, which anybody can send, is cut', async () => {
    const { MessageID } = await admin.save('message', { Message: 'Long', BodyText: '<b>'.repeat(1_000_000) });
    const page = await shown(`/records/message/${String(MessageID)}`);
    assert.match(page, /The first 100,000 of\s+3,000,000 characters/);
    assert.ok(page.length < 1_000_000, String(page.length));
  });

  it('WEB-01 KRN-20 the history says who changed what from what to what, and undoes it', async () => {
    const saved = await edit({
      Agency: 'FNMA',
      'before.Agency': '',
      PropertyID: '',
      'before.PropertyID': String(property['PropertyID']),
    });
    assert.equal(saved.location, `${path}?done=saved`);
    const page = await shown(`${path}/history`);
    assert.match(page, /<b><bdi>Dana &lt;i&gt;Okafor<\/bdi><\/b>/);
    assert.match(page, /<dt>Investor<\/dt>\s*<dd><del><span class="muted">empty<\/span><\/del>.*<ins>.*FNMA/s);
    assert.match(page, /<dt>Property<\/dt>\s*<dd><del><a href="\/records\/property\/\d+">12 Elm Row/);
    const [, callId = ''] = /name="CallID" value="([^"]+)"/.exec(page) ?? [];
    const undone = await clerk.post(`${path}/undo`, { CallID: callId });
    assert.equal(undone.location, `${path}?done=undone`);
    const row = await admin.select('loan', loan['LoanID']);
    assert.equal(row['PropertyID'], property['PropertyID']);
    assert.equal(row['Agency'], undefined);
  });

  it('WEB-01 a refused value is said beside its field, under its label, and everything entered stays', async () => {
    const refused = await edit({ UPBAmount: 'a lot', 'before.UPBAmount': '1', Agency: 'GNMA', 'before.Agency': '' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Not saved\. <a class="link" href="#f-UPBAmount">Unpaid balance<\/a>/);
    assert.match(refused.text, /value="a lot" id="f-UPBAmount"[^>]*aria-invalid="true"/);
    assert.match(refused.text, /id="f-UPBAmount-error"><svg.*?<span>[A-Z]/s);
    assert.match(refused.text, /value="GNMA" id="f-Agency"/);
  });

  it('WEB-01 an earlier version is shown with what restoring it would change, with the names of records', async () => {
    const before = new Date(p.platform.clock.milliseconds()).toISOString();
    const other = await admin.save('property', { Address: '9 Oak Lane' });
    await edit({ PropertyID: String(other['PropertyID']), 'before.PropertyID': String(property['PropertyID']) });
    const page = await shown(`${path}/asof?At=${encodeURIComponent(before)}`);
    assert.match(page, /<th scope="row">Property<\/th>\s*<td>.*9 Oak Lane.*<\/td><td>.*12 Elm Row/s);
    assert.match(await shown(`${path}/asof?At=never`, 400), /role="alert"/);
  });

  it('WEB-01 pages of records that a firm does not see, or may not change, are refused and not offered', async () => {
    assert.equal((await partner.get(path)).status, 404);
    for (const part of ['history', 'asof']) assert.equal((await partner.get(`${path}/${part}`)).status, 403, part);
    assert.equal((await partner.get(`${path}/edit`)).status, 403);
    const home = (await partner.get('/cases')).text;
    assert.doesNotMatch(home, /href="\/records"/);
  });

  it('WEB-01 record types are found by their name or description', async () => {
    const page = await shown('/records?Text=hold');
    assert.match(page, /<b>Holds<\/b>/);
    assert.doesNotMatch(page, /<b>Loans<\/b>/);
    assert.match(await shown('/records?Text=%3Cx%3E'), /No record type is called “<bdi>&lt;x&gt;/);
  });

  it('WEB-01 the search says why it found each record, and filters by type', async () => {
    await admin.save('contact', { LastName: 'Quillfeather', FirstName: 'Bram', Address: '7 Elm Row' });
    await admin.save('contact', { LastName: 'Quillfeather', FirstName: 'Bramwell' });
    const all = await shown('/search?Text=elm+row');
    assert.match(all, /<h2 id="found-property-title">Properties<\/h2>/);
    assert.match(all, /Quillfeather, Bram<\/bdi><\/a>.*?Address <bdi>7 <mark>Elm<\/mark> <mark>Row<\/mark>/s);
    const contacts = await shown('/search?Text=elm+row&Type=Contact');
    assert.match(contacts, /aria-current="page">Contacts/);
    assert.doesNotMatch(contacts, /found-property/);
    assert.match(await shown('/search?Text=quillfaether'), /Spelled similarly/);
    assert.match(await shown('/search?Text=nobody+of+this+name'), /No results for/);
    assert.equal((await clerk.get('/search?Text=Bramwell')).status, 303, 'a single hit is opened');
  });
});
