import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { replyAddressOf, returnPathOf } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import { client, type Row } from '../../support/client.ts';
import { sentMessage, testMailbox, type ReceivedOne, type TestMailbox } from '../../support/messages/test-mailbox.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const api = client(p);
const sql = async (text: string, params: unknown[] = []): Promise<Row[]> => [
  ...(await p.platform.store.query<Row>(text, params)),
];

/** Ways in which a mail came to its record. */
const filed = ({ message }: ReceivedOne): unknown[] => [
  message?.['Status'],
  message?.['ObjectID'],
  message?.['FiledBy'],
  message?.['ParentMessageID'],
];
const unfiled = ['Unfiled', undefined, undefined, undefined];

async function proposal({ message }: ReceivedOne): Promise<unknown[]> {
  const [row] = await api.expectRows('message/proposals', { ID: message?.['MessageID'] });
  return row ? [row['Object'], row['ObjectID'], row['FiledBy'], row['ParentMessageID']] : [];
}

let ours: TestMailbox;
let alpha: TestMailbox;
let beta: TestMailbox;
let alphaId = 0;
let betaId = 0;
let alphaUser: Awaited<ReturnType<typeof p.firm>>;
let caseCount = 0;

async function newCase(firm: number, fields: Row = {}): Promise<number> {
  const row = await api.save('foreclosure', {
    Foreclosure: `FC-2026-${String(++caseCount).padStart(5, '0')}`,
    OrganizationID: firm,
    ...fields,
  });
  return Number(row['ForeclosureID']);
}

before(async () => {
  await api.save('setting', { Setting: 'ReplyDomain', Value: 'reply.cases.example' });
  await api.save('setting', { Setting: 'BounceDomain', Value: 'bounce.cases.example' });
  const [a, b] = [await p.firm('Alpha Law'), await p.firm('Beta Law')];
  alphaUser = a;
  [alphaId, betaId] = [a.organizationId, b.organizationId];
  ours = await testMailbox(p, 'Ours');
  alpha = await testMailbox(p, 'Alpha', { OrganizationID: alphaId });
  beta = await testMailbox(p, 'Beta', { OrganizationID: betaId });
});

describe('evidence of what a mail answers', () => {
  it('MSG-19 a signed reply address files a mail from whatever sender, and a forged or foreign one does not', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const address = replyAddressOf(p.platform, sent.id) ?? '';
    const answer = await alpha.take({ from: 'assistant@elsewhere.example', to: address });
    assert.deepEqual(filed(answer), ['Received', caseId, 'ReplyToken', sent.id]);
    assert.equal(answer.message?.['ThreadID'], sent.id);
    assert.match(String(answer.message['FiledDetail']), /reply address of message/);
    const forged = address.replace(/-(.)/, (_, sign: string) => `-${sign === '0' ? '1' : '0'}`);
    assert.deepEqual(filed(await alpha.take({ from: 'x@evil.example', to: forged })), unfiled);
    assert.deepEqual(filed(await beta.take({ from: 'ann@client.example', to: address })), unfiled);
  });

  it('MSG-19 (only References names a known mail; the ID is replaced) any ID counts, the nearest first', async () => {
    const caseId = await newCase(alphaId);
    const first = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const other = await sentMessage(p, { caseId: await newCase(alphaId), to: ['ann@client.example'] });
    const answer = await alpha.take({
      from: 'ann@client.example',
      inReplyTo: 'never-seen@mail.example',
      references: [other.mailId, first.mailId, 'never-seen@mail.example'],
    });
    assert.deepEqual(filed(answer), ['Received', caseId, 'ReplyHeader', first.id]);
  });

  it('MSG-19 (replies to a mail that we never received) a common ancestor joins them', async () => {
    const caseId = await newCase(alphaId);
    await api.save('contact', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      LastName: 'Cole',
      Methods_0_MethodType: 'Email',
      Methods_0_ContactValue: 'cole@court.example',
    });
    const first = await alpha.take({
      from: 'cole@court.example',
      subject: 'Hearing',
      references: ['lost@court.example'],
    });
    await api.expectOk('message/file', { ID: first.message?.['MessageID'], Object: 'Foreclosure', ObjectID: caseId });
    const second = await alpha.take({
      from: 'cole@court.example',
      subject: 'Re: Hearing',
      inReplyTo: 'lost@court.example',
    });
    assert.deepEqual(filed(second).slice(0, 3), ['Received', caseId, 'ReplyHeader']);
    assert.equal(second.message?.['ThreadID'], first.message?.['MessageID']);
  });

  it('MSG-19 (answers before our receipt, and to their own mail) the ID of a received mail is evidence at once', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const first = await alpha.take({
      from: 'ann@client.example',
      inReplyTo: sent.mailId,
      messageId: 'own-1@client.example',
    });
    const second = await alpha.take({ from: 'ann@client.example', inReplyTo: 'own-1@client.example' });
    assert.deepEqual(filed(second), ['Received', caseId, 'ReplyHeader', first.message?.['MessageID']]);
    assert.equal(second.message?.['ThreadID'], sent.id);
  });

  it('MSG-19 (a bare number in an ID or address) a number is never evidence', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const answer = await alpha.take({
      from: 'ann@client.example',
      to: `r+${sent.id.toString(36)}@reply.cases.example`,
      inReplyTo: `${sent.id}@cases.example`,
    });
    assert.deepEqual(filed(answer), unfiled);
  });

  it('MSG-19 (a forwarded mail carries foreign References) a stranger gets a proposal, and a person decides', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'], subject: 'Payoff' });
    const mail = await alpha.take({ from: 'stranger@evil.example', subject: 'Fwd: Payoff', references: [sent.mailId] });
    assert.deepEqual(filed(mail), unfiled);
    assert.deepEqual(await proposal(mail), ['Foreclosure', caseId, 'ReplyHeader', sent.id]);
    const id = mail.message?.['MessageID'];
    const moved = await api.expectRows('message/file', { ID: id });
    assert.deepEqual(moved, [{ MessageID: id, Object: 'Foreclosure', ObjectID: caseId }]);
    const message = await api.select('message', id);
    assert.deepEqual(
      [message['FiledBy'], message['ThreadID'], message['ParentMessageID']],
      ['Person', sent.id, sent.id],
    );
    assert.deepEqual(await proposal(mail), []);
  });

  it('MSG-19 a colleague of a participant may answer in the mailbox of a firm, but not in that of the installation', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@lawoffice.example', 'bob@gmail.com'] });
    const mail = { from: 'paralegal@lawoffice.example', inReplyTo: sent.mailId };
    assert.deepEqual(filed(await alpha.take(mail)), ['Received', caseId, 'ReplyHeader', sent.id]);
    assert.deepEqual(filed(await ours.take({ ...mail, from: 'partner@lawoffice.example' })), unfiled);
    assert.deepEqual(filed(await alpha.take({ from: 'other@gmail.com', inReplyTo: sent.mailId })), unfiled);
    assert.deepEqual(
      filed(await alpha.take({ ...mail, from: 'intern@lawoffice.example', subject: 'WG: Your loan' })),
      unfiled,
    );
    assert.deepEqual(filed(await ours.take({ from: 'bob@gmail.com', inReplyTo: sent.mailId })), [
      'Received',
      caseId,
      'ReplyHeader',
      sent.id,
    ]);
  });

  it('MSG-19 (two firms, one thread) evidence counts within the firm of the mailbox alone', async () => {
    const [own, foreign] = [await newCase(alphaId), await newCase(betaId)];
    const theirs = await sentMessage(p, { caseId: foreign, to: ['ann@client.example'] });
    const mail = await alpha.take({ from: 'ann@client.example', inReplyTo: theirs.mailId });
    assert.deepEqual([filed(mail), await proposal(mail)], [unfiled, []]);
    const mine = await sentMessage(p, { caseId: own, to: ['ann@client.example'] });
    const both = await alpha.take({ from: 'ann@client.example', inReplyTo: theirs.mailId, references: [mine.mailId] });
    assert.deepEqual(filed(both), ['Received', own, 'ReplyHeader', mine.id]);
    await api.expectRefused(
      'message/file',
      { ID: mail.message?.['MessageID'], Object: 'Foreclosure', ObjectID: foreign },
      'STATE_REFUSES',
      'ObjectID',
    );
  });

  it('MSG-19 (a reply with a new subject is a new matter) it is filed, and marked', async () => {
    const sent = await sentMessage(p, {
      caseId: await newCase(alphaId),
      to: ['ann@client.example'],
      subject: 'Payoff letter',
    });
    const base = { from: 'ann@client.example', inReplyTo: sent.mailId };
    const same = await alpha.take({ ...base, subject: 'AW: [EXTERNAL] Re: Payoff  letter' });
    const changed = await alpha.take({ ...base, subject: 'Another thing' });
    assert.deepEqual(
      [same, changed].map(({ message }) => [message?.['Status'], message?.['SubjectChanged']]),
      [
        ['Received', false],
        ['Received', true],
      ],
    );
  });

  it('MSG-19 (foreign tags of tickets) the subject is stored as it came', async () => {
    const { message } = await alpha.take({ subject: 'Re: [Ticket#4711] Payoff' });
    assert.equal(message?.['Message'], 'Re: [Ticket#4711] Payoff');
  });

  it('MSG-19 (a case number in the subject) files only if the sender has a part in that case of the firm', async () => {
    const caseId = await newCase(alphaId);
    const number = String((await api.select('foreclosure', caseId))['Foreclosure']);
    await api.save('contact', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      LastName: 'Dorn',
      Methods_0_MethodType: 'Email',
      Methods_0_ContactValue: 'Dorn@client.example',
    });
    const subject = `Question about ${number}`;
    const lower = await alpha.take({ from: 'dorn@client.example', subject: subject.toLowerCase() });
    assert.deepEqual(filed(lower), ['Received', caseId, 'Subject', undefined]);
    assert.match(String(lower.message?.['FiledDetail']), new RegExp(`the number ${number}[,.]`), 'as the case has it');
    assert.deepEqual(filed(await ours.take({ from: 'dorn@client.example', subject })), [
      'Received',
      caseId,
      'Subject',
      undefined,
    ]);
    const stranger = await alpha.take({ from: 'stranger@evil.example', subject });
    assert.deepEqual(
      [filed(stranger), await proposal(stranger)],
      [unfiled, ['Foreclosure', caseId, 'Subject', undefined]],
    );
    const elsewhere = await beta.take({ from: 'dorn@client.example', subject });
    assert.deepEqual([filed(elsewhere), await proposal(elsewhere)], [unfiled, []]);
  });

  it('MSG-19 (notices with one subject for ever) the same subject alone never joins mails', async () => {
    const caseId = await newCase(alphaId);
    await sentMessage(p, { caseId, to: ['notices@court.example'], subject: 'Monthly statement of account' });
    assert.deepEqual(
      filed(await alpha.take({ from: 'notices@court.example', subject: 'Monthly statement of account' })),
      unfiled,
    );
  });

  it('MSG-15 (answers of programs) whatever comes to the return path of a delivery is a report, and no message', async () => {
    const path = returnPathOf(p.platform, 4711) ?? '';
    const { receipt, message } = await ours.take({
      to: path,
      subject: 'Out of office',
      headers: { 'Auto-Submitted': 'auto-replied' },
    });
    assert.deepEqual([receipt['Status'], message], ['Report', undefined]);
  });
});

describe('filing by a person', () => {
  it('MSG-19 unfile undoes a filing with its replies, file files it again, and history keeps who', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const first = await alpha.take({
      from: 'ann@client.example',
      inReplyTo: sent.mailId,
      messageId: 'u1@client.example',
    });
    const second = await alpha.take({ from: 'ann@client.example', inReplyTo: 'u1@client.example' });
    const ids = [first, second].map(({ message }) => message?.['MessageID']);
    const undone = await api.expectRows('message/unfile', { ID: ids[0] });
    assert.deepEqual(
      undone.map((row) => row['MessageID']),
      ids,
    );
    for (const id of ids) {
      const row = await api.select('message', id);
      assert.deepEqual(
        [row['Status'], row['Object'], row['FiledBy'], row['ThreadID']],
        ['Unfiled', undefined, undefined, ids[0]],
      );
    }
    assert.deepEqual(await api.expectRows('message/unfile', { ID: ids[0] }), []);
    const other = await newCase(alphaId);
    await api.expectOk('message/file', { ID: ids[0], Object: 'Foreclosure', ObjectID: other });
    for (const id of ids) assert.equal((await api.select('message', id))['ObjectID'], other);
    const changes = await api.expectOk('message/history', { ID: ids[0] });
    assert.match(JSON.stringify(changes), /administrator/i);
    await api.expectRefused(
      'message/file',
      { ID: sent.id, Object: 'Foreclosure', ObjectID: other },
      'STATE_REFUSES',
      'ID',
    );
    await api.expectRefused('message/file', { ID: ids[0], Object: 'Foreclosure' }, 'MISSING_PARAMETER', 'ObjectID');
    await api.expectRefused('message/file', { ID: ids[0] }, 'MISSING_PARAMETER', 'ObjectID');
  });

  it('MSG-19 no save, rule or reply that follows brings mail of a firm to a case of another one', async () => {
    const [ofAlpha, ofBeta] = [await newCase(alphaId), await newCase(betaId)];
    const sent = await sentMessage(p, { caseId: ofAlpha, to: ['ann@client.example'] });
    const first = await ours.take({
      from: 'ann@client.example',
      inReplyTo: sent.mailId,
      messageId: 'n1@client.example',
    });
    const second = await alpha.take({ from: 'ann@client.example', inReplyTo: 'n1@client.example' });
    assert.deepEqual(filed(second), ['Received', ofAlpha, 'ReplyHeader', first.message?.['MessageID']]);
    const there = { Object: 'Foreclosure', ObjectID: ofBeta };
    const ofFirm = { ID: second.message?.['MessageID'], ...there };
    await api.expectRefused('message/save', ofFirm, 'STATE_REFUSES', 'ObjectID');
    const withReply = { ID: first.message?.['MessageID'], ...there };
    await api.expectRefused('message/file', withReply, 'STATE_REFUSES', 'ObjectID');
    assert.equal((await api.select('message', first.message?.['MessageID']))['ObjectID'], ofAlpha);
    await api.save('mailprocessor', {
      MailInboundID: alpha.id,
      MessageStatement: `Save?ID={MessageID}&Object=Foreclosure&ObjectID=${ofBeta}`,
    });
    const moved = await alpha.take({ from: 'x@elsewhere.example', subject: 'Moved by a rule' });
    await sql('delete from mailprocessor where mailinboundid = $1::bigint', [alpha.id]);
    assert.deepEqual(filed(moved), unfiled);
    assert.match(String(moved.receipt['Reason']), /belongs to a firm/);
  });

  it('MSG-04 MSG-19 recipients of mail that was sent or received stay as recorded', async () => {
    const sent = await sentMessage(p, { caseId: await newCase(alphaId), to: ['ann@client.example'] });
    const [to] = await api.expectRows('messagerecipient/search', { MessageID: sent.id });
    const ID = to?.['MessageRecipientID'];
    await sql("update messagerecipient set status = 'Sent', sentdate = now() where messagerecipientid = $1::bigint", [
      ID,
    ]);
    const refused = async (fields: object, field: string): Promise<void> => {
      await api.expectRefused('messagerecipient/save', fields, 'STATE_REFUSES', field);
    };
    await refused({ ID, MessageRecipient: 'victim@other.example' }, 'MessageRecipient');
    await refused({ ID, Status: 'Read' }, 'Status');
    await api.expectOk('messagerecipient/save', { ID, MessageRecipient: 'ann@client.example', Status: 'Inactive' });
    const mail = await alpha.take({ from: 'ann@client.example', inReplyTo: sent.mailId });
    const MessageID = mail.message?.['MessageID'];
    await refused({ MessageID, MessageRecipient: 'stranger@evil.example' }, 'MessageRecipient');
    const firm = client(p, alphaUser.caller);
    assert.equal((await firm.select('message', MessageID))['MessageID'], MessageID);
  });

  it('MSG-19 the firm of the mailbox sees what is filed on its case, with its files, and nothing that is unfiled', async () => {
    const caseId = await newCase(alphaId);
    const sent = await sentMessage(p, { caseId, to: ['ann@client.example'] });
    const answer = await alpha.take({
      from: 'ann@client.example',
      inReplyTo: sent.mailId,
      files: [{ name: 'seen.txt', mime: 'text/plain', content: 'Seen.' }],
    });
    const firm = client(p, alphaUser.caller);
    const id = answer.message?.['MessageID'];
    assert.equal((await firm.select('message', id))['ObjectID'], caseId);
    assert.equal((await firm.expectRows('attachment/search', { Object: 'Message', ObjectID: id })).length, 1);
    assert.equal((await firm.expectRows('messagerecipient/search', { MessageID: id })).length, 1);
    await firm.expectRefused('message/unfile', { ID: id }, 'NO_PERMISSION');
    await api.expectOk('message/unfile', { ID: id });
    await firm.expectRefused('message/select', { ID: id }, 'NOT_FOUND');
    assert.deepEqual(await firm.expectRows('attachment/search', { Object: 'Message', ObjectID: id }), []);
  });
});

describe('rules of a mailbox', () => {
  it('MSG-09 the first row of a statement is saved and ends the rules; no row lets the next one run', async () => {
    const caseId = await newCase(alphaId);
    await api.save('statement', {
      Statement: 'CaseOfNotice',
      ClassName: 'Message',
      Query:
        "select 'Foreclosure' as Object, f.ForeclosureID as ObjectID, 7 as Priority from Foreclosure f " +
        "where {Subject} like '%' || f.Foreclosure || '%'",
    });
    const box = await testMailbox(p, 'Notices', { OrganizationID: alphaId });
    const rule = async (Sequence: number, MessageStatement: string): Promise<void> => {
      await api.save('mailprocessor', {
        MailInboundID: box.id,
        MailProcessor: `Rule ${Sequence}`,
        Sequence,
        MessageStatement,
      });
    };
    await rule(1, 'CaseOfNotice?Subject={Subject}');
    await rule(2, 'Message/Save?ID={MessageID}&Priority=3');
    await rule(3, 'Message/Save?ID={MessageID}&Priority=4');
    const number = String((await api.select('foreclosure', caseId))['Foreclosure']);
    const known = await box.take({ from: 'notices@court.example', subject: `Notice in ${number}, filed` });
    assert.deepEqual(filed(known).slice(0, 3), ['Received', caseId, 'Processor']);
    assert.equal(known.message?.['Priority'], 7);
    const unknown = await box.take({ from: 'notices@court.example', subject: 'Notice without a number' });
    assert.deepEqual(
      [filed(unknown)[0], unknown.message?.['Priority'], unknown.message?.['FiledBy']],
      ['Unfiled', 3, 'Processor'],
    );
  });

  it('MSG-09 a rule that fails leaves the mail unfiled with the reason, and the next rule is tried', async () => {
    const box = await testMailbox(p, 'Failing rules', { OrganizationID: alphaId });
    const foreign = await newCase(betaId);
    await api.save('statement', {
      Statement: 'AlwaysForeign',
      ClassName: 'Message',
      Query:
        "select 'Foreclosure' as Object, f.ForeclosureID as ObjectID from Foreclosure f where f.ForeclosureID = {Case}",
    });
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MailProcessor: 'Breaks',
      Sequence: 1,
      MessageStatement: 'Message/Save?ID={MessageID}&Object=Foreclosure&ObjectID=999999',
    });
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MailProcessor: 'Foreign',
      Sequence: 2,
      MessageStatement: `AlwaysForeign?Case=${foreign}`,
    });
    const mail = await box.take({ subject: 'Ruled' });
    assert.equal(filed(mail)[0], 'Unfiled');
    assert.match(String(mail.receipt['Reason']), /Rule "Breaks" failed.*Rule "Foreign" failed: .*belongs to a firm/s);
  });

  it('MSG-09 only who may make a call can configure it, and unknown operations are refused', async () => {
    const refuse = (MessageStatement: string | null, code: string): Promise<unknown> =>
      api.expectRefused('mailprocessor/save', { MailInboundID: ours.id, MessageStatement }, code, 'MessageStatement');
    await refuse('NoSuchStatement?ID={MessageID}', 'BAD_SIGNATURE');
    await refuse(null, 'MISSING_PARAMETER');
  });

  it('MSG-10 bindbyparentmessage finds the newest earlier message by its subject, within the firm', async () => {
    const [own, foreign] = [await newCase(alphaId), await newCase(betaId)];
    const subject = 'Reinstatement figures for the property at 12 Long Lane';
    const templates = await Promise.all(
      ['Began by mail', 'Continued by mail'].map(async (MessageTemplate) =>
        Number((await api.save('messagetemplate', { MessageTemplate }))['MessageTemplateID']),
      ),
    );
    await sentMessage(p, { caseId: own, to: ['x@client.example'], subject });
    const newest = await sentMessage(p, { caseId: own, to: ['x@client.example'], subject: subject.toUpperCase() });
    await sentMessage(p, { caseId: foreign, to: ['x@client.example'], subject });
    await sentMessage(p, { caseId: own, to: ['x@client.example'], subject: 'Reinstatement figures' });
    const box = await testMailbox(p, 'By subject', { OrganizationID: alphaId });
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MailProcessor: 'By subject',
      MessageStatement:
        'BindByParentMessage?ID={MessageID}&ParentTemplate=Began by mail&ChildTemplate=Continued by mail',
    });
    const reply = await box.take({ from: 'someone@client.example', subject: `RE: ${subject} (urgent)` });
    assert.deepEqual(filed(reply), ['Received', own, 'Processor', newest.id], JSON.stringify(reply));
    assert.deepEqual([reply.message?.['ThreadID'], reply.message?.['MessageTemplateID']], [newest.id, templates[1]]);
    const fresh = await box.take({ from: 'someone@client.example', subject: 'Reinstatement figures, please' });
    assert.deepEqual([filed(fresh)[0], fresh.message?.['MessageTemplateID']], ['Unfiled', templates[0]]);
    const [row] = await api.expectRows('message/bindbyparentmessage', {
      ID: fresh.message?.['MessageID'],
      SubjectLength: 20,
      ChildTemplateID: templates[1],
    });
    assert.deepEqual([row?.['ObjectID'], row?.['MessageTemplateID']], [own, templates[1]]);
    assert.deepEqual(await api.expectRows('message/bindbyparentmessage', { ID: fresh.message?.['MessageID'] }), []);
    await api.expectRefused(
      'message/bindbyparentmessage',
      { ID: fresh.message?.['MessageID'], ChildTemplate: 'Continued' },
      'BAD_PARAMETER',
      'ChildTemplate',
    );
  });

  it('MSG-09 a row may name a document type: the files of the mail are filed on the case too, and unfile takes them back', async () => {
    const caseId = await newCase(alphaId);
    await api.save('attachmenttemplate', { AttachmentTemplate: 'Docket document' });
    await api.save('statement', {
      Statement: 'DocketNotice',
      ClassName: 'Message',
      Query:
        "select 'Foreclosure' as Object, f.ForeclosureID as ObjectID, 'Docket document' as AttachmentTemplate " +
        "from Foreclosure f where {Subject} like '%' || f.Foreclosure || '%'",
    });
    const box = await testMailbox(p, 'Docket', { OrganizationID: alphaId });
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MailProcessor: 'Docket',
      MessageStatement: 'DocketNotice?Subject={Subject}',
    });
    const number = String((await api.select('foreclosure', caseId))['Foreclosure']);
    const mail = await box.take({
      subject: `Order in ${number}`,
      files: [{ name: 'order.txt', mime: 'text/plain', content: 'So ordered.' }],
    });
    const documents = (): Promise<Row[]> =>
      api.expectRows('attachment/search', { Object: 'Foreclosure', ObjectID: caseId });
    assert.deepEqual(
      (await documents()).map((row) => row['FileName']),
      ['order.txt'],
    );
    await api.expectOk('message/unfile', { ID: mail.message?.['MessageID'] });
    assert.deepEqual(await documents(), []);
  });

  it('MSG-15 (automatic answers) one a day to a sender in a conversation, none to a program', async () => {
    const box = await testMailbox(p, 'Answering');
    await api.save('mailprocessor', {
      MailInboundID: box.id,
      MailProcessor: 'Acknowledge',
      MessageStatement: 'MailDelivery/Post?To={FromAddress}&Subject=We have your mail&BodyText=Thank you.',
    });
    const answers = async (): Promise<unknown> => (await sql('select count(*)::int as n from maildelivery'))[0]?.['n'];
    const before = Number(await answers());
    const first = await box.take({ messageId: 'loop-1@client.example' });
    assert.equal(await answers(), before + 1);
    const again = await box.take({ inReplyTo: 'loop-1@client.example', subject: 'Re: A question' });
    const robot = await box.take({ headers: { 'Auto-Submitted': 'auto-replied' }, from: 'robot@client.example' });
    assert.equal(await answers(), before + 1);
    assert.equal(again.message?.['ThreadID'], first.message?.['MessageID']);
    assert.match(String(again.receipt['Reason']), /automatic answer less than 24 hours ago/);
    assert.match(String(robot.receipt['Reason']), /A program wrote the mail/);
    assert.equal(robot.message?.['AutoSubmitted'], true);
  });
});
