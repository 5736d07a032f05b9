import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { sweepExpiredRegistrations } from '../../../src/modules/contacts/organization/lib/sweep-registrations.ts';
import { eventually } from '../../support/eventually.ts';
import { borrower, foreclosure, searchRows, sendReferral } from '../../support/imports/referrals.ts';
import type { Caller } from '../../support/platform.ts';
import { HOUR, linkIn, PASSWORD, registrations } from '../../support/contacts/registration.ts';

/** Returns a caller that sends referrals as automation does. */
const referralCaller = (caller: Caller): Caller => ({
  ...caller,
  post: (path, body, headers) => caller.post(path, body, { SOAPAction: 'import', ...headers }),
});

type Row = Record<string, unknown>;

const { on, clock, ok, set, sql, one, person, fresh, register, mails, mailsTo, confirm, idle } = await registrations({
  after,
});

/** Advances the clock so that each test has fresh hourly limits. */
beforeEach(() => clock.advance(HOUR));

describe('register', () => {
  it('CON-08 creates an organization and its first user, both inactive, and mails a link that confirms once', async () => {
    const email = fresh();
    const answer = await register(email, {
      Organization: 'The First Firm',
      Phone: '555 0100',
      City: 'Columbus',
      State: 'OH',
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json()), ['Accepted', 'Message']);
    const token = linkIn((await mailsTo(email))[0]);
    assert.notEqual(token, '');
    const before = await person(email);
    assert.deepEqual([before?.['status'], before?.['password'], before?.['roles']], ['Unconfirmed', null, 'Partner']);
    const organization = await one(
      'select contact, status, city, object, objectid from contact where contactid = $1::bigint',
      [before?.['organizationid']],
    );
    assert.deepEqual(
      [organization?.['contact'], organization?.['status'], organization?.['city'], organization?.['object']],
      ['The First Firm', 'Unconfirmed', 'Columbus', null],
    );
    for (const password of [PASSWORD, ''])
      assert.equal((await on.byPassword(email, password).get('/api/organization/searchbyperson')).status, 401);
    const confirmed = await confirm(token);
    assert.deepEqual([confirmed.status, confirmed.json()['Person']], [200, email], confirmed.text);
    clock.advance(1_000);
    const mine = await on.byPassword(email, PASSWORD).get('/api/organization/searchbyperson?Output=Json');
    assert.equal(mine.status, 200, mine.text);
    assert.match(mine.text, /"Organization":"The First Firm".*"Status":"Active"/);
    const again = await confirm(token);
    assert.deepEqual([again.status, again.text.includes('already used')], [404, true]);
    const methods = await sql(
      'select methodtype, contactvalue from contactmethod where contactid = $1::bigint order by 1',
      [before?.['organizationid']],
    );
    assert.deepEqual(
      methods.map((row) => [row['methodtype'], row['contactvalue']]),
      [
        ['Email', email],
        ['Phone', '555 0100'],
      ],
    );
    assert.equal(
      (
        await sql("select 1 from securitylog where objectid = $1::bigint and securitylog = 'RegistrationConfirmed'", [
          before?.['id'],
        ])
      ).length,
      1,
    );
  });

  it('CON-08 KRN-18 opens no loan: a firm that registers itself and sends a loan number sees only what it sent', async () => {
    const owner = await on.firm('Firm with a loan');
    const loan = '777000001';
    const parts = { loan, borrowers: [borrower(1, 'Thistlewood', 'Oona', '618-33-4411')] };
    const made = await sendReferral(referralCaller(owner.caller), 'foreclosure', foreclosure(parts));
    assert.equal(made.http, 200, made.text);
    const email = fresh();
    await register(email);
    assert.equal((await confirm(linkIn((await mailsTo(email))[0]))).status, 200);
    clock.advance(1_000);
    const stranger = referralCaller(on.byPassword(email, PASSWORD));
    const sent = await sendReferral(
      stranger,
      'foreclosure',
      foreclosure({ loan, borrowers: [borrower(1, 'Guess', 'Gus', '618-33-4411')] }),
    );
    assert.match(sent.of('Loan')[0]?.message ?? '', /Waiting for assignment/, sent.text);
    const contacts = await searchRows(stranger, 'contact/search?USSSN4=4411');
    assert.deepEqual(
      contacts.map((row) => row['LastName']),
      ['Guess'],
    );
    for (const path of ['loan/search', 'property/search', `foreclosure/${sent.caseId}/contact/search`])
      assert.doesNotMatch((await stranger.get(`/api/${path}`)).text, /Thistlewood|Oona/);
  });

  it('CON-08 stores neither token nor password in plain text', async () => {
    const email = fresh();
    await register(email);
    const token = linkIn((await mailsTo(email))[0]);
    await idle();
    for (const place of [
      'registration',
      'maildelivery',
      'person',
      'pgboss.job',
      'idempotency',
      'history',
      'securitylog',
      'errorlog',
    ]) {
      const rows = JSON.stringify(await sql(`select t::text as row from ${place} t`));
      assert.ok(!rows.includes(token) && !rows.includes(PASSWORD), place);
      assert.ok(!rows.includes(Buffer.from(token).toString('hex')), place);
    }
  });

  it('CON-08 responds alike to a known address, sends another mail, and changes nothing', async () => {
    const { caller } = await on.user('known@newcomer.example', 'Staff');
    await ok('person/save', {
      ID: Number((await person('known@newcomer.example'))?.['id']),
      Email: 'Known@Newcomer.example',
    });
    const before = await person('known@newcomer.example');
    const [known, unknown] = [await register('Known@newcomer.example'), await register(fresh())];
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
    const [mail] = await mailsTo('Known@Newcomer.example');
    assert.match(mail?.header('Subject') ?? '', /account already/);
    assert.equal(linkIn(mail), '');
    await idle();
    assert.deepEqual(await person('known@newcomer.example'), before);
    assert.equal((await caller.get('/api/organization/searchbyperson')).status, 200);
  });

  it('CON-08 gives no link to an unconfirmed account for an address that compares equal but is another mailbox', async () => {
    const [email, other] = [fresh(), fresh()];
    await register(email);
    const token = linkIn((await mailsTo(email))[0]);
    const spelled = email.replace('@n', '@ñ');
    assert.notEqual(spelled, email);
    assert.equal((await register(spelled)).status, 200);
    // By then the queue has processed it.
    await register(other);
    await mailsTo(other);
    await idle();
    assert.deepEqual(
      mails().filter((mail) => mail.to.includes(spelled)),
      [],
    );
    assert.equal((await confirm(token)).status, 200);
    assert.equal((await person(email))?.['status'], 'Active');
  });

  it('CON-08 puts nothing that the caller typed into the mail to an unconfirmed address', async () => {
    const email = fresh();
    await register(email, {
      Organization: 'Win money at http://evil.example <b>',
      FirstName: '<script>',
      LastName: 'Evil {OrganizationID}',
      City: 'x',
    });
    const [mail] = await mailsTo(email);
    assert.doesNotMatch(mail?.raw ?? '', /evil|script|money/i);
    for (const more of [
      { FirstName: 'a\r\nBcc: b@c.example' },
      { Organization: 'x\ny' },
      { LastName: ' ' },
      { Email: 'a@b.example, c@d.example' },
      { Email: 'a@b.example\r\nBcc: c@d.example' },
      { Email: 'nobody' },
      { Email: `${'x'.repeat(95)}@b.example` },
    ]) {
      assert.equal((await register(fresh(), more)).status, 400, JSON.stringify(more));
    }
  });

  it('CON-08 WEB-01 refuses a short password, as a password change does', async () => {
    for (const Password of ['short', 'eleven char', ''])
      assert.equal((await register(fresh(), { Password })).status, 400, Password);
  });

  it('CON-08 does not accept roles, status, organization or sign-in name from the caller, whatever the setting allows', async () => {
    for (const more of [
      { Roles: 'Administrator' },
      { OrganizationID: 1 },
      { Status: 'Active' },
      { Person: 'administrator' },
      { ID: 1 },
      { SubscriberID: 'x' },
      { Organization_Status: 'Active' },
      { Kind: 'User' },
      { PasswordHash: 'x' },
      { Methods_0_ContactValue: 'x' },
    ]) {
      const answer = await register(fresh(), more);
      assert.deepEqual(
        [answer.status, answer.text.includes('UNKNOWN_PARAMETER')],
        [400, true],
        `${JSON.stringify(more)} ${answer.text}`,
      );
    }
    for (const Value of ['Administrator', 'Partner, Staff', 'Nobody'])
      assert.equal(
        (await on.admin.post('/api/setting/save', { Setting: 'RegistrationRoles', Value })).status,
        400,
        Value,
      );
    // A role that was limited to one firm when it was set, and later got universal access.
    await ok('role/save', { Role: 'Grown', Permissions: 'ContactSearch' });
    await set('RegistrationRoles', 'Grown, Partner');
    await sql("update role set universalaccess = true where role = 'Grown'");
    clock.advance(1_000);
    const email = fresh();
    await register(email);
    await mailsTo(email);
    assert.equal((await person(email))?.['roles'], 'Partner');
  });

  it('CON-08 allows several links for one address, each with its own password and organization; using one invalidates the others', async () => {
    const email = fresh();
    await register(email, { Organization: 'Planted', Password: 'the password of another' });
    const planted = linkIn((await mailsTo(email))[0]);
    await register(email, { Organization: 'Own' });
    const own = (await mailsTo(email, 2)).map(linkIn).find((token) => token !== planted) ?? '';
    assert.equal((await confirm(own)).status, 200);
    assert.equal((await confirm(planted)).status, 404);
    clock.advance(1_000);
    assert.match(
      (await on.byPassword(email, PASSWORD).get('/api/organization/searchbyperson?Output=Json')).text,
      /"Own"/,
    );
    assert.equal(
      (await on.byPassword(email, 'the password of another').get('/api/organization/searchbyperson')).status,
      401,
    );
  });

  it('CON-08 accepts one of two concurrent confirmations', async () => {
    const email = fresh();
    await register(email);
    const token = linkIn((await mailsTo(email))[0]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(token)));
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 404, 404, 404, 404, 404, 404, 404],
    );
    assert.deepEqual(
      (await sql('select status, version from person where person = $1::text', [email])).map(({ status, version }) => [
        status,
        version,
      ]),
      [['Active', 2]],
    );
  });

  it('CON-08 creates one user for concurrent registrations of one address', async () => {
    const email = fresh();
    await Promise.all([register(email), register(email.toUpperCase()), register(email)]);
    await eventually('three mails', () => mails().filter(({ to }) => to.join().toLowerCase() === email).length >= 3);
    assert.equal((await sql('select 1 from person where person = $1::text', [email])).length, 1);
  });

  it('CON-08 removes a registration left unconfirmed for days, with what it created; one ended by an administrator cannot be confirmed', async () => {
    const [late, ended] = [fresh(), fresh()];
    await register(late);
    await register(ended);
    const tokens = [linkIn((await mailsTo(late))[0]), linkIn((await mailsTo(ended))[0])] as const;
    const organizationId = (await person(late))?.['organizationid'];
    await ok('person/save', { ID: Number((await person(ended))?.['id']), Status: 'Inactive' });
    assert.equal((await confirm(tokens[1])).status, 404);
    clock.advance(7 * 24 * HOUR + 1);
    assert.equal((await confirm(tokens[0])).status, 404);
    assert.ok((await sweepExpiredRegistrations.run(on.platform)) >= 1);
    await eventually('it is removed', async () => (await person(late)) === undefined);
    assert.equal(await one('select 1 as found from contact where contactid = $1::bigint', [organizationId]), undefined);
    assert.equal((await person(ended))?.['status'], 'Inactive');
    assert.equal(
      (await one('select count(*)::integer as n from registration where expires <= $1::timestamptz', [clock.now()]))?.[
        'n'
      ],
      0,
    );
  });

  it('CON-08 starts one of the configured processes, run as the platform, and no other', async () => {
    assert.equal(
      (
        await on.admin.post('/api/setting/save', {
          Setting: 'RegistrationProcesses',
          Value: 'Welcome: Message/Sve?Object=x',
        })
      ).status,
      400,
    );
    await set(
      'RegistrationProcesses',
      'Welcome: Message/Save?Object=Organization&ObjectID={OrganizationID}' +
        '&Message=Welcome {Organization}&BodyText={FirstName} {Nothing}',
    );
    const wrong = await register(fresh(), { Process: 'Message/Save' });
    assert.deepEqual([wrong.status, wrong.text.includes('Known: Welcome')], [400, true], wrong.text);
    const email = fresh();
    await register(email, { Process: 'welcome', Organization: 'A & B?Status=Evil&x=1' });
    const token = linkIn((await mailsTo(email))[0]);
    await idle();
    assert.equal(
      (await sql('select 1 from message where message like \'Welcome%\' collate "C"')).length,
      0,
      'nothing runs before the confirmation',
    );
    await confirm(token);
    const row = await eventually('the process ran', () =>
      one(
        `select message, bodytext, object, objectid, status, createdpersonid
         from message
         where message like 'Welcome%' collate "C"`,
      ),
    );
    assert.deepEqual(
      [row['message'], row['bodytext'], row['objectid'], row['status']],
      ['Welcome A & B?Status=Evil&x=1', 'Nora ', (await person(email))?.['organizationid'], null],
    );
    assert.equal(
      (await one('select person from person where personid = $1::bigint', [row['createdpersonid']]))?.['person'],
      'System',
    );
  });
});

describe('organizations', () => {
  it('KRN-17 CON-08 staff can neither enroll users without their confirmation nor see codes', async () => {
    const { caller } = await on.user('clerk of organizations', 'Staff');
    for (const operation of ['enroll', 'expireregistrations', 'lookup', 'renewlookup', 'withdrawlookup'])
      assert.equal((await caller.post(`/api/organization/${operation}`, { ID: 1 })).status, 403, operation);
    assert.equal((await caller.get('/api/organization/search')).status, 200);
  });

  it("CON-08 searchbyperson returns only the caller's own organization", async () => {
    const [a, b] = [await on.firm('Mine'), await on.firm('Others')];
    const mine = (await a.caller.get('/api/organization/searchbyperson?Output=Json')).json() as never as {
      OrganizationCollection: { OrganizationItem: Row[] };
    };
    assert.deepEqual(
      mine.OrganizationCollection.OrganizationItem.map((row) => row['OrganizationID']),
      [a.organizationId],
    );
    assert.doesNotMatch((await b.caller.get('/api/organization/searchbyperson')).text, /Mine/);
    assert.doesNotMatch((await on.admin.get('/api/organization/searchbyperson')).text, /Mine|Others/);
    assert.equal((await on.anonymous.get('/api/organization/searchbyperson')).status, 401);
  });

  it('CON-08 an organization is also a contact, but is never attached to the record that it is saved with', async () => {
    const parent = await ok('loan/save', { Loan: '900000001' });
    const id = Number(
      (
        await ok('organization/save', {
          Organization: 'Rooted',
          Object: 'Loan',
          ObjectID: parent['LoanID'],
          City: 'Columbus',
        })
      )['OrganizationID'],
    );
    const storedContact = async (): Promise<unknown[]> =>
      Object.values(
        (await one('select object, objectid, recordclass, city from contact where contactid = $1::bigint', [id])) ?? {},
      );
    assert.deepEqual(await storedContact(), [null, null, 'Organization', 'Columbus']);
    await ok('organization/save', { ID: id, Object: 'Loan', ObjectID: parent['LoanID'], City: 'Dayton' });
    await on.admin.post(`/api/loan/${String(parent['LoanID'])}/organization/save`, { ID: id, City: 'Akron' });
    await ok('contact/save', { ID: id, Object: 'Loan', ObjectID: parent['LoanID'], State: 'OH' });
    assert.deepEqual((await storedContact()).slice(0, 3), [null, null, 'Organization']);
    assert.equal((await ok('contact/select', { ID: id }))['ContactID'], id);
  });
});
