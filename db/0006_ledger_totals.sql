-- Totals of ledgers, kept by the database.

-- The totals of a ledger: debits minus credits over lines with an amount, and over those that are totaled. The row lock makes
-- savers of lines of one ledger wait for one another, so that none totals without the other's line.
create function casewright_ledger_total(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  total numeric;
  adjusted numeric;
begin
  -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them would wait for
  -- one another.
  perform 1 from ledger where ledgerid = wanted for no key update;
  select coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end), 0),
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  update ledgeritem set amountmoney = adjusted where childledgerid = wanted and amountmoney is distinct from adjusted;
end $$;

create function casewright_ledgeritem_total() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed bigint;
begin
  if tg_op = 'INSERT' then
    for changed in select distinct ledgerid from made order by 1 loop perform casewright_ledger_total(changed); end loop;
  elsif tg_op = 'DELETE' then
    for changed in select distinct ledgerid from gone order by 1 loop perform casewright_ledger_total(changed); end loop;
  else
    for changed in select ledgerid from made union select ledgerid from gone order by 1 loop perform casewright_ledger_total(changed); end loop;
  end if;
  return null;
end $$;
create trigger ledgeritem_total after insert on ledgeritem referencing new table as made for each statement execute function casewright_ledgeritem_total();
create trigger ledgeritem_total_update after update on ledgeritem referencing new table as made old table as gone for each statement execute function casewright_ledgeritem_total();
create trigger ledgeritem_total_delete after delete on ledgeritem referencing old table as gone for each statement execute function casewright_ledgeritem_total();

-- A line with a ledger below it has that ledger's adjusted balance for its amount, whatever was sent. The lock keeps a saver of
-- lines below from totaling between the reading here and the line's being seen.
create function casewright_ledgeritem_rollup() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (
    with recursive above(ledgerid) as (
      select new.ledgerid
      union
      select i.ledgerid from ledgeritem i join above a on i.childledgerid = a.ledgerid
    ) select from above where ledgerid = new.childledgerid
  ) then
    raise exception 'a ledger cannot stand below itself' using errcode = 'check_violation', constraint = 'ledgeritem_childledgerid_check', table = 'ledgeritem';
  end if;
  new.amountmoney := (select balanceadjusted from ledger where ledgerid = new.childledgerid for no key update);
  return new;
end $$;
create trigger ledgeritem_rollup before insert or update of ledgerid, childledgerid, amountmoney on ledgeritem for each row
  when (new.childledgerid is not null) execute function casewright_ledgeritem_rollup();
