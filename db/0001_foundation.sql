-- What every table stands on: comparison of text, history, roles for row security, and the tables that the door itself uses.

-- Functions that triggers run as the owner look at every firm's rows: nobody else calls one unless it is granted here.
alter default privileges revoke execute on functions from public;

-- Text is compared and sorted without case and accents. An index serves its equality under row security too, which lower() and ilike cannot.
create collation casewright_text (provider = icu, locale = 'und-u-ks-level1', deterministic = false);

-- LIKE is not allowed under that collation, so patterns compare folded text.
create function casewright_fold(value text) returns text language sql immutable parallel safe strict
  return lower(regexp_replace(normalize(value collate "C", nfkd), '[\u0300-\u036f]', '', 'g') collate "C");

-- Roles belong to the whole server; another database of it may have made them already.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['casewright_reach', 'casewright_report', 'casewright_report_all'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls noinherit', wanted);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    -- An administrator may have made and granted it; who may not make roles may not grant them either.
    if not pg_has_role(wanted, case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end) then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
end $$;

grant usage on schema public to casewright_reach, casewright_report, casewright_report_all;
create schema report;
grant usage on schema report to casewright_report, casewright_report_all;

-- A query that calls set_config could pose as another firm. Statements are checked before they run; this is the second wall.
do $$
declare
  refused regprocedure;
begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    revoke execute on function pg_catalog.set_config(text, text, boolean) from public;
    revoke update on pg_catalog.pg_settings from public;
    -- What a read-only query can still do to others: wait, lock, signal, notify, and run texts that it was given.
    for refused in
      select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'pg_catalog' and p.prokind = 'f'
        and p.proname ~ '^(pg_(try_)?advisory_|pg_sleep|pg_notify$|pg_cancel_backend$|pg_terminate_backend$|pg_export_snapshot$|pg_logical_emit_message$|lo_|lowrite$|loread$|(query|table|schema|database|cursor)_to_xml|ts_stat$|ts_rewrite$|nextval$|setval$|currval$|lastval$)'
    loop
      execute format('revoke execute on function %s from public', refused);
    end loop;
  end if;
end $$;

-- Statements find it where they find their tables.
create function report.casewright_fold(value text) returns text language sql immutable parallel safe strict
  return public.casewright_fold(value);

grant execute on function casewright_fold(text), report.casewright_fold(text) to casewright_reach, casewright_report, casewright_report_all;

-- Raises an error where an answer is larger than it may be.
create function report.casewright_within(size numeric, most bigint) returns boolean language plpgsql immutable as $$
begin
  if size > most then raise exception 'the answer is larger than % bytes', most using errcode = 'program_limit_exceeded'; end if;
  return true;
end $$;

grant execute on function report.casewright_within(numeric, bigint) to casewright_report, casewright_report_all;

-- Old values of changed columns: who, when, in which call. An insert is the row itself, a delete keeps the whole row.
create table history (
  historyid bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  tablename text collate "C" not null,
  recordid bigint not null,
  change text collate "C" not null check (change in ('update', 'delete')),
  personid bigint,
  callid text collate "C",
  version integer,
  old jsonb not null
) partition by range (at);
create index history_record_idx on history (tablename, recordid, at);
create index history_call_idx on history (callid);

-- Partitions by month, so that what is past its keeping time goes at once. Rows of a month without one are not lost: the default takes them.
create table history_default partition of history default;
create function casewright_history_partition(month date) returns void language plpgsql as $$
declare
  first date := date_trunc('month', month)::date;
  name text := 'history_' || to_char(first, 'YYYYMM');
begin
  if to_regclass('public.' || name) is null and not exists (select from history_default where at >= first and at < first + interval '1 month') then
    execute format('create table %I partition of history for values from (%L) to (%L)', name, first, (first + interval '1 month')::date);
  end if;
end $$;
select casewright_history_partition(current_date), casewright_history_partition((current_date + interval '1 month')::date);

-- The trigger of every record table. Its arguments are columns that history never sees: hashes of passwords and keys.
create function casewright_history() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  before jsonb := to_jsonb(old);
  kept jsonb;
  name text;
begin
  for i in 0 .. tg_nargs - 1 loop
    before := before - tg_argv[i];
  end loop;
  if tg_op = 'DELETE' then
    kept := before;
  else
    select jsonb_object_agg(b.key, b.value) into kept
      from jsonb_each(before) b join jsonb_each(to_jsonb(new)) n on n.key = b.key
      where n.value is distinct from b.value and b.key not in ('updateddate', 'updatedpersonid', 'version', 'reachorganizationid');
    if kept is null then return null; end if;
  end if;
  name := tg_table_name;
  insert into history (tablename, recordid, change, personid, callid, version, old)
    values (name, (before ->> (name || 'id'))::bigint, lower(tg_op), nullif(current_setting('casewright.person', true), '')::bigint,
      nullif(current_setting('casewright.call', true), ''), (before ->> 'version')::integer, kept);
  return null;
end $$;

-- Opens a table to partner users as its record type says. 'one' and 'many': the rows of the firm that the transaction names.
-- 'configuration': all rows, to read. 'none': nothing.
create function casewright_open(tablename text, reach text) returns void language plpgsql as $$
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
  elsif reach = 'configuration' then
    execute format('grant select on %I to casewright_reach', tablename);
    execute format('create policy reach on %I for select to casewright_reach, casewright_report, casewright_report_all using (true)', tablename);
  end if;
end $$;

-- Shows some columns of a table to saved queries; the view of the same name in the schema report joins them.
create function casewright_report(tablename text, columns text) returns void language plpgsql as $$
begin
  execute format('grant select (%s) on %I to casewright_report, casewright_report_all', columns, tablename);
  execute format('grant select on report.%I to casewright_report, casewright_report_all', tablename);
end $$;

-- One counter that every change of configuration raises; processes that see another count forget what they remembered.
create table configurationversion (version bigint not null);
insert into configurationversion values (1);
create function casewright_configuration() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update configurationversion set version = version + 1;
  return null;
end $$;

-- First answers of calls with an Idempotency-Key; key and request are kept as hashes, the answer sealed.
create table idempotency (
  personid bigint not null,
  key bytea not null,
  request bytea not null,
  answer bytea,
  createddate timestamptz not null default now(),
  primary key (personid, key)
);
create index idempotency_createddate_idx on idempotency (createddate);

-- Calls of a limited key in a minute.
create table ratelimit (apikeyid bigint not null, minute timestamptz not null, calls integer not null, primary key (apikeyid, minute));

-- Failed sign-ins of an account or address (hashed) in a window of time.
create table signinfailure (subject bytea not null, windowstart timestamptz not null, failures integer not null, primary key (subject, windowstart));
