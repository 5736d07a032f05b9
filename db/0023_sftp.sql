-- Accounts of the sFTP server, and what becomes of the files that they leave in their homes.

create table sftpaccount (
  sftpaccountid bigint generated always as identity primary key,
  sftpaccount varchar(60) collate casewright_text,
  status varchar(100) collate casewright_text,
  sftpaccounttype varchar(100) collate casewright_text,
  personid bigint not null references person,
  environment varchar(60) collate casewright_text,
  publickeys varchar(20000) collate "C",
  keyfingerprints varchar(4000) collate "C",
  allowednetworks varchar(2000) collate "C",
  template varchar(100) collate casewright_text,
  filenames varchar(1000) collate "C",
  password varchar(255) collate "C",
  passworddate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index sftpaccount_personid_idx on sftpaccount (personid);
create trigger sftpaccount_history after update or delete on sftpaccount for each row execute function casewright_history('password');
select casewright_open('sftpaccount', 'none');


-- Names are compared as people type them: two that differ in case alone would be one account to some and two to others.
create unique index sftpaccount_sftpaccount_idx on sftpaccount (sftpaccount);

-- A file that came by sFTP, from its first byte until it is imported or removed. Whoever changes a file changes its row first: so
-- several servers over one folder agree on which file is whole, and on who imports it.
create table sftpfile (
  sftpfileid bigint generated always as identity primary key,
  sftpaccountid bigint not null references sftpaccount on delete cascade,
  -- Where it lies below the home; null once it was taken out of it.
  path varchar(1024) collate "C",
  filename varchar(255) collate "C" not null,
  -- Open: being written, or broken off. Complete: waits for its quiet time. Left: stays where it is. Taking: is being moved out of the
  -- home. Taken: is being imported.
  state varchar(10) not null check (state in ('Open', 'Complete', 'Left', 'Taking', 'Taken')),
  -- The opening that may complete it; an older one's close says nothing.
  opening uuid,
  size bigint,
  -- When it was complete, and from then on when it is looked at next.
  duedate timestamptz,
  takendate timestamptz,
  attempts integer not null default 0,
  createddate timestamptz not null default now(),
  check ((path is null) = (state = 'Taken'))
);
create unique index sftpfile_path_idx on sftpfile (sftpaccountid, path);
create index sftpfile_duedate_idx on sftpfile (duedate) where state in ('Complete', 'Taking', 'Taken');
