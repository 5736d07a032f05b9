import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import {
  bankruptcyItem,
  borrower,
  collection,
  loanXml,
  nextLoan,
  referral,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  updateByNumber,
  updateOf,
  type CaseElement,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

const kinds = ['POC', 'MFR'] as const;
const all: readonly CaseElement[] = ['Foreclosure', ...kinds];
const close = '<Status>Closed</Status><DateClosed>2024-07-01</DateClosed><ClosedReason>Order granted</ClosedReason>';
const count = async (table: string): Promise<number> =>
  Number((await on.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n);
const caseRow = async (id: number): Promise<Record<string, unknown>> =>
  (await firm.search(`bankruptcy/search?BankruptcyID=${id}`))[0] ?? {};
const anyCase = async (id: number): Promise<Record<string, unknown>> =>
  (await firm.search(`process/search?ProcessID=${id}`))[0] ?? {};
const below = (id: number, path: string): Promise<Record<string, unknown>[]> => firm.search(`bankruptcy/${id}/${path}`);
const picked = (row: Record<string, unknown> | undefined, names: readonly string[]): unknown[] =>
  names.map((name) => row?.[name]);
const ledger = (name: 'Pre' | 'Post', items: string): string =>
  `<${name}PetitionArrearagesLedger><Template>${name} Petition ` +
  `Arrearages</Template><Items>${items}</Items></${name}PetitionArrearagesLedger>`;
const note =
  '<Messages><MessageItem><Template>Bankruptcy Note</Template><Message>Plan</Message><BodyText>With the ' +
  'trustee.</BodyText></MessageItem></Messages>';
const step = (rest: string): string =>
  `<Forms><ImportFormItem><Template>Order Entered</Template>${rest}</ImportFormItem></Forms>`;
const hold = (rest: string): string =>
  `<Delays><DecisionDelayItem><Template>Trustee Review</Template>${rest}</DecisionDelayItem></Delays>`;
const claim = (text: string): string =>
  '<Attachments><AttachmentItem><FileName>claim.txt</FileName><Template>Proof of Claim</Template><Content>' +
  `<![CDATA[${Buffer.from(text).toString('base64')}]]></Content></AttachmentItem></Attachments>`;

describe('a bankruptcy referral', () => {
  for (const kind of kinds) {
    it(`REF-01 REF-02 REF-10 REF-12 ${kind} creates a Bankruptcy of this type in the sender's firm, with every element stored under its name`, async () => {
      const loan = nextLoan();
      const answer = await firm.send(
        kind,
        collection(
          bankruptcyItem(kind, {
            loan,
            caseNumber: `${kind}-77`,
            opened: '2024-03-05T23:30:00+02:00',
            borrowers: [borrower(1, 'Amsel', 'Ida', '900-11-2233'), borrower(2, 'Amsel', 'Otto')],
            property: '<Property_City>Granby</Property_City>',
            rest:
              '<BKCaseNo>24-29751</BKCaseNo><Chapter>13</Chapter><Court>Northern District</Court>' +
              '<FilingDate>2024-01-02</FilingDate><BarDate>2024-03-12T00:00:00Z</BarDate>' +
              '<HearingDate>2024-02-26</HearingDate>',
          }),
          `batch of ${kind}`,
        ),
      );
      assert.deepEqual(
        [answer.http, answer.status, answer.attributes['Reference']],
        [200, 'Complete', `batch of ${kind}`],
        answer.text,
      );
      assert.deepEqual(
        [...answer.reported].sort(),
        ['Bankruptcy', 'Contact', 'Contact', 'Loan', 'Property'].map((o) => `${o} Insert Success`),
      );
      assert.deepEqual([answer.success, answer.warnings, answer.errors], [5, 0, 0]);
      assert.match(
        answer.of('Bankruptcy')[0]?.properties ?? '',
        new RegExp(`<BankruptcyType>${kind}</BankruptcyType>`),
      );
      assert.doesNotMatch(answer.text, /900-?11-?2233/);
      const row = await caseRow(answer.caseId);
      assert.deepEqual(
        picked(row, [
          'Bankruptcy',
          'BankruptcyType',
          'Status',
          'DateOpened',
          'BKCaseNo',
          'Chapter',
          'Court',
          'FilingDate',
          'BarDate',
          'HearingDate',
          'OrganizationID',
        ]),
        [
          `${kind}-77`,
          kind,
          'Open',
          '2024-03-05',
          '24-29751',
          '13',
          'Northern District',
          '2024-01-02',
          '2024-03-12',
          '2024-02-26',
          firm.organizationId,
        ],
      );
      assert.deepEqual(picked(await anyCase(answer.caseId), ['Process', 'ProcessType', 'RecordClass']), [
        `${kind}-77`,
        kind,
        'Bankruptcy',
      ]);
      assert.deepEqual(
        (await firm.search(`bankruptcy/search?BKCaseNo=24-29751&BankruptcyType=${kind}`)).map((r) => r['BankruptcyID']),
        [answer.caseId],
      );
      assert.deepEqual(
        (await firm.search(`bankruptcy/${answer.caseId}/contact/search?OrderBy=Sequence`)).map((r) => r['Contact']),
        ['Amsel, Ida', 'Amsel, Otto'],
      );
      assert.deepEqual((await firm.search(`loan/search?Loan=${loan}`)).length, 1);
      assert.deepEqual(
        picked((await firm.search(`importfile/search?ImportFileID=${answer.id}`))[0], ['Object', 'ObjectID']),
        ['Bankruptcy', answer.caseId],
        "the run is the case's",
      );
    });

    it(`REF-06 REF-19 REF-21 ${kind} stores nested records on the bankruptcy, and an update completes those same records`, async () => {
      const subscriberId = `nested-${kind}`;
      const rest =
        hold('<ActualStart>2024-04-01</ActualStart>') +
        step('<ProjectedCompletion>2024-05-01</ProjectedCompletion><Messages_0_Message>Argued</Messages_0_Message>') +
        note +
        claim('the claim');
      const made = await firm.send(kind, referral(kind, { subscriberId, rest }));
      assert.equal(made.http, 200, made.text);
      const again = await firm.send(`${kind}update`, updateOf(subscriberId, rest, kind));
      assert.deepEqual(
        again.reported.filter((t) => t.includes('Insert')),
        [],
        'records sent again are not added',
      );
      assert.deepEqual(
        [again.of('Message').map((r) => r.operation), again.of('Attachment').map((r) => r.operation)],
        [['None', 'None'], ['None']],
      );
      const ended = await firm.send(
        `${kind}update`,
        updateOf(
          subscriberId,
          hold('<ActualCompletion>2024-04-20</ActualCompletion>') +
            step('<ActualCompletion>2024-05-03</ActualCompletion>'),
          kind,
        ),
      );
      assert.equal(ended.http, 200, ended.text);
      const [held, formed] = [
        await below(made.caseId, 'decisiondelay/search'),
        await below(made.caseId, 'importform/search'),
      ];
      assert.deepEqual(
        held.map((r) => [String(r['ActualStart']).slice(0, 10), String(r['ActualCompletion']).slice(0, 10)]),
        [['2024-04-01', '2024-04-20']],
      );
      assert.deepEqual(
        formed.map((r) => [
          r['ImportForm'],
          String(r['ProjectedCompletion']).slice(0, 10),
          String(r['ActualCompletion']).slice(0, 10),
        ]),
        [['Order Entered', '2024-05-01', '2024-05-03']],
      );
      assert.deepEqual(
        (await below(made.caseId, 'message/search?OrderBy=Message')).map((r) => [r['Message'], r['Object']]),
        [
          ['Argued', 'ImportForm'],
          ['Plan', 'Bankruptcy'],
        ],
      );
      const [file] = await below(made.caseId, 'attachment/search');
      assert.equal(
        (await firm.caller.get(`/api/attachment/download?ID=${String(file?.['AttachmentID'])}`)).text,
        'the claim',
      );
      const wrong = await firm.send(
        `${kind}update`,
        updateOf(
          subscriberId,
          '<Forms><ImportFormItem><Template>Complaint Filed</Template></ImportFormItem></Forms>',
          kind,
        ),
      );
      assert.match(
        wrong.of('ImportForm')[0]?.message ?? '',
        /no ImportFormTemplate for Bankruptcy is named "Complaint Filed"/,
      );
    });

    it(`REF-14 ${kind} stores arrearages from before and after the petition, each as a ledger with another ledger below its line`, async () => {
      const subscriberId = `arrears-${kind}`;
      const made = await firm.send(
        kind,
        referral(kind, {
          subscriberId,
          rest:
            ledger(
              'Pre',
              '<MissedPayments>10.10</MissedPayments><FCFeesCosts><Items><ForeclosureFee>100</ForeclosureFee>' +
                '<FilingFee>20.25</FilingFee></Items></FCFeesCosts>',
            ) + ledger('Post', '<MissedPayments>1</MissedPayments><AttorneyCosts>2.5</AttorneyCosts>'),
        }),
      );
      assert.equal(made.http, 200, made.text);
      assert.deepEqual([made.of('Ledger').length, made.of('LedgerItem').length], [3, 6]);
      const balances = async (): Promise<Record<string, unknown>> =>
        Object.fromEntries((await below(made.caseId, 'ledger/search')).map((r) => [String(r['Ledger']), r['Balance']]));
      assert.deepEqual(await balances(), { 'Pre Petition Arrearages': 130.35, 'Post Petition Arrearages': 3.5 });
      const changed = await firm.send(
        `${kind}update`,
        updateOf(
          subscriberId,
          ledger('Pre', '<FCFeesCosts><Items><FilingFee>5</FilingFee></Items></FCFeesCosts><Colour>1</Colour>') +
            ledger('Post', '<EscrowShortage>4</EscrowShortage>'),
          kind,
        ),
      );
      assert.deepEqual([changed.status, changed.errors], ['Error', 1]);
      assert.match(
        changed.results.find((r) => r.status === 'Error')?.message ?? '',
        /^Colour: the ledger has no such line/,
      );
      assert.deepEqual(await balances(), { 'Pre Petition Arrearages': 115.1, 'Post Petition Arrearages': 7.5 });
      const ofForeclosure = await firm.send(
        `${kind}update`,
        updateOf(
          subscriberId,
          ledger('Pre', '<MissedPayments>1</MissedPayments>').replace('Pre Petition Arrearages', 'Total Debt'),
          kind,
        ),
      );
      assert.equal(ofForeclosure.of('Ledger')[0]?.status, 'Error', "the total debt is a foreclosure's");
    });

    it(`REF-04 REF-17 REF-18 ${kind}Update closes only with DateClosed and ClosedReason; a closed case keeps its SubscriberID`, async () => {
      const loan = nextLoan();
      const subscriberId = `closing-${kind}`;
      for (const element of ['<DateClosed>2024-05-05</DateClosed>', '<ClosedReason>Paid</ClosedReason>'])
        assert.equal((await firm.send(kind, referral(kind, { rest: element }))).status, 'Validation Error');
      assert.deepEqual((await firm.send(kind, referral(kind, { status: 'Closed' }))).reported, [
        'Bankruptcy Save Error',
      ]);
      const made = await firm.send(kind, referral(kind, { loan, subscriberId, caseNumber: 'K-1' }));
      const before = await caseRow(made.caseId);
      for (const half of [
        '<Status>Closed</Status>',
        '<Status>Closed</Status><DateClosed>2024-07-01</DateClosed>',
        '<Status>Closed</Status><ClosedReason>Sold</ClosedReason>',
        '<DateClosed>2024-07-01</DateClosed>',
      ]) {
        const answer = await firm.send(`${kind}update`, updateOf(subscriberId, half, kind));
        assert.deepEqual([answer.http, answer.status, answer.success], [500, 'Error', 0], half);
        assert.deepEqual(await caseRow(made.caseId), before);
      }
      assert.equal((await firm.send(`${kind}update`, updateOf(subscriberId, close, kind))).http, 200);
      assert.deepEqual(picked(await caseRow(made.caseId), ['Status', 'DateClosed', 'ClosedReason']), [
        'Closed',
        '2024-07-01',
        'Order granted',
      ]);
      const again = await firm.send(kind, referral(kind, { loan, subscriberId, caseNumber: 'K-1' }));
      assert.match(
        again.results[0]?.message ?? '',
        new RegExp(`^SubscriberID: the ${kind} with this identifier is closed`),
      );
      const second = await firm.send(
        kind,
        referral(kind, { loan, subscriberId: `${subscriberId}-2`, caseNumber: 'K-1' }),
      );
      assert.notEqual(second.caseId, made.caseId);
    });

    it(`REF-08 ${kind}Update changes only the elements sent, and clears those sent empty`, async () => {
      const subscriberId = `only-${kind}`;
      const made = await firm.send(
        kind,
        referral(kind, {
          subscriberId,
          rest: '<BKCaseNo>24-1</BKCaseNo><Chapter>7</Chapter><Court>Southern</Court><BarDate>2024-05-01</BarDate>',
        }),
      );
      const answer = await firm.send(
        `${kind}update`,
        updateOf(
          subscriberId,
          '<Status>On Hold</Status><Chapter></Chapter><HearingDate>2024-06-01</HearingDate>',
          kind,
        ),
      );
      assert.deepEqual(answer.reported, ['Bankruptcy Update Success']);
      assert.deepEqual(
        picked(await caseRow(made.caseId), [
          'Status',
          'BKCaseNo',
          'Chapter',
          'Court',
          'BarDate',
          'HearingDate',
          'BankruptcyType',
        ]),
        ['On Hold', '24-1', undefined, 'Southern', '2024-05-01', '2024-06-01', kind],
      );
    });
  }

  it('REF-11 REF-22 in a document of several items, each item is saved by itself and has its own Result', async () => {
    const answer = await firm.send(
      'poc',
      collection([
        bankruptcyItem('POC', { reference: 'one' }),
        bankruptcyItem('POC', { reference: 'bad', loan: 'ABC', rest: note }),
        bankruptcyItem('POC', { reference: 'three' }),
      ]),
    );
    assert.deepEqual([answer.http, answer.status, answer.errors], [500, 'Error', 1]);
    assert.deepEqual(
      answer.of('Bankruptcy').map((r) => [r.reference, r.operation, r.status]),
      [
        ['one', 'Insert', 'Success'],
        ['bad', 'Save', 'Error'],
        ['three', 'Insert', 'Success'],
      ],
    );
    assert.deepEqual(
      (await firm.search('importlog/search?Reference=bad')).map((r) => [r['ImportLogID'], r['SourceLine']]),
      [[answer.results.find((r) => r.reference === 'bad')?.id, 2]],
    );
  });

  it('each referral creates its own bankruptcy, even for the same court case number', async () => {
    const loan = nextLoan();
    for (const kind of kinds)
      assert.equal(
        (await firm.send(kind, referral(kind, { loan, caseNumber: 'CN', rest: '<BKCaseNo>24-55555</BKCaseNo>' }))).http,
        200,
      );
    assert.deepEqual(
      (await firm.search('bankruptcy/search?BKCaseNo=24-55555&OrderBy=BankruptcyType')).map((r) => r['BankruptcyType']),
      ['MFR', 'POC'],
    );
    assert.deepEqual(
      (await firm.search('record/find?Text=24-55555')).map((r) => [r['Object'], r['Label'], r['FoundBy']]),
      [
        ['Bankruptcy', 'CN', 'BKCaseNo'],
        ['Bankruptcy', 'CN', 'BKCaseNo'],
      ],
    );
    assert.deepEqual(await other.search('record/find?Text=24-55555'), []);
  });
});

describe('binding', () => {
  for (const kind of kinds) {
    it(`REF-08 ${kind} binds by exact SubscriberID within the firm`, async () => {
      const loan = nextLoan();
      const first = await firm.send(kind, referral(kind, { loan, subscriberId: `https://x.example-${kind}-1` }));
      const again = await firm.send(
        kind,
        referral(kind, { loan, subscriberId: `https://x.example-${kind}-1`, status: 'On Hold' }),
      );
      assert.deepEqual([again.caseId, again.of('Bankruptcy')[0]?.operation], [first.caseId, 'Update']);
      const spelled = await firm.send(kind, referral(kind, { loan, subscriberId: `HTTPS://x.example-${kind}-1` }));
      assert.notEqual(spelled.caseId, first.caseId);
      for (const subscriberId of [`https://x.example-${kind}-1`, 'of nobody']) {
        const refused = await other.send(`${kind}update`, updateOf(subscriberId, '<Status>Open</Status>', kind));
        assert.deepEqual(
          refused.results.map((r) => r.message),
          [`SubscriberID: no ${kind} has this identifier.`],
          'no hint that another firm has it',
        );
      }
      const theirs = await other.send(kind, referral(kind, { subscriberId: `https://x.example-${kind}-1` }));
      assert.notEqual(theirs.caseId, first.caseId);
    });

    it(`REF-08 ${kind}Update Autobinds by loan number and Attorney Case ID to the active case, else to the one opened last`, async () => {
      const loan = nextLoan();
      const ids: number[] = [];
      for (const [n, opened] of ['2023-01-01', '2024-02-02', '2022-03-03'].entries()) {
        ids.push(
          (await firm.send(kind, referral(kind, { loan, caseNumber: 'AB', subscriberId: `ab-${kind}-${n}`, opened })))
            .caseId,
        );
        if (n < 2) await firm.send(`${kind}update`, updateOf(`ab-${kind}-${n}`, close, kind));
      }
      assert.equal(
        (await firm.send(`${kind}update`, updateByNumber(loan, 'AB', '<Court>Active</Court>', kind))).caseId,
        ids[2],
        'the active case, although it was opened first',
      );
      await firm.send(`${kind}update`, updateOf(`ab-${kind}-2`, close, kind));
      assert.equal(
        (await firm.send(`${kind}update`, updateByNumber(loan, 'AB', '<Court>Last</Court>', kind))).caseId,
        ids[1],
      );
      const fresh = await firm.send(kind, referral(kind, { loan, caseNumber: 'AB' }));
      assert.ok(!ids.includes(fresh.caseId), 'a new referral creates a case if there are only closed ones');
      assert.equal(
        (await firm.send(kind, referral(kind, { loan, caseNumber: 'AB' }))).caseId,
        fresh.caseId,
        'and updates the active case if there is one',
      );
      for (const [sender, number, at] of [
        [other, 'AB', loan],
        [firm, 'AB-2', loan],
        [firm, 'AB', nextLoan()],
      ] as const) {
        const answer = await sender.send(`${kind}update`, updateByNumber(at, number, '<Status>On Hold</Status>', kind));
        assert.match(
          answer.results[0]?.message ?? '',
          new RegExp(`^${kind}: no case on this loan has this Attorney Case ID`),
        );
      }
    });
  }

  it("REF-08 Autobind stays within the operation's kind of case: three cases of one number on one loan each get their own updates", async () => {
    const loan = nextLoan();
    const ids = new Map<CaseElement, number>();
    for (const kind of all) ids.set(kind, (await firm.send(kind, referral(kind, { loan, caseNumber: 'SAME' }))).caseId);
    assert.equal(new Set(ids.values()).size, 3);
    for (const kind of all)
      assert.equal(
        (await firm.send(`${kind}update`, updateByNumber(loan, 'SAME', '<Status>On Hold</Status>', kind))).caseId,
        ids.get(kind),
      );
    const alone = nextLoan();
    await firm.send('POC', referral('POC', { loan: alone, caseNumber: 'ONLY' }));
    for (const kind of ['MFR', 'Foreclosure'] as const) {
      const answer = await firm.send(`${kind}update`, updateByNumber(alone, 'ONLY', '<Status>On Hold</Status>', kind));
      assert.deepEqual([answer.status, answer.success], ['Error', 0], kind);
    }
  });

  it('REF-08 never binds to a bankruptcy without a type, as events create it', async () => {
    const loan = nextLoan();
    await firm.send('POC', referral('POC', { loan, caseNumber: 'X' }));
    const [row] = await firm.search(`loan/search?Loan=${loan}`);
    const made = await on.admin.post('/api/bankruptcy/save?Output=Json', {
      Bankruptcy: 'EV',
      LoanID: row?.['LoanID'],
      OrganizationID: firm.organizationId,
      BKCaseNo: '24-7',
      Status: 'Open',
      DateOpened: '2024-01-01',
    });
    assert.equal(made.status, 200, made.text);
    for (const kind of kinds) {
      assert.equal(
        (await firm.send(`${kind}update`, updateByNumber(loan, 'EV', '<Status>On Hold</Status>', kind))).status,
        'Error',
      );
      const own = await firm.send(kind, referral(kind, { loan, caseNumber: 'EV', rest: '<BKCaseNo>24-7</BKCaseNo>' }));
      assert.equal(own.of('Bankruptcy')[0]?.operation, 'Insert');
    }
  });

  it('REF-08 refuses a SubscriberID of another kind of case, in a new referral and in an update, and changes neither case', async () => {
    for (const holder of all) {
      const subscriberId = `held by ${holder}`;
      const made = await firm.send(holder, referral(holder, { subscriberId }));
      const before = await anyCase(made.caseId);
      const cases = await count('process');
      for (const kind of all.filter((k) => k !== holder)) {
        for (const answer of [
          await firm.send(kind, referral(kind, { subscriberId })),
          await firm.send(`${kind}update`, updateOf(subscriberId, '<Status>On Hold</Status>', kind)),
        ]) {
          assert.deepEqual([answer.http, answer.status, answer.success], [500, 'Error', 0], `${kind} to ${holder}`);
          assert.equal(
            answer.results[0]?.message,
            `SubscriberID: this identifier belongs to a case of another kind (${holder}); expected ${kind}.`,
          );
        }
      }
      assert.deepEqual([await anyCase(made.caseId), await count('process')], [before, cases]);
    }
  });

  it('REF-08 a second firm gets its own bankruptcy on a loan and changes nothing of the loan', async () => {
    const loan = nextLoan();
    const mine = await firm.send(
      'Foreclosure',
      referral('Foreclosure', { loan, borrowers: [borrower(1, 'Quill', 'Ann')] }),
    );
    const theirs = await other.send('MFR', referral('MFR', { loan, borrowers: [borrower(1, 'Quill', 'Anna')] }));
    assert.deepEqual(
      [theirs.http, theirs.reported],
      [200, ['Loan Insert Warning', 'Contact Insert Success', 'Bankruptcy Insert Success']],
    );
    assert.deepEqual(
      (await other.search(`bankruptcy/${theirs.caseId}/contact/search`)).map((r) => r['FirstName']),
      ['Anna'],
    );
    assert.equal((await other.caller.get(`/api/foreclosure/${mine.caseId}`)).status, 404);
    assert.equal((await firm.caller.get(`/api/bankruptcy/${theirs.caseId}`)).status, 404);
    assert.deepEqual(
      (await firm.search(`foreclosure/${mine.caseId}/contact/search`)).map((r) => r['FirstName']),
      ['Ann'],
    );
  });
});

describe('the record type Bankruptcy', () => {
  it('has the types POC, MFR and none, and no other', async () => {
    for (const type of ['Judicial', 'Chapter 13']) {
      const answer = await on.admin.post('/api/bankruptcy/save', { Bankruptcy: 'T', BankruptcyType: type });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, /ProcessType|BankruptcyType/);
    }
    assert.equal((await on.admin.post('/api/bankruptcy/save', { Bankruptcy: 'T', Chapter: '8' })).status, 400);
    for (const type of ['POC', 'MFR', ''])
      assert.equal(
        (await on.admin.post('/api/bankruptcy/save', { Bankruptcy: 'T', BankruptcyType: type })).status,
        200,
        type,
      );
  });

  it('KRN-18 a case takes its children and its loan along to another firm', async () => {
    const loan = nextLoan();
    const made = await firm.send(
      'POC',
      referral('POC', {
        loan,
        rest:
          ledger('Pre', '<MissedPayments>1</MissedPayments>') +
          hold('') +
          step('<Messages_0_Message>M</Messages_0_Message>') +
          note +
          claim('c'),
      }),
    );
    assert.equal(made.http, 200, made.text);
    const paths = ['contact', 'message', 'attachment', 'importform', 'decisiondelay', 'ledger', 'ledgeritem', 'loan'];
    for (const path of paths) {
      assert.ok((await below(made.caseId, `${path}/search`)).length > 0, path);
      assert.equal((await other.caller.get(`/api/bankruptcy/${made.caseId}/${path}/search`)).status, 404, path);
    }
    assert.equal(
      (await on.admin.post('/api/bankruptcy/save', { ID: made.caseId, OrganizationID: other.organizationId })).status,
      200,
    );
    for (const path of paths) {
      assert.ok((await other.search(`bankruptcy/${made.caseId}/${path}/search`)).length > 0, `${path} now theirs`);
      assert.equal(
        (await firm.caller.get(`/api/bankruptcy/${made.caseId}/${path}/search`)).status,
        404,
        `${path} no longer`,
      );
    }
    assert.deepEqual(await firm.search(`bankruptcy/search?BankruptcyID=${made.caseId}`), []);
    assert.deepEqual(await firm.search(`loan/search?Loan=${loan}`), []);
  });

  it('KRN-20 keeps history in both of its tables, and can be undeleted', async () => {
    const made = await firm.send(
      'MFR',
      referral('MFR', { subscriberId: 'history of a bankruptcy', rest: '<Chapter>7</Chapter>' }),
    );
    await firm.send('mfrupdate', updateOf('history of a bankruptcy', '<Chapter>13</Chapter>', 'MFR'));
    const history = await on.admin.get(`/api/bankruptcy/history?ID=${made.caseId}&Output=Json`);
    assert.match(history.text, /"Chapter"/);
    assert.equal((await on.admin.post(`/api/bankruptcy/delete?ID=${made.caseId}`)).status, 200);
    assert.equal((await on.admin.get(`/api/bankruptcy/${made.caseId}`)).status, 404);
    const back = await on.admin.post(`/api/bankruptcy/undelete?ID=${made.caseId}`);
    assert.equal(back.status, 200, back.text);
    assert.deepEqual(
      picked((await searchRows(on.admin, `bankruptcy/search?BankruptcyID=${made.caseId}`))[0], [
        'Chapter',
        'BankruptcyType',
      ]),
      ['13', 'MFR'],
    );
  });

  it('REF-08 KRN-12 a manually created case is found by the identifier that its firm gave it', async () => {
    const made = await firm.send(
      'MFR',
      collection(
        `<MFRItem>${loanXml({})}<MFR>H-1</MFR><DateOpened>2024-01-01</DateOpened><Status>Open</Status></MFRItem>`,
      ),
    );
    await on.platform.store.query(
      `insert into objectsubscription (object, objectid, organizationid, subscriberid, objectsubscription)
        values ('Bankruptcy', $1::bigint, $2::bigint, 'given later', 'given later')`,
      [made.caseId, firm.organizationId],
    );
    assert.equal(
      (await firm.send('mfrupdate', updateOf('given later', '<Status>On Hold</Status>', 'MFR'))).caseId,
      made.caseId,
    );
  });
});
