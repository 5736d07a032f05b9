-- Links between records of any types, and the firms that reach them: those that reach both sides.

create table objectlink (
  objectlinkid bigint generated always as identity primary key,
  objectlink varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  objectlinktype varchar(100) collate casewright_text,
  primaryobject varchar(60) collate "C" not null,
  primaryobjectid bigint not null,
  linkedobject varchar(60) collate "C" not null,
  linkedobjectid bigint not null,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  reachorganizationid bigint[] not null default '{}'
);
-- One link of a set between two records, and the way from the first record to what it is linked to.
create unique index objectlink_objectlinktype_key on objectlink (primaryobjectid, primaryobject, linkedobjectid, linkedobject, objectlinktype) nulls not distinct;
create index objectlink_linked_idx on objectlink (linkedobjectid, linkedobject, primaryobject, primaryobjectid);
-- Sets are copied and deleted a piece at a time, in the order of their ids.
create index objectlink_set_idx on objectlink (objectlinktype, objectlinkid);
create index objectlink_reach_idx on objectlink using gin (reachorganizationid);
create trigger objectlink_history after update or delete on objectlink for each row execute function casewright_history();

-- The firms that reach any record, as its own row says: null where every firm does, as of configuration, and none where it is closed to
-- firms or not there. A record type's table is called like it.
create function casewright_reach_of(class text, recordid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  tablename text := lower(class);
  kind text := (select format_type(atttypid, atttypmod) from pg_attribute where attrelid = to_regclass(format('public.%I', lower(class))) and attname = 'reachorganizationid' and not attisdropped);
  firms bigint[];
begin
  if kind is null then
    return case when has_table_privilege('casewright_reach', to_regclass(format('public.%I', tablename)), 'select') then null else '{}' end;
  end if;
  execute format('select %s from public.%I where %I = $1', case kind when 'bigint' then 'array_remove(array[reachorganizationid], null)' else 'reachorganizationid' end, tablename, tablename || 'id')
    into firms using recordid;
  return coalesce(firms, '{}');
end $$;

-- Between two records that every firm reaches, which are configuration, links are staff's.
create function casewright_reach_objectlink() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  one bigint[] := casewright_reach_of(new.primaryobject, new.primaryobjectid);
  other bigint[] := casewright_reach_of(new.linkedobject, new.linkedobjectid);
begin
  new.reachorganizationid := case
    when one is null then coalesce(other, '{}')
    when other is null then one
    else array(select unnest(one) intersect select unnest(other) order by 1) end;
  return new;
end $$;
create trigger objectlink_reach before insert or update of primaryobject, primaryobjectid, linkedobject, linkedobjectid, reachorganizationid on objectlink for each row execute function casewright_reach_objectlink();

-- When other firms reach a record, its links follow. Setting a link's firms to anything makes its own trigger work them out anew.
create function casewright_reach_links() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed bigint := (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
begin
  update objectlink set reachorganizationid = '{}' where primaryobjectid = changed and lower(primaryobject) = tg_table_name or linkedobjectid = changed and lower(linkedobject) = tg_table_name;
  return null;
end $$;

-- Every table whose rows firms reach hands a change of that on to the links, those of later migrations too: each has it from where it
-- is opened. An insert costs nothing, an update that leaves its firms as they are one comparison.
create function casewright_links_follow(tablename text) returns void language plpgsql as $$
begin
  execute format('create trigger %I after update on %I for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_links()', tablename || '_reach_links', tablename);
end $$;

create or replace function casewright_open(tablename text, reach text) returns void language plpgsql as $$
declare
  condition text := case reach
    when 'one' then 'reachorganizationid = current_setting(''casewright.firm'')::bigint'
    when 'many' then 'reachorganizationid @> array[current_setting(''casewright.firm'')::bigint]'
    else 'true' end;
begin
  execute format('alter table %I enable row level security', tablename);
  if reach in ('one', 'many') then
    execute format('grant select, insert, update, delete on %I to casewright_reach', tablename);
    execute format('create policy reach on %I to casewright_reach using (%s) with check (%s)', tablename, condition, condition);
    execute format('create policy report on %I for select to casewright_report using (%s)', tablename, condition);
    execute format('create policy report_all on %I for select to casewright_report_all using (true)', tablename);
    perform casewright_links_follow(tablename);
  elsif reach = 'configuration' then
    execute format('grant select on %I to casewright_reach', tablename);
    execute format('create policy reach on %I for select to casewright_reach, casewright_report, casewright_report_all using (true)', tablename);
  end if;
end $$;

do $$
declare
  tablename text;
begin
  for tablename in select relname from pg_class join pg_attribute on attrelid = pg_class.oid where relnamespace = 'public'::regnamespace and relkind = 'r' and relrowsecurity and attname = 'reachorganizationid' and relname <> 'objectlink' loop
    perform casewright_links_follow(tablename);
  end loop;
end $$;

select casewright_open('objectlink', 'many');
create view report.objectlink with (security_invoker = true) as select objectlink.objectlinkid, objectlink.objectlink, objectlink.status, objectlink.objectlinktype, objectlink.primaryobject, objectlink.primaryobjectid, objectlink.linkedobject, objectlink.linkedobjectid, objectlink.createddate, objectlink.createdpersonid, objectlink.updateddate, objectlink.updatedpersonid, objectlink.version, objectlink.custom from objectlink;
select casewright_report('objectlink', 'objectlinkid, objectlink, status, objectlinktype, primaryobject, primaryobjectid, linkedobject, linkedobjectid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');
