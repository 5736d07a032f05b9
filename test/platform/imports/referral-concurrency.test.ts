import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
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
  updateOf,
  type ReferralAnswer,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

const ROUNDS = 12;
const count = async (text: string, ...values: unknown[]): Promise<number> =>
  Number((await on.platform.store.query<{ n: number }>(text, values))[0]?.n);
const rest = (n: number): string =>
  `<TotalDebtLedger><Template>Total Debt</Template><Items><AccruedInterest>${n}</AccruedInterest><FCFeesCosts>` +
  `<Items><FilingFee>${n}.5</FilingFee></Items></FCFeesCosts></Items></TotalDebtLedger><Forms><ImportFormItem>` +
  '<Template>Complaint Filed</Template>' +
  '<ProjectedCompletion>2024-05-01</ProjectedCompletion></ImportFormItem></Forms><Messages><MessageItem>' +
  '<Template>Case Note</Template><Message>Once</Message><BodyText>B</BodyText></MessageItem></Messages>';
const complete = (answers: readonly ReferralAnswer[]): void => {
  for (const answer of answers) assert.deepEqual([answer.http, answer.status], [200, 'Complete'], answer.text);
};

describe('concurrent referrals', () => {
  it('REF-08 with one SubscriberID create one case, one loan, and one of each child', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const parts = {
        loan: nextLoan(),
        subscriberId: `race-${round}`,
        borrowers: [borrower(1, 'Race', `R${round}`), borrower(2, 'Race', 'Two')],
        rest: rest(round),
      };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => firm.send('foreclosure', foreclosure({ ...parts, caseNumber: `R-${round}` }))),
      );
      complete(answers);
      assert.equal(new Set(answers.map((a) => a.caseId)).size, 1);
      assert.equal(answers.filter((a) => a.of('Foreclosure')[0]?.operation === 'Insert').length, 1);
      const id = answers[0]?.caseId ?? 0;
      for (const table of ['importform', 'message'])
        assert.equal(
          await count(
            `select count(*)::integer as n from ${table} where object = 'Foreclosure' and objectid = $1::bigint`,
            id,
          ),
          1,
          table,
        );
      assert.equal(
        await count(
          `select count(*)::integer as n from contact c join process p on c.object = 'Loan' and c.objectid = p.loanid
            where p.processid = $1::bigint`,
          id,
        ),
        2,
      );
      assert.equal(
        await count(
          "select count(*)::integer as n from ledger where object = 'Foreclosure' and objectid = $1::bigint",
          id,
        ),
        1,
      );
    }
  });

  it('REF-08 without a SubscriberID Autobind to one case', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const loan = nextLoan();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => firm.send('foreclosure', foreclosure({ loan, caseNumber: `A-${round}` }))),
      );
      complete(answers);
      assert.equal(new Set(answers.map((a) => a.caseId)).size, 1);
    }
  });

  it('REF-08 KRN-18 of two firms on one new loan create a case each: that of the second firm waits on a loan of its own', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const loan = nextLoan();
      const senders = [firm, other, firm, other];
      const answers = await Promise.all(
        senders.map((sender) =>
          sender.send(
            'foreclosure',
            foreclosure({
              loan,
              subscriberId: 'two firms ' + loan,
              borrowers: [borrower(1, 'Owned', sender === firm ? 'ByAlder' : 'ByBirch')],
            }),
          ),
        ),
      );
      complete(answers);
      const loans = await on.platform.store.query<{
        status: string | null;
        firms: number;
        cases: number;
        people: number;
      }>(
        `select l.assignmentstatus as status, cardinality(l.reachorganizationid)::integer as firms,
           (select count(*)::integer from process p where p.loanid = l.loanid) as cases,
           (select count(*)::integer from contact c where c.object = 'Loan' and c.objectid = l.loanid) as people
         from loan l where l.loan = $1::text order by l.assignmentstatus nulls first`,
        [loan],
      );
      assert.deepEqual(
        [...loans],
        [
          { status: null, firms: 1, cases: 1, people: 1 },
          { status: 'Waiting', firms: 1, cases: 1, people: 1 },
        ],
      );
      const warned = new Set(senders.filter((_, i) => (answers[i]?.warnings ?? 0) > 0));
      assert.equal(warned.size, 1, 'only the second firm is warned');
    }
  });

  it('REF-22 with the same cases in opposite order both succeed', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const items = Array.from({ length: 4 }, (_, n) =>
        foreclosureItem({
          loan: nextLoan(),
          caseNumber: `O-${round}-${n}`,
          subscriberId: `order-${round}-${n}`,
          rest: rest(n),
        }),
      );
      complete(
        await Promise.all([
          firm.send('foreclosure', collection(items)),
          firm.send('foreclosure', collection(items.toReversed())),
        ]),
      );
      assert.equal(
        await count(
          "select count(*)::integer as n from objectsubscription where subscriberid like 'order-' || $1::text || '-%'",
          round,
        ),
        4,
      );
    }
  });

  it('REF-08 that update one case all take effect', async () => {
    const made = await firm.send('foreclosure', foreclosure({ subscriberId: 'busy' }));
    const notes = Array.from({ length: 12 }, (_, n) =>
      updateOf(
        'busy',
        `<SaleAmount>${n}</SaleAmount><Messages><MessageItem><Template>Case Note</Template><Message>Note ` +
          `${n}</Message><BodyText>B</BodyText></MessageItem></Messages>`,
      ),
    );
    complete(await Promise.all(notes.map((xml) => firm.send('foreclosureupdate', xml))));
    assert.equal(
      await count(
        "select count(*)::integer as n from message where object = 'Foreclosure' and objectid = $1::bigint",
        made.caseId,
      ),
      12,
    );
  });

  it('REF-08 REF-12 a claim and a motion with one SubscriberID: one of them gets it, and the other kind is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const subscriberId = `kinds-${round}`;
      const loan = nextLoan();
      const kinds = ['POC', 'MFR', 'POC', 'MFR'] as const;
      const answers = await Promise.all(
        kinds.map((kind) => firm.send(kind, referral(kind, { loan, subscriberId, caseNumber: 'K' }))),
      );
      const held = kinds[answers.findIndex((a) => a.of('Bankruptcy')[0]?.operation === 'Insert')];
      for (const [n, answer] of answers.entries())
        assert.equal(answer.status, kinds[n] === held ? 'Complete' : 'Error', answer.text);
      assert.equal(
        await count(
          'select count(*)::integer as n from process p join loan l on l.loanid = p.loanid where l.loan = $1::text',
          loan,
        ),
        1,
      );
    }
  });

  it('REF-08 REF-12 for a bankruptcy without a SubscriberID Autobind to one case of their kind', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const loan = nextLoan();
      const kinds = ['POC', 'MFR', 'POC', 'MFR'] as const;
      const answers = await Promise.all(
        kinds.map((kind) => firm.send(kind, referral(kind, { loan, caseNumber: 'SAME' }))),
      );
      complete(answers);
      assert.deepEqual([answers[0]?.caseId, answers[1]?.caseId], [answers[2]?.caseId, answers[3]?.caseId]);
      assert.notEqual(answers[0]?.caseId, answers[1]?.caseId);
    }
  });
});
