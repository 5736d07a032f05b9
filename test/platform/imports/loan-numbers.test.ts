import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { bulkOn } from '../../support/imports/bulk.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  borrower,
  collection,
  foreclosure,
  foreclosureItem,
  nextLoan,
  referral,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  updateOf,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const role = await on.admin.post('/api/role/save', { Role: 'Everything', Permissions: '*', UniversalAccess: false });
assert.equal(role.status, 200, role.text);
const owner = await referralFirm(on, 'Alder Law');
const attacker = await referralFirm(on, 'Birch Law', 'Everything');

/** A loan of another firm, with everything that must not leak. */
async function victim(): Promise<{ loan: string; loanId: number; caseId: number }> {
  const loan = nextLoan();
  const made = await owner.send(
    'foreclosure',
    foreclosure({
      loan,
      subscriberId: `victim ${loan}`,
      property: '<Property_Address>77 Hidden Lane</Property_Address><Property_City>Secretville</Property_City>',
      borrowers: [borrower(1, 'Thistlewood', 'Oona', '618-33-4410')],
    }),
  );
  const [row] = await owner.search(`foreclosure/search?ForeclosureID=${made.caseId}`);
  return { loan, loanId: Number(row?.['LoanID']), caseId: made.caseId };
}

/** The last four digits may occur by chance in an ID of the call, but not with what masks the others. */
const SECRETS = /Thistlewood|Oona|Hidden Lane|Secretville|XX-4410|618334410|>4410<|150000\.55/;

/** An item with a guess of the borrower's number, and values that otherwise are not the victim's. */
const guess = (loan: string, ssn: string, reference: string): string =>
  foreclosureItem({
    loan,
    reference,
    subscriberId: `guess ${loan}`,
    caseNumber: 'G-1',
    loanRest: '<ServicerLoanID>G</ServicerLoanID><OriginalBalance>1.00</OriginalBalance><UPBAmount>2.00</UPBAmount>',
    borrowers: [borrower(1, 'Guess', 'Gus', ssn)],
  });

describe('a firm that knows a loan number', () => {
  it('REF-08 KRN-18 KRN-21 learns nothing by 1,000 guesses of a number in one submission: all answers are equal', async () => {
    const { loan } = await victim();
    const items = Array.from({ length: 1_000 }, (_, n) => {
      const group = String(n % 100).padStart(2, '0');
      return guess(loan, n === 500 ? '618-33-4410' : `618-${group === '33' ? '34' : group}-4410`, 'same');
    });
    const answer = await attacker.send('foreclosure', collection(items));
    assert.equal(answer.http, 200, answer.text.slice(0, 500));
    const perItem = new Map<string, number>();
    for (const { object, operation, status, message } of answer.results) {
      const text = `${object} ${operation} ${status} ${message ?? ''}`;
      perItem.set(text, (perItem.get(text) ?? 0) + 1);
    }
    for (const [text, count] of perItem) {
      assert.ok([1, 999, 1_000].includes(count), `${count} times: ${text}`);
      assert.doesNotMatch(text, SECRETS);
    }
    assert.doesNotMatch(answer.text, /Thistlewood|Hidden Lane/);
  });

  it('REF-08 KRN-18 reads neither loan nor borrowers, property or public records by enumerating numbers', async () => {
    const known = [await victim(), await victim(), await victim()];
    const numbers = known.map(({ loan }) => loan);
    const answer = await attacker.send(
      'foreclosure',
      collection([...numbers, nextLoan()].map((loan) => guess(loan, '900-11-1111', loan))),
    );
    assert.equal(answer.http, 200, answer.text);
    assert.doesNotMatch(answer.text, SECRETS);
    assert.deepEqual(
      answer.of('Loan').map(({ status }) => status),
      ['Warning', 'Warning', 'Warning', 'Success'],
    );
    for (const { loan, loanId, caseId } of known) {
      for (const path of [
        `loan/select/${loanId}`,
        `loan/summary/${loanId}`,
        `loan/history?ID=${loanId}`,
        `loan/asof?ID=${loanId}&At=2100-01-01`,
        `loan/${loanId}/contact/search`,
        `loan/${loanId}/publicrecord/search`,
        `foreclosure/select/${caseId}`,
      ]) {
        const read = await attacker.caller.get(`/api/${path}`);
        assert.doesNotMatch(read.text, SECRETS, path);
        assert.notEqual(read.status, 200, `${path}: ${read.text}`);
      }
      const [own] = await attacker.search(`foreclosure/search?Loan_Loan=${loan}`).catch(() => []);
      for (const path of ['contact/search', 'property/search', 'loan/search', 'publicrecord/search'])
        assert.doesNotMatch(
          (await attacker.caller.get(`/api/foreclosure/${String(own?.['ForeclosureID'] ?? 0)}/${path}`)).text,
          SECRETS,
        );
    }
    assert.deepEqual(await attacker.search('contact/search?LastName=Thistlewood'), []);
    assert.deepEqual(await attacker.search('property/search?City=Secretville'), []);
  });

  it('KRN-18 gets the same answer by loan/save as by a referral, and only its own loan', async () => {
    const { loan, loanId } = await victim();
    const saved = await attacker.caller.post('/api/loan/save?Output=Json', {
      Loan: loan,
      Agency: 'INVESTOR',
      UPBAmount: 1,
    });
    assert.equal(saved.status, 200, saved.text);
    assert.match(saved.text, /Waiting for assignment: another source created a loan with this number/);
    assert.doesNotMatch(saved.text, SECRETS);
    const row = saved.json();
    assert.notEqual(row['LoanID'], loanId);
    assert.deepEqual([row['AssignmentStatus'], row['SourceOrganizationID']], ['Waiting', attacker.organizationId]);
    const again = await attacker.caller.post('/api/loan/save', { Loan: loan, Agency: 'INVESTOR' });
    assert.equal(again.status, 409);
    assert.match(again.text, /Loan: your firm already has a loan with this number/);
    const linked = await attacker.caller.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: 'LINKED',
      OrganizationID: attacker.organizationId,
      Loan_Loan: (await victim()).loan,
      Loan_Agency: 'INVESTOR',
    });
    assert.equal(linked.status, 200, linked.text);
    assert.equal(linked.json()['LoanAssigned'], false, 'nor by a loan that is saved with a case');
    assert.doesNotMatch(
      (await attacker.caller.get(`/api/foreclosure/${String(linked.json()['ForeclosureID'])}/contact/search`)).text,
      SECRETS,
    );
    const sent = await attacker.send('foreclosure', foreclosure({ loan }));
    assert.deepEqual(
      sent.of('Loan').map(({ objectId, operation, status }) => [objectId, operation, status]),
      [[row['LoanID'], 'Update', 'Warning']],
      'a referral uses the loan that waits',
    );
  });

  it('KRN-18 cannot open the loan by renumbering, assigning, moving or rolling back its own records', async () => {
    const { loan, loanId } = await victim();
    const free = nextLoan();
    const made = await attacker.send('foreclosure', foreclosure({ loan: free, subscriberId: `own ${free}` }));
    const [own] = await attacker.search(`foreclosure/search?ForeclosureID=${made.caseId}`);
    const renumbered = await attacker.caller.post('/api/loan/save?Output=Json', { ID: own?.['LoanID'], Loan: loan });
    assert.equal(renumbered.status, 200, renumbered.text);
    assert.match(renumbered.text, /Waiting for assignment/);
    for (const [path, body] of [
      ['loan/save', { ID: own?.['LoanID'], Loan: nextLoan() }],
      ['loan/save', { ID: own?.['LoanID'], SourceOrganizationID: owner.organizationId }],
      ['foreclosure/save', { ID: made.caseId, LoanID: loanId }],
    ] as const) {
      const answer = await attacker.caller.post(`/api/${path}`, body);
      assert.ok([404, 422].includes(answer.status), `${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
      assert.doesNotMatch(answer.text, SECRETS);
    }
    const waiting = await attacker.send(
      'foreclosure',
      foreclosure({ loan: (await victim()).loan, subscriberId: 'mine' }),
    );
    const assigned = await attacker.caller.post('/api/foreclosure/save', { ID: waiting.caseId, LoanAssigned: true });
    assert.equal(assigned.status, 422, assigned.text);
    assert.match(assigned.text, /LoanAssigned: the investor/);
  });

  it('KRN-18 is withheld a loan that it created itself, where staff withhold it from its case', async () => {
    const loan = nextLoan();
    const made = await owner.send('foreclosure', foreclosure({ loan, subscriberId: `withheld ${loan}` }));
    assert.equal((await on.admin.post('/api/foreclosure/save', { ID: made.caseId, LoanAssigned: false })).status, 200);
    assert.deepEqual(await owner.search(`loan/search?Loan=${loan}`), []);
    const again = await owner.send('foreclosure', foreclosure({ loan, subscriberId: `withheld again ${loan}` }));
    assert.match(again.of('Loan')[0]?.message ?? '', /Waiting for assignment/);
  });

  it('REF-12 KRN-18 waits with a motion or a claim, and with an update that gives its case a loan', async () => {
    for (const kind of ['MFR', 'POC'] as const) {
      const { loan } = await victim();
      const answer = await attacker.send(kind.toLowerCase(), referral(kind, { loan }));
      assert.equal(answer.http, 200, answer.text);
      assert.match(answer.of('Loan')[0]?.message ?? '', /Waiting for assignment/);
      assert.doesNotMatch((await attacker.caller.get(`/api/bankruptcy/${answer.caseId}/contact/search`)).text, SECRETS);
    }
    const { loan } = await victim();
    const bare = await attacker.caller.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: 'BARE',
      SubscriberID: 'bare',
      OrganizationID: attacker.organizationId,
    });
    assert.equal(bare.status, 200, bare.text);
    const update = await attacker.send(
      'foreclosureupdate',
      updateOf('bare', `<Loan><Loan>${loan}</Loan><UPBAmount>5</UPBAmount></Loan><Status>On Hold</Status>`),
    );
    assert.match(update.of('Loan')[0]?.message ?? '', /Waiting for assignment/, update.text);
    const [row] = await attacker.search('foreclosure/search?Foreclosure=BARE');
    assert.deepEqual([row?.['LoanAssigned'], row?.['Status']], [false, 'On Hold']);
  });
});

describe('loan numbers', () => {
  it('KRN-18 REF-08 are unique for one investor, and for none: staff are refused a second loan, naming the field', async () => {
    for (const investor of [{ Agency: 'INVESTOR' }, {}]) {
      const loan = nextLoan();
      const first = await on.admin.post('/api/loan/save?Output=Json', { Loan: loan, ...investor });
      assert.equal(first.status, 200, first.text);
      const second = await on.admin.post('/api/loan/save?Output=Json', { Loan: loan, ...investor });
      assert.equal(second.status, 409, second.text);
      assert.match(second.text, new RegExp(`Loan: Loan ${String(first.json()['LoanID'])} .*already has this value`));
    }
    const numberless = { ServicerLoanID: 'no number' };
    for (const attempt of [1, 2])
      assert.equal((await on.admin.post('/api/loan/save', numberless)).status, 200, `without a number, ${attempt}`);
  });

  it("REF-08 an import by staff that finds loans by number updates the loan and never what a firm's referral waits with", async () => {
    const { loan, loanId } = await victim();
    await attacker.send('foreclosure', foreclosure({ loan }));
    const bulk = bulkOn(on);
    const name = await bulk.template({
      engine: 'DelimitedEngine',
      fields: { AppliesTo: 'Loan' },
      maps: [
        { ImportFileMap: 'Loan', Destination: 'Loan', ImportFileMapType: 'Key' },
        { ImportFileMap: 'Balance', Destination: 'UPBAmount' },
      ],
    });
    const imported = await bulk.send(name, `Loan,Balance\n${loan},4321\n`);
    assert.deepEqual([imported.success, imported.errors], [1, 0]);
    const rows = await searchRows(on.admin, `loan/search?Loan=${loan}&OrderBy=LoanID`);
    assert.deepEqual(
      rows.map((row) => [row['LoanID'] === loanId, row['UPBAmount']]),
      [
        [true, 4321],
        [false, 150000.55],
      ],
    );
  });
});
