-- Worklists: kinds of them, those that are open, and their items.

create table smartworklisttemplate (
  smartworklisttemplateid bigint generated always as identity primary key,
  smartworklisttemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  smartworklisttemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  sourceobject varchar(60) collate "C",
  calculatemethod varchar(4000) collate "C",
  memberurl varchar(2000) collate "C",
  onassignsourceperson varchar(60) collate "C",
  teamid bigint references collection,
  priority integer,
  teammatrixid bigint references matrix,
  auditmatrixid bigint references matrix,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index smartworklisttemplate_teamid_idx on smartworklisttemplate (teamid);
create index smartworklisttemplate_teammatrixid_idx on smartworklisttemplate (teammatrixid);
create index smartworklisttemplate_auditmatrixid_idx on smartworklisttemplate (auditmatrixid);
create trigger smartworklisttemplate_history after update or delete on smartworklisttemplate for each row execute function casewright_history();
select casewright_open('smartworklisttemplate', 'configuration');
create trigger smartworklisttemplate_configuration after insert or update or delete on smartworklisttemplate for each statement execute function casewright_configuration();
create view report.smartworklisttemplate with (security_invoker = true) as select smartworklisttemplate.smartworklisttemplateid, smartworklisttemplate.smartworklisttemplate, smartworklisttemplate.status, smartworklisttemplate.smartworklisttemplatetype, smartworklisttemplate.appliesto, smartworklisttemplate.repeatable, smartworklisttemplate.extranetenabled, smartworklisttemplate.description, smartworklisttemplate.sourceobject, smartworklisttemplate.calculatemethod, smartworklisttemplate.memberurl, smartworklisttemplate.onassignsourceperson, smartworklisttemplate.teamid, smartworklisttemplate.priority, smartworklisttemplate.teammatrixid, smartworklisttemplate.auditmatrixid, smartworklisttemplate.createddate, smartworklisttemplate.createdpersonid, smartworklisttemplate.updateddate, smartworklisttemplate.updatedpersonid, smartworklisttemplate.version from smartworklisttemplate;
select casewright_report('smartworklisttemplate', 'smartworklisttemplateid, smartworklisttemplate, status, smartworklisttemplatetype, appliesto, repeatable, extranetenabled, description, sourceobject, calculatemethod, memberurl, onassignsourceperson, teamid, priority, teammatrixid, auditmatrixid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table smartworklist (
  smartworklistid bigint generated always as identity primary key,
  smartworklist varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  smartworklisttype varchar(100) collate casewright_text,
  smartworklisttemplateid bigint references smartworklisttemplate,
  sourceobject varchar(60) collate "C",
  teamid bigint references collection,
  priority integer,
  canceleddate timestamptz,
  calculateddate timestamptz,
  previousworklistid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index smartworklist_smartworklisttemplateid_idx on smartworklist (smartworklisttemplateid);
-- The open worklist of a name.
create index smartworklist_open_idx on smartworklist (smartworklist) where canceleddate is null;
create index smartworklist_teamid_idx on smartworklist (teamid);
create trigger smartworklist_history after update or delete on smartworklist for each row execute function casewright_history();
select casewright_open('smartworklist', 'none');

create table smartworklistmember (
  smartworklistmemberid bigint generated always as identity primary key,
  smartworklistmember varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  smartworklistmembertype varchar(100) collate casewright_text,
  smartworklistid bigint not null references smartworklist,
  sourceobject varchar(60) collate "C" not null,
  sourceobjectid bigint not null,
  reason varchar(255) collate casewright_text,
  reasondetail text collate casewright_text,
  priority integer,
  sequence integer,
  duedate timestamptz,
  teamid bigint references collection,
  personid bigint references person,
  startdate timestamptz,
  skipdate timestamptz,
  cancelleddate timestamptz,
  completiondate timestamptz,
  businessminutes integer,
  calculatedworklistid bigint,
  auditeddate timestamptz,
  auditedmemberid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  constraint smartworklistmember_end_check check (completiondate is null or cancelleddate is null)
);
create index smartworklistmember_smartworklistid_idx on smartworklistmember (smartworklistid);
-- The next item of a team, of a team on one worklist, and of a person: each stands in the order in which items are taken, so that
-- finding one reads one entry. Put-off items are not in them; they come back when their time has come.
create index smartworklistmember_teamid_idx on smartworklistmember (teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is null;
create index smartworklistmember_listed_idx on smartworklistmember (smartworklistid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is null;
create index smartworklistmember_personid_idx on smartworklistmember (personid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and personid is not null;
create index smartworklistmember_skipdate_idx on smartworklistmember (teamid, skipdate) where completiondate is null and cancelleddate is null and skipdate is not null;
-- What a calculation has brought, wherever it stands now.
create index smartworklistmember_calculated_idx on smartworklistmember (calculatedworklistid) where completiondate is null and cancelleddate is null and calculatedworklistid is not null;
-- The items of a record, those that have ended too: who completed the last one.
create index smartworklistmember_source_idx on smartworklistmember (sourceobjectid, sourceobject);
-- What waits for the decision whether it is looked at again.
create index smartworklistmember_audit_idx on smartworklistmember (smartworklistid, smartworklistmemberid) where completiondate is not null and auditeddate is null and auditedmemberid is null;
create trigger smartworklistmember_history after update or delete on smartworklistmember for each row execute function casewright_history();
select casewright_open('smartworklistmember', 'none');

alter table importformtemplate add constraint importformtemplate_smartworklisttemplateid_fkey foreign key (smartworklisttemplateid) references smartworklisttemplate;
alter table importformtransition add constraint importformtransition_smartworklisttemplateid_fkey foreign key (smartworklisttemplateid) references smartworklisttemplate;
