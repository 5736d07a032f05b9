import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { testPlatform } from '../../support/platform.ts';

const platform = await testPlatform({ after });

test('KRN-22 the list of operations is for signed-in users only: without a key or with a wrong one the answer is 401 and nothing else', async () => {
  for (const caller of [
    platform.anonymous,
    platform.byKey('not-a-key'),
    platform.byPassword('administrator', 'wrong'),
  ]) {
    const answer = await caller.get('/api/openapi.json');
    assert.equal(answer.status, 401);
    assert.equal((answer.json()['Error'] as unknown as Record<string, unknown>)['Code'], 'NOT_SIGNED_IN');
    assert.doesNotMatch(answer.text, /paths|operationId/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
});

test('KRN-16 a browser without credentials is redirected from the document to the sign-in page, a program without a User-Agent gets the Basic challenge', async () => {
  const browser = await platform.anonymous.get('/api/openapi.json', {
    Accept: 'text/html,*/*;q=0.8',
    'User-Agent': 'Mozilla/5.0',
  });
  assert.equal(browser.status, 302);
  assert.equal(browser.headers.get('location'), '/signin?returnTo=%2Fapi%2Fopenapi.json');
  const challenge = await new Promise<string | undefined>((done, failed) => {
    request(`${platform.url}/api/openapi.json`, (response) => {
      response.resume();
      done(response.headers['www-authenticate']);
    })
      .on('error', failed)
      .end();
  });
  assert.match(String(challenge), /^Basic realm=/);
});

test("KRN-22 any valid key or password gets the document, a partner's included, with an ETag that saves sending it again", async () => {
  const firm = await platform.firm('Sample Firm');
  const first = await firm.caller.get('/api/openapi.json');
  assert.equal(first.status, 200);
  assert.match(first.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(first.headers.get('cache-control') ?? '', /private/);
  assert.match(first.headers.get('vary') ?? '', /X-ApiKey/);
  assert.equal(first.json()['openapi'], '3.1.1');
  const tag = first.headers.get('etag') ?? '';
  const again = await platform
    .byPassword('user of Sample Firm', 'password of user of Sample Firm')
    .get('/api/openapi.json', { 'If-None-Match': tag });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
  assert.equal((await platform.anonymous.get('/api/openapi.json', { 'If-None-Match': tag })).status, 401);
});

test('KRN-22 the document is compressed for clients that accept it', async () => {
  const { key } = await platform.user('compressed', 'Read Only');
  const get = (encoding: string): Promise<{ encoding: string | undefined; bytes: Buffer }> =>
    new Promise((done, failed) => {
      request(
        `${platform.url}/api/openapi.json`,
        { headers: { 'X-ApiKey': key, 'Accept-Encoding': encoding } },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            done({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(parts) }),
          );
        },
      )
        .on('error', failed)
        .end();
    });
  const packed = await get('br, gzip');
  const plain = await get('gzip;q=0, identity');
  assert.equal(packed.encoding, 'gzip');
  assert.equal(plain.encoding, undefined);
  assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
  assert.ok(packed.bytes.length * 5 < plain.bytes.length);
});

test('KRN-22 a changed setting that the document shows is in it at once, with a new ETag', async () => {
  const before = await platform.admin.get('/api/openapi.json');
  const saved = await platform.admin.post('/api/setting/save', { Setting: 'TimeZone', Value: 'Europe/Lisbon' });
  assert.equal(saved.status, 200, saved.text);
  const changed = await platform.admin.get('/api/openapi.json', { 'If-None-Match': before.headers.get('etag') ?? '' });
  assert.equal(changed.status, 200);
  assert.match(changed.text, /time zone, Europe\/Lisbon/);
});
