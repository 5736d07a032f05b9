import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, it } from 'node:test';
import Fastify from 'fastify';
import { closeWaitingConnections } from '../../../src/surfaces/http/close-connections.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });

it('a closing server ends idle connections without waiting for the request timeout', async () => {
  const server = createServer(p.platform, {});
  const { port, hostname } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const silent = connect(Number(port), hostname);
  const received: Buffer[] = [];
  silent.on('data', (part: Buffer) => received.push(part));
  silent.on('error', () => undefined);
  const ended = once(silent, 'close');
  await eventually(
    'the connection is open',
    () => new Promise<boolean>((resolve) => server.server.getConnections((_error, count) => resolve(count === 1))),
  );
  await server.close();
  await ended;
  // A connection that had timed out would have received a response first.
  assert.equal(Buffer.concat(received).toString(), '');
});

it('clients that send no end of a request, or read no response, delay the stop by seconds; a running call is answered', async () => {
  const server = Fastify({ forceCloseConnections: 'idle' });
  closeWaitingConnections(server, 300);
  const running = new Promise<() => void>((begun) => {
    server.get('/call', () => new Promise<string>((answer) => begun(() => answer('answered'))));
  });
  let unread = 0;
  server.get('/large', async () => {
    unread++;
    return Buffer.alloc(64 * 1024 * 1024);
  });
  server.post('/form', async () => 'never');
  const { port, hostname } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const open = (text: string): { socket: Socket; closed: Promise<unknown> } => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(text);
    return { socket, closed: once(socket, 'close') };
  };
  const clients = [
    open('GET /call HTTP/1.1\r\nHost: x\r\nX-Header: '),
    open('POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 10000\r\n\r\nabcde'),
    open('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'),
  ];
  clients[2]?.socket.pause();
  const answer = fetch(`http://${hostname}:${port}/call`).then((response) => response.text());
  const finish = await running;
  await eventually('the large response waits for its reader', () => unread === 1);
  let isClosed = false;
  const closed = server.close().then(() => (isClosed = true));
  for (const client of clients.slice(0, 2)) await client.closed;
  clients[2]?.socket.resume();
  await clients[2]?.closed;
  assert.equal(isClosed, false, 'the running call is still waited for');
  finish();
  assert.equal(await answer, 'answered');
  await closed;
});
