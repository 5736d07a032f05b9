-- down: which import added lines of ledgers
do $$
declare
  definition text;
begin
  if to_regclass('report.ledgeritem') is not null then
    definition := regexp_replace(pg_get_viewdef('report.ledgeritem'::regclass),
      ',\s+(\w+\.)?importfileid(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.ledgeritem;
    execute format('create view report.ledgeritem with (security_invoker = true) as %s', definition);
    grant select on report.ledgeritem to casewright_report, casewright_report_all;
  end if;
end $$;
alter table ledgeritem drop column importfileid;
