import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { AGENT_BATCH_MAX, AGENT_BODY_BYTES_MAX } from '../../../src/surfaces/mcp/http.ts';
import { testPlatform } from '../../support/platform.ts';

const platform = await testPlatform({ after });
const { key } = await platform.user('agent', 'Read Only');

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, never> & {
    readonly id: unknown;
    readonly result: Record<string, unknown>;
    readonly error: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
  };
}

async function post(body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${platform.url}/mcp`, {
    method,
    headers: { 'X-ApiKey': key, 'Content-Type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: text } : {}),
  });
  const answer = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: answer,
    body: (answer.startsWith('{') || answer.startsWith('[') ? JSON.parse(answer) : {}) as never,
  };
}

const call = (method: string, params: object = {}, id: unknown = 1): object => ({ jsonrpc: '2.0', id, method, params });
const initialize = (protocolVersion: string): object =>
  call('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });

test('KRN-22 the version is negotiated: a known one is accepted, an unknown one is answered with the newest; an unknown header is refused', async () => {
  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26'])
    assert.equal((await post(initialize(version))).body.result['protocolVersion'], version);
  assert.equal((await post(initialize('1999-01-01'))).body.result['protocolVersion'], '2025-11-25');
  assert.equal((await post(call('initialize'))).body.error.code, -32602);
  assert.equal((await post(call('ping'), { 'MCP-Protocol-Version': '1999-01-01' })).status, 400);
  assert.deepEqual((await post(call('ping', {}, 'a'), { 'MCP-Protocol-Version': '2025-11-25' })).body, {
    jsonrpc: '2.0',
    id: 'a',
    result: {},
  });
});

test("KRN-15 KRN-16 nothing is returned without credentials: no key, a wrong key, a wrong password and a browser's cookie are refused alike", async () => {
  const proofs: Record<string, string>[] = [
    {},
    { 'X-ApiKey': 'wrong' },
    { Authorization: 'Bearer wrong' },
    { Authorization: `Basic ${Buffer.from('agent:wrong').toString('base64')}` },
    { Authorization: 'Bearer' },
  ];
  for (const proof of [...proofs, { Cookie: `casewright_session=${'A'.repeat(43)}` }]) {
    const response = await fetch(`${platform.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...proof },
      body: JSON.stringify(call('tools/list')),
    });
    assert.equal(response.status, 401, JSON.stringify(proof));
    assert.match(response.headers.get('www-authenticate') ?? '', /Bearer/);
    const text = await response.text();
    assert.match(text, /NOT_SIGNED_IN/);
    assert.doesNotMatch(text, /tools|find_operations/);
  }
  const right: Record<string, string>[] = [
    { 'X-ApiKey': key },
    { Authorization: `Bearer ${key}` },
    { Authorization: `Basic ${Buffer.from('agent:password of agent').toString('base64')}` },
  ];
  for (const proof of right) {
    const response = await fetch(`${platform.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...proof },
      body: JSON.stringify(call('ping')),
    });
    assert.equal(response.status, 200, Object.keys(proof)[0]);
  }
});

test('a message that is not of the protocol is refused with its code, and nothing breaks', async () => {
  const wrong: readonly (readonly [unknown, number, number])[] = [
    ['{"jsonrpc":', 400, -32700],
    ['', 400, -32700],
    ['\u0000', 400, -32700],
    ['null', 400, -32600],
    ['"text"', 400, -32600],
    [{ id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1 }, 400, -32600],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 400, -32600],
    [call('no/such'), 200, -32601],
    [call('__proto__'), 200, -32601],
    [call('toString'), 200, -32601],
    [call('tools/call'), 200, -32602],
    [call('tools/call', { name: 'find_operations', arguments: [] }), 200, -32602],
    [call('tools/call', { name: 'constructor' }), 200, -32602],
    [call('tools/list', { cursor: '-1' }), 200, -32602],
    [call('tools/list', { cursor: '999' }), 200, -32602],
    [call('resources/read', { uri: 7 }), 200, -32602],
    [call('resources/read', { uri: 'casewright://record/Nothing' }), 200, -32002],
  ];
  for (const [body, status, code] of wrong) {
    const reply = await post(body);
    assert.deepEqual([reply.status, reply.body.error.code], [status, code], JSON.stringify(body));
    assert.doesNotMatch(reply.text, /at \w+ \(|node_modules|select /);
  }
  assert.equal((await post(call('ping'))).status, 200);
});

test('a deeply nested or oddly named document in the arguments is refused as a parameter', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) as object;
  const response = await post(
    call('tools/call', { name: 'search_records', arguments: { record: 'Contact', filters: deep } }),
  );
  assert.match(response.text, /"Code":"BAD_PARAMETER"|nest/);
  const odd = await post(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_records",' +
      '"arguments":{"record":"Contact","__proto__":{"x":1}}}}',
  );
  assert.match(odd.text, /UNKNOWN_PARAMETER/);
});

test('a notification and a response are accepted without an answer; the content type is required', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]) {
    const reply = await post(message);
    assert.deepEqual([reply.status, reply.text], [202, '']);
  }
  assert.equal((await post(call('ping'), { 'Content-Type': 'text/plain' })).status, 415);
  assert.equal((await post('a=b', { 'Content-Type': 'application/x-www-form-urlencoded' })).status, 415);
});

test('batches are answered in order in the version that has them, up to a limit, and refused in the others', async () => {
  const batch = [
    call('ping', {}, 1),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call('no/such', {}, 2),
    7,
  ];
  const reply = await post(batch);
  assert.deepEqual(
    (reply.body as unknown as { id: unknown; error?: { code: number } }[]).map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [2, -32601],
      [null, -32600],
    ],
  );
  assert.equal((await post(batch, { 'MCP-Protocol-Version': '2025-11-25' })).status, 400);
  assert.equal((await post([])).status, 400);
  assert.equal((await post(Array.from({ length: AGENT_BATCH_MAX + 1 }, () => call('ping')))).status, 400);
  assert.equal((await post(Array.from({ length: AGENT_BATCH_MAX }, () => call('ping')))).status, 200);
  assert.equal((await post([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status, 202);
});

test('a body above the limit is refused, with or without a declared length, and the sender gets the answer', async () => {
  const large = JSON.stringify(call('ping', { text: 'x'.repeat(AGENT_BODY_BYTES_MAX) }));
  const announced = await post(large);
  assert.equal(announced.status, 413);
  assert.equal(announced.body.error.data?.['Code'], 'TOO_LARGE');
  const status = await new Promise<number | undefined>((done, failed) => {
    const sending = request(
      `${platform.url}/mcp`,
      {
        method: 'POST',
        headers: { 'X-ApiKey': key, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      },
      (response) => {
        response.resume();
        done(response.statusCode);
      },
    );
    sending.on('error', failed);
    sending.end(large);
  });
  assert.equal(status, 413);
  // A caller without credentials is refused before a byte of the body is read.
  assert.equal((await post(large, { 'X-ApiKey': 'wrong' })).status, 401);
});

test('a page of a foreign origin is refused before anything else, whatever its credentials; one named by a setting may call', async () => {
  for (const origin of ['https://evil.example', 'null', platform.url, 'http://localhost']) {
    const refused = await post(call('tools/list'), { Origin: origin });
    assert.equal(refused.status, 403, origin);
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
    assert.equal((await post('', { Origin: origin }, 'OPTIONS')).status, 403);
  }
  assert.equal(
    (
      await platform.admin.post('/api/setting/save', {
        Setting: 'AgentOrigins',
        Value: 'https://agents.example, https://other.example',
      })
    ).status,
    200,
  );
  const admitted = await post(call('ping'), { Origin: 'https://agents.example' });
  assert.deepEqual(
    [admitted.status, admitted.headers.get('access-control-allow-origin')],
    [200, 'https://agents.example'],
  );
  const preflight = await post('', { Origin: 'https://agents.example' }, 'OPTIONS');
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization/);
  for (const origin of ['https://agents.example.evil.example', 'http://agents.example', 'https://evil.example'])
    assert.equal((await post(call('ping'), { Origin: origin })).status, 403, origin);
});

test('there is no stream for GET and no session for DELETE, and both are refused with the reason', async () => {
  for (const method of ['GET', 'DELETE']) {
    const reply = await post('', {}, method);
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'], method);
  }
  assert.equal((await post(initialize('2025-11-25'))).headers.get('mcp-session-id'), null);
});

test("KRN-15 a key's rate limit applies to agents, with the time to wait", async () => {
  const { personId } = await platform.user('limited agent', 'Read Only');
  const made = await platform.admin.post('/api/apikey/create?Output=Json', {
    PersonID: personId,
    RateLimitPerMinute: 2,
  });
  const limited = { 'X-ApiKey': String(made.json()['ApiKey']) };
  const replies = [];
  // The minute may change while they are sent: of five, two minutes allow four.
  for (let at = 0; at < 5; at++) replies.push(await post(call('ping'), limited));
  const refused = replies.find(({ status }) => status === 429);
  assert.ok(refused);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(refused.body.error.data?.['Code'], 'TOO_MANY');

  // The calls of a batch count one by one; each refused one reports it.
  const other = await platform.admin.post('/api/apikey/create?Output=Json', {
    PersonID: personId,
    RateLimitPerMinute: 2,
  });
  const batch = await post(
    [
      ...Array.from({ length: 5 }, (_, at) => call('ping', {}, at)),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ],
    { 'X-ApiKey': String(other.json()['ApiKey']) },
  );
  const responses = batch.body as unknown as {
    id: unknown;
    result?: object;
    error?: { data?: Record<string, unknown> };
  }[];
  assert.deepEqual(
    responses.map(({ id }) => id),
    [0, 1, 2, 3, 4],
  );
  const answered = responses.filter(({ result }) => result !== undefined).length;
  assert.ok(answered >= 2 && answered <= 4, String(answered));
  assert.deepEqual(
    new Set(responses.filter(({ error }) => error !== undefined).map(({ error }) => error?.data?.['Code'])),
    new Set(['TOO_MANY']),
  );
});

test("KRN-20 the history of an agent's change names the same call as the security log", async () => {
  await platform.admin.post('/api/setting/save', { Setting: 'AgentWrites', Value: 'true' });
  const staff = await platform.user('staff agent', 'Staff');
  const saved = await platform.admin.post('/api/contact/save?Output=Json', { LastName: 'Before' });
  const ID = Number(saved.json()['ContactID']);
  const made = await post(
    call('tools/call', {
      name: 'run_write_operation',
      arguments: { operation: 'contact/save', parameters: { ID, LastName: 'After' } },
    }),
    { 'X-ApiKey': staff.key },
  );
  assert.equal(made.status, 200, made.text);
  const history = await platform.admin.get(`/api/contact/history/${ID}?Output=Json`);
  const changes = (
    (history.json()['HistoryCollection'] as unknown as Record<string, Record<string, unknown>[]>)['HistoryItem'] ?? []
  ).filter((change) => change['Field'] === 'LastName');
  assert.deepEqual(
    changes.map((change) => [change['PersonID'], change['NewValue']]),
    [[staff.personId, 'After']],
  );
  const log = await platform.admin.get(
    `/api/securitylog/search?SecurityLog=AgentChange&CorrelationID=${String(changes[0]?.['CallID'])}&Output=Json`,
  );
  assert.match(log.text, new RegExp(`"PersonID":${staff.personId}`));
});
