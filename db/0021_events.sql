-- Default events: what firms report of their cases in files of 110 columns, and what each code of an event means here.

create table event (
  eventid bigint generated always as identity primary key,
  event varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  eventtype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  recordtype varchar(100) collate casewright_text,
  providercode varchar(50) collate casewright_text,
  businesseventcode varchar(100) collate casewright_text,
  businesseventname varchar(255) collate casewright_text,
  sourcesystemcode varchar(100) collate casewright_text,
  servicercode varchar(100) collate casewright_text,
  servicername varchar(255) collate casewright_text,
  servicerloannumberid varchar(100) collate casewright_text,
  eventactualdate timestamptz,
  eventcreateddate timestamptz,
  eventrecordeddate timestamptz,
  eventprocessid varchar(100) collate casewright_text,
  processorid varchar(100) collate casewright_text,
  processorname varchar(255) collate casewright_text,
  delaytypecode varchar(100) collate casewright_text,
  subservicercode varchar(100) collate casewright_text,
  subservicername varchar(255) collate casewright_text,
  investorcode varchar(100) collate casewright_text,
  investorname varchar(255) collate casewright_text,
  investorloannumberid varchar(50) collate casewright_text,
  investorservicerid varchar(100) collate casewright_text,
  delayactualstartdate date,
  delayprojectedenddate date,
  delayendreasoncode varchar(100) collate casewright_text,
  delaydetails varchar(10000) collate casewright_text,
  primaryborrowerlastname varchar(100) collate casewright_text,
  primaryborrowerfirstname varchar(100) collate casewright_text,
  secondaryborrowerlastname varchar(100) collate casewright_text,
  secondaryborrowerfirstname varchar(100) collate casewright_text,
  propertyaddressansistatecode varchar(100) collate casewright_text,
  propertycountyansicode varchar(100) collate casewright_text,
  propertycountryisocode varchar(100) collate casewright_text,
  propertyprimaryresidenceindicator varchar(100) collate casewright_text,
  dwellingresidencetype varchar(100) collate casewright_text,
  originalmortgageamount numeric(19,4),
  unpaidprincipalbalanceamount numeric(19,4),
  oldestunpaidinstallmentdate date,
  loanoriginationclosingdate date,
  litigationindicator varchar(100) collate casewright_text,
  lienprioritytype varchar(100) collate casewright_text,
  mortgagetype varchar(100) collate casewright_text,
  mortgagefinancetype varchar(100) collate casewright_text,
  loanmilitaryprotectionstatusindicator varchar(100) collate casewright_text,
  servicingportfoliopoolcertid varchar(100) collate casewright_text,
  servicingportfoliopoolcertissuedate date,
  ficoscorevl varchar(100) collate casewright_text,
  guarantorcode varchar(100) collate casewright_text,
  guarantorloannumberid varchar(100) collate casewright_text,
  miinsurercode varchar(100) collate casewright_text,
  mipayertype varchar(100) collate casewright_text,
  insurermicertid varchar(100) collate casewright_text,
  insurermicertdate date,
  assignedfcattorneycode varchar(100) collate casewright_text,
  fcattorneyfileid varchar(50) collate casewright_text,
  fcmethodtype varchar(100) collate casewright_text,
  propertycurrentoccupancytype varchar(100) collate casewright_text,
  fcsaleresulttype varchar(100) collate casewright_text,
  fcsalescheduleddate date,
  fcsalerescissionreasoncode varchar(100) collate casewright_text,
  legalprocessservicemethodtype varchar(100) collate casewright_text,
  fcjudgmenttype varchar(100) collate casewright_text,
  pursuedeficiencyindicator varchar(100) collate casewright_text,
  restartindicator varchar(100) collate casewright_text,
  fcsalechangedreasoncode varchar(100) collate casewright_text,
  presaleborrowerrighttocureenddate date,
  judgmentamount numeric(19,4),
  instateserviceindicator varchar(100) collate casewright_text,
  fcstatustype varchar(100) collate casewright_text,
  fcfileclosedreasontype varchar(100) collate casewright_text,
  fcsalebidamount numeric(19,4),
  propertyinspectiontypecode varchar(100) collate casewright_text,
  redemptionperiodprojectedenddate date,
  finallawdate date,
  bkstatusindicator varchar(100) collate casewright_text,
  assignedbkattorneycode varchar(100) collate casewright_text,
  bkborrowerintenttosurrenderpropertyindicator varchar(100) collate casewright_text,
  bkcasenumberid varchar(50) collate casewright_text,
  bkchaptertypecode varchar(100) collate casewright_text,
  bkdistrictcode varchar(100) collate casewright_text,
  bkdistrictname varchar(255) collate casewright_text,
  bkfilertype varchar(100) collate casewright_text,
  bkfilingdate date,
  bkfilinglastpaidinstallmentdate date,
  bkfilingansistatecode varchar(100) collate casewright_text,
  bkpostpetitionplandate date,
  bkreferraltype varchar(100) collate casewright_text,
  bkplanamendedtype varchar(100) collate casewright_text,
  bkpocbardate date,
  bkpostpetitionpaymentamount numeric(19,4),
  bkpostpetitionpaymentduedate date,
  propertyvaluationmethodtype varchar(100) collate casewright_text,
  propertyvaluationamount numeric(19,4),
  propertyvaluationdate date,
  paymentchangenoticereasontype varchar(100) collate casewright_text,
  mfrrequestedreasontype varchar(100) collate casewright_text,
  filingdispositiontype varchar(100) collate casewright_text,
  trusteepayallindicator varchar(100) collate casewright_text,
  cramdownindicator varchar(100) collate casewright_text,
  cramdownamount numeric(19,4),
  propertyvalueasassetindicator varchar(100) collate casewright_text,
  propertysalepriceamount numeric(19,4),
  loandelinquencyeventtype varchar(100) collate casewright_text,
  servicingtransferorcode varchar(100) collate casewright_text,
  servicingtransferorname varchar(255) collate casewright_text,
  servicingtransfereecode varchar(100) collate casewright_text,
  servicingtransfereename varchar(255) collate casewright_text,
  propertycountyansiname varchar(255) collate casewright_text,
  assignedfcattorneyname varchar(255) collate casewright_text,
  assignedbkattorneyname varchar(255) collate casewright_text,
  documenttypecode varchar(100) collate casewright_text,
  importfileid bigint,
  sourceline integer,
  organizationid bigint,
  loanid bigint,
  importformid bigint,
  decisiondelayid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored
);
create index event_object_idx on event (objectid, object);
-- Events of a file lie together. A tree would cost a tenth of what writing an event does.
create index event_importfileid_idx on event using brin (importfileid) with (autosummarize = on);
create index event_reach_idx on event (reachorganizationid, createddate);
select casewright_open('event', 'one');
create view report.event with (security_invoker = true) as select event.eventid, event.event, event.status, event.eventtype, event.object, event.objectid, event.recordtype, event.providercode, event.businesseventcode, event.businesseventname, event.sourcesystemcode, event.servicercode, event.servicername, event.servicerloannumberid, event.eventactualdate, event.eventcreateddate, event.eventrecordeddate, event.eventprocessid, event.processorid, event.processorname, event.delaytypecode, event.subservicercode, event.subservicername, event.investorcode, event.investorname, event.investorloannumberid, event.investorservicerid, event.delayactualstartdate, event.delayprojectedenddate, event.delayendreasoncode, event.delaydetails, event.primaryborrowerlastname, event.primaryborrowerfirstname, event.secondaryborrowerlastname, event.secondaryborrowerfirstname, event.propertyaddressansistatecode, event.propertycountyansicode, event.propertycountryisocode, event.propertyprimaryresidenceindicator, event.dwellingresidencetype, event.originalmortgageamount, event.unpaidprincipalbalanceamount, event.oldestunpaidinstallmentdate, event.loanoriginationclosingdate, event.litigationindicator, event.lienprioritytype, event.mortgagetype, event.mortgagefinancetype, event.loanmilitaryprotectionstatusindicator, event.servicingportfoliopoolcertid, event.servicingportfoliopoolcertissuedate, event.ficoscorevl, event.guarantorcode, event.guarantorloannumberid, event.miinsurercode, event.mipayertype, event.insurermicertid, event.insurermicertdate, event.assignedfcattorneycode, event.fcattorneyfileid, event.fcmethodtype, event.propertycurrentoccupancytype, event.fcsaleresulttype, event.fcsalescheduleddate, event.fcsalerescissionreasoncode, event.legalprocessservicemethodtype, event.fcjudgmenttype, event.pursuedeficiencyindicator, event.restartindicator, event.fcsalechangedreasoncode, event.presaleborrowerrighttocureenddate, event.judgmentamount, event.instateserviceindicator, event.fcstatustype, event.fcfileclosedreasontype, event.fcsalebidamount, event.propertyinspectiontypecode, event.redemptionperiodprojectedenddate, event.finallawdate, event.bkstatusindicator, event.assignedbkattorneycode, event.bkborrowerintenttosurrenderpropertyindicator, event.bkcasenumberid, event.bkchaptertypecode, event.bkdistrictcode, event.bkdistrictname, event.bkfilertype, event.bkfilingdate, event.bkfilinglastpaidinstallmentdate, event.bkfilingansistatecode, event.bkpostpetitionplandate, event.bkreferraltype, event.bkplanamendedtype, event.bkpocbardate, event.bkpostpetitionpaymentamount, event.bkpostpetitionpaymentduedate, event.propertyvaluationmethodtype, event.propertyvaluationamount, event.propertyvaluationdate, event.paymentchangenoticereasontype, event.mfrrequestedreasontype, event.filingdispositiontype, event.trusteepayallindicator, event.cramdownindicator, event.cramdownamount, event.propertyvalueasassetindicator, event.propertysalepriceamount, event.loandelinquencyeventtype, event.servicingtransferorcode, event.servicingtransferorname, event.servicingtransfereecode, event.servicingtransfereename, event.propertycountyansiname, event.assignedfcattorneyname, event.assignedbkattorneyname, event.documenttypecode, event.importfileid, event.sourceline, event.organizationid, event.loanid, event.importformid, event.decisiondelayid, event.createddate, event.createdpersonid, event.updateddate, event.updatedpersonid, event.version from event;
select casewright_report('event', 'eventid, event, status, eventtype, object, objectid, recordtype, providercode, businesseventcode, businesseventname, sourcesystemcode, servicercode, servicername, servicerloannumberid, eventactualdate, eventcreateddate, eventrecordeddate, eventprocessid, processorid, processorname, delaytypecode, subservicercode, subservicername, investorcode, investorname, investorloannumberid, investorservicerid, delayactualstartdate, delayprojectedenddate, delayendreasoncode, delaydetails, primaryborrowerlastname, primaryborrowerfirstname, secondaryborrowerlastname, secondaryborrowerfirstname, propertyaddressansistatecode, propertycountyansicode, propertycountryisocode, propertyprimaryresidenceindicator, dwellingresidencetype, originalmortgageamount, unpaidprincipalbalanceamount, oldestunpaidinstallmentdate, loanoriginationclosingdate, litigationindicator, lienprioritytype, mortgagetype, mortgagefinancetype, loanmilitaryprotectionstatusindicator, servicingportfoliopoolcertid, servicingportfoliopoolcertissuedate, ficoscorevl, guarantorcode, guarantorloannumberid, miinsurercode, mipayertype, insurermicertid, insurermicertdate, assignedfcattorneycode, fcattorneyfileid, fcmethodtype, propertycurrentoccupancytype, fcsaleresulttype, fcsalescheduleddate, fcsalerescissionreasoncode, legalprocessservicemethodtype, fcjudgmenttype, pursuedeficiencyindicator, restartindicator, fcsalechangedreasoncode, presaleborrowerrighttocureenddate, judgmentamount, instateserviceindicator, fcstatustype, fcfileclosedreasontype, fcsalebidamount, propertyinspectiontypecode, redemptionperiodprojectedenddate, finallawdate, bkstatusindicator, assignedbkattorneycode, bkborrowerintenttosurrenderpropertyindicator, bkcasenumberid, bkchaptertypecode, bkdistrictcode, bkdistrictname, bkfilertype, bkfilingdate, bkfilinglastpaidinstallmentdate, bkfilingansistatecode, bkpostpetitionplandate, bkreferraltype, bkplanamendedtype, bkpocbardate, bkpostpetitionpaymentamount, bkpostpetitionpaymentduedate, propertyvaluationmethodtype, propertyvaluationamount, propertyvaluationdate, paymentchangenoticereasontype, mfrrequestedreasontype, filingdispositiontype, trusteepayallindicator, cramdownindicator, cramdownamount, propertyvalueasassetindicator, propertysalepriceamount, loandelinquencyeventtype, servicingtransferorcode, servicingtransferorname, servicingtransfereecode, servicingtransfereename, propertycountyansiname, assignedfcattorneyname, assignedbkattorneyname, documenttypecode, importfileid, sourceline, organizationid, loanid, importformid, decisiondelayid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table eventcode (
  eventcodeid bigint generated always as identity primary key,
  eventcode varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  eventcodetype varchar(100) collate casewright_text,
  description varchar(10000) collate casewright_text,
  casekind varchar(11) collate casewright_text,
  importformtemplateid bigint references importformtemplate,
  taskdate varchar(9) collate casewright_text,
  casestatus varchar(100) collate casewright_text,
  decisiondelaytemplateid bigint references decisiondelaytemplate,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index eventcode_importformtemplateid_idx on eventcode (importformtemplateid);
create index eventcode_decisiondelaytemplateid_idx on eventcode (decisiondelaytemplateid);
create trigger eventcode_history after update or delete on eventcode for each row execute function casewright_history();
select casewright_open('eventcode', 'configuration');
create view report.eventcode with (security_invoker = true) as select eventcode.eventcodeid, eventcode.eventcode, eventcode.status, eventcode.eventcodetype, eventcode.description, eventcode.casekind, eventcode.importformtemplateid, eventcode.taskdate, eventcode.casestatus, eventcode.decisiondelaytemplateid, eventcode.createddate, eventcode.createdpersonid, eventcode.updateddate, eventcode.updatedpersonid, eventcode.version from eventcode;
select casewright_report('eventcode', 'eventcodeid, eventcode, status, eventcodetype, description, casekind, importformtemplateid, taskdate, casestatus, decisiondelaytemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version');
create unique index eventcode_eventcode_key on eventcode (eventcode);
create trigger eventcode_configuration after insert or update or delete on eventcode for each statement execute function casewright_configuration();

-- The event that spoke last of a record: of a case's status, of a delay's dates. An older one that is reported later changes nothing.
create table eventstate (
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  -- When it happened, was created and was recorded, and its code: which of two events is the later one.
  at timestamptz not null default '-infinity',
  created timestamptz not null default '-infinity',
  recorded timestamptz not null default '-infinity',
  code text collate "C" not null default '',
  -- What that event says of a case, and the file whose import has still to bring it there.
  status varchar(100) collate "C",
  reason varchar(255) collate "C",
  importfileid bigint,
  -- Of a case: whether an event made it, so that it was opened with the first that is known.
  made boolean not null default false,
  -- Of a delay: the firm that reported it, its type and beginning, by which it is known again.
  organizationid bigint,
  loanid bigint,
  delaytype varchar(100) collate "C",
  delaystart timestamptz,
  primary key (objectid, object)
);
create index eventstate_importfileid_idx on eventstate (importfileid) where importfileid is not null;
create index eventstate_delay_idx on eventstate (loanid, organizationid, delaytype, delaystart) where loanid is not null;

-- Steps of a case are looked for by their template.
drop index importform_object_idx;
create index importform_object_idx on importform (objectid, object, importformtemplateid);
-- Most tasks are assigned to nobody and belong to no workflow: without them these trees are small, and a task is written in three
-- quarters of the time.
drop index importform_assignedcollectionid_idx, importform_assignedpersonid_idx, importform_decisionstepid_idx;
create index importform_assignedcollectionid_idx on importform (assignedcollectionid) where assignedcollectionid is not null;
create index importform_assignedpersonid_idx on importform (assignedpersonid) where assignedpersonid is not null;
create index importform_decisionstepid_idx on importform (decisionstepid) where decisionstepid is not null;
-- A log row is written by its file's run, which holds the file; asking for file and firm anew with every row was more than half of
-- writing the log. What the key did for the file when it is deleted is done here.
alter table importlog drop constraint importlog_organizationid_fkey, drop constraint importlog_importfileid_fkey;
create function casewright_importfile_logged() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from importlog where importfileid = old.importfileid) then
    raise foreign_key_violation using message = 'the import file has a log', table = 'importlog', constraint = 'importlog_importfileid_fkey';
  end if;
  return old;
end $$;
create trigger importfile_logged before delete on importfile for each row execute function casewright_importfile_logged();
drop index importlog_organizationid_idx;
drop index importlog_reference_idx;
create index importlog_reference_idx on importlog (reference) where reference is not null;

-- Who writes many tasks at once knows their firms beforehand and says so for its transaction; working each out took longer than
-- writing it (19 against 16 microseconds). Everybody else's are worked out as before.
drop trigger importform_reach on importform;
create trigger importform_reach before insert or update of object, objectid, importformtemplateid, reachorganizationid on importform for each row
  when (current_setting('casewright.reachknown', true) is distinct from 'importform') execute function casewright_reach_importform();

-- The same answers as before, in a fifth of the time: one expression with a query for each kind of parent is made ready anew, with
-- all of its queries, whenever it is asked.
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if parent in ('Foreclosure', 'Bankruptcy', 'Process') then
    return (select array[organizationid] from process where processid = parentid and organizationid is not null);
  elsif parent = 'Loan' then
    return (select reachorganizationid from loan where loanid = parentid);
  elsif parent = 'ImportForm' then
    return (select array[reachorganizationid] from importform where importformid = parentid and reachorganizationid is not null);
  elsif parent = 'Ledger' then
    return (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null);
  elsif parent = 'Message' then
    return (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null);
  elsif parent = 'Contact' then
    return (select reachorganizationid from contact where contactid = parentid);
  elsif parent = 'Person' then
    return (select array[organizationid] from person where personid = parentid and organizationid is not null);
  elsif parent = 'Organization' then
    return array[parentid];
  elsif parent = 'Property' then
    return (select reachorganizationid from property where propertyid = parentid);
  elsif parent = 'DecisionDelay' then
    return (select array[reachorganizationid] from decisiondelay where decisiondelayid = parentid and reachorganizationid is not null);
  elsif parent = 'Attachment' then
    return (select array[reachorganizationid] from attachment where attachmentid = parentid and reachorganizationid is not null);
  elsif parent = 'ImportFile' then
    return (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null);
  end if;
  return null;
end $$;

-- A file of events without an event is kept, and not shown among the files.
alter table importfile add column unlisted boolean;
do $$
begin
  execute format('create or replace view report.importfile with (security_invoker = true) as %s', regexp_replace(pg_get_viewdef('report.importfile'::regclass), '\n\s*FROM ', ', importfile.unlisted FROM '));
  perform casewright_report('importfile', 'unlisted');
end $$;
