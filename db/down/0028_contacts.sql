-- down: roles of contacts, licences, places, collections with their members, known military service, and what checks found beside the status, all with their history
alter table importform drop constraint importform_assignedcollectionid_fkey;
alter table messagetemplate drop constraint messagetemplate_tocollectionid_fkey, drop constraint messagetemplate_cccollectionid_fkey, drop constraint messagetemplate_bcccollectionid_fkey;
drop trigger contact_reach_spread_licenses on contact;
drop trigger property_reach_spread_licenses on property;
drop trigger importform_reach_spread_licenses on importform;
drop trigger decisiondelay_reach_spread_licenses on decisiondelay;
drop trigger message_reach_spread_licenses on message;
drop trigger attachment_reach_spread_licenses on attachment;
drop trigger ledger_reach_spread_licenses on ledger;
drop trigger loan_reach_changed_licenses on loan;
drop trigger person_reach_spread_licenses on person;
drop trigger process_reach_changed_licenses on process;
drop trigger contact_reach on contact;
create or replace function casewright_reach_contact() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.recordclass = 'Organization' then
    new.reachorganizationid := array[new.contactid];
  else
    new.reachorganizationid := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  end if;
  return new;
end $$;
create trigger contact_reach before insert or update of object, objectid on contact for each row execute function casewright_reach_contact();
create or replace function casewright_reach_contact_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update contactmethod set reachorganizationid = new.reachorganizationid where contactid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where object = 'Contact' and objectid = new.contactid;
  return null;
end $$;
do $$
declare
  viewname text;
  definition text;
begin
  foreach viewname in array array['contact', 'organization'] loop
    definition := regexp_replace(pg_get_viewdef(format('report.%I', viewname)::regclass), ',\s+contact\.(scraactivedutystartdate|scraactivedutyenddate|scraservicecomponentcode|scramessage)(?=,|\s+FROM)', '', 'g');
    definition := regexp_replace(definition, ',\s+(scraactivedutystartdate|scraactivedutyenddate|scraservicecomponentcode|scramessage)(?=,|\s+FROM)', '', 'g');
    execute format('drop view report.%I', viewname);
    execute format('create view report.%I with (security_invoker = true) as %s', viewname, definition);
    execute format('grant select on report.%I to casewright_report, casewright_report_all', viewname);
  end loop;
end $$;
alter table contact drop constraint contact_contacttemplateid_fkey;
alter table contact drop column scraactivedutystartdate, drop column scraactivedutyenddate, drop column scraservicecomponentcode, drop column scramessage;
drop view report.contacttemplate, report.geography, report.professionallicense, report.collectiontemplate, report.collection, report.collectionmember;
drop function casewright_members(bigint, date);
drop table collectionmember, collection, collectiontemplate, professionallicense, geography, militaryservice, contacttemplate;
drop function casewright_reach_professionallicense(), casewright_reach_licenses(), casewright_reach_collection(), casewright_reach_collectionmember();
delete from history where tablename in ('collectionmember', 'collection', 'collectiontemplate', 'professionallicense', 'geography', 'militaryservice', 'contacttemplate');
