-- The change feed: live pages and notifications read which records changed from the history (updates, deletes) and from
-- recordadded (inserts), by the transaction that wrote the row.

-- Null in rows from before this migration.
alter table history add column xid xid8;
alter table history alter column xid set default pg_current_xact_id();
-- The index of the parent alone reads nothing; that of a large partition is built online, by housekeeping.
create index history_xid_idx on only history (xid) where xid is not null;
do $$
declare
  part record;
begin
  for part in
    select c.relname as name, pg_relation_size(c.oid) as size from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'history'::regclass
  loop
    if part.size < 67108864 then
      execute format('create index %I on %I (xid) where xid is not null', part.name || '_xid_idx', part.name);
      execute format('alter index history_xid_idx attach partition %I', part.name || '_xid_idx');
    end if;
  end loop;
end $$;

-- Rows that a statement inserted. Rows are deleted after a day.
create table recordadded (
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp(),
  tablename text collate "C" not null,
  ids bigint[] not null
);
create index recordadded_xid_idx on recordadded (xid);

-- Transactions are numbered from the start in another cluster: numbers of a loaded dump are not of its transactions.
create function casewright_forget_foreign_changes() returns boolean language plpgsql as $$
declare
  next xid8 := pg_snapshot_xmax(pg_current_snapshot());
  since timestamptz := now() - interval '25 hours';
begin
  if not exists (select from history where xid >= next and at > since) and not exists (select from recordadded where xid >= next) then
    return false;
  end if;
  update history set xid = null where xid is not null and at > since;
  delete from recordadded;
  return true;
end $$;

-- Every record table with a history gets a trigger that notes its inserts, with a function of its own.
create function casewright_added_text(tablename text) returns text language sql as $$
  select format($f$
create or replace function casewright_history_of_%1$s_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into recordadded (tablename, ids) select %1$L, ids from (select array(select %1$sid from added) as ids) statement where ids <> '{}';
  return null;
end $body$
$f$, tablename)
$$;

create or replace function casewright_history_compile() returns void language plpgsql as $$
declare
  part record;
begin
  for part in
    select c.relname as name, pg_get_triggerdef(t.oid) as definition, p.proname as fn
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgname = c.relname || '_history' and p.proname ~ '^casewright_history(_of_|$)'
  loop
    execute casewright_history_text(part.name);
    if part.fn <> 'casewright_history_of_' || part.name then
      execute regexp_replace(replace(part.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'EXECUTE FUNCTION (public\.)?casewright_history\w*\(', format('EXECUTE FUNCTION casewright_history_of_%s(', part.name));
    end if;
  end loop;
  for part in
    select c.relname as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgname = c.relname || '_history'
      -- The rows of a derived type's table have the id of their base row, which is noted.
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = c.relname || 'id' and a.attidentity <> '')
      and not exists (select from pg_trigger o where o.tgrelid = c.oid and o.tgname = c.relname || '_added')
  loop
    execute casewright_added_text(part.name);
    execute format('create trigger %1$I after insert on %2$I referencing new table as added for each statement execute function %3$I()',
      part.name || '_added', part.name, 'casewright_history_of_' || part.name || '_added');
  end loop;
  for part in
    select p.proname as name from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname like 'casewright\_history\_of\_%'
      and not exists (select from pg_trigger t where t.tgfoid = p.oid)
  loop
    execute format('drop function %I()', part.name);
  end loop;
end $$;

-- The progress of a run is no column of its record.
create function casewright_importrun_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into recordadded (tablename, ids) select 'importfile', ids from (select array(select importfileid from changed) as ids) statement where ids <> '{}';
  return null;
end $$;
create trigger importrun_added after insert on importrun referencing new table as changed for each statement
  execute function casewright_importrun_changed();
create trigger importrun_changed after update on importrun referencing new table as changed for each statement
  execute function casewright_importrun_changed();
