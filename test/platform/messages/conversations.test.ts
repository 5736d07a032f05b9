import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { replyAddressOf } from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';
import { client } from '../../support/client.ts';
import { conversations, firms, type ExpectedMail } from '../../support/messages/conversations.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { testMailbox, type TestMailbox } from '../../support/messages/test-mailbox.ts';
import { testPlatform } from '../../support/platform.ts';

/** Conversations of one run; `npm run soak -- conversations` tries a thousand. */
const COUNT = Number(process.env['CASEWRIGHT_TEST_CONVERSATIONS'] ?? 78);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
/** Least share of mails that are filed right. */
const RIGHT_MIN = 0.99;

test(`MSG-19 of ${COUNT} conversations made to mislead, 99 % of the mails are filed right, and none on another firm's case`, async (t) => {
  const p = await testPlatform({ after });
  const api = client(p);
  await api.save('setting', { Setting: 'ReplyDomain', Value: 'reply.cases.example' });
  const organizations = new Map<string, number>();
  const boxes = new Map<string, TestMailbox>();
  for (const own of ['Own', 'Unchecked']) boxes.set(own, await testMailbox(p, own));
  for (const firm of firms) {
    const saved = await api.save('organization', { Organization: `${firm} Law`, ProviderCode: firm });
    const OrganizationID = Number(saved['OrganizationID']);
    organizations.set(firm, OrganizationID);
    boxes.set(firm, await testMailbox(p, firm, { OrganizationID }));
  }
  const all = conversations(COUNT, SEED);
  const expected: (ExpectedMail & { readonly kind: string; readonly caseId: number })[] = [];
  for (const { kind, firm, number, contact, sent, mails } of all) {
    const saved = await api.save('foreclosure', {
      Foreclosure: number,
      OrganizationID: organizations.get(firm),
      Contacts_0_LastName: 'Contact',
      Contacts_0_Methods_0_MethodType: 'Email',
      Contacts_0_Methods_0_ContactValue: contact,
    });
    const caseId = Number(saved['ForeclosureID']);
    const [message] = await p.platform.store.query<{ id: number }>(
      `with made as (insert into message (message, bodytext, object, objectid, status, fromaddress, internetmessageid)
         values ($1::text, 'Please see.', 'Foreclosure', $2::bigint, 'Sent', 'office@office.example', $3::text)
         returning messageid)
       insert into messagerecipient (messageid, messagerecipient, category)
       select messageid, $4::text, 0 from made returning messageid as id`,
      [sent.subject, caseId, sent.mailId, sent.to[0]],
    );
    for (const each of mails) {
      const to = each.isToToken ? replyAddressOf(p.platform, message?.id ?? 0) : undefined;
      boxes.get(each.mailbox)?.receiver.add(sampleMail({ ...each.mail, ...(to === undefined ? {} : { to }) }));
      expected.push({ ...each, kind, caseId });
    }
  }
  for (const box of boxes.values()) {
    const row = await box.receive();
    assert.deepEqual([row['SetAside'], row['Behind']], [0, 0]);
  }
  const rows = await p.platform.store.query<{ id: string; text: string; caseId: number | null; across: boolean }>(
    `select m.internetmessageid as id, m.bodytext as text, m.objectid as "caseId",
       m.objectid is not null and i.organizationid is not null and i.organizationid <> p.organizationid as across
     from message m join mailinbound i on i.mailinboundid = m.mailinboundid
     left join process p on p.processid = m.objectid`,
  );
  const found = new Map(rows.map((row) => [`${row.id} ${row.text.trim()}`, row]));
  const wrong = expected.filter(({ mail, belongsTo, caseId }) => {
    const row = found.get(`${mail.messageId} ${mail.text ?? ''}`);
    return !row || row.caseId !== (belongsTo === null ? null : caseId);
  });
  t.diagnostic(`${expected.length - wrong.length} of ${expected.length} mails are filed right`);
  const kindsOfWrong = [...new Set(wrong.map(({ kind }) => kind))];
  assert.deepEqual(
    rows.filter(({ across }) => across),
    [],
    "filed on another firm's case",
  );
  assert.ok(
    wrong.length <= expected.length * (1 - RIGHT_MIN),
    `${wrong.length} of ${expected.length}: ${kindsOfWrong.join('; ')}`,
  );
  // None of the mails of which nothing may be concluded is on any case: a person decides.
  assert.deepEqual(
    wrong.filter(({ belongsTo }) => belongsTo === null),
    [],
  );
});
