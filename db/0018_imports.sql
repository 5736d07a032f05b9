-- Imports by templates: maps of columns, and how far each run is.

create table importfilemap (
  importfilemapid bigint generated always as identity primary key,
  importfilemap varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importfilemaptype varchar(100) collate casewright_text,
  importfiletemplateid bigint not null references importfiletemplate on delete cascade,
  destination varchar(255) collate "C",
  translation varchar(50000) collate "C",
  istext boolean,
  required boolean,
  datatype varchar(9) collate casewright_text,
  sequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index importfilemap_importfiletemplateid_idx on importfilemap (importfiletemplateid);
create trigger importfilemap_history after update or delete on importfilemap for each row execute function casewright_history();
select casewright_open('importfilemap', 'configuration');
create view report.importfilemap with (security_invoker = true) as select importfilemap.importfilemapid, importfilemap.importfilemap, importfilemap.status, importfilemap.importfilemaptype, importfilemap.importfiletemplateid, importfilemap.destination, importfilemap.translation, importfilemap.istext, importfilemap.required, importfilemap.datatype, importfilemap.sequence, importfilemap.createddate, importfilemap.createdpersonid, importfilemap.updateddate, importfilemap.updatedpersonid, importfilemap.version from importfilemap;
select casewright_report('importfilemap', 'importfilemapid, importfilemap, status, importfilemaptype, importfiletemplateid, destination, translation, istext, required, datatype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version');

create trigger importfilemap_configuration after insert or update or delete on importfilemap for each statement execute function casewright_configuration();

alter table importfiletemplate
  add column importoperationsallowed integer default 3,
  add column validateschema boolean default true,
  add column schema varchar(500000) collate "C",
  add column endimportmethod varchar(2000) collate "C",
  add constraint importfiletemplate_operations_check check (importoperationsallowed between 0 and 7);
alter table importlog
  add column sourceline integer,
  add column logcategory varchar(100) collate casewright_text;
-- Failed rows are looked for among a million others.
create index importlog_failed_idx on importlog (importfileid, sourceline) where status = 'Error';

do $$
declare
  added record;
begin
  for added in select * from (values ('importfiletemplate', array['importoperationsallowed', 'validateschema', 'schema', 'endimportmethod']), ('importlog', array['sourceline', 'logcategory'])) as t (tablename, columns) loop
    execute format('create or replace view report.%I with (security_invoker = true) as %s', added.tablename, regexp_replace(pg_get_viewdef(format('report.%I', added.tablename)::regclass), '\n\s*FROM ', (select string_agg(format(', %I.%I', added.tablename, c), '') from unnest(added.columns) c) || ' FROM '));
    perform casewright_report(added.tablename, array_to_string(added.columns, ', '));
  end loop;
end $$;

-- How far each run of an import is. It is changed with every piece, so it stands beside the import file, whose changes are kept.
create table importrun (
  importfileid bigint primary key references importfile on delete cascade,
  -- Whoever works on the run; an older delivery of the same call finds another one here and ends.
  deliveryid uuid not null,
  -- Rows of the source that are dealt with, and how many there are where that is known.
  done bigint not null default 0,
  total bigint,
  -- Bytes of the source that this delivery has read.
  bytesread bigint not null default 0,
  success bigint not null default 0,
  warnings bigint not null default 0,
  errors bigint not null default 0,
  -- What the engine must know to go on.
  state text collate "C",
  stopped boolean not null default false,
  starteddate timestamptz not null default now(),
  startdone bigint not null default 0,
  -- Deliveries in a row that dealt with nothing: what always breaks is not tried for ever.
  attempts integer not null default 0,
  activedate timestamptz not null default now()
);
create index importrun_activedate_idx on importrun (activedate);
