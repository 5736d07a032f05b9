import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { borrower, foreclosure, nextLoan, referralFirm, saveSampleTemplates } from '../../support/imports/referrals.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';

const p = await testPlatform({ after }, { worker: true });
const rowsOf = (body: Row): Row[] =>
  Object.values(Object.values(body).find((value) => !Array.isArray(value)) as Record<string, Row[]>)[0] ?? [];
const codesOf = (body: Row): string[] => ((body['Alerts'] ?? []) as { Code: string }[]).map(({ Code }) => Code);
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const search = async (path: string): Promise<Row[]> => rowsOf(await expectOk(p.admin.get(`/api/${path}&Output=Json`)));

/** Saves a matrix that applies itself. */
function automatic(
  name: string,
  application: object,
  inputs: readonly string[],
  rows: readonly Readonly<Record<string, string>>[],
): Promise<Row> {
  const outputs = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((each) => !inputs.includes(each));
  return save('matrix', {
    Matrix: name,
    ...application,
    Dimensions: inputs.map((MatrixDimension) => ({ MatrixDimension })),
    Measures: outputs.map((MatrixMeasure) => ({ MatrixMeasure })),
    Facts: rows.flatMap((row, at) =>
      Object.entries(row).map(([MatrixFact, Cell]) => ({ MatrixFact, RowNumber: at + 1, Cell })),
    ),
  });
}
const off = (matrix: Row): Promise<Row> =>
  save('matrix', {
    ID: matrix['MatrixID'],
    AppliesTo: '',
    ApplyOn: '',
    ApplyCriteria: '',
    ApplySequence: '',
    ApplyUseSummary: '',
    ApplyThrowIfError: '',
  });
let number = 700_000;
const loan = (fields: object = {}, caller: Caller = p.admin): Promise<Row> =>
  save('loan', { Loan: String(++number), ...fields }, caller);

describe('a matrix that applies itself', () => {
  it('RUL-08 sets fields on every insert and update of its record type, before the answer, and saves only if a value changes', async () => {
    const matrix = await automatic(
      'Always',
      { AppliesTo: 'loan' },
      ['Loan Type'],
      [{ Status: 'Other' }, { 'Loan Type': 'FHA', Status: 'Federal' }],
    );
    assert.equal(matrix['AppliesTo'], 'Loan', 'in its declared spelling');
    const made = await loan({ LoanType: 'FHA' });
    assert.deepEqual([made['Status'], made['Version']], ['Federal', 2]);
    const same = await save('loan', { ID: made['LoanID'], Agency: 'North' });
    assert.deepEqual([same['Status'], same['Version']], ['Federal', 3]);
    const updated = await expectOk(
      p.admin.post('/api/loan/update?Output=Json', { ID: made['LoanID'], LoanType: 'VA' }),
    );
    assert.deepEqual([updated['Status'], updated['Version']], ['Other', 5]);
    const inserted = await expectOk(p.admin.post('/api/loan/insert?Output=Json', { Loan: String(++number) }));
    assert.equal(inserted['Status'], 'Other');
    const [trace] = rowsOf(
      await expectOk(p.admin.get(`/api/loan/ruletraces?Output=Json&ID=${String(made['LoanID'])}`)),
    );
    assert.deepEqual([trace?.['Source'], trace?.['Matrix'], trace?.['RowNumber']], ['Automatic', 'Always', 1]);
    await off(matrix);
    assert.equal((await loan({ LoanType: 'FHA' }))['Status'], undefined);
  });

  it('RUL-08 applies on inserts or updates alone, by criteria on the fields, one after the other in the order given', async () => {
    const insert = await automatic(
      'On insert',
      { AppliesTo: 'Loan', ApplyOn: 'Insert', ApplySequence: 2 },
      ['Status'],
      [{ Status: 'First', Agency: 'after {Status}' }],
    );
    const first = await automatic(
      'First',
      { AppliesTo: 'Loan', ApplySequence: 1, ApplyCriteria: 'Loan Type = FHA, VA\nUPBAmount = >1000\nAgency = null' },
      [],
      [{ Status: 'First' }],
    );
    const update = await automatic(
      'On update',
      { AppliesTo: 'Loan', ApplyOn: 'Update', ApplyCriteria: 'Agency = not null' },
      [],
      [{ 'Lien Priority Type': '4' }],
    );
    const made = await loan({ LoanType: 'va', UPBAmount: 1000.01 });
    assert.deepEqual([made['Status'], made['Agency'], made['LienPriorityType']], ['First', 'after First', undefined]);
    for (const fields of [
      { LoanType: 'FHA', UPBAmount: 1000 },
      { LoanType: 'Other', UPBAmount: 5000 },
      { UPBAmount: 5000 },
    ])
      // No row of "On insert" decides a loan that "First" has not changed.
      await expectRefused(
        p.admin.post('/api/loan/save?Output=Json', { Loan: String(++number), ...fields }),
        'RULE_EXCEPTION',
        'RuleSet',
        /^On insert: no row matches/,
      );
    assert.equal((await save('loan', { ID: made['LoanID'], Status: 'Any' }))['LienPriorityType'], 4);
    for (const matrix of [insert, first, update]) await off(matrix);
  });

  it('RUL-08 RUL-14 an undecided record fails the save, or with ApplyThrowIfError=false carries a warning', async () => {
    const matrix = await automatic(
      'Decides FHA',
      { AppliesTo: 'Loan' },
      ['Loan Type'],
      [
        { 'Loan Type': 'FHA', Status: 'Federal' },
        { 'Loan Type': 'Bad', PropertyID: '99999999' },
      ],
    );
    await expectRefused(
      p.admin.post('/api/loan/save?Output=Json', { Loan: '799001', LoanType: 'VA' }),
      'RULE_EXCEPTION',
      'RuleSet',
      /Decides FHA: no row matches Loan \d+/,
    );
    assert.deepEqual(await search('loan/search?Loan=799001'), [], 'nothing is saved');
    await save('matrix', { ID: matrix['MatrixID'], ApplyThrowIfError: false });
    assert.deepEqual(codesOf(await loan({ LoanType: 'VA' })), ['NO_RULE']);
    const bad = await loan({ LoanType: 'Bad' });
    assert.deepEqual([codesOf(bad), bad['Version']], [['RULE_SET_FAILED'], 1]);
    await off(matrix);
  });

  it('RUL-08 KRN-18 applies to referrals, in bulk too, and on the authority of the change: the firm needs no permission for it', async () => {
    await saveSampleTemplates(p.admin);
    const firm = await referralFirm(p, 'Automatic Law');
    const cases = await automatic('Case rules', { AppliesTo: 'Process' }, [], [{ Status: 'Ruled' }]);
    const people = await automatic(
      'Borrower rules',
      { AppliesTo: 'Contact', ApplyOn: 'Insert', ApplyCriteria: 'Object = Loan' },
      ['Last Name'],
      [{ 'Last Name': 'Bulk', Title: 'Borrower {FirstName}' }, { Title: 'Other' }],
    );
    const loanNumber = nextLoan();
    const answer = await firm.send(
      'foreclosure',
      foreclosure({ loan: loanNumber, borrowers: [borrower(1, 'Bulk', 'Ann'), borrower(2, 'Bulk', 'Bob')] }),
    );
    assert.equal(answer.errors, 0, answer.text);
    assert.equal((await search(`foreclosure/search?ID=${answer.caseId}`))[0]?.['Status'], 'Ruled');
    const contacts = await search(`foreclosure/${answer.caseId}/contact/search?LastName=Bulk&OrderBy=FirstName`);
    assert.deepEqual(
      contacts.map((row) => row['Title']),
      ['Borrower Ann', 'Borrower Bob'],
    );
    const [trace] = rowsOf(await expectOk(p.admin.get(`/api/foreclosure/ruletraces?Output=Json&ID=${answer.caseId}`)));
    assert.equal(trace?.['Matrix'], 'Case rules');
    for (const matrix of [cases, people]) await off(matrix);
  });

  it('RUL-08 applies to rows of imports and to queued saves; a row that it refuses is that row alone', async () => {
    const matrix = await automatic(
      'Import rules',
      { AppliesTo: 'Loan' },
      ['Loan Type'],
      [{ 'Loan Type': 'FHA', Status: 'Imported' }],
    );
    await save('importfiletemplate', {
      ImportFileTemplate: 'Automatic loans',
      AppliesTo: 'Loan',
      ImportEngine: 'DelimitedEngine',
    });
    await p.admin.post(
      '/api/importfile/importbyobject?Template=Automatic+loans&Output=Json',
      Buffer.from('Loan,LoanType\n799101,FHA\n799102,VA\n799103,FHA\n'),
      { 'Content-Type': 'text/csv' },
    );
    await eventually('the rows are there', async () => (await search('loan/search?Loan=799103')).length === 1);
    assert.deepEqual(
      (await search('loan/search?Loan=799101&Loan=799102&Loan=799103&OrderBy=Loan')).map((row) => [
        row['Loan'],
        row['Status'],
      ]),
      [
        ['799101', 'Imported'],
        ['799103', 'Imported'],
      ],
    );
    await p.admin.post('/api/loan/queue/save?Output=Json', { Loan: '799104', LoanType: 'FHA' });
    await eventually(
      'the queued save applied it',
      async () => (await search('loan/search?Loan=799104'))[0]?.['Status'] === 'Imported',
    );
    await off(matrix);
  });

  it('RUL-08 sees the children that were saved with the record, with ApplyUseSummary; a rule set that the call names has the last word', async () => {
    const matrix = await automatic(
      'By child',
      { AppliesTo: 'Loan', ApplyUseSummary: true },
      ['Last Name'],
      [{ 'Last Name': 'Owner', Status: 'Owned' }, { Status: 'Nobody' }],
    );
    await automatic('By call', {}, [], [{ Status: 'Called' }]);
    assert.equal((await loan({ Contacts: [{ LastName: 'Owner' }] }))['Status'], 'Owned');
    assert.equal((await loan())['Status'], 'Nobody');
    await off(matrix);
    const plain = await automatic('By insert', { AppliesTo: 'Loan', ApplyOn: 'Insert' }, [], [{ Status: 'Automatic' }]);
    assert.equal((await loan({ RuleSetMatrix: 'By call' }))['Status'], 'Called');
    await off(plain);
  });

  it('RUL-08 RUL-09 does not loop, and business rules check what it decides', async () => {
    const matrix = await automatic('Counts', { AppliesTo: 'Loan' }, [], [{ Status: '{Status}+' }]);
    assert.deepEqual(await loan({ Status: 'x' }).then((row) => [row['Status'], row['Version']]), ['x+', 2]);
    const rule = await save('businessrule', {
      BusinessRule: 'no plus',
      AppliesTo: 'Loan',
      Operation: 'Save',
      Stylesheet: refusing("LoanItem/Status = 'y+'", 'No plus.'),
    });
    await expectRefused(
      p.admin.post('/api/loan/save?Output=Json', { Loan: '799201', Status: 'y' }),
      'RULE_EXCEPTION',
      '',
      /No plus/,
    );
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
    await off(matrix);
  });

  it('RUL-08 with an output that is not a field is refused, however it gets it: every change of such a record would fail', async () => {
    await expectRefused(
      p.admin.post('/api/matrix/save?Output=Json', {
        Matrix: 'Misspelled',
        AppliesTo: 'Loan',
        Measures: [{ MatrixMeasure: 'Stats' }],
      }),
      'BAD_PARAMETER',
      'AppliesTo',
      /^Matrix "Misspelled", output Stats: Loan has no such field.*Did you mean Status/,
    );
    const table = (outputs: string): Promise<TestAnswer> =>
      p.admin.post('/api/matrix/importtable?Output=Json&Matrix=Spelled', `LoanType,${outputs}\n5,output\nspelled,x\n`, {
        'Content-Type': 'text/csv',
      });
    const { MatrixID } = await expectOk(table('Stats'));
    await expectRefused(
      p.admin.post('/api/matrix/save?Output=Json', { ID: MatrixID, AppliesTo: 'Loan' }),
      'BAD_PARAMETER',
      'AppliesTo',
    );
    await save('matrix', { ID: MatrixID, AppliesTo: 'Loan', ApplyThrowIfError: false });
    await save('matrix', { ID: MatrixID, AppliesTo: '', ApplyThrowIfError: '' });
    const corrected = await expectOk(table('Status'));
    await save('matrix', { ID: MatrixID, AppliesTo: 'Loan' });
    await expectRefused(table('Stats'), 'BAD_PARAMETER', 'AppliesTo');
    assert.equal((await loan({ LoanType: 'spelled' }))['Status'], 'x', 'the refused table has changed nothing');
    await off(corrected);
    // Children of a base type have fields of their own; answers and names of other matrices need not be fields.
    for (const [AppliesTo, output] of [
      ['Process', 'ProcessType'],
      ['Process', 'ScheduledSaleDate'],
      ['ImportForm', 'Outcome'],
      ['Loan', 'Next matrix'],
      ['Loan', 'Property'],
    ] as const)
      await off(await save('matrix', { Matrix: `With ${output}`, AppliesTo, Measures: [{ MatrixMeasure: output }] }));
  });

  it('RUL-08 KRN-20 is checked when it is saved, audited in the history, and moves with the configuration', async () => {
    const refusals: readonly (readonly [object, string, RegExp])[] = [
      [{ AppliesTo: 'Lone' }, 'AppliesTo', /Loan/],
      [{ AppliesTo: 'Matrix' }, 'AppliesTo', /Matrix is not one/],
      [{ AppliesTo: 'SecurityLog' }, 'AppliesTo', /SecurityLog is not one/],
      [{ ApplyOn: 'Insert' }, 'AppliesTo', /required with ApplyOn/],
      [{ AppliesTo: 'Loan', ApplyOn: 'Delete' }, 'ApplyOn', /Insert/],
      [
        { AppliesTo: 'Loan', ApplyCriteria: 'Statsu = x' },
        'ApplyCriteria',
        /a field of Loan, found Statsu \(did you mean Status/,
      ],
      [{ AppliesTo: 'Loan', ApplyCriteria: 'UPBAmount = lots' }, 'ApplyCriteria', /a number/],
      [{ AppliesTo: 'Loan', ApplyCriteria: 'Status' }, 'ApplyCriteria', /Field = cell/],
      [{ AppliesTo: 'Contact', ApplyCriteria: 'USSSN = 123456789' }, 'ApplyCriteria', /a field of Contact/],
    ];
    for (const [application, field, message] of refusals) {
      const answer = await p.admin.post('/api/matrix/save?Output=Json', { Matrix: 'Refused', ...application });
      const { Error: error } = answer.json() as never as { Error: { Field: string; Message: string } };
      assert.equal(error.Field, field, answer.text);
      assert.match(error.Message, message);
    }
    const matrix = await automatic(
      'Moves',
      {
        AppliesTo: 'Loan',
        ApplyOn: 'Insert',
        ApplyCriteria: 'Loan Type = moving',
        ApplySequence: 7,
        ApplyThrowIfError: false,
      },
      [],
      [{ Status: 'Moved' }],
    );
    await save('matrix', { ID: matrix['MatrixID'], ApplyCriteria: 'Loan Type = moved' });
    const history = rowsOf(
      await expectOk(p.admin.get(`/api/matrix/history?Output=Json&ID=${String(matrix['MatrixID'])}`)),
    );
    assert.deepEqual(
      history.map((row) => [row['Field'], row['OldValue']]),
      [['ApplyCriteria', 'Loan Type = moving']],
    );
    const document = (await p.admin.get(`/api/matrix/export?ID=${String(matrix['MatrixID'])}`)).text;
    const second = await testPlatform({ after });
    await expectOk(second.admin.post('/api/matrix/import?Output=Json', document, { 'Content-Type': 'text/xml' }));
    const moved = await expectOk(
      second.admin.post('/api/loan/save?Output=Json', { Loan: '799301', LoanType: 'moved' }),
    );
    assert.equal(moved['Status'], 'Moved');
    // Staff change records, not what applies to them.
    const staff = await p.user('automatic staff', 'Staff');
    await expectRefused(
      staff.caller.post('/api/matrix/save?Output=Json', { ID: matrix['MatrixID'], AppliesTo: 'Contact' }),
      'NO_PERMISSION',
    );
    await off(matrix);
  });
});
