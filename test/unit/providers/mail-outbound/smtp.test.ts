import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { generateKeyPairSync, verify, createHash } from 'node:crypto';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { after, afterEach, describe, it } from 'node:test';
import { mailOutboundConformance } from '../../../../src/contracts/conformance/mail-outbound.ts';
import type { MailOutbound, OutboundMail, RecipientOutcome } from '../../../../src/contracts/mail-outbound.ts';
import type { SavedProvider } from '../../../../src/contracts/provider-options.ts';
import { outboundAllowedNetworks, outboundHttpLoopback } from '../../../../src/kernel/declare/core-settings.ts';
import type { SettingDefinition, Settings } from '../../../../src/kernel/declare/setting.ts';
import { smtpOptions, type SmtpOptions } from '../../../../src/providers/mail-outbound/smtp/smtp-options.ts';
import { smtpServers } from '../../../../src/providers/mail-outbound/smtp/smtp-type.ts';
import { certificate } from '../../../support/peers/certificate.ts';
import { atEnd } from '../../../support/at-end.ts';
import { reply, startMailServer } from '../../../support/peers/mail-server.ts';

function settingsOf(values: ReadonlyMap<unknown, unknown>): Settings {
  return { get: <T>(definition: SettingDefinition<T>) => (values.get(definition) ?? definition.default) as T };
}

/** This machine counts as internal: it can be connected to because the settings allow it. */
const open = settingsOf(
  new Map<unknown, unknown>([
    [outboundAllowedNetworks, '127.0.0.0/8'],
    [outboundHttpLoopback, true],
  ]),
);
const closed = settingsOf(new Map());
const server = await startMailServer({ after });
afterEach(() => {
  for (const name of Object.keys(server.hooks)) Reflect.deleteProperty(server.hooks, name);
});

const account = (more: Partial<SmtpOptions> = {}): SavedProvider<typeof smtpOptions> => ({
  id: 1,
  name: 'Test',
  options: {
    Host: 'localhost',
    Port: server.port,
    FromAddress: 'cases@cases.example',
    Authorities: certificate.cert,
    TimeoutSeconds: 5,
    ...more,
  },
});

function outboundOf(
  t: { after(fn: () => Promise<void>): void },
  more: Partial<SmtpOptions> = {},
  settings = open,
): MailOutbound {
  const made = smtpServers(settings).open(account({ Host: '127.0.0.1', ...more }));
  t.after(() => made.close());
  return made;
}

let made = 0;
const mailTo = (...to: string[]): OutboundMail => ({
  messageId: `m${++made}@cases.example`,
  date: '2026-03-02T09:00:00.000Z',
  from: { address: 'cases@cases.example' },
  to: to.map((address) => ({ address })),
  subject: `mail ${made}`,
  text: 'text',
});
const summarize = (outcomes: readonly RecipientOutcome[]): string[] =>
  outcomes.map(({ status, detail }) => `${status}${detail === null ? '' : ` ${detail}`}`);
const acceptedCount = (mail: OutboundMail): number =>
  server.mails.filter((one) => one.header('Message-ID') === `<${mail.messageId}>`).length;

describe('SMTP meets the contract', () => {
  const outbound = smtpServers(open).open(account());
  after(() => outbound.close());
  const peer = {
    outbound,
    arrived: (id: string) => Promise.resolve(server.mails.find((mail) => mail.header('Message-ID') === `<${id}>`)),
  };
  for (const { title, check } of mailOutboundConformance) it(`MSG-04 ${title}`, () => check(peer));

  it('keeps a few connections open and sends over them', async (t) => {
    const own = await startMailServer(t);
    const pooled = outboundOf(t, { Port: own.port, ConnectionsMax: 2 });
    await Promise.all(Array.from({ length: 10 }, () => pooled.send(mailTo('a@receiver.example'))));
    assert.equal(own.mails.length, 10);
    assert.ok(own.connections <= 2, String(own.connections));
    assert.ok(own.mails.every((mail) => mail.isSecure));
  });
});

describe("a server's answers about recipients", () => {
  it("MSG-04 a refused recipient is recorded with the server's reply, a temporarily refused one is deferred, the others get the mail", async (t) => {
    server.hooks.recipient = (address) => {
      if (address.startsWith('gone')) return reply(550, 'no such user\r\n here 123-45-6789');
      return address.startsWith('busy') ? reply(451, 'greylisted, come back') : undefined;
    };
    const mail = mailTo('gone@receiver.example', 'a@receiver.example', 'busy@receiver.example');
    const outcomes = await outboundOf(t).send(mail);
    assert.deepEqual(
      outcomes.map(({ address, status }) => [address, status]),
      [
        ['gone@receiver.example', 'refused'],
        ['a@receiver.example', 'accepted'],
        ['busy@receiver.example', 'later'],
      ],
    );
    assert.match(outcomes[0]?.detail ?? '', /^550 .*no such user/);
    assert.doesNotMatch(outcomes[0]?.detail ?? '', /123-45|\n/);
    assert.match(outcomes[2]?.detail ?? '', /^451 .*greylisted/);
    assert.equal(acceptedCount(mail), 1);
  });

  it('MSG-04 if all recipients are refused each has its own outcome, and nothing is sent', async (t) => {
    server.hooks.recipient = (address) =>
      address.startsWith('gone') ? reply(550, 'no such user') : reply(450, 'try later');
    const mail = mailTo('gone@receiver.example', 'busy@receiver.example');
    const outbound = outboundOf(t);
    assert.deepEqual(
      (await outbound.send(mail)).map(({ status }) => status),
      ['refused', 'later'],
    );
    assert.equal(acceptedCount(mail), 0);
    server.hooks.recipient = () => undefined;
    assert.deepEqual(
      summarize(await outbound.send(mail)),
      ['accepted', 'accepted'],
      'the connection can be used for the next mail',
    );
  });

  it('the reply to the mail itself is the outcome for every recipient: refused or deferred', async (t) => {
    const outbound = outboundOf(t);
    server.hooks.data = () => reply(554, 'this is spam');
    assert.match(
      summarize(await outbound.send(mailTo('a@receiver.example', 'b@receiver.example')))[1] ?? '',
      /^refused 554 .*spam/,
    );
    server.hooks.data = () => reply(452, 'disk full');
    assert.match(summarize(await outbound.send(mailTo('a@receiver.example')))[0] ?? '', /^later 452 .*disk full/);
  });

  it('a mail larger than the server accepts is refused', async (t) => {
    const small = await startMailServer(t, {
      size: 1_000,
      onData(stream, _session, done) {
        stream.on('data', () => undefined).on('end', () => done(stream.sizeExceeded ? reply(552, 'too large') : null));
      },
    });
    const outcomes = await outboundOf(t, { Port: small.port }).send({
      ...mailTo('a@receiver.example'),
      text: 'x'.repeat(5_000),
    });
    assert.match(summarize(outcomes)[0] ?? '', /^refused 552/);
  });
});

describe('connections that break', () => {
  it('MSG-15 cut before the mail: no recipient has it, and it may be sent again', async (t) => {
    server.hooks.recipient = () => 'cut';
    let begun = 0;
    assert.match(
      summarize(
        await outboundOf(t).send(mailTo('a@receiver.example'), {
          beforeData: () => {
            begun++;
            return Promise.resolve();
          },
        }),
      )[0] ?? '',
      /^later /,
    );
    assert.equal(begun, 0);
  });

  it('MSG-15 cut within the mail: the server cannot have accepted it, since it never saw the end', async (t) => {
    server.hooks.cutAfterBytes = 100_000;
    const mail = { ...mailTo('a@receiver.example'), text: 'line of text\n'.repeat(400_000) };
    assert.match(summarize(await outboundOf(t).send(mail))[0] ?? '', /^later /);
    assert.equal(acceptedCount(mail), 0);
  });

  it('MSG-15 cut after the mail without a reply: unknown, and not resent automatically', async (t) => {
    let came = 0;
    server.hooks.data = () => {
      came++;
      return 'cut';
    };
    const outbound = outboundOf(t);
    const mail = mailTo('a@receiver.example', 'b@receiver.example');
    assert.deepEqual(
      (await outbound.send(mail)).map(({ status }) => status),
      ['unknown', 'unknown'],
    );
    // Also over a reused connection, which the library would otherwise treat as idle too long.
    server.hooks.data = () => undefined;
    assert.equal((await outbound.send(mailTo('c@receiver.example')))[0]?.status, 'accepted');
    server.hooks.data = () => {
      came++;
      return 'cut';
    };
    assert.equal((await outbound.send(mail))[0]?.status, 'unknown');
    assert.equal(came, 2, 'each attempt arrived once');
  });

  it('MSG-15 a server that goes silent after the mail: unknown; one that goes silent before it: deferred', async (t) => {
    let silent: (() => void) | undefined;
    server.hooks.data = () => new Promise((resolve) => void (silent = () => resolve(undefined)));
    const outbound = outboundOf(t, { TimeoutSeconds: 1 });
    assert.match(summarize(await outbound.send(mailTo('a@receiver.example')))[0] ?? '', /^unknown /);
    silent?.();
    delete server.hooks.data;
    server.hooks.recipient = () => new Promise((resolve) => void (silent = () => resolve(undefined)));
    assert.match(summarize(await outbound.send(mailTo('a@receiver.example')))[0] ?? '', /^later /);
    silent?.();
  });

  it('ends on abort, and reports what is known of the mail', async (t) => {
    const ended = new AbortController();
    let answer: (() => void) | undefined;
    server.hooks.data = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined);
        ended.abort();
      });
    assert.match(
      summarize(await outboundOf(t).send(mailTo('a@receiver.example'), { signal: ended.signal }))[0] ?? '',
      /^unknown /,
    );
    answer?.();
    const before = new AbortController();
    server.hooks.recipient = () => {
      before.abort();
      return undefined;
    };
    assert.match(
      summarize(await outboundOf(t).send(mailTo('a@receiver.example'), { signal: before.signal }))[0] ?? '',
      /^(later|unknown) /,
    );
  });

  it('no listener, no greeting, or another protocol: deferred, and check says why', async (t) => {
    const free = createPlainServer();
    await new Promise<void>((resolve) => void free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise<void>((resolve) => void free.close(() => resolve()));
    const nobody = outboundOf(t, { Port: port });
    assert.match(summarize(await nobody.send(mailTo('a@receiver.example')))[0] ?? '', /^later .*ECONNREFUSED/);
    await assert.rejects(nobody.check(), { code: 'UNAVAILABLE', message: /refuses connections on port \d+/ });
    const other = createPlainServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    atEnd(t, () => new Promise<void>((resolve) => void other.close(() => resolve())));
    assert.match(
      summarize(
        await outboundOf(t, { Port: (other.address() as AddressInfo).port }).send(mailTo('a@receiver.example')),
      )[0] ?? '',
      /^later /,
    );
  });
});

describe('encryption and sign-in', () => {
  it('a certificate not signed by a known authority is refused, and nothing is sent, by STARTTLS and by TLS', async (t) => {
    const tls = await startMailServer(t, { secure: true });
    for (const [security, port, mails] of [
      ['STARTTLS', server.port, server.mails],
      ['TLS', tls.port, tls.mails],
    ] as const) {
      const before = mails.length;
      const saved = account({ Security: security, Port: port, Host: '127.0.0.1' });
      const { Authorities: _none, ...unknown } = saved.options;
      const outbound = smtpServers(open).open({ ...saved, options: unknown });
      t.after(() => outbound.close());
      assert.match(summarize(await outbound.send(mailTo('a@receiver.example')))[0] ?? '', /^later .*self-signed/);
      assert.equal(mails.length, before);
    }
    const trusted = outboundOf(t, { Security: 'TLS', Port: tls.port });
    assert.deepEqual(summarize(await trusted.send(mailTo('a@receiver.example'))), ['accepted']);
    assert.equal(tls.mails[0]?.isSecure, true);
  });

  it('a server without STARTTLS gets neither credentials nor mail', async (t) => {
    const seen: string[] = [];
    const plain = await startMailServer(t, {
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth({ username }, _session, done) {
        seen.push(username ?? '');
        done(null, { user: username });
      },
    });
    const outbound = outboundOf(t, { Port: plain.port, UserName: 'cases', Password: 'a secret' });
    assert.match(summarize(await outbound.send(mailTo('a@receiver.example')))[0] ?? '', /^later /);
    assert.deepEqual([seen, plain.mails.length], [[], 0]);
  });

  it('without encryption it connects only to this machine, and only if the setting allows it', async (t) => {
    const plain = await startMailServer(t, { hideSTARTTLS: true });
    assert.deepEqual(
      summarize(await outboundOf(t, { Port: plain.port, Security: 'None' }).send(mailTo('a@receiver.example'))),
      ['accepted'],
    );
    assert.match(
      summarize(
        await outboundOf(t, { Port: plain.port, Security: 'None' }, closed).send(mailTo('a@receiver.example')),
      )[0] ?? '',
      /^later /,
    );
    for (const host of ['mail.example', '10.0.0.1', '203.0.113.1'])
      assert.throws(
        () => smtpServers(open).validate(account({ Host: host, Security: 'None' })),
        { code: 'BAD_PARAMETER', field: 'Security' },
        host,
      );
    assert.equal(plain.mails.length, 1);
  });

  it('an internal server is not connected to unless the settings allow its network, whatever its name says', async (t) => {
    const before = server.connections;
    for (const host of ['127.0.0.1', 'localhost'])
      assert.match(
        summarize(await outboundOf(t, { Host: host }, closed).send(mailTo('a@receiver.example')))[0] ?? '',
        /^later .*may not be connected/,
      );
    assert.equal(server.connections, before);
    assert.throws(() => smtpServers(closed).validate(account({ Host: '127.0.0.1' })), {
      code: 'BAD_PARAMETER',
      field: 'Host',
    });
  });

  it('signs in by name and password; a wrong one is retried later, since the account may be fixed, and the error says so', async (t) => {
    server.hooks.signIn = (user, secret) => user === 'cases' && secret === 'a secret';
    const mail = mailTo('a@receiver.example');
    assert.deepEqual(summarize(await outboundOf(t, { UserName: 'cases', Password: 'a secret' }).send(mail)), [
      'accepted',
    ]);
    assert.equal(server.mails.find((one) => one.header('Message-ID') === `<${mail.messageId}>`)?.user, 'cases');
    const wrong = outboundOf(t, { UserName: 'cases', Password: 'another' });
    assert.match(summarize(await wrong.send(mailTo('a@receiver.example')))[0] ?? '', /^later 535/);
    await assert.rejects(wrong.check(), { code: 'UNAVAILABLE', message: /535/ });
  });

  it('signs in with an access token, which it obtains with its refresh token and caches', async (t) => {
    const authorizations: string[] = [];
    const tokens = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => void (body += part.toString()));
      request.on('end', () => {
        authorizations.push(body);
        response
          .writeHead(body.includes('right') ? 200 : 400, { 'Content-Type': 'application/json' })
          .end(
            JSON.stringify(
              body.includes('right') ? { access_token: 'token-1', expires_in: 3600 } : { error: 'invalid_grant' },
            ),
          );
      });
    });
    await new Promise<void>((resolve) => void tokens.listen(0, '127.0.0.1', resolve));
    atEnd(t, () => new Promise<void>((resolve) => void tokens.close(() => resolve())));
    server.hooks.signIn = (user, secret, method) => method === 'XOAUTH2' && user === 'cases' && secret === 'token-1';
    const tokenUrl = `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`;
    const outbound = outboundOf(t, {
      UserName: 'cases',
      TokenURL: tokenUrl,
      ClientID: 'client',
      ClientSecret: 'secret of client',
      RefreshToken: 'right',
      ConnectionsMax: 1,
    });
    assert.deepEqual(summarize(await outbound.send(mailTo('a@receiver.example'))), ['accepted']);
    assert.deepEqual(summarize(await outbound.send(mailTo('a@receiver.example'))), ['accepted']);
    assert.deepEqual(authorizations, [
      'grant_type=refresh_token&client_id=client&refresh_token=right&client_secret=secret+of+client',
    ]);
    assert.match(
      summarize(
        await outboundOf(t, { UserName: 'cases', TokenURL: tokenUrl, ClientID: 'client', RefreshToken: 'wrong' }).send(
          mailTo('a@receiver.example'),
        ),
      )[0] ?? '',
      /^later .*400 invalid_grant/,
    );
    assert.match(
      summarize(
        await outboundOf(
          t,
          { UserName: 'cases', TokenURL: tokenUrl, ClientID: 'client', RefreshToken: 'right' },
          settingsOf(new Map([[outboundAllowedNetworks, '127.0.0.0/8']])),
        ).send(mailTo('a@receiver.example')),
      )[0] ?? '',
      /^later /,
      'tokens are not fetched over an unencrypted connection',
    );
  });

  for (const [algorithm, pair] of [
    ['rsa-sha256', generateKeyPairSync('rsa', { modulusLength: 2_048 })],
    ['ed25519-sha256', generateKeyPairSync('ed25519')],
  ] as const)
    it(`signs mails with DKIM (${algorithm}) so that a verifier written from the standard accepts the signature`, async (t) => {
      const { privateKey, publicKey } = pair;
      const mail = { ...mailTo('a@receiver.example'), html: '<p>x  y </p>\n\n\n', subject: 'Grüße '.repeat(30) };
      await outboundOf(t, {
        SignatureDomain: 'cases.example',
        SignatureSelector: 's1',
        SignatureKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      }).send(mail);
      const came = server.mails.find((one) => one.header('Message-ID') === `<${mail.messageId}>`);
      assert.ok(came);
      const signature = came.header('DKIM-Signature') ?? '';
      const part = (name: string): string =>
        new RegExp(`(?:^|;)\\s*${name}=([^;]*)`).exec(signature)?.[1]?.replace(/\s/g, '') ?? '';
      assert.deepEqual([part('d'), part('s'), part('a')], ['cases.example', 's1', algorithm]);
      const body = came.raw
        .slice(came.raw.indexOf('\r\n\r\n') + 4)
        .replace(/[ \t]+(?=\r\n)/g, '')
        .replace(/[ \t]+/g, ' ')
        .replace(/(?:\r\n)*$/, '\r\n');
      assert.equal(part('bh'), createHash('sha256').update(body, 'latin1').digest('base64'));
      const relaxed = (name: string, value: string): string =>
        `${name.toLowerCase()}:${value.replace(/\s+/g, ' ').trim()}`;
      const names = part('h').split(':');
      // A second one of these would break the signature.
      for (const name of ['from', 'subject', 'to', 'date', 'message-id'])
        assert.equal(names.filter((one) => one === name).length, 2, name);
      const signed =
        names
          .filter((name, n) => names.indexOf(name) === n)
          .map((name) => `${relaxed(name, came.header(name) ?? '')}\r\n`)
          .join('') + relaxed('dkim-signature', signature.replace(/(;\s*b=)[^;]*/, '$1'));
      const data = Buffer.from(signed, 'latin1');
      const value = Buffer.from(part('b'), 'base64');
      assert.ok(
        algorithm === 'rsa-sha256'
          ? verify('sha256', data, publicKey, value)
          : verify(null, createHash('sha256').update(data).digest(), publicKey, value),
      );
    });
});

describe('account options', () => {
  const wrong: readonly (readonly [string, Partial<SmtpOptions>])[] = [
    ['Host', { Host: 'mail example' }],
    ['Host', { Host: 'user@mail.example' }],
    ['Port', { Port: 70_000 }],
    ['FromAddress', { FromAddress: 'cases' }],
    ['FromAddress', { FromAddress: 'a@b.example\r\nX: y' }],
    ['FromName', { FromName: 'a\nb' }],
    ['UserName', { Password: 'x' }],
    ['Password', { UserName: 'x' }],
    [
      'Password',
      { UserName: 'x', Password: 'y', TokenURL: 'https://login.example/', ClientID: 'c', RefreshToken: 'r' },
    ],
    ['RefreshToken', { UserName: 'x', TokenURL: 'https://login.example/', ClientID: 'c' }],
    ['TokenURL', { UserName: 'x', TokenURL: 'https://10.0.0.1/', ClientID: 'c', RefreshToken: 'r' }],
    ['Authorities', { Authorities: 'none' }],
    ['SignatureKey', { SignatureDomain: 'cases.example', SignatureSelector: 's', SignatureKey: 'none' }],
    ['SignatureDomain', { SignatureKey: 'x' }],
  ];
  it('each invalid option is refused by name, before any connection is made', () => {
    const before = server.connections;
    for (const [field, more] of wrong)
      assert.throws(
        () => smtpServers(closed).validate(account({ Host: 'mail.example', Port: 587, ...more })),
        { code: 'BAD_PARAMETER', field },
        JSON.stringify(more),
      );
    smtpServers(closed).validate(account({ Host: 'mail.example', Port: 587, UserName: 'x', Password: 'y' }));
    assert.equal(server.connections, before);
  });
});
