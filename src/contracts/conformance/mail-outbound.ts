import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MailOutbound, OutboundMail } from '../mail-outbound.ts';

/** A mail as it arrived at the server. */
export interface ArrivedMail {
  /** The envelope's sender. */
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  header(name: string): string | undefined;
}

/** What a provider's test passes to the suite: the provider, and access to the mails that arrived. */
export interface MailPeer {
  readonly outbound: MailOutbound;
  /** Returns the mail with a Message-ID, or undefined if none has arrived. */
  readonly arrived: (messageId: string) => Promise<ArrivedMail | undefined>;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface MailDemand {
  readonly title: string;
  readonly check: (peer: MailPeer) => Promise<void>;
}

/** A mail that no other requirement sends. */
function mailOf(more: Partial<OutboundMail> = {}): OutboundMail {
  return {
    messageId: `${randomUUID()}@cases.example`,
    date: '2026-03-02T09:00:00.000Z',
    from: { address: 'cases@cases.example', name: 'Cases' },
    to: [{ address: 'a@receiver.example', name: 'Anna Ä' }],
    subject: 'A deed',
    text: 'Attached.',
    ...more,
  };
}

async function* pieces(...parts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

const refusedMails: readonly Partial<OutboundMail>[] = [
  { subject: 'x\r\nBcc: evil@receiver.example' },
  { subject: 'x\u2028y' },
  { from: { address: 'cases@cases.example', name: 'Cases\r\nBcc: evil@receiver.example' } },
  { from: { address: 'cases@cases.example>\r\nRCPT TO:<evil@receiver.example' } },
  { to: [{ address: 'a@receiver.example, evil@receiver.example' }] },
  { to: [{ address: 'a@receiver.example\n' }] },
  { to: [{ address: '"a b"@receiver.example' }] },
  { to: [{ address: '@receiver.example' }] },
  { to: [] },
  { to: Array.from({ length: 101 }, (_, n) => ({ address: `a${n}@receiver.example` })) },
  { headers: { 'X-One': 'x\r\nBcc: evil@receiver.example' } },
  { headers: { Bcc: 'evil@receiver.example' } },
  { headers: { 'X-One\r\nBcc': 'evil@receiver.example' } },
  { returnPath: 'cases@cases.example>\r\nRCPT TO:<evil@receiver.example' },
  { messageId: 'no id' },
  { messageId: 'a@b>\r\nBcc: evil@receiver.example' },
  { attachments: [{ fileName: 'x\r\ny', mime: 'text/plain', open: () => pieces('x') }] },
];

/** Requirements of every provider of the contract. */
export const mailOutboundConformance: readonly MailDemand[] = [
  {
    title: 'sends a mail under the given Message-ID, to every recipient once, and hides Bcc recipients',
    async check({ outbound, arrived }) {
      const mail = mailOf({
        cc: [{ address: 'c@receiver.example' }],
        bcc: [{ address: 'b@receiver.example' }, { address: 'A@receiver.example' }],
        replyTo: [{ address: 'answers@cases.example' }],
        headers: { 'In-Reply-To': '<first@cases.example>' },
      });
      const outcomes = await outbound.send(mail);
      assert.deepEqual(
        outcomes.map(({ address, status, detail }) => [address.toLowerCase(), status, detail]),
        [
          ['a@receiver.example', 'accepted', null],
          ['c@receiver.example', 'accepted', null],
          ['b@receiver.example', 'accepted', null],
        ],
      );
      const came = await arrived(mail.messageId);
      assert.ok(came);
      assert.deepEqual(came.to.map((address) => address.toLowerCase()).sort(), [
        'a@receiver.example',
        'b@receiver.example',
        'c@receiver.example',
      ]);
      assert.equal(came.header('Message-ID'), `<${mail.messageId}>`);
      assert.equal(came.header('Date'), 'Mon, 02 Mar 2026 09:00:00 +0000');
      assert.equal(came.header('Reply-To'), 'answers@cases.example');
      assert.equal(came.header('In-Reply-To'), '<first@cases.example>');
      assert.match(came.header('From') ?? '', /^Cases <cases@cases\.example>$/);
      assert.match(came.header('To') ?? '', /^=\?UTF-8\?.+\?= <a@receiver\.example>$/);
      assert.equal(came.header('Bcc'), undefined);
    },
  },
  {
    title: 'sends a mail from its return path, which no header shows as its sender',
    async check({ outbound, arrived }) {
      const mail = mailOf({ returnPath: 'b+1a.2b-0123456789abcdef@bounces.cases.example' });
      await outbound.send(mail);
      const came = await arrived(mail.messageId);
      assert.ok(came);
      assert.equal(came.from, mail.returnPath);
      assert.match(came.header('From') ?? '', /<cases@cases\.example>$/);
      assert.equal(came.header('Sender'), undefined);
    },
  },
  {
    title: 'sends text, HTML and streamed files unchanged, and opens nothing that a mail refers to',
    async check({ outbound, arrived }) {
      const html = '<p>Attached. <img src="file:///etc/passwd"><img src="http://127.0.0.1:1/x"></p>';
      const mail = mailOf({
        html,
        attachments: [
          { fileName: 'Überprüfung & co.txt', mime: 'text/plain', open: () => pieces('one ', 'two ', 'three') },
        ],
      });
      await outbound.send(mail);
      const came = await arrived(mail.messageId);
      assert.ok(came);
      assert.match(came.raw, new RegExp(Buffer.from('one two three').toString('base64')));
      assert.match(came.raw, /multipart\/alternative/);
      assert.match(came.raw, /file:\/\/\/etc\/passwd/);
      assert.doesNotMatch(came.raw, /root:/);
    },
  },
  {
    title: 'refuses values that would add a header or recipient, or that no server would accept, and sends nothing',
    async check({ outbound, arrived }) {
      for (const more of refusedMails) {
        const mail = mailOf(more);
        let begun = false;
        await assert.rejects(
          outbound.send(mail, { beforeData: () => Promise.resolve(void (begun = true)) }),
          { code: 'BAD_PARAMETER' },
          JSON.stringify(more),
        );
        assert.equal(begun, false);
        assert.equal(await arrived(mail.messageId), undefined);
      }
    },
  },
  {
    title: 'calls beforeData once, before the first byte, and sends nothing if it rejects',
    async check({ outbound, arrived }) {
      let times = 0;
      const mail = mailOf();
      await outbound.send(mail, {
        beforeData: async () => {
          times++;
        },
      });
      assert.equal(times, 1);
      const other = mailOf();
      await assert.rejects(outbound.send(other, { beforeData: () => Promise.reject(new Error('not any more')) }), {
        message: 'not any more',
      });
      assert.equal(await arrived(other.messageId), undefined);
      // Later mails are not affected.
      const last = mailOf();
      assert.equal((await outbound.send(last))[0]?.status, 'accepted');
    },
  },
  {
    title: 'sends a repeated attempt only to its own recipients, with the headers of all',
    async check({ outbound, arrived }) {
      const mail = mailOf({
        to: [{ address: 'first@receiver.example' }, { address: 'second@receiver.example' }],
        onlyTo: ['Second@receiver.example'],
      });
      assert.deepEqual(
        (await outbound.send(mail)).map(({ address }) => address),
        ['second@receiver.example'],
      );
      const came = await arrived(mail.messageId);
      assert.deepEqual(came?.to, ['second@receiver.example']);
      assert.match(came.header('To') ?? '', /first@receiver\.example/);
    },
  },
  {
    title: 'accepts many mails at once, and an attachment of several megabytes',
    async check({ outbound, arrived }) {
      const large = Array.from({ length: 64 }, () => 'x'.repeat(32_768));
      const mails = Array.from({ length: 12 }, (_, n) =>
        mailOf({
          subject: `mail ${n}`,
          ...(n === 5
            ? {
                attachments: [
                  { fileName: 'large.bin', mime: 'application/octet-stream', open: () => pieces(...large) },
                ],
              }
            : {}),
        }),
      );
      await Promise.all(mails.map(async (mail) => assert.equal((await outbound.send(mail))[0]?.status, 'accepted')));
      for (const mail of mails) assert.equal((await arrived(mail.messageId))?.header('Subject'), mail.subject);
    },
  },
  {
    title: 'reports whether it can send, and the default sender',
    async check({ outbound }) {
      await outbound.check();
      assert.match(outbound.from.address, /@/);
    },
  },
];
