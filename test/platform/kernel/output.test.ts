import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { item, list } from '../../../src/kernel/door/answer.ts';
import { errorTable, PlatformError, type ErrorCode } from '../../../src/kernel/door/errors.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { childText, parseXml } from '../../../src/kernel/xml/element.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const fields = { Word: f.text({ doc: 'w' }), N: f.integer({ doc: 'n' }) };
const nasty = '<&>"\'\r\n\t,;=1+1 é😀 \u2028 ]]> </script>';

work.set('nothing', async () => ({ kind: 'nothing' }));
work.set('alerts-item', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: nasty, id: 7 });
  ctx.alert({ code: 'SECOND', text: 'plain' });
  return item('Thing', fields, { Word: nasty, N: 1 });
});
work.set('alerts-list', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: 'one' });
  return list('Thing', fields, [
    { Word: nasty, N: 1 },
    { Word: '=HYPERLINK("x")', N: -2 },
  ]);
});
work.set('alerts-tree', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: 'one' });
  return { kind: 'tree', root: { name: 'Tree', children: [{ name: 'Leaf', value: nasty }] } };
});
work.set('alerts-nothing', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: 'one' });
  return { kind: 'nothing' };
});
work.set('alerts-error', async () => {
  throw new PlatformError('STATE_REFUSES', {
    message: `all refused ${nasty}`,
    field: 'ID',
    alerts: [{ code: 'LOCKED', text: nasty, id: 3 }],
  });
});
work.set('throw', async () => {
  throw new Error('secret detail 123-45-6789 at /etc/passwd');
});
work.set('sql', async (ctx) => {
  await ctx.db.query('select * from no_such_table_of_ours');
  return { kind: 'nothing' };
});

const run = (name: string, output: string): Promise<TestAnswer> =>
  p.admin.get(`/api/probe/run?Work=${name}&Output=${output}`);

describe('outputs', () => {
  it('KRN-10 Xml is the default, whatever the browser or body says; each format has its content type', async () => {
    const types = {
      '': 'text/xml',
      Xml: 'text/xml',
      xml: 'text/xml',
      Json: 'application/json',
      JSON: 'application/json',
      JsonP: 'text/javascript',
      Csv: 'text/csv',
      Html: 'text/html',
      html: 'text/html',
      XHtml: 'application/xhtml+xml',
    };
    for (const [output, type] of Object.entries(types)) {
      const answer = await p.admin.get(`/api/contact/search${output === '' ? '' : `?Output=${output}`}`, {
        Accept: 'text/html',
      });
      assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
    const posted = await p.admin.post('/api/contact/search', { LastName: 'x' });
    assert.equal(posted.headers.get('content-type'), 'text/xml; charset=utf-8');
    const inBody = await p.admin.post('/api/contact/search', { LastName: 'x', Output: 'Json' });
    assert.equal(inBody.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(
      (await p.admin.post('/api/contact/search?Output=Csv', { LastName: 'x', Output: 'Json' })).headers.get(
        'content-type',
      ),
      'text/csv; charset=utf-8',
    );
  });

  it('KRN-10 every format carries any text without loss and without breaking out', async () => {
    const xml = parseXml((await run('alerts-item', 'Xml')).text);
    assert.equal(childText(xml, 'Word'), nasty.trim());
    assert.equal((await run('alerts-item', 'Json')).json()['Word'], nasty);
    const tree = parseXml((await run('alerts-tree', 'Xml')).text);
    assert.equal(childText(tree, 'Leaf'), nasty.trim());
    const got: unknown[] = [];
    runInNewContext((await p.admin.get('/api/probe/run?Work=alerts-item&Output=JsonP&callback=app.take')).text, {
      app: { take: (value: unknown) => got.push(JSON.parse(JSON.stringify(value))) },
    });
    assert.equal((got[0] as Record<string, unknown>)['Word'], nasty);
    const csv = (await p.admin.get('/api/probe/runlist?Work=alerts-list&Output=Csv')).text;
    assert.equal(csv, `Word,N\r\n"${nasty.replaceAll('"', '""')}",1\r\n"'=HYPERLINK(""x"")",-2\r\n`);
  });

  it('KRN-10 a JsonP callback is a dotted name and nothing else', async () => {
    for (const callback of ['cb', 'a.b_c.$d', '_9'])
      assert.ok(
        (await p.admin.get(`/api/contact/search?Output=JsonP&callback=${callback}`)).text.startsWith(
          `/**/${callback}(`,
        ),
        callback,
      );
    assert.ok((await p.admin.get('/api/contact/search?Output=JsonP')).text.startsWith('/**/callback('));
    for (const callback of ['alert(1)//', 'a b', '9a', 'a..b', '.a', '<script>', 'a\u2028b', 'x'.repeat(101), 'a[0]']) {
      const answer = await p.admin.get(`/api/contact/search?Output=JsonP&callback=${encodeURIComponent(callback)}`);
      assert.equal(answer.status, 400, callback);
      assert.match(answer.text, /"Code":"BAD_PARAMETER"|Code="BAD_PARAMETER"/);
      // With the bracket: a short name alone may be part of a correlation ID.
      assert.ok(!answer.text.includes(`${callback}(`));
    }
  });

  it('KRN-10 an unsupported Output is refused before anything is done', async () => {
    for (const output of ['Yaml', 'Csv']) {
      for (const answer of [
        await p.admin.post(`/api/contact/save?Output=${output}`, { LastName: 'Unwritten' }),
        await p.admin.post('/api/contact/save', { LastName: 'Unwritten', Output: output }),
        await p.admin.post(`/api/contact/queue/save?Output=${output}`, { LastName: 'Unwritten' }),
        await p.admin.get(`/api/probe/run?Work=alerts-item&Output=${output}`),
      ]) {
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.text, /Code="BAD_OUTPUT".*<Field>Output<\/Field>/s);
      }
    }
    assert.equal(
      (await p.admin.post('/api/contact/save?Output=JsonP&callback=1', { LastName: 'Unwritten' })).status,
      400,
    );
    assert.equal((await p.admin.get('/api/contact/search?LastName=Unwritten&Output=Csv')).text.split('\r\n').length, 2);
    assert.equal(
      (await p.platform.store.query("select 1 from pgboss.job where data ->> 'route' = 'contact/save'")).length,
      0,
    );
  });

  it('KRN-33 Csv returns searches with a header row, even an empty result; for anything else it is a clear error', async () => {
    await p.admin.post('/api/contact/save', { LastName: 'Comma, "Quote"', FirstName: 'Line\nEnd' });
    const answer = await p.admin.get(
      '/api/contact/search?Output=Csv&SqlColumns=LastName,FirstName,BirthDate&RecordCount=false&LastName=Comma*',
    );
    assert.equal(answer.text, 'LastName,FirstName,BirthDate\r\n"Comma, ""Quote""","Line\nEnd",\r\n');
    assert.equal(
      (await p.admin.get('/api/contact/search?Output=Csv&SqlColumns=LastName&RecordCount=false&LastName=nobody')).text,
      'LastName\r\n',
    );
    for (const path of [
      'contact/1',
      'contact/summary/1',
      'contact/select?ID=1',
      'probe/runread?Work=alerts-item',
      'probe/count',
    ]) {
      const wrong = await p.admin.get(`/api/${path}${path.includes('?') ? '&' : '?'}Output=Csv`);
      assert.equal(wrong.status, 400, path);
      assert.match(wrong.text, /BAD_OUTPUT.*Csv is for searches and reports/s);
    }
  });

  it("KRN-33 a statement's rows are returned as Csv under their own names", async () => {
    await p.admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'Names',
      Query: 'select LastName, 1.50 as "HowMuch", null as nothing from Contact order by 1',
    });
    assert.equal(
      (await p.admin.get('/api/contact/names?Output=Csv')).text,
      'LastName,HowMuch,nothing\r\n"Comma, ""Quote""",1.5,\r\n',
    );
  });
});

describe('warnings', () => {
  it('KRN-28 warnings reach the caller in every Output, and are counted in the header', async () => {
    for (const kind of ['item', 'list', 'tree', 'nothing']) {
      const count = kind === 'item' ? '2' : '1';
      const xml = await run(`alerts-${kind}`, 'Xml');
      assert.equal(xml.headers.get('x-alerts'), count);
      const [alerts] = parseXml(xml.text).children;
      assert.equal(alerts?.name, 'Alerts', 'first in the answer');
      assert.equal(alerts?.children[0]?.attributes['Code'], 'FIRST');
      const json = await run(`alerts-${kind}`, 'Json');
      assert.equal((json.json() as never as { Alerts: { Code: string }[] }).Alerts[0]?.Code, 'FIRST');
      assert.match((await run(`alerts-${kind}`, 'JsonP')).text, /"Alerts":\[\{"Code":"FIRST"/);
    }
    assert.equal((await p.admin.get('/api/probe/runlist?Work=alerts-list&Output=Csv')).headers.get('x-alerts'), '1');
    const [first] = parseXml((await run('alerts-item', 'Xml')).text).children[0]?.children ?? [];
    assert.deepEqual([first?.attributes['ID'], first?.text], ['7', nasty]);
  });

  it('KRN-28 an error carries its warnings in each format, and an empty answer is 204', async () => {
    const xml = await run('alerts-error', 'Xml');
    assert.deepEqual([xml.status, xml.headers.get('x-alerts')], [422, '1']);
    const [alerts] = parseXml(xml.text).children;
    assert.deepEqual(
      [alerts?.children[0]?.attributes['Code'], alerts?.children[0]?.attributes['ID'], alerts?.children[0]?.text],
      ['LOCKED', '3', nasty],
    );
    const json = (await run('alerts-error', 'Json')).json() as never as { Alerts: object[]; Error: { Field: string } };
    assert.deepEqual([json.Alerts, json.Error.Field], [[{ Code: 'LOCKED', ID: 3, Text: nasty }], 'ID']);
    const nothing = await run('nothing', 'Xml');
    assert.deepEqual([nothing.status, nothing.text], [204, '']);
  });
});

describe('errors', () => {
  it('KRN-19 one shape in each Output: code, status, message, field and correlation id', async () => {
    const path = '/api/contact/search?DisplaySize=many';
    const correlation = { 'X-Correlation-ID': 'my-own-correlation' };
    const xml = await p.admin.get(path, correlation);
    const root = parseXml(xml.text);
    assert.deepEqual(
      [
        root.name,
        root.attributes['Code'],
        root.attributes['Status'],
        root.attributes['CorrelationID'],
        childText(root, 'Field'),
      ],
      ['Error', 'BAD_PARAMETER', '400', 'my-own-correlation', 'DisplaySize'],
    );
    assert.match(childText(root, 'Message') ?? '', /^DisplaySize: expected /);
    assert.equal(xml.headers.get('x-correlation-id'), 'my-own-correlation');
    const json = await p.admin.get(`${path}&Output=Json`, correlation);
    assert.equal(json.headers.get('content-type'), 'application/problem+json; charset=utf-8');
    assert.deepEqual(json.json(), {
      Error: {
        Code: 'BAD_PARAMETER',
        Status: 400,
        CorrelationID: 'my-own-correlation',
        Message: childText(root, 'Message'),
        Field: 'DisplaySize',
      },
    });
    assert.equal((await p.admin.get(`${path}&Output=JsonP&callback=f`, correlation)).text, `/**/f(${json.text});`);
    assert.equal((await p.admin.get(`${path}&Output=Csv`, correlation)).text, xml.text);
    const own = await p.admin.get(path, { 'X-Correlation-ID': 'bad id\t<x>' });
    assert.match(own.headers.get('x-correlation-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('KRN-19 an unexpected error returns a correlation ID and nothing else; the error log has the rest, masked', async () => {
    for (const name of ['throw', 'sql']) {
      for (const output of ['Xml', 'Json']) {
        const answer = await run(name, output);
        assert.equal(answer.status, 500);
        for (const leak of [
          'secret',
          '6789',
          'passwd',
          'select',
          'no_such',
          '.ts',
          'node:',
          ' at ',
          'Postgres',
          '"relation',
        ])
          assert.ok(!answer.text.includes(leak), `${leak}: ${answer.text}`);
        const id = answer.headers.get('x-correlation-id') ?? '';
        const [entry] = await p.platform.store.query<{
          errorlog: string;
          operation: string;
          stack: string;
          personid: number;
        }>('select errorlog, operation, stack, personid from errorlog where errorguid = $1', [id]);
        assert.equal(entry?.operation, 'probe/run');
        assert.match(entry?.stack ?? '', /fixture|output\.test/);
        assert.ok(!entry?.errorlog.includes('6789'), entry?.errorlog);
        assert.ok(entry && entry.personid > 0);
      }
    }
  });

  it('KRN-19 each code has exactly one status and text, and is thrown with it', () => {
    const statuses: Readonly<Record<string, number>> = {
      BAD_PARAMETER: 400,
      NOT_SIGNED_IN: 401,
      NO_PERMISSION: 403,
      NOT_FOUND: 404,
      UNKNOWN_OPERATION: 404,
      VERSION_CONFLICT: 409,
      DUPLICATE_KEY: 409,
      TOO_LARGE: 413,
      UNREADABLE_TYPE: 415,
      RULE_EXCEPTION: 422,
      TOO_MANY: 429,
      INTERNAL: 500,
      UNAVAILABLE: 503,
    };
    for (const [code, status] of Object.entries(statuses))
      assert.equal(new PlatformError(code as ErrorCode).status, status, code);
    for (const [code, { status, text }] of Object.entries(errorTable)) {
      assert.match(code, /^[A-Z][A-Z_]+$/);
      assert.ok(status >= 400 && status < 600 && text.endsWith('.'), code);
      assert.equal(new PlatformError(code as ErrorCode).message, text);
    }
  });

  it('KRN-19 every error code is documented in the reference, and the reference lists no other', () => {
    const reference = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
    const documented = [...reference.matchAll(/^\| `?([A-Z][A-Z_]+)`? \|/gm)].map((m) => String(m[1]));
    assert.deepEqual(documented.sort(), Object.keys(errorTable).sort());
  });

  it('KRN-19 every code that an operation declares is in the table', () => {
    for (const operation of p.platform.registry.operations())
      for (const code of operation.errors) assert.ok(code in errorTable, `${operation.route}: ${code}`);
  });
});
