import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { serveStdio } from '../../../src/surfaces/mcp/stdio.ts';
import { testPlatform } from '../../support/platform.ts';
import { command } from '../../support/cli/command.ts';
import { connectAgent, errorOf } from '../../support/mcp/agent.ts';

const platform = await testPlatform({ after });
const { key } = await platform.user('local agent', 'Read Only');

/** Runs the bridge in this process, with lines to write and to read. */
function bridge(
  url: string,
  apiKey: string,
): { say(line: unknown): void; lines: AsyncIterator<string>; end(): Promise<void> } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const send = (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      body,
      signal,
      headers: { ...headers, 'Content-Type': 'application/json', 'X-ApiKey': apiKey },
    });
  const serving = serveStdio({ input, out: (line) => Promise.resolve(void output.write(line)), send }).finally(() =>
    output.end(),
  );
  return {
    say: (line) => void input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    lines: createInterface({ input: output })[Symbol.asyncIterator](),
    async end() {
      input.end();
      await serving;
    },
  };
}

const next = async (lines: AsyncIterator<string>): Promise<Record<string, unknown>> =>
  JSON.parse(String((await lines.next()).value)) as Record<string, unknown>;

test('KRN-22 an agent that starts the program talks to the running server: it initializes, searches, reads, and is refused', async () => {
  const program = fileURLToPath(new URL('../../../src/app/casewright.ts', import.meta.url));
  const agent = await connectAgent(
    { after },
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      env: { CASEWRIGHT_URL: platform.url, CASEWRIGHT_API_KEY: key },
      stderr: 'inherit',
    }),
  );
  assert.equal(agent.client.getServerVersion()?.name, 'casewright');
  assert.ok((await agent.client.listTools()).tools.some(({ name }) => name === 'search_records'));
  assert.equal((await agent.use('search_records', { record: 'Organization' })).isError, false);
  assert.equal(
    errorOf(
      await agent.use('run_read_operation', { operation: 'organization/save', parameters: { Organization: 'No' } }),
    )['Code'],
    'NO_PERMISSION',
  );
  const many = await Promise.all(
    Array.from({ length: 30 }, (_, at) => agent.use('find_operations', { words: 'contact', size: 1 + (at % 5) })),
  );
  assert.deepEqual(
    many.map((answer) => (answer.data['Operations'] as unknown[]).length),
    many.map((_, at) => 1 + (at % 5)),
  );
});

test('lines that are not messages are refused, and a refused key is an error of the request that used it', async () => {
  const wrong = bridge(platform.url, 'not-a-key');
  wrong.say('{"jsonrpc":');
  assert.deepEqual((await next(wrong.lines))['error'], { code: -32700, message: 'The line is not valid JSON.' });
  wrong.say('');
  wrong.say('x'.repeat(1024 * 1024 + 1));
  assert.match(JSON.stringify(await next(wrong.lines)), /at most 1048576 bytes/);
  wrong.say({ jsonrpc: '2.0', id: 7, method: 'ping' });
  const refused = await next(wrong.lines);
  assert.equal(refused['id'], 7);
  assert.match(JSON.stringify(refused['error']), /NOT_SIGNED_IN/);
  wrong.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await wrong.end();
});

test('an unreachable server is reported for each request, and the program continues', async () => {
  const closed = createServer();
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((done) => closed.close(done));
  const agent = bridge(`http://127.0.0.1:${port}`, key);
  for (const id of [1, 2]) {
    agent.say({ jsonrpc: '2.0', id, method: 'ping' });
    const response = await next(agent.lines);
    assert.equal(response['id'], id);
    assert.match(JSON.stringify(response['error']), /did not respond/);
  }
  await agent.end();
});

test('a request canceled by the agent is abandoned without an answer, and later ones are answered', async () => {
  const held: (() => void)[] = [];
  const aborted: (() => void)[] = [];
  const arrived = new Promise<void>((done) => held.push(done));
  const given = new Promise<void>((done) => aborted.push(done));
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (part: Buffer) => (body += part.toString()));
    incoming.on('end', () => {
      const message = JSON.parse(body) as { id: number; method: string };
      if (message.method !== 'slow')
        return void response.end(
          JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-11-25' } }),
        );
      held[0]?.();
      response.on('close', () => aborted[0]?.());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = bridge(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, key);
  agent.say({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  assert.equal((await next(agent.lines))['id'], 1);
  agent.say({ jsonrpc: '2.0', id: 2, method: 'slow' });
  await arrived;
  agent.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  await given;
  agent.say({ jsonrpc: '2.0', id: 3, method: 'ping' });
  assert.equal((await next(agent.lines))['id'], 3);
  await agent.end();
  assert.equal((await agent.lines.next()).done, true);
  server.closeAllConnections();
  server.close();
});

test('the command without credentials reports that, and extra arguments are refused', async () => {
  const bare = await command(['mcp']);
  assert.deepEqual([bare.code, bare.error.includes('CASEWRIGHT_API_KEY')], [2, true]);
  const named = await command(['mcp', 'something'], { env: { CASEWRIGHT_API_KEY: 'a' } });
  assert.deepEqual([named.code, named.error.includes('takes no names')], [2, true]);
  assert.match((await command(['help', 'mcp'])).out, /Serves an agent/);
});
