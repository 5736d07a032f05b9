-- Decision tables: matrices with their inputs, outputs and cells, and what each was from one change to the next.

create table matrix (
  matrixid bigint generated always as identity primary key,
  matrix varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  matrixtype varchar(100) collate casewright_text,
  description varchar(1000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index matrix_matrix_key on matrix (matrix);
create trigger matrix_history after update or delete on matrix for each row execute function casewright_history();
create trigger matrix_configuration after insert or update or delete on matrix for each statement execute function casewright_configuration();
select casewright_open('matrix', 'configuration');
create view report.matrix with (security_invoker = true) as select matrix.matrixid, matrix.matrix, matrix.status, matrix.matrixtype, matrix.description, matrix.createddate, matrix.createdpersonid, matrix.updateddate, matrix.updatedpersonid, matrix.version from matrix;
select casewright_report('matrix', 'matrixid, matrix, status, matrixtype, description, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table matrixdimension (
  matrixdimensionid bigint generated always as identity primary key,
  matrixdimension varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  matrixdimensiontype varchar(100) collate casewright_text,
  matrixid bigint not null references matrix on delete cascade,
  xpath varchar(2000) collate "C",
  weight numeric,
  sequence integer,
  valuetype varchar(6) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index matrixdimension_name_key on matrixdimension (matrixid, matrixdimension);
create trigger matrixdimension_history after update or delete on matrixdimension for each row execute function casewright_history();
create trigger matrixdimension_configuration after insert or update or delete on matrixdimension for each statement execute function casewright_configuration();
select casewright_open('matrixdimension', 'configuration');
create view report.matrixdimension with (security_invoker = true) as select matrixdimension.matrixdimensionid, matrixdimension.matrixdimension, matrixdimension.status, matrixdimension.matrixdimensiontype, matrixdimension.matrixid, matrixdimension.xpath, matrixdimension.weight, matrixdimension.sequence, matrixdimension.valuetype, matrixdimension.createddate, matrixdimension.createdpersonid, matrixdimension.updateddate, matrixdimension.updatedpersonid, matrixdimension.version from matrixdimension;
select casewright_report('matrixdimension', 'matrixdimensionid, matrixdimension, status, matrixdimensiontype, matrixid, xpath, weight, sequence, valuetype, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table matrixmeasure (
  matrixmeasureid bigint generated always as identity primary key,
  matrixmeasure varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  matrixmeasuretype varchar(100) collate casewright_text,
  matrixid bigint not null references matrix on delete cascade,
  valuetype varchar(7) collate casewright_text,
  objecttype varchar(60) collate "C",
  sequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index matrixmeasure_name_key on matrixmeasure (matrixid, matrixmeasure);
create trigger matrixmeasure_history after update or delete on matrixmeasure for each row execute function casewright_history();
create trigger matrixmeasure_configuration after insert or update or delete on matrixmeasure for each statement execute function casewright_configuration();
select casewright_open('matrixmeasure', 'configuration');
create view report.matrixmeasure with (security_invoker = true) as select matrixmeasure.matrixmeasureid, matrixmeasure.matrixmeasure, matrixmeasure.status, matrixmeasure.matrixmeasuretype, matrixmeasure.matrixid, matrixmeasure.valuetype, matrixmeasure.objecttype, matrixmeasure.sequence, matrixmeasure.createddate, matrixmeasure.createdpersonid, matrixmeasure.updateddate, matrixmeasure.updatedpersonid, matrixmeasure.version from matrixmeasure;
select casewright_report('matrixmeasure', 'matrixmeasureid, matrixmeasure, status, matrixmeasuretype, matrixid, valuetype, objecttype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table matrixfact (
  matrixfactid bigint generated always as identity primary key,
  matrixfact varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  matrixfacttype varchar(100) collate casewright_text,
  matrixid bigint not null references matrix on delete cascade,
  rownumber integer not null,
  matrixdimensionid bigint references matrixdimension on delete cascade,
  matrixmeasureid bigint references matrixmeasure on delete cascade,
  cell varchar(4000) collate "C",
  object varchar(60) collate "C",
  objectid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  -- A cell stands in one column, and there is one for each row of it.
  constraint matrixfact_column_check check (num_nonnulls(matrixdimensionid, matrixmeasureid) = 1),
  constraint matrixfact_row_check check (rownumber >= 1)
);
create index matrixfact_matrixid_idx on matrixfact (matrixid);
create unique index matrixfact_dimension_key on matrixfact (matrixdimensionid, rownumber);
create unique index matrixfact_measure_key on matrixfact (matrixmeasureid, rownumber);
create trigger matrixfact_history after update or delete on matrixfact for each row execute function casewright_history();
create trigger matrixfact_configuration after insert or update or delete on matrixfact for each statement execute function casewright_configuration();
select casewright_open('matrixfact', 'configuration');
create view report.matrixfact with (security_invoker = true) as select matrixfact.matrixfactid, matrixfact.matrixfact, matrixfact.status, matrixfact.matrixfacttype, matrixfact.matrixid, matrixfact.rownumber, matrixfact.matrixdimensionid, matrixfact.matrixmeasureid, matrixfact.cell, matrixfact.object, matrixfact.objectid, matrixfact.createddate, matrixfact.createdpersonid, matrixfact.updateddate, matrixfact.updatedpersonid, matrixfact.version from matrixfact;
select casewright_report('matrixfact', 'matrixfactid, matrixfact, status, matrixfacttype, matrixid, rownumber, matrixdimensionid, matrixmeasureid, cell, object, objectid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table matrixversion (
  matrixversionid bigint generated always as identity primary key,
  matrixversion varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  matrixversiontype varchar(100) collate casewright_text,
  matrixid bigint not null references matrix on delete cascade,
  rowcount integer,
  factcount integer,
  callid varchar(36) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
-- What held at an instant is the last version before it.
create index matrixversion_matrixid_idx on matrixversion (matrixid, createddate);
select casewright_open('matrixversion', 'none');

-- What a version is made of: the whole table in columns, compressed. It is never changed, so that what a process made of it holds for ever.
create table matrixcontent (
  matrixversionid bigint primary key references matrixversion on delete cascade,
  content bytea not null
);

alter table ledgertemplate add constraint ledgertemplate_invoicematrixid_fkey foreign key (invoicematrixid) references matrix;
alter table ledgertemplateitem add constraint ledgertemplateitem_matrixid_fkey foreign key (matrixid) references matrix;

-- Parts go with what they are part of, and what they were called outside must go with them: another may be called so again.
create function casewright_matrix_unsubscribe() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('delete from objectsubscription s using gone where s.object = %L and s.objectid = gone.%I', tg_argv[0], lower(tg_argv[0]) || 'id');
  return null;
end $$;
create trigger matrixdimension_unsubscribe after delete on matrixdimension referencing old table as gone for each statement execute function casewright_matrix_unsubscribe('MatrixDimension');
create trigger matrixmeasure_unsubscribe after delete on matrixmeasure referencing old table as gone for each statement execute function casewright_matrix_unsubscribe('MatrixMeasure');
create trigger matrixfact_unsubscribe after delete on matrixfact referencing old table as gone for each statement execute function casewright_matrix_unsubscribe('MatrixFact');
