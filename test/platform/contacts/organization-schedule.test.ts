import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });

type Row = Record<string, unknown>;

async function ok(path: string, body: object = {}, caller: Caller = on.admin): Promise<Row> {
  const answer = await caller.post(`/api/${path}?Output=Json`, body);
  assert.equal(answer.status, 200, `${path} ${answer.text}`);
  return answer.json();
}

await ok('role/save', {
  Role: 'Scheduler',
  Permissions: 'OrganizationScheduleListen ContactSave ContactSearch',
  UniversalAccess: false,
});
const sql = (text: string, params: unknown[] = []): Promise<Row[]> => on.platform.store.query<Row>(text, params);
const rowsOf = (answer: TestAnswer | Row): Row[] => {
  const json = ('json' in answer && typeof answer.json === 'function'
    ? (answer as TestAnswer).json()
    : answer) as never as { OrganizationScheduleCollection?: { OrganizationScheduleItem?: Row[] } };
  return json.OrganizationScheduleCollection?.OrganizationScheduleItem ?? [];
};
const listen = async (caller: Caller, body: object = {}): Promise<Row[]> =>
  rowsOf(await ok('organization/schedule/listen', body, caller));
const inQueue = async (scheduleId: unknown): Promise<number> =>
  (
    await sql(
      "select 1 from pgboss.job where data ->> 'scheduleId' = $1::text and state < 'active' and name <> 'DeadLetters'",
      [scheduleId],
    )
  ).length;
/** Makes the next run due now. */
const makeDue = (scheduleId: unknown): Promise<Row[]> =>
  sql(
    `update pgboss.job set start_after = now() - interval '1 minute'
     where data ->> 'scheduleId' = $1::text and state = 'created'`,
    [scheduleId],
  );
let made = 0;
const firm = () => on.firm(`Scheduling ${++made}`, 'Scheduler');
const CALL = 'Contact/Save?LastName=Scheduled&Object=Organization&ObjectID={OrganizationID}';

describe('organization/schedule/listen', () => {
  it('KRN-06 creates a recurring call, lists it, changes it by its signature, and removes it, by every form of its path', async () => {
    const { caller, personId, organizationId } = await firm();
    assert.deepEqual(await listen(caller), []);
    const [first = {}, ...others] = await listen(caller, { ScheduleName: 'Daily @ 3am', Signature: CALL });
    assert.deepEqual(others, []);
    assert.deepEqual(
      [first['ScheduleName'], first['Signature'], first['PersonID'], first['Status']],
      ['Daily @ 3am', CALL, personId, 'Standing'],
    );
    assert.ok(Date.parse(String(first['NextRun'])) > Date.now());
    for (const path of [
      `/api/organization/schedule/listen?ID=${organizationId}`,
      `/api/organization/schedule/listen/${organizationId}`,
      '/api/Organization/Schedule/Listen',
    ]) {
      const answer = await caller.get(`${path}${path.includes('?') ? '&' : '?'}Output=Json`);
      assert.deepEqual(
        rowsOf(answer).map((row) => ({ ...row, NextRun: new Date(String(row['NextRun'])).toISOString() })),
        [first],
        path,
      );
    }
    const [changed = {}, ...more] = await listen(caller, {
      ScheduleName: 'Weekly on Mon, Fri @ 02:30',
      Signature: CALL,
    });
    assert.deepEqual(more, []);
    assert.deepEqual(
      [changed['OrganizationScheduleID'], changed['ScheduleName']],
      [first['OrganizationScheduleID'], 'Weekly on Mon, Fri @ 02:30'],
    );
    assert.deepEqual([await inQueue(first['ScheduleID']), await inQueue(changed['ScheduleID'])], [0, 1]);
    const [renamed = {}] = await listen(caller, {
      OrganizationScheduleID: changed['OrganizationScheduleID'],
      Signature: CALL.replace('Scheduled', 'Changed'),
    });
    assert.deepEqual(
      [renamed['ScheduleName'], String(renamed['Signature']).includes('Changed')],
      ['Weekly on Mon, Fri @ 02:30', true],
    );
    const queued = await caller.post('/api/organization/queue/schedule/listen?Output=Json', {
      Signature: CALL,
      ScheduleName: 'Daily @ 12 noon',
    });
    assert.equal(queued.status, 202, queued.text);
    await eventually('the queued call was created', async () => (await listen(caller)).length === 2);
    assert.equal((await listen(caller, { Remove: true, Signature: CALL })).length, 1);
    assert.deepEqual(
      await listen(caller, { Remove: true, OrganizationScheduleID: renamed['OrganizationScheduleID'] }),
      [],
    );
    assert.equal(await inQueue(renamed['ScheduleID']), 0);
    assert.equal(
      (await caller.post('/api/organization/schedule/listen', { Remove: true, Signature: CALL })).status,
      404,
    );
  });

  it('KRN-06 KRN-18 runs the call as its user, with the access of that firm, and repeats it', async () => {
    const { caller, personId, organizationId } = await firm();
    const other = await firm();
    const [own] = await listen(caller, { ScheduleName: 'Daily @ 3am', Signature: CALL });
    const [foreign] = await listen(other.caller, {
      ScheduleName: 'Daily @ 3am',
      Signature: `Contact/Save?LastName=Foreign&Object=Organization&ObjectID=${organizationId}`,
    });
    await makeDue(own?.['ScheduleID']);
    await makeDue(foreign?.['ScheduleID']);
    const row = await eventually(
      'it ran',
      async () =>
        (
          await sql("select createdpersonid from contact where lastname = 'Scheduled' and objectid = $1::bigint", [
            organizationId,
          ])
        )[0],
    );
    assert.equal(row['createdpersonid'], personId);
    await eventually('the other call was refused', async () =>
      (await on.admin.get(`/api/queue/search?State=dead&PersonID=${other.personId}&Output=Json`)).text.includes(
        'NOT_FOUND',
      ),
    );
    assert.equal((await sql("select 1 from contact where lastname = 'Foreign'")).length, 0);
    assert.deepEqual([await inQueue(own?.['ScheduleID']), await inQueue(foreign?.['ScheduleID'])], [1, 1]);
    assert.equal((await listen(caller))[0]?.['Status'], 'Standing');
    // Removed after it has run: removing any of its queued runs ends the recurrence.
    await listen(caller, { Remove: true, Signature: CALL });
    assert.equal(await inQueue(own?.['ScheduleID']), 0);
  });

  it('KRN-08 refuses, on saving, a call that its user could not run, and stores nothing', async () => {
    const { caller } = await firm();
    const refused: readonly (readonly [object, number, RegExp])[] = [
      [{ ScheduleName: 'Daily @ 3am', Signature: 'Contact/Sve?LastName=x' }, 400, /no operation sve/],
      [{ ScheduleName: 'Daily @ 3am', Signature: 'Contact/Save?LstName=x' }, 400, /takes no parameter LstName/],
      [{ ScheduleName: 'Daily @ 3am', Signature: 'Contact/Search?DisplaySize=many' }, 400, /DisplaySize/],
      [{ ScheduleName: 'Daily @ 3am', Signature: 'Loan/Save?Loan=900000009' }, 403, /LoanSave is not granted/],
      [
        { ScheduleName: 'Daily @ 3am', Signature: 'Contact/Save?LastName={Somebody}' },
        400,
        /\{Somebody\} cannot be filled in/,
      ],
      [{ ScheduleName: 'Daily @ 3am', Signature: '{Module}/Save' }, 400, /braces/],
      [{ ScheduleName: 'Now and then', Signature: CALL }, 400, /ScheduleName/],
      [{ Signature: CALL }, 400, /ScheduleName/],
      [{ ScheduleName: 'Daily @ 3am' }, 400, /Signature/],
      [{ OrganizationScheduleID: 99_999 }, 404, /OrganizationScheduleID/],
    ];
    for (const [body, status, message] of refused) {
      const answer = await caller.post('/api/organization/schedule/listen?Output=Json', body);
      assert.deepEqual(
        [answer.status, message.test(answer.text)],
        [status, true],
        `${JSON.stringify(body)} ${answer.text}`,
      );
    }
    assert.deepEqual(await listen(caller), []);
  });

  it('KRN-17 KRN-18 lets only administrators schedule calls as another user or for another organization', async () => {
    const [a, b] = [await firm(), await firm()];
    const call = { ScheduleName: 'Daily @ 3am', Signature: CALL };
    const status = async (caller: Caller, body: object): Promise<number> =>
      (await caller.post('/api/organization/schedule/listen', { ...call, ...body })).status;
    const colleague = await on.user(`colleague ${made}`, 'Scheduler');
    await ok('person/save', { ID: colleague.personId, OrganizationID: a.organizationId });
    assert.equal(await status(a.caller, { PersonID: colleague.personId }), 403);
    assert.equal(await status(a.caller, { ID: b.organizationId }), 404);
    assert.equal(await status(a.caller, { PersonID: b.personId }), 403);
    assert.equal(
      await status(a.caller, { Signature: undefined, ScheduleName: undefined, PersonID: b.personId }),
      403,
      'nothing about other users is revealed',
    );
    const staff = (await on.user(`staff ${made}`, 'Staff')).caller;
    assert.equal(
      await status(staff, { ID: a.organizationId, PersonID: a.personId }),
      403,
      'a user who cannot create users cannot act as one',
    );
    assert.equal(await status(staff, { ID: a.organizationId }), 400, 'the user has no organization');
    assert.equal(await status(on.admin, { ID: a.organizationId, PersonID: b.personId }), 400);
    assert.equal(await status(on.admin, { ID: a.organizationId, PersonID: 99_999_999 }), 400);
    assert.equal(await status(on.admin, {}), 400, 'no organization');
    const notAllowed = await on.admin.post('/api/organization/schedule/listen?Output=Json', {
      ...call,
      ID: a.organizationId,
      PersonID: a.personId,
      Signature: 'Loan/Search',
    });
    assert.equal(notAllowed.status, 403, 'the user lacks the permission');
    assert.match(
      notAllowed.text,
      new RegExp(
        `the call would run as user ${String(a.personId)}, who may not call loan/search; ` +
          'it requires the permission LoanSearch',
      ),
    );
    assert.equal((await on.anonymous.get('/api/organization/schedule/listen')).status, 401);
    assert.deepEqual(await listen(a.caller), []);
    const [made1] = await listen(on.admin, { ...call, ID: a.organizationId, PersonID: colleague.personId });
    assert.equal(made1?.['PersonID'], colleague.personId);
    // When an administrator changes the time, the call stays that user's; other users of the firm cannot change it.
    const [later] = await listen(on.admin, {
      ID: a.organizationId,
      OrganizationScheduleID: made1?.['OrganizationScheduleID'],
      ScheduleName: 'Daily @ 4am',
    });
    assert.deepEqual([later?.['PersonID'], later?.['ScheduleName']], [colleague.personId, 'Daily @ 4am']);
    assert.equal(await status(a.caller, { ScheduleName: 'Daily @ 5am' }), 403);
    assert.deepEqual(
      (await listen(a.caller)).map((row) => row['PersonID']),
      [colleague.personId],
    );
  });

  it('KRN-06 creates one call when several callers create the same one at once', async () => {
    const { caller } = await firm();
    await Promise.all(
      Array.from({ length: 6 }, (_, n) => listen(caller, { ScheduleName: `Daily @ ${n + 1}am`, Signature: CALL })),
    );
    const rows = await listen(caller);
    assert.equal(rows.length, 1);
    const [organization] = await sql(
      'select organizationid from organizationschedule where organizationscheduleid = $1::bigint',
      [rows[0]?.['OrganizationScheduleID']],
    );
    const [{ n } = { n: 0 }] = await sql(
      "select count(*)::integer as n from pgboss.job where data ->> 'label' = $1::text and state < 'active'",
      [`Organization ${String(organization?.['organizationid'])}`],
    );
    assert.equal(n, 1);
  });
});

describe('a recurring call whose user leaves', () => {
  const call = { ScheduleName: 'Daily @ 3am', Signature: CALL };
  const problems = async (organizationId: number): Promise<string> =>
    JSON.stringify(
      await sql(
        `select errorlog from errorlog
         where operation = 'organization/schedule/listen' and errorlog like $1::text collate "C"`,
        [`%organization ${organizationId} %`],
      ),
    );

  it('KRN-06 stops in the same change that deactivates or moves the user, and operators are notified', async () => {
    const elsewhere = await firm();
    for (const [change, reason] of [
      [{ Status: 'Inactive' }, /no longer active/],
      [{ OrganizationID: elsewhere.organizationId }, /left the organization/],
    ] as const) {
      const { caller, personId, organizationId } = await firm();
      const [row] = await listen(caller, call);
      await ok('person/save', { ID: personId, FirstName: 'Still here' });
      assert.equal(await inQueue(row?.['ScheduleID']), 1);
      await ok('person/save', { ID: personId, ...change });
      assert.equal(await inQueue(row?.['ScheduleID']), 0);
      const [stopped] = await listen(on.admin, { ID: organizationId });
      assert.equal(stopped?.['Status'], 'Stopped');
      assert.match(String(stopped['StoppedReason']), reason);
      assert.match(await problems(organizationId), reason);
      // Another user takes the call over, and it is active again.
      const heir = await on.user(`heir ${made}`, 'Scheduler');
      await ok('person/save', { ID: heir.personId, OrganizationID: organizationId });
      const [again] = await listen(on.admin, {
        ID: organizationId,
        OrganizationScheduleID: stopped['OrganizationScheduleID'],
        PersonID: heir.personId,
      });
      assert.deepEqual(
        [again?.['Status'], again?.['PersonID'], again?.['StoppedReason']],
        ['Standing', heir.personId, undefined],
      );
    }
  });

  it('KRN-06 ends with the organization', async () => {
    const organizationId = Number((await ok('organization/save', { Organization: 'To be deleted' }))['OrganizationID']);
    const user = await on.user('user of the deleted', 'Scheduler');
    await ok('person/save', { ID: user.personId, OrganizationID: organizationId });
    const [row] = await listen(on.admin, { ...call, ID: organizationId, PersonID: user.personId });
    await ok('person/save', { ID: user.personId, OrganizationID: '' });
    assert.equal(await inQueue(row?.['ScheduleID']), 0);
    await ok('organization/delete', { ID: organizationId });
    assert.equal((await sql('select 1 from organizationschedule where organizationid is null')).length, 0);
  });

  it('KRN-06 is listed as stopped if it was canceled in the queue, or if its user was deactivated directly in the database', async () => {
    const { caller, personId, organizationId } = await firm();
    const [row] = await listen(caller, call);
    await sql("update person set status = 'Inactive' where personid = $1::bigint", [personId]);
    await eventually(
      'the deactivation has taken effect',
      async () => (await caller.get('/api/organization/searchbyperson')).status === 401,
    );
    await makeDue(row?.['ScheduleID']);
    await eventually('the run was refused', async () => (await inQueue(row?.['ScheduleID'])) === 0);
    assert.equal(
      (await sql("select 1 from contact where lastname = 'Scheduled' and objectid = $1::bigint", [organizationId]))
        .length,
      0,
    );
    const [listed] = await listen(on.admin, { ID: organizationId });
    assert.equal(listed?.['Status'], 'Stopped');
    assert.match(String(listed['StoppedReason']), /It has no run in the queue/);
  });
});
