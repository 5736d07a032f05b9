import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import yazl from 'yazl';
import { KeyHasher, LastRows } from '../../../src/modules/imports/lib/events/rows/last-rows.ts';
import {
  cells,
  delimited,
  makeLoans,
  saveCodes,
  sendEvents,
  xmlOf,
  type EventValues,
} from '../../support/imports/events.ts';
import { eventually } from '../../support/eventually.ts';
import { seeded } from '../../support/processes/kill.ts';
import { testPlatform } from '../../support/platform.ts';
import { searchRows } from '../../support/imports/referrals.ts';

const on = await testPlatform({ after }, { worker: true });
const firm = await on.firm('Fault Law');
await saveCodes(on.admin);
await makeLoans(on, ['300000001', '300000002']);
const query = on.platform.store.query.bind(on.platform.store);
await query("insert into loan (loan, agency) select (310000000 + n)::text, 'INVESTOR' from generate_series(0, 5999) n");

const eventOf = (values: EventValues = {}): EventValues => ({
  RecordType: 'EVENT',
  ProviderCode: 'FaultLaw',
  BusinessEventCode: 'E0290',
  InvestorLoanNumberID: '300000001',
  EventActualDate: '2024-05-06T10:30:00',
  FCAttorneyFileID: 'F-1',
  ...values,
});

/** Builds a workbook with one sheet of text cells. */
async function workbook(rows: readonly (readonly string[])[]): Promise<Buffer> {
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const cellXml = (cell: string): string => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
  const rowXml = (row: readonly string[], n: number): string => `<row r="${n + 1}">${row.map(cellXml).join('')}</row>`;
  const sheet =
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    `<sheetData>${rows.map(rowXml).join('')}</sheetData></worksheet>`;
  const zip = new yazl.ZipFile();
  const add = (name: string, text: string): void => zip.addBuffer(Buffer.from(text), name);
  add(
    '[Content_Types].xml',
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ' +
      'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>' +
      '<Override PartName="/xl/worksheets/sheet1.xml" ' +
      'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
  );
  add(
    '_rels/.rels',
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ' +
      'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ' +
      'Target="xl/workbook.xml"/></Relationships>',
  );
  add(
    'xl/workbook.xml',
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
      'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>' +
      '<sheet name="Events" sheetId="1" r:id="r1"/></sheets></workbook>',
  );
  add(
    'xl/_rels/workbook.xml.rels',
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ' +
      'Target="worksheets/sheet1.xml"/></Relationships>',
  );
  add('xl/worksheets/sheet1.xml', sheet);
  zip.end();
  const parts: Buffer[] = [];
  for await (const part of zip.outputStream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

describe('formats of events files', () => {
  it('EVT-01 a workbook is read under the name of a text file, and a text file under that of a workbook', async () => {
    const book = await workbook([
      cells({ RecordType: 'HEADER' }),
      cells(eventOf({ FCAttorneyFileID: 'W-1' })),
      cells(eventOf({ FCAttorneyFileID: 'W-2', ProviderCode: '' })),
    ]);
    const { row, log } = await sendEvents(on, firm.caller, book, 'Events.txt');
    assert.deepEqual(
      [row['status'], row['successcount'], row['errorcount']],
      ['Complete', 1, 1],
      String(row['message']),
    );
    assert.deepEqual(
      log.map((each) => [each.SourceLine, each.Status]),
      [
        [2, 'Success'],
        [3, 'Error'],
      ],
    );
    const text = await sendEvents(
      on,
      firm.caller,
      delimited([eventOf({ FCAttorneyFileID: 'W-3' })], ','),
      'Events.xlsx',
    );
    assert.deepEqual([text.row['status'], text.row['successcount']], ['Complete', 1]);
  });

  it('a truncated workbook is refused whole, and nothing of it is stored', async () => {
    const book = await workbook([cells(eventOf({ FCAttorneyFileID: 'T-1' }))]);
    const answer = await firm.caller.post(
      '/api/import/legacyevents?PreTransform_FileName=Events.xlsx',
      book.subarray(0, book.length - 60),
      { 'Content-Type': 'application/octet-stream' },
    );
    const id = Number(/ID="?>?(\d+)/.exec(answer.text)?.[1] ?? /<ImportFileID>(\d+)/.exec(answer.text)?.[1]);
    const row = await eventually(
      'the file has ended',
      async () =>
        (
          await query<{ status: string; message: string }>(
            'select status, message from importfile where importfileid = $1::bigint and importcomplete is not null',
            [id],
          )
        )[0],
    );
    assert.ok(['Error', 'Validation Error'].includes(row.status), row.status);
    assert.equal(
      row.message,
      'The workbook cannot be read; it was cut off or is damaged. Save it and send the whole file.',
    );
    assert.deepEqual(await searchRows(firm.caller, 'foreclosure/search?Foreclosure=T-1'), []);
  });

  it('EVT-10 an empty file is stored and not listed', async () => {
    const { row } = await sendEvents(on, firm.caller, ' \n\n', 'Events.csv');
    assert.deepEqual([row['status'], row['unlisted']], ['Complete', true]);
  });

  it('EVT-10 a file of rows that cannot be read is listed as failed, with the reason, in lists and by name', async () => {
    const row = cells(eventOf({ FCAttorneyFileID: 'U-1' }));
    const files: readonly (readonly [string, string, RegExp])[] = [
      ['Tab-Events.txt', `${row.join('\t')}\n${row.join('\t')}\n`, /separated by tabs; expected "\|" or a comma/],
      ['Semicolon-Events.csv', `${row.join(';')}\n`, /separated by ";"/],
      ['Narrow-Events.csv', `HEADER\n${row.slice(0, 109).join('|')}\n`, /has 109 columns; expected 110/],
      [
        'Xml-Events.txt',
        xmlOf([eventOf()]).replaceAll('BusinessEventCode', 'EventCode'),
        /<EventCode> is not an element of the layout/,
      ],
    ];
    for (const [name, text, reason] of files) {
      const { id, row: file } = await sendEvents(on, firm.caller, text, name);
      assert.deepEqual([file['status'], file['unlisted']], ['Error', null], name);
      assert.match(String(file['message']), reason);
      for (const filters of ['Listed', 'Listed,Failed'])
        assert.deepEqual(
          (await searchRows(firm.caller, `importfile/search?ImportFile=${name}&SqlFilters=${filters}`)).map(
            (found) => found['ImportFileID'],
          ),
          [id],
        );
    }
  });

  it('EVT-10 rows that cannot be read do not fail a file with an event', async () => {
    const text = `${delimited([eventOf({ FCAttorneyFileID: 'U-2' })])}EVENT|FaultLaw\n`;
    const { row } = await sendEvents(on, firm.caller, text);
    assert.deepEqual([row['status'], row['successcount'], row['errorcount']], ['Complete', 1, 1]);
  });

  it('truncated XML is an error of the file, reported before anything of it is stored', async () => {
    const xml = xmlOf([eventOf({ FCAttorneyFileID: 'B-1' })]);
    const { row } = await sendEvents(on, firm.caller, xml.slice(0, -12), 'Events.txt');
    assert.equal(row['status'], 'Error');
    assert.deepEqual(await searchRows(firm.caller, 'foreclosure/search?Foreclosure=B-1'), []);
    const dtd = await sendEvents(
      on,
      firm.caller,
      `<!DOCTYPE e [<!ENTITY x "y">]><E><B><RecordType>&x;</RecordType></B></E>`,
      'Events.txt',
    );
    assert.equal(dtd.row['status'], 'Error');
  });

  it('text in windows-1252 and in UTF-16 is read; a row in neither fails alone; quotes, delimiters and line ends within values are preserved', async () => {
    const name = 'Größe "1|2"\nzwei';
    const requested = async (log: { readonly ObjectID?: number }[]): Promise<unknown> =>
      (await searchRows(firm.caller, `event/search?EventID=${log[0]?.ObjectID ?? 0}`))[0]?.['BusinessEventName'];
    const text = delimited([eventOf({ FCAttorneyFileID: 'E-1', BusinessEventName: name })]);
    for (const bytes of [
      Buffer.from(text, 'latin1'),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(`\ufeff${text}`),
    ]) {
      const { log, row } = await sendEvents(on, firm.caller, bytes);
      assert.equal(row['status'], 'Complete', String(row['message']));
      assert.equal(await requested([...log]), name);
    }
    const broken = Buffer.concat([
      Buffer.from(delimited([eventOf({ FCAttorneyFileID: 'E-2', ProcessorName: 'Größe' })])),
      Buffer.from(delimited([eventOf({ FCAttorneyFileID: 'E-3', ProcessorName: '\xff' })]), 'latin1'),
      Buffer.from(delimited([eventOf({ FCAttorneyFileID: 'E-4', ProcessorName: '\0' })])),
      Buffer.from(delimited([eventOf({ FCAttorneyFileID: 'E-5' })])),
    ]);
    const { log } = await sendEvents(on, firm.caller, broken);
    assert.deepEqual(
      log.map((each) => each.Status),
      ['Success', 'Error', 'Error', 'Success'],
    );
  });

  it('EVT-06 the failed rows are returned as a file that can be corrected and sent again', async () => {
    for (const [form, write] of [
      ['csv', (rows: EventValues[]) => delimited(rows, ',')],
      ['txt', (rows: EventValues[]) => xmlOf(rows)],
    ] as const) {
      const label = `K-${form}`;
      const { id } = await sendEvents(
        on,
        firm.caller,
        write([
          eventOf({ FCAttorneyFileID: label }),
          eventOf({ FCAttorneyFileID: label, BusinessEventCode: 'E0100', BKFilingDate: 'soon, --- later' }),
        ]),
        `Events.${form}`,
      );
      const answer = await firm.caller.get(`/api/importfile/corrections?ID=${id}`);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /BKFilingDate/);
      if (form === 'csv') assert.match(answer.text, /^EVENT,/, 'the delimiter is preserved');
      const again = await sendEvents(
        on,
        firm.caller,
        answer.text.replaceAll('"soon, --- later"', '').replaceAll('soon, --- later', ''),
        `Events.${form}`,
      );
      assert.deepEqual(
        [again.row['status'], again.row['successcount'], again.row['errorcount']],
        ['Complete', 1, 0],
        JSON.stringify(again.log),
      );
    }
  });
});

describe('corrections that were not corrected', () => {
  const correctionsOf = async (id: number): Promise<string> => {
    const answer = await firm.caller.get(`/api/importfile/corrections?ID=${id}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };

  for (const [form, columns] of [
    ['one column too few', (row: string[]) => row.slice(0, 109)],
    ['one column too many', (row: string[]) => [...row, 'more']],
    ['two columns too many', (row: string[]) => [...row, 'more', 'again']],
  ] as const) {
    it(`EVT-06 rows of ${form} fail again, however often they are sent, until their columns are right`, async () => {
      const label = `N-${form.replaceAll(' ', '-')}`;
      const values = cells(eventOf({ FCAttorneyFileID: label, DocumentTypeCode: 'D' }));
      let { id } = await sendEvents(on, firm.caller, `${columns(values).join('|')}\n`);
      for (let again = 0; again < 2; again++) {
        const sent = await sendEvents(on, firm.caller, await correctionsOf(id));
        assert.deepEqual([sent.row['status'], sent.row['successcount'], sent.row['errorcount']], ['Error', 0, 1]);
        assert.match(sent.log.at(-1)?.Message ?? '', /columns; expected 110|and the reason why it failed before/);
        id = sent.id;
      }
      assert.deepEqual(await searchRows(firm.caller, `foreclosure/search?Foreclosure=${label}`), []);
      const reason = /\|("?ImportReason: .*)$/m.exec(await correctionsOf(id))?.[1];
      const { log } = await sendEvents(on, firm.caller, `${values.join('|')}|${reason ?? ''}\n`);
      const [event] = await searchRows(firm.caller, `event/search?EventID=${log[0]?.ObjectID ?? 0}`);
      assert.equal(event?.['DocumentTypeCode'], 'D');
    });
  }

  it('EVT-06 an XML event with an unknown element keeps its other values and fails until its reason is removed', async () => {
    const xml = xmlOf([eventOf({ FCAttorneyFileID: 'N-X', ProcessorName: 'Ann' })]).replaceAll(
      'BusinessEventName',
      'EventName',
    );
    const first = await sendEvents(on, firm.caller, xml, 'Events.txt');
    const corrections = await correctionsOf(first.id);
    assert.match(corrections, /<ProcessorName>Ann<\/ProcessorName>/);
    const again = await sendEvents(on, firm.caller, corrections, 'Events.txt');
    assert.deepEqual([again.row['status'], again.row['errorcount']], ['Error', 1]);
    assert.match(String(again.row['message']), /<ImportReason> says why the event failed before/);
    const corrected = corrections.replace(/<ImportReason>.*<\/ImportReason>/, '');
    const { row } = await sendEvents(on, firm.caller, corrected, 'Events.txt');
    assert.deepEqual([row['status'], row['successcount']], ['Complete', 1], String(row['message']));
  });
});

describe('runs of events files', () => {
  /** Returns events on the given number of cases, each on its own loan. */
  const many = (count: number, label: string): EventValues[] =>
    Array.from({ length: count }, (_, n) =>
      eventOf({
        InvestorLoanNumberID: String(310_000_000 + n),
        FCAttorneyFileID: `${label}-${n}`,
        BusinessEventCode: n % 2 === 0 ? 'E0290' : 'E0100',
      }),
    );

  it('EVT-04 a file that creates more cases than fit into one transaction creates each once, as do two files with the same new cases', async () => {
    const rows = many(4_500, 'M');
    const [first, second] = await Promise.all([
      sendEvents(on, firm.caller, delimited(rows)),
      sendEvents(on, firm.caller, delimited(rows.toReversed())),
    ]);
    for (const { row } of [first, second])
      assert.deepEqual(
        [row['status'], row['successcount'], row['errorcount']],
        ['Complete', 4_500, 0],
        String(row['message']),
      );
    const [found] = await query(
      `select count(*)::integer as cases, count(distinct process)::integer as numbers, (select count(*)::integer
        from importform i join process p on p.processid = i.objectid where p.process collate "C" like 'M-%') as tasks
        from process where process collate "C" like 'M-%'`,
    );
    assert.deepEqual(found, { cases: 4_500, numbers: 4_500, tasks: 4_500 });
  });

  it('EVT-03 EVT-04 EVT-06 records looked up in advance for a piece are those that its rows refer to, whatever the previous piece created and for any loan or firm', async () => {
    // Each piece refers to cases that the first one creates; some unknown loans and firms occur only in the last one.
    const rows = Array.from({ length: 11_000 }, (_, n) =>
      eventOf({
        BusinessEventCode: `Z${Math.floor(n / 10)}`,
        FCAttorneyFileID: `V-${n % 10}`,
        InvestorLoanNumberID: n % 1_000 === 999 ? '399999999' : String(310_005_000 + (n % 10)),
        ...(n >= 10_000 && n % 100 === 7 ? { ProviderCode: 'OtherFaultLaw' } : {}),
      }),
    );
    await on.firm('Other Fault Law');
    const { row, id } = await sendEvents(on, firm.caller, delimited(rows));
    assert.deepEqual(
      [row['status'], row['successcount'], row['errorcount']],
      ['Complete', 10_979, 21],
      String(row['message']),
    );
    const [found] = await query(
      `select count(*)::integer as events, count(distinct e.objectid)::integer as cases, (select count(*)::integer
        from process where process collate "C" like 'V-%') as made,
      count(*) filter (where p.process collate "C" <> e.fcattorneyfileid or p.loanid <> e.loanid or l.loan collate "C"
      <> e.investorloannumberid or p.organizationid <> e.organizationid)::integer as wrong
      from event e join process p on p.processid = e.objectid join loan l on l.loanid = e.loanid
      where e.importfileid = $1::bigint`,
      [id],
    );
    assert.deepEqual(found, { events: 10_979, cases: 10, made: 10, wrong: 0 });
  });

  it('KRN-23 a run whose connections are cut continues with nothing lost and nothing duplicated', async () => {
    const random = seeded(20_261_125);
    const [before] = await query<{ id: number }>('select coalesce(max(importfileid), 0) as id from importfile');
    const sending = sendEvents(on, firm.caller, delimited(many(6_000, 'Q')));
    for (let cut = 0; cut < 2; cut++) {
      // Waits for the first events, so that the request with the file is not the connection that is cut.
      const rows = 1 + Math.floor(random() * 3_000 * (cut + 1));
      await eventually(
        'the run has stored enough events or has ended',
        async () => {
          const [at] = await query<{ n: number; ended: boolean }>(
            `select count(*)::integer as n, exists (select from importfile where importfileid > $1::bigint
              and importcomplete is not null) as ended from event where fcattorneyfileid collate "C" like 'Q-%'`,
            [before?.id],
          );
          return at !== undefined && (at.n >= rows || at.ended);
        },
        60_000,
      );
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and pid <> pg_backend_pid() and application_name = 'casewright' and query ilike '%copy%'`,
      ).catch(() => undefined);
    }
    const { row } = await sending;
    assert.deepEqual([row['status'], row['successcount']], ['Complete', 6_000], String(row['message']));
    const [found] = await query(
      `select count(*)::integer as events, count(distinct fcattorneyfileid)::integer as numbers, (select
        count(*)::integer from process where process like 'Q-%') as cases from event
        where fcattorneyfileid collate "C" like 'Q-%'`,
    );
    assert.deepEqual(found, { events: 6_000, numbers: 6_000, cases: 6_000 });
  });
});

describe('the table of last rows', () => {
  it('EVT-05 distinguishes keys with the same first half, and keeps the last row of each, however many there are', () => {
    const last = new LastRows();
    const count = 300_000;
    const hash = (n: number): Uint32Array => Uint32Array.of(7, n % 2 === 0 ? 1 : Math.imul(n, 0x9e3779b1), n);
    for (let n = 1; n <= 2_000; n++) last.set(hash(n), n);
    for (let n = 1; n <= 2_000; n += 3) last.set(hash(n), n + 5_000);
    for (let n = 1; n <= 2_000; n++) assert.equal(last.get(hash(n)), n % 3 === 1 ? n + 5_000 : n);
    const hasher = new KeyHasher();
    const own = new Uint32Array(3);
    const of = (n: number): Uint32Array => {
      hasher.begin();
      for (const part of [`p${n % 7}`, String(n), 'E0290']) hasher.add(Buffer.from(part), 0, part.length);
      hasher.end(own);
      return own;
    };
    for (let n = 1; n <= count; n++) last.set(of(n), n);
    assert.equal(last.size, count + 2_000);
    for (let n = 1; n <= count; n += 97) assert.equal(last.get(of(n)), n);
  });

  it('EVT-05 does not confuse the parts of a key, and ignores the case of letters', () => {
    const hasher = new KeyHasher();
    const hash = (...parts: string[]): string => {
      const into = new Uint32Array(3);
      hasher.begin();
      for (const part of parts) hasher.add(Buffer.from(part), 0, part.length);
      hasher.end(into);
      return into.join(' ');
    };
    assert.notEqual(hash('ab', 'c'), hash('a', 'bc'));
    assert.notEqual(hash('a', ''), hash('', 'a'));
    assert.equal(hash('Ab', 'c'), hash('aB', 'C'));
  });
});
