-- Lists of cases: a user responsible for each case, saved views, and one row for each case with what lists show.
alter table process add column assignedpersonid bigint references person;

-- View: A saved list: which records of a type it shows, in which columns and order.
create table view (
  viewid bigint generated always as identity primary key,
  view varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  viewtype varchar(100) collate casewright_text,
  recordtype varchar(60) collate "C" not null,
  filters varchar(4000) collate "C",
  columns varchar(2000) collate "C",
  orderby varchar(500) collate "C",
  personid bigint references person,
  collectionid bigint references collection,
  pinned boolean,
  position integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  constraint view_owner_check check (personid is null or collectionid is null)
);
create index view_recordtype_idx on view (recordtype);
create index view_personid_idx on view (personid);
create index view_collectionid_idx on view (collectionid);
create trigger view_history after update or delete on view for each row execute function casewright_history();
alter table view enable row level security;
grant select on view to casewright_reach;
-- Firms see the views of everybody: the filters of the others may contain names.
create policy reach on view for select to casewright_reach, casewright_report
  using (personid is null and collectionid is null);
create policy report_all on view for select to casewright_report_all using (true);

-- CaseSummary: A case as lists show it: its borrowers, property, stage, hold and next task in one row.
create table casesummary (
  casesummaryid bigint generated always as identity primary key,
  casesummary varchar(50) collate casewright_text,
  status varchar(100) collate casewright_text,
  casesummarytype varchar(100) collate casewright_text,
  processid bigint not null,
  recordclass varchar(11) collate casewright_text,
  isopen boolean not null,
  loanid bigint,
  loannumber varchar(50) collate casewright_text,
  borrower varchar(255) collate casewright_text,
  address varchar(100) collate casewright_text,
  city varchar(50) collate casewright_text,
  state varchar(50) collate casewright_text,
  agency varchar(60) collate casewright_text,
  upbamount numeric(19,4),
  organizationid bigint,
  assignedpersonid bigint,
  dateopened date,
  dateclosed date,
  scheduledsaledate date,
  chapter varchar(10) collate casewright_text,
  stage varchar(60) collate casewright_text,
  stagenumber integer,
  stagecount integer,
  stagebegan timestamptz,
  stagetarget timestamptz,
  targetdays integer,
  hold varchar(255) collate casewright_text,
  helddate timestamptz,
  nexttask varchar(255) collate casewright_text,
  nexttaskid bigint,
  nextdue timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
select casewright_open('casesummary', 'none');
create unique index casesummary_processid_key on casesummary (processid);
create index casesummary_stagetarget_idx on casesummary (stagetarget, casesummaryid) where isopen;
create index casesummary_nextdue_idx on casesummary (nextdue, casesummaryid) where isopen;
create index casesummary_hold_idx on casesummary (helddate, casesummaryid) where hold is not null;
create index casesummary_sale_idx on casesummary (scheduledsaledate, casesummaryid) where scheduledsaledate is not null;
create index casesummary_bankruptcy_idx on casesummary (dateopened, casesummaryid) where recordclass = 'Bankruptcy';
create index casesummary_dateopened_idx on casesummary (dateopened, casesummaryid);
create index casesummary_borrower_idx on casesummary (borrower, casesummaryid);
create index casesummary_casesummary_idx on casesummary (casesummary);
create index casesummary_organizationid_idx on casesummary (organizationid, casesummaryid);
create index casesummary_assignedpersonid_idx on casesummary (assignedpersonid, casesummaryid);
create index casesummary_loanid_idx on casesummary (loanid);

-- Cases whose summary is out of date. Rows are only added and taken, so that concurrent changes of one case do not wait for
-- each other.
create table casechange (
  casechangeid bigint generated always as identity primary key,
  processid bigint not null
);
alter table casechange enable row level security;

-- Notes a case once where one transaction changes it several times in a row.
create function casewright_case_changed(changed bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if changed is null or current_setting('casewright.changedcase', true) = changed::text then return; end if;
  insert into casechange (processid) values (changed);
  perform set_config('casewright.changedcase', changed::text, true);
end $function$;

-- Notes the case of a changed row of process, foreclosure or bankruptcy; the argument names the column of its id.
create function casewright_case_change()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_table_name = 'foreclosure' then perform casewright_case_changed(new.foreclosureid);
  elsif tg_table_name = 'bankruptcy' then perform casewright_case_changed(new.bankruptcyid);
  elsif tg_op = 'DELETE' then perform casewright_case_changed(old.processid);
  else perform casewright_case_changed(new.processid);
  end if;
  return null;
end $function$;

-- Notes the cases of a changed loan or property.
create function casewright_case_change_of_loan()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_table_name = 'loan' then
    perform casewright_case_changed(p.processid) from process p where p.loanid = new.loanid;
  else
    perform casewright_case_changed(p.processid) from process p join loan l on l.loanid = p.loanid
      where l.propertyid = new.propertyid;
  end if;
  return null;
end $function$;

create function casewright_case_changed_below(parent text, parentid bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if parent in ('Foreclosure', 'Bankruptcy') then perform casewright_case_changed(parentid);
  elsif parent = 'Loan' then
    perform casewright_case_changed(p.processid) from process p where p.loanid = parentid;
  end if;
end $function$;

-- Notes the cases of a changed row below a case or, of a contact, below a loan: those before and after the change.
create function casewright_case_change_below()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op <> 'INSERT' then perform casewright_case_changed_below(old.object, old.objectid); end if;
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and (new.object, new.objectid) is distinct from (old.object, old.objectid) then
    perform casewright_case_changed_below(new.object, new.objectid);
  end if;
  return null;
end $function$;

-- Notes the case of a changed step of a workflow.
create function casewright_case_change_of_step()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint := case tg_op when 'DELETE' then old.decisionid else new.decisionid end;
begin
  perform casewright_case_changed(d.objectid) from decision d
    where d.decisionid = changed and d.object in ('Foreclosure', 'Bankruptcy');
  return null;
end $function$;

create trigger process_case_created after insert or delete on process for each row
  execute function casewright_case_change();
create trigger process_case_changed after update on process for each row
  when ((new.process, new.status, new.processtype, new.loanid, new.organizationid, new.assignedpersonid, new.dateopened, new.dateclosed) is distinct from
    (old.process, old.status, old.processtype, old.loanid, old.organizationid, old.assignedpersonid, old.dateopened, old.dateclosed))
  execute function casewright_case_change();
create trigger foreclosure_case_changed after update on foreclosure for each row
  when (new.scheduledsaledate is distinct from old.scheduledsaledate)
  execute function casewright_case_change();
create trigger bankruptcy_case_changed after update on bankruptcy for each row
  when (new.chapter is distinct from old.chapter)
  execute function casewright_case_change();
create trigger loan_case_changed after update on loan for each row
  when ((new.loan, new.propertyid, new.agency, new.upbamount) is distinct from
    (old.loan, old.propertyid, old.agency, old.upbamount))
  execute function casewright_case_change_of_loan();
create trigger property_case_changed after update on property for each row
  when ((new.address, new.city, new.state) is distinct from
    (old.address, old.city, old.state))
  execute function casewright_case_change_of_loan();
create trigger contact_case_created after insert on contact for each row
  when (new.object in ('Loan', 'Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger contact_case_deleted after delete on contact for each row
  when (old.object in ('Loan', 'Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger contact_case_changed after update on contact for each row
  when ((new.object in ('Loan', 'Foreclosure', 'Bankruptcy') or old.object in ('Loan', 'Foreclosure', 'Bankruptcy')) and
    (new.object, new.objectid, new.firstname, new.lastname, new.company, new.borrowertype, new.sequence) is distinct from
    (old.object, old.objectid, old.firstname, old.lastname, old.company, old.borrowertype, old.sequence))
  execute function casewright_case_change_below();
create trigger decision_case_created after insert on decision for each row
  when (new.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger decision_case_deleted after delete on decision for each row
  when (old.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger decision_case_changed after update on decision for each row
  when ((new.object in ('Foreclosure', 'Bankruptcy') or old.object in ('Foreclosure', 'Bankruptcy')) and
    (new.object, new.objectid, new.decisiontemplateversionid, new.actualstart, new.actualcompletion, new.canceleddate) is distinct from
    (old.object, old.objectid, old.decisiontemplateversionid, old.actualstart, old.actualcompletion, old.canceleddate))
  execute function casewright_case_change_below();
create trigger decisiondelay_case_created after insert on decisiondelay for each row
  when (new.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger decisiondelay_case_deleted after delete on decisiondelay for each row
  when (old.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger decisiondelay_case_changed after update on decisiondelay for each row
  when ((new.object in ('Foreclosure', 'Bankruptcy') or old.object in ('Foreclosure', 'Bankruptcy')) and
    (new.object, new.objectid, new.decisionid, new.decisiondelay, new.actualstart, new.actualcompletion) is distinct from
    (old.object, old.objectid, old.decisionid, old.decisiondelay, old.actualstart, old.actualcompletion))
  execute function casewright_case_change_below();
create trigger importform_case_created after insert on importform for each row
  when (new.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger importform_case_deleted after delete on importform for each row
  when (old.object in ('Foreclosure', 'Bankruptcy'))
  execute function casewright_case_change_below();
create trigger importform_case_changed after update on importform for each row
  when ((new.object in ('Foreclosure', 'Bankruptcy') or old.object in ('Foreclosure', 'Bankruptcy')) and
    (new.object, new.objectid, new.importform, new.status, new.projectedcompletion, new.estimatedcompletion, new.actualcompletion, new.canceleddate) is distinct from
    (old.object, old.objectid, old.importform, old.status, old.projectedcompletion, old.estimatedcompletion, old.actualcompletion, old.canceleddate))
  execute function casewright_case_change_below();
create trigger decisionstep_case_changed after update on decisionstep for each row
  when ((new.istrue, new.estimatedcompletion, new.projectedcompletion, new.actualstart, new.actualcompletion, new.canceleddate) is distinct from
    (old.istrue, old.estimatedcompletion, old.projectedcompletion, old.actualstart, old.actualcompletion, old.canceleddate))
  execute function casewright_case_change_of_step();
create trigger decisionstep_case_created after insert or delete on decisionstep for each row
  execute function casewright_case_change_of_step();

-- Notes the open cases of a workflow whose milestones were renamed.
create function casewright_case_change_of_milestone()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into casechange (processid)
    select distinct d.objectid from decision d
    where d.decisiontemplateid = new.decisiontemplateid and d.actualcompletion is null and d.canceleddate is null
      and d.object in ('Foreclosure', 'Bankruptcy');
  return null;
end $function$;
create trigger decisionsteptemplate_case_changed after update on decisionsteptemplate for each row
  when (new.milestone is distinct from old.milestone)
  execute function casewright_case_change_of_milestone();

-- The views of src/app/standard/views.xml, for installations that have been started before.
insert into view (view, recordtype, filters, orderby, pinned, position)
  select v.* from (values
    ('My cases', 'CaseSummary', 'AssignedPersonID=me&SqlFilters=Open', 'StageTarget', false, 10),
    ('Open', 'CaseSummary', 'SqlFilters=Open', 'StageTarget', false, 20),
    ('Late in stage', 'CaseSummary', 'SqlFilters=Late', 'StageTarget', true, 30),
    ('Sale in 30 days', 'CaseSummary', 'SqlFilters=SaleSoon', 'ScheduledSaleDate', true, 40),
    ('On hold', 'CaseSummary', 'Hold=not+null', 'HeldDate', true, 50),
    ('Bankruptcy', 'CaseSummary', 'RecordClass=Bankruptcy&SqlFilters=Open', 'DateOpened', false, 60),
    ('Open', 'Process', 'DateClosed=null', '-DateOpened', false, 10),
    ('My open tasks', 'ImportForm', 'AssignedPersonID=me&ActualCompletion=null&CanceledDate=null', 'ProjectedCompletion', false, 10),
    ('Open', 'ImportForm', 'ActualCompletion=null&CanceledDate=null', 'ProjectedCompletion', false, 20)
  ) v (view, recordtype, filters, orderby, pinned, position)
  where exists (select from role);

-- online: notes every case, so that its summary is made; and the index for the cases of a user.
insert into casechange (processid)
  select p.processid from process p where not exists (select from casesummary s where s.processid = p.processid);
create index concurrently if not exists process_assignedpersonid_idx on process (assignedpersonid)
  where assignedpersonid is not null;
