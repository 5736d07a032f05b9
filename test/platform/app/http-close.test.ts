import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, it } from 'node:test';
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
