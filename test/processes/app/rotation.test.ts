import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createPlatform } from '../../../src/app/platform.ts';
import { openSecretKeys } from '../../../src/app/secret-key.ts';
import { keySource } from '../../../src/app/rotation/key-source.ts';
import { sealedStore } from '../../../src/app/rotation/reseal.ts';
import { rotate } from '../../../src/app/rotation/rotate.ts';
import { cipherFromKeys, keyIdOf, KeyRing, keysOf, newKey } from '../../../src/kernel/security/cipher.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { sealText, openText } from '../../../src/kernel/security/sealed-text.ts';
import { FIELDS_PURPOSE } from '../../../src/modules/documents/attachment/lib/upload-rows.ts';
import { openCall, openFailure, sealFailure, type Envelope } from '../../../src/surfaces/worker/envelope.ts';
import { startConnection } from '../../../src/app/start-connection.ts';
import { testDatabase, type TestDatabase } from '../../support/database.ts';
import { callDue, eventually } from '../../support/eventually.ts';
import { keyedPlatform, type KeyedPlatform } from '../../support/keyed-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const idOf = (key: string): string => keysOf(key)[0]?.id.toString('hex') ?? '';

describe('a key ring', () => {
  const [one, two, three] = [newKey(), newKey(), newKey()];

  it('seals with the first key or the named one, opens with all, and recognizes an equal value under each', () => {
    const old = cipherFromKeys(one);
    const both = new KeyRing(`${one}\n${two}`, keysOf(two)[0]?.id);
    assert.equal(keyIdOf(both.seal('p', 'x'))?.toString('hex'), idOf(two));
    assert.equal(both.open('p', old.seal('p', 'x')).toString(), 'x');
    assert.throws(() => old.open('p', both.seal('p', 'x')), /its key is not in the ring/);
    assert.throws(() => both.open('q', both.seal('p', 'x')), 'bound to its purpose');
    assert.ok(both.blindIndex('p', '1').equals(new KeyRing(two).blindIndex('p', '1')));
    assert.deepEqual(both.blindIndexes('p', '1'), [new KeyRing(two).blindIndex('p', '1'), old.blindIndex('p', '1')]);
  });

  it('is replaced whole or not at all, and still opens what running calls hold of a removed key', () => {
    const ring = new KeyRing(`${one}\n${two}`);
    const held = ring.seal('p', 'x');
    assert.throws(() => ring.replace('too short'), /too short/);
    assert.throws(() => ring.replace(' \n'), /empty/);
    assert.deepEqual(
      ring.ids().map((id) => id.toString('hex')),
      [idOf(one), idOf(two)],
    );
    ring.replace(three);
    assert.deepEqual(
      ring.ids().map((id) => id.toString('hex')),
      [idOf(three)],
    );
    assert.equal(ring.open('p', held).toString(), 'x');
    assert.equal(ring.blindIndexes('p', '1').length, 1, 'nothing is looked for under it any more');
  });

  it('refuses to seal when it cannot know which key seals, and resumes when it can', () => {
    const ring = new KeyRing(one);
    const sealed = ring.seal('p', 'x');
    ring.sealUntil(performance.now() - 1);
    assert.throws(() => ring.seal('p', 'x'), { code: 'UNAVAILABLE' });
    assert.equal(ring.open('p', sealed).toString(), 'x');
    ring.sealUntil(performance.now() + 60_000);
    ring.seal('p', 'x');
  });

  it('reports an old key as in use while work that began under it continues', async () => {
    const ring = new KeyRing(one);
    const ends = Promise.withResolvers<undefined>();
    const work = ring.whileSealing(() => ends.promise);
    const fails = ring.whileSealing(async () => {
      await ends.promise;
      throw new Error('failed');
    });
    ring.replace(`${one}\n${two}`, keysOf(two)[0]?.id);
    assert.equal(ring.oldestInUse().toString('hex'), idOf(one));
    ends.resolve(undefined);
    await Promise.allSettled([work, fails]);
    assert.equal(ring.oldestInUse().toString('hex'), idOf(two));
  });
});

/** Source files that seal stored values, each with the tables or files in which a rotation finds those values. */
const sealing: Readonly<Record<string, string>> = {
  'kernel/records/save/protect.ts': 'numbers, and their history',
  'kernel/door/idempotency.ts': 'answers',
  'kernel/security/sealed-text.ts': 'columns of sealed text: each table of them is a place of its own',
  'kernel/security/seal-stream.ts': 'stored files',
  'lib/saved-providers/provider-record.ts':
    'fileobject.secretaccesskey, password, privatekey, passphrase, secrets; ' +
    'mailoutbound.password, clientsecret, refreshtoken, signaturekey, secrets; mailinbound.password, secrets; ' +
    'paymentprovider.apikey, webhooksecret, secrets',
  'surfaces/worker/envelope.ts': 'queued calls and failures',
  'app/secret-key.ts': 'the check of the key',
  'modules/access/person/lib/known-devices.ts': 'cookies, which are not kept',
  'modules/documents/attachment/lib/upload-rows.ts': 'fields of uploads',
  'modules/documents/attachment/lib/stored-documents.ts': 'tokens, which are not kept',
  'modules/imports/importfilequeue/lib/add-rows.ts': 'importfilequeue.parameterxml',
  'modules/imports/importfilequeue/lib/correct-call.ts': 'importfilequeue.parameterxml',
  'modules/imports/importfile/lib/correct/stored-corrections.ts': 'importcorrection.changes',
  'modules/messages/lib/secure/reading-ticket.ts': 'tickets, which are not kept',
  'modules/messages/maildelivery/lib/mail-content.ts': 'maildelivery.content',
  'modules/contacts/organization/lib/lookup-code.ts': 'organizationlookup.code',
  'modules/rules/score/lib/sealed-value.ts': 'scoreitem.scoresealed',
  'modules/integrations/webhook/lib/check-webhook.ts': 'webhook.headers',
  'modules/integrations/webhook/lib/secret.ts': 'webhook.secret, webhook.previoussecret',
};

it('everything that seals values is known to the rotation', () => {
  const root = new URL('../../../src/', import.meta.url);
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') &&
      !path.startsWith('app/rotation/') &&
      path !== 'kernel/security/cipher.ts' &&
      /\bcipher\)?\.seal\(|\bsealText\(/.test(readFileSync(new URL(path, root), 'utf8')),
  );
  assert.deepEqual(
    found.sort(),
    Object.keys(sealing).sort(),
    'expected a place in src/app/rotation/sealed-tables.ts for what is sealed there, and the file in this list',
  );
});

/**
 * Sealed columns of mail and registration, each with the statement that inserts its row; `$1` is the sealed value. The
 * last is the table for which it is sealed, if that is another one.
 */
const sealedMail: readonly (readonly [table: string, column: string, insert: string, sealedFor?: string])[] = [
  ...['password', 'clientsecret', 'refreshtoken', 'signaturekey', 'secrets'].map(
    (column) =>
      [
        'mailoutbound',
        column,
        `insert into mailoutbound (mailoutbound, ${column}) values ('server ${column}', $1::text)`,
      ] as const,
  ),
  ...['password', 'secrets'].map(
    (column) =>
      [
        'mailinbound',
        column,
        `insert into mailinbound (mailinbound, ${column}) values ('mailbox ${column}', $1::text)`,
      ] as const,
  ),
  ...['apikey', 'webhooksecret', 'secrets'].map(
    (column) =>
      [
        'paymentprovider',
        column,
        `insert into paymentprovider (paymentprovider, ${column}) values ('gateway ${column}', $1::text)`,
      ] as const,
  ),
  ['mailcontent', 'content', 'insert into mailcontent (content) values ($1::text)', 'maildelivery'],
  [
    'organizationlookup',
    'code',
    `with made as (insert into contact (contact, recordclass) values ('o', 'Organization') returning contactid),
    own as (insert into organization (organizationid) select contactid from made returning organizationid)
    insert into organizationlookup (organizationid, codehash, code, createddate)
      select organizationid, '\\x00', $1::text, now()
      from own`,
  ],
];

interface Installation {
  readonly database: TestDatabase;
  readonly data: string;
  readonly files: string;
  node(data?: string, fromEnvironment?: string): Promise<KeyedPlatform>;
  rotate(options?: {
    data?: string;
    fromEnvironment?: string;
    rows?: number;
    onLine?: (line: string) => void;
  }): Promise<string>;
}

async function installation(t: TestContext): Promise<Installation> {
  const database = await testDatabase(t);
  const folder = temporaryFolder(t);
  const [data, files] = [join(folder, 'data'), join(folder, 'files')];
  const { host, port, user } = database;
  const connection = { host, port, user, database: database.database };
  return {
    database,
    data,
    files,
    node: (of = data, keysOfEnvironment) =>
      keyedPlatform(t, { database, dataFolder: of, filesFolder: files, keysOfEnvironment }),
    async rotate({ data: of = data, fromEnvironment, rows = 7, onLine } = {}) {
      const printed: string[] = [];
      const print = (line: string): void => {
        printed.push(line);
        onLine?.(line);
      };
      await rotate({
        connection,
        source: keySource(of, fromEnvironment),
        isExclusive: false,
        print,
        now: () => systemClock.now(),
        openSealedStore: async (ring) =>
          sealedStore(
            await createPlatform({
              connection,
              filesFolder: files,
              cipher: ring,
              clock: systemClock,
              log: silentLog,
              supervise: false,
              connectionsMax: 2,
            }),
            ring,
            { rows, print },
          ),
      });
      return printed.join('\n');
    },
  };
}

const numberOf = (n: number): string => `9${String(20_000_000 + n).slice(-8)}`;

async function json(answer: Response | Promise<Response>): Promise<Record<string, unknown>> {
  const { status } = await answer;
  const text = await (await answer).text();
  assert.ok(status === 200 || status === 202, `${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function found(node: KeyedPlatform, number: string): Promise<number[]> {
  const answer = await json(node.call('/api/contact/search?Output=Json', { USSSN: number }));
  const items =
    (answer['ContactCollection'] as { ContactItem?: { ContactID: number }[] } | undefined)?.ContactItem ?? [];
  return items.map((item) => item.ContactID);
}

/** What was put into the store before a rotation, one of each kind that is sealed. */
interface Sealed {
  readonly contacts: ReadonlyMap<string, number>;
  readonly deleted: { readonly id: number; readonly number: string };
  readonly storedRows: { readonly key: string; readonly body: object; readonly answer: string };
  readonly messageId: string;
  readonly documentId: number;
}

const DOCUMENT = 'the words of a sealed document '.repeat(9_000);

async function fill(node: KeyedPlatform, contacts: number): Promise<Sealed> {
  const made = new Map<string, number>();
  for (let n = 0; n < contacts; n++)
    made.set(
      numberOf(n),
      Number(
        (await json(node.call('/api/contact/save?Output=Json', { LastName: `R${n}`, USSSN: numberOf(n) })))[
          'ContactID'
        ],
      ),
    );
  const changed = made.get(numberOf(1));
  await json(node.call('/api/contact/save?Output=Json', { ID: changed, USSSN: numberOf(1_001) }));
  await json(node.call('/api/contact/save?Output=Json', { ID: changed, USSSN: numberOf(1) }));
  const deletedNumber = numberOf(2_000);
  const deleted = Number(
    (await json(node.call('/api/contact/save?Output=Json', { LastName: 'Deleted', USSSN: deletedNumber })))[
      'ContactID'
    ],
  );
  await json(node.call('/api/contact/delete?Output=Json', { ID: deleted }));
  const storedRows = { key: 'kept answer', body: { LastName: 'Kept' } };
  const answer = await (
    await node.call('/api/contact/save?Output=Json', storedRows.body, { 'Idempotency-Key': storedRows.key })
  ).text();
  const messageId = String(
    (await json(node.call('/api/contact/queue/save?Output=Json', { LastName: 'Queued', USSSN: numberOf(3_000) })))[
      'QueueMessageID'
    ],
  );
  const { store, cipher, documents } = node.platform;
  const failure = JSON.stringify({
    code: 'RULE_EXCEPTION',
    sealed: sealFailure(cipher, { message: 'words of a failure', alerts: [] }),
  });
  await store.query(
    'update pgboss.job set output = $2::text::jsonb, source_output = $2::text::jsonb where id = $1::text::uuid',
    [messageId, failure],
  );
  const staged = await documents.stage(
    (async function* () {
      yield Buffer.from(DOCUMENT);
    })(),
    { fileName: 'sealed.txt', sealed: true },
  );
  const documentId = Number(
    (await json(node.call('/api/attachment/save?Output=Json', { FileName: 'sealed.txt', Staged: staged.token })))[
      'AttachmentID'
    ],
  );
  for (const [table, column, insert, sealedFor = table] of sealedMail)
    await store.query(insert, [sealText(cipher, sealedFor, column, `${table} ${column}`)]);
  await store.query(
    `insert into webhook (webhook, url, events, secret, previoussecret, headers)
     values ('w', 'https://example.test/', 'Loan.update', $1::text, $2::text, $3::text)`,
    [
      sealText(cipher, 'webhook', 'secret', 'now'),
      sealText(cipher, 'webhook', 'secret', 'before'),
      sealText(cipher, 'webhook', 'headers', 'h'),
    ],
  );
  await store.query(
    `with s as (insert into score (score) values ('s') returning scoreid)
     insert into scoreitem (scoreid, scoresealed) select scoreid, $1::text from s`,
    [sealText(cipher, 'scoreitem', 'scoresealed', 'masked')],
  );
  await store.query(
    "insert into importfilequeue (classname, operation, parameterxml) values ('Contact', 'Save', $1::text)",
    [sealText(cipher, 'importfilequeue', 'parameterxml', '<Parameters/>')],
  );
  await json(
    fetch(`${node.url}/api/attachment/uploadchunk?Output=Json&Description=half`, {
      method: 'POST',
      headers: {
        ...node.headers,
        'Content-Type': 'application/octet-stream',
        'X-File-Name': 'half.bin',
        'X-File-Size': '10',
      },
      body: 'half',
    }),
  );
  return {
    contacts: made,
    deleted: { id: deleted, number: deletedNumber },
    storedRows: { ...storedRows, answer },
    messageId,
    documentId,
  };
}

/** Returns every table and column that holds a value sealed with the key: its five leading bytes, raw or as text. */
async function tracesOf(node: KeyedPlatform, key: string): Promise<string[]> {
  const { store } = node.platform;
  const head = Buffer.from(`01${idOf(key)}`, 'hex');
  const columns = await store.query<{ table: string; column: string; type: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(a.attname) as column,
      format_type(a.atttypid, null) as type
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname in ('public', 'pgboss') and c.relkind = 'r'
       and format_type(a.atttypid, null) in ('bytea', 'text', 'character varying', 'json', 'jsonb', 'bytea[]')`,
  );
  const traces: string[] = [];
  for (const { table, column, type } of columns) {
    const condition =
      type === 'bytea'
        ? `position($1::bytea in ${column}) > 0 and $2::text <> $3::text`
        : `position($1::bytea in convert_to(${column}::text, 'UTF8')) > 0
           or ${column}::text like '%' || $2::text || '%'
           or ${column}::text like '%' || $3::text || '%'`;
    const [row] = await store.query<{ n: number }>(`select count(*)::integer as n from ${table} where ${condition}`, [
      head,
      head.toString('hex'),
      head.toString('base64').slice(0, 6),
    ]);
    if ((row?.n ?? 0) > 0) traces.push(`${table}.${column}`);
  }
  return traces;
}

function filesUnder(folder: string, key: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        readFileSync(join(entry.parentPath, entry.name)).includes(Buffer.from(`01${idOf(key)}`, 'hex')),
    )
    .map((entry) => entry.name);
}

async function verifySealedMail({ platform: { store, cipher } }: KeyedPlatform): Promise<void> {
  for (const [table, column, , sealedFor = table] of sealedMail) {
    const rows = await store.query<{ sealed: string }>(
      `select ${column} as sealed from ${table} where ${column} is not null`,
    );
    assert.deepEqual(
      rows.map(({ sealed }) => openText(cipher, sealedFor, column, sealed)),
      [`${table} ${column}`],
    );
  }
}

async function verifyAll(node: KeyedPlatform, of: Sealed): Promise<void> {
  for (const [number, id] of of.contacts) assert.deepEqual(await found(node, number), [id], `by its number ${number}`);
  const { store, cipher } = node.platform;
  const again = await node.call('/api/contact/save?Output=Json', of.storedRows.body, {
    'Idempotency-Key': of.storedRows.key,
  });
  assert.equal(await again.text(), of.storedRows.answer);
  const [job] = await store.query<{ data: Envelope; output: { sealed: string }; source: { sealed: string } }>(
    'select data, output, source_output as source from pgboss.job where id = $1::text::uuid',
    [of.messageId],
  );
  assert.ok(job);
  assert.equal(openCall(cipher, job.data).parameters['USSSN'], numberOf(3_000));
  assert.deepEqual(
    [openFailure(cipher, job.output.sealed).message, openFailure(cipher, job.source.sealed).message],
    ['words of a failure', 'words of a failure'],
  );
  assert.equal(await (await node.call(`/api/attachment/download?ID=${of.documentId}`)).text(), DOCUMENT);
  const [row] = await store.query<{ parameterxml: string }>('select parameterxml from importfilequeue');
  assert.equal(openText(cipher, 'importfilequeue', 'parameterxml', row?.parameterxml ?? ''), '<Parameters/>');
  const [item] = await store.query<{ sealed: string }>('select scoresealed as sealed from scoreitem');
  assert.equal(openText(cipher, 'scoreitem', 'scoresealed', item?.sealed ?? ''), 'masked');
  await verifySealedMail(node);
  const [webhook] = await store.query<Record<string, string>>('select secret, previoussecret, headers from webhook');
  assert.deepEqual(
    [
      openText(cipher, 'webhook', 'secret', webhook?.['secret'] ?? ''),
      openText(cipher, 'webhook', 'secret', webhook?.['previoussecret'] ?? ''),
      openText(cipher, 'webhook', 'headers', webhook?.['headers'] ?? ''),
    ],
    ['now', 'before', 'h'],
  );
  const [upload] = await store.query<{ fields: Uint8Array }>('select fields from upload');
  assert.match(cipher.open(FIELDS_PURPOSE, upload?.fields ?? Buffer.alloc(0)).toString(), /"half"/);
}

describe('a rotation', () => {
  it(
    'KRN-21 while two nodes serve: every SSN can be found throughout, everything opens under the new key alone, ' +
      'nothing is sealed under the old, and no record has changed',
    { timeout: 120_000 },
    async (t) => {
      const on = await installation(t);
      const [first, second] = [await on.node(), await on.node()];
      const of = await fill(first, 40);
      const old = readFileSync(join(on.data, 'secret.key'), 'utf8').trim();
      assert.ok((await tracesOf(first, old)).length >= 9, 'the search for traces finds them');
      const { store } = first.platform;
      const standing = () =>
        store.query(
          `select contactid, version, updateddate, updatedpersonid
           from contact
           where contactid = any($1::bigint[])
           order by 1`,
          [`{${[...of.contacts.values()].join(',')}}`],
        );
      const history = async () =>
        (
          await store.query<{ n: number }>(
            "select count(*)::integer as n from history where tablename <> 'contact' or recordid = any($1::bigint[])",
            [`{${[...of.contacts.values()].join(',')}}`],
          )
        )[0]?.n;
      const before = [await standing(), await history()];
      let rotating = true;
      let searches = 0;
      const searching = Promise.all(
        [first, second].map(async (node, n) => {
          const numbers = [...of.contacts];
          for (let at = n; rotating || at < numbers.length; at++) {
            const [number = '', id] = numbers[at % numbers.length] ?? [];
            assert.deepEqual(await found(node, number), [id]);
            searches++;
            await callDue(() => !rotating);
          }
        }),
      );
      const saved: [string, number][] = [];
      const saving = (async () => {
        for (let n = 5_000; rotating; n++) {
          const node = n % 2 === 0 ? first : second;
          saved.push([
            numberOf(n),
            Number(
              (await json(node.call('/api/contact/save?Output=Json', { LastName: `N${n}`, USSSN: numberOf(n) })))[
                'ContactID'
              ],
            ),
          ]);
          await callDue(() => !rotating);
        }
      })();
      const printed = await on.rotate().finally(() => (rotating = false));
      await Promise.all([searching, saving]);
      assert.ok(searches > 40 && saved.length > 2, `${searches} searches and ${saved.length} saves`);
      assert.match(
        printed,
        new RegExp(
          [
            String.raw`numbers of contact: 7 of \d+ resealed`,
            String.raw`numbers of contact in history: \d+ of `,
            String.raw`stored files: \d+ resealed`,
            'done: everything is sealed',
          ].join(String.raw`[\s\S]*`),
        ),
      );
      assert.deepEqual([await standing(), await history()], before, 'versions, dates and history are as they were');
      const ids = readFileSync(join(on.data, 'secret.key'), 'utf8').trim();
      assert.notEqual(ids, old);
      assert.equal(ids.split('\n').length, 1);
      const retired = readdirSync(on.data).find((name) => name.startsWith('secret.key.retired-'));
      assert.equal(readFileSync(join(on.data, retired ?? ''), 'utf8'), `${old}\n`);
      assert.deepEqual(await tracesOf(first, old), []);
      assert.deepEqual(filesUnder(on.files, old), []);
      // Nodes that begin now have never seen the old key; those that served all along have dropped it.
      const third = await on.node();
      await eventually('the old key is forgotten', () =>
        [first, second].every((node) => node.keys.cipher.ids().length === 1),
      );
      for (const node of [third, second]) await verifyAll(node, of);
      for (const [number, id] of saved) assert.deepEqual(await found(third, number), [id]);
      await json(third.call('/api/contact/undelete?Output=Json', { ID: of.deleted.id }));
      assert.deepEqual(
        await found(third, of.deleted.number),
        [of.deleted.id],
        'what history brings back is found by its number',
      );
      const log = await store.query<{ event: string }>(
        "select securitylog as event from securitylog where object = 'SecretKey' order by securitylogid",
      );
      assert.deepEqual(
        log.map((row) => row.event),
        ['SecretKeyAnnounced', 'SecretKeySeals', 'SecretKeyRetired'],
      );
      await on.rotate();
      await verifyAll(third, of);
    },
  );

  it(
    'waits for a process that does not know the new key, seals nothing with it until then, and goes on when it does',
    { timeout: 60_000 },
    async (t) => {
      const on = await installation(t);
      const first = await on.node();
      const elsewhere = join(on.data, '../elsewhere');
      mkdirSync(elsewhere);
      cpSync(join(on.data, 'secret.key'), join(elsewhere, 'secret.key'));
      const second = await on.node(elsewhere);
      const waits = Promise.withResolvers<undefined>();
      const rotating = on.rotate({
        onLine: (line) => {
          if (line.startsWith('waiting until every process knows')) waits.resolve(undefined);
        },
      });
      await waits.promise;
      await eventually('the first knows it', () => first.keys.cipher.ids().length === 2);
      const old = second.keys.cipher.sealing;
      assert.ok(first.keys.cipher.sealing.equals(old), 'nobody seals with it yet');
      const { ContactID } = await json(
        first.call('/api/contact/save?Output=Json', { LastName: 'Waits', USSSN: numberOf(1) }),
      );
      assert.deepEqual(await found(second, numberOf(1)), [ContactID]);
      cpSync(join(on.data, 'secret.key'), join(elsewhere, 'secret.key'));
      await rotating;
      assert.deepEqual([await found(first, numberOf(1)), await found(second, numberOf(1))], [[ContactID], [ContactID]]);
      assert.ok(!second.keys.cipher.sealing.equals(old));
    },
  );

  it('waits for a file that is being written under the old key', { timeout: 60_000 }, async (t) => {
    const on = await installation(t);
    const node = await on.node();
    const old = readFileSync(join(on.data, 'secret.key'), 'utf8').trim();
    const slow = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const staging = node.platform.documents.stage(
      (async function* () {
        yield Buffer.alloc(200_000, 'a');
        begun.resolve(undefined);
        await slow.promise;
        yield Buffer.alloc(200_000, 'b');
      })(),
      { fileName: 'slow.txt', sealed: true },
    );
    await begun.promise;
    const waits = Promise.withResolvers<undefined>();
    let ended = false;
    const rotating = on
      .rotate({
        onLine: (line) => {
          if (line.startsWith('waiting until every process seals')) waits.resolve(undefined);
        },
      })
      .finally(() => (ended = true));
    await waits.promise;
    await eventually('the node seals with the new key', () => node.keys.cipher.sealing.toString('hex') !== idOf(old));
    assert.equal(ended, false);
    slow.resolve(undefined);
    const staged = await staging;
    await rotating;
    assert.deepEqual(filesUnder(on.files, old), []);
    const { AttachmentID } = await json(
      node.call('/api/attachment/save?Output=Json', { FileName: 'slow.txt', Staged: staged.token }),
    );
    assert.equal(
      (await (await node.call(`/api/attachment/download?ID=${AttachmentID}`)).text()).length,
      400_000,
      'what was staged before is saved after',
    );
  });

  it('two at once: the second is refused and changes nothing', async (t) => {
    const on = await installation(t);
    await on.node();
    const key = readFileSync(join(on.data, 'secret.key'), 'utf8');
    const { host, port, user, database } = on.database;
    const other = startConnection({ host, port, user, database }, { name: 'another rotation' });
    await other`select pg_advisory_lock(7322098)`;
    await assert.rejects(on.rotate(), /another rotation of this store is running\. Nothing was changed/);
    assert.equal(readFileSync(join(on.data, 'secret.key'), 'utf8'), key);
    await other.end();
    const ends = await Promise.allSettled([on.rotate(), on.rotate()]);
    assert.ok(ends.some((end) => end.status === 'fulfilled'));
    for (const end of ends)
      if (end.status === 'rejected') assert.match(String(end.reason), /another rotation of this store is running/);
  });

  it(
    'keys of the environment: the last is the new one, and what is missing is reported',
    { timeout: 60_000 },
    async (t) => {
      const on = await installation(t);
      const [one, two] = [newKey(), newKey()];
      const before = await on.node(on.data, one);
      const { ContactID } = await json(
        before.call('/api/contact/save?Output=Json', { LastName: 'E', USSSN: numberOf(1) }),
      );
      await assert.rejects(
        on.rotate({ fromEnvironment: one }),
        new RegExp(
          'CASEWRIGHT_SECRET_KEY contains no new key: its last key, [0-9a-f]{8}, ' +
            String.raw`is already in use\. Append a new key after a comma`,
        ),
      );
      await before.stop();
      const both = await on.node(on.data, `${one},${two}`);
      assert.equal(both.keys.cipher.sealing.toString('hex'), idOf(one));
      assert.match(
        await on.rotate({ fromEnvironment: `${one},${two}` }),
        /remove them from CASEWRIGHT_SECRET_KEY when you next restart/,
      );
      await eventually('it seals with the new key', () => both.keys.cipher.sealing.toString('hex') === idOf(two));
      await both.stop();
      const again = await on.node(on.data, `${one},${two}`);
      assert.equal(again.keys.cipher.sealing.toString('hex'), idOf(two), 'the store remembers which key seals');
      await again.stop();
      const alone = await on.node(on.data, two);
      assert.deepEqual(await found(alone, numberOf(1)), [ContactID]);
      assert.equal(existsSync(join(on.data, 'secret.key')), false);
      await assert.rejects(on.node(on.data, one), /is not the key of this store/);
    },
  );

  it('a start without one of the keys that a rotation needs is refused by its name', async (t) => {
    const on = await installation(t);
    const node = await on.node();
    const { host, port, user, database } = on.database;
    const connection = { host, port, user, database };
    const one = readFileSync(join(on.data, 'secret.key'), 'utf8').trim();
    const two = newKey();
    await node.stop();
    const sql = startConnection(connection, { name: 'test' });
    await sql`insert into secretkeyrotation (phase, newkey, currentkey, oldkeys)
      values ('sealing', ${Buffer.from(idOf(two), 'hex')}, ${Buffer.from(idOf(one), 'hex')},
      array[decode(${idOf(one)}, 'hex')])`;
    await sql.end();
    await assert.rejects(
      openSecretKeys(connection, on.data, undefined, silentLog),
      new RegExp(`lacks the key ${idOf(two)}: the keys of this store are being rotated`),
    );
    await assert.rejects(on.rotate(), new RegExp(`lacks the key ${idOf(two)}, which the interrupted rotation needs`));
    writeFileSync(join(on.data, 'secret.key'), `${one}\n${two}\n`);
    await on.rotate();
    assert.equal(readFileSync(join(on.data, 'secret.key'), 'utf8'), `${two}\n`);
  });

  it(
    'a value that does not open keeps the old key in use, and is named; everything else is resealed',
    { timeout: 60_000 },
    async (t) => {
      const on = await installation(t);
      const node = await on.node();
      const of = await fill(node, 3);
      const id = of.contacts.get(numberOf(2));
      await node.platform.store.query(
        `update contact
         set usssncipher = set_byte(usssncipher, 30, get_byte(usssncipher, 30) # 1)
         where contactid = $1::bigint`,
        [id],
      );
      await assert.rejects(
        on.rotate(),
        new RegExp(
          `1 sealed values are damaged: their key does not open them: ` +
            `numbers of contact \\[${id}\\]\\. .*the old key stays in use`,
        ),
      );
      assert.equal(readFileSync(join(on.data, 'secret.key'), 'utf8').trim().split('\n').length, 2);
      assert.deepEqual(await found(node, numberOf(0)), [of.contacts.get(numberOf(0))]);
      await json(node.call('/api/contact/save?Output=Json', { ID: id, USSSN: null }));
      await json(node.call('/api/contact/save?Output=Json', { ID: id, USSSN: numberOf(2) }));
      await node.platform.store.query(
        `update history
         set old = old - 'usssncipher' - 'usssnindex'
         where tablename = 'contact' and recordid = $1::bigint`,
        [id],
      );
      await on.rotate();
      await verifyAll(node, of);
    },
  );

  it('saving the same number again while there are two keys is no change; another number is', async (t) => {
    const on = await installation(t);
    const one = newKey();
    const before = await on.node(on.data, one);
    const { ContactID } = await json(
      before.call('/api/contact/save?Output=Json', { LastName: 'Same', USSSN: numberOf(1) }),
    );
    await before.stop();
    const node = await on.node(on.data, `${newKey()},${one}`);
    const storedRows = async () =>
      (
        await node.platform.store.query<{ old: Record<string, unknown> }>(
          "select old from history where tablename = 'contact' and recordid = $1::bigint and old ? 'usssncipher'",
          [ContactID],
        )
      ).length;
    await json(node.call('/api/contact/save?Output=Json', { ID: ContactID, USSSN: numberOf(1), FirstName: 'Changed' }));
    assert.equal(await storedRows(), 0);
    await json(node.call('/api/contact/save?Output=Json', { ID: ContactID, USSSN: numberOf(2) }));
    assert.equal(await storedRows(), 1);
    assert.deepEqual([await found(node, numberOf(1)), await found(node, numberOf(2))], [[], [ContactID]]);
  });
});
