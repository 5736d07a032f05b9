import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { expectOk, type Row } from '../../support/client.ts';
import { moments } from '../../support/moments.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const moment = moments(p.platform);
const save = (module: string, body: object, call?: string): Promise<Row> =>
  expectOk(
    p.admin.post(`/api/${module}/save?Output=Json`, body, call === undefined ? {} : { 'X-Correlation-ID': call }),
  );
const select = (module: string, id: unknown): Promise<Row> =>
  expectOk(p.admin.get(`/api/${module}/select/${String(id)}?Output=Json`));
const ask = (module: string, id: unknown, body: object, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post(`/api/${module}/rollback/${String(id)}?Output=Json`, body);
const rowsOf = (answer: Row): unknown[] =>
  (answer as never as { RollbackCollection: { RollbackItem: Row[] } }).RollbackCollection.RollbackItem.map((r) => [
    r['Field'],
    r['OldValue'],
    r['NewValue'],
  ]);
const rollBack = async (module: string, id: unknown, body: object): Promise<unknown[]> =>
  rowsOf(await expectOk(ask(module, id, body)));
const errorOf = (answer: TestAnswer): Row => (answer.json() as never as { Error: Row }).Error;
/** Returns a record without what every save changes. */
const values = ({ Version: _v, UpdatedDate: _d, UpdatedPersonID: _p, ...rest }: Row): Row => rest;

describe('rolling back a record to an instant', () => {
  it('KRN-20 restores every type of field through the ordinary save, returns what it changed, and can itself be rolled back', async () => {
    const before = await save('chore', {
      Note: 'ä',
      Code: 'C',
      Count: 1,
      Amount: '1.5',
      Ratio: '0.000000000000000001',
      Due: '2024-02-29',
      At: '2024-02-29T12:00:00.123Z',
      Flag: true,
    });
    const id = before['ChoreID'];
    const first = await moment();
    const changed = await save('chore', {
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
    const second = await moment();
    const reported = await rollBack('chore', id, { At: first });
    assert.deepEqual(
      reported.map((row) => (row as string[])[0]),
      ['Note', 'Code', 'Count', 'Amount', 'Ratio', 'Due', 'At', 'Flag'],
    );
    assert.deepEqual(reported.slice(0, 4), [
      ['Note', undefined, 'ä'],
      ['Code', 'D', 'C'],
      ['Count', '2', '1'],
      ['Amount', '2', '1.5'],
    ]);
    const back = await select('chore', id);
    assert.deepEqual([values(back), back['Version']], [values(before), 3]);
    assert.deepEqual(await rollBack('chore', id, { At: first }), [], 'a second time there is nothing to do');
    assert.equal((await select('chore', id))['Version'], 3);
    await rollBack('chore', id, { At: second });
    assert.deepEqual(values(await select('chore', id)), values(changed));
  });

  it('KRN-20 restores a derived record in both tables, whichever of its types is named; labels follow', async () => {
    const before = await save('organization', { Organization: 'Was', Website: 'one', City: 'Here' });
    const at = await moment();
    await save('organization', { ID: before['OrganizationID'], Organization: 'Is', Website: 'two', City: 'There' });
    assert.deepEqual(await rollBack('contact', before['OrganizationID'], { At: at }), [
      ['Organization', 'Is', 'Was'],
      ['City', 'There', 'Here'],
      ['Website', 'two', 'one'],
    ]);
    assert.deepEqual(values(await select('organization', before['OrganizationID'])), values(before));
    const contact = await save('contact', { FirstName: 'A', LastName: 'B' });
    const early = await moment();
    await save('contact', { ID: contact['ContactID'], FirstName: 'C' });
    assert.deepEqual(await rollBack('contact', contact['ContactID'], { At: early }), [['FirstName', 'C', 'A']]);
    assert.equal((await select('contact', contact['ContactID']))['Contact'], 'B, A');
  });

  it('KRN-20 KRN-21 restores an SSN, returned masked, and finds it again; an unchanged one keeps its sealed value', async () => {
    const { ContactID: id } = await save('contact', { LastName: 'N', USSSN: '123-45-6789' });
    const at = await moment();
    await save('contact', { ID: id, USSSN: '987-65-6789', LastName: 'M' });
    assert.deepEqual(await rollBack('contact', id, { At: at }), [
      ['LastName', 'M', 'N'],
      ['USSSN', 'XXX-XX-6789', 'XXX-XX-6789'],
    ]);
    assert.match(
      (await p.admin.post('/api/contact/search?Output=Json', { USSSN: '123456789' })).text,
      new RegExp(`"ContactID":${String(id)}`),
    );
    await save('contact', { ID: id, LastName: 'O' });
    assert.deepEqual(await rollBack('contact', id, { At: at }), [['LastName', 'O', 'N']]);
  });

  it('KRN-21 KRN-20 does not tell users without UnmaskSSN whether a past number equals the present one; neither do preview and asof', async () => {
    const { caller } = await p.user('Rolling back numbers', 'Staff');
    const send = (path: string, body: object): Promise<TestAnswer> => caller.post(`/api/${path}?Output=Json`, body);
    const answers: string[] = [];
    for (const USSSN of ['900-23-4410', '900-99-4410']) {
      const { ContactID: ID } = await save('contact', { LastName: 'Guessed', USSSN: '900-23-4410' });
      const At = await moment();
      // By way of other last digits, so that no save compares the numbers.
      for (const each of ['900-23-0007', USSSN])
        assert.equal((await send('contact/save', { ID, USSSN: each })).status, 200);
      const [preview, past, restored] = [
        await send('contact/rollback', { ID, At, Preview: true }),
        await send('contact/asof', { ID, At }),
        await send('contact/rollback', { ID, At }),
      ].map(({ status, text }) => `${status} ${text}`);
      assert.match(preview ?? '', /^200 .*XXX-XX-4410/);
      assert.match(past ?? '', /^200 .*may have been different then/);
      assert.match(restored ?? '', /^200 .*XXX-XX-4410/);
      answers.push(`${preview} ${/"Alert.*NUMBER_DIFFERS[^}]*/.exec(past ?? '')?.[0].replace(/\d+/g, '')} ${restored}`);
    }
    assert.equal(answers[0], answers[1]);
  });

  it('KRN-20 restores only the named fields; a preview changes nothing; computed and unknown fields are refused', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'n0', Code: 'c0' });
    const at = await moment();
    await save('chore', { ID: id, Note: 'n1', Code: 'c1' });
    const before = await select('chore', id);
    assert.deepEqual(await rollBack('chore', id, { At: at, Preview: true }), [
      ['Note', 'n1', 'n0'],
      ['Code', 'c1', 'c0'],
    ]);
    assert.deepEqual(await select('chore', id), before);
    assert.deepEqual(await rollBack('chore', id, { At: at, Fields: 'code' }), [['Code', 'c1', 'c0']]);
    assert.deepEqual([(await select('chore', id))['Note'], (await select('chore', id))['Code']], ['n1', 'c0']);
    for (const Fields of ['Sum', 'Version', 'ChoreID', 'CreatedDate', 'NoSuchField']) {
      const refused = await ask('chore', id, { At: at, Fields });
      assert.deepEqual([refused.status, errorOf(refused)['Field']], [400, 'Fields'], Fields);
    }
    for (const both of [{}, { At: at, CallID: 'some-call' }]) assert.equal((await ask('chore', id, both)).status, 400);
  });

  it('KRN-20 refuses an outdated version with the fields that differ, a deleted record, and an instant before its creation', async () => {
    const early = await moment();
    const { ChoreID: id, Version } = await save('chore', { Note: 'n0' });
    const at = await moment();
    await save('chore', { ID: id, Note: 'n1' });
    for (const Preview of [true, false]) {
      const refused = await ask('chore', id, { At: at, Version, Preview });
      assert.deepEqual(
        [refused.status, errorOf(refused)['Code'], errorOf(refused)['Fields']],
        [409, 'VERSION_CONFLICT', ['Note']],
      );
    }
    assert.equal((await ask('chore', id, { At: early })).status, 404);
    await expectOk(p.admin.post(`/api/chore/delete/${String(id)}?Output=Json`));
    assert.equal((await ask('chore', id, { At: at })).status, 404);
  });

  it('KRN-20 runs checks and reactions: a value that a rule now refuses is not restored', async () => {
    const { RoleID } = await expectOk(
      p.admin.post('/api/role/save?Output=Json', { Role: 'Passing', Permissions: 'ContactSave' }),
    );
    const { PersonID } = await save('person', { Person: 'rolled', Roles: 'Passing' });
    const at = await moment();
    await save('person', { ID: PersonID, Roles: 'Staff' });
    const watched = async (): Promise<number> =>
      Number(
        (
          await p.platform.store.query<{ n: number }>(
            `select count(*)::integer as n
             from securitylog
             where securitylog = 'RolesChanged' and objectid = $1::bigint`,
            [PersonID],
          )
        )[0]?.n,
      );
    const events = await watched();
    await rollBack('person', PersonID, { At: at });
    assert.equal(await watched(), events + 1);
    await save('person', { ID: PersonID, Roles: 'Staff' });
    await expectOk(p.admin.post(`/api/role/delete/${String(RoleID)}?Output=Json`));
    const refused = await ask('person', PersonID, { At: at });
    assert.deepEqual([refused.status, errorOf(refused)['Field']], [400, 'Roles']);
    assert.equal((await select('person', PersonID))['Roles'], 'Staff');
  });

  it("KRN-20 restores a parent's class and ID together; computed fields stay and are listed", async () => {
    const [a, b] = [await save('contact', { LastName: 'a' }), await save('contact', { LastName: 'b' })];
    const { ChoreID: id } = await save('chore', { Object: 'Contact', ObjectID: a['ContactID'] });
    const at = await moment();
    await save('chore', { ID: id, Object: 'Contact', ObjectID: b['ContactID'] });
    await p.platform.store.query('update chore set sum = 5 where choreid = $1::bigint', [id]);
    const answer = await expectOk(ask('chore', id, { At: at }));
    assert.deepEqual(rowsOf(answer), [['ObjectID', String(b['ContactID']), String(a['ContactID'])]]);
    assert.match(JSON.stringify(answer['Alerts']), /COMPUTED_FIELD.*Sum/);
    const back = await select('chore', id);
    assert.deepEqual([back['ObjectID'], back['Sum']], [a['ContactID'], 5]);
    await save('chore', { ID: id, Object: 'Contact', ObjectID: b['ContactID'] });
    await expectOk(p.admin.post(`/api/contact/delete/${String(a['ContactID'])}?Output=Json`));
    assert.equal((await ask('chore', id, { At: at })).status, 404, 'not below a deleted parent');
  });
});

describe('undoing one call', () => {
  it('KRN-20 undoes everything that the call changed together, and keeps what others changed', async () => {
    const { OrganizationID: id } = await save('organization', {
      Organization: 'O',
      Website: 'w0',
      City: 'c0',
      Title: 't0',
    });
    await save('organization', { ID: id, Website: 'w1', City: 'c1' }, 'the-call-to-undo');
    await save('organization', { ID: id, Title: 't1' }, 'another-call');
    assert.deepEqual(await rollBack('organization', id, { CallID: 'the-call-to-undo', Preview: true }), [
      ['City', 'c1', 'c0'],
      ['Website', 'w1', 'w0'],
    ]);
    assert.deepEqual(await rollBack('organization', id, { CallID: 'the-call-to-undo' }), [
      ['City', 'c1', 'c0'],
      ['Website', 'w1', 'w0'],
    ]);
    const now = await select('organization', id);
    assert.deepEqual([now['Website'], now['City'], now['Title']], ['w0', 'c0', 't1']);
    assert.deepEqual(await rollBack('organization', id, { CallID: 'the-call-to-undo' }), [], 'already undone');
  });

  it('KRN-20 lists fields that were changed again and undoes nothing; the others can be named', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'n0', Code: 'c0', Count: 0 });
    await save('chore', { ID: id, Note: 'n1', Code: 'c1', Count: 1 }, 'first-change');
    await save('chore', { ID: id, Note: 'n2', Count: 2 }, 'second-change');
    const refused = await ask('chore', id, { CallID: 'first-change' });
    assert.deepEqual(
      [refused.status, errorOf(refused)['Code'], errorOf(refused)['Fields']],
      [422, 'STATE_REFUSES', ['Note', 'Count']],
    );
    const alerts = (refused.json() as never as { Alerts: Row[] }).Alerts;
    assert.equal(alerts.length, 2);
    assert.ok(
      alerts.every(
        (alert) => alert['Code'] === 'CHANGED_SINCE' && String(alert['Text']).includes('by call second-change'),
      ),
    );
    assert.equal((await select('chore', id))['Code'], 'c1');
    assert.deepEqual(await rollBack('chore', id, { CallID: 'first-change', Fields: 'Code' }), [['Code', 'c1', 'c0']]);
    await rollBack('chore', id, { CallID: 'second-change' });
    assert.deepEqual(
      await rollBack('chore', id, { CallID: 'first-change' }),
      [
        ['Note', 'n1', 'n0'],
        ['Count', '1', '0'],
      ],
      'step by step, the last first',
    );
  });

  it('KRN-20 of calls that share an ID, does not overwrite what others changed between them', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'n0' });
    await save('chore', { ID: id, Note: 'n1' }, 'shared-call-id');
    await save('chore', { ID: id, Note: 'n2' }, 'somebody-else');
    await save('chore', { ID: id, Note: 'n3' }, 'shared-call-id');
    assert.equal((await ask('chore', id, { CallID: 'shared-call-id' })).status, 422);
    assert.equal((await select('chore', id))['Note'], 'n3');
  });

  it('KRN-20 refuses a call that did not change the record, deleted it or restored it', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'n0' }, 'making-call');
    for (const CallID of ['making-call', 'no-such-call'])
      assert.equal((await ask('chore', id, { CallID })).status, 404);
    await expectOk(
      p.admin.post(`/api/chore/delete/${String(id)}?Output=Json`, '', { 'X-Correlation-ID': 'deleting-call' }),
    );
    await expectOk(
      p.admin.post(`/api/chore/undelete/${String(id)}?Output=Json`, '', { 'X-Correlation-ID': 'undeleting-call' }),
    );
    for (const CallID of ['deleting-call', 'undeleting-call'])
      assert.equal((await ask('chore', id, { CallID })).status, 422);
    const history = (await expectOk(p.admin.get(`/api/chore/history/${String(id)}?Output=Json`))) as never as {
      HistoryCollection: { HistoryItem: Row[] };
    };
    assert.deepEqual(
      [history.HistoryCollection.HistoryItem[0]?.['Change'], history.HistoryCollection.HistoryItem[0]?.['CallID']],
      ['undelete', 'undeleting-call'],
    );
  });

  it('KRN-20 of two concurrent undos one does the work and the other finds nothing to do; a change in between is not lost', async () => {
    const { ChoreID: id } = await save('chore', { Note: 'n0', Code: 'c0' });
    await save('chore', { ID: id, Note: 'n1' }, 'contested-call');
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => ask('chore', id, { CallID: 'contested-call' })),
      save('chore', { ID: id, Code: 'c1' }),
    ]);
    const done = answers.slice(0, 4).map((answer) => rowsOf((answer as TestAnswer).json()).length);
    assert.deepEqual(
      done.sort((a, b) => a - b),
      [0, 0, 0, 1],
    );
    const now = await select('chore', id);
    assert.deepEqual([now['Note'], now['Code']], ['n0', 'c1']);
  });
});

describe('who may roll back', () => {
  it("KRN-17 KRN-18 a firm's user can roll back visible records, but not to a parent that it cannot see", async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Restorer',
      Permissions: 'ContactRollback ContactSelect ContactSave ImportFileTemplateRollback',
    });
    const [a, b] = [await p.firm('A', 'Restorer'), await p.firm('B', 'Restorer')];
    const { ContactID: id } = await save('contact', {
      LastName: 'n0',
      Object: 'Organization',
      ObjectID: b.organizationId,
    });
    const at = await moment();
    await save('contact', { ID: id, LastName: 'n1', Object: 'Organization', ObjectID: a.organizationId });
    const refused = await ask('contact', id, { At: at }, a.caller);
    assert.deepEqual([refused.status, errorOf(refused)['Field']], [404, 'ObjectID']);
    assert.deepEqual(rowsOf(await expectOk(ask('contact', id, { At: at, Fields: 'LastName' }, a.caller))), [
      ['LastName', 'n1', 'n0'],
    ]);
    const foreign = await ask('contact', id, { At: at }, b.caller);
    const absent = await ask('contact', 99_999_999, { At: at }, b.caller);
    assert.equal(errorOf(foreign)['Message'], String(errorOf(absent)['Message']).replace('99999999', String(id)));
    assert.equal(
      (await ask('importfiletemplate', 1, { At: at }, a.caller)).status,
      403,
      'configuration is for users with universal access',
    );
    assert.equal((await p.admin.post('/api/importlog/rollback/1', { At: at })).status, 404, 'logs keep no history');
  });
});

/** One step of a random sequence: what is done to the record or to one of its three children. */
type Step = {
  readonly do:
    | 'update'
    | 'derived'
    | 'delete'
    | 'undelete'
    | 'child'
    | 'move'
    | 'childdelete'
    | 'childundelete'
    | 'rollback';
  readonly n: number;
  readonly value: string;
};
/** The records that steps change, and the snapshots to which they return. */
interface StepTargets {
  readonly id: unknown;
  readonly elsewhere: unknown;
  readonly children: readonly unknown[];
  readonly snapshots: readonly { at: string; state: Row | undefined }[];
}
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(
    'update',
    'update',
    'derived',
    'delete',
    'undelete',
    'child',
    'move',
    'childdelete',
    'childundelete',
    'rollback',
  ),
  n: fc.nat(7),
  value: fc.constantFrom('', 'a', 'b', 'Ünïcode "quoted"', '123'),
});

describe('the whole past', () => {
  it('KRN-20 a record with a derived table and children, changed, deleted, restored and rolled back at random, is at every instant what it was then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { OrganizationID: id } = await save('organization', { Organization: 'O', Website: 'w' });
        const { ContactID: elsewhere } = await save('contact', { LastName: 'elsewhere' });
        const children: unknown[] = [];
        for (let n = 0; n < 3; n++)
          children.push((await save('chore', { Object: 'Organization', ObjectID: id, Note: `c${n}` }))['ChoreID']);
        const snapshots: { at: string; state: Row | undefined }[] = [];
        const takeSnapshot = async (): Promise<void> =>
          void snapshots.push({ state: await snapshot(id), at: await moment() });
        await takeSnapshot();
        for (const each of steps) {
          await take(each, { id, elsewhere, children, snapshots });
          await takeSnapshot();
        }
        for (const { at, state } of snapshots) {
          const answer = await p.admin.get(`/api/organization/asof/${String(id)}?Output=Json&Children=true&At=${at}`);
          if (!state) assert.equal(answer.status, 404, answer.text);
          else assert.deepEqual(ofTree(answer.json()['OrganizationItem'] as never as Row), state);
        }
      }),
      { numRuns: 12 },
    );
  });

  const ofTree = ({ Chores = [], ...own }: Row): Row => ({ ...own, Chores });

  async function snapshot(id: unknown): Promise<Row | undefined> {
    const found = await p.admin.get(`/api/organization/select/${String(id)}?Output=Json`);
    if (found.status === 404) return undefined;
    const chores = (await expectOk(
      p.admin.get(
        `/api/chore/search?Output=Json&Object=Organization&ObjectID=${String(id)}&OrderBy=ChoreID&RecordCount=false`,
      ),
    )) as never as { ChoreCollection: { ChoreItem: Row[] } };
    return { ...found.json(), Chores: chores.ChoreCollection.ChoreItem };
  }

  /**
   * Applies a step. One that the record's state does not allow (a second delete, say) is refused and changes nothing.
   */
  async function take(each: Step, { id, elsewhere, children, snapshots }: StepTargets): Promise<void> {
    const child = children[each.n % children.length];
    const send = (path: string, body: object): Promise<TestAnswer> => p.admin.post(`/api/${path}?Output=Json`, body);
    switch (each.do) {
      case 'update':
        await send('organization/save', { ID: id, City: each.value, Organization: `O${each.n}` });
        return;
      case 'derived':
        await send('organization/save', { ID: id, Website: each.value });
        return;
      case 'delete':
        await send(`organization/delete/${String(id)}`, {});
        return;
      case 'undelete':
        await send(`organization/undelete/${String(id)}`, {});
        return;
      case 'child':
        await send('chore/save', { ID: child, Note: each.value, Count: each.n });
        return;
      case 'move':
        await send('chore/save', {
          ID: child,
          ...(each.n % 2 === 0 ? { Object: 'Organization', ObjectID: id } : { Object: 'Contact', ObjectID: elsewhere }),
        });
        return;
      case 'childdelete':
        await send(`chore/delete/${String(child)}`, {});
        return;
      case 'childundelete':
        await send(`chore/undelete/${String(child)}`, {});
        return;
      case 'rollback': {
        const { at, state } = snapshots[each.n % snapshots.length] ?? { at: '', state: undefined };
        const answer = await send(`organization/rollback/${String(id)}`, { At: at });
        if (answer.status === 200 && state) assert.deepEqual(shown(await snapshot(id)), shown(state));
      }
    }
  }

  const shown = (state: Row | undefined): Row => values({ ...state, Chores: undefined });
});
