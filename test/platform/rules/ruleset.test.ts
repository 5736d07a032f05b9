import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession } from '../../support/pages/session.ts';
import { sweepRuleTraces } from '../../../src/modules/records/any/lib/rule-set/sweep-rule-traces.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const rowsOf = (body: Row): Row[] =>
  Object.values(Object.values(body).find((value) => !Array.isArray(value)) as Record<string, Row[]>)[0] ?? [];
const alertsOf = (body: Row): string[] =>
  ((body['Alerts'] ?? []) as { Code: string; ID: number }[]).map((alert) => `${alert.Code} ${alert.ID}`);
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const select = async (module: string, id: unknown): Promise<Row> =>
  expectOk(p.admin.get(`/api/${module}/select?Output=Json&ID=${String(id)}`));
const apply = (module: string, body: object, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post(`/api/${module}/updatefromrule?Output=Json`, body);

/** Saves a whole matrix: the declarations of columns by name, and the filled cells of each row. */
function matrix(
  name: string,
  inputs: Readonly<Record<string, object>>,
  outputs: Readonly<Record<string, object>>,
  rows: readonly Readonly<Record<string, string | object>>[],
): Promise<Row> {
  return save('matrix', {
    Matrix: name,
    Dimensions: Object.entries(inputs).map(([MatrixDimension, more], Sequence) => ({
      MatrixDimension,
      Sequence,
      ...more,
    })),
    Measures: Object.entries(outputs).map(([MatrixMeasure, more], Sequence) => ({ MatrixMeasure, Sequence, ...more })),
    Facts: rows.flatMap((row, at) =>
      Object.entries(row).map(([MatrixFact, cell]) => ({
        MatrixFact,
        RowNumber: at + 1,
        ...(typeof cell === 'string' ? { Cell: cell } : cell),
      })),
    ),
  });
}

let number = 300_000;
const loan = async (fields: object = {}): Promise<number> =>
  Number((await save('loan', { Loan: String(++number), ...fields }))['LoanID']);

await matrix(
  'Loan rules',
  { 'Loan Type': { Weight: 5 }, 'UPB Amount': { Weight: 2 }, Region: { Weight: 1 } },
  { Status: {}, 'Lien Priority Type': {}, 'Original Balance': {} },
  [
    { 'Loan Type': 'FHA', Status: 'Review {LoanType}', 'Lien Priority Type': '2' },
    { 'Loan Type': 'FHA', 'UPB Amount': '>500000', Status: 'Large {{{Loan}}}', 'Original Balance': '{UPB Amount}' },
    { 'Loan Type': 'VA', Region: 'West', Status: 'Western' },
  ],
);

describe('updatefromrule', () => {
  it("RUL-05 RUL-14 sets the fields named like the outputs of each record's best row, by its own fields, with {Field} filled in", async () => {
    const [small, large] = [
      await loan({ LoanType: 'fha', UPBAmount: 1000 }),
      await loan({ LoanType: 'FHA', UPBAmount: '500000.01', LienPriorityType: 7 }),
    ];
    const rows = rowsOf(await expectOk(apply('loan', { ID: [large, small], RuleSet: 'loan rules' })));
    assert.deepEqual(
      rows.map((row) => [
        row['LoanID'],
        row['Status'],
        row['LienPriorityType'],
        row['OriginalBalance'],
        row['Version'],
      ]),
      [
        [large, `Large {${number}}`, 7, 500000.01, 2],
        [small, 'Review fha', 2, undefined, 2],
      ],
    );
    const history = rowsOf(await expectOk(p.admin.get(`/api/loan/history?Output=Json&ID=${small}`)));
    assert.deepEqual(
      history.map((row) => String(row['Field'])).toSorted((a, b) => a.localeCompare(b)),
      ['LienPriorityType', 'Status'],
    );
  });

  it('RUL-14 RUL-13 the rule set is required, under each of its names, by name or ID', async () => {
    const id = await loan({ LoanType: 'FHA' });
    const [known] = rowsOf(await expectOk(p.admin.get('/api/matrix/search?Output=Json&Matrix=Loan rules')));
    for (const name of ['RuleSet', 'RuleSetName', 'RuleSetMatrix', 'FromMatrix', 'ruleset'])
      for (const nameOrId of ['Loan Rules', known?.['MatrixID']])
        assert.equal((await apply('loan', { ID: id, [name]: nameOrId })).status, 200, `${name}=${String(nameOrId)}`);
    await expectRefused(
      apply('loan', { ID: id }),
      'MISSING_PARAMETER',
      'RuleSet',
      /RuleSetName, RuleSetMatrix, FromMatrix/,
    );
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Loan rules', FromMatrix: 'Another' }),
      'BAD_PARAMETER',
      'FromMatrix',
    );
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Lone rules' }),
      'NOT_FOUND',
      'RuleSet',
      /Did you mean Loan rules/,
    );
    await expectRefused(apply('loan', { RuleSet: 'Loan rules' }), 'MISSING_PARAMETER', 'ID');
  });

  it('RUL-05 parameters of the call are inputs too and take precedence; one that is no input is refused by name', async () => {
    const id = await loan({ LoanType: 'VA' });
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Loan rules' }),
      'RULE_EXCEPTION',
      'RuleSet',
      new RegExp(`Loan rules: no row matches Loan ${id}; the closest one has 1 mismatch\\.`),
    );
    assert.equal(
      rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Loan rules', region: 'west' })))[0]?.['Status'],
      'Western',
    );
    assert.equal(
      rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Loan rules', LoanType: 'FHA' })))[0]?.['Status'],
      'Review FHA',
    );
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Loan rules', Regoin: 'West' }),
      'UNKNOWN_PARAMETER',
      'Regoin',
      /Did you mean Region/,
    );
  });

  it('RUL-05 RUL-14 without RuleSetThrowIfError an undecided record is left unchanged with an alert; with it the whole call fails and nothing changes', async () => {
    const [decided, undecided] = [await loan({ LoanType: 'FHA' }), await loan({ LoanType: 'Other' })];
    await expectRefused(
      apply('loan', { ID: [decided, undecided], RuleSet: 'Loan rules' }),
      'RULE_EXCEPTION',
      'RuleSet',
    );
    assert.equal((await select('loan', decided))['Version'], 1);
    const body = await expectOk(
      apply('loan', { ID: [undecided, decided], RuleSet: 'Loan rules', RuleSetThrowIfError: false }),
    );
    assert.deepEqual([alertsOf(body), rowsOf(body).map((row) => row['Version'])], [[`NO_RULE ${undecided}`], [1, 2]]);
    await matrix('Empty', { State: {} }, { Status: {} }, []);
    await expectRefused(apply('loan', { ID: decided, RuleSet: 'Empty' }), 'RULE_EXCEPTION', 'RuleSet', /no rows/);
  });

  it('RUL-14 RuleSetForceDirty decides whether equal values are written', async () => {
    const id = await loan({ LoanType: 'FHA' });
    const version = async (more: object): Promise<unknown> =>
      rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Loan rules', ...more })))[0]?.['Version'];
    assert.deepEqual(
      [
        await version({ RuleSetForceDirty: false }),
        await version({ RuleSetForceDirty: false }),
        await version({}),
        await version({ RuleSetForceDirty: true }),
      ],
      [2, 2, 3, 4],
    );
  });

  it('RUL-05 RUL-03 with RuleSetUseSummary inputs and {Field} come from the summary: by name, by XPath, and a whole XPath in braces', async () => {
    await matrix(
      'By summary',
      { City: {}, Borrowers: { XPath: 'count(//BorrowersItem | //ContactItem)', ValueType: 'Number' } },
      { Status: {} },
      [
        {
          City: 'Austin',
          Borrowers: '>=2',
          Status: '{City}/{//ContactItem[2]/LastName}/{concat("}", string(//Nothing))}/{Nothing}',
        },
      ],
    );
    const property = await save('property', { City: 'Austin' });
    const id = await loan({ PropertyID: property['PropertyID'] });
    for (const LastName of ['One', 'Two']) await save('contact', { LastName, Object: 'Loan', ObjectID: id });
    assert.equal(
      rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'By summary', RuleSetUseSummary: true })))[0]?.['Status'],
      'Austin/Two/}/',
    );
    await expectRefused(apply('loan', { ID: id, RuleSet: 'By summary' }), 'RULE_EXCEPTION', 'RuleSet');
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'By summary', RuleSetUseSummary: true, City: 'Boston' }),
      'UNKNOWN_PARAMETER',
      'City',
    );
    const many = await p.platform.store.query<{ id: number }>(
      "insert into loan (loan) select 'Many ' || n from generate_series(1, 1001) n returning loanid as id",
    );
    await expectRefused(
      apply('loan', { ID: many.map((loan) => loan.id), RuleSet: 'By summary', RuleSetUseSummary: true }),
      'TOO_LARGE',
      'ID',
    );
  });

  it('RUL-05 RUL-04 outputs of a referenced matrix are set as well, and its inputs are accepted', async () => {
    await matrix('Leads on', { 'Loan Type': {} }, { 'Next Matrix': {} }, [
      { 'Loan Type': 'FHA', 'Next Matrix': 'Led to' },
    ]);
    await matrix('Led to', { Agency: {} }, { Status: {} }, [{ Agency: 'North', Status: 'Led' }]);
    const id = await loan({ LoanType: 'FHA', Agency: 'North' });
    assert.equal(rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Leads on' })))[0]?.['Status'], 'Led');
  });

  it('RUL-05 on forms, outputs that are not columns become answers, next to the existing ones', async () => {
    await matrix('Form rules', { Outcome: {}, 'Import Form': {} }, { Status: {}, 'Next Step': {}, Reason: {} }, [
      { Outcome: 'Sold', Status: 'Done', 'Next Step': 'Deed & title', Reason: 'because {Outcome}' },
      { 'Import Form': 'Plain', Reason: '<plain>' },
    ]);
    const form = async (fields: object): Promise<unknown> =>
      (await save('importform', { ImportForm: 'F', Object: 'Loan', ObjectID: await loan(), ...fields }))[
        'ImportFormID'
      ];
    const sold = await form({
      XmlData:
        '<ImportFormXml note="1"><Outcome>Sold</Outcome><reason>old</reason><Rows><Row>1</Row></Rows></ImportFormXml>',
    });
    const [row] = rowsOf(await expectOk(apply('importform', { ID: sold, RuleSet: 'Form rules' })));
    assert.deepEqual(
      [row?.['Status'], row?.['XmlData']],
      [
        'Done',
        '<ImportFormXml note="1"><Outcome>Sold</Outcome><reason>because Sold</reason>' +
          '<Rows><Row>1</Row></Rows><NextStep>Deed &amp; title</NextStep></ImportFormXml>',
      ],
    );
    const plain = await form({ ImportForm: 'Plain' });
    assert.equal(
      rowsOf(await expectOk(apply('importform', { ID: plain, RuleSet: 'Form rules' })))[0]?.['XmlData'],
      '<ImportFormXml><Reason>&lt;plain&gt;</Reason></ImportFormXml>',
    );
    assert.equal(
      rowsOf(await expectOk(apply('importform', { ID: plain, RuleSet: 'Form rules', RuleSetForceDirty: false })))[0]?.[
        'Version'
      ],
      2,
      'equal answers change nothing',
    );
  });

  it('RUL-05 answers that are not well-formed, or too many, are refused and stay unchanged', async () => {
    const broken = await save('importform', { ImportForm: 'Broken' });
    await p.platform.store.query(
      `update importform set xmldata = '<ImportFormXml><a>' where importformid = $1::bigint`,
      [broken['ImportFormID']],
    );
    await matrix('Answers', {}, { Answer: {} }, [{ Answer: 'yes' }]);
    await expectRefused(
      apply('importform', { ID: broken['ImportFormID'], RuleSet: 'Answers' }),
      'BAD_XML',
      'XmlData',
      /^XmlData: /,
    );
    const full = await save('importform', {
      ImportForm: 'Full',
      XmlData: `<ImportFormXml>${Array.from({ length: 2_000 }, (_, n) => `<q${n}/>`).join('')}</ImportFormXml>`,
    });
    await expectRefused(
      apply('importform', { ID: full['ImportFormID'], RuleSet: 'Answers' }),
      'TOO_LARGE',
      'XmlData',
      /2000 answers/,
    );
    assert.equal((await select('importform', full['ImportFormID']))['Version'], 1);
  });

  it('RUL-05 an output that is not a field is an error with the nearest names, or skipped with an alert', async () => {
    await matrix('Misspelt', {}, { Statuss: {}, Agency: {} }, [{ Statuss: 'x', Agency: 'North' }]);
    const id = await loan();
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Misspelt' }),
      'RULE_EXCEPTION',
      '',
      /^Misspelt, row 1, output Statuss: Loan has no such field\. Did you mean Status/,
    );
    const body = await expectOk(apply('loan', { ID: id, RuleSet: 'Misspelt', RuleSetThrowIfError: false }));
    assert.deepEqual([alertsOf(body), rowsOf(body)[0]?.['Agency']], [[`OUTPUT_LEFT_ASIDE ${id}`], 'North']);
  });

  it('RUL-05 a value that a column does not accept, and a computed or protected field, is refused with matrix and output', async () => {
    const contact = await save('contact', { LastName: 'Protected', USSSN: '123456789' });
    const cases: [string, object, string, RegExp][] = [
      ['OriginalBalance', {}, 'BAD_PARAMETER', /^Wrong 0, row 1, output OriginalBalance: expected a number/],
      ['PropertyID', {}, 'BAD_PARAMETER', /^Wrong 1, row 1, output PropertyID: expected one ID/],
      ['CreatedDate', {}, 'RULE_EXCEPTION', /^Wrong 2, row 1, output CreatedDate: CreatedDate is computed/],
      ['Version', {}, 'RULE_EXCEPTION', /^Wrong 3, row 1, output Version: Version is computed/],
      ['LoanID', {}, 'RULE_EXCEPTION', /^Wrong 4, row 1, output LoanID: LoanID is the record's identity/],
      ['ID', {}, 'RULE_EXCEPTION', /^Wrong 5, row 1, output ID: Loan has no such field/],
      ['SubscriberID', {}, 'RULE_EXCEPTION', /^Wrong 6, row 1, output SubscriberID: Loan has no such field/],
    ];
    const id = await loan();
    for (const [n, [name, more, code, message]] of cases.entries()) {
      await matrix(`Wrong ${n}`, {}, { [name]: more }, [{ [name]: 'many' }]);
      await expectRefused(
        apply('loan', { ID: id, RuleSet: `Wrong ${n}` }),
        code,
        code === 'BAD_PARAMETER' ? name : '',
        message,
      );
    }
    for (const [n, [name, cell, message]] of (
      [
        ['USSSN', '987-65-4321', /USSSN is protected/],
        ['USSSN4', '4321', /computed/],
        ['Title', 'is {USSSN}', /\{USSSN\} is a protected number/],
      ] as const
    ).entries()) {
      await matrix(`Number ${n}`, {}, { [name]: {} }, [{ [name]: cell }]);
      await expectRefused(
        apply('contact', { ID: contact['ContactID'], RuleSet: `Number ${n}` }),
        'RULE_EXCEPTION',
        '',
        message,
      );
    }
    await matrix('Number by summary', {}, { Title: {} }, [{ Title: '<{//USSSN}{USSSN}{//*[starts-with(., "XXX")]}>' }]);
    assert.equal(
      rowsOf(
        await expectOk(
          apply('contact', { ID: contact['ContactID'], RuleSet: 'Number by summary', RuleSetUseSummary: true }),
        ),
      )[0]?.['Title'],
      '<>',
    );
    await matrix('Number as input', { USSSN: {} }, { Title: {} }, [{ USSSN: 'XXX-XX-6789', Title: 'found' }]);
    await expectRefused(
      apply('contact', { ID: contact['ContactID'], RuleSet: 'Number as input' }),
      'RULE_EXCEPTION',
      'RuleSet',
    );
    await matrix('Secret', {}, { Password: {} }, [{ Password: 'a password of rules' }]);
    await expectRefused(
      apply('person', { ID: (await save('person', { Person: 'ruled' }))['PersonID'], RuleSet: 'Secret' }),
      'RULE_EXCEPTION',
      '',
      /Password is protected/,
    );
  });

  it('RUL-05 unbalanced braces, and braces that are empty or name nothing, are refused with the output', async () => {
    const id = await loan();
    for (const [n, [cell, message]] of (
      [
        ['{Loan', /no closing brace/],
        ['Loan}', /no opening brace/],
        ['{}', /empty/],
        ['{a{b}}', /cannot contain another one/],
        ['{Lone}', /\{Lone\} is not a field of Loan.*did you mean Loan/],
        ['{//Loan}', /an XPath requires RuleSetUseSummary/],
        ['{Loan "}', /no closing brace/],
      ] as const
    ).entries()) {
      await matrix(`Braces ${n}`, {}, { Status: {} }, [{ Status: cell }]);
      await expectRefused(
        apply('loan', { ID: id, RuleSet: `Braces ${n}` }),
        'RULE_EXCEPTION',
        '',
        new RegExp(`^Braces ${n}, row 1, output Status: .*${message.source}`),
      );
    }
    await matrix('Bad path', {}, { Status: {} }, [{ Status: '{//Loan[}' }]);
    await expectRefused(apply('loan', { ID: id, RuleSet: 'Bad path', RuleSetUseSummary: true }), 'BAD_XPATH', 'XPath');
    await matrix('Long', {}, { Status: {} }, [{ Status: 'x'.repeat(101) }]);
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Long' }),
      'BAD_PARAMETER',
      'Status',
      /at most 100 characters/,
    );
  });

  it('RUL-05 an Object output sets the foreign key of its name to the record that it references', async () => {
    const property = await save('property', { City: 'Pointed' });
    await matrix('Points', {}, { Property: { ValueType: 'Object', ObjectType: 'Property' } }, [
      { Property: { Cell: 'the house', Object: 'Property', ObjectID: property['PropertyID'] } },
    ]);
    const id = await loan();
    assert.equal(
      rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Points' })))[0]?.['PropertyID'],
      property['PropertyID'],
    );
    await matrix('Points nowhere', {}, { PropertyID: {} }, [{ PropertyID: '99999999' }]);
    await expectRefused(
      apply('loan', { ID: id, RuleSet: 'Points nowhere' }),
      'BAD_PARAMETER',
      'PropertyID',
      /no record with this ID/,
    );
  });

  it('RUL-05 a record is changed as its own type: a process as the foreclosure', async () => {
    await matrix('Of cases', { 'Closed Reason': {} }, { 'Sale Amount': {} }, [
      { 'Closed Reason': 'Sold', 'Sale Amount': '12.5' },
    ]);
    const made = await save('foreclosure', { Foreclosure: 'ruled', ClosedReason: 'Sold' });
    const [row] = rowsOf(await expectOk(apply('process', { ID: made['ForeclosureID'], RuleSet: 'Of cases' })));
    assert.equal(row?.['ProcessID'], made['ForeclosureID']);
    assert.equal((await select('foreclosure', made['ForeclosureID']))['SaleAmount'], 12.5);
  });

  it('RUL-05 KRN-19 an outdated version is refused, and the differing fields are not written', async () => {
    const id = await loan({ LoanType: 'FHA' });
    await expectRefused(apply('loan', { ID: id, RuleSet: 'Loan rules', Version: 7 }), 'VERSION_CONFLICT', 'Version');
    assert.equal((await select('loan', id))['Version'], 1);
    await expectRefused(
      apply('loan', { ID: [id, await loan()], RuleSet: 'Loan rules', Version: 1 }),
      'BAD_PARAMETER',
      'Version',
    );
    assert.equal((await apply('loan', { ID: id, RuleSet: 'Loan rules', Version: 1 })).status, 200);
  });

  it('RUL-05 concurrent calls on the same records each decide by what the previous call left', async () => {
    await matrix('Advance', { Status: {} }, { 'Loan Type': {}, Agency: {} }, [
      { Status: 'a', 'Loan Type': 'x', Agency: '{Agency}+' },
    ]);
    const ids = [await loan({ Status: 'a', Agency: '0' }), await loan({ Status: 'a', Agency: '0' })];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        apply('loan', { ID: n % 2 === 0 ? ids : [...ids].reverse(), RuleSet: 'Advance' }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
      answers.map(({ text }) => text).join('\n'),
    );
    for (const id of ids)
      assert.deepEqual([(await select('loan', id))['Agency'], (await select('loan', id))['Version']], ['0++++++', 7]);
  });

  it('RUL-05 one call handles hundreds of records; more than ten thousand are refused', async () => {
    const rows = await p.platform.store.query<{ id: number }>(
      `insert into loan (loan, loantype)
       select (400000 + n)::text, 'FHA' from generate_series(1, 300) n
       returning loanid as id`,
    );
    const changed = rowsOf(await expectOk(apply('loan', { ID: rows.map(({ id }) => id), RuleSet: 'Loan rules' })));
    assert.equal(changed.filter((row) => row['Status'] === 'Review FHA').length, 300);
    await expectRefused(
      apply('loan', { ID: Array.from({ length: 10_001 }, (_, n) => n + 1), RuleSet: 'Loan rules' }),
      'BAD_PARAMETER',
      'ID',
      /10000/,
    );
  });

  it('RUL-05 works from the queue too', async () => {
    const id = await loan({ LoanType: 'FHA' });
    assert.equal(
      (await p.admin.post('/api/loan/queue/updatefromrule?Output=Json', { ID: id, RuleSet: 'Loan rules' })).status,
      202,
    );
    await eventually('the rule set is applied', async () => (await select('loan', id))['Status'] === 'Review FHA');
  });
});

describe('updatefromrule without RuleSetThrowIfError', () => {
  const textsOf = (body: Row): string[] =>
    ((body['Alerts'] ?? []) as { Code: string; ID: number; Text: string }[]).map(
      (alert) => `${alert.Code} ${alert.ID} ${alert.Text}`,
    );

  it('RUL-05 RUL-14 never fails for the fault of a row: each becomes an alert with matrix and row, and the other records are saved', async () => {
    await matrix(
      'Faulty',
      { 'Loan Type': {} },
      { Status: {}, Agency: {}, 'Original Balance': {}, PropertyID: {}, 'Next Matrix': {} },
      [
        { 'Loan Type': 'Good', Status: 'Good' },
        { 'Loan Type': 'Unreadable', 'Original Balance': 'a lot', Agency: 'North' },
        { 'Loan Type': 'Unknown', Status: '{Nope}', Agency: 'North' },
        { 'Loan Type': 'Braces', Status: '{Nope', Agency: 'North' },
        { 'Loan Type': 'No key', PropertyID: '99999999', Agency: 'North' },
        { 'Loan Type': 'No child', 'Next Matrix': 'Nowhere', Agency: 'North' },
      ],
    );
    const kinds = ['Good', 'Unreadable', 'Unknown', 'Braces', 'No key', 'No child', 'Good'];
    const ids: number[] = [];
    for (const LoanType of kinds) ids.push(await loan({ LoanType }));
    const body = await expectOk(apply('loan', { ID: ids, RuleSet: 'Faulty', RuleSetThrowIfError: false }));
    assert.deepEqual(textsOf(body), [
      `OUTPUT_LEFT_ASIDE ${ids[1]} Faulty, row 2, output OriginalBalance: expected a number ` + 'such as 1234.50.',
      `OUTPUT_LEFT_ASIDE ${ids[2]} Faulty, row 3, output Status: {Nope} is not a field of Loan.`,
      `OUTPUT_LEFT_ASIDE ${ids[3]} Faulty, row 4, output Status: an opening brace has no closing brace; ` +
        `double it to write a literal brace.`,
      `RULE_SET_FAILED ${ids[4]} Faulty, row 5, output PropertyID: there is no record with this ID.`,
      `RULE_SET_FAILED ${ids[5]} Faulty: Next Matrix of row 6 of Faulty: there is no matrix "Nowhere".`,
    ]);
    assert.deepEqual(
      rowsOf(body).map((row) => [row['Status'], row['Agency'], row['Version']]),
      [
        ['Good', undefined, 2],
        [undefined, 'North', 2],
        [undefined, 'North', 2],
        [undefined, 'North', 2],
        [undefined, undefined, 1],
        [undefined, undefined, 1],
        ['Good', undefined, 2],
      ],
    );
    // With it, each of them fails the call, and names the row.
    for (const [at, message] of [
      [1, /^Faulty, row 2, output OriginalBalance/],
      [2, /^Faulty, row 3, output Status: \{Nope\}/],
      [4, /^Faulty, row 5, output PropertyID: /],
      [5, /row 6 of Faulty/],
    ] as const) {
      const answer = await apply('loan', { ID: ids[at], RuleSet: 'Faulty' });
      assert.match(String((answer.json() as never as { Error: Row }).Error['Message']), message);
    }
  });

  it('RUL-05 RUL-14 does not hide what is no fault of a row: a missing permission, an unknown input, a missing record', async () => {
    const id = await loan({ LoanType: 'Good' });
    const call = { RuleSet: 'Faulty', RuleSetThrowIfError: false };
    await p.admin.post('/api/role/save', {
      Role: 'Only rules',
      Permissions: 'LoanUpdateFromRule',
      UniversalAccess: true,
    });
    const ruler = await p.user('only rules', 'Only rules');
    await expectRefused(apply('loan', { ...call, ID: id }, ruler.caller), 'NO_PERMISSION', '', /LoanSave/);
    await expectRefused(apply('loan', { ...call, ID: id, Nope: 1 }), 'UNKNOWN_PARAMETER', 'Nope');
    await expectRefused(apply('loan', { ...call, ID: [id, 99_999_999] }), 'NOT_FOUND', 'ID');
  });
});

describe('outputs that empty a field', () => {
  it('RUL-05 {null} empties the field of its output, typed or not, and the key of an Object output; in other text it is nothing', async () => {
    await matrix(
      'Emptying',
      { 'Loan Type': {} },
      {
        Status: {},
        Agency: {},
        'Original Balance': { ValueType: 'Money' },
        Property: { ValueType: 'Object', ObjectType: 'Property' },
      },
      [{ 'Loan Type': 'VA', Status: '{null}', Agency: 'A{NULL}B', 'Original Balance': '{null}', Property: '{null}' }],
    );
    const property = await save('property', { City: 'Reno' });
    const id = await loan({ LoanType: 'VA', Status: 'Old', OriginalBalance: 5, PropertyID: property['PropertyID'] });
    const [row] = rowsOf(await expectOk(apply('loan', { ID: id, RuleSet: 'Emptying' })));
    assert.deepEqual(
      [row?.['Status'], row?.['Agency'], row?.['OriginalBalance'], row?.['PropertyID']],
      [undefined, 'AB', undefined, undefined],
    );
    const [found] = rowsOf(await expectOk(p.admin.get('/api/matrix/lookup?Output=Json&Matrix=Emptying&LoanType=VA')));
    assert.deepEqual([found?.['OriginalBalance'], found?.['OriginalBalanceType']], [undefined, 'Money']);
  });
});

describe('what decided', () => {
  const tracesOf = async (id: number, caller: Caller = p.admin): Promise<Row[]> =>
    rowsOf(await expectOk(caller.get(`/api/loan/ruletraces?Output=Json&ID=${id}`)));

  it('RUL-05 KRN-20 is stored with the record that it changed: matrix, version and rows, inputs, outputs, call and user', async () => {
    await matrix('Traced', { 'Loan Type': { Weight: 5 }, Agency: {} }, { Status: {}, 'Next Matrix': {} }, [
      { Status: 'Other' },
      { 'Loan Type': 'FHA', Status: 'Was {Agency}', 'Next Matrix': 'Traced below' },
    ]);
    await matrix('Traced below', { Agency: {} }, { 'Lien Priority Type': {} }, [
      { Agency: '123-45-6789', 'Lien Priority Type': '3' },
    ]);
    const id = await loan({ LoanType: 'FHA', Agency: '123-45-6789' });
    await expectOk(apply('loan', { ID: id, RuleSet: 'Traced' }));
    await expectOk(p.admin.post('/api/loan/save?Output=Json', { ID: id, LoanType: 'VA', RuleSetMatrix: 'Traced' }));
    // Nothing changes, so nothing is stored.
    await expectOk(p.admin.post('/api/loan/save?Output=Json', { ID: id, LoanType: 'VA', RuleSetMatrix: 'Traced' }));
    const traces = await tracesOf(id);
    const [version] = await p.platform.store.query<{ id: number }>(
      "select max(matrixversionid) as id from matrixversion where matrixversion = 'Traced'",
    );
    assert.deepEqual(
      traces.map((trace) => [
        trace['Source'],
        trace['Matrix'],
        trace['RowNumber'],
        trace['MatrixVersionID'],
        trace['RecordVersion'],
      ]),
      [
        ['Save', 'Traced', 1, version?.id, 4],
        ['UpdateFromRule', 'Traced', 2, version?.id, 2],
      ],
    );
    const first = traces[1] ?? {};
    assert.deepEqual(first['Inputs'], { LoanType: 'FHA', Agency: 'XXX-XX-6789' });
    assert.deepEqual(first['Outputs'], {
      Status: 'Was XXX-XX-6789',
      NextMatrix: 'Traced below',
      LienPriorityType: '3',
    });
    assert.deepEqual(
      (first['Steps'] as Row[]).map((step) => [step['matrix'], step['row']]),
      [
        ['Traced', 2],
        ['Traced below', 1],
      ],
    );
    const history = rowsOf(await expectOk(p.admin.get(`/api/loan/history?Output=Json&ID=${id}`)));
    assert.ok(history.some((change) => change['CallID'] === first['CallID'] && change['Field'] === 'LienPriorityType'));
    await p.user('reader of traces', 'Administrator');
    const session = await testSession(p, 'reader of traces');
    const page = await session.get(`/records/loan/${id}/history`);
    assert.match(page.text, /Rule set Traced, row 2<.*Inputs: Agency = XXX-XX-6789; LoanType = FHA/s);
  });

  it('RUL-05 KRN-18 is read by users whose role grants it, of records that they see, and not by partners; a failed call stores none', async () => {
    const id = await loan({ LoanType: 'FHA' });
    await save('role', { Role: 'Reads traces', Permissions: 'LoanRuleTraces', UniversalAccess: false });
    const reader = await p.firm('Reading firm', 'Partner, Reads traces');
    const stranger = await p.firm('Strange firm', 'Partner, Reads traces');
    const partner = await p.firm('Plain firm', 'Partner');
    await save('foreclosure', { Foreclosure: 'traced', LoanID: id, OrganizationID: reader.organizationId });
    await expectOk(apply('loan', { ID: id, RuleSet: 'Traced' }));
    assert.equal((await tracesOf(id, reader.caller)).length, 1);
    await expectRefused(stranger.caller.get(`/api/loan/ruletraces?Output=Json&ID=${id}`), 'NOT_FOUND', 'ID');
    await expectRefused(partner.caller.get(`/api/loan/ruletraces?Output=Json&ID=${id}`), 'NO_PERMISSION');
    const other = await loan({ LoanType: 'FHA' });
    await expectRefused(apply('loan', { ID: [other, id], RuleSet: 'Misspelt' }), 'RULE_EXCEPTION');
    assert.deepEqual(await tracesOf(other), []);
  });

  it('RUL-05 is deleted after RuleTraceDays, and not stored at all with 0', async () => {
    const id = await loan({ LoanType: 'FHA' });
    await expectOk(apply('loan', { ID: id, RuleSet: 'Traced' }));
    await p.platform.store.query(
      "update ruletrace set createddate = createddate - interval '731 days' where recordid = $1::bigint",
      [id],
    );
    assert.ok((await sweepRuleTraces.run(p.platform)) >= 1);
    assert.deepEqual(await tracesOf(id), []);
    const setting = await save('setting', { Setting: 'RuleTraceDays', Value: '0' });
    await expectOk(apply('loan', { ID: id, RuleSet: 'Traced' }));
    assert.deepEqual(await tracesOf(id), []);
    await save('setting', { ID: setting['SettingID'], Value: '730' });
  });
});

describe('the older forms', () => {
  it('RUL-06 updatefrommatrix sets what changes, and skips undecided records and unsuitable fields with an alert', async () => {
    const [decided, undecided] = [await loan({ LoanType: 'FHA' }), await loan()];
    const call = (more: string): Promise<Row> =>
      expectOk(p.admin.get(`/api/loan/updatefrommatrix?Output=Json&ID=${undecided},${decided}&${more}`));
    const body = await call('FromMatrix=Loan rules');
    assert.deepEqual(
      [alertsOf(body), rowsOf(body).map((row) => [row['Status'], row['Version']])],
      [
        [`NO_RULE ${undecided}`],
        [
          [undefined, 1],
          ['Review FHA', 2],
        ],
      ],
    );
    assert.deepEqual(rowsOf(await call('FromMatrix=Loan rules'))[1]?.['Version'], 2, 'nothing changed');
    assert.deepEqual(alertsOf(await call('FromMatrix=Misspelt')).length, 2);
    await expectRefused(
      p.admin.get(`/api/loan/updatefrommatrix?Output=Json&ID=${decided}`),
      'MISSING_PARAMETER',
      'FromMatrix',
    );
  });

  it('RUL-06 lookupfrommatrix returns the outputs of each record, filled in, and saves nothing', async () => {
    const [fha, other] = [await loan({ LoanType: 'FHA', UPBAmount: 900_000 }), await loan()];
    const body = await expectOk(
      p.admin.get(`/api/loan/lookupfrommatrix?Output=Json&ID=${other},${fha}&FromMatrix=Loan rules`),
    );
    assert.deepEqual(
      rowsOf(body).map((row) => [
        row['ID'],
        row['Weight'],
        row['MatchCount'],
        row['MisMatchCount'],
        row['Status'],
        row['OriginalBalance'],
      ]),
      [
        [other, 0, 0, 1, undefined, undefined],
        [fha, 7, 2, 0, `Large {${number - 1}}`, '900000'],
      ],
    );
    assert.deepEqual([alertsOf(body), (await select('loan', fha))['Version']], [[`NO_RULE ${other}`], 1]);
    const csv = await p.admin.get(`/api/loan/lookupfrommatrix?Output=Csv&ID=${fha}&FromMatrix=Loan rules`);
    assert.match(csv.text, /^ID,Weight,MatchCount,MisMatchCount,Status,OriginalBalance/);
    await expectRefused(
      p.admin.get('/api/loan/lookupfrommatrix?Output=Json&ID=99999999&FromMatrix=Loan rules'),
      'NOT_FOUND',
      'ID',
    );
  });
});
