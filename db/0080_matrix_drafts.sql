-- Drafts of decision tables, and warnings about them that somebody accepts. Both are read only through the operations of
-- matrices. A closed draft stays, so that it can be restored.
create table matrixdraft (
  matrixdraftid bigint generated always as identity primary key,
  matrixid bigint not null references matrix on delete cascade,
  -- The version that was published when the draft began.
  baseversionid bigint not null references matrixversion on delete cascade,
  -- The table as it is edited, compressed.
  content bytea not null,
  version integer not null default 1,
  createddate timestamptz not null,
  createdpersonid bigint,
  updateddate timestamptz not null,
  updatedpersonid bigint,
  closeddate timestamptz,
  closedpersonid bigint,
  outcome varchar(10) collate "C",
  constraint matrixdraft_outcome_check check (
    (closeddate is null and outcome is null) or (closeddate is not null and outcome in ('Published', 'Discarded')))
);
create unique index matrixdraft_open_key on matrixdraft (matrixid) where closeddate is null;
create index matrixdraft_matrixid_idx on matrixdraft (matrixid);
alter table matrixdraft enable row level security;

create table matrixacceptance (
  matrixacceptanceid bigint generated always as identity primary key,
  matrixid bigint not null references matrix on delete cascade,
  -- Identifies a warning as long as the rows that it is about stay the same.
  findingkey varchar(32) collate "C" not null,
  finding varchar(1000) not null,
  reason varchar(1000) not null,
  createddate timestamptz not null,
  createdpersonid bigint,
  withdrawndate timestamptz,
  withdrawnpersonid bigint
);
create unique index matrixacceptance_key on matrixacceptance (matrixid, findingkey) where withdrawndate is null;
alter table matrixacceptance enable row level security;
