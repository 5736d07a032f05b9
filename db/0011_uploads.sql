-- Files that come in pieces: how much of each is there, and what document it became.

-- The bytes lie in the file store; this row says how many of them were acknowledged, and decides who writes the next ones.
create table upload (
  uploadguid uuid primary key,
  personid bigint not null references person on delete cascade,
  filename varchar(255) not null,
  filesize bigint not null check (filesize >= 0),
  received bigint not null check (received between 0 and filesize),
  -- CRC-32 of those bytes. They reach the disk with the last of them; a loss of power before it is found out by this.
  checksum bigint not null,
  fileobject varchar(100) collate "C" not null,
  filehash varchar(64) collate "C",
  -- Fields of the document to be, as they were sent; sealed, as parameters of calls are wherever they wait.
  fields bytea not null,
  -- The document that it became. A repeated last piece is answered with it until the row goes.
  attachmentid bigint references attachment on delete set null,
  finisheddate timestamptz,
  createddate timestamptz not null,
  updateddate timestamptz not null,
  check (finisheddate is null or received = filesize)
);
create index upload_personid_idx on upload (personid) where finisheddate is null;
create index upload_attachmentid_idx on upload (attachmentid) where attachmentid is not null;
create index upload_updateddate_idx on upload (updateddate);
