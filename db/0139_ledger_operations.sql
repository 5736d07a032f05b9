-- What the operations of ledgers need: currencies, accounts, effective dates, and which line pays or reverses which.
alter table ledgertemplate add column currency varchar(3) collate "C";
alter table ledger add column currency varchar(3) collate "C" default 'USD';
alter table ledgertemplateitem add column account varchar(255) collate "C";
alter table ledgeritem
  add column effectivedate date,
  add column referenceledgeritemid bigint references ledgeritem,
  add column paymentrole varchar(9) collate casewright_text;

-- Balances of a ledger whose template has a CalculateMethod are not the sum of its lines.
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

-- A ledger rolls up only into ledgers of its currency.
create or replace function casewright_ledgeritem_rollup()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  below ledger;
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
  select * into below from ledger where ledgerid = new.childledgerid for no key update;
  if below.currency <> (select currency from ledger where ledgerid = new.ledgerid) then
    raise exception 'the currencies of a line and of the ledger below it differ' using errcode = 'check_violation', constraint = 'ledgeritem_childledgerid_check', table = 'ledgeritem';
  end if;
  new.amountmoney := below.balanceadjusted;
  return new;
end $function$;

-- What a template says of its lines counts where they say nothing themselves.
create function casewright_ledgertemplateitem_total()
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
create trigger ledgertemplateitem_total after update on ledgertemplateitem for each row
  when (new.isdebit is distinct from old.isdebit or new.istotaled is distinct from old.istotaled)
  execute function casewright_ledgertemplateitem_total();

-- A ledger without a CalculateMethod is the sum of its lines, also where it had one before.
create function casewright_ledgertemplate_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  for changed in select ledgerid from ledger where ledgertemplateid = new.ledgertemplateid order by 1
  loop perform casewright_ledger_total(changed); end loop;
  return null;
end $function$;
create trigger ledgertemplate_total after update on ledgertemplate for each row
  when (new.calculatemethod is distinct from old.calculatemethod) execute function casewright_ledgertemplate_total();

create function casewright_ledger_retotal()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_ledger_total(new.ledgerid);
  return null;
end $function$;
create trigger ledger_total after update on ledger for each row
  when (new.ledgertemplateid is distinct from old.ledgertemplateid) execute function casewright_ledger_retotal();

-- online: ledgeritem is large
create index concurrently if not exists ledgeritem_referenceledgeritemid_idx on ledgeritem (referenceledgeritemid);
