import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, type Row } from '../../support/client.ts';
import { moments } from '../../support/moments.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const moment = moments(p.platform);
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const remove = (module: string, id: unknown): Promise<Row> =>
  expectOk(p.admin.post(`/api/${module}/delete/${String(id)}?Output=Json`));
const select = (module: string, id: unknown): Promise<Row> =>
  expectOk(p.admin.get(`/api/${module}/select/${String(id)}?Output=Json`));
interface AsOfOptions {
  readonly query?: string;
  readonly caller?: Caller;
}
const requestAsOf = (
  module: string,
  id: unknown,
  at: string,
  { query = '', caller = p.admin }: AsOfOptions = {},
): Promise<TestAnswer> =>
  caller.get(`/api/${module}/asof/${String(id)}?Output=Json&At=${encodeURIComponent(at)}${query}`);
const asOf = async (module: string, id: unknown, at: string, options?: AsOfOptions): Promise<Row> =>
  Object.values(await expectOk(requestAsOf(module, id, at, options)))[0] as Row;
const errorOf = (answer: TestAnswer): Row => (answer.json() as never as { Error: Row }).Error;

describe('a record at an instant', () => {
  it('KRN-20 every type of value is returned exactly as it was, under its declared name, with who last changed it and its version then', async () => {
    const { ChoreID: id } = await save('chore', {
      Note: 'ä',
      Code: 'C',
      Count: 1,
      Amount: '123456789012345.6789',
      Ratio: '0.000000000000000001',
      Due: '2024-02-29',
      At: '2024-02-29T12:00:00.123Z',
      Flag: true,
    });
    const first = { state: await select('chore', id), at: await moment() };
    await save('chore', {
      ID: id,
      Note: '',
      Code: 'D',
      Count: 2,
      Amount: '2',
      Ratio: '',
      Due: '2024-03-01',
      At: '',
      Flag: false,
    });
    const second = { state: await select('chore', id), at: await moment() };
    await save('chore', { ID: id, Note: 'later' });
    await save('chore', { ID: id, Note: 'later' });
    const third = { state: await select('chore', id), at: await moment() };
    await save('chore', { ID: id, Note: 'last' });
    for (const { state, at } of [first, second, third]) assert.deepEqual(await asOf('chore', id, at), state);
    const xml = await p.admin.get(`/api/chore/asof/${String(id)}?At=${first.at}`);
    assert.match(xml.text, /<ChoreItem><ChoreID>.*<Amount>123456789012345\.6789<\/Amount>/s);
  });

  it('KRN-20 a derived record is whole: the columns of both tables, also if only the derived one changed', async () => {
    const { OrganizationID: id } = await save('organization', { Organization: 'Was', Website: 'one', City: 'Here' });
    const first = { state: await select('organization', id), base: await select('contact', id), at: await moment() };
    await save('organization', { ID: id, Website: 'two' });
    const second = { state: await select('organization', id), at: await moment() };
    await save('organization', { ID: id, City: 'There', Organization: 'Is' });
    assert.deepEqual(await asOf('organization', id, first.at), first.state);
    assert.deepEqual(await asOf('organization', id, second.at), second.state);
    assert.deepEqual(await asOf('contact', id, first.at), first.base);
  });

  it('KRN-20 KRN-21 SSNs are masked by their last four digits at that time; secrets and fields without history are in no answer', async () => {
    const { ContactID: id } = await save('contact', { LastName: 'N', USSSN: '123-45-6789' });
    const before = await moment();
    await save('contact', { ID: id, USSSN: '987-65-4321' });
    const was = await asOf('contact', id, before);
    assert.deepEqual([was['USSSN'], was['USSSN4']], ['XXX-XX-6789', '6789']);
    const { PersonID } = await save('person', {
      Person: 'as-of',
      Password: 'a long enough password',
      Email: 'one@example.org',
    });
    const early = await moment();
    await save('person', { ID: PersonID, Password: 'another long password', Email: 'two@example.org' });
    const answer = await requestAsOf('person', PersonID, early);
    assert.equal((answer.json()['PersonItem'] as never as Row)['Email'], 'one@example.org');
    assert.doesNotMatch(answer.text, /argon2|assword"/);
  });

  it('KRN-20 before its creation, while deleted, and in the future there is no record, and each error is distinct', async () => {
    const early = await moment();
    const made = await save('contact', { FirstName: 'Gone', LastName: 'Once' });
    const id = made['ContactID'];
    const alive = await moment();
    await remove('contact', id);
    const gone = await moment();
    assert.deepEqual(await asOf('contact', id, alive), made, 'a deleted record as it was before');
    const deleted = await requestAsOf('contact', id, gone);
    assert.deepEqual([deleted.status, typeof errorOf(deleted)['DeletedDate']], [404, 'string']);
    await expectOk(p.admin.post(`/api/contact/undelete/${String(id)}?Output=Json`));
    const back = { state: await select('contact', id), at: await moment() };
    assert.equal((await requestAsOf('contact', id, gone)).status, 404, 'restored since, but deleted at that time');
    assert.deepEqual(await asOf('contact', id, alive), made);
    assert.deepEqual(await asOf('contact', id, back.at), back.state);
    const unmade = await requestAsOf('contact', id, early);
    assert.deepEqual([unmade.status, errorOf(unmade)['CreatedDate']], [404, made['CreatedDate']]);
    const future = await requestAsOf('contact', id, '2999-01-01T00:00:00Z');
    assert.deepEqual([future.status, errorOf(future)['Code'], errorOf(future)['Field']], [400, 'BAD_PARAMETER', 'At']);
    assert.equal((await requestAsOf('contact', 99_999_999, alive)).status, 404);
  });

  it('KRN-20 the changes of a call that fails are not in the past either', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'stays' });
    const at = await moment();
    assert.equal(
      (await p.admin.post('/api/chore/save', { ID: id, Note: 'undone', SubChores_0_ID: 99_999_999 })).status,
      404,
    );
    assert.deepEqual(await asOf('chore', id, at), await select('chore', id));
    assert.deepEqual(await asOf('chore', id, await moment()), await select('chore', id));
  });
});

describe('child collections at an instant', () => {
  const names = (parent: Row, collection: string, field: string): unknown[] =>
    ((parent[collection] as Row[] | undefined) ?? [])
      .map((child) => child[field])
      .sort((a, b) => String(a).localeCompare(String(b)));

  it('KRN-20 include children that were since changed, deleted, moved away and moved here, by parent and by foreign key', async () => {
    const { ContactID: id } = await save('contact', { LastName: 'Parent' });
    const { ContactID: other } = await save('contact', { LastName: 'Other' });
    const below = { Object: 'Contact', ObjectID: id };
    const [changed, deleted, moved] = [
      await save('chore', { ...below, Note: 'changed' }),
      await save('chore', { ...below, Note: 'deleted' }),
      await save('chore', { ...below, Note: 'moved' }),
    ];
    const arriving = await save('chore', { Object: 'Contact', ObjectID: other, Note: 'arriving' });
    const phone = await save('contactmethod', { ContactID: id, ContactValue: '1' });
    const mail = await save('contactmethod', { ContactID: id, ContactValue: '2' });
    const at = await moment();
    await save('chore', { ID: changed['ChoreID'], Note: 'now' });
    await remove('chore', deleted['ChoreID']);
    await save('chore', { ID: moved['ChoreID'], Object: 'Contact', ObjectID: other });
    await save('chore', { ID: arriving['ChoreID'], Object: 'Contact', ObjectID: id });
    await save('chore', { ...below, Note: 'new' });
    await save('contactmethod', { ID: phone['ContactMethodID'], ContactID: other });
    await remove('contactmethod', mail['ContactMethodID']);
    const then = await asOf('contact', id, at, { query: '&Children=true' });
    assert.deepEqual(
      [names(then, 'Chores', 'Note'), names(then, 'Methods', 'ContactValue')],
      [
        ['changed', 'deleted', 'moved'],
        ['1', '2'],
      ],
    );
    const now = await asOf('contact', id, await moment(), { query: '&Children=true' });
    assert.deepEqual(
      [names(now, 'Chores', 'Note'), names(now, 'Methods', 'ContactValue')],
      [['arriving', 'new', 'now'], []],
    );
    assert.equal((await asOf('contact', id, at))['Chores'], undefined, 'only if requested');
  });

  it('KRN-20 a child that moved to a parent of another class with the same ID is found where it was', async () => {
    const { ContactID: id } = await save('contact', { LastName: 'Same' });
    const { ChoreID } = await save('chore', { Object: 'Contact', ObjectID: id, Note: 'here' });
    const at = await moment();
    await p.platform.store.query("update chore set object = 'Loan' where choreid = $1::bigint", [ChoreID]);
    assert.deepEqual(names(await asOf('contact', id, at, { query: '&Children=true' }), 'Chores', 'Note'), ['here']);
    const history = (await expectOk(p.admin.get(`/api/chore/history/${String(ChoreID)}?Output=Json`))) as never as {
      HistoryCollection: { HistoryItem: Row[] };
    };
    assert.deepEqual(
      history.HistoryCollection.HistoryItem.map((row) => row['Field']),
      ['Object'],
      'its id did not change, and is not reported as changed',
    );
  });
});

describe('who may read the past', () => {
  it("KRN-18 KRN-20 a firm's user reads the past of records, and children, that are visible to it now", async () => {
    await p.admin.post('/api/role/save', { Role: 'Historian', Permissions: 'ContactAsOf ContactSelect' });
    const [a, b] = [await p.firm('A', 'Historian'), await p.firm('B', 'Historian')];
    const { ContactID: id } = await save('contact', {
      LastName: 'v0',
      Object: 'Organization',
      ObjectID: a.organizationId,
    });
    const stored = await save('contactmethod', { ContactID: id, ContactValue: 'kept' });
    const gone = await save('contactmethod', { ContactID: id, ContactValue: 'gone' });
    await save('chore', { Object: 'Contact', ObjectID: id, Note: 'closed to firms' });
    const at = await moment();
    await save('contact', { ID: id, LastName: 'v1' });
    await save('contactmethod', { ID: stored['ContactMethodID'], ContactValue: 'now' });
    await remove('contactmethod', gone['ContactMethodID']);
    const then = await asOf('contact', id, at, { query: '&Children=true', caller: a.caller });
    assert.deepEqual(
      [then['LastName'], (then['Methods'] as Row[]).map((m) => m['ContactValue']), then['Chores']],
      ['v0', ['kept'], undefined],
    );
    const foreign = await requestAsOf('contact', id, at, { query: '&Children=true', caller: b.caller });
    const absent = await requestAsOf('contact', 99_999_999, at, { query: '&Children=true', caller: b.caller });
    assert.equal(foreign.status, 404);
    assert.equal(errorOf(foreign)['Message'], String(errorOf(absent)['Message']).replace('99999999', String(id)));
    await save('contact', { ID: id, Object: 'Organization', ObjectID: b.organizationId });
    assert.equal(
      (await requestAsOf('contact', id, at, { caller: a.caller })).status,
      404,
      'it was visible to them then, and is not now',
    );
    const { ContactID: deleted } = await save('contact', {
      LastName: 'x',
      Object: 'Organization',
      ObjectID: a.organizationId,
    });
    const before = await moment();
    await remove('contact', deleted);
    assert.equal(
      (await requestAsOf('contact', deleted, before, { caller: a.caller })).status,
      404,
      'a deleted record is visible to no user',
    );
    assert.equal((await requestAsOf('contact', deleted, before)).status, 200);
    assert.equal(
      (await requestAsOf('contact', id, at, { caller: (await p.user('without', 'Partner')).caller })).status,
      403,
    );
  });
});
