import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, describe, test } from 'node:test';
import type { Field } from '../../../src/kernel/declare/field-types.ts';
import type { Operation } from '../../../src/kernel/declare/operation.ts';
import { childText, escapeText, parseXml, type XmlElement } from '../../../src/kernel/xml/element.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { registry, store } = p.platform;
const ofName = Map.groupBy(registry.operations(), ({ name }) => name);
await p.admin.post('/api/role/save', { Role: 'Everything Reached', Permissions: '*', UniversalAccess: false });
const firm = await p.firm('Alpha', 'Everything Reached');

/** Texts with a meaning to interpreters that must never see them. At most 100 characters, to fit any text column. */
const texts: readonly string[] = [
  `'; drop table contact; --`,
  `' or '1'='1`,
  `'||(select password from person limit 1)||'`,
  `1); delete from contact where (1=1`,
  `\\'; select pg_sleep(10); --`,
  `$1`,
  `$$; select 1; $$`,
  `%' or contact like '%`,
  `100%_done\\`,
  `"contact"."password"`,
  `{FirstName} {{7*7}} \${7*7} <%= 7*7 %> #{7*7}`,
  `{Contact/Delete?ID=1}`,
  `{//Password}`,
  `<script>alert(1)</script>`,
  `</LastName></ContactItem><ContactItem><LastName>x`,
  `]]><!--`,
  `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`,
  `&lt;&amp;&#60;&quot;&b;`,
  `<xsl:value-of select="document('/etc/passwd')"/>`,
  `","Status":"Admin","x":"`,
  `\u2028\u2029*/alert(1)/*`,
  `callback(1);alert`,
  `x\r\nSet-Cookie: session=1\r\n\r\n<html>`,
  `=cmd|' /C calc'!A0`,
  `+SUM(A1:A9)`,
  `-2+3`,
  `@SUM(1)`,
  `\t=1+1`,
  `\r\n=1+1`,
  `a,"b"\r\nc`,
  `../../../etc/passwd`,
  `..\\..\\windows`,
  `%2e%2e%2f%00`,
  `__proto__`,
  `constructor.prototype`,
  `*`,
  `null `,
  `not null x`,
  `>=0`,
  `<>x`,
  `"quoted"`,
  `\u202eevil\u202c \u{1F600} e\u0301`,
  `$(id) \`id\` ; id | id`,
  `ldap*)(uid=*))(|(uid=*`,
];

async function schema(): Promise<unknown> {
  const [row] = await store.query(
    `select (select count(*) from pg_class where relnamespace = 'public'::regnamespace)::integer as relations,
     (select count(*) from pg_roles)::integer as roles,
     (select string_agg(role || permissions, ';' order by roleid) from role) as granted`,
  );
  return row;
}

/** An XML answer must be well-formed, whatever was sent. */
function assertWellFormed(answer: TestAnswer, what: string): void {
  assert.notEqual(answer.status, 500, `${what}: ${answer.text.slice(0, 300)}`);
  if (answer.text !== '' && (answer.headers.get('content-type') ?? '').includes('xml'))
    assert.doesNotThrow(() => parseXml(answer.text), `${what}: ${answer.text.slice(0, 300)}`);
  assert.equal(answer.headers.get('set-cookie'), null, what);
}

function itemsOf(root: XmlElement): readonly XmlElement[] {
  return root.children.filter((child) => child.name === 'ContactItem');
}

/** Returns the fields of the first data row of CSV, by RFC 4180. */
function csvRow(text: string): Record<string, string> {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return Object.fromEntries((rows[0] ?? []).map((name, i) => [name, rows[1]?.[i] ?? '']));
}

describe('values', () => {
  test('KRN-07 KRN-10 text is stored and returned exactly as it was sent, by form, JSON and XML, in Xml, Json, JsonP and Csv', async () => {
    for (const [i, text] of texts.entries()) {
      const bodies: readonly (readonly [string | object, string])[] = [
        [
          new URLSearchParams({
            LastName: text,
            Object: 'Organization',
            ObjectID: String(firm.organizationId),
          }).toString(),
          'application/x-www-form-urlencoded',
        ],
        [{ LastName: text, Object: 'Organization', ObjectID: firm.organizationId }, 'application/json'],
        [
          `<ContactItem><LastName>${escapeText(text)}</LastName><Object>Organization</Object>` +
            `<ObjectID>${firm.organizationId}</ObjectID></ContactItem>`,
          'text/xml',
        ],
      ];
      const [body, type] = bodies[i % 3] ?? ['', ''];
      const saved = await p.admin.post('/api/contact/save?Output=Json', body, { 'Content-Type': type });
      assert.equal(saved.status, 200, `${text}: ${saved.text}`);
      const id = Number(saved.json()['ContactID']);
      const [row] = await store.query<{ lastname: string }>(
        'select lastname from contact where contactid = $1::bigint',
        [id],
      );
      assert.equal(row?.lastname, text);
      for (const caller of [p.admin, firm.caller]) await assertAnswered(caller, id, text);
    }
  });

  async function assertAnswered(caller: Caller, id: number, text: string): Promise<void> {
    assert.equal((await caller.get(`/api/contact/${id}?Output=Json`)).json()['LastName'], text);
    const xml = parseXml((await caller.get(`/api/contact/search?ID=${id}`)).text);
    assert.equal(itemsOf(xml).length, 1);
    assert.equal(itemsOf(xml)[0]?.children.find((c) => c.name === 'LastName')?.text, text);
    const jsonp = (await caller.get(`/api/contact/${id}?Output=JsonP&callback=a.b`)).text;
    assert.ok(jsonp.startsWith('/**/a.b({') && jsonp.endsWith('});') && !/[\u2028\u2029]/.test(jsonp));
    assert.equal((JSON.parse(jsonp.slice('/**/a.b('.length, -2)) as { LastName: string }).LastName, text);
    const cell = csvRow(
      (await caller.get(`/api/contact/search?ID=${id}&Output=Csv&SqlColumns=LastName,ContactID`)).text,
    )['LastName'];
    assert.equal(cell, /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
    const summary = parseXml((await caller.get(`/api/contact/summary?ID=${id}`)).text);
    assert.equal(summary.children.find((c) => c.name === 'LastName')?.text, text);
  }

  test('KRN-11 a search for a text in double quotes finds only that text; without quotes it is an error or a search, never more', async () => {
    const ids = await Promise.all(
      texts.map(async (text) =>
        Number((await p.admin.post('/api/contact/save?Output=Json', { Company: text })).json()['ContactID']),
      ),
    );
    for (const [i, text] of texts.entries()) {
      const found = parseXml(
        (await p.admin.get(`/api/contact/search?SqlColumns=ContactID&Company=${encodeURIComponent(`"${text}"`)}`)).text,
      );
      assert.deepEqual(
        itemsOf(found).map((item) => Number(childText(item, 'ContactID'))),
        [ids[i]],
        text,
      );
      assertWellFormed(await p.admin.get(`/api/contact/search?Company=${encodeURIComponent(text)}`), text);
      assertWellFormed(await firm.caller.post('/api/contact/search', { Company: [text, 'x'] }), text);
    }
  });

  test("KRN-19 a text in a column of another type is refused with the column's name, and nothing is stored", async () => {
    const columns = [...new Set(registry.recordType('Contact').columns.values())].filter(
      (c) => !c.field.computed && (!['text', 'xml', 'json'].includes(c.field.kind) || c.field.values),
    );
    assert.ok(columns.length >= 8);
    const [before] = await store.query('select count(*)::integer as n from contact');
    for (const text of texts) {
      await Promise.all(
        columns.map(async ({ name, field }) => {
          // One dollar is a valid number.
          if (text === '$1' && field.kind === 'decimal') return;
          const answer = await p.admin.post('/api/contact/save', { LastName: 'x', [name]: text });
          assert.equal(answer.status, 400, `${name} = ${text}: ${answer.text}`);
          assert.equal(childText(parseXml(answer.text), 'Field'), name);
        }),
      );
    }
    assert.deepEqual((await store.query('select count(*)::integer as n from contact'))[0], before);
  });

  test('KRN-19 what no text can contain is refused: NUL, a lone surrogate, invalid UTF-8', async () => {
    for (const body of ['LastName=a%00b', 'LastName=%ff%fe', 'LastName=%ed%a0%80'])
      assert.equal((await p.admin.post('/api/contact/save', body)).status, 400, body);
    assert.equal((await p.admin.post('/api/contact/save', { LastName: 'a\u0000b' })).status, 400);
    assert.equal(
      (await p.admin.post('/api/contact/save', '{"LastName":"\\ud800"}', { 'Content-Type': 'application/json' }))
        .status,
      400,
    );
    assert.equal(
      (
        await p.admin.post('/api/contact/save', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), {
          'Content-Type': 'application/json',
        })
      ).status,
      400,
    );
    for (const query of ['LastName=a%00b', 'LastName=%22a%00b%22', 'LastName=>a%00b', 'LastName=a%00*'])
      assertWellFormed(await p.admin.get(`/api/contact/search?${query}`), query);
  });
});

describe('names', () => {
  test('KRN-11 KRN-19 hostile texts in place of columns, sort keys, record types, templates and parameters are refused by name', async () => {
    const before = await schema();
    for (const text of texts) {
      const sent = encodeURIComponent(text);
      const refused: readonly [string, Promise<TestAnswer>][] = [
        ['OrderBy', p.admin.get(`/api/contact/search?OrderBy=${sent}`)],
        ['OrderBy descending', p.admin.get(`/api/contact/search?OrderBy=LastName,-${sent}`)],
        ['SqlColumns', p.admin.get(`/api/contact/search?SqlColumns=LastName,${sent}`)],
        ['a filter', p.admin.get(`/api/contact/search?${sent}=x`)],
        ['a parameter', p.admin.post('/api/contact/save', { LastName: 'x', [`x${text}`]: 'y' })],
        ['a nested name', p.admin.post('/api/contact/save', { LastName: 'x', [`Contacts_0_${text}`]: 'y' })],
        ['a collection', p.admin.post('/api/contact/save', { LastName: 'x', [`${text}_0_LastName`]: 'y' })],
        ['a link', p.admin.post('/api/contact/save', { LastName: 'x', [`${text}_LastName`]: 'y' })],
        ['Object', p.admin.get(`/api/contact/listbyobject?Object=${sent}&ObjectID=1`)],
        ['Object of a save', p.admin.post('/api/contact/save', { LastName: 'x', Object: text, ObjectID: 1 })],
        ['QueueName', p.admin.post('/api/contact/queue/save', { LastName: 'x', QueueName: text })],
        ['ScheduleName', p.admin.post('/api/contact/queue/save', { LastName: 'x', ScheduleName: text })],
        ['Output', p.admin.get(`/api/contact/search?Output=${sent}`)],
        ['callback', p.admin.get(`/api/contact/search?Output=JsonP&callback=${sent}`)],
        ['Roles', p.admin.post('/api/person/save', { Person: `p ${text.replaceAll(':', '')}`, Roles: text })],
        ['a setting', p.admin.post('/api/setting/save', { Setting: text, Value: '1' })],
        [
          'a statement',
          p.admin.post('/api/statement/save', { ClassName: 'Contact', Statement: text, Query: 'select 1 as a' }),
        ],
        [
          "a statement's module",
          p.admin.post('/api/statement/save', { ClassName: text, Statement: 'x', Query: 'select 1 as a' }),
        ],
      ];
      for (const [what, sending] of refused) {
        const answer = await sending;
        assertWellFormed(answer, `${what}: ${text}`);
        // `constructor` and `__proto__` are JavaScript names, and as unknown here as any other.
        if (!(what === 'callback' && /^[\w.$]+$/.test(text)))
          assert.equal(answer.status, 400, `${what}: ${text}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    assert.deepEqual(await schema(), before);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('KRN-12 external IDs are compared byte for byte', async () => {
    for (const [i, text] of texts.entries()) {
      const made = await p.admin.post('/api/contact/save?Output=Json', { LastName: `S${i}`, SubscriberID: text });
      assert.equal(made.status, 200, `${text}: ${made.text}`);
      const found = await p.admin.get(`/api/contact/select?Output=Json&SubscriberID=${encodeURIComponent(text)}`);
      assert.equal(found.json()['LastName'], `S${i}`, text);
    }
  });

  test('KRN-19 hostile texts in the path and in headers change nothing but the answer', async () => {
    const before = await schema();
    for (const text of texts) {
      const sent = encodeURIComponent(text);
      for (const path of [
        `/api/${sent}/search`,
        `/api/contact/${sent}`,
        `/api/contact/search/${sent}`,
        `/api/contact/1/${sent}/search`,
        `/api/${sent}/1/contact/search`,
        `/api/contact/queue/${sent}`,
      ]) {
        const answer = await p.admin.post(path);
        assertWellFormed(answer, path);
        assert.equal(answer.status, 404, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    for (const value of [`'; drop table x`, 'a b', '<x>', '${7*7}', 'x'.repeat(65), '%0d%0aSet-Cookie:x=1']) {
      const answer = await p.admin.get('/api/contact/search', { 'X-Correlation-ID': value });
      assert.notEqual(answer.headers.get('x-correlation-id'), value);
      assertWellFormed(answer, value);
      assertWellFormed(await p.admin.post('/api/contact/save', 'LastName=x', { 'Idempotency-Key': value }), value);
      assert.equal((await p.admin.post('/api/contact/save', 'LastName=x', { 'If-Match': value })).status, 400);
    }
    assert.deepEqual(await schema(), before);
  });

  test('KRN-19 a raw line break in the address does not split the response', async () => {
    const answered = await new Promise<string>((resolve, reject) => {
      const sent = request(
        p.url,
        { path: '/api/contact/search?LastName=x%0d%0aX-Evil:%201&callback=%0d%0a', headers: { 'X-ApiKey': firm.key } },
        (response) => resolve(JSON.stringify(response.headers)),
      );
      sent.on('error', reject).end();
    });
    assert.ok(!/x-evil/i.test(answered));
  });
});

describe('every operation', () => {
  test('KRN-19 no parameter of any operation turns any hostile text into an unexpected error', async () => {
    const before = await schema();
    const failures: string[] = [];
    let at = 0;
    for (const [turn, operation] of registry
      .operations()
      .filter((o) => o.body !== 'raw')
      .entries()) {
      const generic = isGeneric(operation);
      const each = operation.free === undefined && !generic ? 2 : 1;
      // An operation that every record type has tries a fifth of its names per type. About ten of them are columns, and
      // one per type is a parameter.
      const sending = namesOf(operation)
        .filter((_, n) => !generic || n % 5 === turn % 5)
        .flatMap((name) =>
          Array.from({ length: each }, () => at++).map(async (n) => {
            const text = texts[n % texts.length] ?? '';
            for (const caller of n % 4 === 0 ? [p.admin, firm.caller] : [p.admin]) {
              const answer = await caller.post(`/api/${operation.route.replace(/\{\w+\}/g, 'x')}`, {
                ...requiredOf(operation),
                [name]: text,
              });
              if (answer.status >= 500)
                failures.push(`${operation.route} ${name} = ${text}: ${answer.status} ${answer.text.slice(0, 300)}`);
              assertWellFormed(answer.status >= 500 ? { ...answer, status: 0 } : answer, operation.route);
            }
          }),
        );
      await Promise.all(sending);
    }
    const reasons = await store.query<{ errorlog: string }>('select distinct errorlog from errorlog limit 20');
    assert.equal(failures.length, 0, `${failures.join('\n')}\n${reasons.map((r) => r.errorlog).join('\n')}`);
    assert.deepEqual(await schema(), before);
  });
});

/** Returns whether most record types have an operation of this name. */
function isGeneric({ name }: Operation): boolean {
  return (ofName.get(name)?.length ?? 0) > registry.records().length / 2;
}

/** Returns each declared parameter and, if the operation accepts any name, each column of its record. */
function namesOf(operation: Operation): string[] {
  const columns =
    operation.free === undefined || !operation.record
      ? []
      : [...new Set(operation.record.columns.values())].filter((c) => !c.field.computed).map((c) => c.name);
  // A role's permissions are part of what must not change.
  return operation.module === 'role' && operation.effect === 'write'
    ? []
    : [...Object.keys(operation.params), ...columns];
}

function requiredOf(operation: Operation): Record<string, string> {
  return Object.fromEntries(
    Object.entries(operation.params)
      .filter(([, field]) => field.required)
      .map(([name, field]) => [name, sampleOf(field)]),
  );
}

function sampleOf(field: Field): string {
  if (field.values) return field.values[0] ?? '';
  if (['id', 'idList', 'integer', 'decimal', 'money'].includes(field.kind)) return '99999999';
  if (['date', 'timestamp'].includes(field.kind)) return '2024-01-31';
  return field.kind === 'boolean' ? 'true' : 'x';
}
