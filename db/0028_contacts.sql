-- Contacts and who belongs together: roles of contacts, aliases, licences, places, collections, and the military status of a contact.

create table contacttemplate (
  contacttemplateid bigint generated always as identity primary key,
  contacttemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  contacttemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  customstatuslist varchar(4000) collate casewright_text,
  customtypelist varchar(4000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger contacttemplate_history after update or delete on contacttemplate for each row execute function casewright_history();
select casewright_open('contacttemplate', 'configuration');
create view report.contacttemplate with (security_invoker = true) as select contacttemplate.contacttemplateid, contacttemplate.contacttemplate, contacttemplate.status, contacttemplate.contacttemplatetype, contacttemplate.appliesto, contacttemplate.repeatable, contacttemplate.extranetenabled, contacttemplate.description, contacttemplate.customstatuslist, contacttemplate.customtypelist, contacttemplate.createddate, contacttemplate.createdpersonid, contacttemplate.updateddate, contacttemplate.updatedpersonid, contacttemplate.version from contacttemplate;
select casewright_report('contacttemplate', 'contacttemplateid, contacttemplate, status, contacttemplatetype, appliesto, repeatable, extranetenabled, description, customstatuslist, customtypelist, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger contacttemplate_configuration after insert or update or delete on contacttemplate for each statement execute function casewright_configuration();

-- Until now the numbers of templates were kept as they were sent and named nothing. History keeps them.
update contact set contacttemplateid = null where contacttemplateid is not null;
alter table contact add constraint contact_contacttemplateid_fkey foreign key (contacttemplateid) references contacttemplate;

-- What a check of the military status found beside the status.
alter table contact add column scraactivedutystartdate date, add column scraactivedutyenddate date, add column scraservicecomponentcode varchar(10) collate "C", add column scramessage varchar(255) collate casewright_text;
do $$
declare
  viewname text;
begin
  foreach viewname in array array['contact', 'organization'] loop
    -- Columns can only be added behind those that a view has.
    execute format('create or replace view report.%I with (security_invoker = true) as %s', viewname, regexp_replace(pg_get_viewdef(format('report.%I', viewname)::regclass), '\n\s*FROM ', ', contact.scraactivedutystartdate, contact.scraactivedutyenddate, contact.scraservicecomponentcode, contact.scramessage FROM '));
  end loop;
  perform casewright_report('contact', 'scraactivedutystartdate, scraactivedutyenddate, scraservicecomponentcode, scramessage');
end $$;

-- The firms of a contact: those of its parent. An alias that stands below nothing else has those of the contact that it is an
-- alias of. A role that is closed to partners leaves a contact to the firm that made it itself.
create or replace function casewright_reach_contact() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firms bigint[];
  maker bigint;
begin
  if new.recordclass = 'Organization' then
    new.reachorganizationid := array[new.contactid];
    return new;
  end if;
  if new.object is null and new.parentcontactid is not null then
    firms := coalesce((select reachorganizationid from contact where contactid = new.parentcontactid), '{}');
  else
    firms := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  end if;
  if new.contacttemplateid is not null and firms <> '{}' and (select extranetenabled from contacttemplate where contacttemplateid = new.contacttemplateid) = 'No' then
    maker := (select organizationid from person where personid = new.createdpersonid);
    firms := case when maker = any(firms) then array[maker] else '{}' end;
  end if;
  new.reachorganizationid := firms;
  return new;
end $$;
drop trigger contact_reach on contact;
create trigger contact_reach before insert or update of object, objectid, parentcontactid, contacttemplateid, reachorganizationid on contact for each row execute function casewright_reach_contact();

-- What hangs below a contact follows it, and so do its aliases.
create or replace function casewright_reach_contact_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update contactmethod set reachorganizationid = new.reachorganizationid where contactid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where object = 'Contact' and objectid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where parentcontactid = new.contactid and object is null;
  return null;
end $$;

create trigger contacttemplate_reach after update on contacttemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('contact');

create table geography (
  geographyid bigint generated always as identity primary key,
  geography varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  geographytype varchar(100) collate casewright_text,
  code varchar(20) collate casewright_text,
  parentgeographyid bigint references geography,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index geography_parentgeographyid_idx on geography (parentgeographyid);
create trigger geography_history after update or delete on geography for each row execute function casewright_history();
select casewright_open('geography', 'configuration');
create view report.geography with (security_invoker = true) as select geography.geographyid, geography.geography, geography.status, geography.geographytype, geography.code, geography.parentgeographyid, geography.createddate, geography.createdpersonid, geography.updateddate, geography.updatedpersonid, geography.version from geography;
select casewright_report('geography', 'geographyid, geography, status, geographytype, code, parentgeographyid, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger geography_configuration after insert or update or delete on geography for each statement execute function casewright_configuration();

create table professionallicense (
  professionallicenseid bigint generated always as identity primary key,
  professionallicense varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  professionallicensetype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  effective date,
  expires date,
  verificationtype varchar(100) collate casewright_text,
  verifieddate timestamptz,
  verifiedby varchar(255) collate casewright_text,
  attachmentid bigint references attachment,
  geographyid bigint references geography,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  reachorganizationid bigint[] not null default '{}'
);
create index professionallicense_attachmentid_idx on professionallicense (attachmentid);
create index professionallicense_geographyid_idx on professionallicense (geographyid);
create index professionallicense_object_idx on professionallicense (objectid, object);
create index professionallicense_reach_idx on professionallicense using gin (reachorganizationid);
create trigger professionallicense_history after update or delete on professionallicense for each row execute function casewright_history();
select casewright_open('professionallicense', 'many');
create view report.professionallicense with (security_invoker = true) as select professionallicense.professionallicenseid, professionallicense.professionallicense, professionallicense.status, professionallicense.professionallicensetype, professionallicense.object, professionallicense.objectid, professionallicense.effective, professionallicense.expires, professionallicense.verificationtype, professionallicense.verifieddate, professionallicense.verifiedby, professionallicense.attachmentid, professionallicense.geographyid, professionallicense.createddate, professionallicense.createdpersonid, professionallicense.updateddate, professionallicense.updatedpersonid, professionallicense.version, professionallicense.custom from professionallicense;
select casewright_report('professionallicense', 'professionallicenseid, professionallicense, status, professionallicensetype, object, objectid, effective, expires, verificationtype, verifieddate, verifiedby, attachmentid, geographyid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');

create function casewright_reach_professionallicense() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  return new;
end $$;
create trigger professionallicense_reach before insert or update of object, objectid, reachorganizationid on professionallicense for each row execute function casewright_reach_professionallicense();

-- Licences follow the record that they are on. The argument is the class that they name in Object, or nothing where the record says it.
create function casewright_reach_licenses() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update professionallicense set objectid = objectid
    where object = coalesce(tg_argv[0], to_jsonb(new) ->> 'recordclass') and objectid = (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
  return null;
end $$;
create trigger contact_reach_spread_licenses after update on contact for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Contact');
create trigger property_reach_spread_licenses after update on property for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Property');
create trigger loan_reach_changed_licenses after update on loan for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Loan');
create trigger importform_reach_spread_licenses after update on importform for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('ImportForm');
create trigger decisiondelay_reach_spread_licenses after update on decisiondelay for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('DecisionDelay');
create trigger message_reach_spread_licenses after update on message for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Message');
create trigger attachment_reach_spread_licenses after update on attachment for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Attachment');
create trigger ledger_reach_spread_licenses after update on ledger for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_licenses('Ledger');
create trigger person_reach_spread_licenses after update on person for each row when (new.organizationid is distinct from old.organizationid) execute function casewright_reach_licenses('Person');
create trigger process_reach_changed_licenses after update on process for each row when (new.organizationid is distinct from old.organizationid) execute function casewright_reach_licenses();

create table collectiontemplate (
  collectiontemplateid bigint generated always as identity primary key,
  collectiontemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  collectiontemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger collectiontemplate_history after update or delete on collectiontemplate for each row execute function casewright_history();
select casewright_open('collectiontemplate', 'configuration');
create view report.collectiontemplate with (security_invoker = true) as select collectiontemplate.collectiontemplateid, collectiontemplate.collectiontemplate, collectiontemplate.status, collectiontemplate.collectiontemplatetype, collectiontemplate.appliesto, collectiontemplate.repeatable, collectiontemplate.extranetenabled, collectiontemplate.description, collectiontemplate.createddate, collectiontemplate.createdpersonid, collectiontemplate.updateddate, collectiontemplate.updatedpersonid, collectiontemplate.version from collectiontemplate;
select casewright_report('collectiontemplate', 'collectiontemplateid, collectiontemplate, status, collectiontemplatetype, appliesto, repeatable, extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger collectiontemplate_configuration after insert or update or delete on collectiontemplate for each statement execute function casewright_configuration();

create table collection (
  collectionid bigint generated always as identity primary key,
  collection varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  collectiontype varchar(100) collate casewright_text,
  collectiontemplateid bigint references collectiontemplate,
  sourceobject varchar(60) collate "C" not null,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  reachorganizationid bigint
);
create index collection_collectiontemplateid_idx on collection (collectiontemplateid);
create index collection_reach_idx on collection (reachorganizationid, createddate);
create trigger collection_history after update or delete on collection for each row execute function casewright_history();
select casewright_open('collection', 'one');
create view report.collection with (security_invoker = true) as select collection.collectionid, collection.collection, collection.status, collection.collectiontype, collection.collectiontemplateid, collection.sourceobject, collection.createddate, collection.createdpersonid, collection.updateddate, collection.updatedpersonid, collection.version, collection.custom from collection;
select casewright_report('collection', 'collectionid, collection, status, collectiontype, collectiontemplateid, sourceobject, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');
-- A firm's collections are its own: another's of the same name is no hindrance, and not told of.
create unique index collection_collection_key on collection (sourceobject, collection, coalesce(reachorganizationid, 0));

create function casewright_reach_collection() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select organizationid from person where personid = new.createdpersonid);
  return new;
end $$;
create trigger collection_reach before insert or update of createdpersonid, reachorganizationid on collection for each row execute function casewright_reach_collection();

create table collectionmember (
  collectionmemberid bigint generated always as identity primary key,
  collectionmember varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  collectionmembertype varchar(100) collate casewright_text,
  collectionid bigint not null references collection,
  sourceobjectid bigint not null,
  effectivedate date,
  expiresdate date,
  priority integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  reachorganizationid bigint
);
-- A record is in a collection once.
create unique index collectionmember_sourceobjectid_key on collectionmember (sourceobjectid, collectionid);
-- The members of a collection.
create index collectionmember_collectionid_idx on collectionmember (collectionid);
create index collectionmember_reach_idx on collectionmember (reachorganizationid, createddate);
create trigger collectionmember_history after update or delete on collectionmember for each row execute function casewright_history();
select casewright_open('collectionmember', 'one');
create view report.collectionmember with (security_invoker = true) as select collectionmember.collectionmemberid, collectionmember.collectionmember, collectionmember.status, collectionmember.collectionmembertype, collectionmember.collectionid, collectionmember.sourceobjectid, collectionmember.effectivedate, collectionmember.expiresdate, collectionmember.priority, collectionmember.createddate, collectionmember.createdpersonid, collectionmember.updateddate, collectionmember.updatedpersonid, collectionmember.version, collectionmember.custom from collectionmember;
select casewright_report('collectionmember', 'collectionmemberid, collectionmember, status, collectionmembertype, collectionid, sourceobjectid, effectivedate, expiresdate, priority, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');
alter table collectionmember add constraint collectionmember_dates_check check (expiresdate >= effectivedate);

create function casewright_reach_collectionmember() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select reachorganizationid from collection where collectionid = new.collectionid);
  return new;
end $$;
create trigger collectionmember_reach before insert or update of collectionid, reachorganizationid on collectionmember for each row execute function casewright_reach_collectionmember();

-- The members of a collection that count on a day: the one place that says so, for lists, teams and recipients. Under the caller's reach.
create function casewright_members(wanted bigint, day date) returns setof collectionmember language sql stable as $$
  select m.* from collectionmember m
  where m.collectionid = wanted and (m.effectivedate is null or m.effectivedate <= day) and (m.expiresdate is null or m.expiresdate >= day)
$$;
grant execute on function casewright_members(bigint, date) to casewright_reach;

-- Teams and recipients were numbers that named nothing until now.
update importform set assignedcollectionid = null where assignedcollectionid is not null;
update messagetemplate set tocollectionid = null, cccollectionid = null, bcccollectionid = null where coalesce(tocollectionid, cccollectionid, bcccollectionid) is not null;
alter table importform add constraint importform_assignedcollectionid_fkey foreign key (assignedcollectionid) references collection;
alter table messagetemplate
  add constraint messagetemplate_tocollectionid_fkey foreign key (tocollectionid) references collection,
  add constraint messagetemplate_cccollectionid_fkey foreign key (cccollectionid) references collection,
  add constraint messagetemplate_bcccollectionid_fkey foreign key (bcccollectionid) references collection;

create table militaryservice (
  militaryserviceid bigint generated always as identity primary key,
  militaryservice varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  militaryservicetype varchar(100) collate casewright_text,
  lastname varchar(100) collate casewright_text not null,
  firstname varchar(100) collate casewright_text,
  birthdate date,
  usssncipher bytea,
  usssnindex bytea,
  usssn4 varchar(4) collate "C",
  activedutystartdate date not null,
  activedutyenddate date,
  notificationdate date,
  servicecomponentcode varchar(2) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index militaryservice_usssnindex_idx on militaryservice (usssnindex);
-- Without a number people are found by name and birth date.
create index militaryservice_lastname_idx on militaryservice (lastname, birthdate);
create trigger militaryservice_history after update or delete on militaryservice for each row execute function casewright_history();
select casewright_open('militaryservice', 'none');
alter table militaryservice add constraint militaryservice_dates_check check (activedutyenddate >= activedutystartdate);
