import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { queueCaseSummaries } from '../../../src/modules/console/casesummary/lib/refresh-summaries.ts';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

const clock = fixedClock('2026-03-02T15:00:00.000Z');
const p = await testPlatform({ after }, { clock });
const admin = client(p);
const { template, start, stepNamed, complete } = workflowCalls(p);
const clerk = await p.user('clerk', 'Staff');
const firm = await p.firm('Hollis Law', 'Partner');
const form = await admin.save('importformtemplate', { ImportFormTemplate: 'File it', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'], EstimatedDuration: 10 };
await template('Staged', [
  { name: 'Review', ...formStep, Milestone: 'Title', Sequence: 1 },
  { name: 'File', ...formStep, Milestone: 'Complaint', Sequence: 2, after: ['Review'] },
]);
await admin.save('decisiondelaytemplate', { DecisionDelayTemplate: 'Loss mitigation', AppliesTo: 'Process' });

/** Creates a loan with two borrowers and a property, and a case on it. */
async function caseWithLoan(name: string, fields: object = {}): Promise<{ caseId: number; loanId: unknown }> {
  const { PropertyID } = await admin.save('property', { Address: '88 Linden Ave', City: 'Yonkers', State: 'NY' });
  const loan = await admin.save('loan', { Loan: `L ${name}`, Agency: 'Investor A', UPBAmount: 213_902.4, PropertyID });
  for (const [Sequence, FirstName] of ['Marisol', 'Hector'].entries())
    await admin.save('contact', {
      Object: 'Loan',
      ObjectID: loan['LoanID'],
      LastName: 'Delgado',
      FirstName,
      Sequence: Sequence + 1,
    });
  const made = await admin.save('foreclosure', { Foreclosure: name, LoanID: loan['LoanID'], ...fields });
  return { caseId: Number(made['ForeclosureID']), loanId: loan['LoanID'] };
}

const refresh = (): Promise<Row> => admin.expectOk('casesummary/refresh');

/** Brings lists up to date and returns a case as they show it; undefined if they do not. */
async function listed(caseId: number): Promise<Row | undefined> {
  await refresh();
  const [row] = await admin.expectRows('casesummary/search', { ProcessID: caseId });
  return row;
}

describe('summaries of cases', () => {
  it('WEB-01 a case is listed with its borrowers, property, loan, stage, hold and next task', async () => {
    const { caseId } = await caseWithLoan('FC-26-04417', { AssignedPersonID: clerk.personId });
    await start('Staged', caseId);
    await admin.save('decisiondelay', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      DecisionDelay: 'Loss mitigation',
      ActualStart: '2026-03-01T12:00:00Z',
    });
    const row = await listed(caseId);
    const shown = [
      'CaseSummary',
      'Borrower',
      'Address',
      'City',
      'State',
      'LoanNumber',
      'Agency',
      'Stage',
      'Hold',
      'NextTask',
    ];
    assert.deepEqual(
      shown.map((name) => row?.[name]),
      [
        'FC-26-04417',
        'Delgado, Marisol and Hector',
        '88 Linden Ave',
        'Yonkers',
        'NY',
        'L FC-26-04417',
        'Investor A',
        'Title',
        'Loss mitigation',
        'File it',
      ],
    );
    assert.deepEqual([row?.['AssignedPersonID'], row?.['StageNumber'], row?.['StageCount']], [clerk.personId, 1, 2]);
    assert.equal(Number(row?.['UPBAmount']), 213_902.4);
    assert.equal(String(row?.['NextDue']).slice(0, 10), '2026-03-12');
  });

  it('WEB-01 every change that a list shows reaches the list', async () => {
    const { caseId, loanId } = await caseWithLoan('FC-1');
    const workflow = await start('Staged', caseId);
    const field = async (name: string): Promise<unknown> => (await listed(caseId))?.[name];
    await admin.save('loan', { ID: loanId, UPBAmount: 5 });
    assert.equal(Number(await field('UPBAmount')), 5);
    const [second] = await admin.expectRows('contact/search', {
      Object: 'Loan',
      ObjectID: loanId,
      OrderBy: '-Sequence',
    });
    await admin.save('contact', { ID: second?.['ContactID'], LastName: 'Okafor' });
    assert.equal(await field('Borrower'), 'Delgado, Marisol and Okafor, Hector');
    await admin.expectOk('contact/delete', { ID: second?.['ContactID'] });
    assert.equal(await field('Borrower'), 'Delgado, Marisol');
    await complete((await stepNamed(workflow['DecisionID'], 'Review'))['DecisionStepID'], { BodyText: 'Done.' });
    assert.equal(await field('Stage'), 'Complaint');
    await admin.save('foreclosure', { ID: caseId, ScheduledSaleDate: '2026-03-20' });
    assert.equal(await field('ScheduledSaleDate'), '2026-03-20');
    await admin.save('foreclosure', { ID: caseId, DateClosed: '2026-03-02' });
    assert.equal(await field('IsOpen'), false);
    await admin.expectOk('foreclosure/delete', { ID: caseId });
    assert.equal(await listed(caseId), undefined);
  });

  it('WEB-01 how long a case has been in its stage is counted in business days, as its milestones are', async () => {
    const { caseId } = await caseWithLoan('FC-days');
    const { caseId: stageless } = await caseWithLoan('FC-no days');
    const workflow = await start('Staged', caseId);
    await p.platform.store.query(
      `update decision set actualstart = '2026-02-20T15:00:00Z' where decisionid = $1::bigint`,
      [Number(workflow['DecisionID'])],
    );
    const summary = await listed(caseId);
    const none = await listed(stageless);
    const days = await admin.expectRows('casesummary/stagedays', {
      ID: `${String(summary?.['CaseSummaryID'])},${String(none?.['CaseSummaryID'])}`,
    });
    const [milestone] = await admin.expectRows('decision/milestones', { Object: 'Foreclosure', ObjectID: caseId });
    // From Friday to the Monday of the week after next.
    assert.deepEqual(days, [
      { CaseSummaryID: summary?.['CaseSummaryID'], DaysInStage: 6, TargetDays: milestone?.['TargetDays'] },
    ]);
    assert.equal(milestone?.['DaysInStage'], 6);
  });

  it('WEB-01 a milestone that is renamed is renamed in the lists of open cases', async () => {
    const made = await template('Renamed', [{ name: 'Only', ...formStep, Milestone: 'Titel' }]);
    const { caseId } = await caseWithLoan('FC-2');
    await start('Renamed', caseId);
    assert.equal((await listed(caseId))?.['Stage'], 'Titel');
    const [step] = await admin.expectRows('decisionsteptemplate/search', {
      DecisionTemplateID: made['DecisionTemplateID'],
    });
    await admin.save('decisionsteptemplate', { ID: step?.['DecisionStepTemplateID'], Milestone: 'Title' });
    assert.equal((await listed(caseId))?.['Stage'], 'Title');
  });

  it('WEB-01 several changes of a case in one transaction note it once, and a rollback notes nothing', async () => {
    await refresh();
    const noted = async (): Promise<number> =>
      (await p.platform.store.query<{ n: number }>('select count(*)::integer as n from casechange'))[0]?.n ?? 0;
    const { ForeclosureID: id } = await admin.save('foreclosure', {
      Foreclosure: 'FC-3',
      ScheduledSaleDate: '2026-04-01',
    });
    assert.equal(await noted(), 1);
    await admin.expectRefused('foreclosure/save', { ID: id, Foreclosure: 'FC-3b', Version: 99 }, 'VERSION_CONFLICT');
    assert.equal(await noted(), 1);
  });

  it('WEB-01 the platform summarizes changed cases that no list has asked for', async () => {
    const { caseId } = await caseWithLoan('FC-4');
    await queueCaseSummaries.run(p.platform);
    const [job] = await p.platform.store.query<{ route: string }>(
      "select data->>'route' as route from pgboss.job where data->>'route' = 'casesummary/refresh'",
    );
    assert.equal(job?.route, 'casesummary/refresh');
    await admin.expectOk('casesummary/refresh', { All: true });
    const rows = await admin.expectRows('casesummary/search', { ProcessID: caseId });
    assert.equal(rows.length, 1);
  });

  it('WEB-01 lists find late cases and sales within 30 days', async () => {
    const { caseId } = await caseWithLoan('FC-5', { ScheduledSaleDate: new Date(Date.now() + 864e5).toISOString() });
    const { caseId: late } = await caseWithLoan('FC-6');
    await start('Staged', late);
    await listed(late);
    const ids = async (filter: string): Promise<unknown[]> =>
      (await admin.expectRows('casesummary/search', { SqlFilters: filter, DisplaySize: 100 })).map(
        (row) => row['ProcessID'],
      );
    assert.ok((await ids('SaleSoon')).includes(caseId));
    assert.ok((await ids('Late')).includes(late), 'its target was in March');
  });

  it('WEB-01 firms read no summary, and their refresh reads nothing', async () => {
    const own = client(p, firm.caller);
    await own.expectRefused('casesummary/search', {}, 'NO_PERMISSION');
    assert.equal((await own.expectOk('casesummary/refresh'))['Changed'], 0);
  });
});

describe('saved views', () => {
  const staff = client(p, clerk.caller);
  const view = (fields: object): object => ({ RecordType: 'CaseSummary', PersonID: clerk.personId, ...fields });

  it('WEB-01 a view is stored with what a search accepts, and refused with anything else', async () => {
    const saved = await staff.save(
      'view',
      view({
        View: 'Mine',
        Filters: 'AssignedPersonID=me&SqlFilters=Open',
        Columns: 'Borrower,Stage',
        SortedBy: '-Stage',
      }),
    );
    assert.equal(saved['View'], 'Mine');
    const refuse = (fields: object, field: string) =>
      staff.expectRefused('view/save', view({ View: 'Wrong', ...fields }), 'BAD_PARAMETER', field);
    await refuse({ Filters: 'Nothing=1' }, 'Filters');
    await refuse({ Filters: 'DateOpened=soon' }, 'Filters');
    await refuse({ Filters: 'SqlFilters=Nothing' }, 'Filters');
    await refuse({ Columns: 'Nothing' }, 'Columns');
    await refuse({ SortedBy: 'Nothing' }, 'SortedBy');
    await refuse({ View: ' ' }, 'View');
  });

  it('WEB-01 users change their own views, and shared ones only with the permission', async () => {
    const shared = await admin.save('view', { View: 'Everybody', RecordType: 'CaseSummary' });
    await staff.expectRefused('view/save', { ID: shared['ViewID'], View: 'Changed' }, 'NO_PERMISSION', 'PersonID');
    await staff.expectRefused('view/save', { View: 'New', RecordType: 'CaseSummary' }, 'NO_PERMISSION', 'PersonID');
    await staff.expectRefused('view/delete', { ID: shared['ViewID'] }, 'NO_PERMISSION', 'PersonID');
    const own = await staff.save('view', view({ View: 'Own' }));
    await staff.expectRefused('view/share', { ID: own['ViewID'] }, 'NO_PERMISSION');
    await admin.expectOk('view/share', { ID: own['ViewID'] });
    await staff.expectRefused('view/save', { ID: own['ViewID'], View: 'Changed' }, 'NO_PERMISSION', 'PersonID');
  });

  it('WEB-01 a user sees own views, those of teams and shared ones, and not those of others', async () => {
    const team = await admin.save('collection', { Collection: 'Late team', SourceObject: 'Person' });
    await admin.save('collectionmember', { CollectionID: team['CollectionID'], SourceObjectID: clerk.personId });
    const names = ['Position 1', 'Of the team', 'Of another'];
    await admin.save('view', { View: names[0], RecordType: 'Contact', Position: 1 });
    await admin.save('view', {
      View: names[1],
      RecordType: 'Contact',
      CollectionID: team['CollectionID'],
      Position: 2,
    });
    const { personId } = await p.user('other', 'Staff');
    await admin.save('view', { View: names[2], RecordType: 'Contact', PersonID: personId });
    const seen = async (by: typeof staff): Promise<unknown[]> =>
      (await by.expectRows('view/mine', { RecordType: 'Contact' })).map((row) => row['View']);
    assert.deepEqual(await seen(staff), ['Position 1', 'Of the team']);
    assert.deepEqual(await seen(client(p, firm.caller)), ['Position 1']);
  });

  it('WEB-01 views are counted up to 1,000, each as its user sees it', async () => {
    await caseWithLoan('FC-7', { AssignedPersonID: clerk.personId });
    await refresh();
    const mine = await staff.save('view', view({ View: 'My cases', Filters: 'AssignedPersonID=me&CaseSummary=FC-7' }));
    const [count] = await staff.expectRows('view/counts', { ID: mine['ViewID'] });
    assert.deepEqual([count?.['Count'], count?.['IsMore']], [1, false]);
    const hidden = await admin.expectRows('view/counts', { ID: mine['ViewID'] });
    assert.deepEqual(hidden, [], 'a view of somebody else');
  });

  it('WEB-01 the totals of a list are its sum, and how many a named filter finds', async () => {
    await caseWithLoan('FC-8');
    await refresh();
    const totals = await staff.expectOk('view/totals', {
      RecordType: 'CaseSummary',
      Filters: 'CaseSummary=FC-8',
      Sum: 'UPBAmount',
      Among: 'Open',
    });
    assert.deepEqual(
      [totals['Count'], Number(totals['Sum']), totals['Among'], totals['IsMore']],
      [1, 213902.4, 1, false],
    );
    await client(p, firm.caller).expectRefused('view/totals', { RecordType: 'CaseSummary' }, 'NO_PERMISSION');
  });
});
