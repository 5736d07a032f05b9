import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** One route of the floor: a statement and the source of its values. */
export interface FloorRoute {
  readonly path: string;
  readonly text: string;
  /** For each parameter: a constant, or the name of a member of the query string or JSON body. */
  readonly values: readonly ({ readonly value: unknown } | { readonly member: string })[];
  /** Whether the answer is only the first row. */
  readonly one: boolean;
}

/** Start parameters of the floor. */
export interface FloorStart {
  readonly connection: BenchConnection;
  readonly connectionsMax: number;
  readonly routes: readonly FloorRoute[];
}

/** The requests that the floor's process handles. */
export type FloorHandlers = typeof handlers;

/**
 * Dates stay text as the server sends them. As JavaScript dates they made a list of 25 a third slower, and the floor
 * too low.
 */
const asText = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: unknown) => value,
  parse: (text: string) => text,
};

/**
 * The minimal server for the same work: Node's HTTP server, the driver, one prepared statement per call, and
 * JSON.stringify. No sign-in, no permissions, no checks, no log.
 */
async function start({ connection, connectionsMax, routes }: FloorStart): Promise<number> {
  const sql = postgres({ ...connection, max: connectionsMax, fetch_types: false, types: { date: asText } });
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    const at = url.indexOf('?');
    const route = byPath.get(at < 0 ? url : url.slice(0, at));
    if (!route) return void response.writeHead(404, { 'Content-Length': 0 }).end();
    if (request.method === 'POST')
      return readBody(request, (body) => answer(sql, route, JSON.parse(body) as Record<string, unknown>, response));
    answer(sql, route, Object.fromEntries(new URLSearchParams(url.slice(at + 1))), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (body += part));
  request.on('end', () => done(body));
}

function answer(
  sql: postgres.Sql,
  route: FloorRoute,
  members: Readonly<Record<string, unknown>>,
  response: ServerResponse,
): void {
  const values = route.values.map((v) => ('member' in v ? (members[v.member] ?? null) : v.value));
  sql.unsafe(route.text, values as never[], { prepare: true }).then(
    (rows) => {
      const text = JSON.stringify(route.one ? rows[0] : rows);
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
        .end(text);
    },
    (error: unknown) => {
      const text = String(error);
      response.writeHead(500, { 'Content-Length': Buffer.byteLength(text) }).end(text);
    },
  );
}

const handlers = { start, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers);
