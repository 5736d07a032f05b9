import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** A tool's answer: its text, and the same as data. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** A connected client of the official type, with helpers for tests. */
export interface TestAgent {
  readonly client: Client;
  use(tool: string, sent?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Connects a client; it is closed at the end. */
export async function connectAgent(cleanUp: CleanUp, transport: Transport): Promise<TestAgent> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  atEnd(cleanUp, () => client.close());
  return {
    client,
    async use(tool, sent = {}) {
      const result = (await client.callTool({ name: tool, arguments: sent })) as CallToolResult;
      const text = result.content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
      return { isError: result.isError === true, text, data: result.structuredContent ?? {} };
    },
  };
}

/** Connects over HTTP with headers that carry credentials. */
export function httpAgent(cleanUp: CleanUp, url: string, headers: Record<string, string>): Promise<TestAgent> {
  return connectAgent(cleanUp, new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
}

/** Returns the error that a failed tool reports. */
export function errorOf(answer: ToolAnswer): Record<string, unknown> {
  return answer.data['Error'] as Record<string, unknown>;
}
