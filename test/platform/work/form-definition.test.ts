import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';

type Fields = Record<string, unknown>;

describe('form definitions', async () => {
  // A test waits for an expression that never ends to be stopped.
  const p = await testPlatform({ after }, { stylesheetSeconds: 1 });
  const ok = async (answer: Promise<TestAnswer>): Promise<Fields> => {
    const { status, text, json } = await answer;
    assert.equal(status, 200, text);
    return json();
  };
  const post = (route: string, fields: object): Promise<TestAnswer> =>
    p.admin.post(`/api/${route}?Output=Json`, fields);
  let made = 0;
  const form = (fields: object): Promise<TestAnswer> =>
    post('importformtemplate/save', { ImportFormTemplate: `Form ${++made}`, ...fields });
  const refused = async (
    answer: Promise<TestAnswer>,
    field: string,
    message: RegExp,
    code = 'BAD_PARAMETER',
  ): Promise<void> => {
    const { text, json } = await answer;
    const error = (json()['Error'] ?? json()) as Fields;
    assert.deepEqual([error['Code'], error['Field']], [code, field], text);
    assert.match(String(error['Message']), message);
  };
  const question = (fields: object): Promise<TestAnswer> =>
    form({ Questions: [{ ImportFormQuestion: 'Q', ...fields }] });

  it('FRM-01 saving a form refuses a question that could never be answered, and says what is expected', async () => {
    const wrong: readonly [object, string, RegExp, string?][] = [
      [{ ImportFormQuestion: 'two words' }, 'ImportFormQuestion', /name of an answer/],
      [{ ImportFormQuestion: 'Object' }, 'ImportFormQuestion', /another name/],
      [{ ImportFormQuestion: 'ID' }, 'ImportFormQuestion', /another name/],
      [{ ImportFormQuestion: 'MergeXmlData' }, 'ImportFormQuestion', /another name/],
      [{ ImportFormQuestion: 'RuleSetMatrix' }, 'ImportFormQuestion', /another name/],
      [{ ImportFormQuestion: 'XmlData' }, 'ImportFormQuestion', /cannot be asked in a form/],
      [{ ImportFormQuestion: 'CreatedDate' }, 'ImportFormQuestion', /another name|nothing that people/],
      [{ ImportFormQuestion: 'ProjectedCompletion', QuestionType: 'Money' }, 'QuestionType', /Timestamp or Date/],
      [{ ImportFormQuestion: 'Process_Status', Calculation: '1' }, 'Calculation', /only users can answer/],
      [{ ImportFormQuestion: 'Contact_USSSN' }, 'ImportFormQuestion', /cannot be asked in a form/],
      [
        { ImportFormQuestion: 'ActualCompletion', QuestionType: 'Date', Calculation: '1' },
        'Calculation',
        /cannot be calculated/,
      ],
      [{ QuestionType: 'Choice' }, 'Choices', /one per line/],
      [{ QuestionType: 'Choice', Choices: 'a|A\nA|B' }, 'Choices', /twice/],
      [{ QuestionType: 'Choice', Choices: '|A' }, 'Choices', /code before/],
      [{ QuestionType: 'Number', Choices: 'a' }, 'Choices', /have no choices/],
      [{ QuestionType: 'Number', Minimum: 'few' }, 'Minimum', /Q, Minimum: expected a number/],
      [{ QuestionType: 'Date', Minimum: '2026-02-01', Maximum: '2026-01-01' }, 'Maximum', /no less than Minimum/],
      [{ QuestionType: 'Text', Minimum: '-1' }, 'Minimum', /from 0/],
      [{ QuestionType: 'Boolean', Maximum: '1' }, 'Maximum', /no bounds/],
      [{ QuestionType: 'Number', Pattern: '\\d' }, 'Pattern', /only a Text/],
      [{ Pattern: '(' }, 'Pattern', /regular expression/],
      [{ QuestionType: 'Number', DefaultAnswer: 'x' }, 'Q', /number/],
      [{ Calculation: '1', DefaultAnswer: 'x' }, 'DefaultAnswer', /calculated/],
      [{ Calculation: '1 +' }, 'Q', /^Q, Calculation: /, 'BAD_XPATH'],
      [{ ShownWhen: 'document("x")' }, 'Q', /^Q, ShownWhen: .*not a function/, 'BAD_XPATH'],
      [{ ShownWhen: 'true()) or (false()' }, 'Q', /^Q, ShownWhen: .*bracket/, 'BAD_XPATH'],
      [{ RequiredWhen: '$x' }, 'Q', /^Q, RequiredWhen: .*no variables/, 'BAD_XPATH'],
      [{ Calculation: 'Answers/Q2' }, 'Calculation', /from the top of the document/],
      [{ Calculation: '/Form/Answers/Q' }, 'Calculation', /that need each other: Q/],
      [{ ShownWhen: "/Form/Answers/Q = 'x'" }, 'Calculation', /that need each other: Q/],
    ];
    for (const [fields, field, message, code] of wrong) await refused(question(fields), field, message, code);
    await refused(
      form({ AppliesTo: 'Loan', Questions: [{ ImportFormQuestion: 'Process_Status' }] }),
      'ImportFormQuestion',
      /field of the task or of Loan/,
    );
    assert.equal(
      (
        await p.platform.store.query('select 1 from importformtemplate where importformtemplate like $1 collate "C"', [
          'Form %',
        ])
      ).length,
      0,
    );
  });

  it('FRM-01 refuses questions that depend on each other in a circle, however long, also when an update closes the circle', async () => {
    const names = ['A', 'B', 'C', 'D'];
    const chain = names.map((name, at) => ({
      ImportFormQuestion: name,
      Calculation: at === 0 ? '1' : `/Form/Answers/${String(names[at - 1])} + 1`,
    }));
    const saved = await ok(form({ Questions: chain }));
    await refused(
      post('importformtemplate/save', {
        ID: saved['ImportFormTemplateID'],
        Questions: [{ ImportFormQuestion: 'A', Calculation: '/Form/Answers/D' }],
      }),
      'Calculation',
      /A, B, C, D/,
    );
    await ok(
      post('importformtemplate/save', {
        ID: saved['ImportFormTemplateID'],
        Questions: [{ ImportFormQuestion: 'A', Calculation: "concat('/Form/Answers/D', '')" }],
      }),
    );
    await refused(
      form({
        Questions: Array.from({ length: 25 }, (_, n) => ({
          ImportFormQuestion: `L${n}`,
          Calculation: n === 0 ? '1' : `/Form/Answers/L${n - 1}`,
        })),
      }),
      'Calculation',
      /at most 20 levels deep/,
    );
    await refused(
      form({ Questions: Array.from({ length: 301 }, (_, n) => ({ ImportFormQuestion: `L${n}` })) }),
      'Questions',
      /at most 300 questions/,
      'TOO_LARGE',
    );
  });

  it('FRM-01 moves lead from status to status, whatever order they are sent in; a status named by a move cannot be deleted', async () => {
    await refused(form({ Transitions: [{ ToStatus: 'Done' }] }), 'ToStatus', /Done is not a status of the form/);
    await refused(
      form({ Statuses: [{ ImportFormStatus: 'A' }], Transitions: [{ FromStatus: 'A', ToStatus: 'a' }] }),
      'ToStatus',
      /a status other than/,
    );
    await refused(
      form({ Statuses: [{ ImportFormStatus: 'A' }], Questions: [{ ImportFormQuestion: 'Status' }] }),
      'ImportFormQuestion',
      /only moves change/,
    );
    const saved = await ok(
      form({
        Transitions: [{ ToStatus: 'B' }, { FromStatus: 'A', ToStatus: 'B', Roles: 'Nobody' }],
        Statuses: [{ ImportFormStatus: 'A' }, { ImportFormStatus: 'B' }],
      }),
    );
    assert.match(JSON.stringify(saved['Alerts']), /UNKNOWN_ROLE.*Nobody/);
    const id = saved['ImportFormTemplateID'];
    const [row] = await p.platform.store.query<{ id: number; label: string }>(
      `select importformtransitionid as id, importformtransition as label
       from importformtransition
       where importformtemplateid = $1::bigint and fromstatus is not null`,
      [id],
    );
    assert.equal(row?.label, 'A → B');
    await ok(
      post('importformtemplate/save', { ID: id, Transitions: [{ FromStatus: 'a', ToStatus: 'b', Roles: 'Staff' }] }),
    );
    assert.equal(
      (await p.platform.store.query('select 1 from importformtransition where importformtemplateid = $1::bigint', [id]))
        .length,
      2,
    );
    const [status] = await p.platform.store.query<{ id: number }>(
      `select importformstatusid as id
       from importformstatus
       where importformtemplateid = $1::bigint and importformstatus = 'B'`,
      [id],
    );
    await refused(post('importformstatus/delete', { ID: status?.id }), 'ToStatus', /B is not a status/);
    const other = await ok(form({}));
    await refused(
      post('importformtransition/save', { ID: row?.id, ImportFormTemplateID: other['ImportFormTemplateID'] }),
      'ImportFormTemplateID',
      /cannot be moved/,
    );
  });

  it('FRM-01 a template that has questions cannot be deleted, and an inactive question is no longer asked', async () => {
    const saved = await ok(form({ Questions: [{ ImportFormQuestion: 'Q1', IsRequired: true }] }));
    assert.equal((await post('importformtemplate/delete', { ID: saved['ImportFormTemplateID'] })).status, 409);
    await ok(
      post('importformtemplate/save', {
        ID: saved['ImportFormTemplateID'],
        Questions: [{ ImportFormQuestion: 'q1', Status: 'Inactive' }],
      }),
    );
    await ok(post('importform/save', { TemplateID: saved['ImportFormTemplateID'], ActualCompletion: '2026-01-01' }));
  });

  it('FRM-01 export and import carry a form to another installation whole; a second import makes no second copy', async () => {
    const saved = await ok(
      form({
        Instructions: 'Do it.',
        Questions: [
          { ImportFormQuestion: 'Q1' },
          { ImportFormQuestion: 'Q2', QuestionType: 'Choice', Choices: 'a\nb' },
          { ImportFormQuestion: 'Q3', QuestionType: 'Rows' },
          { ImportFormQuestion: 'Q4', RowsOf: 'Q3' },
        ],
        Statuses: [{ ImportFormStatus: 'A' }, { ImportFormStatus: 'B', IsFinal: true }],
        Transitions: [{ ToStatus: 'A' }, { FromStatus: 'A', ToStatus: 'B' }],
      }),
    );
    const document = await p.admin.get(`/api/importformtemplate/export?ID=${String(saved['ImportFormTemplateID'])}`);
    assert.equal(document.status, 200, document.text);
    const q = await testPlatform({ after });
    for (const _ of [1, 2])
      assert.equal(
        (await q.admin.post('/api/importformtemplate/import', document.text, { 'Content-Type': 'application/xml' }))
          .status,
        200,
      );
    const counts = await q.platform.store.query(
      `select
         (select count(*)::integer from importformquestion q
          where q.importformtemplateid = t.importformtemplateid) as questions,
         (select string_agg(q.importformquestion || ' of ' || q.rowsof, ', ') from importformquestion q
          where q.importformtemplateid = t.importformtemplateid) as columns,
         (select count(*)::integer from importformstatus s
          where s.importformtemplateid = t.importformtemplateid) as statuses,
         (select count(*)::integer from importformtransition m
          where m.importformtemplateid = t.importformtemplateid) as moves,
         instructions
       from importformtemplate t
       where importformtemplate = $1::text`,
      [saved['ImportFormTemplate']],
    );
    assert.deepEqual(
      counts.map((row) => ({ ...row })),
      [{ questions: 4, columns: 'Q4 of Q3', statuses: 2, moves: 2, instructions: 'Do it.' }],
    );
  });

  it('FRM-01 an endless expression is stopped and reported with its question; another save continues', async () => {
    const saved = await ok(
      form({
        Questions: [
          {
            ImportFormQuestion: 'Sum',
            QuestionType: 'Number',
            Calculation: 'count(/Form/Answers/*[count(../*[count(../*[count(../*) > 0]) > 0]) > 0])',
          },
        ],
      }),
    );
    const answers = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`q${n}`, 'x']));
    const xml = `<ImportFormXml>${Object.keys(answers)
      .map((name) => `<${name}>x</${name}>`)
      .join('')}</ImportFormXml>`;
    await refused(
      post('importform/save', { TemplateID: saved['ImportFormTemplateID'], XmlData: xml }),
      'Sum',
      /^Sum, Calculation: /,
      'BAD_XPATH',
    );
    const form1 = await ok(post('importform/save', { TemplateID: saved['ImportFormTemplateID'], Few: 'x' }));
    assert.match(String(form1['XmlData']), /<Sum>1<\/Sum>/);
  });
});
