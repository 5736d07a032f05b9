-- Who there is and what they may do: organizations, contacts, persons, roles, keys, and the logs about them.

create table contact (
  contactid bigint generated always as identity primary key,
  contact varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  contacttype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  recordclass varchar(60) collate "C",
  firstname varchar(100) collate casewright_text,
  middlename varchar(100) collate casewright_text,
  lastname varchar(100) collate casewright_text,
  prefix varchar(20) collate casewright_text,
  suffix varchar(20) collate casewright_text,
  company varchar(255) collate casewright_text,
  title varchar(100) collate casewright_text,
  address varchar(255) collate casewright_text,
  city varchar(100) collate casewright_text,
  state varchar(50) collate casewright_text,
  postalcode varchar(20) collate casewright_text,
  country varchar(60) collate casewright_text,
  birthdate date,
  spokenlanguage varchar(60) collate casewright_text,
  latitude numeric,
  longitude numeric,
  contacttemplateid bigint,
  parentcontactid bigint references contact,
  usssncipher bytea,
  usssnindex bytea,
  usssn4 varchar(4) collate "C",
  scrastatus varchar(60) collate casewright_text,
  scrasource varchar(100) collate casewright_text,
  scrastatusasof date,
  verifiedsource varchar(100) collate casewright_text,
  verifieddate timestamptz,
  borrowertype varchar(9) collate casewright_text,
  sequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint[] not null default '{}'
);
create index contact_contacttemplateid_idx on contact (contacttemplateid);
create index contact_parentcontactid_idx on contact (parentcontactid);
create index contact_usssnindex_idx on contact (usssnindex);
create index contact_object_idx on contact (objectid, object);
create index contact_reach_idx on contact using gin (reachorganizationid);
create trigger contact_history after update or delete on contact for each row execute function casewright_history();
select casewright_open('contact', 'many');
create view report.contact with (security_invoker = true) as select contact.contactid, contact.contact, contact.status, contact.contacttype, contact.object, contact.objectid, contact.recordclass, contact.firstname, contact.middlename, contact.lastname, contact.prefix, contact.suffix, contact.company, contact.title, contact.address, contact.city, contact.state, contact.postalcode, contact.country, contact.birthdate, contact.spokenlanguage, contact.latitude, contact.longitude, contact.contacttemplateid, contact.parentcontactid, contact.usssn4, contact.scrastatus, contact.scrasource, contact.scrastatusasof, contact.verifiedsource, contact.verifieddate, contact.borrowertype, contact.sequence, contact.createddate, contact.createdpersonid, contact.updateddate, contact.updatedpersonid, contact.version from contact;
select casewright_report('contact', 'contactid, contact, status, contacttype, object, objectid, recordclass, firstname, middlename, lastname, prefix, suffix, company, title, address, city, state, postalcode, country, birthdate, spokenlanguage, latitude, longitude, contacttemplateid, parentcontactid, usssn4, scrastatus, scrasource, scrastatusasof, verifiedsource, verifieddate, borrowertype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table organization (
  organizationid bigint primary key references contact on delete cascade,
  providercode varchar(50) collate "C",
  website varchar(255) collate casewright_text,
  reachorganizationid bigint[] not null default '{}'
);
create trigger organization_history after update or delete on organization for each row execute function casewright_history();
select casewright_open('organization', 'many');
create view report.organization with (security_invoker = true) as select contact.contact as organization, contact.contactid as organizationid, contact.contacttype as organizationtype, contact.status, contact.contacttype, contact.object, contact.objectid, contact.recordclass, contact.firstname, contact.middlename, contact.lastname, contact.prefix, contact.suffix, contact.company, contact.title, contact.address, contact.city, contact.state, contact.postalcode, contact.country, contact.birthdate, contact.spokenlanguage, contact.latitude, contact.longitude, contact.contacttemplateid, contact.parentcontactid, contact.usssn4, contact.scrastatus, contact.scrasource, contact.scrastatusasof, contact.verifiedsource, contact.verifieddate, contact.borrowertype, contact.sequence, organization.providercode, organization.website, contact.createddate, contact.createdpersonid, contact.updateddate, contact.updatedpersonid, contact.version from contact join organization on organization.organizationid = contact.contactid;
select casewright_report('organization', 'organizationid, providercode, website');

create table contactmethod (
  contactmethodid bigint generated always as identity primary key,
  contactmethod varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  contactmethodtype varchar(100) collate casewright_text,
  contactid bigint not null references contact,
  methodtype varchar(60) collate casewright_text,
  contactvalue varchar(255) collate casewright_text,
  primarymethod boolean,
  validstart date,
  validend date,
  verifiedsource varchar(100) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint[] not null default '{}'
);
create index contactmethod_contactid_idx on contactmethod (contactid);
create index contactmethod_reach_idx on contactmethod using gin (reachorganizationid);
create trigger contactmethod_history after update or delete on contactmethod for each row execute function casewright_history();
select casewright_open('contactmethod', 'many');
create view report.contactmethod with (security_invoker = true) as select contactmethod.contactmethodid, contactmethod.contactmethod, contactmethod.status, contactmethod.contactmethodtype, contactmethod.contactid, contactmethod.methodtype, contactmethod.contactvalue, contactmethod.primarymethod, contactmethod.validstart, contactmethod.validend, contactmethod.verifiedsource, contactmethod.createddate, contactmethod.createdpersonid, contactmethod.updateddate, contactmethod.updatedpersonid, contactmethod.version from contactmethod;
select casewright_report('contactmethod', 'contactmethodid, contactmethod, status, contactmethodtype, contactid, methodtype, contactvalue, primarymethod, validstart, validend, verifiedsource, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table person (
  personid bigint generated always as identity primary key,
  person varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  persontype varchar(100) collate casewright_text,
  firstname varchar(100) collate casewright_text,
  lastname varchar(100) collate casewright_text,
  email varchar(255) collate casewright_text,
  password varchar(255) collate "C",
  organizationid bigint references organization,
  roles varchar(1000) collate casewright_text,
  lockeduntil timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored
);
create index person_organizationid_idx on person (organizationid);
create index person_reach_idx on person (reachorganizationid, createddate);
create trigger person_history after update or delete on person for each row execute function casewright_history('password');
select casewright_open('person', 'one');
create view report.person with (security_invoker = true) as select person.personid, person.person, person.status, person.persontype, person.firstname, person.lastname, person.email, person.organizationid, person.roles, person.lockeduntil, person.createddate, person.createdpersonid, person.updateddate, person.updatedpersonid, person.version from person;
select casewright_report('person', 'personid, person, status, persontype, firstname, lastname, email, organizationid, roles, lockeduntil, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table role (
  roleid bigint generated always as identity primary key,
  role varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  roletype varchar(100) collate casewright_text,
  description varchar(1000) collate casewright_text,
  permissions varchar(20000) collate casewright_text,
  universalaccess boolean,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger role_history after update or delete on role for each row execute function casewright_history();
select casewright_open('role', 'none');

create table apikey (
  apikeyid bigint generated always as identity primary key,
  apikey varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  apikeytype varchar(100) collate casewright_text,
  personid bigint not null references person,
  keyhash varchar(64) collate "C",
  keystart varchar(20) collate "C",
  expires timestamptz,
  allowednetworks varchar(2000) collate "C",
  ratelimitperminute integer,
  revokeddate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index apikey_personid_idx on apikey (personid);
create trigger apikey_history after update or delete on apikey for each row execute function casewright_history('keyhash');
select casewright_open('apikey', 'none');

create table securitylog (
  securitylogid bigint generated always as identity primary key,
  securitylog varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  securitylogtype varchar(100) collate casewright_text,
  personid bigint references person,
  object varchar(60) collate casewright_text,
  objectid bigint,
  address varchar(60) collate "C",
  detail varchar(500) collate casewright_text,
  correlationid varchar(64) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index securitylog_personid_idx on securitylog (personid);
select casewright_open('securitylog', 'none');

create table errorlog (
  errorlogid bigint generated always as identity primary key,
  errorlog varchar(2000) collate casewright_text,
  status varchar(100) collate casewright_text,
  errorlogtype varchar(100) collate casewright_text,
  errorguid varchar(64) collate "C",
  operation varchar(200) collate casewright_text,
  cause varchar(2000) collate casewright_text,
  stack varchar(8000) collate casewright_text,
  personid bigint references person,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index errorlog_personid_idx on errorlog (personid);
select casewright_open('errorlog', 'none');

create table setting (
  settingid bigint generated always as identity primary key,
  setting varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  settingtype varchar(100) collate casewright_text,
  value varchar(10000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger setting_history after update or delete on setting for each row execute function casewright_history();
select casewright_open('setting', 'none');

create table statement (
  statementid bigint generated always as identity primary key,
  statement varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  statementtype varchar(100) collate casewright_text,
  classname varchar(60) collate casewright_text,
  description varchar(1000) collate casewright_text,
  query varchar(50000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger statement_history after update or delete on statement for each row execute function casewright_history();
select casewright_open('statement', 'none');

create table objectsubscription (
  objectsubscriptionid bigint generated always as identity primary key,
  objectsubscription varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  objectsubscriptiontype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  subscriberid varchar(255) collate "C" not null,
  organizationid bigint not null default 0,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  -- 0 is the installation's own view: a user without a firm, whose firm is 0 too, must not reach it.
  reachorganizationid bigint generated always as (nullif(organizationid, 0)) stored
);
create index objectsubscription_object_idx on objectsubscription (objectid, object);
create index objectsubscription_reach_idx on objectsubscription (reachorganizationid, createddate);
create trigger objectsubscription_history after update or delete on objectsubscription for each row execute function casewright_history();
select casewright_open('objectsubscription', 'one');
create view report.objectsubscription with (security_invoker = true) as select objectsubscription.objectsubscriptionid, objectsubscription.objectsubscription, objectsubscription.status, objectsubscription.objectsubscriptiontype, objectsubscription.object, objectsubscription.objectid, objectsubscription.subscriberid, objectsubscription.organizationid, objectsubscription.createddate, objectsubscription.createdpersonid, objectsubscription.updateddate, objectsubscription.updatedpersonid, objectsubscription.version from objectsubscription;
select casewright_report('objectsubscription', 'objectsubscriptionid, objectsubscription, status, objectsubscriptiontype, object, objectid, subscriberid, organizationid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create unique index organization_providercode_key on organization (providercode);
create unique index person_person_key on person (person);
create unique index role_role_key on role (role);
create unique index setting_setting_key on setting (setting);
create unique index statement_statement_key on statement (classname, statement);
create unique index apikey_keyhash_key on apikey (keyhash);
create unique index objectsubscription_subscriberid_key on objectsubscription (subscriberid, organizationid, object);
create index contact_lastname_idx on contact (lastname, firstname);
create index contact_contact_idx on contact (contact);
create index securitylog_createddate_idx on securitylog (createddate);
create index errorlog_errorguid_idx on errorlog (errorguid);

create trigger role_configuration after insert or update or delete on role for each statement execute function casewright_configuration();
create trigger setting_configuration after insert or update or delete on setting for each statement execute function casewright_configuration();
create trigger statement_configuration after insert or update or delete on statement for each statement execute function casewright_configuration();

-- The firms that reach what hangs below a record. Later migrations teach it the record types that they make.
create function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return case parent
    when 'Organization' then array[parentid]
    when 'Contact' then (select reachorganizationid from contact where contactid = parentid)
    when 'Person' then (select array[organizationid] from person where personid = parentid and organizationid is not null)
  end;
end $$;

create function casewright_reach_contact() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.recordclass = 'Organization' then
    new.reachorganizationid := array[new.contactid];
  else
    new.reachorganizationid := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  end if;
  return new;
end $$;
create trigger contact_reach before insert or update of object, objectid on contact for each row execute function casewright_reach_contact();

create function casewright_reach_contactmethod() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := coalesce((select reachorganizationid from contact where contactid = new.contactid), '{}');
  return new;
end $$;
create trigger contactmethod_reach before insert or update of contactid on contactmethod for each row execute function casewright_reach_contactmethod();

-- What hangs below a contact follows it.
create function casewright_reach_contact_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update contactmethod set reachorganizationid = new.reachorganizationid where contactid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where object = 'Contact' and objectid = new.contactid;
  return null;
end $$;
-- Not `after update of reachorganizationid`: such a trigger looks at the statement's list of columns and misses a move, where only the
-- trigger before it sets the column.
create trigger contact_reach_changed after update on contact for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_contact_changed();

-- A user who changes firm takes along what hangs below it.
create function casewright_reach_person_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update contact set objectid = objectid where object = 'Person' and objectid = new.personid;
  return null;
end $$;
create trigger person_reach_changed after update on person for each row
  when (new.organizationid is distinct from old.organizationid) execute function casewright_reach_person_changed();
