-- Documents in other formats, by the hash of their content: the same content is converted once. No rows for anybody under
-- row security; whoever reaches a document may have its renditions.
create table documentrendition (
  filehash varchar(64) collate "C" not null,
  -- What the content was read as, and the media type that it was converted to.
  sourcetype varchar(255) collate "C" not null,
  mimetype varchar(255) collate "C" not null,
  -- Empty while it is being converted.
  fileobject varchar(100) collate casewright_text,
  filepath varchar(1000) collate "C",
  filesize integer,
  resulthash varchar(64) collate "C",
  extension varchar(10) collate "C",
  attempt integer not null default 1,
  leaseduntil timestamptz,
  createddate timestamptz not null default now(),
  useddate timestamptz not null default now(),
  constraint documentrendition_pkey primary key (filehash, sourcetype, mimetype),
  constraint documentrendition_file_check check ((filepath is null) = (fileobject is null)
    and (filepath is null) = (filesize is null) and (filepath is null) = (resulthash is null))
);
create index documentrendition_filepath_idx on documentrendition (filepath);
create index documentrendition_useddate_idx on documentrendition (useddate);
alter table documentrendition enable row level security;
