import { join, resolve } from 'node:path';
import { startChild, type Child, type CpuUsage, type Handlers } from './child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from './database.ts';
import type { FloorHandlers, FloorRoute } from './floor.ts';
import type { LoadHandlers, LoadResult } from './load.ts';
import { compare, type Comparison, type Plan, type Side } from './pairs.ts';
import type { CapturedQuery, ProductHandlers } from './product.ts';

/** Connections of the product's store, and of the floor. */
const CONNECTIONS = 12;

const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';

/** Product, floor and load generator, each in a process, over one PostgreSQL. */
export interface HttpBench {
  readonly database: BenchDatabase;
  readonly connection: BenchConnection;
  /** The product's address. */
  readonly origin: string;
  /** API key of the first administrator, who has universal access. */
  readonly staffKey: string;
  /** Creates an organization with a user. */
  firm(name: string): Promise<{ readonly organizationId: number; readonly key: string }>;
  /** Calls the product outside the measurement. */
  call(key: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Returns the statements that a request to the product sends. */
  capture(key: string, path: string, body?: object): Promise<readonly CapturedQuery[]>;
  /** Fills the queue's table until it has so many rows. */
  fillQueue(rows: number): Promise<void>;
  /** CPU used by the product's process. */
  cpu(): Promise<CpuUsage>;
  /** Its resident memory in bytes. */
  memory(): Promise<number>;
  /** Starts another process of the product on the same database. */
  startSecond(): Promise<SecondProduct>;
  /** Sets the floor's routes; required before the first comparison. */
  startFloor(routes: readonly FloorRoute[]): Promise<void>;
  /** Sends one request to the floor outside a comparison. */
  callFloor(path: string): Promise<void>;
  /** Compares product and floor under load, each with its own requests. */
  compare(requests: Requests, callers: number, plan: Plan): Promise<Comparison>;
  /** Compares two kinds of requests to the product; the first takes the place of the floor. */
  compareKinds(kinds: Requests, callers: number, plan: Plan): Promise<Comparison>;
  /** The product under load, as one side of a comparison. */
  side(requests: readonly string[], callers: number): Side;
  stop(): Promise<void>;
}

/** Another process of the product. */
export interface SecondProduct {
  readonly origin: string;
  memory(): Promise<number>;
}

/** Requests of a comparison, as complete HTTP messages. */
export interface Requests {
  readonly product: readonly string[];
  readonly floor: readonly string[];
}

/**
 * Starts everything except the floor's routes. `profile`: folder for the product's CPU profile. `checkout`: folder of
 * another version of the product, to be measured instead of this one. `retained`: folder of a database that is
 * left for the next run.
 */
export async function startHttpBench(profile?: string, checkout?: string, retained?: string): Promise<HttpBench> {
  const database = await startDatabase(retained);
  const children: Child<never>[] = [];
  try {
    return await startOn(database, children, { profile, checkout });
  } catch (error) {
    await stopAll(database, children);
    throw error;
  }
}

async function stopAll(database: BenchDatabase, children: readonly Child<never>[]): Promise<void> {
  await Promise.all(children.map((child) => child.stop()));
  await database.stop();
}

async function startOn(
  database: BenchDatabase,
  children: Child<never>[],
  { profile, checkout }: { readonly profile: string | undefined; readonly checkout: string | undefined },
): Promise<HttpBench> {
  const register = <H extends Handlers>(child: Child<H>): Child<H> => (children.push(child), child);
  // The product migrates it, to its own version.
  const connection = await database.create('bench', 'plain');
  const product = register(
    await startChild<ProductHandlers>(
      checkout === undefined ? 'product.ts' : join(resolve(checkout), 'bench/lib/product.ts'),
      profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    ),
  );
  const floor = register(await startChild<FloorHandlers>('floor.ts'));
  const client = register(await startChild<LoadHandlers>('load.ts'));
  const start = {
    databaseUrl: database.url('bench'),
    dataFolder: database.folder,
    administratorKey: ADMINISTRATOR_KEY,
    roles: ['web'],
  } as const;
  const port = await product.ask('start', start);
  const side = sidesOf(client, database);
  let floorPort = 0;
  const call = (key: string, path: string, body?: object): Promise<Record<string, unknown>> =>
    callProduct(port, key, path, body);
  return {
    database,
    connection,
    origin: `http://127.0.0.1:${port}`,
    staffKey: ADMINISTRATOR_KEY,
    call,
    fillQueue: (rows) => product.ask('fillQueue', rows),
    cpu: () => product.ask('cpu', undefined),
    memory: () => product.ask('memory', undefined),
    async startSecond() {
      const second = register(await startChild<ProductHandlers>('product.ts'));
      const origin = `http://127.0.0.1:${await second.ask('start', start)}`;
      return { origin, memory: () => second.ask('memory', undefined) };
    },
    capture: (key, path, body) => product.ask('capture', { path, init: initOf(key, body) }),
    firm: (name) => createFirm(call, name),
    async startFloor(routes) {
      floorPort = await floor.ask('start', { connection, connectionsMax: CONNECTIONS, routes });
    },
    async callFloor(path) {
      const answer = await fetch(`http://127.0.0.1:${floorPort}${path}`);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`the floor answered ${answer.status} to ${path}: ${text}`);
    },
    compare: (requests, callers, plan) =>
      compare(
        side(floor, { port: floorPort, requests: requests.floor, callers }),
        side(product, { port, requests: requests.product, callers }),
        plan,
      ),
    compareKinds: (kinds, callers, plan) =>
      compare(
        side(product, { port, requests: kinds.floor, callers }),
        side(product, { port, requests: kinds.product, callers }),
        plan,
      ),
    side: (requests, callers) => side(product, { port, requests, callers }),
    stop: () => stopAll(database, children),
  };
}

/** Creates an organization with a user and the user's API key. */
async function createFirm(call: HttpBench['call'], name: string): ReturnType<HttpBench['firm']> {
  const { OrganizationID } = await call(ADMINISTRATOR_KEY, '/api/organization/save?Output=Json', {
    Organization: name,
  });
  const { PersonID } = await call(ADMINISTRATOR_KEY, '/api/person/save?Output=Json', {
    Person: `user of ${name}`,
    OrganizationID,
    Roles: 'Partner',
  });
  const { ApiKey } = await call(ADMINISTRATOR_KEY, '/api/apikey/create?Output=Json', { PersonID });
  return { organizationId: Number(OrganizationID), key: String(ApiKey) };
}

/** Returns how a server is loaded and measured. */
function sidesOf(client: Child<LoadHandlers>, database: BenchDatabase) {
  return (
    server: Child<ProductHandlers> | Child<FloorHandlers>,
    load: { readonly port: number; readonly requests: readonly string[]; readonly callers: number },
  ): Side => ({
    slice: (milliseconds): Promise<LoadResult> => client.ask('load', { ...load, milliseconds }),
    cpu: () => (server as Child<FloorHandlers>).ask('cpu', undefined),
    databaseCpu: () => database.cpu(),
  });
}

function initOf(key: string, body: object | undefined): RequestInit {
  const headers = { 'X-ApiKey': key, 'Content-Type': 'application/json' };
  return body === undefined
    ? { headers: { 'X-ApiKey': key } }
    : { method: 'POST', headers, body: JSON.stringify(body) };
}

async function callProduct(
  port: number,
  key: string,
  path: string,
  body: object | undefined,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, initOf(key, body));
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Returns a request as sent over the wire, with the headers of a plain client. */
export function httpRequest(path: string, options: { readonly key?: string; readonly body?: object } = {}): string {
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const head = [
    `${options.body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'User-Agent: bench',
    'Accept: application/json',
    ...(options.key === undefined ? [] : [`X-ApiKey: ${options.key}`]),
    ...(options.body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
