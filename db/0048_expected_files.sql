-- Since when a file waits to be taken, and when operators were told that it does not settle.
alter table watchedfile add column waitingdate timestamptz, add column alarmdate timestamptz;

-- Watches that expect a file by a time: one row for each watch and its times.
create table expectedfile (
  location varchar(100) collate casewright_text not null,
  kind varchar(60) collate "C" not null,
  path varchar(1000) collate "C" not null,
  pattern varchar(500) collate "C" not null,
  expectedby varchar(200) collate "C" not null,
  -- The next time by which a file must have come.
  duedate timestamptz not null,
  -- Whether one has come since the time before.
  hascome boolean not null default false,
  -- Whether the file of the time before is missing: the next one counts for that time.
  ismissing boolean not null default false,
  primary key (location, kind, path, pattern, expectedby)
);
