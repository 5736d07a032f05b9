-- down: which imports send again parts of which others
do $$
declare
  dropped record;
  definition text;
begin
  for dropped in
    select * from (values ('importfile', '(correctsid|resentdate)'), ('importcorrection', '(sentimportfileid)'))
      as d (tablename, columnnames)
  loop
    if to_regclass('report.' || dropped.tablename) is not null then
      definition := regexp_replace(pg_get_viewdef(('report.' || dropped.tablename)::regclass),
        ',\s+(\w+\.)?' || dropped.columnnames || '(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
      execute format('drop view report.%I', dropped.tablename);
      execute format('create view report.%I with (security_invoker = true) as %s', dropped.tablename, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', dropped.tablename);
    end if;
  end loop;
end $$;
drop index importfile_correctsid_idx;
alter table importfile drop column correctsid, drop column resentdate;
alter table importcorrection drop column sentimportfileid;
