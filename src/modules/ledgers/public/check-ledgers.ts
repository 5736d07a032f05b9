/**
 * Whether the stored balances of ledgers follow from their lines. Each check is one statement and so sees one moment,
 * whatever is written meanwhile. The caller reads as the owner of the schema.
 */
import type { Db } from '../../../kernel/database/store.ts';
import { POSTINGS } from '../lib/postings.ts';

/** Most differences that a check lists. */
const LISTED_MAX = 100;

/** What a check found. */
export interface LedgerCheck {
  readonly ledgers: number;
  readonly lines: number;
  /** One line for each difference; at most 100 of each kind. */
  readonly differences: readonly string[];
}

/** Checks all ledgers. */
export async function checkLedgers(db: Db): Promise<LedgerCheck> {
  const differences: string[] = [];
  for (const text of checks) {
    const rows = await db.query<{ difference: string }>(`${text} limit ${LISTED_MAX}`);
    differences.push(...rows.map(({ difference }) => difference));
  }
  const [counts] = await db.query<{ ledgers: number; lines: number }>(
    `select (select count(*)::integer from ledger) as ledgers, (select count(*)::integer from ledgeritem) as lines`,
  );
  return { ledgers: counts?.ledgers ?? 0, lines: counts?.lines ?? 0, differences };
}

const checks: readonly string[] = [
  // Balances decided by a CalculateMethod do not follow from the lines.
  `select format('ledger %s: Balance is %s, its lines add up to %s; BalanceAdjusted is %s, its lines add up to %s',
       l.ledgerid, coalesce(l.balance, 0), s.balance, coalesce(l.balanceadjusted, 0), s.adjusted) as difference
     from ledger l
     left join ledgertemplate t on t.ledgertemplateid = l.ledgertemplateid
     cross join lateral (
       select coalesce(sum(p.amount), 0) as balance, coalesce(sum(p.amount) filter (where p.istotaled), 0) as adjusted
       from (${POSTINGS}) p where p.ledgerid = l.ledgerid
     ) s
     where coalesce(btrim(t.calculatemethod), '') = ''
       and (coalesce(l.balance, 0) <> s.balance or coalesce(l.balanceadjusted, 0) <> s.adjusted)
     order by l.ledgerid`,
  `select format('line %s: its amount is %s, the adjusted balance of ledger %s below it is %s',
       i.ledgeritemid, coalesce(i.amountmoney, 0), l.ledgerid, coalesce(l.balanceadjusted, 0)) as difference
     from ledgeritem i join ledger l on l.ledgerid = i.childledgerid
     where coalesce(i.amountmoney, 0) <> coalesce(l.balanceadjusted, 0) order by i.ledgeritemid`,
  `select format('line %s: ledger %s below it is in %s, its own ledger in %s',
       i.ledgeritemid, b.ledgerid, b.currency, l.currency) as difference
     from ledgeritem i join ledger b on b.ledgerid = i.childledgerid join ledger l on l.ledgerid = i.ledgerid
     where b.currency <> l.currency order by i.ledgeritemid`,
  `select format('line %s: payments applied %s of %s to it, but it %s', i.ledgeritemid, c.applied, i.amountmoney,
       case when i.paiddate is null then 'has no PaidDate' else 'is marked as paid' end) as difference
     from (
       select a.referenceledgeritemid as id, sum(a.amountmoney) as applied
       from ledgeritem p join ledgeritem a on a.ledgerid = p.childledgerid and a.paymentrole = 'Applied'
       where p.paymentrole = 'Payment' and not exists (
         select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')
       group by 1
     ) c join ledgeritem i on i.ledgeritemid = c.id
     where (i.paiddate is null) <> (i.amountmoney > c.applied)
     order by i.ledgeritemid`,
  `select format('trial balance: all postings in %s add up to %s', p.currency, sum(s.amount)) as difference
     from (${POSTINGS}) p cross join lateral (values (p.amount), (p.counteramount)) s (amount)
     group by p.currency having sum(s.amount) <> 0 order by p.currency`,
];
