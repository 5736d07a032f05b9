-- down: which questions are columns of others; they become questions of the form
do $$
declare
  definition text;
begin
  if to_regclass('report.importformquestion') is not null then
    definition := regexp_replace(pg_get_viewdef('report.importformquestion'::regclass),
      ',\s+(\w+\.)?rowsof(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.importformquestion;
    execute 'create view report.importformquestion with (security_invoker = true) as ' || definition;
    grant select on report.importformquestion to casewright_report, casewright_report_all;
  end if;
end $$;
alter table importformquestion drop column rowsof;
