-- down: the records of BulkRun
drop view if exists report.bulkrun;
drop table bulkrun;
do $$
declare
  definition text;
begin
  if to_regclass('report.importfilequeue') is not null then
    definition := regexp_replace(pg_get_viewdef('report.importfilequeue'::regclass), ',\s+(\w+\.)?callid(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.importfilequeue;
    execute format('create view report.importfilequeue with (security_invoker = true) as %s', definition);
    grant select on report.importfilequeue to casewright_report, casewright_report_all;
  end if;
end $$;
alter table importfilequeue drop column callid;
