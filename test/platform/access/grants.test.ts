import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { runDb } from '../../support/processes/db-tool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Caller, TestAnswer } from '../../support/platform.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { store } = p.platform;

const [administrator] = await store.query<{ personid: number }>(
  "select personid from person where person = 'administrator'",
);
const administratorId = administrator?.personid ?? 0;

/** Creates a role, and a user who has only this role. */
async function delegate(
  name: string,
  permissions: string,
): Promise<{ personId: number; key: string; caller: Caller; roleId: number }> {
  const role = await p.admin.post('/api/role/save?Output=Json', {
    Role: name,
    Permissions: permissions,
    UniversalAccess: true,
  });
  assert.equal(role.status, 200, role.text);
  return { ...(await p.user(`user of ${name}`, name)), roleId: Number(role.json()['RoleID']) };
}

function assertRefused(answer: TestAnswer, field: string, what: string): void {
  assert.equal(answer.status, 403, `${what}: ${answer.text}`);
  assert.match(answer.text, new RegExp(`${field}: .*(?:permissions that you don't have|universal access)`), what);
}

async function personRow(id: number): Promise<Record<string, unknown>> {
  const [row] = await store.query(
    'select person, status, email, password, organizationid, roles from person where personid = $1::bigint',
    [id],
  );
  return row ?? {};
}

const helpdesk = await delegate(
  'Helpdesk',
  'PersonSelect PersonSave PersonInsert PersonUpdate PersonDelete PersonUndelete PersonRollback LoanSelect',
);
await p.admin.post('/api/role/save', { Role: 'Reader', Permissions: 'LoanSelect PersonSelect', UniversalAccess: true });

describe('nobody grants what they do not hold', () => {
  test('KRN-17 a user who may change users gives neither themselves nor others a role that grants more', async () => {
    const lesser = await p.user('lesser', 'Reader');
    for (const [what, path, body] of [
      ['self by update', '/api/person/update', { ID: helpdesk.personId, Roles: 'Administrator' }],
      ['self by save', '/api/person/save', { ID: helpdesk.personId, Roles: 'Helpdesk, Staff' }],
      ['another', '/api/person/save', { ID: lesser.personId, Roles: 'Administrator' }],
      ['a new user', '/api/person/save', { Person: 'planted', Roles: 'Administrator' }],
      ['a new user by insert', '/api/person/insert', { Person: 'planted', Roles: 'Read Only' }],
    ] as const)
      assertRefused(await helpdesk.caller.post(path, body), 'Roles', what);
    assert.equal((await personRow(helpdesk.personId))['roles'], 'Helpdesk');
    assert.equal((await personRow(lesser.personId))['roles'], 'Reader');
    assert.equal((await store.query("select 1 from person where person = 'planted'")).length, 0);
  });

  test('KRN-17 and changes nothing by which they could sign in as a user who may do more', async () => {
    const before = await personRow(administratorId);
    for (const [field, value] of [
      ['Password', 'a password of my own'],
      ['Email', 'mine@example.com'],
      ['Person', 'renamed'],
      ['Status', 'Inactive'],
      ['Roles', 'Reader'],
    ] as const)
      assertRefused(
        await helpdesk.caller.post('/api/person/update', { ID: administratorId, [field]: value }),
        field,
        field,
      );
    assertRefused(await helpdesk.caller.post('/api/person/delete', `ID=${administratorId}`), 'ID', 'delete');
    assert.deepEqual(await personRow(administratorId), before);
  });

  test('KRN-17 they administer users who may do no more than they may', async () => {
    const made = await helpdesk.caller.post('/api/person/save?Output=Json', {
      Person: 'made by helpdesk',
      Password: 'a long enough password',
      Roles: 'Reader',
    });
    assert.equal(made.status, 200, made.text);
    const id = Number(made.json()['PersonID']);
    for (const change of [{ Password: 'another long password' }, { Status: 'Inactive' }, { Roles: 'Helpdesk' }])
      assert.equal((await helpdesk.caller.post('/api/person/save', { ID: id, ...change })).status, 200);
    assert.equal(
      (await helpdesk.caller.post('/api/person/save', { ID: administratorId, FirstName: 'Al' })).status,
      200,
      'a name gives no access',
    );
  });

  test('KRN-17 KRN-20 a rollback or an undelete does not bring back a role that grants more', async () => {
    const { personId } = await p.user('former administrator', 'Administrator');
    const at = new Date().toISOString();
    await p.admin.post('/api/person/save', { ID: personId, Roles: 'Reader' });
    assertRefused(
      await helpdesk.caller.post('/api/person/rollback', { ID: personId, At: at, Fields: 'Roles' }),
      'Roles',
      'rollback',
    );
    assert.equal((await personRow(personId))['roles'], 'Reader');
    const gone = await p.admin.post('/api/person/save?Output=Json', { Person: 'gone', Roles: 'Administrator' });
    const goneId = Number(gone.json()['PersonID']);
    assert.equal((await p.admin.post('/api/person/delete', `ID=${goneId}`)).status, 200);
    assertRefused(await helpdesk.caller.post('/api/person/undelete', `ID=${goneId}`), 'Roles', 'undelete');
    assert.deepEqual(await personRow(goneId), {});
  });

  test('KRN-15 KRN-17 a user who may create keys creates none for a user who may do more, and extends none', async () => {
    const desk = await delegate('KeyDesk', 'ApiKeyCreate ApiKeySave ApiKeyUpdate ApiKeyRevoke ApiKeySelect');
    assertRefused(
      await desk.caller.post('/api/apikey/create', { PersonID: administratorId }),
      'PersonID',
      'a key of the administrator',
    );
    const other = await p.user('keyed administrator', 'Administrator');
    const [key] = await store.query<{ id: number }>(
      'select apikeyid as id from apikey where personid = $1::bigint order by 1 limit 1',
      [other.personId],
    );
    assertRefused(
      await desk.caller.post('/api/apikey/save', { ID: key?.id, AllowedNetworks: '' }),
      'ID',
      'networks of a key of an administrator',
    );
    assert.equal((await desk.caller.post('/api/apikey/create', { PersonID: desk.personId })).status, 200);
    assert.equal((await desk.caller.post('/api/apikey/revoke', `ID=${key?.id}`)).status, 200, 'revoking takes away');
  });

  test('KRN-17 a user who may change roles makes none that grants more, by any path', async () => {
    const desk = await delegate('RoleDesk', 'RoleSave RoleUpdate RoleDelete RoleImport RoleExport RoleSelect');
    for (const [what, body] of [
      ['a new role', { Role: 'Mine', Permissions: '*', UniversalAccess: true }],
      ['their own', { ID: desk.roleId, Permissions: 'RoleSave PersonSave' }],
      ['one that grants more', { Role: 'Staff', ID: await roleId('Staff'), Permissions: 'RoleSave' }],
    ] as const)
      assertRefused(await desk.caller.post('/api/role/save', body), '(?:Permissions|ID)', what);
    assertRefused(await desk.caller.post('/api/role/delete', `ID=${await roleId('Staff')}`), 'ID', 'delete');
    const exported = await desk.caller.get(`/api/role/export?ID=${desk.roleId}`);
    assert.equal(exported.status, 200, exported.text);
    const widened = exported.text.replace(/RoleSave RoleUpdate/, '* RoleUpdate');
    assert.notEqual(widened, exported.text);
    const imported = await desk.caller.post('/api/role/import', widened, { 'Content-Type': 'text/xml' });
    assertRefused(imported, 'Permissions', 'a configuration document');
    assert.equal(
      (await desk.caller.post('/api/role/save', { Role: 'Half', Permissions: 'RoleSelect', UniversalAccess: true }))
        .status,
      200,
    );
  });

  test('KRN-17 CON-08 EVT-07 registrations, sFTP accounts and recurring calls lend nobody the rights of others', async () => {
    const desk = await delegate(
      'AccountDesk',
      'SettingSave SftpAccountSave SftpAccountSetPassword SftpAccountSelect OrganizationScheduleListen',
    );
    await p.admin.post('/api/role/save', { Role: 'Limited', Permissions: 'LoanSave', UniversalAccess: false });
    assertRefused(
      await desk.caller.post('/api/setting/save', { Setting: 'RegistrationRoles', Value: 'Limited' }),
      'Value',
      'roles of registrations',
    );
    const account = { SftpAccount: 'borrowed', PersonID: administratorId, AllowedNetworks: '192.0.2.0/24' };
    assertRefused(await desk.caller.post('/api/sftpaccount/save', account), 'PersonID', 'an sFTP account');
    const made = await p.admin.post('/api/sftpaccount/save?Output=Json', account);
    assert.equal(made.status, 200, made.text);
    assertRefused(
      await desk.caller.post('/api/sftpaccount/setpassword', { ID: Number(made.json()['SftpAccountID']) }),
      'ID',
      'the password of an sFTP account',
    );
  });
});

async function roleId(name: string): Promise<number> {
  const [row] = await store.query<{ roleid: number }>('select roleid from role where role = $1::text', [name]);
  return row?.roleid ?? 0;
}

describe('the last administrator', () => {
  test('KRN-17 cannot be deactivated, deleted, lose the role or its permissions, or lose every way to sign in', async (t) => {
    const q = await testPlatform(t);
    const [keyRow] = await q.platform.store.query<{ id: number }>('select apikeyid as id from apikey');
    const [roleRow] = await q.platform.store.query<{ id: number }>(
      "select roleid as id from role where role = 'Administrator'",
    );
    const [personRow] = await q.platform.store.query<{ id: number }>(
      "select personid as id from person where person = 'administrator'",
    );
    const [id, role, key] = [personRow?.id, roleRow?.id, keyRow?.id];
    const attempts = [
      ['/api/person/save', { ID: id, Status: 'Inactive' }],
      ['/api/person/save', { ID: id, Roles: 'Staff' }],
      ['/api/role/save', { ID: role, Permissions: '* -PersonSave' }],
      ['/api/role/save', { ID: role, UniversalAccess: false }],
      ['/api/role/save', { ID: role, Role: 'Renamed' }],
      ['/api/role/delete', { ID: role }],
      ['/api/apikey/revoke', { ID: key }],
      ['/api/apikey/delete', { ID: key }],
      ['/api/apikey/save', { ID: key, Expires: '2020-01-01' }],
    ] as const;
    for (const [path, body] of attempts) {
      const answer = await q.admin.post(path, body);
      assert.equal(answer.status, 422, `${path} ${JSON.stringify(body)}: ${answer.text}`);
      assert.match(answer.text, /no one could administer/);
    }
    const second = await q.user('second', 'Administrator');
    assert.equal((await second.caller.post('/api/person/save', { ID: id, Status: 'Inactive' })).status, 200);
    assert.equal((await second.caller.post('/api/person/save', { ID: second.personId, Roles: 'Staff' })).status, 422);
  });

  test('KRN-17 npm run db -- administrator gives back an installation that nobody can administer', async (t) => {
    const q = await testPlatform(t);
    const { store: lost } = q.platform;
    await lost.query("update role set permissions = 'LoanSelect' where role = 'Administrator'");
    await lost.query("update person set status = 'Inactive', roles = 'Staff' where person = 'administrator'");
    const { host, port, user, database } = q.database;
    const env = {
      DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      CASEWRIGHT_DATA: temporaryFolder(t),
    };
    const printed = await runDb(t, ['administrator'], { env });
    const password = /password, shown only now: (\S+)/.exec(printed)?.[1] ?? '';
    assert.ok(password.length >= 16, printed);
    const own = { CurrentPassword: password, NewPassword: 'a password of my choice' };
    await eventually('the user is read again', async () => {
      const answer = await q.byPassword('administrator', password).post('/api/person/changepassword', own);
      return answer.status === 204 ? true : undefined;
    });
    await eventually('the roles are read again', async () => {
      const answer = await q.byPassword('administrator', own.NewPassword).get('/api/setting/search');
      return answer.status === 200 ? true : undefined;
    });
    const [row] = await lost.query("select roles from person where person = 'administrator'");
    assert.deepEqual(row, { roles: 'Staff, Administrator' });
    assert.equal(
      (await lost.query("select 1 from securitylog where securitylog = 'AdministratorRecovered'")).length,
      1,
    );
    await runDb(t, ['administrator', 'another one'], { env });
    const [other] = await lost.query("select status, roles from person where person = 'another one'");
    assert.deepEqual(other, { status: 'Active', roles: 'Administrator' });
  });

  test('KRN-17 stays when two administrators deactivate each other at the same moment', async (t) => {
    const q = await testPlatform(t);
    const [one, two] = [await q.user('one', 'Administrator'), await q.user('two', 'Administrator')];
    await q.platform.store.query("update person set status = 'Inactive' where person = 'administrator'");
    const statuses = (
      await Promise.all([
        one.caller.post('/api/person/save', { ID: two.personId, Status: 'Inactive' }),
        two.caller.post('/api/person/save', { ID: one.personId, Status: 'Inactive' }),
      ])
    ).map(({ status }) => status);
    assert.ok(statuses.includes(200) && statuses.some((status) => status === 422 || status === 401), String(statuses));
    const active = await q.platform.store.query(
      "select 1 from person where person in ('one', 'two') and status is distinct from 'Inactive'",
    );
    assert.equal(active.length, 1);
  });
});
