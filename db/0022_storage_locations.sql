-- Storage locations that administrators name, files that are kept in the database itself, and files that were found in locations.

create table fileobject (
  fileobjectid bigint generated always as identity primary key,
  fileobject varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  fileobjecttype varchar(100) collate casewright_text,
  description varchar(2000) collate casewright_text,
  folder varchar(500) collate "C",
  endpoint varchar(500) collate "C",
  region varchar(40) collate "C",
  bucket varchar(63) collate "C",
  pathstyle boolean,
  accesskeyid varchar(200) collate "C",
  secretaccesskey varchar(2000) collate "C",
  host varchar(255) collate "C",
  port integer,
  username varchar(200) collate "C",
  password varchar(2000) collate "C",
  privatekey varchar(30000) collate "C",
  passphrase varchar(2000) collate "C",
  hostkey varchar(1000) collate "C",
  connectionsmax integer,
  timeoutseconds integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger fileobject_history after update or delete on fileobject for each row execute function casewright_history('secretaccesskey', 'password', 'privatekey', 'passphrase');
select casewright_open('fileobject', 'none');

create trigger fileobject_configuration after insert or update or delete on fileobject for each statement execute function casewright_configuration();
-- Documents and templates name a location by its name, compared as people type it.
create unique index fileobject_fileobject_idx on fileobject (fileobject);
-- Which documents lie in a location that somebody wants to remove; nearly all lie in the first.
create index attachment_fileobject_idx on attachment (fileobject) where fileobject <> 'Local';

-- The content of a file in the database: written piece by piece, whole once its size is known.
create table filecontent (
  filecontentid bigint generated always as identity primary key,
  fileobjectid bigint not null references fileobject,
  size bigint,
  createddate timestamptz not null
);
create index filecontent_fileobjectid_idx on filecontent (fileobjectid, createddate);

create table filepiece (
  filecontentid bigint not null references filecontent on delete cascade,
  position integer not null,
  bytes bytea not null,
  primary key (filecontentid, position)
);
-- A part of a piece is read without the rest, and documents are mostly compressed already.
alter table filepiece alter column bytes set storage external;

-- The paths of a location in the database. Several may share a content.
create table storedfile (
  fileobjectid bigint not null references fileobject,
  path varchar(1024) collate "C" not null,
  filecontentid bigint not null references filecontent,
  modified timestamptz not null,
  primary key (fileobjectid, path)
);
create index storedfile_filecontentid_idx on storedfile (filecontentid);

-- A file that a watch has seen in a location: one row for each path, whose lock decides who takes it. No foreign keys: the location may
-- be one without a record, and records may be deleted while their files are remembered.
create table watchedfile (
  watchedfileid bigint generated always as identity primary key,
  location varchar(100) collate casewright_text not null,
  path varchar(1024) collate "C" not null,
  -- As it was when it was last looked at, and since when it has been so.
  size bigint not null,
  modified timestamptz not null,
  changeddate timestamptz not null,
  -- Waiting: not taken. Taken: its records are made. Placed: its file is where it belongs. Cleared: its source is gone where it was to go.
  -- Imported: what follows is queued or done. Done.
  state varchar(20) collate "C" not null default 'Waiting',
  -- What was taken last: the SHA-256 of its content, by which operation, and what became of it.
  hash varchar(64) collate "C",
  kind varchar(60) collate "C",
  attachmentid bigint,
  importfileid bigint,
  targetlocation varchar(100) collate casewright_text,
  targetpath varchar(1000) collate "C",
  removesource boolean not null default false,
  -- The part of the target's path that is its own.
  guid uuid not null default gen_random_uuid(),
  -- Who works on it; whoever was cut off is out when the time is over.
  leaseid uuid,
  leaseduntil timestamptz,
  attempts integer not null default 0,
  problem varchar(1000) collate casewright_text,
  createddate timestamptz not null,
  constraint watchedfile_state_check check (state in ('Waiting', 'Taken', 'Placed', 'Cleared', 'Imported', 'Done'))
);
create unique index watchedfile_path_idx on watchedfile (location, path);
-- What was begun and not finished: few, however many were seen.
create index watchedfile_unfinished_idx on watchedfile (location, path) where state in ('Taken', 'Placed', 'Cleared', 'Imported');
