import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { replyAddressOf } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import { client, type Row } from '../../support/client.ts';
import { sentMessage, testMailbox, type ReceivedOne, type TestMailbox } from '../../support/messages/test-mailbox.ts';
import type { SampleMail } from '../../support/messages/sample-mail.ts';
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
