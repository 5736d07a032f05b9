import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testPlatform } from '../../support/platform.ts';
import {
  borrower,
  collection,
  foreclosure,
  foreclosureItem,
  nextLoan,
  readAnswer,
  referralFirm,
  samplesFolder,
  saveSampleTemplates,
  sendReferral,
  setSetting,
  updateOf,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

describe('the referral import over HTTP', () => {
  const count = async (table: string): Promise<number> =>
    Number((await on.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n);

  it('REF-01 REF-02 REF-11 returns ImportResults with 200 and one Result per record', async () => {
    const answer = await firm.send(
      'foreclosure',
      foreclosure({
        borrowers: [borrower(1, 'Amsel', 'Ida', '900-11-2233'), borrower(2, 'Amsel', 'Otto')],
        property: '<Property_Address>4 Elm Way</Property_Address><Property_City>Granby</Property_City>',
      }),
    );
    assert.equal(answer.http, 200);
    assert.equal(answer.status, 'Complete');
    assert.deepEqual([...answer.reported].sort(), [
      'Contact Insert Success',
      'Contact Insert Success',
      'Foreclosure Insert Success',
      'Loan Insert Success',
      'Property Insert Success',
    ]);
    assert.deepEqual([answer.success, answer.warnings, answer.errors], [5, 0, 0]);
    assert.ok(answer.id > 0 && answer.results.every((r) => r.id > 0));
    assert.equal(new Set(answer.results.map((r) => r.id)).size, 5);
    assert.match(answer.attributes['ImportStart'] ?? '', /^\d{4}-\d\d-\d\dT/);
    assert.ok((answer.attributes['ImportStart'] ?? '') <= (answer.attributes['ImportComplete'] ?? ''));
    assert.equal(answer.attributes['Reference'], undefined);
    const [case_] = await firm.search(`foreclosure/search?ForeclosureID=${answer.caseId}`);
    assert.equal(case_?.['OrganizationID'], firm.organizationId, 'REF-10 the firm comes from the credentials');
  });

  it('REF-01 KRN-21 reports a masked number with a warning on its borrower alone, and stores no number', async () => {
    const answer = await firm.send(
      'foreclosure',
      foreclosure({
        borrowers: [borrower(1, 'Whole', 'Ida', '900-11-2244'), borrower(2, 'Masked', 'Otto', 'XXX-XX-2244')],
      }),
    );
    assert.deepEqual([answer.http, answer.status, answer.warnings], [200, 'Complete', 1], answer.text);
    const [whole, masked] = answer.of('Contact');
    assert.deepEqual([whole?.status, masked?.status], ['Success', 'Warning']);
    assert.match(masked?.message ?? '', /USSSN: the number was sent masked and is not stored; the record has none/);
  });

  it('REF-02 returns the Properties of saved records with Social Security numbers masked, and none for items with a Reference', async () => {
    const open = await firm.send(
      'foreclosure',
      foreclosure({ borrowers: [borrower(1, 'Brandt', 'Lea', '900-55-4321')] }),
    );
    const [contact] = open.of('Contact');
    assert.match(contact?.properties ?? '', /<USSSN>XXX-XX-4321<\/USSSN>/);
    assert.match(contact?.properties ?? '', /<LastName>Brandt<\/LastName>/);
    assert.doesNotMatch(open.text, /900-?55-?4321/);
    const quiet = await firm.send('foreclosure', collection(foreclosureItem({ reference: 'mine-1' }), 'job-77'));
    assert.equal(quiet.attributes['Reference'], 'job-77');
    assert.equal(quiet.of('Foreclosure')[0]?.reference, 'mine-1');
    assert.doesNotMatch(quiet.text, /<Properties>/);
  });

  it('REF-13 finds results by ImportFileID, ImportLogID, collection Reference and item Reference', async () => {
    const sent = await firm.send(
      'foreclosure',
      collection(
        [foreclosureItem({ reference: 'first of 13' }), foreclosureItem({ reference: 'second of 13' })],
        'batch 13',
      ),
    );
    const again = await firm.caller.get(`/api/import/result?ID=${sent.id}`);
    assert.equal(again.status, 200);
    assert.equal(again.text, sent.text, 'the same ImportResults');
    assert.deepEqual(
      (await firm.search('importfile/search?Reference=batch+13')).map((r) => r['ImportFileID']),
      [sent.id],
    );
    assert.deepEqual(
      (await firm.search(`importfile/search?ImportFileID=${sent.id}`)).map((r) => r['Reference']),
      ['batch 13'],
    );
    const second = sent.results.find((r) => r.reference === 'second of 13');
    const ofSecond = sent.results.slice(sent.results.length / 2);
    assert.deepEqual(
      (await firm.search('importlog/search?Reference=second+of+13'))
        .map((r) => Number(r['ImportLogID']))
        .toSorted((a, b) => a - b),
      ofSecond.map((r) => r.id),
      'its nested records too',
    );
    assert.deepEqual(
      (await firm.search(`importlog/search?ImportLogID=${second?.id}`)).map((r) => r['ObjectID']),
      [second?.objectId],
    );
    assert.equal((await firm.search(`importlog/search?ImportFileID=${sent.id}`)).length, sent.results.length);
  });

  it('REF-02 REF-11 REF-13 returns every Result of a large submission, at once and when it is asked again', async () => {
    const sent = await firm.send('foreclosure', foreclosure());
    await on.platform.store.query(
      `insert into importlog (importlog, importfileid, organizationid, object, objectid, operation, status, reference,
         sequence, createddate, createdpersonid, updateddate, updatedpersonid)
       select 'more', importfileid, organizationid, 'Contact', n, 'Insert', 'Success', 'item-' || n, 100 + n,
         createddate, createdpersonid, updateddate, updatedpersonid
       from importlog, generate_series(1, 12500) n where importlogid = $1::bigint`,
      [sent.results[0]?.id],
    );
    const again = await firm.caller.get(`/api/import/result?ID=${sent.id}`);
    assert.equal(again.status, 200);
    const parsed = readAnswer(again.status, again.text);
    assert.equal(parsed.results.length, sent.results.length + 12_500);
    assert.deepEqual(
      [parsed.results.at(-1)?.reference, parsed.results.at(-1)?.objectId, parsed.attributes['Message']],
      ['item-12500', 12_500, undefined],
    );
    // A run that failed keeps its status when its results are sent while they are read.
    await on.platform.store.query(
      `update importfile set status = 'Error', errorcount = 1 where importfileid = $1::bigint`,
      [sent.id],
    );
    const failed = await on.admin.get(`/api/importfile/importresults?ID=${sent.id}`);
    assert.equal(failed.status, 500);
    assert.equal(readAnswer(500, failed.text).results.length, sent.results.length + 12_500);
    const json = await on.admin.get(`/api/importfile/importresults?ID=${sent.id}&Output=Json`);
    assert.match(json.text, /Only failures and warnings are listed. All results: \/api\/import\/result/);
  });

  it('REF-02 REF-13 a nested record that fails carries the Reference of its item, and is found by it', async () => {
    const row = (n: number): string => {
      const template = n === 2 ? 'Zzzzzzzzzzzzzzzz' : 'Case Note';
      const rest = `<Messages><MessageItem><Template>${template}</Template></MessageItem></Messages>`;
      return foreclosureItem({ reference: `ROW-${n}`, rest });
    };
    const sent = await firm.send('foreclosure', collection([row(1), row(2), row(3)]));
    assert.deepEqual(
      sent.results.filter(({ status }) => status === 'Error').map(({ object, reference }) => [object, reference]),
      [['Message', 'ROW-2']],
    );
    const found = await firm.search(`importlog/search?Reference=ROW-2&ImportFileID=${sent.id}&SqlFilters=Failed`);
    assert.deepEqual(
      found.map((one) => one['Object']),
      ['Message'],
    );
  });

  it('REF-13 KRN-18 hides results from other firms', async () => {
    const sent = await firm.send('foreclosure', collection(foreclosureItem({ reference: 'private' }), 'private batch'));
    const answer = await other.caller.get(`/api/import/result?ID=${sent.id}`);
    assert.equal(answer.status, 404);
    assert.doesNotMatch(answer.text, /private/);
    assert.deepEqual(await other.search('importfile/search?Reference=private+batch'), []);
    assert.deepEqual(await other.search('importlog/search?Reference=private'), []);
    assert.equal(
      (
        await other.caller.get(`/api/attachment/search?Object=ImportFile&ObjectID=${sent.id}&Output=Json`)
      ).text.includes('Foreclosure-'),
      false,
    );
    assert.equal((await firm.caller.get('/api/import/result?ID=999999999')).status, 404);
  });

  it('REF-13 returns the result of a failed submission with 200, because the query succeeded', async () => {
    const failed = await firm.send('foreclosure', '<ImportCollection/>');
    assert.equal(failed.http, 500);
    const again = await firm.caller.get(`/api/import/result?ID=${failed.id}`);
    assert.equal(again.status, 200);
    assert.equal(readAnswer(200, again.text).status, 'Validation Error');
  });

  it('REF-01 REF-11 reports an unknown name as Unrecognized Template, 500, with an ID to query', async () => {
    const answer = await firm.send('foreclosures', foreclosure());
    assert.equal(answer.http, 500);
    assert.equal(answer.status, 'Error');
    assert.equal(answer.errors, 1);
    assert.equal(answer.results[0]?.message, 'Unrecognized Template');
    assert.equal((await firm.caller.get(`/api/import/result?ID=${answer.id}`)).status, 200);
  });

  it('REF-01 REF-16 takes documents by POST only, and stores nothing for any other method', async () => {
    const files = async (): Promise<unknown> => on.platform.store.query('select count(*) from importfile');
    const before = await files();
    const type = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: 'import' };
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await firm.caller.send(method, '/api/import/foreclosure', foreclosure(), type);
      assert.equal(answer.status, 405, answer.text);
      assert.match(answer.text, /METHOD_NOT_ALLOWED.*with POST/s);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST');
    }
    for (const name of ['foreclosure', 'nothing-of-this-name'])
      assert.equal((await firm.caller.get(`/api/import/${name}`)).status, 400, name);
    assert.deepEqual(await files(), before);
  });

  it('REF-16 takes a gzip body up to the same size, and refuses other encodings and broken ones', async () => {
    const type = { 'Content-Type': 'text/xml; charset=utf-8' };
    const packed = gzipSync(foreclosure({ subscriberId: 'packed' }));
    const answer = await firm.caller.post('/api/import/foreclosure', packed, { ...type, 'Content-Encoding': 'gzip' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(readAnswer(answer.status, answer.text).of('Foreclosure')[0]?.operation, 'Insert');
    const cut = await firm.caller.post('/api/import/foreclosure', packed.subarray(0, 60), {
      ...type,
      'Content-Encoding': 'gzip',
    });
    assert.equal(cut.status, 400, cut.text);
    assert.match(cut.text, /not valid gzip, or its end is missing/);
    const other = await firm.caller.post('/api/import/foreclosure', packed, { ...type, 'Content-Encoding': 'br' });
    assert.equal(other.status, 415);
    assert.match(other.text, /Content-Encoding: expected gzip/);
    const json = await on.admin.post('/api/property/save?Output=Json', gzipSync('{"City":"Packed"}'), {
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
    });
    assert.match(json.text, /"City":"Packed"/);
  });

  it('REF-11 answers a document beyond the limit with 413 and ImportResults, whose result can be read again', async () => {
    await setSetting(on.admin, 'ReferralMegabytesMax', '1');
    try {
      // A megabyte of spaces is a kilobyte of gzip: the limit is that of the document.
      const large = gzipSync(foreclosure().replace('<ImportCollection>', `<ImportCollection>${' '.repeat(1_100_000)}`));
      assert.ok(large.length < 10_000);
      const answer = await firm.caller.post('/api/import/foreclosure', large, {
        'Content-Type': 'text/xml; charset=utf-8',
        'Content-Encoding': 'gzip',
      });
      assert.equal(answer.status, 413, answer.text);
      const results = readAnswer(answer.status, answer.text);
      assert.deepEqual([results.status, results.errors], ['Error', 1]);
      assert.match(results.results[0]?.message ?? '', /larger than 1 megabytes/);
      assert.equal((await firm.caller.get(`/api/import/result?ID=${results.id}`)).text, answer.text);
    } finally {
      await setSetting(on.admin, 'ReferralMegabytesMax', '512');
    }
  });

  it('REF-03 REF-05 error texts say what is wrong: white space, another encoding, and which names there are', async () => {
    const spaced = await firm.send('foreclosure', foreclosure({ status: '\n Open\n ' }));
    assert.match(spaced.results[0]?.message ?? '', /"Open" \(with white space around it\); expected/);
    const latin = Buffer.from(
      foreclosure({ borrowers: [borrower(1, 'Núñez', 'Ana')] }).replace(' encoding="utf-8"', ''),
      'latin1',
    );
    const answer = await firm.send('foreclosure', latin);
    assert.match(answer.results[0]?.message ?? '', /XML declaration must name it/);
    const message = '<Messages><MessageItem><Template>Qqqqqqqqqqqqqqqq</Template></MessageItem></Messages>';
    const unknown = await firm.send('foreclosure', foreclosure({ rest: message }));
    assert.match(unknown.of('Message')[0]?.message ?? '', /Known: .*Case Note/);
  });

  it('REF-12 refuses Eviction and Closing referrals', async () => {
    for (const operation of ['eviction', 'closing', 'EvictionUpdate']) {
      const before_ = await count('process');
      const answer = await firm.send(operation, foreclosure());
      assert.equal(answer.http, 500, operation);
      assert.equal(answer.results[0]?.message, 'Unrecognized Template');
      assert.equal(await count('process'), before_);
    }
  });

  it('REF-01 accepts the operation name regardless of case and spaces', async () => {
    assert.equal((await firm.send('FORECLOSURE', foreclosure())).http, 200);
    const sid = 'case-and-spaces';
    await firm.send('foreclosure', foreclosure({ subscriberId: sid }));
    assert.equal((await firm.send('Foreclosure%20Update', updateOf(sid, '<Status>On Hold</Status>'))).http, 200);
  });

  it('REF-01 answers a GET of an operation with what to send and where its schema is, and creates nothing', async () => {
    const files = await count('importfile');
    for (const name of ['foreclosure', 'MFR update', 'importform']) {
      const { status, text } = await firm.caller.get(`/api/import/${encodeURIComponent(name)}`);
      assert.equal(status, 400, text);
      assert.match(text, /MISSING_PARAMETER/);
      const address = /(\/api\/import\/schema\/\w+)\./.exec(text)?.[1] ?? '';
      assert.equal((await firm.caller.get(address)).status, 200, address);
    }
    assert.equal(await count('importfile'), files);
  });

  it('REF-01 serves results on GET and POST', async () => {
    const { id } = await firm.send('foreclosure', foreclosure());
    assert.equal((await firm.caller.get(`/api/import/result?ID=${id}`)).status, 200);
    assert.equal((await firm.caller.post('/api/import/result', `ID=${id}`)).status, 200);
  });

  it("refuses a caller's request to queue a referral, with the reason", async () => {
    const files = await count('importfile');
    const answer = await firm.caller.post('/api/import/queue/foreclosure', foreclosure(), {
      'Content-Type': 'text/xml',
    });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /cannot be queued by the caller/);
    assert.equal(await count('importfile'), files);
  });

  it('REF-10 REF-11 KRN-16 refuses a wrong sign-in with 401 and the Basic challenge, and stores nothing', async () => {
    const files = await count('importfile');
    for (const caller of [
      on.byPassword('user of Alder Law', 'wrong'),
      on.byPassword('nobody at all', 'x'),
      on.anonymous,
    ]) {
      const answer = await caller.post('/api/import/foreclosure', foreclosure(), {
        'Content-Type': 'text/xml',
        SOAPAction: 'import',
      });
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /);
    }
    assert.equal(await count('importfile'), files);
  });

  it('REF-16 accepts the raw XML document and refuses a form post', async () => {
    for (const type of ['text/xml; charset=utf-8', 'text/xml', 'application/xml', 'TEXT/XML; Charset=UTF-8']) {
      const answer = await firm.caller.post('/api/import/foreclosure', foreclosure(), { 'Content-Type': type });
      assert.equal(answer.status, 200, type);
    }
    const cases = await count('process');
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const body = type.startsWith('multipart')
        ? `--x\r\nContent-Disposition: form-data; name="xml"\r\n\r\n${foreclosure()}\r\n--x--\r\n`
        : `xml=${encodeURIComponent(foreclosure())}`;
      const answer = readAnswer(
        ...(await firm.caller
          .post('/api/import/foreclosure', body, { 'Content-Type': type })
          .then((a) => [a.status, a.text] as const)),
      );
      assert.equal(answer.http, 500);
      assert.equal(answer.status, 'Validation Error');
      assert.match(answer.results[0]?.message ?? '', /^Content-Type: .*form/);
    }
    assert.equal(await count('process'), cases);
  });

  it('REF-11 reports an empty body, and one that is not XML, as a Validation Error', async () => {
    for (const body of ['', ' ', '{"Foreclosure": 1}', 'Foreclosure']) {
      const answer = await firm.send('foreclosure', body);
      assert.deepEqual([answer.http, answer.status, answer.success], [500, 'Validation Error', 0], body);
      assert.ok((answer.results[0]?.message ?? '').length > 10);
    }
  });

  it('REF-05 REF-07 REF-11 reports line and element of an element out of order, and saves nothing', async () => {
    const before_ = [await count('process'), await count('loan'), await count('contact'), await count('property')];
    const xml = collection([
      `\n${foreclosureItem()}`,
      `\n${foreclosureItem({
        loanRest: '\n<UPBAmount>1</UPBAmount><ServicerLoanID>S</ServicerLoanID><OriginalBalance>2</OriginalBalance>',
      })}`,
    ]);
    const answer = await firm.send('foreclosure', xml);
    assert.deepEqual([answer.http, answer.status], [500, 'Validation Error']);
    assert.match(answer.results[0]?.message ?? '', /^Line 5, .*UPBAmount does not belong here/);
    assert.deepEqual(
      [await count('process'), await count('loan'), await count('contact'), await count('property')],
      before_,
      'not even the valid first item is saved',
    );
  });

  it('REF-04 refuses DateClosed and ClosedReason on a new referral', async () => {
    for (const element of ['<DateClosed>2024-05-05</DateClosed>', '<ClosedReason>Paid</ClosedReason>']) {
      const answer = await firm.send('foreclosure', foreclosure({ rest: element }));
      assert.deepEqual([answer.http, answer.status], [500, 'Validation Error']);
    }
  });

  it('REF-20 refuses a Reference over 50 characters on the collection and on the item', async () => {
    for (const xml of [
      collection(foreclosureItem(), 'r'.repeat(51)),
      collection(foreclosureItem({ reference: 'r'.repeat(51) })),
    ]) {
      const answer = await firm.send('foreclosure', xml);
      assert.deepEqual([answer.http, answer.status], [500, 'Validation Error']);
      assert.match(answer.results[0]?.message ?? '', /Reference/);
    }
    assert.equal(
      (await firm.send('foreclosure', collection(foreclosureItem({ reference: 'r'.repeat(50) }), 'c'.repeat(50)))).http,
      200,
    );
  });

  it('REF-11 REF-22 saves each item by itself: a failing item takes its nested records with it, but no other item', async () => {
    const contacts = await count('contact');
    const loans = await count('loan');
    const answer = await firm.send(
      'foreclosure',
      collection([
        foreclosureItem({ reference: 'good 1' }),
        foreclosureItem({
          reference: 'bad',
          loan: 'ABC',
          rest:
            '<Messages><MessageItem><Template>Case Note</Template><Message>lost</Message><BodyText>with its ' +
            'case</BodyText></MessageItem></Messages>',
        }),
        foreclosureItem({ reference: 'good 2' }),
      ]),
    );
    assert.deepEqual([answer.http, answer.status, answer.errors], [500, 'Error', 1]);
    assert.deepEqual(
      answer.of('Foreclosure').map((r) => [r.reference, r.status]),
      [
        ['good 1', 'Success'],
        ['bad', 'Error'],
        ['good 2', 'Success'],
      ],
    );
    assert.match(
      answer.results.find((r) => r.reference === 'bad')?.message ?? '',
      /^Loan\/Loan: expected an investor loan number/,
    );
    assert.equal(answer.results.find((r) => r.reference === 'bad')?.objectId, undefined);
    assert.equal(await count('contact'), contacts + 2);
    assert.equal(await count('loan'), loans + 2);
    assert.deepEqual(await firm.search('message/search?Message=lost'), []);
  });

  it('REF-06 REF-11 keeps the case and its other records if one nested record fails, and counts both', async () => {
    const rest = [
      '<Forms><ImportFormItem Reference="unknown step"><Template>No Such Step</Template></ImportFormItem>',
      '<ImportFormItem><Template>Complaint Filed</Template></ImportFormItem></Forms>',
      '\n      <Messages><MessageItem>',
      '<Template>Case Note</Template><Message>Kept</Message><BodyText>B</BodyText>',
      '</MessageItem></Messages>',
    ].join('');
    const answer = await firm.send('foreclosure', foreclosure({ rest }));
    assert.deepEqual([answer.http, answer.status], [500, 'Error']);
    assert.deepEqual([...answer.reported].sort(), [
      'Contact Insert Success',
      'Foreclosure Insert Success',
      'ImportForm Insert Success',
      'ImportForm Save Error',
      'Loan Insert Success',
      'Message Insert Success',
    ]);
    assert.deepEqual([answer.success, answer.errors], [5, 1]);
    const failed = answer.results.find((r) => r.status === 'Error');
    assert.equal(failed?.reference, 'unknown step');
    assert.match(failed?.message ?? '', /No Such Step/);
    assert.equal((await firm.search(`foreclosure/${answer.caseId}/importform/search`)).length, 1);
    assert.equal((await firm.search(`foreclosure/${answer.caseId}/message/search`)).length, 1);
  });

  it('REF-06 REF-14 suggests the nearest templates and lines for an unknown name', async () => {
    const answer = await firm.send(
      'foreclosure',
      foreclosure({
        rest:
          '<TotalDebtLedger><Template>Total Debt</Template><Items>' +
          '<PendingAdvance>5</PendingAdvance></Items></TotalDebtLedger><Forms><ImportFormItem>' +
          '<Template>Complaint Fled</Template></ImportFormItem></Forms>',
      }),
    );
    const messages = answer.results.filter((r) => r.status === 'Error').map((r) => r.message ?? '');
    assert.match(messages[0] ?? '', /PendingAdvance: .*PendingAdvances/);
    assert.match(messages[1] ?? '', /Complaint Filed/);
  });

  it('REF-22 creates a case and a Result for each of several items', async () => {
    const answer = await firm.send(
      'foreclosure',
      collection([1, 2, 3, 4].map((n) => foreclosureItem({ reference: `item ${n}` }))),
    );
    assert.equal(answer.http, 200);
    assert.deepEqual(
      answer.of('Foreclosure').map((r) => r.reference),
      ['item 1', 'item 2', 'item 3', 'item 4'],
    );
    assert.equal(new Set(answer.of('Foreclosure').map((r) => r.objectId)).size, 4);
  });

  it('REF-03 stores every element under its documented name, and all five date formats as the day that was written', async () => {
    const days: readonly [string, string][] = [
      ['2024-03-05', '2024-03-05'],
      ['2024-03-05T10:11:12', '2024-03-05'],
      ['2024-03-05T23:30:00+02:00', '2024-03-05'],
      ['2024-03-05T00:30:00-07:00', '2024-03-05'],
      ['2024-03-05T23:59:59Z', '2024-03-05'],
    ];
    for (const [sent, stored] of days) {
      const answer = await firm.send('foreclosure', foreclosure({ opened: sent }));
      assert.equal(
        (await firm.search(`foreclosure/search?ForeclosureID=${answer.caseId}`))[0]?.['DateOpened'],
        stored,
        sent,
      );
    }
    const loan = nextLoan();
    const answer = await firm.send(
      'foreclosure',
      foreclosure({
        loan,
        caseNumber: 'AT-9',
        subscriberId: 'https://a.example-Foreclosure-9',
        status: 'On Hold',
        property:
          '<Property_Address>9 Oak Lane</Property_Address><Property_City>Westering</Property_City>' +
          '<Property_PostalCode>12345-6789</Property_PostalCode>',
        loanRest:
          '<ServicerLoanID>SV-9</ServicerLoanID><LoanType>VA</LoanType>' +
          '<OriginalBalance>300000.5</OriginalBalance><UPBAmount>12345678901234.5678</UPBAmount>' +
          '<LienPriorityType>2</LienPriorityType>',
        publicRecords: [
          '<PublicRecordItem><PublicRecord>Mortgage Deed of Trust</PublicRecord>' +
            '<FilingDate>2015-01-02</FilingDate><RecordingDate>2015-01-09</RecordingDate></PublicRecordItem>',
        ],
        borrowers: [
          '<BorrowerItem><LastName>Vane</LastName><FirstName>Ada</FirstName>' +
            '<BorrowerType>Secondary</BorrowerType><USSSN>900998877</USSSN><Address>1 High Street</Address>' +
            '<City>Granby</City><State>OR</State><PostalCode>97001</PostalCode>' +
            '<Sequence>7</Sequence></BorrowerItem>',
        ],
        rest:
          '<ProcessType>Co-op</ProcessType><SaleAmount>1000.01</SaleAmount><SoldToName>Third Party</SoldToName>' +
          '<ScheduledSaleDate>2024-08-01</ScheduledSaleDate><RedemptionDate>2024-09-01</RedemptionDate>' +
          '<DeficiencyStatus>Waived</DeficiencyStatus><RedemptionAmount>55.5</RedemptionAmount>' +
          '<OpeningBidAmount>0.01</OpeningBidAmount>',
      }),
    );
    assert.equal(answer.http, 200, answer.text);
    const assertFields = (row: Record<string, unknown> | undefined, requested: Record<string, unknown>): void =>
      assert.deepEqual(Object.fromEntries(Object.keys(requested).map((k) => [k, row?.[k]])), requested);
    const [case_] = await firm.search(`foreclosure/search?ForeclosureID=${answer.caseId}`);
    assertFields(case_, {
      Foreclosure: 'AT-9',
      Status: 'On Hold',
      ProcessType: 'Co-op',
      SaleAmount: 1000.01,
      SoldToName: 'Third Party',
      ScheduledSaleDate: '2024-08-01',
      RedemptionDate: '2024-09-01',
      DeficiencyStatus: 'Waived',
      RedemptionAmount: 55.5,
      OpeningBidAmount: 0.01,
    });
    const [loanRow] = await firm.search(`loan/search?Loan=${loan}`);
    assertFields(loanRow, {
      Agency: 'INVESTOR',
      ServicerLoanID: 'SV-9',
      LoanType: 'VA',
      OriginalBalance: 300000.5,
      LienPriorityType: 2,
    });
    const exact = await firm.caller.get(`/api/loan/search?Loan=${loan}&Output=Json`);
    assert.match(exact.text, /"UPBAmount":12345678901234\.5678/);
    assertFields(
      (
        await firm
          .search(`loan/${String(loanRow?.['LoanID'])}/property/search`)
          .catch(() => firm.search(`foreclosure/${answer.caseId}/property/search`))
      )[0],
      { Address: '9 Oak Lane', City: 'Westering', PostalCode: '12345-6789' },
    );
    assertFields((await firm.search(`foreclosure/${answer.caseId}/publicrecord/search`))[0], {
      PublicRecord: 'Mortgage Deed of Trust',
      FilingDate: '2015-01-02',
      RecordingDate: '2015-01-09',
    });
    assertFields((await firm.search(`foreclosure/${answer.caseId}/contact/search`))[0], {
      Contact: 'Vane, Ada',
      BorrowerType: 'Secondary',
      USSSN: 'XXX-XX-8877',
      Address: '1 High Street',
      City: 'Granby',
      State: 'OR',
      PostalCode: '97001',
      Sequence: 7,
    });
  });

  it("REF-05 serves the schema of each of the nine operations, with the installation's investor", async () => {
    for (const operation of [
      'Foreclosure',
      'foreclosureupdate',
      'POC',
      'POCUpdate',
      'MFR',
      'MFRUpdate',
      'Message',
      'Document',
      'ImportForm',
    ]) {
      const answer = await firm.caller.get(`/api/import/schema/${operation}`);
      assert.equal(answer.status, 200, operation);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/xml/);
      assert.match(answer.text, /<xs:schema/);
    }
    for (const [file, operation] of [
      ['Foreclosure.xsd', 'foreclosure'],
      ['MFR.Update.xsd', 'mfrupdate'],
    ])
      assert.equal(
        (await firm.caller.get(`/api/import/schema/${file}`)).text,
        (await firm.caller.get(`/api/import/schema/${operation}`)).text,
      );
    await setSetting(on.admin, 'InvestorName', 'Granby Trust & Co');
    const served = await firm.caller.get('/api/import/schema/foreclosure');
    assert.match(served.text, /<xs:enumeration value="Granby Trust &amp; Co"\/>/);
    const refused = await firm.send('foreclosure', foreclosure());
    assert.equal(refused.status, 'Validation Error');
    const taken = await firm.send(
      'foreclosure',
      foreclosure().replace('<Agency>INVESTOR', '<Agency>Granby Trust &amp; Co'),
    );
    assert.equal(taken.http, 200, taken.text);
    await setSetting(on.admin, 'InvestorName', 'INVESTOR');
    assert.equal((await firm.caller.get('/api/import/schema/eviction')).status, 404);
  });

  it('accepts a referral from staff, whose case belongs to no firm', async () => {
    const answer = await sendReferral(on.admin, 'foreclosure', foreclosure());
    assert.equal(answer.http, 200);
    const row = (await on.admin.get(`/api/foreclosure/${answer.caseId}?Output=Json`)).json();
    assert.equal(row['OrganizationID'], undefined);
    assert.equal((await firm.caller.get(`/api/foreclosure/${answer.caseId}`)).status, 404);
  });

  it('REF-10 refuses a user whose roles do not allow imports with 403, and changes nothing', async () => {
    const files = await count('importfile');
    const { caller } = await on.user('a reader', 'Read Only');
    assert.equal(
      (await caller.post('/api/import/foreclosure', foreclosure(), { 'Content-Type': 'text/xml' })).status,
      403,
    );
    assert.equal(await count('importfile'), files);
  });

  it('REF-06 stores the submission itself as a sealed document of its import file', async () => {
    const xml = foreclosure({ borrowers: [borrower(1, 'Sealed', 'Ursel', '900-77-1234')] });
    const answer = await firm.send('foreclosure', xml, '?PreTransform_FileName=monday.xml');
    const [file] = await firm.search(`importfile/search?ImportFileID=${answer.id}`);
    assert.equal(file?.['ImportFile'], 'monday.xml');
    const [document] = await on.platform.store.query<{ sealed: boolean; id: number }>(
      'select sealed, attachmentid as id from attachment where attachmentid = $1::bigint',
      [file?.['PreTransformID']],
    );
    assert.equal(document?.sealed, true);
    const shown = await on.admin.get(`/api/attachment/search?AttachmentID=${document?.id}&Output=Json`);
    assert.match(shown.text, /"Sealed":true/);
    assert.doesNotMatch(shown.text, new RegExp(createHash('sha256').update(xml).digest('hex')));
    assert.equal((await on.admin.get(`/api/attachment/download?ID=${document?.id}`)).text, xml);
    assert.equal(
      (await firm.caller.get(`/api/attachment/download?ID=${document?.id}`)).status,
      403,
      'may contain protected numbers',
    );
    assert.equal((await other.caller.get(`/api/attachment/download?ID=${document?.id}`)).status, 404);
  });

  it('REF-02 REF-05 answers every invalid sample as its expectation says', async () => {
    const expected = JSON.parse(readFileSync(new URL('wrong/expected.json', samplesFolder), 'utf8')) as Record<
      string,
      { operation: string; status: string; mentions: string; line?: number; after?: string }
    >;
    for (const [name, { operation, status, mentions, line, after: earlier }] of Object.entries(expected)) {
      if (earlier !== undefined)
        await firm.send('foreclosure', readFileSync(new URL(`referrals/${earlier}`, samplesFolder)));
      const answer = await firm.send(operation, readFileSync(new URL(`wrong/${name}`, samplesFolder)));
      assert.equal(answer.http, 500, name);
      assert.equal(answer.status, status, name);
      const messages = answer.results.filter((r) => r.status === 'Error').map((r) => r.message ?? '');
      assert.ok(
        messages.some((m) => m.includes(mentions) && (line === undefined || m.includes(`Line ${line}`))),
        `${name}: ${messages.join(' | ')}`,
      );
    }
  });
});
