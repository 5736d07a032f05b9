import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { cellsOf, worksheetOf } from '../../support/console/worksheet.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

describe('exporting a list', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const reader = await p.user('reader', 'Staff');
  const firm = await p.firm('Hollis Law', 'Partner');
  const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();
  const workbook = async (
    parameters: Record<string, string>,
    key?: string,
  ): Promise<readonly (readonly string[])[]> => {
    const headers = { 'X-ApiKey': key ?? reader.key };
    const answer = await fetch(`${p.url}/api/view/exportworkbook?${query(parameters)}`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, bytes.toString());
    assert.match(answer.headers.get('content-type') ?? '', /spreadsheetml\.sheet/);
    const sheet = await worksheetOf(bytes);
    assert.doesNotMatch(sheet, /<f[ >]/, 'no cell is a formula');
    return cellsOf(sheet);
  };
  const hostile = "=cmd|'/c calc'!A1";
  const { PropertyID } = await admin.save('property', { Address: '+12 <Elm> & Row', City: '@home' });
  const { LoanID } = await admin.save('loan', {
    Loan: hostile,
    Agency: '007',
    UPBAmount: '1234567.89',
    PropertyID,
  });
  await admin.save('foreclosure', {
    Foreclosure: 'FC-1',
    LoanID,
    OrganizationID: firm.organizationId,
    DateOpened: '2026-11-18',
  });
  await admin.save('foreclosure', { Foreclosure: 'FC-2', DateOpened: '1850-01-01', LoanAssigned: false });

  it('WEB-01 a workbook has the columns of the list under their labels: amounts as amounts, other records by name', async () => {
    const rows = await workbook({ RecordType: 'Loan', Columns: 'Loan,Agency,UPBAmount,PropertyID' });
    assert.deepEqual(rows, [
      ['inlineStr1:Loan', 'inlineStr1:Investor', 'inlineStr1:Unpaid balance', 'inlineStr1:Property'],
      ["inlineStr:=cmd|'/c calc'!A1", 'inlineStr:007', 'n2:1234567.89', 'inlineStr:+12 &lt;Elm&gt; &amp; Row, @home'],
    ]);
  });

  it('WEB-01 dates are dates, except those that worksheets do not have; filters and order are those of the list', async () => {
    const columns = {
      RecordType: 'Foreclosure',
      Columns: 'Foreclosure,DateOpened,LoanAssigned',
      OrderBy: 'Foreclosure',
    };
    const [, first, second, ...others] = await workbook(columns);
    assert.deepEqual(first, ['inlineStr:FC-1', 'n3:46344', 'b:1']);
    assert.deepEqual(second, ['inlineStr:FC-2', 'inlineStr:1850-01-01', 'b:0']);
    assert.deepEqual(others, []);
    const filtered = await workbook({ ...columns, Filters: 'Foreclosure=FC-2' });
    assert.deepEqual(
      filtered.map(([name]) => name),
      ['inlineStr1:Foreclosure', 'inlineStr:FC-2'],
    );
  });

  it('WEB-01 a firm exports what it sees, as text and as a workbook, and nobody what they may not search', async () => {
    const columns = { RecordType: 'Foreclosure', Columns: 'Foreclosure,LoanID', OrderBy: 'Foreclosure' };
    const rows = await workbook(columns, firm.key);
    assert.deepEqual(
      rows.map(([name]) => name),
      ['inlineStr1:Foreclosure', 'inlineStr:FC-1'],
    );
    const text = await firm.caller.get(`/api/view/exportrecords?${query({ ...columns, Output: 'Csv' })}`);
    assert.match(text.text, /FC-1/);
    assert.doesNotMatch(text.text, /FC-2/);
    const of = client(p, firm.caller);
    await of.expectRefused('view/exportworkbook', { RecordType: 'SecurityLog' }, 'NO_PERMISSION', 'RecordType');
    await admin.expectRefused('view/exportworkbook', { RecordType: 'Loan', Columns: 'Nothing' }, 'UNKNOWN_PARAMETER');
  });

  it('WEB-01 a workbook of several pages has every record once', async () => {
    const loans = Array.from({ length: 2_100 }, (_, at) => `paged ${String(at).padStart(4, '0')}`);
    await p.platform.store.query(
      'insert into property (address, createdpersonid, updatedpersonid) ' +
        "select 'paged ' || lpad(at::text, 4, '0'), 1, 1 from generate_series(0, 2099) at",
    );
    const rows = await workbook({
      RecordType: 'Property',
      Columns: 'Address',
      Filters: 'Address=paged*',
      OrderBy: 'Address',
    });
    assert.deepEqual(
      rows.slice(1).map((row) => row.at(-1)),
      loans.map((name) => `inlineStr:${name}`),
    );
  });

  it('WEB-01 text that a spreadsheet would run is disarmed in CSV, full-width signs too', async () => {
    await admin.save('property', { Address: '＝1+1', City: '\t=1' });
    const columns = { RecordType: 'Property', Columns: 'Address,City', Filters: 'Address=＝*', Output: 'Csv' };
    const { text } = await p.admin.get(`/api/view/exportrecords?${query(columns)}`);
    assert.match(text, /'＝1\+1/);
  });

  it('WEB-01 a list offers both files with its filters and columns', async () => {
    await p.user('clerk', 'Staff');
    const clerk = await testSession(p, 'clerk');
    const page = (await clerk.get('/loans?Agency=007')).text;
    assert.match(
      page,
      /href="\/api\/view\/exportworkbook\?RecordType=Loan&amp;Filters=Agency%3D007&amp;Columns=Loan%2C/,
    );
    assert.match(page, /href="\/api\/view\/exportrecords\?[^"]*Output=Csv"/);
    // A list without columns of its own exports those that it shows.
    const foreclosures = (await clerk.get('/records/foreclosure')).text;
    assert.match(foreclosures, /exportworkbook\?[^"]*Columns=Foreclosure%2C[^"]*DateOpened/);
  });

  it('WEB-01 the ticked rows of a list are exported alone, in its columns; without ticks nothing is', async () => {
    const session = await testSession(p, 'reader');
    await admin.expectOk('casesummary/refresh', { All: true });
    const summaries = await admin.expectRows('casesummary/search', { OrderBy: 'CaseSummary' });
    const page = (await session.get('/cases')).text;
    assert.match(page, /name="Action" value="export"/);
    const Export = query({ Columns: 'CaseSummary', OrderBy: '-CaseSummary', RecordType: 'Person' });
    const ticked = { Action: 'export', Path: '/cases', Filters: '', Export };
    const ids = summaries.map(({ CaseSummaryID: id }) => String(id));
    const none = await session.post('/bulk/casesummary', ticked);
    assert.equal(none.status, 400);
    const one = await session.post('/bulk/casesummary', { ...ticked, ID: ids.slice(1) });
    assert.equal(one.status, 303, one.text);
    const exported = async (location: string | null): Promise<readonly (readonly string[])[]> =>
      workbook(Object.fromEntries(new URL(location ?? '', p.url).searchParams));
    assert.deepEqual((await exported(one.location)).slice(1), [['inlineStr:FC-2']]);
    const all = await session.post('/bulk/casesummary', { ...ticked, All: 'true', ID: ids.slice(1) });
    assert.deepEqual((await exported(all.location)).slice(1), [['inlineStr:FC-2'], ['inlineStr:FC-1']]);
  });
});
