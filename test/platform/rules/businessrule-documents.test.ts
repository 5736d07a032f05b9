import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { refusing, sheet, writing } from '../../support/rules/rules.ts';

const p = await testPlatform({ after });
const elsewhere = await testPlatform({ after });

type Fields = Record<string, string | number>;
let named = 0;
const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
};
const saveRule = (fields: Fields): Promise<TestAnswer> =>
  p.admin.post('/api/businessrule/save?Output=Json', {
    BusinessRule: `rule ${++named}`,
    AppliesTo: 'Property',
    Operation: 'Insert',
    ...fields,
  });
const rule = async (fields: Fields): Promise<number> => Number(ok(await saveRule(fields)).json()['BusinessRuleID']);
const selected = async (id: number): Promise<Record<string, unknown>> =>
  ok(await p.admin.get(`/api/businessrule/select?ID=${id}&Output=Json`)).json();
const documentOf = (id: number, fileName: string, text: string | Uint8Array, more: Fields = {}): Fields => ({
  ...('ID' in more ? {} : { Object: 'BusinessRule', ObjectID: id }),
  FileName: fileName,
  Content: Buffer.from(text).toString('base64'),
  ...more,
});
const attachAs = (caller: Caller, document: Fields): Promise<TestAnswer> =>
  caller.post('/api/attachment/save?Output=Json', document);
const attach = (...document: Parameters<typeof documentOf>): Promise<TestAnswer> =>
  attachAs(p.admin, documentOf(...document));

interface Document extends Record<string, unknown> {
  readonly id: number;
  readonly name: string;
}
const documents = (id: number): Promise<Document[]> =>
  p.platform.store.query<Document>(
    `select attachmentid as id, filename as name from attachment
     where object = 'BusinessRule' and objectid = $1::bigint
     order by 1`,
    [id],
  );
const download = async (id: number | undefined): Promise<string> =>
  (await p.admin.get(`/api/attachment/download?ID=${id}`)).text;

describe('the stylesheet of a business rule as a document', () => {
  it('RUL-12 saving a rule with a stylesheet keeps one document on the rule, however often the stylesheet changes', async () => {
    const id = await rule({ BusinessRule: 'a/b "Größe"', Stylesheet: writing('<a>é</a>') });
    const [first] = await documents(id);
    assert.deepEqual([first?.name, await download(first?.id)], ['a b Größe.xslt', writing('<a>é</a>')]);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Stylesheet: writing('<b/>') }));
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Description: 'no other text' }));
    const after = await documents(id);
    assert.deepEqual(
      after.map((d) => d.id),
      [first?.id],
    );
    assert.equal(await download(first?.id), writing('<b/>'));
  });

  it('RUL-12 a document put on a rule becomes its stylesheet, in any encoding; a document that is not a stylesheet is refused', async () => {
    const id = await rule({});
    assert.equal((await selected(id))['Status'], 'Inactive');
    ok(await attach(id, 'notes.txt', 'not a rule'));
    assert.equal((await selected(id))['Stylesheet'], undefined);
    const text = `<?xml version="1.0"?>\n${refusing("PropertyItem/City = 'É'", 'No É.')}`;
    ok(await attach(id, 'rule.XSL', Buffer.from(`\ufeff${text}`, 'utf16le')));
    assert.equal((await selected(id))['Stylesheet'], text);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Active' }));
    assert.equal((await p.admin.post('/api/property/save', { City: 'É' })).status, 422);
    for (const [content, code] of [
      ['<b', 'BAD_STYLESHEET'],
      [sheet('<xsl:value-of select="a["/>'), 'BAD_STYLESHEET'],
      ['<!DOCTYPE x><x/>', 'BAD_XML'],
      ['', 'BAD_PARAMETER'],
    ] as const) {
      const refused = await attach(id, 'other.xslt', content);
      assert.ok(refused.status >= 400 && refused.status < 500, `${content}: ${refused.text}`);
      assert.ok(refused.text.includes(code) || code === 'BAD_PARAMETER', refused.text);
      assert.equal((await selected(id))['Stylesheet'], text);
    }
    assert.equal((await documents(id)).length, 2);
    assert.equal((await attach(id, 'huge.xslt', 'x'.repeat(2_000_000))).status, 413);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' }));
  });

  it('RUL-12 an active rule cannot lose its document; deleting that of an inactive rule clears its stylesheet', async () => {
    const id = await rule({ Stylesheet: writing('<a/>') });
    const [document] = await documents(id);
    const refused = await p.admin.post(`/api/attachment/delete?ID=${document?.id}`);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /stylesheet of an active business rule/);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' }));
    ok(await p.admin.post(`/api/attachment/delete?ID=${document?.id}`));
    assert.equal((await selected(id))['Stylesheet'], undefined);
    assert.equal((await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Active' })).status, 400);
  });

  it('RUL-12 the permission to attach documents allows neither changing a rule through them nor reading one', async () => {
    const id = await rule({ Stylesheet: refusing("PropertyItem/City = 'X'", 'No X.') });
    const [document] = await documents(id);
    const staff = await p.user('staff of rules', 'Staff');
    for (const more of [{}, { ID: Number(document?.id) }])
      assert.equal((await attachAs(staff.caller, documentOf(id, 'mine.xslt', writing('<a/>'), more))).status, 403);
    assert.equal((await documents(id)).length, 1);
    for (const [path, fields] of [
      ['select', { ID: id }],
      ['save', { ID: id, Status: 'Inactive' }],
      ['try', { ID: id }],
    ] as const)
      assert.equal((await staff.caller.post(`/api/businessrule/${path}`, fields)).status, 403, path);
    const partner = await p.firm('Cedar Law');
    assert.equal((await partner.caller.get(`/api/businessrule/select?ID=${id}`)).status, 403);
    assert.equal((await partner.caller.get(`/api/attachment/download?ID=${document?.id}`)).status, 404);
    assert.equal((await partner.caller.post('/api/property/save', { City: 'X' })).text.includes('xsl:'), false);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' }));
  });

  it('RUL-12 export and import carry a rule to another installation with its stylesheet, which has a document there', async () => {
    const id = await rule({
      BusinessRule: 'travels',
      Stylesheet: refusing("PropertyItem/City = 'Moved'", 'Moved too.'),
    });
    const exported = ok(await p.admin.get(`/api/businessrule/export?ID=${id}`)).text;
    for (let time = 0; time < 2; time++)
      ok(await elsewhere.admin.post('/api/businessrule/import', exported, { 'Content-Type': 'text/xml' }));
    const rows = await elsewhere.platform.store.query<{ files: number }>(
      `select (select count(*)::integer from attachment a
               where a.object = 'BusinessRule' and a.objectid = r.businessruleid) as files
       from businessrule r
       where businessrule = 'travels'`,
    );
    assert.deepEqual(
      rows.map(({ files }) => files),
      [1],
    );
    assert.match((await elsewhere.admin.post('/api/property/save', { City: 'Moved' })).text, /Moved too\./);
    ok(await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' }));
  });
});

describe('trying a business rule', () => {
  const attempt = (fields: Fields): Promise<TestAnswer> => p.admin.post('/api/businessrule/try?Output=Json', fields);
  const tried = async (fields: Fields): Promise<Record<string, unknown>> =>
    ok(await attempt(fields)).json()['BusinessRuleTry'] as unknown as Record<string, unknown>;

  it('RUL-12 returns what the rule would report for a record or for given values, and its input, and saves nothing', async () => {
    const text = sheet(
      '<Out><xsl:if test="PropertyItem/City = \'Try\'"><Exception>No.</Exception></xsl:if>' +
        '<Warning>' +
        "<xsl:value-of select=\"concat(@Operation, ' ', Before/@City, ' ', PropertyItem/State)\"/>" +
        '</Warning></Out>',
    );
    const id = await rule({ Status: 'Inactive', Operation: 'Save', Stylesheet: text });
    const property = Number(
      ok(await p.admin.post('/api/property/save?Output=Json', { City: 'Was', State: 'CA' })).json()['PropertyID'],
    );
    const before = await p.platform.store.query('select * from property order by 1');
    const change = await tried({ ID: id, RecordID: property, City: 'Try' });
    assert.deepEqual(
      [change['Outcome'], change['Exceptions'], change['Warnings'], change['Output']],
      [
        'Refused',
        ['No.'],
        ['Update Was CA'],
        '<Out><Exception>No.</Exception><Warning>Update Was CA</Warning></Out>\n',
      ],
    );
    assert.equal(typeof change['Milliseconds'], 'number');
    const input = parseXml(String(change['Input']));
    assert.deepEqual(
      [input.name, input.attributes['Operation'], input.children.map(({ name }) => name)],
      ['PropertyBusinessRuleItem', 'Update', ['PropertyItem', 'Before', 'Parameters']],
    );
    assert.deepEqual(
      input.children[2]?.children.map(({ attributes, text: value }) => [attributes['Name'], value]),
      [['City', 'Try']],
    );
    const insert = await tried({ ID: id, City: 'Other', State: 'TX' });
    assert.deepEqual([insert['Outcome'], insert['Warnings']], ['Passed', ['Insert TX']]);
    assert.deepEqual(await p.platform.store.query('select * from property order by 1'), before);
  });

  it('RUL-12 runs an unsaved stylesheet, reports faults with their line, and refuses unknown records and rules', async () => {
    const failing = await tried({
      AppliesTo: 'Property',
      Stylesheet: sheet('\n<xsl:value-of select="count(\'x\')"/>'),
    });
    assert.equal(failing['Outcome'], 'Failed');
    assert.match(String(failing['Failure']), /line 2/);
    for (const [fields, status, message] of [
      [{}, 400, /ID: name the rule/],
      [{ Stylesheet: writing('x') }, 400, /ID: name the rule/],
      [{ AppliesTo: 'Property', Stylesheet: '<b' }, 400, /Stylesheet/],
      [{ ID: 999_999 }, 404, /BusinessRule/],
      [
        { AppliesTo: 'Property', Stylesheet: writing('x'), RecordID: 999_999 },
        404,
        /RecordID: Property 999999 not found/,
      ],
      [{ AppliesTo: 'Property', Stylesheet: writing('x'), Citty: 'x' }, 400, /Citty/],
    ] as const) {
      const answer = await attempt(fields);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, message);
    }
  });
});
