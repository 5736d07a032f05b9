import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testPlatform } from '../../support/platform.ts';
import { browse, cookieOf, formBody, sessionOf, signIn, testSession } from '../../support/pages/session.ts';

const clock = fixedClock('2026-03-02T09:00:00Z');
const p = await testPlatform({ after }, { clock });
const staff = await p.user('clerk', 'Staff');
const PASSWORD = 'password of clerk';

/** Advances the clock past the half second for which roles, sessions and settings are cached. */
const later = (): void => clock.advance(1_000);

describe('signing in with a browser', () => {
  it('WEB-01 KRN-16 opens a new session and redirects to the requested page; without a session the pages are closed', async () => {
    const closed = await browse(p.url, '/records/foreclosure?Status=Open');
    assert.deepEqual(
      [closed.status, closed.location],
      [303, '/signin?returnTo=%2Frecords%2Fforeclosure%3FStatus%3DOpen'],
    );
    assert.match(
      (await browse(p.url, closed.location ?? '')).text,
      /name="returnTo" value="\/records\/foreclosure\?Status=Open"/,
    );
    const answer = await signIn(p.url, 'clerk', PASSWORD, { fields: { returnTo: '/records/foreclosure?Status=Open' } });
    assert.deepEqual([answer.status, answer.location], [303, '/records/foreclosure?Status=Open']);
    assert.match(
      answer.headers.getSetCookie()[0] ?? '',
      /^casewright_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    assert.equal((await sessionOf(p.url, cookieOf(answer)).get('/records/foreclosure')).status, 200);
  });

  it('KRN-19 reports a wrong password, an unknown name and missing fields on the page, with 401 or 400 and no cookie', async () => {
    for (const [name, password, status] of [
      ['clerk', 'wrong', 401],
      ['nobody', 'wrong', 401],
      ['', '', 400],
    ] as const) {
      const answer = await signIn(p.url, name, password);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('set-cookie'), null);
      assert.match(answer.text, /role="alert"/);
      assert.doesNotMatch(answer.text, /value="wrong"/);
    }
    later();
  });

  it('never redirects to another site: every address that a browser could read as one becomes the home page', async () => {
    for (const returnTo of [
      '//evil.example/',
      '/\\evil.example',
      'https://evil.example/',
      '/\t/evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/%0d%0aSet-Cookie: x=1\r\nX: 1',
      '/signout',
      '',
      '/..//evil.example',
      'http:evil.example',
      '/ /evil.example',
    ]) {
      const answer = await signIn(p.url, 'clerk', PASSWORD, { fields: { returnTo } });
      const to = new URL(answer.location ?? '', p.url);
      assert.equal(to.origin, new URL(p.url).origin, returnTo);
      assert.doesNotMatch(answer.location ?? '', /^\/[/\\]/, returnTo);
    }
  });

  it('the sign-in page shows nothing of a foreign return address, and loads nothing from other sites', async () => {
    for (const returnTo of [
      'https://evil.example/',
      '//evil.example/x',
      '/\\evil.example',
      'javascript:evil()',
      'evil.example',
      `/${'evil.example'.repeat(200)}`,
      '/%0d%0aLocation:%20https://evil.example',
      '/..//evil.example',
    ]) {
      for (const query of [
        `returnTo=${encodeURIComponent(returnTo)}`,
        `returnTo=%2F&returnTo=${encodeURIComponent(returnTo)}`,
      ]) {
        const page = await browse(p.url, `/signin?${query}`);
        assert.deepEqual([page.status, page.location, page.headers.get('refresh')], [200, null, null]);
        if (!returnTo.startsWith('/%0d')) assert.doesNotMatch(page.text, /evil/, returnTo);
      }
    }
    const { text, headers } = await browse(p.url, '/signin');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.doesNotMatch(text, /<style| style=| on\w+=|javascript:/i);
    for (const [, address = ''] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      assert.match(address, /^(?:\/(?!\/)|#)/);
      if (address.startsWith('/') && address !== '/') assert.equal((await browse(p.url, address)).status, 200, address);
    }
    const style = await browse(p.url, '/style.css');
    assert.match(style.headers.get('content-type') ?? '', /^text\/css/);
    assert.doesNotMatch(style.text, /@import|url\(/);
    const head = await browse(p.url, '/signin', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  it('never adopts a token that the browser sent, and ends its previous session', async () => {
    const planted = `casewright_session=${'A'.repeat(43)}`;
    const answer = await signIn(p.url, 'clerk', PASSWORD, { headers: { Cookie: planted } });
    assert.notEqual(cookieOf(answer), planted);
    assert.equal((await sessionOf(p.url, planted).get('/records')).status, 303);
    const again = await signIn(p.url, 'clerk', PASSWORD, { headers: { Cookie: cookieOf(answer) } });
    later();
    assert.equal((await sessionOf(p.url, cookieOf(answer)).get('/records')).status, 303);
    assert.equal((await sessionOf(p.url, cookieOf(again)).get('/records')).status, 200);
  });

  it('refuses a form from another site, so that no user is signed in as somebody else', async () => {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const answer = await signIn(p.url, 'clerk', PASSWORD, { headers: headers });
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
    assert.equal(
      (await signIn(p.url, 'clerk', PASSWORD, { headers: { Origin: p.url, 'Sec-Fetch-Site': 'same-origin' } })).status,
      303,
    );
  });

  it('KRN-21 stores neither the token nor the password, only hashes', async () => {
    const { cookie } = await testSession(p, 'clerk');
    const token = cookie.split('=')[1] ?? '';
    const rows = await p.platform.store.query<{ text: string }>('select session::text as text from session');
    assert.ok(rows.length > 0);
    for (const { text } of rows) assert.ok(!text.includes(token) && !text.includes(PASSWORD));
    const answer = await p.admin.get('/api/session/search?Output=Json&DisplaySize=100');
    assert.equal(answer.status, 200);
    assert.doesNotMatch(answer.text, /TokenHash|PasswordMark/);
  });
});

describe('the end of a session', () => {
  it("comes with signing out, which requires the session's page token", async () => {
    const session = await testSession(p, 'clerk');
    const foreign = await browse(p.url, '/signout', {
      ...formBody({}),
      headers: {
        Cookie: session.cookie,
        Origin: 'https://evil.example',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    });
    assert.equal(foreign.location, '/');
    assert.equal((await session.get('/records')).status, 200);
    const out = await session.post('/signout');
    assert.match(out.headers.get('set-cookie') ?? '', /Max-Age=0/);
    assert.equal((await session.get('/records')).status, 303);
  });

  it('WEB-06 comes within a second of an administrator ending it, and is in the security log', async () => {
    const session = await testSession(p, 'clerk');
    const listed = (
      await p.admin.get('/api/session/search?Output=Json&OrderBy=-SessionID&DisplaySize=1')
    ).json() as unknown as { SessionCollection: { SessionItem: { SessionID: number }[] } };
    const id = listed.SessionCollection.SessionItem[0]?.SessionID ?? 0;
    assert.equal((await p.admin.post(`/api/session/end/${id}`)).status, 200);
    later();
    assert.equal((await session.get('/records')).status, 303);
    const [event] = await p.platform.store.query(
      "select 1 from securitylog where securitylog = 'SessionEnded' and objectid = $1::bigint",
      [id],
    );
    assert.ok(event);
  });

  it('comes after a long idle time, is postponed by use, and comes at the latest hours after its start', async () => {
    const idle = await testSession(p, 'clerk');
    const used = await testSession(p, 'clerk');
    clock.advance(100 * 60_000);
    assert.equal((await used.get('/records')).status, 200);
    clock.advance(30 * 60_000);
    const ended = await idle.get('/records');
    assert.equal(ended.status, 303);
    assert.match((await idle.get(ended.location ?? '')).text, /Your session has ended\. Sign in to continue/);
    assert.doesNotMatch((await browse(p.url, ended.location ?? '')).text, /session has ended/, 'nobody was signed in');
    const elsewhere = { Cookie: `casewright_session=${'x'.repeat(43)}` };
    const first = await browse(p.url, ended.location ?? '', { headers: elsewhere });
    assert.doesNotMatch(first.text, /session has ended/, 'the cookie is of no session here');
    assert.equal((await used.get('/records')).status, 200);
    for (let hour = 0; hour < 10; hour++) {
      clock.advance(3_600_000);
      await used.get('/records');
    }
    assert.equal((await used.get('/records')).status, 303);
  });

  it('comes when the password changes and when the account is deactivated', async () => {
    const { personId } = await p.user('leaver', 'Staff');
    const session = await testSession(p, 'leaver');
    await p.admin.post('/api/person/save', { ID: personId, Password: 'another long password' });
    later();
    assert.equal((await session.get('/records')).status, 303);
    const next = await testSession(p, 'leaver', 'another long password');
    await p.admin.post('/api/person/save', { ID: personId, Status: 'Inactive' });
    later();
    assert.equal((await next.get('/records')).status, 303);
  });

  it('WEB-01 users change their password by entering the current one, and sign in with the new one', async () => {
    await p.user('changer', 'Partner');
    const session = await testSession(p, 'changer');
    const wrong = await session.post('/account', {
      CurrentPassword: 'not it at all',
      NewPassword: 'a new long password',
      Repeated: 'a new long password',
    });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /this is not your current password/);
    assert.equal(
      (
        await session.post('/account', {
          CurrentPassword: 'password of changer',
          NewPassword: 'a new long password',
          Repeated: 'something else',
        })
      ).status,
      400,
    );
    const short = await session.post('/account', {
      CurrentPassword: 'password of changer',
      NewPassword: 'short',
      Repeated: 'short',
    });
    assert.equal(short.status, 400);
    assert.match(short.text, /<p>New password: expected at least 12 characters\.<\/p>/);
    const changed = await session.post('/account', {
      CurrentPassword: 'password of changer',
      NewPassword: 'a new long password',
      Repeated: 'a new long password',
    });
    assert.equal(changed.location, '/signin?done=password');
    assert.match(
      (await browse(p.url, changed.location)).text,
      /Your password was changed\. Sign in with the new one\./,
    );
    later();
    assert.equal((await session.get('/records')).status, 303);
    assert.equal((await signIn(p.url, 'changer', 'a new long password')).status, 303);
  });

  it('guesses at the current password are limited like sign-ins', async () => {
    const guesser = await p.user('guesser', 'Staff');
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++)
      statuses.push(
        (
          await guesser.caller.post('/api/person/changepassword', {
            CurrentPassword: `guess number ${guess}`,
            NewPassword: 'a new long password',
          })
        ).status,
      );
    assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429]);
    assert.equal(
      (
        await guesser.caller.post('/api/person/changepassword', {
          CurrentPassword: 'password of guesser',
          NewPassword: 'a new long password',
        })
      ).status,
      429,
    );
  });
});

describe('calls with a session', () => {
  it("a change needs POST and the page's token; a read needs neither", async () => {
    const session = await testSession(p, 'clerk');
    assert.equal((await session.get('/api/contact/search?Output=Json')).status, 200);
    for (const answer of [
      await session.get('/api/contact/save?LastName=Forged&Output=Json'),
      await session.get('/api/contact/queue/search?Output=Json'),
      await browse(p.url, '/api/contact/save?Output=Json', {
        ...formBody({ LastName: 'Forged' }),
        headers: { Cookie: session.cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
      await session.post('/api/contact/save?Output=Json', { LastName: 'Forged', _csrf: 'x'.repeat(43) }),
      await session.post('/api/contact/save?Output=Json', { LastName: 'Forged' }, { Origin: 'https://evil.example' }),
      await session.post('/api/contact/save?Output=Json', { LastName: 'Forged' }, { 'Sec-Fetch-Site': 'cross-site' }),
    ]) {
      assert.equal(answer.status, 403);
      assert.match(answer.text, /CSRF_REFUSED/);
    }
    const other = await testSession(p, 'clerk');
    assert.equal(
      (await session.post('/api/contact/save?Output=Json', { LastName: 'Forged', _csrf: await other.csrf() })).status,
      403,
    );
    const [row] = await p.platform.store.query("select 1 from contact where lastname = 'Forged'");
    assert.equal(row, undefined);
    assert.equal((await session.post('/api/contact/save?Output=Json', { LastName: 'Wanted' })).status, 200);
    const byHeader = await browse(p.url, '/api/contact/save?Output=Json', {
      method: 'POST',
      body: JSON.stringify({ LastName: 'By script' }),
      headers: { Cookie: session.cookie, 'Content-Type': 'application/json', 'X-CSRF-Token': await session.csrf() },
    });
    assert.equal(byHeader.status, 200);
  });

  it('a page on another site cannot make a browser use its stored Basic credentials either', async () => {
    const authorization = `Basic ${Buffer.from(`clerk:${PASSWORD}`).toString('base64')}`;
    const form = formBody({ LastName: 'Forged by Basic' });
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      assert.equal(
        (
          await browse(p.url, '/api/contact/save', {
            ...form,
            headers: {
              ...(form.headers as Record<string, string>),
              Authorization: authorization,
              ...(headers as Record<string, string>),
            },
          })
        ).status,
        403,
      );
    }
    assert.equal(
      (
        await browse(p.url, '/api/contact/save?LastName=Forged+by+Basic', {
          headers: { Authorization: authorization, 'Sec-Fetch-Site': 'cross-site' },
        })
      ).status,
      403,
    );
    const [row] = await p.platform.store.query("select 1 from contact where lastname = 'Forged by Basic'");
    assert.equal(row, undefined);
  });

  it('KRN-10 JsonP is refused, and Html is the default output', async () => {
    const session = await testSession(p, 'clerk');
    const refused = await session.get('/api/contact/search?Output=JsonP&callback=steal');
    assert.equal(refused.status, 400);
    assert.match(refused.text, /BAD_OUTPUT/);
    assert.equal((await p.byKey(staff.key).get('/api/contact/search?Output=JsonP&callback=ok')).status, 200);
    assert.match((await session.get('/api/contact/search')).headers.get('content-type') ?? '', /^text\/html/);
  });

  it("KRN-17 KRN-18 a partner's session reaches what its key reaches, and pages offer nothing else", async () => {
    const one = await p.firm('First Firm');
    const two = await p.firm('Second Firm');
    const saved = await p.admin.post('/api/contact/save?Output=Json', {
      LastName: 'Of the second',
      Object: 'Organization',
      ObjectID: two.organizationId,
    });
    assert.equal(saved.status, 200);
    const id = Number(saved.json()['ContactID']);
    const [mine, theirs] = [await testSession(p, 'user of First Firm'), await testSession(p, 'user of Second Firm')];
    assert.equal((await theirs.get(`/records/contact/${id}`)).status, 200);
    const closed = await mine.get(`/records/contact/${id}`);
    assert.equal(closed.status, 404);
    assert.doesNotMatch(closed.text, /Of the second/);
    assert.doesNotMatch((await mine.get('/search?Text=Of+the')).text, /Of the second/);
    for (const path of [
      '/records/securitylog',
      '/records/person/1/edit',
      '/records/apikey',
      '/records/contact/new',
      `/records/contact/${id}/edit`,
      `/records/contact/${id}/delete`,
    ])
      assert.ok([403, 404].includes((await mine.get(path)).status), path);
    assert.doesNotMatch((await mine.get('/records')).text, /Administration|securitylog/);
    assert.ok(one.organizationId > 0);
  });

  it('WEB-01 an address without a page leads home, and offers the menu to who is signed in; programs get a line of text', async () => {
    const session = await testSession(p, 'clerk');
    for (const path of ['/nowhere', '/records/contact/1/nothing', '/signout', '/%20']) {
      const found = await session.get(path);
      assert.equal(found.status, 404, path);
      assert.match(
        found.text,
        /<h1>Not found<\/h1>[^]*There is no page at this address[^]*What to do[^]*href="\/"[^>]*><span>Go to home/,
        path,
      );
      assert.match(found.text, /<nav [^>]*aria-label="Main">/, path);
    }
    const stranger = await browse(p.url, '/nowhere');
    assert.equal(stranger.status, 404);
    assert.match(stranger.text, /href="\/signin"[^>]*><span>Sign in/);
    assert.doesNotMatch(stranger.text, /<nav/);
    const program = await browse(p.url, '/nowhere', { headers: { Accept: '*/*' } });
    assert.deepEqual(
      [program.status, program.headers.get('content-type'), program.text],
      [404, 'text/plain; charset=utf-8', 'Nothing found at this address. Operations are under /api/.\n'],
    );
    assert.equal((await browse(p.url, '/nowhere', { method: 'POST' })).status, 404);
  });

  it('every page forbids frames, foreign scripts and caches', async () => {
    const session = await testSession(p, 'clerk');
    for (const path of [
      '/',
      '/records',
      '/records/contact',
      '/search?Text=none',
      '/account',
      '/records/contact/999999',
      '/nowhere',
    ]) {
      const { headers } = await session.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/, path);
      assert.match(policy, /frame-ancestors 'none'/, path);
      assert.doesNotMatch(policy, /unsafe|\*/, path);
      assert.equal(headers.get('x-frame-options'), 'DENY', path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('cache-control'), 'no-store', path);
    }
  });
});
