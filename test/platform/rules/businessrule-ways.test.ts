import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectRefused } from '../../support/client.ts';
import { httpAgent } from '../../support/mcp/agent.ts';
import { batchEnded, batchRows, insertContacts, makeBatch } from '../../support/imports/batches.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { foreclosure, referralFirm, saveSampleTemplates, setSetting } from '../../support/imports/referrals.ts';
import { refusing, sheet } from '../../support/rules/rules.ts';

const p = await testPlatform({ after }, { worker: true });
await saveSampleTemplates(p.admin);
const firm = await referralFirm(p, 'Alder Law');

let named = 0;
async function rule(fields: Record<string, string | number>): Promise<number> {
  const answer = await p.admin.post('/api/businessrule/save?Output=Json', {
    BusinessRule: `rule ${++named}`,
    ...fields,
  });
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['BusinessRuleID']);
}
const retire = async (id: number): Promise<void> =>
  assert.equal((await p.admin.post('/api/businessrule/update', { ID: id, Status: 'Inactive' })).status, 200);
const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
};
const count = async (table: string, where: string): Promise<number> =>
  Number(
    (await p.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table} where ${where}`))[0]?.n,
  );

describe('no way around business rules', () => {
  it("RUL-09 a refused row of an import is reported as that row's error, in the rule's words; the other rows are saved", async () => {
    const id = await rule({
      AppliesTo: 'Property',
      Operation: 'Insert',
      Stylesheet: refusing("PropertyItem/City = 'Nowhere'", 'There is no such city.'),
    });
    ok(
      await p.admin.post('/api/importfiletemplate/save', {
        ImportFileTemplate: 'Ruled',
        AppliesTo: 'Property',
        ImportEngine: 'DelimitedEngine',
      }),
    );
    const answer = await p.admin.send(
      'POST',
      '/api/importfile/importbyobject?Output=Json&Template=Ruled',
      'Address,City\n1 Rule Way,Alder\n2 Rule Way,Nowhere\n3 Rule Way,Birch\n',
      { 'Content-Type': 'text/csv' },
    );
    const { ImportResults: results } = answer.json() as unknown as {
      ImportResults: {
        SuccessCount: number;
        ErrorCount: number;
        Result: readonly { Status: string; Message?: string }[];
      };
    };
    assert.deepEqual([results.SuccessCount, results.ErrorCount], [2, 1], answer.text);
    assert.match(String(results.Result.find(({ Status }) => Status === 'Error')?.Message), /There is no such city\./);
    assert.equal(await count('property', 'address like \'% Rule Way\' collate "C"'), 2);
    await retire(id);
  });

  it('RUL-09 a refused nested record of a referral has its own Result; a refused case takes all its nested records with it', async () => {
    const hello =
      '<Messages><MessageItem>' +
      '<Template>Case Note</Template><Message>Forbidden</Message><BodyText>x</BodyText>' +
      '</MessageItem></Messages>';
    const nested = await rule({
      AppliesTo: 'Message',
      Operation: 'Insert',
      Stylesheet: refusing("MessageItem/Message = 'Forbidden'", 'This is not said.'),
    });
    const first = await firm.send('foreclosure', foreclosure({ subscriberId: 'ways-1', rest: hello }));
    const [message] = first.of('Message');
    assert.deepEqual([message?.status, message?.message?.includes('This is not said.')], ['Error', true], first.text);
    assert.equal(await count('message', "message = 'Forbidden'"), 0);
    assert.ok(first.caseId > 0);
    await retire(nested);
    const whole = await rule({
      AppliesTo: 'Process',
      Operation: 'Insert',
      Stylesheet: refusing("@OrganizationID and ProcessItem/Status = 'Open'", 'No new cases today.'),
    });
    const before = await count('loan', 'true');
    const second = await firm.send('foreclosure', foreclosure({ subscriberId: 'ways-2', rest: hello }));
    assert.equal(second.http, 500, second.text);
    assert.match(second.text, /No new cases today\./);
    assert.equal(await count('process', "process = 'ways-2'"), 0);
    assert.equal(await count('loan', 'true'), before);
    assert.equal(await count('message', "message = 'Forbidden'"), 0);
    await retire(whole);
  });

  it("RUL-09 a warning about a row of an import or a record of a referral is returned in that item's Result", async () => {
    const ids = [
      await rule({
        AppliesTo: 'Property',
        Operation: 'Save',
        Stylesheet: sheet(
          '<xsl:if test="PropertyItem/City = \'Doubtful\'"><Warning>Look at the city.</Warning></xsl:if>',
        ),
      }),
      await rule({
        AppliesTo: 'Message',
        Operation: 'Insert',
        Stylesheet: sheet('<Warning>Somebody said something.</Warning>'),
      }),
    ];
    const answer = await p.admin.send(
      'POST',
      '/api/importfile/importbyobject?Output=Json&Template=Ruled',
      'Address,City\n11 Warn Way,Alder\n12 Warn Way,Doubtful\n',
      { 'Content-Type': 'text/csv' },
    );
    const { ImportResults: results } = answer.json() as unknown as {
      ImportResults: {
        SuccessCount: number;
        WarningCount: number;
        ErrorCount: number;
        Result: readonly { Status: string; Message?: string }[];
      };
    };
    assert.deepEqual([results.SuccessCount, results.WarningCount, results.ErrorCount], [2, 1, 0], answer.text);
    assert.deepEqual(
      results.Result.map(({ Status, Message }) => [Status, Message]),
      [
        ['Success', undefined],
        ['Warning', 'Look at the city.'],
      ],
    );
    const hello =
      '<Messages><MessageItem>' +
      '<Template>Case Note</Template><Message>Hello</Message><BodyText>x</BodyText>' +
      '</MessageItem></Messages>';
    const referral = await firm.send('foreclosure', foreclosure({ subscriberId: 'ways-5', rest: hello }));
    assert.equal(referral.http, 200, referral.text);
    assert.deepEqual(
      referral.results
        .filter(({ status }) => status !== 'Success')
        .map(({ object, status, message }) => [object, status, message]),
      [['Message', 'Warning', 'Somebody said something.']],
    );
    assert.equal(referral.warnings, 1);
    for (const id of ids) await retire(id);
  });

  it('RUL-09 contacts inserted in bulk are checked one by one', async () => {
    const id = await rule({
      AppliesTo: 'Contact',
      Operation: 'Insert',
      Stylesheet: refusing("ContactItem/LastName = 'Unwanted'", 'Not this person.'),
    });
    const borrowers = ['Tarrow', 'Unwanted'].map(
      (name, i) =>
        `<BorrowerItem><LastName>${name}</LastName><FirstName>A</FirstName>` +
        `<BorrowerType>Primary</BorrowerType><Sequence>${i + 1}</Sequence></BorrowerItem>`,
    );
    const answer = await firm.send('foreclosure', foreclosure({ subscriberId: 'ways-3', borrowers }));
    assert.match(answer.text, /Not this person\./);
    assert.equal(await count('contact', "lastname = 'Unwanted'"), 0);
    await retire(id);
  });

  it("RUL-09 a queued save, a row of a batch and an agent's change are checked when they are made", async () => {
    const id = await rule({
      AppliesTo: 'Contact',
      Operation: 'Save',
      Stylesheet: refusing("ContactItem/MiddleName = 'forbidden'", 'Not this name.'),
    });
    const queued = await p.admin.post('/api/contact/queue/save?Output=Json', {
      LastName: 'Queued',
      MiddleName: 'forbidden',
    });
    assert.equal(queued.status, 202, queued.text);
    const message = await eventually(
      'the queued call has failed',
      async () => {
        const state = (await p.admin.get(`/api/queue/status?ID=${String(queued.json()['QueueMessageID'])}&Output=Json`))
          .text;
        return state.includes('Not this name.') ? state : undefined;
      },
      20_000,
    );
    assert.match(message, /RULE_EXCEPTION|Not this name/);
    await insertContacts(p, 'Batched', 3);
    const made = await makeBatch(p.admin, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Batched',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName=forbidden',
    });
    await batchEnded(p, made.ImportFileID);
    const rows = await batchRows(p, made.ImportFileID);
    assert.equal(rows.length, 3);
    for (const row of rows) assert.match(String(row.message), /Not this name\./);
    await setSetting(p.admin, 'AgentWrites', 'true');
    const { key } = await p.user('ruled', 'Administrator');
    const agent = await httpAgent({ after }, p.url, { 'X-ApiKey': key });
    const reply = await agent.use('run_write_operation', {
      operation: 'contact/save',
      parameters: { LastName: 'Agent', MiddleName: 'forbidden' },
    });
    assert.equal(reply.isError, true);
    assert.match(reply.text, /Not this name\./);
    assert.equal(await count('contact', "middlename = 'forbidden'"), 0);
    await retire(id);
  });

  it('RUL-09 rolling a record back is checked too', async () => {
    const loan = Number(
      ok(await p.admin.post('/api/loan/save?Output=Json', { Loan: '85000001', Status: 'Old' })).json()['LoanID'],
    );
    const at = new Date(Date.now() + 2).toISOString();
    await eventually('the clock has advanced', async () => (Date.now() > Date.parse(at) + 2 ? true : undefined));
    ok(await p.admin.post('/api/loan/update', { ID: loan, Status: 'New' }));
    const id = await rule({
      AppliesTo: 'Loan',
      Operation: 'Update',
      Stylesheet: refusing("LoanItem/Status = 'Old' and Before/@Status = 'New'", 'There is no way back.'),
    });
    const undone = await p.admin.post('/api/loan/rollback?Output=Json', { ID: loan, At: at });
    assert.equal(undone.status, 422, undone.text);
    assert.match(undone.text, /There is no way back\./);
    await retire(id);
  });

  it('RUL-09 a rule sees only what its caller can access, and who the caller is', async () => {
    const id = await rule({
      AppliesTo: 'Foreclosure',
      Operation: 'Update, Select',
      Stylesheet: sheet(
        '<Exception>' +
          "<xsl:value-of select=\"concat(@OrganizationID, '/', @Roles, '/', ForeclosureItem/Foreclosure)\"/>" +
          '</Exception>',
      ),
    });
    const made = await firm.send('foreclosure', foreclosure({ subscriberId: 'ways-4', caseNumber: 'RC-4' }));
    const select = (caller: Caller): Promise<TestAnswer> =>
      caller.get(`/api/foreclosure/select?ID=${made.caseId}&Output=Json`);
    assert.match((await select(firm.caller)).text, new RegExp(`"${firm.organizationId}/Partner/RC-4"`));
    assert.match((await select(p.admin)).text, /"\/Administrator\/RC-4"/);
    const other = await p.firm('Birch Law');
    // No rule is evaluated for a record that the caller cannot see.
    const refused = await select(other.caller);
    assert.equal(refused.status, 404, refused.text);
    assert.doesNotMatch(refused.text, /Partner/);
    await retire(id);
    const { message } = await expectRefused(select(other.caller), 'NOT_FOUND');
    assert.ok(refused.text.includes(message));
  });
});
