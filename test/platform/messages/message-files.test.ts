import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const { ForeclosureID } = await admin.save('foreclosure', { Foreclosure: 'A-1' });
const onCase = { Object: 'Foreclosure', ObjectID: ForeclosureID };

describe('saveaspdf', () => {
  it('MSG-12 MSG-15 prints headers and body to a document of the message', { skip: browserMissing }, async () => {
    const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const { MessageID } = await admin.save('message', {
      ...onCase,
      Subject: 'Payoff: "loan" 4711/A',
      FromName: 'Ada <b>',
      FromAddress: 'ada@firm.example',
      BodyHTML:
        '<p>The payoff is <b>1,234.56</b>.</p><script>document.body.innerHTML = "gone"</script>' +
        '<img src="http://127.0.0.1:1/tracker.png"><blockquote type="cite">Earlier question</blockquote>',
    });
    await admin.save('messagerecipient', { MessageID, MessageRecipient: 'to@court.example', Name: 'Court Clerk' });
    await admin.save('attachment', { Object: 'Message', ObjectID: MessageID, FileName: 'note.gif', Content: gif });
    const saved = await admin.expectOk('message/saveaspdf', { ID: MessageID });
    assert.deepEqual(
      [saved['FileName'], saved['MimeType'], saved['Object'], saved['ObjectID']],
      ['Payoff loan 4711 A.pdf', 'application/pdf', 'Message', MessageID],
    );
    await admin.expectOk('attachment/readtext', { ID: saved['AttachmentID'] });
    const page = await admin.expectOk('attachment/pagetext', { ID: saved['AttachmentID'], PageNumber: 1 });
    const text = String(page['Text'] ?? page['Body']).replace(/\s+/g, ' ');
    for (const part of [
      'Payoff: "loan" 4711/A',
      'Ada <b> <ada@firm.example>',
      'Court Clerk <to@court.example>',
      'note.gif',
      'The payoff is 1,234.56.',
      'Earlier question',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    await admin.expectRefused('message/saveaspdf', { ID: 999_999 }, 'NOT_FOUND', 'ID');
  });
});

describe('classify', () => {
  it('MSG-13 calculates a scorecard for each message, or for none', async () => {
    const { ScoreTemplateID } = await admin.save('scoretemplate', {
      ScoreTemplate: 'Kind of mail',
      AppliesTo: 'Message',
      ScoreEngine: 'ExpressionEngine',
      ValueType: 'Money',
      EngineParameters: 'Score = Priority * 2',
    });
    const ids: unknown[] = [];
    for (const Priority of [1, 2])
      ids.push((await admin.save('message', { ...onCase, Subject: 'Mail', Priority }))['MessageID']);
    const rows = await admin.expectRows('message/classify', { ID: [...ids, ids[0]], ScoreTemplateID });
    assert.deepEqual(
      rows.map((row) => [row['Object'], row['ObjectID'], row['ScoreMoney']]),
      ids.map((id, at) => ['Message', id, at * 2 + 2]),
    );
    await admin.expectRefused('message/classify', { ID: [ids[0], 999_999], ScoreTemplateID }, 'NOT_FOUND', 'ID');
    await admin.expectRefused('message/classify', { ID: ids, ScoreTemplateID: 999_999 }, 'BAD_PARAMETER');
  });
});

describe('watch', async () => {
  await admin.save('fileobject', { FileObject: 'Inbox', FileObjectType: 'Local', Folder: 'inbox' });
  const folder = join(p.storagesFolder, 'inbox');
  mkdirSync(folder, { recursive: true });
  const { MessageTemplateID } = await admin.save('messagetemplate', { MessageTemplate: 'Notice' });

  const put = (name: string, content: string | Buffer): void => {
    writeFileSync(join(folder, name), content);
    // Files are taken once they have not changed for a while.
    utimesSync(join(folder, name), new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000));
  };
  /** Looks twice, so that new files have settled. */
  async function watch(more: object = {}): Promise<Row> {
    await admin.expectOk('message/watch', { FileObject: 'Inbox', ...onCase, ...more });
    clock.advance(60_000);
    return admin.expectOk('message/watch', { FileObject: 'Inbox', ...onCase, ...more });
  }
  const messages = (subject: string): Promise<Row[]> => admin.expectRows('message/search', { Message: subject });

  it('MSG-14 makes a message of each text file once, in any encoding, with the file as its document', async () => {
    put('utf8.txt', 'Grüße');
    put('latin.txt', Buffer.from('Grüße', 'latin1'));
    put('utf16.txt', Buffer.from('\ufeffGrüße', 'utf16le'));
    put('picture.txt', Buffer.from('89504e470d0a1a0a0000000d49484452000000010203040506', 'hex'));
    put('large.txt', 'x'.repeat(5 * 1024 * 1024 + 1));
    const answer = await watch({ TemplateID: MessageTemplateID });
    assert.deepEqual([answer['Failed'], answer['Found']], [2, 5]);
    for (const name of ['utf8.txt', 'latin.txt', 'utf16.txt']) {
      const [row, ...others] = await messages(name);
      assert.deepEqual([row?.['BodyText'], others.length], ['Grüße', 0], name);
      assert.deepEqual(
        [row?.['Object'], row?.['ObjectID'], row?.['MessageTemplateID']],
        ['Foreclosure', ForeclosureID, MessageTemplateID],
      );
      const documents = await admin.expectRows('attachment/search', {
        Object: 'Message',
        ObjectID: row?.['MessageID'],
      });
      assert.deepEqual(
        documents.map((document) => [document['FileName'], document['FileObject']]),
        [[name, 'Inbox']],
      );
      assert.ok(existsSync(join(folder, name)));
    }
    for (const name of ['picture.txt', 'large.txt']) assert.deepEqual(await messages(name), []);
    await watch({ TemplateID: MessageTemplateID });
    assert.equal((await messages('utf8.txt')).length, 1);
  });

  it('MSG-14 calls the statement once for each message, and removes files on request', async () => {
    put('first.txt', 'One');
    put('second.txt', 'Two');
    await watch({ Pattern: 'first.txt;second.txt', Statement: 'Save?Status=Noted', RemoveFile: true });
    for (const name of ['first.txt', 'second.txt']) {
      const [row] = await messages(name);
      assert.deepEqual([row?.['Status'], row?.['Version'] ?? null], ['Noted', row?.['Version'] ?? null]);
      assert.equal(existsSync(join(folder, name)), false);
      const [document] = await admin.expectRows('attachment/search', {
        Object: 'Message',
        ObjectID: row?.['MessageID'],
      });
      assert.equal(
        (await p.admin.get(`/api/attachment/download?ID=${String(document?.['AttachmentID'])}`)).status,
        200,
      );
    }
    await admin.expectRefused('message/watch', { FileObject: 'Inbox', Statement: 'Nonsense' }, 'BAD_SIGNATURE');
    const firm = await p.firm('Firm');
    assert.equal((await firm.caller.post('/api/message/watch', { FileObject: 'Inbox' })).status, 403);
  });
});

describe('source', () => {
  it('MSG-05 sends the raw mail of a received message to staff, or its headers', async () => {
    const { MailInboundID } = await admin.save('mailinbound', {
      MailInbound: 'Office',
      Receiver: 'ImapReceiver',
      Host: 'mail.example',
      UserName: 'office',
      Password: 'password',
      Active: false,
    });
    const { MessageID } = await admin.save('message', { ...onCase, Subject: 'Mail' });
    const raw = 'From: a@x.example\r\nSubject: Mail\r\n\r\nHello\r\n';
    const { AttachmentID } = await admin.save('attachment', {
      FileName: 'mail.eml',
      Content: Buffer.from(raw).toString('base64'),
    });
    await p.platform.store.query(
      `insert into mailreceipt (mailinboundid, folder, uidvalidity, uid, messageid, attachmentid)
       values ($1::bigint, 'INBOX', '1', '1', $2::bigint, $3::bigint)`,
      [MailInboundID, MessageID, AttachmentID],
    );
    const whole = await p.admin.get(`/api/message/source?ID=${String(MessageID)}`);
    assert.deepEqual([whole.status, whole.text], [200, raw]);
    assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename="message-\d+\.eml"/);
    const headers = await p.admin.get(`/api/message/source?ID=${String(MessageID)}&HeadersOnly=true`);
    assert.equal(headers.text, 'From: a@x.example\r\nSubject: Mail\r\n');
    const other = await admin.save('message', { ...onCase, Subject: 'Note' });
    await admin.expectRefused('message/source', { ID: other['MessageID'] }, 'NOT_FOUND', 'ID');
  });
});
