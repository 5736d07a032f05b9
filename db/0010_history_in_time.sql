-- History that can be read at an instant: what a record was, what hung below it, and from when on that is known.

-- What a change of a record overwrites beside its columns: who had changed it last, and when. With `version` they say what the
-- record told of itself before the change. `links`: the ids that the old values point to, by which the children of a record are
-- found that were deleted or moved away since.
alter table history add column updateddate timestamptz, add column updatedpersonid bigint, add column links bigint[];
alter table history drop constraint history_change_check;
alter table history add constraint history_change_check check (change in ('update', 'delete', 'undelete'));
-- Nearly all changes leave the record where it hangs: the index holds the others.
create index history_links_idx on history using gin (links) where links is not null;
-- The files that deleted or replaced documents had: they stay as long as history knows them.
create index history_filepath_idx on history ((old ->> 'filepath')) where tablename = 'attachment' and old ? 'filepath';

-- What a call deleted is looked for by the call when it is brought back; of other changes nobody asks that, and an index that every
-- change has to be entered in costs every change.
drop index history_call_idx;
create index history_call_idx on history (callid) where change = 'delete';

create function casewright_history_links(own text, old jsonb) returns bigint[] language sql immutable as $$
  select array_agg(distinct value::bigint) from jsonb_each(old)
    where key like '%id' and jsonb_typeof(value) = 'number' and key not in (own, 'createdpersonid', 'updatedpersonid', 'reachorganizationid')
$$;
update history set links = casewright_history_links(tablename || 'id', old) where casewright_history_links(tablename || 'id', old) is not null;

-- The trigger of every record table. Its arguments are columns that history never sees: hashes of passwords and keys. A save that
-- changes no value is kept too, without old values, because it has changed the version. A parent is kept by class and id together:
-- its class alone would not find the children that it had. One statement that looks each old value up in the new row takes a third
-- less time than joining the rows in one statement and inserting in another.
create or replace function casewright_history() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before jsonb := to_jsonb(old);
  present jsonb := to_jsonb(new);
  own text := tg_table_name || 'id';
begin
  for i in 0 .. tg_nargs - 1 loop
    before := before - tg_argv[i];
  end loop;
  insert into history (tablename, recordid, change, personid, callid, version, updateddate, updatedpersonid, links, old)
    select tg_table_name, (before ->> own)::bigint, lower(tg_op), nullif(current_setting('casewright.person', true), '')::bigint,
      nullif(current_setting('casewright.call', true), ''), (before ->> 'version')::integer, (before ->> 'updateddate')::timestamptz,
      (before ->> 'updatedpersonid')::bigint,
      case when kept ? 'object' or kept::text ~ 'id": [0-9]' then casewright_history_links(own, case when kept ? 'object' then kept || jsonb_build_object('objectid', before -> 'objectid') else kept end) end,
      case when kept ? 'object' then kept || jsonb_build_object('objectid', before -> 'objectid') else coalesce(kept, '{}') end
    from (
      select jsonb_object_agg(key, value) as kept from jsonb_each(before)
      where tg_op = 'DELETE' or (value is distinct from present -> key and key not in ('updateddate', 'updatedpersonid', 'version', 'reachorganizationid'))
    ) changed
    where kept is not null or before -> 'version' is distinct from present -> 'version';
  return null;
end $$;

-- What must be laid over a row to have it as it was at an instant, or before a change (by its id): the old values of what changed
-- since, the first change last; and whether the row was deleted since (the values are then all of it) or brought back (there was
-- none). Planned once for all: with a plan for each call, most of the time went into planning over the partitions.
create function casewright_past(wanted text, wantedid bigint, instant timestamptz, firstchange bigint, out old jsonb, out turn text)
  language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  entry record;
  version integer;
  updated timestamptz;
  updatedby bigint;
begin
  old := '{}';
  for entry in
    select h.change, h.old as values, h.version, h.updateddate, h.updatedpersonid from history h
      where h.tablename = wanted and h.recordid = wantedid and h.at > coalesce(instant, '-infinity') and h.historyid >= coalesce(firstchange, 0)
      order by h.historyid desc
  loop
    if entry.change = 'update' then
      old := old || entry.values;
    else
      turn := entry.change;
      old := entry.values;
    end if;
    -- Only tables with a version keep who changed the record last, and when; older entries do not know.
    version := entry.version;
    updated := entry.updateddate;
    updatedby := entry.updatedpersonid;
  end loop;
  if version is not null then old := old || jsonb_build_object('version', version, 'updateddate', updated, 'updatedpersonid', updatedby); end if;
end $$;

-- From when on history is complete; empty: from the beginning. It is raised before anything is deleted, so that a reader is told.
create table historyknown (
  onlyrow boolean primary key default true check (onlyrow),
  since timestamptz
);
insert into historyknown (since) values ((
  select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - make_interval(months => value::integer)
    from setting where setting = 'HistoryMonths' and value collate "C" ~ '^[0-9]{1,4}$' and value::integer > 0
));

-- Months are those of UTC, whatever zone a session has: partitions that two sessions made would overlap otherwise.
create or replace function casewright_history_partition(month date) returns void language plpgsql as $$
declare
  first timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  following timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  name text := 'history_' || to_char(month, 'YYYYMM');
begin
  if to_regclass('public.' || name) is null and not exists (select from history_default where at >= first and at < following) then
    execute format('create table %I partition of history for values from (%L) to (%L)', name, first, following);
  end if;
end $$;

-- Partitions that were made in another zone are made anew.
set local timezone = 'UTC';
do $$
declare
  made text;
  askew text[] := array(select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'history'::regclass and c.relname ~ '^history_[0-9]{6}$' and pg_get_expr(c.relpartbound, c.oid) !~ '-01 00:00:00\+00''.*-01 00:00:00\+00''');
begin
  foreach made in array askew loop
    execute format('alter table history detach partition %I', made);
    execute format('alter table %I rename to %I', made, made || '_askew');
  end loop;
  foreach made in array askew loop
    perform casewright_history_partition(to_date(right(made, 6), 'YYYYMM'));
  end loop;
  foreach made in array askew loop
    execute format('insert into history overriding system value select * from %I', made || '_askew');
    execute format('drop table %I', made || '_askew');
  end loop;
end $$;

-- A month's rows lie in the default partition where its own was not made in time. This moves them, all at once for every reader:
-- a table is filled beside, and takes its place when the default holds none of them any more. The caller limits how long it waits
-- for locks. Answers how many rows were moved.
create function casewright_history_unstick(month date) returns bigint language plpgsql as $$
declare
  first timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  following timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  name text := 'history_' || to_char(month, 'YYYYMM');
  moved bigint;
begin
  execute format('create table %I (like history including defaults including constraints including indexes)', name);
  execute format('with stuck as (delete from history_default where at >= %L and at < %L returning *) insert into %I select * from stuck', first, following, name);
  get diagnostics moved = row_count;
  execute format('alter table history attach partition %I for values from (%L) to (%L)', name, first, following);
  return moved;
end $$;

-- Logs are deleted by age, in batches. They grow at the end, which is all that this kind of index needs, and it costs their writers nothing.
create index importlog_createddate_idx on importlog using brin (createddate);
create index errorlog_createddate_idx on errorlog using brin (createddate);
