import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import {
  borrower,
  collection,
  foreclosure,
  foreclosureItem,
  nextLoan,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  sendReferral,
  type ReferralAnswer,
  setSetting,
  updateByNumber,
  updateOf,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

const caseRow = async (id: number): Promise<Record<string, unknown>> =>
  (await firm.search(`foreclosure/search?ForeclosureID=${id}`))[0] ?? {};
const caseOf = async (of: typeof firm, id: number): Promise<Record<string, unknown>> =>
  (await of.search(`foreclosure/search?ForeclosureID=${id}`))[0] ?? {};
const casesOn = (loan: string) =>
  on.platform.store.query<{ id: number; firm: number; number: string; status: string }>(
    `select p.processid as id, p.organizationid as firm, p.process as number, p.status from process p
      join loan l on l.loanid = p.loanid where l.loan = $1::text order by 1`,
    [loan],
  );
const loanRow = async (loan: string): Promise<Record<string, unknown>> =>
  (await searchRows(on.admin, `loan/search?Loan=${loan}`))[0] ?? {};
const close = '<Status>Closed</Status><DateClosed>2024-07-01</DateClosed><ClosedReason>Sold</ClosedReason>';

describe('binding by SubscriberID', () => {
  it('REF-08 updates the case with exactly the same SubscriberID; another spelling is another case', async () => {
    const loan = nextLoan();
    const first = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'https://x.example-F-1' }));
    const again = await firm.send(
      'foreclosure',
      foreclosure({ loan, subscriberId: 'https://x.example-F-1', status: 'On Hold' }),
    );
    assert.equal(again.caseId, first.caseId);
    assert.equal(again.of('Foreclosure')[0]?.operation, 'Update');
    assert.equal((await caseRow(first.caseId))['Status'], 'On Hold');
    const spelled = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'HTTPS://x.example-F-1' }));
    assert.notEqual(spelled.caseId, first.caseId);
    assert.equal(spelled.of('Foreclosure')[0]?.operation, 'Insert');
  });

  it('REF-08 an update by SubscriberID changes only the elements sent, and clears those sent empty', async () => {
    const subscriberId = 'only-what-is-sent';
    const made = await firm.send(
      'foreclosure',
      foreclosure({
        subscriberId,
        rest:
          '<ProcessType>Judicial</ProcessType><SaleAmount>5</SaleAmount>' +
          '<ScheduledSaleDate>2024-09-09</ScheduledSaleDate>',
      }),
    );
    const answer = await firm.send(
      'foreclosureupdate',
      updateOf(subscriberId, '<Status>On Hold</Status><ScheduledSaleDate></ScheduledSaleDate>'),
    );
    assert.deepEqual(answer.reported, ['Foreclosure Update Success']);
    const row = await caseRow(made.caseId);
    assert.deepEqual(
      [row['Status'], row['ProcessType'], row['SaleAmount'], row['ScheduledSaleDate']],
      ['On Hold', 'Judicial', 5, undefined],
    );
  });

  it('REF-08 an update with an unknown SubscriberID is an Error, creates nothing, and does not reveal that another firm has it', async () => {
    await other.send('foreclosure', foreclosure({ subscriberId: 'of the other firm' }));
    const messages: string[] = [];
    for (const subscriberId of ['of the other firm', 'of nobody at all!']) {
      const answer = await firm.send('foreclosureupdate', updateOf(subscriberId, '<Status>On Hold</Status>'));
      assert.deepEqual([answer.http, answer.status, answer.success, answer.errors], [500, 'Error', 0, 1]);
      messages.push(answer.results[0]?.message ?? '');
    }
    assert.equal(messages[0], messages[1]);
  });

  it('REF-08 KRN-12 SubscriberIDs are unique per firm: two firms can use the same one, each for its own case', async () => {
    const mine = await firm.send('foreclosure', foreclosure({ subscriberId: 'shared spelling' }));
    const theirs = await other.send('foreclosure', foreclosure({ subscriberId: 'shared spelling' }));
    assert.notEqual(mine.caseId, theirs.caseId);
    await other.send('foreclosureupdate', updateOf('shared spelling', '<Status>On Hold</Status>'));
    assert.equal((await caseRow(mine.caseId))['Status'], 'Open');
  });

  it('an update may contain loan elements without the loan number, and never moves the case to another loan', async () => {
    const loan = nextLoan();
    const stranger = nextLoan();
    const known = nextLoan();
    await firm.send('foreclosure', foreclosure({ loan: known }));
    const made = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'moves never' }));
    const answer = await firm.send(
      'foreclosureupdate',
      updateOf('moves never', '<Loan><ServicerLoanID>S-NEW</ServicerLoanID></Loan>'),
    );
    assert.equal(answer.http, 200, answer.text);
    assert.equal((await loanRow(loan))['ServicerLoanID'], 'S-NEW');
    for (const number of [stranger, known]) {
      const moved = await firm.send(
        'foreclosureupdate',
        updateOf('moves never', `<Loan><Loan>${number}</Loan></Loan><Status>On Hold</Status>`),
      );
      assert.equal(moved.status, 'Error');
      assert.match(moved.results[0]?.message ?? '', /is on another loan/);
    }
    assert.deepEqual(await loanRow(stranger), {}, 'no loan is created along the way');
    assert.equal((await caseRow(made.caseId))['Status'], 'Open');
  });
});

describe('Autobind', () => {
  it('REF-08 binds an update by loan number and Attorney Case ID to the active case', async () => {
    const loan = nextLoan();
    const old = await firm.send(
      'foreclosure',
      foreclosure({ loan, caseNumber: 'AB-1', subscriberId: 'ab-old', opened: '2024-06-01' }),
    );
    await firm.send('foreclosureupdate', updateOf('ab-old', close));
    const active = await firm.send(
      'foreclosure',
      foreclosure({ loan, caseNumber: 'AB-1', subscriberId: 'ab-active', opened: '2020-01-01' }),
    );
    const answer = await firm.send('foreclosureupdate', updateByNumber(loan, 'AB-1', '<Status>On Hold</Status>'));
    assert.equal(answer.caseId, active.caseId, 'the active case, although it was opened earlier');
    assert.equal((await caseRow(old.caseId))['Status'], 'Closed');
  });

  it('REF-08 binds an update to the case opened last if none is active', async () => {
    const loan = nextLoan();
    const ids: number[] = [];
    for (const [subscriberId, opened] of [
      ['l-1', '2023-01-01'],
      ['l-2', '2024-02-02'],
      ['l-3', '2022-03-03'],
    ] as const) {
      ids.push(
        (await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'LAST', subscriberId, opened }))).caseId,
      );
      await firm.send('foreclosureupdate', updateOf(subscriberId, close));
    }
    const answer = await firm.send('foreclosureupdate', updateByNumber(loan, 'LAST', '<SaleAmount>77</SaleAmount>'));
    assert.equal(answer.caseId, ids[1]);
    assert.equal((await caseRow(ids[1] ?? 0))['SaleAmount'], 77);
  });

  it('REF-08 does not bind across firms, loans or numbers', async () => {
    const loan = nextLoan();
    await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'MINE' }));
    for (const [sender, number, at] of [
      [other, 'MINE', loan],
      [firm, 'MINE-2', loan],
      [firm, 'MINE', nextLoan()],
    ] as const) {
      const answer = await sender.send('foreclosureupdate', updateByNumber(at, number, '<Status>On Hold</Status>'));
      assert.deepEqual([answer.status, answer.success], ['Error', 0]);
      assert.match(answer.results[0]?.message ?? '', /no case on this loan has this Attorney Case ID/);
    }
  });

  it('REF-08 a new referral that Autobinds to an active case updates it; if there are only closed cases, it creates a new one', async () => {
    const loan = nextLoan();
    const first = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'N-1' }));
    const second = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'N-1', status: 'On Hold' }));
    assert.equal(second.caseId, first.caseId);
    assert.equal(second.of('Foreclosure')[0]?.operation, 'Update');
    await firm.send('foreclosureupdate', updateByNumber(loan, 'N-1', close));
    const third = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'N-1' }));
    assert.notEqual(third.caseId, first.caseId);
    assert.equal((await casesOn(loan)).length, 2);
  });

  it('never binds a referral that has a SubscriberID by its number', async () => {
    const loan = nextLoan();
    const first = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'S-1' }));
    const second = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'S-1', subscriberId: 'a-new-one' }));
    assert.notEqual(second.caseId, first.caseId);
  });
});

describe('closing', () => {
  it('REF-04 REF-17 takes DateClosed and ClosedReason; Closed without either is refused and leaves the case unchanged', async () => {
    const made = await firm.send('foreclosure', foreclosure({ subscriberId: 'closing' }));
    const before = await caseRow(made.caseId);
    const half: readonly [string, RegExp][] = [
      ['<Status>Closed</Status>', /^DateClosed: /],
      ['<Status>Closed</Status><DateClosed>2024-07-01</DateClosed>', /^ClosedReason: /],
      ['<Status>Closed</Status><ClosedReason>Sold</ClosedReason>', /^DateClosed: /],
      ['<Status>Closed</Status><DateClosed></DateClosed><ClosedReason></ClosedReason>', /^DateClosed: /],
      ['<DateClosed>2024-07-01</DateClosed>', /^ClosedReason: /],
      ['<ClosedReason>Sold</ClosedReason>', /^DateClosed: /],
    ];
    for (const [rest, message] of half) {
      const answer = await firm.send('foreclosureupdate', updateOf('closing', `${rest}<SaleAmount>9</SaleAmount>`));
      assert.deepEqual([answer.http, answer.status, answer.success], [500, 'Error', 0], rest);
      assert.match(answer.results[0]?.message ?? '', message);
      assert.deepEqual(await caseRow(made.caseId), before);
    }
    assert.equal((await firm.send('foreclosureupdate', updateOf('closing', close))).http, 200);
    const row = await caseRow(made.caseId);
    assert.deepEqual([row['Status'], row['DateClosed'], row['ClosedReason']], ['Closed', '2024-07-01', 'Sold']);
  });

  it('REF-04 works with both even without a Status', async () => {
    const made = await firm.send('foreclosure', foreclosure({ subscriberId: 'closing without status' }));
    await firm.send(
      'foreclosureupdate',
      updateOf('closing without status', '<DateClosed>2024-07-01</DateClosed><ClosedReason>Sold</ClosedReason>'),
    );
    assert.equal((await caseRow(made.caseId))['Status'], 'Closed');
  });

  it('REF-17 a new referral with Status Closed is an Error, and no case is created', async () => {
    const loan = nextLoan();
    const answer = await firm.send('foreclosure', foreclosure({ loan, status: 'Closed' }));
    assert.deepEqual([answer.status, answer.success], ['Error', 0]);
    assert.deepEqual(await loanRow(loan), {}, 'nothing of it is saved, not even the loan');
  });

  it('REF-18 a closed case keeps its SubscriberID: sending it again is an Error, and another SubscriberID on the loan creates a second case', async () => {
    const loan = nextLoan();
    const made = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'kept', caseNumber: 'K-1' }));
    await firm.send('foreclosureupdate', updateOf('kept', close));
    const before = await caseRow(made.caseId);
    const again = await firm.send(
      'foreclosure',
      foreclosure({ loan, subscriberId: 'kept', caseNumber: 'K-1', status: 'On Hold' }),
    );
    assert.deepEqual([again.http, again.status, again.success], [500, 'Error', 0]);
    assert.match(again.results[0]?.message ?? '', /closed/);
    assert.deepEqual(await caseRow(made.caseId), before);
    const second = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'kept-2', caseNumber: 'K-1' }));
    assert.notEqual(second.caseId, made.caseId);
    assert.equal((await casesOn(loan)).length, 2);
    const late = await firm.send('foreclosureupdate', updateOf('kept', '<ClosedReason>Sold at auction</ClosedReason>'));
    assert.equal(late.caseId, made.caseId);
  });
});

describe('a second firm on the same loan', () => {
  it("REF-08 KRN-18 stores what it sends under another source's number as a loan of its own, which waits for assignment", async () => {
    const loan = nextLoan();
    const mine = await firm.send(
      'foreclosure',
      foreclosure({
        loan,
        property: '<Property_Address>1 First Street</Property_Address>',
        borrowers: [borrower(1, 'Quill', 'Ann', '900-12-0001'), borrower(2, 'Quill', 'Ben')],
      }),
    );
    const answer = await other.send(
      'foreclosure',
      foreclosure({
        loan,
        subscriberId: 'waits',
        property: '<Property_Address>2 Second Street</Property_Address>',
        borrowers: [borrower(1, 'Quill', 'Anna', '900-12-0002'), borrower(3, 'Extra', 'Cy')],
      }),
    );
    assert.deepEqual([answer.http, answer.status, answer.warnings, answer.errors], [200, 'Complete', 1, 0]);
    assert.deepEqual(answer.reported, [
      'Property Insert Success',
      'Loan Insert Warning',
      'Contact Insert Success',
      'Contact Insert Success',
      'Foreclosure Insert Success',
    ]);
    assert.match(answer.of('Loan')[0]?.message ?? '', /^Waiting for assignment: another source created a loan/);
    const again = await other.caller.get(`/api/import/result?ID=${answer.id}`);
    assert.match(again.text, /Waiting for assignment/, 'the submission says so later too');
    const [found] = await other.search(`foreclosure/search?ForeclosureID=${answer.caseId}`);
    assert.equal(found?.['LoanAssigned'], false, 'the case says so');
    assert.deepEqual(
      (await other.search(`loan/search?Loan=${loan}`)).map((row) => [row['LoanID'], row['AssignmentStatus']]),
      [[found?.['LoanID'], 'Waiting']],
      'it sees its own loan only',
    );
    assert.deepEqual(
      (await other.search(`foreclosure/${answer.caseId}/contact/search`)).map((row) => row['Contact']),
      ['Quill, Anna', 'Extra, Cy'],
    );
    assert.deepEqual(
      (await other.search(`foreclosure/${answer.caseId}/property/search`)).map((row) => row['Address']),
      ['2 Second Street'],
    );
    assert.deepEqual(
      (await firm.search(`foreclosure/${mine.caseId}/contact/search`)).map((row) => row['FirstName']),
      ['Ann', 'Ben'],
      'the other source sees nothing of it',
    );
    assert.equal((await firm.search(`loan/search?Loan=${loan}`)).length, 1);

    const update = await other.send(
      'foreclosure',
      foreclosure({ loan, subscriberId: 'waits', borrowers: [borrower(1, 'Quill', 'Anne')] }),
    );
    assert.deepEqual(
      update.reported,
      ['Loan None Warning', 'Contact Update Warning', 'Foreclosure Update Success'],
      'sent again, it is the same loan',
    );
    const second = await other.send('foreclosure', foreclosure({ loan, subscriberId: 'waits too' }));
    assert.equal((await caseOf(other, second.caseId))['LoanID'], found?.['LoanID'], 'as is that of a second case');
    assert.equal((await searchRows(on.admin, `loan/search?Loan=${loan}`)).length, 2);
  });

  it('REF-02 KRN-21 names all values that are not stored, and none of what they are compared with: the setting withholds the loan or not', async () => {
    await setSetting(on.admin, 'ReferralLoanNeedsAssignment', 'false');
    try {
      const loan = nextLoan();
      const item = { loan, borrowers: [borrower(1, 'Same', 'Sam', '900-12-0003')] };
      await firm.send('foreclosure', foreclosure(item));
      const answers = [];
      for (const guess of ['900-12-0003', '900-12-0004'])
        answers.push(
          await other.send(
            'foreclosure',
            foreclosure({ loan, subscriberId: 'guesses', borrowers: [borrower(1, 'Same', 'Sam', guess)] }),
          ),
        );
      const [first, second] = answers;
      assert.deepEqual(first?.reported, ['Loan None Warning', 'Foreclosure Insert Success']);
      assert.deepEqual([first?.success, first?.warnings], [1, 1]);
      assert.equal(
        first?.of('Loan')[0]?.message,
        'Not stored, because another source created the loan: ServicerLoanID, OriginalBalance, UPBAmount, ' +
          "Borrower 1. Ask the investor's staff to change them.",
      );
      assert.equal(
        second?.of('Loan')[0]?.message,
        first.of('Loan')[0]?.message,
        'right or wrong, the answer is the same',
      );
    } finally {
      await setSetting(on.admin, 'ReferralLoanNeedsAssignment', 'true');
    }
  });

  it("KRN-18 cannot access the other firm's case or its children", async () => {
    const loan = nextLoan();
    const mine = await firm.send(
      'foreclosure',
      foreclosure({
        loan,
        rest:
          '<Messages><MessageItem><Template>Case Note</Template><Message>Firm ' +
          'secret</Message><BodyText>B</BodyText></MessageItem></Messages>',
      }),
    );
    const theirs = await other.send('foreclosure', foreclosure({ loan }));
    assert.equal((await other.caller.get(`/api/foreclosure/${mine.caseId}`)).status, 404);
    const shared = String((await caseRow(mine.caseId))['LoanID']);
    assert.deepEqual(await other.search(`foreclosure/search?LoanID=${shared}`), []);
    assert.equal((await other.caller.get(`/api/loan/summary?ID=${shared}`)).status, 404);
    assert.deepEqual(await other.search('message/search?Message=Firm+secret'), []);
    const assigned = await on.admin.post('/api/foreclosure/save', {
      ID: theirs.caseId,
      LoanID: shared,
      LoanAssigned: true,
    });
    assert.equal(assigned.status, 200, assigned.text);
    assert.deepEqual(
      (await other.search(`foreclosure/search?LoanID=${shared}`)).map((r) => r['ForeclosureID']),
      [theirs.caseId],
    );
    const summary = await other.caller.get(`/api/loan/summary?ID=${shared}`);
    assert.equal(summary.status, 200, summary.text);
    assert.doesNotMatch(summary.text, /Firm secret/);
  });

  it('ReferralLoanMustExist makes an unknown loan an Error, and accepts a known one', async () => {
    await setSetting(on.admin, 'ReferralLoanMustExist', 'true');
    try {
      const loan = nextLoan();
      const refused = await firm.send('foreclosure', foreclosure({ loan }));
      assert.deepEqual([refused.status, refused.success], ['Error', 0]);
      assert.match(refused.results[0]?.message ?? '', /Loan\/Loan: the investor has no loan with this number/);
      await on.admin.post('/api/loan/save', { Loan: loan, Agency: 'INVESTOR' });
      const taken = await firm.send('foreclosure', foreclosure({ loan }));
      assert.equal(taken.http, 200, taken.text);
      assert.match(
        taken.of('Loan')[0]?.message ?? '',
        /Waiting for assignment/,
        "the investor's own loan is not opened",
      );
    } finally {
      await setSetting(on.admin, 'ReferralLoanMustExist', 'false');
    }
  });

  it('refuses loan numbers that are not digits, and accepts 1 to 9 digits', async () => {
    for (const loan of ['12A', '1 2', '-5'])
      assert.equal((await firm.send('foreclosure', foreclosure({ loan }))).status, 'Error', loan);
    assert.equal((await firm.send('foreclosure', foreclosure({ loan: '7' }))).http, 200);
  });

  it('the firm that created a loan can change it; borrowers match by Sequence and count as updates', async () => {
    const loan = nextLoan();
    const made = await firm.send(
      'foreclosure',
      foreclosure({
        loan,
        subscriberId: 'own-loan',
        borrowers: [borrower(1, 'Orr', 'Ida'), borrower(2, 'Orr', 'Max')],
      }),
    );
    const records = [
      '<PublicRecordItem><PublicRecord>Mortgage Deed of ' +
        'Trust</PublicRecord><FilingDate>2015-01-02</FilingDate></PublicRecordItem>',
      '<PublicRecordItem><PublicRecord>Mortgage Deed of ' +
        'Trust</PublicRecord><FilingDate>2018-01-02</FilingDate></PublicRecordItem>',
    ];
    const parts = {
      loan,
      subscriberId: 'own-loan',
      borrowers: [borrower(2, 'Orr-Lund', 'Max'), borrower(3, 'Lund', 'Eva')],
      publicRecords: records,
    };
    for (const operations of [
      ['Update', 'Insert'],
      ['Update', 'Update'],
    ]) {
      const answer = await firm.send('foreclosure', foreclosure(parts));
      assert.equal(answer.http, 200, answer.text);
      assert.deepEqual(
        answer.of('Contact').map((r) => r.operation),
        operations,
      );
    }
    assert.deepEqual(
      (await firm.search(`foreclosure/${made.caseId}/contact/search?OrderBy=Sequence`)).map((r) => r['Contact']),
      ['Orr, Ida', 'Orr-Lund, Max', 'Lund, Eva'],
    );
    assert.deepEqual(
      (await firm.search(`foreclosure/${made.caseId}/publicrecord/search?OrderBy=FilingDate`)).map(
        (r) => r['FilingDate'],
      ),
      ['2015-01-02', '2018-01-02'],
      'two records of one type remain separate',
    );
  });

  it('REF-03 REF-05 two borrowers with one Sequence are a Validation Error that names both lines, and nothing is saved', async () => {
    const loan = nextLoan();
    const xml = foreclosure({
      loan,
      borrowers: [
        borrower(1, 'Alpha', 'Ann', '900-11-1111'),
        `\n${borrower(1, 'Beta', 'Bob').replace('>1<', '> 1 <')}`,
      ],
    });
    const answer = await firm.send('foreclosure', xml);
    assert.deepEqual([answer.http, answer.status], [500, 'Validation Error'], answer.text);
    assert.match(
      answer.results[0]?.message ?? '',
      /^Line 3, .*BorrowerItem\[2\]: BorrowerItem has the Sequence 1 of the BorrowerItem in line 2; expected another/,
    );
    assert.deepEqual(
      (await on.platform.store.query<{ loan: string }>('select loan from loan where loan = $1::text', [loan])).length,
      0,
    );
    assert.equal(
      (await firm.send('foreclosure', foreclosure({ loan, borrowers: [borrower(1, 'A', 'B'), borrower(2, 'C', 'D')] })))
        .http,
      200,
    );
  });

  it('REF-03 KRN-21 a Sequence that comes with another name and no Social Security number does not take the old number over in silence', async () => {
    const loan = nextLoan();
    const send = (person: string): Promise<ReferralAnswer> =>
      firm.send('foreclosure', foreclosure({ loan, subscriberId: 'renamed', borrowers: [person] }));
    const made = await send(borrower(1, 'Alpha', 'Ann', '900-11-1234'));
    const last4 = async (): Promise<unknown> =>
      (await firm.search(`foreclosure/${made.caseId}/contact/search`))[0]?.['USSSN4'] ?? null;
    const again = await send(borrower(1, 'ALPHA', 'ann'));
    assert.deepEqual([again.of('Contact')[0]?.status, await last4()], ['Success', '1234'], 'the same name');
    const married = await send(borrower(1, 'Alpha-Reed', 'Ann'));
    assert.deepEqual([married.of('Contact')[0]?.status, await last4()], ['Warning', '1234']);
    assert.match(
      married.of('Contact')[0]?.message ?? '',
      /was ALPHA, ann\. The Social Security number on file was kept/,
    );
    const masked = await send(borrower(1, 'Alpha-Reed', 'Ann', 'XXX-XX-9999'));
    assert.deepEqual([masked.of('Contact')[0]?.status, await last4()], ['Warning', '1234']);
    assert.match(masked.of('Contact')[0]?.message ?? '', /masked/);
    assert.equal((await send(borrower(1, 'Alpha-Reed', 'Ann', 'XXX-XX-1234'))).of('Contact')[0]?.status, 'Success');
    const other = await send(borrower(1, 'Beta', 'Bob'));
    assert.deepEqual([other.http, other.of('Contact')[0]?.status, await last4()], [200, 'Warning', null]);
    assert.match(other.of('Contact')[0]?.message ?? '', /another person/);
  });

  it('REF-08 Autobind ignores the case of the Attorney Case ID and keeps its spelling', async () => {
    const loan = nextLoan();
    const { caseId } = await firm.send('foreclosure', foreclosure({ loan, caseNumber: 'AbC-3' }));
    const bound = await firm.send('foreclosureupdate', updateByNumber(loan, 'abc-3', '<Status>On Hold</Status>'));
    assert.deepEqual([bound.http, bound.caseId], [200, caseId]);
    const only = await firm.send('foreclosureupdate', updateByNumber(loan, 'ABC-3'));
    assert.deepEqual([only.reported, only.success], [['Loan None Success', 'Foreclosure None Success'], 0]);
    const [row] = await searchRows(on.admin, `foreclosure/search?ForeclosureID=${caseId}`);
    assert.deepEqual([row?.['Foreclosure'], row?.['Status']], ['AbC-3', 'On Hold']);
  });

  it('REF-04 REF-17 Open with DateClosed is refused and reopening empties it, in referrals and saves alike', async () => {
    const subscriberId = 'reopened';
    const { caseId } = await firm.send('foreclosure', foreclosure({ subscriberId }));
    const state = async (): Promise<unknown[]> => {
      const row = (await searchRows(on.admin, `foreclosure/search?ForeclosureID=${caseId}`))[0] ?? {};
      return [row['Status'], row['DateClosed'] ?? null, row['ClosedReason'] ?? null];
    };
    const contradiction = await firm.send(
      'foreclosureupdate',
      updateOf(subscriberId, close.replace('>Closed<', '>Open<')),
    );
    assert.equal(contradiction.http, 500);
    assert.equal(contradiction.of('Foreclosure')[0]?.objectId, caseId, 'a failed update names its case');
    assert.match(
      contradiction.of('Foreclosure')[0]?.message ?? '',
      /^DateClosed: a case that is Open has no closing date/,
    );
    for (const Status of ['Open', 'on hold']) {
      const refused = await on.admin.post('/api/foreclosure/save', { ID: caseId, Status, DateClosed: '2024-07-01' });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /DateClosed/);
    }
    assert.deepEqual(await state(), ['Open', null, null]);
    await firm.send('foreclosureupdate', updateOf(subscriberId, close));
    assert.deepEqual(await state(), ['Closed', '2024-07-01', 'Sold']);
    const reopened = await firm.send('foreclosureupdate', updateOf(subscriberId, '<Status>Open</Status>'));
    assert.deepEqual([reopened.http, reopened.of('Foreclosure')[0]?.status], [200, 'Warning']);
    assert.deepEqual(await state(), ['Open', null, null]);
    await on.admin.post('/api/foreclosure/save', { ID: caseId, DateClosed: '2024-08-01', ClosedReason: 'Paid' });
    assert.deepEqual(await state(), ['Closed', '2024-08-01', 'Paid'], 'a closing date closes');
    await on.admin.post('/api/foreclosure/save', { ID: caseId, Status: 'On Hold' });
    assert.deepEqual(await state(), ['On Hold', null, null]);
  });

  it('REF-04 a new referral with Status Closed says how to close a case', async () => {
    const answer = await firm.send('foreclosure', foreclosure({ status: 'Closed' }));
    assert.equal(answer.http, 500);
    assert.match(answer.of('Foreclosure')[0]?.message ?? '', /ForeclosureUpdate/);
  });

  it('REF-02 an update that only finds its case by the loan number counts no change of the loan', async () => {
    const [loan, parts] = [nextLoan(), { subscriberId: 'unchanged-loan', caseNumber: 'UL-1' }];
    await firm.send('foreclosure', foreclosure({ loan, ...parts }));
    const bound = await firm.send(
      'foreclosureupdate',
      updateByNumber(loan, 'UL-1', '<DateOpened>2024-04-01</DateOpened>'),
    );
    assert.deepEqual([bound.reported, bound.success], [['Loan None Success', 'Foreclosure Update Success'], 1]);
  });

  it('REF-02 REF-08 an equal loan and property that are sent again, by SubscriberID or Autobind, are None and not counted; a changed one is an Update', async () => {
    const loan = nextLoan();
    const parts = (balance: string, city: string): object => ({
      loan,
      caseNumber: 'EQ-1',
      loanRest:
        '<ServicerLoanID>S-1</ServicerLoanID>' +
        `<OriginalBalance>${balance}</OriginalBalance><UPBAmount>2</UPBAmount>`,
      property: `<Property_City>${city}</Property_City><Property_PostalCode>18776</Property_PostalCode>`,
    });
    const send = async (subscriberId: string | undefined, balance: string, city: string): Promise<unknown> => {
      const answer = await firm.send(
        'foreclosure',
        foreclosure({
          ...parts(balance, city),
          ...(subscriberId !== undefined && { subscriberId }),
        }),
      );
      return [answer.success, ...['Property', 'Loan'].map((of) => answer.of(of)[0]?.operation)];
    };
    assert.deepEqual(await send('equal-loan', '1000.5', 'Granby'), [4, 'Insert', 'Insert']);
    assert.deepEqual(await send('equal-loan', '1000.50', 'Granby'), [2, 'None', 'None']);
    assert.deepEqual(await send(undefined, '1000.50', 'Granby'), [2, 'None', 'None']);
    assert.deepEqual(await send('equal-loan', '1000.50', 'Simsbury'), [3, 'Update', 'None']);
    assert.deepEqual(await send('equal-loan', '999', 'Simsbury'), [3, 'None', 'Update']);
  });

  it('staff can change any loan, and their cases belong to no firm', async () => {
    const loan = nextLoan();
    await firm.send('foreclosure', foreclosure({ loan }));
    const answer = await sendReferral(
      on.admin,
      'foreclosure',
      collection(
        foreclosureItem({
          loan,
          loanRest:
            '<ServicerLoanID>STAFF</ServicerLoanID><OriginalBalance>1</OriginalBalance><UPBAmount>2</UPBAmount>',
        }),
      ),
    );
    assert.equal(answer.of('Loan')[0]?.operation, 'Update');
    assert.equal((await loanRow(loan))['ServicerLoanID'], 'STAFF');
  });

  it('a firm whose cases on a loan that it created are gone can refer the loan again, and owns it as before', async () => {
    const loan = nextLoan();
    const parts = {
      loan,
      property: '<Property_City>Granby</Property_City>',
      borrowers: [borrower(1, 'Gone', 'Ida')],
    };
    const made = await firm.send('foreclosure', foreclosure({ ...parts, subscriberId: 'gone' }));
    assert.equal((await on.admin.post(`/api/foreclosure/delete?ID=${made.caseId}`)).status, 200);
    assert.deepEqual(await firm.search(`loan/search?Loan=${loan}`), [], 'without a case it is not visible');
    const stranger = await other.send(
      'foreclosure',
      foreclosure({ ...parts, borrowers: [borrower(1, 'Gone', 'Other')] }),
    );
    assert.equal(stranger.of('Loan')[0]?.status, 'Warning', 'nor to a stranger');
    const again = await firm.send(
      'foreclosure',
      foreclosure({ ...parts, subscriberId: 'gone-2', borrowers: [borrower(1, 'Gone', 'Eva')] }),
    );
    assert.deepEqual([again.http, again.of('Contact').map((r) => r.operation)], [200, ['Update']], again.text);
    assert.deepEqual(
      (await firm.search(`foreclosure/${again.caseId}/contact/search`)).map((r) => r['FirstName']),
      ['Eva'],
    );
    const [stored] = await on.platform.store.query<{ firms: string }>(
      `select array_to_string(reachorganizationid, ' ') as firms from loan
       where loan = $1::text and assignmentstatus is null`,
      [loan],
    );
    assert.equal(stored?.firms, String(firm.organizationId));
  });

  it('updates do not change a loan that staff withheld from the case of the firm that created it, but are saved otherwise', async () => {
    const loan = nextLoan();
    const made = await firm.send('foreclosure', foreclosure({ loan, subscriberId: 'withheld' }));
    assert.equal((await on.admin.post('/api/foreclosure/save', { ID: made.caseId, LoanAssigned: false })).status, 200);
    const answer = await firm.send(
      'foreclosureupdate',
      updateOf(
        'withheld',
        `<Loan><Loan>${loan}</Loan><ServicerLoanID>NEW</ServicerLoanID></Loan><Status>On Hold</Status>`,
      ),
    );
    assert.deepEqual(
      [answer.http, answer.reported],
      [200, ['Loan None Warning', 'Foreclosure Update Success']],
      answer.text,
    );
    assert.equal((await loanRow(loan))['ServicerLoanID'], 'S-1');
    assert.deepEqual(await firm.search(`loan/search?Loan=${loan}`), []);
  });
});
