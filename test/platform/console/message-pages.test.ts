import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { composePath } from '../../../src/surfaces/pages/messages/message-paths.ts';
import { client } from '../../support/client.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { testMailbox } from '../../support/messages/test-mailbox.ts';
import { addRecipient, receivedMail, sentMail } from '../../support/messages/stored-mail.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const clerkUser = await p.user('clerk', 'Staff');
const firm = await p.firm('Finch', 'Partner');
const clerk = await testSession(p, 'clerk');
const partner = await testSession(p, 'user of Finch');
const api = client(p, clerkUser.caller);
let caseId = 0;
let threadId = 0;

const unread = async (): Promise<unknown> => (await api.expectOk('inbox/unread'))['Unread'];
const shown = async (path: string): Promise<string> => {
  const answer = await clerk.get(path);
  assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
  return answer.text;
};

describe('pages of messages', () => {
  before(async () => {
    const made = await admin.save('foreclosure', { Foreclosure: 'P-1', AssignedPersonID: clerkUser.personId });
    caseId = Number(made['ForeclosureID']);
    threadId = await sentMail(p, { subject: 'Two items', caseId, personId: clerkUser.personId, minutesAgo: 60 });
    await addRecipient(p, {
      messageId: threadId,
      address: 'lost@example.net',
      status: 'Bounced',
      detail: '550 <b>unknown</b>',
    });
    await receivedMail(p, {
      subject: 'Re: Two items',
      caseId,
      threadId,
      text: 'Both are attached.\n\nOn Monday, we wrote:\n> Two items are missing',
      filedBy: 'ReplyHeader',
      filedDetail: 'It answers <i>Two items</i>.',
    });
  });

  it('MSG-11 a script that looks ahead leaves a conversation unread; opening it marks it as read, and the button unread again', async () => {
    assert.equal(await unread(), 1);
    assert.match(await shown('/messages'), /class="thread-line unread"/);
    await shown(`/messages?thread=${threadId}&Part=preview`);
    assert.equal(await unread(), 1);
    const page = await shown(`/messages?thread=${threadId}`);
    assert.match(page, /<li class="mail unread"/, 'what was new is marked as new once');
    assert.equal(await unread(), 0);
    const reply = /id="message-(\d+)" data-received/.exec(page)?.[1] ?? '';
    const back = await clerk.post(`/messages/${reply}`, { Action: 'unread', Back: '/messages' });
    assert.equal(back.location, `/messages?done=mail-unread&message=${reply}`);
    assert.equal(await unread(), 1);
  });

  it('MSG-11 MSG-03 a conversation shows each recipient with the outcome, why an answer is filed there, and folds what it quotes', async () => {
    const page = await shown(`/messages/${threadId}`);
    assert.match(page, /class="outcome danger"[^]*?lost@example\.net[^]*?Bounced/);
    assert.match(page, /550 &lt;b>unknown&lt;\/b>|550 &lt;b&gt;unknown/);
    assert.match(page, /title="It answers &lt;i(?:>|&gt;)Two items[^]*?Filed because it answers a message here\./);
    assert.match(page, /<details class="quoted">[^]*?Two items are missing/);
    const tab = `/case/foreclosure/${caseId}?tab=messages`;
    assert.match(await shown(`${tab}&thread=${threadId}`), /class="case-thread"/);
    const undated = await receivedMail(p, { subject: 'Without a date', caseId, isDated: false });
    assert.match(await shown(tab), new RegExp(`id="thread-${undated}"`));
    const missing = await shown(`${tab}&thread=999999999`);
    assert.match(missing, new RegExp(`id="thread-${threadId}"`));
    assert.doesNotMatch(missing, /class="case-thread"/);
  });

  it('MSG-11 a conversation shows with each message its own documents, and those of the case that were sent with it', async () => {
    const first = await sentMail(p, { subject: 'Two sets', caseId, personId: clerkUser.personId, minutesAgo: 9 });
    const second = await receivedMail(p, { subject: 'Re: Two sets', caseId, threadId: first });
    const file = async (name: string, fields: object): Promise<unknown> =>
      (await admin.save('attachment', { FileName: name, Content: 'YQ==', ...fields }))['AttachmentID'];
    await file('own.txt', { Object: 'Message', ObjectID: second });
    const shared = await file('of-the-case.txt', { Object: 'Foreclosure', ObjectID: caseId });
    for (const id of [first, second])
      await admin.save('objectlink', {
        PrimaryObject: 'Message',
        PrimaryObjectID: id,
        LinkedObject: 'Attachment',
        LinkedObjectID: shared,
      });
    const page = await shown(`/messages/${first}`);
    const files = page
      .split(/<li class="mail/)
      .slice(1)
      .map((part) => [...part.matchAll(/<bdi class="cut">([^<]*)</g)].map(([, name]) => name));
    assert.deepEqual(files, [['of-the-case.txt'], ['own.txt', 'of-the-case.txt']]);
  });

  it('MSG-01 offers the templates for the record, however many there are for others', async () => {
    await p.platform.store.query(
      `insert into messagetemplate (messagetemplate, appliesto)
       select 'A ' || n, 'Loan' from generate_series(1, 250) n`,
    );
    await admin.save('messagetemplate', { MessageTemplate: 'Z of foreclosures', AppliesTo: 'Foreclosure' });
    await admin.save('messagetemplate', { MessageTemplate: 'Z of all cases', AppliesTo: 'Process' });
    await admin.save('messagetemplate', { MessageTemplate: 'Z of everything' });
    await admin.save('messagetemplate', { MessageTemplate: 'Z inactive', Status: 'Inactive' });
    await admin.save('messagetemplate', { MessageTemplate: 'Z text', MessageTemplateType: 'Text' });
    const page = await shown(composePath({ Object: 'Foreclosure', ObjectID: caseId }));
    const offered = [...page.matchAll(/>(Z [a-z ]+|A \d+)</g)].map(([, name]) => name);
    assert.deepEqual([...new Set(offered)], ['Z of all cases', 'Z of everything', 'Z of foreclosures']);
  });

  it('MSG-09 one click undoes where an answer was filed; it then waits with the others, and is filed by a person', async () => {
    const page = await shown(`/messages/${threadId}`);
    const reply = /id="message-(\d+)" data-received/.exec(page)?.[1] ?? '';
    await clerk.post(`/messages/${reply}`, { Action: 'unfile', Back: '/messages' });
    assert.match(await shown('/messages/unfiled'), new RegExp(`id="unfiled-${reply}"`));
    const filed = await clerk.post(`/messages/${reply}`, {
      Action: 'file',
      Object: 'Foreclosure',
      ObjectID: String(caseId),
      Back: '/messages/unfiled',
    });
    assert.match(filed.location ?? '', /^\/messages\/unfiled\?done=mail-filed/);
    assert.doesNotMatch(await shown('/messages/unfiled'), new RegExp(`id="unfiled-${reply}"`));
  });

  it('MSG-11 an address to go back to is one of this server, and a refused action is shown on the conversation', async () => {
    const away = await clerk.post(`/messages/${threadId}`, { Action: 'unread', Back: '//evil.example/x' });
    assert.match(away.location ?? '', /^\/messages\?/);
    const refused = await clerk.post(`/messages/${threadId}`, { Action: 'cancel', Back: '/messages' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /is not waiting to be sent/);
  });

  it('MSG-15 a new message suggests the parties with an address, and names those that have none', async () => {
    const { ForeclosureID: id } = await admin.save('foreclosure', {
      Foreclosure: 'P-3',
      Contacts: [
        { FirstName: 'Odette', LastName: 'Petrov', Email: 'odette@borrower.example' },
        { FirstName: 'Percy', LastName: '<Petrov>' },
        { FirstName: 'Odette', LastName: 'Petrov' },
      ],
    });
    const page = await shown(`/messages/new?Object=Foreclosure&ObjectID=${String(id)}`);
    assert.match(page, /<option value="Odette Petrov &lt;odette@borrower\.example/);
    assert.match(page, /No email address: <bdi>Percy &lt;Petrov/);
    assert.doesNotMatch(page, /No email address: <bdi>[^<]*Odette/);
    assert.doesNotMatch(await shown('/messages/new'), /No email address/);
  });

  it('MSG-15 a form that is sent twice at the same time sends one mail; changed, it is sent again only on request', async () => {
    const key = /name="Key" value="([\da-f-]{36})"/.exec(await shown('/messages/new'))?.[1] ?? '';
    const form = {
      Action: 'send',
      Key: key,
      Object: 'Foreclosure',
      ObjectID: String(caseId),
      ToAddress: 'once@example.net',
      Subject: 'Sent once',
      BodyText: 'One click too many.',
      Back: '/messages',
    };
    const answers = await Promise.all([1, 2, 3].map(() => clerk.post('/messages/new', form)));
    const sent = await p.platform.store.query<{ id: number }>(
      "select messageid as id from message where message = 'Sent once'",
    );
    assert.equal(sent.length, 1);
    for (const { location } of answers) assert.equal(location, `/messages?done=mail-sent&message=${sent[0]?.id}`);
    const changed = await clerk.post('/messages/new', { ...form, BodyText: 'Another text.' });
    assert.match(changed.text, /An earlier version of this message was already sent/);
    const next = /name="Key" value="([\da-f-]{36})"/.exec(changed.text)?.[1] ?? '';
    assert.notEqual(next, key);
    const again = await clerk.post('/messages/new', { ...form, BodyText: 'Another text.', Key: next });
    assert.match(again.location ?? '', /done=mail-sent/);
  });

  it('MSG-03 MSG-15 the page of recipients counts 10,000 by state, pages, filters, exports, and sends again to those that failed', async () => {
    const id = await sentMail(p, { subject: 'To all', caseId, personId: clerkUser.personId });
    await p.platform.store.query(
      `insert into messagerecipient (messageid, messagerecipient, status, detail)
       select $1::bigint, 'r' || n || '@example.net', case when n <= 2 then 'Bounced' else 'Delivered' end,
         case when n <= 2 then '550 <b>no mailbox</b>' end
       from generate_series(1, 9998) as n`,
      [id],
    );
    await addRecipient(p, { messageId: id, address: 'hidden@example.net', status: 'Refused', category: 2 });
    const path = `/messages/${id}/recipients`;
    assert.match(await shown(`/messages/${id}`), new RegExp(`href="${path}">10,000 recipients`));
    const all = await shown(path);
    assert.match(all, /All<[^]*?10,000[^]*?Sent<[^]*?1<[^]*?Delivered<[^]*?9,996[^]*?Bounced<[^]*?2</);
    assert.match(all, /1 to 100 of 10,000/);
    assert.match(await shown(`${path}?RecordStart=9900`), /9,901 to 10,000 of 10,000/);
    const bounced = await shown(`${path}?state=bounced`);
    assert.equal(bounced.match(/<tr id="recipient-/g)?.length, 2);
    assert.match(bounced, /550 &lt;b/);
    assert.match(bounced, /api\/messagerecipient\/search\?[^"]*Output=Csv[^"]*Status=Bounced"/);
    const presses = await Promise.all([clerk.post(path, {}), clerk.post(path, {})]);
    for (const { location, text } of presses)
      assert.ok(
        location === `${path}?done=mail-again` || text.includes('reached all of its recipients'),
        text.slice(0, 300),
      );
    const posted = await p.platform.store.query('select 1 from maildelivery where messageid = $1::bigint', [id]);
    assert.equal(posted.length, 3, 'one mail each, however often the button is pressed');
    const waiting = await api.expectRows('messagerecipient/search', { MessageID: String(id), Status: 'Waiting' });
    assert.deepEqual(
      waiting.map((row) => `${String(row['MessageRecipient'])} ${String(row['Category'] ?? 0)}`).toSorted(),
      ['hidden@example.net 2', 'r1@example.net 0', 'r2@example.net 0'],
      'each keeps its kind',
    );
    assert.doesNotMatch(await shown(path), /Send again to/);
    const again = await clerk.post(`/messages/${id}`, { Action: 'again', Back: path });
    assert.match(again.text, /reached all of its recipients/, 'nobody gets it twice');
    assert.equal((await partner.get(path)).status, 404);
    assert.equal((await partner.post(path, {})).status, 404);
  });

  it('MSG-16 a conversation shows who read a secure message and until when, and its links are revoked behind a question', async () => {
    const id = await sentMail(p, { subject: 'Private', caseId, personId: clerkUser.personId });
    await p.platform.store.query(
      `with secure as (update message set securedelivery = true where messageid = $1::bigint),
       link as (
         insert into securelink (securelink, messageid, messagerecipientid, tokenhash, expirydate)
         select messagerecipient, messageid, messagerecipientid, 'hash', $2::timestamptz + interval '7 days'
         from messagerecipient where messageid = $1::bigint returning securelinkid)
       insert into securelinkread (securelinkid, readdate, what, address)
       select securelinkid, $2::timestamptz, 'Message', '192.0.2.7' from link`,
      [id, p.platform.clock.now()],
    );
    const before = await shown(`/messages/${id}`);
    assert.match(before, /Secure: read by 1\s+of 1 recipient\. 1 link still valid\./);
    assert.match(before, /arowe@rowelaw\.example<\/bdi> read the message[^]*?192\.0\.2\.7/);
    assert.match(before, /Revoke 1 link\?/);
    const path = `/messages/${id}`;
    assert.equal((await partner.post(path, { Action: 'revoke', Back: path })).status, 404);
    const revoked = await clerk.post(path, { Action: 'revoke', Back: path });
    assert.equal(revoked.location, `${path}?done=mail-revoked&message=${id}`);
    const after = await shown(path);
    assert.match(after, /No link works any more\.[^]*?revoked /);
    assert.doesNotMatch(after, /value="revoke"/);
  });

  it('MSG-17 the page of a template counts the recipients of its messages by state', async () => {
    const { MessageTemplateID: id } = await admin.save('messagetemplate', { MessageTemplate: 'Counted' });
    const messageId = await sentMail(p, { subject: 'Counted', caseId, personId: clerkUser.personId });
    await p.platform.store.query('update message set messagetemplateid = $2::bigint where messageid = $1::bigint', [
      messageId,
      id,
    ]);
    const page = await shown(`/configure/messages/${String(id)}/recipients`);
    assert.match(page, /1 recipient · 1 message from this template\./);
    assert.match(page, new RegExp(`href="/messages/${messageId}">Message`));
    assert.match(await shown(`/configure/messages/${String(id)}`), /\/recipients"/);
  });

  it('MSG-01 MSG-18 a template is tried on a real record while it is edited, cleaned in its frame, and gets versions by language', async () => {
    await p.user('analyst', 'Administrator');
    const analyst = await testSession(p, 'analyst');
    const { MessageTemplateID: id } = await admin.save('messagetemplate', {
      MessageTemplate: 'Notice',
      AppliesTo: 'Foreclosure',
      Subject: 'About {Foreclosure}',
      BodyText: 'Stored',
    });
    const path = `/configure/messages/${String(id)}`;
    const tried = { Object: 'Foreclosure', ObjectID: String(caseId) };
    assert.match(
      (await analyst.get(`${path}?${new URLSearchParams(tried).toString()}`)).text,
      /data-shown="P-1"[^]*<bdi>About P-1</,
    );
    const edited = { ...tried, Subject: 'Edited {Foreclosure}', ToAddress: 'a@example.net' };
    const { text } = await analyst.post(`${path}/preview`, edited);
    assert.match(text, /<bdi>Edited P-1<[^]*a@example\.net/);
    const frame = await analyst.post(`${path}/frame`, {
      ...tried,
      BodyHTML: '<b>{Foreclosure}</b><script>run()</script>',
    });
    assert.match(frame.text, /<b>P-1<\/b>/);
    assert.doesNotMatch(frame.text, /<script|run\(/);
    const added = await analyst.post(path, { Action: 'variant', Language: 'Spanish' });
    assert.match(added.location ?? '', /^\/configure\/messages\/\d+\?done=saved$/);
    assert.match((await analyst.get(path)).text, /aria-label="Languages"[^]*Spanish/);
    assert.equal(
      (await admin.select('messagetemplate', id))['Subject'],
      'About {Foreclosure}',
      'a preview saves nothing',
    );
  });

  it("MSG-11 KRN-18 a firm's user finds no conversation of others, and none of the pages for staff", async () => {
    assert.equal((await partner.get(`/messages/${threadId}`)).status, 404);
    assert.equal((await partner.get(`/messages?thread=${threadId}`)).status, 404);
    assert.doesNotMatch((await partner.get('/messages')).text, /Two items|Not filed|Set aside/);
    assert.equal((await partner.get('/administration/mailboxes')).status, 403);
    assert.equal((await partner.get('/administration/blocked-addresses')).status, 403);
    assert.ok(firm.organizationId > 0);
  });

  it('MSG-19 MSG-08 the page of mailboxes says which server checks senders and uses it, or what to do without one', async () => {
    await p.user('mail admin', 'Administrator');
    const boss = await testSession(p, 'mail admin');
    const box = await testMailbox(p, 'Senders', { Host: 'imap.example' });
    const path = '/administration/mailboxes';
    const page = async (): Promise<string> => (await boss.get(path)).text;
    assert.doesNotMatch(await page(), /did not confirm|are checked by/);
    box.receiver.add(sampleMail({ subject: 'Unchecked', authentication: null }));
    await box.receive();
    assert.match(await page(), /did not confirm who sent the newest 1 email[^]*are filed if they come[^]*ReplyDomain/);
    const unfiled = async (): Promise<string> => (await boss.get('/messages/unfiled')).text;
    assert.match(
      await unfiled(),
      /No mail server has confirmed the sender of 1 email [^]*href="\/administration\/mailboxes"/,
    );
    assert.match(await shown('/messages/unfiled'), /An administrator can change this/);
    for (const subject of ['One', 'Two', 'Three'])
      box.receiver.add(sampleMail({ subject, authentication: 'mx.example; dmarc=pass header.from=sender.example' }));
    await box.receive();
    assert.match(await page(), /are checked by <b><bdi>mx\.example<\/bdi><\/b>[^]*checked 3 of\s+4 new emails/);
    const used = await boss.post(path, { ID: String(box.id), Action: 'use-server', Server: 'mx.example' });
    assert.equal(used.location, `${path}?server=${box.id}#mailbox-${box.id}`);
    assert.equal((await admin.select('mailinbound', box.id))['AuthenticationServer'], 'mx.example');
    const after = (await boss.get(used.location ?? '')).text;
    assert.match(after, /Saved\. From now on/);
    assert.doesNotMatch(after, /did not confirm|are checked by/);
    assert.equal((await clerk.post(path, { ID: String(box.id), Action: 'use-server', Server: 'x' })).status, 403);
  });

  it('WEB-01 mail that was set aside, blocked addresses and conversations of a case are shown page by page, each once', async () => {
    await p.user('pager', 'Administrator');
    const pager = await testSession(p, 'pager');
    const { ForeclosureID: paged } = await admin.save('foreclosure', { Foreclosure: 'P-2' });
    const box = await testMailbox(p, 'Paged');
    await p.platform.store.query(
      `insert into mailreceipt (mailinboundid, folder, uidvalidity, uid, mailreceipt, status)
       select $1::bigint, 'INBOX', '1', n::text, 'Paged aside ' || n || '.', 'SetAside' from generate_series(1, 101) n`,
      [box.id],
    );
    await p.platform.store.query(
      `insert into mailsuppression (mailsuppression, reason, scope)
       select 'paged' || n || '@example.net', 'Bounced', 'All' from generate_series(1, 101) n`,
    );
    await p.platform.store.query(
      `insert into message (message, bodytext, object, objectid, status, messagetype, sentdate, fromaddress)
       select 'Paged thread ' || n || '.', 'Text', 'Foreclosure', $1::bigint, 'Sent', 'Email',
         $2::timestamptz - make_interval(mins => n), 'a@example.net' from generate_series(1, 51) n`,
      [paged, p.platform.clock.now()],
    );
    const lists = [
      ['/messages/set-aside', /Paged aside \d+\./g, 'Next page', 101, 100],
      ['/administration/blocked-addresses?find=paged', /paged\d+@example\.net(?=<)/g, 'Next page', 101, 100],
      [`/case/foreclosure/${String(paged)}?tab=messages`, /Paged thread \d+\./g, 'Older conversations', 51, 50],
    ] as const;
    for (const [path, pattern, link, all, size] of lists) {
      const seen = (text: string): ReadonlySet<string> => new Set(text.match(pattern));
      const first = await pager.get(path);
      assert.equal(seen(first.text).size, size, path);
      const next = new RegExp(`href="([^"]*)"[^>]*>(?:<span>)?${link}`).exec(first.text)?.[1] ?? '';
      const second = await pager.get(next.replaceAll('&amp;', '&'));
      assert.equal(seen(second.text).size, all - size, next);
      assert.equal(new Set([...seen(first.text), ...seen(second.text)]).size, all, path);
      assert.doesNotMatch(second.text, /Next page/);
    }
  });

  it('MSG-15 a blocked address is listed with the reason and lifted; a wrong one is refused beside its field', async () => {
    await p.user('boss', 'Administrator');
    const boss = await testSession(p, 'boss');
    const path = '/administration/blocked-addresses';
    await admin.save('mailsuppression', { MailSuppression: 'gone@example.net', Reason: 'Bounced', Detail: '550' });
    const { text } = await boss.get(`${path}?find=gone`);
    assert.match(text, /gone@example\.net[^]*?There is no such mailbox/);
    const [, id = ''] = /name="ID" value="(\d+)"/.exec(text) ?? [];
    assert.equal((await boss.post(path, { Action: 'lift', ID: id })).location, `${path}?done=address-lifted`);
    assert.doesNotMatch((await boss.get(path)).text, /gone@example\.net/);
    const refused = await boss.post(path, { Action: 'block', MailSuppression: 'x'.repeat(400) });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /aria-invalid="true"/);
    assert.match((await boss.get('/administration/mailboxes')).text, /Office/);
  });

  it('MSG-02 LED-11 the pages of mail servers and payment gateways test them, and show no text of an address', async () => {
    await p.user('server admin', 'Administrator');
    const boss = await testSession(p, 'server admin');
    const path = '/administration/mail-servers';
    assert.match((await boss.get(path)).text, /There is no mail server yet/);
    const { MailOutboundID: ID } = await admin.save('mailoutbound', {
      MailOutbound: 'Main',
      Description: '<b>ours</b>',
      Host: 'smtp.nowhere.invalid',
      FromAddress: 'cases@office.example',
    });
    await p.platform.store.query("insert into maildelivery (status) values ('Waiting')");
    const page = await boss.get(`${path}?problem=Fake&server=${String(ID)}`);
    assert.match(page.text, /Default[^]*&lt;b&gt;ours[^]*smtp\.nowhere\.invalid[^]*STARTTLS[^]*cases@office\.example/);
    assert.match(page.text, /email waiting to be sent|emails waiting to be sent/);
    assert.doesNotMatch(page.text, /Fake/);
    assert.match((await boss.post(path, { ID: String(ID) })).text, /Test failed\. The mail server cannot be used/);
    assert.equal((await boss.post(path, { ID: '999999999' })).status, 404);
    assert.equal((await partner.get(path)).status, 403);

    const gateways = '/administration/payment-gateways';
    await admin.save('paymentprovider', { PaymentProvider: 'Trial', PaymentProviderType: 'test' });
    const cards = await admin.save('paymentprovider', { PaymentProvider: 'Cards 2', ApiKey: 'sk_test_of_nobody' });
    const forged = await boss.get(`${gateways}?problem=Fake&gateway=${String(cards['PaymentProviderID'])}`);
    assert.doesNotMatch(forged.text, /Fake/);
    assert.match(forged.text, /http[^<]*\/api\/paymentprovider\/event\?PaymentProvider=Cards%202</);
    assert.doesNotMatch(forged.text, /PaymentProvider=Trial/, 'a test gateway sends no webhooks');
  });
});
