import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { certificateServers } from '../../../src/app/certificate-servers.ts';
import { readCertificateEnd } from '../../../src/lib/certificates/read-certificate.ts';
import { checkCertificates } from '../../../src/modules/system/system/lib/check-certificates.ts';
import { runTask } from '../../../src/surfaces/scheduler/scheduler.ts';
import { client, type Row } from '../../support/client.ts';
import { serverCertificate } from '../../support/peers/server-certificate.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The certificates of the test's servers end after two days. */
const DAY = 86_400_000;

describe('certificates of other servers', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const { certificate: cert, key } = serverCertificate(temporaryFolder({ after }), ['DNS:localhost']);
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    after(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  /** Starts a server that answers lines of text before TLS starts. */
  const startTls = (greeting: string, reply: (text: string) => string | undefined): Promise<number> =>
    listen(
      createServer((socket) => {
        socket.on('error', () => undefined).write(greeting);
        socket.on('data', function onData(data) {
          const answer = reply(data.toString('latin1'));
          if (answer === undefined) return;
          socket.write(answer);
          if (!/^(?:S|220 Go)/.test(answer)) return;
          socket.off('data', onData);
          new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined);
        });
      }),
    );
  const finding = async (): Promise<Row> =>
    (await admin.expectRows('system/health')).find(({ Health: name }) => name === 'Certificates') ?? {};
  const check = async (): Promise<void> => {
    assert.equal(await runTask(p.platform, task), 'done');
  };
  const task = checkCertificates(certificateServers);
  let web = 0;
  before(async () => {
    web = await listen(createTlsServer({ cert, key }).on('tlsClientError', () => undefined));
  });

  it('WEB-06 the end of a certificate is read by TLS, STARTTLS and from PostgreSQL, whoever signed it', async () => {
    const smtp = await startTls('220 mail ready\r\n', (text) =>
      text.startsWith('EHLO') ? '250-mail\r\n250 STARTTLS\r\n' : '220 Go ahead\r\n',
    );
    const database = await startTls('', () => 'S');
    const servers = [
      { port: web, start: 'TLS' },
      { port: smtp, start: 'SMTP' },
      { port: database, start: 'PostgreSQL' },
    ] as const;
    for (const server of servers) {
      const end = Date.parse(await readCertificateEnd({ host: 'localhost', ...server }, 10_000));
      assert.ok(Math.abs(end - Date.now() - 2 * DAY) < DAY / 2, `${server.start}: ${new Date(end).toISOString()}`);
    }
  });

  it('WEB-06 a server that is silent, endless, closes or speaks no TLS is given up, and harms nothing', async () => {
    const silent = await listen(createServer((socket) => socket.on('error', () => undefined)));
    const endless = await startTls('2'.repeat(20_000), () => undefined);
    const closing = await listen(createServer((socket) => socket.on('error', () => undefined).end()));
    const plain = await startTls('HTTP/1.1 400 Bad Request\r\n\r\n', () => undefined);
    const refuses = (port: number, start: 'TLS' | 'SMTP', limit = 10_000): Promise<void> =>
      assert.rejects(readCertificateEnd({ host: '127.0.0.1', port, start }, limit));
    await Promise.all([
      refuses(silent, 'TLS', 50),
      refuses(silent, 'SMTP', 50),
      refuses(endless, 'SMTP'),
      refuses(closing, 'TLS'),
      refuses(closing, 'SMTP'),
      refuses(plain, 'TLS'),
    ]);
  });

  it('WEB-06 health names the receiver of a webhook whose certificate ends soon, and forgets it with the webhook', async () => {
    await check();
    assert.equal((await finding())['State'], 'ok');
    await admin.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
    const hook = await admin.expectOk('webhook/create', {
      Name: 'Archive',
      URL: `https://localhost:${web}/events`,
      Events: 'Loan.*',
    });
    await check();
    const found = await finding();
    assert.match(String(found['Detail']), new RegExp(`webhook Archive \\(localhost:${web}\\) on \\d{4}-`));
    assert.ok(found['State'] !== 'ok', String(found['State']));
    assert.match(String(found['Advice']), /CertificateWarningDays/);
    await admin.save('webhook', { ID: hook['WebhookID'], IsActive: false });
    await check();
    assert.equal((await finding())['State'], 'ok');
  });

  it('WEB-06 an address that may not be connected to is not', async () => {
    await admin.expectOk('webhook/create', { Name: 'Inside', URL: `https://localhost:${web}/`, Events: 'Loan.*' });
    await admin.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '10.0.0.0/8' });
    await check();
    const found = await finding();
    assert.equal(found['State'], 'ok');
    assert.match(String(found['Detail']), /1 returned no certificate/);
  });
});
