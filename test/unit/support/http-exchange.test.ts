import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { exchange } from '../../support/http-exchange.ts';

/** The parts of the next response, each in a packet of its own; undefined closes the connection. */
let parts: readonly (string | undefined)[] = [];
const received: string[] = [];
const connections = new Set<Socket>();

const server = createServer({ noDelay: true }, (socket) => {
  connections.add(socket);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    received.push(bytes.toString());
    void respond(socket, parts);
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => {
  for (const socket of connections) socket.destroy();
  server.close();
});
const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a%20b?c=d`);

async function respond(socket: Socket, all: readonly (string | undefined)[]): Promise<void> {
  for (const part of all) {
    await new Promise((resolve) => setImmediate(resolve));
    if (part === undefined) socket.end();
    else socket.write(part);
  }
}

async function answerTo(response: readonly (string | undefined)[], method = 'GET') {
  parts = response;
  return exchange(url, { method, headers: { accept: '*/*' }, body: undefined });
}

describe('the HTTP client of tests', () => {
  it('sends the request line, the headers and the body, and keeps the connection', async () => {
    parts = ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'];
    const body = Buffer.from('é');
    for (let n = 0; n < 3; n++)
      assert.equal((await exchange(url, { method: 'POST', headers: { 'content-length': '2' }, body })).text, 'ok');
    assert.equal(received[0], `POST /a%20b?c=d HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: 2\r\n\r\né`);
    assert.equal(connections.size, 1);
  });

  it('reads status, repeated headers and a body that arrives in pieces', async () => {
    const answer = await answerTo([
      'HTTP/1.1 4',
      '04 Not Found\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r',
      '\nContent-Length: 4\r\n\r\nä',
      'bc',
    ]);
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.headers.getSetCookie(), ['a=b', 'c=d']);
    assert.equal(answer.text, 'äbc');
  });

  it('reads chunks, however they are cut', async () => {
    const whole = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\nc\r\nA\r\n0123456789\r\n0\r\n\r\n';
    assert.equal((await answerTo([whole])).text, 'ab\r\nc0123456789');
    for (let at = 1; at < whole.length; at++)
      assert.equal((await answerTo([whole.slice(0, at), whole.slice(at)])).text, 'ab\r\nc0123456789', String(at));
    assert.equal((await answerTo(whole.split(''))).text, 'ab\r\nc0123456789');
    assert.equal((await answerTo(['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'])).text, '');
  });

  it('passes over interim responses, and expects no body where there is none', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
    assert.equal((await answerTo([`${interim}HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx`])).text, 'x');
    assert.equal((await answerTo(['HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n'])).text, '');
    assert.equal((await answerTo(['HTTP/1.1 204 No Content\r\n\r\n'])).status, 204);
    assert.equal((await answerTo(['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'], 'HEAD')).text, '');
  });

  it('takes the end of the connection as that of a response without a length, and fails for any other', async () => {
    assert.equal((await answerTo(['HTTP/1.1 200 OK\r\n\r\nto the', ' end', undefined])).text, 'to the end');
    await assert.rejects(answerTo(['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx', undefined]), /closed before/);
    await assert.rejects(answerTo([undefined]), /closed before/);
    const closing = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx';
    const before = connections.size;
    assert.equal((await answerTo([closing])).text, 'x');
    assert.equal((await answerTo([closing])).text, 'x');
    assert.equal(connections.size, before + 2);
  });
});
