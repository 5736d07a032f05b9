-- down: the bankruptcies with all that hangs below them, and their history
delete from message where object = 'ImportForm' and objectid in (select importformid from importform where object = 'Bankruptcy');
create temporary table goneledger on commit drop as
  with recursive gone as (
    select ledgerid from ledger where object = 'Bankruptcy'
    union select l.ledgerid from ledger l join gone g on l.object = 'Ledger' and l.objectid = g.ledgerid
  ) select ledgerid from gone;
delete from ledgeritem where ledgerid in (select ledgerid from goneledger);
delete from ledger where ledgerid in (select ledgerid from goneledger);
delete from importform where object = 'Bankruptcy';
delete from decisiondelay where object = 'Bankruptcy';
delete from message where object = 'Bankruptcy';
delete from attachment where object = 'Bankruptcy';
delete from contact where object = 'Bankruptcy';
delete from objectsubscription where object = 'Bankruptcy';
delete from process where recordclass = 'Bankruptcy';
alter table process drop constraint process_processtype_check;
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return case parent
    when 'Organization' then array[parentid]
    when 'Contact' then (select reachorganizationid from contact where contactid = parentid)
    when 'Person' then (select array[organizationid] from person where personid = parentid and organizationid is not null)
    when 'Foreclosure' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
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

create or replace function casewright_reach_process_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then perform casewright_reach_loan(old.loanid); end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update importform set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decisiondelay set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update message set reachorganizationid = null where (object = new.recordclass and objectid = new.processid)
      or (object = 'ImportForm' and objectid in (select importformid from importform where object = new.recordclass and objectid = new.processid));
    update attachment set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledger set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledgeritem set reachorganizationid = null where ledgerid in (select ledgerid from ledger where object = new.recordclass and objectid = new.processid);
    update contact set reachorganizationid = coalesce(array[new.organizationid], '{}') where object = new.recordclass and objectid = new.processid;
  end if;
  return null;
end $$;

drop view report.bankruptcy;
drop table bankruptcy;
delete from history where tablename = 'bankruptcy';
