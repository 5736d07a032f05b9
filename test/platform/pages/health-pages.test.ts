import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { byConsequence } from '../../../src/modules/system/system/lib/consequences.ts';
import { secondsUntilEmpty, sampleQueues } from '../../../src/modules/system/queue/lib/queue-samples.ts';
import { client, type Row } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { enqueue, failing, probe, until } from '../../support/worker/probe.ts';

const p = await testPlatform({ after }, { worker: true, fixture: probe });
const admin = client(p);
await p.user('chief', 'Administrator');
const PATH = '/administration/health';

async function finding(name: string): Promise<Row> {
  const found = (await admin.expectRows('system/health')).find(({ Health: health }) => health === name);
  assert.ok(found, name);
  return found;
}

describe('the health of an installation', () => {
  it('WEB-06 findings come by consequence: failed ones, warnings, muted ones, then what is passed', () => {
    const of = (Health: string, State: 'ok' | 'warning' | 'failed', MutedUntil: string | null = null) => ({
      Health,
      State,
      MutedUntil,
    });
    const sorted = byConsequence([
      of('This process', 'ok'),
      of('Printing', 'warning'),
      of('Queues', 'warning', '2026-11-19T00:00:00Z'),
      of('Dead letters', 'warning'),
      of('Stored files', 'failed'),
      of('Database disk', 'failed'),
    ]);
    assert.deepEqual(
      sorted.map(({ Health }) => Health),
      ['Database disk', 'Stored files', 'Dead letters', 'Printing', 'Queues', 'This process'],
    );
  });

  it('WEB-06 says when a queue is empty at the pace of the last minutes, or that it is not', () => {
    assert.equal(secondsUntilEmpty(0, undefined), 0);
    assert.equal(secondsUntilEmpty(100, undefined), null);
    assert.equal(secondsUntilEmpty(100, { waiting: 400, secondsAgo: 30 }), null, 'too short for an estimate');
    assert.equal(secondsUntilEmpty(100, { waiting: 400, secondsAgo: 300 }), 100);
    assert.equal(secondsUntilEmpty(400, { waiting: 400, secondsAgo: 300 }), null);
    assert.equal(secondsUntilEmpty(500, { waiting: 400, secondsAgo: 300 }), null);
  });

  it('WEB-06 dead letters and a stopped queue are findings, with what they mean, since when, and what to do', async () => {
    await failing(p, 'health', 1, 'STATE_REFUSES');
    await until(p.admin, await enqueue(p.admin, '/api/probe/queue/mark?Word=health'), 'dead');
    await admin.expectOk('queue/stop', { QueueName: 'Mail', Reason: 'The gateway is down.' });
    const dead = await finding('Dead letters');
    assert.equal(dead['State'], 'warning');
    assert.match(String(dead['Detail']), /1 dead letter\. One cause: probe\/mark, STATE_REFUSES\./);
    assert.match(String(dead['Consequence']), /do not run unless/);
    assert.ok(Date.parse(String(dead['Since'])) <= Date.now());
    const queues = await finding('Queues');
    assert.match(String(queues['Detail']), /Not running: Mail \(The gateway is down\.\)/);
    assert.ok(queues['Since']);
    const session = await testSession(p, 'chief');
    const page = await session.get(PATH);
    assert.match(page.text, /Needs attention/);
    assert.ok(page.text.indexOf('Not running: Mail') < page.text.indexOf('1 dead letter'), 'the graver one is first');
    await admin.expectOk('queue/start', { QueueName: 'Mail' });
    assert.equal((await finding('Queues'))['State'], 'ok');
  });

  it('WEB-06 a finding is muted with a reason and an end, is still listed, and its mute can be ended', async () => {
    const session = await testSession(p, 'chief');
    const mute = { Action: 'mute', Health: 'Dead letters', Hours: '8' };
    assert.equal((await session.post(PATH, { ...mute, Reason: ' ' })).status, 400);
    assert.equal((await session.post(PATH, { ...mute, Reason: '<b>known</b>' })).status, 303);
    const page = await session.get(PATH);
    assert.match(page.text, /Muted/);
    assert.match(page.text, /&lt;b&gt;known&lt;\/b&gt;/);
    assert.doesNotMatch((await session.get('/administration')).text, /1 dead letter/);
    const muted = await finding('Dead letters');
    assert.deepEqual([muted['State'], muted['MuteReason']], ['warning', '<b>known</b>']);
    await admin.expectRefused(
      'system/mutehealth',
      { Health: 'Dead letters', Hours: 745, Reason: 'x' },
      'BAD_PARAMETER',
      'Hours',
    );
    await admin.expectRefused(
      'system/mutehealth',
      { Health: 'Database', Hours: 1, Reason: 'x' },
      'STATE_REFUSES',
      'Health',
    );
    await session.post(PATH, { Action: 'unmute', Health: 'Dead letters' });
    assert.match((await session.get('/administration')).text, /1 dead letter/);
    await admin.expectRefused('system/unmutehealth', { Health: 'Dead letters' }, 'STATE_REFUSES', 'Health');
  });

  it('WEB-06 MSG-10 LED-11 unsent email, failed mailboxes and payments without an outcome are findings', async () => {
    for (const name of ['Mail', 'Mailboxes', 'Payments']) assert.equal((await finding(name))['State'], 'ok', name);
    const late = new Date(Date.now() - 2 * 3_600_000).toISOString();
    const { LedgerID } = await admin.save('ledger', { Ledger: 'Total debt' });
    const { PaymentProviderID } = await admin.save('paymentprovider', {
      PaymentProvider: 'Trial',
      PaymentProviderType: 'test',
    });
    await p.platform.store.query(
      `with mail as (
         insert into maildelivery (status, createddate) values ('Waiting', $1::timestamptz), ('Sent', $1::timestamptz)),
       box as (
         insert into mailinbound (mailinbound, mailinboundtype, active, state, lasterror)
         values ('Office', 'ImapReceiver', true, 'SignInNeeded', 'The password is wrong'),
           ('Old', 'ImapReceiver', false, 'Failed', 'gone')),
       compared as (
         insert into paymentreconciliation (paymentproviderid, status, error)
         values ($2::bigint, 'Complete', null), ($2::bigint, 'Failed', 'No connection'))
       insert into payment (ledgerid, paymentproviderid, status, purpose, requesteddate, nextcheck, paymentkey, amount,
         currency)
       values ($3::bigint, $2::bigint, 'Unknown', 'AuthorizeAndCapture', $1::timestamptz, now() + interval '1 hour',
         gen_random_uuid(), 5, 'USD')`,
      [late, Number(PaymentProviderID), Number(LedgerID)],
    );
    const [mail, boxes, payments] = [await finding('Mail'), await finding('Mailboxes'), await finding('Payments')];
    assert.deepEqual([mail['State'], mail['Since']], ['warning', late]);
    assert.match(String(mail['Detail']), /^1 email has waited/);
    assert.equal(boxes['Detail'], 'Not received: Office (The password is wrong).');
    assert.match(String(boxes['Advice']), /Correct the user name or password/);
    assert.deepEqual([payments['State'], payments['Since']], ['warning', late]);
    assert.equal(
      payments['Detail'],
      '1 payment, refund or subscription without a known outcome; ' +
        'the last reconciliation failed: Trial (No connection).',
    );
    const page = await (await testSession(p, 'chief')).get(PATH);
    assert.match(page.text, /href="\/payments"[^>]*>Open payments/);
  });

  it('WEB-06 how many calls wait is noted each minute, and shown as a course', async () => {
    await sampleQueues.run(p.platform);
    await sampleQueues.run(p.platform);
    const rows = await admin.expectRows('queue/course', { Hours: 1 });
    const point = rows.find(({ QueueName: name }) => name === 'Default');
    assert.deepEqual([point?.['Waiting'], point?.['Dead']], [0, 1]);
    await admin.expectRefused('queue/course', { Hours: 169 }, 'BAD_PARAMETER', 'Hours');
    await p.platform.store.query("insert into queuesample select now() - interval '2 hours', 'Default', 40, 90, 0");
    const page = await (await testSession(p, 'chief')).get('/administration/queues');
    assert.match(page.text, /At most 40 waiting/);
    assert.match(page.text, /<polyline points="[\d., ]+"/);
  });
});
