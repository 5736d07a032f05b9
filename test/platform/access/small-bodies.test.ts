import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { browse, formBody, testSession } from '../../support/pages/session.ts';

/** So long that a pattern with quadratic time would not finish within a test. */
const LONG = 1_000_000;

const p = await testPlatform({ after });
const firm = await p.firm('Slow Firm');
await p.user('clerk', 'Staff');

describe('inputs that could cost far more than their length', () => {
  it('KRN-11 KRN-19 a filter or sort order of a million characters is refused as soon as it is read', async () => {
    const hostile = [
      `CreatedDate=a${'%2B'.repeat(LONG)}b`,
      `CreatedDate=%3D${'+'.repeat(LONG)}%0Ax%0Ay`,
      `LoanID=%3D${'+'.repeat(LONG)}%0Ax`,
      `UPBAmount=1${'+'.repeat(LONG)}x`,
      `OrderBy=a${'+'.repeat(LONG)}b`,
      `SqlColumns=${'a'.repeat(LONG)}`,
      `CreatedDate=${'1+-+'.repeat(LONG / 4)}`,
      `${'a'.repeat(LONG)}=1`,
      `Loan=not${'+'.repeat(LONG)}x`,
    ];
    for (const body of hostile) {
      const answer = await firm.caller.post('/api/loan/search?Output=Json', body);
      assert.ok(
        answer.status === 400 || (answer.status === 200 && body.startsWith('Loan=')),
        `${body.slice(0, 20)}: ${answer.status}`,
      );
      assert.ok(answer.text.length < 5_000, 'the error does not repeat the long input');
    }
  });

  it('KRN-07 empty nodes count too: empty objects, lists and form parameters', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const [body, headers] of [
      [`{"a":[${'{},'.repeat(LONG)}{}]}`, json],
      [`{"a":[${'[],'.repeat(LONG)}1,{}]}`, json],
      ['&'.repeat(LONG), {}],
      ['a&'.repeat(LONG), {}],
    ] as const) {
      const answer = await firm.caller.post('/api/loan/search?Output=Json', body, headers);
      assert.equal(answer.status, 413, body.slice(0, 12));
    }
  });

  it('the sign-in body is read only as a form and only up to the size of a name and a password', async () => {
    const form = formBody({ Name: 'a'.repeat(20_000), Password: 'x' });
    assert.equal((await browse(p.url, '/signin', form)).status, 413);
    for (const type of ['application/json', 'text/xml', '']) {
      assert.equal(
        (
          await browse(p.url, '/signin', {
            method: 'POST',
            headers: { 'Content-Type': type },
            body: '{"Name":"clerk","Password":"password of clerk"}',
          })
        ).status,
        415,
        type,
      );
    }
  });

  it('a page requested with a hostile address still answers, and names from Object.prototype have no effect', async () => {
    const session = await testSession(p, 'clerk');
    for (const word of ['constructor', 'toString', '__proto__', 'valueOf']) {
      assert.equal(
        (await session.get(`/records/loan?done=${word}&deleted=${word}&Field=${word}&Value=1`)).status === 500,
        false,
        word,
      );
      assert.equal(
        (
          await p.admin.post('/api/customfield/save?Output=Json', {
            CustomField: word,
            AppliesTo: 'Loan',
            Kind: 'Text',
          })
        ).status,
        400,
        word,
      );
    }
    assert.equal((await p.admin.get('/api/openapi.json')).status, 200);
  });
});

describe('users of a firm with many permissions', () => {
  it('KRN-17 cannot change users with universal access, and see nothing that concerns the whole installation', async () => {
    assert.equal(
      (await p.admin.post('/api/role/save', { Role: 'All of a firm', Permissions: '*', UniversalAccess: 'false' }))
        .status,
      200,
    );
    const head = await p.firm('Proud Firm', 'All of a firm');
    const boss = await p.admin.post('/api/person/save?Output=Json', {
      Person: 'boss',
      Password: 'a long password of boss',
      Roles: 'Staff, administrator',
      OrganizationID: head.organizationId,
    });
    const id = Number(boss.json()['PersonID']);
    const taken = await head.caller.post('/api/person/update?Output=Json', { ID: id, Password: 'TakenOver123456' });
    assert.equal(taken.status, 403, taken.text);
    const own = { CurrentPassword: 'a long password of boss', NewPassword: 'boss has chosen another' };
    const changed = await p.byPassword('boss', own.CurrentPassword).post('/api/person/changepassword', own);
    assert.equal(changed.status, 204, 'the password is still the first one');
    assert.equal(
      (await head.caller.post('/api/person/update?Output=Json', { ID: head.personId, FirstName: 'Own' })).status,
      200,
    );
    assert.equal((await head.caller.get('/api/system/health')).status, 403);
  });
});
