import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { client, type Client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { receivedMail, sentMail } from '../../support/messages/stored-mail.ts';

const p = await testPlatform({ after });
const admin = client(p);
const clerkUser = await p.user('clerk', 'Staff');
const otherUser = await p.user('other', 'Staff');
const firm = await p.firm('Finch', 'Partner');
const heron = await p.firm('Heron', 'Partner');
const [clerk, other, finch] = [client(p, clerkUser.caller), client(p, otherUser.caller), client(p, firm.caller)];
let cases = 0;

async function newCase(fields: object = {}): Promise<number> {
  const made = await admin.save('foreclosure', { Foreclosure: `I-${++cases}`, ...fields });
  return Number(made['ForeclosureID']);
}

const subjects = async (of: Client, more: object = {}): Promise<string[]> =>
  (await of.expectRows('inbox/threads', more)).map((row) => String(row['Message']));
const unread = async (of: Client): Promise<unknown> => (await of.expectOk('inbox/unread'))['Unread'];

describe('the inbox', () => {
  let own = 0;
  before(async () => {
    await admin.save('person', { ID: clerkUser.personId, Email: 'clerk@office.example' });
    own = await newCase({ AssignedPersonID: clerkUser.personId });
  });

  it('MSG-11 has mail on cases that the user follows or is responsible for, answers to what the user sent, and mail to their address', async () => {
    const [followed, foreign] = [await newCase(), await newCase()];
    await clerk.send('follow/add', { Object: 'Foreclosure', ObjectID: followed });
    await receivedMail(p, { subject: 'Responsible', caseId: own });
    await receivedMail(p, { subject: 'Followed', caseId: followed });
    await receivedMail(p, { subject: 'Elsewhere', caseId: foreign });
    await receivedMail(p, { subject: 'To me', to: 'Clerk@Office.example' });
    const sent = await sentMail(p, { subject: 'Question', caseId: foreign, personId: clerkUser.personId });
    assert.deepEqual((await subjects(clerk)).toSorted(), ['Followed', 'Responsible', 'To me'], 'nobody answered yet');
    assert.deepEqual(await subjects(clerk, { Show: 'Sent' }), ['Question']);
    await receivedMail(p, { subject: 'Re: Question', caseId: foreign, threadId: sent });
    const rows = await clerk.expectRows('inbox/threads');
    const answer = rows.find((row) => row['ThreadID'] === sent);
    assert.deepEqual([answer?.['Message'], answer?.['Messages'], answer?.['Unread']], ['Re: Question', 2, 1]);
    assert.deepEqual(await subjects(other), [], 'a colleague has none of it');
    assert.equal(await unread(clerk), 4);
  });

  it('MSG-11 unread conversations come first, page by page, and each user has a read state of their own', async () => {
    const rows = await clerk.expectRows('inbox/threads');
    const latest = rows[0]?.['MessageID'];
    await p.platform.store.query(
      'insert into messageread (messageid, personid, readdate) values ($1::bigint, $2::bigint, now())',
      [Number(latest), clerkUser.personId],
    );
    const after = await clerk.expectRows('inbox/threads');
    assert.equal(after.at(-1)?.['MessageID'], latest, 'what was read goes below what was not');
    assert.equal(await unread(clerk), rows.length - 1);
    const paged: unknown[] = [];
    for (let before = ''; ;) {
      const [row] = await clerk.expectRows('inbox/threads', {
        DisplaySize: 1,
        ...(before !== '' && { Before: before }),
      });
      if (!row) break;
      paged.push(row['ThreadID']);
      before = String(row['Cursor']);
    }
    assert.deepEqual(
      paged,
      after.map((row) => row['ThreadID']),
    );
    assert.deepEqual((await clerk.expectRows('inbox/threads', { Show: 'Unread' })).length, rows.length - 1);
    await clerk.expectRefused('inbox/threads', { Before: 'read/yesterday/1' }, 'BAD_PARAMETER', 'Before');
  });

  it('MSG-11 a record has its conversations, also of mail without a date, with marks of attachments; hidden records none', async () => {
    const busy = await newCase({ OrganizationID: heron.organizationId });
    const sent = await sentMail(p, { subject: 'From us', caseId: busy, personId: clerkUser.personId, minutesAgo: 9 });
    const undated = await receivedMail(p, { subject: 'Without a date', caseId: busy, isDated: false });
    await admin.save('attachment', { Object: 'Message', ObjectID: undated, Attachment: 'Deed', FileName: 'deed.txt' });
    await receivedMail(p, { subject: 'Of another record', caseId: await newCase() });
    const below = { Object: 'Foreclosure', ObjectID: busy, Show: 'All' };
    const rows = await other.expectRows('inbox/threads', below);
    assert.deepEqual(
      rows.map((row) => [row['ThreadID'], row['Unread'], row['HasAttachments'], row['Recipients']]),
      [
        [undated, 1, true, 'office@office.example'],
        [sent, 0, false, 'Anita Rowe'],
      ],
    );
    const [next] = await other.expectRows('inbox/threads', { ...below, Before: rows[0]?.['Cursor'] });
    assert.equal(next?.['ThreadID'], sent);
    await finch.expectRefused('inbox/threads', below, 'NOT_FOUND');
  });

  it('MSG-11 a snippet, and the entry in the timeline, leave out the earlier mail that a message quotes', async () => {
    const caseId = await newCase();
    const text = 'Yes,\nit is.\n\nOn Nov 23, 2026, 4:02 PM, Anita Rowe wrote:\n> Is it on hold?\n';
    await receivedMail(p, { subject: 'Re: Hold', caseId, text });
    await receivedMail(p, { subject: 'Fwd: Hold', caseId, text: '> Only quoted.', minutesAgo: 9 });
    const below = { Object: 'Foreclosure', ObjectID: caseId };
    const rows = await other.expectRows('inbox/threads', { ...below, Show: 'All' });
    assert.deepEqual(
      rows.map((row) => row['Snippet']),
      ['Yes, it is.', '> Only quoted.'],
    );
    const entries = await other.expectRows('timeline/read', below);
    assert.deepEqual(
      entries.filter(({ Kind }) => Kind === 'Mail').map((row) => row['Text']),
      ['Yes,\nit is.', '> Only quoted.'],
    );
  });

  it("MSG-11 a team's inbox has the mail of its users; a firm's user never gets another firm's mail", async () => {
    const team = await admin.save('collection', { Collection: 'Title team', SourceObject: 'Person' });
    await admin.save('collectionmember', { CollectionID: team['CollectionID'], SourceObjectID: clerkUser.personId });
    assert.ok((await subjects(other, { TeamID: team['CollectionID'] })).includes('Responsible'));
    const [theirs, secret] = [
      await newCase({ OrganizationID: firm.organizationId }),
      await newCase({ OrganizationID: heron.organizationId, AssignedPersonID: firm.personId }),
    ];
    await finch.send('follow/add', { Object: 'Foreclosure', ObjectID: theirs });
    await receivedMail(p, { subject: 'For Finch', caseId: theirs, personId: firm.personId });
    await receivedMail(p, { subject: 'For Heron', caseId: secret, to: 'finch@firm.example', personId: heron.personId });
    await admin.save('person', { ID: firm.personId, Email: 'finch@firm.example' });
    await p.platform.store.query(
      "insert into follow (personid, object, objectid) values ($1::bigint, 'Foreclosure', $2::bigint)",
      [firm.personId, secret],
    );
    assert.deepEqual(await subjects(finch), ['For Finch']);
    assert.equal(await unread(finch), 1);
    assert.deepEqual(await subjects(finch, { TeamID: team['CollectionID'] }), []);
  });
});
