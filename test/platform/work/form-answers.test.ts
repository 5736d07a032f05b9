import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { anyCharacter } from '../../support/characters.ts';

type Fields = Record<string, unknown>;

describe('form answers', async () => {
  const p = await testPlatform({ after });
  const ok = async (answer: Promise<TestAnswer>): Promise<Fields> => {
    const { status, text, json } = await answer;
    assert.equal(status, 200, text);
    return json();
  };
  const post = (route: string, fields: object, caller: Caller = p.admin): Promise<TestAnswer> =>
    caller.post(`/api/${route}?Output=Json`, fields);
  const refused = async (
    answer: Promise<TestAnswer>,
    code: string,
    field: string,
    message: RegExp,
  ): Promise<Fields> => {
    const { text, json } = await answer;
    const error = (json()['Error'] ?? json()) as Fields;
    assert.deepEqual([error['Code'], error['Field']], [code, field], text);
    assert.match(String(error['Message']), message);
    return error;
  };
  const template = await ok(
    post('importformtemplate/save', {
      ImportFormTemplate: 'Review',
      Questions: [
        { ImportFormQuestion: 'Heading', QuestionType: 'Label', Prompt: 'The title', Sequence: 0 },
        {
          ImportFormQuestion: 'Outcome',
          QuestionType: 'Choice',
          Choices: 'clear|Clear title\ndefect|Defect found',
          IsRequired: true,
          Sequence: 1,
        },
        {
          ImportFormQuestion: 'Defects',
          QuestionType: 'MultipleChoice',
          Choices: 'lien|Lien\ntax|Unpaid tax\nname',
          Maximum: '2',
          ShownWhen: "/Form/Answers/Outcome = 'defect'",
          IsRequired: true,
          Sequence: 2,
        },
        {
          ImportFormQuestion: 'Why',
          QuestionType: 'LongText',
          RequiredWhen: "contains(concat('|', /Form/Answers/Defects, '|'), '|lien|')",
          Sequence: 3,
        },
        { ImportFormQuestion: 'Cost', QuestionType: 'Money', Minimum: '0', Maximum: '100000', Sequence: 4 },
        { ImportFormQuestion: 'Fee', QuestionType: 'Money', Calculation: '/Form/Answers/Cost * 0.1', Sequence: 5 },
        {
          ImportFormQuestion: 'Total',
          QuestionType: 'Money',
          Calculation: '/Form/Answers/Fee + /Form/Answers/Cost',
          Sequence: 6,
        },
        {
          ImportFormQuestion: 'Code',
          QuestionType: 'Text',
          Pattern: '[A-Z]{2}\\d+',
          Help: 'Two letters and a number.',
          Minimum: '3',
          Maximum: '10',
          Sequence: 7,
        },
        { ImportFormQuestion: 'Count', QuestionType: 'Number', Sequence: 8 },
        { ImportFormQuestion: 'Day', QuestionType: 'Date', Minimum: '2026-01-01', Sequence: 9 },
        { ImportFormQuestion: 'At', QuestionType: 'Timestamp', Sequence: 10 },
        { ImportFormQuestion: 'Sure', QuestionType: 'Boolean', DefaultAnswer: 'yes', Sequence: 11 },
        { ImportFormQuestion: 'Who', QuestionType: 'Person', Sequence: 12 },
        { ImportFormQuestion: 'Text', QuestionType: 'LongText', Sequence: 13 },
        { ImportFormQuestion: 'ProjectedCompletion', QuestionType: 'Date', Sequence: 14 },
        { ImportFormQuestion: 'Process_Status', QuestionType: 'Choice', Choices: 'Open\nTitle clear', Sequence: 15 },
        {
          ImportFormQuestion: 'CaseIs',
          QuestionType: 'Text',
          Calculation: 'string(/Form/Parent/Foreclosure)',
          Sequence: 16,
        },
        { ImportFormQuestion: 'CaseNumber', QuestionType: 'Text', Pattern: '[A-Z]{3}-[0-9]+', Sequence: 17 },
      ],
    }),
  );
  const caseOf = async (name: string): Promise<Fields> =>
    ok(post('foreclosure/save', { Foreclosure: name, Status: 'Open' }));
  const foreclosure = await caseOf('F-1');
  const below = (of: Fields = foreclosure): Fields => ({
    TemplateID: template['ImportFormTemplateID'],
    Object: 'Foreclosure',
    ObjectID: of['ForeclosureID'],
  });
  const make = async (fields: object = {}): Promise<number> =>
    Number((await ok(post('importform/save', { ...below(), ...fields })))['ImportFormID']);
  const save = (id: number, fields: object, caller: Caller = p.admin): Promise<TestAnswer> =>
    post('importform/save', { ID: id, ...fields }, caller);
  const read = (id: number): Promise<Fields> => ok(p.admin.get(`/api/importform/${id}?Output=Json`));
  const answers = async (id: number): Promise<Record<string, string>> =>
    Object.fromEntries(parseXml(String((await read(id))['XmlData'])).children.map(({ name, text }) => [name, text]));

  it('FRM-01 stores each answer in the canonical form of its question, however it was written', async () => {
    const id = await make({
      Outcome: 'DEFECT FOUND',
      Defects: ['unpaid tax', 'lien'],
      cost: '$1,000.50',
      Code: 'AB12',
      Count: '+007.50',
      Day: '2026-03-01T10:00:00',
      At: '2026-03-01T10:00:00+02:00',
      Why: 'one\r\ntwo',
      Who: ' 3 ',
    });
    assert.deepEqual(await answers(id), {
      Outcome: 'defect',
      Defects: 'lien|tax',
      Cost: '1000.5',
      Code: 'AB12',
      Count: '7.5',
      Day: '2026-03-01',
      At: '2026-03-01T08:00:00.000Z',
      Why: 'one\ntwo',
      Who: '3',
      Sure: 'true',
      Fee: '100.05',
      Total: '1100.55',
      CaseIs: 'F-1',
    });
  });

  it('FRM-01 reports all invalid answers together, each with its question and what was expected, and saves nothing', async () => {
    const id = await make({ Cost: '5' });
    const error = await refused(
      save(id, {
        Outcome: 'maybe',
        Defects: 'lien|tax|name',
        Cost: '-1',
        Count: 'many',
        Day: '2025-12-31',
        Sure: 'perhaps',
        Who: 'x',
        Code: 'A',
        CaseNumber: 'abc',
      }),
      'BAD_PARAMETER',
      'Outcome',
      new RegExp(
        [
          'Outcome: expected one of clear, defect\\.',
          'Defects: expected at most 2 of the choices\\.',
          'Cost: expected 0 or more\\.',
          'Code: expected at least 3 characters',
          'Day: expected 2026-01-01 or later\\.',
        ].join('.*'),
      ),
    );
    assert.deepEqual(error['Questions'], [
      'Outcome',
      'Defects',
      'Cost',
      'Code',
      'Count',
      'Day',
      'Sure',
      'Who',
      'CaseNumber',
    ]);
    await refused(save(id, { Who: '987654' }), 'BAD_PARAMETER', 'Who', /the name or ID of a user you can access/);
    const format = 'expected an answer in the format AB123 \\(Two letters and a number\\)\\.';
    await refused(save(id, { Code: 'ab12' }), 'BAD_PARAMETER', 'Code', new RegExp(format));
    await refused(
      save(id, { CaseNumber: 'x', Code: 'ab12', Who: '987654', Count: 'x' }),
      'BAD_PARAMETER',
      'Count',
      /^Count: .* CaseNumber: expected an answer in the format ABC-123\. Who: /s,
    );
    await refused(save(id, { Process_Status: 'Gone' }), 'BAD_PARAMETER', 'Process_Status', /one of Open, Title clear/);
    await refused(
      save(id, { XmlData: '<ImportFormXml><Cost><a/></Cost></ImportFormXml>' }),
      'BAD_PARAMETER',
      'Cost',
      /without elements/,
    );
    assert.equal((await answers(id))['Cost'], '5');
  });

  it('FRM-01 a question for a user takes a sign-in name, or a name that only one user has', async () => {
    const { personId } = await p.user('ben', 'Staff');
    await p.user('other ben', 'Staff');
    await ok(post('person/save', { ID: personId, FirstName: 'Benjamin', LastName: 'Okafor' }));
    const id = await make();
    for (const Who of ['BEN', 'Benjamin Okafor']) {
      await ok(save(id, { Who: '' }));
      await ok(save(id, { Who }));
      assert.equal((await answers(id))['Who'], String(personId), Who);
    }
    await refused(save(id, { Who: 'Benjamin' }), 'BAD_PARAMETER', 'Who', /expected a user: choose one, or enter/);
  });

  it('FRM-01 the server recalculates calculated answers at each save and ignores submitted values for them', async () => {
    const id = await make({ Fee: '999', Total: '1' });
    assert.equal((await answers(id))['Fee'], '');
    await ok(save(id, { Cost: '0.3', Fee: '7' }));
    assert.deepEqual([(await answers(id))['Fee'], (await answers(id))['Total']], ['0.03', '0.33']);
    await ok(save(id, { Cost: '' }));
    assert.deepEqual([(await answers(id))['Fee'], (await answers(id))['Total']], ['', '']);
  });

  it('FRM-01 a task completes only when every required question is answered; hidden questions require nothing and keep their answers', async () => {
    const id = await make({ Outcome: 'clear', Defects: 'lien' });
    await ok(save(id, { ActualCompletion: '2026-05-01' }));
    assert.equal((await answers(id))['Defects'], 'lien');
    const other = await make({ Outcome: 'defect' });
    await refused(
      save(other, { ActualCompletion: '2026-05-01' }),
      'MISSING_PARAMETER',
      'Defects',
      /: required; enter an answer/,
    );
    const error = await refused(
      save(other, { ActualCompletion: '2026-05-01', Defects: 'lien', Outcome: 'defect' }),
      'MISSING_PARAMETER',
      'Why',
      /Why/,
    );
    assert.deepEqual(error['Questions'], ['Why']);
    const both = await refused(
      save(await make(), { ActualCompletion: '2026-05-01', Count: 'many' }),
      'BAD_PARAMETER',
      'Count',
      /Count: expected .*Outcome: required; enter an answer/,
    );
    assert.deepEqual(both['Questions'], ['Count', 'Outcome'], 'invalid and missing answers together');
    assert.equal((await read(other))['ActualCompletion'], undefined);
    await ok(save(other, { ActualCompletion: '2026-05-01', Defects: 'lien', Why: 'since' }));
    await refused(
      post('importform/save', { ...below(), ActualCompletion: '2026-05-01' }),
      'MISSING_PARAMETER',
      'Outcome',
      /required/,
    );
  });

  it('FRM-01 only users with ImportFormChangeCompleted can change the answers of a completed task; other saves do not recalculate them', async () => {
    const id = await make({ Outcome: 'clear', Cost: '10', ActualCompletion: '2026-05-01' });
    const { caller } = await p.user('clerk', 'Staff');
    await ok(
      post('role/save', { Role: 'Worker', Permissions: 'ImportFormSave ImportFormSelect', UniversalAccess: true }),
    );
    const { caller: worker } = await p.user('worker', 'Worker');
    await refused(save(id, { Cost: '11' }, worker), 'STATE_REFUSES', 'Cost', /ImportFormChangeCompleted/);
    await refused(
      save(id, { ActualCompletion: '' }, worker),
      'STATE_REFUSES',
      'ActualCompletion',
      /ImportFormChangeCompleted/,
    );
    await refused(save(id, { XmlData: '' }, worker), 'STATE_REFUSES', 'Outcome', /ImportFormChangeCompleted/);
    await ok(save(id, { Cost: '10.00', ProjectedStart: '2026-01-01' }, worker));
    await p.platform.store.query(`update process set process = 'renamed' where processid = $1::bigint`, [
      foreclosure['ForeclosureID'],
    ]);
    await ok(save(id, { ProjectedStart: '2026-01-02' }, worker));
    assert.equal((await answers(id))['CaseIs'], 'F-1');
    await refused(save(id, { Outcome: '' }, caller), 'MISSING_PARAMETER', 'Outcome', /required/);
    await ok(save(id, { Cost: '11' }, caller));
    assert.deepEqual([(await answers(id))['Fee'], (await answers(id))['CaseIs']], ['1.1', 'renamed']);
  });

  it('FRM-01 questions named after fields change the task and its case', async () => {
    const of = await caseOf('F-2');
    const id = Number(
      (
        await ok(
          post('importform/save', { ...below(of), ProjectedCompletion: '2026-07-04', Process_Status: 'title clear' }),
        )
      )['ImportFormID'],
    );
    assert.equal(
      (await ok(p.admin.get(`/api/foreclosure/${String(of['ForeclosureID'])}?Output=Json`)))['Status'],
      'Title clear',
    );
    const form = (await ok(p.admin.get(`/api/importform/describe?ID=${id}&Output=Json`)))['Form'] as Fields;
    const questions = new Map((form['Questions'] as Fields[]).map((question) => [question['Name'], question]));
    assert.deepEqual(
      [
        questions.get('ProjectedCompletion')?.['Value'],
        questions.get('Process_Status')?.['Value'],
        questions.get('Process_Status')?.['ReadOnly'],
      ],
      ['2026-07-04', 'Title clear', false],
    );
    assert.match(
      String((await read(id))['XmlData']),
      /^<ImportFormXml><Sure>true<\/Sure><CaseIs>F-2<\/CaseIs><\/ImportFormXml>$/,
    );
  });

  it('FRM-01 expressions can read the task, the case and the current date; a hidden calculated answer is empty', async () => {
    const looking = await ok(
      post('importformtemplate/save', {
        ImportFormTemplate: 'Looking',
        Questions: [
          {
            ImportFormQuestion: 'Late',
            QuestionType: 'Boolean',
            Calculation: "translate(/Form/@Today, '-', '') > 20000101 and /Form/Task/ImportForm = 'Looking'",
          },
          { ImportFormQuestion: 'Loan', Calculation: 'string(//Parent/Loan/Loan)' },
          { ImportFormQuestion: 'Class', Calculation: 'concat(/Form/Parent/@Object, /Form/Parent/Nothing)' },
          { ImportFormQuestion: 'Never', Calculation: "'x'", ShownWhen: "/Form/Answers/Loan = 'none'" },
        ],
      }),
    );
    const loan = await ok(post('loan/save', { Loan: '700700700' }));
    const of = await ok(post('foreclosure/save', { Foreclosure: 'F-3', LoanID: loan['LoanID'] }));
    const id = Number(
      (await ok(post('importform/save', { ...below(of), TemplateID: looking['ImportFormTemplateID'] })))[
        'ImportFormID'
      ],
    );
    assert.deepEqual(await answers(id), { Late: 'true', Loan: '700700700', Class: 'Foreclosure' });
  });

  it('FRM-01 importform/evaluate returns the form as it would be with other answers, and saves nothing', async () => {
    const id = await make({ Outcome: 'clear' });
    const questions = async (route: string, fields: object): Promise<ReadonlyMap<unknown, Fields>> =>
      new Map(
        (((await ok(post(`importform/${route}`, fields)))['Form'] as Fields)['Questions'] as Fields[]).map(
          (question) => [question['Name'], question],
        ),
      );
    const now = await questions('describe', { ID: id });
    assert.deepEqual(
      [now.get('Outcome')?.['Value'], now.get('Defects')?.['Shown'], now.get('Sure')?.['Value']],
      ['clear', false, 'true'],
    );
    const then = await questions('evaluate', {
      ID: id,
      outcome: 'Defect found',
      Defects: 'lien',
      Cost: '50',
      Fee: '99',
      Day: 'soon',
      ProjectedCompletion: '2026-02-30',
      Unknown: 'x',
    });
    assert.deepEqual(
      ['Outcome', 'Fee', 'Total'].map((name) => then.get(name)?.['Value']),
      ['defect', '5', '55'],
    );
    assert.deepEqual(
      ['Defects', 'Why'].map((name) => [then.get(name)?.['Shown'], then.get(name)?.['Required']]),
      [
        [true, true],
        [true, true],
      ],
    );
    assert.match(String(then.get('Day')?.['Problem']), /^Day: expected a date/);
    assert.match(String(then.get('ProjectedCompletion')?.['Problem']), /expected a day that exists/);
    assert.equal(then.get('Day')?.['Value'], 'soon');
    assert.deepEqual(await answers(id), { Outcome: 'clear', Sure: 'true', CaseIs: (await answers(id))['CaseIs'] });
    const fresh = await questions('describe', {
      Template: 'Review',
      Object: 'Foreclosure',
      ObjectID: foreclosure['ForeclosureID'],
    });
    assert.deepEqual([fresh.get('Sure')?.['Value'], fresh.get('Process_Status')?.['Value']], ['yes', 'Open']);
    await refused(post('importform/describe', {}), 'MISSING_PARAMETER', 'ID', /ID or Template/);
  });

  it('FRM-01 answers from a rule set are normalized and validated like those of a user', async () => {
    for (const [name, outcome] of [
      ['Good rules', 'Clear title'],
      ['Bad rules', 'perhaps'],
    ])
      await ok(
        post('matrix/save', {
          Matrix: name,
          Measures: [{ MatrixMeasure: 'Outcome' }],
          Facts: [{ RowNumber: 1, MatrixFact: 'Outcome', MatrixFactType: 'Output', Cell: outcome }],
        }),
      );
    const id = await make();
    await ok(post('importform/updatefromrule', { ID: id, RuleSet: 'Good rules' }));
    assert.equal((await answers(id))['Outcome'], 'clear');
    await refused(
      post('importform/updatefromrule', { ID: id, RuleSet: 'Bad rules' }),
      'BAD_PARAMETER',
      'Outcome',
      /one of clear, defect/,
    );
  });

  it('FRM-01 an answer without a question is stored unchanged, with a warning; MergeXmlData=false replaces all answers', async () => {
    const answer = await ok(
      post('importform/save', {
        ...below(),
        Custome: 'x',
        XmlData: '<ImportFormXml note="1"><Rows><Row>1</Row></Rows><Cost>3</Cost></ImportFormXml>',
      }),
    );
    const id = Number(answer['ImportFormID']);
    assert.match(JSON.stringify(answer['Alerts']), /ANSWER_NOT_ASKED.*Custome/);
    await ok(save(id, { XmlData: '<ImportFormXml><Other>y</Other></ImportFormXml>' }));
    assert.match(
      String((await read(id))['XmlData']),
      /^<ImportFormXml note="1"><Rows><Row>1<\/Row><\/Rows><Cost>3<\/Cost><Custome>x<\/Custome>.*<Other>y<\/Other>/,
    );
    await ok(save(id, { XmlData: '<ImportFormXml><Other>z</Other></ImportFormXml>', MergeXmlData: false }));
    assert.deepEqual(await answers(id), { Other: 'z', CaseIs: (await answers(id))['CaseIs'] });
  });

  it('FRM-01 when several callers save one form at once, no answer is lost, and an outdated Version is refused', async () => {
    const id = await make({ Outcome: 'clear' });
    const both = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        save(id, n % 2 === 0 ? { Text: `t${n}` } : { Cost: String(n), [`Own${n}`]: 'x' }),
      ),
    );
    assert.deepEqual(
      both.map(({ status }) => status),
      Array.from({ length: 8 }, () => 200),
    );
    const found = await answers(id);
    assert.match(String(found['Text']), /^t[0246]$/);
    for (const n of [1, 3, 5, 7]) assert.equal(found[`Own${n}`], 'x');
    assert.equal(Number(found['Fee']), Number(found['Cost']) / 10);
    await refused(save(id, { Text: 'late', Version: 1 }), 'VERSION_CONFLICT', 'Version', /version/);
    const race = await Promise.all([
      save(id, { Text: 'a', Version: (await read(id))['Version'] }),
      save(id, { Text: 'b', Version: (await read(id))['Version'] }),
    ]);
    assert.deepEqual(
      race.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    );
  });

  it('FRM-01 hostile answers are stored as data; answers that are too long or too many are refused', async () => {
    const id = await make();
    const hostile = '<script>alert(1)</script>&amp; ]]> {Process_Status} ${x} \u202e "\'';
    await ok(save(id, { Text: hostile, Free: hostile }));
    assert.deepEqual([(await answers(id))['Text'], (await answers(id))['Free']], [hostile, hostile]);
    await refused(save(id, { Text: 'x'.repeat(1_000_000) }), 'BAD_PARAMETER', 'Text', /at most 100000 characters/);
    await refused(save(id, { Text: 'a\u0001b' }), 'BAD_PARAMETER', 'Text', /control characters/);
    for (const name of ['a{b}', '<x>', 'a b', '1a', '{Template}'])
      await refused(save(id, { [name]: 'x' }), 'UNKNOWN_PARAMETER', name, /no such field/);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`q${n}`, 'x']));
    assert.ok((await save(id, many)).status >= 400);
    await refused(
      save(id, {
        XmlData: `<ImportFormXml>${Array.from({ length: 2_001 }, (_, n) => `<q${n}/>`).join('')}</ImportFormXml>`,
      }),
      'TOO_LARGE',
      'XmlData',
      /2000 answers/,
    );
    assert.equal((await answers(id))['Text'], hostile);
  });

  it('property: any saved text, number and choice is read back and saved again unchanged', async () => {
    const id = await make();
    const text = fc
      .string({ unit: anyCharacter, maxLength: 60 })
      .filter((one) => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(one) && one.isWellFormed());
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.nat({ max: 3 }),
        fc.subarray(['lien', 'tax', 'name'], { maxLength: 2 }),
        async (words, whole, decimals, defects) => {
          const number = `${whole}${decimals === 0 ? '' : `.${'5'.repeat(decimals)}`}`;
          await ok(save(id, { Text: words, Count: number, Defects: defects.toReversed() }));
          const stored = await answers(id);
          assert.equal(stored['Text'], words.trim() === '' ? '' : words.replace(/\r\n?/g, '\n'));
          assert.deepEqual([Number(stored['Count']), stored['Defects']], [Number(number), defects.join('|')]);
          await ok(save(id, stored));
          assert.deepEqual(await answers(id), stored);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("FRM-01 a new task gets its form's team unless it names one", async () => {
    const team = await ok(post('collection/save', { Collection: 'Title team', SourceObject: 'Person' }));
    const others = await ok(post('collection/save', { Collection: 'Loans', SourceObject: 'Loan' }));
    await refused(
      post('importformtemplate/save', { ImportFormTemplate: 'Teamed', AssignedCollectionID: others['CollectionID'] }),
      'BAD_PARAMETER',
      'AssignedCollectionID',
      /collection of users/,
    );
    const teamed = await ok(
      post('importformtemplate/save', { ImportFormTemplate: 'Teamed', AssignedCollectionID: team['CollectionID'] }),
    );
    const of = async (fields: object): Promise<unknown> =>
      (await ok(post('importform/save', { TemplateID: teamed['ImportFormTemplateID'], ...fields })))[
        'AssignedCollectionID'
      ];
    assert.deepEqual([await of({}), await of({ AssignedCollectionID: '' })], [team['CollectionID'], undefined]);
  });
});
