-- Where bulk imports load files into: a schema of its own, and a role that may change rows in it and nothing else anywhere.
do $$
begin
  if not exists (select from pg_roles where rolname = 'casewright_staging') then
    begin
      create role casewright_staging nologin nosuperuser nobypassrls noinherit;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not pg_has_role('casewright_staging', case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end) then
    grant casewright_staging to current_user;
  end if;
end $$;

create schema staging;
grant usage on schema staging to casewright_staging;

-- Which imports use which staging table. One that empties its table first uses it alone.
create table staginguse (
  tablename text collate "C",
  -- No foreign key: of an import file that is deleted the table must still be found and removed.
  importfileid bigint,
  alone boolean not null,
  -- Made for this import file, and removed some days after it.
  own boolean not null,
  usedate timestamptz not null,
  primary key (tablename, importfileid)
);
