import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, it, test } from 'node:test';
import { mailInboundConformance } from '../../../src/contracts/conformance/mail-inbound.ts';
import type { MailFilters, MailInbound } from '../../../src/contracts/mail-inbound.ts';
import { ImapMailbox, type ImapMailboxParts } from '../../../src/providers/mail-inbound/imap/imap-mailbox.ts';
import { networkList } from '../../../src/kernel/security/networks.ts';
import { atEnd } from '../../support/at-end.ts';
import { startDovecot, withoutDovecot } from '../../support/peers/dovecot.ts';

const end = { after };
const server = withoutDovecot === false ? await startDovecot(end) : undefined;
const times = { response: 20_000, idle: 240_000, silence: 360_000 };
const never = new AbortController().signal;
let users = 0;

/** Opens the mailbox of a new user, or as the parts say. */
function mailbox(parts: Partial<ImapMailboxParts> & { readonly user?: string; readonly pass?: string } = {}) {
  assert.ok(server);
  const { user = `user${++users}@firm.example`, pass = server.password, ...others } = parts;
  const inbound = new ImapMailbox({
    address: { Host: 'localhost', Port: server.tlsPort, Security: 'TLS', Authorities: server.authority },
    folder: 'INBOX',
    receivedFolder: undefined,
    isRenewable: false,
    credentials: () => Promise.resolve({ user, pass }),
    rules: () => ({ allowed: networkList('127.0.0.0/8 ::1'), isHttpLoopback: true }),
    times,
    ...others,
  });
  atEnd(end, () => inbound.close());
  return { inbound, user };
}

async function uids(inbound: MailInbound, filters: MailFilters = {}): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { uid } of inbound.look(filters)) found.push(uid);
  return found;
}

test(
  'MSG-08 MSG-19 the headers of the newest mails are read, also of those that were moved, beside other calls',
  { skip: withoutDovecot },
  async () => {
    const { inbound, user } = mailbox({ receivedFolder: 'Received' });
    const subjects = async (count: number): Promise<readonly (string | undefined)[]> =>
      ((await inbound.newestHeaders?.(count)) ?? []).map(
        (header) => /^Subject: (.*)\r$/m.exec(Buffer.from(header).toString('latin1'))?.[1],
      );
    assert.deepEqual(await subjects(2), []);
    for (const subject of ['One', 'Two', 'Three'])
      server?.deliver(user, Buffer.from(`Subject: ${subject}\r\n\r\nSubject: body\r\n`));
    assert.deepEqual(await subjects(2), ['Two', 'Three']);
    for await (const head of inbound.look({})) {
      assert.deepEqual((await subjects(9)).at(-1), 'Three');
      await inbound.settle(head);
    }
    assert.deepEqual(await subjects(9), ['One', 'Two', 'Three']);
  },
);

describe('MSG-08 ImapReceiver on a real server', { skip: withoutDovecot }, () => {
  for (const { title, check } of mailInboundConformance)
    it(title, { timeout: 60_000 }, () => {
      assert.ok(server);
      // A removed INBOX would be created again: the folder that is removed has another name.
      const folder = title.includes('renamed or deleted') ? 'Cases' : 'INBOX';
      const { inbound, user } = mailbox({ receivedFolder: 'Received', folder });
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
});

/** A line to the server that can go dead: nothing passes any more, and neither side notices. */
async function line(port: number) {
  const sockets: Socket[] = [];
  const gate = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  atEnd(end, async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => void gate.close(() => resolve()));
  });
  return {
    port: (gate.address() as AddressInfo).port,
    goDead: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

describe('MSG-08 ImapReceiver and a server that fails', { skip: withoutDovecot }, () => {
  const address = (port: number, Security: 'TLS' | 'STARTTLS' | 'None', Authorities?: string) => ({
    Host: 'localhost',
    Port: port,
    Security,
    ...(Authorities === undefined ? {} : { Authorities }),
  });

  it('signs in with STARTTLS, and trusts no certificate of an unknown authority', async () => {
    assert.ok(server);
    const { inbound } = mailbox({ address: address(server.port, 'STARTTLS', server.authority) });
    assert.equal(await inbound.check(), 0);
    for (const [port, security] of [[server.port, 'STARTTLS'] as const, [server.tlsPort, 'TLS'] as const])
      await assert.rejects(mailbox({ address: address(port, security) }).inbound.check(), { code: 'UNAVAILABLE' });
  });

  it('reports a refused password as the field that a person must correct, and connects to no forbidden address', async () => {
    const { inbound } = mailbox({ pass: 'wrong' });
    for (const attempt of [() => inbound.check(), () => inbound.folders(), () => uids(inbound)])
      await assert.rejects(attempt, { code: 'STATE_REFUSES', field: 'Password' });
    const closed = mailbox({ rules: () => ({ allowed: undefined, isHttpLoopback: false }) });
    await assert.rejects(closed.inbound.check(), { code: 'UNAVAILABLE' });
  });

  it('ends a connection on which the server is silent, in a command and in a wait', { timeout: 30_000 }, async () => {
    assert.ok(server);
    const dead = await line(server.tlsPort);
    const { inbound, user } = mailbox({
      address: address(dead.port, 'TLS', server.authority),
      times: { response: 2_000, idle: 300, silence: 1_000 },
    });
    server.deliver(user, Buffer.from('Subject: One\r\n\r\n'));
    assert.deepEqual(await uids(inbound), ['1']);
    dead.goDead();
    // Ends without news: the line is dead.
    await inbound.idle(600_000, never);
    assert.deepEqual(await uids(inbound), ['1']);
    dead.goDead();
    assert.deepEqual(await uids(inbound), ['1']);
  });

  it('MSG-07 notices a folder that was numbered anew in secret, by the hash of the known mail', async () => {
    const { inbound, user } = mailbox();
    for (const name of ['One', 'Two']) server?.deliver(user, Buffer.from(`Subject: ${name}\r\n\r\n`));
    const heads = [];
    for await (const head of inbound.look({})) heads.push(head);
    const [one, two] = heads;
    assert.ok(one && two);
    assert.deepEqual(await uids(inbound, { after: two }), []);
    assert.deepEqual(await uids(inbound, { after: { ...two, headerHash: one.headerHash } }), ['1', '2']);
  });

  it('reads a mail of 50 MB in pieces', { timeout: 60_000 }, async () => {
    const { inbound, user } = mailbox();
    const raw = Buffer.concat([Buffer.from('Subject: Large\r\n\r\n'), Buffer.alloc(50 * 1024 * 1024, 'large\r\n')]);
    server?.deliver(user, raw);
    const sum = createHash('sha256');
    let largest = 0;
    for await (const head of inbound.look({}))
      for await (const piece of inbound.fetch(head)) {
        sum.update(piece);
        largest = Math.max(largest, piece.length);
      }
    assert.equal(sum.digest('hex'), createHash('sha256').update(raw).digest('hex'));
    assert.ok(largest <= 2 * 1024 * 1024);
  });
});
