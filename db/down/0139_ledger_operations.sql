-- down: currencies and accounts of ledgers, effective dates of lines, and which line pays or reverses which
do $$
declare
  dropped record;
  definition text;
begin
  for dropped in
    select * from (values
      ('ledgertemplate', '(currency)'),
      ('ledger', '(currency)'),
      ('ledgertemplateitem', '(account)'),
      ('ledgeritem', '(effectivedate|referenceledgeritemid|paymentrole)'))
      as d (tablename, columnnames)
  loop
    if to_regclass('report.' || dropped.tablename) is not null then
      definition := regexp_replace(pg_get_viewdef(('report.' || dropped.tablename)::regclass),
        ',\s+(\w+\.)?' || dropped.columnnames || '(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
      execute format('drop view report.%I', dropped.tablename);
      execute format('create view report.%I with (security_invoker = true) as %s', dropped.tablename, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', dropped.tablename);
    end if;
  end loop;
end $$;
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
  select coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end), 0),
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  update ledgeritem set amountmoney = adjusted where childledgerid = wanted and amountmoney is distinct from adjusted;
end $function$;
create or replace function casewright_ledgeritem_rollup()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
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
end $function$;
drop trigger ledger_total on ledger;
drop function casewright_ledger_retotal();
drop trigger ledgertemplate_total on ledgertemplate;
drop function casewright_ledgertemplate_total();
drop trigger ledgertemplateitem_total on ledgertemplateitem;
drop function casewright_ledgertemplateitem_total();
alter table ledgeritem drop column effectivedate, drop column referenceledgeritemid, drop column paymentrole;
alter table ledgertemplateitem drop column account;
alter table ledger drop column currency;
alter table ledgertemplate drop column currency;
