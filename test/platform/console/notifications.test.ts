import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { writeNotifications } from '../../../src/modules/console/notification/lib/write-notifications.ts';
import { sweepNotifications } from '../../../src/modules/console/notification/lib/notifier.ts';
import { client, type Client, type Row } from '../../support/client.ts';
import { openLive } from '../../support/live-stream.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const p = await testPlatform({ after });
const second = await secondPlatform({ after }, p);
const admin = client(p);
const finch = await p.firm('Finch');
const heron = await p.firm('Heron');
const clerkUser = await p.user('clerk', 'Administrator');
const clerk = client(p, clerkUser.caller);
const finchUser = client(p, finch.caller);
let loans = 0;

async function caseOf(organizationId: number): Promise<number> {
  const loan = await admin.save('loan', { Loan: `N${++loans}` });
  const made = await admin.save('foreclosure', { LoanID: loan['LoanID'], OrganizationID: organizationId });
  return Number(made['ForeclosureID']);
}

const write = (): Promise<number> => writeNotifications(p.platform);
const read = async (of: Client, more: object = {}): Promise<string[]> =>
  (await of.expectRows('notification/mine', more)).map((row) => String(row['Notification']));
const follow = (of: Client, id: number): Promise<unknown> =>
  of.send('follow/add', { Object: 'Foreclosure', ObjectID: id });

// The first pass only notes where changes begin.
await write();

describe('following and notifications', () => {
  it('WEB-02 a follower learns in words what happened: dates, status, documents, notes, holds and tasks; not of their own changes', async () => {
    const id = await caseOf(finch.organizationId);
    await follow(clerk, id);
    await write();
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2026-11-03' });
    await write();
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2031-11-18', Status: 'Sale' });
    await clerk.save('foreclosure', { ForeclosureID: id, DateOpened: '2026-01-02' });
    await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'Call back' });
    const task = await admin.save('importform', { Object: 'Foreclosure', ObjectID: id, ImportForm: 'Check title' });
    await p.platform.store.query(
      "insert into decisiondelay (decisiondelay, object, objectid) values ('Mediation', 'Foreclosure', $1::bigint)",
      [id],
    );
    await write();
    await p.platform.store.query('update importform set actualcompletion = now() where importformid = $1::bigint', [
      task['ImportFormID'],
    ]);
    await p.platform.store.query("update decisiondelay set actualcompletion = now() where decisiondelay = 'Mediation'");
    await write();
    const texts = await read(clerk);
    assert.ok(texts.includes('Note added: Call back'), texts.join(' | '));
    assert.ok(texts.includes('Task completed: Check title'));
    assert.ok(texts.some((text) => text.startsWith('Status: ')));
    assert.ok(texts.includes('2 changes of holds'));
    assert.ok(texts.includes('2 dates changed'), 'two changes of one kind within the hour are one');
    assert.equal(
      texts.some((text) => text.includes('Opened')),
      false,
    );
    assert.equal(await write(), 0, 'nothing is written twice');
    assert.deepEqual(await read(clerk), texts);
  });

  it('WEB-02 a change of a date says from when to when', async () => {
    const id = await caseOf(finch.organizationId);
    await follow(clerk, id);
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2031-11-03' });
    await write();
    await clerk.expectOk('notification/markallread');
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2031-11-18' });
    await write();
    assert.match((await read(clerk, { Unread: true }))[0] ?? '', /: Nov 3, 2031 → Nov 18, 2031$/);
  });

  it('WEB-02 many events of a kind are one notification, which is unread until it is read', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    await follow(clerk, id);
    for (const n of [1, 2, 3]) await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: `m${n}` });
    await write();
    await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'm4' });
    await write();
    assert.deepEqual(await read(clerk, { Unread: true }), ['4 notes and messages added']);
    assert.equal((await clerk.expectOk('notification/count'))['Unread'], 1);
    const [row] = await clerk.expectRows('notification/mine', { Unread: true });
    await admin.expectRefused('notification/markread', { ID: row?.['NotificationID'] }, 'NOT_FOUND', 'ID');
    assert.equal((await clerk.expectOk('notification/markread', { ID: row?.['NotificationID'] }))['Marked'], 1);
    assert.equal((await clerk.expectOk('notification/count'))['Unread'], 0);
    await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'm5' });
    await write();
    assert.deepEqual(await read(clerk, { Unread: true }), ['Note added: m5'], 'what was read takes up nothing more');
    const [mine] = await clerk.expectRows('follow/mine', { Object: 'Foreclosure', ObjectID: id });
    assert.deepEqual([mine?.['Unread'], mine?.['Latest']], [1, 'Note added: m5']);
  });

  it('WEB-02 a firm is notified only of what it sees, of no foreign case, and no longer once it lost the case', async () => {
    const [own, foreign] = [await caseOf(finch.organizationId), await caseOf(heron.organizationId)];
    await finchUser.expectRefused('follow/add', { Object: 'Foreclosure', ObjectID: foreign }, 'NOT_FOUND');
    await finchUser.expectRefused('follow/add', { Object: 'Foreclosure', ObjectID: 999_999 }, 'NOT_FOUND');
    await follow(finchUser, own);
    await admin.save('message', { Object: 'Foreclosure', ObjectID: own, Message: 'Internal' });
    await write();
    assert.deepEqual(await read(finchUser), []);
    await admin.save('foreclosure', { ForeclosureID: own, ScheduledSaleDate: '2031-01-05' });
    await write();
    const texts = await read(finchUser);
    assert.equal(texts.length, 1);
    await admin.save('foreclosure', { ForeclosureID: own, OrganizationID: heron.organizationId });
    await admin.save('foreclosure', { ForeclosureID: own, ScheduledSaleDate: '2031-01-06' });
    await write();
    assert.deepEqual(await read(finchUser), texts);
    // What was followed can be left behind without access.
    assert.equal((await finchUser.send('follow/remove', { Object: 'Foreclosure', ObjectID: own })).status, 204);
    assert.deepEqual(await finchUser.expectRows('follow/mine'), []);
  });

  it('WEB-02 a note notifies whom it mentions, without following; an address of mail and the author do not count', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    await admin.save('message', {
      Object: 'Foreclosure',
      ObjectID: id,
      Message: 'Please look, @Clerk',
      BodyText: 'write to me@clerk.example, @nobody',
    });
    await clerk.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'I am @clerk' });
    await write();
    const rows = await clerk.expectRows('notification/mine', { Unread: true });
    assert.equal(rows.length, 1);
    assert.match(String(rows[0]?.['Notification']), /mentioned you: Please look, @Clerk/);
  });

  it('WEB-02 MSG-01 a note that is written to users notifies them once, also those who follow the record', async () => {
    const id = await caseOf(finch.organizationId);
    await follow(clerk, id);
    await clerk.expectOk('notification/markallread');
    const { personId } = await p.user('reader of notes', 'Administrator');
    await admin.expectOk('message/generate', {
      Object: 'Foreclosure',
      ObjectID: id,
      MessageType: 'Note',
      Subject: 'Call the trustee',
      To: 'clerk, reader of notes',
    });
    await write();
    const rows = await clerk.expectRows('notification/mine', { Unread: true });
    assert.deepEqual(
      rows.map((row) => [row['Kind'], row['Count']]),
      [['Message', 1]],
    );
    const [others] = await p.platform.store.query<{ n: number }>(
      'select count(*)::integer as n from notification where personid = $1::bigint',
      [personId],
    );
    assert.equal(others?.n, 1);
  });

  it('WEB-02 who gets a task learns of it, unless they took it; muted kinds are not notified', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    const task = { Object: 'Foreclosure', ObjectID: id, ImportForm: 'Serve', AssignedPersonID: clerkUser.personId };
    await clerk.save('importform', { ...task, ImportForm: 'My own' });
    await admin.save('importform', task);
    await write();
    assert.deepEqual(await read(clerk, { Unread: true }), ['Assigned to you: Serve']);
    await clerk.expectOk('notification/markallread');
    await clerk.expectOk('preference/choose', { MutedKinds: 'Assignment' });
    await admin.save('importform', { ...task, ImportForm: 'Quiet' });
    await write();
    assert.deepEqual(await read(clerk, { Unread: true }), []);
    await clerk.expectOk('preference/choose', { MutedKinds: '' });
  });

  it('WEB-02 many items of a queue that are given to a user within the hour are one notification, which names the queue', async () => {
    await clerk.expectOk('notification/markallread');
    await admin.expectOk('smartworklisttemplate/create', {
      SmartWorklistTemplate: 'Title review',
      SourceObject: 'Foreclosure',
      Calculate: false,
    });
    const [queue] = await admin.expectRows('smartworklist/search', { SmartWorklist: 'Title review*' });
    const items: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const placed = await admin.expectOk('smartworklistmember/place', {
        SmartWorklistID: queue?.['SmartWorklistID'],
        SourceObject: 'Foreclosure',
        SourceObjectID: await caseOf(finch.organizationId),
        Reason: 'Look at it',
      });
      items.push(placed['SmartWorklistMemberID']);
    }
    const give = (ID: unknown): Promise<Row> =>
      admin.expectOk('smartworklistmember/reassign', { ID, PersonID: clerkUser.personId });
    await give(items[0]);
    await write();
    assert.match((await read(clerk, { Unread: true }))[0] ?? '', /^Assigned to you in Title review/);
    await give(items.slice(1));
    await write();
    const rows = await clerk.expectRows('notification/mine', { Unread: true });
    assert.equal(rows.length, 1);
    assert.match(String(rows[0]?.['Notification']), /^3 items assigned to you in Title review/);
    assert.equal(rows[0]?.['Object'], 'SmartWorklist');
    const session = await testSession(p, 'clerk');
    assert.equal((await session.get(`/notifications/${String(rows[0]?.['NotificationID'])}`)).location, '/work');
  });

  it('WEB-02 Home lists what changed on followed cases, and marks only that as read; nobody saves follows past the checks', async () => {
    const id = await caseOf(finch.organizationId);
    const session = await testSession(p, 'clerk');
    await clerk.expectOk('notification/markallread');
    await follow(clerk, id);
    assert.match((await session.get('/')).text, /Cases you follow/);
    for (const Message of ['First', '@clerk look'])
      await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message });
    await admin.save('message', {
      Object: 'Foreclosure',
      ObjectID: await caseOf(heron.organizationId),
      Message: '@clerk',
    });
    await write();
    const { text } = await session.get('/');
    assert.match(text, /1 changed since you looked/);
    assert.match(text, /and 1 more/);
    const [newest] = await clerk.expectRows('notification/mine');
    const fields = { UpTo: String(newest?.['NotificationID']), Followed: 'true', Back: '/' };
    assert.equal((await session.post('/notifications/read', fields)).location, '/');
    assert.equal((await clerk.expectOk('notification/count'))['Unread'], 1, 'the mention on the other case');
    assert.match((await session.get('/')).text, /nothing new/);
    assert.equal((await admin.send('follow/save', { Object: 'Loan', ObjectID: 1, PersonID: 1 })).status, 404);
  });

  it('WEB-02 the panel of the bell has the latest by day and record, and opening one marks those of its record as read', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    await follow(clerk, id);
    await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'One' });
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2031-07-05' });
    await write();
    const session = await testSession(p, 'clerk');
    const { text } = await session.get('/notifications/panel');
    assert.match(text, /^<section class="bell-panel"/);
    assert.match(text, /<h3 class="notice-head">Today, /);
    const [group = ''] = /<li class="notice-group">[^]*?<\/ul><\/li>/.exec(text) ?? [];
    assert.equal(group.match(/data-row/g)?.length, 2, 'both are under their case');
    const [, path = ''] = /href="(\/notifications\/\d+)"/.exec(text) ?? [];
    assert.equal((await session.get(path)).location, `/case/foreclosure/${id}`);
    assert.equal((await clerk.expectOk('notification/count'))['Unread'], 0);
  });

  it('WEB-02 two processes that write at once write each notification once, and a failed pass is repeated', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    await follow(clerk, id);
    for (let n = 0; n < 5; n++) {
      await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: `c${n}` });
      await Promise.all([write(), writeNotifications(second.platform), write()]);
    }
    await p.platform.store.query('alter table notification rename to notification_away');
    await admin.save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'c5' });
    await assert.rejects(write());
    await p.platform.store.query('alter table notification_away rename to notification');
    await write();
    assert.deepEqual(await read(clerk, { Unread: true }), ['6 notes and messages added']);
  });

  it('WEB-02 open pages of staff and firms learn at once of new notifications and of read ones', async () => {
    const id = await caseOf(finch.organizationId);
    const { cookie } = await testSession(p, 'user of Finch');
    const stream = await openLive(p.url, cookie, 'me/notification');
    await follow(finchUser, id);
    await admin.save('foreclosure', { ForeclosureID: id, ScheduledSaleDate: '2031-05-05' });
    await write();
    await stream.first('changed');
    stream.close();
    const next = await openLive(p.url, cookie, 'me/notification');
    await finchUser.expectOk('notification/markallread');
    await next.first('changed');
    next.close();
  });

  it('WEB-02 the page lists them, counts them in the bell, and opening one marks it as read; hostile text stays text', async () => {
    const id = await caseOf(finch.organizationId);
    await clerk.expectOk('notification/markallread');
    const session = await testSession(p, 'clerk');
    const fields = { Object: 'Foreclosure', ObjectID: String(id) };
    assert.equal(
      (await session.post('/follow', { ...fields, Follow: 'true', Back: '//evil.example' })).location,
      '/notifications',
    );
    await admin.save('message', { ...fields, Message: '<b>"hostile"</b>' });
    await write();
    const shown = await session.get('/notifications');
    assert.equal(shown.status, 200);
    assert.match(shown.text, /class="bell-count">1</);
    assert.match(shown.text, /Note added: &lt;b&gt;/);
    assert.match(shown.text, /You follow/);
    const [, path = ''] = /href="(\/notifications\/\d+)"/.exec(shown.text) ?? [];
    assert.equal((await session.get(path)).location, `/case/foreclosure/${id}`);
    assert.match((await session.get('/notifications')).text, /class="bell-count" hidden>0</);
    assert.equal((await session.get('/notifications/999999')).location, '/notifications');
    assert.equal((await session.post('/notifications/read')).location, '/notifications?done=read');
    assert.match((await session.get('/notifications?Unread=true')).text, /Nothing unread/);
    assert.equal(
      (await session.post('/follow', { ...fields, Follow: 'false', Back: '/notifications' })).location,
      '/notifications',
    );
  });

  it('WEB-02 lists page by page, and deletes what is older than 90 days', async () => {
    const all = await clerk.expectRows('notification/mine', { Size: 100 });
    const first = await clerk.expectRows('notification/mine', { Size: 2 });
    const next = await clerk.expectRows('notification/mine', { Size: 2, Before: first.at(-1)?.['NotificationID'] });
    assert.deepEqual([...first, ...next], all.slice(0, 4));
    await clerk.expectRefused('notification/mine', { Size: 1_000 }, 'BAD_PARAMETER', 'Size');
    await p.platform.store.query("update notification set createddate = now() - interval '91 days'");
    assert.ok((await sweepNotifications.run(p.platform)) >= all.length);
    assert.deepEqual(await clerk.expectRows('notification/mine'), []);
  });
});
