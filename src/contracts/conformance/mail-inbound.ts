import assert from 'node:assert/strict';
import type { MailFilters, MailHead, MailInbound } from '../mail-inbound.ts';

/** A mailbox on a server for one requirement, and what a test does to it from outside. */
export interface MailboxPeer {
  /** Reads the folder INBOX; moves to `Received`. */
  readonly inbound: MailInbound;
  /** Stores a mail in INBOX, as the server does when one arrives. */
  readonly deliver: (raw: Buffer) => void | Promise<void>;
  /** Sets a label of the newest mail in INBOX. */
  readonly label: (name: string) => void | Promise<void>;
  /** The raw mails of a folder. */
  readonly mails: (folder: string) => readonly string[] | Promise<readonly string[]>;
  /** Renumbers the mails of INBOX. */
  readonly renumber: () => void | Promise<void>;
  /** Removes INBOX, or gives it another name. */
  readonly removeFolder: () => void | Promise<void>;
  /** Ends all connections. */
  readonly drop: () => void | Promise<void>;
}

/** One requirement: a sentence, and a function that throws if the reader does not meet it. */
export interface MailboxDemand {
  readonly title: string;
  readonly check: (peer: MailboxPeer) => Promise<void>;
}

const never = new AbortController().signal;
const mail = (subject: string, more = ''): Buffer =>
  Buffer.from(`From: anna@firm.example\r\nSubject: ${subject}\r\n${more}\r\nText of ${subject}.\r\n`);

async function heads(inbound: MailInbound, filters: MailFilters = {}): Promise<readonly MailHead[]> {
  const found: MailHead[] = [];
  for await (const head of inbound.look(filters)) found.push(head);
  return found;
}

async function source(inbound: MailInbound, head: MailHead): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of inbound.fetch(head)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function subjects(inbound: MailInbound, filters: MailFilters): Promise<readonly string[]> {
  const found: string[] = [];
  for (const head of await heads(inbound, filters))
    found.push(/^Subject: (.*)$/m.exec((await source(inbound, head)).toString())?.[1]?.trim() ?? '');
  return found;
}

/** Requirements of every receiver. */
export const mailInboundConformance: readonly MailboxDemand[] = [
  {
    title: 'lists mails oldest first, with places and hashes that stay the same, and streams them unchanged',
    async check({ inbound, deliver }) {
      const raws = [mail('One'), Buffer.concat([mail('Two'), Buffer.from([0x80, 0xff, 0x0d, 0x0a])]), mail('Three')];
      for (const raw of raws) await deliver(raw);
      const found = await heads(inbound);
      assert.equal(found.length, 3);
      assert.deepEqual(await heads(inbound), found);
      for (const [n, head] of found.entries()) {
        const raw = raws[n] ?? Buffer.alloc(0);
        assert.deepEqual(await source(inbound, head), raw);
        assert.equal(head.size, raw.length);
        assert.equal(head.folder, 'INBOX');
        assert.match(head.headerHash, /^[0-9a-f]{64}$/);
        assert.match(head.receivedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
      assert.equal(new Set(found.map(({ uid }) => uid)).size, 3);
      assert.equal(new Set(found.map(({ headerHash }) => headerHash)).size, 3);
    },
  },
  {
    title: 'lists only mails after a known one, and none twice where there is no newer one',
    async check({ inbound, deliver }) {
      for (const subject of ['One', 'Two']) await deliver(mail(subject));
      const [one, two] = await heads(inbound);
      assert.ok(one && two);
      assert.deepEqual(await heads(inbound, { after: one }), [two]);
      assert.deepEqual(await heads(inbound, { after: two }), []);
      await deliver(mail('Three'));
      assert.deepEqual(await subjects(inbound, { after: two }), ['Three']);
    },
  },
  {
    title: 'lets mails be fetched and moved while it lists them',
    async check({ inbound, deliver, mails }) {
      for (const subject of ['One', 'Two', 'Three']) await deliver(mail(subject));
      const seen: string[] = [];
      for await (const head of inbound.look({})) {
        seen.push((await source(inbound, head)).toString());
        await inbound.settle(head);
      }
      assert.equal(seen.length, 3);
      assert.deepEqual([(await mails('INBOX')).length, (await mails('Received')).length], [0, 3]);
    },
  },
  {
    title: 'moves received mail and deletes nothing; a mail that is gone is no error to move, and not found to fetch',
    async check({ inbound, deliver, mails }) {
      const raw = mail('One');
      await deliver(raw);
      await deliver(mail('Two'));
      const [one] = await heads(inbound);
      assert.ok(one);
      await inbound.settle(one);
      await inbound.settle(one);
      assert.deepEqual(await mails('Received'), [raw.toString('latin1')]);
      assert.equal((await mails('INBOX')).length, 1);
      await assert.rejects(source(inbound, one), { code: 'NOT_FOUND' });
      await assert.rejects(source(inbound, { ...one, uid: '999999' }), { code: 'NOT_FOUND' });
      assert.deepEqual(await subjects(inbound, { after: one }), ['Two']);
    },
  },
  {
    title:
      'fetches and moves several mails at once if it supports that, and leaves out those that are gone or too large',
    async check({ inbound, deliver, mails }) {
      if (!inbound.fetchMany || !inbound.settleMany) return;
      const raws = [mail('One'), mail('Two'), mail('Three'), mail('Large', `X-Filler: ${'x'.repeat(500)}\r\n`)];
      for (const raw of raws) await deliver(raw);
      const found = await heads(inbound);
      const [one, two, three] = found;
      assert.ok(one && two && three);
      await inbound.settle(two);
      const fetched = await inbound.fetchMany([...found, { ...one, uid: '999999' }], 200);
      assert.deepEqual(
        new Map([...fetched].map(([uid, bytes]) => [uid, Buffer.from(bytes)])),
        new Map([
          [one.uid, raws[0]],
          [three.uid, raws[2]],
        ]),
      );
      await inbound.settleMany([one, two, three]);
      await inbound.settleMany([one, three]);
      assert.deepEqual([(await mails('INBOX')).length, (await mails('Received')).length], [1, 3]);
      assert.equal((await inbound.fetchMany([one], 200)).size, 0);
      assert.equal((await inbound.fetchMany([{ ...three, uidValidity: '1' }], 200)).size, 0);
      assert.equal((await inbound.fetchMany([], 200)).size, 0);
    },
  },
  {
    title: 'filters by people, subject, label and days, whatever the case',
    async check({ inbound, deliver, label }) {
      const more = 'To: "Bo" <bo@firm.example>\r\nCc: carl@firm.example\r\nBcc: dora@firm.example\r\n';
      await deliver(mail('Deed of Trust', `${more}Date: Mon, 02 Mar 2026 23:30:00 -0500\r\n`));
      await label('urgent');
      await deliver(mail('=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'To: bobo@firm.example\r\n'));
      const deed = ['Deed of Trust'];
      const matching: readonly MailFilters[] = [
        { to: 'BO@firm.example' },
        { cc: 'carl@firm.example' },
        { bcc: 'Dora@firm.example' },
        { hasEmail: 'carl@firm.example' },
        { subject: 'of trust' },
        { label: 'Urgent' },
        { sent: { from: '2026-03-03', to: '2026-03-03' } },
        { sent: { to: '2026-03-02' }, timeZone: 'America/New_York' },
        { to: 'bo@firm.example', subject: 'deed', since: '2020-01-01T00:00:00.000Z' },
      ];
      for (const filters of matching) assert.deepEqual(await subjects(inbound, filters), deed, JSON.stringify(filters));
      assert.equal((await heads(inbound, { hasEmail: 'anna@firm.example' })).length, 2);
      assert.equal((await heads(inbound, { subject: 'GRÜSSE'.replace('SS', 'ß') })).length, 1);
      assert.equal((await heads(inbound, { delivered: { from: '2020-02-01' } })).length, 2);
      const missing: readonly MailFilters[] = [
        { to: 'b@firm.example' },
        { subject: 'no such' },
        { label: 'other' },
        { cc: 'bo@firm.example' },
        { sent: { from: '2026-03-04' } },
        { delivered: { to: '2020-01-31' } },
        { since: '2100-01-01T00:00:00.000Z' },
      ];
      for (const filters of missing) assert.deepEqual(await heads(inbound, filters), [], JSON.stringify(filters));
    },
  },
  {
    title: 'lists all mails again where the folder was numbered anew, with the same hashes and other places',
    async check({ inbound, deliver, renumber }) {
      for (const subject of ['One', 'Two']) await deliver(mail(subject));
      const before = await heads(inbound);
      await renumber();
      const after = await heads(inbound, { ...(before[1] ? { after: before[1] } : {}) });
      assert.deepEqual(
        after.map(({ headerHash }) => headerHash).sort(),
        before.map(({ headerHash }) => headerHash).sort(),
      );
      assert.notEqual(after[0]?.uidValidity, before[0]?.uidValidity);
      await assert.rejects(source(inbound, before[0] as MailHead), { code: 'NOT_FOUND' });
    },
  },
  {
    title: 'streams a mail of several megabytes in pieces, and reads others after one that was given up',
    async check({ inbound, deliver }) {
      const large = Buffer.concat([mail('Large'), Buffer.alloc(5 * 1024 * 1024, 'line of a large mail\r\n')]);
      await deliver(large);
      await deliver(mail('Small'));
      const [first, second] = await heads(inbound);
      assert.ok(first && second);
      let pieces = 0;
      for await (const piece of inbound.fetch(first)) {
        assert.ok(piece.length <= 2 * 1024 * 1024);
        pieces++;
        break;
      }
      assert.equal(pieces, 1);
      assert.match((await source(inbound, second)).toString(), /Subject: Small/);
      assert.ok((await source(inbound, first)).equals(large));
    },
  },
  {
    title: 'waits for mail: until some comes, the time is over or the call is canceled',
    async check({ inbound, deliver }) {
      assert.deepEqual(await heads(inbound), []);
      await inbound.idle(20, never);
      const canceled = new AbortController();
      const waiting = inbound.idle(600_000, canceled.signal);
      canceled.abort();
      await waiting;
      await inbound.idle(600_000, AbortSignal.abort());
      // Mail that comes after the look, before the wait.
      await deliver(mail('One'));
      await inbound.idle(600_000, never);
      assert.equal((await heads(inbound)).length, 1);
      const coming = inbound.idle(600_000, never);
      await deliver(mail('Two'));
      await coming;
      assert.equal((await heads(inbound)).length, 2);
    },
  },
  {
    title: 'connects again after a lost connection, also in a wait, which never throws',
    async check({ inbound, deliver, drop }) {
      await deliver(mail('One'));
      assert.equal((await heads(inbound)).length, 1);
      await drop();
      assert.equal((await heads(inbound).catch(() => heads(inbound))).length, 1);
      const ended = new AbortController();
      const waiting = inbound.idle(600_000, ended.signal);
      await drop();
      ended.abort();
      await waiting;
      assert.equal((await heads(inbound).catch(() => heads(inbound))).length, 1);
    },
  },
  {
    title: 'reports how many mails the folder holds, and its folders, beside other calls',
    async check({ inbound, deliver }) {
      await deliver(mail('One'));
      await deliver(mail('Two'));
      for await (const head of inbound.look({})) {
        assert.equal(await inbound.check(), 2);
        assert.ok((await inbound.folders()).includes(head.folder));
      }
    },
  },
  {
    title: 'names the folder where it was renamed or deleted',
    async check({ inbound, deliver, removeFolder }) {
      await deliver(mail('One'));
      assert.equal((await heads(inbound)).length, 1);
      await removeFolder();
      await assert.rejects(heads(inbound), { code: 'STATE_REFUSES', field: 'Folder' });
      await assert.rejects(inbound.check(), { code: 'STATE_REFUSES', field: 'Folder' });
    },
  },
];
