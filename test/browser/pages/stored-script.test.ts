import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testBrowser, watchedPage, browserMissing } from '../../support/browser/browser.ts';
import { testPlatform } from '../../support/platform.ts';
import { makeFirmRecords } from '../../support/records.ts';
import { testSession } from '../../support/pages/session.ts';

/** Breaks out of attributes, elements and scripts of a careless page, into an element that tests can find. */
const HOSTILE = `"'></textarea></script><x-hostile onclick=a()><script>hacked=1</script>`;

const p = await testPlatform({ after });
const chief = await p.user('chief', 'Administrator');
const firm = await p.firm('Hostile Firm');
const records = await makeFirmRecords(p.platform, firm);

/** Columns that the platform itself interprets: a hostile text would be refused there, not shown. */
const read = new Set([
  'object',
  'recordclass',
  'classname',
  'query',
  'status',
  'roles',
  'permissions',
  'person',
  'mimetype',
  'fileobject',
  'filepath',
]);

/** Writes the hostile text into every text column of every record where it fits and no constraint forbids it. */
async function poison(): Promise<number> {
  let poisoned = 0;
  for (const record of p.platform.registry.records()) {
    for (const { table, column, field } of record.columns.values()) {
      if (
        field.kind !== 'text' ||
        field.values !== undefined ||
        field.classification === 'secret' ||
        read.has(column) ||
        (field.max ?? 1_000) < 40
      )
        continue;
      const text = HOSTILE.slice(0, field.max ?? HOSTILE.length);
      const ok = await p.platform.store
        .query(`update ${table} set ${column} = $1::text where ${table}id = $2::bigint`, [text, records.id(record)])
        .then(
          () => true,
          () => false,
        );
      if (ok) poisoned++;
    }
  }
  return poisoned;
}

describe('text stored by an attacker', async () => {
  assert.ok((await poison()) > 100);
  p.platform.configuration.expire();
  assert.ok(chief.personId > 0);
  const session = await testSession(p, 'chief');
  const paths = p.platform.registry.records().flatMap((record) => {
    const own = `/records/${record.module}/${records.id(record)}`;
    return [
      `/records/${record.module}`,
      own,
      ...(record.history === false ? [] : [`${own}/edit`, `${own}/history`, `${own}/delete`]),
    ];
  });

  it('WEB-01 KRN-19 never becomes markup on any page of any record type, nor does search or form input', async () => {
    let seen = 0;
    for (const path of [
      ...paths,
      '/',
      '/imports',
      '/imports/new',
      `/imports/${records.id(p.platform.registry.recordType('ImportFile'))}`,
      '/administration/users',
      '/administration/keys',
      '/administration/sessions',
      '/administration/security',
      '/administration/health',
      '/administration/settings',
      '/operations',
    ]) {
      const answer = await session.get(path);
      assert.ok(answer.status === 200 || answer.status === 404, `${path}: ${answer.status}`);
      assert.doesNotMatch(answer.text, /<x-hostile|<script>hacked/, path);
      if (answer.text.includes('&lt;x-hostile') || answer.text.includes('x-hostile onclick')) seen++;
    }
    assert.ok(seen > 50, `the text was seen on ${seen} pages only`);
    const sent = encodeURIComponent(HOSTILE);
    for (const path of [
      `/search?Text=${sent}`,
      `/records/contact?LastName=${sent}`,
      `/records/contact?Field=${sent}&Value=${sent}`,
      `/records/contact?OrderBy=${sent}`,
      `/records/${sent}`,
      `/operations?Text=${sent}`,
      `/records/contact/new?LastName=${sent}`,
      `/administration/users?Text=${sent}`,
      `/administration/settings?done=${sent}`,
      `/records/contact?deleted=${sent}`,
      `/administration/queues?State=${sent}&done=${sent}`,
      `/records/loan/1/asof?At=${sent}`,
    ]) {
      assert.doesNotMatch((await session.get(path)).text, /<x-hostile|<script>hacked/, path);
    }
    for (const [path, fields] of [
      ['/records/contact/new', { LastName: HOSTILE, BirthDate: HOSTILE }],
      ['/operations/contact/search', { More: HOSTILE }],
      ['/operations/contact/search', { DisplaySize: HOSTILE }],
      ['/administration/settings', { Setting: HOSTILE, Value: HOSTILE }],
      ['/account', { CurrentPassword: HOSTILE, NewPassword: HOSTILE, Repeated: HOSTILE }],
      ['/signin', { Name: HOSTILE, Password: HOSTILE }],
    ] as const) {
      assert.doesNotMatch((await session.post(path, fields)).text, /<x-hostile|<script>hacked/, path);
    }
  });

  it('never runs in a browser', { skip: browserMissing }, async () => {
    const problems: string[] = [];
    const page = await watchedPage(await testBrowser({ after }), problems);
    const [name = '', value = ''] = session.cookie.split('=');
    await page
      .browserContext()
      .setCookie({ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax', secure: false });
    for (const module of ['contact', 'loan', 'message', 'foreclosure', 'importlog', 'messagetemplate']) {
      const record = p.platform.registry.requireRecord(module, 'module');
      for (const path of [
        `/records/${module}`,
        `/records/${module}/${records.id(record)}`,
        ...(record.history === false ? [] : [`/records/${module}/${records.id(record)}/edit`]),
      ]) {
        await page.goto(p.url + path);
        assert.equal(new URL(page.url()).pathname, path);
        assert.equal(
          await page.evaluate('typeof hacked + document.getElementsByTagName("x-hostile").length'),
          'undefined0',
          path,
        );
      }
    }
    assert.deepEqual(problems, []);
  });
});
