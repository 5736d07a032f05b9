import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { mailInboundConformance } from '../../../src/contracts/conformance/mail-inbound.ts';
import { outboundAllowedNetworks, outboundHttpLoopback } from '../../../src/kernel/declare/core-settings.ts';
import type { Settings } from '../../../src/kernel/declare/setting.ts';
import { hostedMailReceiver } from '../../../src/providers/mail-inbound/hosted-mail/hosted-mail-type.ts';
import { atEnd } from '../../support/at-end.ts';
import { startDovecot, withoutDovecot } from '../../support/peers/dovecot.ts';
import { startTokenServer } from '../../support/peers/token-server.ts';

const end = { after };
const tokens = await startTokenServer(end);
const server = withoutDovecot === false ? await startDovecot(end, { introspection: tokens.introspection }) : undefined;
const settings = {
  get: (setting: unknown) =>
    setting === outboundAllowedNetworks ? '127.0.0.0/8 ::1' : setting === outboundHttpLoopback,
} as unknown as Settings;
let users = 0;

/** Opens the mailbox of a new user. */
function mailbox(more: { readonly Folder?: string; readonly Password?: string } = {}) {
  assert.ok(server);
  const user = `hosted${++users}@firm.example`;
  tokens.user = user;
  const type = hostedMailReceiver(settings);
  const options = {
    Host: 'localhost',
    Port: server.tlsPort,
    Authorities: server.authority,
    UserName: user,
    Password: tokens.password,
    TokenURL: tokens.url,
    Scope: 'mail.read',
    ReceivedFolder: 'Received',
    ...more,
  };
  const saved = { id: users, name: user, options };
  type.validate(saved);
  const inbound = type.open(saved);
  atEnd(end, () => inbound.close());
  return { inbound, user };
}

describe('MSG-08 HostedMailReceiver on a real server with a token server', { skip: withoutDovecot }, () => {
  for (const { title, check } of mailInboundConformance)
    it(title, { timeout: 60_000 }, () => {
      assert.ok(server);
      const folder = title.includes('renamed or deleted') ? 'Cases' : 'INBOX';
      const { inbound, user } = mailbox({ Folder: folder });
      return check({
        inbound,
        deliver: (raw) => server.deliver(user, raw, folder),
        label: (name) => void server.doveadm('flags', 'add', '-u', user, name, 'mailbox', folder, 'all'),
        mails: (name) => server.mails(user, name),
        renumber: () => server.renumber(user),
        removeFolder: () => void server.doveadm('mailbox', 'rename', '-u', user, folder, 'Elsewhere'),
        drop: () => server.dropConnections(),
      });
    });

  it('requests a token with the client credentials, and uses it until shortly before it expires', async () => {
    const before = tokens.requests.length;
    const { inbound } = mailbox();
    assert.equal(await inbound.check(), 0);
    assert.equal(await inbound.check(), 0);
    assert.deepEqual(tokens.requests.slice(before).map(String), [
      'grant_type=client_credentials&client_id=client-1&client_secret=secret%3Awith-colon-1&scope=mail.read',
    ]);
    tokens.seconds = 60;
    const short = mailbox();
    await short.inbound.check();
    tokens.seconds = 3_600;
  });

  it('renews a refused token once, then asks for a person', async () => {
    const { inbound } = mailbox();
    await inbound.check();
    tokens.valid.clear();
    const before = tokens.requests.length;
    assert.equal(await inbound.check(), 0);
    assert.equal(tokens.requests.length, before + 1);
    // The token is granted, but for another mailbox.
    tokens.valid.clear();
    tokens.user = 'someone-else@firm.example';
    await assert.rejects(inbound.check(), { code: 'STATE_REFUSES', field: 'Password' });
    assert.equal(tokens.requests.length, before + 2);
  });

  it('tells wrong credentials from a token server that fails', async () => {
    const wrong = mailbox({ Password: 'tenant-1:client-1:wrong' });
    await assert.rejects(wrong.inbound.check(), { code: 'STATE_REFUSES', field: 'Password' });
    const { inbound } = mailbox();
    tokens.refusal = 503;
    await assert.rejects(inbound.check(), { code: 'UNAVAILABLE' });
    tokens.refusal = undefined;
    assert.equal(await inbound.check(), 0);
    assert.throws(() => mailbox({ Password: 'no-parts' }), { code: 'BAD_PARAMETER', field: 'Password' });
  });
});
