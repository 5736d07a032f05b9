import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { applyOutcomes } from '../../../src/modules/messages/maildelivery/lib/record-outcome.ts';
import { retryAfterMilliseconds, retryMilliseconds } from '../../../src/lib/sending/backoff.ts';
import { parseAddresses } from '../../../src/modules/messages/maildelivery/lib/addresses.ts';
import { sweepMailDeliveries, queueOverdueMails } from '../../../src/modules/messages/maildelivery/lib/sweep.ts';
import { certificate } from '../../support/peers/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { mailsIn, reply, startMailServer } from '../../support/peers/mail-server.ts';
import { testPlatform } from '../../support/platform.ts';

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const on = await testPlatform({ after }, { worker: true, clock });
const server = await startMailServer({ after });
afterEach(() => {
  for (const name of Object.keys(server.hooks)) Reflect.deleteProperty(server.hooks, name);
});

type Row = Record<string, unknown>;
const MINUTE = 60_000;

async function ok(path: string, body: object): Promise<Row> {
  const answer = await on.admin.post(`/api/${path}?Output=Json`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

async function refused(path: string, body: object, status: number, message: RegExp): Promise<void> {
  const answer = await on.admin.post(`/api/${path}?Output=Json`, body);
  assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 200)} ${answer.text}`);
  assert.match(answer.text, message);
}

/** Decides on a mail and returns its ID. */
const post = async (more: object = {}): Promise<number> =>
  Number(
    (await ok('maildelivery/post', { To: 'a@receiver.example', Subject: 'A deed', BodyText: 'Attached.', ...more }))[
      'MailDeliveryID'
    ],
  );
const delivery = async (id: number): Promise<Row> =>
  (await on.admin.get(`/api/maildelivery/select?ID=${id}&Output=Json`)).json();
const untilStatus = (id: number, status: string): Promise<Row> =>
  eventually(`mail ${id} is ${status}`, async () => {
    const row = await delivery(id);
    return row['Status'] === status && row;
  });
const statuses = (row: Row): string[] => (row['Recipients'] as { Status: string }[]).map(({ Status }) => Status);
const sentCount = (row: Row): number =>
  server.mails.filter((mail) => mail.header('Message-ID') === `<${String(row['InternetMessageID'])}>`).length;
const deliver = (id: number): Promise<{ status: number; text: string }> =>
  on.admin.post('/api/maildelivery/deliver?Output=Json', { ID: id });
const sql = (text: string, params: unknown[] = []): Promise<Row[]> => on.platform.store.query<Row>(text, params);

describe('without a mail server', () => {
  it('MSG-04 mail is stored in a folder, once, and the copy in the database is then deleted', async () => {
    const id = await post({
      To: '"Last, First" <a@receiver.example>, b@receiver.example',
      Bcc: 'c@receiver.example',
      BodyHTML: '<p>Attached.</p>',
      Object: 'Organization',
      ObjectID: 1,
      Purpose: 'Greeting',
    });
    const row = await untilStatus(id, 'Sent');
    assert.deepEqual(statuses(row), ['Accepted', 'Accepted', 'Accepted']);
    assert.deepEqual(
      [row['MailDelivery'], row['Object'], row['ObjectID'], row['Attempts']],
      ['Greeting', 'Organization', 1, 1],
    );
    const [mail] = mailsIn(on.mailFolder);
    assert.deepEqual(mail?.to, ['a@receiver.example', 'b@receiver.example', 'c@receiver.example']);
    assert.equal(mail.header('To'), '"Last, First" <a@receiver.example>, b@receiver.example');
    assert.equal(mail.header('Message-ID'), `<${String(row['InternetMessageID'])}>`);
    assert.equal((await sql('select 1 from mailcontent')).length, 0);
  });
});

describe('with mail servers', () => {
  const account = {
    MailOutbound: 'Main',
    Host: '127.0.0.1',
    Port: server.port,
    FromAddress: 'cases@cases.example',
    FromName: 'Cases',
    Authorities: certificate.cert,
    Sequence: 1,
    TimeoutSeconds: 5,
  };
  let main = 0;
  before(async () => {
    await ok('setting/save', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
    main = Number((await ok('mailoutbound/save', account))['MailOutboundID']);
  });

  it('MSG-04 KRN-29 the first server is the default, others are selected by name, and an unknown name is an error that lists them', async () => {
    const other = await startMailServer({ after });
    await ok('mailoutbound/save', {
      ...account,
      MailOutbound: 'Second',
      Port: other.port,
      Sequence: 2,
      FromAddress: 'second@cases.example',
    });
    const [first, second] = [
      await untilStatus(await post(), 'Sent'),
      await untilStatus(await post({ Provider: 'second' }), 'Sent'),
    ];
    assert.deepEqual([sentCount(first), sentCount(second), other.mails.length], [1, 0, 1]);
    const attemptedProviders = (row: Row): unknown[] =>
      (row['AttemptLog'] as { Provider: string }[]).map(({ Provider }) => Provider);
    assert.deepEqual(
      [first, second].map((row) => [row['Provider'], ...attemptedProviders(row)]),
      [
        ['Main', 'Main'],
        ['second', 'second'],
      ],
      'each records who accepted it',
    );
    assert.equal(other.mails[0]?.header('From'), 'Cases <second@cases.example>');
    await refused(
      'maildelivery/post',
      { To: 'a@receiver.example', Subject: 'x', BodyText: 'x', Provider: 'Secnd' },
      422,
      /Did you mean Second.*Known: Main, Second, Folder/,
    );
    const named = await untilStatus(await post({ FromName: 'The clerk' }), 'Sent');
    assert.equal(
      server.mails
        .find((mail) => mail.header('Message-ID') === `<${String(named['InternetMessageID'])}>`)
        ?.header('From'),
      'The clerk <cases@cases.example>',
    );
    const own = await untilStatus(await post({ FromAddress: 'own@cases.example' }), 'Sent');
    assert.equal(
      server.mails
        .find((mail) => mail.header('Message-ID') === `<${String(own['InternetMessageID'])}>`)
        ?.header('From'),
      'own@cases.example',
    );
    const countBefore = mailsIn(on.mailFolder).length;
    await untilStatus(await post({ Provider: 'Folder' }), 'Sent');
    assert.equal(mailsIn(on.mailFolder).length, countBefore + 1);
  });

  it("a server's secrets are sealed, never shown, and must be sent again with another host", async () => {
    const made = await ok('mailoutbound/save', {
      ...account,
      MailOutbound: 'With password',
      Sequence: 9,
      UserName: 'cases',
      Password: 'the secret of mail',
    });
    const id = Number(made['MailOutboundID']);
    assert.doesNotMatch(
      JSON.stringify([
        made,
        (await on.admin.get(`/api/mailoutbound/select?ID=${id}&Output=Json`)).text,
        (await on.admin.get(`/api/mailoutbound/history?ID=${id}&Output=Json`)).text,
      ]),
      /secret of mail/,
    );
    const [{ password } = {}] = await sql('select password from mailoutbound where mailoutboundid = $1::bigint', [id]);
    assert.doesNotMatch(Buffer.from(String(password), 'base64').toString('latin1'), /secret of mail/);
    await refused('mailoutbound/save', { ID: id, Host: '127.0.0.2' }, 400, /Password/);
    await ok('mailoutbound/save', { ID: id, Host: '127.0.0.2', Password: 'another' });
    await ok('mailoutbound/save', { ID: id, Description: 'stays' });
    await refused('mailoutbound/save', { ...account, MailOutbound: 'folder' }, 400, /another name/);
    await refused(
      'mailoutbound/save',
      { ...account, MailOutbound: 'Second' },
      409,
      /MailOutbound: MailOutbound \d+ .*already has this value/,
    );
    await refused('mailoutbound/save', { ...account, MailOutbound: 'Web', MailOutboundType: 'web' }, 400, /smtp/);
    await ok('mailoutbound/delete', { ID: id });
  });

  it('mailoutbound/test signs in and reports what is wrong', async () => {
    assert.equal((await ok('mailoutbound/test', { ID: main }))['Status'], 'Works');
    const { Authorities: _none, ...unknown } = account;
    const id = Number(
      (await ok('mailoutbound/save', { ...unknown, MailOutbound: 'Untrusted', Sequence: 8 }))['MailOutboundID'],
    );
    const testResult = await ok('mailoutbound/test', { ID: id });
    assert.equal(testResult['Status'], 'Failed');
    assert.match(String(testResult['Message']), /self-signed/);
    await ok('mailoutbound/delete', { ID: id });
  });

  it('MSG-04 MSG-15 a refusal is recorded on the recipient; a temporarily refused recipient is retried alone, with growing delays, until it is given up', async () => {
    server.hooks.recipient = (address) => {
      if (address.startsWith('gone')) return reply(550, 'no such user');
      return address.startsWith('busy') ? reply(451, 'come back') : undefined;
    };
    const id = await post({ To: 'gone@receiver.example, a@receiver.example, busy@receiver.example' });
    const first = await eventually('the first attempt has ended', async () =>
      ((row) => row['Attempts'] === 1 && row['Status'] === 'Waiting' && row)(await delivery(id)),
    );
    assert.deepEqual(statuses(first), ['Refused', 'Accepted', 'Waiting']);
    assert.match(JSON.stringify(first['Recipients']), /550.*no such user/);
    assert.equal(sentCount(first), 1);
    let waited = 0;
    for (let attempt = 2; attempt <= 4; attempt++) {
      const row = await delivery(id);
      const wait = Date.parse(String(row['NextAttempt'])) - clock.milliseconds();
      assert.ok(wait > waited, `${wait} after ${waited}`);
      waited = wait;
      assert.match((await deliver(id)).text, /Waiting/);
      assert.equal((await delivery(id))['Attempts'], attempt - 1, 'not before it is due');
      clock.advance(wait);
      await deliver(id);
      assert.equal((await delivery(id))['Attempts'], attempt);
    }
    clock.advance(49 * 60 * MINUTE);
    const last = await deliver(id);
    assert.deepEqual([last.status, last.text.includes('no further attempt is made')], [422, true], last.text);
    const ended = await delivery(id);
    assert.deepEqual([ended['Status'], statuses(ended)], ['Partly', ['Refused', 'Accepted', 'Refused']]);
    assert.equal(sentCount(ended), 1, 'recipients who have it do not get it twice');
    assert.match(
      JSON.stringify(await sql("select errorlog from errorlog where operation = 'maildelivery/deliver'")),
      new RegExp(`Mail ${id} was given up: 451`),
    );
  });

  it('MSG-15 two concurrent calls that decide on the same mail decide once, and any number of deliveries send it once', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => post({ Key: 'the letter of case 12' })));
    assert.equal(new Set(ids).size, 1);
    const id = ids[0] ?? 0;
    await Promise.all(Array.from({ length: 8 }, () => deliver(id)));
    assert.equal(sentCount(await untilStatus(id, 'Sent')), 1);
    assert.equal(await post({ Key: 'the letter of case 12' }), id);
    await deliver(id);
    assert.equal(sentCount(await delivery(id)), 1);
  });

  it('MSG-15 if cut off after the mail the outcome is unknown: never resent automatically, listed as a dead letter and in the error log; an operator may resend it', async () => {
    server.hooks.data = () => 'cut';
    const id = await post();
    const row = await untilStatus(id, 'Unknown');
    assert.deepEqual(statuses(row), ['Unknown']);
    await eventually('the call is a dead letter', async () =>
      (await on.admin.get('/api/queue/search?State=dead&QueueName=Mail&Output=Json')).text.includes(`Mail ${id}:`),
    );
    clock.advance(60 * MINUTE);
    await queueOverdueMails.run(on.platform);
    delete server.hooks.data;
    await deliver(id);
    assert.equal(sentCount(await delivery(id)), 0);
    await ok('maildelivery/sendagain', { ID: id });
    const sent = await untilStatus(id, 'Sent');
    assert.deepEqual([sentCount(sent), sent['InternetMessageID']], [1, row['InternetMessageID']]);
    await refused('maildelivery/sendagain', { ID: id }, 422, /none of the emails/);
  });

  it('MSG-15 a process that dies before sending leaves the mail to be sent; one that dies while sending leaves its outcome unknown', async () => {
    for (const [begun, status, times] of [
      [null, 'Sent', 1],
      [clock.now(), 'Unknown', 0],
    ] as const) {
      server.hooks.recipient = () => reply(451, 'not yet');
      const id = await post();
      await eventually(
        'the first attempt has ended',
        async () => (await delivery(id))['Attempts'] === 1 && (await delivery(id))['Status'] === 'Waiting',
      );
      delete server.hooks.recipient;
      // The state in which a process killed at this point leaves it.
      await sql(
        `update maildelivery
         set status = 'Sending', attempts = 2, leaseduntil = $2::timestamptz, databegun = $3::timestamptz
         where maildeliveryid = $1::bigint`,
        [id, new Date(clock.milliseconds() + 6 * MINUTE).toISOString(), begun],
      );
      await deliver(id);
      assert.equal(
        (await delivery(id))['Status'],
        'Sending',
        'while it may still be running no other process sends it',
      );
      clock.advance(12 * MINUTE);
      assert.ok((await queueOverdueMails.run(on.platform)) >= 1);
      assert.equal(sentCount(await untilStatus(id, status)), times);
    }
  });

  it('documents are attached; a sealed one is refused, and so is one that is too large', async () => {
    const saved = await on.admin.post('/api/attachment/save?Output=Json', {
      Object: 'Organization',
      ObjectID: Number((await ok('organization/save', { Organization: 'Of documents' }))['OrganizationID']),
      FileName: 'deed.txt',
      Content: Buffer.from('the deed').toString('base64'),
    });
    assert.equal(saved.status, 200, saved.text);
    const document = Number(saved.json()['AttachmentID']);
    const row = await untilStatus(await post({ AttachmentID: document }), 'Sent');
    const mail = server.mails.find((one) => one.header('Message-ID') === `<${String(row['InternetMessageID'])}>`);
    assert.match(
      mail?.raw ?? '',
      new RegExp(`filename=deed\\.txt[\\s\\S]*${Buffer.from('the deed').toString('base64')}`),
    );
    await sql('update attachment set sealed = true where attachmentid = $1::bigint', [document]);
    await refused(
      'maildelivery/post',
      { To: 'a@receiver.example', Subject: 'x', BodyText: 'x', AttachmentID: document },
      422,
      /stored encrypted/,
    );
    await refused(
      'maildelivery/post',
      { To: 'a@receiver.example', Subject: 'x', BodyText: 'x', AttachmentID: 99_999_999 },
      404,
      /Attachment/,
    );
    await ok('setting/save', { Setting: 'MailMegabytesMax', Value: '1' });
    await refused(
      'maildelivery/post',
      { To: 'a@receiver.example', Subject: 'x', BodyText: 'x'.repeat(1_100_000) },
      413,
      /MailMegabytesMax/,
    );
  });

  it('a waiting mail can be given up; expired mail is deleted, waiting mail is not', async () => {
    server.hooks.recipient = () => reply(451, 'not yet');
    const id = await post();
    await eventually(
      'the first attempt has ended',
      async () => (await delivery(id))['Attempts'] === 1 && (await delivery(id))['Status'] === 'Waiting',
    );
    await ok('maildelivery/cancel', { ID: id });
    const waiting = await post();
    await eventually(
      "the other's first attempt has ended",
      async () => (await delivery(waiting))['Attempts'] === 1 && (await delivery(waiting))['Status'] === 'Waiting',
    );
    assert.equal((await delivery(id))['Status'], 'Canceled');
    await refused('maildelivery/cancel', { ID: id }, 422, /none of the emails/);
    clock.advance(91 * 24 * 60 * MINUTE);
    assert.ok((await sweepMailDeliveries.run(on.platform)) > 1);
    assert.deepEqual(
      (await sql('select maildeliveryid as id from maildelivery')).map(({ id: left }) => left),
      [waiting],
    );
    await ok('maildelivery/cancel', { ID: waiting });
  });
});

describe('what may be sent', () => {
  it('recipients and headers cannot be smuggled in', async () => {
    const mail = { To: 'a@receiver.example', Subject: 'x', BodyText: 'x' };
    for (const more of [
      { To: 'a@receiver.example\r\nBcc: b@receiver.example' },
      { To: '<a@receiver.example> <b@receiver.example>' },
      { To: '"a" b@receiver.example' },
      { To: 'a b@receiver.example' },
      { To: '' },
      { Cc: '<>' },
      { ReplyTo: 'nobody' },
    ])
      await refused('maildelivery/post', { ...mail, ...more }, 400, /To|Cc|ReplyTo/);
    await refused('maildelivery/post', { ...mail, Subject: 'x\nBcc: b@receiver.example' }, 400, /Subject/);
    await refused('maildelivery/post', { ...mail, FromAddress: 'a@b.example', FromName: 'x\r\ny' }, 400, /From/);
    await refused('maildelivery/post', { ...mail, Headers: 'Bcc: b@receiver.example' }, 400, /Headers/);
    await refused('maildelivery/post', { ...mail, Headers: 'X-A: b\n c: d' }, 400, /Headers/);
    await refused('maildelivery/post', { ...mail, BodyText: '' }, 400, /BodyText/);
  });

  it('KRN-17 only administrators can send, resend, and see what was sent', async () => {
    const { caller } = await on.user('clerk of mail', 'Staff');
    for (const path of [
      'maildelivery/post',
      'maildelivery/deliver',
      'maildelivery/sendagain',
      'maildelivery/search',
      'mailoutbound/search',
      'mailoutbound/save',
      'mailoutbound/test',
    ])
      assert.equal((await caller.post(`/api/${path}`, { ID: 1 })).status, 403, path);
  });

  it('addresses are accepted as people write them', () => {
    assert.deepEqual(parseAddresses('a@b.example; Ann Ä <c@d.example>,\n"Last, \\"First\\"" <e@f.example>,', 'To'), [
      { address: 'a@b.example' },
      { name: 'Ann Ä', address: 'c@d.example' },
      { name: 'Last, "First"', address: 'e@f.example' },
    ]);
  });
});

describe('the status after an attempt', () => {
  const waiting = (Address: string) => ({ Category: 0, Address, Status: 'Waiting' }) as const;
  const outcome = (address: string, status: 'accepted' | 'refused' | 'later' | 'unknown') => ({
    address,
    status,
    detail: status === 'accepted' ? null : 'said',
  });

  it('each mix of outcomes has one status, which stays open while any recipient may still get the mail', () => {
    const mix = (
      a: 'accepted' | 'refused' | 'later' | 'unknown',
      b: 'accepted' | 'refused' | 'later' | 'unknown',
      isLast = false,
    ): string =>
      applyOutcomes(
        [waiting('a@b.example'), waiting('c@d.example')],
        [outcome('a@b.example', a), outcome('c@d.example', b)],
        'now',
        isLast,
      ).status;
    assert.deepEqual(
      [
        mix('accepted', 'accepted'),
        mix('accepted', 'refused'),
        mix('refused', 'refused'),
        mix('accepted', 'later'),
        mix('unknown', 'later'),
        mix('unknown', 'refused'),
        mix('unknown', 'accepted'),
      ],
      ['Sent', 'Partly', 'Failed', 'Waiting', 'Waiting', 'Unknown', 'Unknown'],
    );
    assert.deepEqual(
      [mix('accepted', 'later', true), mix('later', 'later', true), mix('unknown', 'later', true)],
      ['Partly', 'Failed', 'Unknown'],
    );
  });

  it('delays grow to two hours and stay there', () => {
    assert.ok(retryMilliseconds(1) < 2 * MINUTE && retryMilliseconds(3) > 10 * MINUTE);
    for (const attempts of [6, 7, 100])
      assert.ok(retryMilliseconds(attempts) >= 96 * MINUTE && retryMilliseconds(attempts) <= 144 * MINUTE);
  });

  it('the longest Retry-After of an attempt counts, up to a day', () => {
    assert.equal(retryAfterMilliseconds([{}, { retryAfterSeconds: 90 }, { retryAfterSeconds: 60 }]), 90_000);
    assert.equal(retryAfterMilliseconds([{ retryAfterSeconds: 1e9 }]), 24 * 60 * MINUTE);
    assert.equal(retryAfterMilliseconds([]), 0);
  });
});
