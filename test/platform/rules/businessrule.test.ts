import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock, type Clock } from '../../../src/kernel/time/clock.ts';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { refusing, sheet, writing } from '../../support/rules/rules.ts';

let ahead = 0;
/** The system clock, set forward by the tests that need it. */
const clock: Clock = {
  milliseconds: () => systemClock.milliseconds() + ahead,
  now: () => new Date(systemClock.milliseconds() + ahead).toISOString(),
};
const p = await testPlatform({ after }, { clock });

type Fields = Record<string, string | number | boolean>;
let named = 0;

/** Saves a rule under a unique name and returns its ID. */
async function rule(fields: Fields, caller: Caller = p.admin): Promise<number> {
  const answer = await caller.post('/api/businessrule/save?Output=Json', {
    BusinessRule: `rule ${++named}`,
    ...fields,
  });
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['BusinessRuleID']);
}

const retire = async (...ids: readonly number[]): Promise<void> => {
  for (const id of ids)
    assert.equal((await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' })).status, 200);
};
const save = (module: string, fields: Fields, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post(`/api/${module}/save?Output=Json`, fields);
const settings = new Map<string, number>();

async function set(name: string, value: string): Promise<void> {
  const id = settings.get(name);
  const answer = await p.admin.post('/api/setting/save?Output=Json', {
    ...(id === undefined ? {} : { ID: id }),
    Setting: name,
    Value: value,
  });
  assert.equal(answer.status, 200, answer.text);
  settings.set(name, Number(answer.json()['SettingID']));
}

const count = async (table: string): Promise<number> =>
  Number((await p.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n);

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly exceptions: readonly string[];
}

function refusal(answer: TestAnswer, status = 422): Refusal {
  assert.equal(answer.status, status, answer.text);
  const error = answer.json()['Error'] as unknown as Record<string, unknown>;
  return {
    code: String(error['Code']),
    message: String(error['Message']),
    exceptions: error['Exceptions'] as string[],
  };
}

describe('business rules', () => {
  it('RUL-09 every rule is evaluated before an insert or update; all exceptions reach the caller and nothing is saved', async () => {
    const ids = [
      await rule({
        AppliesTo: 'Loan',
        Operation: 'Save',
        Sequence: 2,
        Stylesheet: refusing('LoanItem/UPBAmount &lt; 0', 'The balance is below zero.'),
      }),
      await rule({
        AppliesTo: 'loan',
        Operation: 'insert, UPDATE',
        Sequence: 1,
        Stylesheet: sheet(
          '<xsl:if test="not(LoanItem/Status)">' +
            '<Exception>A loan needs a status.</Exception><Exception>Really.</Exception>' +
            '</xsl:if>',
        ),
      }),
    ];
    const before = await count('loan');
    const refused = refusal(await save('loan', { Loan: '81000001', UPBAmount: -5 }));
    assert.equal(refused.code, 'RULE_EXCEPTION');
    assert.deepEqual(refused.exceptions, ['A loan needs a status.', 'Really.', 'The balance is below zero.']);
    assert.equal(refused.message, 'A loan needs a status. Really. The balance is below zero.');
    assert.equal(await count('loan'), before);
    const xml = await p.admin.post('/api/loan/insert', { Loan: '81000001', UPBAmount: -5 });
    assert.deepEqual(
      parseXml(xml.text).children[0]?.children.map(({ text }) => text),
      ['A loan needs a status.', 'Really.', 'The balance is below zero.'],
    );

    const made = await save('loan', { Loan: '81000001', UPBAmount: 5, Status: 'Open' });
    assert.equal(made.status, 200, made.text);
    const { LoanID } = made.json();
    const changed = refusal(await p.admin.post('/api/loan/update?Output=Json', { ID: Number(LoanID), UPBAmount: -1 }));
    assert.deepEqual(changed.exceptions, ['The balance is below zero.']);
    assert.equal((await p.admin.get(`/api/loan/select?ID=${String(LoanID)}&Output=Json`)).json()['UPBAmount'], 5);
    await retire(...ids);
    assert.equal((await save('loan', { Loan: '81000002', UPBAmount: -5 })).status, 200);
  });

  it('RUL-09 a warning is returned and the call continues', async () => {
    const id = await rule({
      AppliesTo: 'Loan',
      Operation: 'Insert',
      Stylesheet: writing('<Warning>Look at <b>this</b> &amp; that.</Warning>'),
    });
    const answer = await save('loan', { Loan: '81000010' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('x-alerts') ?? '1', '1');
    assert.deepEqual(answer.json()['Alerts'], [{ Code: 'RULE_WARNING', ID: id, Text: 'Look at this & that.' }]);
    await retire(id);
  });

  it('RUL-09 a rule sees the record before and after the change, and the call, without secret values', async () => {
    const made = await save('contact', { LastName: 'Seen', FirstName: 'Old', USSSN: '987654321' });
    const id = await rule({
      AppliesTo: 'Contact',
      Operation: 'Update',
      Stylesheet: sheet(
        '<xsl:if test="ContactItem/FirstName = \'New\'"><xsl:for-each select=". | *"><Exception>' +
          '<xsl:for-each select="@* | */@Name | *[not(*)]">' +
          "<xsl:value-of select=\"concat(name(), '=', ., '; ')\"/>" +
          '</xsl:for-each></Exception></xsl:for-each></xsl:if>',
      ),
    });
    const seen = refusal(
      await p.admin.post('/api/contact/update?Output=Json', {
        ID: Number(made.json()['ContactID']),
        FirstName: 'New',
        USSSN: '123456789',
      }),
    ).exceptions.join('|');
    for (const part of [
      'Operation=Update;',
      'Class=Contact;',
      'Roles=Administrator;',
      'LastName=Seen;',
      'FirstName=New;',
      'FirstName=Old;',
      'USSSN=XXX-XX-6789;',
      'USSSN4=6789;',
      'Name=FirstName;',
      'Contact=Seen, New;',
      'Contact=Seen, Old;',
    ])
      assert.ok(seen.includes(part), `${part} in ${seen}`);
    assert.doesNotMatch(seen, /123456789|987654321/);
    await retire(id);
    const password = await rule({
      AppliesTo: 'Person',
      Operation: 'Insert',
      Stylesheet: sheet('<Exception><xsl:copy-of select="."/></Exception>'),
    });
    const [copy] = refusal(
      await p.admin.post('/api/person/save?Output=Json', {
        Person: 'rules see no password',
        Password: 'a password of theirs',
        Roles: 'Staff',
      }),
    ).exceptions;
    assert.match(copy ?? '', /rules see no password/);
    assert.doesNotMatch(copy ?? '', /a password of theirs/);
    await retire(password);
  });

  it('RUL-09 a rule of a base type also applies to derived types, under the names of the base type', async () => {
    const ids = [
      await rule({
        AppliesTo: 'Process',
        Operation: 'Insert',
        Stylesheet:
          '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">' +
          '<xsl:template match="/ProcessBusinessRuleItem">' +
          '<Exception><xsl:value-of select="concat(@Class, \' \', ProcessItem/Process)"/></Exception>' +
          '</xsl:template></xsl:stylesheet>',
      }),
      await rule({
        AppliesTo: 'Foreclosure',
        Operation: 'Insert',
        Stylesheet: sheet(
          '<Exception><xsl:value-of select="concat(name(), \' \', ForeclosureItem/Foreclosure)"/></Exception>',
        ),
      }),
    ];
    const refused = refusal(await save('foreclosure', { Foreclosure: 'case 7' }));
    assert.deepEqual(refused.exceptions, ['Foreclosure case 7', 'ForeclosureBusinessRuleItem case 7']);
    await retire(...ids);
  });

  it('RUL-09 records that a save changes along with its own are checked too, and a refusal rolls everything back', async () => {
    const id = await rule({
      AppliesTo: 'ContactMethod',
      Operation: 'Save',
      Stylesheet: refusing("ContactMethodItem/ContactValue = 'bad@example.com'", 'Not this address.'),
    });
    const before = await count('contact');
    const body = { LastName: 'Nested', Methods: [{ MethodType: 'Email', ContactValue: 'bad@example.com' }] };
    assert.deepEqual(refusal(await p.admin.post('/api/contact/save?Output=Json', body)).exceptions, [
      'Not this address.',
    ]);
    assert.equal(await count('contact'), before);
    await retire(id);
  });

  it('RUL-09 a named operation, a saved statement and a delete are checked', async () => {
    const loan = Number((await save('loan', { Loan: '81000020', Status: 'Kept' })).json()['LoanID']);
    assert.equal(
      (
        await p.admin.post('/api/statement/save', {
          Statement: 'ByStatus',
          ClassName: 'Loan',
          Query: 'select LoanID from Loan where Status = {State}',
        })
      ).status,
      200,
    );
    const ids = [
      await rule({
        AppliesTo: 'Loan',
        Operation: 'Delete',
        Stylesheet: refusing("LoanItem/Status = 'Kept'", 'It is kept.'),
      }),
      await rule({
        AppliesTo: 'Loan',
        Operation: 'bystatus, Summary',
        Stylesheet: refusing(
          "Parameters/Parameter[@Name = 'State'] = 'Secret' or LoanItem/Status = 'Kept'",
          'Not to be looked at.',
        ),
      }),
    ];
    assert.equal(
      (await p.admin.get(`/api/businessrule/select?ID=${ids[1]}&Output=Json`)).json()['Operation'],
      'ByStatus, Summary',
    );
    assert.deepEqual(refusal(await p.admin.post(`/api/loan/delete?ID=${loan}&Output=Json`)).exceptions, [
      'It is kept.',
    ]);
    assert.deepEqual(refusal(await p.admin.get('/api/loan/bystatus?State=Secret&Output=Json')).exceptions, [
      'Not to be looked at.',
    ]);
    assert.equal((await p.admin.get('/api/loan/bystatus?State=Open')).status, 200);
    assert.deepEqual(refusal(await p.admin.get(`/api/loan/summary?ID=${loan}&Output=Json`)).exceptions, [
      'Not to be looked at.',
    ]);
    assert.equal((await p.admin.get(`/api/loan/select?ID=${loan}`)).status, 200);
    await retire(...ids);
    assert.equal((await p.admin.post(`/api/loan/delete?ID=${loan}`)).status, 200);
  });

  it("RUL-12 only active rules apply, from StartDate to EndDate in the installation's time zone", async () => {
    await set('TimeZone', 'Pacific/Auckland');
    const day = (days: number): string =>
      new Date(clock.milliseconds() + days * 86_400_000).toLocaleDateString('en-CA', { timeZone: 'Pacific/Auckland' });
    const id = await rule({
      AppliesTo: 'Loan',
      Operation: 'Insert',
      Status: 'inactive',
      StartDate: day(1),
      EndDate: day(2),
      Stylesheet: writing('<Exception>no</Exception>'),
    });
    const isRuleRun = async (): Promise<boolean> =>
      (await save('loan', { Loan: String(82_000_000 + ++named) })).status === 422;
    assert.equal((await p.admin.get(`/api/businessrule/select?ID=${id}&Output=Json`)).json()['Status'], 'Inactive');
    ahead = 86_400_000;
    assert.equal(await isRuleRun(), false);
    await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Active' });
    ahead = 0;
    assert.equal(await isRuleRun(), false);
    // Minutes around midnight in the installation's time zone, where the UTC day differs.
    const midnight = Date.parse(`${day(1)}T00:00:00Z`) - offsetOfAuckland(`${day(1)}T00:00:00Z`);
    for (const [at, expected] of [
      [midnight - 60_000, false],
      [midnight + 60_000, true],
      [midnight + 2 * 86_400_000 - 60_000, true],
      [midnight + 2 * 86_400_000 + 60_000, false],
    ] as const) {
      ahead = at - systemClock.milliseconds();
      assert.equal(await isRuleRun(), expected, new Date(at).toISOString());
    }
    ahead = 0;
    assert.equal((await p.admin.post('/api/businessrule/update', { ID: id, EndDate: day(-5) })).status, 400);
    await retire(id);
  });

  it('RUL-09 BusinessRuleEnabled turns rules off and on', async () => {
    const id = await rule({
      AppliesTo: 'Loan',
      Operation: 'Insert',
      Stylesheet: writing('<Exception>never</Exception>'),
    });
    await set('BusinessRuleEnabled', 'false');
    assert.equal((await save('loan', { Loan: '81000030' })).status, 200);
    await set('BusinessRuleEnabled', 'true');
    refusal(await save('loan', { Loan: '81000031' }));
    await retire(id);
  });

  it('RUL-09 cached rules are read again after BusinessRuleCacheDuration even without a notification', async () => {
    const id = await rule({
      AppliesTo: 'Loan',
      Operation: 'Insert',
      Stylesheet: writing('<Exception>remembered</Exception>'),
    });
    await set('BusinessRuleCacheDuration', '10');
    refusal(await save('loan', { Loan: '81000040' }));
    await p.platform.store.script(
      `alter table businessrule disable trigger businessrule_configuration;
       update businessrule set status = 'Inactive' where businessruleid = ${id};
       alter table businessrule enable trigger businessrule_configuration`,
    );
    refusal(await save('loan', { Loan: '81000040' }));
    ahead = 9 * 60_000;
    refusal(await save('loan', { Loan: '81000040' }));
    ahead = 11 * 60_000;
    assert.equal((await save('loan', { Loan: '81000040' })).status, 200);
    ahead = 0;
  });
});

/** Returns how far Auckland's wall clock is ahead of UTC at an instant, in milliseconds; daylight time changes it. */
function offsetOfAuckland(iso: string): number {
  const wall = new Date(iso).toLocaleString('sv-SE', { timeZone: 'Pacific/Auckland' });
  return Date.parse(`${wall.replace(' ', 'T')}Z`) - Date.parse(iso);
}
