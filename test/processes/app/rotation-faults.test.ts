import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cipherFromKeys, keyIdOf, keysOf } from '../../../src/kernel/security/cipher.ts';
import { startDb, runDb } from '../../support/processes/db-tool.ts';
import { callDue, eventually } from '../../support/eventually.ts';
import { seeded } from '../../support/processes/kill.ts';
import { call, startServerProcess, type ServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';
import { withEmbedded } from '../../support/processes/store-workload.ts';

/** `npm run soak -- rotation` kills more often. */
const KILLS = Number(process.env['CASEWRIGHT_TEST_ROTATION_KILLS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_123);
const CONTACTS = 400;
/** Between two searches: some twenty in a second meet every step of a rotation, and leave it the processor. */
const SEARCH_PAUSE_MILLISECONDS = 40;
const ROWS = 40;

const numberOf = (n: number): string => `9${String(30_000_000 + n).slice(-8)}`;

/** Contacts as the server stores them, sealed with its own key, all at once. */
async function plant(data: string): Promise<void> {
  const ring = cipherFromKeys(readFileSync(join(data, 'secret.key'), 'utf8'));
  const rows = Array.from({ length: CONTACTS }, (_, n) => ({
    name: `S${n}`,
    cipher: ring.seal('contact.usssn', numberOf(n)).toString('hex'),
    index: ring.blindIndex('contact.usssn', numberOf(n)).toString('hex'),
    last: numberOf(n).slice(-4),
  }));
  await withEmbedded(data, async (sql) => {
    await sql`insert into setting (setting, value) values ('NumberSearchesPerHour', '10000')`;
    await sql`insert into contact (contact, lastname, recordclass, usssncipher, usssnindex, usssn4)
      select name, name, 'Contact', decode(cipher, 'hex'), decode(index, 'hex'), last
        from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
          as r(name text, cipher text, index text, last text)`;
    // Each third was changed once: its history has the number too.
    await sql`update contact
      set usssncipher = usssncipher || ''::bytea, usssn4 = 'once', version = version + 1
      where contactid % 3 = 0`;
    await sql`insert into history (tablename, recordid, change, version, old)
      select 'contact', contactid, 'update', 1,
        jsonb_build_object('usssncipher', usssncipher, 'usssnindex', usssnindex)
      from contact
      where contactid % 3 = 0 and usssncipher is not null`;
  });
}

/** Searches for numbers until it is stopped; each must be found, once, at every moment. */
function search(server: () => ServerProcess): { stop(): Promise<number> } {
  let running = true;
  const searching = (async () => {
    let found = 0;
    for (let n = 0; running; n = (n + 7) % CONTACTS) {
      const answer = await call(server().url, '/api/contact/search?Output=Json', `USSSN=${numberOf(n)}`)
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => undefined);
      // The server itself was killed, or is just starting.
      if (answer === undefined || answer.status === 503) {
        await eventually(
          'the server is back',
          async () => (await fetch(`${server().url}/api/healthcheck`)).ok,
          120_000,
        );
        continue;
      }
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text.split('"ContactID"').length, 2, `${numberOf(n)}: ${answer.text.slice(0, 200)}`);
      found++;
      await callDue(() => !running, SEARCH_PAUSE_MILLISECONDS);
    }
    return found;
  })();
  searching.catch(() => undefined);
  return {
    stop: () => {
      running = false;
      return searching;
    },
  };
}

/** Verifies what the store contains and under which key. */
async function verify(data: string): Promise<void> {
  const text = readFileSync(join(data, 'secret.key'), 'utf8');
  const keys = keysOf(text);
  assert.equal(keys.length, 1, 'the key file has the new key alone');
  const ring = cipherFromKeys(text);
  await withEmbedded(data, async (sql) => {
    const rows = await sql<
      { name: string; cipher: Uint8Array; index: Uint8Array; version: number; last: string }[]
    >`select lastname as name, usssncipher as cipher, usssnindex as index, version, usssn4 as last
      from contact
      where lastname ~ '^S[0-9]+$' collate "C"`;
    assert.equal(rows.length, CONTACTS);
    for (const { name, cipher, index, version, last } of rows) {
      const number = numberOf(Number(name.slice(1)));
      assert.ok(keyIdOf(cipher)?.equals(keys[0]?.id ?? Buffer.alloc(0)));
      assert.equal(ring.open('contact.usssn', cipher).toString(), number);
      assert.ok(ring.blindIndex('contact.usssn', number).equals(index));
      assert.equal(version, last === 'once' ? 2 : 1, 'no version was raised');
    }
    const history = await sql<
      { old: { usssncipher?: string } }[]
    >`select old from history where tablename = 'contact' and old ? 'usssncipher'`;
    for (const { old } of history)
      assert.ok(keyIdOf(Buffer.from(String(old.usssncipher).slice(2), 'hex'))?.equals(keys[0]?.id ?? Buffer.alloc(0)));
    const [noise] = await sql<
      { n: number }[]
    >`select count(*)::integer as n from history where tablename = 'contact' and callid like 'rotation%'`;
    assert.equal(noise?.n, 0);
    const [rotation] = await sql`select phase from secretkeyrotation`;
    assert.equal(rotation?.['phase'], 'done');
  });
}

test(
  'KRN-21 a rotation killed at any moment, together with the server, ends with everything under the new key; ' +
    'SSNs can be found throughout',
  { timeout: KILLS * 60_000 + 240_000 },
  async (t) => {
    const data = await startedDataFolder(t);
    const env = { CASEWRIGHT_DATA: data };
    const start = () => startServerProcess(t, { env: { ...env, CASEWRIGHT_LOG_LEVEL: 'error' } });
    let server = await start();
    await plant(data);
    const searching = search(() => server);
    const random = seeded(SEED);
    const rotation = ['rotate', '--rows', String(ROWS)];
    const killed: string[] = [];
    /** Kills the tool once it has said so many lines of a kind, so many milliseconds later. */
    const killAfter = async (words: RegExp, milliseconds = 0, lines = 1): Promise<void> => {
      let last = '';
      let printed = 0;
      const tool = startDb(t, rotation, {
        env,
        onLine(line, running) {
          last = line;
          if (words.test(line) && ++printed === lines) setTimeout(() => running.signal('SIGKILL'), milliseconds);
        },
      });
      const how = await tool.ended;
      assert.ok(how === 'SIGKILL' || how === 0, `${how}: ${tool.error()}`);
      killed.push(`${how === 0 ? 'done' : 'killed'} behind "${last.slice(0, 50)}"`);
    };
    await killAfter(/^a new key/);
    await killAfter(/^every process seals/);
    for (let n = 0; n < KILLS; n++)
      await killAfter(/resealed/, Math.floor(random() * 30), 1 + Math.floor(random() * 3));
    // The database stops with its server; the tool gets an error, and the next one continues.
    const cut = startDb(t, rotation, {
      env,
      onLine: (line) => /numbers of contact|done/.test(line) && server.signal('SIGKILL'),
    });
    await Promise.all([cut.ended, Promise.race([server.ended, cut.ended])]);
    server.signal('SIGKILL');
    await server.ended;
    server = await start();
    await killAfter(/^the old keys are no longer needed/);
    await runDb(t, rotation, { env });
    const found = await searching.stop();
    assert.ok(found > 20, `only ${found} searches`);
    t.diagnostic(`${found} searches; ${killed.join('; ')}; seed ${SEED}`);
    await verify(data);
    for (let n = 0; n < CONTACTS; n += 13)
      assert.match(
        await (await call(server.url, '/api/contact/search?Output=Json', `USSSN=${numberOf(n)}`)).text(),
        new RegExp(`"LastName":"S${n}"`),
      );
    assert.equal(await server.stop(), 0);
  },
);
