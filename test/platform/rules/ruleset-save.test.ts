import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';

const p = await testPlatform({ after }, { worker: true });
type Row = Record<string, unknown>;

async function ok(answer: Promise<TestAnswer>): Promise<Row> {
  const got = await answer;
  assert.equal(got.status, 200, got.text);
  return got.json();
}
async function refused(
  answer: Promise<TestAnswer>,
  code: string,
  field?: string,
  message: RegExp = /./,
): Promise<void> {
  const got = await answer;
  const error = (got.json() as never as { Error: { Code: string; Field?: string; Message: string } }).Error;
  assert.deepEqual([error.Code, error.Field], [code, field], got.text);
  assert.match(error.Message, message);
}
const rowsOf = (body: Row): Row[] => Object.values(Object.values(body)[0] as Record<string, Row[]>)[0] ?? [];
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  ok(caller.post(`/api/${module}/save?Output=Json`, body));
const search = async (path: string): Promise<Row[]> => rowsOf(await ok(p.admin.get(`/api/${path}&Output=Json`)));

function matrix(
  name: string,
  inputs: readonly string[],
  outputs: readonly string[],
  rows: readonly Readonly<Record<string, string>>[],
): Promise<Row> {
  return save('matrix', {
    Matrix: name,
    Dimensions: inputs.map((MatrixDimension) => ({ MatrixDimension })),
    Measures: outputs.map((MatrixMeasure) => ({ MatrixMeasure })),
    Facts: rows.flatMap((row, at) =>
      Object.entries(row).map(([MatrixFact, Cell]) => ({ MatrixFact, RowNumber: at + 1, Cell })),
    ),
  });
}

await matrix('Set status', ['Loan Type'], ['Status'], [{ 'Loan Type': 'FHA', Status: 'Federal' }]);
await matrix('Set title', ['Last Name'], ['Title'], [{ 'Last Name': 'Owner', Title: 'Titled' }]);

describe('a save with RuleSetMatrix', () => {
  it('RUL-08 insert, update and save apply the rule set to the saved record, and return the record as it is afterwards', async () => {
    const made = await ok(
      p.admin.post('/api/loan/insert?Output=Json', { Loan: '600001', LoanType: 'FHA', RuleSetMatrix: 'Set status' }),
    );
    assert.deepEqual([made['Status'], made['Version']], ['Federal', 2]);
    const updated = await ok(
      p.admin.post('/api/loan/update?Output=Json', { ID: made['LoanID'], Status: 'Mine', RuleSetMatrix: 'set status' }),
    );
    assert.deepEqual([updated['Status'], updated['Version']], ['Federal', 4]);
    const saved = await save('loan', { ID: made['LoanID'], Loan_RuleSetMatrix: 'Set status', Agency: 'North' });
    assert.deepEqual(
      [saved['Status'], saved['Agency'], saved['Version']],
      ['Federal', 'North', 5],
      'saved again only if a value changed',
    );
    const nothing = await save('loan', { ID: made['LoanID'], RuleSetMatrix: '' });
    assert.equal(nothing['Version'], 5);
  });

  it('RUL-08 without a matching row the whole save fails, or succeeds with an alert if RuleSetThrowIfError=false', async () => {
    await refused(
      p.admin.post('/api/loan/save?Output=Json', { Loan: '600002', LoanType: 'VA', RuleSetMatrix: 'Set status' }),
      'RULE_EXCEPTION',
      'RuleSet',
      /no row matches/,
    );
    assert.deepEqual(await search('loan/search?Loan=600002'), []);
    const answer = await p.admin.post('/api/loan/save?Output=Json', {
      Loan: '600002',
      LoanType: 'VA',
      RuleSetMatrix: 'Set status',
      RuleSetThrowIfError: 'false',
    });
    assert.deepEqual([answer.status, answer.headers.get('X-Alerts')], [200, '1'], answer.text);
    await refused(
      p.admin.post('/api/loan/save?Output=Json', { Loan: '600003', RuleSetMatrix: 'No such' }),
      'NOT_FOUND',
      'RuleSet',
    );
    await refused(
      p.admin.post('/api/loan/save?Output=Json', { Loan: '600003', RuleSetUseSummary: true }),
      'MISSING_PARAMETER',
      'RuleSetMatrix',
    );
    await refused(
      p.admin.post('/api/loan/save?Output=Json', {
        Loan: '600003',
        RuleSetMatrix: 'Set status',
        RuleSetThrowIfError: 'perhaps',
      }),
      'BAD_PARAMETER',
      'RuleSetThrowIfError',
    );
  });

  it('RUL-08 among nested records it applies to the record that it is sent with', async () => {
    const made = await save('organization', {
      Organization: 'Of owners',
      Contacts: [{ LastName: 'Owner', RuleSetMatrix: 'Set title' }, { LastName: 'Owner' }],
    });
    const contacts = await search(`contact/search?Object=Organization&ObjectID=${String(made['OrganizationID'])}`);
    assert.deepEqual(
      contacts.map((row) => row['Title']),
      ['Titled', undefined],
    );
    const linked = await save('loan', {
      Loan: '600010',
      Property_State: 'TX',
      Property_RuleSetMatrix: 'Of states',
    }).catch(async () => {
      await matrix('Of states', ['State'], ['County'], [{ State: 'TX', County: 'Travis' }]);
      return save('loan', { Loan: '600010', Property_State: 'TX', Property_RuleSetMatrix: 'Of states' });
    });
    assert.equal((await search(`property/search?ID=${String(linked['PropertyID'])}`))[0]?.['County'], 'Travis');
    const child = await save('contact', {
      Object: 'Loan',
      ObjectID: linked['LoanID'],
      LastName: 'Child',
      Loan_LoanType: 'FHA',
      Loan_RuleSetMatrix: 'Set status',
    });
    assert.equal(child['Title'], undefined);
    assert.equal((await search(`loan/search?ID=${String(linked['LoanID'])}`))[0]?.['Status'], 'Federal');
    await refused(
      p.admin.post('/api/organization/save?Output=Json', {
        Organization: 'Failing',
        Contacts: [{ LastName: 'Nobody', RuleSetMatrix: 'Set title' }],
      }),
      'RULE_EXCEPTION',
      'RuleSet',
    );
    assert.deepEqual(await search('organization/search?Organization=Failing'), []);
  });

  it('RUL-08 with RuleSetUseSummary it sees the children that were saved with the record', async () => {
    await matrix('By owner', ['Last Name'], ['Status'], [{ 'Last Name': 'Owner', Status: 'Owned' }]);
    const made = await save('loan', {
      Loan: '600020',
      Contacts: [{ LastName: 'Owner' }],
      RuleSetMatrix: 'By owner',
      RuleSetUseSummary: true,
    });
    assert.equal(made['Status'], 'Owned');
  });

  it('RUL-08 works from the queue, in a signature and for every record type', async () => {
    assert.equal(
      (
        await p.admin.post('/api/loan/queue/save?Output=Json', {
          Loan: '600030',
          LoanType: 'FHA',
          RuleSetMatrix: 'Set status',
        })
      ).status,
      202,
    );
    await eventually(
      'the queued save applied it',
      async () => (await search('loan/search?Loan=600030'))[0]?.['Status'] === 'Federal',
    );
    const template = { ImportFileTemplate: 'with rules', AppliesTo: 'Loan', ImportEngine: 'DelimitedEngine' };
    await save('importfiletemplate', {
      ...template,
      ResultMethod: 'Loan/Save?ID={LoanID}&RuleSetMatrix=Set status&RuleSetThrowIfError=false',
    });
    await refused(
      p.admin.post('/api/importfiletemplate/save?Output=Json', {
        ...template,
        ResultMethod: 'Loan/Save?RuleSetMatrx=x',
      }),
      'BAD_SIGNATURE',
      'ResultMethod',
    );
    for (const record of p.platform.registry
      .records()
      .filter(({ module }) =>
        p.platform.registry.isGeneric(p.platform.registry.requireRecord(module, 'test'), 'insert'),
      )) {
      const error = (await p.admin.post(`/api/${record.module}/insert?Output=Json`, { RuleSetMatrix: 'No such' })).text;
      assert.doesNotMatch(error, /RuleSetMatrix: .* has no such field/, record.name);
    }
  });

  it('RUL-08 works as a column of imported rows', async () => {
    const csv = 'Loan,LoanType,RuleSetMatrix\n600041,FHA,Set status\n600042,FHA,\n600043,VA,Set status\n';
    await save('importfiletemplate', {
      ImportFileTemplate: 'Ruled loans',
      AppliesTo: 'Loan',
      ImportEngine: 'DelimitedEngine',
    });
    await p.admin.post('/api/importfile/importbyobject?Template=Ruled+loans&Output=Json', Buffer.from(csv), {
      'Content-Type': 'text/csv',
    });
    await eventually('the rows are there', async () => (await search('loan/search?Loan=600042')).length === 1);
    assert.deepEqual(
      (await search('loan/search?Loan=600041&Loan=600042&Loan=600043&OrderBy=Loan')).map((row) => row['Status']),
      ['Federal', undefined],
    );
  });

  it('RUL-05 RUL-08 RUL-09 business rules check what a rule set decides like submitted values, and a refusal saves nothing', async () => {
    const made = await save('loan', { Loan: '600060', LoanType: 'FHA' });
    const rule = await save('businessrule', {
      BusinessRule: 'no federal',
      AppliesTo: 'Loan',
      Operation: 'Save',
      Stylesheet: refusing("LoanItem/Status = 'Federal'", 'Not federal.'),
    });
    await refused(
      p.admin.post('/api/loan/updatefromrule?Output=Json', { ID: made['LoanID'], RuleSet: 'Set status' }),
      'RULE_EXCEPTION',
      undefined,
      /Not federal/,
    );
    await refused(
      p.admin.post('/api/loan/save?Output=Json', { ID: made['LoanID'], Agency: 'x', RuleSetMatrix: 'Set status' }),
      'RULE_EXCEPTION',
      undefined,
      /Not federal/,
    );
    const [row] = await search(`loan/search?ID=${String(made['LoanID'])}`);
    assert.deepEqual([row?.['Status'], row?.['Agency'], row?.['Version']], [undefined, undefined, 1]);
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
  });

  it('RUL-08 two concurrent saves each apply theirs, and none is lost', async () => {
    const made = await save('loan', { Loan: '600050', LoanType: 'FHA' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        p.admin.post('/api/loan/update?Output=Json', {
          ID: made['LoanID'],
          Agency: `agency ${n}`,
          Status: `s${n}`,
          RuleSetMatrix: 'Set status',
        }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
      answers.map(({ text }) => text).join('\n'),
    );
    assert.equal((await search(`loan/search?ID=${String(made['LoanID'])}`))[0]?.['Status'], 'Federal');
  });
});

describe('access to rule sets', () => {
  it('RUL-05 RUL-08 KRN-18 a firm needs the permissions to apply and to save, and access to the records', async () => {
    await save('role', { Role: 'Saver', Permissions: 'LoanSave ForeclosureSave', UniversalAccess: false });
    await save('role', { Role: 'Ruler', Permissions: 'LoanUpdateFromRule', UniversalAccess: false });
    const saver = await p.firm('Saving firm', 'Partner, Saver');
    const ruler = await p.firm('Ruling firm', 'Partner, Ruler');
    const both = await p.firm('Both firm', 'Partner, Saver, Ruler');
    const loanOf = async (firm: { organizationId: number }, Loan: string): Promise<number> => {
      const id = Number((await save('loan', { Loan, LoanType: 'FHA' }))['LoanID']);
      await save('foreclosure', { Foreclosure: `of ${Loan}`, LoanID: id, OrganizationID: firm.organizationId });
      return id;
    };
    const [first, second, third] = [
      await loanOf(saver, '600101'),
      await loanOf(ruler, '600102'),
      await loanOf(both, '600103'),
    ];
    const rule = (caller: Caller, ID: number, RuleSet = 'Set status'): Promise<TestAnswer> =>
      caller.post('/api/loan/updatefromrule?Output=Json', { ID, RuleSet });
    await refused(rule(saver.caller, first), 'NO_PERMISSION', undefined, /LoanUpdateFromRule/);
    await refused(
      saver.caller.post('/api/loan/save?Output=Json', { ID: first, Agency: 'x', RuleSetMatrix: 'Set status' }),
      'NO_PERMISSION',
      undefined,
      /LoanUpdateFromRule/,
    );
    assert.equal(
      (await saver.caller.post('/api/loan/save?Output=Json', { ID: first, RuleSetMatrix: '' })).status,
      200,
      'an empty parameter requires nothing',
    );
    await refused(
      saver.caller.post('/api/foreclosure/save?Output=Json', {
        Foreclosure: 'n',
        OrganizationID: saver.organizationId,
        Loan_ID: first,
        Loan_RuleSetMatrix: 'Set status',
      }),
      'NO_PERMISSION',
      undefined,
      /LoanUpdateFromRule/,
    );
    await refused(
      saver.caller.post('/api/loan/queue/save?Output=Json', { ID: first, RuleSetMatrix: 'Set status' }),
      'NO_PERMISSION',
      undefined,
      /LoanUpdateFromRule/,
    );
    await refused(rule(ruler.caller, second), 'NO_PERMISSION', undefined, /LoanSave/);
    for (const id of [first, 99_999_999])
      await refused(
        rule(both.caller, id),
        'NOT_FOUND',
        'ID',
        new RegExp(`^Loan ${id} not found, or you don't have access to it\\.$`),
      );
    assert.equal((await rule(both.caller, third)).status, 200);
    assert.deepEqual(
      (await search(`loan/search?ID=${first},${second},${third}&OrderBy=LoanID`)).map((row) => row['Status']),
      [undefined, undefined, 'Federal'],
    );

    const foreign = await save('property', { City: 'Elsewhere' });
    await matrix('Foreign house', [], ['PropertyID'], [{ PropertyID: String(foreign['PropertyID']) }]);
    await matrix('No house', [], ['PropertyID'], [{ PropertyID: '99999999' }]);
    for (const RuleSet of ['Foreign house', 'No house']) {
      await refused(rule(both.caller, third, RuleSet), 'NOT_FOUND', 'PropertyID');
      await refused(
        both.caller.post('/api/loan/save?Output=Json', { ID: third, RuleSetMatrix: RuleSet }),
        'NOT_FOUND',
        'PropertyID',
      );
    }
  });

  it('RUL-05 rule sets cannot change configuration for staff, nor logs for anyone', async () => {
    const staff = await p.user('ruling staff', 'Staff');
    const template = await save('importformtemplate', { ImportFormTemplate: 'Kept' });
    await matrix('Describe', [], ['Description'], [{ Description: 'x' }]);
    for (const operation of ['updatefromrule', 'updatefrommatrix']) {
      await refused(
        staff.caller.post(`/api/importformtemplate/${operation}?Output=Json`, {
          ID: template['ImportFormTemplateID'],
          FromMatrix: 'Describe',
        }),
        'NO_PERMISSION',
      );
      assert.equal(p.platform.registry.find('errorlog', operation), undefined);
    }
    await save('role', { Role: 'Shaper', Permissions: 'ImportFormTemplate*', UniversalAccess: false });
    const firm = await p.firm('Shaping firm', 'Partner, Shaper');
    await refused(
      firm.caller.post('/api/importformtemplate/updatefromrule?Output=Json', {
        ID: template['ImportFormTemplateID'],
        RuleSet: 'Describe',
      }),
      'NO_PERMISSION',
    );
  });
});
