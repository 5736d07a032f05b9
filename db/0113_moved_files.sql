-- Originals of moved documents that are to be removed, noted with the move: a process may end before it removes one.
create table fileremoval (
  fileobject varchar(100) collate casewright_text not null,
  filepath varchar(1000) collate "C" not null,
  createddate timestamptz not null,
  constraint fileremoval_pkey primary key (fileobject, filepath)
);
create index fileremoval_createddate_idx on fileremoval (createddate);
alter table fileremoval enable row level security;
