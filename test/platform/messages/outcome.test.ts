import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { queueOverdueMails, sweepMailContents } from '../../../src/modules/messages/maildelivery/lib/sweep.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { multipartMail } from '../../support/messages/raw-mail.ts';
import { testMailbox } from '../../support/messages/test-mailbox.ts';
import { postMessage, reportTest } from '../../support/messages/post-message.ts';
import { startTextApi } from '../../support/peers/text-api.ts';
import { startMailApi } from '../../support/peers/mail-api.ts';
import { signWebhook, type WebhookOptions } from '../../support/peers/mail-house.ts';
import { certificate } from '../../support/peers/certificate.ts';
import { reply, startMailServer, type ReceivedMail } from '../../support/peers/mail-server.ts';
import { testPlatform } from '../../support/platform.ts';

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const on = await testPlatform(
  { after },
  { worker: true, clock, fixture: { declarations: { operations: [postMessage, reportTest] } } },
);
const admin = client(on);
const server = await startMailServer({ after });
afterEach(() => {
  for (const name of Object.keys(server.hooks)) Reflect.deleteProperty(server.hooks, name);
});

const sql = (text: string, params: unknown[] = []): Promise<Row[]> => on.platform.store.query<Row>(text, params);

interface Posted {
  readonly id: number;
  readonly deliveries: Readonly<Record<string, number | null>>;
}

/** Posts a message to addresses; `1 ` before one makes it a copy, `2 ` a blind copy. */
async function post(to: readonly string[], more: object = {}): Promise<Posted> {
  const To = to.map((address) => (/^\d /.test(address) ? address : `0 ${address}`)).join('\n');
  const { MessageID, Deliveries } = await admin.expectOk('message/posttest', { To, ...more });
  return { id: Number(MessageID), deliveries: Deliveries as Posted['deliveries'] };
}

const recipientsOf = (id: number): Promise<Row[]> =>
  sql(
    `select messagerecipient as address, status, detail, sentdate is not null as sent,
       receiveddate is not null as arrived
     from messagerecipient where messageid = $1::bigint order by messagerecipientid`,
    [id],
  );
const statusesOf = async (id: number): Promise<unknown[]> => (await recipientsOf(id)).map(({ status }) => status);
const untilMessage = (id: number, status: string): Promise<Row> =>
  eventually(`message ${id} is ${status}`, async () => {
    const row = await admin.select('message', id);
    return row['Status'] === status && row;
  });
const mailTo = (address: string): ReceivedMail | undefined => server.mails.findLast(({ to }) => to[0] === address);

before(async () => {
  for (const [Setting, Value] of Object.entries({
    OutboundAllowedNetworks: '127.0.0.0/8',
    BounceDomain: 'bounces.cases.example',
    ReplyDomain: 'reply.cases.example',
  }))
    await admin.save('setting', { Setting, Value });
  await admin.save('mailoutbound', {
    MailOutbound: 'Main',
    Host: '127.0.0.1',
    Port: server.port,
    FromAddress: 'cases@cases.example',
    Authorities: certificate.cert,
    Sequence: 1,
    TimeoutSeconds: 2,
  });
});

describe('a message to several recipients', () => {
  it('MSG-03 MSG-04 is one mail to each: one Message-ID, the same visible recipients, a return path, a reply address', async () => {
    const { id } = await post(['a@receiver.example', '1 c@receiver.example', '2 b@receiver.example']);
    await untilMessage(id, 'Sent');
    const mails = ['a', 'c', 'b'].map((name) => mailTo(`${name}@receiver.example`));
    for (const mail of mails) {
      assert.equal(mail?.header('Message-ID'), `<message-${id}@cases.example>`);
      assert.equal(mail.header('To'), 'a@receiver.example');
      assert.equal(mail.header('Cc'), 'c@receiver.example');
      assert.equal(mail.header('Bcc'), undefined);
      assert.match(mail.from, /^b\+[0-9a-z.]+-[0-9a-f]{16}@bounces\.cases\.example$/);
      assert.match(mail.header('Reply-To') ?? '', /^r\+[0-9a-z]+-[0-9a-f]{16}@reply\.cases\.example$/);
    }
    assert.equal(new Set(mails.map((mail) => mail?.from)).size, 3, 'each has a return path of its own');
    assert.equal(new Set(mails.map((mail) => mail?.header('Reply-To'))).size, 1);
    for (const { status, sent } of await recipientsOf(id)) assert.deepEqual([status, sent], ['Sent', true]);
    clock.advance(1_000);
    assert.ok((await sweepMailContents.run(on.platform)) >= 1);
    assert.equal((await sql('select 1 from mailcontent')).length, 0);
  });

  it('MSG-03 MSG-04 sums up for a firm only the recipients that it sees', async () => {
    server.hooks.recipient = (address) => (address.startsWith('gone') ? reply(550, '5.7.1 not here') : undefined);
    const firm = await on.firm('Blind Law');
    await admin.save('messagetemplate', { MessageTemplate: 'Visible', ExtranetEnabled: 'Self' });
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { OrganizationID: firm.organizationId });
    const send = async (to: object): Promise<number> => {
      const mail = { Template: 'Visible', Object: 'Foreclosure', ObjectID, Subject: 'Payoff', BodyText: 'x', ...to };
      return Number((await admin.expectOk('message/saveemail', mail))['MessageID']);
    };
    const mixed = await send({ To: 'ok@receiver.example', Bcc: 'gone@receiver.example' });
    const hidden = await send({ Bcc: 'gone@receiver.example' });
    for (const id of [mixed, hidden]) {
      await eventually(`the blind copy of ${id} is refused`, async () => (await statusesOf(id)).includes('Refused'));
      await untilMessage(id, 'Sent');
    }
    const [row] = await client(on, firm.caller).expectRows('message/thread', { ID: mixed });
    assert.deepEqual([row?.['Status'], row?.['RecipientStates']], ['Sent', { Sent: 1 }]);
    assert.deepEqual(await statusesOf(mixed), ['Sent', 'Refused'], 'staff see what became of each');
  });

  it('MSG-03 MSG-04 shows the outcome at each, and sums them up', async () => {
    server.hooks.recipient = (address) => {
      if (address.startsWith('gone')) return reply(550, '5.7.1 not here');
      return address.startsWith('cut') ? 'cut' : undefined;
    };
    server.hooks.data = (mail) => (mail.to[0]?.startsWith('lost') ? 'cut' : undefined);
    const partly = await post(['ok@receiver.example', 'gone@receiver.example']);
    await untilMessage(partly.id, 'Partly sent');
    const [good, gone] = await recipientsOf(partly.id);
    assert.deepEqual([good?.['status'], gone?.['status'], gone?.['sent']], ['Sent', 'Refused', false]);
    assert.match(String(gone?.['detail']), /550 5\.7\.1 not here/);
    const none = await post(['gone@receiver.example']);
    await untilMessage(none.id, 'Not sent');
    const unknown = await post(['ok@receiver.example', 'lost@receiver.example']);
    await untilMessage(unknown.id, 'Unknown');
    assert.deepEqual(await statusesOf(unknown.id), ['Sent', 'Unknown']);
    const waiting = await post(['ok@receiver.example', 'cut@receiver.example']);
    await eventually('the first attempt has ended', async () => (await statusesOf(waiting.id))[0] === 'Sent');
    assert.equal((await admin.select('message', waiting.id))['Status'], 'Queued');
    await eventually('the second attempt has ended', async () => {
      const [, second] = await recipientsOf(waiting.id);
      return second?.['status'] === 'Waiting' && second['detail'] !== null;
    });
    await admin.expectOk('maildelivery/cancel', { ID: waiting.deliveries['cut@receiver.example'] });
    assert.deepEqual(await statusesOf(waiting.id), ['Sent', 'Canceled']);
    await untilMessage(waiting.id, 'Partly sent');
    delete server.hooks.data;
    await admin.expectOk('maildelivery/sendagain', { ID: unknown.deliveries['lost@receiver.example'] });
    await untilMessage(unknown.id, 'Sent');
    assert.equal(server.mails.filter(({ to }) => to[0] === 'lost@receiver.example').length, 1);
  });

  it('MSG-15 is unknown at a recipient whose server hangs after the mail, waits at one that greylists, and is sent to neither twice', async () => {
    const hanging: (() => void)[] = [];
    server.hooks.data = (mail) =>
      mail.to[0]?.startsWith('hang')
        ? new Promise((resolve) => hanging.push(() => resolve(reply(421, 'too late'))))
        : undefined;
    server.hooks.recipient = (address) => (address.startsWith('grey') ? reply(451, '4.7.1 greylisted') : undefined);
    const { id, deliveries } = await post(['hang@receiver.example', 'grey@receiver.example', 'fine@receiver.example']);
    await eventually('all attempts have ended', async () => {
      const [hung, grey, fine] = await recipientsOf(id);
      return hung?.['status'] === 'Unknown' && grey?.['detail'] !== null && fine?.['status'] === 'Sent';
    });
    assert.deepEqual(await statusesOf(id), ['Unknown', 'Waiting', 'Sent']);
    for (const release of hanging) release();
    delete server.hooks.data;
    delete server.hooks.recipient;
    clock.advance(5 * 60_000);
    assert.ok((await queueOverdueMails.run(on.platform)) >= 0);
    await admin.send('maildelivery/deliver', { ID: Object.values(deliveries).join(',') });
    await untilMessage(id, 'Unknown');
    assert.deepEqual(await statusesOf(id), ['Unknown', 'Sent', 'Sent']);
    for (const [name, times] of [
      ['hang', 0],
      ['grey', 1],
      ['fine', 1],
    ] as const)
      assert.equal(server.mails.filter(({ to }) => to[0] === `${name}@receiver.example`).length, times, name);
  });

  it('MSG-04 over a mail server with a limit per minute takes turns that hold over all calls, and cost no attempt', async () => {
    await admin.save('mailoutbound', {
      MailOutbound: 'Slow',
      Host: '127.0.0.1',
      Port: server.port,
      FromAddress: 'cases@cases.example',
      Authorities: certificate.cert,
      Sequence: 9,
      MessagesPerMinute: 6,
    });
    const { id, deliveries } = await post(
      Array.from({ length: 4 }, (_, n) => `slow${n}@receiver.example`),
      { Provider: 'slow' },
    );
    const sentCount = async (): Promise<number> => (await statusesOf(id)).filter((status) => status === 'Sent').length;
    await eventually('the first is sent', async () => (await sentCount()) === 1);
    for (const expected of [2, 3, 4]) {
      const deliver = (): Promise<unknown> =>
        admin.send('maildelivery/deliver', { ID: Object.values(deliveries).join(',') });
      await Promise.all([deliver(), deliver()]);
      assert.equal(await sentCount(), expected - 1, 'not before its turn');
      clock.advance(10_000);
      await Promise.all([deliver(), deliver()]);
      await eventually('the next is sent', async () => (await sentCount()) >= expected);
      assert.equal(await sentCount(), expected);
    }
    await untilMessage(id, 'Sent');
    assert.deepEqual(
      await sql('select distinct attempts from maildelivery where messageid = $1::bigint', [id]).then((rows) => [
        ...rows,
      ]),
      [{ attempts: 1 }],
    );
  });

  it('MSG-15 10,000 recipients are decided in one call, and each copy names its own recipient alone', async () => {
    // None is sent: later tests would wait for the calls that send them.
    await admin.expectOk('queue/stop', { QueueName: 'Mail' });
    const names = Array.from({ length: 10_000 }, (_, n) => `many${n}@receiver.example`);
    const { id, deliveries } = await post(names, { Provider: 'Folder' });
    assert.equal(Object.values(deliveries).filter((one) => one !== null).length, 10_000);
    const [{ n } = {}] = await sql(
      'select count(distinct mailcontentid)::integer as n from maildelivery where messageid = $1::bigint',
      [id],
    );
    assert.ok(Number(n) <= 1);
    await sql(
      `update maildelivery set status = 'Canceled', nextattempt = null
       where messageid = $1::bigint and status = 'Waiting'`,
      [id],
    );
    await sql("delete from pgboss.job where name = 'Mail' and state < 'active' and start_after <= now()");
    await admin.expectOk('queue/start', { QueueName: 'Mail' });
  });
});

/** A parsed delivery report about an address. */
function reportOf(address: string, action: string, status: string | null = null, detail: string | null = null): object {
  const kinds: Readonly<Record<string, string>> = { failed: 'bounce', delayed: 'delayed' };
  return {
    kind: kinds[action] ?? 'delivered',
    recipients: [{ address, action, status, detail }],
    originalMessageId: null,
  };
}

/** Applies a report that arrives at an address; returns what it changed. */
async function applied(Address: string, Report: object | null, Text = ''): Promise<string> {
  const { Status } = await admin.expectOk('message/reporttest', {
    Address,
    ...(Report ? { Report: JSON.stringify(Report) } : {}),
    Text,
  });
  return String(Status);
}

/** Sends a message to addresses and returns it with the return path of each. */
async function sent(addresses: readonly string[], more: object = {}): Promise<Posted & { paths: string[] }> {
  const posted = await post(addresses, more);
  await untilMessage(posted.id, 'Sent');
  return { ...posted, paths: addresses.map((address) => mailTo(address.replace(/^\d /, ''))?.from ?? '') };
}

const blocked = async (address: string): Promise<unknown[]> =>
  (await sql('select reason, scope from mailsuppression where mailsuppression = $1::text', [address])).map(
    ({ reason, scope }) => [reason, scope],
  );

describe('a report about a mail', () => {
  it('MSG-04 MSG-15 that arrives in a mailbox changes the recipient, and becomes no message', async () => {
    const { id, paths } = await sent(['there@receiver.example', 'left@receiver.example']);
    const box = await testMailbox(on, 'Bounces');
    const report = [
      'Reporting-MTA: dns; mx.receiver.example',
      '',
      'Final-Recipient: rfc822; left@receiver.example',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 no such user',
      '',
    ].join('\r\n');
    const bounce = multipartMail(
      { From: 'MAILER-DAEMON@mx.receiver.example', To: String(paths[1]), Subject: 'Undelivered mail' },
      'multipart/report; report-type=delivery-status',
      [
        { headers: { 'Content-Type': 'text/plain' }, content: 'It was not delivered.' },
        { headers: { 'Content-Type': 'message/delivery-status' }, content: report },
      ],
    );
    const { receipt, message } = await box.take(bounce);
    assert.deepEqual([receipt['Status'], message], ['Report', undefined]);
    assert.deepEqual(await statusesOf(id), ['Sent', 'Bounced']);
    assert.deepEqual(await blocked('left@receiver.example'), [['Bounced', 'All']]);
    assert.deepEqual(await blocked('there@receiver.example'), []);
  });

  it('MSG-04 MSG-15 changes the recipient of its return path, once, and sums up the message', async () => {
    const { id, paths } = await sent(['r1@receiver.example', 'r2@receiver.example']);
    const [first = '', second = ''] = paths;
    assert.equal(await applied(first, reportOf('r1@receiver.example', 'delayed', '4.4.1', 'busy')), 'applied');
    assert.match(String((await recipientsOf(id))[0]?.['detail']), /^Delayed.*4\.4\.1 busy$/);
    assert.deepEqual(await statusesOf(id), ['Sent', 'Sent'], 'a delay is no bounce');
    assert.equal(await applied(first, reportOf('r1@receiver.example', 'relayed')), 'applied');
    assert.equal(await applied(first, reportOf('r1@receiver.example', 'delivered')), 'unchanged');
    assert.deepEqual(
      (await recipientsOf(id)).map(({ status, arrived }) => [status, arrived]),
      [
        ['Delivered', true],
        ['Sent', false],
      ],
    );
    const bounce = reportOf('r2@receiver.example', 'failed', '5.2.2', 'mailbox full');
    assert.equal(await applied(second, bounce), 'applied');
    assert.equal(await applied(second, bounce), 'unchanged');
    assert.equal(await applied(second, reportOf('r2@receiver.example', 'delivered')), 'unchanged');
    assert.deepEqual(await statusesOf(id), ['Delivered', 'Bounced']);
    await untilMessage(id, 'Partly sent');
    assert.deepEqual(await blocked('r2@receiver.example'), [], 'a full mailbox exists');
  });

  it('MSG-15 with a forged token, that of another delivery, or no token, changes nothing', async () => {
    const { id, paths } = await sent(['f1@receiver.example', 'f2@receiver.example']);
    const [first = '', second = ''] = paths;
    const bounce = reportOf('f1@receiver.example', 'failed', '5.1.1', 'no such user');
    const forged = first.replace(/[0-9a-f]@/, (end) => (end.startsWith('0') ? '1@' : '0@'));
    for (const address of [forged, second, 'cases@cases.example', first.replace('b+', 'r+')])
      assert.equal(await applied(address, bounce), 'ignored', address);
    const named = { ...bounce, originalMessageId: `message-${id}@cases.example` };
    assert.equal(await applied('cases@cases.example', named), 'ignored');
    assert.deepEqual(await statusesOf(id), ['Sent', 'Sent']);
    assert.deepEqual(await blocked('f1@receiver.example'), []);
  });

  it('MSG-15 of one mail to several proves nothing about the others, and blocks none of them', async () => {
    const { MailDeliveryID } = await admin.expectOk('maildelivery/post', {
      To: 'm1@receiver.example, m2@receiver.example',
      Subject: 'Of several',
      BodyText: 'x',
    });
    const mail = await eventually('the mail', async () =>
      server.mails.find((one) => one.header('Subject') === 'Of several'),
    );
    const path = mail.from;
    assert.equal(await applied(path, null, 'Your message could not be delivered: 550 5.1.1 unknown'), 'ignored');
    const bounce = reportOf('m2@receiver.example', 'failed', '5.1.1', 'no such user');
    const states = (): Promise<unknown[]> =>
      eventually('the mail is sent', async () => {
        const row = await admin.select('maildelivery', MailDeliveryID);
        return row['Status'] === 'Sent' && [row];
      });
    await states();
    await applied(path, bounce);
    assert.deepEqual(await blocked('m2@receiver.example'), []);
  });

  it('MSG-03 MSG-15 that is a read receipt sets Read at the recipient of its return path', async () => {
    const addresses = ['d1@receiver.example', 'd2@receiver.example', 'd3@receiver.example'];
    await admin.save('setting', { Setting: 'RequestReadReceipts', Value: 'true' });
    const { id, paths } = await sent(addresses);
    await admin.save('setting', { Setting: 'RequestReadReceipts', Value: 'false' });
    assert.equal(mailTo('d1@receiver.example')?.header('Disposition-Notification-To'), `<${String(paths[0])}>`);
    const box = await testMailbox(on, 'Receipts');
    const take = async (to: string, address: string, action: string): Promise<unknown[]> => {
      const { receipt, message } = await box.take(
        multipartMail(
          { From: address, To: to, Subject: 'Read: Your loan' },
          'multipart/report; report-type=disposition-notification',
          [
            { headers: { 'Content-Type': 'text/plain' }, content: 'The message was displayed.' },
            {
              headers: { 'Content-Type': 'message/disposition-notification' },
              content: [
                `Final-Recipient: rfc822; ${address}`,
                `Original-Message-ID: <message-${id}@cases.example>`,
                `Disposition: manual-action/MDN-sent-manually; ${action}`,
                '',
              ].join('\r\n'),
            },
          ],
        ),
      );
      return [receipt['Status'], message, receipt['Reason']];
    };
    const [first = '', second = '', third = ''] = paths;
    assert.deepEqual(await take(first, addresses[0] ?? '', 'displayed'), [
      'Report',
      undefined,
      'd1@receiver.example: Opened.',
    ]);
    await take(second, addresses[1] ?? '', 'deleted');
    // Another recipient of the message knows its Message-ID, and not the return path.
    await take('cases@cases.example', addresses[2] ?? '', 'displayed');
    await take(first, addresses[2] ?? '', 'displayed');
    assert.deepEqual(await statusesOf(id), ['Read', 'Sent', 'Sent']);
    const [read] = await sql('select readdate from messagerecipient where messageid = $1::bigint order by 1', [id]);
    assert.ok(read?.['readdate']);
    assert.equal(await applied(first, reportOf(addresses[0] ?? '', 'delivered')), 'unchanged');
    await sql('update message set securedelivery = true where messageid = $1::bigint', [id]);
    await take(third, addresses[2] ?? '', 'displayed');
    assert.deepEqual(
      await statusesOf(id),
      ['Read', 'Sent', 'Delivered'],
      'opening a notice is not reading the message',
    );
  });

  it('of a forwarded mail, of a server without machine-readable reports, and an automatic answer are distinguished', async () => {
    const { id, paths } = await sent(['t1@receiver.example', 't2@receiver.example', 't3@receiver.example']);
    const [first = '', second = '', third = ''] = paths;
    assert.equal(await applied(first, reportOf('forwarded@elsewhere.example', 'failed', '5.7.1', 'no')), 'applied');
    assert.equal(await applied(second, null, 'Your message could not be delivered: 550 5.1.1 unknown'), 'applied');
    assert.equal(await applied(third, null, 'I am out of the office until Monday.'), 'ignored');
    assert.deepEqual(await statusesOf(id), ['Bounced', 'Bounced', 'Sent']);
  });
});

describe('a blocked address', () => {
  it('MSG-04 is that of an unknown user or of a complaint; messages to it are suppressed with the reason until it is lifted', async () => {
    const { paths } = await sent(['b1@receiver.example', 'b2@receiver.example']);
    const [first = '', second = ''] = paths;
    assert.equal(await applied(first, reportOf('b1@receiver.example', 'failed', '5.1.1', 'no such user')), 'applied');
    const complaint = { kind: 'complaint', recipients: [], originalMessageId: null };
    assert.equal(await applied(second, complaint), 'applied');
    assert.equal(await applied(second, complaint), 'unchanged');
    assert.deepEqual(
      [await blocked('b1@receiver.example'), await blocked('b2@receiver.example')],
      [[['Bounced', 'All']], [['Complaint', 'All']]],
    );
    const again = await post(['B1@receiver.example', 'b2@receiver.example', 'b3@receiver.example']);
    await untilMessage(again.id, 'Partly sent');
    assert.deepEqual(again.deliveries['B1@receiver.example'], null);
    assert.deepEqual(await statusesOf(again.id), ['Suppressed', 'Suppressed', 'Sent']);
    assert.match(String((await recipientsOf(again.id))[0]?.['detail']), /no such mailbox/);
    const [{ id } = {}] = await sql(
      "select mailsuppressionid as id from mailsuppression where mailsuppression = 'b1@receiver.example'",
    );
    await admin.expectOk('mailsuppression/delete', { ID: id });
    await untilMessage((await post(['b1@receiver.example'])).id, 'Sent');
  });

  it('is one that a server refuses as unknown, and one that a person adds; a mail that waits meanwhile is not sent', async () => {
    server.hooks.recipient = (address) => {
      if (address.startsWith('unknown')) return reply(550, '5.1.1 no such user');
      return address.startsWith('busy') ? reply(451, 'not yet') : undefined;
    };
    const refused = await post(['unknown@receiver.example']);
    await untilMessage(refused.id, 'Not sent');
    assert.deepEqual(await blocked('unknown@receiver.example'), [['Bounced', 'All']]);
    const busy = await post(['busy@receiver.example']);
    await eventually('the first attempt has ended', async () => (await recipientsOf(busy.id))[0]?.['detail'] !== null);
    await admin.save('mailsuppression', { MailSuppression: 'Busy@receiver.example' });
    await admin.expectRefused(
      'mailsuppression/save',
      { MailSuppression: 'nobody' },
      'BAD_PARAMETER',
      'MailSuppression',
    );
    delete server.hooks.recipient;
    clock.advance(2 * 60_000);
    await admin.send('maildelivery/deliver', { ID: busy.deliveries['busy@receiver.example'] });
    await untilMessage(busy.id, 'Not sent');
    assert.deepEqual(await statusesOf(busy.id), ['Suppressed']);
    assert.equal(mailTo('busy@receiver.example'), undefined);
  });

  it('MSG-04 of bulk mail is one whose recipient unsubscribed, by one click of a mail program or on the page, never by opening it', async () => {
    const { paths: _paths } = await sent(['u1@receiver.example', 'u2@receiver.example'], {
      Bulk: true,
      HTML: '<p>x</p>',
    });
    const mail = mailTo('u1@receiver.example');
    assert.equal(mail?.header('To'), 'u1@receiver.example', 'bulk mail names no other recipient');
    assert.equal(mail.header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    const link = new URL(/^<(.+)>$/.exec(mail.header('List-Unsubscribe') ?? '')?.[1] ?? '');
    assert.equal(mail.body.split(link.href).length, 3, 'both bodies have the link');
    const page = await on.anonymous.get(link.pathname);
    assert.deepEqual([page.status, page.text.includes('<form method="post">')], [200, true]);
    assert.deepEqual(await blocked('u1@receiver.example'), []);
    for (const _time of [1, 2])
      assert.equal((await on.anonymous.post(link.pathname, 'List-Unsubscribe=One-Click')).status, 200);
    assert.equal((await on.anonymous.post(`${link.pathname}0`, 'x=1')).status, 404);
    assert.equal(
      (await on.anonymous.post(link.pathname, 'x=1', { Origin: 'https://evil.example' })).status,
      403,
      'no other site unsubscribes people in their browser',
    );
    assert.deepEqual(await blocked('u1@receiver.example'), [['Unsubscribed', 'Bulk']]);
    const bulk = await post(['u1@receiver.example', 'u2@receiver.example'], { Bulk: true });
    await untilMessage(bulk.id, 'Partly sent');
    await untilMessage((await post(['u1@receiver.example'])).id, 'Sent');
  });
});

describe('a text message', () => {
  it('MSG-04 is delivered like mail, through the default service for text messages, or into the folder without one', async () => {
    await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
    const first = await post(['(202) 555-0123'], { Type: 'Text' });
    await untilMessage(first.id, 'Sent');
    assert.deepEqual(
      readdirSync(on.mailFolder)
        .filter((name) => name.endsWith('.txt'))
        .map((name) => readFileSync(join(on.mailFolder, name), 'utf8').split('\n')[0]),
      ['To: +12025550123'],
    );
    const service = await startTextApi({ after });
    const { MailOutboundID } = await admin.save('mailoutbound', {
      MailOutbound: 'Texts',
      MailOutboundType: 'text',
      Options: new URLSearchParams({
        Endpoint: service.url,
        IdempotencyHeader: 'Idempotency-Key',
        Sender: '+12025550100',
      }).toString(),
      Secrets: `ApiKey=${service.key}`,
    });
    assert.equal((await admin.expectOk('mailoutbound/test', { ID: MailOutboundID }))['Status'], 'Works');
    const second = await post(['+12025550124', '+12025550199'], { Type: 'Text' });
    await untilMessage(second.id, 'Partly sent');
    assert.deepEqual(await statusesOf(second.id), ['Sent', 'Refused']);
    assert.deepEqual(
      service.texts.map(({ from, to, text }) => [from, to, text]),
      [['+12025550100', '+12025550124', 'Attached.']],
    );
    // Mails are not sent through it.
    await untilMessage((await post(['mail@receiver.example'])).id, 'Sent');
  });
});

describe('reports of a mail service', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  it('MSG-04 come in signed webhooks, change the recipient once, and only for mails that the service took over', async () => {
    await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
    const service = await startMailApi({ after });
    await admin.save('mailoutbound', {
      MailOutbound: 'Service',
      MailOutboundType: 'http',
      FromAddress: 'cases@cases.example',
      Sequence: 5,
      Options: `Endpoint=${service.url}&IdempotencyHeader=Idempotency-Key`,
      Secrets: new URLSearchParams({ ApiKey: service.key, WebhookSecret: secret }).toString(),
    });
    const send = async (document: object, more: WebhookOptions = {}, name = 'Service') => {
      const seconds = Math.floor(clock.milliseconds() / 1_000);
      const { headers, body } = signWebhook(secret, document, { seconds, ...more });
      const answer = await on.anonymous.post(`/api/maildelivery/report?MailOutbound=${name}&Output=Json`, body, {
        'Content-Type': 'application/json',
        ...headers,
      });
      return answer.status === 200 ? answer.json()['Changed'] : answer.status;
    };
    const { id } = await post(['w1@receiver.example', 'w2@receiver.example'], { Provider: 'Service' });
    await untilMessage(id, 'Sent');
    assert.match(String(service.documents[0]?.return_path), /^b\+.+@bounces\.cases\.example$/);
    const message_id = `<message-${id}@cases.example>`;
    const bounce = {
      event: 'bounced',
      message_id,
      email: 'w1@receiver.example',
      status: '5.1.1',
      detail: 'no such user',
    };
    const other = await post(['w1@receiver.example']);
    await untilMessage(other.id, 'Sent');
    const ofOther = { ...bounce, message_id: `message-${other.id}@cases.example` };
    assert.equal(await send({ reports: [ofOther] }), 0, 'another server took that mail over');
    assert.deepEqual(
      [
        await send({ reports: [bounce] }, { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }),
        await send({ reports: [bounce] }, { seconds: Math.floor(clock.milliseconds() / 1_000) - 400 }),
        await send({ reports: [bounce] }, {}, 'Main'),
        await send({ reports: [bounce] }, {}, 'Nothing'),
        await send({ reports: [{ event: 'bounced', email: 'x' }] }),
      ],
      [403, 403, 403, 403, 400],
    );
    assert.deepEqual(await statusesOf(id), ['Sent', 'Sent']);
    const delivered = { event: 'delivered', id: 'taken-2', email: 'w2@receiver.example' };
    assert.equal(await send({ reports: [bounce, delivered, { event: 'opened', email: 'w2@receiver.example' }] }), 2);
    assert.equal(await send({ reports: [bounce, delivered] }), 0);
    assert.deepEqual(await statusesOf(id), ['Bounced', 'Delivered']);
    assert.deepEqual(await blocked('w1@receiver.example'), [['Bounced', 'All']]);
  });
});
