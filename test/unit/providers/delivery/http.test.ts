import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import { mailHouseConformance } from '../../../../src/contracts/conformance/delivery.ts';
import type { LetterOutcome, LetterSubmission, Notice } from '../../../../src/contracts/delivery.ts';
import { outboundHttpLoopback } from '../../../../src/kernel/declare/core-settings.ts';
import type { SettingDefinition, Settings } from '../../../../src/kernel/declare/setting.ts';
import { httpMailHouses } from '../../../../src/providers/delivery/http/http-type.ts';
import type { HttpMailHouseOptions } from '../../../../src/providers/delivery/http/http-options.ts';
import { startMailHouse, type SignedWebhook } from '../../../support/peers/mail-house.ts';

const settings: Settings = {
  get: <T>(definition: SettingDefinition<T>) =>
    (Object.is(definition, outboundHttpLoopback) ? true : definition.default) as T,
};
const server = await startMailHouse({ after });
afterEach(() => {
  for (const name of Object.keys(server.hooks)) Reflect.deleteProperty(server.hooks, name);
});

const options = (more: Partial<HttpMailHouseOptions> = {}): HttpMailHouseOptions => ({
  Endpoint: server.url,
  ApiKey: server.key,
  WebhookSecret: server.secret,
  Duplex: false,
  LetterCents: 120,
  SheetCents: 15,
  CertifiedCents: 440,
  ReceiptCents: 280,
  TimeoutSeconds: 5,
  ...more,
});
const kind = httpMailHouses(settings);
const house = (more: Partial<HttpMailHouseOptions> = {}) => kind.open({ id: 1, name: 'Test', options: options(more) });
const noticeOf = ({ headers, body }: SignedWebhook, now = new Date().toISOString()): Notice => ({
  source: 'webhook',
  headers,
  bytes: Buffer.from(body),
  now,
});

const NOW = '2026-04-01T00:00:00.000Z';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const submission = (): LetterSubmission => ({
  key: `s-${randomUUID()}`,
  name: 'Notices',
  date: '2026-03-02T09:00:00.000Z',
  letters: [
    {
      key: randomUUID(),
      to: { name: 'Anna', street: '12 Main St', city: 'Springfield', state: 'IL', postalCode: '62701' },
      mailClass: 'First class',
      pages: 1,
      file: {
        fileName: 'a.pdf',
        mime: 'application/pdf',
        size: PDF.length,
        async *open() {
          yield PDF;
        },
        async *part(start, end) {
          yield PDF.subarray(start, end);
        },
      },
      hash: createHash('sha256').update(PDF).digest('hex'),
    },
  ],
});
async function outcome(of = submission(), at = house()): Promise<LetterOutcome> {
  const [only] = await at.submit(of);
  assert.ok(only);
  return only;
}

describe('a mail house over HTTP', () => {
  for (const { title, check } of mailHouseConformance)
    it(`DOC-12 ${title}`, () =>
      check({
        mailHouse: house(),
        arrived: (key) =>
          Promise.resolve(
            server.printed
              .filter((letter) => letter.key === key)
              .map(({ hash, to, mail_class: mailClass, pages }) => ({ hash, name: to.name, mailClass, pages })),
          ),
        notice: (reports) => noticeOf(server.webhook(reports)),
        forget: () => Promise.resolve(void server.printed.splice(0)),
      }));

  it('DOC-12 an answer that was lost after the last byte is unknown, and one before it is later', async () => {
    server.hooks.printed = (_letter, response) => {
      response.destroy();
      return true;
    };
    const sent = submission();
    assert.equal((await outcome(sent)).status, 'unknown');
    Reflect.deleteProperty(server.hooks, 'printed');
    const key = sent.letters[0]?.key ?? '';
    const [answer] = await house().inquire([{ key, submission: sent.key }], NOW);
    assert.ok(answer?.status === 'found' && answer.report.reference?.startsWith('L-'), JSON.stringify(answer));
    // Nobody listens there: nothing was transferred.
    assert.equal((await outcome(submission(), house({ Endpoint: 'http://127.0.0.1:9/v1' }))).status, 'later');
  });

  it('DOC-12 an answer decides: 4xx refuses, 429 and 5xx defer, and a gateway says nothing', async () => {
    const of = async (status: number, body = '{}'): Promise<string> => {
      server.hooks.letter = (_letter, response) => {
        response.writeHead(status).end(body);
        return true;
      };
      return (await outcome()).status;
    };
    assert.deepEqual(
      [await of(422), await of(401), await of(429), await of(500), await of(502), await of(409)],
      ['refused', 'later', 'later', 'later', 'unknown', 'refused'],
    );
    server.hooks.letter = (_letter, response) => {
      response.writeHead(422).end(JSON.stringify({ message: `no ${server.key} <b>` }));
      return true;
    };
    assert.equal((await outcome()).detail, '422 no … <b>', 'the key is not repeated');
  });

  it('DOC-12 only the mail house itself says that it never had a letter; any other 404 says nothing', async () => {
    for (const [status, body] of [
      [404, '<h1>Not found</h1>'],
      [404, '{"error":"no such page"}'],
      [500, '{}'],
      [200, '{"state":"Lost"}'],
      [200, 'ok'],
    ] as const) {
      server.hooks.inquiry = (_key, response) => {
        response.writeHead(status).end(body);
        return true;
      };
      const [answer] = await house().inquire([{ key: randomUUID(), submission: 's' }], NOW);
      assert.equal(answer?.status, 'unknown', body);
    }
    await assert.rejects(
      house({ Endpoint: 'http://127.0.0.1:9/v1' }).inquire([{ key: randomUUID(), submission: 's' }], NOW),
      { code: 'UNAVAILABLE' },
    );
  });

  it('DOC-12 a notice with a wrong signature, another body, or a time outside the tolerance is refused', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const reports = [{ key: randomUUID(), state: 'Mailed', date: '2026-03-03T15:00:00.000Z' }] as const;
    const parse = async (webhook: SignedWebhook): Promise<number> =>
      (await house().parseNotice(noticeOf(webhook, new Date(now * 1_000).toISOString()))).reports.length;
    assert.equal(await parse(server.webhook(reports, { seconds: now - 299 })), 1);
    assert.equal(await parse(server.webhook(reports, { seconds: now + 299 })), 1);
    const good = server.webhook(reports, { seconds: now });
    for (const [title, webhook] of Object.entries({
      old: server.webhook(reports, { seconds: now - 301 }),
      future: server.webhook(reports, { seconds: now + 301 }),
      secret: server.webhook(reports, { secret: `whsec_${'A'.repeat(40)}` }),
      body: { ...good, body: good.body.replace('Mailed', 'Delivered') },
      id: { ...good, headers: { ...good.headers, 'webhook-id': 'msg_other' } },
      unsigned: { ...good, headers: {} },
      short: { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,AAAA' } },
    }))
      await assert.rejects(parse(webhook), { code: 'NO_PERMISSION' }, title);
    // A rotation sends a signature of each secret.
    const other = server.webhook(reports, { seconds: now, secret: `whsec_${'A'.repeat(40)}` });
    const both = `${other.headers['webhook-signature']} ${good.headers['webhook-signature']}`;
    assert.equal(await parse({ ...good, headers: { ...good.headers, 'webhook-signature': both } }), 1);
    await assert.rejects(
      async () => kind.open({ id: 1, name: 'T', options: unsigned() }).parseNotice(noticeOf(good)),
      { code: 'NO_PERMISSION' },
      'without a secret nothing is verified',
    );
  });

  it('DOC-12 refuses a wrong key when tested, and options that nothing can be sent with', async () => {
    await assert.rejects(house({ ApiKey: 'another-key' }).check(), /rejected ApiKey/);
    await assert.rejects(house({ Endpoint: `${server.url}/letters/none` }).check(), { code: 'UNAVAILABLE' });
    for (const more of [
      { Endpoint: 'ftp://mail.example' },
      { Endpoint: 'https://mail.example/?a=1' },
      { ApiKey: 'short' },
      { WebhookSecret: 'secret' },
      { ToleranceSeconds: 5 },
      { TimeoutSeconds: 0 },
      { LetterCents: -1 },
    ])
      assert.throws(
        () => kind.validate({ id: 0, name: 'T', options: options(more) }),
        { code: 'BAD_PARAMETER' },
        JSON.stringify(more),
      );
    kind.validate({ id: 0, name: 'T', options: options() });
  });

  it('DOC-12 costs grow by sheet and class, and both sides of a sheet are printed if so configured', () => {
    assert.deepEqual(house().quote({ pages: 3, mailClass: 'First class' }), { sheets: 3, costCents: 150 });
    assert.deepEqual(house({ Duplex: true }).quote({ pages: 3, mailClass: 'Certified with return receipt' }), {
      sheets: 2,
      costCents: 855,
    });
    const { LetterCents: _, ...free } = options();
    assert.deepEqual(
      kind.open({ id: 1, name: 'T', options: free }).quote({ pages: 1, mailClass: 'Certified' }).costCents,
      undefined,
    );
  });
});

function unsigned(): HttpMailHouseOptions {
  const { WebhookSecret: _, ...rest } = options();
  return rest;
}
