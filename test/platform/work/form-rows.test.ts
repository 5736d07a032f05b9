import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { batchEnded, makeBatch } from '../../support/imports/batches.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { anyCharacter } from '../../support/characters.ts';

type Fields = Record<string, unknown>;

describe('answers with rows', async () => {
  const p = await testPlatform({ after }, { worker: true });
  await p.user('clerk', 'Staff');
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
  const column = (name: string, more: Fields = {}): Fields => ({
    ImportFormQuestion: name,
    RowsOf: 'Bids',
    ...more,
  });
  const bids = [
    { ImportFormQuestion: 'Bids', QuestionType: 'Rows', Prompt: 'Which bids were made?', Minimum: '2', Sequence: 1 },
    column('Bidder', { IsRequired: true, Sequence: 2 }),
    column('Amount', { QuestionType: 'Money', Minimum: '1', IsRequired: true, Sequence: 3 }),
    column('Kind', { QuestionType: 'Choice', Choices: 'cash|Cash\ncredit|Credit bid', Sequence: 4 }),
    column('Code', { Pattern: '[A-Z]{2}[0-9]+', Sequence: 5 }),
    column('Clerk', { QuestionType: 'Person', Sequence: 6 }),
    column('MadeAt', { QuestionType: 'Timestamp', Sequence: 7 }),
  ];
  const form = (name: string, more: readonly object[] = [], first: Fields = {}): object => ({
    ImportFormTemplate: name,
    Questions: [{ ...bids[0], ...first }, ...bids.slice(1), ...more],
  });
  const template = await ok(
    post(
      'importformtemplate/save',
      form('Sale', [
        { ImportFormQuestion: 'Total', QuestionType: 'Money', Calculation: 'sum(/Form/Answers/Bids/Row/Amount)' },
        { ImportFormQuestion: 'Count', QuestionType: 'Number', Calculation: 'count(/Form/Answers/Bids/Row)' },
        {
          ImportFormQuestion: 'WhyMany',
          ShownWhen: 'count(/Form/Answers/Bids/Row) > 2',
          RequiredWhen: "/Form/Answers/Bids/Row[Kind = 'credit']",
        },
      ]),
    ),
  );
  const foreclosure = await ok(post('foreclosure/save', { Foreclosure: 'F-1', Status: 'Open' }));
  const make = async (fields: object = {}, of: Fields = template): Promise<number> =>
    Number(
      (
        await ok(
          post('importform/save', {
            TemplateID: of['ImportFormTemplateID'],
            Object: 'Foreclosure',
            ObjectID: foreclosure['ForeclosureID'],
            ...fields,
          }),
        )
      )['ImportFormID'],
    );
  const save = (id: number, fields: object, caller: Caller = p.admin): Promise<TestAnswer> =>
    post('importform/save', { ID: id, ...fields }, caller);
  const read = (id: number): Promise<Fields> => ok(p.admin.get(`/api/importform/${id}?Output=Json`));
  const xmlOf = async (id: number): Promise<string> => String((await read(id))['XmlData']);
  const elementOf = async (id: number, name = 'Bids'): Promise<string> =>
    new RegExp(`<${name}>.*</${name}>|<${name}/>|$`, 's').exec(await xmlOf(id))?.[0] ?? '';
  const two = [
    { Bidder: 'Dana Lee', Amount: '$1,000.50', Kind: 'CREDIT BID', MadeAt: '2026-03-01T10:00:00+02:00' },
    { Bidder: 'Sam Roe', Amount: 2000 },
  ];
  const twoXml =
    '<Bids><Row><Bidder>Dana Lee</Bidder><Amount>1000.5</Amount><Kind>credit</Kind>' +
    '<MadeAt>2026-03-01T08:00:00.000Z</MadeAt></Row><Row><Bidder>Sam Roe</Bidder><Amount>2000</Amount></Row></Bids>';

  it('FRM-01 stores the same rows from JSON, XML, a form body, one text and a document', async () => {
    const [json, text, form_, document_, xml] = [await make(), await make(), await make(), await make(), await make()];
    await ok(save(json, { bids: two }));
    await ok(save(text, { Bids: JSON.stringify(two) }));
    const body = new URLSearchParams({ ID: String(form_) });
    for (const [at, row] of two.entries())
      for (const [name, cell] of Object.entries(row)) body.append(`Bids_${at}_${name}`, String(cell));
    await ok(p.admin.post('/api/importform/save?Output=Json', body.toString()));
    const rows = (wrapper: string): string =>
      two
        .map(
          (row) =>
            `<${wrapper}>${Object.entries(row)
              .map(([n, v]) => `<${n}>${v}</${n}>`)
              .join('')}</${wrapper}>`,
        )
        .join('');
    await ok(save(document_, { XmlData: `<ImportFormXml><Bids>${rows('Row')}</Bids></ImportFormXml>` }));
    await ok(
      p.admin.post(
        '/api/importform/save?Output=Json',
        `<ImportFormItem><ID>${xml}</ID><Bids>${rows('BidItem')}</Bids></ImportFormItem>`,
        { 'content-type': 'text/xml' },
      ),
    );
    for (const id of [json, text, form_, document_, xml]) assert.equal(await elementOf(id), twoXml);
    assert.match(await xmlOf(json), /<Total>3000.5<\/Total><Count>2<\/Count>/);
    const saved = await ok(save(json, { Bids: two }));
    assert.equal(saved['Alerts'], undefined, 'no cell is an answer that the form does not ask for');
  });

  it('FRM-01 names question, row and column of every invalid cell together, and saves nothing', async () => {
    const id = await make({ Bids: two });
    const error = await refused(
      save(id, {
        Bids: [
          { Bidder: 'A', Amount: '0' },
          { Bidder: 'B', Amount: 'much', Kind: 'card' },
          { Bidder: 'C', Code: 'x1', Clerk: '987654', Amont: '1' },
        ],
      }),
      'BAD_PARAMETER',
      'Bids[1].Amount',
      new RegExp(
        [
          'Bids\\[1\\]\\.Amount: expected 1 or more\\.',
          'Bids\\[2\\]\\.Amount: expected a number',
          'Bids\\[2\\]\\.Kind: expected one of cash, credit\\.',
          'Bids\\[3\\]: expected only the columns Bidder, Amount',
        ].join('.*'),
        's',
      ),
    );
    assert.deepEqual(error['Questions'], ['Bids[1].Amount', 'Bids[2].Amount', 'Bids[2].Kind', 'Bids[3]']);
    await refused(
      save(id, { Bids: [{}, { Bidder: 'C', Code: 'x1' }] }),
      'BAD_PARAMETER',
      'Bids[2].Code',
      /Bids\[2\]\.Code: expected an answer in the format/,
    );
    await refused(
      save(id, { Bids: [{ Bidder: 'C', Clerk: '987654' }] }),
      'BAD_PARAMETER',
      'Bids[1].Clerk',
      /a user you can access/,
    );
    await refused(save(id, { Bids: 'x' }), 'BAD_PARAMETER', 'Bids', /a list of rows/);
    await refused(save(id, { Bids: '[[1]]' }), 'BAD_PARAMETER', 'Bids', /a list of rows/);
    await refused(save(id, { Bids: '[{"Bidder":{"a":1}}]' }), 'BAD_PARAMETER', 'Bids', /a list of rows/);
    await refused(
      save(id, { XmlData: '<ImportFormXml><Bids><Bid/></Bids></ImportFormXml>' }),
      'BAD_PARAMETER',
      'Bids',
      /an element <Row> for each row/,
    );
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 a complete task has as many rows as required, and in each the required cells', async () => {
    const id = await make({ Bids: [{ Bidder: 'A', Kind: 'credit' }] });
    const error = await refused(
      save(id, { ActualCompletion: '2026-05-01' }),
      'MISSING_PARAMETER',
      'Bids',
      /Bids: required; enter at least 2 rows\. Bids\[1\]\.Amount: required; enter an answer\./,
    );
    assert.deepEqual(error['Questions'], ['Bids', 'Bids[1].Amount']);
    const three = [...two, { Bidder: 'C', Amount: 1 }];
    await refused(save(id, { Bids: three, ActualCompletion: '2026-05-01' }), 'MISSING_PARAMETER', 'WhyMany', /WhyMany/);
    await ok(save(id, { Bids: three, WhyMany: 'Popular', ActualCompletion: '2026-05-01' }));
    await ok(save(await make(), { ActualCompletion: '2026-05-01' }));
  });

  it('FRM-01 empty rows are not stored, an empty list removes all rows, and what is not sent stays', async () => {
    const id = await make({ Bids: [{}, two[0], { Bidder: '  ' }, two[1], {}] });
    assert.equal(await elementOf(id), twoXml);
    await ok(save(id, { Status: 'Seen' }));
    assert.equal(await elementOf(id), twoXml);
    await ok(save(id, { Bids: [] }));
    assert.deepEqual([await elementOf(id), (await xmlOf(id)).includes('<Count>0</Count>')], ['<Bids/>', true]);
  });

  it('FRM-01 cells take a user by sign-in name or by a name that only one user has', async () => {
    const { personId } = await p.user('ben', 'Staff');
    await ok(post('person/save', { ID: personId, FirstName: 'Benjamin', LastName: 'Okafor' }));
    const id = await make({ Bids: [{ Clerk: 'BEN' }, { Clerk: 'Benjamin Okafor' }, { Clerk: personId }] });
    const clerk = `<Row><Clerk>${personId}</Clerk></Row>`;
    assert.equal(await elementOf(id), `<Bids>${clerk.repeat(3)}</Bids>`);
    await refused(save(id, { Bids: [{ Clerk: 'nobody' }] }), 'BAD_PARAMETER', 'Bids[1].Clerk', /a user: choose one/);
  });

  it('FRM-01 describe and evaluate return columns, rows, totals and the problem of each cell', async () => {
    const id = await make({ Bids: two });
    const described = async (route: string, fields: object): Promise<Fields> => {
      const { Questions: all } = (await ok(post(`importform/${route}`, fields)))['Form'] as { Questions: Fields[] };
      return all.find(({ Name }) => Name === 'Bids') ?? {};
    };
    const question = await described('describe', { ID: id });
    const rows = [
      { Bidder: 'Dana Lee', Amount: '1000.5', Kind: 'credit', MadeAt: '2026-03-01T08:00:00.000Z' },
      { Bidder: 'Sam Roe', Amount: '2000' },
    ];
    assert.deepEqual([question['Rows'], JSON.parse(String(question['Value']))], [rows, rows]);
    const columns = question['Columns'] as Fields[];
    assert.deepEqual(columns.map(({ Name, Type, Required }) => [Name, Type, Required]).slice(0, 3), [
      ['Bidder', 'Text', true],
      ['Amount', 'Money', true],
      ['Kind', 'Choice', false],
    ]);
    assert.equal(columns[1]?.['Total'], '3000.5');
    const tried = await described('evaluate', { ID: id, Bids: [{ Amount: '1.1' }, {}, { Amount: '1.2', Kind: 'no' }] });
    assert.deepEqual(tried['CellProblems'], [
      { Row: 3, Column: 'Kind', Text: 'Bids[3].Kind: expected one of cash, credit.' },
    ]);
    assert.deepEqual(tried['Rows'], [{ Amount: '1.1' }, null, { Amount: '1.2', Kind: 'no' }]);
    assert.equal((tried['Columns'] as Fields[])[1]?.['Total'], '2.3');
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 a draft keeps rows as they were entered, valid or not', async () => {
    const id = await make({ Bids: two });
    const sent = [{ Bidder: 'A', Amount: 'much' }];
    await ok(post('importform/draft', { ID: id, Bids: sent }));
    const { Questions: all } = (await ok(post('importform/describe', { ID: id, WithDraft: true })))['Form'] as {
      Questions: Fields[];
    };
    assert.deepEqual(all[0]?.['Rows'], sent);
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 a rollback restores the rows that were stored before', async () => {
    const id = await make({ Bids: two });
    const before = await read(id);
    await ok(save(id, { Bids: [{ Bidder: 'Other', Amount: 5 }] }));
    await ok(post('importform/rollback', { ID: id, At: before['UpdatedDate'] }));
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 saving a form refuses rows that could never be answered, and says what is expected', async () => {
    const cases: [readonly object[], string, RegExp][] = [
      [[{ ImportFormQuestion: 'X', QuestionType: 'Rows' }], 'QuestionType', /X, QuestionType: expected columns/],
      [[{ ImportFormQuestion: 'C', RowsOf: 'Nothing' }], 'RowsOf', /the name of a question of this form/],
      [[...bids, column('T', { QuestionType: 'Rows' })], 'QuestionType', /since it is a column/],
      [[...bids, column('T', { QuestionType: 'Label' })], 'QuestionType', /since it is a column/],
      [[...bids, column('T', { Calculation: '1' })], 'Calculation', /a column does not have it/],
      [[...bids, column('T', { DefaultAnswer: '1' })], 'DefaultAnswer', /a column does not have it/],
      [[...bids, column('T', { QuestionType: 'Choice' })], 'Choices', /the allowed answers/],
      [[{ ...bids[0], Maximum: '501' }, ...bids.slice(1)], 'Maximum', /from 1 to 500/],
      [[{ ...bids[0], DefaultAnswer: '[{"Amount":"x"}]' }, ...bids.slice(1)], 'Bids[1].Amount', /a number/],
      [
        [
          { ImportFormQuestion: 'Loan', QuestionType: 'Rows' },
          { ImportFormQuestion: 'T', RowsOf: 'Loan' },
        ],
        'ImportFormQuestion',
        /no field of the task/,
      ],
      [[...bids, ...Array.from({ length: 16 }, (_, n) => column(`T${n}`))], 'QuestionType', /at most 20 columns/],
    ];
    for (const [Questions, field, message] of cases)
      await refused(
        post('importformtemplate/save', { ImportFormTemplate: 'Wrong', Questions }),
        'BAD_PARAMETER',
        field,
        message,
      );
  });

  it('FRM-01 stored rows stay readable and need not be entered again when the form changes', async () => {
    const own = await ok(post('importformtemplate/save', form('Changed', [column('Note')])));
    const id = await make({ Bids: [{ Bidder: 'A', Amount: 5, Note: 'first' }, { Bidder: 'B' }] }, own);
    const change = (question: object): Promise<Fields> =>
      ok(post('importformtemplate/save', { ID: own['ImportFormTemplateID'], Questions: [question] }));
    await change(column('Amount', { Minimum: '10' }));
    await change(column('Note', { Status: 'Inactive' }));
    const stored = '<Row><Bidder>A</Bidder><Amount>5</Amount><Note>first</Note></Row>';
    await ok(save(id, { Bids: [{ Bidder: 'A', Amount: '5', Note: 'first' }, { Bidder: 'C' }] }));
    assert.equal(await elementOf(id), `<Bids>${stored}<Row><Bidder>C</Bidder></Row></Bids>`);
    await refused(save(id, { Bids: [{ Bidder: 'A', Amount: '6' }] }), 'BAD_PARAMETER', 'Bids[1].Amount', /10 or more/);
    await change({ ImportFormQuestion: 'Bids', Status: 'Inactive' });
    await ok(save(id, { Status: 'Seen' }));
    assert.match(await elementOf(id), /first/);
    await change({ ImportFormQuestion: 'Bids', Status: 'Active' });
    for (const name of ['Bidder', 'Amount', 'Kind', 'Code', 'Clerk', 'MadeAt'])
      await ok(
        p.admin.post('/api/importformtemplate/save?Output=Json', {
          ID: own['ImportFormTemplateID'],
          Questions: [
            { ImportFormQuestion: name, RowsOf: '' },
            ...(name === 'MadeAt'
              ? [{ ImportFormQuestion: 'Bids', QuestionType: 'LongText', Minimum: '', RowsOf: '' }]
              : []),
          ],
        }),
      ).catch((error: unknown) => assert.ok(name !== 'MadeAt', String(error)));
    await ok(post('importform/describe', { ID: id }));
  });

  it('FRM-01 a question with rows is deleted after it is inactive and its columns are deleted', async () => {
    const own = await ok(
      post('importformtemplate/save', {
        ImportFormTemplate: 'Deleted',
        Questions: [
          { ImportFormQuestion: 'Payments', QuestionType: 'Rows' },
          { ImportFormQuestion: 'Paid', RowsOf: 'Payments' },
        ],
      }),
    );
    const TemplateID = own['ImportFormTemplateID'];
    const all = await p.platform.store.query<{ id: number; name: string }>(
      `select importformquestionid as id, importformquestion as name from importformquestion
       where importformtemplateid = $1::bigint`,
      [TemplateID],
    );
    const remove = (name: string): Promise<TestAnswer> =>
      post('importformquestion/delete', { ID: all.find((row) => row.name === name)?.id });
    await refused(remove('Payments'), 'BAD_PARAMETER', 'RowsOf', /delete columns before it/);
    await refused(remove('Paid'), 'BAD_PARAMETER', 'QuestionType', /To delete it, make it inactive first/);
    await ok(
      post('importformtemplate/save', {
        ID: TemplateID,
        Questions: [{ ImportFormQuestion: 'Payments', Status: 'Inactive' }],
      }),
    );
    await ok(remove('Paid'));
    await ok(remove('Payments'));
  });

  it('FRM-01 RUL-09 a business rule reads the rows of a task with XPath', async () => {
    const id = await make({ Bids: two });
    const rule = await ok(
      post('businessrule/save', {
        BusinessRule: 'Bids are complete',
        AppliesTo: 'ImportForm',
        Operation: 'Save',
        Stylesheet:
          '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">' +
          '<xsl:if test="sum(//XmlData//Bids/Row/Amount) &gt; 4000 and count(//XmlData//Bids/Row) = 3">' +
          '<Exception>Too high.</Exception></xsl:if></xsl:template></xsl:stylesheet>',
      }),
    );
    await ok(save(id, { Bids: two }));
    const high = [...two, { Bidder: 'C', Amount: 1000 }];
    const { status, text } = await save(id, { Bids: high });
    assert.deepEqual([status, text.includes('Too high.')], [422, true], text);
    await ok(post('businessrule/save', { ID: rule['BusinessRuleID'], Status: 'Inactive' }));
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 WF-05 a workflow decides by what the form calculates from rows', async () => {
    const test = "contains(/*/ImportForms/ImportFormItem/XmlData, '&lt;Count&gt;2&lt;/Count&gt;')";
    await ok(
      post('decisiontemplate/save', {
        DecisionTemplate: 'Two bids',
        AppliesTo: 'Foreclosure',
        Steps: [
          {
            DecisionStepTemplate: 'Were there two',
            DecisionStepTemplateType: 'IfThen',
            StepXslt:
              '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output ' +
              `method="text"/><xsl:template match="/"><xsl:value-of select="number(${test})"/></xsl:template>` +
              '</xsl:stylesheet>',
          },
        ],
      }),
    );
    for (const [bidders, expected] of [
      [two, true],
      [two.slice(1), false],
    ] as const) {
      const { ForeclosureID: ObjectID } = await ok(post('foreclosure/save', { Foreclosure: `W-${bidders.length}` }));
      await make({ Bids: bidders, ObjectID });
      const { DecisionID } = await ok(post('decision/save', { Template: 'Two bids', Object: 'Foreclosure', ObjectID }));
      const [step] = await p.platform.store.query<{ istrue: boolean }>(
        'select istrue from decisionstep where decisionid = $1::bigint',
        [DecisionID],
      );
      assert.equal(step?.istrue, expected);
    }
  });

  it('FRM-01 hostile cells and names are data or refused; 500 rows are stored, one more is refused', async () => {
    const wide = await ok(post('importformtemplate/save', form('Wide', [], { Maximum: '500' })));
    const id = await make({}, wide);
    const hostile = '<script>alert(1)</script>&amp; ]]> "},{"Bidder":"x" {Status} \u202e \'';
    await ok(save(id, { Bids: [{ Bidder: hostile }] }));
    assert.equal(parseXml(await xmlOf(id)).children[0]?.children[0]?.children[0]?.text, hostile);
    await refused(save(id, { Bids: [{ Bidder: 'a\u0001' }] }), 'BAD_PARAMETER', 'Bids_0_Bidder', /control characters/);
    await refused(
      save(id, { Bids: JSON.stringify([{ Bidder: 'a\u0001' }]) }),
      'BAD_PARAMETER',
      'Bids[1].Bidder',
      /control characters/,
    );
    for (const name of ['__proto__', 'constructor', '<a b="c">'])
      await refused(
        save(id, { Bids: `[{${JSON.stringify(name)}:"x"}]` }),
        'BAD_PARAMETER',
        'Bids[1]',
        /only the columns/,
      );
    await refused(save(id, { Bids: '['.repeat(100_000) }), 'BAD_PARAMETER', 'Bids', /a list of rows/);
    await refused(save(id, { Bids_99999_Bidder: 'x' }), 'BAD_PARAMETER', 'Bids', /row numbers below/);
    const many = (count: number): object[] =>
      Array.from({ length: count }, (_, n) => ({ Bidder: `Bidder ${n}`, Amount: n + 1, Kind: 'cash', Code: `AB${n}` }));
    await ok(save(id, { Bids: many(500) }));
    assert.equal((await elementOf(id)).match(/<Row>/g)?.length, 500);
    const page = await (await testSession(p, 'clerk')).get(`/form/${id}`);
    assert.equal(page.text.match(/<tr data-row>/g)?.length, 501, 'the rows, and the template of new ones');
    await refused(save(id, { Bids: many(501) }), 'BAD_PARAMETER', 'Bids', /at most 500 rows/);
    await refused(save(await make(), { Bids: many(101) }), 'BAD_PARAMETER', 'Bids', /at most 100 rows/);
  });

  it('IMP-07 FRM-01 the rows of a batch name each cell of a task', async () => {
    const id = await make({ ImportForm: 'Answered by a batch' });
    const { ImportFileID } = await makeBatch(p.admin, {
      ClassName: 'ImportForm',
      Operation: 'Search',
      ImportForm: 'Answered by a batch',
      Signature:
        'ImportForm/Save?ID={ImportFormID}&Bids_0_Bidder=Dana Lee&Bids_0_Amount=$1,000.50&Bids_0_Kind=credit' +
        '&Bids_0_MadeAt=2026-03-01T10:00:00%2B02:00&Bids_1_Bidder=Sam Roe&Bids_1_Amount=2000',
    });
    const file = await batchEnded(p, ImportFileID);
    assert.deepEqual([file.successcount, file.errorcount], [1, 0], file.message ?? '');
    assert.equal(await elementOf(id), twoXml);
  });

  it('FRM-01 of two people who save rows at once with the Version they read, one is refused; other answers are kept', async () => {
    const id = await make({ Bids: two });
    const { Version } = await read(id);
    const race = await Promise.all(['A', 'B'].map((Bidder) => save(id, { Version, Bids: [{ Bidder, Amount: 7 }] })));
    assert.deepEqual(
      race.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    await Promise.all([save(id, { WhyMany: 'since' }), save(id, { Bids: two })]);
    assert.match(await xmlOf(id), /<WhyMany>since<\/WhyMany>/);
    assert.equal(await elementOf(id), twoXml);
  });

  it('property: any rows sent as a list, as fields, as a text, as a document or by the page are stored alike', async () => {
    const ids = [await make(), await make(), await make(), await make()];
    const byPage = await make();
    const clerk = await testSession(p, 'clerk');
    const text = fc
      .string({ unit: anyCharacter, maxLength: 20 })
      .filter((one) => !/[\0-\x08\x0a-\x1f\ufffe\uffff]/.test(one) && one.isWellFormed() && one.trim() !== '');
    const row = fc.record(
      {
        Bidder: text,
        Amount: fc.integer({ min: 100, max: 9_999_999 }).map((cents) => String(cents / 100)),
        Kind: fc.constantFrom('cash', 'credit'),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (rows) => {
        const filled = rows.filter((one) => Object.keys(one).length > 0);
        const flat = Object.fromEntries(
          rows.flatMap((one, at) => Object.entries(one).map(([name, cell]) => [`Bids_${at}_${name}`, cell])),
        );
        const escaped = (cell: string): string =>
          cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
        const document_ = `<ImportFormXml><Bids>${rows
          .map(
            (one) =>
              `<Row>${Object.entries(one)
                .map(([n, v]) => `<${n}>${escaped(v)}</${n}>`)
                .join('')}</Row>`,
          )
          .join('')}</Bids></ImportFormXml>`;
        const sent = [
          { Bids: filled },
          filled.length === 0 ? { Bids: '' } : flat,
          { Bids: JSON.stringify(rows) },
          { XmlData: document_ },
        ];
        const cells = rows.flatMap((one, at) =>
          Object.entries(one).map(([name, cell]) => [`answer.Bids[${at}].${name}`, cell]),
        );
        const page = { Version: String((await read(byPage))['Version']), 'before.Bids': 'other', Do: 'save' };
        const [posted] = await Promise.all([
          clerk.post(`/form/${byPage}`, { ...page, ...(Object.fromEntries(cells) as Record<string, string>) }),
          ...ids.map((id, at) => ok(save(id, sent[at] ?? {}))),
        ]);
        assert.equal(posted.status, 303, posted.text);
        const [first, ...others] = await Promise.all([...ids, byPage].map((id) => elementOf(id)));
        for (const other of others) assert.equal(other, first);
        const read_ = (parseXml(`<a>${first}</a>`).children[0]?.children ?? []).map(({ children }) =>
          Object.fromEntries(children.map((cell) => [cell.name, cell.text])),
        );
        assert.deepEqual(read_, filled);
      }),
      { numRuns: 12 },
    );
  });
});
