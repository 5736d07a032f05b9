import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { testPlatform } from '../../support/platform.ts';

const platform = await testPlatform({ after });
const firm = await platform.firm('Northgate Law');
const sample = readFileSync(new URL('../../../samples/referrals/northgate-law-001-judicial.xml', import.meta.url));
const number = /<USSSN>([^<]+)</.exec(sample.toString())?.[1] ?? '';
const sent = await firm.caller.post('/api/import/foreclosure', sample, { 'Content-Type': 'text/xml' });

test('a stored file comes back whole, byte for byte, with its length', async () => {
  assert.equal(sent.status, 200, sent.text);
  const found = await platform.admin.get('/api/attachment/search?Object=ImportFile&Output=Json');
  const id = /"AttachmentID":(\d+)/.exec(found.text)?.[1] ?? '';
  const answer = await platform.admin.get(`/api/attachment/download?ID=${id}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-length'), String(sample.length));
  assert.equal(answer.text, sample.toString());
  const log = await platform.admin.get('/api/securitylog/search?SecurityLog=SealedDownloaded&Output=Json');
  assert.match(log.text, new RegExp(`"ObjectID":${id}\\b`));
});

test('KRN-21 a referral as sent, with its protected SSNs, is withheld from everyone without UnmaskSSN, its sender included', async () => {
  assert.match(number, /\d{4}$/);
  const found = await firm.caller.get('/api/attachment/search?Object=ImportFile&Output=Json');
  const id = /"AttachmentID":(\d+)/.exec(found.text)?.[1] ?? '';
  const reader = await platform.user('reader', 'Read Only');
  const staff = await platform.user('staff', 'Staff');
  for (const caller of [firm.caller, reader.caller, staff.caller]) {
    const refused = await caller.get(`/api/attachment/download/${id}`);
    assert.equal(refused.status, 403, refused.text);
    assert.ok(!refused.text.includes(number));
  }
});
