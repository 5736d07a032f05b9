-- A statement that inserts many lines reads the reach of a ledger once for all lines that follow one another, not once
-- for each line. It is known until the end of the statement: "casewright_ledgeritem_total" forgets it. Where the ledger
-- has no firm, the trigger's function is not even called.

create or replace function casewright_reach_ledgeritem()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' and current_setting('casewright.reach_ledger', true) = new.ledgerid::text then
    new.reachorganizationid := nullif(current_setting('casewright.reach_firm', true), '')::bigint;
    return new;
  end if;
  new.reachorganizationid := (select reachorganizationid from ledger where ledgerid = new.ledgerid);
  if tg_op = 'INSERT' then
    perform set_config('casewright.reach_ledger', new.ledgerid::text, true),
      set_config('casewright.reach_firm', coalesce(new.reachorganizationid::text, ''), true);
  end if;
  return new;
end $function$;

drop trigger ledgeritem_reach on ledgeritem;
create trigger ledgeritem_reach before insert on ledgeritem for each row
  when (new.reachorganizationid is not null or current_setting('casewright.reach_firm', true) is distinct from ''
    or current_setting('casewright.reach_ledger', true) is distinct from new.ledgerid::text)
  execute function casewright_reach_ledgeritem();
create trigger ledgeritem_reach_update before update of ledgerid, reachorganizationid on ledgeritem for each row
  execute function casewright_reach_ledgeritem();

create or replace function casewright_ledgeritem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  if tg_op = 'INSERT' then
    -- The next statement must read the reach of its ledgers anew.
    perform set_config('casewright.reach_ledger', '', true);
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
  -- An update of no line would total again, too: its trigger runs once for each statement.
  if exists (select from ledgeritem where childledgerid = wanted and amountmoney is distinct from adjusted) then
    update ledgeritem set amountmoney = adjusted where childledgerid = wanted and amountmoney is distinct from adjusted;
  end if;
end $function$;
