-- Stylesheets by which an answer becomes a page.

create table transform (
  transformid bigint generated always as identity primary key,
  transform varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  transformtype varchar(100) collate casewright_text,
  stylesheet varchar(262144) collate "C",
  description varchar(1000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger transform_history after update or delete on transform for each row execute function casewright_history();
select casewright_open('transform', 'configuration');
create view report.transform with (security_invoker = true) as select transform.transformid, transform.transform, transform.status, transform.transformtype, transform.stylesheet, transform.description, transform.createddate, transform.createdpersonid, transform.updateddate, transform.updatedpersonid, transform.version from transform;
select casewright_report('transform', 'transformid, transform, status, transformtype, stylesheet, description, createddate, createdpersonid, updateddate, updatedpersonid, version');
create unique index transform_transform_key on transform (transform);
create trigger transform_configuration after insert or update or delete on transform for each statement execute function casewright_configuration();
