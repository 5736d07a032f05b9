import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { replyAddressOf } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import { client, type Row } from '../../support/client.ts';
import { sentMessage, testMailbox, type ReceivedOne, type TestMailbox } from '../../support/messages/test-mailbox.ts';
import { sampleMail, type SampleMail } from '../../support/messages/sample-mail.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const api = client(p);
const ann = 'ann@client.example';

let box: TestMailbox;
let caseId = 0;
let caseNumber = '';
let sent: { readonly id: number; readonly mailId: string };

before(async () => {
  await api.save('setting', { Setting: 'ReplyDomain', Value: 'reply.cases.example' });
  const firm = await p.firm('Alpha Law');
  box = await testMailbox(p, 'Alpha', { OrganizationID: firm.organizationId });
  caseNumber = 'FC-2026-00901';
  const row = await api.save('foreclosure', { Foreclosure: caseNumber, OrganizationID: firm.organizationId });
  caseId = Number(row['ForeclosureID']);
  sent = await sentMessage(p, { caseId, to: [ann] });
});

/** How a reply from Ann is filed, if the server of the mailbox says this about its sender. */
async function reply(authentication: string | null, mail: SampleMail = {}): Promise<ReceivedOne> {
  return box.take({ from: ann, inReplyTo: sent.mailId, authentication, ...mail });
}

const proofOf = ({ message }: ReceivedOne): unknown[] => [
  message?.['Status'],
  message?.['SenderProof'],
  message?.['DMARC'],
  message?.['DKIM'],
  message?.['SPF'],
];

async function proposal({ message }: ReceivedOne): Promise<Row | undefined> {
  return (await api.expectRows('message/proposals', { ID: message?.['MessageID'] }))[0];
}

describe('the sender of a received mail', () => {
  it('MSG-19 is proven by DMARC, or by a signature or server of its domain, as the own server found', async () => {
    const cases: readonly (readonly [string, readonly unknown[]])[] = [
      ['dmarc=pass header.from=client.example', ['Received', 'Proven', 'Pass', 'None', 'None']],
      ['dmarc=none; dkim=pass header.d=client.example', ['Received', 'Proven', 'None', 'Pass', 'None']],
      ['spf=pass smtp.mailfrom=bounce@client.example', ['Received', 'Proven', 'None', 'None', 'Pass']],
      // Another domain may send and sign what it likes.
      [
        'spf=pass smtp.mailfrom=a@evil.example; dkim=pass header.d=evil.example',
        ['Unfiled', 'Unproven', 'None', 'None', 'None'],
      ],
      ['dmarc=pass header.from=evil.example', ['Unfiled', 'Unproven', 'None', 'None', 'None']],
      ['dkim=pass header.d=sub.client.example', ['Unfiled', 'Unproven', 'None', 'None', 'None']],
      ['dkim=pass header.d=example', ['Unfiled', 'Unproven', 'None', 'None', 'None']],
      [
        'dmarc=fail header.from=client.example; spf=pass smtp.mailfrom=client.example',
        ['Unfiled', 'Failed', 'Fail', 'None', 'Pass'],
      ],
      ['spf=fail smtp.mailfrom=client.example', ['Unfiled', 'Failed', 'None', 'None', 'Fail']],
      ['dmarc=temperror; spf=softfail smtp.mailfrom=client.example', ['Unfiled', 'Unproven', 'None', 'None', 'None']],
    ];
    for (const [found, expected] of cases)
      assert.deepEqual(proofOf(await reply(`mail.example; ${found}`)), expected, found);
  });

  it('MSG-19 is not proven by headers of other servers, or by one that was there when the mail arrived', async () => {
    const other = await reply('mx.evil.example; dmarc=pass header.from=client.example');
    assert.deepEqual(proofOf(other), ['Unfiled', 'Unproven', undefined, undefined, undefined]);
    assert.match(String(other.message?.['SenderDetail']), /of mail\.example\. The topmost one is of mx\.evil\.example/);
    const found = 'mail.example; dmarc=fail header.from=client.example';
    const forged = 'mail.example; dmarc=pass header.from=client.example';
    const below = await reply(`${found}\r\nAuthentication-Results: ${forged}`);
    assert.deepEqual(proofOf(below).slice(0, 3), ['Unfiled', 'Failed', 'Fail']);
    const farBelow = await reply(`mail.example; spf=none\r\nReceived: from x\r\nAuthentication-Results: ${forged}`);
    assert.deepEqual(proofOf(farBelow).slice(0, 3), ['Unfiled', 'Unproven', 'None']);
    const parts = await reply(
      'mail.example; spf=none\r\nAuthentication-Results: mail.example; dkim=pass header.d=client.example',
    );
    assert.deepEqual(proofOf(parts).slice(0, 2), ['Received', 'Proven']);
    assert.deepEqual(proofOf(await reply(null)), ['Unfiled', 'Unproven', undefined, undefined, undefined]);
  });

  it('MSG-19 who is not proven gets a proposal by what the mail answers or its subject, and is never answered', async () => {
    const failed = 'mail.example; dmarc=fail';
    const answered = await proposal(await reply(failed));
    assert.deepEqual([answered?.['ObjectID'], answered?.['FiledBy']], [caseId, 'ReplyHeader']);
    assert.match(String(answered?.['Detail']), /Its sender is not proven/);
    const named = await proposal(await box.take({ from: ann, subject: `Re ${caseNumber}`, authentication: failed }));
    assert.deepEqual([named?.['ObjectID'], named?.['FiledBy']], [caseId, 'Subject']);
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MessageStatement: 'Send?To={FromAddress}&Message=Thanks',
    });
    const automatic = await box.take({ from: ann, subject: 'A new question', authentication: failed });
    await p.platform.store.query('delete from mailprocessor where mailinboundid = $1::bigint', [box.id]);
    assert.match(String(automatic.receipt['Reason']), /not genuine, so the mail is not answered/);
  });

  it('MSG-19 does not matter for an answer to the signed reply address', async () => {
    const to = replyAddressOf(p.platform, sent.id) ?? '';
    const { message } = await reply('mail.example; dmarc=fail', { to, inReplyTo: 'unknown@client.example' });
    assert.deepEqual(
      [message?.['ObjectID'], message?.['FiledBy'], message?.['SenderProof']],
      [caseId, 'ReplyToken', 'Failed'],
    );
  });

  it('MSG-19 counts as the mailbox says: by the names of its servers, and with those that nobody checked', async () => {
    const ID = box.id;
    const save = (fields: object): Promise<Row> => api.save('mailinbound', { ID, ...fields });
    await save({ AuthenticationServer: 'mx1.mail.example, -' });
    const results = 'dmarc=pass header.from=client.example';
    assert.equal((await reply(`MX1.mail.example; ${results}`)).message?.['SenderProof'], 'Proven');
    assert.equal((await reply(results)).message?.['SenderProof'], 'Proven');
    assert.equal((await reply(`mail.example; ${results}`)).message?.['SenderProof'], 'Unproven');
    await save({ AuthenticationServer: '', SenderProof: 'NotFailed' });
    assert.deepEqual(proofOf(await reply(null)).slice(0, 2), ['Received', 'Unproven']);
    assert.deepEqual(proofOf(await reply('mail.example; dmarc=fail')).slice(0, 2), ['Unfiled', 'Failed']);
    await save({ SenderProof: '' });
    const bad = { ID, AuthenticationServer: 'a b; dmarc=pass' };
    await api.expectRefused('mailinbound/save', bad, 'BAD_PARAMETER', 'AuthenticationServer');
  });
});

describe('a mailbox whose server checks nothing', () => {
  const bob = 'bob@other-office.example';
  const none = { authentication: null } as const;
  let plain: TestMailbox;
  const filed = ({ message }: ReceivedOne): unknown[] => [message?.['ObjectID'], message?.['FiledBy']];
  const checksOf = async (): Promise<unknown[]> => {
    const row = await api.select('mailinbound', plain.id);
    return [row['CheckingServers'], row['SenderChecksSince'] !== undefined];
  };

  before(async () => {
    const firm = await p.firm('Beta Law');
    plain = await testMailbox(p, 'Beta', { OrganizationID: firm.organizationId });
    const row = await api.save('foreclosure', { Foreclosure: 'FC-2026-00902', OrganizationID: firm.organizationId });
    caseId = Number(row['ForeclosureID']);
    await api.save('contact', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      LastName: 'Counsel',
      Methods_0_MethodType: 'Email',
      Methods_0_ContactValue: bob,
    });
    sent = await sentMessage(p, { caseId, to: [ann] });
  });

  it('MSG-19 files an answer to our own email from an address to which it was sent, and says who confirmed it', async () => {
    const answer = await plain.take({ from: ann, inReplyTo: sent.mailId, ...none });
    assert.deepEqual([...filed(answer), answer.message?.['SenderProof']], [caseId, 'ReplyHeader', 'Unproven']);
    const own = String(answer.message?.['InternetMessageID']);
    const further = { inReplyTo: own, references: [sent.mailId, own], ...none };
    assert.deepEqual(filed(await plain.take({ from: ann, ...further })), [caseId, 'ReplyHeader']);
    assert.deepEqual(await checksOf(), ['.,.', false]);
  });

  it('MSG-19 only proposes mail of whoever knows a Message-ID but not the address, or the reverse', async () => {
    const stranger = await plain.take({ from: 'eve@evil.example', inReplyTo: sent.mailId, ...none });
    // A contact of the case to whom this email was not sent; its address is no secret.
    const contact = await plain.take({ from: bob, inReplyTo: sent.mailId, ...none });
    const colleague = await plain.take({ from: 'carl@client.example', inReplyTo: sent.mailId, ...none });
    for (const each of [stranger, contact, colleague]) {
      assert.deepEqual(filed(each), [undefined, undefined]);
      assert.equal((await proposal(each))?.['ObjectID'], caseId);
    }
    // Who knows the address and the case, and a Message-ID of mail that we have not sent.
    const [own] = await api.expectRows('message/search', { ObjectID: caseId, FromAddress: ann });
    for (const mail of [
      { subject: 'Re FC-2026-00902' },
      { inReplyTo: `${randomUUID()}@cases.example` },
      { inReplyTo: String(own?.['InternetMessageID']) },
    ])
      assert.deepEqual(filed(await plain.take({ from: ann, ...mail, ...none })), [undefined, undefined]);
    const reply = { from: ann, inReplyTo: sent.mailId };
    await p.platform.store.query(`update messagerecipient set status = 'Suppressed' where messageid = $1::bigint`, [
      sent.id,
    ]);
    assert.deepEqual(filed(await plain.take({ ...reply, ...none })), [undefined, undefined]);
    await p.platform.store.query(`update messagerecipient set status = 'Sent' where messageid = $1::bigint`, [sent.id]);
    // Another firm's mailbox does not see the message at all.
    assert.deepEqual(filed(await box.take({ ...reply, ...none })), [undefined, undefined]);
  });

  it('MSG-19 only proposes mail that failed the check of any server, or lacks that of most mail', async () => {
    const reply = { from: ann, inReplyTo: sent.mailId };
    const failed = await plain.take({ ...reply, authentication: 'mx.example; dmarc=fail header.from=client.example' });
    assert.deepEqual(filed(failed), [undefined, undefined]);
    const passed = 'mx.example; dmarc=pass header.from=client.example';
    for (let n = 0; n < 20; n++) plain.receiver.add(sampleMail({ authentication: passed }));
    await plain.receive();
    assert.deepEqual(filed(await plain.take({ ...reply, ...none })), [undefined, undefined]);
    const other = await plain.take({ ...reply, authentication: 'evil.example; dmarc=pass header.from=client.example' });
    assert.deepEqual(filed(other), [undefined, undefined]);
    assert.deepEqual(filed(await plain.take({ ...reply, authentication: passed })), [caseId, 'ReplyHeader']);
  });

  it('MSG-19 requires proven senders once its server has checked one, if it is named, or if it must', async () => {
    const reply = { from: ann, inReplyTo: sent.mailId, ...none };
    const save = (fields: object): Promise<Row> => api.save('mailinbound', { ID: plain.id, ...fields });
    const forget = (): Promise<unknown> =>
      p.platform.store.query(
        'update mailinbound set checkingservers = null, sendercheckssince = null where mailinboundid = $1::bigint',
        [plain.id],
      );
    await forget();
    await save({ SenderProof: 'Required' });
    assert.deepEqual(filed(await plain.take(reply)), [undefined, undefined]);
    await save({ SenderProof: '', AuthenticationServer: 'mx.example' });
    assert.deepEqual(filed(await plain.take(reply)), [undefined, undefined]);
    await save({ AuthenticationServer: '' });
    assert.deepEqual(filed(await plain.take(reply)), [caseId, 'ReplyHeader']);
    // Both are in one group: the first mail with a header counts for all that are stored with it.
    plain.receiver.add(sampleMail({ authentication: 'mail.example; spf=none' }));
    assert.deepEqual(filed(await plain.take(reply)), [undefined, undefined]);
    assert.equal((await checksOf())[1], true);
    await save({ Host: 'mail2.example' });
    assert.deepEqual(await checksOf(), [undefined, false]);
  });

  it('MSG-08 MSG-19 the test of a mailbox finds the servers that checked its newest emails', async () => {
    plain.receiver.mails = [];
    for (const server of ['mx.example', 'mx.example', 'other.example'])
      plain.receiver.add(sampleMail({ authentication: `${server}; spf=none` }));
    await api.expectOk('mailinbound/test', { ID: plain.id });
    assert.deepEqual(await checksOf(), ['other.example,mx.example,mx.example', false]);
  });
});
