-- Fields that an installation adds to its records: how they are declared, where their values are kept, and how these are read.

create table customfield (
  customfieldid bigint generated always as identity primary key,
  customfield varchar(60) collate casewright_text not null,
  status varchar(100) collate casewright_text,
  customfieldtype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text not null,
  label varchar(100) collate casewright_text,
  kind varchar(9) collate casewright_text not null,
  max integer,
  "values" varchar(10000) collate "C",
  required boolean,
  classification varchar(8) collate casewright_text,
  description varchar(1000) collate casewright_text,
  isactive boolean,
  isindexed boolean,
  storedname varchar(60) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index customfield_name_idx on customfield (appliesto, customfield);
-- What is brought back from history is not checked against the fields that were made since.
create unique index customfield_storedname_idx on customfield (appliesto, lower(storedname));
create trigger customfield_history after update or delete on customfield for each row execute function casewright_history();
select casewright_open('customfield', 'configuration');
create view report.customfield with (security_invoker = true) as select customfield.customfieldid, customfield.customfield, customfield.status, customfield.customfieldtype, customfield.appliesto, customfield.label, customfield.kind, customfield.max, customfield."values", customfield.required, customfield.classification, customfield.description, customfield.isactive, customfield.isindexed, customfield.storedname, customfield.createddate, customfield.createdpersonid, customfield.updateddate, customfield.updatedpersonid, customfield.version from customfield;
select casewright_report('customfield', 'customfieldid, customfield, status, customfieldtype, appliesto, label, kind, max, "values", required, classification, description, isactive, isindexed, storedname, createddate, createdpersonid, updateddate, updatedpersonid, version');
create trigger customfield_configuration after insert or update or delete on customfield for each statement execute function casewright_configuration();

-- Every table whose rows firms reach and whose history is kept has one document for all of its custom fields: member name to value,
-- empty ones left out. Reports show it as it is. History keeps the whole document where anything in it changed: what a record was
-- at an instant is then laid over it like any other column.
do $$
declare
  tablename text;
  viewname text;
begin
  foreach tablename in array array['attachment', 'contact', 'contactmethod', 'decisiondelay', 'importfile', 'importform', 'ledger', 'ledgeritem', 'loan', 'message', 'objectsubscription', 'person', 'process', 'property', 'publicrecord'] loop
    execute format('alter table %I add column custom jsonb check (jsonb_typeof(custom) = ''object'')', tablename);
    execute format('grant select (custom) on %I to casewright_report, casewright_report_all', tablename);
    foreach viewname in array case tablename when 'contact' then array['contact', 'organization'] when 'process' then array['process', 'foreclosure'] else array[tablename] end loop
      -- Columns can only be added behind those that a view has.
      execute format('create or replace view report.%I with (security_invoker = true) as %s', viewname, regexp_replace(pg_get_viewdef(format('report.%I', viewname)::regclass), '\n\s*FROM ', format(', %I.custom FROM ', tablename)));
    end loop;
  end loop;
end $$;

-- A value as its field's kind has it, or null. They never fail: a value that another process stored a moment before the kind was
-- changed must not make the record unreadable. All are immutable, so that an index can stand on them, and simple enough that the
-- planner puts them into the query. Days and instants are kept in one form of fixed length and compare as text.
create function casewright_custom_integer(value text) returns integer language sql immutable parallel safe
  return case when value ~ '^-?[0-9]{1,10}$' then case when value::bigint between -2147483647 and 2147483647 then value::bigint::integer end end;
create function casewright_custom_number(value text) returns numeric language sql immutable parallel safe
  return case when value ~ '^-?[0-9]{1,15}(\.[0-9]{1,18})?$' then value::numeric end;
create function casewright_custom_boolean(value text) returns boolean language sql immutable parallel safe
  return case value when 'true' then true when 'false' then false end;
create function casewright_custom_date(value text) returns text language sql immutable parallel safe
  return case when value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then value end;
create function casewright_custom_timestamp(value text) returns text language sql immutable parallel safe
  return case when value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$' then value end;

-- Whether the first ten characters of a text are a day that the calendar has.
create function casewright_custom_isday(value text) returns boolean language sql immutable parallel safe
  return case when value ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' and left(value, 4) <> '0000'
    then substr(value, 9, 2)::integer <= extract(day from make_date(left(value, 4)::integer, substr(value, 6, 2)::integer, 1) + interval '1 month' - interval '1 day')
    else false end;

-- Whether a stored value is one that a field of a kind could hold; asked before a field becomes of that kind.
create function casewright_custom_fits(value text, kind text, most integer, words text[]) returns boolean language sql immutable parallel safe
  return case kind
    when 'Text' then char_length(value) <= most
    when 'Choice' then value = any(words)
    when 'Integer' then casewright_custom_integer(value) is not null
    when 'Decimal' then casewright_custom_number(value) is not null
    when 'Money' then casewright_custom_number(value) is not null and value !~ '\.[0-9]{5}'
    when 'Boolean' then casewright_custom_boolean(value) is not null
    when 'Date' then casewright_custom_date(value) is not null and casewright_custom_isday(value)
    when 'Timestamp' then casewright_custom_timestamp(value) is not null and casewright_custom_isday(value) and substr(value, 12, 8) ~ '^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$'
    else false end;

grant execute on function casewright_custom_integer(text), casewright_custom_number(text), casewright_custom_boolean(text), casewright_custom_date(text), casewright_custom_timestamp(text) to casewright_reach;
