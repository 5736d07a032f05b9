-- Forms of tasks: questions, statuses, and the moves between them that are possible.

alter table importformtemplate add column instructions varchar(10000) collate casewright_text, add column assignedcollectionid bigint references collection, add column smartworklisttemplateid bigint;
create index importformtemplate_assignedcollectionid_idx on importformtemplate (assignedcollectionid) where assignedcollectionid is not null;
create index importformtemplate_smartworklisttemplateid_idx on importformtemplate (smartworklisttemplateid) where smartworklisttemplateid is not null;
drop view report.importformtemplate;
create view report.importformtemplate with (security_invoker = true) as select importformtemplate.importformtemplateid, importformtemplate.importformtemplate, importformtemplate.status, importformtemplate.importformtemplatetype, importformtemplate.appliesto, importformtemplate.repeatable, importformtemplate.extranetenabled, importformtemplate.description, importformtemplate.instructions, importformtemplate.assignedcollectionid, importformtemplate.smartworklisttemplateid, importformtemplate.createddate, importformtemplate.createdpersonid, importformtemplate.updateddate, importformtemplate.updatedpersonid, importformtemplate.version from importformtemplate;
select casewright_report('importformtemplate', 'importformtemplateid, importformtemplate, status, importformtemplatetype, appliesto, repeatable, extranetenabled, description, instructions, assignedcollectionid, smartworklisttemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table importformquestion (
  importformquestionid bigint generated always as identity primary key,
  importformquestion varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  importformquestiontype varchar(100) collate casewright_text,
  importformtemplateid bigint not null references importformtemplate,
  questiontype varchar(14) collate casewright_text,
  prompt varchar(1000) collate casewright_text,
  help varchar(4000) collate casewright_text,
  section varchar(100) collate casewright_text,
  sequence integer,
  isrequired boolean,
  choices varchar(50000) collate casewright_text,
  minimum varchar(40) collate "C",
  maximum varchar(40) collate "C",
  pattern varchar(500) collate "C",
  defaultanswer varchar(1000) collate "C",
  calculation varchar(4000) collate "C",
  shownwhen varchar(4000) collate "C",
  requiredwhen varchar(4000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger importformquestion_history after update or delete on importformquestion for each row execute function casewright_history();
select casewright_open('importformquestion', 'configuration');
create view report.importformquestion with (security_invoker = true) as select importformquestion.importformquestionid, importformquestion.importformquestion, importformquestion.status, importformquestion.importformquestiontype, importformquestion.importformtemplateid, importformquestion.questiontype, importformquestion.prompt, importformquestion.help, importformquestion.section, importformquestion.sequence, importformquestion.isrequired, importformquestion.choices, importformquestion.minimum, importformquestion.maximum, importformquestion.pattern, importformquestion.defaultanswer, importformquestion.calculation, importformquestion.shownwhen, importformquestion.requiredwhen, importformquestion.createddate, importformquestion.createdpersonid, importformquestion.updateddate, importformquestion.updatedpersonid, importformquestion.version from importformquestion;
select casewright_report('importformquestion', 'importformquestionid, importformquestion, status, importformquestiontype, importformtemplateid, questiontype, prompt, help, section, sequence, isrequired, choices, minimum, maximum, pattern, defaultanswer, calculation, shownwhen, requiredwhen, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger importformquestion_configuration after insert or update or delete on importformquestion for each statement execute function casewright_configuration();
-- An answer has one question; sent again by its name it is the same.
create unique index importformquestion_name_key on importformquestion (importformtemplateid, importformquestion);

create table importformstatus (
  importformstatusid bigint generated always as identity primary key,
  importformstatus varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  importformstatustype varchar(100) collate casewright_text,
  importformtemplateid bigint not null references importformtemplate,
  isfinal boolean,
  sequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger importformstatus_history after update or delete on importformstatus for each row execute function casewright_history();
select casewright_open('importformstatus', 'configuration');
create view report.importformstatus with (security_invoker = true) as select importformstatus.importformstatusid, importformstatus.importformstatus, importformstatus.status, importformstatus.importformstatustype, importformstatus.importformtemplateid, importformstatus.isfinal, importformstatus.sequence, importformstatus.createddate, importformstatus.createdpersonid, importformstatus.updateddate, importformstatus.updatedpersonid, importformstatus.version from importformstatus;
select casewright_report('importformstatus', 'importformstatusid, importformstatus, status, importformstatustype, importformtemplateid, isfinal, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger importformstatus_configuration after insert or update or delete on importformstatus for each statement execute function casewright_configuration();
create unique index importformstatus_name_key on importformstatus (importformtemplateid, importformstatus);

create table importformtransition (
  importformtransitionid bigint generated always as identity primary key,
  importformtransition varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importformtransitiontype varchar(100) collate casewright_text,
  importformtemplateid bigint not null references importformtemplate,
  fromstatus varchar(100) collate casewright_text,
  tostatus varchar(100) collate casewright_text not null,
  roles varchar(1000) collate casewright_text,
  smartworklisttemplateid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index importformtransition_smartworklisttemplateid_idx on importformtransition (smartworklisttemplateid) where smartworklisttemplateid is not null;
create trigger importformtransition_history after update or delete on importformtransition for each row execute function casewright_history();
select casewright_open('importformtransition', 'configuration');
create view report.importformtransition with (security_invoker = true) as select importformtransition.importformtransitionid, importformtransition.importformtransition, importformtransition.status, importformtransition.importformtransitiontype, importformtransition.importformtemplateid, importformtransition.fromstatus, importformtransition.tostatus, importformtransition.roles, importformtransition.smartworklisttemplateid, importformtransition.createddate, importformtransition.createdpersonid, importformtransition.updateddate, importformtransition.updatedpersonid, importformtransition.version from importformtransition;
select casewright_report('importformtransition', 'importformtransitionid, importformtransition, status, importformtransitiontype, importformtemplateid, fromstatus, tostatus, roles, smartworklisttemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger importformtransition_configuration after insert or update or delete on importformtransition for each statement execute function casewright_configuration();
-- A move is there once, whatever it is called.
create unique index importformtransition_move_key on importformtransition (importformtemplateid, coalesce(fromstatus, ''), tostatus);
