import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { findEventCases } from '../../../src/modules/cases/public/event-cases.ts';
import { eventually } from '../../support/eventually.ts';
import { delimited, makeLoans, saveCodes, sendEvents, type EventValues } from '../../support/imports/events.ts';
import { testPlatform } from '../../support/platform.ts';
import { foreclosure, searchRows, sendReferral } from '../../support/imports/referrals.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

const on = await testPlatform({ after }, { worker: true });
const firm = await on.firm('Cole Law');
const other = await on.firm('Dane Law');
await saveCodes(on.admin);
await makeLoans(on, [
  '200000001',
  '200000002',
  '200000003',
  '200000004',
  '200000005',
  '200000006',
  '200000007',
  '200000008',
  '200000009',
]);
const query = on.platform.store.query.bind(on.platform.store);
const staff = { personId: 1, firm: null, callId: 'event-rules' };
const plain = { 'Content-Type': 'text/plain; charset=UTF-8' };

const eventOf = (values: EventValues = {}): EventValues => ({
  RecordType: 'EVENT',
  ProviderCode: 'ColeLaw',
  BusinessEventCode: 'E0290',
  InvestorLoanNumberID: '200000001',
  EventActualDate: '2024-05-06T10:30:00',
  FCAttorneyFileID: 'C-1',
  ...values,
});
const statusOf = async (label: string): Promise<unknown[]> => {
  const [row] = await searchRows(firm.caller, `foreclosure/search?Foreclosure=${label}`);
  return [row?.['Status'], row?.['DateClosed'], row?.['ClosedReason'], row?.['DateOpened']];
};

describe('names of events files', () => {
  for (const name of [
    'firm_events.csv',
    'Events.xls',
    'Events.pdf',
    'EVENTS.csv',
    'Events.CSV',
    'Event.csv',
    'Events.csv.exe',
    'Events',
  ]) {
    it(`EVT-02 ${name} is refused with 400, and nothing of it is stored`, async () => {
      const [before] = await query('select count(*)::integer as n from importfile');
      const answer = await firm.caller.post(
        `/api/import/legacyevents?PreTransform_FileName=${encodeURIComponent(name)}`,
        delimited([eventOf()]),
        plain,
      );
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /PreTransform_FileName: expected a name such as \*Events\*\.xlsx or/);
      assert.deepEqual((await query('select count(*)::integer as n from importfile'))[0], before);
    });
  }

  it('EVT-02 a file without a name is refused', async () => {
    const { status, text } = await firm.caller.post('/api/import/legacyevents', delimited([eventOf()]), plain);
    assert.equal(status, 400);
    assert.match(text, /PreTransform_FileName is required: the file's name, such as \*Events\*\.xlsx/);
  });

  it('EVT-02 the name must contain Events in this spelling, anywhere, and have one of three extensions', async () => {
    for (const name of ['Events.csv', 'Cole_Events_2024.txt', 'xEventsx.xlsx']) {
      const { row } = await sendEvents(on, firm.caller, delimited([eventOf({ FCAttorneyFileID: 'C-NAMES' })]), name);
      assert.deepEqual([row['status'], row['successcount']], ['Complete', 1]);
    }
  });
});

describe('failing rows', () => {
  it('EVT-06 EVT-11 fail alone, each with column, value and what was expected, and are found by SqlFilters=Failed', async () => {
    const rows: EventValues[] = [
      eventOf({ FCAttorneyFileID: 'C-F1' }),
      eventOf({ ProviderCode: '' }),
      eventOf({ ProviderCode: 'DaneLaw' }),
      eventOf({ ProviderCode: 'Nobody' }),
      eventOf({ InvestorLoanNumberID: '299999999' }),
      eventOf({ RecordType: 'EVNT' }),
      eventOf({ FCAttorneyFileID: 'C-F2', BKFilingDate: '2024-02-30' }),
      eventOf({ FCAttorneyFileID: 'C-F3', OriginalMortgageAmount: '12x' }),
      eventOf({ FCAttorneyFileID: '' }),
      eventOf({ FCAttorneyFileID: 'C-F4', PrimaryBorrowerLastName: 'N'.repeat(101) }),
      eventOf({ FCAttorneyFileID: 'C-F5', InvestorLoanNumberID: '' }),
      eventOf({ FCAttorneyFileID: 'C-F6', OriginalMortgageAmount: '$1,234.50', BKFilingDate: '2024-02-29T12:00:00' }),
    ];
    const text =
      `${delimited(rows)}EVENT|ColeLaw|E0290\n` +
      `${delimited([eventOf({ FCAttorneyFileID: 'C-F7' })]).trimEnd()}|ImportReason: a reason\n`;
    const { id, row } = await sendEvents(on, firm.caller, text);
    assert.deepEqual([row['status'], row['successcount'], row['errorcount']], ['Complete', 3, 11]);
    const failed = await searchRows(
      firm.caller,
      `importlog/search?ImportFileID=${id}&SqlFilters=Failed&OrderBy=SourceLine&DisplaySize=100`,
    );
    assert.deepEqual(
      failed.map((each) => `${String(each['SourceLine'])} ${String(each['Message'])}`),
      [
        "2 ProviderCode: empty; expected the firm's provider code.",
        '3 ProviderCode: "DaneLaw" is not the sender\'s; expected the provider code of the firm whose ' +
          'account sends the file.',
        '4 ProviderCode: "Nobody" is not the sender\'s; expected the provider code of the firm whose account ' +
          'sends the file.',
        '5 InvestorLoanNumberID: "299999999" is not known; expected the number of a loan.',
        '6 RecordType: "EVNT" is not valid; expected EVENT, or HEADER or FOOTER, which are skipped.',
        '7 BKFilingDate: "2024-02-30" is not valid; expected a day that exists, such as 2026-01-31.',
        '8 OriginalMortgageAmount: "12x" is not valid; expected a number such as 1234.50.',
        "9 FCAttorneyFileID: empty; expected the attorney's file number, which identifies the foreclosure.",
        '10 PrimaryBorrowerLastName: expected at most 100 characters.',
        "11 InvestorLoanNumberID: empty; expected the investor's loan number.",
        '13 The row has 3 columns; expected 110.',
      ],
    );
    assert.equal(
      (await firm.caller.get(`/api/importlog/search?Output=Xml&ImportFileID=${id}&SqlFilters=Failed`)).text.match(
        /<ImportLogItem>/g,
      )?.length,
      11,
    );
    assert.deepEqual(await searchRows(other.caller, `importlog/search?ImportFileID=${id}`), []);
  });

  it('EVT-06 the log of a file has every row as XML, JSON and CSV, however many there are, and pages on request', async () => {
    const count = 2_300;
    const { id } = await sendEvents(
      on,
      firm.caller,
      delimited(
        Array.from({ length: count }, (_, n) => eventOf({ ProviderCode: 'Nobody', FCAttorneyFileID: `C-L${n}` })),
      ),
    );
    const log = `/api/importlog/search?ImportFileID=${id}`;
    for (const filter of ['', '&SqlFilters=Failed']) {
      const { text } = await firm.caller.get(`${log}&Output=Xml${filter}`);
      const lines = [...text.matchAll(/<SourceLine>(\d+)</g)].map(([, line]) => Number(line));
      assert.deepEqual(
        lines,
        Array.from({ length: count }, (_, n) => n + 1),
      );
      assert.match(text, /^<\?xml .*\?>\n<ImportLogCollection><ImportLogItem>.*<\/ImportLogCollection>$/);
      assert.ok(!text.includes('NextCursor'));
    }
    const { ImportLogCollection } = (
      await firm.caller.get(`${log}&Output=Json&OrderBy=-SourceLine`)
    ).json() as unknown as {
      ImportLogCollection: { ImportLogItem: { SourceLine: number; RecordCount: number }[] };
    };
    assert.deepEqual(
      ImportLogCollection.ImportLogItem.map(({ SourceLine, RecordCount }) => [SourceLine, RecordCount]),
      Array.from({ length: count }, (_, n) => [count - n, count]),
    );
    const csv = (await firm.caller.get(`${log}&Output=Csv&SqlColumns=SourceLine,Status`)).text;
    assert.equal(csv.split('\r\n').length, count + 2);
    assert.equal((await searchRows(firm.caller, `importlog/search?ImportFileID=${id}&DisplaySize=10`)).length, 10);
    assert.equal((await searchRows(firm.caller, 'importlog/search?Status=Error')).length, 25);
    assert.deepEqual(await searchRows(other.caller, `importlog/search?ImportFileID=${id}`), []);
  });

  it('EVT-06 a file that failed as a whole has a row in its log that says why', async () => {
    const { id, row } = await sendEvents(on, firm.caller, '<Events><Body><RecordType>EVENT</RecordType>', 'Events.txt');
    assert.equal(row['status'], 'Error');
    const failed = await searchRows(firm.caller, `importlog/search?ImportFileID=${id}&SqlFilters=Failed`);
    assert.deepEqual(
      failed.map((each) => [each['Object'], each['Status'], each['Message']]),
      [['ImportFile', 'Error', row['message']]],
    );
    assert.match(String(row['message']), /^Line 1: the document cannot be read/);
    const { text } = await firm.caller.get(`/api/import/result?ID=${id}`);
    assert.match(text, /Status="Error"/);
    assert.equal(text.split('the document cannot be read').length, 2, 'once');
  });

  it('EVT-12 reading the log requires a permission that an account that only sends files does not need', async () => {
    assert.equal(
      (
        await on.admin.post('/api/role/save', {
          Role: 'Event Sender',
          Permissions: 'ImportTemplate ImportFileImport',
          UniversalAccess: false,
        })
      ).status,
      200,
    );
    const sender = await on.firm('Ebert Law', 'Event Sender');
    const { id } = await sendEvents(on, sender.caller, delimited([eventOf({ ProviderCode: 'EbertLaw' })]));
    assert.equal((await sender.caller.get(`/api/importlog/search?ImportFileID=${id}`)).status, 403);
    assert.equal(
      (
        await on.admin.post('/api/role/save', {
          ID: (await searchRows(on.admin, 'role/search?Role=Event Sender'))[0]?.['RoleID'],
          Permissions: 'ImportTemplate ImportFileImport ImportLogSearch',
        })
      ).status,
      200,
    );
    on.platform.configuration.expire();
    assert.equal((await searchRows(sender.caller, `importlog/search?ImportFileID=${id}`)).length, 1);
  });

  it('EVT-10 a file without an EVENT row is stored with a message and not listed', async () => {
    const { id, log } = await sendEvents(
      on,
      firm.caller,
      delimited([{ RecordType: 'HEADER' }, { RecordType: 'FOOTER' }]),
    );
    assert.match(log[0]?.Message ?? '', /no row of record type EVENT/);
    assert.equal((await searchRows(firm.caller, `importfile/search?ImportFileID=${id}`)).length, 1);
    assert.deepEqual(await searchRows(firm.caller, `importfile/search?ImportFileID=${id}&SqlFilters=Listed`), []);
    const { id: listed } = await sendEvents(on, firm.caller, delimited([eventOf()]));
    assert.equal(
      (await searchRows(firm.caller, `importfile/search?ImportFileID=${listed}&SqlFilters=Listed`)).length,
      1,
    );
  });
});

describe('repeated events', () => {
  it('EVT-05 of equal keys within one file only the last row is kept; across files all are', async () => {
    const first = eventOf({ InvestorLoanNumberID: '200000002', FCAttorneyFileID: 'C-R', ProcessorName: 'first' });
    const { log } = await sendEvents(
      on,
      firm.caller,
      delimited([
        first,
        { ...first, FCAttorneyFileID: 'c-r ', ProcessorName: 'second' },
        { ...first, BusinessEventCode: 'E0100' },
        { ...first, ProcessorName: 'last' },
      ]),
    );
    assert.deepEqual(
      log.map((row) => [row.Status, row.Operation]),
      [
        ['Success', 'None'],
        ['Success', 'None'],
        ['Success', 'Insert'],
        ['Success', 'Insert'],
      ],
    );
    assert.match(log[0]?.Message ?? '', /repeated further down in the file; only the last one counts/);
    const stored = async (): Promise<unknown[]> =>
      (await searchRows(firm.caller, 'event/search?InvestorLoanNumberID=200000002&BusinessEventCode=E0290')).map(
        (row) => row['ProcessorName'],
      );
    assert.deepEqual(await stored(), ['last']);
    await sendEvents(on, firm.caller, delimited([first]));
    assert.deepEqual(new Set(await stored()), new Set(['first', 'last']));
    const tasks = await searchRows(
      firm.caller,
      'importform/search?ImportForm=Complaint Filed&Object=Foreclosure&SqlColumns=ObjectID,ImportForm&DisplaySize=1000',
    );
    const cases = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-R');
    assert.equal(cases.length, 1);
    assert.equal(tasks.filter((task) => task['ObjectID'] === cases[0]?.['ForeclosureID']).length, 1);
  });
});

describe('statuses', () => {
  it('EVT-04 follow the dates of events, not the order of rows or files; an earlier event does not reopen a closed case', async () => {
    const of = (BusinessEventCode: string, day: string, values: EventValues = {}): EventValues =>
      eventOf({
        InvestorLoanNumberID: '200000003',
        FCAttorneyFileID: 'C-S',
        BusinessEventCode,
        EventActualDate: `${day}T12:00:00`,
        ...values,
      });
    await sendEvents(on, firm.caller, delimited([of('E0200', '2024-03-01'), of('E0100', '2024-01-15')]));
    assert.deepEqual(await statusOf('C-S'), ['On Hold', undefined, undefined, '2024-01-15']);
    await sendEvents(on, firm.caller, delimited([of('E0100', '2024-02-01'), of('E0290', '2023-12-24')]));
    assert.deepEqual(await statusOf('C-S'), ['On Hold', undefined, undefined, '2023-12-24']);
    await sendEvents(on, firm.caller, delimited([of('E0299', '2024-04-02', { FCFileClosedReasonType: 'Reinstated' })]));
    assert.deepEqual(await statusOf('C-S'), ['Closed', '2024-04-02', 'Reinstated', '2023-12-24']);
    await sendEvents(on, firm.caller, delimited([of('E0200', '2024-03-15')]));
    assert.deepEqual((await statusOf('C-S'))[0], 'Closed');
    await sendEvents(on, firm.caller, delimited([of('E0100', '2024-05-01')]));
    assert.deepEqual(await statusOf('C-S'), ['Open', undefined, undefined, '2023-12-24']);
  });

  it('EVT-04 the cases of many file numbers on one loan are created and found by reading each case a few times, whatever their spelling', async () => {
    const cases = 300;
    const [loan] = await query<{ id: number }>("select loanid as id from loan where loan = '200000009'");
    const loanId = loan?.id ?? 0;
    const kinds = ['Foreclosure', 'Bankruptcy'];
    const keys = kinds.flatMap((kind) =>
      ['Many-', 'MANY-', 'None-'].flatMap((prefix) =>
        Array.from({ length: cases }, (_, n) => ({
          loanId,
          firm: firm.organizationId,
          kind,
          key: `${prefix}${n + 1}`,
        })),
      ),
    );
    await on.platform.store.transaction(staff, async (db) => {
      const visited = async (): Promise<number> => {
        const [row] = await db.query<{ n: number }>(
          `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as n from pg_stat_xact_user_tables
           where relname in ('process', 'bankruptcy')`,
        );
        return row?.n ?? 0;
      };
      const before = await visited();
      await db.query(
        `with made as (
           insert into process (process, recordclass, status, loanid, organizationid, dateopened, loanassigned)
           select 'Many-' || n, kind, case n % 3 when 0 then 'Closed' else 'Open' end, $1, $2,
             date '2024-01-01' + n % 2, true
           from generate_series(1, $3) n, unnest($4::text[]) kind returning processid, process, recordclass
         ), f as (
           insert into foreclosure (foreclosureid) select processid from made where recordclass = 'Foreclosure'
         )
         insert into bankruptcy (bankruptcyid, bkcaseno)
           select processid, process from made where recordclass = 'Bankruptcy'`,
        [loanId, firm.organizationId, cases, `{${kinds.join(',')}}`],
      );
      const found = await findEventCases(db, keys);
      const rows = (await visited()) - before;
      assert.ok(rows < 10 * cases, `${rows} rows read for ${2 * cases} cases`);
      const stored = await db.query<{ id: number; text: string }>(
        "select processid as id, recordclass || ' ' || process as text from process where loanid = $1",
        [loanId],
      );
      const textOf = new Map(stored.map(({ id, text }) => [id, text]));
      assert.deepEqual(
        found.map((of) => of && textOf.get(of.id)),
        keys.map(({ kind, key }) => (key.startsWith('None') ? undefined : `${kind} ${key.replace('MANY', 'Many')}`)),
      );
    });
  });

  it('EVT-04 an event finds the case that a referral created, and what the referral closed stays closed for older events', async () => {
    const basic = on.byPassword('user of Cole Law', 'password of user of Cole Law');
    const sent = await sendReferral(
      basic,
      'foreclosure',
      foreclosure({ loan: '200000004', caseNumber: 'C-REF', opened: '2024-01-02' }),
    );
    assert.equal(sent.http, 200, JSON.stringify(sent));
    await sendEvents(
      on,
      firm.caller,
      delimited([
        eventOf({
          InvestorLoanNumberID: '200000004',
          FCAttorneyFileID: 'c-ref',
          BusinessEventCode: 'E0200',
          EventActualDate: '2023-12-01T00:00:00',
        }),
      ]),
    );
    const cases = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-REF');
    assert.deepEqual(
      cases.map((row) => [row['Status'], row['DateOpened']]),
      [['On Hold', '2024-01-02']],
    );
    await on.admin.post('/api/foreclosure/save', {
      ID: cases[0]?.['ForeclosureID'],
      Status: 'Closed',
      DateClosed: '2024-06-30',
      ClosedReason: 'Paid',
    });
    await sendEvents(
      on,
      firm.caller,
      delimited([
        eventOf({
          InvestorLoanNumberID: '200000004',
          FCAttorneyFileID: 'C-REF',
          BusinessEventCode: 'E0100',
          EventActualDate: '2024-06-29T00:00:00',
        }),
      ]),
    );
    assert.deepEqual((await statusOf('C-REF')).slice(0, 3), ['Closed', '2024-06-30', 'Paid']);
    assert.equal((await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-REF')).length, 1);
  });
});

describe('workflows of a case that events close', () => {
  const { template, start, decision, set } = workflowCalls(on);
  const send = (file: string, BusinessEventCode: string, day: string): Promise<unknown> =>
    sendEvents(
      on,
      firm.caller,
      delimited([
        eventOf({
          InvestorLoanNumberID: '200000006',
          FCAttorneyFileID: file,
          BusinessEventCode,
          EventActualDate: `${day}T12:00:00`,
        }),
      ]),
    );
  const caseOf = async (file: string): Promise<number> =>
    Number((await searchRows(firm.caller, `foreclosure/search?Foreclosure=${file}`))[0]?.['ForeclosureID']);
  const queued = async (id: unknown): Promise<number> =>
    (
      await query<{ n: number }>(
        `select count(*)::integer as n from pgboss.job where data->>'route' = 'decision/cancel'
          and data->>'label' = $1::text`,
        [`Decision ${String(id)}`],
      )
    )[0]?.n ?? 0;

  it('EVT-04 WF-22 are canceled from the queue, once; they continue if the case stays open or DecisionCancelOnClose is off', async () => {
    await template('Of events', [{ name: 'Wait' }]);
    for (const file of ['C-W1', 'C-W2', 'C-W3']) await send(file, 'E0100', '2024-01-02');
    const [closing, open, stored] = [
      await start('Of events', await caseOf('C-W1')),
      await start('Of events', await caseOf('C-W2')),
      await start('Of events', await caseOf('C-W3')),
    ].map((row) => row['DecisionID']);
    await send('C-W1', 'E0299', '2024-02-02');
    await send('C-W2', 'E0200', '2024-02-02');
    await eventually('the workflow is canceled', async () => (await decision(closing))['Status'] === 'Case Closed');
    await send('C-W1', 'E0299', '2024-02-03');
    await set('DecisionCancelOnClose', 'false');
    await send('C-W3', 'E0299', '2024-02-02');
    await set('DecisionCancelOnClose', 'true');
    assert.deepEqual([await queued(closing), await queued(open), await queued(stored)], [1, 0, 0]);
    assert.equal((await statusOf('C-W3'))[0], 'Closed');
    for (const other of [open, stored]) assert.equal((await decision(other))['Status'], 'In Progress');
  });
});

describe('workflows whose tasks events complete', () => {
  const { template, start, stepStatuses, ok, save, steps } = workflowCalls(on);
  const send = (BusinessEventCode: string, day: string): Promise<unknown> =>
    sendEvents(
      on,
      firm.caller,
      delimited([
        eventOf({
          InvestorLoanNumberID: '200000006',
          FCAttorneyFileID: 'C-T1',
          BusinessEventCode,
          EventActualDate: `${day}T12:00:00`,
        }),
      ]),
    );

  it('EVT-04 WF-06 WF-21 continue from the queue, or after the end of a hold', async () => {
    const [{ id: ObjectID }] = (await query<{ id: number }>(
      "select importformtemplateid as id from importformtemplate where importformtemplate = 'Complaint Filed'",
    )) as [{ id: number }];
    await send('E0100', '2024-01-02');
    const [{ ForeclosureID }] = (await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-T1')) as [
      { ForeclosureID: number },
    ];
    await template('With a task', [
      { name: 'Task', Object: 'ImportFormTemplate', ObjectID },
      { name: 'Then', after: ['Task'] },
    ]);
    const { DecisionID } = await start('With a task', ForeclosureID);
    assert.deepEqual(await stepStatuses(DecisionID), ['Task Pending']);
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Waits for papers', AppliesTo: 'Foreclosure' });
    const hold = await save('decisiondelay', {
      Template: 'Waits for papers',
      DecisionID,
      Object: 'Foreclosure',
      ObjectID: ForeclosureID,
    });
    await send('E0290', '2024-01-03');
    await eventually(
      'the call queued by the event has run',
      async () =>
        (
          await query(
            `select 1 from pgboss.job where data->>'route' = 'decision/process' and data->>'label' = $1::text
              and state = 'completed'`,
            [`Decision ${String(DecisionID)}`],
          )
        ).length > 0,
    );
    assert.deepEqual(await stepStatuses(DecisionID), ['Task Pending']);
    await ok(
      on.admin.post('/api/decisiondelay/save?Output=Json', {
        ID: hold['DecisionDelayID'],
        ActualCompletion: new Date().toISOString(),
      }),
    );
    await eventually(
      'the workflow continues',
      async () => (await stepStatuses(DecisionID)).join() === 'Task Complete,Then Pending',
    );
    // A later date of the same event does not complete the task again.
    await send('E0290', '2024-01-04');
    assert.deepEqual(await stepStatuses(DecisionID), ['Task Complete', 'Then Pending']);
  });

  /** A task type with a required question, the code of events that complete it, and a workflow that waits for it. */
  async function askingType(name: string, code: string, Repeatable: string): Promise<void> {
    const { ImportFormTemplateID } = await save('importformtemplate', {
      ImportFormTemplate: name,
      AppliesTo: 'Foreclosure',
      Repeatable,
      Questions_0_ImportFormQuestion: 'Answered',
      Questions_0_QuestionType: 'Boolean',
      Questions_0_IsRequired: true,
    });
    await save('eventcode', { EventCode: code, CaseKind: 'Foreclosure', ImportFormTemplateID });
    await template(name, [
      { name: 'Task', Object: 'ImportFormTemplate', ObjectID: ImportFormTemplateID },
      { name: 'Then', after: ['Task'] },
    ]);
  }
  const tasks = (name: string): Promise<Record<string, unknown>[]> =>
    searchRows(on.admin, `importform/search?ImportForm=${encodeURIComponent(name)}&OrderBy=ImportFormID`);

  it('EVT-04 WF-05 a task that an event completes without its answers is followed by one that asks a person; the workflow waits for it', async () => {
    await askingType('Ask after the event', 'E0501', 'Many');
    const caseId = Number((await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-T1'))[0]?.['ForeclosureID']);
    const first = await start('Ask after the event', caseId);
    await send('E0501', '2024-01-03');
    const [reported, asking] = await eventually('a person is asked', async () => {
      const found = await tasks('Ask after the event');
      return found.length === 2 && found;
    });
    assert.deepEqual(
      [reported?.['Status'], asking?.['ActualCompletion'] ?? null, asking?.['IsFollowUp']],
      ['Complete', null, true],
    );
    // Neither the same event nor a later one answers the question.
    for (const day of ['2024-01-03', '2024-01-05']) await send('E0501', day);
    await ok(on.admin.post('/api/decision/process?Output=Json', { ID: first['DecisionID'] }));
    const after = await tasks('Ask after the event');
    assert.deepEqual(
      after.map((task) => String(task['ActualCompletion'] ?? 'open').slice(0, 10)),
      ['2024-01-05', 'open'],
    );
    assert.deepEqual(await stepStatuses(first['DecisionID']), ['Task Pending']);
    await save('importform', { ID: asking?.['ImportFormID'], Answered: '1', ActualCompletion: '2024-01-06' });
    assert.deepEqual(await stepStatuses(first['DecisionID']), ['Task Complete', 'Then Pending']);
  });

  it('EVT-04 WF-05 where the case can have one task only, the step fails until a person answers, also if the event came first', async () => {
    await askingType('Ask in the one task', 'E0502', 'One');
    const caseId = Number((await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-T1'))[0]?.['ForeclosureID']);
    const first = await start('Ask in the one task', caseId);
    await send('E0502', '2024-01-03');
    await eventually(
      'the step has failed',
      async () => (await stepStatuses(first['DecisionID'])).join() === 'Task Error',
    );
    const [step] = await steps(first['DecisionID']);
    assert.match(String(step?.['ErrorMessage']), /without required answers: Answered\. .* then retry the step/);
    const late = await on.admin.post('/api/decision/save?Output=Json', {
      Template: 'Ask in the one task',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    assert.match(late.text, /STEP_FAILED/);
    const [task] = await tasks('Ask in the one task');
    await save('importform', { ID: task?.['ImportFormID'], Answered: '0' });
    await ok(on.admin.post('/api/decisionstep/start?Output=Json', { ID: step?.['DecisionStepID'] }));
    assert.deepEqual(await stepStatuses(first['DecisionID']), ['Task Complete', 'Then Pending']);
  });
});

describe('records of events', () => {
  it('EVT-04 one loan has a foreclosure for each firm and file number and a bankruptcy for each firm and court number, and each firm sees its own', async () => {
    const of = (ProviderCode: string, values: EventValues): EventValues =>
      eventOf({ ProviderCode, InvestorLoanNumberID: '200000005', FCAttorneyFileID: '', ...values });
    await sendEvents(
      on,
      firm.caller,
      delimited([
        of('ColeLaw', { FCAttorneyFileID: 'S-1' }),
        of('ColeLaw', { FCAttorneyFileID: 'S-2' }),
        of('ColeLaw', {
          BusinessEventCode: 'E0300',
          BKCaseNumberID: '24-1',
          BKChapterTypeCode: '13',
          BKDistrictName: 'Southern',
          BKFilingDate: '2024-01-02',
        }),
      ]),
    );
    await sendEvents(
      on,
      other.caller,
      delimited([
        of('DaneLaw', { FCAttorneyFileID: 'S-1' }),
        of('DaneLaw', { BusinessEventCode: 'E0777', BKCaseNumberID: '24-1' }),
      ]),
    );
    const labels = async (caller: typeof firm.caller, record: string): Promise<unknown[]> =>
      (await searchRows(caller, `${record}/search?LoanID=${loanId}&OrderBy=${record}`)).map((row) => row[record]);
    const [{ loanId }] = (await query<{ loanId: number }>('select loanid as "loanId" from loan where loan = $1::text', [
      '200000005',
    ])) as [{ loanId: number }];
    assert.deepEqual(await labels(firm.caller, 'Foreclosure'), ['S-1', 'S-2']);
    assert.deepEqual(await labels(other.caller, 'Foreclosure'), ['S-1']);
    const [bankruptcy] = await searchRows(firm.caller, `bankruptcy/search?BKCaseNo=24-1`);
    assert.deepEqual(
      [bankruptcy?.['Chapter'], bankruptcy?.['Court'], bankruptcy?.['FilingDate'], bankruptcy?.['BankruptcyType']],
      ['13', 'Southern', '2024-01-02', undefined],
    );
    assert.equal((await searchRows(on.admin, 'bankruptcy/search?BKCaseNo=24-1')).length, 2);
  });

  it('EVT-13 a delay is created on the loan, changed by later events, ended by one with a reason, and belongs to the firm', async () => {
    const of = (day: string, values: EventValues): EventValues =>
      eventOf({
        InvestorLoanNumberID: '200000006',
        FCAttorneyFileID: '',
        BusinessEventCode: 'E0310',
        DelayTypeCode: 'CRT',
        DelayActualStartDate: '2024-02-01',
        EventActualDate: `${day}T09:00:00`,
        ...values,
      });
    // A firm can access a loan through the cases that staff have assigned to it.
    await sendEvents(
      on,
      firm.caller,
      delimited([eventOf({ InvestorLoanNumberID: '200000006', FCAttorneyFileID: 'C-D' })]),
    );
    const [opened] = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-D');
    const assigned = await on.admin.post('/api/foreclosure/save', {
      ID: opened?.['ForeclosureID'],
      LoanAssigned: true,
    });
    assert.equal(assigned.status, 200, assigned.text);
    await sendEvents(
      on,
      firm.caller,
      delimited([of('2024-02-02', { DelayProjectedEndDate: '2024-03-01', DelayDetails: 'Docket is full' })]),
    );
    const delays = async (caller = firm.caller): Promise<Record<string, unknown>[]> =>
      searchRows(caller, 'decisiondelay/search?DecisionDelayType=CRT');
    const [made] = await delays();
    assert.deepEqual(
      [
        made?.['Object'],
        made?.['DecisionDelay'],
        made?.['ReasonDetail'],
        made?.['Status'],
        made?.['ActualStart'],
        made?.['ProjectedCompletion'],
      ],
      ['Loan', 'Court Delay', 'Docket is full', 'Active', '2024-02-01T05:00:00.000Z', '2024-03-01T05:00:00.000Z'],
    );
    await sendEvents(on, firm.caller, delimited([of('2024-04-01', { DelayEndReasonCode: 'DONE' })]));
    await sendEvents(on, firm.caller, delimited([of('2024-03-01', { DelayProjectedEndDate: '2024-05-01' })]));
    const after = await delays();
    assert.deepEqual(
      after.map((row) => [row['Status'], row['ActualCompletion'], row['ProjectedCompletion'], row['ReasonDetail']]),
      [['Complete', '2024-04-01T13:00:00.000Z', '2024-05-01T04:00:00.000Z', 'Docket is full']],
      'columns that an event leaves empty stay; each is that of the latest event that reports it',
    );
    assert.deepEqual(await delays(other.caller), []);
    const events = await searchRows(firm.caller, 'event/search?InvestorLoanNumberID=200000006&BusinessEventCode=E0310');
    assert.deepEqual(
      events.map((row) => [row['Object'], row['DecisionDelayID']]),
      Array.from({ length: 3 }, () => ['Loan', made?.['DecisionDelayID']]),
    );
  });

  it("EVT-04 KRN-18 a loan of another source is withheld from a firm's event, until staff assign the case", async () => {
    const named = eventOf({ InvestorLoanNumberID: '200000007', FCAttorneyFileID: 'C-W' });
    await sendEvents(on, firm.caller, delimited([named]));
    const [waiting] = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-W');
    assert.equal(waiting?.['LoanAssigned'], false);
    assert.deepEqual(await searchRows(firm.caller, 'loan/search?Loan=200000007'), []);
    await on.admin.post('/api/foreclosure/save', { ID: waiting['ForeclosureID'], LoanAssigned: true });
    assert.equal((await searchRows(firm.caller, 'loan/search?Loan=200000007')).length, 1);
    await sendEvents(on, firm.caller, delimited([{ ...named, FCAttorneyFileID: 'C-WA' }]));
    const [next] = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-WA');
    assert.equal(next?.['LoanAssigned'], true, 'a firm that has access to the loan keeps it');
  });

  it('EVT-04 EVT-13 REF-08 a referral gives the case and the delay of events a loan of their own, and later events find them there', async () => {
    const loan = '200000008';
    const named = eventOf({ InvestorLoanNumberID: loan, FCAttorneyFileID: 'C-EV' });
    const delay = eventOf({
      InvestorLoanNumberID: loan,
      FCAttorneyFileID: '',
      BusinessEventCode: 'E0310',
      DelayTypeCode: 'EVD',
      DelayActualStartDate: '2024-02-01',
    });
    await sendEvents(on, firm.caller, delimited([named, delay]));
    const basic = on.byPassword('user of Cole Law', 'password of user of Cole Law');
    const sent = await sendReferral(basic, 'foreclosure', foreclosure({ loan, caseNumber: 'C-EV' }));
    assert.match(sent.of('Loan')[0]?.message ?? '', /Waiting for assignment/, sent.text);
    const [moved] = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-EV');
    assert.equal(moved?.['LoanAssigned'], false);
    assert.equal((await searchRows(firm.caller, `loan/search?Loan=${loan}`))[0]?.['LoanID'], moved['LoanID']);
    await sendEvents(on, firm.caller, delimited([{ ...named, BusinessEventCode: 'E0200' }]));
    const found = await searchRows(firm.caller, 'foreclosure/search?Foreclosure=C-EV');
    assert.deepEqual([found.length, found[0]?.['Status']], [1, 'On Hold']);
    const ended = { ...delay, EventActualDate: '2024-06-01T09:00:00', DelayEndReasonCode: 'DONE' };
    await sendEvents(on, firm.caller, delimited([ended]));
    const delays = await searchRows(on.admin, 'decisiondelay/search?DecisionDelayType=EVD');
    assert.deepEqual(
      delays.map((row) => [row['ObjectID'], row['Status']]),
      [[moved['LoanID'], 'Complete']],
      'the delay moved with the loan, and its end is no second one',
    );
  });
});
