-- Drafts of configuration of any kind, in place of those of decision tables alone. A closed draft stays, so that it can
-- be restored.
create table recorddraft (
  recorddraftid bigint generated always as identity primary key,
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  -- What was published when the draft began, as the kind of record numbers it.
  baseversion bigint not null,
  -- What is edited, as compressed JSON.
  content bytea not null,
  version integer not null default 1,
  createddate timestamptz not null,
  createdpersonid bigint,
  updateddate timestamptz not null,
  updatedpersonid bigint,
  closeddate timestamptz,
  closedpersonid bigint,
  outcome varchar(10) collate "C",
  constraint recorddraft_outcome_check check (
    (closeddate is null and outcome is null) or (closeddate is not null and outcome in ('Published', 'Discarded')))
);
insert into recorddraft (object, objectid, baseversion, content, version, createddate, createdpersonid, updateddate,
  updatedpersonid, closeddate, closedpersonid, outcome)
select 'Matrix', matrixid, baseversionid, content, version, createddate, createdpersonid, updateddate,
  updatedpersonid, closeddate, closedpersonid, outcome
from matrixdraft
order by matrixdraftid;
create unique index recorddraft_open_key on recorddraft (object, objectid) where closeddate is null;
alter table recorddraft enable row level security;
drop table matrixdraft;
