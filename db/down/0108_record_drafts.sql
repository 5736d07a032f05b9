-- down: drafts of page layouts
create table matrixdraft (
  matrixdraftid bigint generated always as identity primary key,
  matrixid bigint not null references matrix on delete cascade,
  baseversionid bigint not null references matrixversion on delete cascade,
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
insert into matrixdraft (matrixid, baseversionid, content, version, createddate, createdpersonid, updateddate,
  updatedpersonid, closeddate, closedpersonid, outcome)
select d.objectid, d.baseversion, d.content, d.version, d.createddate, d.createdpersonid, d.updateddate,
  d.updatedpersonid, d.closeddate, d.closedpersonid, d.outcome
from recorddraft d
join matrixversion v on v.matrixversionid = d.baseversion and v.matrixid = d.objectid
where d.object = 'Matrix'
order by d.recorddraftid;
create unique index matrixdraft_open_key on matrixdraft (matrixid) where closeddate is null;
create index matrixdraft_matrixid_idx on matrixdraft (matrixid);
alter table matrixdraft enable row level security;
drop table recorddraft;
