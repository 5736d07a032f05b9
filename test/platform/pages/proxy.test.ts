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

it('KRN-19 every answer forbids guessing its type, foreign content and frames; over HTTPS browsers must insist on it', async () => {
  const url = await behindProxy(['127.0.0.1']);
  const session = sessionOf(url, cookieOf(await signIn(url, 'clerk', 'password of clerk', { headers: forwarded })));
  const answers: readonly (readonly [string, RequestInit])[] = [
    ['/', {}],
    ['/signin', {}],
    ['/style.css', {}],
    ['/favicon.ico', {}],
    ['/nowhere', {}],
    ['/api/healthcheck', {}],
    ['/api/openapi.json', {}],
    ['/metrics', {}],
    ['/mcp', { method: 'POST' }],
    ['/api/contact/search', {}],
    ['/api/nothing/at/all', {}],
    ['/%', {}],
    ['/signout', { method: 'POST' }],
    ['/records', { headers: { Cookie: session.cookie } }],
  ];
  for (const [path, init] of answers)
    for (const isSecure of [true, false]) {
      const headers = { ...(init.headers as Record<string, string> | undefined), ...(isSecure ? forwarded : {}) };
      const answer = await fetch(url + path, { ...init, headers, redirect: 'manual' });
      const type = answer.headers.get('content-type') ?? 'none';
      if ((await answer.arrayBuffer()).byteLength > 0)
        assert.match(type, /^(?:text\/|application\/).*; charset=utf-8$|^image\//, `${path} ${answer.status}`);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path);
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path);
      const insists = answer.headers.get('strict-transport-security');
      assert.equal(insists, isSecure ? 'max-age=31536000' : null, `${path} ${answer.status}`);
    }
  const missing = await fetch(`${url}/nowhere`);
  assert.equal(missing.headers.get('content-type'), 'text/plain; charset=utf-8');
});

it('KRN-16 plain HTTP is refused from the public internet unless a setting allows it, and reported when it carries credentials in a private network', async () => {
  const url = await behindProxy(['127.0.0.1']);
  const Authorization = `Basic ${Buffer.from('clerk:password of clerk').toString('base64')}`;
  const from = async (
    address: string,
    path: string,
    headers: Record<string, string> = { Authorization },
  ): Promise<string> => {
    const answer = await fetch(url + path, { headers: { 'X-Forwarded-For': address, ...headers } });
    return `${answer.status} ${/Code="(\w+)"/.exec(await answer.text())?.[1] ?? ''}`.trim();
  };
  const call = '/api/contact/search?DisplaySize=1';
  const PUBLIC = ['9.9.9.9', '2620:fe::fe', '::ffff:9.9.9.9'];
  for (const address of PUBLIC) {
    assert.equal(await from(address, call), '403 HTTPS_REQUIRED', address);
    assert.equal(await from(address, '/signin'), '403 HTTPS_REQUIRED', address);
    assert.equal(await from(address, call, { Authorization, 'X-Forwarded-Proto': 'https' }), '200', address);
    assert.equal(await from(address, '/api/healthcheck', {}), '200', address);
  }
  assert.equal(await from('10.1.2.3', call), '200');
  assert.equal(await from('10.1.2.3', call), '200');
  assert.equal(await from('127.0.0.1', call), '200');
  const logged = await p.platform.store.query<{ address: string }>(
    "select address from securitylog where securitylog = 'PlainHttp'",
  );
  assert.deepEqual(
    logged.map(({ address }) => address),
    ['10.1.2.3'],
  );
  const allow = (Value: string) => p.admin.post('/api/setting/save', { Setting: 'HttpPlainPublic', Value });
  assert.equal((await allow('true')).status, 200);
  assert.equal(await from('9.9.9.9', call), '200');
  assert.equal((await allow('false')).status, 200);
});

it('WEB-01 signing out clears what the browser stores, but not by which it is known', async () => {
  const session = sessionOf(p.url, cookieOf(await signIn(p.url, 'clerk', 'password of clerk')));
  const out = await session.post('/signout');
  assert.equal(out.headers.get('clear-site-data'), '"cache", "storage"');
  assert.deepEqual(
    out.headers.getSetCookie().map((cookie) => cookie.split('=')[0]),
    ['casewright_session'],
  );
});

it('KRN-10 JsonP is refused to Basic credentials that a browser sends from another site', async () => {
  const path = '/api/contact/search?Output=JsonP&callback=steal';
  const Authorization = `Basic ${Buffer.from('clerk:password of clerk').toString('base64')}`;
  const statusOf = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(p.url + path, { headers })).status;
  assert.equal(await statusOf({ Authorization, 'Sec-Fetch-Site': 'cross-site' }), 400);
  assert.equal(await statusOf({ Authorization, Origin: 'https://evil.example' }), 400);
  assert.equal(await statusOf({ Authorization }), 200);
  assert.equal(await statusOf({ Authorization, 'Sec-Fetch-Site': 'same-origin' }), 200);
});
