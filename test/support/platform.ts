import { globSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import type { FastifyInstance } from 'fastify';
import { cipherFromKeys, newKey } from '../../src/kernel/security/cipher.ts';
import { fixedClock, systemClock, type Clock } from '../../src/kernel/time/clock.ts';
import { silentLog, type Log } from '../../src/kernel/ports/log.ts';
import type { Declarations } from '../../src/kernel/declare/registry.ts';
import type { Connection } from '../../src/kernel/database/store.ts';
import type { SandboxLimits } from '../../src/kernel/xml/sandbox/sandbox.ts';
import { declarations as catalog } from '../../src/app/catalog.gen.ts';
import { createPlatform, type RunningPlatform } from '../../src/app/platform.ts';
import { loadFirst } from '../../src/app/first-start.ts';
import { createServer } from '../../src/surfaces/http/server.ts';
import { pages } from '../../src/app/pages.ts';
import { startWorker } from '../../src/surfaces/worker/worker.ts';
import { atEnd } from './at-end.ts';
import { exchange } from './http-exchange.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { MIGRATED, testDatabase, type CleanUp, type DatabaseTemplate, type TestDatabase } from './database.ts';

/** A response over HTTP with its body. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Returns the body as JSON; throws if it is not JSON. */
  json(): Record<string, never> & Record<string, unknown>;
}

/** How to send a call: by API key, by name and password, or by neither. */
export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<TestAnswer>;
  /** A string body is sent as a form unless headers say otherwise; an object as JSON. */
  post(path: string, body?: string | Uint8Array | object, headers?: Record<string, string>): Promise<TestAnswer>;
  send(method: string, path: string, body?: string | Uint8Array, headers?: Record<string, string>): Promise<TestAnswer>;
}

/** A whole platform on its own database, serving HTTP on a free port. */
export interface TestPlatform {
  readonly platform: RunningPlatform;
  readonly server: FastifyInstance;
  readonly database: TestDatabase;
  /** The folder of storage locations on this machine. */
  readonly storagesFolder: string;
  /** The folder of mails, which stands for a mail server. */
  readonly mailFolder: string;
  readonly url: string;
  /** Calls as the first administrator. */
  readonly admin: Caller;
  readonly anonymous: Caller;
  byKey(key: string): Caller;
  byPassword(name: string, password: string): Caller;
  /** Creates an organization, and a user of it with an API key. Roles default to Partner. */
  firm(
    name: string,
    roles?: string,
  ): Promise<{ organizationId: number; personId: number; key: string; caller: Caller }>;
  /** Creates a user without a firm. */
  user(name: string, roles: string): Promise<{ personId: number; key: string; caller: Caller }>;
}

/** Options of a test platform. */
export interface TestPlatformOptions {
  readonly clock?: Clock;
  /** The process log; by default it is discarded. */
  readonly log?: Log;
  /** The folder of stored files; a new one by default. */
  readonly filesFolder?: string;
  /** The folder of storage locations on this machine; a new one by default. */
  readonly storagesFolder?: string;
  /** Whether a worker runs queued calls. */
  readonly worker?: boolean;
  /** Databases that bulk imports may load into. */
  readonly connections?: ReadonlyMap<string, Connection>;
  /** Record types and operations beside the catalog's; `schema` is the SQL of their tables. */
  readonly fixture?: { readonly declarations: Partial<Declarations>; readonly schema?: string };
  /** How long a stylesheet may run. Default: so long that no busy machine stops one that ends. */
  readonly stylesheetSeconds?: number;
}

/** See `stylesheetSeconds`. */
const STYLESHEET_SECONDS = 30;
/** Time that a stylesheet waits for its turn, beyond what the one before it may run. */
const TURN_SECONDS = 5;

/** Parameters of argon2id for the passwords of tests: the least that it allows. A hash contains its own parameters. */
const QUICK_HASH = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** The first administrator's API key. */
export const ADMIN_KEY = 'the-administrators-key-of-tests';

const ROOT = join(import.meta.dirname, '../..');

/** When the test databases were first started: before every instant to which a test sets its clock. */
const FIRST_START = '2020-01-01T00:00:00.000Z';

/**
 * A database after the first start of an installation: queues, built-in roles and users, the first administrator with
 * ADMIN_KEY, and the standard configuration. A platform on a clone of it has nothing left to load.
 */
const STARTED: DatabaseTemplate = {
  name: 'casewright_started',
  base: MIGRATED,
  sources: () =>
    globSync('src/{app/standard*,modules/access/role/lib/builtin,surfaces/worker/*}.ts', { cwd: ROOT }).sort(),
  async fill(database) {
    const cleanUps: (() => void | Promise<void>)[] = [];
    const platform = await createPlatform({
      connection: connectionTo(database),
      filesFolder: temporaryFolder({ after: (clean) => cleanUps.push(clean) }),
      cipher: cipherFromKeys(newKey()),
      clock: fixedClock(FIRST_START),
      log: silentLog,
      supervise: false,
    });
    await loadFirst(platform, ADMIN_KEY);
    await platform.stop();
    for (const clean of cleanUps) await clean();
  },
};

/** Returns a database after the first start of an installation; a server's start on it is half as expensive. */
export function startedDatabase(cleanUp: CleanUp): Promise<TestDatabase> {
  return testDatabase(cleanUp, STARTED);
}

function connectionTo({ host, port, user, database }: TestDatabase): Connection {
  return { host, port, user, database };
}

function sandboxLimits(seconds: number): SandboxLimits {
  return { runMilliseconds: seconds * 1_000, waitMilliseconds: (seconds + TURN_SECONDS) * 1_000 };
}

/** Starts a platform for a test (or, with `{ after }`, for a whole file); everything is stopped at its end. */
export async function testPlatform(cleanUp: CleanUp, options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const database = await startedDatabase(cleanUp);
  const connection = connectionTo(database);
  const { fixture } = options;
  const storagesFolder = options.storagesFolder ?? temporaryFolder(cleanUp);
  const mailFolder = temporaryFolder(cleanUp);
  const platform = await createPlatform({
    mailFolder,
    ...(fixture ? { declarations: withCatalog(fixture.declarations) } : {}),
    connection,
    filesFolder: options.filesFolder ?? temporaryFolder(cleanUp),
    storagesFolder,
    cipher: cipherFromKeys(newKey()),
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
    supervise: options.worker ?? false,
    sandboxLimits: sandboxLimits(options.stylesheetSeconds ?? STYLESHEET_SECONDS),
    ...(options.connections ? { connections: options.connections } : {}),
  });
  if (fixture?.schema !== undefined) await platform.store.script(fixture.schema);
  const worker = options.worker ? startWorker(platform, platform.queue) : undefined;
  const server = createServer(platform, pages);
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  atEnd(cleanUp, async () => {
    await server.close();
    await worker?.stop();
    await platform.stop();
  });
  const byKey = (key: string): Caller => callerOf(url, { 'X-ApiKey': key });
  const admin = byKey(ADMIN_KEY);
  const user = async (name: string, fields: string): Promise<{ personId: number; key: string; caller: Caller }> => {
    const person = await admin.post('/api/person/save?Output=Json', `Person=${encodeURIComponent(name)}&${fields}`);
    const personId = Number(person.json()['PersonID']);
    // As if the user had chosen it. The product's parameters would make each hash and each check 40 times as expensive.
    await platform.store.query('update person set password = $2::text where personid = $1::bigint', [
      personId,
      await hash(`password of ${name}`, QUICK_HASH),
    ]);
    const made = await admin.post('/api/apikey/create?Output=Json', { PersonID: personId });
    const key = String(made.json()['ApiKey']);
    return { personId, key, caller: byKey(key) };
  };
  return {
    platform,
    server,
    database,
    storagesFolder,
    mailFolder,
    url,
    admin,
    anonymous: callerOf(url, {}),
    byKey,
    byPassword: (name, password) =>
      callerOf(url, { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }),
    user: (name, roles) => user(name, `Roles=${encodeURIComponent(roles)}`),
    async firm(name, roles = 'Partner') {
      const organization = await admin.post('/api/organization/save?Output=Json', {
        Organization: name,
        ProviderCode: name.replace(/\W/g, '').slice(0, 20),
      });
      const organizationId = Number(organization.json()['OrganizationID']);
      return {
        organizationId,
        ...(await user(`user of ${name}`, `OrganizationID=${organizationId}&Roles=${encodeURIComponent(roles)}`)),
      };
    },
  };
}

/** A larger body may be answered before it is read to its end; the rest is then not accepted. */
const BODY_AT_ONCE_BYTES_MAX = 64 * 1024;

async function answered(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array | undefined,
): Promise<TestAnswer> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  // `fetch` would join the values of a name in two spellings; here the last one counts.
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (bytes !== undefined && bytes.length > BODY_AT_ONCE_BYTES_MAX)
    return fetched(url, { method, redirect: 'manual', headers: named, body: body as never });
  const sent: Record<string, string> = { accept: '*/*' };
  if (typeof body === 'string') sent['content-type'] = 'text/plain;charset=UTF-8';
  if (bytes !== undefined || !['GET', 'HEAD'].includes(method)) sent['content-length'] = String(bytes?.length ?? 0);
  Object.assign(sent, named);
  const answer = await exchange(url, { method, headers: sent, body: bytes });
  const { status, text } = answer;
  return {
    status,
    get headers() {
      return answer.headers;
    },
    text,
    json: () => JSON.parse(text) as never,
  };
}

async function fetched(url: URL, init: RequestInit): Promise<TestAnswer> {
  const answer = await fetch(url, init);
  const content = await answer.text();
  return { status: answer.status, headers: answer.headers, text: content, json: () => JSON.parse(content) as never };
}

function withCatalog(own: Partial<Declarations>): Declarations {
  const lists = [
    'records',
    'operations',
    'reactions',
    'checks',
    'guards',
    'saveFeatures',
    'searchFilters',
    'settings',
  ] as const;
  return Object.fromEntries(
    lists.map((name) => [name, [...(catalog[name] ?? []), ...(own[name] ?? [])]]),
  ) as unknown as Declarations;
}

function callerOf(url: string, credentials: Record<string, string>): Caller {
  const send = (
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> => answered(new URL(url + path), method, { ...credentials, ...headers }, body);
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body = '', headers = {}) => {
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      return send('POST', path, raw ? body : JSON.stringify(body), {
        'Content-Type': raw ? 'application/x-www-form-urlencoded' : 'application/json',
        ...headers,
      });
    },
  };
}
