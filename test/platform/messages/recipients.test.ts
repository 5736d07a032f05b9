import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { indexMessageTexts } from '../../../src/modules/messages/lib/reading/index-texts.ts';
import { client, type Client } from '../../support/client.ts';
import { testMailbox } from '../../support/messages/test-mailbox.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
// More than partners may: what a firm sees is decided by its reach, whatever its permissions.
await admin.save('role', { Role: 'Writer', Permissions: 'Message* MessageRecipient*' });
const [north, south] = [await p.firm('North Law', 'Writer'), await p.firm('South Law', 'Writer')];
const [ofNorth, ofSouth] = [client(p, north.caller), client(p, south.caller)];
let caseId = 0;
let messageId = 0;

const index = async (): Promise<void> => {
  while ((await indexMessageTexts.run(p.platform)) > 0);
};
const addressesOf = async (by: Client, id = messageId): Promise<unknown[]> =>
  (await by.expectRows('messagerecipient/search', { MessageID: id, OrderBy: 'MessageRecipientID' })).map(
    (row) => row['MessageRecipient'],
  );
const send = async (by: Client, fields: object): Promise<number> => {
  const sent = await by.expectOk('message/saveemail', { Template: 'Mail', Object: 'Foreclosure', ...fields });
  return Number(sent['MessageID']);
};

before(async () => {
  await admin.save('messagetemplate', { MessageTemplate: 'Mail', ExtranetEnabled: 'Self' });
  const saved = await admin.save('foreclosure', { Status: 'Open', OrganizationID: north.organizationId });
  caseId = Number(saved['ForeclosureID']);
  messageId = await send(admin, {
    ObjectID: caseId,
    Subject: 'Payoff',
    BodyText: 'Please see.',
    To: 'ann@client.example',
    Cc: 'cole@court.example',
    Bcc: 'quietus@auditor.example',
  });
});

describe('blind copies', () => {
  it('MSG-03 of staff are seen by staff alone, in rows, conversations, counts, nested lists, exports and history', async () => {
    const seen = ['ann@client.example', 'cole@court.example'];
    assert.deepEqual(await addressesOf(admin), [...seen, 'quietus@auditor.example']);
    assert.deepEqual(await addressesOf(ofNorth), seen);
    await ofSouth.expectRefused('message/thread', { ID: messageId }, 'NOT_FOUND');
    const [row] = await ofNorth.expectRows('message/thread', { ID: messageId });
    assert.equal(row?.['RecipientCount'], 2);
    const hidden = await p.platform.store.query<{ id: number }>(
      'select messagerecipientid as id from messagerecipient where messageid = $1::bigint and category = 2',
      [messageId],
    );
    const ID = hidden[0]?.id;
    for (const route of ['messagerecipient/select', 'messagerecipient/history', 'messagerecipient/delete'])
      await ofNorth.expectRefused(route, { ID }, 'NOT_FOUND');
    for (const route of [
      `message/thread?ID=${messageId}`,
      `message/listbyobject?Object=Foreclosure&ObjectID=${caseId}`,
      `message/select?ID=${messageId}&Nested=true`,
      `messagerecipient/export?MessageID=${messageId}`,
      `messagerecipient/summary?ID=${messageId}`,
      `message/history?ID=${messageId}`,
    ]) {
      const { text } = await north.caller.get(`/api/${route}${route.includes('?') ? '&' : '?'}Output=Json`);
      assert.doesNotMatch(text, /quietus/, route);
    }
    await index();
    const find = async (by: Client): Promise<unknown[]> =>
      (await by.expectRows('message/search', { Text: 'quietus' })).map((found) => found['MessageID']);
    assert.deepEqual([await find(admin), await find(ofNorth)], [[messageId], []]);
  });

  it('MSG-03 are hidden in the views of reports too', async () => {
    await admin.save('statement', {
      ClassName: 'MessageRecipient',
      Statement: 'AllRecipients',
      Query: 'select messagerecipient as "Address" from messagerecipient order by 1',
    });
    const seenBy = async (by: Client): Promise<unknown[]> =>
      (await by.expectRows('messagerecipient/allrecipients')).map((row) => row['Address']);
    assert.deepEqual(await seenBy(ofNorth), ['ann@client.example', 'cole@court.example']);
    assert.deepEqual(await seenBy(admin), ['ann@client.example', 'cole@court.example', 'quietus@auditor.example']);
  });

  it('MSG-03 of a firm are seen by that firm, and by staff; not by the firm to which the case goes', async () => {
    const id = await send(ofNorth, { ObjectID: caseId, Subject: 'Ours', BodyText: 'x', Bcc: 'own@north.example' });
    assert.deepEqual(await addressesOf(ofNorth, id), ['own@north.example']);
    assert.deepEqual(await addressesOf(admin, id), ['own@north.example']);
    await admin.save('foreclosure', { ID: caseId, OrganizationID: south.organizationId });
    assert.deepEqual([await addressesOf(ofSouth, id), await addressesOf(ofNorth, id)], [[], []]);
    assert.deepEqual(await addressesOf(ofSouth), ['ann@client.example', 'cole@court.example']);
    await admin.save('foreclosure', { ID: caseId, OrganizationID: north.organizationId });
    assert.deepEqual(await addressesOf(ofNorth, id), ['own@north.example']);
  });

  it('MSG-03 MSG-05 of received mail are seen by the firm of the mailbox alone', async () => {
    const box = await testMailbox(p, 'Ours');
    const { message } = await box.take({ headers: { Bcc: 'carl@sender.example' } });
    const id = Number(message?.['MessageID']);
    await admin.save('message', { ID: id, Template: 'Mail' });
    await admin.expectOk('message/file', { ID: id, Object: 'Foreclosure', ObjectID: caseId });
    assert.deepEqual(await addressesOf(ofNorth, id), ['cases@firm.example']);
    const own = await testMailbox(p, 'Norths', { OrganizationID: north.organizationId });
    const second = await own.take({ subject: 'Two', headers: { Bcc: 'carl@sender.example' } });
    await admin.expectOk('message/file', {
      ID: second.message?.['MessageID'],
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    assert.deepEqual(await addressesOf(ofNorth, Number(second.message?.['MessageID'])), [
      'cases@firm.example',
      'carl@sender.example',
    ]);
  });
});

describe('recipients of a message that was sent or received', () => {
  it('MSG-03 are neither deleted nor changed, also not by staff; the message can be deleted with them', async () => {
    const rows = await admin.expectRows('messagerecipient/search', { MessageID: messageId });
    for (const { MessageRecipientID: ID } of rows) {
      await admin.expectRefused('messagerecipient/delete', { ID }, 'STATE_REFUSES', 'ID');
      const changed = { ID, MessageRecipient: 'other@client.example' };
      await admin.expectRefused('messagerecipient/save', changed, 'STATE_REFUSES', 'MessageRecipient');
    }
    const draft = await admin.save('message', { Subject: 'Draft' });
    const saved = await admin.save('messagerecipient', {
      MessageID: draft['MessageID'],
      MessageRecipient: 'a@b.example',
    });
    await admin.expectOk('messagerecipient/delete', { ID: saved['MessageRecipientID'] });
    const gone = await send(admin, { ObjectID: caseId, Subject: 'Gone', BodyText: 'x', To: 'ann@client.example' });
    await admin.expectOk('message/delete', { ID: gone });
    assert.deepEqual(await addressesOf(admin, gone), []);
  });
});
