import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { startMailBoxApi } from '../../support/peers/mail-box-api.ts';
import { startTokenServer } from '../../support/peers/token-server.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const tokens = await startTokenServer({ after });
const service = await startMailBoxApi({ after }, tokens);
const stored = (id: unknown) =>
  p.platform.store.query<{ password: string | null; since: string }>(
    'select password, since from mailinbound where mailinboundid = $1::bigint',
    [id],
  );

const hosted = {
  MailInbound: 'Hosted',
  Receiver: 'HostedApiReceiver',
  Host: '127.0.0.1',
  Port: service.port,
  Security: 'None',
  UserName: 'office',
  Password: tokens.password,
  TokenURL: tokens.url,
  Active: false,
};

describe('MSG-08 saved mailboxes', () => {
  it('have the receivers of the specification, and their options alone', async () => {
    const imap = { Host: 'mail.example', UserName: 'office', Password: 'a password', Active: false };
    await admin.save('mailinbound', { MailInbound: 'Plain', ...imap });
    // Calls find a mailbox by its name.
    await admin.expectRefused('mailinbound/save', { MailInbound: 'plain', ...imap }, 'DUPLICATE_KEY', 'MailInbound');
    const [row] = await admin.expectRows('mailinbound/search', { MailInbound: 'Plain' });
    assert.equal(row?.['Receiver'], 'ImapReceiver');
    const route = 'mailinbound/save';
    await admin.expectRefused(route, { ...imap, MailInbound: 'X', Receiver: 'pop' }, 'BAD_PARAMETER', 'Receiver');
    await admin.expectRefused(route, { ...imap, MailInbound: 'X', TokenURL: tokens.url }, 'BAD_PARAMETER', 'TokenURL');
    await admin.expectRefused(route, { ...imap, MailInbound: 'X', Password: '' }, 'MISSING_PARAMETER', 'Password');
    await admin.expectRefused(route, { ...imap, MailInbound: 'A,B' }, 'BAD_PARAMETER', 'MailInbound');
    await admin.expectRefused(route, { ...imap, MailInbound: 'X', Host: '10.0.0.1' }, 'BAD_PARAMETER', 'Host');
    await admin.expectRefused(route, { ...imap, MailInbound: 'X', Security: 'None' }, 'BAD_PARAMETER', 'Security');
    const same = { ...imap, MailInbound: 'X', ReceivedFolder: 'inbox' };
    await admin.expectRefused(route, same, 'BAD_PARAMETER', 'ReceivedFolder');
  });

  it('are tested and list their folders; secrets are sealed, and dropped with a changed address', async () => {
    await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
    tokens.user = 'office';
    service.deliver('office', Buffer.from('Subject: One\r\n\r\n'));
    const { MailInboundID: ID } = await admin.save('mailinbound', hosted);
    const works = await admin.expectOk('mailinbound/test', { ID });
    assert.deepEqual([works['Status'], works['Mails'], works['Message']], ['Works', 1, undefined]);
    assert.deepEqual(
      (await admin.expectRows('mailinbound/folders', { ID })).map(({ Folder }) => Folder),
      ['INBOX', 'Received'],
    );
    const [{ password } = {}] = await stored(ID);
    assert.ok(password && !password.includes('secret'));
    assert.doesNotMatch(JSON.stringify(await admin.select('mailinbound', ID)), /secret:with-colon/);
    const moved = { ID, TokenURL: `${tokens.url}x` };
    await admin.expectRefused('mailinbound/save', moved, 'MISSING_PARAMETER', 'Password');
    await admin.save('mailinbound', { ...moved, Password: 'tenant-1:client-1:wrong' });
    const failed = await admin.expectOk('mailinbound/test', { ID });
    assert.equal(failed['Status'], 'Failed');
    assert.match(String(failed['Message']), /^Password: the mail server refuses the sign-in/);
    await admin.expectRefused('mailinbound/folders', { ID }, 'STATE_REFUSES', 'Password');
  });

  it('receive mail from now on, unless Since says otherwise', async () => {
    const before = p.platform.clock.milliseconds();
    const { MailInboundID } = await admin.save('mailinbound', { ...hosted, MailInbound: 'New' });
    const [row] = await stored(MailInboundID);
    const since = Date.parse(row?.since ?? '');
    assert.ok(since >= before && since <= p.platform.clock.milliseconds());
    const old = await admin.save('mailinbound', { ...hosted, MailInbound: 'Old', Since: '2020-01-01T00:00:00Z' });
    assert.equal(Date.parse((await stored(old['MailInboundID']))[0]?.since ?? ''), Date.UTC(2020, 0, 1));
  });
});
