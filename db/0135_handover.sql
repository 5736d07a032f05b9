-- Handover: The deactivation of a user, with the bulk changes that gave their work to others.

create table handover (
  handoverid bigint generated always as identity primary key,
  handover varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  handovertype varchar(100) collate casewright_text,
  personid bigint,
  reason varchar(1000) collate casewright_text,
  priorstatus varchar(100) collate casewright_text,
  workpersonid bigint,
  casepersonid bigint,
  workitemrunid bigint,
  taskrunid bigint,
  caserunid bigint,
  keycount integer,
  sessioncount integer,
  undonedate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index handover_personid_idx on handover (personid);
create trigger handover_history after update or delete on handover for each row execute function casewright_history();
select casewright_open('handover', 'none');

-- Roles that leave administration to administrators leave deactivations to them too. Inserted where a new installation
-- has them, so that an unchanged role equals its definition.
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -Notification* ',
    ' -Notification* -Handover* ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -Notification* ') > 0
  and strpos(permissions collate "C", '-Handover*') = 0;
