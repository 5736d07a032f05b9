import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testMailbox } from '../../support/messages/test-mailbox.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);

it('MSG-09 an analyst saves mailbox rules and message templates, and neither mailboxes nor their secrets', async () => {
  const analyst = client(p, (await p.user('an analyst', 'Analyst')).caller);
  const { id } = await testMailbox(p, 'Ours', { Description: 'Cases' });
  const [seen] = await analyst.expectRows('mailinbound/search', { MailInbound: 'Ours' });
  assert.deepEqual([seen?.['MailInboundID'], seen?.['Password'], seen?.['Secrets']], [id, undefined, undefined]);
  const rule = { MailInboundID: id, MessageStatement: 'BindByParentMessage?ID={MessageID}' };
  const { MailProcessorID: ID } = await analyst.save('mailprocessor', rule);
  await analyst.save('mailprocessor', { ID, Active: false });
  await analyst.expectOk('mailprocessor/delete', { ID });
  // A rule calls only what its author may call.
  const forbidden = { MailInboundID: id, MessageStatement: 'Role/Save?Role={Subject}' };
  await analyst.expectRefused('mailprocessor/save', forbidden, 'NO_PERMISSION');
  await analyst.save('messagetemplate', { MessageTemplate: 'By an analyst', Description: 'A first letter' });
  for (const route of ['mailinbound/save', 'mailinbound/delete', 'mailinbound/history', 'mailinbound/test'])
    await analyst.expectRefused(route, { ID: id, Host: 'evil.example' }, 'NO_PERMISSION');
  const [stored] = await p.platform.store.query<{ equal: boolean }>(
    `select strpos(permissions collate "C", '-MailProcessor') = 0
       and strpos(permissions collate "C", 'MailInboundSelect') > 0 as equal
     from role where role = 'Analyst'`,
  );
  assert.equal(stored?.equal, true, 'the stored role follows');
  const clerk = client(p, (await p.user('a clerk', 'Staff')).caller);
  await clerk.expectRefused('mailprocessor/save', rule, 'NO_PERMISSION');
  await admin.save('mailprocessor', rule);
});
