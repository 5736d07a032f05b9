import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { newHostKey } from '../../../src/app/sftp-host-keys.ts';
import { serveSftp } from '../../../src/app/sftp.ts';
import { systemClock, type Clock } from '../../../src/kernel/time/clock.ts';
import { fileNamePatterns, fitsFileName } from '../../../src/kernel/documents/file-names.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { foreclosure } from '../../support/imports/referrals.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { connectRaw } from '../../support/peers/sftp-raw.ts';
import { testSession } from '../../support/pages/session.ts';
import { rowsOf as rowsIn } from '../../support/client.ts';
import { testSftp, type TestAccount } from '../../support/peers/sftp-server.ts';

/** The real time plus an offset that tests can advance. */
let ahead = 0;
const clock: Clock = {
  milliseconds: () => systemClock.milliseconds() + ahead,
  now: () => new Date(systemClock.milliseconds() + ahead).toISOString(),
};
const s = await testSftp({ after }, { clock });
const { p } = s;

const REFERRALS = { Template: 'Foreclosure', FileNames: '*Referral*.xml' };

interface Imported {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly organizationId: number | null;
  readonly personId: number;
  readonly hash: string | null;
}

async function imports(account: TestAccount): Promise<readonly Imported[]> {
  return (
    await p.platform.store.query<Imported & Record<string, unknown>>(
      `select f.importfileid as id, f.importfile as name, f.status, f.organizationid as "organizationId",
       f.createdpersonid as "personId", a.filehash as hash
       from importfile f left join attachment a on a.attachmentid = f.pretransformid
       where f.createdpersonid = $1::bigint
       order by 1`,
      [account.firm.personId],
    )
  ).map((row) => ({ ...row }));
}

const rowsOf = (account: TestAccount) =>
  p.platform.store.query<{ state: string; path: string | null; filename: string }>(
    'select state, path, filename from sftpfile where sftpaccountid = $1::bigint order by sftpfileid',
    [account.id],
  );

async function put(account: TestAccount, name: string, text: string): Promise<void> {
  const raw = await connectRaw(account.peer);
  await raw.write(name, text);
  raw.end();
}

const imported = (account: TestAccount, count: number) =>
  eventually(`${count} files are imported`, async () => {
    const found = await imports(account);
    return found.length === count && (await rowsOf(account)).length === 0 ? found : undefined;
  });

/** What the firm, another firm and the operator see of three files that stay, and of the one that another firm sent. */
async function resultsAreSeen(on: TestAccount): Promise<void> {
  const seen = async (caller: { get: typeof p.admin.get }): Promise<readonly string[]> => {
    const answer = await caller.get('/api/sftpaccount/files?Output=Json');
    assert.equal(answer.status, 200, answer.text);
    const rows = rowsIn(answer.json());
    return rows.map((row) => [row['FileName'], row['State'], row['Reason']].map(String).join('; ')).sort();
  };
  const left = ['Referral.xlsx', 'monday-referral.xml', 'notes.txt'].map(
    (name) => `${name}; Not imported; its name fits none of the patterns`,
  );
  assert.deepEqual(await seen(on.firm.caller), left);
  assert.deepEqual(await seen(p.admin), left);
  const other = await p.firm('Firm that sends nothing');
  assert.deepEqual(await seen(other.caller), []);
  const days = await p.admin.get('/api/sftpaccount/received?Output=Json');
  assert.match(days.text, /"Organization":"Firm of sender"[^}]*"Files":1,"Failed":0,"Open":0/);
  assert.equal((await (await p.user('plain staff', 'Staff')).caller.get('/api/sftpaccount/files')).status, 403);
  const firmPage = (await (await testSession(p, 'user of Firm of other')).get('/imports/sftp')).text;
  assert.match(firmPage, /notes\.txt[\s\S]*Not imported[\s\S]*its name fits none[\s\S]*send it again, or rename it/);
  assert.doesNotMatch(firmPage, /Monday-Referral|The last 7 days/);
  await p.user('operator', 'Administrator');
  const operatorPage = (await (await testSession(p, 'operator')).get('/imports/sftp')).text;
  assert.match(operatorPage, /The last 7 days[\s\S]*Firm of sender[\s\S]*Monday-Referral\.xml/);
}

describe('files left in a home folder', () => {
  test("EVT-07 EVT-11 a matching file becomes an import file of the account's firm, with its sealed document, and is removed from the home folder", async () => {
    const on = await s.account('sender', REFERRALS);
    const text = foreclosure();
    await put(on, 'Monday-Referral.xml', text);
    const [file] = await imported(on, 1);
    assert.ok(file);
    assert.deepEqual(
      [file.name, file.status, file.organizationId, file.personId],
      ['Monday-Referral.xml', 'Complete', on.firm.organizationId, on.firm.personId],
    );
    assert.deepEqual(on.files(), []);
    assert.deepEqual(taken(on), []);
    const seen = await on.firm.caller.get(`/api/importfile/${file.id}?Output=Json`);
    assert.equal(seen.json()['ImportFile'], 'Monday-Referral.xml', 'the firm can read the import');
  });

  test('WEB-07 EVT-14 EVT-02 other files are left in place and logged once; renaming one to match makes it importable', async () => {
    const on = await s.account('other', REFERRALS);
    for (const name of ['notes.txt', 'monday-referral.xml', 'Referral.xlsx']) await put(on, name, foreclosure());
    await eventually('all were examined', async () => (await rowsOf(on)).every(({ state }) => state === 'Left'));
    await s.server.importDue();
    assert.deepEqual(on.files(), ['Referral.xlsx', 'monday-referral.xml', 'notes.txt']);
    assert.equal(
      (await s.events('SftpFileLeft')).filter((detail) =>
        /^(notes\.txt|monday-referral\.xml|Referral\.xlsx): its name fits none/.test(detail),
      ).length,
      3,
    );
    assert.equal((await imports(on)).length, 0);
    await resultsAreSeen(on);
    const raw = await connectRaw(on.peer);
    await raw.mkdir('done');
    await raw.rename('notes.txt', 'done/notes-Referral.xml');
    raw.end();
    await imported2(on, 'notes-Referral.xml');
    assert.deepEqual(on.files(), ['Referral.xlsx', 'done', 'monday-referral.xml']);
  });

  test('EVT-02 EVT-07 EVT-11 by default an account accepts what legacyevents accepts by HTTP, by the same naming rule, and the import is queued', async () => {
    const on = await s.account('events');
    const right = ['Events.csv', 'My-Events-2024.txt', 'a.Events.csv'];
    const wrong = ['events.csv', 'EVENTS.csv', 'Event.csv', 'Events.xls', 'Events.xlsx.exe', 'Events.CSV', 'Events'];
    const line = (n: number): string => `EVENT,${String(n)}${','.repeat(108)}\n`;
    for (const [n, name] of [...right, ...wrong].entries()) await put(on, name, line(n));
    await eventually(
      'all were examined',
      async () =>
        (await rowsOf(on)).length === wrong.length && (await rowsOf(on)).every(({ state }) => state === 'Left'),
    );
    assert.deepEqual(on.files(), [...wrong].sort());
    const found = await imports(on);
    assert.deepEqual(
      found.map(({ name, organizationId }) => `${name} of ${String(organizationId)}`).sort(),
      right.map((name) => `${name} of ${on.firm.organizationId}`).sort(),
    );
    assert.deepEqual([...new Set(found.map(({ status }) => status))], ['Queued'], 'no worker runs here');
    for (const name of wrong)
      assert.equal(
        (
          await on.firm.caller.post(
            `/api/import/legacyevents?PreTransform_FileName=${encodeURIComponent(name)}`,
            line(1),
            { 'Content-Type': 'text/plain' },
          )
        ).status,
        400,
        name,
      );
  });

  test('file name patterns: * and ? are wildcards, everything else is literal', () => {
    assert.ok(fitsFileName(fileNamePatterns(' *a*b?c , x'), 'xxaybbzc') && fitsFileName(['**'], ''));
    assert.ok(
      !fitsFileName(['a?'], 'a') &&
        !fitsFileName(['?'], '') &&
        !fitsFileName(['a.c'], 'abc') &&
        !fitsFileName(['A*'], 'ab'),
    );
    assert.ok(!fitsFileName([`${'*a'.repeat(40)}b`], 'a'.repeat(250)), 'however hard the pattern is');
  });

  test('EVT-07 a file waits for its quiet period, which restarts when it is written again', async () => {
    await s.set('SftpQuietSeconds', '3600');
    const on = await s.account('quiet', REFERRALS);
    await put(on, 'Referral-1.xml', 'not yet');
    await s.server.importDue();
    assert.deepEqual(on.files(), ['Referral-1.xml']);
    ahead += 1_800_000;
    await put(on, 'Referral-1.xml', foreclosure());
    ahead += 1_900_000;
    await s.server.importDue();
    assert.deepEqual(on.files(), ['Referral-1.xml'], 'it was written half an hour ago');
    ahead += 1_800_000;
    await imported(on, 1);
    await s.set('SftpQuietSeconds', '0');
  });

  test('EVT-07 a file whose import call is refused is put back where the firm sees it, with the reason in the security log, and retried when it arrives again', async () => {
    const on = await s.account('bare', { ...REFERRALS, FileNames: '*.xml' });
    await p.admin.post('/api/person/save', { ID: String(on.firm.personId), Roles: 'Data Service' });
    await put(on, 'x.xml', foreclosure());
    await eventually('it was refused', async () =>
      (await rowsOf(on)).every(({ state, path }) => state === 'Left' && path === '/x.xml'),
    );
    assert.deepEqual([on.files(), taken(on)], [['x.xml'], []]);
    assert.ok((await s.events('SftpFileLeft')).some((detail) => detail.startsWith('x.xml: NO_PERMISSION')));
    await p.admin.post('/api/person/save', { ID: String(on.firm.personId), Roles: 'Partner' });
    await eventually(
      'the role is known',
      async () => (await on.firm.caller.get('/api/importfile/search')).status === 200,
    );
    const raw = await connectRaw(on.peer);
    await raw.rename('x.xml', 'again.xml');
    raw.end();
    await imported(on, 1);
  });

  test('EVT-07 without its import template, or while the account is inactive, a file waits; nothing is lost', async () => {
    const on = await s.account('early', { Template: 'Not Made Yet', FileNames: '*.xml' });
    await put(on, 'a.xml', foreclosure());
    await eventually('it is reported', async () =>
      (await s.events('SftpFileLeft')).some((detail) =>
        detail.startsWith('a.xml: there is no import template Not Made Yet'),
      ),
    );
    assert.deepEqual(on.files(), ['a.xml']);
    await s.save(on.id, { Template: 'foreclosure', Status: 'Inactive' });
    ahead += 61_000;
    await s.server.importDue();
    assert.deepEqual(on.files(), ['a.xml']);
    await s.save(on.id, { Status: 'Active' });
    ahead += 61_000;
    await imported(on, 1);
  });

  test('EVT-07 several servers over one folder import each file once', async (t) => {
    const other = await secondPlatform(t, s.p, clock);
    const second = await serveSftp(other.platform, {
      host: '127.0.0.1',
      port: 0,
      folder: s.folder,
      hostKeys: { keys: [newHostKey()], fingerprints: [] },
    });
    atEnd(t, () => second.stop());
    const on = await s.account('both', REFERRALS);
    const raw = await connectRaw({ ...on.peer, port: second.port });
    for (let i = 0; i < 12; i++) await raw.write(`Referral-${i}.xml`, foreclosure());
    raw.end();
    await Promise.all([s.server.importDue(), second.importDue(), s.server.importDue(), second.importDue()]);
    const files = await imported(on, 12);
    assert.equal(new Set(files.map(({ name }) => name)).size, 12);
  });
});

describe('a server that dies at any step imports nothing twice and loses nothing', () => {
  /** Simulates a crash: committed rows and files on disk are as they would be. */
  async function crashed(
    name: string,
    state: 'Taking' | 'Taken',
    place: 'home' | 'taken' | 'gone',
    text: string,
  ): Promise<TestAccount> {
    await s.set('SftpQuietSeconds', '3600');
    const on = await s.account(name, REFERRALS);
    await put(on, 'Referral.xml', text);
    const [row] = await p.platform.store.query<{ id: number }>(
      'select sftpfileid as id from sftpfile where sftpaccountid = $1::bigint',
      [on.id],
    );
    const folder = join(s.folder, String(on.id), 'taken');
    mkdirSync(folder, { recursive: true });
    if (place !== 'home') renameSync(join(on.home, 'Referral.xml'), join(folder, String(row?.id)));
    if (place === 'gone') renameSync(join(folder, String(row?.id)), join(s.folder, `removed-${name}`));
    await s.set('SftpQuietSeconds', '0');
    await p.platform.store.query(
      `update sftpfile
       set state = $2::text, path = case when $2::text = 'Taken' then null else path end,
       takendate = $3::timestamptz, duedate = $3::timestamptz
       where sftpfileid = $1::bigint`,
      [row?.id, state, clock.now()],
    );
    return on;
  }

  test('before it moved the file out of the home folder, and after', async () => {
    for (const place of ['home', 'taken'] as const) {
      const on = await crashed(`taking-${place}`, 'Taking', place, foreclosure());
      await imported(on, 1);
      assert.deepEqual([on.files(), taken(on)], [[], []]);
    }
  });

  test('after the import and before the file was removed: the answer is kept, and nothing is imported again', async () => {
    const on = await crashed('answered', 'Taken', 'taken', foreclosure());
    const place = join(s.folder, String(on.id), 'taken', taken(on)[0] ?? '');
    copyFileSync(place, `${place}-copy`);
    const [row] = await p.platform.store.query('select * from sftpfile where sftpaccountid = $1::bigint', [on.id]);
    await imported(on, 1);
    await again(row, place);
    await imported(on, 1);
    assert.deepEqual(taken(on), [`${place.split('/').at(-1) ?? ''}-copy`]);
  });

  test('during the import: its outcome is looked up, and the file is imported again only if there is none', async () => {
    for (const had of ['an import file', 'nothing']) {
      const on = await crashed(`during ${had}`.replaceAll(' ', '-'), 'Taken', 'taken', foreclosure());
      const place = join(s.folder, String(on.id), 'taken', taken(on)[0] ?? '');
      copyFileSync(place, `${place}-copy`);
      const [row] = await p.platform.store.query('select * from sftpfile where sftpaccountid = $1::bigint', [on.id]);
      await imported(on, 1);
      // The state that the process left: the claim of the call exists without an answer.
      await p.platform.store.query('update idempotency set answer = null where personid = $1::bigint', [
        on.firm.personId,
      ]);
      if (had === 'nothing')
        await p.platform.store.query('update importfile set createdpersonid = 1 where createdpersonid = $1::bigint', [
          on.firm.personId,
        ]);
      await again(row, place);
      await s.server.importDue();
      assert.equal((await rowsOf(on)).length, 1, 'it may still be running');
      ahead += 400_000;
      await imported(on, 1);
    }
  });

  test('after the file was removed and before its row was', async () => {
    const on = await crashed('removed', 'Taken', 'gone', foreclosure());
    await eventually('the row is removed', async () => (await rowsOf(on)).length === 0);
    assert.equal((await imports(on)).length, 0);
  });
});

/** Restores a file that was imported and removed, as if the server had died before it removed it. */
async function again(row: Record<string, unknown> | undefined, place: string): Promise<void> {
  copyFileSync(`${place}-copy`, place);
  await p.platform.store.query(
    `insert into sftpfile overriding system value
     select ($1::jsonb ->> 'sftpfileid')::bigint, ($1::jsonb ->> 'sftpaccountid')::bigint, null,
     $1::jsonb ->> 'filename', 'Taken', null, ($1::jsonb ->> 'size')::bigint, $2::timestamptz,
     ($1::jsonb ->> 'takendate')::timestamptz, 0, now()`,
    [JSON.stringify(row), clock.now()],
  );
}

function taken(account: TestAccount): readonly string[] {
  const folder = join(s.folder, String(account.id), 'taken');
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function imported2(account: TestAccount, name: string): Promise<void> {
  await eventually(`${name} is imported`, async () => (await imports(account)).some((file) => file.name === name));
}
