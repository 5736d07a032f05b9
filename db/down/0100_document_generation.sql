-- down: the options of generators
do $$
declare
  definition text;
begin
  if to_regclass('report.attachmenttemplate') is not null then
    definition := regexp_replace(pg_get_viewdef('report.attachmenttemplate'::regclass), ',\s+(\w+\.)?options(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.attachmenttemplate;
    execute 'create view report.attachmenttemplate with (security_invoker = true) as ' || definition;
    grant select on report.attachmenttemplate to casewright_report, casewright_report_all;
  end if;
end $$;
alter table attachmenttemplate drop column options;
