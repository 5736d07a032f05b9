-- Balances follow each change of lines by its difference, and the paid mark of a line follows what payments applied.
-- The functions use one plan by indexes, as 0164_ledger_total_plan.sql explains.

-- Sets the lines above a ledger to its adjusted balance. Locks their ledgers before the lines, as payments do.
create function casewright_ledger_rollup(belowid bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
  set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off'
as $function$
begin
  -- An update of no line would total again, too: its trigger runs once for each statement.
  if not exists (select from ledgeritem i join ledger l on l.ledgerid = i.childledgerid
    where i.childledgerid = belowid and i.amountmoney is distinct from l.balanceadjusted) then
    return;
  end if;
  perform 1 from ledger
    where ledgerid in (select i.ledgerid from ledgeritem i where i.childledgerid = belowid)
    order by ledgerid for no key update;
  update ledgeritem i set amountmoney = l.balanceadjusted
    from ledger l
    where i.childledgerid = belowid and l.ledgerid = belowid and i.amountmoney is distinct from l.balanceadjusted;
end $function$;

-- Computes the balances of a ledger from all its lines.
create or replace function casewright_ledger_total(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
  set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off'
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
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end)
      filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted
    where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  perform casewright_ledger_rollup(wanted);
end $function$;

-- Adds a difference to the balances of a locked ledger. Called by the trigger below, with its search_path and plans.
create function casewright_ledger_add(wanted bigint, total numeric, adjusted numeric)
  returns void language plpgsql
as $function$
begin
  if total = 0 and adjusted = 0 then
    return;
  end if;
  -- With a CalculateMethod, the platform calls that before the commit.
  update ledger l set balance = l.balance + total, balanceadjusted = l.balanceadjusted + adjusted
    where l.ledgerid = wanted and not exists (
      select from ledgertemplate t
      where t.ledgertemplateid = l.ledgertemplateid and btrim(t.calculatemethod) <> '');
  if exists (select from ledgeritem where childledgerid = wanted) then
    perform casewright_ledger_rollup(wanted);
  end if;
end $function$;

-- Keeps the balances of the ledgers of changed lines. What lines take from their template line is read after the locks.
-- A ledger without balances is totaled last, because its lines include those of this statement. Most statements change
-- one ledger, and no template line decides their difference.
create or replace function casewright_ledgeritem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
  set plan_cache_mode to 'force_generic_plan' set enable_seqscan to 'off'
as $function$
declare
  ids bigint[];
  templatelines bigint[];
  untotaled bigint[] := '{}';
  id bigint;
  isnew boolean;
  total numeric;
  adjusted numeric;
  changes refcursor;
  changed record;
begin
  if tg_op = 'INSERT' then
    -- The next statement must read the reach of its ledgers anew.
    perform set_config('casewright.reach_ledger', '', true);
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end), 0),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from made;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then -amountmoney else amountmoney end), 0),
        coalesce(sum(case when isdebit then -amountmoney else amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from gone;
  else
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end), 0),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from (
        select ledgerid, ledgertemplateitemid, isdebit, istotaled, amountmoney from made
        union all select ledgerid, ledgertemplateitemid, isdebit, istotaled, -amountmoney from gone) lines;
  end if;
  if ids is null then
    return null;
  end if;
  foreach id in array ids loop
    -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them
    -- would wait for one another.
    select balance is null or balanceadjusted is null into isnew from ledger where ledgerid = id for no key update;
    if isnew then untotaled := untotaled || id; end if;
  end loop;
  -- The defaults of these template lines do not change until the transaction ends.
  if templatelines is not null then
    foreach id in array templatelines loop
      perform pg_advisory_xact_lock_shared(hashtextextended('defaults of ledger template line ' || id, 7322096));
    end loop;
  end if;
  if cardinality(ids) = 1 and cardinality(untotaled) = 0 and templatelines is null then
    perform casewright_ledger_add(ids[1], total, adjusted);
  elsif cardinality(untotaled) < cardinality(ids) then
    if tg_op = 'INSERT' then
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from made i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) a(amount)
        group by 1 order by 1;
    elsif tg_op = 'DELETE' then
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from gone i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then -i.amountmoney else i.amountmoney end) a(amount)
        group by 1 order by 1;
    else
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from (
          select ledgerid, ledgertemplateitemid, isdebit, istotaled, amountmoney from made
          union all select ledgerid, ledgertemplateitemid, isdebit, istotaled, -amountmoney from gone
        ) i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) a(amount)
        group by 1 order by 1;
    end if;
    loop
      fetch changes into changed;
      exit when not found;
      if not changed.ledgerid = any(untotaled) then
        perform casewright_ledger_add(changed.ledgerid, changed.total, changed.adjusted);
      end if;
    end loop;
    close changes;
  end if;
  foreach id in array untotaled loop perform casewright_ledger_total(id); end loop;
  return null;
end $function$;

-- Waits for statements whose differences rest on the defaults that have changed: those of new ledgers are not seen yet.
create or replace function casewright_ledgertemplateitem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  perform 1 from ledger where ledgerid in (
    select ledgerid from ledgeritem where ledgertemplateitemid = new.ledgertemplateitemid)
    order by ledgerid for no key update;
  perform pg_advisory_xact_lock(
    hashtextextended('defaults of ledger template line ' || new.ledgertemplateitemid, 7322096));
  for changed in
    select distinct ledgerid from ledgeritem where ledgertemplateitemid = new.ledgertemplateitemid order by 1
  loop perform casewright_ledger_total(changed); end loop;
  return null;
end $function$;

-- A line whose amount changes is paid as long as payments have applied all of it. A mark that was set by hand is of the
-- amount at that time; the platform refuses changes of amounts that are paid, unless they follow from a ledger below.
create function casewright_ledgeritem_paid()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  applied numeric;
  paid timestamptz;
begin
  select sum(a.amountmoney), max(p.posteddate) into applied, paid
    from ledgeritem a join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
    where a.referenceledgeritemid = new.ledgeritemid and a.paymentrole = 'Applied' and not exists (
      select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal');
  if applied is null then
    if new.paiddate is not distinct from old.paiddate
      and (new.childledgerid is not null or coalesce(old.amountmoney, 0) = 0) then
      new.paiddate := null;
    end if;
  elsif new.amountmoney > applied then
    new.paiddate := null;
  else
    new.paiddate := coalesce(new.paiddate, paid);
  end if;
  return new;
end $function$;
-- After ledgeritem_rollup, which decides the amount: triggers run in the order of their names.
create trigger ledgeritem_rollup_paid before update on ledgeritem for each row
  when (new.paymentrole is null and new.amountmoney is distinct from old.amountmoney
    and (old.paiddate is not null or new.childledgerid is not null))
  execute function casewright_ledgeritem_paid();

-- Covered lines keep what they took from their template line when they were paid, and follow what was applied.
update ledgeritem i
set isdebit = coalesce(i.isdebit,
    (select t.isdebit from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
  istotaled = coalesce(i.istotaled,
    (select t.istotaled from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
  paiddate = case when i.amountmoney > c.applied then null else i.paiddate end,
  updateddate = now(), version = i.version + 1
from (
  select a.referenceledgeritemid as lineid, sum(a.amountmoney) as applied
  from ledgeritem a join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
  where a.paymentrole = 'Applied' and not exists (
    select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal')
  group by 1
) c
where i.ledgeritemid = c.lineid and i.paymentrole is null and i.paiddate is not null
  and (i.isdebit is null or i.istotaled is null or i.amountmoney > c.applied);
