-- down: maps of columns, what templates say of operations allowed, schemas and the end of an import, and how far runs are that go on
drop table importrun;
drop view report.importfilemap;
drop table importfilemap;
do $$
declare
  dropped record;
  definition text;
begin
  for dropped in select * from (values ('importfiletemplate', 'importoperationsallowed|validateschema|schema|endimportmethod'), ('importlog', 'sourceline|logcategory')) as t (tablename, columns) loop
    definition := regexp_replace(pg_get_viewdef(format('report.%I', dropped.tablename)::regclass), format(',\s+(\w+\.)?(%s)(?=,|\s+FROM)', dropped.columns), '', 'g');
    execute format('drop view report.%I', dropped.tablename);
    execute format('create view report.%I with (security_invoker = true) as %s', dropped.tablename, definition);
    execute format('grant select on report.%I to casewright_report, casewright_report_all', dropped.tablename);
  end loop;
end $$;
drop index importlog_failed_idx;
alter table importfiletemplate drop column importoperationsallowed, drop column validateschema, drop column schema, drop column endimportmethod;
alter table importlog drop column sourceline, drop column logcategory;
