import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fold } from '../../../src/kernel/parameters/fold.ts';
import { feesTable, matrixCalls, rowsOf, type MatrixRow } from '../../support/rules/matrices.ts';
import { ADMIN_KEY, testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';

// A test waits for an XPath that never ends to be stopped.
const p = await testPlatform({ after }, { stylesheetSeconds: 1 });
const { ok, refused, save, trySave, saveWhole, tryLookup, lookup, table, versions } = matrixCalls(p);

const fees = await saveWhole(
  'Fees',
  { State: { Weight: 5 }, Client: { Weight: 10 }, Investor: { Weight: 3 }, Balance: { Weight: 1 } },
  { Cost: { ValueType: 'Money' }, Price: { ValueType: 'Money' } },
  [
    { Cost: '50', Price: '100' },
    { State: 'CA', Cost: '60', Price: '120' },
    { Client: 'Acme', Cost: '50', Price: '90' },
    { Client: 'Acme', Investor: 'Northgate', Cost: '55', Price: '95' },
    { Balance: '>500K', Cost: '50', Price: '110' },
    { State: 'TX', Balance: '<100K', Cost: '45', Price: '100' },
  ],
);

const tuples = (rows: readonly MatrixRow[]): unknown[] =>
  rows.map((row) => [row['Weight'], row['MatchCount'], row['MisMatchCount'], row['Cost'], row['Price']]);

describe('the worked example', () => {
  it("RUL-01 RUL-02 RUL-11 State=CA and Client=Acme returns the client's row, the state's and the open one, then those with mismatches", async () => {
    assert.deepEqual(tuples(await lookup('Fees', { State: 'CA', Client: 'Acme' })), [
      [10, 1, 0, 50, 90],
      [5, 1, 0, 60, 120],
      [0, 0, 0, 50, 100],
      [10, 1, 1, 55, 95],
      [0, 0, 1, 50, 110],
      [0, 0, 2, 45, 100],
    ]);
  });

  it("RUL-01 RUL-02 with Investor=Northgate the row with both comes first; TX below 100K gets the state's row; no input gets the open row", async () => {
    assert.deepEqual(
      tuples(await lookup('Fees', { State: 'CA', Client: 'Acme', Investor: 'Northgate' }))[0],
      [13, 2, 0, 55, 95],
    );
    assert.deepEqual(tuples(await lookup('Fees', { State: 'TX', Balance: '50000' }))[0], [6, 2, 0, 45, 100]);
    assert.deepEqual(tuples(await lookup('Fees'))[0], [0, 0, 0, 50, 100]);
    assert.equal((await lookup('Fees')).filter((row) => row['MisMatchCount'] === 0).length, 1);
  });
});

describe('parameters and results of a lookup', () => {
  it('RUL-01 a matrix is given by name in any case, by ID, by MatrixID or by the route; none, an unknown name and an unknown ID are refused', async () => {
    const id = String(fees['MatrixID']);
    for (const path of [
      `lookup?Matrix=fEEs&Output=Json`,
      `lookup?ID=${id}&Output=Json`,
      `lookup?MatrixID=${id}&Output=Json`,
      `lookup/${id}?Output=Json`,
    ]) {
      assert.equal(rowsOf(await ok(p.admin.get(`/api/matrix/${path}&State=CA`)), 'Matrix')[0]?.['Price'], 120, path);
    }
    assert.match(String((await refused(tryLookup('Fee'), 404))['Message']), /Did you mean Fees/);
    assert.equal((await refused(p.admin.get('/api/matrix/lookup?Output=Json'), 400))['Code'], 'MISSING_PARAMETER');
    assert.equal((await refused(p.admin.get('/api/matrix/lookup?Output=Json&ID=999999'), 404))['Code'], 'NOT_FOUND');
  });

  it('RUL-01 RecordStart and DisplaySize select a page of the ranking, 25 rows by default', async () => {
    await ok(
      table(
        'Many',
        `Step,Price\n1,output\n${Array.from({ length: 60 }, (_, n) => `${n % 2 === 0 ? 'A' : 'B'},${n}`).join('\n')}`,
      ),
    );
    const prices = async (inputs: Record<string, string | number>): Promise<unknown[]> =>
      (await lookup('Many', inputs)).map((row) => row['Price']);
    const all = await prices({ Step: 'a', DisplaySize: 1000 });
    assert.deepEqual(all, [
      ...Array.from({ length: 30 }, (_, n) => String(2 * n)),
      ...Array.from({ length: 30 }, (_, n) => String(2 * n + 1)),
    ]);
    assert.deepEqual(await prices({ Step: 'A' }), all.slice(0, 25));
    assert.deepEqual(await prices({ Step: 'A', RecordStart: 28, DisplaySize: 4 }), all.slice(28, 32));
    assert.deepEqual(await prices({ Step: 'A', RecordStart: 58 }), all.slice(58));
    assert.deepEqual(await prices({ Step: 'A', RecordStart: 1000 }), []);
    for (const wrong of [{ DisplaySize: 0 }, { DisplaySize: 1001 }, { RecordStart: -1 }])
      assert.equal((await tryLookup('Many', wrong)).status, 400);
  });

  it('RUL-01 inputs and outputs are named without spaces; the result is the same tree in XML, and rows in CSV', async () => {
    await saveWhole(
      'Spaced',
      { 'Loan Kind': {} },
      { 'Unit Price': { ValueType: 'Money' }, Agreed: { ValueType: 'Boolean' }, From: { ValueType: 'Date' } },
      [{ 'Loan Kind': 'Home', 'Unit Price': '$1,250.50', Agreed: 'yes', From: '2026-01-31' }],
    );
    const [row] = await lookup('Spaced', { LoanKind: 'home' });
    const [measure] = await p.platform.store.query<{ id: number }>(
      "select matrixmeasureid as id from matrixmeasure where matrixmeasure = 'Unit Price'",
    );
    assert.deepEqual(
      [row?.['UnitPrice'], row?.['UnitPriceType'], row?.['UnitPriceID'], row?.['Agreed'], row?.['From']],
      [1250.5, 'Money', measure?.id, true, '2026-01-31'],
    );
    const xml = (await p.admin.get('/api/matrix/lookup?Matrix=Spaced&LoanKind=Home')).text;
    assert.match(
      xml,
      new RegExp(
        [
          '<MatrixCollection><MatrixItem>',
          '<Weight>1</Weight><MatchCount>1</MatchCount><MisMatchCount>0</MisMatchCount>',
          '<UnitPrice>1250\\.5</UnitPrice><UnitPriceID>\\d+</UnitPriceID><UnitPriceType>Money</UnitPriceType>',
        ].join(''),
      ),
    );
    const csv = (await p.admin.get('/api/matrix/lookup?Matrix=Spaced&LoanKind=Home&Output=Csv')).text;
    assert.match(
      csv,
      new RegExp(
        [
          '^Weight,MatchCount,MisMatchCount,UnitPrice,UnitPriceID,UnitPriceType,',
          'Agreed,AgreedID,AgreedType,From,FromID,FromType\r\n',
          '1,1,0,1250\\.5,\\d+,Money,true,',
        ].join(''),
      ),
    );
  });

  it('RUL-01 an Object output references a record: its type and ID are returned with its label', async () => {
    const template = await save('messagetemplate', { MessageTemplate: 'Welcome letter', AppliesTo: 'Loan' });
    await save('matrix', {
      Matrix: 'Letters',
      Dimensions: [{ MatrixDimension: 'State' }],
      Measures: [{ MatrixMeasure: 'Letter', ValueType: 'Object', ObjectType: 'MessageTemplate' }],
      Facts: [
        { RowNumber: 1, MatrixFact: 'State', Cell: 'CA' },
        { RowNumber: 1, MatrixFact: 'Letter', ObjectID: template['MessageTemplateID'] },
      ],
    });
    const [row] = await lookup('Letters', { State: 'CA' });
    assert.deepEqual(
      [row?.['Letter'], row?.['LetterType'], row?.['LetterObject'], row?.['LetterObjectID']],
      ['Welcome letter', 'Object', 'MessageTemplate', template['MessageTemplateID']],
    );
    const fact = {
      MatrixID:
        row &&
        (await p.platform.store.query<{ id: number }>("select matrixid as id from matrix where matrix = 'Letters'"))[0]
          ?.id,
      RowNumber: 2,
      MatrixFact: 'Letter',
    };
    assert.equal((await refused(trySave('matrixfact', { ...fact, ObjectID: 999_999 }), 404))['Field'], 'ObjectID');
    assert.equal(
      (await refused(trySave('matrixfact', { ...fact, Object: 'Loan', ObjectID: 1 }), 400))['Field'],
      'Object',
    );
  });

  it('RUL-01 refuses an unknown input, with the nearest names, a list as a value, and a value of another type for a typed input', async () => {
    const error = await refused(tryLookup('Fees', { Stat: 'CA' }), 400);
    assert.deepEqual([error['Code'], error['Field']], ['UNKNOWN_PARAMETER', 'Stat']);
    assert.match(String(error['Message']), /Did you mean State\?? .*Known: State, Client, Investor, Balance/);
    assert.equal((await p.admin.get('/api/matrix/lookup?Matrix=Fees&State=CA&State=TX')).status, 400);
    await saveWhole('Typed', { Balance: { ValueType: 'Number' }, Day: { ValueType: 'Date' } }, { Price: {} }, [
      { Balance: '45-99999', Day: '>2026-01-31', Price: '1' },
    ]);
    assert.equal((await lookup('Typed', { Balance: '$45.00', Day: '2026-02-01T08:00:00' }))[0]?.['MisMatchCount'], 0);
    assert.equal((await lookup('Typed', { Balance: 44.99, Day: '2026-01-31' }))[0]?.['MisMatchCount'], 2);
    assert.equal((await refused(tryLookup('Typed', { Balance: 'much' }), 400))['Field'], 'Balance');
    assert.equal((await refused(tryLookup('Typed', { Day: '2026-02-30' }), 400))['Field'], 'Day');
  });

  it('RUL-02 an empty cell matches anything and has no weight; a filled one needs its input, even when negated', async () => {
    await ok(table('Negated', 'State,Client,Price\n5,1,output\n"not CA, TX",,1\n,not Acme,2\n'));
    assert.deepEqual(tuples(await lookup('Negated', { State: 'FL', Client: 'Bolt' })), [
      [5, 1, 0, undefined, '1'],
      [1, 1, 0, undefined, '2'],
    ]);
    assert.deepEqual(tuples(await lookup('Negated', { State: 'tx', Client: 'Bolt' })), [
      [1, 1, 0, undefined, '2'],
      [0, 0, 1, undefined, '1'],
    ]);
    assert.deepEqual(tuples(await lookup('Negated', { State: '', Client: '' })), [
      [0, 0, 1, undefined, '1'],
      [0, 0, 1, undefined, '2'],
    ]);
  });

  it("RUL-02 text in a cell compares like text in a search: the folding used here agrees with the database's collation", async () => {
    const words = [
      'Müller',
      'MULLER',
      'muller',
      'Straße',
      'STRASSE',
      'Æther',
      'aether',
      'Œuvre',
      'oeuvre',
      'Ørsted',
      'orsted',
      'Łódź',
      'lodz',
      'naïve',
      'ﬁnal',
      'final',
      'ｆｕｌｌ',
      'full',
      'İstanbul',
      'istanbul',
      'Đuro',
      'duro',
      'Σίσυφος',
      'ΣΊΣΥΦΟΣ',
      'x²',
      'x2',
      'A-B',
      'AB',
      'a b',
      'éé',
      'ee',
      'ħ',
      'h',
      'ð',
      'd',
      'þ',
      'th',
    ];
    const rows = await p.platform.store.query<{ a: string; b: string; same: boolean }>(
      `select a, b, a collate casewright_text = b collate casewright_text as same
       from unnest($1::text[]) a
       cross join unnest($1::text[]) b`,
      [`{${words.map((word) => `"${word}"`).join(',')}}`],
    );
    assert.deepEqual(
      rows.filter(({ a, b, same }) => (fold(a) === fold(b)) !== same).map(({ a, b }) => `${a} ${b}`),
      [],
    );
  });
});

describe('a matrix that references other matrices', () => {
  it("RUL-04 an output whose name contains Matrix is looked up with the same inputs, and its outputs are appended; the row's own outputs take precedence", async () => {
    await ok(table('West', 'Client,Price,Agent\n1,output,output\nAcme,70,Bolt\n,80,Carr\n'));
    await ok(table('By region', 'State,Price,Next Matrix\n1,output,output\nCA,,West\nTX,60,west\nFL,50,\n'));
    const first = async (inputs: Record<string, string>): Promise<unknown[]> =>
      (await lookup('By region', inputs))
        .slice(0, 1)
        .map((row) => [row['Price'], row['NextMatrix'], row['Agent']])[0] as unknown[];
    assert.deepEqual(await first({ State: 'CA', Client: 'Acme' }), ['70', 'West', 'Bolt']);
    assert.deepEqual(await first({ State: 'CA' }), ['80', 'West', 'Carr']);
    assert.deepEqual(await first({ State: 'TX', Client: 'Acme' }), ['60', 'west', 'Bolt']);
    assert.deepEqual(await first({ State: 'FL' }), ['50', undefined, undefined]);
    assert.match(
      String((await refused(tryLookup('By region', { Clint: 'Acme' }), 400))['Message']),
      /Did you mean Client/,
    );
    // A row that is not eligible decides nothing, so its reference is not followed.
    assert.deepEqual(
      (await lookup('By region', { State: 'CA' })).map((row) => row['Agent']),
      ['Carr', undefined, undefined],
    );
    const xml = (await p.admin.get('/api/matrix/lookup?Matrix=By%20region&State=CA&DisplaySize=1')).text;
    assert.match(xml, /<NextMatrixType>Text<\/NextMatrixType><AgentID>?|<Agent>Carr<\/Agent>/);
  });

  it('RUL-04 refuses a circle with its chain of names, an unknown matrix with the cell that names it, and chains longer than MatrixRecursion', async () => {
    await ok(table('Round one', 'State,Matrix to ask\n1,output\nCA,Round two\nTX,Nowhere\n'));
    await ok(table('Round two', 'State,Matrix to ask\n1,output\n,Round one\n'));
    const circle = await refused(tryLookup('Round one', { State: 'CA' }), 422);
    assert.deepEqual([circle['Code'], circle['Field']], ['CHAIN_TOO_DEEP', 'Matrixtoask']);
    assert.match(String(circle['Message']), /Round one > Round two > Round one/);
    assert.match(
      String((await refused(tryLookup('Round one', { State: 'TX' }), 404))['Message']),
      /Matrix to ask of row 2 of Round one: there is no matrix "Nowhere"/,
    );
    for (let n = 1; n <= 5; n++)
      await ok(
        table(`Deep ${n}`, `State,Matrix below,Found\n1,output,output\n,${n < 5 ? `Deep ${n + 1}` : ''},at ${n}\n`),
      );
    assert.equal((await lookup('Deep 1'))[0]?.['Found'], 'at 1');
    const setting = await save('setting', { Setting: 'MatrixRecursion', Value: '3' });
    assert.match(
      String((await refused(tryLookup('Deep 1'), 422))['Message']),
      /more than 3 levels deep.*Deep 1 > Deep 2 > Deep 3 > Deep 4 > Deep 5/,
    );
    assert.equal((await lookup('Deep 2'))[0]?.['Found'], 'at 2');
    await save('setting', { ID: setting['SettingID'], Value: '16' });
  });
});

describe('a matrix that does not exist, named by a cell', () => {
  const alertsOf = (body: MatrixRow): string[] =>
    ((body['Alerts'] ?? []) as { Code: string; Text: string }[]).map(({ Code, Text }) => `${Code} ${Text}`);
  const missing = (matrix: string, rows: string): string[] => [
    `MATRIX_MISSING ${rows} of ${matrix}, Next Matrix: there is no matrix "Nope".`,
  ];

  it('RUL-04 a lookup whose deciding row is fine succeeds whatever other rows name, on every page; the others carry a warning', async () => {
    await ok(table('Fine', 'Kind,Found\n1,output\n,child\n'));
    await ok(
      table('Lead', 'Kind,Next Matrix,Lien\n1,output,output\nFHA,Fine,1\n,Nope,2\n,nope,3\n,Lead,4\nVA,Nope,5\n'),
    );
    for (const page of [
      {},
      { DisplaySize: 1 },
      { DisplaySize: 2 },
      { RecordStart: 1 },
      { RecordStart: 1, DisplaySize: 1 },
    ]) {
      const body = await ok(tryLookup('Lead', { Kind: 'FHA', ...page }));
      const rows = rowsOf(body, 'Matrix');
      const start = 'RecordStart' in page ? 1 : 0;
      assert.equal(rows[0]?.['Lien'], start === 0 ? '1' : '2', JSON.stringify(page));
      if (start === 0) assert.equal(rows[0]?.['Found'], 'child');
    }
    assert.deepEqual(alertsOf(await ok(tryLookup('Lead', { Kind: 'FHA' }))), [
      'CHILD_MATRIX_FAILED Rows 2, 3: the outputs of its child matrix are missing. ' +
        'Next Matrix of row 2 of Lead: there is no matrix "Nope".',
      'CHILD_MATRIX_FAILED Row 4: the outputs of its child matrix are missing. ' +
        'The matrices reference each other in a circle: Lead > Lead.',
    ]);
    assert.deepEqual(alertsOf(await ok(tryLookup('Lead', { Kind: 'FHA', DisplaySize: 1 }))), []);
    // The row that decides cannot be answered without its child matrix.
    for (const DisplaySize of [1, 25])
      assert.match(
        String((await refused(tryLookup('Lead', { Kind: 'VA', DisplaySize }), 404))['Message']),
        /Next Matrix of row 5 of Lead: there is no matrix "Nope"/,
      );
  });

  it('RUL-04 is found when a cell or table is saved, by matrix/analyze, and when the matrix is renamed or deleted; not once it exists', async () => {
    const lead = await ok(table('Leading', 'Kind,Next Matrix\n1,output\nFHA,Nope\nVA,Nope\n'));
    assert.ok(alertsOf(lead).includes(missing('Leading', 'Rows 1, 2')[0] ?? ''), alertsOf(lead).join());
    const fact = await save('matrixfact', {
      MatrixID: lead['MatrixID'],
      RowNumber: 3,
      MatrixFact: 'Next Matrix',
      Cell: 'Nope',
    });
    assert.deepEqual(alertsOf(fact), missing('Leading', 'Rows 1, 2, 3'));
    const findings = rowsOf(await ok(p.admin.get('/api/matrix/analyze?Output=Json&Matrix=Leading')), 'MatrixFinding');
    assert.deepEqual(
      findings
        .filter((finding) => finding['Finding'] === 'Missing matrix')
        .map((finding) => [finding['Row'], finding['Output'], finding['Description']]),
      [[1, 'Next Matrix', 'There is no matrix "Nope". Rows 1, 2, 3.']],
    );
    const circular = rowsOf(await ok(p.admin.get('/api/matrix/analyze?Output=Json&Matrix=Round one')), 'MatrixFinding');
    assert.deepEqual(
      circular.filter((finding) => finding['Finding'] === 'Circle').map((finding) => finding['Description']),
      ['The matrix "Round two" leads back to Round one. Row 1.'],
    );
    // Saved together with the matrix that it names, nothing is missing.
    const nope = await save('matrix', { Matrix: 'Nope' });
    assert.deepEqual(alertsOf(await save('matrixfact', { ID: fact['MatrixFactID'], Cell: 'nope' })), []);
    assert.deepEqual(alertsOf(await save('matrix', { ID: nope['MatrixID'], Matrix: 'Renamed' })), [
      'MATRIX_MISSING There is no longer a matrix "Nope", but cells name it: Lead, Leading.',
    ]);
    await save('matrix', { ID: nope['MatrixID'], Matrix: 'Nope' });
    assert.deepEqual(
      alertsOf(await ok(p.admin.post(`/api/matrix/delete?Output=Json&ID=${String(nope['MatrixID'])}`, {}))),
      ['MATRIX_MISSING There is no longer a matrix "Nope", but cells name it: Lead, Leading.'],
    );
  });
});

describe('inputs and outputs of a matrix', () => {
  const columns = async (Matrix: string): Promise<unknown[]> => {
    const xml = (await p.admin.get(`/api/matrix/columns?${Matrix}`)).text;
    return [...xml.matchAll(/<(Input|Output)((?: \w+="[^"]*")*)\s*\/>/g)].map(([, kind, attributes]) => {
      const byName = new Map(
        [...(attributes ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      );
      return [kind, ...['Name', 'Parameter', 'ValueType', 'Place'].map((name) => byName.get(name))];
    });
  };

  it('RUL-11 RUL-04 matrix/columns returns inputs with their parameters, those of referenced matrices, and outputs, also as of an instant', async () => {
    await saveWhole('Courts below', { 'County Name': {}, Amount: {} }, { Court: {} }, [
      { 'County Name': 'Kern', Court: 'Superior' },
    ]);
    const courts = await saveWhole(
      'Courts',
      { Amount: { ValueType: 'Number' } },
      { 'Next Matrix': {}, Cost: { ValueType: 'Money' } },
      [{ 'Next Matrix': 'Courts below' }],
    );
    const all = [
      ['Input', 'Amount', 'Amount', 'Number', 'Own'],
      ['Input', 'County Name', 'CountyName', undefined, 'Below'],
      ['Output', 'Next Matrix', 'NextMatrix', undefined, undefined],
      ['Output', 'Cost', 'Cost', 'Money', undefined],
    ];
    assert.deepEqual(await columns('Matrix=courts'), all);
    const [made] = await p.platform.store.query<{ at: string }>(
      "select max(v.createddate) as at from matrixversion v join matrix m using (matrixid) where m.matrix = 'Courts'",
    );
    await save('matrix', { ID: courts['MatrixID'], Dimensions: [{ MatrixDimension: 'State' }] });
    assert.equal((await columns('Matrix=Courts')).length, 5);
    assert.deepEqual(await columns(`Matrix=Courts&AsOf=${encodeURIComponent(made?.at ?? '')}`), all);
    assert.match(
      String((await refused(p.admin.get('/api/matrix/columns?Matrix=Court&Output=Json'), 404))['Message']),
      /Did you mean Courts/,
    );
  });
});

describe('a lookup for a record', () => {
  it("RUL-03 RUL-13 each input is the result of its XPath on the record's summary, or the first element of its name; a missing value is a mismatch", async () => {
    const loan = await save('loan', {
      Loan: '880000001',
      Property_City: 'Boise',
      Property_State: 'ID',
      UPBAmount: '750000.50',
    });
    await saveWhole(
      'Of a loan',
      {
        State: { Weight: 5 },
        Balance: { XPath: '/LoanItem/UPBAmount', ValueType: 'Number' },
        Docs: { XPath: 'count(//Attachments/*)' },
        Nothing: {},
      },
      { Price: {} },
      [
        { State: 'id', Balance: '>500K', Docs: '0', Price: 'large' },
        { State: 'ID', Balance: '<=500K', Price: 'small' },
        { Nothing: 'x', Price: 'none' },
        { Nothing: 'not x', Price: 'none either' },
      ],
    );
    const body = await ok(
      p.admin.get(
        `/api/matrix/lookupbyobject?Output=Json&Matrix=Of%20a%20loan&Object=Loan&ObjectID=${String(loan['LoanID'])}`,
      ),
    );
    assert.deepEqual(
      rowsOf(body, 'Matrix').map((row) => [row['Price'], row['Weight'], row['MisMatchCount']]),
      [
        ['large', 7, 0],
        ['small', 5, 1],
        ['none', 0, 1],
        ['none either', 0, 1],
      ],
    );
    for (const missing of ['Object=Loan&ObjectID=1', 'ID=1&ObjectID=1', 'ID=1&Object=Loan'])
      assert.equal(
        (await refused(p.admin.get(`/api/matrix/lookupbyobject?Output=Json&${missing}`), 400))['Code'],
        'MISSING_PARAMETER',
        missing,
      );
    assert.equal(
      (await p.admin.get('/api/matrix/lookupbyobject?Matrix=Of%20a%20loan&Object=Loan&ObjectID=999999')).status,
      404,
    );
    assert.equal(
      (
        await refused(
          trySave('matrixdimension', { MatrixID: fees['MatrixID'], MatrixDimension: 'Wrong', XPath: '//[' }),
          400,
        )
      )['Code'],
      'BAD_XPATH',
    );
  });

  it('RUL-03 an XPath that would never end is stopped, and the next lookup works', async () => {
    const loan = await save('loan', { Loan: '880000003', Property_City: 'Boise' });
    const XPath = Array.from({ length: 9 }).reduce<string>((inner) => `count(//*[${inner} >= 0])`, 'count(//*)');
    await saveWhole('Endless path', { Depth: { XPath } }, { Price: {} }, [{ Depth: '>0', Price: '1' }]);
    const error = await refused(
      p.admin.get(
        `/api/matrix/lookupbyobject?Output=Json&Matrix=Endless%20path&Object=Loan&ObjectID=${String(loan['LoanID'])}`,
      ),
      400,
    );
    assert.equal(error['Code'], 'BAD_XPATH');
    assert.match(
      String(error['Message']),
      /^Endless path, XPath of input Depth: evaluating it took longer than [\d.]+ s and was stopped$/,
    );
    assert.equal(
      (
        await p.admin.get(
          `/api/matrix/lookupbyobject?Output=Json&Matrix=Of%20a%20loan&Object=Loan&ObjectID=${String(loan['LoanID'])}`,
        )
      ).status,
      200,
    );
  });

  it("RUL-03 a user needs the permission to read the record's summary", async () => {
    const loan = await save('loan', { Loan: '880000002' });
    await save('role', {
      Role: 'Matrix only',
      Permissions: 'MatrixLookup MatrixLookupByObject',
      UniversalAccess: true,
    });
    const { caller } = await p.user('matrix only', 'Matrix only');
    assert.equal(
      (
        await caller.get(
          `/api/matrix/lookupbyobject?Matrix=Of%20a%20loan&Object=Loan&ObjectID=${String(loan['LoanID'])}`,
        )
      ).status,
      403,
    );
    assert.equal((await caller.get('/api/matrix/lookup?Matrix=Fees')).status, 200);
  });
});

describe('versions', () => {
  it('RUL-11 each call with a change creates one version; AsOf looks up in the version of an instant or day, whatever has changed since', async () => {
    const saved = await saveWhole('Rates', { State: {} }, { Price: {} }, [
      { State: 'CA', Price: '1' },
      { State: 'TX', Price: '2' },
    ]);
    assert.equal(await versions(saved['MatrixID']), 1);
    const at = async (): Promise<string> =>
      (
        await p.platform.store.query<{ at: string }>(
          'select max(createddate) as at from matrixversion where matrixid = $1::bigint',
          [saved['MatrixID']],
        )
      )[0]?.at ?? '';
    const first = await at();
    const [fact] = await p.platform.store.query<{ id: number }>(
      "select matrixfactid as id from matrixfact where matrixid = $1::bigint and cell = '1'",
      [saved['MatrixID']],
    );
    await save('matrixfact', { ID: fact?.id, Cell: '10' });
    const second = await at();
    await ok(p.admin.post(`/api/matrixfact/delete/${String(fact?.id)}?Output=Json`));
    assert.equal(await versions(saved['MatrixID']), 3);
    const price = async (AsOf?: string): Promise<unknown> =>
      (await lookup('Rates', { State: 'CA', ...(AsOf === undefined ? {} : { AsOf }) }))[0]?.['Price'];
    // The day in the installation's time zone, which at night differs from the UTC day.
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date());
    assert.deepEqual(
      [await price(), await price(first), await price(second), await price(today)],
      [undefined, '1', '10', undefined],
    );
    await save('matrix', { ID: saved['MatrixID'], Matrix: 'Rates of now' });
    assert.equal((await lookup('Rates of now', { State: 'CA', AsOf: first }))[0]?.['Price'], '1');
    assert.match(
      String((await refused(tryLookup('Rates of now', { AsOf: '2020-01-01' }), 404))['Message']),
      /was created at 20/,
    );
    assert.equal((await refused(tryLookup('Rates of now', { AsOf: '2999-01-01' }), 400))['Field'], 'AsOf');
    const listed = rowsOf(
      await ok(
        p.admin.get(
          `/api/matrixversion/search?Output=Json&MatrixID=${String(saved['MatrixID'])}&OrderBy=MatrixVersionID`,
        ),
      ),
      'MatrixVersion',
    );
    assert.deepEqual(
      listed.map((row) => [row['MatrixVersion'], row['RowCount'], row['FactCount'], typeof row['CreatedPersonID']]),
      [
        ['Rates', 2, 4, 'number'],
        ['Rates', 2, 4, 'number'],
        ['Rates', 2, 3, 'number'],
        ['Rates of now', 2, 3, 'number'],
      ],
    );
  });

  it('RUL-11 another process sees a change at its next check of the configuration', async () => {
    const other = await secondPlatform({ after }, p);
    const price = async (): Promise<unknown> =>
      rowsOf(
        (await (
          await fetch(`${other.url}/api/matrix/lookup?Output=Json&Matrix=Shared&State=CA`, {
            headers: { 'X-ApiKey': ADMIN_KEY },
          })
        ).json()) as MatrixRow,
        'Matrix',
      )[0]?.['Price'];
    await ok(table('Shared', 'State,Price\n1,output\nCA,1\n'));
    assert.equal(await price(), '1');
    await ok(table('Shared', 'State,Price\n1,output\nCA,2\n'));
    other.platform.configuration.expire();
    assert.equal(await price(), '2');
  });

  it('RUL-11 a failing call leaves no version and no cell behind', async () => {
    const before = await versions(fees['MatrixID']);
    const error = await refused(
      trySave('matrix', {
        ID: fees['MatrixID'],
        Facts: [
          { RowNumber: 9, MatrixFact: 'State', Cell: 'NV' },
          { RowNumber: 9, MatrixFact: 'Balance', Cell: '9 - 1' },
        ],
      }),
      400,
    );
    assert.match(String(error['Message']), /Row 9, Balance: "9 - 1": expected a range that begins with its lower end/);
    assert.equal(await versions(fees['MatrixID']), before);
    assert.equal((await lookup('Fees', { State: 'NV' })).length, 6);
  });
});

describe('saving a matrix', () => {
  it("RUL-11 cells are checked against their column's type, outputs stored in canonical form, and a refusal names row, column and what was expected", async () => {
    const saved = await saveWhole(
      'Checked',
      { Balance: { ValueType: 'Number' }, Day: { ValueType: 'Date' }, State: { ValueType: 'Text' }, Any: {} },
      { Price: { ValueType: 'Money' } },
      [{ Price: '$1,000.5' }],
    );
    assert.equal((await lookup('Checked'))[0]?.['Price'], 1000.5);
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      ['Balance', 'high', /a number such as/],
      ['Balance', '> lots', /after >/],
      ['Balance', '"5"', /quoted text is only for text inputs/],
      ['Day', '31/01/2026', /a day such as/],
      ['Day', '2026-02-30', /a day such as/],
      ['State', '> CA', /text has no greater or less/],
      ['Any', '"CA', /closing quote/],
      ['Any', 'CA, , TX', /a value between commas/],
      ['Any', 'CA, not TX', /"not" once/],
      ['Any', 'not', /after "not"/],
      ['Any', '<> 5', /after </],
      ['Any', Array.from({ length: 501 }, (_, n) => n).join(', '), /at most 500 values/],
      ['Price', 'dear', /a number such as/],
      ['Price', '1.23456', /at most 4 decimals/],
    ];
    for (const [column, Cell, expected] of wrong) {
      const error = await refused(
        trySave('matrixfact', { MatrixID: saved['MatrixID'], RowNumber: 7, MatrixFact: column, Cell }),
        400,
      );
      assert.equal(error['Field'], 'Cell', Cell);
      assert.match(String(error['Message']), new RegExp(`^Row 7, ${column}: `), Cell);
      assert.match(String(error['Message']), expected, Cell);
    }
    const other = await refused(
      trySave('matrixfact', { MatrixID: saved['MatrixID'], RowNumber: 1, MatrixFact: 'Stat', Cell: 'x' }),
      400,
    );
    assert.match(String(other['Message']), /did you mean State/);
    for (const [field, body] of [
      ['MatrixFact', {}],
      ['MatrixDimensionID', { MatrixDimensionID: 999_999 }],
      ['RowNumber', { MatrixFact: 'State', RowNumber: 0 }],
    ] as const)
      assert.equal(
        (
          await refused(
            trySave('matrixfact', { MatrixID: saved['MatrixID'], RowNumber: 1, Cell: 'x', ...body }),
            field === 'MatrixDimensionID' ? 404 : 400,
          )
        )['Field'],
        field,
      );
    const second = await refused(
      trySave('matrixfact', { MatrixID: saved['MatrixID'], RowNumber: 1, MatrixFact: 'Price', Cell: '5' }),
      409,
    );
    assert.deepEqual([second['Code'], second['Field']], ['DUPLICATE_KEY', 'RowNumber']);
    assert.match(String(second['Message']), /row 1 already has a cell for Price, MatrixFactID \d+\./);
    assert.equal(
      (
        await trySave('matrixdimension', {
          ID: (
            await p.platform.store.query<{ id: number }>(
              `select matrixdimensionid as id from matrixdimension
               where matrixdimension = 'Any' and matrixid = $1::bigint`,
              [saved['MatrixID']],
            )
          )[0]?.id,
          ValueType: 'Number',
        })
      ).status,
      200,
    );
  });

  it('RUL-11 refuses invalid and duplicate names of columns, and weights whose sum would overflow', async () => {
    const id = fees['MatrixID'];
    for (const name of [
      '',
      '1st',
      'a  b',
      'a&b',
      '<x>',
      'Matrix',
      'Display Size',
      'AsOf',
      'STATE',
      'st ate',
      'x'.repeat(61),
    ])
      assert.equal((await trySave('matrixdimension', { MatrixID: id, MatrixDimension: name })).status, 400, name);
    for (const name of ['Weight', 'Match Count', 'Price', 'Price ID', 'Cost Type', 'Mis MatchCount'])
      assert.equal(
        (await refused(trySave('matrixmeasure', { MatrixID: id, MatrixMeasure: name }), 400))['Field'],
        'MatrixMeasure',
        name,
      );
    for (const Weight of ['-1', '1000001', '0.00001'])
      assert.equal(
        (await refused(trySave('matrixdimension', { MatrixID: id, MatrixDimension: 'Heavy', Weight }), 400))['Field'],
        'Weight',
        Weight,
      );
    for (const Matrix of ['', ' ', '12']) assert.equal((await trySave('matrix', { Matrix })).status, 400, Matrix);
    assert.equal((await refused(trySave('matrix', { Matrix: 'FEES' }), 409))['Code'], 'DUPLICATE_KEY');
    assert.equal(
      (await refused(trySave('matrixmeasure', { MatrixID: id, MatrixMeasure: 'Letter', ValueType: 'Object' }), 400))[
        'Field'
      ],
      'ObjectType',
    );
    assert.equal(
      (await refused(trySave('matrixmeasure', { MatrixID: id, MatrixMeasure: 'Letter', ObjectType: 'Loan' }), 400))[
        'Field'
      ],
      'ObjectType',
    );
  });

  it('RUL-11 an input and an output may share a name; cells follow a rename; a deleted column or matrix takes its cells along, and an undelete restores them', async () => {
    const saved = await save('matrix', {
      Matrix: 'Twins',
      Dimensions: [{ MatrixDimension: 'Status' }],
      Measures: [{ MatrixMeasure: 'Status' }],
      Facts: [
        { RowNumber: 1, MatrixFact: 'Status', MatrixFactType: 'Input', Cell: 'Open' },
        { RowNumber: 1, MatrixFact: 'Status', MatrixFactType: 'Output', Cell: 'Closed' },
      ],
    });
    assert.equal((await lookup('Twins', { Status: 'open' }))[0]?.['Status'], 'Closed');
    assert.equal(
      (
        await refused(
          trySave('matrixfact', { MatrixID: saved['MatrixID'], RowNumber: 2, MatrixFact: 'Status', Cell: 'x' }),
          400,
        )
      )['Field'],
      'MatrixFactType',
    );
    const [column] = await p.platform.store.query<{ id: number }>(
      'select matrixdimensionid as id from matrixdimension where matrixid = $1::bigint',
      [saved['MatrixID']],
    );
    await save('matrixdimension', { ID: column?.id, MatrixDimension: 'Status before' });
    assert.equal((await lookup('Twins', { StatusBefore: 'open' }))[0]?.['MisMatchCount'], 0);
    const names = await p.platform.store.query<{ name: string }>(
      'select matrixfact as name from matrixfact where matrixdimensionid = $1::bigint',
      [column?.id],
    );
    assert.deepEqual(
      names.map((row) => row.name),
      ['Status before'],
    );
    await ok(p.admin.post(`/api/matrixdimension/delete/${String(column?.id)}?Output=Json`));
    assert.deepEqual(tuples(await lookup('Twins')), [[0, 0, 0, undefined, undefined]]);
    await ok(p.admin.post(`/api/matrixdimension/undelete/${String(column?.id)}?Output=Json`));
    assert.deepEqual(
      (await lookup('Twins', { StatusBefore: 'Open' })).map((row) => [
        row['Weight'],
        row['MisMatchCount'],
        row['Status'],
      ]),
      [[1, 0, 'Closed']],
    );
    await ok(p.admin.post(`/api/matrix/delete/${String(saved['MatrixID'])}?Output=Json`));
    assert.equal((await tryLookup('Twins')).status, 404);
    const left = await p.platform.store.query('select 1 from matrixfact where matrixid = $1::bigint', [
      saved['MatrixID'],
    ]);
    assert.equal(left.length, 0);
    await ok(p.admin.post(`/api/matrix/undelete/${String(saved['MatrixID'])}?Output=Json`));
    assert.deepEqual(
      (await lookup('Twins', { StatusBefore: 'Open' })).map((row) => [
        row['Weight'],
        row['MisMatchCount'],
        row['Status'],
      ]),
      [[1, 0, 'Closed']],
    );
  });

  it('RUL-11 a matrix exported and imported as configuration, repeatedly, decides the same', async () => {
    const exported = await p.admin.get(`/api/matrix/export?ID=${String(fees['MatrixID'])}`);
    assert.equal(exported.status, 200);
    await ok(p.admin.post(`/api/matrix/delete/${String(fees['MatrixID'])}?Output=Json`));
    for (let n = 0; n < 2; n++) {
      const done = await p.admin.post('/api/matrix/import?Output=Json', exported.text, { 'Content-Type': 'text/xml' });
      assert.equal(done.status, 200, done.text);
      assert.deepEqual(
        tuples(await lookup('Fees', { State: 'CA', Client: 'Acme', Investor: 'Northgate' }))[0],
        [13, 2, 0, 55, 95],
      );
      assert.equal((await lookup('Fees')).length, 6);
    }
  });
});

describe('access to matrices', () => {
  it("RUL-01 staff can look up but not change a matrix; a firm's user can do neither until a role grants the lookup", async () => {
    await ok(table('Prices', feesTable));
    const staff = await p.user('matrix staff', 'Staff');
    assert.equal((await tryLookup('Prices', {}, staff.caller)).status, 200);
    assert.equal((await table('Prices', feesTable, staff.caller)).status, 403);
    assert.equal((await trySave('matrixfact', { MatrixID: 1, RowNumber: 1 }, staff.caller)).status, 403);
    const firm = await p.firm('Matrix Firm');
    for (const path of [
      'matrix/lookup?Matrix=Prices',
      'matrix/search',
      'matrixfact/search',
      'matrixversion/search',
      'matrix/exporttable?Matrix=Prices',
      'matrix/analyze?Matrix=Prices',
      'matrix/explain?Matrix=Prices',
    ])
      assert.equal((await firm.caller.get(`/api/${path}`)).status, 403, path);
    await save('role', {
      Role: 'Price reader',
      Permissions: 'MatrixLookup MatrixImportTable MatrixSave',
      UniversalAccess: false,
    });
    const reader = await p.firm('Reading Firm', 'Price reader');
    assert.deepEqual(tuples(await lookup('Prices', { State: 'CA' }, reader.caller))[0], [5, 1, 0, '60', '120']);
    assert.equal((await refused(table('Prices', feesTable, reader.caller), 403))['Code'], 'NO_PERMISSION');
    assert.equal((await trySave('matrix', { Matrix: 'Mine' }, reader.caller)).status, 403);
  });
});
