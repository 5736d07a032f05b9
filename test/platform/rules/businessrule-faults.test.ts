import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR } from '../../../src/contracts/rule-validator.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { ThreadSandbox } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { XsltRuleValidator } from '../../../src/providers/rule-validator/xslt/xslt-rule-validator.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { refusing, sheet, writing } from '../../support/rules/rules.ts';
import { secondPlatform } from '../../support/second-platform.ts';

const p = await testPlatform({ after });
const second = await secondPlatform({ after }, p);
/** The same validator with one thread, no waiting line and a short time limit. */
const narrow = new ThreadSandbox(silentLog, { threadsMax: 1, waitingMax: 0, runMilliseconds: 700 });
after(() => narrow.stop());
p.platform.providers.register(RULE_VALIDATOR, 'NarrowXslt', new XsltRuleValidator(narrow));

type Fields = Record<string, string | number>;
let named = 0;

const saveRule = (fields: Fields, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post('/api/businessrule/save?Output=Json', {
    BusinessRule: `rule ${++named}`,
    AppliesTo: 'Loan',
    Operation: 'Save',
    ...fields,
  });
async function rule(fields: Fields): Promise<number> {
  const answer = await saveRule(fields);
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['BusinessRuleID']);
}
async function retire(...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const answer = await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' });
    assert.equal(answer.status, 200, answer.text);
  }
}
const saveLoan = (fields: Fields = {}, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post('/api/loan/save?Output=Json', { Loan: String(83_000_000 + ++named), ...fields });

function errorOf(answer: TestAnswer, status: number): Record<string, unknown> {
  assert.equal(answer.status, status, answer.text);
  return answer.json()['Error'] as unknown as Record<string, unknown>;
}

const endless = sheet(
  [
    '<xsl:variable name="n" select="//*"/>',
    '<xsl:for-each select="$n">'.repeat(24),
    '<xsl:if test="false()">x</xsl:if>',
    '</xsl:for-each>'.repeat(24),
  ].join(''),
);
const template = (text: string, more: string): string => text.replace('</xsl:stylesheet>', `${more}</xsl:stylesheet>`);

describe('faults of business rules', () => {
  it('RUL-12 saving an invalid rule is refused, with the line of its stylesheet', async () => {
    const broken: readonly (readonly [Fields, number, string, RegExp])[] = [
      [{ Stylesheet: sheet('\n\n<xsl:value-of select="a["/>') }, 400, 'BAD_STYLESHEET', /line 3/],
      [{ Stylesheet: sheet('\n<b>') }, 400, 'BAD_STYLESHEET', /[Ll]ine 2/],
      [{ Stylesheet: `<!DOCTYPE x>${writing('x')}` }, 400, 'BAD_STYLESHEET', /DOCTYPE/],
      [
        { Stylesheet: sheet('<xsl:value-of select="document(\'/etc/passwd\')"/>') },
        400,
        'BAD_STYLESHEET',
        /document\(\)/,
      ],
      [
        {
          Stylesheet: writing('x').replace('<xsl:output', '<xsl:include href="http://127.0.0.1/x"/><xsl:output'),
        },
        400,
        'BAD_STYLESHEET',
        /must be one document/,
      ],
      [{ Stylesheet: writing('x').replace('1.0', '2.0') }, 400, 'BAD_STYLESHEET', /version/],
      [{ Status: 'Active' }, 400, 'MISSING_PARAMETER', /Stylesheet is required for an active rule/],
      [{ Stylesheet: writing('x'), AppliesTo: 'Lown' }, 400, 'BAD_PARAMETER', /Loan/],
      [{ Stylesheet: writing('x'), AppliesTo: '' }, 400, 'MISSING_PARAMETER', /AppliesTo/],
      [{ Stylesheet: writing('x'), AppliesTo: 'BusinessRule' }, 400, 'BAD_PARAMETER', /could never be removed/],
      [
        { Stylesheet: writing('x'), AppliesTo: 'SecurityLog' },
        400,
        'BAD_PARAMETER',
        /users cannot save SecurityLog records/,
      ],
      [{ Stylesheet: writing('x'), Operation: 'Insert, Upsert' }, 400, 'BAD_PARAMETER', /found Upsert/],
      [
        { Stylesheet: writing('x'), Operation: 'Saved' },
        400,
        'BAD_PARAMETER',
        /found Saved \(did you mean Save(?!.*Save)/,
      ],
      [{ Stylesheet: writing('x'), Operation: ' , ' }, 400, 'MISSING_PARAMETER', /Operation is required/],
      [{ Stylesheet: writing('x'), Status: 'Maybe' }, 400, 'BAD_PARAMETER', /one of Active, Inactive/],
      [{ Stylesheet: writing('x'), RuleValidator: 'XsltRuleValidatr' }, 422, 'UNKNOWN_PROVIDER', /XsltRuleValidator/],
    ];
    for (const [fields, status, code, message] of broken) {
      const error = errorOf(await saveRule(fields), status);
      assert.equal(error['Code'], code, JSON.stringify(fields));
      assert.match(String(error['Message']), message);
    }
    assert.equal((await p.platform.store.query('select from businessrule')).length, 0);
    assert.equal((await p.platform.store.query("select from attachment where object = 'BusinessRule'")).length, 0);
  });

  it('RUL-09 a rule that loops, recurses, exhausts memory or floods its output is stopped and named, and the save refused; the next save works', async () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['loops', endless, /took longer than 0\.7 s/],
      [
        'recurses',
        template(
          sheet('<xsl:call-template name="r"/>'),
          '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template>',
        ),
        /infinite template recursion/,
      ],
      [
        'bombs',
        template(
          sheet(
            '<xsl:call-template name="r"><xsl:with-param name="s" select="\'xxxxxxxxxxxxxxxx\'"/></xsl:call-template>',
          ),
          '<xsl:template name="r"><xsl:param name="s"/>' +
            '<xsl:call-template name="r"><xsl:with-param name="s" select="concat($s, $s)"/></xsl:call-template>' +
            '</xsl:template>',
        ),
        /memory|failed/,
      ],
      [
        'floods',
        template(
          sheet(
            '<Warning><xsl:call-template name="r">' +
              '<xsl:with-param name="s" select="\'0123456789abcdefghij\'"/></xsl:call-template></Warning>',
          ),
          '<xsl:template name="r"><xsl:param name="s"/><xsl:choose>' +
            '<xsl:when test="string-length($s) &gt; 20000000"><xsl:value-of select="$s"/></xsl:when>' +
            '<xsl:otherwise>' +
            '<xsl:call-template name="r"><xsl:with-param name="s" select="concat($s, $s)"/></xsl:call-template>' +
            '</xsl:otherwise></xsl:choose></xsl:template>',
        ),
        /made more than 1048576 bytes/,
      ],
      ['fails', sheet('<xsl:value-of select="$nothing"/>'), /nothing/],
      ['stops', sheet('<xsl:message terminate="yes">no further</xsl:message>'), /no further/],
      [
        'writes no XML',
        sheet('<xsl:text disable-output-escaping="yes">&lt;Exception>half</xsl:text>'),
        /output cannot be read/,
      ],
    ];
    for (const [what, Stylesheet, message] of cases) {
      const ids = [
        await rule({ RuleValidator: 'NarrowXslt', Sequence: 1, Stylesheet: writing('<Warning>first</Warning>') }),
        await rule({ RuleValidator: 'NarrowXslt', BusinessRule: `it ${what}`, Sequence: 2, Stylesheet }),
      ];
      const before = await p.platform.store.query('select from loan');
      const error = errorOf(await saveLoan(), 422);
      assert.equal(error['Code'], 'RULE_FAILED', what);
      assert.match(String(error['Message']), message);
      assert.match(String(error['Message']), new RegExp(`The business rule "it ${what}" could not be run`));
      assert.match(JSON.stringify(error), new RegExp(`"BusinessRuleIDs":\\[${ids[1]}\\]`));
      assert.equal((await p.platform.store.query('select from loan')).length, before.length);
      await retire(Number(ids[1]));
      const next = await saveLoan();
      assert.equal(next.status, 200, next.text);
      assert.equal((next.json()['Alerts'] as unknown as unknown[]).length, 1, what);
      await retire(Number(ids[0]));
    }
  });

  it("RUL-09 a rule's messages are plain text of limited length, with social security numbers masked", async () => {
    const id = await rule({
      Stylesheet: sheet(
        '<out><x:EXCEPTION xmlns:x="urn:x"><b onclick="x">Number</b> 123-45-6789, ' +
          '<Exception>987654321</Exception> &lt;i&gt;</x:EXCEPTION><exception/>' +
          `<Exception>${'long '.repeat(1_000)}</Exception></out>`,
      ),
    });
    const answer = await saveLoan();
    assert.doesNotMatch(answer.text, /123-45-6789|987654321|<b|onclick/);
    const exceptions = errorOf(answer, 422)['Exceptions'] as string[];
    assert.deepEqual(exceptions.slice(0, 2), [
      'Number XXX-XX-6789, XXXXX4321 <i>',
      'The rule refuses it and does not say why.',
    ]);
    assert.equal(exceptions[2]?.length, 1_000);
    await retire(id);
  });

  it('RUL-12 a rule that has become invalid is never skipped: the save names it, and it can be made inactive', async () => {
    const id = await rule({ BusinessRule: 'spoilt', Stylesheet: writing('x') });
    for (const [set, message] of [
      ['stylesheet = null', /"spoilt" could not be run: it has no stylesheet/],
      ["stylesheet = '<xsl:stylesheet'", /"spoilt" could not be run: it .*not well-formed/],
      ["rulevalidator = 'GoneXslt'", /"spoilt" could not be run: there is no provider GoneXslt/],
    ] as const) {
      await p.platform.store.query(`update businessrule set ${set} where businessruleid = $1::bigint`, [id]);
      p.platform.configuration.expire();
      const error = errorOf(await saveLoan(), 422);
      assert.equal(error['Code'], 'RULE_FAILED');
      assert.match(String(error['Message']), message);
      assert.match(String(error['Message']), /businessrule\/try, or set its Status to Inactive/);
    }
    await retire(id);
    assert.equal((await saveLoan()).status, 200);
    assert.equal(
      errorOf(await p.admin.post('/api/businessrule/update?Output=Json', { ID: id, Status: 'Active' }), 422)['Code'],
      'UNKNOWN_PROVIDER',
    );
  });

  it('RUL-09 without a free thread the save is refused with 503 and a time to try again', async () => {
    const ids = [
      await rule({
        RuleValidator: 'NarrowXslt',
        Stylesheet: refusing("LoanItem/Status = 'Slow'", 'slow'),
        AppliesTo: 'Property',
      }),
      await rule({ RuleValidator: 'NarrowXslt', Stylesheet: endless }),
    ];
    await narrow.transform({ stylesheet: writing('<a/>'), xml: '<a/>', scope: 'staff', wellFormed: false });
    const first = saveLoan();
    const busy = await eventually('the thread is busy', async () => {
      const answer = await p.admin.post('/api/property/save?Output=Json', { Address: 'somewhere' });
      return answer.status === 200 ? undefined : answer;
    });
    const error = errorOf(busy, 503);
    assert.equal(error['Code'], 'UNAVAILABLE');
    assert.match(String(error['Message']), /business rules of Property cannot be evaluated now/);
    assert.ok(Number(busy.headers.get('retry-after')) > 0);
    assert.equal((await first).status, 422);
    await retire(...ids);
  });

  it("RUL-12 a change on one node reaches another within a second, also a change of the rule's document", async () => {
    const there = (path: string, body: Fields): Promise<Response> =>
      fetch(`${second.url}${path}`, {
        method: 'POST',
        headers: { 'X-ApiKey': 'the-administrators-key-of-tests', 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const loan = async (): Promise<number> =>
      (await there('/api/loan/save', { Loan: String(84_000_000 + ++named) })).status;
    assert.equal(await loan(), 200);
    const id = await rule({ Stylesheet: writing('<Exception>no</Exception>') });
    const seen = (status: number): Promise<boolean> =>
      eventually('the other node has the change', async () => ((await loan()) === status ? true : undefined), 1_000);
    await seen(422);
    const [document] = await p.platform.store.query<{ id: number }>(
      "select attachmentid as id from attachment where object = 'BusinessRule' and objectid = $1::bigint",
      [id],
    );
    const changed = await p.admin.post('/api/attachment/save?Output=Json', {
      ID: Number(document?.id),
      FileName: 'other.xslt',
      Content: Buffer.from(writing('<Warning>well</Warning>')).toString('base64'),
    });
    assert.equal(changed.status, 200, changed.text);
    await seen(200);
    await retire(id);
  });

  it('RUL-09 a hundred rules on a table are evaluated in their order', async () => {
    await p.platform.store.query(
      `insert into businessrule (businessrule, status, appliesto, operation, sequence, stylesheet)
       select 'many ' || n, 'Active', 'Property', 'Insert', 1000 - n, replace($1::text, 'N', n::text)
       from generate_series(1, 100) n`,
      [writing('<Exception>number N</Exception>')],
    );
    p.platform.configuration.expire();
    const error = errorOf(await p.admin.post('/api/property/save?Output=Json', { Address: 'x' }), 422);
    assert.deepEqual(
      error['Exceptions'],
      Array.from({ length: 100 }, (_, i) => `number ${100 - i}`),
    );
    await p.platform.store.query(
      `insert into businessrule (businessrule, status, appliesto, operation)
       select 'more ' || n, 'Active', 'Property', 'Insert' from generate_series(1, 100) n`,
    );
    assert.match(
      String(errorOf(await saveRule({ AppliesTo: 'Property', Stylesheet: writing('x') }), 422)['Message']),
      /200 active rules/,
    );
    await p.platform.store.query("delete from businessrule where appliesto = 'Property'");
    p.platform.configuration.expire();
  });

  it('RUL-09 warnings of a save with many records are returned up to a limit, with a note that there were more', async () => {
    const id = await rule({
      AppliesTo: 'ContactMethod',
      Operation: 'Save',
      Stylesheet: sheet(Array.from({ length: 90 }, (_, i) => `<Warning>warning ${i}</Warning>`).join('')),
    });
    const answer = await p.admin.post('/api/contact/save?Output=Json', {
      LastName: 'Warned',
      Methods: Array.from({ length: 12 }, (_, i) => ({ MethodType: 'Email', ContactValue: `number${i}@example.com` })),
    });
    assert.equal(answer.status, 200, answer.text);
    const alerts = answer.json()['Alerts'] as unknown as { Code: string }[];
    assert.deepEqual([alerts.length, alerts.at(-1)?.Code, alerts.at(-2)?.Code], [1_001, 'MORE_ALERTS', 'RULE_WARNING']);
    await retire(id);
  });

  it('RUL-09 writing the same amount in another notation is no change for a rule', async () => {
    const loan = (await saveLoan({ UPBAmount: 5, OriginalBalance: '7.50' })).json();
    const id = await rule({
      Operation: 'Update',
      Stylesheet: refusing(
        'LoanItem/UPBAmount != Before/@UPBAmount or LoanItem/OriginalBalance != Before/@OriginalBalance' +
          ' or count(LoanItem/*) != count(Before/@*)',
        'It is another.',
      ),
    });
    const update = (fields: Fields): Promise<TestAnswer> =>
      p.admin.post('/api/loan/update?Output=Json', { ID: Number(loan['LoanID']), ...fields });
    const same = await update({ UPBAmount: '5.0000', OriginalBalance: '7.5' });
    assert.equal(same.status, 200, same.text);
    assert.equal((await update({ UPBAmount: '5.01' })).status, 422);
    assert.equal((await update({ Status: 'One more column' })).status, 422);
    await retire(id);
  });

  it('RUL-09 while a rule is being deleted, each save is either refused by it or succeeds', async () => {
    const id = await rule({ Stylesheet: writing('<Exception>while it lasts</Exception>') });
    const saves = Promise.all(
      Array.from({ length: 4 }, async () => {
        const statuses: number[] = [];
        while (!statuses.includes(200) && statuses.length < 1_000) statuses.push((await saveLoan()).status);
        return statuses;
      }),
    );
    assert.equal((await p.admin.post(`/api/businessrule/delete?ID=${id}`)).status, 200);
    for (const statuses of await saves)
      for (const status of statuses) assert.ok(status === 200 || status === 422, String(status));
    assert.equal((await saveLoan()).status, 200);
  });

  it('RUL-12 a rule runs in the validator that it names, each validator called once with all of its rules', async () => {
    assert.ok(p.platform.providers.names(RULE_VALIDATOR).includes(DEFAULT_RULE_VALIDATOR));
    const ids = [
      await rule({ RuleValidator: 'narrowxslt', Sequence: 2, Stylesheet: writing('<Exception>two</Exception>') }),
      await rule({ Sequence: 3, Stylesheet: writing('<Exception>three</Exception>') }),
      await rule({ RuleValidator: 'NarrowXslt', Sequence: 4, Stylesheet: writing('<Exception>four</Exception>') }),
      await rule({ Sequence: 1, Stylesheet: writing('<Exception>one</Exception>') }),
    ];
    assert.equal(errorOf(await saveLoan(), 422)['Message'], 'one. two. three. four.');
    await retire(...ids);
  });
});
