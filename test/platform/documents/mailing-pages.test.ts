import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, mailedCase, prepare, type MailedCase } from '../../support/mailings.ts';
import { testSession } from '../../support/pages/session.ts';
import { startMailHouse } from '../../support/peers/mail-house.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);
const house = await startMailHouse({ after });
await p.user('clerk', 'Staff');
await p.user('reader', 'Read Only');
const clerk = await testSession(p, 'clerk');
const reader = await testSession(p, 'reader');
const HOSTILE = '<img src=x onerror=alert(1)>';
let good: MailedCase;
let bad: MailedCase;
let mailHouseId = 0;

before(async () => {
  await admin.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  const saved = await admin.save('mailhouse', {
    MailHouse: 'Springfield',
    MailHouseType: 'http',
    Options: `Endpoint=${encodeURIComponent(house.url)}&LetterCents=120&SheetCents=15`,
    Secrets: `ApiKey=${encodeURIComponent(house.key)}`,
  });
  mailHouseId = Number(saved['MailHouseID']);
  good = await mailedCase(admin, HOSTILE);
  bad = await mailedCase(admin, 'Nozip', { ...ADDRESS, PostalCode: '' });
});

describe('the page that mails documents', () => {
  it('DOC-12 WEB-01 shows who gets what at which cost, says what cannot be mailed, and prepares the rest once', async () => {
    const ids = `${good.documentId},${bad.documentId}`;
    const shown = await clerk.get(`/mailings/new?AttachmentID=${ids}`);
    assert.equal(shown.status, 200, shown.text);
    assert.match(shown.text, /Nozip, Ann has no ZIP code\./);
    assert.match(shown.text, /1 letter can be mailed, <b>1 letter cannot<\/b>/);
    assert.match(shown.text, /\$1\.35/);
    assert.match(shown.text, /Correct the addresses, or leave these letters out/);
    assert.doesNotMatch(shown.text, /<img src=x/);
    const form = { AttachmentID: ids, SkipIncomplete: 'true', Name: 'November', Key: 'form-1', Step: 'prepare' };
    const first = await clerk.post('/mailings/new', form);
    assert.match(first.location ?? '', /^\/mailings\/\d+\?done=prepared$/, first.text);
    assert.equal((await clerk.post('/mailings/new', form)).location, first.location, 'sent twice, prepared once');
    const refused = await clerk.post('/mailings/new', { ...form, SkipIncomplete: '', Key: 'form-2' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Some letters cannot be mailed/);
    assert.match(refused.text, /value="November"/);
  });

  it('DOC-12 WEB-01 is reached from the documents of a case and from a document, by those who may mail', async () => {
    const path = `/case/foreclosure/${good.caseId}?tab=documents`;
    const listed = await clerk.get(path);
    assert.match(listed.text, /name="Action" value="mail">Mail</);
    assert.match(listed.text, /id="letters-title">Letters/);
    assert.doesNotMatch((await reader.get(path)).text, /value="mail"/);
    const sent = await clerk.post('/documents/bulk', {
      Action: 'mail',
      ID: [String(good.documentId), String(bad.documentId)],
      Path: `/case/foreclosure/${good.caseId}`,
    });
    assert.equal(sent.location, `/mailings/new?AttachmentID=${good.documentId},${bad.documentId}`);
    const document = await clerk.get(`/records/attachment/${good.documentId}`);
    assert.match(document.location ?? document.text, /mailings\/new\?AttachmentID=|\/documents\//);
  });
});

describe('the page of a mailing', () => {
  it('DOC-12 WEB-01 submits, shows the state of each letter, filters, and downloads all as one file', async () => {
    const [row] = await prepare(admin, { AttachmentID: good.documentId });
    const path = `/mailings/${String(row?.['DeliveryBatchID'])}`;
    const prepared = await clerk.get(path);
    assert.match(prepared.text, /Submit to the mail house/);
    assert.match(prepared.text, /attachment\/combine\?ID=\d+&amp;As=Pdf/);
    assert.match(prepared.text, /1 letter · 2 sheets · <bdi>First class<\/bdi> · <bdi>Springfield<\/bdi>/);
    assert.doesNotMatch((await reader.get(path)).text, /Submit to the mail house|Record a return/);
    assert.equal((await clerk.post(path, { Action: 'submit' })).location, `${path}?done=submitted`);
    await eventually('the letter is submitted', async () => (await clerk.get(path)).text.includes('>Submitted</span>'));
    const submitted = await clerk.get(`${path}?state=submitted`);
    assert.match(submitted.text, /Ask the mail house/);
    assert.match(submitted.text, /aria-current="[a-z]+"[^>]*>\s*Submitted/);
    assert.match((await clerk.get(`${path}?state=failed`)).text, /No such letters|Submitted/);
    const nothing = await clerk.post(path, { Action: 'cancel' });
    assert.equal(nothing.status, 400);
    assert.match(nothing.text, /Select the letters first/);
    const back = await clerk.post(path, { Action: 'return', ID: String(row?.['DeliveryID']), Reason: HOSTILE });
    assert.equal(back.location, `${path}?done=returned`);
    const returned = await clerk.get(path);
    assert.match(returned.text, /&lt;img src=x/);
    assert.doesNotMatch(returned.text, /<img src=x/);
  });

  it('DOC-12 CON-01 an address that came back is shown on the contact until it is corrected', async () => {
    const path = `/records/contact/${good.contactId}`;
    assert.match((await clerk.get(path)).text, /A letter to this address came back/);
    await admin.save('contact', { ID: good.contactId, Address: '14 Oak Ave' });
    assert.doesNotMatch((await clerk.get(path)).text, /A letter to this address came back/);
  });
});

describe('mail houses in the console', () => {
  it('DOC-12 WEB-07 are tested with a button, which says what fails', async () => {
    await p.user('operator', 'Administrator');
    const operator = await testSession(p, 'operator');
    const path = `/records/mailhouse/${mailHouseId}`;
    assert.match((await operator.get(path)).text, new RegExp(`action="/mail-houses/${mailHouseId}/test"`));
    const test = `/mail-houses/${mailHouseId}/test`;
    assert.equal((await operator.post(test)).location, `${path}?done=works`);
    await admin.save('mailhouse', {
      ID: mailHouseId,
      Options: `Endpoint=${encodeURIComponent(house.url)}`,
      Secrets: 'ApiKey=another-key',
    });
    const failed = await operator.post(test);
    assert.match(failed.text, /Test failed[^]*rejected ApiKey/);
    assert.doesNotMatch((await operator.get(`${path}?problem=Send+us+the+key`)).text, /Send us the key/);
    assert.equal((await clerk.post(test)).status, 403);
  });
});
