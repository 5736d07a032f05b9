-- down: the milestones of workflow steps
do $$
declare
  definition text;
begin
  if to_regclass('report.decisionsteptemplate') is not null then
    definition := regexp_replace(pg_get_viewdef('report.decisionsteptemplate'::regclass), ',\s+(\w+\.)?milestone(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.decisionsteptemplate;
    execute format('create view report.decisionsteptemplate with (security_invoker = true) as %s', definition);
    grant select on report.decisionsteptemplate to casewright_report, casewright_report_all;
  end if;
end $$;
alter table decisionsteptemplate drop column milestone;
