import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { pages } from '../../../src/app/pages.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { atEnd } from '../../support/at-end.ts';
import { testPlatform } from '../../support/platform.ts';
import { cookieOf, sessionOf, signIn } from '../../support/pages/session.ts';

const p = await testPlatform({ after });
await p.user('clerk', 'Staff');

/** Starts the same platform behind a trusted proxy. */
async function behindProxy(trusted: readonly string[]): Promise<string> {
  const server = createServer(p.platform, pages, trusted);
  atEnd({ after }, () => server.close());
  return server.listen({ port: 0, host: '127.0.0.1' });
}

const forwarded = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'cases.example',
};

it("KRN-16 behind a trusted HTTPS proxy the cookie is bound to this host and HTTPS, and the session records the caller's own address", async () => {
  const url = await behindProxy(['127.0.0.1']);
  const answer = await signIn(url, 'clerk', 'password of clerk', {
    headers: { ...forwarded, Origin: 'https://cases.example' },
  });
  assert.equal(answer.status, 303);
  assert.match(
    answer.headers.getSetCookie()[0] ?? '',
    /^__Host-casewright_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.equal((await sessionOf(url, cookieOf(answer)).get('/records', forwarded)).status, 200);
  const [row] = await p.platform.store.query<{ address: string }>(
    'select address from session order by sessionid desc limit 1',
  );
  assert.equal(row?.address, '203.0.113.9');
});

it('forwarding headers from any other address are ignored', async () => {
  const answer = await signIn(p.url, 'clerk', 'password of clerk', { headers: forwarded });
  assert.match(answer.headers.get('set-cookie') ?? '', /^casewright_session=/);
  const [row] = await p.platform.store.query<{ address: string }>(
    'select address from session order by sessionid desc limit 1',
  );
  assert.match(row?.address ?? '', /127\.0\.0\.1$/);
  const url = await behindProxy(['192.0.2.0/24']);
  assert.match(
    (await signIn(url, 'clerk', 'password of clerk', { headers: forwarded })).headers.get('set-cookie') ?? '',
    /^casewright_session=/,
  );
});
