import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { after, afterEach, describe, it } from 'node:test';
import { mailOutboundConformance } from '../../../../src/contracts/conformance/mail-outbound.ts';
import type { MailOutbound, OutboundMail, RecipientOutcome } from '../../../../src/contracts/mail-outbound.ts';
import type { SavedProvider } from '../../../../src/contracts/provider-options.ts';
import { outboundAllowedNetworks, outboundHttpLoopback } from '../../../../src/kernel/declare/core-settings.ts';
import type { SettingDefinition, Settings } from '../../../../src/kernel/declare/setting.ts';
import type { httpMailOptions, HttpMailOptions } from '../../../../src/providers/mail-outbound/http/http-options.ts';
import { httpServices } from '../../../../src/providers/mail-outbound/http/http-type.ts';
import { atEnd } from '../../../support/at-end.ts';
import { eventually } from '../../../support/eventually.ts';
import { certificate } from '../../../support/peers/certificate.ts';
import { startMailApi } from '../../../support/peers/mail-api.ts';

function settingsOf(values: ReadonlyMap<unknown, unknown>): Settings {
  return { get: <T>(definition: SettingDefinition<T>) => (values.get(definition) ?? definition.default) as T };
}

/** This machine can be connected to because the setting allows it. */
const open = settingsOf(new Map<unknown, unknown>([[outboundHttpLoopback, true]]));
const closed = settingsOf(new Map());
const api = await startMailApi({ after });
afterEach(() => {
  for (const name of Object.keys(api.hooks)) Reflect.deleteProperty(api.hooks, name);
});

const service = (more: Partial<HttpMailOptions> = {}): SavedProvider<typeof httpMailOptions> => ({
  id: 1,
  name: 'Test',
  options: {
    Endpoint: api.url,
    ApiKey: api.key,
    IdempotencyHeader: 'Idempotency-Key',
    FromAddress: 'cases@cases.example',
    ...more,
  },
});
const outboundOf = (more: Partial<HttpMailOptions> = {}, settings = open): MailOutbound =>
  httpServices(settings).open(service(more));

let made = 0;
const mailTo = (...to: string[]): OutboundMail => ({
  messageId: `h${++made}@cases.example`,
  date: '2026-03-02T09:00:00.000Z',
  from: { address: 'cases@cases.example' },
  to: to.map((address) => ({ address })),
  subject: `mail ${made}`,
  text: 'text',
});
const takenCount = (mail: OutboundMail): number =>
  api.mails.filter((one) => one.header('Message-ID') === `<${mail.messageId}>`).length;
/** Sends a mail to one recipient and returns the outcome. */
async function outcomeOf(outbound: MailOutbound, mail = mailTo('a@receiver.example')): Promise<RecipientOutcome> {
  const [outcome, ...others] = await outbound.send(mail);
  assert.ok(outcome);
  assert.equal(others.length, 0);
  return outcome;
}
/** Sends one mail that the service answers with a status. */
async function outcomeOfStatus(
  status: number,
  { headers = {}, body = '' }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
  more: Partial<HttpMailOptions> = {},
): Promise<RecipientOutcome> {
  api.hooks.document = (_document, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
  return outcomeOf(outboundOf(more));
}

describe('mail over HTTP meets the contract', () => {
  const peer = {
    outbound: outboundOf(),
    arrived: (id: string) => Promise.resolve(api.mails.find((mail) => mail.header('Message-ID') === `<${id}>`)),
  };
  for (const { title, check } of mailOutboundConformance) it(`MSG-04 ${title}`, () => check(peer));
});

describe('what is posted', () => {
  it('is a document with addresses, texts, headers and files, under the key of the service', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_001 }, (_, n) => n % 251));
    async function* content(): AsyncGenerator<Uint8Array> {
      // Pieces of lengths that base64 does not divide, an empty one, and one larger than what is encoded at once.
      yield bytes.subarray(0, 1);
      yield bytes.subarray(1, 1);
      yield bytes.subarray(1, 5);
      yield bytes.subarray(5);
    }
    const mail = {
      ...mailTo('a@receiver.example'),
      from: { address: 'cases@cases.example', name: 'Cases "A" Ä' },
      headers: { 'X-Case': '7' },
      html: '<p>text</p>',
      attachments: [
        { fileName: 'a "deed".pdf', mime: 'application/pdf', open: () => content() },
        { fileName: 'empty.txt', mime: 'text/plain', open: () => Readable.from([]) },
      ],
    };
    assert.equal((await outcomeOf(outboundOf(), mail)).status, 'accepted');
    const document = api.documents.at(-1);
    assert.deepEqual(document, {
      from: { email: 'cases@cases.example', name: 'Cases "A" Ä' },
      to: [{ email: 'a@receiver.example' }],
      cc: [],
      bcc: [],
      subject: mail.subject,
      text: 'text',
      html: '<p>text</p>',
      headers: { 'Message-ID': `<${mail.messageId}>`, Date: 'Mon, 02 Mar 2026 09:00:00 +0000', 'X-Case': '7' },
      attachments: [
        { filename: 'a "deed".pdf', content_type: 'application/pdf', content: bytes.toString('base64') },
        { filename: 'empty.txt', content_type: 'text/plain', content: '' },
      ],
    });
    assert.equal(api.requests.at(-1)?.authorization, `Bearer ${api.key}`);
  });

  it('has its length without files, and is sent piece by piece with them', async () => {
    await outcomeOf(outboundOf());
    assert.match(api.requests.at(-1)?.['content-length'] ?? '', /^\d+$/);
    async function* one(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
    }
    await outcomeOf(outboundOf(), {
      ...mailTo('a@receiver.example'),
      attachments: [{ fileName: 'x', mime: 'text/plain', open: one }],
    });
    assert.equal(api.requests.at(-1)?.['transfer-encoding'], 'chunked');
  });

  it('a file is read no faster than the service takes it', async () => {
    const [pieceBytes, piecesMax] = [64 * 1024, 1_000];
    let read = 0;
    async function* large(): AsyncGenerator<Uint8Array> {
      for (; read < piecesMax; read++) yield Buffer.alloc(pieceBytes);
    }
    const aborted = new AbortController();
    // Reads nothing of the request.
    api.hooks.request = () => undefined;
    const sending = outboundOf().send(
      { ...mailTo('a@receiver.example'), attachments: [{ fileName: 'x', mime: 'text/plain', open: large }] },
      { signal: aborted.signal },
    );
    let before = -1;
    await eventually('no more is read', () => {
      const isSteady = read > 0 && read === before;
      before = read;
      return isSteady;
    });
    assert.ok(read < piecesMax / 2, `${read} pieces were read although the service took none`);
    aborted.abort();
    assert.deepEqual(
      (await sending).map(({ status, detail }) => [status, detail]),
      [['later', 'the request was ended before an answer came']],
    );
  });

  it('a key that a repeated attempt has too lets the service recognize it; other recipients have another', async () => {
    const mail = mailTo('a@receiver.example', 'b@receiver.example');
    const outbound = outboundOf({ IdempotencyHeader: 'Idempotency-Key' });
    const keys: unknown[] = [];
    for (const onlyTo of [undefined, ['B@receiver.example', 'a@receiver.example'], ['b@receiver.example']]) {
      await outbound.send(onlyTo ? { ...mail, onlyTo } : mail);
      keys.push(api.requests.at(-1)?.['idempotency-key']);
    }
    assert.match(String(keys[0]), /^[0-9a-f]{64}$/);
    assert.equal(keys[1], keys[0]);
    assert.notEqual(keys[2], keys[0]);
    assert.equal(takenCount(mail), 2);
    await outboundOf({ IdempotencyHeader: 'None' }).send(mail);
    assert.equal(api.requests.at(-1)?.['idempotency-key'], undefined);
  });
});

describe('what the service answers', () => {
  it('MSG-04 an accepted mail has the id that the service gave it', async () => {
    const first = await outcomeOf(outboundOf());
    assert.match(first.reference ?? '', /^taken-\d+$/);
    for (const [body, reference] of [
      ['{"message_id":"m\\n-1"}', 'm -1'],
      ['{"id":17}', '17'],
      ['{"id":{}}', undefined],
      ['Queued.', undefined],
      ['', undefined],
    ] as const) {
      const outcome = await outcomeOfStatus(200, { body });
      assert.deepEqual([outcome.status, outcome.detail, outcome.reference], ['accepted', null, reference], body);
    }
  });

  it('MSG-04 refusals of the mail are final; those of the key, of the moment and of the service are not', async () => {
    for (const [status, expected] of [
      [400, 'refused'],
      [403, 'refused'],
      [413, 'refused'],
      [422, 'refused'],
      [401, 'later'],
      [408, 'later'],
      [409, 'later'],
      [429, 'later'],
      [500, 'later'],
      [503, 'later'],
      [504, 'later'],
    ] as const) {
      const outcome = await outcomeOfStatus(status, { body: '{"error":{"message":"said\\n so 123-45-6789"}}' });
      assert.deepEqual([outcome.status, outcome.detail], [expected, `${status} said so XXX-XX-6789`]);
    }
  });

  it('Retry-After is passed on, in seconds or as a date', async () => {
    for (const [headers, seconds] of [
      [{ 'Retry-After': '7200' }, 7_200],
      [{ 'Retry-After': 'Mon, 02 Mar 2026 09:10:00 GMT', Date: 'Mon, 02 Mar 2026 09:00:00 GMT' }, 600],
      [{ 'Retry-After': 'Mon, 02 Mar 2026 08:00:00 GMT', Date: 'Mon, 02 Mar 2026 09:00:00 GMT' }, undefined],
      [{ 'Retry-After': 'soon' }, undefined],
      [{}, undefined],
    ] as const)
      assert.equal((await outcomeOfStatus(429, { headers })).retryAfterSeconds, seconds);
    assert.equal((await outcomeOfStatus(400, { headers: { 'Retry-After': '5' } })).retryAfterSeconds, undefined);
  });

  it('a refusal before the whole mail has come is the outcome', async () => {
    api.hooks.request = (_request, response) => void response.writeHead(413).end('{"message":"too large"}');
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 400; n++) yield Buffer.alloc(64 * 1024);
    }
    const outcome = await outcomeOf(outboundOf(), {
      ...mailTo('a@receiver.example'),
      attachments: [{ fileName: 'x', mime: 'text/plain', open: large }],
    });
    assert.deepEqual([outcome.status, outcome.detail], ['refused', '413 too large']);
  });

  it('the key of the service is in no outcome, even if the service repeats it', async () => {
    const long = 'x'.repeat(285);
    for (const body of [
      `bad key ${api.key}`,
      `${long}${api.key}`,
      JSON.stringify({ message: `${long} ${api.key}` }),
      JSON.stringify({ key: api.key }).replaceAll('/', String.raw`\/`),
    ]) {
      const { detail } = await outcomeOfStatus(401, { body });
      assert.doesNotMatch(detail ?? '', /key\/|of\+the/, body);
    }
    const { reference } = await outcomeOfStatus(200, { body: JSON.stringify({ id: api.key }) });
    assert.equal(reference, '…');
  });
});

describe('a mail without an answer', () => {
  const cut = (): void => {
    api.hooks.document = (_document, response) => {
      response.destroy();
      return true;
    };
  };

  it('MSG-04 is sent again if the service recognizes repeated requests, and is delivered once', async () => {
    const mail = mailTo('a@receiver.example');
    const before = api.mails.length;
    // The service takes the mail over, and the connection breaks before it says so.
    api.hooks.document = (_document, response) => {
      response.write = () => true;
      response.end = () => response.destroy();
      return false;
    };
    assert.equal((await outcomeOf(outboundOf(), mail)).status, 'later');
    Reflect.deleteProperty(api.hooks, 'document');
    const again = await outcomeOf(outboundOf(), mail);
    assert.equal(again.status, 'accepted');
    assert.match(again.reference ?? '', /^taken-/);
    assert.equal(api.mails.length, before + 1);
    assert.equal(takenCount(mail), 1);
  });

  it('MSG-04 is unknown if the service does not, once all of it was handed over', async () => {
    cut();
    assert.equal((await outcomeOf(outboundOf({ IdempotencyHeader: 'none' }))).status, 'unknown');
    assert.equal((await outcomeOfStatus(504, {}, { IdempotencyHeader: 'none' })).status, 'unknown');
    assert.equal((await outcomeOfStatus(503, {}, { IdempotencyHeader: 'none' })).status, 'later');
    api.hooks.request = (request) => void request.socket.destroy();
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 400; n++) yield Buffer.alloc(64 * 1024);
    }
    const broken = await outcomeOf(outboundOf({ IdempotencyHeader: 'none' }), {
      ...mailTo('a@receiver.example'),
      attachments: [{ fileName: 'x', mime: 'text/plain', open: large }],
    });
    assert.equal(broken.status, 'later', 'part of a mail is none');
  });

  it('is deferred if the service is silent longer than TimeoutSeconds', async () => {
    api.hooks.document = () => true;
    const outcome = await outcomeOf(outboundOf({ TimeoutSeconds: 0.2 }));
    assert.deepEqual([outcome.status, outcome.detail], ['later', 'the answer did not come in time']);
  });

  it('is deferred if nobody listens, or a file cannot be read', async () => {
    const none = createServer();
    await new Promise<void>((resolve) => void none.listen(0, '127.0.0.1', resolve));
    const { port } = none.address() as AddressInfo;
    await new Promise<void>((resolve) => void none.close(() => resolve()));
    let begun = false;
    const [refused] = await outboundOf({ Endpoint: `http://127.0.0.1:${port}/` }).send(mailTo('a@receiver.example'), {
      beforeData: async () => void (begun = true),
    });
    assert.equal(refused?.status, 'later');
    assert.match(refused.detail ?? '', /ECONNREFUSED/);
    assert.equal(begun, false, 'no mail was begun');
    const mail = {
      ...mailTo('a@receiver.example'),
      attachments: [
        {
          fileName: 'x',
          mime: 'text/plain',
          open: (): AsyncIterable<Uint8Array> => {
            throw new Error('the storage is away');
          },
        },
      ],
    };
    const unread = await outcomeOf(outboundOf(), mail);
    assert.deepEqual([unread.status, unread.detail], ['later', 'the storage is away']);
    assert.equal(takenCount(mail), 0);
  });
});

describe('the connection', () => {
  it('follows no redirects, and goes only where the settings allow', async (t) => {
    const inside = createServer();
    let reached = 0;
    inside.on('connection', (socket) => {
      reached++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => void inside.listen(0, '127.0.0.1', resolve));
    atEnd(t, () => new Promise<void>((resolve) => void inside.close(() => resolve())));
    const elsewhere = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`;
    assert.equal((await outcomeOfStatus(307, { headers: { Location: elsewhere } })).status, 'later');
    assert.equal(reached, 0);
    // The setting was changed after the service was saved.
    const refused = await outcomeOf(outboundOf({ Endpoint: elsewhere }, closed));
    assert.equal(refused.status, 'later');
    assert.match(refused.detail ?? '', /Endpoint/);
    const local = elsewhere.replace('http:', 'https:').replace('127.0.0.1', 'localhost');
    assert.match((await outcomeOf(outboundOf({ Endpoint: local }))).detail ?? '', /may not be connected to/);
    assert.equal(reached, 0);
  });

  it('a mail begins once the certificate is verified; without a known authority it is deferred', async (t) => {
    const secure = await startMailApi(t, 'https');
    const inside = settingsOf(new Map([[outboundAllowedNetworks, '127.0.0.0/8']]));
    const outbound = outboundOf({ Endpoint: secure.url }, inside);
    let begun = 0;
    const send = (): Promise<readonly RecipientOutcome[]> =>
      outbound.send(mailTo('a@receiver.example'), { beforeData: async () => void begun++ });
    const [unverified] = await send();
    assert.equal(unverified?.status, 'later');
    assert.match(unverified.detail ?? '', /self-signed/);
    assert.equal(begun, 0);
    const authorities = getCACertificates('default');
    setDefaultCACertificates([certificate.cert]);
    atEnd(t, () => setDefaultCACertificates(authorities));
    assert.equal((await send())[0]?.status, 'accepted');
    assert.deepEqual([begun, secure.mails.length], [1, 1]);
  });

  it('check reports a refused key, a redirect and a service that is away', async () => {
    await outboundOf().check();
    await assert.rejects(outboundOf({ ApiKey: 'another-key' }).check(), { code: 'UNAVAILABLE', message: /ApiKey/ });
    for (const [status, message] of [
      [301, /redirects/],
      [503, /503/],
    ] as const) {
      api.hooks.request = (_request, response) => void response.writeHead(status).end();
      await assert.rejects(outboundOf().check(), { code: 'UNAVAILABLE', message });
    }
    await assert.rejects(outboundOf({}, closed).check(), { code: 'UNAVAILABLE', message: /OutboundHttpLoopback/ });
  });
});

describe('a service that is saved', () => {
  it('has an address that may be connected to, and a key and a header that can be sent', () => {
    const validate = (more: Partial<HttpMailOptions>, settings = open) =>
      httpServices(settings).validate(service(more));
    validate({});
    validate({ IdempotencyHeader: 'none', FromName: 'Cases' });
    for (const [more, field] of [
      [{ Endpoint: 'http://10.0.0.1/' }, 'Endpoint'],
      [{ Endpoint: 'https://10.0.0.1/' }, 'Endpoint'],
      [{ Endpoint: 'https://user:pass@service.example/' }, 'Endpoint'],
      [{ ApiKey: 'short' }, 'ApiKey'],
      [{ ApiKey: 'a key with spaces' }, 'ApiKey'],
      [{ ApiKey: 'a-key\r\nX-Evil: 1' }, 'ApiKey'],
      [{ IdempotencyHeader: 'a b' }, 'IdempotencyHeader'],
      [{ IdempotencyHeader: 'Authorization' }, 'IdempotencyHeader'],
      [{ FromAddress: 'cases' }, 'FromAddress'],
      [{ FromName: 'a\nb' }, 'FromName'],
    ] as const)
      assert.throws(() => validate(more), { code: 'BAD_PARAMETER', field }, JSON.stringify(more));
    assert.throws(() => validate({}, closed), { code: 'BAD_PARAMETER', field: 'Endpoint' });
  });
});
