-- down: the events of all files, what their codes mean, and which event spoke last of a case
drop trigger importform_reach on importform;
create trigger importform_reach before insert or update of object, objectid, importformtemplateid, reachorganizationid on importform for each row execute function casewright_reach_importform();
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return case parent
    when 'Organization' then array[parentid]
    when 'Contact' then (select reachorganizationid from contact where contactid = parentid)
    when 'Person' then (select array[organizationid] from person where personid = parentid and organizationid is not null)
    when 'Foreclosure' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Bankruptcy' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Process' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Loan' then (select reachorganizationid from loan where loanid = parentid)
    when 'Property' then (select reachorganizationid from property where propertyid = parentid)
    when 'ImportForm' then (select array[reachorganizationid] from importform where importformid = parentid and reachorganizationid is not null)
    when 'DecisionDelay' then (select array[reachorganizationid] from decisiondelay where decisiondelayid = parentid and reachorganizationid is not null)
    when 'Message' then (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null)
    when 'Attachment' then (select array[reachorganizationid] from attachment where attachmentid = parentid and reachorganizationid is not null)
    when 'Ledger' then (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null)
    when 'ImportFile' then (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null)
  end;
end $$;
drop index importform_object_idx, importform_assignedcollectionid_idx, importform_assignedpersonid_idx, importform_decisionstepid_idx, importlog_reference_idx;
create index importform_object_idx on importform (objectid, object);
create index importform_assignedcollectionid_idx on importform (assignedcollectionid);
create index importform_assignedpersonid_idx on importform (assignedpersonid);
create index importform_decisionstepid_idx on importform (decisionstepid);
create index importlog_reference_idx on importlog (reference);
drop trigger importfile_logged on importfile;
drop function casewright_importfile_logged();
alter table importlog add constraint importlog_organizationid_fkey foreign key (organizationid) references organization;
alter table importlog add constraint importlog_importfileid_fkey foreign key (importfileid) references importfile;
create index importlog_organizationid_idx on importlog (organizationid);
do $$
declare
  definition text := regexp_replace(pg_get_viewdef('report.importfile'::regclass), ',\s+(\w+\.)?unlisted(?=,|\s+FROM)', '');
begin
  drop view report.importfile;
  execute format('create view report.importfile with (security_invoker = true) as %s', definition);
  grant select on report.importfile to casewright_report, casewright_report_all;
end $$;
alter table importfile drop column unlisted;
drop view report.event, report.eventcode;
drop table event, eventcode, eventstate;
