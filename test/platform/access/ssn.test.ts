import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPlatform } from '../../../src/app/platform.ts';
import { migrate } from '../../../src/app/migrate.ts';
import { loadFirst } from '../../../src/app/first-start.ts';
import { startEmbeddedPostgres } from '../../../src/app/embedded-postgres.ts';
import { cipherFromKeys, newKey } from '../../../src/kernel/security/cipher.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import type { Log } from '../../../src/kernel/ports/log.ts';
import { Store } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { pages } from '../../../src/surfaces/http/pages.ts';
import { createServer } from '../../../src/surfaces/http/server.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { exchange } from '../../support/http-exchange.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** All planted SSNs begin with these digits: one search finds any of them, with and without hyphens. */
const START = '91746';
/** A name stored in clear text, next to an SSN that is not. */
const CONTROL = 'Control-Name-In-Clear';
const planted: string[] = [];

/** Returns a new SSN, in its two spellings. */
function plant(): { plain: string; dashed: string } {
  const plain = `${START}${String(1_000 + planted.length * 7).padStart(4, '0')}`;
  planted.push(plain);
  return { plain, dashed: `${plain.slice(0, 3)}-${plain.slice(3, 5)}-${plain.slice(5)}` };
}

const dashed = (): string => plant().dashed;
const plain = (): string => plant().plain;

/** Returns the first planted SSN that a text contains in clear, with the text around it. */
function clear(text: string): string | undefined {
  for (const match of text.matchAll(/917[-. ]?46[-. ]?\d{4}/g)) {
    if (planted.includes(match[0].replace(/\D/g, '')))
      return `${match[0]} in ${JSON.stringify(text.slice(Math.max(0, match.index - 80), match.index + 40))}`;
  }
  return undefined;
}

const folder = temporaryFolder({ after });
const logged: string[] = [];
const keep = (message: string, facts?: unknown): void => void logged.push(`${message} ${JSON.stringify(facts ?? {})}`);
const log: Log = { debug: keep, info: keep, warn: keep, error: keep };

const embedded = await startEmbeddedPostgres({
  dataFolder: folder,
  log: (line, detail) => keep(line, detail),
  settings: { fsync: 'off' },
});
const server = { host: embedded.socketFolder, port: embedded.port, user: embedded.user };
const bootstrap = new Store({ connection: { ...server, database: 'postgres' }, log: silentLog, connectionsMax: 1 });
await bootstrap.script('create database casewright');
await bootstrap.end();
const connection = { ...server, database: 'casewright' };
await migrate(connection, () => undefined);
mkdirSync(join(folder, 'files'));
const platform = await createPlatform({
  connection,
  filesFolder: join(folder, 'files'),
  cipher: cipherFromKeys(newKey()),
  clock: systemClock,
  log,
  supervise: false,
});
await loadFirst(platform, 'the-key-of-this-test');
platform.configuration.expire();
const worker = startWorker(platform, platform.queue);
const app = createServer(platform, pages);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
let stopped = false;
async function stop(): Promise<void> {
  if (stopped) return;
  stopped = true;
  await app.close();
  await worker.stop();
  await platform.stop();
  await embedded.stop();
}
after(stop);

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Makes a call; no answer, header or redirect may contain a planted SSN. */
async function call(
  method: string,
  path: string,
  body?: string | object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const textType = typeof body === 'string' && body.startsWith('<') ? 'text/xml' : 'application/x-www-form-urlencoded';
  const type = typeof body === 'object' ? 'application/json' : textType;
  const content = Buffer.from(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''));
  const response = await exchange(new URL(url + path), {
    method,
    headers: {
      accept: '*/*',
      'x-apikey': 'the-key-of-this-test',
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(content.length) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    body: body === undefined ? undefined : content,
  });
  const { text } = response;
  const found = clear(`${text} ${decodeURIComponent(JSON.stringify([...response.headers]))}`);
  assert.equal(found, undefined, `${method} ${path.slice(0, 60)} reveals ${found}`);
  return { status: response.status, text };
}

const post = (path: string, body: string | object, headers?: Record<string, string>): Promise<Answer> =>
  call('POST', path, body, headers);
const get = (path: string, headers?: Record<string, string>): Promise<Answer> => call('GET', path, undefined, headers);

function idOf(answer: Answer): number {
  assert.equal(answer.status, 200, answer.text);
  return Number(/"ContactID":(\d+)/.exec(answer.text)?.[1]);
}

test('KRN-21 SSNs saved in every way are returned masked in every output, summary and history, and found by search', async () => {
  const numbers = Array.from({ length: 60 }, plant);
  const ids: number[] = [];
  for (const [i, number] of numbers.entries()) {
    const USSSN = i % 2 === 0 ? number.plain : number.dashed;
    const body =
      [
        `LastName=L${i}&USSSN=${USSSN}`,
        { LastName: `L${i}`, USSSN },
        { LastName: `L${i}`, USSSN: Number(number.plain) },
        `<ContactItem><LastName>L${i}</LastName><USSSN>${USSSN}</USSSN></ContactItem>`,
      ][i % 4] ?? '';
    const answer = await post(
      '/api/contact/save?Output=Json',
      body,
      i % 5 === 0 ? { 'Idempotency-Key': `plant-${i}` } : {},
    );
    ids.push(idOf(answer));
    assert.match(answer.text, new RegExp(`"USSSN":"XXX-XX-${number.plain.slice(5)}"`));
  }
  for (const output of ['Xml', 'Json', 'JsonP', 'Csv'])
    assert.match((await get(`/api/contact/search?Output=${output}&DisplaySize=1000`)).text, /XXX-XX-\d{4}/);
  for (const [i, number] of numbers.slice(0, 12).entries()) {
    for (const sent of [number.plain, number.dashed])
      assert.equal(idOf(await post('/api/contact/search?Output=Json', { USSSN: sent })), ids[i]);
    for (const refused of [`not ${number.dashed}`, [number.plain, plain()]])
      assert.equal((await post('/api/contact/search', { USSSN: refused })).status, 400);
  }
  for (const id of ids.slice(0, 10)) {
    const next = plant();
    assert.match(
      (await post('/api/contact/update', `ID=${id}&USSSN=${next.dashed}`)).text,
      new RegExp(`XXX-XX-${next.plain.slice(5)}`),
    );
    await call('PATCH', `/api/contact/${id}`, { USSSN: plain(), Version: 1 });
    await call('PUT', `/api/contact/${id}`, { USSSN: plain() });
    for (const path of [
      `/api/contact/${id}`,
      `/api/contact/summary?ID=${id}`,
      `/api/contact/history?ID=${id}&Output=Json`,
    ])
      assert.equal((await get(path)).status, 200);
  }
  assert.equal((await post('/api/contact/update', `ID=${ids[0]}&USSSN=`)).status, 200);
  await call('DELETE', `/api/contact/${ids[1]}`);
  assert.equal((await get(`/api/contact/history?ID=${ids[1]}`)).status, 200);
  await post('/api/contact/save', `LastName=again&USSSN=${numbers[0]?.plain}`, { 'Idempotency-Key': 'plant-0' });
});

test('KRN-21 SSNs in nested children and linked records, and in queued calls that run, wait and fail, stay masked', async () => {
  const organization = await post('/api/organization/save?Output=Json', {
    Organization: 'Planted',
    Contacts: Array.from({ length: 12 }, (_, i) => ({ LastName: `N${i}`, USSSN: i % 2 === 0 ? dashed() : plain() })),
  });
  assert.equal(organization.status, 200, organization.text);
  await post(
    '/api/contact/save',
    `LastName=child&ParentContact_LastName=parent&ParentContact_USSSN=${plain()}&Contacts_0_LastName=x` +
      `&Contacts_0_USSSN=${dashed()}&Contacts_0_Contacts_0_USSSN=${dashed()}`,
  );
  const messages: string[] = [];
  const queue = async (body: object): Promise<void> => {
    const answer = await post('/api/contact/queue/save?Output=Json', body);
    assert.equal(answer.status, 202, answer.text);
    messages.push((JSON.parse(answer.text) as { QueueMessageID: string }).QueueMessageID);
  };
  for (let i = 0; i < 12; i++)
    await queue({ LastName: `Q${i}`, USSSN: dashed(), Contacts: [{ LastName: 'C', USSSN: plain() }] });
  for (let i = 0; i < 4; i++) await queue({ LastName: 'later', USSSN: dashed(), QueuedDate: '2099-01-01' });
  for (let i = 0; i < 4; i++) await queue({ ID: Number(plain()), LastName: 'no such contact' });
  await eventually('the queued calls ended', async () => {
    const states = await Promise.all(
      messages.map(
        async (id) => /"State":"(\w+)"/.exec((await get(`/api/queue/status?Output=Json&ID=${id}`)).text)?.[1],
      ),
    );
    return states.filter((s) => s === 'completed').length === 12 && states.filter((s) => s === 'dead').length === 4;
  });
  await get('/api/queue/search?DisplaySize=1000');
  assert.equal((await post('/api/contact/queue/save', { LastName: 'x', QueueLabel: dashed() })).status, 400);
});

test('KRN-21 an SSN in the wrong place of any operation is repeated in no error, and stored in no log and no table', async () => {
  const kinds = new Set(['id', 'idList', 'integer', 'boolean', 'date', 'timestamp', 'decimal', 'money']);
  const refused = new Set<number>();
  const ofName = Map.groupBy(platform.registry.operations(), ({ name }) => name);
  const turns = new Map<string, number>();
  for (const [turn, operation] of platform.registry.operations().entries()) {
    if (operation.body === 'raw') continue;
    // An operation that every record type has tries a third of its names per type; its code is shared.
    const isShared = (ofName.get(operation.name)?.length ?? 0) > platform.registry.records().length / 2;
    const isTried = (_: unknown, n: number): boolean => !isShared || n % 3 === turn % 3;
    const names = Object.entries(operation.params)
      .filter(([, field]) => kinds.has(field.kind) || field.values)
      .filter(isTried);
    const columns =
      operation.free === undefined || !operation.record
        ? []
        : [...new Set(operation.record.columns.values())]
            .filter(
              (c) =>
                !c.field.computed && (['boolean', 'date', 'timestamp', 'ssn'].includes(c.field.kind) || c.field.values),
            )
            .map((c) => c.name)
            .filter(isTried);
    const wrong = planted[planted.length % 50] ?? plain();
    const sent = `${wrong.slice(0, 3)}-${wrong.slice(3, 5)}-${wrong.slice(5)}`;
    const others = [
      () => post(`/api/${operation.route}`, `ID=${wrong}`),
      () => post(`/api/${operation.route}`, `${sent}=x&${wrong}=y`),
      () => get(`/api/${operation.route}/${sent}`),
      () => get(`/api/${operation.route}?Output=${sent}&callback=${sent}`),
    ];
    // Of these, it is sent one per type.
    const shift = turns.get(operation.name) ?? 0;
    turns.set(operation.name, shift + 1);
    await Promise.all([
      ...names.map(async ([name]) => refused.add((await post(`/api/${operation.route}`, `${name}=${sent}`)).status)),
      ...columns.map(async (name) =>
        refused.add((await post(`/api/${operation.route}`, `ID=${wrong}&${name}=${sent}x`)).status),
      ),
      ...others.filter((_, n) => !isShared || n === shift % others.length).map((send) => send()),
    ]);
  }
  assert.ok(refused.has(400));
  const sent = plant();
  for (const query of [
    'OrderBy',
    'SqlColumns',
    'Object',
    'RecordStart',
    'DisplaySize',
    'Template',
    'TemplateID',
    'SubscriberID',
    'Version',
    'NoSuchColumn',
  ])
    await get(`/api/contact/search?${query}=${sent.dashed}`);
  for (const query of [
    'USSSN=9174610',
    'USSSN=917-46-10x',
    'USSSN=917-46*',
    `USSSN="${sent.dashed}"`,
    `USSSN=>${sent.plain}`,
    `USSSN=${sent.plain}, ${sent.plain}`,
    `Contact=${sent.plain}`,
    `USSSN4=${sent.plain}`,
  ])
    for (const answer of [await get(`/api/contact/search?${query}`), await post('/api/contact/search', query)])
      if (query.startsWith('USSSN=')) assert.equal(answer.status, 400, answer.text);
  for (const path of [
    `/api/contact/${sent.plain}`,
    `/api/contact/${sent.dashed}`,
    `/api/${sent.dashed}/search`,
    `/api/contact/${sent.plain}/contact/search`,
    `/api/contact/select/${sent.plain}`,
    `/api/contact/queue/${sent.dashed}`,
  ])
    await get(path);
  await post('/api/contact/save', `{"USSSN": "${sent.dashed}", `, { 'Content-Type': 'application/json' });
  await post('/api/contact/save', `<ContactItem><USSSN>${sent.dashed}</USSSN></ContactItm>`);
  await post('/api/contact/save', `<n${sent.dashed}><x/></y>`);
  await post('/api/contact/save', `USSSN=%ZZ${sent.dashed}`);
  await post('/api/contact/save', { USSSN: { a: sent.dashed } });
  await post('/api/contact/save', { USSSN: [sent.dashed, sent.plain] });
  await post('/api/contact/save', `LastName=x&USSSN4=${sent.plain}`);
  await post('/api/contact/save', 'LastName=x', {
    'If-Match': sent.dashed,
    'X-Correlation-ID': `corr-${sent.dashed}`,
    'Idempotency-Key': sent.dashed,
  });
  await post('/api/contact/queue/save', `LastName=x&QueueName=${sent.dashed}`);
  await post('/api/contact/queue/save', `LastName=x&ScheduleName=${sent.dashed}`);
  await post('/api/person/save', `Person=planted&Roles=${sent.dashed}`);
  await get(`/api/contact/search?USSSN=${sent.dashed}`, {
    'X-ApiKey': '',
    Accept: 'text/html',
    'User-Agent': 'Mozilla/5.0',
  });
  await get(`/api/contact/search?USSSN=${sent.dashed}`, { 'X-ApiKey': sent.dashed });
  await get('/api/contact/search', {
    'X-ApiKey': '',
    Authorization: `Basic ${Buffer.from(`${sent.dashed}:${sent.dashed}`).toString('base64')}`,
  });
});

test('KRN-21 statements neither read SSNs nor store them: a parameter is compared, a literal is refused', async () => {
  assert.equal(
    (
      await post('/api/statement/save', {
        ClassName: 'Contact',
        Statement: 'ByNumber',
        Query:
          'select contact, usssn4 as n from contact where usssn4 = right({Number}, 4) or birthdate = {Number}::date',
      })
    ).status,
    200,
  );
  for (let i = 0; i < 10; i++) await post('/api/contact/bynumber', { Number: i % 2 === 0 ? plain() : dashed() });
  await post('/api/statement/save', {
    ClassName: 'Contact',
    Statement: 'ByCast',
    Query: `select contact
       from contact
       where contactid = {Number}::bigint and sequence = {Number}::integer and createddate > {Number}::timestamptz`,
  });
  for (let i = 0; i < 6; i++) await post('/api/contact/bycast', { Number: dashed() });
  for (const query of [
    `select contact from contact where usssn = '${dashed()}'`,
    `select contact from contact where contact = '${plain()}'`,
    `select '${dashed()}' as a`,
    `select usssncipher from contact where contact = '${plain()}'`,
    `select 1 as a -- ${dashed()}`,
    `select "${dashed()}" from contact`,
  ]) {
    assert.equal(
      (await post('/api/statement/save', { ClassName: 'Contact', Statement: 'WithLiteral', Query: query })).status,
      400,
      query.slice(0, 30),
    );
  }
});

test('KRN-21 no planted SSN is in clear text in any log line, table, or file of the data folder', async () => {
  while (planted.length < 200) await post('/api/contact/save', { LastName: CONTROL, USSSN: dashed() });
  assert.ok(planted.length >= 200);
  const tables = await platform.store.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name
     from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  assert.ok(tables.length > 20);
  let rowsSeen = 0;
  for (const { name } of tables) {
    for (const { row } of await platform.store.query<{ row: string }>(`select x::text as row from ${name} x`)) {
      rowsSeen++;
      assert.equal(clear(row), undefined, name);
      // Sealed values are hexadecimal there; an SSN in them would be readable as bytes.
      for (const bytes of row.matchAll(/\\x([0-9a-f]{10,})/g))
        assert.equal(clear(Buffer.from(bytes[1] ?? '', 'hex').toString('latin1')), undefined, name);
    }
  }
  assert.ok(rowsSeen > 300);
  for (const line of logged) assert.equal(clear(line), undefined, line.slice(0, 200));
  assert.ok(logged.some((line) => line.startsWith('call ')));
  await stop();
  let bytes = 0;
  let control = 0;
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path);
    if (!statSync(file).isFile()) continue;
    const content = readFileSync(file);
    bytes += content.length;
    if (content.includes(CONTROL)) control++;
    for (let at = content.indexOf('917'); at >= 0; at = content.indexOf('917', at + 1)) {
      const found = clear(content.subarray(at, at + 12).toString('latin1'));
      assert.equal(
        found,
        undefined,
        `${path}: ${found}, ${content.subarray(Math.max(0, at - 60), at + 20).toString('latin1')}`,
      );
    }
  }
  // The clear text next to the SSNs is found, so the search would also find an SSN.
  assert.ok(control > 1 && bytes > 10_000_000, `${control} files of ${bytes} bytes`);
});
