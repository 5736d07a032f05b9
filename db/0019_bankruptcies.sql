-- Bankruptcies: proofs of claim and motions for relief that firms refer, and court cases that events tell of.

create table bankruptcy (
  bankruptcyid bigint primary key references process on delete cascade,
  bkcaseno varchar(50) collate casewright_text,
  chapter varchar(2) collate casewright_text,
  court varchar(100) collate casewright_text,
  filingdate date,
  bardate date,
  hearingdate date,
  reachorganizationid bigint
);
-- One number may be several bankruptcies: they are found together by it, and an event's own among them.
create index bankruptcy_bkcaseno_idx on bankruptcy (bkcaseno);
create trigger bankruptcy_history after update or delete on bankruptcy for each row execute function casewright_history();
select casewright_open('bankruptcy', 'one');
create view report.bankruptcy with (security_invoker = true) as select process.process as bankruptcy, process.processid as bankruptcyid, process.processtype as bankruptcytype, process.status, process.processtype, process.recordclass, process.loanid, process.organizationid, process.dateopened, process.dateclosed, process.closedreason, process.loanassigned, bankruptcy.bkcaseno, bankruptcy.chapter, bankruptcy.court, bankruptcy.filingdate, bankruptcy.bardate, bankruptcy.hearingdate, process.createddate, process.createdpersonid, process.updateddate, process.updatedpersonid, process.version, process.custom from process join bankruptcy on bankruptcy.bankruptcyid = process.processid;
select casewright_report('bankruptcy', 'bankruptcyid, bkcaseno, chapter, court, filingdate, bardate, hearingdate');

-- What kind of bankruptcy it is decides which updates find it. One that events made has no kind.
alter table process add constraint process_processtype_check check (recordclass is distinct from 'Bankruptcy' or processtype is null or processtype in ('MFR', 'POC'));

-- Who reaches what hangs below a bankruptcy, and what follows when its firm changes: as of a foreclosure.
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

create or replace function casewright_reach_process_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then perform casewright_reach_loan(old.loanid); end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update bankruptcy set reachorganizationid = new.organizationid where bankruptcyid = new.processid;
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
