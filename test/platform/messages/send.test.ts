/** Recipients of messages, and saving and sending them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { batchEnded, batchRows } from '../../support/imports/batches.ts';
import { mailsIn } from '../../support/peers/mail-server.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
const { admin } = on;

type Row = Record<string, unknown>;
interface Alert {
  readonly Code: string;
  readonly Text: string;
}

async function ok(path: string, body: object): Promise<Row & { Alerts?: Alert[] }> {
  const answer = await admin.post(`/api/${path}?Output=Json`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

async function refused(path: string, body: object, code: string, message: RegExp): Promise<void> {
  const answer = await admin.post(`/api/${path}?Output=Json`, body);
  assert.match(answer.text, new RegExp(`"${code}"`), answer.text);
  assert.match(answer.text, message);
}

const sql = <T extends object>(text: string, params: unknown[] = []): Promise<T[]> =>
  on.platform.store.query<T & Row>(text, params);
/** Returns the recipients of a message: `category address status`. */
const recipients = async (id: unknown): Promise<string[]> =>
  (
    await sql<{ text: string }>(
      `select concat_ws(' ', category, messagerecipient, name, status) as text from messagerecipient
       where messageid = $1::bigint order by category, messagerecipientid`,
      [Number(id)],
    )
  ).map(({ text }) => text);
type Mails = ReturnType<typeof mailsIn>;
const arrived = (subject: string, count: number): Promise<Mails> =>
  eventually(`${count} mails ${subject}`, async () => {
    const found = mailsIn(on.mailFolder).filter((mail) => mail.header('Subject') === subject);
    return found.length >= count && found;
  });
const status = async (id: unknown): Promise<unknown> =>
  (await admin.get(`/api/message/select/${String(id)}?Output=Json`)).json()['Status'];

const { ForeclosureID } = await ok('foreclosure/save', {
  Foreclosure: 'FC-9',
  Contacts: [{ LastName: 'Ames', Email: 'ames@borrower.example', SpokenLanguage: 'Spanish' }, { LastName: 'Mute' }],
});
const about = { Object: 'Foreclosure', ObjectID: Number(ForeclosureID) };
const contactsOfCase = 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}';

let made = 0;
async function template(fields: object): Promise<string> {
  const name = `Letter ${++made}`;
  await ok('messagetemplate/save', { MessageTemplate: name, Subject: name, BodyText: 'Text', ...fields });
  return name;
}

describe('recipients', () => {
  it('MSG-01 MSG-17 MSG-18 come from every parameter and the template, each address once in the most visible kind', async () => {
    const clerk = await ok('contact/save', { FirstName: 'Cleo', LastName: 'Clerk', Email: 'clerk@firm.example' });
    const { CollectionID } = await ok('collection/save', { Collection: 'Watchers', SourceObject: 'Contact' });
    const past = await ok('contact/save', { LastName: 'Past', Email: 'past@firm.example' });
    await ok('collectionmember/save', { CollectionID, SourceObjectID: clerk['ContactID'] });
    await ok('collectionmember/save', { CollectionID, SourceObjectID: past['ContactID'], ExpiresDate: '2020-01-01' });
    const Template = await template({
      ToContactID: clerk['ContactID'],
      CcCollectionID: CollectionID,
      CcAddress: "{//ContactMethodItem[MethodType = 'Email']/ContactValue}, desk@firm.example",
      BccMethod: contactsOfCase,
      ReplyToAddress: '"Desk {Foreclosure}" <{Desk}>',
    });
    const row = await ok('message/generate', {
      ...about,
      Template,
      Desk: 'reply@firm.example',
      ToAddress: 'a@receiver.example; "B, B" <b@receiver.example>',
      To: 'A@RECEIVER.example',
      Cc: 'b@receiver.example, c@receiver.example',
      BccMethod: 'Contact/Select?ID={ContactID}',
      ContactID: String(past['ContactID']),
    });
    assert.deepEqual(await recipients(row['MessageID']), [
      '0 a@receiver.example Waiting',
      '0 b@receiver.example B, B Waiting',
      '0 clerk@firm.example Cleo Clerk Waiting',
      '1 c@receiver.example Waiting',
      '1 ames@borrower.example Waiting',
      '1 desk@firm.example Waiting',
      '2 past@firm.example Past Waiting',
      '3 reply@firm.example Desk FC-9',
    ]);
    assert.match(JSON.stringify(row['Alerts']), /BccMethod: no valid address is known for contact \d+/);
    const mails = await arrived(Template, 7);
    for (const mail of mails) {
      assert.equal(
        mail.header('To'),
        'a@receiver.example, "B, B" <b@receiver.example>, Cleo Clerk <clerk@firm.example>',
      );
      assert.equal(mail.header('Reply-To'), '"Desk FC-9" <reply@firm.example>');
      assert.equal(mail.to.length, 1);
    }
    await eventually('it is sent', async () => (await status(row['MessageID'])) === 'Sent');
  });

  it('MSG-01 an invalid address is refused with its field; header injection and a value with two addresses too', async () => {
    const from = { ...about, Subject: 'S', BodyText: 'T' };
    for (const [field, value, message] of [
      ['ToAddress', 'a@b.example, nobody', /ToAddress: \\"nobody\\" is invalid; expected an email address/],
      ['Cc', 'x\u0007@b.example', /Cc: .* is invalid/],
      ['Bcc', '"A\r\nBcc: evil@x.example" <b@c.example', /Bcc: .* is not a list of addresses/],
    ] as const)
      await refused('message/generate', { ...from, [field]: value }, 'BAD_PARAMETER', message);
    const Template = await template({ ToAddress: '{Who}' });
    await refused(
      'message/generate',
      { ...about, Template, Who: 'a@b.example, evil@x.example' },
      'BAD_PARAMETER',
      /ToAddress: .* is invalid/,
    );
    const injected = { ...from, Subject: 'One\r\nBcc: evil@x.example', To: 'n@b.example' };
    await refused('message/generate', injected, 'BAD_PARAMETER', /Subject: expected one line/);
    const { MessageID } = await ok('message/generate', { ...from, To: '"\u202eN\nBcc: evil@x.example" <n@b.example>' });
    assert.deepEqual(await recipients(MessageID), ['0 n@b.example N Bcc: evil@x.example Waiting']);
  });

  it('MSG-18 a method is called as the caller, only reads, and returns Email or ContactID', async () => {
    const from = { ...about, Subject: 'S', BodyText: 'T' };
    await refused(
      'message/generate',
      { ...from, ToMethod: 'Contact/Save?LastName=x' },
      'BAD_SIGNATURE',
      /changes records/,
    );
    await refused(
      'message/generate',
      { ...from, ToMethod: 'Foreclosure/Search' },
      'BAD_PARAMETER',
      /expected Email or ContactID/,
    );
    await ok('role/save', { Role: 'Writer', Permissions: 'MessageGenerate' });
    const { caller } = await on.user('Sender', 'Writer');
    const of = { Subject: 'S', BodyText: 'T', ToMethod: 'Contact/Search?LastName=Ames' };
    const answer = await caller.post('/api/message/generate?Output=Json', of);
    assert.match(answer.text, /NO_PERMISSION.*ContactSearch/);
  });

  it('MSG-17 the version in the language of the receivers is sent, with the recipients of the template', async () => {
    const Template = await template({ ToMethod: contactsOfCase, BodyText: 'Hello {Foreclosure}' });
    const [base] = await sql<{ id: number }>(
      'select messagetemplateid as id from messagetemplate where messagetemplate = $1::text',
      [Template],
    );
    const spanish = { VariantOfID: base?.id, Language: 'es', Subject: 'Carta', BodyText: 'Hola {Foreclosure}' };
    await ok('messagetemplate/save', { MessageTemplate: `${Template} es`, ...spanish });
    const inSpanish = await ok('message/generate', { ...about, Template });
    assert.deepEqual([inSpanish['Message'], inSpanish['BodyText']], ['Carta', 'Hola FC-9']);
    assert.equal(inSpanish['MessageTemplateID'], base?.id);
    const mixed = await ok('message/generate', { ...about, Template, To: 'x@receiver.example' });
    assert.equal(mixed['BodyText'], 'Hello FC-9');
    assert.match(JSON.stringify(mixed['Alerts']), /LANGUAGES/);
    const chosen = await ok('message/generate', { ...about, Template, To: 'x@receiver.example', Language: 'Spanish' });
    assert.equal(chosen['BodyText'], 'Hola FC-9');
  });
});

describe('saving and sending', () => {
  it('MSG-02 MSG-03 save stores a draft with its recipients and sends nothing; send sends it; a new call sends it again, to new addresses alone', async () => {
    const draft = await ok('message/save', {
      ...about,
      Message: 'Draft',
      BodyText: 'T',
      To: 'old@receiver.example',
      Cc: 'c@receiver.example',
    });
    const { MessageID } = draft;
    assert.equal(draft['Status'], 'Draft');
    await ok('message/save', { ID: MessageID, BodyText: 'Changed', To: 'a@receiver.example' });
    assert.deepEqual(await recipients(MessageID), ['0 a@receiver.example', '1 c@receiver.example']);
    const sent = await ok('message/send', { ID: MessageID });
    assert.deepEqual([sent['MessageID'], sent['Recipients'], sent['Status']], [MessageID, 2, 'Queued']);
    const mails = await arrived('Draft', 2);
    assert.equal(mails.length, 2);
    await eventually('it is sent', async () => (await status(MessageID)) === 'Sent');
    await refused('message/save', { ID: MessageID, To: 'x@receiver.example' }, 'STATE_REFUSES', /was sent/);
    await refused('message/update', { ID: MessageID, BodyText: 'Rewritten' }, 'STATE_REFUSES', /BodyText: .*was sent/);
    await ok('message/update', { ID: MessageID, BodyText: 'Changed', Priority: 1 });
    await refused('message/send', { ID: MessageID, Subject: 'Other' }, 'BAD_PARAMETER', /Subject: a saved message/);
    const key = { 'Idempotency-Key': 'again-1' };
    const again = { ID: MessageID, To: 'new@receiver.example' };
    for (const _ of [1, 2]) assert.equal((await admin.post('/api/message/send?Output=Json', again, key)).status, 200);
    const all = await arrived('Draft', 3);
    assert.deepEqual(
      all.map(({ to }) => to[0]).toSorted((a = '', b = '') => a.localeCompare(b)),
      ['a@receiver.example', 'c@receiver.example', 'new@receiver.example'],
    );
    const repeated = all.find(({ to }) => to[0] === 'new@receiver.example');
    const first = String(
      (await admin.get(`/api/message/select/${String(MessageID)}?Output=Json`)).json()['InternetMessageID'],
    );
    assert.notEqual(repeated?.header('Message-ID'), `<${first}>`);
    assert.equal(repeated?.header('References'), `<${first}>`);
    const rows = await sql<{ n: number }>(
      'select count(*)::integer as n from maildelivery where messageid = $1::bigint',
      [MessageID],
    );
    assert.equal(rows[0]?.n, 3);
  });

  it('MSG-02 saveemail saves and sends; send without ID sends and saves no message', async () => {
    const { MessageID } = await ok('message/saveemail', {
      ...about,
      Subject: 'Saved',
      BodyText: 'T',
      To: 'a@r.example',
    });
    await arrived('Saved', 1);
    const before = await sql<{ n: number }>('select count(*)::integer as n from message');
    const Template = await template({ BodyText: 'On {Foreclosure}' });
    const sent = await ok('message/send', {
      ...about,
      Template,
      To: 'a@r.example, "B" <b@r.example>',
      Bcc: 'c@r.example',
    });
    assert.deepEqual([sent['MessageID'] ?? null, sent['Recipients']], [null, 3]);
    const [mail] = await arrived(Template, 1);
    assert.match(mail?.raw ?? '', /On FC-9/);
    assert.deepEqual(await sql('select count(*)::integer as n from message'), before);
    await refused('message/send', { ...about, Subject: 'S', BodyText: 'T' }, 'MISSING_PARAMETER', /To: /);
    await refused('message/saveemail', { ...about, Subject: 'S', BodyText: 'T' }, 'MISSING_PARAMETER', /To: /);
    const reply = await ok('message/generate', {
      ParentMessageID: MessageID,
      Subject: 'Re: Saved',
      BodyText: 'R',
      To: 'a@r.example',
    });
    assert.deepEqual(
      [reply['Object'], reply['ObjectID'], reply['ThreadID']],
      ['Foreclosure', about.ObjectID, MessageID],
    );
    const [answered] = await arrived('Re: Saved', 1);
    const original = (await admin.get(`/api/message/select/${String(MessageID)}?Output=Json`)).json();
    assert.equal(answered?.header('In-Reply-To'), `<${String(original['InternetMessageID'])}>`);
  });

  it('MSG-01 documents are attached: those of the call, and those that the template generates on the record', async () => {
    const { AttachmentID } = await ok('attachment/save', {
      ...about,
      FileName: 'deed.txt',
      Content: Buffer.from('the deed').toString('base64'),
    });
    await ok('attachmenttemplate/save', {
      AttachmentTemplate: 'List of contacts',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'DelimitedGenerator',
      Method: contactsOfCase,
    });
    const Template = await template({ AttachmentTemplates: 'List of contacts' });
    const row = await ok('message/generate', { ...about, Template, To: 'a@r.example', AttachmentID });
    const [mail] = await arrived(Template, 1);
    assert.match(mail?.raw ?? '', /filename="?deed\.txt/);
    assert.match(mail?.raw ?? '', /filename="?List of contacts\./);
    await ok('message/send', { ID: row['MessageID'], To: 'b@r.example' });
    const [, second] = await arrived(Template, 2);
    assert.match(second?.raw ?? '', /filename="?List of contacts\./);
    await refused(
      'messagetemplate/save',
      { MessageTemplate: 'X', AttachmentTemplates: 'Lst of contacts' },
      'BAD_PARAMETER',
      /List of contacts/,
    );
  });

  it('MSG-02 MSG-16 a secure message is a notice with a link for each recipient, without body and documents', async () => {
    const row = await ok('message/generate', {
      ...about,
      Subject: 'Secret subject',
      BodyText: 'Secret text',
      To: 's1@r.example, s2@r.example',
      SecureDelivery: true,
      FromName: 'Casey',
      Priority: 1,
    });
    const mails = await arrived('Casey sent you a secure message', 2);
    const links = mails.map(({ raw }) => /secure\/([\w-]+)/.exec(raw.replaceAll('=\r\n', ''))?.[1]);
    assert.equal(new Set(links).size, 2);
    for (const { raw } of mails) assert.doesNotMatch(raw, /Secret/);
    assert.deepEqual([row['Priority'], row['SecureDelivery'], row['FromName']], [1, true, 'Casey']);
  });

  it('MSG-02 a note is shown to its users at once, and nothing is mailed', async () => {
    const { personId } = await on.user('Nora', 'Administrator');
    const row = await ok('message/generate', { ...about, MessageType: 'Note', BodyText: 'Look', To: 'nora' });
    assert.equal(row['Status'], 'Sent');
    const [recipient] = await sql<{ personid: number; status: string }>(
      'select personid, status from messagerecipient where messageid = $1::bigint',
      [row['MessageID']],
    );
    assert.deepEqual({ ...recipient }, { personid: personId, status: 'Sent' });
    await refused(
      'message/generate',
      { ...about, MessageType: 'Note', BodyText: 'x', To: 'nobody' },
      'BAD_PARAMETER',
      /not a user/,
    );
  });

  it('MSG-02 a text message goes to telephone numbers, and one that is none is refused', async () => {
    const text = { ...about, MessageType: 'Text', BodyText: 'Call us' };
    const { MessageID } = await ok('message/generate', { ...text, To: '+1 (555) 010-0123, 1.555.010.0124' });
    assert.deepEqual(
      (
        await sql<{ type: string }>('select maildeliverytype as type from maildelivery where messageid = $1::bigint', [
          Number(MessageID),
        ])
      ).map(({ type }) => type),
      ['Text', 'Text'],
    );
    assert.deepEqual(
      (await recipients(MessageID)).map((line) => line.split(' ')[1]),
      ['+15550100123', '15550100124'],
    );
    await refused('message/generate', { ...text, To: 'a@b.example' }, 'BAD_PARAMETER', /expected a telephone number/);
    await refused('message/send', { ...text, To: '+15550100123' }, 'STATE_REFUSES', /use message\/generate/);
  });
});

describe('firms', () => {
  it('MSG-02 KRN-18 a firm writes, changes and sends messages on its own cases, and on no others', async () => {
    await ok('role/save', {
      Role: 'Firm writer',
      Permissions:
        'MessageGenerate, MessageSave, MessageSaveEmail, MessageSend, MessageSelect, AttachmentSave, ' +
        'ForeclosureSearch, ContactSearch',
    });
    const { caller, organizationId } = await on.firm('Finch', 'Firm writer');
    const own = await ok('foreclosure/save', { Foreclosure: 'FC-Finch', OrganizationID: organizationId });
    const ofFirm = { Object: 'Foreclosure', ObjectID: Number(own['ForeclosureID']) };
    const call = async (path: string, body: object): Promise<Row> => {
      const answer = await caller.post(`/api/${path}?Output=Json`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.json();
    };
    const file = { FileName: 'a.txt', Content: Buffer.from('a').toString('base64') };
    const { AttachmentID } = await call('attachment/save', { ...ofFirm, ...file });
    const staff = await ok('contact/save', { LastName: 'Staff', Email: 'staff@servicer.example' });
    const Template = await template({ BodyText: 'From {Foreclosure}', CcContactID: staff['ContactID'] });
    const row = await call('message/generate', { ...ofFirm, Template, To: 'a@r.example', AttachmentID });
    assert.deepEqual(await recipients(row['MessageID']), [
      '0 a@r.example Waiting',
      '1 staff@servicer.example Staff Waiting',
    ]);
    const [mail] = await arrived(Template, 2);
    assert.match(mail?.raw ?? '', /From FC-Finch/);
    const draft = await call('message/save', { ...ofFirm, Subject: 'Of Finch', BodyText: 'T', To: 'x@r.example' });
    await call('message/save', { ID: draft['MessageID'], To: 'y@r.example' });
    await call('message/send', { ID: draft['MessageID'] });
    assert.deepEqual(
      (await arrived('Of Finch', 1)).map(({ to }) => to),
      [['y@r.example']],
    );
    for (const [path, body] of [
      ['message/generate', { ...ofFirm, Template, To: 'a@r.example', FromAddress: 'chief@servicer.example' }],
      ['message/send', { ...ofFirm, Subject: 'S', BodyText: 'T', To: 'a@r.example', FromAddress: 'chief@r.example' }],
      ['message/saveemail', { ...ofFirm, Subject: 'S', BodyText: 'T', To: 'a@r.example', FromAddress: 'x@r.example' }],
    ] as const) {
      const answer = await caller.post(`/api/${path}?Output=Json`, body);
      assert.equal(answer.status, 403, path);
      assert.match(answer.text, /FromAddress: expected your own address/);
    }
    await sql('update person set email = $1::text where organizationid = $2::bigint', [
      'Me@finch.example',
      organizationId,
    ]);
    await call('message/generate', { ...ofFirm, Template, FromAddress: 'me@finch.example' });
    for (const [path, body] of [
      ['message/generate', { ...about, Template, To: 'a@r.example' }],
      [
        'message/send',
        { ID: (await ok('message/save', { ...about, Subject: 'Not theirs', To: 'a@r.example' }))['MessageID'] },
      ],
    ] as const)
      assert.equal((await caller.post(`/api/${path}?Output=Json`, body)).status, 404);
  });
});

describe('many', () => {
  it('MSG-02 IMP-10 each row of MessageSendBatch sends one mail, and a row that failed is sent when it is queued again', async () => {
    const lines = [
      'To,Subject,Template,Mood',
      'r1@r.example,Row,{T},glad',
      'nobody,Row,{T},sad',
      'r2@r.example,Row,{T},wry',
    ];
    const Template = await template({ BodyText: 'Feeling {Mood}' });
    const { AttachmentID } = await ok('attachment/save', {
      FileName: 'rows.csv',
      Content: Buffer.from(lines.join('\n').replaceAll('{T}', Template)).toString('base64'),
    });
    const { ImportFileID } = await ok('importfile/messagesendbatch', { AttachmentID });
    await batchEnded(on, Number(ImportFileID));
    const rows = await batchRows(on, Number(ImportFileID));
    assert.deepEqual(
      rows.map(({ succeeded }) => succeeded),
      [true, false, true],
    );
    assert.match(String(rows[1]?.message), /To: "nobody" is invalid/);
    await ok('importfilequeue/requeue', { ID: rows.map(({ id }) => id).join(',') });
    await batchEnded(on, Number(ImportFileID));
    const mails = await arrived('Row', 2);
    assert.deepEqual(
      mails
        .map(({ to, raw }) => `${to[0] ?? ''} ${/Feeling \w+/.exec(raw)?.[0] ?? ''}`)
        .toSorted((x, y) => x.localeCompare(y)),
      ['r1@r.example Feeling glad', 'r2@r.example Feeling wry'],
    );
  });

  it('MSG-01 MSG-17 a queued call writes a message to all members of a group, each of whom sees only themselves in bulk mail', async () => {
    const { CollectionID } = await ok('collection/save', { Collection: 'Everybody', SourceObject: 'Contact' });
    await sql(
      `with c as (
         insert into contact (contact, lastname) select 'Many ' || n, 'Many ' || n from generate_series(1, 1000) n
         returning contactid),
       m as (
         insert into contactmethod (contactid, methodtype, contactvalue)
         select contactid, 'Email', 'many' || contactid || '@many.example' from c)
       insert into collectionmember (collectionid, sourceobjectid) select $1::bigint, contactid from c`,
      [Number(CollectionID)],
    );
    const Template = await template({ ToCollectionID: CollectionID, IsBulk: true });
    const queued = await admin.post('/api/message/queue/generate?Output=Json', { ...about, Template });
    assert.equal(queued.status, 202, queued.text);
    const [counted] = await eventually('the message', async () => {
      const found = await sql<{ n: number; deliveries: number }>(
        `select count(*)::integer as n, count(r.maildeliveryid)::integer as deliveries
         from messagerecipient r join message m on m.messageid = r.messageid where m.message = $1::text`,
        [Template],
      );
      return found[0]?.n !== 0 && found;
    });
    assert.deepEqual({ ...counted }, { n: 1_000, deliveries: 1_000 });
    const [mail] = await arrived(Template, 1);
    assert.match(String(mail?.header('To')), /^Many \d+ <many\d+@many\.example>$/);
  });
});
