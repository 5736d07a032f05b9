/**
 * The double-entry view of ledgers: each line with an amount is a transaction of two postings that make zero. One is to
 * the account of its ledger; a debit is positive. The other is to its counter account. For a line with a ledger below
 * it, that is where that ledger rolls up; for a line of a payment, what the payment became; for any other, the Account
 * of its template line, or that line's name.
 */
export const POSTINGS = `select i.ledgeritemid, i.ledgerid, l.currency, i.ledgeritem as label, i.transactionnumber,
    coalesce(i.effectivedate, i.posteddate::date, i.createddate::date)::text as date,
    case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end as amount,
    case when coalesce(i.isdebit, t.isdebit, false) then -i.amountmoney else i.amountmoney end as counteramount,
    coalesce(i.istotaled, t.istotaled, false) as istotaled,
    case
      when i.childledgerid is not null then 'Roll-up:' || i.childledgerid
      when i.paymentrole <> 'Counter' then 'Payments:' || i.paymentrole
      else coalesce(nullif(btrim(t.account), ''),
        'Lines:' || coalesce(nullif(btrim(t.ledgertemplateitem), ''), 'Other'))
    end as counteraccount
  from ledgeritem i
  join ledger l on l.ledgerid = i.ledgerid
  left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
  where i.amountmoney is not null`;
