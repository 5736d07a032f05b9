-- down: totals by difference; paid lines keep the marks and sides that they have
drop trigger ledgeritem_rollup_paid on ledgeritem;
drop function casewright_ledgeritem_paid();

create or replace function casewright_ledger_total(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp' set plan_cache_mode to
  'force_generic_plan' set enable_seqscan to 'off'
as $function$
declare
  total numeric;
  adjusted numeric;
  template bigint;
begin
  -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them would
  -- wait for one another.
  select ledgertemplateid into template from ledger where ledgerid = wanted for no key update;
  -- The CalculateMethod of its template decides its totals: the platform calls it before the commit.
  if template is not null
    and exists (select from ledgertemplate where ledgertemplateid = template and btrim(calculatemethod) <> '') then
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

create or replace function casewright_ledgertemplateitem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  for changed in
    select distinct ledgerid from ledgeritem where ledgertemplateitemid = new.ledgertemplateitemid order by 1
  loop perform casewright_ledger_total(changed); end loop;
  return null;
end $function$;

drop function casewright_ledger_add(bigint, numeric, numeric);
drop function casewright_ledger_rollup(bigint);
