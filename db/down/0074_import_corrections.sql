-- down: the corrections of import rows, and which column of a failed row is wrong
drop view if exists report.importcorrection;
drop table importcorrection;
do $$
declare
  definition text;
begin
  if to_regclass('report.importlog') is not null then
    definition := regexp_replace(pg_get_viewdef('report.importlog'::regclass), ',\s+(\w+\.)?sourcecolumn(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.importlog;
    execute format('create view report.importlog with (security_invoker = true) as %s', definition);
    grant select on report.importlog to casewright_report, casewright_report_all;
  end if;
end $$;
alter table importlog drop column sourcecolumn;
