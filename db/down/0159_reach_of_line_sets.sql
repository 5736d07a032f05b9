-- down: the firm of each line is read by itself again
drop trigger ledgeritem_reach_update on ledgeritem;
drop trigger ledgeritem_reach on ledgeritem;
create trigger ledgeritem_reach before insert or update of ledgerid, reachorganizationid on ledgeritem for each row
  execute function casewright_reach_ledgeritem();

create or replace function casewright_reach_ledgeritem()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from ledger where ledgerid = new.ledgerid);
  return new;
end $function$;

create or replace function casewright_ledgeritem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
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
end $function$;

create or replace function casewright_ledger_total(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  total numeric;
  adjusted numeric;
begin
  -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them would wait for
  -- one another.
  perform 1 from ledger where ledgerid = wanted for no key update;
  -- The CalculateMethod of its template decides its totals: the platform calls it before the commit.
  if exists (select from ledger l join ledgertemplate t on t.ledgertemplateid = l.ledgertemplateid
    where l.ledgerid = wanted and btrim(t.calculatemethod) <> '') then
    return;
  end if;
  select coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end), 0),
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  update ledgeritem set amountmoney = adjusted where childledgerid = wanted and amountmoney is distinct from adjusted;
end $function$;
