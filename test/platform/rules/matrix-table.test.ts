import assert from 'node:assert/strict';

import { after, describe, it } from 'node:test';

import { feesTable, matrixCalls, rowsOf, type MatrixRow } from '../../support/rules/matrices.ts';
import { worksheetOf } from '../../support/console/worksheet.ts';
import { ADMIN_KEY, testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { ok, refused, save, saveWhole, tryLookup, lookup, table, versions } = matrixCalls(p);
const exported = async (matrix: string, more = ''): Promise<string> =>
  (await p.admin.get(`/api/matrix/exporttable?Matrix=${encodeURIComponent(matrix)}${more}`)).text;
const tuples = (rows: readonly MatrixRow[]): unknown[] =>
  rows.map((row) => [row['Weight'], row['MatchCount'], row['MisMatchCount'], row['Cost'], row['Price']]);
const countFacts = async (matrixId: unknown): Promise<unknown> =>
  (
    await p.platform.store.query('select count(*)::integer as count from matrixfact where matrixid = $1::bigint', [
      matrixId,
    ])
  )[0]?.['count'];

describe('importing a table', () => {
  it('RUL-11 names, weights and rows create the matrix of the worked example; importing it again changes nothing, a changed table replaces it', async () => {
    const first = await ok(table('Fees', feesTable));
    assert.equal(first['Matrix'], 'Fees');
    assert.deepEqual(tuples(await lookup('Fees', { State: 'CA', Client: 'Acme', Investor: 'Northgate' }))[0], [
      13,
      2,
      0,
      '55',
      '95',
    ]);
    assert.equal(await versions(first['MatrixID']), 1);
    await ok(table('fees', feesTable));
    assert.equal(await versions(first['MatrixID']), 1);
    await ok(table('Fees', feesTable.replace('60,120', '60,121')));
    assert.equal(await versions(first['MatrixID']), 2);
    assert.deepEqual(tuples(await lookup('Fees', { State: 'CA' }))[0], [5, 1, 0, '60', '121']);
    const [history] = await p.platform.store.query<{ count: number }>(
      "select count(*)::integer as count from history where tablename = 'matrixfact'",
    );
    assert.equal(history?.count, 1, 'only the changed cell is written');
  });

  it('RUL-11 the result counts the rows added, changed and removed', async () => {
    const replaced = async (body: string): Promise<unknown> =>
      ((await ok(table('Counted', body)))['Alerts'] as { Code: string; Text: string }[])
        .map(({ Code, Text }) => `${Code} ${Text}`)
        .join();
    assert.equal(
      await replaced('State,Price\n1,output\nCA,1\nTX,2\nNY,3\n'),
      'ROWS_ADDED Rows: 3 added, 0 changed, 0 removed.',
    );
    assert.equal(
      await replaced('State,Price\n1,output\nCA,1\nTX,2\nNY,3\n'),
      'ROWS_ADDED Rows: 0 added, 0 changed, 0 removed.',
    );
    assert.equal(
      await replaced('State,Price\n1,output\nCA,1\nTX,9\nNY,3\n,4\n'),
      'ROWS_REPLACED Rows: 1 added, 1 changed, 0 removed.',
    );
    // Removing an input removes its cells; the row that had none in it is unchanged.
    assert.equal(await replaced('Price\noutput\n1\n9\n3\n4\n'), 'ROWS_REPLACED Rows: 0 added, 3 changed, 0 removed.');
    assert.equal(await replaced('Price\noutput\n1\n'), 'ROWS_REPLACED Rows: 0 added, 0 changed, 3 removed.');
  });

  it('RUL-11 remaining columns keep type, XPath and ID; removed ones lose their cells, new ones are created, and weights and order follow the table', async () => {
    const { MatrixID: id } = await saveWhole(
      'Kept',
      { State: { XPath: '//Property/State', Weight: 5 }, Gone: {} },
      { Price: { ValueType: 'Money' } },
      [{ State: 'CA', Gone: 'x', Price: '1' }],
    );
    const columns = async (): Promise<unknown[]> =>
      (
        await p.platform.store.query(
          `select matrixdimensionid as id, matrixdimension as name, xpath, weight, sequence
           from matrixdimension
           where matrixid = $1::bigint
           order by sequence`,
          [id],
        )
      ).map((row) => Object.values(row));
    const [before] = (await columns()) as [unknown[]];
    await ok(table('Kept', 'New,State,Price\n2,7,output\na,TX,$2.50\n'));
    const after_ = (await columns()) as unknown[][];
    assert.deepEqual(
      after_.map((row) => row.slice(1)),
      [
        ['New', null, '2', 1],
        ['State', '//Property/State', '7', 2],
      ],
    );
    assert.equal(after_[1]?.[0], before?.[0]);
    assert.deepEqual(tuples(await lookup('Kept', { State: 'tx', New: 'A' })), [[9, 2, 0, undefined, 2.5]]);
    assert.equal(await countFacts(id), 3);
    assert.match(
      String((await refused(table('Kept', 'State,Price\n7,output\nTX,dear\n'), 400))['Message']),
      /Line 3, Price: "dear": expected a number/,
    );
    assert.equal(await countFacts(id), 3);
  });

  it('RUL-11 a third line gives inputs and outputs their types, also those of a matrix that has others; an export contains it', async () => {
    const typed =
      'Balance,Day,Price,Letter\n1,1,output,output\ntype: number,Type: Date,type: Money,type: object MessageTemplate\n';
    const letter = await save('messagetemplate', { MessageTemplate: 'Typed letter', AppliesTo: 'Loan' });
    await ok(table('Typed', 'Balance,Day,Price,Letter\n1,1,output,output\nmuch,sometime,dear,none\n'));
    await ok(table('Typed', `${typed}0-500,2026-01-31,"$1,250.50",Typed letter\n`));
    const [row] = await lookup('Typed', { Balance: '$45', Day: '2026-01-31' });
    assert.deepEqual(
      [row?.['MisMatchCount'], row?.['Price'], row?.['PriceType'], row?.['LetterObjectID']],
      [0, 1250.5, 'Money', letter['MessageTemplateID']],
    );
    const csv = await exported('Typed');
    assert.match(
      csv,
      /\r\ntype: Number,type: Date,type: Money,type: Object MessageTemplate\r\n0-500,2026-01-31,1250.5,/,
    );
    await ok(table('Typed copy', csv));
    assert.equal(await exported('Typed copy'), csv);
    // Without the line, the types stay; `none` removes one.
    await refused(table('Typed', 'Balance,Day,Price,Letter\n1,1,output,output\nmuch,,1,\n'), 400);
    await ok(table('Typed', 'Balance,Day,Price,Letter\n1,1,output,output\ntype: none,,,\nmuch,,1,\n'));
    for (const [types, message] of [
      [
        'type: Numbr,,,',
        /Line 3, Balance: "type: Numbr": expected type: and one of Text, Number, Date or none \(did you mean Number/,
      ],
      ['type: Money,,,', /expected type: and one of Text, Number, Date/],
      [',,,type: Object', /record type/],
      [',,type: Money x,', /expected type: Money alone/],
    ] as const)
      assert.match(
        String(
          (await refused(table('Typed', `Balance,Day,Price,Letter\n1,1,output,output\n${types}\n`), 400))['Message'],
        ),
        message,
      );
  });

  it('RUL-11 reports the faults of a table with line and column, up to ten at once, and stores nothing', async () => {
    const wrong: readonly (readonly [string, number, RegExp])[] = [
      ['', 400, /as the body/],
      ['State,Price\n', 400, /no second line/],
      [
        'State,Price\n5,outptu\n',
        400,
        /Line 2, Price: "outptu": expected .*or "output" under an output \(did you mean output\?\)/,
      ],
      ['State,,Price\n5,1,output\n', 400, /Line 1, column 2: .*the name of an input or output/],
      ['State,State\n1,2\n', 400, /"State" cannot be the name of a column/],
      ['St&te,Price\n1,output\n', 400, /cannot be the name of a column/],
      ['State,Price\n-1,output\n', 400, /Line 2, State: "-1": expected a weight/],
      ['A,Price\n1,output\n9 - 1,1\n>,2\n', 400, /Line 3, A: "9 - 1": expected a range.*Line 4, A: ">": expected/],
      ['A,P\n1,output\nx,1,2\n', 400, /Line 3/],
      ['State,Price\n1,output\nCA\n', 400, /^Line 3: the row has 1 cell; expected 2: State, Price\.$/],
      ['A,B,P\n1,1,output\nx,9 - 1,1\n>,y,2\n', 400, /^Line 3, B: .*Line 4, A: /],
      [`A,P\n1,output\n${'">",1\n'.repeat(30)}`, 400, /Line 12, A.*There are more/],
      [
        `${Array.from({ length: 16_000 }, (_, n) => `C${n}`).join(',')}\n${'1,'.repeat(15_999)}1\n`,
        413,
        /16000 columns; a matrix has at most 100/,
      ],
      [
        `${Array.from({ length: 101 }, (_, n) => `C${n}`).join(',')},P\n${'1,'.repeat(101)}output\n`,
        413,
        /101 inputs; a matrix has at most 100/,
      ],
      [
        `${Array.from({ length: 1_000 }, (_, n) => `C${n}`).join(',')}\n${`${','.repeat(999)}\n`.repeat(4_001)}`,
        413,
        /more than 4000 lines of 1000 columns/,
      ],
      [`A,P\n1,output\n${'x'.repeat(4_001)},1\n`, 400, /at most 4000 characters/],
    ];
    for (const [body, status, message] of wrong)
      assert.match(String((await refused(table('Wrong', body), status))['Message']), message, body.slice(0, 60));
    const form = await refused(
      table(
        'Wrong',
        `--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n${feesTable}\r\n--x--\r\n`,
        p.admin,
        'multipart/form-data; boundary=x',
      ),
      400,
    );
    assert.match(String(form['Message']), /the request body, not as part of a form/);
    assert.equal((await tryLookup('Wrong')).status, 404);
    assert.equal((await refused(table('', feesTable), 400))['Code'], 'MISSING_PARAMETER');
    assert.equal((await refused(table('12', feesTable), 400))['Field'], 'Matrix');
  });

  it('RUL-11 concurrent imports of one table are serialized: one of the tables is stored whole, with only its own cells', async () => {
    const of = (word: string): string =>
      `State,Price\n1,output\n${Array.from({ length: 200 }, (_, n) => `${word}${n},${word}`).join('\n')}`;
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((word) => table('Raced', of(word))));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200, 200, 200],
    );
    const rows = await lookup('Raced', { DisplaySize: 1000 });
    const [first] = rows;
    assert.deepEqual([rows.length, new Set(rows.map((row) => row['Price'])).size], [200, 1]);
    assert.equal((await lookup('Raced', { State: `${String(first?.['Price'])}7` }))[0]?.['MisMatchCount'], 0);
    assert.equal(await countFacts(answers[0]?.json()['MatrixID']), 400);
  });

  it('RUL-11 an Object output references a record by its ID or by a label that only one record has', async () => {
    const letters = await Promise.all(
      ['Letter one', 'Letter two'].map((MessageTemplate) =>
        save('messagetemplate', { MessageTemplate, AppliesTo: 'Loan' }),
      ),
    );
    await saveWhole('Pointing', { State: {} }, { Letter: { ValueType: 'Object', ObjectType: 'MessageTemplate' } }, []);
    await ok(
      table('Pointing', `State,Letter\n1,output\nCA,letter ONE\nTX,${String(letters[1]?.['MessageTemplateID'])}\n`),
    );
    assert.deepEqual(
      (await lookup('Pointing', { State: 'CA' })).map((row) => [
        row['Letter'],
        row['LetterObject'],
        row['LetterObjectID'],
      ])[0],
      ['letter ONE', 'MessageTemplate', letters[0]?.['MessageTemplateID']],
    );
    assert.equal((await lookup('Pointing', { State: 'TX' }))[0]?.['LetterObjectID'], letters[1]?.['MessageTemplateID']);
    assert.match(
      String((await refused(table('Pointing', 'State,Letter\n1,output\nCA,Letter three\n'), 400))['Message']),
      /Line 3, Letter: "Letter three": expected the name or id of one MessageTemplate; there is none/,
    );
  });
});

describe('cells that are probably misread', () => {
  const suspicious = [
    '0-100000',
    '1/1/2026 - 6/30/2026',
    '1/31/2026',
    '2026-02-30',
    '=5',
    '!=CO',
    '5+',
    '5 to 10',
    'between 1 and 5',
    '[1..5]',
    '1 - 5; 7',
    'OH; MI',
    'OH or MI',
    '*',
    'Any',
    '-',
    '(500)',
    '5%',
    'not not CA',
    '5 - CA',
    '1.000,50',
  ];
  const innocent = [
    'CA',
    'not CA',
    'AR, CA',
    '45 - 99999',
    '>500K',
    '2026-01-31',
    '1,500',
    '"5+"',
    '10000-500',
    'Smith & Sons',
    'X-ray',
  ];
  const csv = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const warned = (body: MatrixRow): string[] =>
    ((body['Alerts'] ?? []) as { Code: string; Text: string }[])
      .filter(({ Code }) => Code === 'CELL_READ_AS_TEXT')
      .map(({ Text }) => Text);

  it('RUL-02 a cell that looks like a range, date, list or operator but is compared as text raises a warning, in tables, cell saves and analyze', async () => {
    for (const cell of suspicious) {
      const body = await ok(table('Misread', `Value,P\n1,output\n${csv(cell)},1\n`));
      assert.equal(warned(body).length, 1, `${cell}: ${warned(body).join()}`);
      assert.ok(warned(body)[0]?.startsWith(`Line 3, Value: "${cell}". It is `), warned(body)[0]);
    }
    const { MatrixID } = await ok(
      table('Misread', `Value,P\n1,output\n${innocent.map((cell) => `${csv(cell)},1`).join('\n')}\n`),
    );
    const clean = await ok(
      table('Misread', `Value,P\n1,output\n${innocent.map((cell) => `${csv(cell)},1`).join('\n')}\n`),
    );
    assert.deepEqual(warned(clean), []);
    const saved = await save('matrixfact', { MatrixID, RowNumber: 90, MatrixFact: 'Value', Cell: '5+' });
    assert.deepEqual(warned(saved), [
      'Row 90, Value: "5+". It is compared as text. For this or more, write >=5. ' +
        'For the text itself, put it in quotes.',
    ]);
    await ok(table('Misread', `Value,P\n1,output\nCA,1\n0-100000,2\n`));
    const findings = rowsOf(await ok(p.admin.get('/api/matrix/analyze?Output=Json&Matrix=Misread')), 'MatrixFinding');
    assert.deepEqual(
      findings
        .filter((finding) => finding['Finding'] === 'Read as text')
        .map((finding) => [finding['Row'], finding['Input']]),
      [[2, 'Value']],
    );
    // Typed inputs say how they are read: text is text, and a number is checked.
    assert.deepEqual(warned(await ok(table('Misread', `Value,P\n1,output\ntype: Text,\n0-100000,2\n`))), []);
  });

  it('RUL-02 a text among numbers or days is the odd one out, for tables and analyze; not in an input of texts', async () => {
    const body = await ok(
      table('Odd', 'Balance,Kind,P\n1,1,output\n100,FHA,1\n200 - 300,VA,2\n>500,7,3\n"1,000",8,4\nmuch,9,5\n'),
    );
    assert.deepEqual(warned(body), [
      'Line 7, Balance: "much". It is compared as text, while most cells of this input are numbers or days. ' +
        'For the text itself, put it in quotes.',
    ]);
    const findings = rowsOf(await ok(p.admin.get('/api/matrix/analyze?Output=Json&Matrix=Odd')), 'MatrixFinding');
    assert.deepEqual(
      findings
        .filter((finding) => finding['Finding'] === 'Odd one out')
        .map((finding) => [finding['Row'], finding['Input']]),
      [[5, 'Balance']],
    );
  });
});

/** Returns the XML of a workbook's worksheet. */
describe('exporting a table', () => {
  /** Cells that a file format, spreadsheet program or reader could misinterpret. */
  const strange = [
    "=cmd|'/c calc'!A1",
    '+1',
    '-1',
    '@SUM(A1)',
    "'=1",
    "''+x",
    "it's",
    '<&>"\'',
    '"quoted, text"',
    'two words',
    '007',
    'über',
    '_x0041_',
  ];

  it('RUL-11 an exported table imports as the same matrix, as CSV and as workbook, whatever its cells contain; spreadsheet programs execute none of it', async () => {
    const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
    const rows = strange.map((cell) => ({ State: quoted(cell), Price: cell }));
    await saveWhole('Strange', { State: { Weight: 2.5 }, Balance: {} }, { Price: {} }, [
      ...rows,
      { Balance: '>500K', Price: 'large' },
    ]);
    const csv = await exported('Strange');
    assert.match(csv, /^State,Balance,Price\r\n2\.5,1,output\r\n/);
    for (const cell of csv.split(/\r\n|,/)) assert.doesNotMatch(cell, /^"?[=+@\t\r]/);
    const book = Buffer.from(
      await (
        await fetch(`${p.url}/api/matrix/exporttable?Matrix=Strange&Format=Xlsx`, {
          headers: { 'X-ApiKey': ADMIN_KEY },
        })
      ).arrayBuffer(),
    );
    const sheet = await worksheetOf(book);
    assert.match(sheet, /<t xml:space="preserve">=cmd\|'/);
    assert.doesNotMatch(sheet, /<f[ >]/);
    await ok(table('Strange of csv', csv));
    await ok(
      table('Strange of book', book, p.admin, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    );
    const original = (await lookup('Strange', { DisplaySize: 100 })).map((row) => row['Price']);
    assert.deepEqual(original, [...strange, 'large']);
    for (const copy of ['Strange of csv', 'Strange of book']) {
      assert.deepEqual(
        (await lookup(copy, { DisplaySize: 100 })).map((row) => row['Price']),
        original,
        copy,
      );
      for (const cell of strange)
        assert.deepEqual(
          (await lookup(copy, { State: cell }))
            .slice(0, 1)
            .map((row) => [row['Price'], row['Weight'], row['MisMatchCount']]),
          [[cell, 2.5, 0]],
          `${copy}: ${cell}`,
        );
      assert.equal(await exported(copy), csv);
    }
  });

  it('RUL-11 exports an earlier version as it was', async () => {
    const { MatrixID: id } = await ok(table('Former', 'State,Price\n1,output\nCA,1\n'));
    const [version] = await p.platform.store.query<{ at: string }>(
      'select createddate as at from matrixversion where matrixid = $1::bigint',
      [id],
    );
    await ok(table('Former', 'County,Price\n3,output\nAda,2\n'));
    assert.equal(await exported('Former', `&AsOf=${version?.at ?? ''}`), 'State,Price\r\n1,output\r\nCA,1\r\n');
    assert.equal(await exported('Former'), 'County,Price\r\n3,output\r\nAda,2\r\n');
  });
});

describe('explaining and analyzing a matrix', () => {
  it('RUL-02 explain reports for each cell of the best rows whether it matched, was blank or missed, and why', async () => {
    await ok(table('Explained', feesTable));
    const answer = await ok(
      p.admin.get('/api/matrix/explain?Output=Json&Matrix=Explained&State=CA&Client=Acme&DisplaySize=4'),
    );
    const rows = (
      answer['MatrixExplanation'] as {
        Rows: { Number: number; Eligible: boolean; Weight: number; Cells: MatrixRow[]; Outputs: MatrixRow[] }[];
      }
    ).Rows;
    assert.deepEqual(
      rows.map((row) => [row.Number, row.Eligible, row.Weight]),
      [
        [3, true, 10],
        [2, true, 5],
        [1, true, 0],
        [4, false, 10],
      ],
    );
    assert.deepEqual(
      rows[3]?.Cells.map((cell) => [cell['Input'], cell['Outcome'], cell['Weight']]),
      [
        ['State', 'Blank', 0],
        ['Client', 'Matched', 10],
        ['Investor', 'Missed', 0],
        ['Balance', 'Blank', 0],
      ],
    );
    assert.match(String(rows[3]?.Cells[2]?.['Reason']), /Investor was not sent/);
    assert.deepEqual(rows[3]?.Outputs, [
      { Name: 'Cost', Value: '55' },
      { Name: 'Price', Value: '95' },
    ]);
    assert.equal(
      (await refused(p.admin.get('/api/matrix/explain?Output=Json&Matrix=Explained&Sate=CA'), 400))['Code'],
      'UNKNOWN_PARAMETER',
    );
  });

  it('RUL-02 RUL-03 explain takes a record: its summary, as lookupbyobject does, or its own fields, as a rule set does', async () => {
    await ok(table('Explained loan', 'Loan Type,City,Price\n5,1,output\n,,1\nFHA,,2\n,Reno,3\n'));
    const property = await save('property', { City: 'Reno' });
    const loan = await save('loan', { Loan: '770001', LoanType: 'FHA', PropertyID: property['PropertyID'] });
    const explained = async (more: string): Promise<unknown[]> => {
      const answer = await ok(
        p.admin.get(
          `/api/matrix/explain?Output=Json&Matrix=Explained loan&Object=Loan&ObjectID=${String(loan['LoanID'])}${more}`,
        ),
      );
      const { Rows } = answer['MatrixExplanation'] as {
        Rows: { Number: number; Eligible: boolean; Cells: MatrixRow[] }[];
      };
      return Rows.filter((row) => row.Eligible).map((row) => [row.Number, ...row.Cells.map((cell) => cell['Value'])]);
    };
    assert.deepEqual(await explained(''), [
      [2, 'FHA', 'Reno'],
      [3, 'FHA', 'Reno'],
      [1, 'FHA', 'Reno'],
    ]);
    assert.deepEqual(await explained('&RuleSetUseSummary=false'), [
      [2, 'FHA', ''],
      [1, 'FHA', ''],
    ]);
    assert.deepEqual(await explained('&RuleSetUseSummary=false&LoanType=VA'), [[1, 'VA', '']]);
    const call = '/api/matrix/explain?Output=Json&Matrix=Explained loan';
    assert.equal((await refused(p.admin.get(`${call}&Object=Loan`), 400))['Field'], 'ObjectID');
    assert.equal((await refused(p.admin.get(`${call}&ObjectID=1`), 400))['Field'], 'Object');
    for (const fields of ['', '&RuleSetUseSummary=false'])
      await refused(p.admin.get(`${call}&Object=Loan&ObjectID=99999999${fields}`), 404);
    assert.equal(
      (await refused(p.admin.get(`${call}&Object=Loan&ObjectID=${String(loan['LoanID'])}&City=x`), 400))['Field'],
      'City',
    );
    await save('role', { Role: 'Explains', Permissions: 'MatrixExplain', UniversalAccess: true });
    const explainer = await p.user('explains', 'Explains');
    for (const fields of ['', '&RuleSetUseSummary=false'])
      await refused(explainer.caller.get(`${call}&Object=Loan&ObjectID=${String(loan['LoanID'])}${fields}`), 403);
  });

  const findings = async (name: string): Promise<unknown[][]> =>
    rowsOf(
      await ok(p.admin.get(`/api/matrix/analyze?Output=Json&Matrix=${encodeURIComponent(name)}`)),
      'MatrixFinding',
    ).map((row) => [
      row['Finding'],
      row['Row'],
      row['OtherRow'],
      row['Finding'] === 'Gap' ? row['Description'] : (row['Input'] ?? row['Description']),
    ]);

  it('RUL-02 analyze finds cells that nothing can match, rows always beaten by an earlier one, ties, and values without a row', async () => {
    await saveWhole('Faulty', { State: {}, Balance: { ValueType: 'Number' } }, { Price: {} }, []);
    await ok(
      table(
        'Faulty',
        'State,Balance,Price\n1,1,output\n"CA, TX",<=100,1\nCA,<50,2\nTX,90 - 200,3\nFL,"not <5, >=5",4\n',
      ),
    );
    const found = await findings('Faulty');
    assert.deepEqual(
      found.filter(([kind]) => kind !== 'Gap').map((row) => row.slice(0, 3)),
      [
        ['Contradiction', 4, undefined],
        ['Unreachable', 2, 1],
        ['Tie', 3, 1],
      ],
    );
    const gaps = found.filter(([kind]) => kind === 'Gap').map((row) => String(row[3]));
    assert.ok(
      gaps.some((gap) => gap === 'No row matches State FL, Balance up to 200.'),
      gaps.join('\n'),
    );
    assert.ok(gaps.includes('No row matches Balance above 200.'), gaps.join('\n'));
  });

  it('RUL-02 reports rows with the same conditions as one finding, however many they are and however they are written', async () => {
    const same = Array.from({ length: 120 }, (_, n) => `${n % 2 === 0 ? 'CA' : 'ca'},"1,000",${n}`);
    await ok(table('Equal rows', `State,Balance,Price\n1,1,output\n${same.join('\n')}\nTX,,1\nTX,,2\n,,3\n`));
    assert.deepEqual(
      (await findings('Equal rows')).map((finding) => finding.slice(0, 3)),
      [
        ['Duplicate', 2, 1],
        ['Duplicate', 122, 121],
      ],
    );
    const [first] = await findings('Equal rows');
    assert.match(String(first?.[3]), /^Rows 1, 2, 3, .*, 20 and 100 more have the same conditions; row 1 decides/);
  });

  it('RUL-02 reports a value without a row as one gap, and describes values next to a bound by that bound', async () => {
    await ok(table('Gaps', 'State,Balance,Price\n1,1,output\nCA,0 - 100,1\nCA,<0,2\nTX,>500K,3\n'));
    const gaps = (await findings('Gaps')).map((row) => String(row[3]));
    assert.deepEqual(gaps, [
      'No row matches State anything but CA or TX.',
      'No row matches Balance above 100 to 500,000.',
      'No row matches State CA, Balance above 500,000.',
      'No row matches State TX, Balance up to 100.',
    ]);
  });

  it('RUL-02 a faultless matrix has no findings, and an analysis that would never end is cut short and reported', async () => {
    await ok(table('Faultless', 'State,Price\n1,output\nCA,1\nnot CA,2\n'));
    assert.deepEqual(await findings('Faultless'), []);
    await ok(
      table(
        'Endless',
        'A,B,C,D,Price\n1,1,1,1,output\n' +
          Array.from({ length: 60 }, (_, n) => `a${n},b${n},c${n},d${n},${n}`).join('\n'),
      ),
    );
    const answer = await ok(p.admin.get('/api/matrix/analyze?Output=Json&Matrix=Endless'));
    assert.match(JSON.stringify(answer['Alerts']), /ANALYSIS_INCOMPLETE.*searched in 50,000 combinations/);
    assert.ok(rowsOf(answer, 'MatrixFinding').length > 10);
  });
});

describe('large tables', () => {
  it('RUL-11 50,000 cells are imported, looked up and replaced; the index of a version is built once for many callers', async () => {
    const of = (shift: number): string =>
      'Client,State,Kind,Price,Cost\n5,3,1,output,output\n' +
      Array.from(
        { length: 10_000 },
        (_, n) => `client ${n},${n % 2 === 0 ? 'CA' : 'TX'},k${n % 7},${n + shift},${n}`,
      ).join('\n');
    const { MatrixID: id } = await ok(table('Large', of(0)));
    assert.equal(await countFacts(id), 50_000);
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        lookup('Large', { Client: `Client ${n * 500}`, State: 'CA', Kind: `k${(n * 500) % 7}`, DisplaySize: 2 }),
      ),
    );
    assert.deepEqual(
      calls.map(([row]) => [row?.['Price'], row?.['Weight'], row?.['MisMatchCount']]),
      calls.map((_, n) => [String(n * 500), 9, 0]),
    );
    await ok(table('Large', of(1)));
    assert.equal(
      (await lookup('Large', { Client: 'client 9998', State: 'CA', Kind: 'k2', DisplaySize: 1 }))[0]?.['Price'],
      '9999',
    );
    const [version] = await p.platform.store.query<{ bytes: number }>(
      `select max(octet_length(content)) as bytes
       from matrixcontent
       join matrixversion using (matrixversionid)
       where matrixid = $1::bigint`,
      [id],
    );
    assert.ok((version?.bytes ?? 0) < 1_000_000, `a version takes ${version?.bytes} bytes`);
  });
});
