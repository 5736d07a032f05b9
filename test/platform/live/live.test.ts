import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { pages } from '../../../src/app/pages.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { liveStreams } from '../../../src/surfaces/live/live-page.ts';
import { expectOk } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openLive, type LiveStream } from '../../support/live-stream.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const p = await testPlatform({ after });
const second = await secondPlatform({ after }, p);
// Sessions are checked as often as a test wants to wait.
const quick = createServer(p.platform, {
  ...pages,
  '/live': liveStreams({ heartbeatMilliseconds: 40, streamsMax: 4 }),
});
const quickUrl = await quick.listen({ port: 0, host: '127.0.0.1' });
after(() => quick.close());

const save = async (path: string, body: object, caller: Caller = p.admin): Promise<number> =>
  Number(Object.values(await expectOk(caller.post(`/api/${path}/save?Output=Json`, body)))[0]);

const clerk = await p.user('clerk', 'Administrator');
const clerkSession = await testSession(p, 'clerk');
const finch = await p.firm('Finch');
const finchSession = await testSession(p, 'user of Finch');
const other = await p.firm('Other');

async function caseOf(organizationId: number): Promise<number> {
  const loan = await save('loan', { Loan: `L${Math.random()}` });
  return save('foreclosure', { LoanID: loan, OrganizationID: organizationId });
}

/** Waits until a change made after all others has arrived, so that nothing else can still come. */
async function settle(stream: LiveStream, url = p.url): Promise<void> {
  const marker = await openLive(url, clerkSession.cookie, 'contact');
  await save('contact', { LastName: 'Marker' });
  await marker.first('changed');
  marker.close();
  assert.equal(stream.hasEnded(), false);
}

describe('live updates', () => {
  it('WEB-02 a page of one process learns within a second of a change that another process commits', async () => {
    const id = await caseOf(finch.organizationId);
    const stream = await openLive(
      second.url,
      clerkSession.cookie,
      `Foreclosure/${id},foreclosure/${id}/message,message`,
    );
    assert.deepEqual((await stream.first('ready')).data, {
      topics: [`Foreclosure/${id}`, `foreclosure/${id}/message`, 'message'],
    });
    const began = performance.now();
    await save('foreclosure', { ForeclosureID: id, SaleAmount: 12 });
    await eventually('the case has changed', () => stream.changed().includes(`Foreclosure/${id}`));
    assert.ok(performance.now() - began < 2_000);
    assert.deepEqual(new Set(stream.changed()), new Set([`Foreclosure/${id}`]));
    await save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'New' });
    await eventually('the message has come', () => stream.changed().includes('message'));
    assert.ok(stream.changed().includes(`foreclosure/${id}/message`));
    stream.close();
  });

  it('WEB-02 SQL of an operation, a deleted child and what is assigned to the user are changes too', async () => {
    const id = await caseOf(finch.organizationId);
    const message = await save('message', { Object: 'Foreclosure', ObjectID: id, Message: 'Gone soon' });
    const stream = await openLive(p.url, clerkSession.cookie, `foreclosure/${id},me,me/importform`);
    await expectOk(p.admin.post('/api/message/delete?Output=Json', { ID: message }));
    await eventually('the delete is seen', () => stream.changed().includes(`foreclosure/${id}`));
    assert.equal(stream.changed().includes('me'), false);
    await p.platform.store.query(
      `insert into importform (importform, object, objectid, assignedpersonid)
       values ('Call', 'Foreclosure', $1::bigint, $2::bigint)`,
      [id, clerk.personId],
    );
    await eventually('the task is mine', () => stream.changed().includes('me/importform'));
    assert.ok(stream.changed().includes('me'));
    stream.close();
  });

  it('WEB-02 a firm learns of its own records only, neither of others nor of hidden children, and no longer once it lost a case', async () => {
    const [own, foreign] = [await caseOf(finch.organizationId), await caseOf(other.organizationId)];
    const topics = `foreclosure/${own},foreclosure/${foreign},foreclosure/999999,foreclosure,session,nothing,x/y`;
    const stream = await openLive(p.url, finchSession.cookie, topics);
    assert.deepEqual((await stream.first('ready')).data, { topics: [`foreclosure/${own}`, 'foreclosure'] });
    await save('foreclosure', { ForeclosureID: foreign, SaleAmount: 1 });
    // Written by staff without a template open to firms: the firm does not see it.
    await save('message', { Object: 'Foreclosure', ObjectID: own, Message: 'Internal' });
    await settle(stream);
    assert.deepEqual(stream.changed(), []);
    await save('foreclosure', { ForeclosureID: own, SaleAmount: 1 });
    await eventually('its own case', () => stream.changed().length > 1);
    assert.deepEqual(new Set(stream.changed()), new Set([`foreclosure/${own}`, 'foreclosure']));
    await save('foreclosure', { ForeclosureID: own, OrganizationID: other.organizationId });
    const { length } = stream.changed();
    await save('foreclosure', { ForeclosureID: own, SaleAmount: 2 });
    await settle(stream);
    assert.equal(stream.changed().length, length);
    stream.close();
  });

  it('WEB-02 topics of types that the roles of a user do not allow to read are not accepted', async () => {
    await p.user('nobody', '');
    const { cookie } = await testSession(p, 'nobody');
    const stream = await openLive(p.url, cookie, 'foreclosure,contact/1,me');
    assert.deepEqual((await stream.first('ready')).data, { topics: ['me'] });
    stream.close();
  });

  it('WEB-02 a stream continues where the last one ended, in another process too; from too far back it says so', async () => {
    const id = await caseOf(finch.organizationId);
    const topic = `foreclosure/${id}`;
    const first = await openLive(p.url, clerkSession.cookie, topic);
    const since = first.lastId();
    assert.ok(since);
    first.close();
    await save('foreclosure', { ForeclosureID: id, SaleAmount: 3 });
    const next = await openLive(second.url, clerkSession.cookie, topic, { since });
    await eventually('the missed change', () => next.changed().includes(topic));
    next.close();
    const again = await openLive(p.url, clerkSession.cookie, topic, { headers: { 'Last-Event-ID': since } });
    await again.first('changed');
    again.close();
    for (const unusable of [
      '1.5:6:',
      'x',
      `${Date.now()}.1:2:3; drop table`,
      since.replace(/^\d+/, String(Date.now() - 3_600_000)),
    ]) {
      const old = await openLive(p.url, clerkSession.cookie, topic, { since: unusable });
      await old.first('all');
      old.close();
    }
  });

  it('WEB-02 when more changes at once than a batch takes, every page looks again', async () => {
    const stream = await openLive(p.url, finchSession.cookie, 'foreclosure');
    await p.platform.store.query("insert into message (message) select 'x' from generate_series(1, 6000)");
    await stream.first('all');
    stream.close();
  });

  it('WEB-06 a stream ends with its session, does not keep it alive, and is refused without one', async () => {
    await p.user('leaver', 'Administrator');
    const session = await testSession(p, 'leaver');
    await p.platform.store.query("update session set lastseen = lastseen - interval '2 minutes'");
    const seen = async (): Promise<unknown> =>
      p.platform.store.query(
        "select max(lastseen) as at from session join person using (personid) where person = 'leaver'",
      );
    const before = await seen();
    const stream = await openLive(quickUrl, session.cookie, 'me');
    const id = stream.lastId();
    await eventually('a heartbeat', () => stream.lastId() !== id);
    assert.deepEqual(await seen(), before);
    await session.post('/signout');
    assert.deepEqual((await stream.first('end')).data, { reason: 'session' });
    await eventually('the end of the response', () => stream.hasEnded());
    assert.equal((await openLive(p.url, session.cookie, 'me')).status, 401);
    assert.equal((await openLive(p.url, '', 'me')).status, 401);
    assert.equal(
      (await openLive(p.url, clerkSession.cookie, 'me', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status,
      403,
    );
  });

  it('WEB-02 streams beyond eight of a user replace the oldest, topics by the thousand are refused, and a full process says when to come back', async () => {
    await p.user('flooder', 'Administrator');
    const { cookie } = await testSession(p, 'flooder');
    const streams: LiveStream[] = [];
    for (let n = 0; n < 12; n++) streams.push(await openLive(p.url, cookie, 'me'));
    await eventually('the oldest are replaced', () => streams.filter((s) => s.hasEnded()).length === 4);
    assert.deepEqual((await (streams[0] as LiveStream).first('end')).data, { reason: 'replaced' });
    for (const stream of streams) stream.close();
    const topics = Array.from({ length: 1_000 }, (_, n) => `foreclosure/${n + 1}`).join(',');
    assert.equal((await openLive(p.url, cookie, topics)).status, 400);
    assert.equal((await openLive(p.url, cookie, '')).status, 400);
    await eventually('the streams are closed', async () => {
      const four = await Promise.all([1, 2, 3, 4].map(() => openLive(quickUrl, cookie, 'me')));
      const refused = await openLive(quickUrl, clerkSession.cookie, 'me');
      for (const stream of [...four, refused]) stream.close();
      return four.every(({ status }) => status === 200) && refused.status === 429;
    });
  });

  it('WEB-02 a server that shuts down ends its streams at once', async () => {
    const server = createServer(p.platform, pages);
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const stream = await openLive(url, clerkSession.cookie, 'me');
    const began = performance.now();
    await server.close();
    assert.ok(performance.now() - began < 3_000);
    assert.deepEqual((await stream.first('end')).data, { reason: 'closing' });
  });
});
