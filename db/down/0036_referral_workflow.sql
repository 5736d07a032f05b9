-- down: which workflows new referrals start
do $$
declare
  definition text := regexp_replace(pg_get_viewdef('report.importfiletemplate'::regclass), ',\s+(\w+\.)?decisiontemplateid(?=,|\s+FROM)', '', 'g');
begin
  drop view report.importfiletemplate;
  execute format('create view report.importfiletemplate with (security_invoker = true) as %s', definition);
  grant select on report.importfiletemplate to casewright_report, casewright_report_all;
end $$;
alter table importfiletemplate drop column decisiontemplateid;
