import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { delimited, makeLoans, saveCodes, sendEvents, xmlOf, type EventValues } from '../../support/imports/events.ts';
import { testPlatform } from '../../support/platform.ts';
import { searchRows } from '../../support/imports/referrals.ts';

const on = await testPlatform({ after }, { worker: true });
const firm = await on.firm('Ames Law');
const other = await on.firm('Brook Law');
await saveCodes(on.admin);
const [loan = 0] = await makeLoans(on, ['100000001', '100000002']);

/** An event of the first firm on the first loan. */
const eventOf = (values: EventValues = {}): EventValues => ({
  RecordType: 'EVENT',
  ProviderCode: 'AmesLaw',
  BusinessEventCode: 'E0290',
  BusinessEventName: 'Complaint filed',
  InvestorLoanNumberID: '100000001',
  EventActualDate: '2024-05-06T10:30:00',
  FCAttorneyFileID: 'A-1',
  ...values,
});

const query = on.platform.store.query.bind(on.platform.store);

describe('an events file', () => {
  it('EVT-01 EVT-03 EVT-04 EVT-08 is stored event by event, creates the case, completes its task, and does not change the loan', async () => {
    const first = await sendEvents(on, firm.caller, delimited([eventOf()]), 'AmesEvents.csv');
    assert.match(
      first.answer.text,
      /<ImportFileItem>.*<ImportFile>AmesEvents\.csv<\/ImportFile>.*<ImportFileID>\d+<\/ImportFileID>/s,
    );
    const sent = eventOf({
      BusinessEventCode: 'E0100',
      ServicerName: 'Northgate',
      ServicerLoanNumberID: 'S-9',
      PropertyAddressANSIStateCode: '36',
      OriginalMortgageAmount: '250000.50',
      LoanOriginationClosingDate: '2012-05-04T00:00:00',
      OldestUnpaidInstallmentDate: '1900-01-01T00:00:00',
      DelayDetails: 'a|b "c" \\d',
    });
    const [before] = await query('select * from loan where loanid = $1::bigint', [loan]);
    const { row, log } = await sendEvents(
      on,
      firm.caller,
      delimited([{ RecordType: 'HEADER' }, sent, { RecordType: 'FOOTER' }]),
    );
    assert.equal(row['status'], 'Complete', String(row['message']));
    assert.deepEqual([row['successcount'], row['errorcount'], row['warnings']], [1, 0, 0]);
    assert.deepEqual(
      log.map((r) => [r.SourceLine, r.Status, r.Operation, r.Object]),
      [[2, 'Success', 'Insert', 'Event']],
    );
    const [event] = await searchRows(firm.caller, `event/search?EventID=${log[0]?.ObjectID ?? 0}`);
    assert.equal(event?.['ServicerName'], 'Northgate');
    assert.equal(event['PropertyAddressANSIStateCode'], '36');
    assert.equal(Number(event['OriginalMortgageAmount']), 250000.5);
    assert.equal(event['LoanOriginationClosingDate'], '2012-05-04');
    assert.equal(event['OldestUnpaidInstallmentDate'], undefined);
    assert.equal(event['DelayDetails'], 'a|b "c" \\d');
    assert.equal(event['EventActualDate'], '2024-05-06T14:30:00.000Z');
    assert.equal(event['LoanID'], loan);
    const [found] = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=A-1');
    assert.equal(found?.['ForeclosureID'], event['ObjectID']);
    assert.deepEqual(
      [found?.['Status'], found?.['DateOpened'], found?.['OrganizationID'], found?.['LoanID']],
      ['Open', '2024-05-06', firm.organizationId, loan],
    );
    const tasks = await searchRows(
      firm.caller,
      `importform/search?Object=Foreclosure&ObjectID=${Number(event['ObjectID'])}&OrderBy=ImportForm`,
    );
    assert.deepEqual(
      tasks.map((t) => [t['ImportForm'], t['ActualCompletion'], t['Status']]),
      [
        ['Complaint Filed', '2024-05-06T14:30:00.000Z', 'Complete'],
        ['Referral Received', '2024-05-06T14:30:00.000Z', 'Complete'],
      ],
    );
    const [afterwards] = await query('select * from loan where loanid = $1::bigint', [loan]);
    // A new case changes only who can access the loan.
    assert.deepEqual({ ...afterwards, reachorganizationid: null }, { ...before, reachorganizationid: null });
    assert.deepEqual(await searchRows(other.caller, 'event/search'), []);
  });

  it('EVT-01 EVT-09 is read by its content: XML under any root, elements missing or empty', async () => {
    const values = eventOf({ FCAttorneyFileID: 'X-1', BusinessEventName: 'Größe & <mehr>' });
    const { log, row } = await sendEvents(
      on,
      firm.caller,
      Buffer.from(xmlOf([values], '<?xml version="1.0" encoding="ISO-8859-1"?>'), 'latin1'),
      'XmlEvents.txt',
    );
    assert.equal(row['status'], 'Complete', String(row['message']));
    const [event] = await searchRows(firm.caller, `event/search?EventID=${log[0]?.ObjectID ?? 0}`);
    assert.equal(event?.['BusinessEventName'], 'Größe & <mehr>');
    const sparse =
      '<R><Any><RecordType>EVENT</RecordType><ProviderCode>AmesLaw</ProviderCode>' +
      '<BusinessEventCode>E0400</BusinessEventCode><InvestorLoanNumberID>100000002</InvestorLoanNumberID></Any>' +
      '<Header/><X><RecordType>EVENT</RecordType><providercode>AmesLaw</providercode></X></R>';
    const second = await sendEvents(on, firm.caller, sparse, 'Events.txt');
    assert.deepEqual(
      second.log.map((r) => [r.SourceLine, r.Status]),
      [
        [1, 'Warning'],
        [2, 'Error'],
        [3, 'Error'],
      ],
    );
    assert.match(second.log[1]?.Message ?? '', /Header and Footer/);
    assert.match(second.log[2]?.Message ?? '', /<providercode> is not an element/);
  });
});

describe('the sample of event codes', () => {
  it('EVT-04 configures a new installation with one import, which can be repeated, so that events set the status', async () => {
    const fresh = await testPlatform({ after }, { worker: true });
    const document = readFileSync(new URL('../../../samples/event-codes.xml', import.meta.url));
    const load = (): Promise<{ status: number; text: string }> =>
      fresh.admin.send('POST', '/api/eventcode/import', document, { 'Content-Type': 'text/xml' });
    const loaded = await load();
    assert.equal(loaded.status, 200, loaded.text);
    assert.equal((await searchRows(fresh.admin, 'eventcode/search?EventCodeType=Sample&DisplaySize=100')).length, 20);
    assert.doesNotMatch((await load()).text, /<Change>(?:Insert|Update)/);
    const sender = await fresh.firm('Sample Law');
    await makeLoans(fresh, ['100000009']);
    const event = (code: string, day: string): EventValues => ({
      RecordType: 'EVENT',
      ProviderCode: 'SampleLaw',
      BusinessEventCode: code,
      InvestorLoanNumberID: '100000009',
      EventActualDate: day,
      FCAttorneyFileID: 'S-1',
    });
    await sendEvents(fresh, sender.caller, delimited([event('E0200', '2024-05-01'), event('E0240', '2024-05-02')]));
    const [opened] = await searchRows(fresh.admin, 'foreclosure/search?Foreclosure=S-1');
    assert.equal(opened?.['Status'], 'On Hold');
    const tasks = await searchRows(
      fresh.admin,
      `importform/search?Object=Foreclosure&ObjectID=${opened['ForeclosureID']}`,
    );
    assert.deepEqual(
      tasks.map((task) => task['ImportForm']),
      ['Referral Received'],
    );
  });
});
