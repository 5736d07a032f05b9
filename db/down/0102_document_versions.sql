-- down: earlier contents of documents; their files stay as long as history names them
drop trigger attachment_replaced on attachment;
drop function casewright_attachment_replaced();
drop trigger attachment_first on attachment;
drop function casewright_attachment_first();
drop table documentversion;
do $$
declare
  definition text;
begin
  if to_regclass('report.attachment') is not null then
    definition := regexp_replace(pg_get_viewdef('report.attachment'::regclass), ',\s+(\w+\.)?fileversion(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.attachment;
    execute 'create view report.attachment with (security_invoker = true) as ' || definition;
    grant select on report.attachment to casewright_report, casewright_report_all;
  end if;
end $$;
alter table attachment drop column fileversion;
