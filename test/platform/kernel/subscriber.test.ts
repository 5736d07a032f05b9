import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, rowsOf, type Row } from '../../support/client.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));

describe('external IDs', () => {
  it('KRN-12 an unknown SubscriberID creates a record, a known one changes it; they are compared byte for byte', async () => {
    const made = await save('contact', { SubscriberID: 'Key-1', LastName: 'One' });
    const again = await save('contact', { SubscriberID: 'Key-1', FirstName: 'Again' });
    assert.equal(again['ContactID'], made['ContactID']);
    assert.equal(again['Contact'], 'One, Again');
    assert.notEqual((await save('contact', { SubscriberID: 'key-1' }))['ContactID'], made['ContactID']);
    assert.notEqual((await save('contact', { ContactSubscriberID: 'Key-2' }))['ContactID'], made['ContactID']);
    const bound = rowsOf(
      await expectOk(
        p.admin.get(`/api/objectsubscription/search?Output=Json&Object=Contact&ObjectID=${String(made['ContactID'])}`),
      ),
    );
    assert.deepEqual(
      bound.map((b) => b['SubscriberID']),
      ['Key-1'],
    );
  });

  it('KRN-12 one external ID can refer to records of different types; a base and its derived types share theirs', async () => {
    const contact = await save('contact', { SubscriberID: 'shared', LastName: 'C' });
    const chore = await save('chore', { SubscriberID: 'shared', Chore: 'c' });
    const organization = await save('organization', { SubscriberID: 'org', Organization: 'O' });
    assert.equal(
      (await expectOk(p.admin.get('/api/contact/select?SubscriberID=shared&Output=Json')))['ContactID'],
      contact['ContactID'],
    );
    assert.equal(
      (await expectOk(p.admin.get('/api/chore/select?SubscriberID=shared&Output=Json')))['ChoreID'],
      chore['ChoreID'],
    );
    assert.equal(
      (await expectOk(p.admin.get('/api/contact/select?SubscriberID=org&Output=Json')))['ContactID'],
      organization['OrganizationID'],
    );
    await expectRefused(
      p.admin.get('/api/organization/select?SubscriberID=shared&Output=Json'),
      'NOT_FOUND',
      'SubscriberID',
    );
  });

  it('KRN-12 {X}SubscriberID works wherever {X}ID does: keys, the parent, operations, filters, links and children', async () => {
    const helper = await save('contact', { SubscriberID: 'helper', LastName: 'Helper' });
    const parent = await save('contact', { SubscriberID: 'parent', LastName: 'Parent' });
    const chore = await save('chore', {
      SubscriberID: 'chore',
      Chore: 'c',
      HelperContactSubscriberID: 'helper',
      Object: 'Contact',
      ObjectSubscriberID: 'parent',
    });
    assert.deepEqual(
      [chore['HelperContactID'], chore['Object'], chore['ObjectID']],
      [helper['ContactID'], 'Contact', parent['ContactID']],
    );
    for (const filter of [
      'SubscriberID=chore',
      'ChoreSubscriberID=chore',
      'HelperContactSubscriberID=helper',
      'Object=Contact&ObjectSubscriberID=parent',
    ]) {
      assert.deepEqual(
        rowsOf(await expectOk(p.admin.get(`/api/chore/search?Output=Json&${filter}`))).map((r) => r['ChoreID']),
        [chore['ChoreID']],
        filter,
      );
      assert.deepEqual(
        rowsOf(await expectOk(p.admin.get(`/api/chore/search?Output=Json&${filter}-not`))),
        [],
        `${filter}-not`,
      );
    }
    for (const path of [
      'select?SubscriberID=chore',
      'summary?ChoreSubscriberID=chore',
      'history?SubscriberID=chore',
      'listbyobject?Object=Contact&ObjectSubscriberID=parent',
    ])
      assert.equal((await p.admin.get(`/api/chore/${path}`)).status, 200, path);
    assert.equal(
      (await expectOk(p.admin.post('/api/chore/update?Output=Json', { SubscriberID: 'chore', Note: 'n' })))['Note'],
      'n',
    );
    const nested = await save('chore', {
      Chore: 'other',
      HelperContact: { SubscriberID: 'helper', Title: 'Dr' },
      SubChores: [{ SubscriberID: 'sub', Chore: 'part' }],
    });
    assert.equal(nested['HelperContactID'], helper['ContactID']);
    await save('chore', { ID: nested['ChoreID'], SubChores: [{ SubscriberID: 'sub', Note: 'again' }] });
    assert.deepEqual(
      rowsOf(
        await expectOk(p.admin.get(`/api/chore/search?Output=Json&ParentChoreID=${String(nested['ChoreID'])}`)),
      ).map((r) => [r['Chore'], r['Note']]),
      [['part', 'again']],
    );
    assert.equal((await expectOk(p.admin.post('/api/chore/delete?SubscriberID=sub&Output=Json')))['Chore'], 'part');
    assert.equal((await p.admin.get('/api/chore/select?SubscriberID=sub')).status, 404);
  });

  it('KRN-12 an unknown external ID of another record is NOT_FOUND naming the parameter, and nothing is created', async () => {
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { Chore: 'lost', HelperContactSubscriberID: 'nobody' }),
      'NOT_FOUND',
      'HelperContactSubscriberID',
    );
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { Chore: 'lost', Object: 'Contact', ObjectSubscriberID: 'nobody' }),
      'NOT_FOUND',
      'ObjectSubscriberID',
    );
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { Chore: 'lost', ObjectSubscriberID: 'nobody' }),
      'MISSING_PARAMETER',
      'Object',
    );
    await expectRefused(
      p.admin.post('/api/chore/update?Output=Json', { SubscriberID: 'nobody', Chore: 'lost' }),
      'NOT_FOUND',
      'ID',
    );
    assert.deepEqual(rowsOf(await expectOk(p.admin.get('/api/chore/search?Output=Json&Chore=lost'))), []);
  });

  it('KRN-12 an existing record accepts a new external ID, but never one that another record has', async () => {
    const one = await save('contact', { LastName: 'One' });
    await save('contact', { ID: one['ContactID'], SubscriberID: 'mine' });
    assert.equal(
      (await expectOk(p.admin.get('/api/contact/select?SubscriberID=mine&Output=Json')))['ContactID'],
      one['ContactID'],
    );
    const two = await save('contact', { LastName: 'Two' });
    await expectRefused(
      p.admin.post('/api/contact/save?Output=Json', { ID: two['ContactID'], SubscriberID: 'mine' }),
      'BAD_PARAMETER',
      'SubscriberID',
    );
  });

  it('KRN-12 concurrent calls with the same new external ID create one record', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) => save('contact', { SubscriberID: 'race', Title: `t${i}` })),
    );
    assert.equal(new Set(made.map((r) => r['ContactID'])).size, 1);
    assert.equal(rowsOf(await expectOk(p.admin.get('/api/contact/search?Output=Json&Title=t*'))).length, 1);
  });

  it("KRN-12 each firm has its own view: the same external ID is another record, and another firm's is unknown", async () => {
    await p.admin.post('/api/role/save', { Role: 'Keeper', Permissions: 'Contact*' });
    const [a, b] = [await p.firm('Firm A', 'Keeper'), await p.firm('Firm B', 'Keeper')];
    const ofA = await save(
      'contact',
      { SubscriberID: 'case-1', LastName: 'A', Object: 'Organization', ObjectID: a.organizationId },
      a.caller,
    );
    const ofB = await save(
      'contact',
      { SubscriberID: 'case-1', LastName: 'B', Object: 'Organization', ObjectID: b.organizationId },
      b.caller,
    );
    assert.notEqual(ofA['ContactID'], ofB['ContactID']);
    assert.equal(
      (await expectOk(a.caller.get('/api/contact/select?SubscriberID=case-1&Output=Json')))['LastName'],
      'A',
    );
    await save(
      'contact',
      { SubscriberID: 'only-a', LastName: 'A2', Object: 'Organization', ObjectID: a.organizationId },
      a.caller,
    );
    await expectRefused(
      b.caller.get('/api/contact/select?SubscriberID=only-a&Output=Json'),
      'NOT_FOUND',
      'SubscriberID',
    );
    // Staff see every firm's external IDs; one that two firms use is ambiguous for them.
    await expectRefused(
      p.admin.get('/api/contact/select?SubscriberID=case-1&Output=Json'),
      'BAD_PARAMETER',
      'SubscriberID',
    );
    assert.equal(
      (await expectOk(p.admin.get('/api/contact/select?SubscriberID=only-a&Output=Json')))['LastName'],
      'A2',
    );
  });
});
