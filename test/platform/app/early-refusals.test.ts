import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const server = createServer(p.platform, {}, ['127.0.0.1']);
const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
after(() => server.close());

/** The headers that a trusted proxy adds to a request that came over HTTPS. */
const PROXIED = 'X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n';

/** Sends bytes, and returns the status line and headers of the response, the names in lower case. */
async function send(
  bytes: string,
): Promise<{ readonly status: string; readonly headers: ReadonlyMap<string, string> }> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(bytes);
  const [head = ''] = (await text(socket)).split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: status.slice('HTTP/1.1 '.length), headers };
}

const get = (path: string, headers: string): string => `GET ${path} HTTP/1.1\r\n${PROXIED}${headers}\r\n`;

test('KRN-10 a request with two hosts, or with none, is refused as RFC 9112 says', async () => {
  for (const hosts of ['Host: one\r\nHost: two\r\n', 'Host: one\r\nhOST: one\r\n', '']) {
    const { status, headers } = await send(get('/api/contact/search', hosts));
    assert.deepEqual([status, headers.get('connection')], ['400 Bad Request', 'close'], hosts);
  }
  assert.equal((await send('GET /nothing HTTP/1.0\r\n\r\n')).status, '404 Not Found', 'HTTP/1.0 needs none');
});

test('WEB-01 every refusal has the security headers, over HTTPS Strict-Transport-Security too, however early it is', async () => {
  const host = 'Host: x\r\nConnection: close\r\n';
  const early: readonly [string, string][] = [
    ['404 Not Found', get('/nothing', host)],
    ['401 Unauthorized', get('/api/contact/search', host)],
    ['400 Bad Request', get('/api/%zz', host)],
    ['400 Bad Request', get('/%zz', host)],
    ['400 Bad Request', get('/', 'Host: x\r\nHost: x\r\n')],
    ['404 Not Found', get('/', host).replace('GET', 'TRACE')],
    ['415 Unsupported Media Type', get('/', `${host}Content-Type: x\r\nContent-Length: 1\r\n`).replace('GET', 'POST')],
  ];
  for (const [expected, bytes] of early) {
    const { status, headers } = await send(bytes);
    assert.equal(status, expected, bytes);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', bytes);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/, bytes);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/, bytes);
  }
  // Of bytes that are no request nobody knows how they came.
  const bare: readonly [string, string][] = [
    ['400 Bad Request', 'hello\r\n\r\n'],
    ['431 Request Header Fields Too Large', get('/', `${host}X-Long: ${'x'.repeat(70_000)}\r\n`)],
    ['417 Expectation Failed', get('/', `${host}Expect: nothing\r\n`)],
  ];
  for (const [expected, bytes] of bare) {
    const { status, headers } = await send(bytes);
    assert.deepEqual([status, headers.get('x-content-type-options')], [expected, 'nosniff']);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  }
});

test('WEB-01 a request that arrives while the server is being stopped gets 503 with the headers', async () => {
  const release = new EventEmitter();
  const closing = createServer(p.platform, {
    '/slow': async (_platform, _request, reply) => {
      await once(release, 'end');
      await reply.send('done');
    },
  });
  const address = new URL(await closing.listen({ port: 0, host: '127.0.0.1' }));
  const running = fetch(`${address.origin}/slow`);
  await once(closing.server, 'request');
  const socket = connect(Number(address.port), '127.0.0.1');
  const answer = text(socket);
  const connected = once(closing.server, 'connection');
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n');
  const [accepted] = (await connected) as [Socket];
  await eventually('its first bytes arrived', () => accepted.bytesRead > 0);
  const stopped = closing.close();
  await eventually('it takes no connections', () => !closing.server.listening);
  socket.write('\r\n');
  assert.match(await answer, /^HTTP\/1.1 503 [^]*nosniff/i);
  release.emit('end');
  assert.equal(await (await running).text(), 'done');
  closing.server.closeIdleConnections();
  await stopped;
});
