import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { guardedLookup, outboundUrl, type OutboundRules, type Resolve } from '../../../src/kernel/security/outbound.ts';
import { networkList } from '../../../src/kernel/security/networks.ts';
import { send } from '../../../src/modules/integrations/webhookdelivery/lib/send.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { isSigned, startReceiver } from '../../support/peers/receiver.ts';
import { setSetting } from '../../support/imports/referrals.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { call, startServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';

const open: OutboundRules = { allowed: undefined, isHttpLoopback: false };

/** Returns a resolver with scripted answers, one after the other, as a hostile name server would give. */
function resolverOf(...answers: readonly (readonly string[])[]): { resolve: Resolve; queryCount: () => number } {
  let queries = 0;
  const resolve = (
    _name: string,
    _options: unknown,
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ): void => {
    const addresses = answers[Math.min(queries++, answers.length - 1)] ?? [];
    setImmediate(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
  return { resolve: resolve as unknown as Resolve, queryCount: () => queries };
}

function lookUp(rules: OutboundRules, resolve: Resolve, all = true): Promise<unknown> {
  return new Promise((answered, failed) =>
    guardedLookup(rules, new URL('https://hooks.example.com/'), resolve)(
      'hooks.example.com',
      { all },
      (error, address) => (error ? failed(error) : answered(address)),
    ),
  );
}

describe('where events may be sent', () => {
  it('a host name is refused if any of its addresses is internal, in whichever notation', async () => {
    const inside = [
      '127.0.0.1',
      '10.0.0.8',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.100.100.200',
      '0.0.0.0',
      '198.18.0.1',
      '224.0.0.251',
      '255.255.255.255',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:a00:1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001::1',
      'fe80::1',
      'fec0::1',
      'fd00:ec2::254',
      'ff02::1',
    ];
    for (const address of inside) {
      await assert.rejects(lookUp(open, resolverOf([address]).resolve), { code: 'ADDRESS_REFUSED' }, address);
      await assert.rejects(
        lookUp(open, resolverOf(['93.184.216.34', address]).resolve),
        { code: 'ADDRESS_REFUSED' },
        `behind a public one: ${address}`,
      );
    }
    assert.deepEqual(await lookUp(open, resolverOf(['93.184.216.34', '2606:2800:220:1::1']).resolve), [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    assert.equal(await lookUp(open, resolverOf(['93.184.216.34']).resolve, false), '93.184.216.34');
    await assert.rejects(lookUp(open, resolverOf([]).resolve));
  });

  it('networks of the setting are allowed and no others; an unreadable list allows nothing', async () => {
    const rules = { allowed: networkList('10.20.0.0/16, fd12::/16'), isHttpLoopback: false };
    assert.ok(await lookUp(rules, resolverOf(['10.20.3.4']).resolve));
    assert.ok(await lookUp(rules, resolverOf(['fd12::9']).resolve));
    for (const address of ['10.21.0.1', '127.0.0.1', 'fd13::1', '::ffff:10.21.0.1'])
      await assert.rejects(lookUp(rules, resolverOf([address]).resolve), { code: 'ADDRESS_REFUSED' }, address);
    assert.equal(networkList('10.20.0.0/16, everything'), undefined);
  });

  it('http is only for this machine, and https is refused for it even though http is allowed', () => {
    const loopback = { allowed: undefined, isHttpLoopback: true };
    for (const url of ['http://127.0.0.1:8080/x', 'http://localhost/', 'http://[::1]:1/', 'https://example.com/'])
      assert.ok(outboundUrl(loopback, url, 'URL'));
    for (const url of [
      'http://example.com/',
      'http://10.0.0.1/',
      'https://127.0.0.1/',
      'http://localhost.example.com/',
      'http://127.0.0.1.example.com/',
    ])
      assert.throws(() => outboundUrl(loopback, url, 'URL'), { code: 'BAD_PARAMETER' }, url);
    assert.throws(() => outboundUrl(open, 'http://127.0.0.1/', 'URL'), { code: 'BAD_PARAMETER' });
  });

  it('the connection goes to the address that was checked: a name that resolves elsewhere a moment later is resolved only once', async (t) => {
    const receiver = await startReceiver(t);
    const port = new URL(receiver.url).port;
    const rules = { allowed: undefined, isHttpLoopback: true };
    const message = { url: `http://localhost:${port}/`, headers: {}, body: '{}', milliseconds: 5_000, rules };
    const turning = resolverOf(['127.0.0.1'], ['10.0.0.1']);
    assert.equal((await send({ ...message, resolve: turning.resolve })).status, 204);
    assert.equal(turning.queryCount(), 1);
    const inside = resolverOf(['10.0.0.1'], ['127.0.0.1']);
    const refused = await send({ ...message, resolve: inside.resolve });
    assert.deepEqual([refused.status, refused.error], [null, 'ADDRESS_REFUSED']);
    assert.equal(inside.queryCount(), 1);
    assert.equal(receiver.received.length, 1);
  });

  it('an IP address in the URL is checked too, and so is a setting changed since', async (t) => {
    const receiver = await startReceiver(t);
    const message = { url: receiver.url, headers: {}, body: '{}', milliseconds: 5_000 };
    assert.equal((await send({ ...message, rules: open })).error, 'ADDRESS_REFUSED');
    assert.equal(
      (await send({ ...message, url: 'https://169.254.169.254/latest/meta-data/', rules: open })).error,
      'ADDRESS_REFUSED',
    );
    assert.equal(receiver.received.length, 0);
  });

  it('a proxy of the environment is not used', async (t) => {
    const [receiver, proxy] = [await startReceiver(t), await startReceiver(t)];
    const file = (path: string): string => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
    const script = `import { get } from 'node:http';
      import { send } from ${file('modules/integrations/webhookdelivery/lib/send.ts')};
      const outcome = await send({
        url: ${JSON.stringify(receiver.url)}, headers: {}, body: '{}', milliseconds: 5000,
        rules: { allowed: undefined, isHttpLoopback: true },
      });
      get('http://receiver.example.com/', () => process.exit()).on('error', () => process.exit(1));
      console.log(outcome.status);`;
    // Node reads these variables at startup.
    const env = {
      ...process.env,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: '',
      no_proxy: '',
    };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env,
      timeout: 30_000,
    });
    assert.equal(stdout.trim(), '204');
    assert.equal(receiver.received.length, 1);
    // A request that uses the proxy reaches it, so the environment was read.
    assert.deepEqual(
      proxy.received.map((r) => r.path),
      ['http://receiver.example.com/'],
    );
  });
});

describe('workers', () => {
  it('KRN-24 two concurrent workers make one delivery of each event, in the order of each record', async (t) => {
    const on = await testPlatform(t, { worker: true });
    await setSetting(on.admin, 'OutboundHttpLoopback', 'true');
    const { platform } = await secondPlatform(t, on);
    const worker = startWorker(platform, platform.queue);
    const receiver = await startReceiver(t);
    let [running, most] = [0, 0];
    receiver.answer = (_received, response) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        response.writeHead(204).end();
      });
    };
    const made = await on.admin.post('/api/webhook/create?Output=Json', { URL: receiver.url, Events: 'Contact.*' });
    const ids = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const saved = await on.admin.post('/api/contact/save?Output=Json', { LastName: `Two ${n}` });
        const ID = Number(saved.json()['ContactID']);
        for (let version = 2; version <= 4; version++)
          await on.admin.post('/api/contact/save', { ID, LastName: `Two ${n} ${version}` });
        return ID;
      }),
    );
    await eventually(
      'all are delivered',
      async () =>
        (
          await platform.store.query(
            `select 1 from webhookdelivery where webhookid = $1::bigint and status = 'Delivered'`,
            [made.json()['WebhookID']],
          )
        ).length === 32,
      60_000,
    );
    assert.equal(receiver.received.length, 32);
    assert.equal(receiver.events().length, 32);
    assert.ok(most <= 4, `${most} at a time`);
    for (const id of ids) {
      const versions = receiver.received
        .map((r) => r.json().data)
        .filter((d) => d['RecordID'] === id)
        .map((d) => d['Version']);
      assert.deepEqual(versions, [1, 2, 3, 4]);
    }
    await eventually(
      'every queued call has ended',
      async () =>
        (await platform.store.query(`select 1 from pgboss.job where state <= 'active' and start_after <= now()`))
          .length === 0,
      60_000,
    );
    await worker.stop();
  });

  it(
    'KRN-24 a process killed between sending and recording sends again under the same ID, and loses nothing',
    { timeout: 180_000 },
    async (t) => {
      const receiver = await startReceiver(t);
      const folder = await startedDataFolder(t);
      const start = () => startServerProcess(t, { env: { CASEWRIGHT_DATA: folder, CASEWRIGHT_LOG_LEVEL: 'error' } });
      let server = await start();
      const post = async (path: string, body: string): Promise<Record<string, unknown>> => {
        const answer = await call(server.url, `/api/${path}?Output=Json`, body);
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        return JSON.parse(text) as Record<string, unknown>;
      };
      for (const [name, value] of [
        ['OutboundHttpLoopback', 'true'],
        ['WebhookTimeoutSeconds', '1'],
      ])
        await post('setting/save', `Setting=${name}&Value=${value}`);
      const { Secret } = await post('webhook/create', `URL=${encodeURIComponent(receiver.url)}&Events=Contact.insert`);
      const doomed = server;
      // The request has been sent when the process dies, and the process never learns of the answer.
      receiver.answer = (_received, response) => {
        doomed.signal('SIGKILL');
        response.destroy();
      };
      // Either the call that makes the change was answered or the change does not exist: the event matches in both
      // cases.
      const saved = await post('contact/save', 'LastName=Killed').catch(() => undefined);
      await doomed.ended;
      assert.equal(receiver.events().length, 1);
      receiver.answer = (_received, response) => void response.writeHead(204).end();
      server = await start();
      await eventually(
        'it is sent again once its process is presumed dead',
        () => receiver.received.length >= 2,
        60_000,
      );
      const [first, second] = receiver.received;
      assert.ok(first && second);
      assert.equal(second.json().id, first.json().id);
      assert.equal(second.body, first.body);
      assert.ok(isSigned(String(Secret), second, Date.now() / 1000));
      if (saved) assert.equal(second.json().data['RecordID'], saved['ContactID']);
      await eventually('it is recorded', async () => {
        const answer = await call(server.url, '/api/webhookdelivery/search?Output=Json');
        const { WebhookDeliveryCollection } = (await answer.json()) as {
          WebhookDeliveryCollection: { WebhookDeliveryItem: { Status: string; Attempts: number }[] };
        };
        return WebhookDeliveryCollection.WebhookDeliveryItem.every((d) => d.Status === 'Delivered' && d.Attempts === 2);
      });
      assert.equal(receiver.events().length, 1);
      assert.equal(await server.stop(), 0);
    },
  );
});
