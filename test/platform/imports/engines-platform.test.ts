import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const on = await testPlatform({ after }, { worker: true });
const { admin, platform } = on;

const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, answer.text.slice(0, 800));
  return answer;
};

interface Results {
  readonly ID: number;
  readonly Status: string;
  readonly SuccessCount: number;
  readonly ErrorCount: number;
  readonly Result: readonly {
    readonly ObjectID?: number;
    readonly Operation: string;
    readonly Status: string;
    readonly Message?: string;
  }[];
}

let made = 0;

/** A template of an engine. */
async function template(
  engine: string,
  fields: Readonly<Record<string, unknown>> = {},
  maps: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<string> {
  const name = `Engines ${++made}`;
  const saved = ok(
    await admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: name,
      AppliesTo: 'Loan',
      ImportEngine: engine,
      ...fields,
    }),
  );
  for (const [n, map] of maps.entries())
    ok(
      await admin.post('/api/importfilemap/save?Output=Json', {
        ImportFileTemplateID: saved.json()['ImportFileTemplateID'],
        Sequence: n + 1,
        ...map,
      }),
    );
  return name;
}

async function imported(name: string, body: string | Uint8Array, fileName: string): Promise<Results> {
  const path =
    `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}` +
    `&PreTransform_FileName=${fileName}`;
  const answer = await admin.send('POST', path, body, { 'Content-Type': 'application/octet-stream' });
  return (answer.json() as unknown as { ImportResults: Results }).ImportResults;
}

const loanOf = async (loan: string): Promise<Record<string, unknown>> => {
  const [row] = await platform.store.query(
    `select l.loanid, l.upbamount::text as amount, p.city, (select string_agg(c.firstname || ' ' || c.lastname, ', '
      order by c.sequence) from contact c where c.object = 'Loan' and c.objectid = l.loanid) as borrowers
     from loan l left join property p on p.propertyid = l.propertyid where l.loan = $1::text`,
    [loan],
  );
  return row ?? {};
};

describe('the row engines', () => {
  it('IMP-13 XML and JSON import linked records and children with their parent, and match them by SubscriberID when imported again', async () => {
    const xml = (city: string, last: string): string =>
      '<LoanCollection><LoanItem SubscriberID="sub-x1"><Loan>71001</Loan><UPBAmount>1250.50</UPBAmount><Property>' +
      `<City>${city}</City></Property><Borrowers><ContactItem><Sequence>1</Sequence><FirstName>Ann</FirstName>` +
      `<LastName>${last}</LastName></ContactItem><ContactItem><Sequence>2</Sequence><FirstName>Bob</FirstName>` +
      '<LastName>Oak</LastName></ContactItem></Borrowers></LoanItem></LoanCollection>';
    const json = (city: string, last: string): string =>
      JSON.stringify([
        {
          SubscriberID: 'sub-j1',
          Loan: '71002',
          UPBAmount: 1250.5,
          Property: { City: city },
          Borrowers: [
            { Sequence: 1, FirstName: 'Ann', LastName: last },
            { Sequence: 2, FirstName: 'Bob', LastName: 'Oak' },
          ],
        },
      ]);
    for (const [engine, fileName, loan, body] of [
      ['XmlEngine', 'a.xml', '71001', xml],
      ['JsonEngine', 'a.json', '71002', json],
    ] as const) {
      const name = await template(engine);
      const first = await imported(name, body('Alder', 'Elm'), fileName);
      assert.deepEqual(
        [first.Status, first.SuccessCount, first.Result[0]?.Operation],
        ['Complete', 1, 'Insert'],
        JSON.stringify(first),
      );
      const before = await loanOf(loan);
      assert.deepEqual(
        [before['city'], before['borrowers'], Number(before['amount'])],
        ['Alder', 'Ann Elm, Bob Oak', 1250.5],
      );
      const second = await imported(name, body('Birch', 'Ash'), fileName);
      assert.deepEqual(
        [second.Status, second.Result[0]?.Operation, second.Result[0]?.ObjectID],
        ['Complete', 'Update', first.Result[0]?.ObjectID],
      );
      const after = await loanOf(loan);
      assert.deepEqual(
        [after['loanid'], after['city'], after['borrowers']],
        [before['loanid'], 'Birch', 'Ann Ash, Bob Oak'],
      );
    }
  });

  it('IMP-12 IMP-13 delimited text, every sheet of a workbook, and fixed width are imported through the maps', async () => {
    const maps = [
      { ImportFileMap: 'Number', Destination: 'Loan', ImportFileMapType: 'Key' },
      { ImportFileMap: 'Balance', Destination: 'UPBAmount', DataType: 'Money' },
      { ImportFileMap: 'Town', Destination: 'Property_City' },
    ];
    const workbook = await workbookOf({
      sheets: {
        Jan: [
          ['Number', 'Balance', 'Town'],
          ['72001', 10.5, 'Alder'],
        ],
        Feb: [
          ['Town', 'Number', 'Balance'],
          ['Birch', '72002', 20],
        ],
      },
    });
    const ragged = 'Number|Balance|Town\n72003|30|"Cedar|Hill"\n72004|40\n72005|no number|Elm\n72006|60|Fir\n';
    const fixed = '72007  70Gum  \n72008  80Holly\n';
    const counts: number[][] = [];
    for (const [engine, fields, body, fileName] of [
      ['DelimitedEngine', {}, workbook, 'a.xlsx'],
      ['DelimitedEngine', {}, Buffer.from(ragged), 'a.txt'],
      ['FixedWidthEngine', { ParameterString: 'Columns=Number:5,Balance:4,Town:5' }, Buffer.from(fixed), 'a.dat'],
    ] as const) {
      const results = await imported(await template(engine, fields, maps), body, fileName);
      counts.push([results.SuccessCount, results.ErrorCount]);
      if (fileName !== 'a.txt') continue;
      assert.deepEqual(
        results.Result.filter((row) => row.Status === 'Error').map((row) => row.Message),
        [
          'Line 3: the row has 2 cells; expected 3: Number, Balance, Town.',
          'Balance: "no number" is not an amount, such as 1250.00 or $1,250.00.',
        ],
      );
      const corrections = ok(await admin.get(`/api/importfile/corrections?ID=${results.ID}`));
      assert.match(
        corrections.text,
        /^Number\|Balance\|Town\|ImportReason\r\n72004\|40\|Line 3: .*\r\n72005\|no number\|Elm\|.*an amount.*\r\n$/,
      );
      assert.match(corrections.headers.get('content-disposition') ?? '', /a-corrections\.txt/);
    }
    assert.deepEqual(counts, [
      [2, 0],
      [2, 2],
      [2, 0],
    ]);
    for (const [loan, city] of [
      ['72001', 'Alder'],
      ['72002', 'Birch'],
      ['72003', 'Cedar|Hill'],
      ['72006', 'Fir'],
      ['72007', 'Gum'],
      ['72008', 'Holly'],
    ] as const)
      assert.equal((await loanOf(loan))['city'], city);
    assert.deepEqual([await loanOf('72004'), await loanOf('72005')], [{}, {}]);
  });

  it('IMP-06 detecttemplate recognizes their templates by content, whatever the file name', async () => {
    const maps = [{ ImportFileMap: 'Loan', Destination: 'Loan', ImportFileMapType: 'Key' }];
    const names = {
      csv: await template('DelimitedEngine', {}, maps),
      xml: await template('XmlEngine', {}, maps),
      json: await template('JsonEngine', {}, maps),
      fixed: await template('FixedWidthEngine', { ParameterString: 'Columns=Loan:5,City:5' }, maps),
    };
    const documents = {
      csv: 'Loan,City\n1,x\n',
      xml: '<LoanCollection><LoanItem><Loan>1</Loan></LoanItem></LoanCollection>',
      json: '[{"Loan":1}]',
      fixed: '12345Alder\n',
    };
    const { ID } = await imported(names.csv, documents.csv, 'a.csv');
    for (const form of ['csv', 'xml', 'json', 'fixed'] as const) {
      const document = ok(
        await admin.post('/api/attachment/save?Output=Json', {
          Object: 'ImportFile',
          ObjectID: ID,
          FileName: 'a.bin',
          Content: Buffer.from(documents[form]).toString('base64'),
        }),
      ).json();
      const answer = ok(
        await admin.get(
          `/api/importfiletemplate/detecttemplate?Output=Json&AttachmentID=${String(document['AttachmentID'])}`,
        ),
      );
      const found = Object.entries(names)
        .filter(([, name]) => answer.text.includes(`"${name}"`))
        .map(([key]) => key);
      assert.deepEqual(found, [form], answer.text.slice(0, 500));
    }
  });
});

describe('rows without values', () => {
  it('IMP-13 rows of delimiters alone are skipped, in text and in batches, and the log says so', async () => {
    const constant = { Destination: 'County', ImportFileMapType: 'Constant', Translation: 'Ash', ImportFileMap: 'c' };
    const address = { ImportFileMap: 'Address', Destination: 'Address' };
    const text = 'Address,City\nBL-1,X\n,\n, \n\nBL-2,Y\n,\n';
    const found = async (): Promise<number> =>
      (await platform.store.query("select 1 from property where address like 'BL-%' or coalesce(address, '') = ''"))
        .length;
    const before = await found();
    for (const maps of [[], [address, constant]]) {
      const name = await template('DelimitedEngine', { AppliesTo: 'Property' }, maps);
      const { Status, SuccessCount, ErrorCount, Result } = await imported(name, text, 'blank.csv');
      assert.deepEqual([Status, SuccessCount, ErrorCount], ['Complete', 2, 0]);
      assert.deepEqual(
        Result.filter(({ Message }) => Message?.includes('no value') === true).map(({ Operation, Status: of }) => [
          Operation,
          of,
        ]),
        Array.from({ length: 3 }, () => ['None', 'Success']),
      );
    }
    assert.equal((await found()) - before, 4);
    const { ID } = await imported(await template('BatchReader', { AppliesTo: 'Property' }), text, 'blank.csv');
    const file = await eventually('the batch has ended', async () => {
      const row = ok(await admin.get(`/api/importfile/select?Output=Json&ID=${ID}`)).json();
      return row['Status'] === 'Complete' && row;
    });
    assert.deepEqual([file['SuccessCount'], file['ErrorCount'], (await found()) - before], [2, 0, 6]);
  });
});

describe('columns and maps', () => {
  it('IMP-12 the reason of a failed row names the column of the file besides the field that it is mapped to', async () => {
    const maps = [
      { ImportFileMap: 'Balance', Destination: 'UPBAmount' },
      { ImportFileMap: 'Loan', Destination: 'Loan' },
    ];
    const { Result } = await imported(await template('DelimitedEngine', {}, maps), 'Loan,Balance\n1,much\n', 'a.csv');
    assert.match(Result[0]?.Message ?? '', /^UPBAmount: .* Column of the file: Balance\.$/);
  });

  it('IMP-12 mapped columns that the file lacks, and columns that are not mapped, are warnings in the log', async () => {
    const maps = [
      { ImportFileMap: 'Street', Destination: 'Address' },
      { ImportFileMap: 'St', Destination: 'State' },
      { ImportFileMap: 'Note', Destination: '', ImportFileMapType: 'Ignore' },
    ];
    const name = await template('DelimitedEngine', { AppliesTo: 'Property' }, maps);
    const warnings = async (text: string): Promise<(string | undefined)[]> => {
      const { Status, SuccessCount, Result } = await imported(name, text, 'drift.csv');
      assert.deepEqual([Status, SuccessCount], ['Complete', 1]);
      return Result.filter((result) => result.Status === 'Warning').map(({ Message }) => Message);
    };
    assert.deepEqual(await warnings('Street,St,Note\n1 Drift Rd,TX,n\n'), []);
    assert.deepEqual(await warnings('Street,State,Note,Zip\n2 Drift Rd,TX,n,75001\n'), [
      'The import type maps columns that the file does not have: St.',
      'The file has columns that the import type does not map; they are not imported: State, Zip.',
    ]);
  });
});

describe('the workflow of an import type', () => {
  const save = async (record: string, fields: Record<string, unknown>): Promise<Record<string, unknown>> =>
    ok(await admin.post(`/api/${record}/save?Output=Json`, fields)).json();
  const workflow = async (name: string, AppliesTo?: string): Promise<unknown> =>
    (await save('decisiontemplate', { DecisionTemplate: name, ...(AppliesTo ? { AppliesTo } : {}) }))[
      'DecisionTemplateID'
    ];
  const workflowsOf = (object: string, name: string): Promise<readonly { id: number }[]> =>
    platform.store.query<{ id: number }>(
      `select d.objectid as id from decision d join decisiontemplate t using (decisiontemplateid)
       where d.object = $1::text and t.decisiontemplate = $2::text order by d.objectid`,
      [object, name],
    );

  it('IMP-02 starts once on each new record of any engine that saves records, and not on changed ones', async () => {
    for (const [engine, body] of [
      ['DelimitedEngine', 'SubscriberID,Loan\nwf-1,92001\nwf-2,92002\n'],
      ['JsonEngine', '[{"SubscriberID":"wf-3","Loan":"92003"},{"SubscriberID":"wf-4","Loan":"92004"}]'],
    ] as const) {
      const label = `New loan by ${engine}`;
      const name = await template(engine, { DecisionTemplateID: await workflow(label, 'Loan') });
      const first = await imported(name, body, 'loans.txt');
      assert.equal(first.SuccessCount, 2, JSON.stringify(first));
      const started = await eventually('both have started', async () => {
        const found = await workflowsOf('Loan', label);
        return found.length === 2 && found;
      });
      assert.deepEqual(
        started.map(({ id }) => id),
        first.Result.map(({ ObjectID }) => ObjectID),
      );
      await imported(name, body.replaceAll('9200', '9300'), 'loans.txt');
      assert.equal((await workflowsOf('Loan', label)).length, 2);
    }
  });

  it('IMP-02 IMP-21 starts on the import file that is complete, if it is for import files, whatever the engine', async () => {
    const label = 'After each file';
    const DecisionTemplateID = await workflow(label, 'ImportFile');
    const name = await template('DelimitedEngine', { DecisionTemplateID, FailureThreshold: '0' });
    const failed = await imported(name, 'Loan,UPBAmount\n92010,much\n', 'loans.csv');
    const { ID, Status } = await imported(name, 'Loan\n92011\n', 'loans.csv');
    assert.deepEqual([failed.Status, Status], ['Error', 'Complete']);
    const [started] = await eventually('it has started', async () => {
      const found = await workflowsOf('ImportFile', label);
      return found.length > 0 && found;
    });
    assert.equal(started?.id, ID);
  });

  it('IMP-02 that would start nowhere is reported when the import type is saved, and by each import', async () => {
    const DecisionTemplateID = await workflow('For bankruptcies', 'Bankruptcy');
    const fields = {
      ImportFileTemplate: 'Unfit',
      AppliesTo: 'Loan',
      ImportEngine: 'DelimitedEngine',
      DecisionTemplateID,
    };
    const saved = ok(await admin.post('/api/importfiletemplate/save', fields)).text;
    assert.match(saved, /Code="WORKFLOW_NOT_STARTED".*it is for Bankruptcy records, not for Loan records/);
    const { Status, Result } = await imported('Unfit', 'Loan\n92020\n', 'loans.csv');
    assert.equal(Status, 'Complete');
    assert.match(Result[0]?.Message ?? '', /The workflow For bankruptcies of the import type is not started/);
    for (const engine of ['BatchReader', 'BulkReader', 'LegacyEventsEngine']) {
      const { text } = await admin.post('/api/importfiletemplate/save', {
        ...fields,
        ImportFileTemplate: `Unfit ${engine}`,
        ImportEngine: engine,
      });
      assert.match(text, new RegExp(`WORKFLOW_NOT_STARTED.*the engine ${engine} does not start workflows`));
    }
  });
});

describe('progress', () => {
  it('IMP-04 knows the number of rows from the start, in every form of document', async () => {
    const maps = [
      { ImportFileMap: 'City', Destination: 'City' },
      { ImportFileMap: 'Year', Destination: 'County', DataType: 'Integer' },
    ];
    const cities = Array.from({ length: 150 }, (_, n) => [`Town ${n}`, n === 30 ? 'bad' : '1990'] as const);
    for (const [engine, fields, body, fileName] of [
      ['DelimitedEngine', {}, `City,Year\n\n${cities.map((row) => `"${row.join('","')}"`).join('\n')}`, 'a.csv'],
      ['JsonEngine', {}, JSON.stringify(cities.map(([City, Year]) => ({ City, Year }))), 'a.json'],
      [
        'XmlEngine',
        {},
        `<PropertyCollection>${cities
          .map(([city, year]) => `<PropertyItem><City>${city}</City><Year>${year}</Year></PropertyItem>`)
          .join('')}</PropertyCollection>`,
        'a.xml',
      ],
    ] as const) {
      // The run ends with the first failed row, and keeps the progress that it had.
      const name = await template(engine, { AppliesTo: 'Property', FailureThreshold: '0', ...fields }, maps);
      const path =
        `/api/importfile/importbyobject?Output=Json&Validate=false&Template=${encodeURIComponent(name)}` +
        `&PreTransform_FileName=${fileName}`;
      const sent = ok(await admin.send('POST', path, body, { 'Content-Type': 'application/octet-stream' }));
      const { ID, Status } = (sent.json() as unknown as { ImportResults: Results }).ImportResults;
      assert.equal(Status, 'Error', sent.text);
      const progress = ok(await admin.get(`/api/importfile/progress?Output=Json&ID=${ID}`)).json();
      assert.equal(progress['RowsTotal'], 150, engine);
      assert.ok(Number(progress['RowsDone']) < 150, engine);
      assert.equal(Number(progress['PercentDone']), 40, engine);
    }
  });
});

describe('the import types that a firm sees', () => {
  it('IMP-06 KRN-18 are those that it may send to: searches, maps and sending agree', async () => {
    const maps = [{ ImportFileMap: 'Loan', Destination: 'Loan' }];
    const open = await template('DelimitedEngine', { ExtranetEnabled: 'Self' }, maps);
    const internal = await template('DelimitedEngine', {}, maps);
    const { caller } = await on.firm('Seeing Law');
    const named = async (path: string): Promise<string> => (await caller.get(`/api/${path}&DisplaySize=1000`)).text;
    const all = await named('importfiletemplate/search?Output=Json');
    assert.ok(all.includes(`"${open}"`) && all.includes('"LegacyEvents"'), all.slice(0, 300));
    assert.ok(!all.includes(`"${internal}"`) && !all.includes('BulkReader'));
    const [row] = await platform.store.query<{ id: number }>(
      'select importfiletemplateid as id from importfiletemplate where importfiletemplate = $1::text',
      [internal],
    );
    assert.equal((await caller.get(`/api/importfiletemplate/select?ID=${row?.id ?? 0}`)).status, 404);
    assert.doesNotMatch(await named(`importfilemap/search?ImportFileTemplateID=${row?.id ?? 0}`), /ImportFileMapItem/);
    const sent = await caller.send('POST', `/api/import/${encodeURIComponent(internal)}`, 'Loan\n1\n', {
      'Content-Type': 'text/plain',
    });
    assert.equal(sent.status, 500);
    assert.match(sent.text, /<Message>Unrecognized Template<\/Message>/);
    assert.doesNotMatch(sent.text, /TemplateID/);
  });

  it('IMP-06 a referral type that is closed to firms takes no referrals from them', async () => {
    const [type] = await platform.store.query<{ id: number }>(
      "select importfiletemplateid as id from importfiletemplate where importfiletemplate = 'POC'",
    );
    const close = async (ExtranetEnabled: string): Promise<unknown> =>
      ok(await admin.post('/api/importfiletemplate/save', { ID: type?.id, ExtranetEnabled }));
    const { caller } = await on.firm('Closed Out Law');
    const send = (): Promise<TestAnswer> =>
      caller.send('POST', '/api/import/poc', '<ImportCollection/>', { 'Content-Type': 'text/xml' });
    await close('No');
    assert.match((await send()).text, /Unrecognized Template/);
    await close('Self');
    assert.match((await send()).text, /Validation Error/);
  });
});
