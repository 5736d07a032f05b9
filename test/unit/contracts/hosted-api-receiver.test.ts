import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { mailInboundConformance } from '../../../src/contracts/conformance/mail-inbound.ts';
import { outboundHttpLoopback } from '../../../src/kernel/declare/core-settings.ts';
import type { Settings } from '../../../src/kernel/declare/setting.ts';
import { hostedApiReceiver } from '../../../src/providers/mail-inbound/hosted-api/hosted-api-type.ts';
import { startMailBoxApi } from '../../support/peers/mail-box-api.ts';
import { startTokenServer } from '../../support/peers/token-server.ts';

const end = { after };
const tokens = await startTokenServer(end);
const service = await startMailBoxApi(end, tokens);
const settings = {
  get: (setting: unknown) => (setting === outboundHttpLoopback ? true : ''),
} as unknown as Settings;
let users = 0;

/** Opens the mailbox of a new user. */
function mailbox(more: { readonly Password?: string } = {}) {
  const user = `hosted ${++users}/@firm.example`;
  tokens.user = user;
  service.box(user);
  const type = hostedApiReceiver(settings, { pollMilliseconds: 20 });
  const options = {
    Host: '127.0.0.1',
    Port: service.port,
    Security: 'None' as const,
    UserName: user,
    Password: tokens.password,
    TokenURL: tokens.url,
    ReceivedFolder: 'Received',
    ...more,
  };
  const saved = { id: users, name: user, options };
  type.validate(saved);
  return { inbound: type.open(saved), user, box: service.box(user) };
}

describe('MSG-08 HostedApiReceiver', () => {
  for (const { title, check } of mailInboundConformance)
    it(title, { timeout: 30_000 }, () => {
      const { inbound, user, box } = mailbox();
      return check({
        inbound,
        deliver: (raw) => service.deliver(user, raw),
        label: (name) => void box.folders.get('INBOX')?.at(-1)?.labels.push(name),
        mails: (folder) => (box.folders.get(folder) ?? []).map(({ raw }) => raw.toString('latin1')),
        renumber: () => void box.numbering++,
        removeFolder: () => void box.folders.delete('INBOX'),
        drop: () => service.drop(),
      });
    });

  it('lists a folder of more mails than one page', async () => {
    const { inbound, user } = mailbox();
    for (let n = 0; n < 250; n++) service.deliver(user, Buffer.from(`Subject: ${n}\r\n\r\n`));
    let mails = 0;
    for await (const _head of inbound.look({})) mails++;
    assert.equal(mails, 250);
    assert.equal(await inbound.check(), 250);
  });

  it('renews a refused token once, and tells wrong credentials from a service that fails', async () => {
    const { inbound } = mailbox();
    await inbound.check();
    tokens.valid.clear();
    await inbound.check();
    tokens.valid.clear();
    tokens.user = 'someone else';
    await assert.rejects(inbound.check(), { code: 'STATE_REFUSES', field: 'Password' });
    const other = mailbox();
    for (const status of [500, 429, 302]) {
      service.refusal = status;
      await assert.rejects(other.inbound.check(), { code: 'UNAVAILABLE' });
    }
    service.refusal = undefined;
    assert.equal(await other.inbound.check(), 0);
    const wrong = mailbox({ Password: 'tenant-1:client-1:wrong' });
    await assert.rejects(wrong.inbound.check(), { code: 'STATE_REFUSES', field: 'Password' });
  });
});
