-- down: whose time lines record, and who approved or rejected them, when and why
do $$
declare
  definition text;
begin
  if to_regclass('report.ledgeritem') is not null then
    definition := regexp_replace(pg_get_viewdef('report.ledgeritem'::regclass),
      ',\s+(\w+\.)?(personid|reviewpersonid|reviewdate|reviewreason)(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.ledgeritem;
    execute format('create view report.ledgeritem with (security_invoker = true) as %s', definition);
    grant select on report.ledgeritem to casewright_report, casewright_report_all;
  end if;
end $$;
alter table ledgeritem drop column personid, drop column reviewpersonid, drop column reviewdate,
  drop column reviewreason;
