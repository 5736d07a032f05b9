-- Corrections of failed rows of imports, and the column that is wrong with a row.
alter table importlog add column sourcecolumn varchar(255) collate casewright_text;

create table importcorrection (
  importcorrectionid bigint generated always as identity primary key,
  importcorrection varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importcorrectiontype varchar(100) collate casewright_text,
  importfileid bigint not null references importfile (importfileid),
  organizationid bigint,
  sourceline integer not null,
  sourcecolumns varchar(1000) collate casewright_text,
  changes text collate "C",
  actorpersonid bigint,
  reason varchar(10000) collate casewright_text,
  message varchar(10000) collate casewright_text,
  importlogid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
-- A row is imported once: it has at most one correction that waits or has succeeded.
create unique index importcorrection_row_key on importcorrection (importfileid, sourceline)
  where status in ('Queued', 'Complete');
create index importcorrection_importfileid_idx on importcorrection (importfileid);
create index importcorrection_reach_idx on importcorrection (reachorganizationid, createddate);
create trigger importcorrection_history after update or delete on importcorrection for each row execute function casewright_history('changes');
select casewright_open('importcorrection', 'one');
