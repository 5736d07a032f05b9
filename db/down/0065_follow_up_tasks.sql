-- down: which tasks ask for answers that reported tasks did not have
do $$
declare
  definition text;
begin
  if to_regclass('report.importform') is not null then
    definition := regexp_replace(pg_get_viewdef('report.importform'::regclass), ',\s+(\w+\.)?isfollowup(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.importform;
    execute format('create view report.importform with (security_invoker = true) as %s', definition);
    grant select on report.importform to casewright_report, casewright_report_all;
  end if;
end $$;
alter table importform drop column isfollowup;
