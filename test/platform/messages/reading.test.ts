import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const admin = client(on);
const [north, south] = [await on.firm('North Law'), await on.firm('South Law')];
await admin.save('messagetemplate', { MessageTemplate: 'Mail', ExtranetEnabled: 'Self' });
await admin.save('messagetemplate', { MessageTemplate: 'Internal', ExtranetEnabled: 'No' });
const clerk = client(on, (await on.user('clerk', 'Administrator')).caller);
const caseOf = async (OrganizationID: number): Promise<number> =>
  Number((await admin.save('foreclosure', { Status: 'Open', OrganizationID }))['ForeclosureID']);
const [northCase, southCase] = [await caseOf(north.organizationId), await caseOf(south.organizationId)];
const { MailInboundID } = await admin.save('mailinbound', {
  MailInbound: 'Office',
  Receiver: 'ImapReceiver',
  Host: 'mail.example',
  UserName: 'office',
  Password: 'password',
  Active: false,
});

/** Stores a message on a case; `computed` sets columns that the platform writes when it receives or sends. */
async function store(caseId: number | null, fields: object, computed: Record<string, unknown> = {}): Promise<number> {
  const below = caseId === null ? {} : { Object: 'Foreclosure', ObjectID: caseId };
  const { MessageID } = await admin.save('message', { Template: 'Mail', ...below, ...fields });
  const entries = Object.entries(computed);
  if (entries.length > 0)
    await on.platform.store.query(
      `update message set ${entries.map(([name], at) => `${name} = $${at + 2}`).join(', ')}
       where messageid = $1::bigint`,
      [MessageID, ...entries.map(([, value]) => value)],
    );
  return Number(MessageID);
}

const received = (date: string): Record<string, unknown> => ({ mailinboundid: MailInboundID, receiveddate: date });
const ids = (rows: readonly Row[]): unknown[] => rows.map((row) => row['MessageID']);
const recipientsOf = (row: Row | undefined): Row[] => (row?.['Recipients'] ?? []) as Row[];
const search = async (by: Client, filters: object): Promise<unknown[]> =>
  ids(await by.expectRows('message/search', { OrderBy: 'MessageID', ...filters }));

describe('read marks', () => {
  it('MSG-11 are of each user, can be repeated, and return when a message was read first', async () => {
    const [one, two] = [
      await store(northCase, { Subject: 'One' }, received('2026-01-01')),
      await store(northCase, { Subject: 'Two' }),
    ];
    const [first, second] = await admin.expectRows('message/markread', { ID: [one, two] });
    assert.deepEqual([first?.['MessageID'], second?.['MessageID']], [one, two]);
    const again = await admin.expectRows('message/markread', { ID: [one, one] });
    assert.deepEqual(again, [first]);
    assert.deepEqual(await search(clerk, { Unread: true, ID: `${one},${two}` }), [one]);
    assert.deepEqual(await search(admin, { Unread: true, ID: `${one},${two}` }), []);
    assert.deepEqual(await search(admin, { Unread: false, ID: `${one},${two}` }), [one, two]);
    const [unread] = await admin.expectRows('message/markunread', { ID: one });
    assert.equal(unread?.['ReadDate'] ?? null, null);
    await admin.expectRows('message/markunread', { ID: one });
    assert.deepEqual(await search(admin, { Unread: true, ID: one }), [one]);
  });

  it('MSG-11 KRN-21 are refused for a list with a message that the firm does not see, and none is marked', async () => {
    const [own, other] = [await store(northCase, { Subject: 'Own' }), await store(southCase, { Subject: 'Other' })];
    const partner = client(on, north.caller);
    await partner.expectRefused('message/markread', { ID: [own, other] }, 'NOT_FOUND');
    assert.equal(
      (await on.platform.store.query('select 1 from messageread where messageid = $1::bigint', [own])).length,
      0,
    );
    assert.equal((await partner.expectRows('message/markread', { ID: own })).length, 1);
    await partner.expectRefused('message/markunread', { ID: other }, 'NOT_FOUND');
  });

  it('MSG-03 sets when a note reached its recipient', async () => {
    const note = await store(northCase, { Subject: 'Note' });
    const { MessageRecipientID } = await admin.save('messagerecipient', {
      MessageID: note,
      MessageRecipient: 'clerk',
      PersonID: Number(
        (await on.platform.store.query<{ id: number }>("select personid as id from person where person = 'clerk'"))[0]
          ?.id,
      ),
    });
    assert.deepEqual(await search(clerk, { Unread: true, Thread: note }), [note]);
    await clerk.expectRows('message/markread', { ID: note });
    const recipient = await admin.select('messagerecipient', MessageRecipientID);
    assert.deepEqual([recipient['Status'], typeof recipient['ReadDate']], ['Read', 'string']);
  });
});

describe('lists of messages', () => {
  it('MSG-11 listbyobject: newest first, by pages, with direction, read state, recipients and documents', async () => {
    const caseId = await caseOf(north.organizationId);
    const sent = await store(caseId, { Subject: 'Sent', createddate: undefined }, { sentdate: '2026-02-01' });
    for (const [MessageRecipient, Category] of [
      ['a@x.example', 0],
      ['b@x.example', 1],
    ] as const)
      await admin.save('messagerecipient', { MessageID: sent, MessageRecipient, Category });
    await on.platform.store.query(
      `update messagerecipient set status = 'Bounced', detail = 'no such user'
       where messagerecipient = 'b@x.example' and messageid = $1::bigint`,
      [sent],
    );
    await admin.save('attachment', { Object: 'Message', ObjectID: sent, FileName: 'a.txt', Content: 'YQ==' });
    const answer = await store(caseId, { Subject: 'Answer' }, received('2026-02-02'));
    const internal = await store(caseId, { Subject: 'Internal', Template: 'Internal' });
    const rows = await admin.expectRows('message/listbyobject', { Object: 'Foreclosure', ObjectID: caseId });
    assert.deepEqual(
      rows.map((row) => [row['MessageID'], row['Direction'], row['Unread'], row['RecipientCount'], row['FileCount']]),
      [
        [internal, 'Note', false, 0, 0],
        [answer, 'Received', true, 0, 0],
        [sent, 'Sent', false, 2, 1],
      ],
    );
    const [, bounced] = recipientsOf(rows[2]);
    assert.deepEqual(
      [bounced?.['Address'], bounced?.['Status'], bounced?.['Detail'], bounced?.['Category']],
      ['b@x.example', 'Bounced', 'no such user', 1],
    );
    assert.deepEqual(rows[2]?.['RecipientStates'], { None: 1, Bounced: 1 });
    const page = await admin.expectRows('message/listbyobject', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      DisplaySize: 1,
      RecordStart: 1,
    });
    assert.deepEqual([ids(page), page[0]?.['RecordCount']], [[answer], 3]);
    const partner = client(on, north.caller);
    const seen = await partner.expectRows('message/listbyobject', { Object: 'Foreclosure', ObjectID: caseId });
    assert.deepEqual(ids(seen), [answer, sent]);
    assert.equal(recipientsOf(seen[1]).length, 2);
    const other = await client(on, south.caller).expectRows('message/listbyobject', {
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    assert.deepEqual(other, []);
  });

  it('MSG-11 filters: direction, unfiled, conversation, and cases with unread mail', async () => {
    const caseId = await caseOf(north.organizationId);
    const root = await store(caseId, { Subject: 'Root' }, { sentdate: '2026-03-01' });
    const reply = await store(caseId, { Subject: 'Re: Root' }, { ...received('2026-03-02'), threadid: root });
    const unfiled = await store(null, { Subject: 'Who is this' }, { ...received('2026-03-03'), status: 'Unfiled' });
    assert.deepEqual(await search(admin, { Thread: reply }), [root, reply]);
    assert.deepEqual(await search(admin, { Thread: root, Direction: 'Received' }), [reply]);
    assert.deepEqual(await search(admin, { Thread: root, Direction: 'Sent' }), [root]);
    assert.deepEqual(await search(admin, { Unfiled: true }), [unfiled]);
    assert.ok(!(await search(admin, { Unfiled: false })).includes(unfiled));
    const cases = async (): Promise<unknown[]> =>
      (await admin.expectRows('foreclosure/search', { Unread: true, ID: caseId })).map((row) => row['ForeclosureID']);
    assert.deepEqual(await cases(), [caseId]);
    await admin.expectRows('message/markread', { ID: reply });
    assert.deepEqual(await cases(), []);
    await admin.expectRefused('message/search', { Direction: 'Up' }, 'BAD_PARAMETER', 'Direction');
    await client(on, south.caller)
      .expectRows('message/search', { Unfiled: true })
      .then((rows) => assert.deepEqual(rows, []));
    assert.deepEqual(ids(await client(on, south.caller).expectRows('message/search', { Thread: root })), []);
  });

  it('MSG-11 thread: the messages that the caller sees, in order, with quoted text apart', async () => {
    const caseId = await caseOf(north.organizationId);
    const root = await store(caseId, { Subject: 'Payoff', BodyText: 'Please confirm.' }, { sentdate: '2026-03-01' });
    const reply = await store(
      caseId,
      {
        Subject: 'Re: Payoff',
        BodyText:
          'Confirmed.\r\n\r\nOn Mon, Mar 2, 2026 at 9:00 AM Clerk\r\n<clerk@x.example> wrote:\r\n> Please confirm.\r\n',
        BodyHTML: '<p>Confirmed.<img src="https://x.example/a.png"></p>',
      },
      { ...received('2026-03-03'), threadid: root },
    );
    const internal = await store(
      caseId,
      { Subject: 'Hm', Template: 'Internal' },
      { threadid: root, sentdate: '2026-03-02' },
    );
    const rows = await admin.expectRows('message/thread', { ID: reply });
    assert.deepEqual(ids(rows), [root, internal, reply]);
    assert.deepEqual(
      [rows[2]?.['OwnText'], rows[2]?.['QuotedText'], rows[2]?.['HasRemoteImages']],
      ['Confirmed.', 'On Mon, Mar 2, 2026 at 9:00 AM Clerk\n<clerk@x.example> wrote:\n> Please confirm.', true],
    );
    assert.equal(rows[0]?.['QuotedText'] ?? null, null);
    assert.deepEqual(ids(await client(on, north.caller).expectRows('message/thread', { ID: root })), [root, reply]);
    await client(on, south.caller).expectRefused('message/thread', { ID: root }, 'NOT_FOUND');
  });
});

describe('the body of a message', () => {
  it('MSG-15 is sent for a sandboxed frame, without scripts, with its own pictures and others only on request', async () => {
    const id = await store(northCase, {
      Subject: 'News </title><script>',
      BodyHTML:
        '<p onclick="x()">Hi</p><script>alert(1)</script><img src="cid:logo@1"><img src="cid:logo.gif@2">' +
        '<img src="https://news.example/a.png">',
    });
    const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    await admin.save('attachment', { Object: 'Message', ObjectID: id, FileName: 'logo.gif', Content: gif });
    await admin.save('attachment', {
      Object: 'Message',
      ObjectID: id,
      FileName: 'other.gif',
      Content: gif,
      XmlData: '<MailFile ContentID="&lt;logo@1&gt;" IsInline="true"/>',
    });
    const frame = await on.admin.get(`/api/message/body?ID=${id}`);
    assert.equal(frame.status, 200, frame.text);
    assert.equal(frame.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(
      frame.headers.get('content-security-policy') ?? '',
      /^sandbox (?!.*scripts).*default-src 'none'; img-src data:;/,
    );
    assert.equal(frame.headers.get('content-disposition'), null);
    const body = frame.text.slice(frame.text.indexOf('<body>'));
    const picture = `<img src="data:image/gif;base64,${gif}" />`;
    assert.equal(body, `<body><p>Hi</p>${picture}${picture}<img /></body></html>`);
    assert.match(frame.text, /<title>News &lt;\/title&gt;&lt;script&gt;<\/title>/);
    const images = await on.admin.get(`/api/message/body?ID=${id}&Images=true`);
    assert.match(images.headers.get('content-security-policy') ?? '', /img-src data: https:;/);
    assert.match(images.text, /<img src="https:\/\/news\.example\/a\.png" \/>/);
    assert.equal((await south.caller.get(`/api/message/body?ID=${id}`)).status, 404);
    const text = await store(northCase, { Subject: 'Text', BodyText: 'a <b> http://x.example/ \n> old' });
    assert.match(
      (await on.admin.get(`/api/message/body?ID=${text}`)).text,
      /a &lt;b&gt; <a href="http:\/\/x\.example\/".*<details>/s,
    );
  });
});
