-- down: which imports came by sFTP, and why files were not imported
do $$
declare
  definition text;
begin
  if to_regclass('report.importfile') is not null then
    definition := regexp_replace(pg_get_viewdef('report.importfile'::regclass), ',\s+(\w+\.)?sftpaccountid(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.importfile;
    execute format('create view report.importfile with (security_invoker = true) as %s', definition);
    grant select on report.importfile to casewright_report, casewright_report_all;
  end if;
end $$;
drop index importfile_sftp_idx;
alter table importfile drop column sftpaccountid;
alter table sftpfile drop column reason, drop column leftdate;
