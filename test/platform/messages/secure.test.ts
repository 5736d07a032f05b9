import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { arrayLiteral } from '../../../src/kernel/database/store.ts';
import { namedRow } from '../../../src/kernel/door/named-records.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { message } from '../../../src/modules/messages/message/message.record.ts';
import { secureNotices } from '../../../src/modules/messages/lib/secure/secure-notice.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { mailsIn, type ReceivedMail } from '../../support/peers/mail-server.ts';
import { testPlatform } from '../../support/platform.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Sends a message to one of its recipients as sending does: the notice alone. */
const notify = defineOperation({
  module: 'message',
  name: 'TestNotify',
  method: 'POST',
  summary: 'Sends a notice.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The message.' })), Recipient: required(f.idList({ doc: 'The recipients.' })) },
  returns: 'nothing',
  errors: ['NOT_FOUND'],
  source: 'test',
});

const notifying = {
  operation: notify,
  run: handle(notify, async (ctx, { ID, Recipient }) => {
    const { FromName } = namedRow(ctx, message);
    const readers = await ctx.db.query<{ MessageRecipientID: number; MessageRecipient: string }>(
      `select messagerecipientid as "MessageRecipientID", messagerecipient as "MessageRecipient"
       from messagerecipient where messagerecipientid = any($1::bigint[])`,
      [arrayLiteral(Recipient)],
    );
    const of = { MessageID: ID, FromName };
    const notices = await secureNotices(ctx, of, readers);
    assert.equal(notices.size, readers.length);
    const [reader] = readers;
    const notice = notices.get(reader?.MessageRecipientID ?? 0);
    if (readers.length > 1 || !reader || !notice) return { kind: 'nothing' } as const;
    await ctx.call('maildelivery/post', {
      To: reader.MessageRecipient,
      Subject: notice.subject,
      BodyText: notice.text,
      BodyHTML: notice.html,
    });
    return { kind: 'nothing' } as const;
  }),
};

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const fixture = { declarations: { operations: [notifying] } };
const on = await testPlatform({ after }, { worker: true, clock, fixture });
const firm = await on.firm('Firm of the message');
const admin = client(on);
await admin.save('messagetemplate', { MessageTemplate: 'Secure', ExtranetEnabled: 'Self' });
const caseId = Number(
  (await admin.save('foreclosure', { Status: 'Open', OrganizationID: firm.organizationId }))['ForeclosureID'],
);
const outsider = client(on, on.anonymous);
const sql = (text: string, params: unknown[] = []): Promise<Row[]> => on.platform.store.query<Row>(text, params);

/** Advances the clock so that each test has fresh hourly limits. */
beforeEach(() => clock.advance(HOUR));

const NEWEST = '(select max(securelinkid) from securelink)';
let addresses = 0;

interface SentLink {
  readonly messageId: number;
  readonly recipientId: number;
  readonly address: string;
  readonly token: string;
  readonly mail: ReceivedMail;
}

/** Sends a secure message with a document, and returns the link in its notice. */
async function sendSecure(): Promise<SentLink> {
  const address = `reader${++addresses}@outside.example`;
  const { MessageID } = await admin.save('message', {
    Template: 'Secure',
    Object: 'Foreclosure',
    ObjectID: caseId,
    Subject: 'Payoff of loan 4711',
    BodyText: 'The payoff is 1,234.56.',
    BodyHTML: '<p onclick="x()">The payoff is <b>1,234.56</b>.</p><script>alert(1)</script>',
    FromName: 'Ada\r\nBcc: evil@outside.example',
    SecureDelivery: true,
  });
  const messageId = Number(MessageID);
  const { MessageRecipientID } = await admin.save('messagerecipient', {
    MessageID: messageId,
    MessageRecipient: address,
  });
  await admin.save('attachment', {
    Object: 'Message',
    ObjectID: messageId,
    FileName: 'payoff.txt',
    Content: Buffer.from('secret figures').toString('base64'),
  });
  const sent = await admin.send('message/testnotify', { ID: messageId, Recipient: [Number(MessageRecipientID)] });
  assert.equal(sent.status, 204, sent.text);
  const mail = await mailTo(address);
  const token = /http:\/\/127\.0\.0\.1:8080\/secure\/([\w-]{43})\r?\n/.exec(mail.body)?.[1] ?? '';
  return { messageId, recipientId: Number(MessageRecipientID), address, token, mail };
}

const mailTo = (address: string): Promise<ReceivedMail> =>
  eventually(`a mail to ${address}`, async () => mailsIn(on.mailFolder).find(({ to }) => to.includes(address)));

const usedCodes = new Set<string>();

/** Requests a code and returns it. */
async function mailedCode({ token, address }: SentLink): Promise<string> {
  await outsider.expectOk('securelink/requestcode', { Token: token });
  const code = await eventually(`a code to ${address}`, async () =>
    mailsIn(on.mailFolder)
      .filter(({ to }) => to.includes(address))
      .map(({ body }) => /code is (\d{6})\./.exec(body)?.[1])
      .find((each) => each !== undefined && !usedCodes.has(`${address} ${each}`)),
  );
  usedCodes.add(`${address} ${code}`);
  return code;
}

const refusedReading = (parameters: object): Promise<unknown> =>
  outsider.expectRefused('securelink/read', parameters, 'NO_PERMISSION');

describe('secure delivery', () => {
  it('MSG-16 mails a notice with a link and neither the subject, the body nor the files', async () => {
    const { mail, token, messageId } = await sendSecure();
    assert.equal(token.length, 43, '256 bits');
    assert.doesNotMatch(mail.raw, /Payoff|4711|1,234|payoff|secret figures|MSwyMzQ|c2VjcmV0/);
    assert.equal(mail.header('Subject'), 'Ada Bcc: evil@outside.example sent you a secure message');
    assert.equal(mail.header('Bcc'), undefined);
    const [link] = await sql('select * from securelink where messageid = $1::bigint', [messageId]);
    assert.ok(!JSON.stringify(link).includes(token), 'only the hash of the token is stored');
    assert.equal(Date.parse(String(link?.['expirydate'])) - clock.milliseconds(), 7 * 24 * HOUR);
  });

  it('MSG-16 stores a link of its own for each of many recipients', async () => {
    const { messageId } = await sendSecure();
    const Recipient: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      const MessageRecipient = `${name}@many.example`;
      const saved = await admin.save('messagerecipient', { MessageID: messageId, MessageRecipient });
      Recipient.push(Number(saved['MessageRecipientID']));
    }
    assert.equal((await admin.send('message/testnotify', { ID: messageId, Recipient })).status, 204);
    const links = await admin.expectRows('securelink/reads', { MessageID: messageId });
    assert.equal(new Set(links.map((link) => link['MessageRecipientID'])).size, 4);
  });

  it('MSG-16 mails each of several recipients a link of their own, and names the others to none', async () => {
    const names = ['one', 'two', 'three'].map((name) => `${name}@several.example`);
    const { MessageID } = await admin.expectOk('message/saveemail', {
      Template: 'Secure',
      Object: 'Foreclosure',
      ObjectID: caseId,
      Subject: 'Several',
      BodyText: 'x',
      SecureDelivery: true,
      To: names[0],
      Cc: names[1],
      Bcc: names[2],
    });
    const mails = await Promise.all(names.map(mailTo));
    for (const [at, mail] of mails.entries())
      assert.deepEqual([mail.to, mail.header('To'), mail.header('Cc')], [[names[at]], names[at], undefined]);
    assert.equal(new Set(mails.map(({ body }) => /\/secure\/([\w-]{43})/.exec(body)?.[1])).size, 3);
    const [stored] = await sql(
      `select count(distinct maildeliveryid)::integer as deliveries, count(distinct internetmessageid)::integer as ids
       from maildelivery where messageid = $1::bigint`,
      [MessageID],
    );
    assert.deepEqual([stored?.['deliveries'], stored?.['ids']], [3, 1]);
  });

  it('MSG-16 shows the message to whoever has the code mailed to the address, and records it', async () => {
    const sent = await sendSecure();
    const code = await mailedCode(sent);
    const read = await outsider.expectOk('securelink/read', { Token: sent.token, Code: code });
    assert.equal(read['Subject'], 'Payoff of loan 4711');
    assert.equal(read['Body'], '<p>The payoff is <b>1,234.56</b>.</p>');
    const [file] = read['Files'] as Row[];
    assert.equal(file?.['Name'], 'payoff.txt');
    const ticket = String(read['Ticket']);
    const content = await on.anonymous.post('/api/securelink/file', { AttachmentID: file['ID'], Ticket: ticket });
    assert.deepEqual([content.status, content.text], [200, 'secret figures']);
    await refusedReading({ Token: sent.token, Code: code });
    const uses = await admin.expectRows('securelink/reads', { MessageID: sent.messageId });
    assert.deepEqual(
      uses.map((use) => [use['What'], use['Detail'] ?? null, use['Address']]),
      [
        ['Refused', null, sent.address],
        ['File', 'payoff.txt', sent.address],
        ['Message', null, sent.address],
        ['Code', null, sent.address],
      ],
    );
    const recipient = await admin.select('messagerecipient', sent.recipientId);
    assert.deepEqual([recipient['Status'], recipient['ReadDate'] !== undefined], ['Read', true]);
    clock.advance(31 * MINUTE);
    await refusedReading({ Ticket: ticket });
  });

  it('shows it without a code to users who reach the message, and to no others', async () => {
    const far = await on.firm('Another firm');
    const near = firm;
    const sent = await sendSecure();
    const seen = await client(on, near.caller).expectOk('securelink/read', { Token: sent.token });
    assert.equal(seen['Ticket'] ?? null, null);
    await client(on, far.caller).expectRefused('securelink/read', { Token: sent.token }, 'NO_PERMISSION');
    await client(on, far.caller).expectRefused('securelink/reads', { MessageID: sent.messageId }, 'NO_PERMISSION');
    await client(on, far.caller).expectRefused('securelink/revoke', { MessageID: sent.messageId }, 'NO_PERMISSION');
    const [use] = await admin.expectRows('securelink/reads', { MessageID: sent.messageId });
    assert.deepEqual([use?.['What'], use?.['PersonID']], ['Message', near.personId]);
  });

  it('MSG-03 MSG-16 is Read once its recipient has read it, not when staff or another user do', async () => {
    const sent = await sendSecure();
    const states = async (): Promise<unknown[]> => {
      const recipient = await admin.select('messagerecipient', sent.recipientId);
      const [link] = await sql('select lastread from securelink where messageid = $1::bigint', [sent.messageId]);
      return [recipient['Status'] === 'Read', recipient['ReadDate'] !== undefined, link?.['lastread'] !== null];
    };
    await admin.expectOk('securelink/read', { Token: sent.token });
    await client(on, firm.caller).expectOk('securelink/read', { Token: sent.token });
    assert.deepEqual(await states(), [false, false, false]);
    const uses = await admin.expectRows('securelink/reads', { MessageID: sent.messageId });
    assert.deepEqual(uses.map((use) => use['PersonID']).slice(0, 1), [firm.personId]);
    await sql('update person set email = $1::text where personid = $2::bigint', [sent.address, firm.personId]);
    await client(on, firm.caller).expectOk('securelink/read', { Token: sent.token });
    assert.deepEqual(await states(), [true, true, true]);
  });

  it('MSG-16 shows the documents that it was sent with; one that is added later only by later links', async () => {
    const sent = await sendSecure();
    const added = await admin.save('attachment', {
      Object: 'Message',
      ObjectID: sent.messageId,
      FileName: 'later.txt',
      Content: 'YQ==',
    });
    const read = await outsider.expectOk('securelink/read', { Token: sent.token, Code: await mailedCode(sent) });
    assert.deepEqual(
      (read['Files'] as Row[]).map((file) => file['Name']),
      ['payoff.txt'],
    );
    const later = { AttachmentID: added['AttachmentID'], Ticket: read['Ticket'] };
    await outsider.expectRefused('securelink/file', later, 'NOT_FOUND');
    await admin.send('message/testnotify', { ID: sent.messageId, Recipient: [sent.recipientId] });
    const [files] = await sql(`select count(*)::integer as n from securelinkfile where securelinkid = ${NEWEST}`);
    assert.equal(files?.['n'], 2);
  });

  it('MSG-16 shows the contents that were sent, not those that replaced them', async () => {
    const sent = await sendSecure();
    const [file] = await sql(`select attachmentid as id from securelinkfile where securelinkid = ${NEWEST}`);
    const download = async (read: Row): Promise<string> =>
      (await on.anonymous.post('/api/securelink/file', { AttachmentID: file?.['id'], Ticket: read['Ticket'] })).text;
    const before = await outsider.expectOk('securelink/read', { Token: sent.token, Code: await mailedCode(sent) });
    const original = await download(before);
    await admin.save('attachment', { ID: file?.['id'], FileName: 'replaced.txt', Content: 'QW5vdGhlciBjb250ZW50' });
    const after = await outsider.expectOk('securelink/read', { Ticket: before['Ticket'] });
    assert.deepEqual(after['Files'], before['Files'], 'with the name and size of that time');
    assert.equal(await download(after), original);
    await admin.send('message/testnotify', { ID: sent.messageId, Recipient: [sent.recipientId] });
    const [later] = await sql(`select fileversion as n from securelinkfile where securelinkid = ${NEWEST}`);
    assert.equal(later?.['n'], 2, 'a later link shows the later content');
  });

  it('ends a code after five wrong tries, ten minutes or one use, and counts concurrent tries', async () => {
    const sent = await sendSecure();
    const code = await mailedCode(sent);
    const wrong = code === '000000' ? '000001' : '000000';
    await Promise.all(Array.from({ length: 5 }, () => refusedReading({ Token: sent.token, Code: wrong })));
    await refusedReading({ Token: sent.token, Code: code });
    const second = await mailedCode(sent);
    clock.advance(10 * MINUTE + 1);
    await refusedReading({ Token: sent.token, Code: second });
    const third = await mailedCode(sent);
    const both = await Promise.all(
      [1, 2].map(() => outsider.send('securelink/read', { Token: sent.token, Code: third })),
    );
    assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 403]));
  });

  it('says the same of links that do not exist, have expired or were revoked', async () => {
    const sent = await sendSecure();
    const code = await mailedCode(sent);
    const unknown = await outsider.expectOk('securelink/requestcode', { Token: 'x'.repeat(43) });
    assert.deepEqual(unknown, await outsider.expectOk('securelink/requestcode', { Token: sent.token }));
    const first = await outsider.expectRefused('securelink/read', { Token: 'x', Code: code }, 'NO_PERMISSION');
    assert.deepEqual(await admin.expectOk('securelink/revoke', { MessageID: sent.messageId }), { Revoked: 1 });
    assert.deepEqual(await admin.expectOk('securelink/revoke', { MessageID: sent.messageId }), { Revoked: 0 });
    const revoked = await outsider.expectRefused('securelink/read', { Token: sent.token, Code: code }, 'NO_PERMISSION');
    assert.equal(revoked.message, first.message);
    const later = await sendSecure();
    const ticket = String(
      (await outsider.expectOk('securelink/read', { Token: later.token, Code: await mailedCode(later) }))['Ticket'],
    );
    await outsider.expectOk('securelink/read', { Ticket: ticket });
    await admin.expectOk('securelink/revoke', { MessageID: later.messageId });
    await refusedReading({ Ticket: ticket });
    const last = await sendSecure();
    clock.advance(7 * 24 * HOUR + 1);
    const before = mailsIn(on.mailFolder).length;
    await outsider.expectOk('securelink/requestcode', { Token: last.token });
    const codes = await sql(`select 1 from securelinkcode where securelinkid = ${NEWEST}`);
    assert.equal(codes.length, 0);
    assert.equal(mailsIn(on.mailFolder).length, before);
  });

  it('limits the codes of a link, and the requests and failures of a network', async () => {
    const sent = await sendSecure();
    for (let count = 0; count < 8; count++) await outsider.expectOk('securelink/requestcode', { Token: sent.token });
    const codes = await sql(
      `select count(*)::integer as n from securelinkread where what = 'Code' and securelinkid = ${NEWEST}`,
    );
    assert.equal(codes[0]?.['n'], 5);
    for (let count = 0; count < 12; count++) await outsider.expectOk('securelink/requestcode', { Token: 'unknown' });
    await outsider.expectRefused('securelink/requestcode', { Token: sent.token }, 'TOO_MANY');
    for (let count = 0; count < 20; count++) await refusedReading({ Token: 'unknown', Code: '123456' });
    await outsider.expectRefused('securelink/read', { Token: sent.token, Code: '123456' }, 'TOO_MANY');
  });

  it('refuses documents of other messages, and tickets that were forged', async () => {
    const [one, other] = [await sendSecure(), await sendSecure()];
    const read = await outsider.expectOk('securelink/read', { Token: one.token, Code: await mailedCode(one) });
    const [foreign] = await sql(
      "select attachmentid as id from attachment where object = 'Message' and objectid = $1::bigint",
      [other.messageId],
    );
    await outsider.expectRefused(
      'securelink/file',
      { AttachmentID: foreign?.['id'], Ticket: read['Ticket'] },
      'NOT_FOUND',
      'ID',
    );
    for (const ticket of ['x', 'A'.repeat(100), String(read['Ticket']).slice(0, -4) + 'AAAA'])
      await refusedReading({ Ticket: ticket });
    await refusedReading({});
  });

  it('MSG-16 has a page for readers outside that needs no script, and says nothing of links before a code', async () => {
    const sent = await sendSecure();
    const path = `/secure/${sent.token}`;
    const start = await on.anonymous.get(path);
    const unknown = await on.anonymous.get('/secure/unknown');
    assert.deepEqual([start.status, unknown.status], [200, 200]);
    assert.equal(start.text.replaceAll(sent.token, 'unknown'), unknown.text);
    assert.doesNotMatch(start.text, /Payoff|outside\.example/);
    const requested = await on.anonymous.post(path, 'x=');
    assert.match(requested.text, /Enter your code/);
    const wrong = await on.anonymous.post(path, 'Code=1');
    assert.deepEqual([wrong.status, wrong.text.includes('The code is wrong')], [403, true]);
    const code = await eventually('a code', async () =>
      mailsIn(on.mailFolder)
        .filter(({ to }) => to.includes(sent.address))
        .map(({ body }) => /code is (\d{6})\./.exec(body)?.[1])
        .find((each) => each !== undefined),
    );
    const opened = await on.anonymous.post(path, `Code=${code}`);
    assert.deepEqual([opened.status, opened.headers.get('location')], [303, path]);
    const set = opened.headers.get('set-cookie') ?? '';
    assert.match(set, new RegExp(`; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=1800`));
    const headers = { cookie: set.split(';')[0] ?? '' };
    const page = await on.anonymous.get(path, headers);
    assert.match(page.text, /<h1>Payoff of loan 4711<\/h1>/);
    assert.match(page.text, /<time [^>]*>[A-Z][a-z]+ \d+, \d{4} at \d+:\d\d [AP]M E[SD]T<\/time>/);
    assert.match(page.text, /<iframe [^>]*sandbox="allow-same-origin allow-popups[^"]*"[^>]*src="[^"]*\/body"/);
    assert.match(page.text, /payoff\.txt/);
    const body = await on.anonymous.get(`${path}/body`, headers);
    assert.match(body.headers.get('content-security-policy') ?? '', /^sandbox (?!.*scripts)/);
    assert.match(body.text, /<body><p>The payoff is <b>1,234\.56<\/b>\.<\/p><\/body>/);
    assert.equal((await on.anonymous.get(`${path}/body`)).status, 403);
    const value = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
    const form = new URLSearchParams({ Ticket: value('Ticket'), AttachmentID: value('AttachmentID') }).toString();
    const file = await on.anonymous.post('/api/securelink/file', form);
    assert.deepEqual([file.status, file.text], [200, 'secret figures']);
    const uses = await admin.expectRows('securelink/reads', { MessageID: sent.messageId });
    assert.deepEqual(
      uses.map((use) => use['What']),
      ['File', 'Message', 'Refused', 'Code'],
      'the page and its frame are one reading',
    );
    await admin.expectOk('securelink/revoke', { MessageID: sent.messageId });
    const ended = await on.anonymous.get(path, headers);
    assert.deepEqual([ended.status, (ended.headers.get('set-cookie') ?? '').includes('Max-Age=0')], [403, true]);
    assert.doesNotMatch(ended.text, /Payoff/);
  });
});
