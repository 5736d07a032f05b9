-- Rules that are asked before records are changed and operations are called.

create table businessrule (
  businessruleid bigint generated always as identity primary key,
  businessrule varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  businessruletype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  operation varchar(200) collate casewright_text,
  startdate date,
  enddate date,
  sequence integer,
  rulevalidator varchar(100) collate casewright_text,
  stylesheet varchar(262144) collate "C",
  description varchar(1000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger businessrule_history after update or delete on businessrule for each row execute function casewright_history();
select casewright_open('businessrule', 'configuration');
create view report.businessrule with (security_invoker = true) as select businessrule.businessruleid, businessrule.businessrule, businessrule.status, businessrule.businessruletype, businessrule.appliesto, businessrule.operation, businessrule.startdate, businessrule.enddate, businessrule.sequence, businessrule.rulevalidator, businessrule.stylesheet, businessrule.description, businessrule.createddate, businessrule.createdpersonid, businessrule.updateddate, businessrule.updatedpersonid, businessrule.version from businessrule;
select casewright_report('businessrule', 'businessruleid, businessrule, status, businessruletype, appliesto, operation, startdate, enddate, sequence, rulevalidator, stylesheet, description, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger businessrule_configuration after insert or update or delete on businessrule for each statement execute function casewright_configuration();
-- Where configuration is moved, a rule is known by its table and name.
create unique index businessrule_name_key on businessrule (appliesto, businessrule);
-- Every process reads all active ones at once.
create index businessrule_active_idx on businessrule (sequence, businessruleid) where status = 'Active';
