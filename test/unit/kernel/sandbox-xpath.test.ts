import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { XmlDocument } from 'libxml2-wasm';
import { PlatformError, type ErrorCode } from '../../../src/kernel/door/errors.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { ThreadSandbox, type SandboxLimits } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { EXPRESSION_CHARACTERS_MAX, EXPRESSIONS_MAX } from '../../../src/kernel/xml/sandbox/sandbox-xpath.ts';
import { atEnd } from '../../support/at-end.ts';

const XML = '<a><b>1</b><b>é😀</b><c x="q"/><d/><and>2</and><e xml:lang="en">x</e></a>';
// The time limit has its own test; here it must not end anything on a busy machine.
const shared = new ThreadSandbox(silentLog, { runMilliseconds: 60_000 });
after(() => shared.stop());

function sandboxOf(limits: SandboxLimits, threads: Worker[] = []): ThreadSandbox {
  const sandbox = new ThreadSandbox(silentLog, limits, (worker) => threads.push(worker));
  atEnd({ after }, () => sandbox.stop());
  return sandbox;
}

const evaluate = (
  expressions: readonly string[],
  { sandbox = shared, xml = XML } = {},
): Promise<readonly (string | undefined)[]> => sandbox.evaluate({ xml, expressions, scope: 'staff' });

async function refusal(run: () => Promise<unknown>): Promise<PlatformError> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was refused' });
}

describe('user-written XPath', () => {
  it("finds the first node's text, computed values, and undefined if there is no node", async () => {
    const cases: readonly (readonly [string, string | undefined])[] = [
      ['//b', '1'],
      ['//b[2]', 'é😀'],
      ['//b[last()]/text()', 'é😀'],
      ['//c/@x', 'q'],
      ['//d', ''],
      ['//zz', undefined],
      ['//b | //zz', '1'],
      ['count(//b)', '2'],
      ['1 div 0', 'Infinity'],
      ['number("x")', 'NaN'],
      ['0.1 + 0.2', '0.3'],
      ['//zz = 1', 'false'],
      ['not(//zz)', 'true'],
      ['string(//zz)', ''],
      ['concat("a:b", \'$c\', "document(1)")', 'a:b$cdocument(1)'],
      ['"<&>\t\n\'"', "<&>\t\n'"],
      ['a/b', '1'],
      ['/a/and and (1)', 'true'],
      ['(//b)[2]', 'é😀'],
      ['child::a/child::b[position() = 2]', 'é😀'],
      ['//e/@xml:lang', 'en'],
      ['//*[lang("en")]', 'x'],
      ['4 mod (3)', '1'],
      ['. = /', 'true'],
    ];
    assert.deepEqual(
      await evaluate(cases.map(([expression]) => expression)),
      cases.map(([, value]) => value),
    );
    assert.deepEqual(await evaluate([]), []);
    for (const [expression, value] of cases) assert.deepEqual(await evaluate([expression]), [value], expression);
  });

  it('agrees with another XPath evaluator, whatever the document contains', async () => {
    const texts = fc.array(
      fc.string({
        unit: fc.constantFrom('a', '1', ':', '-', ' ', '\n', 'é', '😀', '<', '&', '"', '\u00a0'),
        maxLength: 12,
      }),
      { minLength: 1, maxLength: 8 },
    );
    const expressions = [
      '//t',
      '//t[2]',
      'count(//t)',
      'string-length(//t)',
      '//t[. = "1"]',
      'concat(//t, "-", //t[last()])',
      'normalize-space(//t[2])',
      'sum(//t[number(.) = number(.)])',
      'boolean(//t[3])',
    ];
    const escape = (text: string): string => text.replace(/[&<]/g, (c) => `&#${c.charCodeAt(0)};`);
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const xml = `<r>${values.map((value) => `<t>${escape(value)}</t>`).join('')}</r>`;
        const document = XmlDocument.fromString(xml);
        try {
          const oracle = expressions.map((expression) =>
            expression.startsWith('//')
              ? document.get(expression)?.content
              : (document.eval(`string(${expression})`) as unknown),
          );
          assert.deepEqual(
            await evaluate(expressions, { xml }),
            oracle.map((value) => (value === undefined ? undefined : String(value))),
          );
        } finally {
          document.dispose();
        }
      }),
      { numRuns: 60 },
    );
  });

  it('BAD_XPATH says which of how many expressions is wrong', async () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['//b[', /bracket/],
      ['position (', /bracket/],
      [')(', /bracket/],
      ['"', /closing quote/],
      ['', /is empty/],
      ['1 2', /not an XPath 1\.0 expression/],
      ['foo::bar', /not an XPath 1\.0 expression/],
      ['//b/', /not an XPath 1\.0 expression/],
      ['$v', /no variables/],
      ['//x:y', /prefix x/],
      ['exsl:node-set(/)', /prefix exsl/],
      ['document("/etc/passwd")', /document\(\) is not a function/],
      ['key("a", "b")', /key\(\)/],
      ['current()', /current\(\)/],
      ['generate-id(.)', /generate-id\(\)/],
      ['system-property("x")', /system-property/],
      ['format-number(1, "0")', /format-number/],
      ['unparsed-entity-uri("x")', /unparsed/],
      ['matches(., "a")', /matches/],
      ['\u0001', /characters that XML does not allow/],
      ['"\ud800"', /characters/],
      [`1${' + 1'.repeat(EXPRESSION_CHARACTERS_MAX / 4)}`, /longer than/],
    ];
    for (const [expression, message] of wrong) {
      for (const run of [
        () => evaluate(['//b', expression, '//c']),
        () => shared.checkXPath(['//b', expression, '//c']),
      ]) {
        const error = await refusal(run);
        assert.deepEqual(
          [error.code, error.field, error.details],
          ['BAD_XPATH', 'XPath', { index: 1 }],
          `${expression}: ${error.message}`,
        );
        assert.match(error.message, message);
        assert.match(error.message, /expression 2 of 3/);
      }
    }
    // Only evaluation shows that a text is not a node-set.
    await shared.checkXPath(['count("x")']);
    const error = await refusal(() => evaluate(['//b', '//b[count("x")]']));
    assert.deepEqual([error.code, error.details], ['BAD_XPATH', { index: 1 }], error.message);
    assert.equal(
      (await refusal(() => evaluate(Array.from({ length: EXPRESSIONS_MAX + 1 }, () => '1')))).code,
      'BAD_XPATH',
    );
    assert.equal(
      (await evaluate(Array.from({ length: EXPRESSIONS_MAX }, (_, i) => `${i} + 1`))).at(-1),
      String(EXPRESSIONS_MAX),
    );
  });

  it('an endless evaluation is stopped, one over a limit is refused, and the next one is correct', async () => {
    const threads: Worker[] = [];
    const sandbox = sandboxOf({ runMilliseconds: 500, threadsMax: 1 }, threads);
    assert.deepEqual(await evaluate(['//b'], { sandbox }), ['1']);
    const endless = 'count(//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0])';
    const xml = `<a>${'<b/>'.repeat(2_000)}</a>`;
    const error = await refusal(() => evaluate(['1', endless], { sandbox, xml }));
    assert.deepEqual([error.code, error.field], ['BAD_XPATH', 'XPath']);
    assert.match(error.message, /took longer than 0\.5 s and was stopped/);
    assert.equal(threads[0]?.threadId, -1, 'the thread still runs');
    assert.deepEqual(await evaluate(['//b'], { sandbox }), ['1']);
    const small = sandboxOf({ outputBytesMax: 1_000, inputCharactersMax: 10_000, runMilliseconds: 60_000 });
    const long = `<a>${'x'.repeat(900)}</a>`;
    for (const [expressions, over, message] of [
      [['/a', '/a'], long, /made more than 1000 bytes/],
      [['/a'], `<a>${'x'.repeat(10_000)}</a>`, /longer than the 10000 characters/],
    ] as const) {
      const refused = await refusal(() => evaluate(expressions, { sandbox: small, xml: over }));
      assert.equal(refused.code, 'BAD_XPATH');
      assert.match(refused.message, message);
    }
    assert.deepEqual(await evaluate(['string-length(/a)'], { sandbox: small, xml: long }), ['900']);
  });

  it('an invalid document, or one that declares entities, is BAD_XML', async () => {
    for (const xml of [
      '<a',
      '',
      '<a/><b/>',
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      '<?xml version="1.0"?>\n<!-- - -->\n<!DOCTYPE a><a/>',
    ])
      assert.equal((await refusal(() => evaluate(['/a'], { xml }))).code satisfies ErrorCode, 'BAD_XML', xml);
    assert.deepEqual(
      await evaluate(['/a'], { xml: '<?xml version="1.0" encoding="utf-8"?>\n<!-- <!DOCTYPE -->\n<a>é</a>' }),
      ['é'],
    );
    const lead = '<?a b?><!-- c -->'.repeat(20_000);
    assert.deepEqual(await evaluate(['/a'], { xml: `${lead}<a>x</a>` }), ['x']);
    assert.equal((await refusal(() => evaluate(['/a'], { xml: `${lead}<!DOCTYPE a><a/>` }))).code, 'BAD_XML');
  });
});

describe('several stylesheets over one document', () => {
  const sheet = (body: string): string =>
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>' +
    `<xsl:strip-space elements="*"/><xsl:template match="/">${body}</xsl:template></xsl:stylesheet>`;
  const good = sheet('<xsl:value-of select="count(//b)"/>');
  const endless = sheet(
    `<xsl:variable name="n" select="//* | //@*"/>${'<xsl:for-each select="$n">'.repeat(24)}` +
      `<xsl:if test="false()">x</xsl:if>${'</xsl:for-each>'.repeat(24)}`,
  );

  it('each runs in its order, whatever happened to those before it', async () => {
    const recursion = sheet('<xsl:call-template name="r"/>').replace(
      '</xsl:stylesheet>',
      '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template></xsl:stylesheet>',
    );
    const doubling = sheet(
      '<xsl:call-template name="r"><xsl:with-param name="s" select="\'xxxxxxxxxxxxxxxx\'"/></xsl:call-template>',
    ).replace(
      '</xsl:stylesheet>',
      '<xsl:template name="r"><xsl:param name="s"/><xsl:call-template name="r">' +
        '<xsl:with-param name="s" select="concat($s, $s)"/></xsl:call-template></xsl:template></xsl:stylesheet>',
    );
    const stylesheets = [
      good,
      sheet('<xsl:value-of select="$nothing"/>'),
      recursion,
      doubling,
      '<none/',
      sheet(`<xsl:copy-of select="document('/etc/passwd')"/>`),
      sheet('long long long long long'),
      good,
    ];
    const outputs = await shared.transformEach({ stylesheets, xml: XML, scope: 'staff', outputBytesMax: 20 });
    const reported = outputs.map((made) => ('output' in made ? made.output : made.fault));
    assert.deepEqual(
      [reported[0], reported[1], reported[2], reported[4], reported[5], reported[6], reported[7]],
      ['2', 'failed', 'failed', 'stylesheet', 'outside', 'output', '2'],
    );
    assert.match(String(reported[3]), /^(?:memory|failed)$/);
  });

  it('once enough time has passed, only the first is started', async () => {
    const outputs = await shared.transformEach({
      stylesheets: [good, good, good],
      xml: XML,
      scope: 'staff',
      softDeadlineMs: -1,
    });
    assert.deepEqual(outputs, [{ output: '2' }]);
    assert.equal(
      (
        await shared.transformEach({
          stylesheets: [good, good, good],
          xml: XML,
          scope: 'staff',
          softDeadlineMs: 60_000,
        })
      ).length,
      3,
    );
  });

  it('the one that was running when the time was over is named', async () => {
    const sandbox = sandboxOf({ runMilliseconds: 500, threadsMax: 1 });
    const error = await refusal(() =>
      sandbox.transformEach({ stylesheets: [good, good, endless, good], xml: XML, scope: 'staff' }),
    );
    assert.deepEqual([error.code, error.details], ['BAD_OUTPUT', { index: 2 }], error.message);
  });
});
