import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';

import { FILE_OBJECT_TYPE } from '../../../src/contracts/file-object.ts';
import {
  MAIL_OUTBOUND,
  MAIL_OUTBOUND_TYPE,
  type MailOutboundType,
  type RecipientOutcome,
} from '../../../src/contracts/mail-outbound.ts';
import type { ProviderType } from '../../../src/contracts/provider-options.ts';
import { assertMail, recipientsOf } from '../../../src/contracts/mail-validation.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { bad } from '../../../src/kernel/parameters/parse-value.ts';
import type { Contract } from '../../../src/kernel/ports/providers.ts';
import { outboundRules, outboundUrl } from '../../../src/kernel/security/outbound.ts';
import type { SendingStatus } from '../../../src/contracts/sending.ts';
import { replyDetail } from '../../../src/lib/sending/reply-detail.ts';
import { sendOutboundRequest } from '../../../src/lib/http/outbound-request.ts';
import { startMailApi } from '../../support/peers/mail-api.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
type Row = Record<string, unknown>;

/**
 * A provider as a newcomer writes it: it speaks HTTP, and declares its own options. It leaves out the text and files of
 * a mail, the check of the connection, and the time that a service asks to be left alone. It calls every failure of the
 * connection unknown; with a `Transmission` those before the last byte are `later`, as in
 * `src/providers/mail-outbound/http/`.
 */
const webOptions = {
  FromAddress: required(f.text({ doc: 'The default sender.', exact: true })),
  Endpoint: required(f.text({ doc: 'The address of the service.', exact: true })),
  Stream: f.text({ doc: 'The stream of messages.', default: 'outbound' }),
  ApiKey: required(f.secret({ doc: 'The key of the service.' })),
};
const web: MailOutboundType<typeof webOptions> = {
  options: webOptions,
  validate({ options }) {
    outboundUrl(outboundRules(on.platform.settings), options.Endpoint, 'Endpoint');
    if (options.ApiKey.length < 8) throw bad('ApiKey', 'a key of at least 8 characters');
  },
  open: ({ options }) => ({
    from: { address: options.FromAddress },
    async send(mail, { beforeData, signal } = {}) {
      assertMail(mail);
      const all = (status: SendingStatus, detail: string | null): RecipientOutcome[] =>
        recipientsOf(mail).map((address) => ({
          address,
          status,
          detail: detail === null ? null : replyDetail(detail),
        }));
      const rules = outboundRules(on.platform.settings);
      // What this throws under a tightened setting, the platform takes as `later`.
      const url = outboundUrl(rules, options.Endpoint, 'Endpoint');
      await beforeData?.();
      try {
        const { status } = await sendOutboundRequest(url, {
          method: 'POST',
          headers: { 'X-Key': options.ApiKey, 'Content-Type': 'application/json' },
          body: JSON.stringify({ stream: options.Stream, subject: mail.subject, to: recipientsOf(mail) }),
          rules,
          milliseconds: 5_000,
          answerBytesMax: 10_000,
          ...(signal ? { signal } : {}),
        });
        if (status === 200) return all('accepted', null);
        // The service's own gateway got no answer: the mail may have been sent.
        if (status === 502 || status === 504) return all('unknown', `status ${status}`);
        // A key can be replaced, and a request repeated; any other fault of the request remains one.
        const isTemporary = status >= 500 || [401, 408, 425, 429].includes(status);
        return all(isTemporary ? 'later' : 'refused', `status ${status}`);
      } catch (error) {
        // Without an answer it is not known how much of the request the service got.
        return all('unknown', error instanceof Error ? error.message : 'the connection failed');
      }
    },
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }),
};
on.platform.providers.register(MAIL_OUTBOUND_TYPE, 'web', web);

const arrived: { key: unknown; body: Row }[] = [];
const service = createServer((request: IncomingMessage, response) => {
  void text(request).then((body) => {
    arrived.push({ key: request.headers['x-key'], body: JSON.parse(body) as Row });
    response.end('{}');
  });
});
await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
after(() => new Promise<void>((resolve) => void service.close(() => resolve())));
const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}/send`;

async function save(body: Row): Promise<Row & { readonly status: number; readonly text: string }> {
  const answer = await on.admin.post('/api/mailoutbound/save?Output=Json', body);
  return { ...answer.json(), status: answer.status, text: answer.text };
}
const query = (values: Readonly<Record<string, string>>): string => new URLSearchParams(values).toString();
/** Decides on a mail of a server and returns its id. */
async function post(Provider: string): Promise<unknown> {
  const posted = await on.admin.post('/api/maildelivery/post?Output=Json', {
    To: 'a@receiver.example',
    Subject: 'A deed',
    BodyText: 'Attached.',
    Provider,
  });
  assert.equal(posted.status, 200, posted.text);
  return posted.json()['MailDeliveryID'];
}
const outcomeOf = (id: unknown, isSo: (row: Row) => boolean): Promise<Row> =>
  eventually(`mail ${String(id)} has its outcome`, async () => {
    const row = (await on.admin.get(`/api/maildelivery/select?ID=${String(id)}&Output=Json`)).json();
    return isSo(row) && row;
  });
const sql = (statement: string): Promise<Row[]> => on.platform.store.query<Row>(statement);
const loopback = await on.admin.post('/api/setting/save?Output=Json', {
  Setting: 'OutboundHttpLoopback',
  Value: 'true',
});

describe('a type of mail server that is not SMTP', () => {
  it('MSG-04 is saved with its own options, which are checked, and sends mail', async () => {
    const account = { MailOutbound: 'Web', MailOutboundType: 'web', FromAddress: 'cases@cases.example' };
    const refused = async (more: Row, field: string, message: RegExp): Promise<void> => {
      const answer = await save({
        ...account,
        Options: query({ Endpoint: endpoint }),
        Secrets: 'ApiKey=12345678',
        ...more,
      });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer['Field'] ?? /"Field": ?"(\w+)"/.exec(answer.text)?.[1], field, answer.text);
      assert.match(answer.text, message);
    };
    await refused({ Options: '' }, 'Endpoint', /Endpoint is required .* send it in Options/);
    await refused({ Secrets: '' }, 'ApiKey', /ApiKey is required .* send it in Secrets/);
    await refused({ Secrets: 'ApiKey=1' }, 'ApiKey', /at least 8 characters/);
    await refused({ Host: 'mail.example' }, 'Host', /kind web has FromAddress, Endpoint, Stream, ApiKey/);
    await refused({ Options: query({ Endpoint: endpoint, Strem: 'x' }) }, 'Options', /did you mean Stream/);
    await refused({ Options: query({ Endpoint: 'http://10.0.0.1/' }) }, 'Endpoint', /Endpoint/);
    const made = await save({
      ...account,
      Options: query({ Endpoint: endpoint, Stream: 'cases' }),
      Secrets: 'ApiKey=the+key+of+web',
    });
    assert.equal(made.status, 200, made.text);
    await eventually('the server is known', async () => {
      await on.platform.settings.fresh();
      return on.platform.providers.names(MAIL_OUTBOUND).includes('Web');
    });
    const posted = await on.admin.post('/api/maildelivery/post?Output=Json', {
      To: 'a@receiver.example',
      Subject: 'A deed',
      BodyText: 'Attached.',
    });
    assert.equal(posted.status, 200, posted.text);
    await eventually('the mail has arrived', () => arrived.length > 0);
    assert.deepEqual(arrived, [
      { key: 'the key of web', body: { stream: 'cases', subject: 'A deed', to: ['a@receiver.example'] } },
    ]);
  });

  it('a setting that no longer allows its address postpones a mail and does not refuse it', async () => {
    const allow = async (Value: string): Promise<void> => {
      const saved = await on.admin.post('/api/setting/save', { ID: loopback.json()['SettingID'], Value });
      assert.ok(saved.status < 300, saved.text);
      await on.platform.settings.fresh();
    };
    await allow('false');
    try {
      const before = arrived.length;
      const row = await outcomeOf(await post('Web'), (each) => each['LastError'] !== undefined);
      assert.match(String(row['LastError']), /Endpoint: expected a URL that begins with https/);
      assert.equal(row['Status'], 'Waiting');
      assert.equal(arrived.length, before);
    } finally {
      await allow('true');
    }
  });

  it('an error in parameters after a provider began to send leaves the outcome unknown', async () => {
    on.platform.providers.register(MAIL_OUTBOUND, 'Strict', {
      from: { address: 'cases@cases.example' },
      async send(_mail, { beforeData } = {}) {
        await beforeData?.();
        throw bad('Endpoint', 'another address');
      },
      check: () => Promise.resolve(),
      close: () => Promise.resolve(),
    });
    const row = await outcomeOf(await post('Strict'), (each) => each['Status'] === 'Unknown');
    assert.match(String(row['LastError']), /Endpoint: expected another address/);
  });

  it('its secrets are sealed, never shown, and must be sent again when any option of its own changes', async () => {
    const [row] = await sql(
      "select mailoutboundid as id, options, secrets from mailoutbound where mailoutbound = 'Web'",
    );
    assert.match(String(row?.['options']), /Stream=cases/);
    assert.doesNotMatch(Buffer.from(String(row?.['secrets']), 'base64').toString('latin1'), /key/);
    assert.equal((await save({ ID: row?.['id'], Description: 'stays' })).status, 200);
    const elsewhere = { ID: row?.['id'], Options: query({ Endpoint: `${endpoint}/elsewhere`, Stream: 'cases' }) };
    const refused = await save(elsewhere);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /ApiKey is required/);
    assert.equal((await save({ ...elsewhere, Secrets: 'ApiKey=another+key' })).status, 200);
    assert.equal((await save({ ID: row?.['id'], Secrets: 'ApiKey=a+third+key' })).status, 200);
    const shown = await Promise.all(
      ['select', 'history'].map((name) =>
        on.admin.get(`/api/mailoutbound/${name}?ID=${String(row?.['id'])}&Output=Json`),
      ),
    );
    const stored = await sql(`select old::text as old from history where tablename = 'mailoutbound'`);
    assert.match(shown[0]?.text ?? '', /elsewhere/);
    assert.ok(stored.length >= 3);
    assert.doesNotMatch(
      JSON.stringify([shown.map((answer) => answer.text), stored]),
      /key of web|another|third|secrets/i,
    );
  });

  it('the options of every type that are columns are declared like the columns', () => {
    const recordFields = (name: string): Readonly<Record<string, { kind: string; classification: string }>> => {
      const record = on.platform.registry.records().find((each) => each.name === name);
      assert.ok(record);
      return record.fields;
    };
    const contracts: readonly (readonly [Contract<ProviderType<unknown>>, string])[] = [
      [FILE_OBJECT_TYPE, 'FileObject'],
      [MAIL_OUTBOUND_TYPE, 'MailOutbound'],
    ];
    for (const [contract, record] of contracts)
      for (const type of on.platform.providers.names(contract))
        for (const [name, option] of Object.entries(on.platform.providers.get(contract, type).options)) {
          const field = recordFields(record)[name];
          if (!field) continue;
          assert.deepEqual(
            [type, name, option.kind, option.classification],
            [type, name, field.kind, field.classification],
          );
        }
  });
});

describe('a service that takes mail over HTTP', () => {
  it('MSG-04 is saved and tested like any server; its answers decide when a mail is sent again, and its id is kept', async () => {
    const api = await startMailApi({ after });
    const account = { MailOutbound: 'Service', MailOutboundType: 'http', FromAddress: 'cases@cases.example' };
    const options = query({ Endpoint: api.url, IdempotencyHeader: 'Idempotency-Key' });
    const secrets = query({ ApiKey: api.key });
    const undecided = await save({ ...account, Options: query({ Endpoint: api.url }), Secrets: secrets });
    assert.match(undecided.text, /IdempotencyHeader is required/);
    const made = await save({ ...account, Options: options, Secrets: secrets });
    assert.equal(made.status, 200, made.text);
    await eventually('the service is known', async () => {
      await on.platform.settings.fresh();
      return on.platform.providers.names(MAIL_OUTBOUND).includes('Service');
    });
    const tested = await on.admin.post('/api/mailoutbound/test?Output=Json', { ID: made['MailOutboundID'] });
    assert.equal(tested.json()['Status'], 'Works', tested.text);
    const sent = await outcomeOf(await post('Service'), (row) => row['Status'] === 'Sent');
    assert.match(JSON.stringify(sent['Recipients']), /"Reference": ?"taken-1"/);
    api.hooks.document = (_document, response) => {
      response.writeHead(429, { 'Retry-After': '36000' }).end(`slow down, ${api.key}`);
      return true;
    };
    const deferred = await outcomeOf(
      await post('Service'),
      (row) => row['Status'] === 'Waiting' && row['LastError'] !== undefined,
    );
    assert.equal(deferred['LastError'], '429 slow down, …');
    const waitHours =
      (Date.parse(String(deferred['NextAttempt'])) - Date.parse(String(deferred['LastAttempt']))) / 3.6e6;
    assert.ok(waitHours >= 10 && waitHours < 10.1, String(waitHours));
  });
});
