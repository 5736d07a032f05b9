import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  borrower,
  foreclosure,
  nextLoan,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  setSetting,
  updateOf,
  type ReferralAnswer,
  type ReferralFirm,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after }, { worker: true });
await saveSampleTemplates(on.admin);
const owner = await referralFirm(on, 'Alder Law');
const firm = await referralFirm(on, 'Birch Law');
const third = await referralFirm(on, 'Cole Law');
await on.admin.post('/api/role/save', { Role: 'Everything', Permissions: '*', UniversalAccess: false });
const greedy = await referralFirm(on, 'Dane Law', 'Everything');

/** A loan of one firm, with a case of another that waits. */
interface Waiting {
  readonly number: string;
  readonly loanId: number;
  readonly waitingId: number;
  readonly caseId: number;
  readonly sent: ReferralAnswer;
}

const caseRow = async (id: number): Promise<Record<string, unknown>> =>
  (await searchRows(on.admin, `foreclosure/search?ForeclosureID=${id}`))[0] ?? {};

const ours = {
  property: '<Property_Address>1 First Street</Property_Address><Property_PostalCode>80202</Property_PostalCode>',
  borrowers: [borrower(1, 'Quill', 'Ann', '900-12-0001'), borrower(2, 'Quill', 'Ben')],
};
const theirs = {
  property: '<Property_Address>2 Second Street</Property_Address><Property_PostalCode>80202</Property_PostalCode>',
  loanRest: '<ServicerLoanID>S-2</ServicerLoanID><OriginalBalance>200000</OriginalBalance><UPBAmount>9</UPBAmount>',
  borrowers: [borrower(1, 'Quill', 'Anna', '900-12-0002'), borrower(3, 'Extra', 'Cy')],
  publicRecords: [
    '<PublicRecordItem><PublicRecord>Mortgage Deed of Trust</PublicRecord><FilingDate>2015-01-02</FilingDate>' +
      '</PublicRecordItem>',
  ],
};

async function waiting(
  by: ReferralFirm = firm,
  number = nextLoan(),
  first = true,
  borrowers = theirs.borrowers,
): Promise<Waiting> {
  if (first) await owner.send('foreclosure', foreclosure({ loan: number, subscriberId: `owner ${number}`, ...ours }));
  const sent = await by.send(
    'foreclosure',
    foreclosure({
      loan: number,
      subscriberId: `waits ${number}`,
      ...theirs,
      borrowers,
      rest:
        '<Messages><MessageItem><Template>Case Note</Template><Message>Note</Message><BodyText>B</BodyText>' +
        '</MessageItem></Messages>',
    }),
  );
  assert.equal(sent.http, 200, sent.text);
  const [shared] = await searchRows(on.admin, `loan/search?Loan=${number}&SqlFilters=Identified`);
  return {
    number,
    loanId: Number(shared?.['LoanID']),
    waitingId: Number((await caseRow(sent.caseId))['LoanID']),
    caseId: sent.caseId,
    sent,
  };
}

const assign = (body: Record<string, unknown>) => on.admin.post('/api/loan/assign?Output=Json', body);

/** Everything stored of a number, but versions and dates, for comparing. */
async function stored(number: string): Promise<unknown> {
  const loans = await searchRows(on.admin, `loan/search?Loan=${number}&OrderBy=LoanID`);
  const result: unknown[] = [];
  for (const loan of loans) {
    const id = String(loan['LoanID']);
    const of = async (path: string): Promise<unknown[]> =>
      (await searchRows(on.admin, path)).map(({ Version: _v, UpdatedDate: _d, UpdatedPersonID: _p, ...rest }) => rest);
    result.push(
      loan['AssignmentStatus'],
      loan['UPBAmount'],
      await of(`loan/${id}/contact/search?OrderBy=ContactID`),
      await of(`loan/${id}/publicrecord/search`),
      await of(`property/search?PropertyID=${String(loan['PropertyID'])}`),
      await of(`foreclosure/search?LoanID=${id}`),
      await of(`message/search?Object=Loan&ObjectID=${id}`),
    );
  }
  return result;
}

describe('loan/differences', () => {
  it('REF-08 shows staff the values of both sources side by side, and nothing that agrees', async () => {
    const { waitingId, loanId } = await waiting();
    const rows = await searchRows(on.admin, `loan/differences?ID=${waitingId}`);
    assert.deepEqual(
      rows.map((row) => [row['Key'], row['Ours'], row['Theirs']]),
      [
        ['Loan.ServicerLoanID', 'S-1', 'S-2'],
        ['Loan.UPBAmount', '150000.55', '9'],
        ['Property.Address', '1 First Street', '2 Second Street'],
        ['Borrower 1.FirstName', 'Ann', 'Anna'],
        ['Borrower 1.USSSN', 'XXX-XX-0001', 'XXX-XX-0002'],
        ['Borrower 3', undefined, 'Extra, Cy'],
        ['PublicRecord 1', undefined, 'Mortgage Deed of Trust'],
      ],
    );
    assert.ok(rows.every((row) => row['LoanID'] === loanId));
  });

  it('KRN-21 KRN-16 counts each comparison of numbers that end alike, as an assignment does, and then refuses equal ones too', async () => {
    const sentNumber = (number: string) => waiting(firm, nextLoan(), true, [borrower(1, 'Quill', 'Ann', number)]);
    const wrong = await sentNumber('900-34-0001');
    const right = await sentNumber('900-12-0001');
    const other = await sentNumber('900-34-0002');
    const { personId, caller } = await on.user('assigning clerk', 'Staff');
    const differences = async ({ waitingId }: Waiting) =>
      (await caller.get(`/api/loan/differences?ID=${waitingId}`)).status;
    const assignment = ({ waitingId }: Waiting) => caller.post('/api/loan/assign?Output=Json', { ID: waitingId });
    await setSetting(on.admin, 'NumberComparisonsPerHour', '2');
    assert.deepEqual(
      [await differences(right), await differences(other), await differences(wrong)],
      [200, 200, 200],
      'only the last counts',
    );
    // An assignment that is refused has compared as well.
    const mistaken = { ID: wrong.waitingId, Theirs: 'Loan.Nothing' };
    assert.equal((await caller.post('/api/loan/assign', mistaken)).status, 400);
    for (const each of [wrong, right]) {
      assert.equal(await differences(each), 429);
      const refused = await assignment(each);
      assert.equal(refused.status, 429, refused.text);
      assert.match(refused.text, /you may replace or merge 2 Social Security numbers/);
      assert.equal((await caseRow(each.caseId))['LoanAssigned'], false);
    }
    assert.equal((await assignment(other)).status, 200, 'numbers that end differently reveal nothing');
    assert.equal((await on.admin.get(`/api/loan/differences?ID=${wrong.waitingId}`)).status, 200);
    const events = await on.platform.store.query<{ event: string }>(
      `select securitylog || ' ' || detail as event from securitylog
       where personid = $1::bigint and securitylog like 'SSN%' order by securitylogid`,
      [personId],
    );
    assert.deepEqual(
      events.map(({ event }) => event),
      ['SSNCompared loan/differences', 'SSNCompared loan/assign', 'SSNComparedRefused loan/differences'],
    );
    await setSetting(on.admin, 'NumberComparisonsPerHour', '30');
  });

  it('KRN-18 KRN-21 is refused to a firm, whatever its roles, as is every assignment', async () => {
    const { waitingId, caseId } = await waiting(greedy);
    for (const [path, body] of [
      [`loan/differences?ID=${waitingId}`, {}],
      ['loan/assign', { ID: waitingId }],
      ['loan/assign', { ProcessID: caseId }],
      ['loan/unassign', { ProcessID: caseId }],
    ] as const) {
      const answer = path.includes('?')
        ? await greedy.caller.get(`/api/${path}`)
        : await greedy.caller.post(`/api/${path}`, body);
      assert.equal(answer.status, 403, `${path}: ${answer.text}`);
    }
  });
});

describe('loan/assign', () => {
  it('REF-08 moves the case to the shared loan, which keeps its values, and gives the firm access', async () => {
    const { number, loanId, waitingId, caseId } = await waiting();
    await on.admin.post('/api/message/save', {
      Object: 'Loan',
      ObjectID: waitingId,
      Message: 'about the waiting loan',
    });
    const before = await searchRows(on.admin, `loan/${loanId}/contact/search`);
    const answer = await assign({ ID: waitingId });
    assert.equal(answer.status, 200, answer.text);
    const row = await caseRow(caseId);
    assert.deepEqual([row['LoanID'], row['LoanAssigned']], [loanId, true]);
    assert.deepEqual(
      (await firm.search(`loan/search?Loan=${number}`)).map((loan) => [loan['LoanID'], loan['UPBAmount']]),
      [[loanId, 150000.55]],
    );
    assert.deepEqual(
      (await firm.search(`foreclosure/${caseId}/contact/search`)).map((contact) => contact['Contact']),
      ['Quill, Ann', 'Quill, Ben'],
    );
    assert.deepEqual(
      await searchRows(on.admin, `loan/${loanId}/contact/search`),
      before,
      'the borrowers are as before',
    );
    assert.equal((await searchRows(on.admin, `message/search?Object=Loan&ObjectID=${loanId}`)).length, 1);
    assert.deepEqual(await searchRows(on.admin, `loan/search?LoanID=${waitingId}`), [], 'nothing waits any more');
    const log = await searchRows(on.admin, `securitylog/search?SecurityLog=LoanAssigned&ObjectID=${caseId}`);
    assert.match(String(log[0]?.['Detail']), new RegExp(`Loan ${loanId}, organization ${firm.organizationId}`));
    const again = await firm.send(
      'foreclosureupdate',
      updateOf(`waits ${number}`, `<Loan><Loan>${number}</Loan><UPBAmount>1</UPBAmount></Loan>`),
    );
    assert.match(again.of('Loan')[0]?.message ?? '', /^Not stored, because another source created the loan: UPBAmount/);
    assert.equal((await assign({ ID: waitingId })).status, 404, 'it is assigned once');
  });

  it('REF-08 takes the values and records in which staff let the waiting loan win', async () => {
    const { loanId, waitingId, number } = await waiting();
    const answer = await assign({
      ID: waitingId,
      Theirs: 'Loan.UPBAmount,Property.Address,Borrower 1.USSSN,borrower 3,PublicRecord 1',
    });
    assert.equal(answer.status, 200, answer.text);
    const [loan] = await searchRows(on.admin, `loan/search?LoanID=${loanId}`);
    assert.deepEqual([loan?.['UPBAmount'], loan?.['ServicerLoanID']], [9, 'S-1']);
    assert.deepEqual(
      (await searchRows(on.admin, `loan/${loanId}/contact/search?OrderBy=Sequence`)).map((row) => [
        row['Contact'],
        row['USSSN'],
      ]),
      [
        ['Quill, Ann', 'XXX-XX-0002'],
        ['Quill, Ben', undefined],
        ['Extra, Cy', undefined],
      ],
    );
    assert.equal((await searchRows(on.admin, `loan/${loanId}/publicrecord/search`)).length, 1);
    const [property] = await owner.search(`property/search?PropertyID=${String(loan?.['PropertyID'])}`);
    assert.equal(property?.['Address'], '2 Second Street');
    assert.equal((await firm.search(`loan/search?Loan=${number}`)).length, 1);
    assert.equal((await owner.search(`loan/${loanId}/contact/search`)).length, 3, 'the other firm sees what was added');
  });

  it('EVT-13 moves the holds that events placed on the waiting loan, and later events find them', async () => {
    const { waitingId, loanId, caseId } = await waiting();
    const [template] = await searchRows(on.admin, 'decisiondelaytemplate/search?DisplaySize=1');
    const hold = await on.admin.post('/api/decisiondelay/save?Output=Json', {
      Object: 'Loan',
      ObjectID: waitingId,
      DecisionDelayTemplateID: template?.['DecisionDelayTemplateID'],
    });
    assert.equal(hold.status, 200, hold.text);
    const id = hold.json()['DecisionDelayID'];
    await on.platform.store.query(
      `insert into decisiondelaystate (decisiondelayid, organizationid, loanid, delaytype, delaystart)
       values ($1::bigint, $2::bigint, $3::bigint, 'CRT', '2024-01-01')`,
      [id, firm.organizationId, waitingId],
    );
    const loanOfState = async (): Promise<unknown> =>
      (
        await on.platform.store.query<{ loanid: number }>(
          'select loanid from decisiondelaystate where decisiondelayid = $1::bigint',
          [id],
        )
      )[0]?.loanid;
    const assigned = await assign({ ID: waitingId });
    assert.equal(assigned.status, 200, assigned.text);
    assert.equal(await loanOfState(), loanId);
    assert.equal((await searchRows(on.admin, `decisiondelay/search?Object=Loan&ObjectID=${loanId}`)).length, 1);
    assert.equal((await on.admin.post('/api/loan/unassign', { ProcessID: caseId })).status, 200);
    assert.equal(await loanOfState(), waitingId);
  });

  it('names an unknown difference, and refuses a loan that does not wait', async () => {
    const { loanId, waitingId } = await waiting();
    const unknown = await assign({ ID: waitingId, Theirs: 'Loan.UPBAmounts' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /Theirs: the loans do not differ in .*Did you mean Loan\.UPBAmount/);
    assert.match((await assign({ ID: loanId })).text, /is not waiting for assignment/);
    assert.match((await assign({})).text, /ID: expected the loans to assign, or ProcessID/);
  });

  it('REF-08 assigns several cases of several firms in one call, each by its own loan or the shared one', async () => {
    const first = await waiting();
    const second = await waiting(third, first.number, false);
    const other = await waiting();
    assert.equal(second.loanId, first.loanId);
    assert.notEqual(second.waitingId, first.waitingId, 'two firms wait apart');
    const answer = await assign({ ProcessID: `${other.caseId},${first.caseId},${second.caseId}` });
    assert.equal(answer.status, 200, answer.text);
    for (const { caseId, loanId } of [first, second, other]) {
      const row = await caseRow(caseId);
      assert.deepEqual([row['LoanID'], row['LoanAssigned']], [loanId, true]);
    }
    assert.equal((await third.search(`loan/search?Loan=${first.number}`)).length, 1);
  });

  it('REF-08 assigns by saving LoanAssigned, and once where two calls come at the same moment', async () => {
    const { waitingId, caseId, loanId } = await waiting();
    const answers = await Promise.all([
      on.admin.post('/api/foreclosure/save', { ID: caseId, LoanAssigned: true }),
      assign({ ID: waitingId }),
      assign({ ProcessID: caseId }),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.includes(200), answers.map(({ text }) => text).join('\n'));
    assert.ok(
      statuses.every((status) => [200, 404, 409, 422].includes(status)),
      statuses.join(),
    );
    const row = await caseRow(caseId);
    assert.deepEqual([row['LoanID'], row['LoanAssigned']], [loanId, true]);
    const made = await on.platform.store.query('select 1 from loanassignment where waitingloanid = $1::bigint', [
      waitingId,
    ]);
    assert.equal(made.length, 1);
  });

  it('assigns to another loan if the firm sent a wrong number, and makes the loan that of its number if there is no other', async () => {
    const mistyped = await waiting();
    const right = Number(
      (await on.admin.post('/api/loan/save?Output=Json', { Loan: nextLoan(), Agency: 'INVESTOR' })).json()['LoanID'],
    );
    assert.equal((await assign({ ID: mistyped.waitingId, ToLoanID: right })).status, 200);
    assert.equal((await caseRow(mistyped.caseId))['LoanID'], right);

    const alone = await waiting();
    const [shared] = await searchRows(on.admin, `foreclosure/search?LoanID=${alone.loanId}`);
    assert.equal((await on.admin.post(`/api/foreclosure/delete?ID=${String(shared?.['ForeclosureID'])}`)).status, 200);
    for (const contact of await searchRows(on.admin, `loan/${alone.loanId}/contact/search`))
      await on.admin.post(`/api/contact/delete?ID=${String(contact['ContactID'])}`);
    const deleted = await on.admin.post(`/api/loan/delete?ID=${alone.loanId}`);
    assert.equal(deleted.status, 200, deleted.text);
    assert.equal((await assign({ ID: alone.waitingId })).status, 200);
    const [loan] = await searchRows(on.admin, `loan/search?LoanID=${alone.waitingId}`);
    assert.equal(loan?.['AssignmentStatus'], undefined);
    assert.equal((await caseRow(alone.caseId))['LoanAssigned'], true);
  });

  it('KRN-23 changes nothing at all if a business rule refuses a part of it', async () => {
    const { number, waitingId } = await waiting();
    const rule = await on.admin.post('/api/businessrule/save?Output=Json', {
      BusinessRule: 'No deletion of public records',
      AppliesTo: 'PublicRecord',
      Operation: 'Delete',
      Stylesheet:
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">' +
        '<xsl:template match="/"><Exceptions><Exception>Kept.</Exception></Exceptions></xsl:template></xsl:stylesheet>',
    });
    assert.equal(rule.status, 200, rule.text);
    try {
      const before = await stored(number);
      const answer = await assign({ ID: waitingId });
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(await stored(number), before);
    } finally {
      await on.admin.post(`/api/businessrule/delete?ID=${String(rule.json()['BusinessRuleID'])}`);
    }
  });
});

describe('loan/unassign', () => {
  it('REF-08 KRN-20 restores the waiting loan with everything that it had, and takes the access back', async () => {
    const { number, waitingId, caseId, loanId } = await waiting();
    const before = await stored(number);
    for (const Theirs of ['', 'All']) {
      assert.equal((await assign({ ID: waitingId, Theirs })).status, 200);
      assert.equal((await firm.search(`loan/search?LoanID=${loanId}`)).length, 1);
      const undone = await on.admin.post('/api/loan/unassign?Output=Json', { ProcessID: caseId });
      assert.equal(undone.status, 200, undone.text);
      assert.deepEqual(await stored(number), before, `Theirs=${Theirs}`);
      assert.deepEqual(
        (await firm.search(`loan/search?Loan=${number}`)).map((row) => row['LoanID']),
        [waitingId],
      );
    }
    const log = await searchRows(on.admin, `securitylog/search?SecurityLog=LoanUnassigned&ObjectID=${caseId}`);
    assert.equal(log.length, 2);
  });

  it('leaves what was changed since, and says so', async () => {
    const { waitingId, caseId, loanId } = await waiting();
    assert.equal((await assign({ ID: waitingId, Theirs: 'Loan.UPBAmount' })).status, 200);
    await on.admin.post('/api/loan/save', { ID: loanId, UPBAmount: 77 });
    const undone = await on.admin.post('/api/loan/unassign?Output=Json', { ProcessID: caseId });
    assert.equal(undone.status, 200, undone.text);
    assert.match(undone.text, new RegExp(`Loan ${loanId} was changed again since then and was left as it is`));
    assert.equal((await searchRows(on.admin, `loan/search?LoanID=${loanId}`))[0]?.['UPBAmount'], 77);
    assert.equal((await caseRow(caseId))['LoanID'], waitingId);
  });

  it('withholds the loan from a case that came without a waiting loan', async () => {
    const number = nextLoan();
    const made = await owner.send('foreclosure', foreclosure({ loan: number }));
    assert.equal((await on.admin.post('/api/loan/unassign', { ProcessID: made.caseId })).status, 200);
    assert.deepEqual(await owner.search(`loan/search?Loan=${number}`), []);
    assert.equal((await assign({ ProcessID: made.caseId })).status, 200);
    assert.equal((await owner.search(`loan/search?Loan=${number}`)).length, 1);
  });
});

describe('loan/decide', () => {
  const agreeing = {
    property: '<Property_Address>Elsewhere 9</Property_Address><Property_PostalCode>80202-1234</Property_PostalCode>',
    borrowers: [borrower(1, 'Quill', 'Benjamin'), borrower(2, 'Quill', 'Ann')],
  };
  const send = async (parts: Parameters<typeof foreclosure>[0], by = firm): Promise<number> => {
    const sent = await by.send('foreclosure', foreclosure(parts));
    assert.match(
      sent.of('Loan')[0]?.message ?? '',
      /Waiting for assignment/,
      'the answer is the same however it is decided',
    );
    return sent.caseId;
  };
  const shared = async (): Promise<string> => {
    const loan = nextLoan();
    await owner.send('foreclosure', foreclosure({ loan, ...ours }));
    return loan;
  };
  const decided = (caseId: number): Promise<unknown> =>
    eventually('the case is assigned', async () => (await caseRow(caseId))['LoanAssigned'] === true);
  const decide = async (caseId: number): Promise<unknown> => {
    const answer = await on.admin.post('/api/loan/decide?Output=Json', { ID: (await caseRow(caseId))['LoanID'] });
    assert.equal(answer.status, 200, answer.text);
    return answer.json()['Outcome'];
  };

  it('REF-08 assigns by itself where borrower names and postal code agree, if the setting allows it', async () => {
    await setSetting(on.admin, 'LoanAssignmentByName', 'true');
    try {
      await decided(await send({ loan: await shared(), ...agreeing }));
      for (const other of [
        { property: '<Property_PostalCode>80203</Property_PostalCode>' },
        { property: '' },
        { borrowers: [borrower(1, 'Quill', 'Ann'), borrower(2, 'Stranger', 'Sam')] },
        { borrowers: [borrower(1, 'Quill', 'Ann'), borrower(2, 'Quill', 'Ann')] },
      ]) {
        const caseId = await send({ loan: await shared(), ...agreeing, ...other });
        assert.equal(await decide(caseId), 'Waiting', JSON.stringify(other));
        assert.equal((await caseRow(caseId))['LoanAssigned'], false, JSON.stringify(other));
      }
    } finally {
      await setSetting(on.admin, 'LoanAssignmentByName', 'false');
    }
  });

  it('KRN-18 compares a number once for each firm, so that a firm cannot try names until they agree', async () => {
    await setSetting(on.admin, 'LoanAssignmentByName', 'true');
    try {
      const loan = await shared();
      const caseId = await send({ loan, subscriberId: `tries ${loan}`, borrowers: [borrower(1, 'Wrong', 'Name')] });
      assert.equal(await decide(caseId), 'Waiting');
      await send({ loan, subscriberId: `tries ${loan}`, ...agreeing });
      assert.equal(await decide(caseId), 'Waiting', 'right, but the second attempt');
      const waitingId = String((await caseRow(caseId))['LoanID']);
      await on.admin.post(`/api/foreclosure/delete?ID=${caseId}`);
      for (const contact of await searchRows(on.admin, `loan/${waitingId}/contact/search`))
        await on.admin.post(`/api/contact/delete?ID=${String(contact['ContactID'])}`);
      assert.equal((await on.admin.post(`/api/loan/delete?ID=${waitingId}`)).status, 200);
      const again = await send({ loan, subscriberId: `tries again ${loan}`, ...agreeing });
      assert.equal(await decide(again), 'Waiting', 'nor by deleting what it sent');
      const another = await send({ loan, ...agreeing }, third);
      await decided(another);
    } finally {
      await setSetting(on.admin, 'LoanAssignmentByName', 'false');
    }
  });

  it('REF-08 RUL-02 assigns what the configured matrix says, by the firm and by what agrees', async () => {
    const imported = await on.admin.send(
      'POST',
      '/api/matrix/importtable?Matrix=Assignments',
      'Firm,NamesAgree,Decision\n1,1,output\nBirch Law,Yes,Assign\nCole Law,,Wait\n',
      { 'Content-Type': 'text/csv' },
    );
    assert.equal(imported.status, 200, imported.text);
    await setSetting(on.admin, 'LoanAssignmentMatrix', 'Assignments');
    try {
      await decided(await send({ loan: await shared(), ...agreeing, property: '' }));
      const unlike = await send({ loan: await shared(), borrowers: [borrower(1, 'Wrong', 'Name')] });
      assert.equal(await decide(unlike), 'Waiting');
      assert.equal(await decide(await send({ loan: await shared(), ...agreeing }, third)), 'Waiting');
    } finally {
      await setSetting(on.admin, 'LoanAssignmentMatrix', '');
    }
  });
});
