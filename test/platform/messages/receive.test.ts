import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { replyAddressOf } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { sentMessage, testMailbox } from '../../support/messages/test-mailbox.ts';
import { zipOf } from '../../support/documents.ts';
import { eicar, startClamd } from '../../support/peers/clamd.ts';
import { testPlatform } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';

const p = await testPlatform({ after });
const api = client(p);
const sql = async (text: string, params: unknown[] = []): Promise<Row[]> => [
  ...(await p.platform.store.query<Row>(text, params)),
];

const counts = ({ Received, Duplicate, OwnCopy, Reports, SetAside, Behind }: Row): unknown[] => [
  Received,
  Duplicate,
  OwnCopy,
  Reports,
  SetAside,
  Behind,
];

describe('message/receive', () => {
  it('MSG-05 MSG-07 a mail becomes a message with its recipients, files, source and external ID', async () => {
    const box = await testMailbox(p, 'Desk');
    const { message, receipt } = await box.take({
      cc: 'Bob <bob@sender.example>, BOB@sender.example',
      headers: { Bcc: 'carl@sender.example', 'Reply-To': 'office@sender.example' },
      files: [{ name: 'deed.txt', mime: 'text/plain', content: 'A deed.' }],
    });
    assert.deepEqual(
      [message?.['Message'], message?.['BodyText'], message?.['FromAddress'], message?.['Status'], message?.['Object']],
      ['A question', 'Hello.', 'ann@sender.example', 'Unfiled', undefined],
    );
    assert.deepEqual(
      [message?.['SentDate'], message?.['ThreadID']],
      ['2026-03-02T09:00:00.000Z', message?.['MessageID']],
    );
    const id = message?.['MessageID'];
    const recipients = await api.expectRows('messagerecipient/search', { MessageID: id, OrderBy: 'Category' });
    assert.deepEqual(
      recipients.map((row) => [row['MessageRecipient'], row['Category'], row['Name']]),
      [
        ['cases@firm.example', 0, undefined],
        ['BOB@sender.example', 1, undefined],
        ['carl@sender.example', 2, undefined],
        ['office@sender.example', 3, undefined],
      ],
    );
    const files = await api.expectRows('attachment/search', { Object: 'Message', ObjectID: id });
    assert.deepEqual(
      files.map((row) => [row['FileName'], row['FileSize']]),
      [['deed.txt', 7]],
    );
    const raw = await p.admin.get(`/api/attachment/download?ID=${String(receipt['AttachmentID'])}`);
    assert.match(raw.text, /^Authentication-Results: [\s\S]*From: Ann Borrower[\s\S]*A question/);
    assert.deepEqual(
      (await api.expectRows('objectsubscription/search', { Object: 'Message', ObjectID: id })).map(
        (row) => row['SubscriberID'],
      ),
      ['mail.example-Desk-MailLib-Uid-1.1'],
    );
    assert.deepEqual(box.receiver.settled, ['1']);
    assert.deepEqual(counts(await box.receive()), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(await sql("select count(*)::int from attachment where filepath like '/Staged/%'"), [{ count: 0 }]);
  });

  it('MSG-05 several accounts are received in one call; one that cannot be read stops no other, and its state says why', async () => {
    const [first, second] = [await testMailbox(p, 'First'), await testMailbox(p, 'Second')];
    first.receiver.failure = new PlatformError('STATE_REFUSES', { field: 'Password', message: 'Sign-in refused.' });
    second.receiver.add(sampleMail());
    const answer = await api.expectOk('message/receive', { Account: 'first,Second' });
    const { ReceiveItem: rows } = answer['ReceiveCollection'] as { ReceiveItem: Row[] };
    assert.deepEqual(
      rows.map((row) => [row['Account'], row['Received'], row['Behind'], row['Error']]),
      [
        ['First', 0, undefined, 'Sign-in refused.'],
        ['Second', 1, 0, undefined],
      ],
    );
    const [failed, fine] = [await api.select('mailinbound', first.id), await api.select('mailinbound', second.id)];
    assert.deepEqual(
      [failed['State'], failed['LastError'], failed['LastSuccess']],
      ['SignInNeeded', 'Sign-in refused.', undefined],
    );
    assert.deepEqual([fine['State'], fine['LastError'], fine['Behind'], fine['LastUid']], ['Idle', undefined, 0, '1']);
    await api.expectRefused('message/receive', { Account: 'Secnd' }, 'BAD_PARAMETER', 'Account');
    await api.expectRefused('message/receive', { Account: 'First' }, 'STATE_REFUSES', 'Password');
    const firm = await p.firm('Receiving Firm');
    await client(p, firm.caller).expectRefused('message/receive', {}, 'NO_PERMISSION');
  });

  it('MSG-06 filters are passed to the mailbox, and wrong ones are refused', async () => {
    const box = await testMailbox(p, 'Filters');
    const looks: unknown[] = [];
    const look = box.receiver.look.bind(box.receiver);
    box.receiver.look = (filters) => {
      looks.push(filters);
      return look(filters);
    };
    await box.receive({
      HasEmail: 'a@b.example',
      To: 't@b.example',
      Cc: 'c@b.example',
      Bcc: 'd@b.example',
      Sent: '2026-03-01..',
      Delivered: '2026-03-02',
      Subject: 'deed',
      Label: 'Court',
    });
    box.receiver.add(sampleMail());
    await box.receive();
    await box.receive({ MailLibLatest: true });
    const [receipt = {}] = await api.expectRows('mailreceipt/search', { MailInboundID: box.id });
    const always = { since: '2026-01-01T00:00:00.000Z', timeZone: 'America/New_York' };
    assert.deepEqual(looks, [
      {
        hasEmail: 'a@b.example',
        to: 't@b.example',
        cc: 'c@b.example',
        bcc: 'd@b.example',
        sent: { from: '2026-03-01' },
        delivered: { from: '2026-03-02', to: '2026-03-02' },
        subject: 'deed',
        label: 'Court',
        ...always,
      },
      always,
      { ...always, after: { folder: 'INBOX', uidValidity: '1', uid: '1', headerHash: receipt['HeaderHash'] } },
    ]);
    for (const Sent of ['yesterday', '2026-02-30', '2026-03-02..2026-03-01', '..'])
      await api.expectRefused('message/receive', { Account: 'Filters', Sent }, 'BAD_PARAMETER', 'Sent');
  });

  it('MSG-05 a broken mail is set aside with its reason and source and stops no other; retry stores it', async () => {
    const box = await testMailbox(p, 'Broken');
    box.receiver.add(sampleMail({ subject: 'Before' }));
    box.receiver.add(sampleMail({ subject: 'Too large', text: 'x'.repeat(1_100_000) }));
    box.receiver.add(sampleMail({ subject: 'Behind it' }));
    await api.save('setting', { Setting: 'ReceivedMailMegabytesMax', Value: '1' });
    assert.deepEqual(counts(await box.receive()), [2, 0, 0, 0, 1, 0]);
    const [aside = {}] = await api.expectRows('mailreceipt/search', { MailInboundID: box.id, Status: 'SetAside' });
    assert.match(String(aside['Reason']), /larger than 1 megabytes/);
    assert.deepEqual([aside['MailReceipt'], aside['FromAddress']], ['Too large', 'ann@sender.example']);
    assert.equal(typeof aside['AttachmentID'], 'number');
    const still = await api.expectOk('mailreceipt/retry', { ID: aside['MailReceiptID'] });
    assert.deepEqual([still['Status'], still['MessageID']], ['SetAside', undefined]);
    assert.equal((await api.select('mailreceipt', aside['MailReceiptID']))['MailReceipt'], 'Too large');
    await api.save('setting', { Setting: 'ReceivedMailMegabytesMax', Value: '64' });
    const stored = await api.expectOk('mailreceipt/retry', { ID: aside['MailReceiptID'] });
    assert.equal(stored['Status'], 'Received');
    assert.equal((await api.select('message', stored['MessageID']))['Message'], 'Too large');
    assert.deepEqual(await api.expectOk('mailreceipt/retry', { ID: aside['MailReceiptID'] }), stored);
    assert.equal((await sql("select 1 from message where message = 'Too large'")).length, 1);
  });

  it('MSG-05 a message that a business rule refuses is set aside, not lost, and stored once the rule allows it', async () => {
    const box = await testMailbox(p, 'Ruled');
    const rule = await api.save('businessrule', {
      BusinessRule: 'No lotteries',
      AppliesTo: 'Message',
      Operation: 'Insert',
      Stylesheet: refusing("MessageItem/Message = 'You have won'", 'Lotteries are not received.'),
    });
    box.receiver.add(sampleMail({ subject: 'You have won' }));
    box.receiver.add(sampleMail({ subject: 'Behind the lottery' }));
    assert.deepEqual(counts(await box.receive()), [1, 0, 0, 0, 1, 0]);
    const [aside = {}] = await api.expectRows('mailreceipt/search', { MailInboundID: box.id, Status: 'SetAside' });
    assert.match(String(aside['Reason']), /Lotteries are not received/);
    assert.equal(typeof aside['AttachmentID'], 'number');
    assert.deepEqual(await sql("select 1 from message where message = 'You have won'"), []);
    await api.expectOk('businessrule/delete', { ID: rule['BusinessRuleID'] });
    const stored = await api.expectOk('mailreceipt/retry', { ID: aside['MailReceiptID'] });
    assert.equal((await api.select('message', stored['MessageID']))['Message'], 'You have won');
  });

  it('MSG-05 a mail without headers or text is received', async () => {
    const box = await testMailbox(p, 'Empty');
    const { receipt, message } = await box.take({
      subject: 'Empty mail',
      text: '',
      from: null,
      messageId: null,
      date: null,
      to: null,
    });
    assert.deepEqual([receipt['Status'], message?.['Message']], ['Received', 'Empty mail']);
    const empty = await box.take(Buffer.from('\r\n'));
    assert.deepEqual([empty.receipt['Status'], empty.message?.['Message']], ['Received', '(no subject)']);
  });

  it('MSG-05 a mail that has only HTML has its text too, in lines, for lists and replies', async () => {
    const box = await testMailbox(p, 'Formatted');
    const { message } = await box.take(
      Buffer.from(
        'Subject: Formatted\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n' +
          '<style>p { color: red }</style><p>Dear Ms. Rowe,</p><p>Fees &amp; costs:<br>none</p>',
      ),
    );
    assert.equal(message?.['BodyText'], 'Dear Ms. Rowe,\nFees & costs:\nnone');
  });

  it('MSG-05 a missing folder is a failure, which no other password repairs', async () => {
    const box = await testMailbox(p, 'Renamed');
    box.receiver.failure = new PlatformError('STATE_REFUSES', { field: 'Folder', message: 'Folder: it is missing.' });
    await api.expectRefused('message/receive', { Account: 'Renamed' }, 'STATE_REFUSES', 'Folder');
    const { State, LastError } = await api.select('mailinbound', box.id);
    assert.deepEqual([State, LastError], ['Failed', 'Folder: it is missing.']);
  });

  it('MSG-05 MSG-13 malware in a file leaves the file out, malware in the source the source; the mail arrives', async () => {
    const clamd = await startClamd({ after });
    await api.save('setting', { Setting: 'MalwareScanner', Value: clamd.address });
    try {
      const box = await testMailbox(p, 'Infected');
      const clean = { name: 'clean.txt', mime: 'text/plain', content: 'clean' };
      const bad = { name: 'bad.txt', mime: 'text/plain', content: eicar() };
      const inFile = await box.take({ subject: 'In a file', files: [clean, bad] });
      assert.equal(inFile.receipt['Status'], 'Received');
      assert.match(String(inFile.receipt['Reason']), /"bad\.txt" was left out.*Malware/);
      const files = await api.expectRows('attachment/search', {
        Object: 'Message',
        ObjectID: inFile.message?.['MessageID'],
        OrderBy: 'AttachmentID',
      });
      assert.deepEqual(
        files.map((row) => [row['Attachment'], row['FileSize'], row['ScanState']]),
        [
          ['clean.txt', 5, 'Clean'],
          ['bad.txt', undefined, undefined],
        ],
      );
      const inSource = await box.take({ subject: 'In the source', text: eicar().toString() });
      assert.deepEqual([inSource.receipt['Status'], inSource.receipt['AttachmentID']], ['Received', undefined]);
      assert.match(String(inSource.receipt['Reason']), /raw mail is not stored.*Malware/);
      assert.equal(inSource.message?.['Message'], 'In the source');
      assert.deepEqual(box.receiver.settled.length, 2);
    } finally {
      await api.save('setting', { Setting: 'MalwareScanner', Value: '' });
    }
  });

  it('MSG-13 an attached zip bomb is stored as the file that it is, and refused when it is unpacked', async () => {
    const box = await testMailbox(p, 'Bombed');
    const bomb = await zipOf({ 'zeros.bin': Buffer.alloc(20 * 1_048_576) });
    const { message, receipt } = await box.take({
      files: [{ name: 'bomb.zip', mime: 'application/zip', content: bomb }],
    });
    assert.equal(receipt['Status'], 'Received');
    const [file = {}] = await api.expectRows('attachment/search', {
      Object: 'Message',
      ObjectID: message?.['MessageID'],
    });
    assert.deepEqual([file['FileName'], file['FileSize']], ['bomb.zip', bomb.length]);
    await api.save('setting', { Setting: 'UnzipMegabytesMax', Value: '1' });
    await api.expectRefused('attachment/unzip', { ID: file['AttachmentID'] }, 'STATE_REFUSES');
  });

  it('MSG-13 a mail of 50 MB is received with its file', async () => {
    const box = await testMailbox(p, 'Large');
    const content = Buffer.alloc(37 * 1_048_576, 'large ');
    const { message, receipt } = await box.take({ files: [{ name: 'large.bin', mime: 'application/pdf', content }] });
    assert.equal(receipt['Status'], 'Received');
    assert.ok(Number(receipt['Size']) >= 50 * 1_048_576, `the mail has ${String(receipt['Size'])} bytes`);
    const [file = {}] = await api.expectRows('attachment/search', {
      Object: 'Message',
      ObjectID: message?.['MessageID'],
    });
    assert.equal(file['FileSize'], content.length);
  });

  it('MSG-05 MSG-07 mails that are stored together end as those that are stored one by one', async () => {
    await api.save('setting', { Setting: 'ReplyDomain', Value: 'reply.cases.example' });
    const logo = { name: 'logo.png', mime: 'image/png', content: 'a logo' };
    const prepare = async (firm: string) => {
      const { organizationId } = await p.firm(`${firm} Together`);
      const box = await testMailbox(p, `${firm} together`, { OrganizationID: organizationId });
      const number = `GR-${firm.toUpperCase()}-1`;
      const found = await api.save('foreclosure', { Foreclosure: number, OrganizationID: organizationId });
      const sent = await sentMessage(p, { caseId: Number(found['ForeclosureID']), to: ['ann@sender.example'] });
      const reply = replyAddressOf(p.platform, sent.id) ?? '';
      const id = (name: string): string => `${name}-${firm}@sender.example`;
      const mails = [
        sampleMail({ subject: 'First', messageId: id('first'), files: [logo] }),
        sampleMail({
          subject: 'Second',
          messageId: id('second'),
          cc: 'x@y.example, Z <z@y.example>',
          files: [logo, logo],
        }),
        sampleMail({ subject: 'By header', messageId: id('header'), inReplyTo: sent.mailId }),
        sampleMail({ subject: 'By address', messageId: id('address'), to: reply }),
        sampleMail({ subject: `About ${number}`, messageId: id('subject') }),
        sampleMail({ subject: `About ${number}`, messageId: id('stranger'), from: 'eve@other.example' }),
        sampleMail({ subject: 'To unknown', messageId: id('unknown'), references: ['never@seen.example'] }),
        sampleMail({ subject: 'Answer to it', messageId: id('answer'), inReplyTo: id('unknown') }),
        sampleMail({ subject: 'Own', messageId: sent.mailId, from: 'office@office.example' }),
        sampleMail({ subject: 'First', messageId: id('first'), files: [logo] }),
        sampleMail({ subject: 'First changed', messageId: id('first'), text: 'Other.' }),
        sampleMail({ subject: 'Without ID', messageId: null }),
        sampleMail({ subject: '\u{1f4c4}'.repeat(600), messageId: id('long'), html: '<p>Only <b>this</b></p>' }),
        sampleMail({ subject: 'Last', messageId: id('last'), files: [{ ...logo, name: 'x'.repeat(250) }] }),
      ];
      return { box, mails };
    };
    const [together, single] = [await prepare('a'), await prepare('b')];
    for (const mail of together.mails) together.box.receiver.add(mail);
    assert.equal((await together.box.receive())['Behind'], 0);
    // What a transaction has written has its number.
    const [{ alike } = {}] = await sql(
      `select count(distinct xmin::text) = 1 as alike from mailreceipt
       where mailinboundid = $1::bigint and uid in ('1', '2', '3', '4', '5', '6', '7')`,
      [together.box.id],
    );
    assert.equal(alike, true, 'they were stored in one transaction');
    for (const mail of single.mails) await single.box.take(mail);
    const ended = async ({ id }: { readonly id: number }): Promise<string> =>
      JSON.stringify(
        await sql(
          `select r.uid, r.status, r.reason, r.mailreceipt, r.fromaddress, r.inreplyto is null as answers, r.size,
             r.earlierids is null as earlier, r.contenthash, raw.filename, raw.mimetype, raw.filesize, raw.sealed,
             raw.filehash, raw.attachment, m.message, m.bodytext, m.bodyhtml, m.fromname, m.status as filed, m.object,
             m.filedby, m.subjectchanged, m.sentdate, m.threadid = m.messageid as begins, m.version,
             (select count(*) from messageproposal o where o.messageid = m.messageid) as proposals,
             (select count(*) from objectsubscription s where s.object = 'Message' and s.objectid = m.messageid) as ids,
             (select json_agg(json_build_array(c.category, c.name,
                 starts_with(c.messagerecipient::text collate "C", 'r+')) order by c.messagerecipientid)
               from messagerecipient c where c.messageid = m.messageid) as recipients,
             (select json_agg(json_build_array(a.filename, a.attachment, a.mimetype, a.filesize, a.filehash, a.sealed,
                 a.xmldata::text, a.fileversion) order by a.attachmentid)
               from attachment a where a.object = 'Message' and a.objectid = m.messageid) as files
           from mailreceipt r
           left join attachment raw on raw.attachmentid = r.attachmentid
           left join message m on m.messageid = r.messageid
           where r.mailinboundid = $1::bigint
           order by r.uid::integer`,
          [id],
        ),
        undefined,
        1,
      ).replaceAll(/GR-[AB]-1|\(message \d+\)|-[ab]@sender/gi, '…');
    const expected = await ended(single.box);
    assert.match(expected, /"ReplyHeader"[^]*"ReplyToken"[^]*"Subject"/);
    assert.equal(await ended(together.box), expected);
  });

  it('MSG-05 a mail that was stored before a crash, and not moved, is moved by the next look', async () => {
    const box = await testMailbox(p, 'Not moved');
    await box.take({ subject: 'Not moved' });
    box.receiver.settled.length = 0;
    assert.deepEqual(counts(await box.receive()), [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(box.receiver.settled, ['1']);
  });

  it('MSG-07 two receivers at once store each mail once', async () => {
    const box = await testMailbox(p, 'Twice');
    for (let n = 0; n < 12; n++)
      box.receiver.add(
        sampleMail({ subject: `Race ${n}`, files: [{ name: 'a.txt', mime: 'text/plain', content: String(n) }] }),
      );
    const answers = await Promise.all(Array.from({ length: 3 }, () => box.receive()));
    assert.equal(
      answers.reduce((sum, row) => sum + Number(row['Received']), 0),
      12,
    );
    assert.deepEqual(
      await sql(
        "select count(*)::int as n, count(distinct message)::int as subjects from message where message like 'Race %'",
      ),
      [{ n: 12, subjects: 12 }],
    );
    assert.deepEqual(
      await sql(`select count(*)::int as n from attachment a join message m on a.object = 'Message'
      and a.objectid = m.messageid where m.message like 'Race %'`),
      [{ n: 12 }],
    );
  });

  it('MSG-07 (the same mail to two mailboxes) one message with two receipts, also if both receive it at once', async () => {
    const [one, two] = [await testMailbox(p, 'Sales'), await testMailbox(p, 'Service')];
    for (let n = 0; n < 5; n++) {
      const mail = sampleMail({ subject: `To both ${n}`, to: 'sales@firm.example, service@firm.example' });
      one.receiver.add(Buffer.concat([Buffer.from('Delivered-To: sales@firm.example\r\n'), mail]));
      two.receiver.add(Buffer.concat([Buffer.from('Delivered-To: service@firm.example\r\n'), mail]));
    }
    const [first, second] = await Promise.all([one.receive(), two.receive()]);
    assert.equal(Number(first['Received']) + Number(second['Received']), 5);
    assert.equal(Number(first['Duplicate']) + Number(second['Duplicate']), 5);
    const rows = await sql(`select m.message, count(r.*)::int as receipts from message m
      join mailreceipt r on r.messageid = m.messageid where m.message like 'To both %'
      group by m.messageid, m.message order by 1`);
    assert.deepEqual(
      rows.map(({ receipts }) => receipts),
      [2, 2, 2, 2, 2],
    );
  });

  it('MSG-07 (the same mail to two firms) each firm has its own message', async () => {
    const [a, b] = [await p.firm('Alpha Receiving'), await p.firm('Beta Receiving')];
    const mail = sampleMail({ subject: 'To two firms' });
    const [first, second] = [
      await testMailbox(p, 'Alpha', { OrganizationID: a.organizationId }),
      await testMailbox(p, 'Beta', { OrganizationID: b.organizationId }),
    ];
    const [one, two] = [await first.take(mail), await second.take(mail)];
    assert.deepEqual([one.receipt['Status'], two.receipt['Status']], ['Received', 'Received']);
    assert.notEqual(one.message?.['MessageID'], two.message?.['MessageID']);
  });

  it('MSG-07 (two mails with one Message-ID) another content is a new message, and the receipt says so', async () => {
    const box = await testMailbox(p, 'Bills');
    const first = await box.take({ messageId: 'bill@shop.example', text: 'January' });
    const second = await box.take({ messageId: 'bill@shop.example', text: 'February' });
    const again = await box.take({ messageId: 'bill@shop.example', text: 'January' });
    assert.deepEqual(
      [first, second, again].map(({ receipt }) => receipt['Status']),
      ['Received', 'Received', 'Duplicate'],
    );
    assert.match(String(second.receipt['Reason']), /Another email with this Message-ID has other contents/);
    assert.equal(again.receipt['MessageID'], first.message?.['MessageID']);
  });

  it('MSG-07 (folder made anew) a new UIDVALIDITY, or new numbers under the old one, make no second message', async () => {
    const box = await testMailbox(p, 'Renumbered');
    const mails = ['One', 'Two', 'Three'].map((subject) => sampleMail({ subject: `Numbered ${subject}` }));
    const bare = sampleMail({ subject: 'Numbered without ID', messageId: null });
    for (const mail of [...mails, bare]) box.receiver.add(mail);
    assert.equal((await box.receive())['Received'], 4);
    box.receiver.uidValidity = 2;
    assert.deepEqual(counts(await box.receive()), [0, 4, 0, 0, 0, 0]);
    // The numbers are given away anew under the same UIDVALIDITY.
    box.receiver.mails = box.receiver.mails.toReversed().map((mail, n) => ({ ...mail, uid: n + 1 }));
    assert.deepEqual(counts(await box.receive()).slice(0, 1), [0]);
    box.receiver.mails.unshift({
      uid: 0,
      receivedDate: new Date().toISOString(),
      source: sampleMail({ subject: 'Numbered Four' }),
    });
    box.receiver.mails = box.receiver.mails.map((mail, n) => ({ ...mail, uid: n + 1 }));
    assert.deepEqual(counts(await box.receive()).slice(0, 1), [1]);
    assert.equal((await sql("select 1 from message where message like 'Numbered %'")).length, 5);
  });

  it('MSG-07 (own mail comes back) a copy of a mail that was sent here is no message', async () => {
    const box = await testMailbox(p, 'Own');
    const caseId = Number((await api.save('foreclosure', { Foreclosure: 'OWN-1' }))['ForeclosureID']);
    const sent = await sentMessage(p, { caseId, to: ['ann@sender.example'] });
    const copy = await box.take({ from: 'office@office.example', messageId: sent.mailId });
    assert.deepEqual([copy.receipt['Status'], copy.message], ['OwnCopy', undefined]);
    // Somebody else who uses the Message-ID writes a mail of their own.
    const forged = await box.take({ from: 'mallory@evil.example', messageId: sent.mailId });
    assert.deepEqual([forged.receipt['Status'], forged.message?.['Status']], ['Received', 'Unfiled']);
  });

  it('MSG-05 (first connection) a new mailbox receives from when it was saved; Since receives older mail', async () => {
    const box = await testMailbox(p, 'Fresh', { Since: null });
    box.receiver.add(sampleMail({ subject: 'Long ago' }), '2020-01-01T00:00:00.000Z');
    box.receiver.add(sampleMail({ subject: 'Just now' }), new Date(Date.now() + 60_000).toISOString());
    assert.equal((await box.receive())['Received'], 1);
    await api.save('mailinbound', { ID: box.id, Since: '2019-01-01T00:00:00Z' });
    assert.equal((await box.receive())['Received'], 1);
  });

  it('MSG-05 a mail that is gone when it is fetched is skipped', async () => {
    const box = await testMailbox(p, 'Gone');
    box.receiver.add(sampleMail({ subject: 'Gone' }));
    box.receiver.beforeFetch = () => {
      box.receiver.mails = [];
    };
    assert.deepEqual(counts(await box.receive()), [0, 0, 0, 0, 0, 0]);
  });

  it('MSG-05 a server that fails in the middle leaves what was received, and the next call continues', async () => {
    const box = await testMailbox(p, 'Failing');
    for (let n = 0; n < 5; n++) box.receiver.add(sampleMail({ subject: `Failing ${n}` }));
    let fetched = 0;
    box.receiver.beforeFetch = () => {
      if (++fetched === 4) throw new PlatformError('UNAVAILABLE', { message: 'The connection was lost.' });
    };
    await api.expectRefused('message/receive', { Account: 'Failing' }, 'UNAVAILABLE');
    const row = await api.select('mailinbound', box.id);
    assert.deepEqual([row['State'], row['LastError'], row['Behind']], ['Failed', 'The connection was lost.', 2]);
    assert.equal((await box.receive())['Received'], 2);
    assert.equal((await sql("select 1 from message where message like 'Failing %'")).length, 5);
  });

  it('MSG-05 MSG-06 a queued call and a recurring one receive too', async () => {
    const on = await testPlatform({ after }, { worker: true });
    const box = await testMailbox(on, 'Queued');
    box.receiver.add(sampleMail({ subject: 'By the queue' }));
    assert.equal((await client(on).send('message/queue/receive', { Account: 'Queued' })).status, 202);
    await eventually(
      'the mail is received',
      async () => (await on.platform.store.query("select 1 from message where message = 'By the queue'")).length === 1,
    );
    const recurring = { Account: 'Queued', ScheduleName: 'Daily @ 3am' };
    assert.equal((await client(on).send('message/queue/receive', recurring)).status, 202);
  });
});
