import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { sweepMailContents } from '../../../src/modules/messages/maildelivery/lib/sweep.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { postMessage } from '../../support/messages/post-message.ts';
import { certificate } from '../../support/peers/certificate.ts';
import { reply, startMailServer, type ReceivedMail } from '../../support/peers/mail-server.ts';
import { testPlatform } from '../../support/platform.ts';

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const on = await testPlatform(
  { after },
  { worker: true, clock, fixture: { declarations: { operations: [postMessage] } } },
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

  it('MSG-15 10,000 recipients are decided in one call, and each copy names its own recipient alone', async () => {
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
  });
});
