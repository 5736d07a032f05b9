-- Which row of which matrix changed a record, and why. Rows have no foreign keys: they outlive the matrix, and a record that
-- is deleted and undeleted keeps them.
create table ruletrace (
  ruletraceid bigint generated always as identity primary key,
  -- The root of the record's type.
  recordtype varchar(60) collate "C" not null,
  recordid bigint not null,
  createddate timestamptz not null,
  createdpersonid bigint,
  callid varchar(36) collate "C",
  source varchar(20) collate "C" not null check (source in ('UpdateFromRule', 'Save', 'Automatic')),
  matrixid bigint not null,
  matrixversionid bigint,
  matrix varchar(100) collate casewright_text,
  rownumber integer not null,
  steps jsonb not null,
  inputs jsonb not null,
  outputs jsonb not null,
  recordversion integer
);
create index ruletrace_record_idx on ruletrace (recordtype, recordid, ruletraceid);
create index ruletrace_createddate_idx on ruletrace using brin (createddate);
alter table ruletrace enable row level security;
