import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { item, list, type Answer, type TreeNode } from '../../../src/kernel/door/answer.ts';
import { PlatformError, type Alert } from '../../../src/kernel/door/errors.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { ownParameter } from '../../../src/kernel/declare/named-parameters.ts';
import type { Operation } from '../../../src/kernel/declare/operation.ts';
import { errorHtml, toHtml, type PageSpelling } from '../../../src/kernel/render/html.ts';
import { parseXml, type XmlElement } from '../../../src/kernel/xml/element.ts';
import { contentHash, makeFirmRecords, operationRecipes, type FirmRecords } from '../../support/records.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';
import { anyCharacter } from '../../support/characters.ts';

const p = await testPlatform({ after }, { fixture });
const nasty = `<script>alert(1)</script> "&' ]]> --> \u0000\u001b {x} <img src=x onerror=y> é😀`;
const stored = nasty.replace(/[\u0000\u001b]/g, '\ufffd');
const fields = {
  Word: f.text({ doc: 'w' }),
  N: f.integer({ doc: 'n' }),
  Amount: f.money({ doc: 'm' }),
  Ratio: f.decimal({ doc: 'r' }),
  Flag: f.boolean({ doc: 'f' }),
  Day: f.date({ doc: 'd' }),
  At: f.timestamp({ doc: 't' }),
  Data: f.json({ doc: 'j' }),
  Empty: f.text({ doc: 'e' }),
};
const row = {
  Word: nasty,
  N: -12,
  Amount: '1234567890123.4567',
  Ratio: '0.10000000000000000000001',
  Flag: false,
  Day: '2024-02-29',
  At: '2024-02-29T01:02:03.000Z',
  Data: { a: [nasty] },
};

work.set('page-item', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: nasty, id: 7 });
  return item('Thing', fields, row);
});
work.set('page-list', async (ctx) => {
  ctx.alert({ code: 'FIRST', text: 'one' });
  return list('Thing', fields, [row, { ...row, Word: 'two' }]);
});
work.set('page-none', async () => list('Thing', fields, []));
work.set('page-tree', async () => ({
  kind: 'tree',
  root: {
    name: 'Tree',
    attributes: { Status: nasty },
    children: [
      { name: 'Leaf', value: nasty },
      {
        name: 'Rows',
        list: true,
        children: [
          { name: 'Row', children: [{ name: 'A', value: nasty }] },
          {
            name: 'Row',
            children: [
              { name: 'A', value: '2' },
              { name: 'B', value: 3 },
            ],
          },
        ],
      },
      { name: 'Raw', xml: `<a b="c">x</a>` },
    ],
  },
}));
work.set('page-nothing', async () => ({ kind: 'nothing' }));
work.set('page-error', async () => {
  throw new PlatformError('STATE_REFUSES', {
    message: nasty,
    field: 'ID',
    alerts: [{ code: 'LOCKED', text: nasty, id: 3 }],
    details: { Fields: [nasty, 'b'] },
  });
});

const get = (name: string, output: string, more = ''): Promise<TestAnswer> =>
  p.admin.get(
    `/api/probe/${name === 'page-list' || name === 'page-none' ? 'runlist' : 'run'}?Work=${name}` +
      `&Output=${output}${more}`,
  );

/** Returns all elements of a document, outermost first. */
function all(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap(all)];
}

const textOf = (element: XmlElement): string => element.text + element.children.map(textOf).join('');
const named = (root: XmlElement, name: string): XmlElement[] => all(root).filter((e) => e.name === name);

/** Asserts that a page contains nothing that runs, loads or sends. */
function assertHarmless(root: XmlElement): void {
  for (const element of all(root)) {
    assert.ok(!['script', 'style', 'img', 'iframe', 'form', 'object', 'base'].includes(element.name), element.name);
    for (const name of Object.keys(element.attributes)) assert.doesNotMatch(name, /^(?:on|style|srcdoc)/);
  }
}

describe('HTML answers', () => {
  it('KRN-10 one record is a page of its fields, warnings first, every value exact and nothing executable', async () => {
    const answer = await get('page-item', 'XHtml');
    assert.equal(answer.headers.get('content-type'), 'application/xhtml+xml; charset=utf-8');
    const root = parseXml(answer.text);
    assertHarmless(root);
    assert.deepEqual(
      [
        root.name,
        root.attributes['lang'],
        root.attributes['xmlns'],
        textOf(named(root, 'title')[0] as XmlElement),
        textOf(named(root, 'h1')[0] as XmlElement),
      ],
      ['html', 'en', 'http://www.w3.org/1999/xhtml', 'Thing · Casewright', 'Thing'],
    );
    const names = named(root, 'dt').map(textOf);
    const values = named(root, 'dd').map(textOf);
    assert.deepEqual(Object.fromEntries(names.map((name, i) => [name, values[i]])), {
      Word: stored,
      N: '-12',
      Amount: '1234567890123.4567',
      Ratio: '0.10000000000000000000001',
      Flag: 'No',
      Day: '2024-02-29',
      At: '2024-02-29 01:02:03 UTC',
      Data: JSON.stringify({ a: [nasty] }),
    });
    const main = named(root, 'main')[0] as XmlElement;
    assert.deepEqual(
      main.children.slice(0, 2).map((e) => e.name),
      ['h1', 'section'],
    );
    const [alert] = named(root, 'li');
    assert.deepEqual([alert?.children[0]?.text, alert?.text], ['FIRST', ` (7): ${stored}`]);
    assert.equal(answer.headers.get('x-alerts'), '1');
  });

  it('KRN-10 a list is a table with a caption and scoped headers; columns without any value are listed below it', async () => {
    const root = parseXml((await get('page-list', 'XHtml')).text);
    assertHarmless(root);
    const heads = named(root, 'th')
      .filter((e) => e.attributes['scope'] === 'col')
      .map(textOf);
    assert.deepEqual(heads, ['Word', 'N', 'Amount', 'Ratio', 'Flag', 'Day', 'At', 'Data']);
    assert.deepEqual(
      named(root, 'th')
        .filter((e) => e.attributes['scope'] === 'row')
        .map(textOf),
      [stored, 'two'],
    );
    assert.equal(textOf(named(root, 'caption')[0] as XmlElement), '2 rows');
    assert.match(textOf(named(root, 'main')[0] as XmlElement), /Without a value in any row: Empty\./);
    const none = parseXml((await get('page-none', 'XHtml')).text);
    assert.equal(textOf(named(none, 'caption')[0] as XmlElement), 'Nothing was found.');
    assert.equal(named(none, 'th').length, Object.keys(fields).length);
    await p.admin.post('/api/contact/save', { LastName: 'Paged' });
    await p.admin.post('/api/contact/save', { LastName: 'Paged' });
    const page = parseXml((await p.admin.get('/api/contact/search?Output=XHtml&LastName=Paged&DisplaySize=1')).text);
    assert.equal(textOf(named(page, 'caption')[0] as XmlElement), '1 row of 2');
  });

  it('KRN-10 a tree is shown as nested fields, and rows of one type within it as a table', async () => {
    const root = parseXml((await get('page-tree', 'XHtml')).text);
    assertHarmless(root);
    assert.deepEqual(named(root, 'dt').map(textOf), ['Status', 'Leaf', 'Rows', 'Raw']);
    assert.deepEqual(
      named(root, 'th')
        .filter((e) => e.attributes['scope'] === 'col')
        .map(textOf),
      ['A', 'B'],
    );
    assert.deepEqual(
      named(root, 'tr')
        .slice(1)
        .map((e) => e.children.map(textOf)),
      [
        [stored, ''],
        ['2', '3'],
      ],
    );
    assert.equal(textOf(named(root, 'code')[0] as XmlElement), '<a b="c">x</a>');
    const saved = await p.admin.post('/api/contact/save?Output=Json', {
      LastName: nasty.slice(0, 40).replace('\u0000', ''),
      USSSN: '900112233',
    });
    const summary = await p.admin.get(`/api/contact/summary/${String(saved.json()['ContactID'])}?Output=XHtml`);
    assert.match(textOf(parseXml(summary.text)), /XXX-XX-2233/);
    assert.doesNotMatch(summary.text, /900112233|900-11-2233/);
  });

  it('KRN-10 KRN-28 Html is the same page in HTML, under a policy that lets nothing run, load or be sent', async () => {
    for (const name of ['page-item', 'page-list', 'page-tree', 'page-error']) {
      const html = await get(name, 'Html');
      assert.equal(html.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(
        html.headers.get('content-security-policy'),
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      assert.equal(html.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(html.text.startsWith('<!doctype html>\n<html lang="en">'));
      assert.ok(!/<script|<img|<[^>]* on\w+=/.test(html.text), html.text);
      const other = await get(name, 'XHtml', '');
      const body = (text: string): string => text.slice(text.indexOf('<body')).replaceAll(/[0-9a-f-]{36}/g, 'ID');
      assert.equal(body(html.text), body(other.text));
    }
    assert.equal((await get('page-nothing', 'Html')).status, 204);
    const sheet = await p.anonymous.get('/style.css');
    assert.match(sheet.text, /color-scheme: light dark/);
  });

  it('KRN-19 an error is a page with code, message, field and correlation id', async () => {
    const answer = await get('page-error', 'XHtml');
    assert.deepEqual([answer.status, answer.headers.get('x-alerts')], [422, '1']);
    const root = parseXml(answer.text);
    assertHarmless(root);
    const pairs = Object.fromEntries(
      named(root, 'dt').map((e, i) => [textOf(e), textOf(named(root, 'dd')[i] as XmlElement)]),
    );
    assert.deepEqual(pairs, {
      Code: 'STATE_REFUSES',
      Status: '422',
      Field: 'ID',
      CorrelationID: answer.headers.get('x-correlation-id'),
      Fields: `${stored}, b`,
    });
    assert.equal(textOf(named(root, 'p')[0] as XmlElement), stored);
    const unsigned = await p.anonymous.get('/api/contact/search?Output=Html');
    assert.deepEqual([unsigned.status, unsigned.headers.get('content-type')], [401, 'text/html; charset=utf-8']);
    assert.match(unsigned.text, /NOT_SIGNED_IN/);
    const unforeseen = await p.admin.get('/api/contact/search?DisplaySize=x&Output=Html');
    assert.match(unforeseen.text, /DisplaySize: expected/);
  });

  it('KRN-02 KRN-10 the answer to a queued call, and its status, are pages too', async () => {
    const queued = await p.admin.post('/api/contact/queue/save?Output=XHtml', { LastName: 'Queued' });
    assert.equal(queued.status, 202);
    const id = textOf(named(parseXml(queued.text), 'dd')[0] as XmlElement);
    const state = await p.admin.get(`/api/queue/status?ID=${id}&Output=XHtml`);
    assert.equal(state.status, 200, state.text);
    assert.match(textOf(parseXml(state.text)), new RegExp(id));
  });

  it('KRN-10 whatever is in names, values, warnings and errors: XHtml parses and shows it, Html contains no markup from it', () => {
    const hostile = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        nasty,
        '</title><script>',
        '"><svg onload=x>',
        `' onmouseover='x`,
        '<!--',
        '<![CDATA[',
        '\ud800',
        '&#0;',
        ']]>',
      ),
    );
    const leaf = hostile.map((value): TreeNode => ({ name: 'Leaf', value }));
    const { node } = fc.letrec<{ node: TreeNode }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({
          name: fc.constantFrom('A', 'B', 'Rows'),
          attributes: fc.dictionary(fc.constantFrom('x', 'y'), hostile),
          children: fc.array(tie('node'), { maxLength: 4 }),
          list: fc.boolean(),
        }),
      ),
    }));
    const shape = fc.uniqueArray(hostile, { minLength: 1, maxLength: 4 }).chain((names) =>
      fc.record({
        shape: fc.constant(names.map((name) => ({ name, field: f.text({ doc: 'x' }) }))),
        rows: fc.array(fc.record(Object.fromEntries(names.map((name) => [name, fc.option(hostile)]))), {
          maxLength: 3,
        }),
      }),
    );
    const answers: fc.Arbitrary<Exclude<Answer, { kind: 'content' }>> = fc.oneof(
      fc.tuple(hostile, shape).map(([name, made]) => ({ kind: 'list' as const, name, ...made })),
      fc
        .tuple(hostile, shape)
        .map(([name, made]) => ({ kind: 'item' as const, name, shape: made.shape, row: made.rows[0] ?? {} })),
      node.map((root) => ({ kind: 'tree' as const, root })),
    );
    const alerts = fc.array(fc.record({ code: hostile, text: hostile, id: fc.integer() }), { maxLength: 2 });
    fc.assert(
      fc.property(answers, alerts, hostile, (answer, reported: readonly Alert[], message) => {
        const error = new PlatformError('STATE_REFUSES', {
          message,
          field: message,
          alerts: reported,
          details: { Detail: message },
        });
        for (const write of [
          (spelling: PageSpelling) => toHtml(answer, reported, spelling),
          (spelling: PageSpelling) => errorHtml(error, message, spelling),
        ]) {
          const root = parseXml(write('XHtml'));
          assertHarmless(root);
          const known = new Set([
            'html',
            'head',
            'meta',
            'title',
            'link',
            'body',
            'header',
            'a',
            'main',
            'h1',
            'h2',
            'section',
            'ul',
            'li',
            'strong',
            'p',
            'dl',
            'div',
            'dt',
            'dd',
            'table',
            'caption',
            'thead',
            'tbody',
            'tr',
            'th',
            'td',
            'code',
            'time',
          ]);
          for (const element of all(root)) assert.ok(known.has(element.name), element.name);
          const tags = [...write('Html').matchAll(/<\/?([^\s>/]+)/g)].map((match) => String(match[1]));
          assert.deepEqual(
            tags.filter((tag) => !known.has(tag) && tag !== '!doctype'),
            [],
          );
          assert.equal(tags.filter((tag) => tag === 'div').length % 2, 0);
        }
      }),
    );
  });
});

describe('pages rendered by stylesheets', () => {
  const XSL = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"';
  const sheet = (body: string, head = '<xsl:output method="html"/>'): string =>
    `<xsl:stylesheet version="1.0" ${XSL}>${head}<xsl:template match="/">${body}</xsl:template></xsl:stylesheet>`;
  const names =
    '<html><head><title>Names</title></head><body><ul>' +
    '<xsl:for-each select="ContactCollection/ContactItem">' +
    '<li><xsl:value-of select="LastName"/></li></xsl:for-each></ul></body></html>';
  const save = async (name: string, text: string): Promise<number> => {
    const made = await p.admin.post('/api/transform/save?Output=Json', { Transform: name, Stylesheet: text });
    assert.equal(made.status, 200, made.text);
    return Number(made.json()['TransformID']);
  };

  it('KRN-10 Transform selects a stylesheet, by name or ID, which renders any answer; the page may run, load and send nothing', async () => {
    const id = await save('Names Only', sheet(names));
    await p.admin.post('/api/contact/save', { LastName: 'Transformed <b>', FirstName: 'A' });
    for (const name of ['Names Only', 'names only', String(id)]) {
      const page = await p.admin.get(
        `/api/contact/search?Output=Html&Transform=${encodeURIComponent(name)}&LastName=Transformed*`,
      );
      assert.equal(page.status, 200, page.text);
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(page.text, /<li>Transformed &lt;b&gt;<\/li>/);
      const policy = page.headers.get('content-security-policy') ?? '';
      for (const part of [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        'img-src data:',
        "form-action 'none'",
        "frame-ancestors 'none'",
        'sandbox',
      ])
        assert.ok(policy.split('; ').includes(part), part);
      assert.doesNotMatch(policy, /script|allow-/);
    }
    const inBody = await p.admin.post('/api/contact/search', {
      LastName: 'Transformed*',
      Output: 'XHtml',
      Transform: 'Names Only',
    });
    assert.equal(inBody.status, 400, 'HTML of a stylesheet whose output is not XML');
    await save('Names As Xml', sheet(names, '<xsl:output method="xml"/>'));
    const xhtml = await p.admin.post('/api/contact/search', {
      LastName: 'Transformed*',
      Output: 'XHtml',
      Transform: 'Names As Xml',
    });
    assert.deepEqual([xhtml.status, xhtml.headers.get('content-type')], [200, 'application/xhtml+xml; charset=utf-8']);
    assert.equal(textOf(parseXml(xhtml.text)), 'NamesTransformed <b>');
  });

  it('KRN-10 an unknown stylesheet is refused with the nearest names before anything is done; another Output is refused too', async () => {
    for (const output of ['Html', 'XHtml']) {
      const answer = await p.admin.post(`/api/contact/save?Output=${output}&Transform=Names%20Olny`, {
        LastName: 'Undone',
      });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /Transform: there is no stylesheet &quot;Names Olny&quot;\. Did you mean Names Only/);
    }
    for (const output of ['', 'Xml', 'Json', 'Csv']) {
      const answer = await p.admin.get(`/api/contact/search?Transform=Names%20Only&Output=${output}`);
      assert.equal(answer.status, 400, output);
      assert.match(answer.text, /Transform: a stylesheet renders pages/);
    }
    assert.match(
      (await p.admin.get('/api/contact/search?Transform=&Output=Html')).text,
      /Transform: expected the name or ID of one stylesheet/,
    );
    assert.equal(
      (await p.admin.get('/api/contact/search?LastName=Undone&Output=Json&RecordCount=false')).text,
      '{"ContactCollection":{"ContactItem":[]}}',
    );
    const unsigned = await p.anonymous.get('/api/contact/search?Output=Html&Transform=Names%20Olny');
    assert.equal(unsigned.status, 401);
    assert.doesNotMatch(unsigned.text, /Names/);
  });

  it('KRN-10 where an operation declares a parameter Transform, it gets the value, and _Transform selects the stylesheet', async () => {
    await save('Of Transforms', sheet('<p><xsl:value-of select="//TransformItem/Transform"/></p>'));
    const found = await p.admin.get(
      '/api/transform/search?Transform=Names%20Only&Output=Html&_Transform=Of%20Transforms',
    );
    assert.equal(found.text, '<p>Names Only</p>\n');
    const plain = await p.admin.get('/api/transform/search?Transform=Names%20Only&Output=Html');
    assert.match(plain.text, /<caption>1 row<\/caption>/);
    const saved = await p.admin.post('/api/transform/save?Output=Html', {
      Transform: 'Saved As A Page',
      Stylesheet: sheet('x'),
    });
    assert.match(saved.text, /Saved As A Page/);
    await p.admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'ByTransform',
      Query: 'select {Transform} as Sent',
    });
    assert.match((await p.admin.get('/api/contact/bytransform?Transform=sent-here&Output=Html')).text, /sent-here/);
    assert.match(
      (await p.admin.get('/api/contact/search?_Transform=Names%20Only&Output=Html&LastName=none')).text,
      /<ul><\/ul>/,
    );
  });

  it('KRN-10 KRN-20 a stylesheet is checked when it is saved, and has history like any record', async () => {
    for (const [text, message] of [
      ['<a>', /not well-formed/],
      [sheet('<xsl:valueof select="."/>'), /line 1.*not an element of XSLT 1.0/],
      [sheet('<xsl:value-of select="a["/>'), /line 1: it does not compile/],
      [sheet('<xsl:copy-of select="document(\'/etc/passwd\')"/>'), /document\(\)/],
      [sheet('x').replace('version="1.0"', 'version="2.0"'), /version="1.0"/],
    ] as const) {
      const answer = await p.admin.post('/api/transform/save?Output=Json', { Transform: 'Refused', Stylesheet: text });
      assert.equal(answer.status, 400, answer.text);
      const error = answer.json()['Error'] as unknown as Record<string, unknown>;
      assert.deepEqual([error['Code'], error['Field']], ['BAD_STYLESHEET', 'Stylesheet']);
      assert.match(String(error['Message']), message);
    }
    for (const body of [
      { Transform: '12', Stylesheet: sheet('x') },
      { Stylesheet: sheet('x') },
      { Transform: 'Without' },
    ])
      assert.equal((await p.admin.post('/api/transform/save', body)).status, 400);
    const id = await save('Twice', sheet('one'));
    assert.equal((await p.admin.post('/api/transform/save', { ID: id, Stylesheet: '<bad>' })).status, 400);
    assert.equal((await p.admin.post('/api/transform/save', { ID: id, Stylesheet: sheet('two') })).status, 200);
    assert.equal(
      (await p.admin.post('/api/transform/save', { Transform: 'TWICE', Stylesheet: sheet('x') })).status,
      409,
    );
    assert.equal(
      (await p.admin.get('/api/contact/search?Output=Html&Transform=Twice&LastName=none')).text.trim(),
      'two',
    );
    const history = await p.admin.get(`/api/transform/history?ID=${id}&Output=Json`);
    assert.match(history.text, /one/);
    const staff = await p.user('staff of stylesheets', 'Staff');
    assert.equal(
      (await staff.caller.post('/api/transform/save', { Transform: 'Mine', Stylesheet: sheet('x') })).status,
      403,
    );
    await p.admin.post('/api/transform/delete', { ID: id });
    assert.equal((await p.admin.get('/api/contact/search?Output=Html&Transform=Twice')).status, 400);
    await p.admin.post('/api/transform/undelete', { ID: id });
    assert.equal((await p.admin.get('/api/contact/search?Output=Html&Transform=Twice')).text.trim(), 'two');
  });

  it('KRN-10 a stylesheet that fails is a clear error and not a 500; a change already committed stays, and the page says so', async () => {
    await save(
      'Failing',
      `<xsl:stylesheet version="1.0" ${XSL}><xsl:template match="/"><xsl:call-template name="r"/></xsl:template>` +
        '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template></xsl:stylesheet>',
    );
    await save('Stopping', sheet('<xsl:message terminate="yes">900-11-2233 is not shown</xsl:message>'));
    const read = await p.admin.get('/api/contact/search?Output=Html&Transform=Failing');
    assert.equal(read.status, 400);
    assert.match(read.text, /BAD_OUTPUT/);
    assert.match(read.text, /Transform: the stylesheet \(line 1\) failed/);
    assert.doesNotMatch(read.text, /carried out/);
    assert.match(
      (await p.admin.get('/api/contact/search?Output=Html&Transform=Stopping')).text,
      /XXX-XX-2233 is not shown/,
    );
    const write = await p.admin.post('/api/contact/save?Output=Html&Transform=Failing', { LastName: 'Carried Out' });
    assert.equal(write.status, 400);
    assert.match(write.text, /The call itself was carried out\./);
    assert.match(
      (await p.admin.get('/api/contact/search?LastName=Carried%20Out&Output=Csv&SqlColumns=LastName&RecordCount=false'))
        .text,
      /Carried Out/,
    );
  });

  it('KRN-10 KRN-28 warnings, failures and repeated answers are rendered by the stylesheet too', async () => {
    await save(
      'Alerts',
      sheet(
        '<p><xsl:value-of select="//Alert[1]/@Code"/>|<xsl:value-of select="name(/*)"/>|' +
          '<xsl:value-of select="//ContactID"/></p>',
      ),
    );
    const alerted = await get('page-item', 'Html', '&Transform=Alerts');
    assert.deepEqual([alerted.text, alerted.headers.get('x-alerts')], ['<p>FIRST|ThingItem|</p>\n', '1']);
    assert.match((await get('page-error', 'Html', '&Transform=Alerts')).text, /STATE_REFUSES/);
    const again = { 'Idempotency-Key': 'transformed once' };
    const first = await p.admin.post('/api/contact/save?Output=Html&Transform=Alerts', { LastName: 'Once' }, again);
    const second = await p.admin.post('/api/contact/save?Output=Html&Transform=Alerts', { LastName: 'Once' }, again);
    assert.match(first.text, /^<p>\|ContactItem\|\d+<\/p>\n$/);
    assert.deepEqual(
      [second.text, second.headers.get('idempotency-replayed'), second.headers.get('content-security-policy')],
      [first.text, 'true', first.headers.get('content-security-policy')],
    );
    const queued = await p.admin.post('/api/contact/queue/save?Output=Html&Transform=Alerts', { LastName: 'Queued' });
    assert.deepEqual([queued.status, queued.text], [202, '<p>|QueueMessageItem|</p>\n']);
  });

  it("KRN-18 KRN-21 a firm's stylesheet sees only the answer that the firm gets, with SSNs masked", async () => {
    const [own, other] = [await p.firm('Seeing Firm'), await p.firm('Other Firm')];
    for (const { organizationId } of [own, other])
      await p.admin.post('/api/contact/save', {
        LastName: `Of ${organizationId}`,
        USSSN: '900443322',
        Object: 'Organization',
        ObjectID: organizationId,
      });
    await save(
      'Everything',
      sheet('<xsl:copy-of select="/"/>', '<xsl:output method="xml" omit-xml-declaration="yes"/>'),
    );
    const page = await own.caller.get('/api/contact/search?Output=XHtml&Transform=Everything&DisplaySize=1000');
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, new RegExp(`Of ${own.organizationId}<`));
    assert.match(page.text, /XXX-XX-3322/);
    assert.doesNotMatch(page.text, new RegExp(`Of ${other.organizationId}<|900443322`));
    const xml = await own.caller.get('/api/contact/search?DisplaySize=1000');
    assert.equal(page.text.trim(), xml.text.split('\n').slice(1).join('\n'));
    assert.equal(
      (await own.caller.post('/api/transform/save', { Transform: 'Theirs', Stylesheet: sheet('x') })).status,
      403,
    );
  });

  it('KRN-10 an answer with its own format takes no stylesheet', async () => {
    const answer = await p.admin.get('/api/import/schema/foreclosure?Output=Html&Transform=Names%20Only');
    assert.equal(answer.status, 400);
    assert.match(answer.text, /UNKNOWN_PARAMETER/);
  });
});

/** Returns a value for each required query parameter of an operation, made from its declaration. */
function requiredParameters(operation: Operation, own: FirmRecords, id: string): Record<string, string> {
  const required = Object.entries(operation.params).filter(
    ([name, field]) => field.required && !operation.route.includes(`{${name}}`),
  );
  return Object.fromEntries(
    required.map(([name, field]) => {
      if (name === 'ID' || name === ownParameter(operation)) return [name, id];
      if (name === 'Object') return [name, 'Organization'];
      if (name === 'ObjectID') return [name, String(own.organizationId)];
      const target = field.to === undefined ? undefined : p.platform.registry.record(field.to);
      if (target) return [name, String(own.id(target))];
      return [name, field.values?.[0] ?? (field.kind === 'timestamp' || field.kind === 'date' ? '2024-01-31' : '1')];
    }),
  );
}

/** Classifies an operation's answer to `Output=Csv`: a list in Csv, a proper refusal, or neither. */
function csvOutcome(operation: Operation, answer: TestAnswer): 'csv' | 'refused' | 'wrong' {
  const { status, text } = answer;
  if (operation.returns === 'list') {
    const isCsv =
      status === 200 &&
      answer.headers.get('content-type') === 'text/csv; charset=utf-8' &&
      /^"?[A-Za-z]\w*[,\r]/.test(text);
    if (isCsv) return 'csv';
    // An operation that needs further parameters refuses their absence, never the output format.
    const takesNoParameters = operation.name === 'Search' || operation.name === 'History';
    return takesNoParameters || status >= 500 || text.includes('BAD_OUTPUT') ? 'wrong' : 'refused';
  }
  if (typeof operation.returns === 'object' && operation.effect === 'read')
    return status < 400 || status >= 500 ? 'wrong' : 'refused';
  return status === 400 && /Code="BAD_OUTPUT".*Csv is for searches and reports/s.test(text) ? 'refused' : 'wrong';
}

describe('Csv over all operations', () => {
  it('KRN-33 each operation that returns a list supports Csv with a header row; every other refuses it and does nothing', async () => {
    const firm = await p.firm('Csv Firm');
    const own = await makeFirmRecords(p.platform, firm);
    const operations = p.platform.registry
      .operations()
      .filter(
        (o) =>
          o.module !== 'probe' &&
          o.form === undefined &&
          o.body === undefined &&
          !(o.returns === 'list' && o.effect === 'write'),
      );
    const before = await contentHash(p.platform);
    const problems: string[] = [];
    let lists = 0;
    for (const operation of operations) {
      const id = operation.record ? String(own.id(operation.record)) : '1';
      const parameters = {
        Output: 'Csv',
        ...requiredParameters(operation, own, id),
        ...operationRecipes[operation.route],
      };
      const path = `/api/${operation.route.replace(/\{\w+\}/g, id)}`;
      const sent = new URLSearchParams(parameters).toString();
      const hasSecrets = Object.values(operation.params).some((field) => field.classification === 'secret');
      const answer = hasSecrets ? await p.admin.post(path, sent) : await p.admin.get(`${path}?${sent}`);
      const outcome = csvOutcome(operation, answer);
      if (outcome === 'csv') lists++;
      if (outcome === 'wrong') problems.push(`${operation.route}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    assert.deepEqual(problems, []);
    assert.ok(lists > 60, `only ${lists} operations answer lists`);
    assert.deepEqual(await contentHash(p.platform), before);
  });
});
