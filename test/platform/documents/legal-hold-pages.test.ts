import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await p.user('counsel', 'Administrator');
await p.user('clerk', 'Staff');
await p.user('reader', 'Read Only');
const counsel = await testSession(p, 'counsel');
const clerk = await testSession(p, 'clerk');
const reader = await testSession(p, 'reader');
const firm = await p.firm('alder');
const HOSTILE = '<img src=x onerror=alert(1)>';

const caseId = Number((await admin.save('foreclosure', { Foreclosure: 'H-1' }))['ForeclosureID']);
const tab = `/case/foreclosure/${caseId}?tab=documents`;
const filing = Number(
  (await admin.save('attachmenttemplate', { AttachmentTemplate: 'Filing' }))['AttachmentTemplateID'],
);
async function stored(name: string, content: string, owner = caseId): Promise<number> {
  const encoded = Buffer.from(content).toString('base64');
  const file = { FileName: name, Content: encoded, AttachmentTemplateID: filing };
  return Number((await admin.save('attachment', { Object: 'Foreclosure', ObjectID: owner, ...file }))['AttachmentID']);
}
const holdsOf = (object: string, id: number): string => `/legal-holds?Object=${object}&ObjectID=${id}`;
const idIn = (location: string | null, name: string): string =>
  new RegExp(`[?&]${name}=(\\d+)`).exec(location ?? '')?.[1] ?? assert.fail(`no ${name} in ${location}`);

describe('the pages of legal holds', () => {
  it('DOC-16 WEB-01 places, shows and releases a hold of a document, each with a reason and with undo', async () => {
    const id = await stored('deed.txt', 'the deed');
    const before = await counsel.get(`/documents/${id}`);
    assert.match(before.text, /data-dialog="place-hold"/);
    assert.doesNotMatch(before.text, /badge violet/);
    const empty = await counsel.post(holdsOf('Attachment', id), { Reason: '  ' });
    assert.equal(empty.status, 400);
    assert.match(empty.text, /Enter a reason\./);
    const placed = await counsel.post(holdsOf('Attachment', id), { Reason: HOSTILE });
    const hold = idIn(placed.location, 'held');
    assert.equal(placed.location, `/documents/${id}?held=${hold}`);
    const shown = await counsel.get(placed.location);
    assert.match(shown.text, /Legal hold placed/);
    assert.match(shown.text, /placed by <bdi>counsel<\/bdi>:\s+<bdi>&lt;img src=x/);
    assert.match(shown.text, new RegExp(`data-dialog="release-hold-${hold}"`));
    const listed = await counsel.get(tab);
    assert.match(listed.text, /deed\.txt<\/bdi><\/a> <span class="badge violet">.*Legal hold.*placed by <bdi>counsel/s);
    assert.doesNotMatch(shown.text + listed.text, /<img src=x/);
    const released = await counsel.post(`/legal-holds/${hold}`, { Action: 'release', Reason: 'settled' });
    assert.equal(released.location, `/documents/${id}?released=${hold}`);
    assert.match((await counsel.get(released.location)).text, /Legal hold released.*name="Action" value="again"/s);
    const again = await counsel.post(`/legal-holds/${hold}`, { Action: 'again', Reason: '' });
    assert.notEqual(idIn(again.location, 'held'), hold);
    const twice = await counsel.post(`/legal-holds/${hold}`, { Action: 'release', Reason: 'mine' });
    assert.match(twice.text, /<bdi>counsel<\/bdi> released it on .*<bdi>settled<\/bdi>/s);
    const all = await counsel.get(holdsOf('Attachment', id));
    assert.equal(all.text.match(/<bdi>settled<\/bdi>/g)?.length, 1);
    assert.equal(all.text.match(/badge violet/g)?.length, 1);
  });

  it('DOC-16 WEB-01 a hold of a case is shown on all its documents and released on the case', async () => {
    const owner = Number((await admin.save('foreclosure', { Foreclosure: 'H-2' }))['ForeclosureID']);
    const id = await stored('note.txt', 'the note', owner);
    const placed = await counsel.post(holdsOf('Foreclosure', owner), { Reason: 'Smith v. Alder' });
    assert.match(placed.location ?? '', new RegExp(`^/case/foreclosure/${owner}\\?tab=documents&held=\\d+$`));
    const viewer = await counsel.get(`/documents/${id}`);
    assert.match(viewer.text, /All documents of the case\..*Smith v\. Alder/s);
    assert.match(viewer.text, new RegExp(`/case/foreclosure/${owner}\\?tab=documents">Held case`));
    assert.doesNotMatch(viewer.text, /data-dialog="release-hold/);
    const list = await counsel.get(placed.location ?? '');
    assert.match(list.text, /Legal hold placed/);
    assert.match(list.text, /data-dialog="release-hold-\d+"/);
    const overview = await counsel.get(`/case/foreclosure/${owner}`);
    assert.match(overview.text, /case-title">[^]*\?tab=documents"><span class="badge violet">[^]*<\/header>/);
  });

  it('DOC-16 WEB-07 offers only what is permitted, and shows firms nothing', async () => {
    const id = await stored('lien.txt', 'a lien');
    const placed = await clerk.post(holdsOf('Attachment', id), { Reason: 'audit' });
    const hold = idIn(placed.location, 'held');
    const seen = await clerk.get(`/documents/${id}`);
    assert.match(seen.text, /data-dialog="place-hold"/);
    assert.doesNotMatch(seen.text, /release-hold/);
    assert.match((await clerk.get(`/legal-holds/${hold}`)).text, /don(?:'|&#39;)t have permission to release/);
    assert.equal((await clerk.post(`/legal-holds/${hold}`, { Action: 'release', Reason: 'x' })).status, 403);
    const read = await reader.get(`/documents/${id}`);
    assert.match(read.text, /Since <time[^>]*>[^<]*<\/time>:\s+<bdi>audit/, 'who may not see users sees no name');
    assert.doesNotMatch(read.text, /data-dialog="(?:place|release)-hold/);
    assert.equal((await counsel.get(holdsOf('Loan', 1))).status, 400);
    assert.equal((await counsel.get(holdsOf('Attachment', 999_999))).status, 404);
    const outside = await testSession(p, 'user of alder');
    assert.equal((await outside.get(holdsOf('Attachment', id))).status, 403);
    const assigned = await admin.save('foreclosure', { Foreclosure: 'H-4', OrganizationID: firm.organizationId });
    const theirs = await stored('theirs.txt', 'a filing', Number(assigned['ForeclosureID']));
    await counsel.post(holdsOf('Attachment', theirs), { Reason: 'secret strategy' });
    const viewed = await outside.get(`/documents/${theirs}`);
    assert.equal(viewed.status, 200, viewed.text);
    assert.doesNotMatch(viewed.text, /secret strategy|place-hold/);
  });

  it('DOC-02 WEB-04 generating a document is an action of the case, for those who may', async () => {
    const path = `/case/foreclosure/${caseId}`;
    const action = /href="\/documents\/generate\?Object=Foreclosure&amp;ObjectID=\d+" data-key="l"/;
    assert.match((await clerk.get(path)).text, action);
    assert.doesNotMatch((await reader.get(path)).text, action);
  });

  it('DOC-10 WEB-01 links a document to those with the same content, and names their cases', async () => {
    const other = Number((await admin.save('foreclosure', { Foreclosure: 'H-3' }))['ForeclosureID']);
    const id = await stored('one.txt', 'the same words');
    const copy = await stored(`${HOSTILE}.txt`, 'the same words', other);
    assert.match((await clerk.get(`/documents/${id}`)).text, new RegExp(`/documents/${id}/duplicates">1 duplicate<`));
    const listed = await clerk.get(`/documents/${id}/duplicates`);
    assert.match(listed.text, new RegExp(`/documents/${copy}"><bdi>&lt;img`));
    assert.match(listed.text, new RegExp(`/case/foreclosure/${other}"><bdi>H-3</bdi>`));
    const single = await stored('single.txt', 'only here');
    assert.doesNotMatch((await clerk.get(`/documents/${single}`)).text, /duplicates"/);
    assert.match((await clerk.get(`/documents/${single}/duplicates`)).text, /No other document has the same content/);
  });
});
