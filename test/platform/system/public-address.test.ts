/** Whether the setting PublicAddress leads to this installation. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { after, before, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { checkPublicAddress } from '../../../src/modules/system/system/lib/check-public-address.ts';
import { client, type Row } from '../../support/client.ts';
import { serverCertificate } from '../../support/peers/server-certificate.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const clock = fixedClock('2026-05-04T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
/** Paths that other servers were asked for. */
const requested: string[] = [];

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(() => server.close());
  return (server.address() as AddressInfo).port;
};
const answering =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    requested.push(String(request.url));
    answer(request, response);
  };
const set = async (Setting: string, Value: string): Promise<void> => {
  await admin.save('setting', { Setting, Value });
  await p.platform.settings.fresh();
};
const finding = async (): Promise<Row> =>
  (await admin.expectRows('system/health')).find(({ Health: name }) => name === 'Public address') ?? {};
/** Checks an address, and returns the finding after some minutes. */
const foundAt = async (address: string): Promise<Row> => {
  await set('PublicAddress', address);
  assert.equal(await checkPublicAddress.run(p.platform), 1);
  clock.advance(3 * 60_000);
  return finding();
};
let other = '';

before(async () => {
  const port = await listen(createServer(answering((_request, response) => response.end('It works!'))));
  other = `http://127.0.0.1:${port}`;
});

it('WEB-06 LED-11 a public address that leads here is found so, and checked again after 15 minutes', async () => {
  assert.equal((await finding())['State'], 'ok', 'it has not been checked yet');
  const found = await foundAt(`${p.url}/`);
  assert.deepEqual([found['State'], found['Detail']], ['ok', `${p.url}/ leads to this installation.`]);
  assert.equal(await checkPublicAddress.run(p.platform), 0);
  clock.advance(15 * 60_000);
  assert.equal(await checkPublicAddress.run(p.platform), 1);
  const [row] = await p.platform.store.query<{ nonce: string; answer: string }>('select * from publicaddresscheck');
  const answerTo = async (nonce: string): Promise<string> => (await fetch(`${p.url}/api/healthcheck/${nonce}`)).text();
  assert.equal(await answerTo(row?.nonce ?? ''), row?.answer);
  for (const nonce of ['x'.repeat(43), 'x', "'", '%00']) assert.match(await answerTo(nonce), /Nothing found/);
});

it('WEB-06 LED-11 an address of another server is reported with what was found, until it leads here', async () => {
  const found = await foundAt(other);
  assert.deepEqual(
    [found['State'], found['Detail']],
    [
      'warning',
      `Expected this installation at ${other} (PublicAddress). ` +
        'Found: another server or installation answered, with status 200.',
    ],
  );
  assert.match(requested.at(-1) ?? '', /^\/api\/healthcheck\/[\w-]{43}$/);
  assert.match(String(found['Consequence']), /webhooks/);
  assert.equal(await checkPublicAddress.run(p.platform), 1, 'each minute');
  assert.equal((await finding())['Since'], found['Since']);
  assert.equal((await foundAt(p.url))['State'], 'ok');
});

it('WEB-06 what is wrong with a public address is named, and redirects are not followed', async () => {
  const redirecting = await listen(
    createServer(answering((_request, response) => response.writeHead(301, { Location: `${other}/secret` }).end())),
  );
  const { certificate: cert, key } = serverCertificate(temporaryFolder({ after }), ['DNS:localhost']);
  const signedByItself = await listen(
    createTlsServer(
      { cert, key },
      answering((_, response) => response.end()),
    ),
  );
  const before = requested.length;
  const cases: readonly (readonly [string, RegExp])[] = [
    [`http://127.0.0.1:${redirecting}`, new RegExp(`Found: it redirects to ${other}\\.`)],
    [`https://localhost:${signedByItself}`, /Found: (?:its certificate|this server does not trust)/],
    // The discard port: nothing listens there.
    ['http://127.0.0.1:9', /Found: the connection was refused\./],
    // Where clouds keep their metadata.
    ['http://169.254.169.254', /Found: an address that no server can have\./],
  ];
  for (const [address, text] of cases) {
    const found = await foundAt(address);
    assert.equal(found['State'], 'warning', address);
    assert.match(String(found['Detail']), text);
  }
  assert.equal(requested.length, before + 1, 'only the redirect was requested');
});

it('WEB-06 a certificate of the public address that ends soon is reported, and a server that restarts is not', async () => {
  assert.equal((await foundAt(p.url))['State'], 'ok');
  const soon = new Date(clock.milliseconds() + 5 * 86_400_000).toISOString();
  await p.platform.store.query('update publicaddresscheck set expires = $1::timestamptz', [soon]);
  const found = await finding();
  assert.equal(found['State'], 'warning');
  assert.match(String(found['Detail']), new RegExp(`Its certificate expires on ${soon.slice(0, 10)}\\.`));
  await set('PublicAddress', 'http://127.0.0.1:9');
  await checkPublicAddress.run(p.platform);
  assert.equal((await finding())['State'], 'ok');
});

it('WEB-06 the public address is not connected to if PublicAddressCheck is off', async () => {
  await set('PublicAddressCheck', 'false');
  const before = requested.length;
  await set('PublicAddress', other);
  assert.equal(await checkPublicAddress.run(p.platform), 0);
  assert.equal(requested.length, before);
  assert.match(String((await finding())['Detail']), /is not checked/);
});
