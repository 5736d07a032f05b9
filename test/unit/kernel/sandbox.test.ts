import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { PlatformError, type ErrorCode } from '../../../src/kernel/door/errors.ts';
import { sandboxScope, type Principal } from '../../../src/kernel/security/identity.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { ThreadSandbox, type SandboxLimits } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { checkStylesheet, STYLESHEET_CHARACTERS_MAX } from '../../../src/kernel/xml/stylesheet.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';

const XML =
  '<?xml version="1.0" encoding="utf-8"?>\n<Things><Thing n="1">a &lt; b</Thing><Thing n="2">é😀</Thing></Things>';

/** Returns a stylesheet around templates; `head` precedes them. */
const sheet = (templates: string, head = ''): string =>
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" ' +
  'xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="exsl str">' +
  `${head}${templates}</xsl:stylesheet>`;
const root = (body: string, head = ''): string => sheet(`<xsl:template match="/">${body}</xsl:template>`, head);
const good = root('<p><xsl:value-of select="count(//Thing)"/></p>', '<xsl:output method="html"/>');
/** Never ends and never grows: nested loops over ten nodes each. */
const endless = root(
  `<xsl:variable name="n" select="//@n | //Thing | /Things"/>${'<xsl:for-each select="$n">'.repeat(24)}` +
    `<xsl:if test="false()">x</xsl:if>${'</xsl:for-each>'.repeat(24)}`,
);

/** Doubles a text until it is longer than this. */
const doubling = (length: string): string =>
  sheet(
    '<xsl:output method="text"/><xsl:template match="/">' +
      `<xsl:call-template name="r"><xsl:with-param name="s" select="'xxxxxxxxxxxxxxxx'"/></xsl:call-template>` +
      '</xsl:template><xsl:template name="r"><xsl:param name="s"/>' +
      `<xsl:choose><xsl:when test="string-length($s) &gt; ${length}"><xsl:value-of select="$s"/></xsl:when>` +
      '<xsl:otherwise><xsl:call-template name="r"><xsl:with-param name="s" select="concat($s,$s)"/>' +
      '</xsl:call-template></xsl:otherwise></xsl:choose></xsl:template>',
  );

// The time limit has its own test; here it must not end anything on a busy machine.
const shared = new ThreadSandbox(silentLog, { runMilliseconds: 60_000 });
after(() => shared.stop());

const transform = (
  stylesheet: string,
  { sandbox = shared, xml = XML, scope = 'staff', wellFormed = false } = {},
): Promise<string> => sandbox.transform({ stylesheet, xml, scope, wellFormed });

async function refusal(run: () => unknown): Promise<PlatformError> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was refused' });
}

async function assertRefused(run: () => unknown, code: ErrorCode, message: RegExp): Promise<void> {
  const error = await refusal(run);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
}

describe('the stylesheet sandbox', () => {
  it('KRN-10 a stylesheet renders an answer as text, exact to the character', async () => {
    assert.equal(
      await transform(
        root(
          '<xsl:for-each select="//Thing"><p title="{@n}"><xsl:value-of select="."/></p></xsl:for-each>',
          '<xsl:output method="html"/>',
        ),
      ),
      '<p title="1">a &lt; b</p><p title="2">é😀</p>\n',
    );
    assert.equal(
      await transform(
        root(
          '<xsl:value-of select="exsl:node-set(//Thing)[2]"/>|' +
            `<xsl:value-of select="str:replace('a-b', '-', '+')"/>`,
          '<xsl:output method="text"/>',
        ),
      ),
      'é😀|a+b',
    );
  });

  it('infinite recursion is an error, and the next stylesheet still gives the right result', async () => {
    const recursions = [
      root('<xsl:call-template name="r"/>').replace(
        '</xsl:stylesheet>',
        '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template></xsl:stylesheet>',
      ),
      sheet('<xsl:template match="/|*"><q><xsl:apply-templates select="/*"/></q></xsl:template>'),
      sheet(
        '<xsl:template match="/"><xsl:call-template name="r">' +
          '<xsl:with-param name="z"><xsl:call-template name="r"/></xsl:with-param></xsl:call-template></xsl:template>' +
          '<xsl:template name="r"><xsl:param name="z"><xsl:call-template name="r"/></xsl:param>' +
          '<xsl:for-each select="/*"><xsl:copy><xsl:call-template name="r"/></xsl:copy></xsl:for-each></xsl:template>',
      ),
      sheet(
        '<xsl:variable name="v"><xsl:call-template name="r"/></xsl:variable>' +
          '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template>' +
          '<xsl:template match="/"><xsl:value-of select="$v"/></xsl:template>',
      ),
      sheet(
        '<xsl:attribute-set name="a" use-attribute-sets="a"/>' +
          '<xsl:template match="/"><p xsl:use-attribute-sets="a"/></xsl:template>',
      ),
    ];
    for (const recursion of recursions) {
      await refusal(() => transform(recursion));
      assert.equal(await transform(good), '<p>2</p>\n');
    }
    await assertRefused(
      () => transform(String(recursions[0])),
      'BAD_OUTPUT',
      /^Transform: the stylesheet \(line 1\) failed: .*infinite template recursion/,
    );
  });

  it('finite recursion may be a thousand templates deep', async () => {
    const deep = sheet(
      '<xsl:output method="text"/><xsl:template match="/">' +
        '<xsl:call-template name="r"><xsl:with-param name="n" select="1000"/></xsl:call-template></xsl:template>' +
        '<xsl:template name="r"><xsl:param name="n"/><xsl:choose>' +
        '<xsl:when test="$n &gt; 0"><xsl:call-template name="r">' +
        '<xsl:with-param name="n" select="$n - 1"/></xsl:call-template></xsl:when>' +
        '<xsl:otherwise>bottom</xsl:otherwise></xsl:choose></xsl:template>',
    );
    assert.equal(await transform(deep), 'bottom');
  });

  it('a stylesheet that exhausts memory, or produces endless output, is an error, and the next gives the right result', async () => {
    await assertRefused(() => transform(doubling('2000000000')), 'BAD_OUTPUT', /ran out of memory/);
    assert.equal(await transform(good), '<p>2</p>\n');
    const sandbox = sandboxOf({ outputBytesMax: 100_000, runMilliseconds: 60_000 });
    await assertRefused(() => transform(doubling('200000'), { sandbox }), 'BAD_OUTPUT', /made more than 100000 bytes/);
    assert.equal((await transform(doubling('60000'), { sandbox })).length, 65_536);
    const exponential = sheet(
      '<xsl:template match="/"><xsl:apply-templates select="/*" mode="x">' +
        '<xsl:with-param name="n" select="40"/></xsl:apply-templates></xsl:template>' +
        '<xsl:template match="*" mode="x"><xsl:param name="n"/>' +
        '<xsl:if test="$n &gt; 0"><b><xsl:apply-templates select="." mode="x">' +
        '<xsl:with-param name="n" select="$n - 1"/></xsl:apply-templates>' +
        '<xsl:apply-templates select="." mode="x"><xsl:with-param name="n" select="$n - 1"/></xsl:apply-templates>' +
        '</b></xsl:if></xsl:template>',
    );
    await assertRefused(
      () => transform(exponential, { sandbox: sandboxOf({ runMilliseconds: 500 }) }),
      'BAD_OUTPUT',
      /more memory|took longer than 0\.5 s/,
    );
  });

  it('stylesheets that exhaust memory one after the other leave none of it to the process', async () => {
    const sandbox = new ThreadSandbox(silentLog, { runMilliseconds: 60_000, threadsMax: 1 });
    const before = process.memoryUsage.rss();
    for (let n = 0; n < 8; n++)
      await assertRefused(
        () => transform(doubling('2000000000'), { sandbox, scope: `firm ${n % 2}` }),
        'BAD_OUTPUT',
        /ran out of memory/,
      );
    const grownMegabytes = (process.memoryUsage.rss() - before) / 1024 ** 2;
    await sandbox.stop();
    // Each run takes 236 MB.
    assert.ok(grownMegabytes < 800, `${Math.round(grownMegabytes)} MB`);
  });

  it('an endless stylesheet is stopped at its time limit, together with its thread', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ runMilliseconds: 500, threadsMax: 1 }, threads);
    assert.equal(await transform(good, { sandbox }), '<p>2</p>\n');
    await assertRefused(() => transform(endless, { sandbox }), 'BAD_OUTPUT', /took longer than 0\.5 s/);
    assert.equal(threads[0]?.threadId, -1, 'the thread still runs');
    assert.equal(await transform(good, { sandbox }), '<p>2</p>\n');
    assert.equal(threads.length, 2);
  });

  it('time for which a thread waits for a processor does not count, up to three times the limit', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ runMilliseconds: 400 }, threads);
    await transform(good, { sandbox });
    // As on a machine that gives the thread a tenth of a processor.
    const [worker] = threads;
    const began = performance.now();
    Object.assign(worker ?? {}, {
      cpuUsage: async () => ({ user: (performance.now() - began) * 100, system: 0 }),
    });
    await assertRefused(() => transform(endless, { sandbox }), 'BAD_OUTPUT', /took longer than 0\.4 s/);
    const took = performance.now() - began;
    assert.ok(took >= 1_190, `${took} ms`);
  });

  it('a stylesheet that requests files, addresses or output documents gets nothing and fails', async () => {
    const requested: string[] = [];
    const server = createServer((request, response) => {
      requested.push(String(request.url));
      response.end('<secret>told</secret>');
    }).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = new URL('../../../package.json', import.meta.url).pathname;
    for (const uri of [
      `${address}/a`,
      '/etc/passwd',
      'file:///etc/passwd',
      own,
      'stylesheet',
      '',
      `ftp://127.0.0.1/x`,
    ]) {
      const error = await refusal(() => transform(root(`<xsl:copy-of select="document('${uri}')"/>`)));
      assert.match(error.message, /outside its input|failed/, uri);
    }
    for (const uri of [`${address}/b`, '/etc/passwd']) {
      for (const instruction of ['import', 'include'])
        await assertRefused(
          () => transform(root('x', `<xsl:${instruction} href="${uri}"/>`)),
          'BAD_OUTPUT',
          /outside its input|does not compile/,
        );
    }
    const writing =
      '<xsl:stylesheet version="1.1" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" ' +
      'xmlns:exsl="http://exslt.org/common" extension-element-prefixes="exsl">';
    for (const body of [
      `<exsl:document href="/tmp/casewright-written.xml"><a/></exsl:document>`,
      `<xsl:document href="/tmp/casewright-written.xml"><a/></xsl:document>`,
    ]) {
      await refusal(() => transform(`${writing}<xsl:template match="/">${body}</xsl:template></xsl:stylesheet>`));
      assert.equal(await transform(good), '<p>2</p>\n');
    }
    assert.equal(
      await transform(root('[<xsl:value-of select="/a"/>]', '<xsl:output method="text"/>'), {
        xml: `<!DOCTYPE a [<!ENTITY x SYSTEM "${address}/c">]><a>&x;</a>`,
      }),
      '[]',
    );
    assert.deepEqual(requested, []);
  });

  it('endlessly nested XPath, and output that is not XML where XML is required, are errors', async () => {
    await assertRefused(
      () => transform(root(`<xsl:value-of select="${'('.repeat(20_000)}1${')'.repeat(20_000)}"/>`)),
      'BAD_OUTPUT',
      /does not compile/,
    );
    assert.equal(await transform(good, { wellFormed: true }), '<p>2</p>\n');
    await assertRefused(
      () => transform(root('<br/>two', '<xsl:output method="html"/>'), { wellFormed: true }),
      'BAD_OUTPUT',
      /not well-formed XML/,
    );
    await assertRefused(
      () => transform(root('<xsl:message terminate="yes">No cases here</xsl:message>')),
      'BAD_OUTPUT',
      /No cases here/,
    );
    await assertRefused(() => transform(root('<p/><xsl:value-of select="$nothing"/>')), 'BAD_OUTPUT', /nothing/);
  });

  it('an input beyond the limit is refused before a thread sees it', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ inputCharactersMax: 1_000 }, threads);
    await assertRefused(
      () => transform(good, { sandbox, xml: `<a>${'x'.repeat(1_000)}</a>` }),
      'BAD_OUTPUT',
      /longer than 1000 characters/,
    );
    assert.equal(threads.length, 0);
  });

  it('a thread terminated from outside fails only its own call; the next gets another thread', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ threadsMax: 1 }, threads);
    await transform(good, { sandbox });
    const running = refusal(() => transform(endless, { sandbox }));
    const waiting = transform(good, { sandbox });
    await threads[0]?.terminate();
    assert.match((await running).message, /ended unexpectedly/);
    assert.equal(await waiting, '<p>2</p>\n');
    assert.equal(threads.length, 2);
    await threads[1]?.terminate();
    assert.equal(await transform(good, { sandbox }), '<p>2</p>\n');
  });

  it('if all threads are busy a call waits for a bounded time; too many waiting calls are refused at once, and one scope cannot take every slot', async () => {
    const sandbox = sandboxOf({
      threadsMax: 1,
      runMilliseconds: 20_000,
      waitMilliseconds: 250,
      waitingMax: 3,
      waitingOfScopeMax: 2,
    });
    await transform(good, { sandbox });
    const busy = refusal(() => transform(endless, { sandbox }));
    const alsoBusy = refusal(() => transform(endless, { sandbox, scope: 'a' }));
    const late = ['a', 'a'].map((scope) => refusal(() => transform(good, { sandbox, scope })));
    await assertRefused(() => transform(good, { sandbox, scope: 'a' }), 'TOO_MANY', /too many stylesheets/);
    late.push(refusal(() => transform(good, { sandbox, scope: 'b' })));
    await assertRefused(() => transform(good, { sandbox, scope: 'c' }), 'TOO_MANY', /too many stylesheets/);
    for (const error of await Promise.all(late))
      assert.deepEqual([error.code, error.details?.['RetryAfterSeconds']], ['UNAVAILABLE', 5]);
    await sandbox.stop();
    assert.deepEqual([(await busy).code, (await alsoBusy).code], ['UNAVAILABLE', 'UNAVAILABLE']);
    await assertRefused(() => transform(good, { sandbox }), 'UNAVAILABLE', /shutting down/);
  });

  it('KRN-10 a firm with many slow stylesheets holds up nobody else: the others get a thread at once, then their turn', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ threadsMax: 2, runMilliseconds: 20_000, waitMilliseconds: 15_000 }, threads);
    const slow = Array.from({ length: 8 }, () => refusal(() => transform(endless, { sandbox, scope: 'firm 1' })));
    await eventually('the firm holds both threads', () => threads.length === 2);
    assert.equal(await transform(good, { sandbox, scope: 'staff' }), '<p>2</p>\n');
    assert.equal(await transform(good, { sandbox, scope: 'firm 2' }), '<p>2</p>\n');
    assert.equal(threads.length, 3);
    // The next thread that the firm loses is for those who wait, not for its own tasks that came before.
    const held = refusal(() => transform(endless, { sandbox, scope: 'firm 2' }));
    const turn = transform(good, { sandbox, scope: 'staff' });
    await threads[0]?.terminate();
    assert.equal(await turn, '<p>2</p>\n');
    await sandbox.stop();
    for (const error of [...(await Promise.all(slow)), await held]) assert.ok(error);
  });

  it('many concurrent calls share few threads and each gets its own answer', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf(
      { threadsMax: 2, runMilliseconds: 60_000, waitMilliseconds: 60_000, waitingOfScopeMax: 100, waitingMax: 100 },
      threads,
    );
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        transform(root('<xsl:value-of select="/a"/>', '<xsl:output method="text"/>'), {
          sandbox,
          xml: `<a>${i}</a>`,
          scope: `firm ${i % 5}`,
        }),
      ),
    );
    assert.deepEqual(
      made,
      Array.from({ length: 60 }, (_, i) => String(i)),
    );
    assert.equal(threads.length, 3, 'one more than the most of one scope');
  });

  it('idle threads are ended, and none is started before it is needed', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ idleMilliseconds: 50 }, threads);
    assert.equal(threads.length, 0);
    await transform(good, { sandbox });
    await eventually('the idle thread ended', () => threads[0]?.threadId === -1);
    assert.equal(await transform(good, { sandbox }), '<p>2</p>\n');
  });
});

function sandboxOf(limits: SandboxLimits, threads: Worker[] = []): ThreadSandbox {
  const sandbox = new ThreadSandbox(silentLog, limits, (worker) => threads.push(worker));
  atEnd({ after }, () => sandbox.stop());
  return sandbox;
}

describe('checking a stylesheet', () => {
  const line2 = (body: string): string =>
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" ' +
    `xmlns:exsl="http://exslt.org/common">\n${body}\n</xsl:stylesheet>`;
  const refused: readonly (readonly [what: string, text: string, message: RegExp, line?: number])[] = [
    ['not well-formed', line2('<xsl:template match="/"><b></xsl:template>'), /not well-formed/, 2],
    ['a DOCTYPE', `<!DOCTYPE x>${good}`, /DOCTYPE/],
    ['another root', '<html/>', /expected xsl:stylesheet/, 1],
    [
      'a root without the namespace',
      '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/TR/WD-xsl"/>',
      /expected xsl:stylesheet/,
      1,
    ],
    ['version 2.0', good.replace('version="1.0"', 'version="2.0"'), /expected version="1.0"/, 1],
    ['no version', good.replace('version="1.0"', ''), /expected version="1.0"/, 1],
    [
      'a version on an element',
      line2('<xsl:template match="/"><p xsl:version="3.0"/></xsl:template>'),
      /expected xsl:version="1.0"/,
      2,
    ],
    [
      'an unknown instruction',
      line2('<xsl:template match="/"><xsl:valueof select="."/></xsl:template>'),
      /<xsl:valueof> is not an element of XSLT 1.0/,
      2,
    ],
    [
      'an instruction of 2.0',
      line2('<xsl:template match="/"><xsl:for-each-group select="a" group-by="b"/></xsl:template>'),
      /XSLT 2.0/,
      2,
    ],
    ['import', line2('<xsl:import href="x"/>'), /must be one document/, 2],
    [
      'include, under another prefix',
      '<t:stylesheet version="1.0" xmlns:t="http://www.w3.org/1999/XSL/Transform"><t:include href="x"/></t:stylesheet>',
      /must be one document/,
      1,
    ],
    ['xsl:document', line2('<xsl:template match="/"><xsl:document href="x"/></xsl:template>'), /no files/, 2],
    [
      'exsl:document',
      line2('<xsl:template match="/"><exsl:document href="x"/></xsl:template>'),
      /extension element/,
      2,
    ],
    [
      'extension prefixes',
      line2('<xsl:template match="/"/>').replace('version', 'extension-element-prefixes="exsl" version'),
      /extension-element-prefixes/,
      1,
    ],
    [
      'extension prefixes within',
      line2('<xsl:template match="/"><p xsl:extension-element-prefixes="exsl"/></xsl:template>'),
      /extension-element-prefixes/,
      2,
    ],
    [
      'document()',
      line2('<xsl:template match="/"><xsl:copy-of select="document (&apos;x&apos;)"/></xsl:template>'),
      /document\(\)/,
      2,
    ],
    [
      'document() in a template of an attribute',
      line2(`<xsl:template match="/"><p title="{{a}} {concat('}', document('x'))}"/></xsl:template>`),
      /document\(\)/,
      2,
    ],
    ['document() in a key', line2(`<xsl:key name="k" match="a" use="document('x')"/>`), /document\(\)/, 2],
    ['another encoding', line2('<xsl:output encoding="iso-8859-1"/>'), /encoding/, 2],
    ['another method', line2('<xsl:output method="json"/>'), /method/, 2],
    ['too long', good + ' '.repeat(STYLESHEET_CHARACTERS_MAX), /longer than/],
    [
      'too deep',
      line2(`<xsl:template match="/">${'<b>'.repeat(200)}${'</b>'.repeat(200)}</xsl:template>`),
      /nested deeper/,
      2,
    ],
  ];
  for (const [what, text, message, line] of refused) {
    it(`refuses ${what} and says where`, async () => {
      const error = await refusal(() => checkStylesheet(text));
      assert.deepEqual([error.code, error.field], ['BAD_STYLESHEET', 'Stylesheet']);
      assert.match(error.message, message);
      if (line !== undefined) assert.equal(error.details?.['line'], line, error.message);
    });
  }

  it('accepts XSLT 1.0, and the word document in texts and strings', () => {
    for (const body of [
      `<p title="the document (2) {'document('}">document('x')</p>`,
      '<xsl:value-of select="document"/>',
      '<xsl:value-of select="my-document(1)"/>',
      '<xsl:value-of select="exsl:node-set(/)"/>',
    ])
      checkStylesheet(line2(`<xsl:template match="/">${body}</xsl:template>`));
    checkStylesheet(good);
  });

  it('what passes the check but is unknown to the processor is found by compiling, with its line', async () => {
    for (const [text, line] of [
      [line2('<xsl:template match="/">\n<xsl:value-of select="a["/></xsl:template>'), 3],
      [line2('<xsl:template match="/"/>\n\n<xsl:template/>'), 4],
      [line2('<xsl:template match="a[" />'), 2],
    ] as const) {
      checkStylesheet(text);
      const error = await refusal(() => shared.compile(text, 'staff'));
      assert.equal(error.code, 'BAD_STYLESHEET');
      assert.equal(error.details?.['line'], line, error.message);
    }
    await shared.compile(good, 'staff');
  });
});

describe('the scope of a sandbox call', () => {
  const principal = (universal: boolean, organizationId: number | null): Principal => ({
    personId: 1,
    name: 'a',
    organizationId,
    roles: [],
    universal,
    permissions: new Set(),
  });

  it("is a firm's or the staff's; users without a firm share nothing with either", () => {
    const scopes = [principal(true, null), principal(false, 3), principal(false, 4), principal(false, null)].map(
      sandboxScope,
    );
    assert.equal(new Set(scopes).size, scopes.length, scopes.join(', '));
    assert.equal(sandboxScope(principal(true, 3)), sandboxScope(principal(true, 4)));
  });

  it("comes from the caller's identity wherever modules evaluate expressions", () => {
    const calls = globSync('src/modules/**/*.ts', { cwd: new URL('../../..', import.meta.url) }).flatMap((file) => {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      return text
        .split('sandbox.evaluate(')
        .slice(1)
        .map((rest) => ({ file, printed: rest.slice(0, rest.indexOf('});')) }));
    });
    assert.ok(calls.length >= 4, String(calls.length));
    for (const { file, printed } of calls) assert.match(printed, /scope: sandboxScope\(ctx\.user\)/, file);
  });
});
