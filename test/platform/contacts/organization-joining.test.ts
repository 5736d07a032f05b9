import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { after, beforeEach, describe, it } from 'node:test';
import { hashOfCode, newCode } from '../../../src/modules/contacts/organization/lib/registration-codes.ts';
import { networkOf } from '../../../src/kernel/security/networks.ts';
import { HOUR, linkIn, PASSWORD, registrations } from '../../support/contacts/registration.ts';
import { browse, formBody, signIn } from '../../support/pages/session.ts';

const { on, clock, ok, set, sql, one, person, fresh, registration, register, mails, mailsTo, confirm, idle } =
  await registrations({ after });

/** Advances the clock so that each test has fresh hourly limits. */
beforeEach(() => clock.advance(HOUR));

describe('registration', () => {
  it('CON-08 is closed to everyone except administrators while the setting is off', async () => {
    await set('RegistrationEnabled', 'false');
    for (const operation of ['register', 'registeruser'])
      assert.equal(
        (await register(fresh(), operation === 'register' ? {} : { Organization: undefined, Lookup: 'x' }, operation))
          .status,
        403,
        operation,
      );
    // Neither response reveals the processes.
    assert.deepEqual(
      [
        (await register(fresh(), { Process: 'Unknown' })).status,
        (await register(fresh(), { Process: 'Unknown' })).text.includes('no such process'),
      ],
      [403, false],
    );
    const firm = await on.firm('Closed Out');
    assert.equal((await firm.caller.post('/api/organization/register', registration(fresh()))).status, 403);
    const email = fresh();
    assert.equal((await on.admin.post('/api/organization/register', registration(email))).status, 200);
    await mailsTo(email);
    await set('RegistrationEnabled', 'true');
  });

  it('CON-08 KRN-02 cannot be queued for later: without signing in, nothing is put into the queue', async () => {
    const count = async (): Promise<unknown> => (await one('select count(*)::integer as n from pgboss.job'))?.['n'];
    await idle();
    const before = await count();
    for (const path of [
      'organization/queue/register',
      'organization/queue/registeruser',
      'organization/queue/confirm',
    ]) {
      const answer = await on.anonymous.post(
        `/api/${path}`,
        path.endsWith('confirm')
          ? { Token: 'x' }
          : registration(fresh(), path.endsWith('user') ? { Organization: undefined, Lookup: 'x' } : {}),
      );
      assert.equal(answer.status, 401, answer.text);
    }
    assert.equal(await count(), before);
  });

  it('CON-08 accepts only small bodies without signing in, whatever they contain', async () => {
    const email = fresh();
    for (const operation of ['register', 'registeruser', 'confirm']) {
      const answer = await on.anonymous.post(
        `/api/organization/${operation}`,
        `Token=x&Organization=${'x'.repeat(65 * 1024)}`,
      );
      assert.equal(answer.status, 413, answer.text);
    }
    assert.equal((await register(email, { Organization: 'ä'.repeat(255) })).status, 200);
    await mailsTo(email);
  });

  it('CON-08 reveals and runs no stylesheet for a caller who has not signed in', async () => {
    const answer = await on.anonymous.post('/api/organization/confirm?Output=Html&Transform=Some', { Token: 'x' });
    assert.equal(answer.status, 401, answer.text);
  });

  it('CON-08 allows a number of registrations per network and hour across all processes; further ones are refused and create nothing', async () => {
    await set('RegistrationsPerNetworkMax', '5');
    const answers = await Promise.all(Array.from({ length: 9 }, () => register(fresh())));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 4);
    assert.ok(Number(refused[0]?.headers.get('retry-after')) > 0);
    clock.advance(HOUR);
    assert.equal((await register(fresh())).status, 200);
    await set('RegistrationsPerNetworkMax', '1000');
  });

  it('CON-08 allows a number of registrations per hour in total, which no network uses up alone, whatever process they name', async () => {
    await set('RegistrationProcesses', 'Look: Contact/Search?DisplaySize=1');
    await set('RegistrationsPerNetworkMax', '2');
    await set('RegistrationsPerHourMax', '3');
    const from = async (network: number): Promise<number | undefined> => {
      const sent = request(`${on.url}/api/organization/register`, {
        method: 'POST',
        localAddress: `127.0.${network}.1`,
        headers: { 'Content-Type': 'application/json' },
      });
      sent.end(JSON.stringify(registration(fresh(), { Process: 'Look' })));
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    const statuses = [await from(1), await from(1), await from(1), await from(2), await from(3)];
    assert.deepEqual(statuses, [200, 200, 429, 200, 429]);
    clock.advance(HOUR);
    assert.equal(await from(1), 200);
    await set('RegistrationsPerHourMax', '1000');
    await set('RegistrationsPerNetworkMax', '1000');
  });

  it('CON-08 allows a number of mails per address and hour; further registrations get the same response and send no mail', async () => {
    const email = fresh();
    const answers = [];
    for (const spelled of [email, email.toUpperCase(), email, email, email]) answers.push(await register(spelled));
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    await idle();
    assert.equal(mails().filter(({ to }) => to.join().toLowerCase() === email).length, 3);
  });

  it('CON-08 counts guessed tokens by network, and accepts no malformed token', async () => {
    await set('RegistrationsPerNetworkMax', '6');
    const email = fresh();
    await register(email);
    const token = linkIn((await mailsTo(email))[0]);
    for (const guess of ['x', token.slice(1), `${token} `.toLowerCase(), "' or true --", 'A'.repeat(43), '\u0001'])
      assert.equal((await confirm(guess)).status, 404, guess);
    assert.equal((await confirm(token)).status, 429, 'even a valid token is refused then');
    clock.advance(HOUR);
    assert.equal((await confirm(token)).status, 200);
    await set('RegistrationsPerNetworkMax', '1000');
  });

  it('treats the 256 addresses or the /48 around an address as its network', () => {
    assert.deepEqual(
      ['192.0.2.77', '::ffff:192.0.2.9', '2001:db8:1:2::3', '2001:DB8:1::', '::1', '2001:db8::1%eth0', 'queue'].map(
        networkOf,
      ),
      ['192.0.2.0/24', '192.0.2.0/24', '2001:db8:1::/48', '2001:db8:1::/48', '0:0:0::/48', '2001:db8:0::/48', 'queue'],
    );
  });
});

describe('registeruser', () => {
  it('CON-08 registers a user in the organization of the code, notifies the organization, and lets the user sign in after confirming', async () => {
    const firm = await on.firm('Code & Partners');
    await ok('contactmethod/save', {
      ContactID: firm.organizationId,
      MethodType: 'Email',
      ContactValue: 'office@code.example',
    });
    const code = String((await ok('organization/renewlookup', { ID: firm.organizationId }))['Lookup']);
    assert.match(code, /^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    const email = fresh();
    const answer = await register(
      email,
      { Organization: undefined, Lookup: ` ${code.toLowerCase().replaceAll('-', ' ')}` },
      'registeruser',
    );
    assert.equal(answer.status, 200, answer.text);
    const [mail] = await mailsTo('office@code.example');
    assert.match(mail?.body ?? '', new RegExp(`Code & Partners[\\s\\S]*Nora New[\\s\\S]*${email}`));
    const token = linkIn((await mailsTo(email))[0]);
    assert.equal((await person(email))?.['organizationid'], firm.organizationId);
    assert.equal((await confirm(token)).status, 200);
    clock.advance(1_000);
    const user = on.byPassword(email, PASSWORD);
    assert.match((await user.get('/api/organization/searchbyperson?Output=Json')).text, /Code & Partners/);
    assert.equal(
      (await user.get(`/api/organization/lookup?ID=${firm.organizationId}`)).status,
      403,
      'the code is for administrators',
    );
  });

  it('CON-08 responds alike to a wrong, renewed or withdrawn code, and creates and mails nothing', async () => {
    const firm = await on.firm('Recoded');
    const old = String((await ok('organization/renewlookup', { ID: firm.organizationId }))['Lookup']);
    const renewed = String((await ok('organization/renewlookup', { ID: firm.organizationId }))['Lookup']);
    assert.notEqual(old, renewed);
    assert.equal((await ok('organization/lookup', { ID: firm.organizationId }))['Lookup'], renewed);
    const texts = new Set<string>();
    for (const [Lookup, works] of [
      [old, false],
      ['', false],
      [newCode(), false],
      [renewed, true],
    ] as const) {
      const email = fresh();
      const answer = await register(email, { Organization: undefined, Lookup: Lookup || 'none' }, 'registeruser');
      texts.add(`${answer.status} ${answer.text}`);
      await idle();
      assert.equal((await person(email)) !== undefined, works);
      assert.equal(
        mails().some(({ to }) => to.includes(email)),
        works,
      );
    }
    assert.equal(texts.size, 1);
    await ok('organization/withdrawlookup', { ID: firm.organizationId });
    assert.equal((await ok('organization/lookup', { ID: firm.organizationId }))['Lookup'], undefined);
    const email = fresh();
    await register(email, { Organization: undefined, Lookup: renewed }, 'registeruser');
    await idle();
    assert.equal(await person(email), undefined);
    assert.doesNotMatch(JSON.stringify(await sql('select code from organizationlookup')), new RegExp(renewed));
  });

  it('accepts a code in the ways people write it', () => {
    const code = newCode();
    assert.deepEqual(
      hashOfCode(code),
      hashOfCode(code.replaceAll('-', '').toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')),
    );
    assert.notDeepEqual(hashOfCode(code), hashOfCode(newCode()));
  });
});

describe('the pages', () => {
  it('CON-08 opening the link changes nothing, so mail scanners may; the button confirms, without script, and leads to sign-in', async () => {
    const email = fresh();
    await register(email);
    const token = linkIn((await mailsTo(email))[0]);
    for (let look = 0; look < 3; look++) {
      const page = await browse(on.url, `/confirm/${token}`);
      assert.equal(page.status, 200);
      assert.match(page.text, /<form[^>]* method="post"/);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    }
    assert.equal((await person(email))?.['status'], 'Unconfirmed');
    const foreign = await browse(on.url, `/confirm/${token}`, {
      ...formBody({}),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'cross-site' },
    });
    assert.equal(foreign.status, 403);
    const done = await browse(on.url, `/confirm/${token}`, formBody({}));
    assert.equal(done.status, 200, done.text);
    assert.match(done.text, /href="\/signin"/);
    clock.advance(1_000);
    assert.equal((await signIn(on.url, email, PASSWORD)).status, 303);
    const again = await browse(on.url, `/confirm/${token}`, formBody({}));
    assert.equal(again.status, 404);
    assert.match(again.text, /already used/);
    assert.equal((await browse(on.url, '/confirm/%3Cscript%3E')).text.includes('<script>'), false);
  });

  it('CON-08 the registration page registers an organization, or a user by code, and keeps the input after an error', async () => {
    const firm = await on.firm('By Page');
    const code = String((await ok('organization/renewlookup', { ID: firm.organizationId }))['Lookup']);
    const page = await browse(on.url, '/register');
    assert.equal(page.status, 200);
    assert.match((await browse(on.url, '/signin')).text, /href="\/register"/);
    const fields = { FirstName: 'Nora', LastName: 'New "N" <b>', Password: PASSWORD };
    const wrong = await browse(
      on.url,
      '/register',
      formBody({ ...fields, Email: 'nobody', Organization: 'Paged', Lookup: '' }),
    );
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /value="New &quot;N&quot; &lt;b&gt;"/);
    assert.doesNotMatch(wrong.text, new RegExp(PASSWORD));
    for (const more of [
      { Organization: 'Paged', Lookup: '' },
      { Organization: '', Lookup: code },
    ]) {
      const email = fresh();
      const sent = await browse(on.url, '/register', formBody({ ...fields, LastName: 'New', Email: email, ...more }));
      assert.equal(sent.status, 200, sent.text);
      assert.match(sent.text, /We sent an email/);
      assert.notEqual(linkIn((await mailsTo(email))[0]), '');
    }
    await set('RegistrationEnabled', 'false');
    assert.equal((await browse(on.url, '/register')).status, 403);
    assert.doesNotMatch((await browse(on.url, '/signin')).text, /register/);
    await set('RegistrationEnabled', 'true');
  });
});
