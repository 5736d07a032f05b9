import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const { admin, platform } = await testPlatform({ after });

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
          'Balance: "no number" is no amount, such as 1250.00 or $1,250.00.',
        ],
      );
      const corrections = ok(await admin.get(`/api/importfile/corrections?ID=${results.ID}`));
      assert.match(
        corrections.text,
        /^Number\|Balance\|Town\|ImportReason\r\n72004\|40\|Line 3: .*\r\n72005\|no number\|Elm\|.*is no amount.*\r\n$/,
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
